/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cmd_flamegraph.h - what the parts of perf-lite flamegraph share.
 *
 *	flamegraph_run     samples become a tree of frames (flamegraph_stacks), or rows of a timeline (flamegraph_timeline)
 *	flamegraph_picture either becomes SVG or HTML, with what it is of in its head
 */
#ifndef PERF_LITE_CMD_FLAMEGRAPH_H
#define PERF_LITE_CMD_FLAMEGRAPH_H

#include "perf-lite/flamegraph_request.h"
#include "perf-lite/reading_notes.h"
#include "util/annotate/code_samples.h"
#include "util/base/hash.h"
#include "util/base/vec.h"
#include "util/draw/timeline.h"
#include "util/format/annotation_html.h"
#include "util/format/stack_field.h"
#include "util/format/stack_frames.h"
#include "util/profile/stack_tree.h"
#include "util/report/sample_values.h"
#include "util/report/time_bins.h"

/*
 * flamegraph_losses.c: when nothing was recorded, and where: what a timeline marks.
 *
 *	flamegraph_losses_sample() and _record() in order of time -> flamegraph_losses_end()
 *
 * Our files have the spans of time (file/loss.h). Perf's have the time at which samples resumed after a loss: the
 * span begins with the CPU's last sample before it. What the totals at the end of perf's file count beyond that was
 * lost after the last sample. All but _end() return false when memory is out.
 */

#define FLAMEGRAPH_CPUS_MAX 16384u /* twice what Linux can have; a larger number is damage */

/* The records to read besides samples, for session_options. */
#define FLAMEGRAPH_LOSSES_RECORDS                                      \
	(1ull << PERF_RECORD_LOST | 1ull << PERF_RECORD_LOST_SAMPLES | \
	 1ull << PERF_RECORD_THROTTLE | 1ull << PERF_RECORD_UNTHROTTLE)

struct flamegraph_span {
	u32 cpu; /* ID_NONE: all of them */
	enum timeline_kind kind;
	u64 from, to, count; /* as of struct timeline_mark */
};

/* What a CPU did last, for records that mark the end of something. */
struct flamegraph_cpu {
	u64 last;      /* time of its last sample */
	u64 throttled; /* since then; 0: it is not */
	bool lost;     /* records, at any time */
};

struct flamegraph_losses {
	VEC(struct flamegraph_span) spans;
	VEC(struct flamegraph_cpu) cpus; /* by number */
	u64 reported;                    /* what the records of losses add up to */
	u64 sums;                        /* what the totals at the end of perf's file do */
	bool to_end;                     /* the last samples are those of the recording */
	bool partly; /* samples are passed over, so the last one before a loss is not known */
};

bool flamegraph_losses_sample(struct flamegraph_losses *l, u32 cpu, u64 time);
bool flamegraph_losses_record(struct flamegraph_losses *l, const struct session_record *r);
/* The recording was read; `event`: leave out what was lost of others alone, ID_NONE: nothing. */
int flamegraph_losses_end(struct flamegraph_losses *l, const struct recording *r, u32 event,
			  struct err *err);
void flamegraph_losses_free(struct flamegraph_losses *l);

/*
 * flamegraph_picture.c: the names of files, one for each event.
 */

/*
 * By number of the event: "DIR/out.EVENT.svg" for "DIR/out.svg"; bytes that do not belong into a name become '_'. Where
 * an earlier event has that path, "DIR/out.EVENT.1.svg", and so on. Zero-initialise `paths`, and free it in any case.
 */
int flamegraph_picture_paths(const char *path, const struct event_set *events, struct strtab *paths,
			     struct err *err);

/*
 * flamegraph_root.c: frames added below the outermost and above the innermost frame of a stack:
 * flamegraph --by and --stack-field.
 *
 *	flamegraph_root_init() -> flamegraph_root_of(), flamegraph_root_top() ... -> free
 *
 * Names are escaped, and numbered in `names` in order of first sight.
 */

enum flamegraph_root_kind {
	FLAMEGRAPH_ROOT_DEFAULT, /* why a packet was dropped, where the event has the reason; else comm */
	FLAMEGRAPH_ROOT_NONE,
	FLAMEGRAPH_ROOT_COMM,
	FLAMEGRAPH_ROOT_CPU,
	FLAMEGRAPH_ROOT_PID,
	FLAMEGRAPH_ROOT_TID,
	FLAMEGRAPH_ROOT_FIELD,
	FLAMEGRAPH_ROOT_KEY, /* any other key of a sample: "socket=1" */
};

struct flamegraph_root {
	enum flamegraph_root_kind kind;
	bool folded; /* names as folded stacks have them: no blanks, no '#' in front */
	struct session *s;
	struct trace_text text;
	struct sample_key key;
	struct sample_values values; /* of that key */
	struct arena arena;
	struct stack_field field, top, reason; /* zeroed: none */
	struct strtab names;
	struct hmap known; /* key of a root (key_of()) -> its name */
	struct buf name;
};

/*
 * `by`: a key, or a field of the tracepoint; NULL: the default. `top`: a field, NULL: none. Of `event`,
 * ID_NONE: of all. The session and what is pointed at stay the caller's, for as long.
 */
int flamegraph_root_init(struct flamegraph_root *k, struct session *s, u32 event, const char *by,
			 const char *top, struct err *err);
/* The numbers of the names below and above the sample's stack; ID_NONE: none. False: no memory. */
bool flamegraph_root_of(struct flamegraph_root *k, const struct session_sample *s, u32 *name);
bool flamegraph_root_top(struct flamegraph_root *k, const struct session_sample *s, u32 *name);
void flamegraph_root_free(struct flamegraph_root *k); /* a zeroed one, too */

