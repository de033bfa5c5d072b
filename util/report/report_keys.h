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
 *
 * Rows of wall-clock time have the share of it first, titled "Latency", and that of CPU time next.
 */
#ifndef REPORT_REPORT_KEYS_H
#define REPORT_REPORT_KEYS_H

#include "util/base/arena.h"
#include "util/base/err.h"
#include "util/base/vec.h"
#include "util/profile/session.h"
#include "util/report/sample_keys.h"

#define REPORT_KEYS_DEFAULT "comm,dso,symbol"
/* The defaults for branches and for memory accesses. */
#define REPORT_KEYS_BRANCH "comm,dso_from,symbol_from,symbol_to,cycles"
#define REPORT_KEYS_MEMORY \
	"local_weight,mem,sym,dso,symbol_daddr,dso_daddr,snoop,tlb,locked,blocked,local_ins_lat"

/* What a row weighs besides its samples' weight: those of a CPU mode, by the record header. */
enum report_mode {
	REPORT_MODE_SYS,
	REPORT_MODE_US,
	REPORT_MODE_GUEST_SYS,
	REPORT_MODE_GUEST_US,
	REPORT_MODE_CPU, /* all of it, where rows weigh wall-clock time */
	REPORT_NR_MODES,
};

struct report_column {
	enum sample_key_kind kind;
	u32 key; /* in keys; ID_NONE of numbers */
};

struct report_columns {
	struct report_column *v;
	u32 nr, cap;
};

struct report_keys {
	VEC(struct sample_key) keys; /* each once */
	VEC(u32) at;                 /* of each, among the values of a root, or of a place */
	u32 nr_sample, nr_frame;     /* of them */
	struct report_columns shown, order;
	bool self;        /* a row's own share is titled "Self", next to "Children" */
	bool modes;       /* some column is one of enum report_mode */
	bool latency;     /* rows weigh wall-clock time; "overhead" is then the share of CPU time */
	u64 time_quantum; /* ns; the caller may set it before parsing; 0: 100 ms */
	struct arena arena;
};

struct report_asked {
	const char *sort, *fields; /* NULL: not given */
	const char *default_sort;  /* without them; NULL: REPORT_KEYS_DEFAULT */
	bool parent;             /* also the key parent, shown after those of `sort` and `fields` */
	bool children;           /* the share of callers is shown */
	bool nr_samples, period; /* these columns, too */
	bool latency;            /* rows weigh wall-clock time; the key "latency" says so, too */
	bool cpu_modes;          /* the shares of kernel and user code, too */
	bool ipc; /* as in perf: an empty column after the --sort keys if one is named symbol... */
	const struct session
		*session; /* whose fields trace_fields expands to; NULL: not known yet */
};

/* Words that are no key are taken for fields: sample_values_bind() finds them, once the events are known. */
int report_keys_parse(struct report_keys *k, const struct report_asked *asked, struct err *err);
/* The head of a column: "Shared Object". */
const char *report_keys_title(const struct report_keys *k, const struct report_column *c);
/* Its name for programs: "dso". */
const char *report_keys_name(const struct report_keys *k, const struct report_column *c);
void report_keys_free(struct report_keys *k);

#endif
