/* SPDX-License-Identifier: GPL-2.0 */
/*
 * latency.h - the time between two events (spans.h): samples in, rows of spans by keys out.
 *
 *	struct latency l = {.w = &w, .keys = &keys};	what is asked for is in l.asked, l.wanted, l.stages, l.states
 *	latency_choose() -> latency_points_open(), of the running system -> watching_events() -> latency_by() -> count_keys_parse()
 *	-> w.in.session.records |= latency_records() -> the session is opened -> latency_bind()
 *	-> latency_add() of each sample -> latency_ages() -> l.table, l.slow, l.spans.account, l.tally -> latency_next() or latency_free()
 *
 * A point is an event at which spans begin, end or are given up. As text, in options and presets:
 *
 *	EVENT[:KEY[+KEY]...][ if FILTER[ else KEY]]	sched:sched_switch:prev_pid if prev_state == 0
 *
 * KEY is a field of the event, else tid, pid or cpu of the sample; tgid is its pid beside a field pid. Points without one
 * have those of --on. Where the event lacks a field of FILTER, all its samples are the point, with the KEY behind else.
 *
 * switch-out and switch-in are points, too: the records of context switches (PERF_RECORD_SWITCH), which every user can have of
 * his own threads. With them context-switches is the event of the thread that leaves, with its call chain.
 */
#ifndef LIBRARY_LATENCY_H
#define LIBRARY_LATENCY_H

#include "util/format/count_text.h"
#include "util/library/new_losses.h"
#include "util/library/watching.h"
#include "util/profile/name_list.h"
#include "util/report/span_presets.h"
#include "util/report/thread_states.h"

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
	const char *
		otherwise; /* the first key, if the event has not the fields of the filter; NULL: an error */
	u32 stage; /* of LATENCY_THEN: the one that begins there, 1 and more */
	bool own;  /* of own_from and own_to */
};

/* Behind the events of the session: records that are points. */
enum latency_record { LATENCY_SWITCH_OUT, LATENCY_SWITCH_IN, LATENCY_RECORDS };

/* Where a word of a key comes from. */
struct latency_key {
	enum { LATENCY_FIELD, LATENCY_TID, LATENCY_PID, LATENCY_TGID, LATENCY_CPU } kind;
	struct field_reader field;
};

/* A point at an event of the source. */
struct latency_bound {
	const struct latency_point *point;
	u32 event;
	struct latency_key keys[SPANS_KEYS_MAX];
	struct tp_filter *filter; /* NULL: none */
	struct field_reader
		name; /* in a PID namespace: what the event calls the thread of the first word */
	/* is the sample that is paired this point, and of which key? */
	bool hit;
	u64 key[SPANS_KEYS_MAX];
};

/* What is asked for. Texts are the caller's, and stay. */
struct latency_asked {
	const struct span_preset *preset;   /* NULL: points are given */
	const char *from, *to, *until, *on; /* NULL: not given */
	const char *by; /* --by, likewise: the keys are the preset's or the default */
	bool latest, nested;
	bool skips_missing; /* without their preset's saying so */
	bool open;          /* the ages of spans that have not ended, instead of the others */
	bool trace;         /* spans as they end, too: `ended` */
	bool chains;        /* call chains are asked for */
	u64 min_ns, slowest;
};

struct latency_points {
	VEC(struct latency_point) all;
	u32 nr_keys;
	bool own;         /* those of own_from and own_to */
	bool has_records; /* some are records of switches */
	bool no_places;   /* ... and no sample says where threads left the CPU */
	bool by_waking; /* sched:sched_waking stands in for sched:sched_wakeup, which was not recorded */
	bool keyless;    /* points were given, and no key for any of them */
	bool by_task;    /* the first word of the key is a thread */
	bool by_process; /* ... or the process that hits a probe */
	bool others;     /* who makes the event at one end is not who makes that at the other */
	/* after binding */
	VEC(struct latency_bound) bounds; /* by event, role, and as they are given */
	VEC(struct latency_bound *)
	by_event; /* the first of an event, and then of a record; NULL: none */
	struct arena arena;
};

/*
 * Spans of these threads alone, if the points are of others, too. Else events are chosen by numbers, as other commands do, but
 * spans by names: a thread may change its own before the end.
 */
struct latency_threads {
	struct targets_ids pids, tids;
	struct targets_ids started; /* processes that these started, and those started */
	const char *comm;           /* --comm */
	struct name_list comms;
	u32 self;     /* the process whose spans are left out: the caller's; 0: none */
	bool follows; /* the command's processes are those whose spans are wanted */
	bool chosen;  /* who pairs chooses them */
};

/*
 * latency_numbers.c: threads recorded in a PID namespace. Records have their numbers there, fields of tracepoints have the
 * kernel's. Both are known of threads that have left a CPU; of the others, what the event calls them.
 */
struct latency_numbers {
	bool differ;
	bool in_keys; /* spans have the kernel's as keys */
	u32 event;    /* sched:sched_switch, if prev is bound */
	struct field_reader prev;
	struct hmap here;    /* by the kernel's number */
	struct hmap comms;   /* likewise, in the process model's strings */
	struct thread other; /* the last that has a name only */
};

/* A span that has ended, or is open: then its end is now. */
struct latency_span {
	struct span_ended span;
	u32 cpu; /* of the end; ID_NONE: it is open */
	/* --split */
	u64 parts[THREAD_STATES]; /* ns, all of the span */
	bool slept;
	struct thread_sleep sleep; /* the longest */
};

/* The waker of a sleep, where an interrupt woke the thread: the task that it interrupted has nothing to do with it. */
#define LATENCY_INTERRUPT (ID_NONE - 1)

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

