/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sampling.h - what all commands share that sample the running system: which events, how often, of
 * which targets, with which call chains, into how large buffers.
 *
 *	struct sampling s;
 *	sampling_init(&s, "record", err);
 *	opts[] = { SAMPLING_EVENT_OPTS(&s), SAMPLING_TARGET_OPTS(&s), ... };
 *	opt_parse() -> sampling_choose_targets() -> sampling_choose_events() -> sampling_free()
 *
 * Each sampling_on_X() is the call of an option in opt.h's table; its value is the sampling.
 */
#ifndef PERF_LITE_SAMPLING_H
#define PERF_LITE_SAMPLING_H

#include "perf-lite/id_list.h"
#include "util/capture/rings.h"
#include "util/capture/targets.h"
#include "util/cli/opt.h"
#include "util/event/ev_filter.h"
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

enum sampling_list { SAMPLING_PIDS, SAMPLING_TIDS, SAMPLING_COMMS };

struct sampling {
	const char *command; /* "record", for hints */
	/* takes lists that begin with "!", which the kernel cannot obey; NULL: they are refused */
	int (*on_except)(void *arg, enum sampling_list kind, const char *list, struct err *err);
	void *except_arg;
	bool filtered; /* samples are passed over here, by their tasks */
	struct ev_list list;
	struct ev_env env;
	struct sysroot root;
	struct limits limits;
	struct ev_record_options attrs;
	struct rings_options rings;
	/* targets */
	struct targets_wanted targets;
	struct cpus cpus, online; /* of -C; all that are online, if -C chooses */
	struct id_list pids, tids;
	const char *cpu_list;
	bool all_cpus, no_inherit, include_self;
	bool any_event;      /* -e was given */
	bool later;          /* events are enabled by hand, not when the command begins */
	bool busy;           /* samples may come in millions a second */
	u32 realtime;        /* SCHED_FIFO priority of who reads the rings; 0: as others */
	u64 ring_bytes;      /* of each CPU, 0: not given */
	char call_graph[32]; /* how user stacks are made; "": by frame pointers, or not */
};

int sampling_on_event(void *value, const char *arg, struct err *err);
int sampling_on_filter(void *value, const char *arg, struct err *err);
int sampling_on_cgroup(void *value, const char *arg, struct err *err);
int sampling_on_pids(void *value, const char *arg, struct err *err);
int sampling_on_tids(void *value, const char *arg, struct err *err);
int sampling_on_comm(void *value, const char *arg, struct err *err);
int sampling_on_frequency(void *value, const char *arg, struct err *err);
int sampling_on_period(void *value, const char *arg, struct err *err);
int sampling_on_call_graph(void *value, const char *arg, struct err *err);
int sampling_on_user(void *value, const char *arg, struct err *err);
int sampling_on_clock(void *value, const char *arg, struct err *err);
int sampling_on_realtime(void *value, const char *arg, struct err *err);
int sampling_on_pages(void *value, const char *arg, struct err *err);

/* Rows of a table of options; s: struct sampling *. */
#define SAMPLING_EVENT_OPTS(s)                                                                \
	{                                                                                     \
		OPT_CALL,          'e', "event",                                              \
		"EVENT,...",       (s), "events, as perf-lite list prints them",              \
		sampling_on_event, 0},                                                        \
	{                                                                                     \
		OPT_CALL, 0, "filter", "EXPR", (s),                                           \
			"record only hits that match this expression (tracepoints of the -e " \
			"before it)",                                                         \
			sampling_on_filter, 0                                                 \
	}

#define SAMPLING_STACK_OPTS(s)                                                                   \
	{OPT_FLAG,                                                                               \
	 'g',                                                                                    \
	 NULL,                                                                                   \
	 NULL,                                                                                   \
	 &(s)->attrs.call_chain,                                                                 \
	 "record call chains (same as "                                                          \
	 "--call-graph fp)",                                                                     \
	 NULL,                                                                                   \
	 0},                                                                                     \
	{                                                                                        \
		OPT_CALL, 0, "call-graph", "HOW", (s),                                           \
			"record call chains: fp[,defer] (frame pointers), dwarf[,SIZE] (unwind " \
			"a copy of the stack), auto[,SIZE] (both)",                              \
			sampling_on_call_graph, 0                                                \
	}

