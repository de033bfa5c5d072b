/* SPDX-License-Identifier: GPL-2.0 */
/*
 * count_frames.h - the frames of a counted stack (count_stacks.h) as text, as JSON and as part of a folded line.
 *
 * Functions inlined into a function come before it where the stack has them, as in script.
 */
#ifndef FORMAT_COUNT_FRAMES_H
#define FORMAT_COUNT_FRAMES_H

#include "util/report/count_stacks.h"

/*
 * A line for each, innermost first: "INDENTffffffff81c0a1b2 tcp_v4_rcv+0x1b2 ([kernel.kallsyms])\n"; of an empty
 * stack "INDENT-\n".
 */
void count_frames_lines(const struct count_stacks *s, u32 stack, const char *indent,
			struct buf *out);
/* [{"ip":"0xffffffff81c0a1b2","symbol":"tcp_v4_rcv","offset":434,"dso":"[kernel.kallsyms]"}, ...] */
void count_frames_json(const struct count_stacks *s, u32 stack, struct buf *out);
/* "outermost;...;innermost"; nothing of an empty stack. ';' in names is ':'. */
enum count_frames_how {
	COUNT_FRAMES_INVERTED = 1, /* the innermost first */
	COUNT_FRAMES_MARKED =
		2, /* of the kernel "name_[k]", inlined "name_[i]", as flame graphs take them */
};
void count_frames_folded(const struct count_stacks *s, u32 stack, unsigned int how,
			 struct buf *out);
/* The name of the innermost function, "-" of an empty stack. */
void count_frames_innermost(const struct count_stacks *s, u32 stack, struct buf *out);

#endif
