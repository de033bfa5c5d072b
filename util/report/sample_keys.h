/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sample_keys.h - what samples can be grouped by: the same names in report, top, diff, count, drops and flamegraph.
 *
 *	comm, pid, tid, cpu, event, ...	a value of the sample or of its task (sample_values.h)
 *	kstack, ustack, stack		its call chain (count_stacks.h)
 *	sym, dso, srcline, ...		a value of the sampled frame (report_places.h)
 *	FIELD, EVENT.FIELD		a field of tracepoints; of this one alone
 *
 * report and top take the names and rules of perf report --sort, where "pid" is a thread with its name; the others take
 * plain names, where it is the number of a process.
 */
#ifndef REPORT_SAMPLE_KEYS_H
#define REPORT_SAMPLE_KEYS_H

#include "util/base/buf.h"
#include "util/base/text.h"

/* The order has meaning: see sample_key_is_...() */
enum sample_key_kind {
	/* numbers of a row of report, not of a sample */
	KEY_CHILDREN, /* the share of samples in this row or in its callees */
	KEY_OVERHEAD, /* the share of samples in this row itself */
	KEY_SAMPLES,
	KEY_PERIOD,
	KEY_OVERHEAD_SYS, /* the kernel's part of the share; these follow the order of enum report_mode */
	KEY_OVERHEAD_US,
	KEY_OVERHEAD_GUEST_SYS,
	KEY_OVERHEAD_GUEST_US,
	KEY_OVERHEAD_CPU, /* the share of CPU time, where the others are of wall-clock time */
	/* of a sample or of its task */
	KEY_COMM,
	KEY_PID, /* numbers */
	KEY_TID,
	KEY_THREAD,  /* "101:nginx": number and last name of a thread */
	KEY_PROCESS, /* of its main thread */
	KEY_CPU,
	KEY_SOCKET,
	KEY_PARALLELISM, /* threads that run at its time */
	KEY_TIME,        /* in steps of time_quantum (sample_values.h) */
	KEY_EVENT,
	KEY_CGROUP,
	KEY_COMM_NODIGIT, /* the command, with "<N>" for each number in it */
	KEY_CGROUP_ID,    /* the namespace of control groups */
	KEY_TEXT, /* a text that the caller has of each sample: sample_values.given; it cannot be typed */
	KEY_LABEL, /* what the caller calls it: sample_values.labels */
	/* call chains */
	KEY_KSTACK,
	KEY_USTACK,
	KEY_STACK,
	KEY_PARENT, /* the innermost function of the call chain that a pattern matches */
	/* numbers that the CPU reports with a sample */
	KEY_LOCAL_WEIGHT,
	KEY_WEIGHT, /* the same, times the samples of the row; likewise below */
	KEY_LOCAL_INS_LAT,
	KEY_INS_LAT,
	KEY_LOCAL_P_STAGE_CYC,
	KEY_P_STAGE_CYC,
	KEY_TRANSACTION,
	KEY_CODE_PAGE_SIZE,
	KEY_ADDR, /* of the sampled instruction */
	/* of a branch */
	KEY_DSO_FROM,
	KEY_DSO_TO,
	KEY_SYMBOL_FROM,
	KEY_SYMBOL_TO,
	KEY_MISPREDICT,
	KEY_ABORT,
	KEY_IN_TX,
	KEY_SRCLINE_FROM,
	KEY_SRCLINE_TO,
	KEY_ADDR_FROM,
	KEY_ADDR_TO,
	KEY_CYCLES,
	/* of an access to memory */
	KEY_SYMBOL_DADDR,
	KEY_DSO_DADDR,
	KEY_LOCKED,
	KEY_TLB,
	KEY_MEM,
	KEY_SNOOP,
	KEY_DCACHELINE,
	KEY_SYMBOL_IADDR,
	KEY_PHYS_DADDR,
	KEY_DATA_PAGE_SIZE,
	KEY_BLOCKED,
	/* of the raw data of a tracepoint */
	KEY_TRACE, /* the event's text */
	KEY_FIELD,
	/* of a frame */
	KEY_FUNCTION, /* one without a name is called by its file */
	KEY_DSO,
	KEY_SYMBOL, /* one without a name is called by its address */
	KEY_SRCLINE,
	KEY_SRCFILE,
	KEY_SYMBOL_SIZE,
	KEY_DSO_SIZE, /* of the mapping */
	KEY_IPC,      /* instructions per cycle: as in perf, an empty column next to functions */
	KEY_NONE,
};

