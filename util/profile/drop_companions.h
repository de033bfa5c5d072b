/* SPDX-License-Identifier: GPL-2.0 */
/*
 * drop_companions.h - a stage that gives skb:kfree_skb the flow of its packet, from tracepoints that the kernel passes beside it.
 *
 *	tcp:tcp_send_reset (skb A, 10.0.0.2:443 > 10.0.0.1:5002), skb:kfree_skb (skb A)
 *	    ->  ..., skb:kfree_skb (skb A, saddr 10.0.0.1, sport 5002, daddr 10.0.0.2, dport 443, l4 TCP, flow_via tcp_send_reset)
 *
 * It is for where no BPF program may read the packet, and for recordings. It wraps a source whose records are in order of time.
 * The format of skb:kfree_skb in the recording gets these fields, so who reads samples knows nothing of the stage; what of them is
 * not known of a packet is not there (common_unread, tp_format.h). Which companions there are:
 *
 *	tcp_send_reset           a reset is sent for a packet, which is then dropped; not of a socket that listens
 *	tcp_bad_csum             a checksum is wrong
 *	udp_fail_queue_rcv_skb   a queue is full; it has no address of the packet (skbaddr)
 *	icmp_send                an error of ICMP is sent; ports are of UDP alone
 *
 * Fields are found by name; older kernels have other ones (of the socket, not the packet), or only the port.
 *
 * A companion counts only for the drop that comes next on its CPU: in the same thread, at most 100 ms later, with the same skbaddr
 * where the companion has one, a reason that the kernel drops such packets for, and a protocol that does not contradict. Another
 * companion or drop on that CPU, and a loss of records anywhere, end it. A value in doubt is no value. UDP-Lite counts as UDP: the
 * tracepoint does not say.
 */
#ifndef PROFILE_DROP_COMPANIONS_H
#define PROFILE_DROP_COMPANIONS_H

#include "util/file/source.h"
#include "util/tracepoint/tp_prog.h"

/* The tracepoints, "tcp", "tcp_send_reset"; NULL: there are no more. */
struct drop_companion_name {
	const char *system, *name;
};
const struct drop_companion_name *drop_companions_name(u32 number);
/* Is it a field that skb:kfree_skb may get? */
bool drop_companions_gives(const char *field);

/*
 * -ENOMEM: *s is as it was. Nothing is done, and 0 returned, where the recording has no drops, none of the companions, or drops
 * that have such fields themselves; where drops may be missing (a filter, a period), have copies of stacks, or are of the other
 * byte order. Events with expressions are neither drops nor companions, and stay as they are.
 */
int drop_companions_wrap(struct source **s, const struct tp_opts *opts, struct err *err);

#endif
