/* SPDX-License-Identifier: GPL-2.0 */
/*
 * count.h - what the options of perf-lite count fill in (count_options.c), and cmd_count.c carries out.
 */
#ifndef PERF_LITE_COUNT_H
#define PERF_LITE_COUNT_H

#include "perf-lite/metrics_file.h"
#include "perf-lite/watching_run.h"
#include "util/cli/screen.h"
#include "util/cli/terminal.h"
#include "util/event/ev_sums.h"
#include "util/format/count_text.h"

enum count_engine {
	COUNT_ENGINE_BEST, /* whichever can, and costs the least */
	COUNT_ENGINE_PERF, /* perf events: counters, or samples */
	COUNT_ENGINE_BPF,  /* programs in the kernel */
};

enum count_form {
	COUNT_FORM_TEXT,
	COUNT_FORM_JSON,
	COUNT_FORM_CSV,
	COUNT_FORM_FOLDED,
	COUNT_FORM_METRICS, /* OpenMetrics of all since the start, to a file */
};

struct count_request {
	struct watching w;
	struct buf by;             /* all of --by, with commas between */
	const char *of;            /* NULL: not given */
	bool sum, hist, quantiled; /* given */
	struct count_keys keys;    /* parsed, not bound */
	struct count_options table;
	double quantiles[COUNT_QUANTILES_MAX];
	u32 nr_quantiles;
	enum count_order order;
	bool order_given;
	u64 top, interval_ns; /* 0: not given */
	enum count_form form;
	const char *metrics; /* the file of COUNT_FORM_METRICS */
	enum count_engine engine;
	bool verbose;
	unsigned int colour; /* enum colour_when */
	char **command;      /* NULL: none */
};

/*
 * Parse the command line into *q, and check what goes together. rest->help: --help was asked for and has been
 * written, or err says why not.
 */
int count_options(struct count_request *q, int argc, char **argv, struct opt_rest *rest,
		  struct err *err);
void count_options_free(struct count_request *q);

/* Calls of options in opt.h's table, on a struct count_request; latency has them, too. */
int count_options_on_by(void *value, const char *arg, struct err *err);
int count_options_on_hist(void *value, const char *arg, struct err *err);
int count_options_on_quantiles(void *value, const char *arg, struct err *err);
int count_options_on_interval(void *value, const char *arg, struct err *err);
int count_options_on_sort(void *value, const char *arg, struct err *err);
int count_options_on_engine(void *value, const char *arg, struct err *err);
int count_options_on_json(void *value, const char *arg, struct err *err);
int count_options_on_csv(void *value, const char *arg, struct err *err);
int count_options_on_folded(void *value, const char *arg, struct err *err);
int count_options_on_metrics(void *value, const char *arg, struct err *err);
/* Can the form be printed for each interval? Of metrics without one it is chosen. */
int count_options_form(struct count_request *q, struct err *err);
/*
 * Parse `by` and `of` into `keys`; without a key it is "event". -g is one more, unless a half of the stack is one
 * already.
 */
int count_options_keys(struct count_request *q, struct err *err);

/*
 * count_counters.c: perf-lite count where nothing but numbers is asked for: counters of the kernel, without rings
 * and samples. An event costs its program less than a fifth of what a sample costs, and none is lost.
 *
 * Is that all that is asked for?
 */
bool count_counters_can(const struct count_request *q);

/* Count until the end, printing tables: the exit code. */
int count_counters(struct count_request *q, struct err *err);

/*
 * count_output.c: where the tables of perf-lite count go: standard output, and while it counts the terminal.
 *
 * A table comes with a foot: how much it is of, how long, and what was lost. On a terminal the text that is
 * shown while counting goes on is replaced by the next one, and at last by what is printed.
 *
 * What a table is of. Times are ns since counting began.
 */
struct count_span {
	u64 from, to;
	u64 nr;           /* samples, or what was counted */
	u64 lost;         /* samples that are known to be lost */
	bool lost_of_all; /* ... of all, of which `nr` are those that were chosen */
	u64 rate;         /* so many a second were asked for of what could be counted, 0: each */
	bool no_sum;      /* `nr` is of several units */
	bool by_kernel;   /* counted there, without samples */
	bool never;       /* likewise, but events were not enabled before the end */
	bool estimated;   /* likewise, not all of the time */
	bool first_only;  /* likewise, but not in what the targets started */
	bool by_program;  /* likewise, by programs of BPF */
	bool unseen;     /* the kernel may not have seen all, and cannot tell (ev_probe_misses()) */
	const char *why; /* these could not; NULL: not asked for */
};

