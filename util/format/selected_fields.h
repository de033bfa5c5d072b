/* SPDX-License-Identifier: GPL-2.0 */
/*
 * selected_fields.h - one line of the things that a user chose: trace --fields.
 *
 *	time comm pid tid cpu event ip sym	what samples of all events have
 *	FIELD, EVENT.FIELD			a field of tracepoints; of this one alone
 *
 *	36857.838333 dns-query/26501  [001] skb:kfree_skb: reason=NO_SOCKET location=__udp4_lib_rcv+0x4bc
 *
 * A line begins with time, comm/tid, CPU and event, unless the list says which of these it wants: then
 * everything is in the order of the list. A field that an event does not have is left out of its lines.
 * Values are shown as print fmt does: names, symbols, addresses; a string with blanks in quotes.
 */
#ifndef FORMAT_SELECTED_FIELDS_H
#define FORMAT_SELECTED_FIELDS_H

#include "util/format/fields.h"
#include "util/format/time_text.h"
#include "util/profile/trace_fields.h"

/* Without any of these in the list the line begins with them. */
#define SELECTED_FIELDS_HEAD                                                    \
	(FIELD_BIT(FIELD_TIME) | FIELD_BIT(FIELD_COMM) | FIELD_BIT(FIELD_PID) | \
	 FIELD_BIT(FIELD_TID) | FIELD_BIT(FIELD_CPU) | FIELD_BIT(FIELD_EVENT))

struct selected_field {
	enum field what;   /* FIELD_COUNT: a field of a tracepoint */
	const char *name;  /* as it was asked for, without the event */
	const char *event; /* of EVENT.FIELD: "skb:kfree_skb" or "kfree_skb"; NULL: of all */
};

struct selected_fields {
	VEC(struct selected_field) v;
	u64 general;               /* FIELD_BIT()s of `what` */
	struct trace_field *at;    /* by event and field; .field NULL: the event does not have it */
	u32 nr_events, name_width; /* of the longest name of an event */
	bool pads;                 /* several events have samples */
	bool calls;                /* names may be those of system calls: syscall_sink_fields.c */
	bool of_calls; /* ... and all are, or of other events: nobody wants the two events of calls */
	const struct session *session;
	struct buf scratch;
	struct arena arena;
};

/*
 * The list, once the session knows its events. -EINVAL with what there is and what was meant, if a name
 * is none of a field. All that is pointed at stays the caller's and must outlive it.
 */
int selected_fields_init(struct selected_fields *f, const char *list, const struct session *s,
			 bool calls, struct err *err);
/* Append "comm/tid" in its column; "[001]", "[  -]" of a CPU that is not known. */
void selected_fields_task(const struct session_sample *s, struct buf *out);
void selected_fields_cpu(u32 cpu, struct buf *out);
/* Append the line, without its newline. False: out of memory. */
bool selected_fields_put(struct selected_fields *f, const struct trace_text *trace,
			 struct time_text *time, const struct session_sample *s, struct buf *out);
/* Add what was chosen of an event's fields, for JSON. -ENOMEM. */
int selected_fields_add(const struct selected_fields *f, u32 event, struct trace_fields *fields,
			struct err *err);
void selected_fields_free(struct selected_fields *f);

/* Does a list name the address or the function of samples, which not all record? */
bool selected_fields_want_ip(const char *list);

#endif
