/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ev_spec.h - what was asked with -e, --filter and -G: a list of specs. Nothing is open yet.
 *
 * A zero-initialised struct ev_list is empty and ready. Every string and array of a spec belongs
 * to the list and lives until ev_list_free(). ev_parse() fills the list, ev_filter.h adds to it.
 */
#ifndef EVENT_EV_SPEC_H
#define EVENT_EV_SPEC_H

#include <linux/perf_event.h>

#include "util/base/arena.h"
#include "util/base/hash.h"
#include "util/base/vec.h"
#include "util/tracepoint/tp_filter.h"

/* Classes of events, in the order in which they are listed. */
enum ev_class {
	EV_HW,
	EV_SW,
	EV_CACHE,
	EV_TRACEPOINT,
	EV_PMU,
	EV_RAW, /* rNNN and TYPE:CONFIG */
	EV_BP,
	EV_TOOL, /* measured by the program itself: the attr is a dummy */
};

/* Terms between the slashes that say how to record, and override the command's options. */
#define EV_PERIOD     0x0001u /* attr.sample_period, attr.freq = 0 */
#define EV_FREQ       0x0002u /* attr.sample_freq, attr.freq = 1 */
#define EV_TIME       0x0004u
#define EV_CALLGRAPH  0x0008u
#define EV_STACK_SIZE 0x0010u
#define EV_MAX_STACK  0x0020u
#define EV_NR         0x0040u
#define EV_INHERIT    0x0080u
#define EV_OVERWRITE  0x0100u
#define EV_BRANCH     0x0200u
#define EV_PERCORE    0x0400u
#define EV_AUX_OUTPUT 0x0800u
#define EV_AUX_SAMPLE 0x1000u

enum ev_callgraph {
	EV_CALLGRAPH_NO,
	EV_CALLGRAPH_FP,
	EV_CALLGRAPH_DWARF,
	EV_CALLGRAPH_LBR,
	EV_CALLGRAPH_AUTO, /* both: registers and a stack, and the kernel's chain */
};

struct ev_terms {
	u32 has; /* which of the following were given: EV_* */
	enum ev_callgraph callgraph;
	u32 stack_size; /* bytes of user stack */
	u32 max_stack;  /* frames */
	u64 branch;     /* attr.branch_sample_type */
	bool time, inherit, overwrite;
};

struct ev_spec_tracepoint {
	const char *system, *name; /* NULL: the event is none */
	const char *format;        /* the text of its file "format" */
	struct ev_expr *expr;      /* its fields are expressions (ev_expr.h); NULL: its own */
	bool counted;              /* in the kernel, not sampled (ev_count.h) */
	bool of_pattern;           /* one of several that a pattern matches */
	bool of_calls;   /* its events are system calls that were named (ev_env.raw_syscalls) */
	const u8 *calls; /* which, as in struct ev_syscalls; NULL: all */
	const char *typed_filter;     /* --filter as typed, or NULL */
	const char *kernel_filter;    /* the part of it that the kernel tests; or NULL */
	const char *filter;           /* all that the kernel tests, in its syntax, or NULL */
	const struct tp_filter *here; /* the rest, tested here on its samples, or NULL */
};

struct ev_spec_pmu {
	const char *name; /* NULL: the event has none */
	const u32 *cpus;  /* where the PMU allows it to be opened; nr_cpus == 0: everywhere */
	u32 nr_cpus;
	const char *unit; /* of the scaled count, "" if it is a plain number */
	double scale;
	bool snapshot; /* the count is a value, not a sum */
	bool of_boxes; /* one of several equal units of the PMU's name: only their sum matters */
	bool of_sorts; /* one of several that what was typed means on as many sorts of cores */
};

struct ev_spec {
	const char *name; /* as perf prints it */
	const char *text; /* all of the -e it comes from ... */
	u32 at, len;      /* ... and where in it */
	enum ev_class class;

	/*
	 * type, config*, bp_*, exclude_*, precise_ip, pinned and exclusive as asked; with EV_PERIOD
	 * or EV_FREQ the rate. All the rest is the recorder's. As perf does, exclude_guest is set
	 * unless a modifier says otherwise.
	 */
	struct perf_event_attr attr;
	struct ev_terms terms;

	u32 group;              /* number of its {...} in the list, ID_NONE: it is in none */
	bool leader;            /* the first of its group; true if it has no group */
	bool sample_read;       /* S: the leader's samples carry the counts of all */
	bool weak;              /* W: if the group cannot be opened, its events are opened alone */
	bool precise_max;       /* P: the highest precise_ip that can be opened */
	bool sideband;          /* not asked for: reports tasks, mappings, chains (ev_record.h) */
	bool guest_given;       /* G or H */
	bool at_return;         /* a probe where functions return; fexit is none */
	const char *group_name; /* or NULL */

	struct ev_spec_tracepoint tp;
	struct ev_spec_pmu pmu;
	const char *cgroup; /* as typed, or NULL */
};

/* A tracepoint that occurs in the list: read once, however often it is asked for. */
struct ev_tracepoint {
	const char *system, *name, *format;
	u32 id;
};

struct ev_list {
	VEC(struct ev_spec) specs;
	VEC(struct ev_tracepoint) tracepoints;
	struct strtab tp_index;          /* "SYSTEM:NAME" -> index in tracepoints */
	VEC(struct tp_format *) formats; /* that filters point into */
	VEC(struct tp_filter *) filters;
	VEC(struct ev_expr *) exprs; /* of specs */
	u32 last;                    /* the first spec of the last ev_parse() */
	u32 nr_groups;
	u32 nr_cgroups; /* positions that -G has gone through */
	struct arena arena;
};

/* Append a spec with the defaults of an attr; NULL when memory is out. Moves the others. */
struct ev_spec *ev_spec_add(struct ev_list *list);
/* The leader of the group that spec number `spec` is in; itself if it has no group. */
struct ev_spec *ev_leader(const struct ev_list *list, u32 spec);
void ev_list_free(struct ev_list *list);

/* Are its samples those of a tracepoint, with raw data that a format describes? */
static inline bool ev_spec_traces(const struct ev_spec *s)
{
	return s->attr.type == PERF_TYPE_TRACEPOINT || s->tp.expr;
}

#endif
