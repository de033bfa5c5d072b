// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "util/library/perflite_internal.h"

bool perflite_keys_init(struct perflite_keys *k, const struct count_table *t)
{
	k->table = t;
	k->v = calloc(t->keys->nr, sizeof(*k->v));
	if (!k->v)
		return false;
	for (; k->nr < t->keys->nr; k->nr++)
		perflite_field_of(&k->v[k->nr], t, k->nr);
	return true;
}

bool perflite_keys_name(const struct perflite_keys *k, struct perflite_table *out)
{
	u32 i;

	for (i = 0; i < k->nr; i++)
		if (!perflite_table_name(out, i, k->table->keys->v[i].name, k->v[i].type))
			return false;
	return true;
}

bool perflite_keys_put(struct perflite_keys *k, struct perflite_table *out,
		       const struct count_row *row)
{
	u32 i;

	for (i = 0; i < k->nr; i++) {
		perflite_field_row(&k->v[i], row);
		if (!perflite_table_put(out, i, &k->v[i]))
			return false;
	}
	return true;
}

void perflite_keys_free(struct perflite_keys *k)
{
	u32 i;

	for (i = 0; i < k->nr; i++)
		perflite_field_free(&k->v[i]);
	free(k->v);
}
