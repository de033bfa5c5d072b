// SPDX-License-Identifier: GPL-2.0
#include "util/event/ev_type_names.h"

#include <string.h>

int ev_type_names(const struct btf *b, const char *type, struct tp_name_list *list, struct err *err)
{
	struct btf_enumerator e;
	struct tp_value_name *name;
	struct btf_type t;
	u32 id, i;

	if (strncmp(type, "enum ", 5) != 0)
		return 0;
	id = btf_find(b, BTF_ENUM, type + 5);
	if (!id)
		id = btf_find(b, BTF_ENUM64, type + 5);
	if (!id)
		return 0;
	t = btf_type(b, id);
	list->whole = true;
	for (i = 0; i < t.vlen; i++) {
		e = btf_enumerator(b, &t, i);
		name = vec_push(&list->v);
		if (!name)
			return err_nomem(err);
		*name = (struct tp_value_name){e.value, e.name, strlen(e.name)};
	}
	return 0;
}
