/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sampling.h - what all share that sample the running system: which events, how often, of
 * which targets, with which call chains, into how large buffers.
 *
 *	sampling_init(&c->what, "record", err);
 *	opts[] = { OPT_INCLUDE(sampling_event_opts, what), OPT_INCLUDE(sampling_target_opts, what), ... };
 *	opt_parse() -> sampling_choose_targets() -> sampling_choose_events() -> sampling_free()
 *
 * Each sampling_on_X() is the call of an option in opt.h's table, on a struct sampling.
 */
#ifndef LIBRARY_SAMPLING_H
#define LIBRARY_SAMPLING_H

#include "util/capture/rings.h"
#include "util/capture/targets.h"
#include "util/cli/opt.h"
#include "util/event/ev_parse.h"
#include "util/event/ev_record.h"
#include "util/kernel/limits.h"

#define SAMPLING_RING_BYTES (512u << 10) /* what an unprivileged user may have by default */
/* Where millions of samples a second come and locked memory is not limited: some milliseconds of them. */
#define SAMPLING_BUSY_RING_BYTES (4u << 20)
/* Where a thread that unwinds reads them, rings do not grow. */
#define SAMPLING_LINK_RING_BYTES (2u << 20)
/* With copies of stacks at most: a quarter of a second at 4 kHz, 64 KiB each. */
#define SAMPLING_STACK_RING_BYTES (64u << 20)

/* SCHED_FIFO priority of who reads the rings, where none is given */
#define SAMPLING_REALTIME 1

enum sampling_list { SAMPLING_PIDS, SAMPLING_TIDS, SAMPLING_COMMS };

/* -e, --filter and -G, in the order of the command line */
struct sampling_asked {
	enum sampling_asked_what { SAMPLING_EVENT, SAMPLING_FILTER, SAMPLING_CGROUP } what;
	const char *text;
};

struct sampling {
	const char *command; /* "record", for hints */
	/* takes lists that begin with "!", which the kernel cannot obey; NULL: they are refused */
	int (*on_except)(void *arg, enum sampling_list kind, const char *list, struct err *err);
	void *except_arg;
	bool filtered; /* samples are passed over here, by their tasks */
	VEC(struct sampling_asked) asked;
	bool collects; /* they wait for sampling_take_asked(): a recording may have the events, not this machine */
	struct ev_list list;
	struct ev_env env;
	struct sysroot root;
	struct limits limits;
	struct ev_record_options attrs;
	struct rings_options rings;
	/* targets */
	struct targets_wanted targets;
	struct targets_wanted until; /* those of everybody that say how long (event_session.h) */
	struct cpus cpus, online;    /* of -C; all that are online, if -C chooses */
	struct targets_ids pids, tids;
	const char *cpu_list;
	bool all_cpus, no_inherit, include_self;
	bool any_event; /* -e was given */
	bool packets;   /* skb:kfree_skb, where it is asked for, keeps the packet */
	/* where calls are named (env.raw_syscalls): the --filter of all calls, NULL: none; is it behind an -e? */
	const char *call_filter;
	bool call_filter_last;
	bool calls_off;      /* events of named calls are like others */
	bool later;          /* events are enabled by hand, not when the command begins */
	bool busy;           /* samples may come in millions a second */
	u32 realtime;        /* SCHED_FIFO priority of who reads the rings; 0: as others */
	u64 ring_bytes;      /* of each CPU, 0: not given */
	char call_graph[32]; /* how user stacks are made; "": by frame pointers, or not */
	bool no_chains;      /* --call-graph no */
};

int sampling_on_event(void *value, const char *arg, struct err *err);
int sampling_on_filter(void *value, const char *arg, struct err *err);
/*
 * Every switch of a thread from a CPU and to it: records of both, and a sample where it leaves, whose call chain, if
 * `chains`, is made as those of other events, or else by frame pointers. An event of switches that was asked for becomes
 * that sample; `notes`, if not NULL, say where it was to be another.
 */
