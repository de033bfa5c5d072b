// SPDX-License-Identifier: GPL-2.0
#include "util/base/symtab_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/memory.h"
#include "util/base/radix.h"

#define PAGE 4096

bool symtab_reserve(struct symtab *st, u64 more)
{
	if (st->syms.cap || !more || more > UINT32_MAX)
		return vec_reserve(&st->syms, st->syms.nr + more);
	st->syms.v = memory_alloc_huge(more * sizeof(*st->syms.v));
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
	u64 *keys = memory_alloc_huge(nr * sizeof(*keys)),
	    *spare = memory_alloc_huge(nr * sizeof(*spare));
	struct sym *sorted = memory_alloc_huge(nr * sizeof(*sorted));
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

int symtab_finish(struct symtab *st, enum symtab_view view)
{
	int r;

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
	if (view != SYMTAB_PERF || !st->tree.nodes.nr)
		return symtab_pieces_cut(&st->pieces, st->syms.v, st->syms.nr, view);
	r = symtab_pieces_search(&st->pieces, st->syms.v, st->syms.nr, &st->tree);
	symtab_tree_free(&st->tree);
	return r;
}

u64 symtab_bytes(const struct symtab *st)
{
	return st->arena.total + (u64)st->syms.cap * sizeof(*st->syms.v) +
	       (u64)st->pieces.cuts.cap * sizeof(*st->pieces.cuts.v) +
	       (u64)st->pieces.nr_buckets * sizeof(*st->pieces.buckets);
}

void symtab_free(struct symtab *st)
{
	u32 i;

	for (i = 0; i < st->adopted.nr; i++)
		free(st->adopted.v[i]);
	vec_free(&st->adopted);
	arena_free(&st->arena);
	vec_free(&st->syms);
	symtab_pieces_free(&st->pieces);
	symtab_tree_free(&st->tree);
	*st = (struct symtab){0};
}
