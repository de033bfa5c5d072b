// SPDX-License-Identifier: GPL-2.0
#include "util/profile/name_list.h"

#include <string.h>

int name_list_add(struct name_list *l, const char *text, struct err *err)
{
	const char **slot;
	size_t len;

	for (; *text; text += len + (text[len] == ',')) {
		len = strcspn(text, ",");
		if (!len)
			continue;
		slot = vec_push(l);
		if (!slot)
			return err_nomem(err);
		*slot = arena_strndup(&l->arena, text, len);
		if (!*slot)
			return err_nomem(err);
	}
	return 0;
}

bool name_list_has(const struct name_list *l, const char *name)
{
	u32 i;

	for (i = 0; i < l->nr; i++)
		if (!strcmp(l->v[i], name))
			return true;
	return false;
}

void name_list_free(struct name_list *l)
{
	vec_free(l);
	arena_free(&l->arena);
}
