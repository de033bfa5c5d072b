/* SPDX-License-Identifier: GPL-2.0 */
/* ev_expr_internal.h - what events that a program makes (ev_expr.h) share with those that it counts (ev_count.h). */
#ifndef EVENT_EV_EXPR_INTERNAL_H
#define EVENT_EV_EXPR_INTERNAL_H

#include "util/event/ev_count.h"
#include "util/event/ev_expr.h"
#include "util/probe/probe_count.h"

#define EV_EXPR_TRACKERS 4u

struct ev_expr {
	struct probe probe;
	const struct btf *btf; /* of the environment, as the root */
	const struct sysroot *root;
	VEC(u32) selves;
	int maps[PROBE_COUNT_MAPS];
	struct ev_count *count;             /* it counts (ev_count.h); NULL: it makes samples */
	struct perf_event_attr place;       /* of a probe, on which the program is run ... */
	const char *pmu;                    /* ... and whose PMU this is; NULL: a tracepoint */
	struct ev_expr_functions functions; /* or to which it is attached */
	int fault;                          /* of a program that waits for memory; -1: none */
	int program, link;                  /* -1: not yet */
	int trackers[EV_EXPR_TRACKERS];     /* links of the programs that keep up the threads */
	u32 nr_trackers;
	bool waits;   /* threads are of a target once they have executed a program */
	bool follows; /* what they start is, too */
	bool limited; /* to a PID namespace */
};

/* One of the list, with a number of its own, and no fields; NULL: memory is out. */
struct ev_expr *ev_expr_new(struct ev_list *list, const struct ev_env *env);
/* A map or a program was refused: -code. */
int ev_expr_refuse(const struct ev_spec *s, int code, const struct buf *log, struct err *err);
/* ev_expr_functions.c: why there is no program at these functions, which was loaded or not: -code. */
int ev_expr_refuse_functions(const struct ev_spec *s, int code, bool loaded, const struct buf *log,
			     struct err *err);
struct bpf_use ev_expr_use(const struct ev_expr *x);
/* Would ev_expr_attach() do, for everybody or for threads and what they start? It lets go of all that it makes. */
int ev_expr_try(struct ev_spec *s, bool by_thread, struct err *err);

/* ev_count.c: the maps and the program of one that counts; `on` as in ev_expr_attach(). */
int ev_count_maps(struct ev_spec *s, const struct counters *on, u32 from, struct err *err);
int ev_count_code(const struct ev_spec *s, const struct probe_program *how, struct bpf_code *code,
		  struct err *err);
void ev_count_free(struct ev_count *c);
/* Does it count what threads do until they exit, and no longer? */
bool ev_count_ends(const struct ev_spec *s);

/*
 * ev_count_fields.c: of a tracepoint's own fields, those that a program can read, become fields of its probe. -ENOMEM.
 */
int ev_count_add_fields(struct ev_list *list, struct ev_env *env, struct ev_spec *s);

#endif
