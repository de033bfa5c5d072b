/* SPDX-License-Identifier: GPL-2.0 */
/*
 * unwind_rule.h - a row of unwind information in one word, for the frames that need no more than
 * instruction pointer, stack pointer and frame pointer: nearly all.
 *
 *	bits 0-2    kind
 *	bits 3-15   top: stack or frame pointer + so many words
 *	bits 16-23  the caller's frame pointer lies so many words below the top; 0: it is unchanged
 *	bits 24-31  the return address likewise; 0: it is in the link register
 *
 * The top is the end of what a function may save registers in: the CFA of most machines, and always
 * the caller's stack pointer + arch->save_words.
 */
#ifndef UNWIND_UNWIND_RULE_H
#define UNWIND_UNWIND_RULE_H

#include "util/record/chain.h"
#include "util/unwind/cfi_row.h"

enum unwind_rule_kind {
	UNWIND_RULE_SP,
	UNWIND_RULE_FP,
	UNWIND_RULE_SLOW, /* needs all registers */
	UNWIND_RULE_END,  /* the outermost frame */
	UNWIND_RULE_NONE, /* there is no row; bits 3-15: enum chain_end, why */
};

static inline u32 unwind_rule_kind(u32 rule)
{
	return rule & 7;
}

static inline u32 unwind_rule_top(u32 rule)
{
	return rule >> 3 & 0x1fff;
}

static inline u32 unwind_rule_fp(u32 rule)
{
	return rule >> 16 & 0xff;
}

static inline u32 unwind_rule_ra(u32 rule)
{
	return rule >> 24;
}

static inline u32 unwind_rule_none(enum chain_end why)
{
	return UNWIND_RULE_NONE | (u32)why << 3;
}

/* `vaddr` is the address that the row is of. */
u32 unwind_rule_make(const struct cfi_row *row, const struct arch_unwind *arch, u64 vaddr);

#endif
