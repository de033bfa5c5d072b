/* SPDX-License-Identifier: GPL-2.0 */
/*
 * unwind_walk.h - one sample being unwound: its copy of the stack, and the chain so far.
 */
#ifndef UNWIND_UNWIND_WALK_H
#define UNWIND_UNWIND_WALK_H

#include <string.h>

#include "arch/arch_unwind.h"
#include "util/unwind/unwind.h"

struct unwind_walk {
	const struct arch_unwind *arch;
	const struct process_model *m;
	const struct thread *t;
	const struct unwind_input *in;
	u32 generation; /* of the process's mappings, and the kind of code */
	u64 base;       /* address of the first byte of the copy */
	u64 *chain;
	u32 nr, max;  /* words; one of max is kept for the end */
	bool guessed; /* CHAIN_GUESSED holds */
};

/* The registers that nearly every frame can be told from. */
struct unwind_frame {
	u64 ip, sp, fp;
	u64 link;    /* register of the return address, of machines that have one */
	bool exact;  /* ip is where the CPU stood, and not behind a call */
	bool signal; /* a signal handler ran above it */
};

/* The address that the code of a frame is looked up at: in the call, not behind it. */
static inline u64 unwind_frame_pc(const struct unwind_frame *f)
{
	return f->exact ? f->ip : f->ip - 1;
}

/* Not 0, and not in the first or last page: the largest are marks (record/chain.h). */
static inline bool unwind_walk_is_address(u64 v)
{
	return v + 4096 >= 8192;
}

/* The machine, the stack and the outermost known state; false: these registers are not enough. */
bool unwind_walk_begin(struct unwind_walk *w, struct unwind_frame *f);

/* A register by DWARF's number, as the sample has it. */
bool unwind_walk_register(const struct unwind_walk *w, u32 reg, u64 *value);

/* `bytes` (1 to 8) of the stack at addr; false: the copy does not have them. */
static inline bool unwind_walk_load(const struct unwind_walk *w, u64 addr, u32 bytes, u64 *value)
{
	u64 at = addr - w->base, v = 0;

	if (at > w->in->size || bytes > w->in->size - at)
		return false;
	memcpy(&v, w->in->stack + at, bytes);
	*value = v;
	return true;
}

/* Why a read at that address failed. */
enum chain_end unwind_walk_why(const struct unwind_walk *w, u64 addr);

/* Append the address of a frame, with the marks that belong before it; false: no room. */
bool unwind_walk_add(struct unwind_walk *w, const struct unwind_frame *f, bool guessed);

#endif
