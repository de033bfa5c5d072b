/* SPDX-License-Identifier: GPL-2.0 */
/*
 * report_costs.h - the keys of a report that are numbers which the CPU tells with a sample: what it
 * cost, and how a hardware transaction went.
 *
 * Samples are told apart by the number. A key that is called local_... shows it; the one without, times the samples of the
 * row. All of them fall in the order of rows.
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
/* Append it as a row of so many samples shows it. */
void report_costs_put(enum report_kind kind, u64 value, u64 samples, struct buf *out);

#endif
