/* SPDX-License-Identifier: GPL-2.0 */
/*
 * drop_reasons.h - the names of the reasons for which a kernel drops packets (`reason` of skb:kfree_skb).
 *
 * A reason is a number of 32 bits: its upper half is the subsystem, 0 is the core. The format of the
 * tracepoint names those of the core alone. The others are enumerators of enums whose names end in
 * _drop_reason, in the types of the kernel or of the module that drops (mac80211, openvswitch).
 *
 * Source: <net/dropreason.h>, <net/dropreason-core.h>, net/core/skbuff.c of Linux 6.18.
 */
#ifndef BTF_DROP_REASONS_H
#define BTF_DROP_REASONS_H

#include "util/btf/btf.h"

#define DROP_REASONS_SUBSYSTEM_SHIFT 16

/* Is the reason one of a subsystem, and not of the core? */
static inline bool drop_reasons_is_foreign(u64 reason)
{
	return reason >> DROP_REASONS_SUBSYSTEM_SHIFT && !(reason >> 32);
}

struct drop_reason {
	u32 value;
	const char *name;
};

/* A zero-initialised one is empty and ready; it owns its names. */
struct drop_reasons {
	VEC(struct drop_reason) v;          /* "NO_SOCKET", "RX_DROP_U_MIC_FAIL" */
	VEC(struct drop_reason) subsystems; /* "OPENVSWITCH" */
	struct arena arena;
};

/* Add those of the kernel, or of a module. What a kernel does not list is left out. -ENOMEM. */
int drop_reasons_add(struct drop_reasons *r, const struct btf *b, struct err *err);
/* NULL: not known. */
const char *drop_reasons_name(const struct drop_reasons *r, u64 reason);
/* Of a reason that has no name: "OPENVSWITCH", NULL: not known either. */
const char *drop_reasons_subsystem(const struct drop_reasons *r, u64 reason);
void drop_reasons_free(struct drop_reasons *r);

#endif
