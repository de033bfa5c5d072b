/* SPDX-License-Identifier: GPL-2.0 */
/*
 * weight_unit.h - what the weight of a sample is.
 *
 * A sample weighs its period: so much of its event passed since the sample before, or one where an
 * event is not weighted. Of clocks, and of the tracepoints that count up how long a task
 * ran or waited, these are nanoseconds; of all others events.
 */
#ifndef EXPORT_WEIGHT_UNIT_H
#define EXPORT_WEIGHT_UNIT_H

#include "util/record/event_set.h"

static inline u64 weight_of_sample(const struct sample *s)
{
	return s->period ? s->period : 1;
}

/* cpu-clock, task-clock: the weights are ns that a thread ran. */
bool weight_unit_is_clock(const struct event_desc *e);
/* The weights are nanoseconds. */
bool weight_unit_is_time(const struct event_desc *e);
/* One sample stands for so many: of a constant period, or a clock's; 0: they differ. */
u64 weight_unit_period(const struct event_desc *e);

#endif