struct count_output {
	const struct count_request *q;
	struct screen screen;
	bool viewing;       /* there is a terminal to show tables on while counting goes on */
	bool sums;          /* of text: sums alone, no quantiles */
	bool durations;     /* numbers are ns, and shown as times */
	const char *metric; /* how names of COUNT_FORM_METRICS begin */
	struct metrics_file metrics; /* likewise, of that form */
	struct count_parts parts;    /* columns of the caller's; .nr 0: none */
	const char *bold, *off;
	struct buf body;                   /* for the caller, who puts the table there */
	struct buf heading, foot, members; /* foot: of COUNT_FORM_METRICS, the last families */
	struct buf notes;                  /* for standard error, where the form has no foot */
	u64 next_view;                     /* ns of CLOCK_MONOTONIC */
};

void count_output_init(struct count_output *o, const struct count_request *q);

/*
 * Begin a table: `body` is empty; `heading`, `foot` and, for JSON, `members` say what it is of. For a
 * view, *height is how many lines there is room for, else 0.
 */
void count_output_begin(struct count_output *o, const struct count_span *span, bool view,
			u32 *height);
/* Put rows into `body` as the request's form is. */
int count_output_view(struct count_output *o, const struct count_view *v, u32 height,
		      struct err *err);
/* Of a form without a line for them: so many rows are not shown. */
void count_output_left_out(struct count_output *o, u32 rows, u64 nr);
/* Show it on the terminal, or print it. */
int count_output_put(struct count_output *o, bool view, struct err *err);

/* Is it time to show how far it is? Each second, and the first time earlier. */
bool count_output_is_due(struct count_output *o);

/* Behind the last table: what could not be written. */
int count_output_end(const struct count_output *o, struct err *err);
void count_output_free(struct count_output *o);

/*
 * count_rows.c: what counters counted, as the tables of perf-lite count: a row for each event, with its filter,
 * or CPU. Forms are those of count_text.h.
 */

struct count_counter {
	const char *event;  /* its name, NULL: it is not a column */
	const char *unit;   /* "ns" of a clock, NULL: a number of events */
	const char *filter; /* NULL: none */
	u32 cpu;            /* ID_NONE: likewise */
	u64 nr;
	u64 enabled, running; /* ns that it was to count, and did: less is an estimate */
	const char *missing;  /* why it was not counted, NULL: it was */
	bool quiet;           /* is shown only if it is not 0: one of many that a pattern matches */
};

struct count_rows {
	struct count_counter *v;
	u32 nr, cap;
};

/* Are they of one unit? */
bool count_rows_have_sum(const struct count_rows *l);

/*
 * Put the table of counters into o->body, after count_output_begin(); they are sorted by their counts. Those that could
 * not be counted, or not all of the time, are listed in o->foot. There is no folded text of them.
 */
void count_rows_put(struct count_rows *l, struct count_output *o, u32 height);

/*
 * count_samples.c: perf-lite count of samples: those of the running system's rings, or of a recording.
 *
 * Count until the end, printing tables: the exit code.
 */
int count_samples(struct count_request *q, struct opt_rest *rest, struct err *err);
/* Ask for the parts of samples that the keys need. */
void count_samples_parts(struct count_request *q);

/*
 * count_kernel.c: instead of samples, what programs in the kernel have counted (util/event/ev_count.h): a hit costs its program
 * less than half of what a sample does. The table is the same: what was counted of a key is put into the row of a sample
 * with these keys.
 *
 * Why programs cannot do what is asked of the events, for latency, too; NULL: they can. terms: those of an event (EV_*) that are
 * of no account.
 */
const char *count_kernel_unable(const struct count_request *q, u32 terms);
/* The field whose bytes a key needs: "location" of "location.function". NULL: memory is out. */
const char *count_kernel_field(struct count_request *q, const char *name);
/* Likewise: what was added up of a key, into the row of a sample that has it. */
int count_kernel_put(struct count_table *t, const struct session_sample *s,
		     const struct ev_sum *from, struct err *err);
/*
 * After count_samples_parts(), before watching_open(): shall the events be counted so? 1; 0, and `why` has the reason; -EINVAL,
 * -ENOMEM: err.
 */
int count_kernel_choose(struct count_request *q, struct buf *why, struct err *err);
/* Put all that was counted since the last time into the table. */
int count_kernel_take(struct count_request *q, struct count_table *t, struct err *err);
/* A sample is a hit for which the kernel had no room. */
int count_kernel_add(struct count_request *q, struct count_table *t, u32 event,
		     const struct sample *s, struct err *err);

#endif