/*
 * flamegraph_spans.c: what ran when, for a timeline: counts by time, CPU, root and stack.
 *
 *	flamegraph_spans_add() ... -> flamegraph_spans_merge() -> v, nr
 *
 * Times are those at which a bin begins (time_bins.h), so that memory grows with what differs and not with time.
 * A zeroed struct is empty.
 */

struct flamegraph_part {
	u64 at;    /* ns */
	u32 cpu;   /* ID_NONE: not known */
	u32 root;  /* a name of flamegraph_root.c, ID_NONE: none */
	u32 stack; /* a node of stack_tree.h */
	u64 weight;
};

struct flamegraph_spans {
	VEC(struct flamegraph_part) v;
	u32 merge_at; /* parts that call for it */
};

/* `step`: the width of bins by now, which only grows. False: no memory. */
bool flamegraph_spans_add(struct flamegraph_spans *s, const struct flamegraph_part *part, u64 step);
/* Parts that differ in nothing but their weight are one; they are in order of time, CPU, root, stack. */
void flamegraph_spans_merge(struct flamegraph_spans *s, u64 step);
void flamegraph_spans_free(struct flamegraph_spans *s);

/*
 * flamegraph_rows.c: CPUs as rows of a timeline: one for each, or, if there are more CPUs than a picture has room
 * for, one for each group of neighbours (a power of two). Or roots of stacks, such as tasks: those with the highest
 * counts, highest first, and one row for all others.
 */

struct flamegraph_rows {
	struct timeline_row v[TIMELINE_ROWS_MAX];
	char names[TIMELINE_ROWS_MAX][32];
	u32 first[TIMELINE_ROWS_MAX]; /* CPU; ID_NONE: of samples without one */
	u32 nr, share;
	bool roots;   /* rows are roots, not CPUs */
	u32 *row_of;  /* by root, and one for none; of roots */
	u32 nr_roots; /* likewise */
	u64 *amounts; /* likewise */
};

/* Of bins whose CPUs are in order. CPUs that share a row are added up in the bins of one. */
void flamegraph_rows_make(struct flamegraph_rows *rows, struct time_bins *b);
/* Of the roots of parts, in columns that bins have. */
int flamegraph_rows_roots(struct flamegraph_rows *rows, const struct flamegraph_spans *spans,
			  const struct strtab *names, const struct time_bins *b, struct err *err);
/* The row of a CPU; ID_NONE: none. */
u32 flamegraph_rows_find(const struct flamegraph_rows *rows, u32 cpu);
void flamegraph_rows_free(struct flamegraph_rows *rows); /* a zeroed one, too */

/*
 * flamegraph_code.c: the instructions of the hottest functions, for pages of HTML: flamegraph --annotate.
 *
 *	flamegraph_code_count() for each sample -> flamegraph_code_put() for each graph
 */

struct flamegraph_code {
	VEC(struct code_samples) events; /* by event; those without samples are empty */
};

int flamegraph_code_count(struct flamegraph_code *c, struct symboliser *r,
			  const struct session_sample *s, struct err *err);
/* Append sections (format/annotation_html.h) of the functions of an event that can be shown. */
int flamegraph_code_put(const struct flamegraph_code *c, const struct reading *in, u32 event,
			struct buf *out, struct err *err);
void flamegraph_code_free(struct flamegraph_code *c); /* a zeroed one, too */

/*
 * flamegraph_stacks.c: the samples of a recording, counted by their stacks, for flame graphs.
 *
 *	reading_open() -> flamegraph_stacks_read() -> flamegraph_stacks_put() for each graph
 *
 * There is one graph of the event that was chosen, or, if several are wanted, one of each event
 * that has samples, in the order of the events in the recording.
 */

struct flamegraph_graph {
	struct stack_weights weights;
	u64 samples, weight; /* of all of them */
	u64 first, last;     /* times of samples, ns; first UINT64_MAX: none has a time */
};

struct flamegraph_stacks {
	const struct flamegraph_stacks_options *options;
	struct reading *in;
	struct flamegraph_root root;
	struct stack_tree stacks;
	VEC(struct flamegraph_graph) graphs; /* by event; those without samples are empty */
};

/* `code`: count them for it, too; NULL: none. */
int flamegraph_stacks_read(struct flamegraph_stacks *k, struct reading *in,
			   const struct flamegraph_stacks_options *o, struct flamegraph_code *code,
			   struct err *err);
/*
 * Add the counts of an event's graph to those of a tree, or to its counts of another recording
 * (`old`). Once for each.
 */
int flamegraph_stacks_put(struct flamegraph_stacks *k, u32 event, struct frame_tree *tree, bool old,
			  struct err *err);
void flamegraph_stacks_free(struct flamegraph_stacks *k); /* a zeroed one, too */

/*
 * flamegraph_timeline.c: flamegraph --timeline: the samples of each CPU over time.
 */

/* Read r->in, draw, write: the exit code. */
int flamegraph_timeline_run(struct flamegraph_request *r, struct err *err);

/*
 * flamegraph_timeline_more.c: what a timeline shows besides amounts: what ran in each cell, and the flame graph of any
 * span of it.
 */

struct flamegraph_timeline_more {
	struct buf texts, moments;
	const char **makers; /* of all rows, in texts */
};

/*
 * Fill in t->moments, and the makers of `rows`, whose columns t has, of parts that were merged. Zero-initialise it, and free it in any case, after
 * the picture was drawn. `look`: how flame graphs look.
 */
int flamegraph_timeline_more(struct flamegraph_timeline_more *m, struct timeline *t,
			     struct flamegraph_rows *rows, const struct flamegraph_spans *spans,
			     const struct flamegraph_root *root, const struct stack_tree *stacks,
			     const struct flamegraph *look, struct err *err);
void flamegraph_timeline_more_free(struct flamegraph_timeline_more *m);

#endif
