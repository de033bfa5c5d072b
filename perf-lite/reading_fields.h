/* SPDX-License-Identifier: GPL-2.0 */
/*
 * reading_fields.h - which samples are looked at, by the fields of their tracepoints: --filter.
 *
 * Filters are parsed against the formats of the recording, and run here whole (tp_filter.h). Names of
 * values come from these formats, and from the types of the running kernel if it is the one that was
 * recorded. An event that lacks the fields does not pass.
 */
#ifndef PERF_LITE_READING_FIELDS_H
#define PERF_LITE_READING_FIELDS_H

#include "util/profile/session.h"
#include "util/tracepoint/tp_filter.h"

struct reading_fields {
	VEC(struct reading_fields_asked) asked;
	VEC(struct reading_fields_rule) rules;
	VEC(struct tp_filter *) filters; /* that are ours */
	struct arena arena;
};

/* A filter of the event of that name, NULL: of all. Both strings are kept as they are. */
bool reading_fields_add(struct reading_fields *f, const char *event, const char *text);
/* A filter that is parsed already, of the event with this number; it must outlive *f. */
bool reading_fields_rule(struct reading_fields *f, u32 event, const struct tp_filter *filter);
/* Parse them. After session_prepare(). -EINVAL if no event has the fields. */
int reading_fields_start(struct reading_fields *f, const struct session *s, struct err *err);

bool reading_fields_pass(const struct reading_fields *f, struct session *s,
			 const struct session_sample *sample);
void reading_fields_free(struct reading_fields *f);

#endif
