/* SPDX-License-Identifier: GPL-2.0 */
/*
 * drop_fields.h - what a dropped packet was: skb:kfree_skb with fields beyond its own, as expressions (ev_expr.h).
 *
 *	drop_fields_ask("dport") -> drop_fields_event() -> "skb:kfree_skb(skbaddr=skb, location, ..., flow(skb))"
 *
 * The event has what the tracepoint has itself, under the same names, and what is asked for:
 *
 *	dev, ifindex         the device that the packet came in by or was to leave by; of a packet in the queue of a socket, none
 *	netns                the inode of the network namespace, of the device or else the socket
 *	saddr sport daddr dport l4 tcp_flags   as flow() of probe.h
 *	len, mark            of the packet
 *	vlan                 its number, where a card or the kernel has taken the tag off the packet; also vlan_tci, vlan_proto
 *	sk_inode, sk_uid     of the socket that it is of: the number that /proc/PID/fd shows, and the user
 *	packet ...           its first bytes, as packet() of probe.h
 *	inner_saddr ... vni  of the packet that it carries through a tunnel, as inner() of probe.h
 */
#ifndef EVENT_DROP_FIELDS_H
#define EVENT_DROP_FIELDS_H

#include "util/base/text.h"
#include "util/event/ev_env.h"
#include "util/tracepoint/tp_format.h"

#define DROP_FIELDS_EVENT "skb:kfree_skb"
#define DROP_FIELDS_ALL   UINT32_MAX

/* Add the field of that name to those asked for. False: it is none of these. */
bool drop_fields_ask(u32 *asked, const char *name, size_t len);
/* Likewise each field that the text of a filter names. */
void drop_fields_ask_filter(u32 *asked, const char *filter);
/* Likewise what a file of packets takes: the bytes, the device, the network. */
void drop_fields_ask_packet(u32 *asked);
/* Append the names of all of them, but for the packet's bytes: "dev, ifindex". */
void drop_fields_names(struct buf *out);
/* Let a mistyped word have been one of them. */
void drop_fields_suggest(struct text_suggest *s);
/* Append the event as it is typed. -ENOENT: this kernel has no such tracepoint. */
int drop_fields_event(struct ev_env *env, u32 asked, struct buf *out, struct err *err);
/* The format of the kernel's own; NULL and the reason. The caller frees it. */
struct tp_format *drop_fields_own(struct ev_env *env, struct err *err);

#endif
