/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PROFILE_DROP_COMPANIONS_INTERNAL_H
#define PROFILE_DROP_COMPANIONS_INTERNAL_H

#include "util/base/buf.h"
#include "util/profile/drop_companions.h"
#include "util/record/sample_layout.h"
#include "util/tracepoint/tp_field.h"
#include "util/tracepoint/tp_names.h"

/* As flow_via has them; 0: no companion. */
enum drop_companion {
	DROP_COMPANION_NONE,
	DROP_COMPANION_SEND_RESET,
	DROP_COMPANION_BAD_CSUM,
	DROP_COMPANION_FAIL_QUEUE,
	DROP_COMPANION_ICMP_SEND,
	DROP_COMPANION_SET_STATE,
	DROP_COMPANION_LOOKUP,
	DROP_COMPANION_RECEIVE,
	DROP_COMPANIONS,
};

#define DROP_ANY_REASON UINT64_MAX
/* Between a companion and its drop the kernel does little; a hypervisor may take the CPU away there. */
#define DROP_SOON_NS 100000000ull

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
	const struct tp_field *skb, *sk, *reason, *family, *protocol, *state, *lport, *type, *ulen,
		*flags, *device, *iif, *error;
	struct drop_end_fields {
		const struct tp_field *address, *address6, *port;
	} source, dest;
	/* reasons of the companion, and those that the drop has then */
	VEC(struct drop_reason_pair) reasons;
	u64 only_reason; /* of all its drops, DROP_ANY_REASON */
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
 * drop_companions_detail.c: what is known of every packet that comes in. It is that of a drop only if the packet came in last on this
 * CPU, in the same thread and interrupt, and the drop is for a reason that packets on their way out never have: other packets may
 * have its memory, and most ends of packets are not recorded.
 */

#define DROP_DEVICE_SIZE 16u /* IFNAMSIZ */

/* Of a CPU. */
struct drop_received {
	u64 skb; /* 0: none */
	u64 time;
	u32 epoch, tid;
	u64 flags;
	char device[DROP_DEVICE_SIZE];
	/* where packets are to go that came in, after this one, and where their senders are */
	struct drop_lookup {
		bool there, failed;
		u8 from[4], to[4];
	} route, sender;
};

struct drop_detail {
	VEC(u64) inward;         /* reasons of packets that came in */
	VEC(u64) unrouted, lies; /* of these: there was no route; the sender is elsewhere */
};

/* drops: the names of their reasons. */
int drop_detail_init(struct drop_detail *d, const struct tp_name_list *drops, struct err *err);
void drop_detail_note(struct drop_received *r, const struct drop_event *e, const struct sample *s,
		      u32 epoch);
/* Is it the packet that came in last? */
bool drop_detail_is(const struct drop_detail *d, const struct drop_received *r,
		    const struct drop_event *drop, const struct sample *s, u32 epoch);
/* Then, its addresses; false: they are not known. */
bool drop_detail_flow(const struct drop_detail *d, const struct drop_received *r,
		      const struct drop_event *drop, const struct sample *s,
		      struct drop_flow *flow);
void drop_detail_free(struct drop_detail *d);

/*
 * drop_companions_format.c: the format of skb:kfree_skb with fields for what companions say, and its raw data.
 */

struct drop_layout {
	const struct tp_format *own;
	u32 own_at, own_end; /* its fields but for the common ones */
	u32 at;              /* of what is added */
	bool flows, devices; /* the caller's: which fields are added */
};

/* What is known of a drop. */
struct drop_packet {
	const struct drop_flow *flow; /* NULL: nothing */
	enum drop_companion flow_via;
	const char *device; /* NULL: nothing */
};

/* Append the text. False: the format cannot have more fields. */
bool drop_layout_format(struct drop_layout *l, const struct tp_format *own, const char *text,
			size_t len, struct buf *out);
/* Append the raw data of a drop, without its size. */
void drop_layout_put(const struct drop_layout *l, const u8 *raw, u32 len,
		     const struct drop_packet *packet, struct buf *out);

#endif
