/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stack_quality.h - counts the stacks and frames of samples by how good they are (quality.h).
 *
 * A chain that was unwound says itself how it ended. One of frame pointers is complete if it goes
 * up to a function in which stacks begin; what the kernel alone ran is complete.
 */
#ifndef PROFILE_STACK_QUALITY_H
#define PROFILE_STACK_QUALITY_H

#include "util/process/quality.h"
#include "util/profile/session.h"

/* How a stack ended, and the DSO of its outermost frame if it is not complete. */
struct stack_end {
	u32 dso; /* ID_NONE: it is complete, or nothing is mapped there */
	u32 end; /* as quality_stacks() has it; QUALITY_ENDS: the event has no call chains */
};

/* What was found out of a stack, by its number. */
struct stack_quality_known {
	u32 stack, event; /* stack 0: nothing */
	struct stack_end end;
};

/* Those of a session's samples. Zeroed it is empty; quality_free(&counts) frees it. */
struct stack_quality {
	struct quality counts;
	struct stack_quality_known known[1024];
};

/* Count all samples that this one represents. False: no memory. */
bool stack_quality_sample(struct stack_quality *q, struct session *s,
			  const struct session_sample *sample);
/* Frames that symboliser_chain() gave. */
bool stack_quality_frames(struct quality *q, const struct symboliser *r,
			  const struct frame_list *frames);

#endif
