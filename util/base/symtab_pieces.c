// SPDX-License-Identifier: GPL-2.0
#include "util/base/symtab_internal.h"

#include <errno.h>
#include <stdlib.h>

#include "util/base/memory.h"

/* How many pieces a lookup passes at once, and as many at the top that no address reaches. */
#define STEPS 4

/* The sweep over the sorted symbols that cuts the address space into pieces. */
struct sweep {
	struct symtab_pieces *p;
	const struct sym *syms;
	u32 nr;
	enum symtab_view view;
	u64 pos;   /* every piece below is done */
	u32 *open; /* symbols that begin at or below pos: a heap, the one to be shown on top */
	u32 nr_open;
	bool failed; /* memory is out */
};

/* True if symbol a hides symbol b where both are. */
static bool hides(const struct sweep *s, u32 a, u32 b)
{
	const struct sym *v = s->syms;

	return s->view == SYMTAB_NEWEST ? v[a].order > v[b].order : a > b;
}

static void heap_push(struct sweep *s, u32 sym)
{
	u32 i = s->nr_open++, parent;

	for (; i > 0; i = parent) {
		parent = (i - 1) / 2;
		if (!hides(s, sym, s->open[parent]))
			break;
		s->open[i] = s->open[parent];
	}
	s->open[i] = sym;
}

static void heap_pop(struct sweep *s)
{
	u32 last = s->open[--s->nr_open], i, child;

	for (i = 0; 2 * i + 1 < s->nr_open; i = child) {
		child = 2 * i + 1;
		if (child + 1 < s->nr_open && hides(s, s->open[child + 1], s->open[child]))
			child++;
		if (!hides(s, s->open[child], last))
			break;
		s->open[i] = s->open[child];
	}
	s->open[i] = last;
}

static void emit(struct sweep *s, u64 start, u32 sym)
{
	struct symtab_pieces *p = s->p;
	u32 nr = p->cuts.nr;

	if ((nr && p->cuts.v[nr - 1].sym == sym) || s->failed)
		return;
	if (nr == p->cuts.cap && !vec_reserve(&p->cuts, (u64)nr + 1)) {
		s->failed = true;
		return;
	}
	p->cuts.v[nr] = (struct symtab_piece){start, sym};
	p->cuts.nr++;
}

/* Emit the pieces between s->pos and `upto`. */
static void sweep_to(struct sweep *s, u64 upto)
{
	const struct sym *top;

	while (s->nr_open && s->pos < upto) {
		top = &s->syms[s->open[0]];
		if (top->end > s->pos) {
			emit(s, s->pos, s->open[0]);
			s->pos = MIN(top->end, upto);
		}
		if (top->end <= s->pos)
			heap_pop(s);
	}
	if (s->pos < upto) {
		emit(s, s->pos, ID_NONE);
		s->pos = upto;
	}
}

/* Nothing is open where symbol i begins, and nothing begins before it ends: no need for the heap. */
static bool stands_alone(const struct sweep *s, u32 i)
{
	const struct sym *v = s->syms;

	return !s->nr_open && v[i].end > v[i].start && v[i].start >= s->pos &&
	       (i + 1 == s->nr || v[i + 1].start >= v[i].end);
}

static void add_to_sweep(struct sweep *s, u32 i)
{
	const struct sym *v = s->syms, *top;

	sweep_to(s, v[i].start);
	while (s->nr_open && v[s->open[0]].end <= s->pos)
		heap_pop(s);
	if (stands_alone(s, i)) {
		emit(s, v[i].start, i);
		s->pos = v[i].end;
		return;
	}
	top = s->nr_open ? &v[s->open[0]] : NULL;
	/* a label inside a function */
	if (s->view == SYMTAB_NESTED && (v[i].flags & SYM_NOSIZE) && top &&
	    !(top->flags & SYM_NOSIZE))
		return;
	if (v[i].end > v[i].start)
		heap_push(s, i);
}

/*
 * From symbol i on, those that follow each other without a gap and hide nothing, as nearly all of the
 * kernel's do: each is a piece. How far that goes.
 */
static u32 add_row(struct sweep *s, u32 i)
{
	struct symtab_pieces *p = s->p;
	const struct sym *v = s->syms;
	u32 nr = p->cuts.nr, last = MIN(s->nr - 1, i + (p->cuts.cap - nr));
	u64 pos = s->pos;

	for (; i < last && v[i].start == pos && v[i].end > pos && v[i + 1].start >= v[i].end; i++) {
		p->cuts.v[nr++] = (struct symtab_piece){pos, i};
		pos = v[i].end;
	}
	p->cuts.nr = nr;
	s->pos = pos;
	return i;
}

