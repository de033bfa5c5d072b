/* SPDX-License-Identifier: GPL-2.0 */
/*
 * drops.h - what the options of perf-lite drops fill in (drops_options.c), and cmd_drops.c carries out.
 */
#ifndef PERF_LITE_DROPS_H
#define PERF_LITE_DROPS_H

#include "perf-lite/drops_table.h"
#include "perf-lite/watching.h"
#include "util/event/drops_probe.h"
#include "util/format/time_text.h"

struct drops {
	struct watching w;
	struct drops_table table;
	struct drops_probe
		probe; /* what tells device and network namespace, if nothing else does */
	u64 top;
	u64 interval_ns; /* 0: one table, at the end */
	bool json;
	bool list_reasons;
	/* what follows is kept up by the run */
	struct time_text clock;  /* of the samples */
	u64 from, until;         /* an interval, on the clock of the samples; 0: none has begun */
	u64 now;                 /* the newest time known, on that clock */
	u64 started;             /* CLOCK_MONOTONIC, in ns; 0: a recording is read */
	u64 lost, drops, hidden; /* until the last table */
};

/* The events to open are in d->w.what, the keys asked for in d->table. -EINVAL, -ENODEV, ... */
int drops_options(struct drops *d, int argc, char **argv, struct opt_rest *rest, struct err *err);

#endif
