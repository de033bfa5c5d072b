/* SPDX-License-Identifier: GPL-2.0 */
/*
 * session_internal.h - what the pages of session.h share.
 *
 * session_kernel.c: what a recording lacks because its recorder was killed, from the kernel that
 * runs, if it is the one that was recorded.
 *
 * perf writes names and formats of events and the facts of the machine when it ends. That it was
 * this kernel is taken for granted where nothing says otherwise: the file is younger than the
 * boot, and the kernel was loaded at the address where it is now.
 */
#ifndef PROFILE_SESSION_INTERNAL_H
#define PROFILE_SESSION_INTERNAL_H

#include "util/file/recording.h"

/*
 * Add names and formats of the tracepoints that have none, and the fact boot_id. `path`: the
 * file, "-" standard input. Notes get a line if
 * something was added. True if it is the running kernel.
 */
bool session_kernel_fill(struct recording *r, const char *path, struct buf *notes);

#endif
