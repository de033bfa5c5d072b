/* SPDX-License-Identifier: GPL-2.0 */
/*
 * net_counters.h - the kernel's own counters of packets that went no further, some of which no tracepoint reports.
 *
 *	net_counters_read(&before) ... net_counters_read(&now) -> net_counters_since() -> net_counters_free() of both
 *
 * They are those of the network namespace of this process: of protocols, under the names that nstat(8) gives them
 * ("UdpRcvbufErrors"); of the queues of CPUs ("softnet dropped"); of devices ("eth0 rx fifo"), which also drop
 * packets before the kernel's network code sees them; of queueing disciplines (qdiscs.h), as tc(8) names them
 * ("eth0 qdisc tbf 8001: dropped"; overlimits and requeues are packets that had to wait), modulo 2^32.
 *
 * Source: proc(5), /proc/net/dev and snmp; Documentation/networking/snmp_counter.rst and statistics.rst;
 * net/core/net-procfs.c, softnet_seq_show().
 */
#ifndef KERNEL_NET_COUNTERS_H
#define KERNEL_NET_COUNTERS_H

#include "util/base/buf.h"
#include "util/base/err.h"
#include "util/base/hash.h"
#include "util/base/vec.h"
#include "util/kernel/sysroot.h"

struct net_counter {
	const char *name;
	u64 value;
};

/* Zero-initialise it. */
struct net_counters {
	struct strtab names; /* by the numbers of `values` */
	VEC(u64) values;
	u32 cpus; /* that the queues are of */
	int no_qdiscs; /* -errno: why none of queueing disciplines are among them; 0: they are, or this kernel has none */
};

/* A file that there is not has no counters. -ENOMEM; -errno: there is none that can be read. */
int net_counters_read(struct net_counters *c, const struct sysroot *root, struct err *err);
/*
 * Counter number i of `now`, and by how much it rose. 0 also if it began anew, if its device is new or has another name since, and
 * of queues of CPUs, if some of these came or went.
 */
struct net_counter net_counters_since(const struct net_counters *now, u32 i,
				      const struct net_counters *before);
/* A file of the network namespace with this inode, for nsenter(1): of its name, or of a process in it. False: none is found. */
bool net_counters_namespace(const struct sysroot *root, u64 inode, struct buf *path);
void net_counters_free(struct net_counters *c);

#endif