/* latency_filter.c: --filter, which spans are wanted, by the event that they begin with. The others are paired, so the account closes. */
struct latency_wanted {
	const char *filter;              /* NULL: all are wanted */
	VEC(struct tp_filter *) filters; /* by event that spans begin with; NULL: none */
	u64 left_out;                    /* spans that have ended */
};
#define LATENCY_ROW_LEFT_OUT (ID_NONE - 8) /* of a span that is not wanted */

/* Beside the account of the spans. */
struct latency_tally {
	u64 below;        /* spans shorter than min_ns */
	u64 oldest;       /* latency_ages(): age of the oldest open span */
	u64 unsure;       /* likewise, open spans that may have ended: events were lost */
	u64 left_open;    /* likewise, open spans that are left out */
	u64 without_keys; /* since the beginning, spans that `ended` got without a row */
};

struct latency_listener {
	/* Of each span that ends, before it is added to its row; NULL: nothing is. tid: of a span of a thread. */
	int (*ended)(void *arg, const struct latency_span *span, u32 tid, struct err *err);
	void *arg;
};

/* latency_rows.c */
struct latency_rows {
	bool no_table; /* the caller's: they are wanted by `ended` and `slow` alone, and make room for others */
	u32 kept;   /* then: how many were there when room was made, */
	u64 begins; /* and how many spans had begun */
};

struct latency {
	struct watching *w;      /* the caller's, from whose session the samples are */
	struct count_keys *keys; /* likewise: parsed before latency_bind() */
	struct latency_asked asked;
	struct latency_presets presets;
	struct latency_wanted wanted;
	struct latency_stages stages;
	struct latency_states states;
	struct latency_listener listener;
	struct latency_rows rows;
	/* what follows is kept up by the functions below */
	struct latency_points points;
	bool whole; /* of the preset: spans that are open end with the table */
	struct latency_threads who;
	struct latency_numbers numbers;
	struct spans spans;
	struct count_table table;
	struct new_losses losses;
	struct latency_tally tally;
	VEC(struct latency_span) slow; /* the worst, least first: a heap */
	struct session_holder holder;  /* of their wakers, and of processes that were started */
};

OPT_ROWS(latency_point_opts, struct latency);
OPT_ROWS(latency_span_opts, struct latency);   /* which spans */
OPT_ROWS(latency_thread_opts, struct latency); /* what their threads did */

/* Which points, whose spans. `command`: there is one. -EINVAL with a hint. */
int latency_choose(struct latency *l, bool command, struct err *err);
/* Ask for their events on this machine; of a preset, what is not there may be missing. */
int latency_points_open(struct latency *l, struct err *err);
/* Append to what is grouped by the keys that are not named. */
int latency_by(struct latency *l, struct buf *by, struct err *err);
/* The keys are parsed: find that of stages. */
void latency_stages_keys(struct latency *l);
/* Records that the session has to give out. */
u64 latency_records(const struct latency *l);
/* Find all of it in the events of the session. -EINVAL: no span can begin, or none can end. */
int latency_bind(struct latency *l, const struct count_options *options, struct err *err);

/* The names that samples were to be chosen by choose spans. */
void latency_threads_take_names(struct latency *l);
/* Is there such a choice? */
static inline bool latency_threads_any(const struct latency *l)
{
	return l->who.pids.nr || l->who.tids.nr || l->who.comms.nr;
}

/* Samples, in order of time. at: the number of the event, or what latency_record() says. */
int latency_add(struct latency *l, const struct session_sample *s, u32 at, struct err *err);
/*
 * A record of the session: 1: it is a point, to be added as a sample of nothing but its thread, which is *s with *sample, and
 * *at; 0; -ENOMEM.
 */
int latency_record(struct latency *l, struct session_sample *s, struct sample *sample, u32 *at,
		   struct err *err);
/* The thread whose number is the first word of a key, and what it is called, which stays until the next call. */
void latency_thread(struct latency *l, u32 tid, struct session_sample *s);
/* For who pairs by himself; wanted: --filter lets it pass. */
int latency_begin(struct latency *l, const struct session_sample *s, const u64 *key, bool wanted,
		  struct err *err);
int latency_end(struct latency *l, const struct session_sample *s, const u64 *key, struct err *err);
/* Spans that are open at that moment: in the tally; with `open`, or of whole ones, in the table and among the slowest. */
int latency_ages(struct latency *l, u64 now, struct err *err);
/* The next table begins. What is open stays so. */
void latency_next(struct latency *l);
/* Sort l->slow, the slowest first; no span can be added then. */
void latency_slowest_sort(struct latency *l);
static inline u64 latency_length(const struct latency_span *s)
{
	return s->span.end - s->span.begin;
}
void latency_free(struct latency *l);

/* --split: times beside those of a row, in the order of thread_states.h; .nr is 0 without it. */
struct count_parts latency_states_columns(const struct latency *l);
/* The points of an option, or of the preset, as text; NULL: none. */
const char *latency_points_text(const struct latency *l, enum latency_role role);
/* The events, with commas between, at which spans would begin, if they were there. */
void latency_missing_begins(const struct latency *l, struct buf *out);
/*
 * An event that other threads make than the one whose span it begins or ends, and that was recorded of some tasks alone;
 * NULL: there is none.
 */
const char *latency_lacks_others(const struct latency *l);
/*
 * Without any key, spans are paired by the thread that hits an event. Of events that name another one: the points as they
 * might be meant, with commas between; nothing: there is none, or a key was given.
 */
void latency_named_threads(const struct latency *l, struct buf *out);
/* "sched:sched_wakeup to sched:sched_switch" */
void latency_points_between(const struct latency *l, struct buf *out);

#endif
