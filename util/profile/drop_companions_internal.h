/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PROFILE_DROP_COMPANIONS_INTERNAL_H
#define PROFILE_DROP_COMPANIONS_INTERNAL_H

#include "util/base/buf.h"
#include "util/profile/drop_companions.h"
#include "util/tracepoint/tp_field.h"

/* As flow_via has them; 0: no companion. */
enum drop_companion {
	DROP_COMPANION_NONE,
	DROP_COMPANION_SEND_RESET,
	DROP_COMPANION_BAD_CSUM,
	DROP_COMPANION_FAIL_QUEUE,
	DROP_COMPANION_ICMP_SEND,
	DROP_COMPANIONS,
};

/*
 * drop_companions_flow.c: what a companion says.
 */

struct drop_end {
	u16 family; /* AF_INET, AF_INET6; 0: the address is not known */
	bool has_port;
	u16 port;
	u8 address[16];
};

struct drop_flow {
	struct drop_end from, to;
	u8 l4; /* 0: not known */
};

struct drop_reason_pair {
	u64 own, drop;
};

/* An event, and its fields; NULL: it has none of that name. */
struct drop_event {
	enum drop_companion kind;
	struct tp_format *format; /* NULL: it is no companion */
	const struct tp_field *skb, *reason, *family, *protocol, *state, *lport, *type, *ulen;
	struct drop_end_fields {
		const struct tp_field *address, *address6, *port;
	} source, dest;
	VEC(u64) drops; /* reasons that its drops may have */
	/* where a companion has such a reason, its drop has that one */
	VEC(struct drop_reason_pair) pairs;
};

void drop_event_bind(struct drop_event *e, enum drop_companion kind, struct tp_format *f);
/* False: it says nothing of the packet. */
bool drop_event_flow(const struct drop_event *e, const u8 *raw, u32 len, struct drop_flow *flow);
/* False: the record does not have the field. */
static inline bool drop_event_number(const struct tp_field *f, const u8 *raw, u32 len, u64 *v)
{
	return f && tp_field_int(f, raw, len, v);
}

/*
 * drop_companions_format.c: the format of skb:kfree_skb with fields for what companions say, and its raw data.
 */

struct drop_layout {
	const struct tp_format *own;
	u32 own_at, own_end; /* its fields but for the common ones */
	u32 at;              /* of what is added */
};

/* Append the text. False: the format cannot have more fields. */
bool drop_layout_format(struct drop_layout *l, const struct tp_format *own, const char *text,
			size_t len, struct buf *out);
/* Append the raw data of a drop, without its size. flow NULL: nothing is known. */
void drop_layout_put(const struct drop_layout *l, const u8 *raw, u32 len,
		     const struct drop_flow *flow, enum drop_companion via, struct buf *out);
/* Likewise the common fields alone: of a record without room. */
void drop_layout_put_nothing(const struct drop_layout *l, const u8 *raw, u32 len, struct buf *out);

#endif
