/* SPDX-License-Identifier: GPL-2.0 */
/*
 * shadow.h - the true call chain of a thread that is single-stepped: a return address is pushed
 * when a call has been executed, and dropped when the stack pointer rises over its slot.
 *
 * An exception lands by overwriting the frame of libgcc that was called to throw it, return address
 * and all, before it is left: then what was above it is nowhere on the stack. Such a frame is told
 * to `dropped`, which is how chains can be excused that were asked for meanwhile. The unwind
 * information of longjmp tells the frame that it jumps to a few instructions before it does.
 *
 * The stack of a signal handler may lie elsewhere: what was pushed there is dropped when the stack
 * pointer is back on the main stack. More than these two stacks it does not know.
 */
#ifndef ORACLE_SHADOW_H
#define ORACLE_SHADOW_H

#include "util/base/vec.h"
#include "util/record/chain.h"

/* Bytes of the instructions that leave a signal handler: mov $15,%rax; syscall. */
#define SHADOW_TRAMPOLINE 16

struct shadow_entry {
	u64 slot;        /* where the return address lies */
	u64 ra;          /* a signal's: its trampoline */
	u64 interrupted; /* a signal's: where it came; else 0 */
	bool signal;
};

struct shadow {
	VEC(struct shadow_entry) entries;
	u64 main_low, main_high; /* the main stack, and what it may grow into */
	/* Entry `i`, the last one, is about to be dropped; the thread stands at ip. */
	void (*dropped)(const struct shadow_entry *e, u32 i, u64 ip);
};

static inline bool shadow_on_main(const struct shadow *s, u64 sp)
{
	return sp >= s->main_low && sp < s->main_high;
}

static inline bool shadow_in_trampoline(const struct shadow_entry *e, u64 ip)
{
	return e->signal && ip - e->ra < SHADOW_TRAMPOLINE;
}

/* The thread stands at ip with this stack pointer. */
static inline void shadow_settle(struct shadow *s, u64 ip, u64 sp)
{
	while (s->entries.nr) {
		const struct shadow_entry *e = &s->entries.v[s->entries.nr - 1];

		if (shadow_on_main(s, sp) == shadow_on_main(s, e->slot) && sp <= e->slot)
			break;
		if (shadow_in_trampoline(e, ip))
			break;
		/* up on the alternate stack: only its handler's own frames are gone */
		if (!shadow_on_main(s, sp) && shadow_on_main(s, e->slot))
			break;
		s->dropped(e, s->entries.nr - 1, ip);
		s->entries.nr--;
	}
}

static inline bool shadow_push(struct shadow *s, u64 slot, u64 ra)
{
	struct shadow_entry *e = vec_push(&s->entries);

	if (e)
		*e = (struct shadow_entry){.slot = slot, .ra = ra};
	return e != NULL;
}

static inline bool shadow_push_signal(struct shadow *s, u64 slot, u64 restorer, u64 interrupted)
{
	struct shadow_entry *e = vec_push(&s->entries);

	if (e)
		*e = (struct shadow_entry){
			.slot = slot, .ra = restorer, .interrupted = interrupted, .signal = true};
	return e != NULL;
}

/*
 * The chain of a thread that stands at ip, as far as its slots lie in [low, high): leaf first, with
 * CHAIN_SIGNAL. Returns the number of words.
 */
static inline u32 shadow_chain(const struct shadow *s, u64 ip, u64 low, u64 high, u64 *chain,
			       u32 max)
{
	u32 n = 0, i;

	chain[n++] = ip;
	for (i = s->entries.nr; i-- && n + 3 <= max;) {
		const struct shadow_entry *e = &s->entries.v[i];

		if (e->signal && i == s->entries.nr - 1 && shadow_in_trampoline(e, ip)) {
			chain[n++] = CHAIN_SIGNAL;
			chain[n++] = e->interrupted;
			continue;
		}
		if (e->slot < low || e->slot >= high)
			break;
		chain[n++] = e->ra;
		if (e->signal) {
			chain[n++] = CHAIN_SIGNAL;
			chain[n++] = e->interrupted;
		}
	}
	return n;
}

#endif
