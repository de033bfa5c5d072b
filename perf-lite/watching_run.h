/* SPDX-License-Identifier: GPL-2.0 */
/*
 * watching_run.h - samples for commands that show what happens now: of the running system (util/library/watching.h), or
 * with -i of a recording.
 *
 *	opt_parse() -> watching_check() -> watching_events() -> watching_open() -> watching_start() -> watching_next() ...
 *	-> watching_verdict() -> watching_end()
 */
#ifndef PERF_LITE_WATCHING_RUN_H
#define PERF_LITE_WATCHING_RUN_H

#include "perf-lite/reading_notes.h"
#include "util/library/watching.h"

/* Does an option ask for what only a recording has, or with -i only the running system? -EINVAL, err. */
int watching_check(const struct watching *w, struct err *err);
/*
 * Open what the options and the operands (a command to run) ask for; from now on signals end it. With -i the events are
 * those of the recording. CMD_OK; CMD_USAGE, CMD_NO_START and err.
 */
int watching_open(struct watching *w, struct opt_rest *rest, struct err *err);
/* Begin: enable the events, let the command go. Nothing to do for a recording. */
int watching_start(struct watching *w, struct err *err);

/* Has the reader of this output gone away? */
bool watching_is_unread(int fd);
/* Is the error that the reader of an output has? Then what is live ends, and *err is cleared; of a recording it stays one. */
bool watching_lost_reader(struct watching *w, struct err *err);

/*
 * After SESSION_END: what is missing, in lines on standard error. The command's exit code or CMD_OK;
 * CMD_PARTIAL for a recording that is damaged. `more`: further lines, NULL: none.
 */
int watching_verdict(struct watching *w, const struct buf *more, struct err *err);

/*
 * watching_recorded.c: with -i, the events of -e are those of the recording: by name, as perf-lite evlist prints it, with or
 * without modifiers, or by pattern. In trace, names of system calls are the events of these calls.
 *
 * After reading_open(): choose them, and of their samples those that --filter lets pass.
 */
int watching_choose_recorded(struct watching *w, struct err *err);

#endif
