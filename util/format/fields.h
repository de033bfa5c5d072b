/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fields.h - which fields of a sample are printed: the language of script -F.
 *
 *	-F comm,ip,sym      exactly these     -F trace:comm,time   for tracepoints only
 *	-F +period,-trace   these more, these less than what would be printed without -F
 *
 * Several are applied in their order. Fields are kept per type of event, as perf does. A field that was not recorded is left out
 * silently when it is a default, and is an error when it was asked for by name. Messages are perf's, word for word where
 * tools look for them.
 */
#ifndef FORMAT_FIELDS_H
#define FORMAT_FIELDS_H

#include "util/base/buf.h"
#include "util/base/err.h"
#include "util/base/vec.h"
#include "util/record/event_set.h"

enum field {
	FIELD_COMM,
	FIELD_TID,
	FIELD_PID,
	FIELD_TIME,
	FIELD_CPU,
	FIELD_EVENT,
	FIELD_TRACE,
	FIELD_IP,
	FIELD_SYM,
	FIELD_DSO,
	FIELD_ADDR,
	FIELD_SYMOFF,
	FIELD_PERIOD,
	FIELD_IREGS,
	FIELD_UREGS,
	FIELD_BRSTACK,
	FIELD_DATA_SRC,
	FIELD_WEIGHT,
	FIELD_BPF_OUTPUT,
	FIELD_PHYS_ADDR,
	FIELD_MISC,
	FIELD_DATA_PAGE_SIZE,
	FIELD_CODE_PAGE_SIZE,
	FIELD_INS_LAT,
	FIELD_DSOFF,
	FIELD_SRCLINE,
	FIELD_TOD,
	FIELD_FLAGS,
	FIELD_BRSTACKSYM,
	FIELD_BRSTACKOFF,
	FIELD_RETIRE_LAT,
	FIELD_CGROUP,
	FIELD_COUNT,
};

enum field_type { /* of events; the first six are PERF_TYPE_* */
		  FIELD_TYPE_TRACE = PERF_TYPE_TRACEPOINT,
		  FIELD_TYPE_OTHER = PERF_TYPE_MAX,
		  FIELD_TYPE_COUNT,
};

#define FIELD_BIT(f) (1ull << (f))

struct fields {
	u64 on[FIELD_TYPE_COUNT];
	u64 asked[FIELD_TYPE_COUNT]; /* named by the user */
	bool user_set[FIELD_TYPE_COUNT];
	bool use_chains; /* some event has call chains, and they were not hidden */
	bool types_demand_nothing;
};

struct fields_options {
	VEC(const char *) texts; /* of each -F, in their order; the caller's */
	bool hide_call_graph;    /* -G */
	u64 more;                /* FIELD_BIT()s: defaults, too, where they were recorded */
	/*
	 * As perf up to 6.12: a relative -F counts from the defaults without call chains, so that
	 * the stacks of tracepoints are lost.
	 */
	bool relative_loses_chains;
	/* As perf up to 6.12: what was not recorded is an error only where no TYPE: is before it. */
	bool types_demand_nothing;
	/* As perf up to 6.12 of a stream: the stacks of tracepoints have no offsets and no files. */
	bool stream_loses_offsets;
	bool has_wall_clock; /* the time of day of the recording is known */
};

/*
 * Decide for the events of a recording. `note` receives what was ignored, one line each, and may
 * stay empty.
 */
int fields_init(struct fields *f, const struct event_set *events, const struct fields_options *o,
		struct buf *note, struct err *err);

static inline enum field_type field_type(const struct perf_event_attr *attr)
{
	return attr->type < PERF_TYPE_MAX ? (enum field_type)attr->type : FIELD_TYPE_OTHER;
}

static inline bool fields_has(const struct fields *f, const struct perf_event_attr *attr,
			      enum field field)
{
	return f->on[field_type(attr)] & FIELD_BIT(field);
}

#endif
