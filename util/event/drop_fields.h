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
 *	sk_inode, sk_uid     of the socket that it is of: the number that /proc/PID/fd shows, and the user
 *	packet ...           its first bytes, as packet() of probe.h
 */
#ifndef EVENT_DROP_FIELDS_H
#define EVENT_DROP_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

#include "util/base/buf.h"
#include "util/tracepoint/tp_format.h"

/* Add the field of that name to those asked for. False: it is none of these. */
bool drop_fields_ask(u32 *asked, const char *name, size_t len);
/* Likewise each field that the text of a filter names. */
void drop_fields_ask_filter(u32 *asked, const char *filter);
/* Append the event as it is typed. own: the format of the kernel's skb:kfree_skb, which kernels have with more or fewer fields. */
void drop_fields_event(const struct tp_format *own, u32 asked, struct buf *out);

#endif
