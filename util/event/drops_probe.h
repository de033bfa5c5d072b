/* SPDX-License-Identifier: GPL-2.0 */
/*
 * drops_probe.h - the device and the network namespace of a dropped packet, where skb:kfree_skb lacks them: by a
 * dynamic event at the same tracepoint, which follows the packet's pointers.
 *
 *	drops_probe_make() -> the event DROPS_PROBE is opened with the format of drops_probe_format() ... is closed
 *	-> drops_probe_remove()
 *
 * There is one event for all who want it at the same time (some kernels take no second one at a tracepoint), and who
 * closes it last removes it. What a process left that was killed costs nothing, and the next takes and removes it.
 *
 * Its format reads as that of skb:kfree_skb with two more fields, dev and netns: types, names of reasons and the
 * order of the bytes of the protocol are those of the kernel's own event. The kernel knows its fields by other
 * names, so it cannot filter it.
 *
 * Source: Documentation/trace/fprobetrace.rst; kernel/trace/trace_fprobe.c, trace_probe.c.
 */
#ifndef EVENT_DROPS_PROBE_H
#define EVENT_DROPS_PROBE_H

#include "util/kernel/tracefs.h"
#include "util/tracepoint/tp_format.h"

#define DROPS_PROBE "perf_lite:drops"

/* Zero-initialise it. */
struct drops_probe {
	int fd; /* of tracefs, if the event is there: made */
	bool made;
	struct buf packet; /* the format of skb:kfree_skb */
};

/*
 * Make it, or find it made. -ENOTSUP: this kernel has no such events or no BTF; -EACCES, -EPERM, ...
 */
int drops_probe_make(struct drops_probe *p, const struct tracefs *t, struct err *err);
/* Append the text of its format. -EINVAL if the kernel's formats are not what they are known to be. */
int drops_probe_format(const struct drops_probe *p, const struct tracefs *t, struct buf *text,
		       struct err *err);
/* When this process has closed it. It stays if another has it open. */
void drops_probe_remove(struct drops_probe *p);

#endif