static int cut(struct symtab_pieces *p, const struct sym *syms, u32 nr, enum symtab_view view)
{
	struct sweep s = {.p = p, .syms = syms, .nr = nr, .view = view, .pos = syms[0].start};
	u32 i;

	s.open = memory_alloc_huge(nr * sizeof(*s.open));
	p->cuts.v = memory_alloc_huge(((u64)nr + nr / 8 + 2 + STEPS) * sizeof(*p->cuts.v));
	if (!s.open || !p->cuts.v) {
		free(s.open);
		return -ENOMEM;
	}
	p->cuts.cap = nr + nr / 8 + 2 + STEPS;
	for (i = 0; i < nr; i++) {
		if (!s.nr_open)
			i = add_row(&s, i);
		add_to_sweep(&s, i);
	}
	sweep_to(&s, UINT64_MAX);
	emit(&s, UINT64_MAX, ID_NONE);
	free(s.open);
	return s.failed ? -ENOMEM : 0;
}

static int compare_bounds(const void *x, const void *y)
{
	const u64 *a = x, *b = y;

	return *a < *b ? -1 : *a > *b;
}

/* Between two bounds, where symbols begin or end, a search in the tree comes to the same node. */
static int search(struct symtab_pieces *p, const struct sym *syms, u32 nr, struct symtab_tree *tree)
{
	u32 i, node, *found = malloc(tree->nodes.nr * sizeof(*found));
	u64 *bounds = malloc(2 * (size_t)nr * sizeof(*bounds));
	struct sweep s = {.p = p, .failed = !found || !bounds};

	for (i = 0; i < nr && !s.failed; i++) {
		node = syms[i].order;
		tree->nodes.v[node].end = bounds[2 * i] = syms[i].end;
		bounds[2 * i + 1] = syms[i].start;
		found[node] = i;
	}
	if (!s.failed)
		qsort(bounds, 2 * (size_t)nr, sizeof(*bounds), compare_bounds);
	for (i = 0; i < 2 * nr && !s.failed; i++) {
		node = symtab_tree_find(tree, bounds[i]);
		emit(&s, bounds[i], node == ID_NONE ? ID_NONE : found[node]);
	}
	free(found);
	free(bounds);
	return s.failed ? -ENOMEM : 0;
}

static bool close_cuts(struct symtab_pieces *p)
{
	u32 i;

	if (!vec_reserve(&p->cuts, (u64)p->cuts.nr + STEPS))
		return false;
	for (i = 0; i < STEPS; i++)
		p->cuts.v[p->cuts.nr + i] = (struct symtab_piece){UINT64_MAX, ID_NONE};
	return true;
}

static int make_buckets(struct symtab_pieces *p)
{
	const struct symtab_piece *v;
	u32 nr = p->cuts.nr, piece = 0, b, last;
	u64 span;

	if (!nr)
		return 0;
	if (!close_cuts(p))
		return -ENOMEM;
	v = p->cuts.v;
	/* a few that are far from the others must not make the buckets coarse */
	last = nr - 1 - nr / 64;
	span = v[last].start - v[0].start;
	while (span >> p->shift >= 2 * (u64)nr)
		p->shift++;
	b = (u32)(span >> p->shift) + 1;
	p->buckets = memory_alloc_huge(b * sizeof(*p->buckets));
	if (!p->buckets)
		return -ENOMEM;
	p->nr_buckets = b;
	for (b = 0; b < p->nr_buckets; b++) {
		u64 first = v[0].start + ((u64)b << p->shift);

		while (piece + 1 < nr && v[piece + 1].start <= first)
			piece++;
		p->buckets[b] = piece;
	}
	return 0;
}

int symtab_pieces_cut(struct symtab_pieces *p, const struct sym *syms, u32 nr,
		      enum symtab_view view)
{
	return cut(p, syms, nr, view) || make_buckets(p) ? -ENOMEM : 0;
}

int symtab_pieces_search(struct symtab_pieces *p, const struct sym *syms, u32 nr,
			 struct symtab_tree *tree)
{
	return search(p, syms, nr, tree) || make_buckets(p) ? -ENOMEM : 0;
}

u32 symtab_pieces_find(const struct symtab_pieces *p, u64 addr)
{
	const struct symtab_piece *v = p->cuts.v;
	u32 lo, hi, mid, steps;
	u64 b;

	if (!p->nr_buckets || addr < v[0].start || addr == UINT64_MAX)
		return ID_NONE;
	b = MIN((addr - v[0].start) >> p->shift, (u64)p->nr_buckets - 1);
	lo = p->buckets[b];
	/* most buckets end here: four steps that depend on no branch, nor on each other */
	steps = (v[lo + 1].start <= addr) + (v[lo + 2].start <= addr) + (v[lo + 3].start <= addr) +
		(v[lo + 4].start <= addr);
	lo += steps;
	if (steps == STEPS) {
		hi = b + 1 < p->nr_buckets ? p->buckets[b + 1] : p->cuts.nr - 1;
		while (lo < hi && v[lo + 1].start <= addr) {
			mid = hi - (hi - lo) / 2;
			if (v[mid].start <= addr)
				lo = mid;
			else
				hi = mid - 1;
		}
	}
	return v[lo].sym;
}

void symtab_pieces_free(struct symtab_pieces *p)
{
	vec_free(&p->cuts);
	free(p->buckets);
	*p = (struct symtab_pieces){0};
}
