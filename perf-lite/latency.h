/* SPDX-License-Identifier: GPL-2.0 */
/*
 * latency.h - perf-lite latency: the time between two events (spans.h), grouped as count groups samples.
 *
 *	latency_options() -> cmd_latency.c: points are bound, samples are paired -> latency_text.c: tables, lines
 *
 * A point is an event at which spans begin, end or are given up. As text, in options and presets:
 *
 *	EVENT[:KEY[+KEY]...][ if FILTER]	sched:sched_switch:prev_pid if prev_state == 0
 *
 * KEY is a field of the event, else tid, pid or cpu of the sample. Points without one have those of --on.
 *
 * switch-out and switch-in are points, too: the records of context switches (PERF_RECORD_SWITCH), which every user can have of
 * his own threads. With them context-switches is the event of the thread that leaves, with its call chain.
 */
#ifndef PERF_LITE_LATENCY_H
#define PERF_LITE_LATENCY_H

#include "perf-lite/count.h"
#include "perf-lite/output_file.h"
#include "util/export/export_spans.h"
#include "util/report/span_presets.h"
#include "util/report/thread_states.h"
#include "util/report/time_bins.h"

/* latency_presets.c: named sets of points (span_presets.h), built in and of a file. */
struct latency_presets {
	const char *
		option; /* --presets, NULL: the file of the user's configuration, if there is one */
	struct buf path; /* of the file that was read, as it is shown */
	struct span_presets of_file;
};

/* Read the file. -EINVAL and others. */
int latency_presets_read(struct latency_presets *p, struct err *err);
/* Those of the file come first. NULL and err: there is none of that name. */
const struct span_preset *latency_presets_find(const struct latency_presets *p, const char *name,
					       struct err *err);
void latency_presets_list(const struct latency_presets *p, struct buf *out);
/* For shells: "NAME", "" and what it shows, with tabs between them, a line each; of the file, if it can be read. */
void latency_presets_complete(struct latency_presets *p, struct buf *out);
/* An error in the points of a preset of the file is one of its line. Returns `ret`. */
int latency_presets_in_file(const struct latency_presets *p, const struct span_preset *preset,
			    int ret, struct err *err);
void latency_presets_free(struct latency_presets *p);

/* In the order in which the points of one sample have their effect. */
enum latency_role { LATENCY_UNTIL, LATENCY_TO, LATENCY_THEN, LATENCY_FROM, LATENCY_ROLES };

struct latency_point {
	enum latency_role role;
	const char *event;
	const char *keys[SPANS_KEYS_MAX];
	u32 nr_keys;
	const char *filter; /* NULL: none */
	u32 stage;          /* of LATENCY_THEN: the one that begins there, 1 and more */
	bool own;           /* of own_from and own_to */
};

/* Behind the events of the session: records that are points. */
enum latency_record { LATENCY_SWITCH_OUT, LATENCY_SWITCH_IN, LATENCY_RECORDS };

/* Where a word of a key comes from. */
struct latency_key {
	enum { LATENCY_FIELD, LATENCY_TID, LATENCY_PID, LATENCY_CPU } kind;
	struct field_reader field;
};

/* A point at an event of the source. */
struct latency_bound {
	const struct latency_point *point;
	u32 event;
	struct latency_key keys[SPANS_KEYS_MAX];
	struct tp_filter *filter; /* NULL: none */
	/* is the sample that is paired this point, and of which key? */
	bool hit;
	u64 key[SPANS_KEYS_MAX];
};

/* A span that is shown by itself. */
struct latency_slow {
	struct span_ended span;
	u32 cpu; /* of the end */
	/* --split */
	u64 parts[THREAD_STATES]; /* ns, all of the span */
	bool slept;
	struct thread_sleep sleep; /* the longest */
};

/* latency_states.c: --split, what the thread of a span did meanwhile. */
struct latency_parts {
	u64 ns[THREAD_STATES];
};

