// SPDX-License-Identifier: GPL-2.0
#include "util/unwind/cfi_find.h"

#include <dwarf.h>
#include <stdlib.h>

/* Searches after which a table is read as a whole, and after which it is cut into buckets. */
#define WHOLE_AFTER   32
#define BUCKETS_AFTER 256
/* Entries of one bucket, about: they and the bucket are a cache line each. */
#define BUCKET_ENTRIES 4

bool cfi_find_header(struct cfi_find *f, u64 offset, u64 size, u64 vaddr, u64 *eh_frame)
{
	struct cfi_section *s = &f->section;
	/* 4 bytes, two encoded numbers of at most 8 bytes each: only then the table */
	u64 head = MIN(size, (u64)20), nr;
	const u8 *p = unwind_bytes_at(s->bytes, offset, head);
	u8 pointer, count, table;
	struct cur c;

	*eh_frame = 0;
	if (!p)
		return false;
	c = cur_init(p, (size_t)head);
	if (cur_u8(&c) != 1)
		return false;
	pointer = cur_u8(&c);
	count = cur_u8(&c);
	table = cur_u8(&c);
	*eh_frame = cfi_pointer(&c, pointer, s->address, vaddr + (u64)(c.p - p), vaddr);
	if (c.bad)
		*eh_frame = 0;
	nr = cfi_pointer(&c, count, s->address, vaddr + (u64)(c.p - p), vaddr);
	if (c.bad || count == DW_EH_PE_omit || table != (DW_EH_PE_datarel | DW_EH_PE_sdata4))
		return false;
	f->table = offset + (u64)(c.p - p);
	f->base = vaddr;
	f->nr = MIN(nr, (size - (u64)(c.p - p)) / 8);
	return f->nr > 0;
}

/* The first or second address of an entry. */
static inline bool table_address(struct cfi_find *f, u64 i, u32 which, u64 *vaddr)
{
	u64 at = i * 8 + which * 4;
	const u8 *p = f->all ? f->all + at : unwind_bytes_at(f->section.bytes, f->table + at, 4);
	s32 distance;

	if (!p)
		return false;
	memcpy(&distance, p, sizeof(distance));
	*vaddr = f->base + (u64)(s64)distance;
	if (f->section.address == 4)
		*vaddr = (u32)*vaddr;
	return true;
}

static u32 bucket_of(const struct cfi_find *f, u64 vaddr)
{
	u64 bucket = (vaddr - f->first) >> f->shift;

	return (u32)MIN(bucket, (u64)f->nr_buckets - 1);
}

/*
 * Where the entries of each stretch of addresses begin: a search of the whole table waits for memory at
 * every step. A table out of order, which only damage makes, is left as it is, and so is one for which
 * there is no memory.
 */
static void make_buckets(struct cfi_find *f)
{
	u64 last, start, before, i;
	u32 bucket = 0, *v;

	if (f->nr < 2 * BUCKET_ENTRIES || f->nr >= UINT32_MAX ||
	    !table_address(f, 0, 0, &f->first) || !table_address(f, f->nr - 1, 0, &last) ||
	    last < f->first)
		return;
	f->nr_buckets = (u32)(f->nr / BUCKET_ENTRIES);
	while ((last - f->first) >> f->shift >= f->nr_buckets)
		f->shift++;
	v = malloc(((size_t)f->nr_buckets + 1) * sizeof(*v));
	if (!v)
		return;
	for (i = 0, before = f->first; i < f->nr; i++, before = start) {
		if (!table_address(f, i, 0, &start) || start < before) {
			free(v);
			return;
		}
		while (bucket <= bucket_of(f, start))
			v[bucket++] = (u32)i;
	}
	while (bucket <= f->nr_buckets)
		v[bucket++] = (u32)f->nr;
	f->buckets = v;
}

/* A file of which little is asked is read here and there. */
static void learn_table(struct cfi_find *f)
{
	if (f->searches == BUCKETS_AFTER)
		return;
	f->searches++;
	if (f->searches == WHOLE_AFTER)
		f->all = unwind_bytes_at(f->section.bytes, f->table, f->nr * 8);
	else if (f->searches == BUCKETS_AFTER && f->all)
		make_buckets(f);
}

static enum cfi_found search_table(struct cfi_find *f, u64 vaddr, u64 *offset)
{
	u64 lo = 0, left, half, start, fde;
	u32 bucket;

	learn_table(f);
	left = f->nr;
	if (f->buckets && vaddr >= f->first) {
		/* the entry before the first of a bucket may reach into it */
		bucket = bucket_of(f, vaddr);
		lo = f->buckets[bucket] - (f->buckets[bucket] > 0);
		left = f->buckets[bucket + 1] - lo;
	}
	/* the last entry that begins at or below vaddr; which half that is in nobody can predict */
	for (; left > 1; left -= half) {
		half = left / 2;
		if (!table_address(f, lo + half, 0, &start))
			return CFI_DAMAGED;
		lo += half & -(u64)(start <= vaddr);
	}
	if (!table_address(f, lo, 0, &start) || !table_address(f, lo, 1, &fde))
		return CFI_DAMAGED;
	*offset = fde - f->section.vaddr;
	return start <= vaddr ? CFI_FOUND : CFI_NOT_FOUND;
}

static int by_start(const void *a, const void *b)
{
	const struct cfi_index_entry *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static enum cfi_found make_index(struct cfi_find *f)
{
	u64 offset = 0, next = 0;
	struct cfi_index_entry *e;
	struct cfi_fde fde;
	enum cfi_kind kind;

	for (; (kind = cfi_read(&f->section, offset, &next, &fde)) != CFI_END; offset = next) {
		/* behind an entry that is not understood the next one begins all the same */
		if (kind == CFI_BAD && next <= offset)
			break;
		/* what the linker left out stays behind at address 0 */
		if (kind != CFI_FDE || fde.start == fde.end || !fde.start)
			continue;
		e = vec_push(&f->index);
		if (!e) {
			vec_free(&f->index);
			return CFI_NO_MEMORY;
		}
		*e = (struct cfi_index_entry){fde.start, fde.end, offset};
	}
	if (f->index.nr)
		qsort(f->index.v, f->index.nr, sizeof(*f->index.v), by_start);
	f->indexed = true;
	return CFI_FOUND;
}

static enum cfi_found search_index(struct cfi_find *f, u64 vaddr, u64 *offset)
{
	u32 lo = 0, hi, mid;
	enum cfi_found found = f->indexed ? CFI_FOUND : make_index(f);

	if (found != CFI_FOUND)
		return found;
	hi = f->index.nr;
	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (f->index.v[mid].start <= vaddr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo || f->index.v[lo - 1].end <= vaddr)
		return CFI_NOT_FOUND;
	*offset = f->index.v[lo - 1].fde;
	return CFI_FOUND;
}

enum cfi_found cfi_find(struct cfi_find *f, u64 vaddr, struct cfi_fde *fde)
{
	enum cfi_found found;
	u64 offset = 0, next;

	found = f->nr ? search_table(f, vaddr, &offset) : search_index(f, vaddr, &offset);
	if (found != CFI_FOUND)
		return found;
	if (cfi_read(&f->section, offset, &next, fde) != CFI_FDE)
		return CFI_DAMAGED;
	return vaddr >= fde->start && vaddr < fde->end ? CFI_FOUND : CFI_NOT_FOUND;
}

void cfi_find_free(struct cfi_find *f)
{
	vec_free(&f->index);
	free(f->buckets);
	f->buckets = NULL;
}
