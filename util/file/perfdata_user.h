/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perfdata_user.h - records of perf's own that say of the recording what else its header says.
 *
 * Source: tools/lib/perf/include/perf/event.h of the kernel tree.
 */
#ifndef FILE_PERFDATA_USER_H
#define FILE_PERFDATA_USER_H

#include "util/file/perfdata_feature.h"

/*
 * `h` is in host order, the body as the cursor says. `more_events`: events may still be added, as
 * no record was given out. Types that say nothing needed are passed over. 0; -EBADMSG: damaged, or
 * an event that comes too late; -ENOMEM with err set.
 */
int perfdata_user_record(struct recording *r, const struct perf_event_header *h, struct cur body,
			 bool more_events, struct err *err);

#endif