#define SAMPLING_RATE_OPTS(s)                                                                    \
	{OPT_CALL,                                                                               \
	 'F',                                                                                    \
	 "freq",                                                                                 \
	 "HZ",                                                                                   \
	 (s),                                                                                    \
	 "samples per second, or max (default 4000)",                                            \
	 sampling_on_frequency,                                                                  \
	 0},                                                                                     \
	{                                                                                        \
		OPT_CALL, 'c', "count", "N", (s), "sample every N events", sampling_on_period, 0 \
	}

#define SAMPLING_CODE_OPTS(s)                                                                 \
	{OPT_FLAG, 0, "all-user", NULL, &(s)->attrs.all_user, "user code only", NULL, 0},     \
		{OPT_FLAG, 0, "all-kernel", NULL, &(s)->attrs.all_kernel, "kernel code only", \
		 NULL,     0},                                                                \
		{OPT_FLAG,                                                                    \
		 0,                                                                           \
		 "user-callchains",                                                           \
		 NULL,                                                                        \
		 &(s)->attrs.no_kernel_chain,                                                 \
		 "record only the user part of call chains",                                  \
		 NULL,                                                                        \
		 0},                                                                          \
	{                                                                                     \
		OPT_FLAG, 0, "kernel-callchains", NULL, &(s)->attrs.no_user_chain,            \
			"record only the kernel part of call chains", NULL, 0                 \
	}

#define SAMPLING_TARGET_OPTS(s)                                                                      \
	{                                                                                            \
		OPT_FLAG, 'a', "all-cpus", NULL, &(s)->all_cpus, "the whole system, on all CPUs",    \
		NULL,     0},                                                                        \
		{OPT_STRING,                                                                         \
		 'C',                                                                                \
		 "cpu",                                                                              \
		 "LIST",                                                                             \
		 &(s)->cpu_list,                                                                     \
		 "the whole system, on these "                                                       \
		 "CPUs (0,2-4)",                                                                     \
		 NULL,                                                                               \
		 0},                                                                                 \
		{OPT_CALL, 'p', "pid", "PID,...", (s), "these processes", sampling_on_pids, 0},      \
		{OPT_CALL, 't', "tid", "TID,...", (s), "these threads", sampling_on_tids, 0},        \
		{OPT_CALL, 0, "comm", "NAME", (s), "processes with this name", sampling_on_comm, 0}, \
		{OPT_CALL,         'u', "uid",                                                       \
		 "USER",           (s), "processes of this user (name or number)",                   \
		 sampling_on_user, 0},                                                               \
		{OPT_CALL,           'G', "cgroup",                                                  \
		 "NAME,...",         (s), "limit the events before it to this control group",        \
		 sampling_on_cgroup, 0},                                                             \
	{                                                                                            \
		OPT_FLAG, 0, "include-self", NULL, &(s)->include_self,                               \
			"include perf-lite "                                                         \
			"itself",                                                                    \
			NULL, 0                                                                      \
	}

#define SAMPLING_BUFFER_OPTS(s)                                                          \
	{OPT_CALL,                                                                       \
	 'm',                                                                            \
	 "mmap-pages",                                                                   \
	 "SIZE",                                                                         \
	 (s),                                                                            \
	 "buffer size of each CPU, in pages or bytes (4M) (default 512K; for count 4M)", \
	 sampling_on_pages,                                                              \
	 0},                                                                             \
		{OPT_CALL,                                                               \
		 'r',                                                                    \
		 "realtime",                                                             \
		 "PRIO",                                                                 \
		 (s),                                                                    \
		 "read the buffers at this SCHED_FIFO priority (default 1; 0: none)",    \
		 sampling_on_realtime,                                                   \
		 0},                                                                     \
	{                                                                                \
		OPT_CALL, 'k', "clockid", "CLOCK", (s),                                  \
			"clock: mono (default), raw, boot, "                             \
			"real, tai",                                                     \
			sampling_on_clock, 0                                             \
	}

/* Nothing is given yet; the limits of this machine are read. */
int sampling_init(struct sampling *s, const char *command, struct err *err);

/*
 * Whom to sample: the command (there is one if `command`), what was named, or everybody; and on
 * which CPUs.
 */
int sampling_choose_targets(struct sampling *s, bool command, struct err *err);

/* Were processes or threads named, when the options are read? */
bool sampling_named(const struct sampling *s);
/* Is there an event whose samples carry a copy of the stack? Known when the options are read. */
bool sampling_any_stacks(const struct sampling *s);
/* Likewise one whose chains by frame pointers may lack the caller of a leaf (unwind/unwind.h). */
bool sampling_any_links(const struct sampling *s);

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