static inline bool sample_key_is_number(enum sample_key_kind k)
{
	return k <= KEY_OVERHEAD_CPU;
}

static inline bool sample_key_is_of_mode(enum sample_key_kind k)
{
	return k >= KEY_OVERHEAD_SYS && k <= KEY_OVERHEAD_CPU;
}

/* Row numbers that are a share of the total. */
static inline bool sample_key_is_share(enum sample_key_kind k)
{
	return k == KEY_CHILDREN || k == KEY_OVERHEAD || sample_key_is_of_mode(k);
}

static inline bool sample_key_is_stack(enum sample_key_kind k)
{
	return k >= KEY_KSTACK && k <= KEY_STACK;
}

static inline bool sample_key_is_cost(enum sample_key_kind k)
{
	return k >= KEY_LOCAL_WEIGHT && k <= KEY_TRANSACTION;
}

static inline bool sample_key_is_of_branch(enum sample_key_kind k)
{
	return k >= KEY_DSO_FROM && k <= KEY_CYCLES;
}

static inline bool sample_key_is_of_memory(enum sample_key_kind k)
{
	return k >= KEY_SYMBOL_DADDR && k <= KEY_BLOCKED;
}

/* Keys that need raw data. */
static inline bool sample_key_is_of_raw(enum sample_key_kind k)
{
	return k == KEY_TRACE || k == KEY_FIELD;
}

static inline bool sample_key_is_of_frame(enum sample_key_kind k)
{
	return k >= KEY_FUNCTION;
}

struct sample_key {
	enum sample_key_kind kind;
	const char *name;  /* as it was asked for: "kstack:5", "kfree_skb.reason" */
	const char *event; /* of a field: of this event alone; NULL: of all */
	const char *field; /* its name */
	bool function;     /* of a field: the function of an address alone */
	bool other;        /* of another sample than the row's (count_table_change_row()) */
	u32 depth;         /* of stacks: so many frames, 0: all */
};

/* By the rules of perf report: case does not matter, the first that begins with two letters or more. KEY_NONE. */
enum sample_key_kind sample_keys_perf(const char *word);
/* Of the plain names; word need not end at len. KEY_NONE. */
enum sample_key_kind sample_keys_plain(const char *word, size_t len);
/* May a field of the event have this key's plain name? The field is then meant. */
bool sample_keys_yields(enum sample_key_kind kind);

/* perf's name of a key, and its title in report; "". */
const char *sample_keys_name(enum sample_key_kind kind);
const char *sample_keys_title(enum sample_key_kind kind);

/* Offer all names for a misspelt one. */
void sample_keys_suggest(struct text_suggest *suggest, bool perf);
/* Append them, of the plain ones the common ones: "comm, pid, tid". */
void sample_keys_list(struct buf *out, bool perf);

/*
 * What a sample must hold for the key, a PERF_SAMPLE_* (0: nothing special), and the option of record for it. Keys that
 * show a sample without it as such are not among them.
 */
u64 sample_keys_needs(enum sample_key_kind kind, const char **option);

/* What has to be recorded for some keys. */
struct sample_needs {
	u64 parts;       /* PERF_SAMPLE_* that samples should hold */
	bool switches;   /* context switches: how many threads run */
	bool namespaces; /* those of tasks */
	bool cpu_places; /* the sockets of CPUs */
};
void sample_needs_add(struct sample_needs *n, enum sample_key_kind kind);

#endif
