/* SPDX-License-Identifier: GPL-2.0 */
/*
 * drops_event.h - an event of a session as one that tells of drops: whose they are, and which of them are noise.
 *
 * Local sockets, vsock, netlink and Bluetooth free what they discard as if it were a packet. Such drops have neither a
 * protocol nor a reason. Some kernels also tell of packets that were consumed. Devices report what they hand to the
 * CPU, too: packets of control protocols and such as are for this machine. Only the group of the trap tells them from drops.
 * A TCP socket that ends empties its queues: what lies there, the other side's FIN above all, was delivered.
 *
 * Source: Documentation/networking/devlink/devlink-trap.rst, "Generic Packet Trap Groups".
 */
#ifndef PERF_LITE_DROPS_EVENT_H
#define PERF_LITE_DROPS_EVENT_H

#include "perf-lite/drops_names.h"
#include "util/base/vec.h"
#include "util/profile/session.h"
#include "util/report/count_field.h"

enum drops_part {
	DROPS_SOFTWARE,
	DROPS_HARDWARE,
	DROPS_PARTS,
	DROPS_NEITHER = DROPS_PARTS, /* another event of a recording */
};

struct drops_event {
	enum drops_part part;
	struct count_field protocol, reason, place;
	const struct tp_field *group; /* of a device's trap; NULL: not told */
	/* reasons that say nothing, and such as are no drop at all */
	VEC(u64) unspecified, no_drop;
	VEC(u64) purged;    /* reasons that are none where a socket ends */
	bool names_reasons; /* its format names them */
	bool swapped;       /* a probe reads the protocol as the packet has it: high byte first */
};

/*
 * Fill in the zeroed *e, event number `event` of a session. `software` is the tracepoint that tells of the
 * kernel's drops. -ENOMEM.
 */
int drops_event_init(struct drops_event *e, const struct session *s, u32 event,
		     const char *software, struct drops_names *names, struct err *err);
bool drops_event_is_noise(const struct drops_event *e, struct session *session,
			  const struct session_sample *sample);
void drops_event_free(struct drops_event *e);

#endif
