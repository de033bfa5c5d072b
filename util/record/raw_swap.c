// SPDX-License-Identifier: GPL-2.0
#include "util/record/raw_swap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int raw_swap_init(struct raw_swap *s, const struct tp_format *f)
{
	struct raw_swap_field *to;
	u32 i;

	for (i = 0; i < f->nr_fields; i++) {
		const struct tp_field *from = &f->fields[i];
		u32 elem = from->elem_size;

		if (from->loc == TP_LOC_FIXED && elem < 2)
			continue;
		to = vec_push(&s->fields);
		if (!to)
			return -ENOMEM;
		*to = (struct raw_swap_field){from->offset, from->size, elem, from->loc};
	}
	return 0;
}

/* The bytes of one integer, last first. */
static void reverse(u8 *p, u32 n)
{
	u32 i;

	for (i = 0; i < n / 2; i++) {
		u8 was = p[i];

		p[i] = p[n - 1 - i];
		p[n - 1 - i] = was;
	}
}

static void reverse_all(u8 *raw, size_t len, u64 at, u64 size, u32 elem)
{
	if (elem != 2 && elem != 4 && elem != 8)
		return;
	if (at > len || size > len - at)
		return;
	for (; size >= elem; at += elem, size -= elem)
		reverse(raw + at, elem);
}

void raw_swap(const struct raw_swap *s, u8 *raw, size_t len)
{
	u32 i, where;

	for (i = 0; i < s->fields.nr; i++) {
		const struct raw_swap_field *f = &s->fields.v[i];

		if (f->loc == TP_LOC_FIXED) {
			/* x[] at the end of the record has no size of its own */
			reverse_all(raw, len, f->at, f->size || f->at > len ? f->size : len - f->at,
				    f->elem);
			continue;
		}
		if (f->at > len || len - f->at < sizeof(where))
			continue;
		reverse(raw + f->at, sizeof(where));
		memcpy(&where, raw + f->at, sizeof(where));
		reverse_all(raw, len,
			    (where & 0xffff) + (f->loc == TP_LOC_REL ? f->at + f->size : 0),
			    where >> 16, f->elem);
	}
}

void raw_swap_free(struct raw_swap *s)
{
	vec_free(&s->fields);
}
