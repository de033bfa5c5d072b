/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf_script.h - samples in the text of perf script, and of ours, as stacks:
 *
 *	comm pid/tid [cpu] seconds.micros: period event:
 *		address symbol+0x1f (dso)
 *	(blank line)
 *
 * The parts are optional but for the command, a number of a task, and the event; a sample may have one frame, on its own line.
 * A stack is the command and then the functions, outermost first, as script --folded names them, and counts as often as its
 * period says, once without. Samples of one event make one flame graph: of the event that is asked for, else of the first
 * sample. Lines that are neither part of a sample nor known to say nothing of stacks are bad; the caller counts them.
 *
 * Sources: perf-script(1); tools/perf/builtin-script.c, process_event(); stackcollapse-perf.pl, which reads the same.
 */
#ifndef DRAW_PERF_SCRIPT_H
#define DRAW_PERF_SCRIPT_H

#include "util/base/buf.h"
#include "util/draw/frame_tree.h"

struct perf_script {
	struct frame_tree *tree; /* the caller's */
	bool old;                /* as folded.h has it */
	const char *event;       /* NULL: that of the first sample, which `first` then is */
	struct buf first;
	u64 stacks, others; /* samples of it, and of other events */
	VEC(u32) frames;    /* labels, innermost first, of the sample that has not ended */
	struct buf comm;
	u64 weight;
	bool inside, wanted;
};

/* Does a line look like the first of a sample, and not like a folded stack? */
bool perf_script_begins(const char *line, size_t len);

/*
 * One line without its '\n'. *why: NULL, or what is wrong with it. 0, or -ENOMEM or -EOVERFLOW (of the counts) with err set.
 */
int perf_script_line(struct perf_script *p, const char *line, size_t len, const char **why,
		     struct err *err);
/* The last sample has ended. Likewise. */
int perf_script_end(struct perf_script *p, struct err *err);
void perf_script_free(struct perf_script *p);

#endif
