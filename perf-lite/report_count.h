/* SPDX-License-Identifier: GPL-2.0 */
/*
 * report_count.h - samples counted into the tables of a report, of a recording or live.
 *
 *	report_count_needs() -> the session is opened -> report_count_init() -> report_count_add() ...
 *	-> report_tables_put() (report_tables.h) -> report_count_free()
 *
 * m->r says how; it and its session stay the caller's.
 */
#ifndef PERF_LITE_REPORT_COUNT_H
#define PERF_LITE_REPORT_COUNT_H

#include "perf-lite/report_tables.h"

/* What the session has to read for the keys: set r->in.session. -EINVAL of keys that do not exist. */
int report_count_needs(struct report *r, struct err *err);
/* *m is zeroed but for m->r. */
int report_count_init(struct report_making *m, struct err *err);
int report_count_add(struct report_making *m, const struct session_sample *s, struct err *err);
/* Was there any sample? */
bool report_count_any(const struct report_making *m);
void report_count_free(struct report_making *m); /* also after a failure */

#endif
