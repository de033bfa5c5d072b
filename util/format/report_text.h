/* SPDX-License-Identifier: GPL-2.0 */
/*
 * report_text.h - rows of a report as the table that people read, in the columns of perf report:
 *
 *	# Samples: 2K of event 'cpu-clock'
 *	# Event count (approx.): 1051500000
 *	#
 *	# Overhead  Command  Shared Object      Symbol
 *	# ........  .......  .................  ..........
 *	#
 *	     5.77%  ls       [kernel.kallsyms]  [k] strcmp
 *
 * Columns are as wide as their contents, but no cell makes one wider than TABLE_WIDEST (table.h), unless widths are
 * perf's. With a separator, numbers are left-aligned, and a separator in a value becomes '.'.
 */
#ifndef FORMAT_REPORT_TEXT_H
#define FORMAT_REPORT_TEXT_H

#include "util/report/report_view.h"

struct report_text_colours {
	const char *high, *middle, *off; /* of shares from 5 and above 0.5 % on; "": none */
};

/* What is below a row: its call graph. */
struct report_below {
	void (*put)(struct report_below *b, const struct report_view *v,
		    const struct report_entry *e, struct buf *out);
};

/* What hides a column, since it is the same in all rows. */
struct report_elided {
	const char *comm, *dso, *symbol; /* the only one that is asked for; NULL: none */
	bool callers; /* have rows, too, of other files and functions: their columns stay */
};

struct report_text {
	struct report_text_colours colours; /* no NULL */
	struct report_below *below;         /* NULL: nothing */
	const char *separator;              /* NULL: two blanks */
	const u32 *widths;                  /* of columns, 0: as needed */
	u32 nr_widths;
	u32 fit; /* where to shorten names, so that rows have so many columns; 0: nowhere */
	const char *times;    /* --time, NULL: not given */
	double percent_limit; /* rows with less are left out */
	bool no_titles;       /* nothing but rows */
	bool byte_widths;     /* as perf, not by characters */
	bool brief;           /* two lines of titles, and no text around */
	u32 max_rows;         /* 0: all */
	struct report_elided elided;
	const char *memory; /* rows are accesses to memory, by these keys; NULL: they are not */
	struct buf cell;
};

/* The lines above all events. `lost`: samples. */
void report_text_head(const struct report_text *t, const struct report_keys *keys, u64 lost,
		      struct buf *out);
/* The rows of one event, and two empty lines. */
void report_text_event(struct report_text *t, const struct report_view *v, struct buf *out);

#endif
