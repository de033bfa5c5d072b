// SPDX-License-Identifier: GPL-2.0
#include "util/record/raw_swap.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool begins(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

/* Does the print fmt take its address? Then its bytes are printed: %pI4, &REC->saddr. */
static bool is_pointed_at(const struct tp_format *f, const char *name)
{
	static const char record[] = "REC->";
	const char *p = f->print_fmt;
	size_t len = strlen(name);

	for (; (p = strstr(p, record)); p += sizeof(record) - 1) {
		const char *before = p, *word = p + sizeof(record) - 1;

		while (before > f->print_fmt && (before[-1] == '(' || before[-1] == ' '))
			before--;
		if (before - f->print_fmt > 1 && before[-1] == '&' && before[-2] != '&' &&
		    !strncmp(word, name, len) && !isalnum((u8)word[len]) && word[len] != '_')
			return true;
	}
	return false;
}

static bool is_bytes(const struct tp_format *f, const struct tp_field *field)
{
	if (field->is_pointer)
		return false;
	if (field->is_array && begins(field->type, "__be"))
		return true;
	if (begins(field->type, "struct ") || begins(field->type, "union "))
		return true;
	return field->loc == TP_LOC_FIXED && !field->is_array && is_pointed_at(f, field->name);
}

int raw_swap_init(struct raw_swap *s, const struct tp_format *f)
{
	struct raw_swap_field *to;
	u32 i;

	for (i = 0; i < f->nr_fields; i++) {
		const struct tp_field *from = &f->fields[i];
		u32 elem = is_bytes(f, from) ? 0 : from->elem_size;

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