struct latency_says {
	int what;
	struct field_reader tid, next, state, flags;
};

/* Who is about to wake a thread; it is forgotten when the thread stops running. */
struct latency_waking {
	bool known;
	struct count_other waker;
};

struct latency_states {
	bool on;           /* any of the next two */
	bool splits;       /* --split */
	bool names_wakers; /* --waker */
	bool knows_wakes;  /* else the time asleep includes the wait for a CPU */
	struct thread_states threads;
	VEC(struct latency_says) says;  /* by event */
	VEC(struct latency_parts) rows; /* of the table */
	struct latency_parts others, all;
	struct hmap waking_of_tid; /* --waker: number in waking */
	VEC(struct latency_waking) waking;
	/* with call chains: those of switches, a row each */
	struct count_keys place_keys;
	struct count_table places;
	bool has_places;
};

/*
 * latency_stages.c: --then, points at which spans are cut into stages. A stage is from the point where the span was to the one
 * that came next; what is grouped by is the pair of them, so one that was skipped is seen in the row. The keys of all stages are those of
 * the begin of the span.
 */
#define LATENCY_STAGES_MAX SPAN_PRESETS_THENS
#define LATENCY_LABELS     (LATENCY_STAGES_MAX + 3) /* from, each then, to, not yet */

struct latency_stages {
	VEC(const char *) thens; /* points with commas between; empty: spans have no stages */
	u32 key;                 /* of the table */
	const char *labels[LATENCY_LABELS * LATENCY_LABELS]; /* by point it is from and to */
};

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
	u64 below;      /* spans shorter than --min before this interval */
};

/* A span, and the sample of its begin. */
struct latency_kernel_span {
	u64 key[SPANS_KEYS_MAX];
	struct session_sample begin;
	struct sample sample; /* the begin's */
	struct thread thread;
};

/* latency_filter.c */
struct latency_wanted {
	const char *filter;              /* NULL: all are wanted */
	VEC(struct tp_filter *) filters; /* by event that spans begin with; NULL: none */
	u64 left_out;                    /* spans that have ended */
};
#define LATENCY_ROW_LEFT_OUT (ID_NONE - 8) /* of a span that is not wanted */

struct latency {
	struct count_request q; /* events, targets, keys, form of the tables */
	/* options */
	struct latency_presets presets;
	const char *name;                 /* of the preset */
	const struct span_preset *preset; /* NULL: points were given */
	const char *from, *to, *until, *on;
	const char *files[LATENCY_FILES]; /* NULL: it is not asked for */
	bool latest, nested, trace, open, list;
	bool whole;       /* of the preset */
	bool by_given;    /* --by, else the keys are the preset's or the default */
	bool own;         /* its points are those of own_from and own_to */
	bool has_records; /* some points are records of switches */
	bool no_places;   /* ... and no sample says where threads left the CPU */
	u64 min_ns, slowest;
	struct latency_wanted wanted;
	/* what they mean */
	VEC(struct latency_point) points;
	u32 nr_keys;
	bool by_task; /* the first word of the key is a thread */
	bool others;  /* who makes the event at one end is not who makes that at the other */
	bool follows; /* the command's processes are those whose spans are wanted */
	struct targets_ids pids,
		tids; /* if `others`: the spans of these threads alone; likewise comm */
	const char *comm;
	u32 self; /* likewise, the process whose spans are left out: perf-lite; 0: none */
	struct arena arena;
	/* while samples are read */
	VEC(struct latency_bound) bounds; /* by event, role, and as they are given */
	VEC(struct latency_bound *)
	by_event; /* the first of an event, and then of a record; NULL: none */
	struct spans spans;
	struct latency_states states;
	struct latency_stages stages;
	struct count_table table;
	struct count_output output;
	struct latency_exports exports;
	struct latency_kernel kernel;
	struct time_bins map; /* of --timeline: by band of heat_map.h and time of the end */
	VEC(struct latency_slow) slow; /* the worst, least first: a heap */
	u64 below;                     /* spans shorter than --min */
	u64 oldest;                    /* age of the oldest open span, at the end */
	u64 unsure;                    /* open spans that may have ended: events were lost */
};

