/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stat_text.h - counts as the table that people read, in the columns of perf stat:
 *
 *	 Performance counter stats for 'make':
 *
 *	             10.69 msec task-clock              #    0.211 CPUs utilized          ( +-  1.20% )
 *	   <not supported>      cycles
 *
 *	       0.050565063 seconds time elapsed
 *
 * Before the count are the time of the interval and the CPU, core, ... that it is of; after it
 * the noise of several runs, and the share of the time in which the counter ran, if that was not
 * all. Lines do not end in blanks. Colours are given as the bytes that switch them on, "" for none.
 */
#ifndef FORMAT_STAT_TEXT_H
#define FORMAT_STAT_TEXT_H

#include "util/format/stat_ratios.h"

struct stat_colours {
	const char *dim, *less_good, *nearly_bad, *bad, *off;
};

/* Zero-initialise it, set the first four, and keep it for all intervals. */
struct stat_text {
	struct stat_colours colours; /* no NULL */
	bool big_numbers;            /* 12,345,678 */
	u32 header_every;            /* intervals between two headers, 0: only the first has one */
	u32 intervals;               /* so far */
};

/*
 * " Performance counter stats for WHAT:", WHAT with the quotes as perf has them: 'make -j2',
 * 'system wide', 'CPU(s) 0-3', process id '12', thread id '12'.
 */
void stat_text_title(struct buf *b, const char *what, u32 runs);
/* The rows; before them, with intervals, the names of the columns where they are due. */
void stat_text(struct buf *b, struct stat_text *s, const struct stat_view *v);
/* A column for each ratio instead, under titles that come as often as those of intervals. */
void stat_text_ratios(struct buf *b, struct stat_text *s, const struct stat_view *v,
		      const struct stat_ratios *r);
/*
 * The elapsed time; `times`: the user and system time of a command that has ended; `table_of_runs`:
 * how long every run took.
 */
void stat_text_footer(struct buf *b, const struct stat_view *v, const struct stat_reading *r,
		      bool times, bool table_of_runs);
/* For --verbose: why events were not counted, a line each; nothing if all were. */
void stat_text_reasons(struct buf *b, const struct stat_view *v);

#endif
