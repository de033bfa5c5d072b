/* SPDX-License-Identifier: GPL-2.0 */
/*
 * report_export.h - rows of a report for programs: CSV (RFC 4180, lines end in LF) and JSON.
 *
 * CSV has one table for all events: event, overhead (percent), samples, period, with --children
 * the same of what was called from there too, and the keys. A field that an event has not is empty.
 * Of groups, behind the keys the same columns follow for each further member: overhead_2, samples_2, ...
 *
 * JSON is one object:
 *
 *	{"lost":0,"events":[{"event":"cpu-clock","samples":2103,"period":1051500000,
 *	"keys":["comm","symbol"],"entries":[{"overhead":1.38,"samples":29,"period":14500000,
 *	"children":{"overhead":20.64,"samples":434,"period":217000000},
 *	"comm":"ls","symbol":"do_syscall_64","level":"k"}]}]}
 *
 * A group has "group":["cpu-clock","page-faults"], and in each entry "group": an array of what each
 * member has in it, the leader's first.
 *
 * Nested rows have "entries" themselves, and their own key alone. In CSV they are all there, each with
 * the keys down to its own, the others empty.
 *
 * "level" is that of a function, as in the table; "inlined":true says that it was inlined. Other
 * members may follow.
 */
#ifndef FORMAT_REPORT_EXPORT_H
#define FORMAT_REPORT_EXPORT_H

#include "util/report/report_tree.h"

/* More members of a row: ,"key":... */
struct report_more {
	void (*put)(struct report_more *m, const struct report_view *v,
		    const struct report_entry *e, struct buf *out);
};

struct report_export {
	double percent_limit;
	bool children;
	u32 members;              /* of the largest group, 1: there is none */
	struct report_more *more; /* JSON; NULL: nothing */
	struct buf cell;
};

void report_export_csv_head(const struct report_export *x, const struct report_keys *keys,
			    struct buf *out);
void report_export_csv(struct report_export *x, const struct report_view *v, struct buf *out);

void report_export_csv_nested(struct report_export *x, const struct report_tree *t,
			      struct buf *out);

/* Append an event to the array of events; its brackets and what is around them are the caller's. */
void report_export_json(struct report_export *x, const struct report_view *v, struct buf *out);
void report_export_json_nested(struct report_export *x, const struct report_tree *t,
			       struct buf *out);
void report_export_free(struct report_export *x);

#endif