int sampling_add_switches(struct sampling *s, bool chains, struct buf *notes, struct err *err);
/* --filter is one of system calls; `last`: it is behind an -e. It was one already: -EINVAL. */
int sampling_filter_calls(struct sampling *s, const char *filter, bool last, struct err *err);
/* These are calls: -EINVAL if the filter of calls came before. */
int sampling_check_calls(const struct sampling *s, const char *calls, struct err *err);
int sampling_on_cgroup(void *value, const char *arg, struct err *err);
int sampling_on_pids(void *value, const char *arg, struct err *err);
int sampling_on_tids(void *value, const char *arg, struct err *err);
int sampling_on_comm(void *value, const char *arg, struct err *err);
int sampling_on_user(void *value, const char *arg, struct err *err);

OPT_ROWS(sampling_event_opts, struct sampling);
OPT_ROWS(sampling_stack_opts, struct sampling);
OPT_ROWS(sampling_rate_opts, struct sampling);
OPT_ROWS(sampling_code_opts, struct sampling);
OPT_ROWS(sampling_target_opts, struct sampling);
OPT_ROWS(sampling_counting_opts, struct sampling); /* targets of what has no samples (stat) */
OPT_ROWS(sampling_buffer_opts, struct sampling);
/* likewise, of commands that hurry (watching.h), and that do so at times */
OPT_ROWS(sampling_busy_buffer_opts, struct sampling);
OPT_ROWS(sampling_trace_buffer_opts, struct sampling);

/* Nothing is given yet; the limits of this machine are read. */
int sampling_init(struct sampling *s, const char *command, struct err *err);

/* Was such an option given, and collected? */
bool sampling_has_asked(const struct sampling *s, enum sampling_asked_what what);
/* Likewise an -e of exactly that text. */
bool sampling_has_asked_event(const struct sampling *s, const char *text);
/* Look up the events, filters and control groups that were collected, and all further ones at once. */
int sampling_take_asked(struct sampling *s, struct err *err);
/* Then, where no -e was given: the event that the command has by itself; -G is for it. */
int sampling_take_default(struct sampling *s, const char *event, struct err *err);
/* ... or that are in the list already. */
int sampling_take_first_cgroups(struct sampling *s, struct err *err);

/*
 * Choose what to sample: the command (there is one if `command`), the named processes and threads,
 * or the whole system; and on which CPUs.
 */
int sampling_choose_targets(struct sampling *s, bool command, struct err *err);
/* Its halves, for who counts tasks wherever they run: whose; and the CPUs of -C, which must be online, or all that are. */
int sampling_choose_tasks(struct sampling *s, bool command, struct err *err);
int sampling_choose_cpus(struct sampling *s, struct err *err);

/* Were processes or threads named, when the options are read? */
bool sampling_named(const struct sampling *s);
/* Is there an event whose samples carry a copy of the stack? Known when the options are read. */
bool sampling_any_stacks(const struct sampling *s);
/* Likewise one whose chains by frame pointers may lack the caller of a leaf (unwind/unwind.h). */
bool sampling_any_callers(const struct sampling *s);

/*
 * After sampling_choose_targets(): the sizes of buffers and the attrs of all events. Of everybody, the
 * tasks tids[0..nr) are left out, unless --include-self: sampling_leaves_out_self(). `notes` gets
 * lines for the user.
 */
int sampling_choose_events(struct sampling *s, const u32 *tids, u32 nr, struct buf *notes,
			   struct err *err);
bool sampling_leaves_out_self(const struct sampling *s);

void sampling_free(struct sampling *s);

/*
 * sampling_stacks.c: what sampling.c needs where stacks are to be unwound (--call-graph dwarf and
 * auto, or the terms of an event): registers, larger buffers.
 */

/* Bytes of each CPU's buffer, by how much comes in, and so that most of the memory is left alone. */
u64 sampling_stacks_ring_bytes(const struct sampling *s, struct buf *notes);

/* Fill in which registers to sample, and how stacks are made, in words. */
int sampling_stacks_choose(struct sampling *s, struct err *err);

#endif
