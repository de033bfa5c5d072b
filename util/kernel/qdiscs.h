/* SPDX-License-Identifier: GPL-2.0 */
/*
 * qdiscs.h - what the queueing disciplines of devices count, which tc -s qdisc shows.
 *
 * They are those of the network namespace of this process. Zero-initialise a struct qdiscs; qdiscs_free() it.
 *
 * Source: rtnetlink(7), <linux/rtnetlink.h>, <linux/gen_stats.h>; net/sched/sch_api.c, tc_fill_qdisc().
 */
#ifndef KERNEL_QDISCS_H
#define KERNEL_QDISCS_H

#include "util/base/buf.h"
#include "util/base/vec.h"

struct qdisc {
	u32 ifindex;
	u32 handle, parent; /* as tc has them: 0x80010000 is 8001:; a handle may be 0 */
	char kind[17];      /* "tbf" */
	u32 drops, overlimits, requeues;
};

struct qdiscs {
	VEC(struct qdisc) v;
	bool torn; /* some came or went meanwhile */
};

/* Append all. 0; -EOPNOTSUPP: this kernel has none; -errno. */
int qdiscs_read(struct qdiscs *q);
/* Append those of one piece of the kernel's answer. 1: more follow; 0: it was the last; -EBADMSG, -ENOMEM, or what the kernel says. */
int qdiscs_parse(struct qdiscs *q, const void *piece, size_t len);
/* "tbf 8001:", "pfifo_fast parent 8001:1", "mq root" */
void qdiscs_put_name(const struct qdisc *one, struct buf *out);
void qdiscs_free(struct qdiscs *q);

#endif