/*
 * latency_options.c: parse the command line into *l. rest->help: --help or --list was asked for and has been written, or
 * err says why not.
 */
int latency_options(struct latency *l, int argc, char **argv, struct opt_rest *rest,
		    struct err *err);

/* latency_filter.c */

/* Find the fields of the filter in the events, whose points are bound. -EINVAL: one of them has no such field. */
int latency_filter_bind(struct latency *l, struct err *err);
/* Is the span wanted that begins with the sample? */
bool latency_filter_passes(struct latency *l, const struct session_sample *s);
void latency_filter_free(struct latency *l);

/* latency_points.c */

/* Take the points of --from, --to and --until, or of the preset, apart. -EINVAL with a hint. */
int latency_points_parse(struct latency *l, struct err *err);
/* The points of an option, or of the preset, as text; NULL: none. */
const char *latency_points_text(const struct latency *l, enum latency_role role);
/* "sched:sched_wakeup to sched:sched_switch" */
void latency_points_between(const struct latency *l, struct buf *out);
/* Is it the event of context switches? */
bool latency_points_is_switches(const struct event_desc *d);
/* Ask for their events on this machine; of a preset, what is not there may be missing. */
int latency_points_open(struct latency *l, struct err *err);
/* Find them among the events of the session. -EINVAL: no span can begin, or none can end. */
int latency_points_bind(struct latency *l, struct err *err);
/* False: the sample is too short, or does not pass the filter. */
bool latency_points_key(const struct latency_bound *b, struct session *s,
			const struct session_sample *sample, u64 *key);
void latency_points_free(struct latency *l);

/* latency_stages.c; without --then they do nothing */

/* An option in opt.h's table, on a struct latency. */
int latency_stages_then(void *value, const char *arg, struct err *err);
/* The points are parsed: do they go together? */
int latency_stages_parsed(struct latency *l, struct err *err);
/* Make the stage one of the keys, before they are parsed; find it among them. */
void latency_stages_by(struct latency *l);
void latency_stages_keys(struct latency *l);
/* The numbers of --to as a point, and of one that is not known yet. */
u32 latency_stages_end(const struct latency *l);
u32 latency_stages_open(const struct latency *l);
/* The row of a stage that ended at that point. -ENOMEM. */
int latency_stages_row(struct latency *l, const struct span_ended *span, u32 to, u32 *row,
		       struct err *err);

/* latency_states.c; if it is not on, they do nothing */

/* Is it one of those that say what threads do? All of its samples are then read. */
bool latency_states_want(const struct latency *l, const char *event);
/* Ask for these events on this machine; bind them. */
int latency_states_open(struct latency *l, struct err *err);
int latency_states_bind(struct latency *l, struct err *err);
/* Before the sample is paired. */
int latency_states_see(struct latency *l, const struct session_sample *s, struct err *err);
/* A span of the thread begins at this sample: if it wakes the thread, the row becomes that of who does it. -ENOMEM. */
int latency_states_woken(struct latency *l, u32 tid, const struct session_sample *s, u32 *row,
			 struct err *err);
/* The notes of a span that begins; at its end what became of them; and these in the sums of its row. */
void latency_states_begin(struct latency *l, u32 tid, u64 time, u64 *notes);
void latency_states_split(struct latency *l, u32 tid, struct latency_slow *slow);
int latency_states_add(struct latency *l, const struct latency_slow *slow, struct err *err);
/* A table is printed, the next one begins. */
void latency_states_empty(struct latency *l);
/* The rows of the table are gone. */
void latency_states_reset(struct latency *l);
struct count_parts latency_states_columns(const struct latency *l);
/* A line below that of the span, and the stack of its longest sleep. */
void latency_states_put(const struct latency *l, const struct latency_slow *slow, struct buf *out);
/* The same as members of an object. */
void latency_states_json(const struct latency *l, const struct latency_slow *slow, struct buf *out);
void latency_states_free(struct latency_states *st);

