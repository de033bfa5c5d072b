// SPDX-License-Identifier: GPL-2.0
#include "util/btf/btf_offset.h"

#include <string.h>

/* Damaged types may stand in themselves. */
#define DEPTH_MAX   16
#define MEMBERS_MAX 100000u

struct search {
	const struct btf *b;
	const char *name;
	u32 depth, members; /* looked at */
};

static bool find(struct search *s, struct btf_type t, u64 *bits)
{
	struct btf_member m;
	bool found = false;
	u64 at;
	u32 i;

	if ((t.kind != BTF_STRUCT && t.kind != BTF_UNION) || s->depth == DEPTH_MAX)
		return false;
	s->depth++;
	for (i = 0; i < t.vlen && !found && s->members < MEMBERS_MAX; i++) {
		s->members++;
		m = btf_member(s->b, &t, i);
		at = *bits + m.bit_offset;
		if (*m.name)
			found = !strcmp(m.name, s->name) && !m.bit_size && at % 8 == 0;
		else
			found = find(s, btf_resolve(s->b, m.type), &at);
	}
	s->depth--;
	if (found)
		*bits = at;
	return found;
}

bool btf_offset(const struct btf *b, const char *of_struct, const char *member, u32 *offset)
{
	struct search s = {.b = b, .name = member};
	u32 id = btf_find(b, BTF_STRUCT, of_struct);
	u64 bits = 0;

	if (!id || !find(&s, btf_type(b, id), &bits) || bits / 8 > UINT32_MAX)
		return false;
	*offset = (u32)(bits / 8);
	return true;
}
