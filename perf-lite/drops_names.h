/* SPDX-License-Identifier: GPL-2.0 */
/*
 * drops_names.h - names of drop reasons that the format of skb:kfree_skb does not tell: those of subsystems, and
 * all of an event whose format has none. From the types of the running kernel and its modules, which
 * are read when the first such reason comes.
 */
#ifndef PERF_LITE_DROPS_NAMES_H
#define PERF_LITE_DROPS_NAMES_H

#include "util/base/buf.h"
#include "util/btf/drop_reasons.h"

struct drops_names {
	bool use_types; /* it is the running kernel that dropped */
	bool read;
	struct drop_reasons reasons;
};

/* NULL: it has none. */
const char *drops_names_reason(struct drops_names *n, u64 reason);
/* Append its name, or what is known of it: "OPENVSWITCH:7", "0x20007". */
void drops_names_put(struct drops_names *n, u64 reason, struct buf *out);
void drops_names_free(struct drops_names *n);

#endif
