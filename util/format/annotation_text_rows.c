// SPDX-License-Identifier: GPL-2.0
#include "util/format/annotation_text.h"

/* Jumps over more rows are not drawn: their ends are not on one screen. */
#define ROWS_MAX 120
/* As many that are drawn: what is behind is hostile, or of no use. */
#define JUMPS_MAX 4096

/* All jumps to a row, whose ends are between these rows. */
struct jump {
	u32 low, high, to;
	u32 lane; /* from the right; ANNOTATION_LANES: none was free */
};

struct jumps {
	VEC(struct jump) v;
};

/* Is an instruction with samples so near? `last` and `next` are those before and behind it, ID_NONE: there is none. */
static bool is_near(u32 i, u32 last, u32 next, u32 context)
{
	return (last != ID_NONE && i - last <= context) || (next != ID_NONE && next - i <= context);
}

static u32 next_hit(const struct annotation *a, u32 i)
{
	while (i < a->insns.nr && !a->insns.v[i].samples)
		i++;
	return i < a->insns.nr ? i : ID_NONE;
}

static bool choose_rows(struct annotation_rows *r, const struct annotation *a, u32 context)
{
	struct annotation_row *row = NULL;
	u32 i, last = ID_NONE, next = next_hit(a, 0);

	for (i = 0; i < a->insns.nr; i++) {
		if (next != ID_NONE && i > next) {
			last = next;
			next = next_hit(a, i);
		}
		if (context != UINT32_MAX && !is_near(i, last, next, context) && row &&
		    row->hidden) {
			row->hidden++;
			continue;
		}
		row = vec_push(&r->v);
		if (!row)
			return false;
		row->insn = i;
		row->hidden = context != UINT32_MAX && !is_near(i, last, next, context);
	}
	return true;
}

/* A line in place of one instruction saves none. */
static void show_single(struct annotation_rows *r)
{
	u32 i;

	for (i = 0; i < r->v.nr; i++)
		if (r->v.v[i].hidden == 1)
			r->v.v[i].hidden = 0;
}

/* The row of an instruction; ID_NONE: it is not shown. */
static u32 row_of(const struct annotation_rows *r, u32 insn)
{
	u32 lo = 0, hi = r->v.nr, mid;

	while (lo + 1 < hi) {
		mid = lo + (hi - lo) / 2;
		if (r->v.v[mid].insn <= insn)
			lo = mid;
		else
			hi = mid;
	}
	return hi && !r->v.v[lo].hidden && r->v.v[lo].insn == insn ? lo : ID_NONE;
}

static bool find_jumps(struct jumps *jumps, const struct annotation_rows *r,
		       const struct annotation *a, struct hmap *by_target)
{
	struct jump *j;
	u32 i, to, known;

	for (i = 0; i < r->v.nr && jumps->v.nr < JUMPS_MAX; i++) {
		if (r->v.v[i].hidden || a->insns.v[r->v.v[i].insn].target == ID_NONE)
			continue;
		to = row_of(r, a->insns.v[r->v.v[i].insn].target);
		if (to == ID_NONE || (to > i ? to - i : i - to) > ROWS_MAX)
			continue;
		known = hmap_get(by_target, to);
		if (known == ID_NONE) {
			j = vec_push(&jumps->v);
			if (!j || !hmap_set(by_target, to, jumps->v.nr - 1))
				return false;
			*j = (struct jump){.low = to, .high = to, .to = to};
		} else {
			j = &jumps->v.v[known];
		}
		j->low = MIN(j->low, i);
		j->high = MAX(j->high, i);
	}
	return true;
}

static int compare_jumps(const void *x, const void *y)
{
	const struct jump *a = x, *b = y;
	u32 rows_a = a->high - a->low, rows_b = b->high - b->low;

	if (rows_a != rows_b)
		return rows_a < rows_b ? -1 : 1;
	return a->to < b->to ? -1 : a->to > b->to;
}

/* Short ones are next to the instructions, long ones around them. */
static void choose_lanes(struct annotation_rows *r, struct jumps *jumps)
{
	u32 i, k, lane;

	for (i = 0; i < jumps->v.nr; i++) {
		struct jump *j = &jumps->v.v[i];

		for (lane = 0; lane < ANNOTATION_LANES; lane++) {
			for (k = 0; k < i; k++)
				if (jumps->v.v[k].lane == lane && jumps->v.v[k].low <= j->high &&
				    j->low <= jumps->v.v[k].high)
					break;
			if (k == i)
				break;
		}
		j->lane = lane;
		if (lane < ANNOTATION_LANES)
			r->lanes = MAX(r->lanes, lane + 1);
	}
}

/* From its lane to the instruction, over what is there but lines from above. */
static void draw_end(const struct annotation_rows *r, char *arrows, const struct jump *j, u32 row)
{
	u32 at = r->lanes - 1 - j->lane, i;

	arrows[at] = row == j->low ? ',' : row == j->high ? '\'' : '+';
	for (i = at + 1; i <= r->lanes; i++)
		if (arrows[i] == ' ')
			arrows[i] = '-';
	if (row == j->to)
		arrows[r->lanes] = '>';
}

static void draw(struct annotation_rows *r, const struct annotation *a, const struct jumps *jumps)
{
	const struct jump *j;
	u32 i, row, target;

	for (i = 0; i < r->v.nr; i++) {
		memset(r->v.v[i].arrows, ' ', r->lanes + 1);
		r->v.v[i].arrows[r->lanes + 1] = '\0';
	}
	for (i = 0; i < jumps->v.nr; i++) {
		j = &jumps->v.v[i];
		for (row = j->low; j->lane < ANNOTATION_LANES && row <= j->high; row++)
			r->v.v[row].arrows[r->lanes - 1 - j->lane] = '|';
	}
	for (i = 0; i < jumps->v.nr; i++) {
		j = &jumps->v.v[i];
		for (row = j->low; j->lane < ANNOTATION_LANES && row <= j->high; row++) {
			if (r->v.v[row].hidden)
				continue;
			target = a->insns.v[r->v.v[row].insn].target;
			if (row == j->to || (target != ID_NONE && target == r->v.v[j->to].insn))
				draw_end(r, r->v.v[row].arrows, j, row);
		}
	}
}

bool annotation_rows_make(struct annotation_rows *r, const struct annotation *a, u32 context)
{
	struct hmap by_target = {0};
	struct jumps jumps = {0};
	bool ok;

	*r = (struct annotation_rows){0};
	ok = choose_rows(r, a, context);
	if (ok) {
		show_single(r);
		ok = find_jumps(&jumps, r, a, &by_target);
	}
	if (ok) {
		if (jumps.v.nr)
			qsort(jumps.v.v, jumps.v.nr, sizeof(*jumps.v.v), compare_jumps);
		choose_lanes(r, &jumps);
		draw(r, a, &jumps);
	}
	hmap_free(&by_target);
	vec_free(&jumps.v);
	return ok;
}

void annotation_rows_free(struct annotation_rows *r)
{
	vec_free(&r->v);
}
