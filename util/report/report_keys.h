/* SPDX-License-Identifier: GPL-2.0 */
/*
 * report_keys.h - what the rows of a report are told apart by, what they show, and their order:
 * --sort and --fields.
 *
 *	"comm,dso,sym"		these
 *	"+cpu"			the default and this
 *	"prev_comm"		a field of tracepoints; "sched_switch.prev_comm": of this one
 *
 * A beginning of two characters or more stands for the first key that begins so. With --sort the shares come first, in
 * what is shown and in the order of rows. With --fields alone the rows are told apart and sorted by
 * all that it lists, from left to right; with both, keys of --sort that it does not list follow, but decide first. "+cpu"
 * stands behind the shares there, and decides last.
 */
#ifndef REPORT_REPORT_KEYS_H
#define REPORT_REPORT_KEYS_H

#include "util/base/arena.h"
#include "util/base/err.h"
#include "util/base/vec.h"

#define REPORT_KEYS_DEFAULT "comm,dso,symbol"
/* Of branches, and of accesses to memory. */
#define REPORT_KEYS_BRANCH "comm,dso_from,symbol_from,symbol_to,cycles"
#define REPORT_KEYS_MEMORY \
	"local_weight,mem,sym,dso,symbol_daddr,dso_daddr,snoop,tlb,locked,blocked,local_ins_lat"

enum report_kind {
	/* numbers of a row */
	REPORT_CHILDREN, /* the share of what stood here or was called from here */
	REPORT_OVERHEAD, /* the share of what stood here */
	REPORT_SAMPLES,
	REPORT_PERIOD,
	REPORT_OVERHEAD_SYS, /* of the share, what stood in the kernel; these in enum report_mode's order */
	REPORT_OVERHEAD_US,
	REPORT_OVERHEAD_GUEST_SYS,
	REPORT_OVERHEAD_GUEST_US,
	/* what a sample has */
	REPORT_COMM,
	REPORT_PID,  /* the thread, with its last name */
	REPORT_TGID, /* the process, with that of its main thread */
	REPORT_CPU,
	REPORT_TIME, /* in steps of report_keys.time_quantum */
	REPORT_CGROUP,
	REPORT_CGROUP_ID, /* the namespace of control groups */
	REPORT_SOCKET,
	/* numbers that the CPU tells with a sample: report_numbers.h */
	REPORT_LOCAL_WEIGHT,
	REPORT_WEIGHT, /* the same, times the samples of the row; likewise below */
	REPORT_LOCAL_INS_LAT,
	REPORT_INS_LAT,
	REPORT_LOCAL_P_STAGE_CYC,
	REPORT_P_STAGE_CYC,
	REPORT_TRANSACTION,
	/* what the CPU tells of an access to memory, or a row of a branch; and what is rarely asked for */
	REPORT_PARENT, /* the innermost function on the stack that a pattern matches */
	REPORT_CODE_PAGE_SIZE,
	REPORT_ADDR, /* of the sampled instruction */
	REPORT_DSO_FROM,
	REPORT_DSO_TO,
	REPORT_SYMBOL_FROM,
	REPORT_SYMBOL_TO,
	REPORT_MISPREDICT,
	REPORT_ABORT,
	REPORT_IN_TX,
	REPORT_SRCLINE_FROM,
	REPORT_SRCLINE_TO,
	REPORT_ADDR_FROM,
	REPORT_ADDR_TO,
	REPORT_CYCLES,
	REPORT_SYMBOL_DADDR,
	REPORT_DSO_DADDR,
	REPORT_LOCKED,
	REPORT_TLB,
	REPORT_MEM,
	REPORT_SNOOP,
	REPORT_DCACHELINE,
	REPORT_SYMBOL_IADDR,
	REPORT_PHYS_DADDR,
	REPORT_DATA_PAGE_SIZE,
	REPORT_BLOCKED,
	REPORT_TRACE, /* the event's text */
	REPORT_FIELD,
	/* what a frame has */
	REPORT_DSO,
	REPORT_SYMBOL,
	REPORT_SRCLINE,
	REPORT_SRCFILE,
	REPORT_SYMBOL_SIZE,
	REPORT_DSO_SIZE, /* of the mapping */
	REPORT_IPC, /* instructions per cycle: as perf, a column beside functions, without any */
};

