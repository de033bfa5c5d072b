/* SPDX-License-Identifier: GPL-2.0 */
/*
 * latency_request.h - perf-lite latency: spans (util/library/latency.h), as tables, lines, pictures and files.
 *
 *	latency_options() -> cmd_latency.c: samples are given to the library -> latency_text.c, latency_span.c: tables, lines
 */
#ifndef PERF_LITE_LATENCY_REQUEST_H
#define PERF_LITE_LATENCY_REQUEST_H

#include "perf-lite/count.h"
#include "perf-lite/output_file.h"
#include "util/export/export_spans.h"
#include "util/library/latency.h"
#include "util/report/time_bins.h"

/* What is written beside the table, or with "-" in place of it: the first ones are exports (export_spans.h). */
enum latency_file {
	LATENCY_CHROME,
	LATENCY_GECKO,
	LATENCY_PPROF,
	LATENCY_FLAMEGRAPH,
	LATENCY_TIMELINE,
	LATENCY_FILES,
};
#define LATENCY_EXPORTS LATENCY_FLAMEGRAPH

struct latency_exporter {
	struct export_spans *spans; /* NULL: it is not asked for */
	struct output_file out;
	bool opened, done;
	struct buf text; /* not written yet */
};

struct latency_exports {
	struct latency_exporter v[LATENCY_EXPORTS];
	struct export_spans_about about;
	VEC(struct export_spans_key) keys;
	VEC(u32) of;  /* by key: which of the table it is; ID_NONE: one of --split */
	u32 parts_at; /* the first of --split */
	u32 stack;    /* of the table, the key whose frames are given; ID_NONE: none */
	struct buf title;
	/* of one span */
	VEC(struct export_spans_value) values;
	VEC(struct buf) texts;
	struct export_spans_values group;
	struct buf name;
};

/* latency_kernel.c */
struct latency_kernel {
	bool on;
	struct buf why; /* ... not, if it might be */
	u64 below,
		left_out; /* spans shorter than --min, or that --filter leaves out, before this interval */
	u64 not_followed; /* processes that the chosen ones started, and whose spans are missing */
};

/* A span, and the sample of its begin. */
struct latency_kernel_span {
	u64 key[SPANS_KEYS_MAX];
	bool unwanted; /* --filter does not let it pass */
	struct session_sample begin;
	struct sample sample; /* the begin's */
	struct thread thread;
};

struct latency_request {
	struct count_request q; /* events, targets, keys, form of the tables */
	struct latency l;       /* its w and keys are those of q */
	/* options */
	const char *name;                 /* of the preset */
	const char *files[LATENCY_FILES]; /* NULL: it is not asked for */
	bool list;
	/* while samples are read */
	struct count_output output;
	struct latency_exports exports;
	struct latency_kernel kernel;
	struct time_bins map; /* of --timeline: by band of heat_map.h and time of the end */
};

/*
 * latency_options.c: parse the command line into *req. rest->help: --help or --list was asked for and has been written, or
 * err says why not.
 */
int latency_options(struct latency_request *req, int argc, char **argv, struct opt_rest *rest,
		    struct err *err);

/* latency_text.c: what is printed beside the table of count. */

/* "2000 spans in 2.05 s; 3 restarts; 2 still open, the oldest for 4.20 s" */
void latency_text_account(const struct latency_request *req, const struct spans_account *a, u64 ns,
			  struct buf *out);
/* Lines on what a recording lacks, at which spans would begin, and on nobody whose they would be. */
void latency_text_missing(const struct latency_request *req, struct buf *out);
/* How names of metrics begin: "perf_lite_latency_run_queue". NULL: memory is out. */
const char *latency_text_metric(struct latency_request *req);
/* The account as families of OpenMetrics. */
void latency_text_metrics(const struct spans_account *a, const char *metric, struct buf *out);
/* --flamegraph: the rows as a picture, their sums as widths. */
int latency_text_flamegraph(struct latency_request *req, struct err *err);
/* One object on one line: the spec of the spans, the account, the sums, and the rows with theirs. */
int latency_text_json(struct latency_request *req, const struct count_view *v,
		      const struct spans_account *a, const struct count_span *window,
		      struct buf *out, struct err *err);

/* latency_span.c: lines on one span. */

/* The slowest of the table, the slowest first; sorts them. */
void latency_span_put_slowest(struct latency_request *req, struct buf *out);
/* The same as a member of an object, if they are asked for. */
void latency_span_json_slowest(struct latency_request *req, struct buf *out);
/* A line on one, or with --json an object. */
void latency_span_put(const struct latency_request *req, const struct latency_span *span,
		      struct buf *out);

/* latency_files.c: can they be written, and do they go together with the other options? */
int latency_files_check(const struct latency_request *req, struct err *err);
/* Standard output is that of one of them. */
bool latency_files_on_stdout(const struct latency_request *req);

/*
 * latency_kernel.c: hits are paired in the kernel (util/event/ev_span.h), and samples are spans, not hits. It is tried where
 * short spans are of no interest, where the kernel can add up all that is printed, or where --engine=bpf asks for it.
 *
 * Before watching_open(): req->kernel.on, or req->kernel.why has the reason; -EINVAL if it was asked for, -ENOMEM.
 */
int latency_kernel_choose(struct latency_request *req, struct err *err);
/* The events are open, and latency_bind() knows the command: spans of what threads are wanted. */
int latency_kernel_opened(struct latency_request *req, struct err *err);
/* The span that ends at a sample, valid until the next one: 1; 0: the sample is none; -ENOMEM. */
int latency_kernel_ended(struct latency_request *req, const struct session_sample *end,
			 struct latency_kernel_span *out, struct err *err);
/* Put the times that the kernel has added up since the last time into the table. */
int latency_kernel_take(struct latency_request *req, struct err *err);
/* Call `each` for all that are open at `now`, in no order; <0: err, or what `each` returned. */
int latency_kernel_each_open(struct latency_request *req, u64 now,
			     int (*each)(void *arg, const struct latency_kernel_span *s,
					 struct err *err),
			     void *arg, struct err *err);
/* The account of req->l.spans, but for what is open there, and req->l.tally.below are the kernel's. */
int latency_kernel_account(struct latency_request *req, struct err *err);
/* An interval ends. */
void latency_kernel_next(struct latency_request *req);

/* latency_export.c: spans for other programs, as they end, and the rows of the table; without such options they do nothing. */

/* Before signals are caught: the file that is written while spans end. */
int latency_export_open(struct latency_request *req, struct err *err);
/* The table is there. -ENOMEM. */
int latency_export_start(struct latency_request *req, struct err *err);
/* tid: of a span of a thread; from: when measuring began. */
int latency_export_add(struct latency_request *req, const struct latency_span *slow, u32 tid,
		       u64 from, struct err *err);
/* Write out what there is. */
int latency_export_flush(struct latency_request *req, struct err *err);
/* All files; what failed before is left out. */
int latency_export_finish(struct latency_request *req, u64 from, u64 to, struct err *err);
void latency_export_free(struct latency_request *req);

/*
 * latency_picture.c: --timeline, a heat map of durations over time. Spans are where they ended.
 */

/* Without --timeline it does nothing. -ENOMEM. */
int latency_picture_add(struct latency_request *req, const struct span_ended *span,
			struct err *err);
/* Of the time from..to, with the account as its head; nothing is added after that. */
int latency_picture_draw(struct latency_request *req, const struct spans_account *a, u64 from,
			 u64 to, struct err *err);

#endif
