/* SPDX-License-Identifier: GPL-2.0 */
/*
 * report_costs.h - report keys for the numbers that the CPU reports with a sample: its cost (weight, latency) and the
 * outcome of a hardware transaction.
 *
 * The number distinguishes rows. A key named local_... shows the number itself; the key without local_ shows it times the
 * samples of the row. All of them sort rows in descending order.
 */
#ifndef REPORT_REPORT_COSTS_H
#define REPORT_REPORT_COSTS_H

#include "util/base/buf.h"
#include "util/profile/session.h"
#include "util/report/report_keys.h"

static inline bool report_costs_knows(enum report_kind kind)
{
	return kind >= REPORT_LOCAL_WEIGHT && kind <= REPORT_TRANSACTION;
}

u64 report_costs_value(enum report_kind kind, const struct session_sample *s);
/* Append the value as shown in a row with this many samples. */
void report_costs_put(enum report_kind kind, u64 value, u64 samples, struct buf *out);

#endif
