// SPDX-License-Identifier: GPL-2.0
#include "util/file/columns_internal.h"

#include <errno.h>

#include "util/file/block.h"
#include "util/file/columns.h"

/* A record has a header at least. */
#define RECORDS_MAX (BLOCK_SIZE_MAX / (u32)sizeof(struct perf_event_header))

struct account {
	struct columns_in in;
	struct columns_blobs blobs;
	VEC(struct columns_class) classes; /* with the memory of those before */
	u32 nr_classes;
	columns_account_fn *report;
	void *ctx;
	u64 reported; /* bytes */
};

static void report(struct account *a, enum columns_part part, size_t before, const struct cur *c)
{
	u64 bytes = before - cur_left(c);

	a->reported += bytes;
	a->report(a->ctx, part, bytes, NULL);
}

static bool pass_ints(struct account *a, struct cur *c, u64 n)
{
	return !c->bad && n <= RECORDS_MAX && columns_in_room(&a->in, n) &&
	       columns_get_ints(&a->in, c, a->in.scratch[0], n);
}

static bool pass_classes(struct account *a, struct cur *c)
{
	u64 nr = columns_get_varint(c), len = columns_get_varint(c);
	struct cur text;
	const u8 *p;

	if (c->bad || nr > UINT16_MAX || len > BLOCK_SIZE_MAX)
		return false;
	p = columns_get_stream(&a->in, c, len);
	if (!p)
		return false;
	text = cur_init(p, len);
	for (a->nr_classes = 0; a->nr_classes < nr; a->nr_classes++) {
		if (a->nr_classes == a->classes.nr && !vec_push(&a->classes)) {
			a->in.nomem = true;
			return false;
		}
		if (!columns_class_get(&a->classes.v[a->nr_classes], &text)) {
			a->in.nomem |= !text.bad;
			return false;
		}
	}
	return true;
}

static bool pass_halves(struct account *a, struct cur *c, enum columns_part first)
{
	struct cur part = cur_sub(c, columns_get_varint(c));
	size_t before = cur_left(&part);
	u64 halves, nodes, addresses;

	halves = columns_get_varint(&part);
	nodes = columns_get_varint(&part);
	addresses = columns_get_varint(&part);
	if (!pass_ints(a, &part, halves) || !pass_ints(a, &part, halves))
		return false;
	report(a, first, before, &part);
	before = cur_left(&part);
	if (!pass_ints(a, &part, nodes))
		return false;
	report(a, first + 1, before, &part);
	before = cur_left(&part);
	if (!pass_ints(a, &part, addresses))
		return false;
	report(a, first + 2, before, &part);
	return true;
}

/* Where in its raw data the column begins, -1: it is no part of that. */
static s32 raw_offset(const struct columns_class *class, u32 col)
{
	u32 i;

	/* the first that is marked follows the common fields */
	for (i = 0; i < class->cols.nr; i++)
		if (class->cols.v[i].raw)
			break;
	if (i == class->cols.nr || class->cols.v[col].at + 8 < class->cols.v[i].at ||
	    (!class->cols.v[col].raw && col > i))
		return -1;
	return (s32)(class->cols.v[col].at + 8 - class->cols.v[i].at);
}

static bool pass_columns(struct account *a, struct cur *c)
{
	struct columns_column column;
	u32 i, col;

	for (i = 0; i < a->nr_classes; i++) {
		const struct columns_class *k = &a->classes.v[i];

		for (col = 0; col < k->cols.nr; col++) {
			size_t before = cur_left(c);

			cur_sub(c, columns_get_varint(c));
			if (c->bad)
				return false;
			a->reported += before - cur_left(c);
			column = (struct columns_column){k->type, k->event, k->cols.v[col].kind,
							 raw_offset(k, col)};
			a->report(a->ctx, COLUMNS_PART_COLUMN, before - cur_left(c), &column);
		}
	}
	return true;
}

static bool pass_section(struct account *a, struct cur *c)
{
	u64 records = columns_get_varint(c), runs = columns_get_varint(c);
	size_t before = cur_left(c);

	if (!pass_ints(a, c, runs) || !pass_ints(a, c, runs))
		return false;
	report(a, COLUMNS_PART_RUNS, before, c);
	before = cur_left(c);
	if (!pass_classes(a, c))
		return false;
	report(a, COLUMNS_PART_CLASSES, before, c);
	before = cur_left(c);
	if (!pass_ints(a, c, records))
		return false;
	report(a, COLUMNS_PART_ORDER, before, c);
	if (!pass_halves(a, c, COLUMNS_PART_KERNEL_CHAIN) ||
	    !pass_halves(a, c, COLUMNS_PART_USER_CHAIN))
		return false;
	before = cur_left(c);
	if (!columns_blobs_get(&a->blobs, &a->in, c))
		return false;
	report(a, COLUMNS_PART_BLOBS, before, c);
	return pass_columns(a, c);
}

static int account(struct account *a, const struct columns_decoder *d, const void *payload,
		   size_t len)
{
	size_t head = columns_head(d);
	struct cur c = cur_init((const u8 *)payload + head, len - head);

	while (cur_left(&c)) {
		struct cur part = cur_sub(&c, columns_get_varint(&c));

		if (c.bad || (cur_left(&part) && !pass_section(a, &part)))
			return a->in.nomem ? -ENOMEM : -EBADMSG;
	}
	a->report(a->ctx, COLUMNS_PART_FRAME, len - a->reported, NULL);
	return 0;
}

int columns_account(struct columns_decoder *d, const void *payload, size_t len,
		    columns_account_fn *fn, void *ctx)
{
	struct account a = {.report = fn, .ctx = ctx};
	int ret = columns_open(d, payload, len, &(struct columns_want){.runs_only = true});
	u32 i;

	if (!ret)
		ret = account(&a, d, payload, len);
	for (i = 0; i < a.classes.nr; i++)
		vec_free(&a.classes.v[i].cols);
	vec_free(&a.classes);
	columns_blobs_free(&a.blobs);
	columns_in_free(&a.in);
	return ret;
}
