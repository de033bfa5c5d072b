// SPDX-License-Identifier: GPL-2.0
#include "util/base/symtab.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/big.h"
#include "util/base/radix.h"

#define PAGE 4096

/* How many pieces a lookup passes at once, and as many at the top that no address reaches. */
#define STEPS 4

bool symtab_reserve(struct symtab *st, u64 more)
{
	if (st->syms.cap || !more || more > UINT32_MAX)
		return vec_reserve(&st->syms, st->syms.nr + more);
	st->syms.v = big_alloc(more * sizeof(*st->syms.v));
	st->syms.cap = st->syms.v ? (u32)more : 0;
	return st->syms.v != NULL;
}

bool symtab_adopt(struct symtab *st, void *bytes)
{
	void **block = vec_push(&st->adopted);

	if (block)
		*block = bytes;
	else
		free(bytes);
	return block != NULL;
}

bool symtab_add_adopted(struct symtab *st, u64 start, u64 end, const char *name, u8 flags)
{
	u32 nr = st->syms.nr;

	if (nr == st->syms.cap && !vec_reserve(&st->syms, (u64)nr + 1))
		return false;
	if (nr == st->nr_ordered && (!nr || st->syms.v[nr - 1].start <= start))
		st->nr_ordered++;
	st->syms.v[nr] = (struct sym){
		.start = start, .end = MAX(start, end), .name = name, .order = nr, .flags = flags};
	st->syms.nr++;
	return true;
}

bool symtab_add_module(struct symtab *st, u64 start, u64 end, const char *name, size_t len,
		       const char *module, size_t module_len, u8 flags)
{
	/* a module's name lies behind that of its symbol */
	char *copy = arena_alloc(&st->arena, len + 1 + module_len + (module ? 1 : 0));

	if (!copy)
		return false;
	memcpy(copy, name, len);
	if (module) {
		memcpy(copy + len + 1, module, module_len);
		flags |= SYM_MODULE;
	}
	return symtab_add_adopted(st, start, end, copy, flags);
}

bool symtab_add(struct symtab *st, u64 start, u64 end, const char *name, size_t len, u8 flags)
{
	return symtab_add_module(st, start, end, name, len, NULL, 0, flags);
}

const char *symtab_module(const struct sym *sym)
{
	return sym->flags & SYM_MODULE ? sym->name + strlen(sym->name) + 1 : "";
}

/* A start, less the lowest of all, above an index: where both fit, as they do in any image. */
#define INDEX_BITS 24
#define INDEX_MASK ((1u << INDEX_BITS) - 1)

/* The keys of the symbols in order, in one of the two arrays; NULL: they do not fit into keys. */
static const u64 *sort_keys(const struct sym *v, u32 nr, u64 *keys, u64 *spare)
{
	u64 least = v[0].start, most = least, all = 0;
	unsigned int width, zeros;
	u32 i;

	for (i = 0; i < nr; i++) {
		least = MIN(least, v[i].start);
		most = MAX(most, v[i].start);
		all |= v[i].start ^ v[0].start;
	}
	if ((most - least) >> (64 - INDEX_BITS) || nr > INDEX_MASK)
		return NULL;
	for (i = 0; i < nr; i++)
		keys[i] = (v[i].start - least) << INDEX_BITS | i;
	if (!all)
		return keys;
	/*
	 * By address alone, since they are in the order of the indices already, and by the bits in
	 * which any two differ: functions are aligned.
	 */
	zeros = (unsigned int)__builtin_ctzll(all);
	width = 64 - (unsigned int)__builtin_clzll(most - least);
	return radix_sort(keys, spare, nr, INDEX_BITS + zeros, INDEX_BITS + width);
}

