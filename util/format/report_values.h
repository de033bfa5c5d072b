/* SPDX-License-Identifier: GPL-2.0 */
/*
 * report_values.h - the keys of a report that are texts: fields of tracepoints, and what their
 * print fmt says, each text with a number.
 *
 * Of an event without the field it is "N/A", of a sample that is too short for it "?".
 */
#ifndef FORMAT_REPORT_VALUES_H
#define FORMAT_REPORT_VALUES_H

#include "util/format/report_rare.h"
#include "util/profile/cpu_places.h"
#include "util/profile/trace_fields.h"
#include "util/report/report_samples.h"

struct report_values {
	struct report_texts texts;
	struct session *session;
	const struct report_keys *keys;
	const struct trace_text *text;
	struct trace_fields *events; /* by event */
	u32 nr;
	u32 *at; /* by event and key, in its fields; ID_NONE: it has none of that name */
	struct cpu_places cpus;
	struct strtab known;
	struct report_rare rare; /* .branch is that of the sample that is counted */
	struct buf one;
};

/* The fields that the tracepoints of a recording have. Strings are the session's. */
struct report_known_fields {
	struct report_field *v;
	u32 nr, cap;
};
int report_values_known(struct report_known_fields *f, const struct session *s, struct err *err);

/* All that is pointed at stays the caller's, for as long as *v is used. */
int report_values_init(struct report_values *v, struct session *s, const struct report_keys *keys,
		       const struct trace_text *text, struct err *err);
/* Has the event what this key shows? */
bool report_values_has(const struct report_values *v, u32 event, u32 key);
/* The room that any value of a field may need as perf counts: bytes, or 0x and digits. */
u32 report_values_width(const struct report_values *v, u32 event, u32 key);
void report_values_free(struct report_values *v); /* a zeroed one, too */

#endif
