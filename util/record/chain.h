/* SPDX-License-Identifier: GPL-2.0 */
/*
 * chain.h - what a call chain that was unwound from a copy of the stack says beside its addresses.
 *
 *	[PERF_CONTEXT_KERNEL k0 k1 ...] PERF_CONTEXT_USER u0 u1 [CHAIN_SIGNAL] u2 ... CHAIN_END + why
 *
 * The marks lie among the PERF_CONTEXT_* values and are none of the kernel's, so a reader that
 * skips such markers needs to know nothing of them. A chain of the kernel's own has none.
 *
 * Source: <linux/perf_event.h>, enum perf_callchain_context; the marks are ours (docs/FORMAT.md).
 */
#ifndef RECORD_CHAIN_H
#define RECORD_CHAIN_H

#include <linux/perf_event.h>

#include "util/base/types.h"

/* The next address is where a signal interrupted: an instruction, not a return address. */
#define CHAIN_SIGNAL ((u64)-3072)
/* The addresses from here on were found without unwind information: likely, not certain. */
#define CHAIN_GUESSED ((u64)-3073)
/* From here on again by unwind information, or by frame pointers that the kernel followed. */
#define CHAIN_CERTAIN ((u64)-3074)
/* CHAIN_END + enum chain_end: the last word of an unwound user chain. */
#define CHAIN_END ((u64)-3200)

enum chain_end {
	CHAIN_ROOT,      /* the outermost frame: complete */
	CHAIN_CUT,       /* the copy of the stack ends before the stack does */
	CHAIN_NO_MAP,    /* an address that nothing was mapped at */
	CHAIN_NO_FILE,   /* the file behind it cannot be read, or is another one by now */
	CHAIN_NO_CFI,    /* no unwind information, and nothing on the stack looks like a caller */
	CHAIN_BAD_CFI,   /* unwind information that is damaged or not understood */
	CHAIN_BAD_STACK, /* a stack pointer that does not rise, a value that cannot be an address */
	CHAIN_LIMIT,     /* as many frames as were asked for */
	CHAIN_NO_UNWIND, /* not unwound: registers of an unknown machine, a recorder that was killed */
	CHAIN_NO_STACK, /* nothing of the stack could be copied: the program was being replaced */
	CHAIN_NO_RETURN, /* deferred, and the thread was not seen to go back to user space (deferred.h) */
	CHAIN_ENDS
};

static inline bool chain_is_end(u64 word)
{
	return word - CHAIN_END < CHAIN_ENDS;
}

static inline bool chain_is_mark(u64 word)
{
	return chain_is_end(word) || word - CHAIN_CERTAIN <= CHAIN_SIGNAL - CHAIN_CERTAIN;
}

/*
 * Bytes of the stack that hold the return address where a function has only been entered. A sample with frame pointers and
 * such a copy lacks at most its leaf's caller (unwind_leaf_caller()).
 */
#define CHAIN_CALLER_STACK 8

/* How many of the words precede the user half of a chain, PERF_CONTEXT_USER not among them. */
u32 chain_kernel_half(const u64 *chain, u32 nr);

/* In a few words, for people: "complete", "stack copy too short", ... */
const char *chain_end_text(enum chain_end end);

#endif
