/* SPDX-License-Identifier: GPL-2.0 */
/*
 * report_keys.h - the keys that distinguish the rows of a report, the columns shown, and the sort order:
 * --sort and --fields.
 *
 *	"comm,dso,sym"		exactly these keys
 *	"+cpu"			the default keys and this one
 *	"prev_comm"		a tracepoint field; "sched_switch.prev_comm": of that tracepoint only
 *
 * A prefix of two or more characters selects the first key that begins with it. With --sort, the shares come first, both
 * in the columns and in the sort order. With --fields alone, rows are distinguished and sorted by everything that it
 * lists, from left to right. With both, keys of --sort that --fields does not list are shown last but sort first. "+cpu"
 * in --fields is shown after the shares and sorts last.
 */
#ifndef REPORT_REPORT_KEYS_H
#define REPORT_REPORT_KEYS_H

#include "util/base/arena.h"
#include "util/base/err.h"
#include "util/base/vec.h"

#define REPORT_KEYS_DEFAULT "comm,dso,symbol"
/* The defaults for branches and for memory accesses. */
#define REPORT_KEYS_BRANCH "comm,dso_from,symbol_from,symbol_to,cycles"
#define REPORT_KEYS_MEMORY \
	"local_weight,mem,sym,dso,symbol_daddr,dso_daddr,snoop,tlb,locked,blocked,local_ins_lat"

enum report_kind {
	/* numbers of a row */
	REPORT_CHILDREN, /* the share of samples in this row or in its callees */
	REPORT_OVERHEAD, /* the share of samples in this row itself */
	REPORT_SAMPLES,
	REPORT_PERIOD,
	REPORT_OVERHEAD_SYS, /* the kernel's part of the share; these four follow the order of enum report_mode */
	REPORT_OVERHEAD_US,
	REPORT_OVERHEAD_GUEST_SYS,
	REPORT_OVERHEAD_GUEST_US,
	/* keys of a sample */
	REPORT_COMM,
	REPORT_PID,  /* the thread, with its last name */
	REPORT_TGID, /* the process, with that of its main thread */
	REPORT_CPU,
	REPORT_TIME, /* in steps of report_keys.time_quantum */
	REPORT_CGROUP,
	REPORT_CGROUP_ID, /* the namespace of control groups */
	REPORT_SOCKET,
	/* numbers that the CPU reports with a sample: report_costs.h */
	REPORT_LOCAL_WEIGHT,
	REPORT_WEIGHT, /* the same, times the samples of the row; likewise below */
	REPORT_LOCAL_INS_LAT,
	REPORT_INS_LAT,
	REPORT_LOCAL_P_STAGE_CYC,
	REPORT_P_STAGE_CYC,
	REPORT_TRANSACTION,
	/* keys of memory accesses and of branches, and keys that are rarely used */
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
	/* keys of a frame */
	REPORT_DSO,
	REPORT_SYMBOL,
	REPORT_SRCLINE,
	REPORT_SRCFILE,
	REPORT_SYMBOL_SIZE,
	REPORT_DSO_SIZE, /* of the mapping */
	REPORT_IPC,      /* instructions per cycle: as in perf, an empty column next to functions */
};

/* The CPU mode of a sample, from its record header. */
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

/* Row numbers that are a share of the total. */
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

/* Keys of rows that are branches, and of rows that are memory accesses. */
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
	const char *name;  /* as in JSON; for a field, its name */
	const char *event; /* for a field: the only event it is taken from; NULL: all events */
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
	bool self;        /* a row's own share is titled "Self", next to "Children" */
	bool modes;       /* some column is restricted to a CPU mode */
	u64 time_quantum; /* ns; the caller may set it before parsing; 0: 100 ms */
	struct arena arena;
};

/* The fields that the tracepoints of the recording have. */
struct report_field {
	const char *event, *name; /* the caller's */
};

struct report_asked {
	const char *sort, *fields; /* NULL: not given */
	const char *default_sort;  /* without them; NULL: REPORT_KEYS_DEFAULT */
	bool parent;             /* also the key parent, shown after those of `sort` and `fields` */
	bool children;           /* the share of callers is shown */
	bool nr_samples, period; /* these columns, too */
	bool cpu_modes;          /* the shares of kernel and user code, too */
	bool ipc; /* as in perf: an empty column after the --sort keys if one is named symbol... */
	bool any_field; /* any name that is no key is taken for a field, since the fields are not known yet */
	const struct report_field *known;
	u32 nr_known;
};

/* An unknown name is an error, with a hint that suggests a known one. */
int report_keys_parse(struct report_keys *k, const struct report_asked *asked, struct err *err);
/* The head of a column: "Shared Object". */
const char *report_keys_title(const struct report_keys *k, const struct report_column *c);
/* Its name for programs: "dso". */
const char *report_keys_name(const struct report_keys *k, const struct report_column *c);
void report_keys_free(struct report_keys *k);

#endif