/* latency_text.c: what is printed beside the table of count. */

/* The heap of the slowest: keep the span if it is one of them. -ENOMEM. */
int latency_text_keep(struct latency *l, const struct latency_slow *slow, struct err *err);
/* Lines on the slowest, the slowest first; sorts the heap. */
void latency_text_slowest(struct latency *l, struct buf *out);
/* A line on one. */
void latency_text_span(const struct latency *l, const struct latency_slow *slow, struct buf *out);
/* "2000 spans in 2.05 s; 3 restarts; 2 still open, the oldest for 4.20 s" */
void latency_text_account(const struct latency *l, const struct spans_account *a, u64 ns,
			  struct buf *out);
/* --flamegraph: the rows as a picture, their sums as widths. */
int latency_text_flamegraph(struct latency *l, struct err *err);
/* One object on one line: the spec of the spans, the account, the sums, and the rows with theirs. */
int latency_text_json(struct latency *l, const struct count_view *v, const struct spans_account *a,
		      const struct count_span *window, struct buf *out, struct err *err);

/* latency_files.c: can they be written, and do they go together with the other options? */
int latency_files_check(const struct latency *l, struct err *err);
/* Standard output is that of one of them. */
bool latency_files_on_stdout(const struct latency *l);

/*
 * latency_kernel.c: hits are paired in the kernel (util/event/ev_span.h), and samples are spans, not hits. It is tried where
 * short spans are of no interest, or --engine=bpf asks for it.
 *
 * Before watching_open(): l->kernel.on, or l->kernel.why has the reason; -EINVAL if it was asked for, -ENOMEM.
 */
int latency_kernel_choose(struct latency *l, struct err *err);
/* The span that ends at a sample, valid until the next one: 1; 0: the sample is none; -ENOMEM. */
int latency_kernel_ended(struct latency *l, const struct session_sample *end,
			 struct latency_kernel_span *out, struct err *err);
/* Call `each` for all that are open at `now`, in no order; <0: err, or what `each` returned. */
int latency_kernel_each_open(struct latency *l, u64 now,
			     int (*each)(void *arg, const struct latency_kernel_span *s,
					 struct err *err),
			     void *arg, struct err *err);
/* The account of l->spans, but for what is open there, and l->below are the kernel's. */
int latency_kernel_account(struct latency *l, struct err *err);
/* An interval ends. */
void latency_kernel_next(struct latency *l);

/* latency_export.c: spans for other programs, as they end, and the rows of the table; without such options they do nothing. */

/* Before signals are caught: the file that is written while spans end. */
int latency_export_open(struct latency *l, struct err *err);
/* The table is there. -ENOMEM. */
int latency_export_start(struct latency *l, struct err *err);
/* tid: of a span of a thread; from: when measuring began. */
int latency_export_add(struct latency *l, const struct latency_slow *slow, u32 tid, u64 from,
		       struct err *err);
/* Write out what there is. */
int latency_export_flush(struct latency *l, struct err *err);
/* All files; what failed before is left out. */
int latency_export_finish(struct latency *l, u64 from, u64 to, struct err *err);
void latency_export_free(struct latency *l);

/*
 * latency_picture.c: --timeline, a heat map of durations over time. Spans are where they ended.
 */

/* Without --timeline it does nothing. -ENOMEM. */
int latency_picture_add(struct latency *l, const struct span_ended *span, struct err *err);
/* Of the time from..to, with the account as its head; nothing is added after that. */
int latency_picture_draw(struct latency *l, const struct spans_account *a, u64 from, u64 to,
			 struct err *err);

#endif