/* Where a sample stood, as its record says. */
enum report_mode {
	REPORT_MODE_SYS,
	REPORT_MODE_US,
	REPORT_MODE_GUEST_SYS,
	REPORT_MODE_GUEST_US,
	REPORT_NR_MODES,
};

static inline bool report_kind_is_number(enum report_kind k)
{
	return k <= REPORT_OVERHEAD_GUEST_US;
}

static inline bool report_kind_is_of_mode(enum report_kind k)
{
	return k >= REPORT_OVERHEAD_SYS && k <= REPORT_OVERHEAD_GUEST_US;
}

/* Numbers of rows that are a share of all. */
static inline bool report_kind_is_share(enum report_kind k)
{
	return k == REPORT_CHILDREN || k == REPORT_OVERHEAD || report_kind_is_of_mode(k);
}

static inline bool report_kind_is_of_frame(enum report_kind k)
{
	return k >= REPORT_DSO;
}

static inline bool report_kind_is_text(enum report_kind k)
{
	return k == REPORT_TRACE || k == REPORT_FIELD;
}

/* Those of rows that are branches, and of rows that are accesses to memory. */
static inline bool report_kind_is_of_branch(enum report_kind k)
{
	return k >= REPORT_DSO_FROM && k <= REPORT_CYCLES;
}

static inline bool report_kind_is_of_memory(enum report_kind k)
{
	return k >= REPORT_SYMBOL_DADDR && k <= REPORT_BLOCKED;
}

struct report_key {
	enum report_kind kind;
	const char *name;  /* as in the head of a column and in JSON; of a field, its name */
	const char *event; /* of a field: of this event alone, NULL: of all */
	u32 at;            /* among the values of a root, or of a place */
};

struct report_column {
	enum report_kind kind;
	u32 key; /* in keys; ID_NONE of numbers */
};

struct report_columns {
	struct report_column *v;
	u32 nr, cap;
};

struct report_keys {
	VEC(struct report_key) keys; /* each once */
	u32 nr_sample, nr_frame;     /* of them */
	struct report_columns shown, order;
	bool self;        /* what stood in a row is called "Self", beside "Children" */
	bool modes;       /* some column is of a mode */
	u64 time_quantum; /* ns; 100 ms if the caller does not say so */
	struct arena arena;
};

/* The fields that the tracepoints of the recording have. */
struct report_field {
	const char *event, *name; /* the caller's */
};

struct report_asked {
	const char *sort, *fields; /* NULL: not given */
	const char *default_sort;  /* without them; NULL: REPORT_KEYS_DEFAULT */
	bool parent;               /* the key parent, behind those and those of `fields` */
	bool children;             /* the share of callers is shown */
	bool nr_samples, period;   /* these columns, too */
	bool cpu_modes;            /* the shares of kernel and user code, too */
	bool ipc; /* as perf: behind keys of --sort that are called symbol..., a column of nothing */
	bool any_field; /* whatever is no key is a field: what is there is not known yet */
	const struct report_field *known;
	u32 nr_known;
};

/* An unknown name is an error with what it may have meant. */
int report_keys_parse(struct report_keys *k, const struct report_asked *asked, struct err *err);
/* The head of a column: "Shared Object". */
const char *report_keys_title(const struct report_keys *k, const struct report_column *c);
/* Its name for programs: "dso". */
const char *report_keys_name(const struct report_keys *k, const struct report_column *c);
void report_keys_free(struct report_keys *k);

#endif
