/* SPDX-License-Identifier: GPL-2.0 */
/*
 * about.h - facts on a recording and its events, for files of other programs.
 */
#ifndef EXPORT_ABOUT_H
#define EXPORT_ABOUT_H

#include "util/profile/session.h"
#include "util/record/event_set.h"

/* A time of the recording as ns since 1970; false: not known, or memory ran out, and then `out` has failed. */
bool about_wall_clock(const struct session *s, u64 time, u64 *wall, struct buf *out);

/*
 * When the recording ended, in ns since 1970, if the time of day is not known but by its file, which perf finishes then;
 * else 0.
 */
u64 about_day_by_file(const struct session *s);
/* A line for people on that, if the time of day is not known. */
void about_day_note(const struct session *s, struct buf *out);

/* The command that recorded, as it was typed, escaped; nothing if it is not known. */
void about_command(const struct session *s, struct buf *out);

/* One fact ("hostname", "release", ...), escaped; nothing if it is not known. */
void about_fact(const struct session *s, const char *key, struct buf *out);

/* Samples that were lost by full buffers, or could not be written. After the last sample. */
u64 about_lost(const struct session *s);

/* Lines for people: the command, the host, the kernel, how many samples were lost; likewise. */
void about_notes(const struct session *s, struct buf *out);
/* A line for each cause of loss: of `event`, or all, and of no event. After the last sample. */
void about_losses(const struct session *s, u32 event, struct buf *out);

/*
 * Of the weights of samples (session_sample_weight()): for clocks, and for the tracepoints that sum up how long a task ran or
 * waited, they are nanoseconds, else events.
 */
bool about_weight_is_time(const struct event_desc *e);
/* The weight of every sample: of a constant period, or a clock's; 0: they differ. */
u64 about_weight_period(const struct event_desc *e);

#endif
