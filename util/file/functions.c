// SPDX-License-Identifier: GPL-2.0
#include "util/file/functions.h"

#include <errno.h>
#include <stdlib.h>

#include "util/file/columns_internal.h"

/* A payload of more bytes is complete: what is larger, a reader would refuse. */
#define PART_BYTES  (1u << 20)
#define NUMBERS_MAX 20 /* bytes of a function's numbers */

void functions_dso(struct functions *f, const struct dso_head *head)
{
	struct functions_dso *d = vec_push(&f->dsos);
	size_t at = f->heads.len;

	f->failed |= !d;
	dso_head_put(&f->heads, head);
	if (d)
		*d = (struct functions_dso){.head = at, .head_len = f->heads.len - at};
}

void functions_add(struct functions *f, u64 start, u64 size, const char *name, size_t len)
{
	struct function *k = f->dsos.nr ? vec_push(&f->list) : NULL;

	f->failed |= !k;
	if (!k)
		return;
	*k = (struct function){start, size, f->names.len};
	f->dsos.v[f->dsos.nr - 1].nr++;
	buf_add(&f->names, name, len);
	buf_addc(&f->names, '\0');
}

static int by_start(const void *x, const void *y)
{
	const struct function *a = x, *b = y;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->name < b->name ? -1 : a->name > b->name;
}

/* Functions of one DSO that go into a payload. */
struct part {
	const struct functions_dso *dso;
	struct function *list;
	u32 nr;
};

typedef VEC(struct part) part_list;

static size_t name_size(const struct functions *f, const struct function *k)
{
	return strlen(f->names.data + k->name) + 1;
}

/* The parts of the next payload. False when memory is out. */
static bool take_parts(struct functions *f, struct functions_at *at, part_list *parts)
{
	struct part *p;
	size_t bytes = 0;

	while (at->dso < f->dsos.nr && bytes < PART_BYTES) {
		p = vec_push(parts);
		if (!p)
			return false;
		p->dso = &f->dsos.v[at->dso];
		p->list = p->dso->nr ? &f->list.v[at->listed + at->function] : NULL;
		if (p->dso->nr && !at->function)
			qsort(p->list, p->dso->nr, sizeof(*p->list), by_start);
		for (p->nr = 0; at->function < p->dso->nr && bytes < PART_BYTES;
		     p->nr++, at->function++)
			bytes += NUMBERS_MAX + name_size(f, &p->list[p->nr]);
		if (at->function < p->dso->nr)
			break;
		bytes += p->dso->head_len;
		at->listed += p->dso->nr;
		at->function = 0;
		at->dso++;
	}
	return true;
}

static void put_dso(const struct functions *f, struct buf *b, const struct part *p)
{
	buf_add(b, f->heads.data + p->dso->head, p->dso->head_len);
	columns_put_varint(b, p->nr);
}

static void put_starts(const struct functions *f, struct buf *b, const struct part *p)
{
	u64 last = 0;
	u32 i;

	(void)f;
	for (i = 0; i < p->nr; i++) {
		columns_put_varint(b, p->list[i].start - last);
		last = p->list[i].start;
	}
}

static void put_sizes(const struct functions *f, struct buf *b, const struct part *p)
{
	u32 i;

	(void)f;
	for (i = 0; i < p->nr; i++)
		columns_put_varint(b, p->list[i].size);
}

static void put_names(const struct functions *f, struct buf *b, const struct part *p)
{
	u32 i;

	for (i = 0; i < p->nr; i++)
		buf_add(b, f->names.data + p->list[i].name, name_size(f, &p->list[i]));
}

bool functions_put(struct functions *f, struct functions_at *at, struct buf *payload)
{
	static void (*const put[])(const struct functions *f, struct buf *b,
				   const struct part *p) = {put_dso, put_starts, put_sizes,
							    put_names};
	part_list parts = {0};
	bool taken;
	u32 i, k;

	if (f->failed || f->heads.failed || f->names.failed)
		return false;
	taken = take_parts(f, at, &parts);
	columns_put_varint(payload, parts.nr);
	for (k = 0; k < ARRAY_SIZE(put); k++)
		for (i = 0; i < parts.nr; i++)
			put[k](f, payload, &parts.v[i]);
	vec_free(&parts);
	return taken && !payload->failed;
}

