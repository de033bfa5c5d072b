/* SPDX-License-Identifier: GPL-2.0 */
/*
 * drops_reasons.h - the reasons for which the running kernel drops packets: perf-lite drops --reasons.
 */
#ifndef PERF_LITE_DROPS_REASONS_H
#define PERF_LITE_DROPS_REASONS_H

#include "util/base/buf.h"
#include "util/base/err.h"
#include "util/kernel/tracefs.h"

/*
 * Append a line "  3 NO_SOCKET" for each, by number, or JSON: an array of {"value":3,"name":"NO_SOCKET"}. As the
 * format of skb:kfree_skb has them, and those of subsystems.
 */
int drops_reasons_put(const struct tracefs *t, bool json, struct buf *out, struct err *err);

#endif
