/* SPDX-License-Identifier: GPL-2.0 */
/*
 * json_sink.h - samples as JSON, one object a line.
 *
 *	{"event":"skb:kfree_skb","comm":"curl","pid":12,"tid":12,"cpu":0,"time":762858245123,"period":1,
 *	 "ip":"0xffffffff81e44fd0","symbol":"sk_skb_reason_drop","offset":144,"dso":"[kernel.kallsyms]",
 *	 "callchain":[{"ip":"0x...","symbol":"...","offset":144,"dso":"..."},...],
 *	 "trace":"skbaddr=... reason: NO_SOCKET","fields":{"protocol":2048,"reason":{"value":2,"name":"NO_SOCKET"}}}
 *
 * Keys are left out where nothing is known; a key has the same type in all lines. Times are ns of
 * the clock that was asked for; a clock with dates also has "date", RFC 3339 with the offset of
 * the zone. Integers are written in full, addresses are strings in hexadecimal
 * (json.h). Names are text as script prints it: a byte that is no UTF-8, or a control, is \xNN (in
 * JSON "\\xNN"). A call chain begins with the innermost frame; inlined functions are frames
 * of their own, with "inlined":true, before the one that they are in. "fields": see
 * trace_fields.h.
 */
#ifndef FORMAT_JSON_SINK_H
#define FORMAT_JSON_SINK_H

#include "util/format/fields.h"
#include "util/format/selected_fields.h"
#include "util/format/sink.h"
#include "util/format/stack_field.h"
#include "util/format/time_text.h"
#include "util/profile/frame.h"

struct json_options {
	struct time_text *time; /* how times are shown; the caller's */
	bool full_paths;        /* of source files */
	/* of the fields of tracepoints these alone, and not their text; NULL: all */
	const struct selected_fields *only;
};

struct json_sink {
	struct sink sink;
	struct json_options options;
	struct fields fields;
	struct trace_text trace;
	const struct session *session;
	const struct stack_field *field; /* NULL: none */
	struct trace_fields *events;     /* by event */
	struct buf *names;               /* of events, as JSON */
	u32 nr_events;
	struct frame_list chain;
	struct buf comm; /* as JSON */
	u32 comm_id;     /* in the process model, what `comm` is of */
	struct buf lines, scratch;
	VEC(struct json_frame) frames;
	u32 forgets; /* of the symboliser, while these are its frames */
};

/*
 * The objects of a frame, in `lines`: for each type of events, with and without what was inlined.
 */
struct json_frame {
	u64 at;
	u32 len; /* 0: not made yet */
};

/* What a user wants who names no fields: fields_options.more. */
u64 json_sink_fields(void);

/* Behind the samples: a line for each loss of the events that are asked for, and of those that are in no list. */
void json_sink_losses(const struct session *s, struct buf *out);

/* All that is pointed at stays the caller's and must outlive the sink. */
int json_sink_init(struct json_sink *k, const struct json_options *o, const struct fields *fields,
		   const struct session *s, const struct trace_text *trace,
		   const struct stack_field *field, struct err *err);

#endif
