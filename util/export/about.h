/* SPDX-License-Identifier: GPL-2.0 */
/*
 * about.h - what a recording says of itself, for the heads of files of other programs.
 */
#ifndef EXPORT_ABOUT_H
#define EXPORT_ABOUT_H

#include "util/profile/session.h"

/* A time of the recording as ns since 1970; false: not known. */
bool about_wall_clock(const struct session *s, u64 time, u64 *wall);

/* The command that recorded, as it was typed, escaped; nothing if it is not known. */
void about_command(const struct session *s, struct buf *out);

/* One fact ("hostname", "release", ...), escaped; nothing if it is not known. */
void about_fact(const struct session *s, const char *key, struct buf *out);

/* Samples that were lost by full buffers, or could not be written. After the last sample. */
u64 about_lost(const struct session *s);

#endif
