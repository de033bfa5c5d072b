/* SPDX-License-Identifier: GPL-2.0 */
/*
 * unwind_lookup.h - the rule or the row for an address of a process, through caches.
 *
 * The first is by address and generation of the process's mappings, and is overwritten where two
 * fall together; the others by file and offset, for all processes that have the file mapped: of
 * stretches of code that one rule holds for, since the addresses that samples are taken at are
 * mostly new and yet lie close together, and of single addresses.
 */
#ifndef UNWIND_UNWIND_LOOKUP_H
#define UNWIND_UNWIND_LOOKUP_H

#include "util/unwind/unwind_dso.h"
#include "util/unwind/unwind_rule.h"
#include "util/unwind/unwind_walk.h"

#define UNWIND_LOOKUP_BITS      14
#define UNWIND_LOOKUP_SPAN_BITS 13

struct unwind_lookup_entry {
	u64 pc;
	u32 generation; /* 0: free */
	u32 rule;
};

/* The bytes first..last of a block of the file. */
struct unwind_lookup_span {
	u64 block; /* 0: free */
	u8 first, last;
	u32 rule;
};

struct unwind_lookup_row {
	u64 key; /* 0: free */
	struct cfi_row row;
};

struct unwind_lookup {
	struct unwind_dsos dsos;
	struct unwind_lookup_entry *rules;
	struct unwind_lookup_span *spans;
	struct hmap by_offset;
	struct unwind_lookup_row *rows; /* NULL until one is needed */
};

int unwind_lookup_init(struct unwind_lookup *k, const struct unwind_options *o, struct err *err);
void unwind_lookup_free(struct unwind_lookup *k);

u32 unwind_lookup_rule_slow(struct unwind_lookup *k, const struct unwind_walk *w, u64 pc);

static inline u32 unwind_lookup_slot(u64 pc)
{
	return (u32)((pc * 0x9e3779b97f4a7c15ull) >> (64 - UNWIND_LOOKUP_BITS));
}

static inline u32 unwind_lookup_rule(struct unwind_lookup *k, const struct unwind_walk *w, u64 pc)
{
	const struct unwind_lookup_entry *e = &k->rules[unwind_lookup_slot(pc)];

	if (e->pc == pc && e->generation == w->generation)
		return e->rule;
	return unwind_lookup_rule_slow(k, w, pc);
}

/* The row in *row, which holds until the next call; false: there is none, *why says why. */
bool unwind_lookup_row(struct unwind_lookup *k, const struct unwind_walk *w, u64 pc,
		       const struct cfi_row **row, enum chain_end *why);

/* What an address looks like that may be a return address. */
enum unwind_lookup_code {
	UNWIND_LOOKUP_NO_CODE,
	UNWIND_LOOKUP_UNREADABLE, /* code, made by a JIT or in a file that cannot be had */
	UNWIND_LOOKUP_NO_CALL,    /* code, but no call lies before the address */
	UNWIND_LOOKUP_CALL,
};

enum unwind_lookup_code unwind_lookup_code(struct unwind_lookup *k, const struct unwind_walk *w,
					   u64 addr);

#endif