static int by_start(const void *x, const void *y)
{
	const struct sym *a = x, *b = y;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* The symbols in order, as a new array, or NULL. */
static struct sym *sorted_copy(const struct sym *v, u32 nr)
{
	u64 *keys = big_alloc(nr * sizeof(*keys)), *spare = big_alloc(nr * sizeof(*spare));
	struct sym *sorted = big_alloc(nr * sizeof(*sorted));
	const u64 *order = NULL;
	u32 i;

	if (!keys || !spare || !sorted) {
		free(sorted);
		sorted = NULL;
	} else {
		order = sort_keys(v, nr, keys, spare);
	}
	for (i = 0; order && i < nr; i++)
		sorted[i] = v[order[i] & INDEX_MASK];
	if (sorted && !order) {
		memcpy(sorted, v, nr * sizeof(*v));
		qsort(sorted, nr, sizeof(*sorted), by_start);
	}
	free(keys);
	free(spare);
	return sorted;
}

/* v[0..head) and tail[0..nr-head) are in order; v has room for all. */
static void merge(struct sym *v, u32 head, const struct sym *tail, u32 nr)
{
	u32 left = nr - head;

	while (left) {
		if (head && v[head - 1].start > tail[left - 1].start) {
			head--;
			v[head + left] = v[head];
		} else {
			left--;
			v[head + left] = tail[left];
		}
	}
}

/* By address; aliases stay in the order in which they were added. */
static int sort_syms(struct symtab *st)
{
	struct sym *v = st->syms.v, *sorted;
	u32 nr = st->syms.nr, head = st->nr_ordered;

	if (head == nr)
		return 0;
	/* what has only a tail out of order, as kallsyms has, is nearly done */
	if (head < nr / 2)
		head = 0;
	sorted = sorted_copy(v + head, nr - head);
	if (!sorted)
		return -ENOMEM;
	st->nr_ordered = nr;
	if (head) {
		merge(v, head, sorted, nr);
		free(sorted);
		return 0;
	}
	free(v);
	st->syms.v = sorted;
	st->syms.cap = nr;
	return 0;
}

bool symtab_better_name(const char *a, const char *b)
{
	size_t na = strspn(a, "_"), nb = strspn(b, "_");

	return na != nb ? nb < na : strlen(b) > strlen(a);
}

/* True if `b`, which was added later, is the better symbol of the two. */
static bool better_alias(const struct symtab *st, const struct sym *a, const struct sym *b)
{
	bool a_sized = a->end > a->start && !(a->flags & SYM_NOSIZE);
	bool b_sized = b->end > b->start && !(b->flags & SYM_NOSIZE);
	u8 differ = a->flags ^ b->flags;

	if (differ & SYM_PREFER)
		return b->flags & SYM_PREFER;
	if (differ & SYM_MARKER)
		return a->flags & SYM_MARKER;
	if (a_sized != b_sized)
		return b_sized;
	if (differ & SYM_WEAK)
		return a->flags & SYM_WEAK;
	if (differ & SYM_GLOBAL)
		return b->flags & SYM_GLOBAL;
	return (st->better_name ? st->better_name : symtab_better_name)(a->name, b->name);
}

/* In perf's view: what is not in the tree yet comes into it. */
static bool plant(struct symtab *st)
{
	struct sym *v = st->syms.v;
	u32 i;

	for (i = st->nr_settled; i < st->syms.nr; i++) {
		v[i].order = symtab_tree_add(&st->tree, v[i].start);
		if (v[i].order == ID_NONE)
			return false;
	}
	st->nr_settled = st->syms.nr;
	return true;
}

/* Of each group of aliases keep the best; with `extend`, as long as the longest of its like. */
static void drop_aliases(struct symtab *st, bool extend)
{
	struct sym *v = st->syms.v;
	bool planted = st->tree.nodes.nr, better;
	u32 nr = 0, i;

	for (i = 0; i < st->syms.nr; i++) {
		struct sym *last = nr ? &v[nr - 1] : NULL;
		u64 end = v[i].end;

		if (!last || last->start != v[i].start) {
			if (nr != i)
				v[nr] = v[i];
			nr++;
			continue;
		}
		if (!((last->flags ^ v[i].flags) & SYM_NOSIZE))
			end = MAX(end, last->end);
		else
			end = last->flags & SYM_NOSIZE ? end : last->end;
		better = better_alias(st, last, &v[i]);
		if (planted)
			symtab_tree_remove(&st->tree, better ? last->order : v[i].order);
		if (better)
			*last = v[i];
		if (extend)
			last->end = end;
	}
	st->syms.nr = st->nr_ordered = nr;
}

/* A page past the page that addr is in: as far as a symbol of unknown size is trusted. */
static u64 page_after(u64 addr)
{
	return addr > UINT64_MAX - 2 * PAGE ? UINT64_MAX : ALIGN_UP(addr, (u64)PAGE) + PAGE;
}

/* Where the symbol of `sym` ends if `next` follows: modules do not fill the gaps between them. */
static u64 end_before(const struct sym *sym, const struct sym *next)
{
	bool same =
		(sym->flags & SYM_MODULE) == (next->flags & SYM_MODULE) &&
		(!(sym->flags & SYM_MODULE) || !strcmp(symtab_module(sym), symtab_module(next)));

	return same ? next->start : MIN(next->start, page_after(sym->start));
}

static void cut_sizeless(struct symtab *st)
{
	struct sym *v = st->syms.v;
	u32 i;

	for (i = 0; i < st->syms.nr; i++) {
		if (!(v[i].flags & SYM_NOSIZE))
			continue;
		if (i + 1 < st->syms.nr)
			v[i].end = MIN(v[i].end, end_before(&v[i], &v[i + 1]));
		else if (v[i].end == UINT64_MAX)
			v[i].end = page_after(v[i].start);
	}
}

int symtab_settle(struct symtab *st, bool kallsyms)
{
	struct sym *v;
	u32 i, nr = st->syms.nr;

	if (!nr)
		return 0;
	if ((!kallsyms && !plant(st)) || sort_syms(st))
		return -ENOMEM;
	v = st->syms.v;
	for (i = 0; i < nr; i++) {
		if (v[i].end != v[i].start)
			continue;
		if (i + 1 == nr || (kallsyms && ((v[i].flags ^ v[i + 1].flags) & SYM_MODULE)))
			v[i].end = page_after(v[i].start);
		else
			v[i].end = v[i + 1].start;
	}
	drop_aliases(st, false);
	st->nr_settled = st->syms.nr;
	return 0;
}

/* The sweep over the sorted symbols that cuts the address space into pieces. */
struct sweep {
	struct symtab *st;
	enum symtab_view view;
	u64 pos;   /* every piece below is done */
	u32 *open; /* symbols that begin at or below pos: a heap, the one to be shown on top */
	u32 nr_open;
	bool failed; /* memory is out */
};

/* True if symbol a hides symbol b where both are. */
static bool hides(const struct sweep *s, u32 a, u32 b)
{
	const struct sym *v = s->st->syms.v;

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
	struct symtab *st = s->st;
	u32 nr = st->pieces.nr;

	if ((nr && st->pieces.v[nr - 1].sym == sym) || s->failed)
		return;
	if (nr == st->pieces.cap && !vec_reserve(&st->pieces, (u64)nr + 1)) {
		s->failed = true;
		return;
	}
	st->pieces.v[nr] = (struct symtab_piece){start, sym};
	st->pieces.nr++;
}

/* Emit the pieces between s->pos and `upto`. */
static void sweep_to(struct sweep *s, u64 upto)
{
	const struct sym *top;

	while (s->nr_open && s->pos < upto) {
		top = &s->st->syms.v[s->open[0]];
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
	const struct sym *v = s->st->syms.v;

	return !s->nr_open && v[i].end > v[i].start && v[i].start >= s->pos &&
	       (i + 1 == s->st->syms.nr || v[i + 1].start >= v[i].end);
}

static void add_to_sweep(struct sweep *s, u32 i)
{
	const struct sym *v = s->st->syms.v, *top;

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
	struct symtab *st = s->st;
	const struct sym *v = st->syms.v;
	u32 nr = st->pieces.nr, last = MIN(st->syms.nr - 1, i + (st->pieces.cap - nr));
	u64 pos = s->pos;

	for (; i < last && v[i].start == pos && v[i].end > pos && v[i + 1].start >= v[i].end; i++) {
		st->pieces.v[nr++] = (struct symtab_piece){pos, i};
		pos = v[i].end;
	}
	st->pieces.nr = nr;
	s->pos = pos;
	return i;
}

static int make_pieces(struct symtab *st, enum symtab_view view)
{
	u32 nr = st->syms.nr, i;
	struct sweep s = {.st = st, .view = view, .pos = st->syms.v[0].start};

	vec_free(&st->pieces);
	s.open = big_alloc(nr * sizeof(*s.open));
	st->pieces.v = big_alloc(((u64)nr + nr / 8 + 2 + STEPS) * sizeof(*st->pieces.v));
	if (!s.open || !st->pieces.v) {
		free(s.open);
		return -ENOMEM;
	}
	st->pieces.cap = nr + nr / 8 + 2 + STEPS;
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
static int search_pieces(struct symtab *st)
{
	u32 nr = st->syms.nr, i, node, *found = malloc(st->tree.nodes.nr * sizeof(*found));
	u64 *bounds = malloc(2 * (size_t)nr * sizeof(*bounds));
	struct sweep s = {.st = st, .failed = !found || !bounds};

	vec_free(&st->pieces);
	for (i = 0; i < nr && !s.failed; i++) {
		node = st->syms.v[i].order;
		st->tree.nodes.v[node].end = bounds[2 * i] = st->syms.v[i].end;
		bounds[2 * i + 1] = st->syms.v[i].start;
		found[node] = i;
	}
	if (!s.failed)
		qsort(bounds, 2 * (size_t)nr, sizeof(*bounds), compare_bounds);
	for (i = 0; i < 2 * nr && !s.failed; i++) {
		node = symtab_tree_find(&st->tree, bounds[i]);
		emit(&s, bounds[i], node == ID_NONE ? ID_NONE : found[node]);
	}
	free(found);
	free(bounds);
	symtab_tree_free(&st->tree);
	return s.failed ? -ENOMEM : 0;
}

static bool close_pieces(struct symtab *st)
{
	u32 i;

	if (!vec_reserve(&st->pieces, (u64)st->pieces.nr + STEPS))
		return false;
	for (i = 0; i < STEPS; i++)
		st->pieces.v[st->pieces.nr + i] = (struct symtab_piece){UINT64_MAX, ID_NONE};
	return true;
}

static int make_buckets(struct symtab *st)
{
	const struct symtab_piece *p = st->pieces.v;
	u32 nr = st->pieces.nr, piece = 0, b, last;
	u64 span;

	if (!nr)
		return 0;
	if (!close_pieces(st))
		return -ENOMEM;
	p = st->pieces.v;
	/* a few that are far from the others must not make the buckets coarse */
	last = nr - 1 - nr / 64;
	span = p[last].start - p[0].start;
	while (span >> st->shift >= 2 * (u64)nr)
		st->shift++;
	st->nr_buckets = (u32)(span >> st->shift) + 1;
	st->buckets = big_alloc(st->nr_buckets * sizeof(*st->buckets));
	if (!st->buckets)
		return -ENOMEM;
	for (b = 0; b < st->nr_buckets; b++) {
		u64 first = p[0].start + ((u64)b << st->shift);

		while (piece + 1 < nr && p[piece + 1].start <= first)
			piece++;
		st->buckets[b] = piece;
	}
	return 0;
}

int symtab_finish(struct symtab *st, enum symtab_view view)
{
	if (!st->syms.nr)
		return 0;
	if (st->nr_settled && st->tree.nodes.nr && !plant(st))
		return -ENOMEM;
	if (sort_syms(st))
		return -ENOMEM;
	if (view == SYMTAB_NESTED) {
		drop_aliases(st, true);
		cut_sizeless(st);
	}
	if ((view == SYMTAB_PERF && st->tree.nodes.nr ? search_pieces(st)
						      : make_pieces(st, view)) ||
	    make_buckets(st)) {
		st->nr_buckets = 0;
		return -ENOMEM;
	}
	return 0;
}

const struct sym *symtab_find(const struct symtab *st, u64 addr)
{
	const struct symtab_piece *p = st->pieces.v;
	u32 lo, hi, mid, steps;
	u64 b;

	if (!st->nr_buckets || addr < p[0].start || addr == UINT64_MAX)
		return NULL;
	b = MIN((addr - p[0].start) >> st->shift, (u64)st->nr_buckets - 1);
	lo = st->buckets[b];
	/* most buckets end here: four steps that depend on no branch, nor on each other */
	steps = (p[lo + 1].start <= addr) + (p[lo + 2].start <= addr) + (p[lo + 3].start <= addr) +
		(p[lo + 4].start <= addr);
	lo += steps;
	if (steps == STEPS) {
		hi = b + 1 < st->nr_buckets ? st->buckets[b + 1] : st->pieces.nr - 1;
		while (lo < hi && p[lo + 1].start <= addr) {
			mid = hi - (hi - lo) / 2;
			if (p[mid].start <= addr)
				lo = mid;
			else
				hi = mid - 1;
		}
	}
	return p[lo].sym == ID_NONE ? NULL : &st->syms.v[p[lo].sym];
}

void symtab_free(struct symtab *st)
{
	u32 i;

	for (i = 0; i < st->adopted.nr; i++)
		free(st->adopted.v[i]);
	vec_free(&st->adopted);
	arena_free(&st->arena);
	vec_free(&st->syms);
	vec_free(&st->pieces);
	symtab_tree_free(&st->tree);
	free(st->buckets);
	*st = (struct symtab){0};
}
