/* SPDX-License-Identifier: GPL-2.0 */
/*
 * recorded_events.h - what must be known of the opened events so that their records can be read: as
 * the kernel writes them, and as they are in the file, where samples that were unwound are shorter
 * (stack_sample.h). The first event of the list is the side-band's.
 */
#ifndef CAPTURE_RECORDED_EVENTS_H
#define CAPTURE_RECORDED_EVENTS_H

#include "util/event/ev_open.h"
#include "util/record/event_set.h"

/* Add each event of the list, with the ids of its counters, to the set, which is empty. */
int recorded_events_live(const struct ev_list *list, const struct counters *counters,
			 struct event_set *set, struct err *err);
int recorded_events_stored(const struct ev_list *list, const struct counters *counters,
			   bool keep_stacks, struct event_set *set, struct err *err);

#endif
