/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stat_view.h - what the forms of output of counts have in common: what they are given, and how
 * they write numbers.
 *
 * Numbers know no locale. A value is in the event's unit: the count times its scale. It has two
 * decimals where the scale is a fraction, else none, as in perf stat.
 */
#ifndef FORMAT_STAT_VIEW_H
#define FORMAT_STAT_VIEW_H

#include "util/base/buf.h"
#include "util/stat/aggregate.h"
#include "util/stat/derived.h"

struct stat_view {
	const struct stat_table *table;
	const struct stat_derivations *derivations;
	const struct stat_runs *runs; /* NULL: it ran once */
	bool interval;                /* one of several: each row says when it ended */
	bool summary;                 /* the sum of all intervals */
};

/* One row of the table: what every form needs of it. */
struct stat_row {
	const struct stat_event *event;
	const struct stat_key *key;
	const struct stat_cell *cell;
	const struct stat_summary *summary; /* NULL: it ran once */
	double value;
	double running_pct; /* 100 where it was not multiplexed, or not counted */
	u32 nr_derived;
	struct stat_derived derived[STAT_DERIVED_MAX];
};

/* Row number *i or the first one behind it that is shown, and move *i past it; false: no more. */
bool stat_view_next(const struct stat_view *v, size_t *i, struct stat_row *row);

/* "<not counted>", "<not supported>"; NULL of a count. */
const char *stat_row_absent(const struct stat_row *row);
unsigned int stat_row_decimals(const struct stat_row *row);
/* The standard error of the mean of the runs, in %. */
double stat_row_noise(const struct stat_row *row);

/* Seconds with nine decimals since counting began. */
void stat_view_time(const struct stat_view *v, struct buf *b);

/*
 * stat_view_ratios.c: counts as nothing but what is worked out of them, a row for each key: stat --metric-only.
 *
 * The columns are known before anything is counted: each ratio that an event of the table can have
 * (stat_derivations_ratios()). Their titles are those of perf, or the names by which metrics were asked for.
 */

struct stat_ratio {
	u32 event;
	struct stat_derived is; /* without a number */
};

struct stat_ratios {
	struct stat_ratio *v;
	u32 nr, cap;
};

int stat_ratios_find(struct stat_ratios *r, const struct stat_shape *shape,
		     const struct stat_derivations *d, struct err *err);
void stat_ratios_free(struct stat_ratios *r);

/* "GHz", "branch-misses of all branches", "ipc"; of a cgroup "GHz /a". Escaped. */
void stat_ratios_title(const struct stat_ratio *r, const struct stat_view *v, struct buf *out);
/* Row number *key or the first one behind it that is shown, and move *key past it; false: no more. */
bool stat_ratios_next(const struct stat_ratios *r, const struct stat_view *v, u32 *key,
		      struct stat_row *row);
/* The value in a row; false: there is none. */
bool stat_ratios_value(const struct stat_ratio *r, const struct stat_view *v,
		       const struct stat_row *row, struct stat_derived *out);
/* Why there is none, for people: "<not counted>"; "-" of a ratio to nothing. */
const char *stat_ratios_absent(const struct stat_ratio *r, const struct stat_view *v,
			       const struct stat_row *row);

/*
 * stat_view_text.c: counts as the table that people read, in the columns of perf stat:
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

/*
 * stat_view_csv.c: counts as separated values, the columns of perf stat -x (perf 6.12):
 *
 *	[time,]["summary",][key,[counters,]]value,unit,event[,cgroup][,noise%],running,percent,
 *	derived,its unit
 *
 * The key and its number of counters are there when counts are by CPU, core, and so on, the cgroup
 * if any event is of one, the noise if the command ran several times. A second derived value
 * follows in a line of its own, with the fields before it empty. What holds the separator, a quote
 * or a line feed is quoted as in RFC 4180.
 */

void stat_csv(struct buf *b, const struct stat_view *v, const char *separator);

/*
 * Ratios alone, the columns of perf stat --metric-only -x; what was not counted is empty:
 *
 *	[time,]["summary",][key,[counters,]]ratio,...,
 *
 * `head`: before them a line with their titles.
 */
void stat_csv_ratios(struct buf *b, const struct stat_view *v, const struct stat_ratios *r,
		     const char *separator, bool head);

/*
 * stat_view_json.c: counts as JSON, one object per line: stat_json() with the keys of perf stat -j
 * (perf 6.12), where counts and derived values are strings; stat_json_lines() with numbers.
 *
 * A row of stat_json() without a derived value has one of "0.000000" with an empty unit.
 *
 * stat_json_lines() has for each row
 *
 *	type          "counter"
 *	start_ns, end_ns              of the interval, since counting began
 *	summary       true of the sum of all intervals; left out otherwise
 *	socket, die, cluster, core, node, cpu, cpu_type, pid, tid, comm
 *	              those that identify rows
 *	counters      how many counters were added up
 *	event, unit, cgroup           unit and cgroup are null where there is none
 *	value         in that unit; null if it was not counted
 *	state         "counted", "not-counted", "not-supported"; reason: why, else null
 *	enabled_ns, running_ns, running_pct
 *	              null if it was not counted
 *	runs, stddev_pct, stderr_pct, median, mad, min, max
 *	              with several runs, whose mean is the value; null if none counted it. The first
 *	              two are the standard deviation of the runs and the standard error of their mean
 *	derived       an array of {name, value, unit}; name is null unless it was asked for by name
 *
 * of ratios alone
 *
 *	type          "metrics"; start_ns ... counters as above, and
 *	metrics       an array of {name, event, value, unit}: the title of the ratio, and null if it was not counted
 *
 * and at the end one object of type "summary": elapsed_ns, and of a command that has ended user_ns,
 * sys_ns, maxrss_kb, exit_status or signal, null where unknown or not so.
 */

void stat_json(struct buf *b, const struct stat_view *v);

void stat_json_lines(struct buf *b, const struct stat_view *v);
/* Ratios alone, an object for each row: with perf's titles as keys and strings, "none" of what was not counted; or as above. */
void stat_json_ratios(struct buf *b, const struct stat_view *v, const struct stat_ratios *r);
void stat_json_lines_ratios(struct buf *b, const struct stat_view *v, const struct stat_ratios *r);
/* `runs` may be NULL. Times and status are those of the last run, the elapsed time is the mean. */
void stat_json_summary(struct buf *b, const struct stat_reading *r, const struct stat_runs *runs);

#endif