static bool get_dso(struct functions *f, struct cur *c, u64 *all)
{
	struct dso_head head;
	u64 nr;

	dso_head_get(c, &head);
	nr = columns_get_varint(c);
	/* each takes three bytes or more */
	if (c->bad || nr > cur_left(c) / 3 || *all + nr > cur_left(c) / 3)
		return false;
	functions_dso(f, &head);
	if (!f->failed)
		f->dsos.v[f->dsos.nr - 1].nr = (u32)nr;
	*all += nr;
	return true;
}

static void get_starts(struct functions *f, struct cur *c, u32 first_dso, u32 first)
{
	u32 i, at = first, n;
	u64 last;

	for (i = first_dso; i < f->dsos.nr; i++) {
		last = 0;
		for (n = 0; n < f->dsos.v[i].nr; n++)
			last = f->list.v[at++].start = last + columns_get_varint(c);
	}
}

int functions_get(struct functions *f, struct cur c)
{
	u32 first_dso = f->dsos.nr, first = f->list.nr, i;
	u64 dsos = columns_get_varint(&c), all = 0;
	const char *name;
	size_t len;

	if (c.bad || dsos > cur_left(&c))
		return -EBADMSG;
	for (; dsos; dsos--)
		if (!get_dso(f, &c, &all))
			return -EBADMSG;
	if (f->failed || !vec_reserve(&f->list, first + all))
		return -ENOMEM;
	f->list.nr = first + (u32)all;
	get_starts(f, &c, first_dso, first);
	for (i = first; i < f->list.nr; i++) {
		f->list.v[i].size = columns_get_varint(&c);
		if (f->list.v[i].start + f->list.v[i].size < f->list.v[i].start)
			return -EBADMSG;
	}
	for (i = first; i < f->list.nr; i++) {
		name = cur_str(&c, &len);
		if (!name)
			return -EBADMSG;
		f->list.v[i].name = f->names.len;
		buf_add(&f->names, name, len + 1);
	}
	if (c.bad || cur_left(&c))
		return -EBADMSG;
	return f->names.failed || f->heads.failed ? -ENOMEM : 0;
}

bool functions_move(struct functions *to, struct functions *from)
{
	struct functions empty = *to;
	u32 i;

	if (!to->dsos.nr) {
		*to = *from;
		*from = empty;
		functions_clear(from);
		return !to->failed;
	}
	if (!vec_reserve(&to->dsos, (u64)to->dsos.nr + from->dsos.nr) ||
	    !vec_reserve(&to->list, (u64)to->list.nr + from->list.nr))
		return false;
	for (i = 0; i < from->dsos.nr; i++) {
		to->dsos.v[to->dsos.nr] = from->dsos.v[i];
		to->dsos.v[to->dsos.nr++].head += to->heads.len;
	}
	for (i = 0; i < from->list.nr; i++) {
		to->list.v[to->list.nr] = from->list.v[i];
		to->list.v[to->list.nr++].name += to->names.len;
	}
	buf_add(&to->heads, from->heads.data, from->heads.len);
	buf_add(&to->names, from->names.data, from->names.len);
	to->failed |= from->failed || to->heads.failed || to->names.failed;
	functions_clear(from);
	return !to->failed;
}

void functions_clear(struct functions *f)
{
	f->dsos.nr = f->list.nr = 0;
	buf_reset(&f->heads);
	buf_reset(&f->names);
	f->failed = false;
}

void functions_free(struct functions *f)
{
	vec_free(&f->dsos);
	vec_free(&f->list);
	buf_free(&f->heads);
	buf_free(&f->names);
}
