/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stack_field.h - a field of tracepoints on top of their stacks, as one more frame:
 * "reason=NO_SOCKET".
 */
#ifndef FORMAT_STACK_FIELD_H
#define FORMAT_STACK_FIELD_H

#include "util/profile/trace_fields.h"

struct stack_field {
	const char *name; /* the caller's */
	const struct trace_text *text;
	struct trace_fields *events; /* by event */
	u32 *at; /* in the fields of each event; ID_NONE: it has none of that name */
	u32 nr;
};

/*
 * The field `name` of all events, or of `event` alone if it is not ID_NONE. An error if no event
 * has it. All that is pointed at stays the caller's, the session and `text` for as long as *k is
 * used.
 */
int stack_field_init(struct stack_field *k, const struct session *s, u32 event, const char *name,
		     const struct trace_text *text, struct err *err);
void stack_field_free(struct stack_field *k); /* a zeroed one, too */

/*
 * Append "name=value"; false, with nothing appended, if the sample is of an event without the
 * field.
 */
bool stack_field_put(const struct stack_field *k, const struct session_sample *s, struct buf *out);

#endif
