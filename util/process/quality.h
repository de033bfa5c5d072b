/* SPDX-License-Identifier: GPL-2.0 */
/*
 * quality.h - how good the stacks of a recording are: how many reach the outermost frame, how many
 * frames have a name, and where and why the others do not.
 *
 *	quality_stacks() for every stack, quality_frame() for every frame -> quality_shares()
 *
 * A stack that ended early is put down to the DSO of its last frame, a frame without name to its
 * own; ID_NONE: no DSO is known there. Ids are those of the process model. A zeroed struct is
 * empty. One owner, no locks.
 */
#ifndef PROCESS_QUALITY_H
#define PROCESS_QUALITY_H

#include "util/base/buf.h"
#include "util/base/vec.h"
#include "util/process/process.h"
#include "util/record/chain.h"

/* How a stack ended: an enum chain_end, or one of these. */
enum quality_end {
	QUALITY_NO_FRAME_POINTER = CHAIN_ENDS, /* a chain of frame pointers that broke off */
	QUALITY_UNTOLD,                        /* its last frame has no name to judge by */
	QUALITY_ENDS
};

/* The name of a frame, or why it has none. */
enum quality_name {
	QUALITY_NAMED,
	QUALITY_NO_SYMTAB,   /* the file has no symbols */
	QUALITY_OTHER_BUILD, /* the file is not the recorded one: its build-id differs */
	QUALITY_FILE_GONE,   /* the file cannot be read */
	QUALITY_NO_JIT_MAP,  /* generated code, and no perf-PID.map that names it */
	QUALITY_NO_SYMBOL,   /* there are symbols, none of them here */
	QUALITY_NO_KALLSYMS, /* the kernel's symbols are not known */
	QUALITY_NOT_MAPPED,  /* nothing was mapped there */
	QUALITY_NAMES
};

struct quality_dso {
	u64 stacks[QUALITY_ENDS];
	u64 frames[QUALITY_NAMES];
};

struct quality {
	VEC(struct quality_dso) dsos; /* by id */
	struct quality_dso nowhere;   /* of no DSO */
	struct quality_dso total;
	bool failed; /* sticky: memory ran out */
};

void quality_free(struct quality *q);

/* Count `nr` stacks; `end` is an enum chain_end or an enum quality_end. */
void quality_stacks(struct quality *q, u32 dso, u32 end, u64 nr);
void quality_frame(struct quality *q, u32 dso, enum quality_name name);

/*
 * How a chain ended that was unwound, or its user half. It is not complete where a return address that nothing is mapped at hides a
 * caller, as the trampoline of a return probe does (unwind_guess()). Its last word is CHAIN_END + why.
 */
u32 quality_unwound_end(const struct process_model *m, const struct thread *t, const u64 *chain,
			u32 nr);

/* Does a stack begin in this function? If not, its chain of frame pointers is broken. */
bool quality_is_entry(const char *symbol);

struct quality_shares {
	u64 stacks, complete, unknown; /* unknown: not unwound, or no evidence */
	u64 frames, named;
};
struct quality_shares quality_shares(const struct quality *q);
/*
 * Did more than one stack of ten end before its outermost frame, in a way that can be avoided? Fewer do in any
 * recording, in assembly and while programs are replaced; beyond, shares of callers are wrong.
 */
bool quality_is_poor(const struct quality *q);
/* The stacks that are not complete, or the frames that have no name, whichever share is larger; of 1. */
double quality_damage(const struct quality_shares *s);

/*
 * The stacks in one line without newline; nothing if there was no stack. If they are poor (quality_is_poor()), the line says
 * why and what helps: it is meant for users who did not ask.
 */
void quality_text_line(const struct quality *q, const struct process_model *m, struct buf *out);
/* All of it: the sums, then a line for each DSO and cause, the most first. False: no memory. */
bool quality_text_table(const struct quality *q, const struct process_model *m, struct buf *out);

#endif
