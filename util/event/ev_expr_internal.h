/* SPDX-License-Identifier: GPL-2.0 */
/* ev_expr_internal.h - what events that a program makes (ev_expr.h) share with those that it counts or pairs (ev_count.h, ev_span.h). */
#ifndef EVENT_EV_EXPR_INTERNAL_H
#define EVENT_EV_EXPR_INTERNAL_H

#include "util/event/ev_count.h"
#include "util/event/ev_expr.h"
#include "util/probe/probe_count.h"

#define EV_EXPR_TRACKERS 4u

/* What a program does instead of making a sample of each hit. */
struct ev_expr_work {
	/* The maps behind those of probe.h; `on` as in ev_expr_attach(). */
	int (*maps)(struct ev_spec *s, const struct counters *on, u32 from, struct err *err);
	int (*code)(const struct ev_spec *s, const struct probe_program *how, struct bpf_code *code,
		    struct err *err);
	int (*enable)(struct ev_spec *s, bool on, struct err *err);
	/* Is it for what threads do until they exit, and no longer? */
	bool (*ends)(const struct ev_spec *s);
	void (*free)(void *of);
};

/* ev_expr_work.c: a spec whose program does such work, and what the spec was before: the work keeps it. */
struct ev_expr_before {
	struct ev_spec spec;
	bool plain; /* without expressions: .tp.expr is made for the work */
};

struct ev_expr_before ev_expr_work_before(const struct ev_spec *s);
/* A program for a spec without expressions, as ev_raw_add(). */
int ev_expr_work_program(struct ev_list *list, struct ev_env *env, struct ev_spec *s, bool fields,
			 bool by_thread, struct buf *why);
void ev_expr_work_take(struct ev_spec *s, const struct ev_expr_work *work, void *of);
/* What is opened is the program's output, and it tests the filters itself. */
void ev_expr_work_change(struct ev_spec *s);
/* The spec is as it was; the work is freed. */
void ev_expr_work_drop(struct ev_spec *s, const struct ev_expr_before *before);
/* .ends: perf events of a thread end with sched_process_exit, or soon after it on kernels before 6.16. */
bool ev_expr_work_ends(const struct ev_spec *s, const struct ev_expr_before *before);

#define EV_EXPR_MAPS 9u

struct ev_expr {
	struct probe probe;
	const struct btf *btf; /* of the environment, as the root */
	const struct sysroot *root;
	VEC(u32) selves;
	int maps[EV_EXPR_MAPS];
	const struct ev_expr_work *work;    /* NULL: it makes samples */
	void *of;                           /* the work's */
	const char *tracepoint;             /* at which the program runs; NULL: the probe's own */
	struct perf_event_attr place;       /* of a probe, on which the program is run ... */
	const char *pmu;                    /* ... and whose PMU this is; NULL: a tracepoint */
	struct ev_expr_functions functions; /* or to which it is attached */
	int fault;                          /* of a program that waits for memory; -1: none */
	int program, link;                  /* -1: not yet */
	int trackers[EV_EXPR_TRACKERS];     /* links of the programs that keep up the threads */
	u32 nr_trackers;
	bool tests;     /* it makes no sample of what the filter leaves out */
	bool some_cpus; /* it works on those of its counters alone */
	bool waits;     /* threads are of a target once they have executed a program */
	bool follows;   /* what they start is, too */
	bool limited;   /* to a PID namespace */
};

/* A probe of a program without expressions becomes one whose program reads nothing. -ENOMEM. */
int ev_expr_at_probe(struct ev_list *list, struct ev_env *env, struct ev_spec *s);
/* One of the list, with a number of its own, and no fields; NULL: memory is out. */
struct ev_expr *ev_expr_new(struct ev_list *list, const struct ev_env *env);
/* The spec is one of what its program makes, whose probe has been read. */
int ev_expr_fill(struct ev_list *list, struct ev_spec *s, struct ev_expr *x, const char *system,
		 const char *name, struct err *err);
/* A map or a program was refused: -code. */
int ev_expr_refuse(const struct ev_spec *s, int code, const struct buf *log, struct err *err);
/* ev_expr_functions.c: why there is no program at these functions, which was loaded or not: -code. */
int ev_expr_refuse_functions(const struct ev_spec *s, int code, bool loaded, const struct buf *log,
			     struct err *err);
struct bpf_use ev_expr_use(const struct ev_expr *x);
/* Let go of what ev_expr_attach() has made. */
void ev_expr_detach(struct ev_expr *x);
/* Would ev_expr_attach() do, for everybody or for threads and what they start? It lets go of all that it makes. */
int ev_expr_try(struct ev_spec *s, bool by_thread, struct err *err);

/* ev_expr_raw.c: tracepoints without expressions, whose arguments a program is given. */

/*
 * Give it one, with those of its own fields that a program can read, if any are needed. by_thread: it is for what some threads
 * do. 1; 0: there can be none, and `why` has the reason; -ENOMEM.
 */
int ev_raw_add(struct ev_list *list, struct ev_env *env, struct ev_spec *s, bool fields,
	       bool by_thread, struct buf *why);
/* What is known of a tracepoint's own fields, as probe_source.fields; NULL: nothing. */
const char *ev_raw_expressions(const char *system, const char *name);
/* Number of a field that the program can read; ID_NONE: it is none. */
u32 ev_raw_field(const struct ev_spec *s, const char *name);
/* Has the event such a field? */
bool ev_raw_has_field(const struct ev_spec *s, const char *name);
/* It has, and no program can read it: false, and `why`. */
bool ev_raw_lacks(const struct ev_spec *s, const char *what, struct buf *why);
/* A filter, parsed or as text, as at most PROBE_TESTS_MAX tests. False, and `why`: it is more than that. */
bool ev_raw_tests(const struct ev_spec *s, const struct tp_filter *f, struct probe_test *to,
		  u32 *nr, struct buf *why);
bool ev_raw_filter(const struct ev_spec *s, const char *text, struct probe_test *to, u32 *nr,
		   struct buf *why);

#endif
