/* SPDX-License-Identifier: GPL-2.0 */
/*
 * seen_fresh.h - the addresses of a block's samples that nobody has asked for yet: of call chains,
 * of samples without one, and of raw data, whose pointers to functions are printed by name.
 *
 *	{ seen_fresh_sample(), _deferred(), _text_poke(), _change() ... seen_fresh_sort() -> v, nr
 *	  -> seen_fresh_clear() } ...
 *
 * Most samples stand where others have stood before: what is known is a cache by address space,
 * and one that fell out of it is told again.
 */
#ifndef CAPTURE_SEEN_FRESH_H
#define CAPTURE_SEEN_FRESH_H

#include "util/base/vec.h"
#include "util/file/columns.h"
#include "util/record/event_set.h"

struct seen_layout;

#define SEEN_WORDS 256

struct seen_address {
	u64 time, ip;
	u32 pid, tid; /* pid ID_NONE: that of the thread, which only the process model knows */
	bool kernel, caller;
};

struct seen_fresh {
	VEC(struct seen_address) addresses; /* for the next look */
	const struct event_set *events;
	bool (*is_code)(void *arg, u64 word); /* Does kernel code stand there? */
	void *arg;
	u64 *known; /* (address space, ip) told: direct-mapped */
	u64 *pairs; /* (address space, user half) of this block, likewise */
	struct {
		u64 space;
		u32 user;
	} last;      /* address space and user half of the call chain that was looked at last */
	u32 *epochs; /* changes of an address space, by a hash of its pid */
	u64 words[SEEN_WORDS]; /* of raw data that were looked at in this block: direct-mapped */
	/* of this block's user halves: the address space that knows the way there */
	VEC(u64) nodes;
	VEC(struct seen_layout) layouts; /* of the events' samples */
	bool failed;                     /* sticky: memory ran out */
};

/* `events` may grow; it must outlive. */
int seen_fresh_init(struct seen_fresh *f, const struct event_set *events, struct err *err);
void seen_fresh_free(struct seen_fresh *f);

/* A record of that type, its event, and what columns_add() said of its call chain; NULL: nothing. */
void seen_fresh_sample(struct seen_fresh *f, const struct rec *rec, u32 event,
		       const struct columns_stacks *stacks);
void seen_fresh_deferred(struct seen_fresh *f, const struct rec *rec, u32 event,
			 const struct columns_stacks *stacks);
void seen_fresh_text_poke(struct seen_fresh *f, const struct rec *rec, u32 event);

/* A record of side-band: what was known of an address space may not hold behind it. */
void seen_fresh_change(struct seen_fresh *f, const struct rec *rec);

/* The addresses in order of time. */
void seen_fresh_sort(struct seen_fresh *f);

/* They were looked at, and the block is complete: its stacks are numbered anew. */
void seen_fresh_clear(struct seen_fresh *f);

/* All addresses are to be told once more. */
void seen_fresh_forget(struct seen_fresh *f);

#endif
