/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pager.h - standard output through a pager, as git does it.
 *
 * Only where standard output is a terminal. The command is the first that is set of
 * $PERF_LITE_PAGER, $PAGER, "less"; "cat" or the empty string means no pager. LESS=FRX and LV=-c
 * are given where the user has not set them, so a text that fits the screen just stays there.
 *
 * While the command writes, ^C ends it and the pager with it; once all is written
 * (pager_finish()), the keys belong to the pager until the user leaves it. Leaving it early ends
 * the command by SIGPIPE.
 */
#ifndef CLI_PAGER_H
#define CLI_PAGER_H

#include <sys/types.h>

#include "util/base/err.h"

/* Zero-initialised: no pager. */
struct pager {
	pid_t pid;     /* of the pager, 0 if there is none */
	int stdout_fd; /* the terminal, while fd 1 leads into the pager */
};

/*
 * Call before anything is written. On failure standard output is untouched, so the caller may go
 * on without a pager. A missing "less" that nobody asked for is no failure.
 */
int pager_start(struct pager *p, struct err *err);

/* Hand over the rest, wait for the pager to end, and point standard output at the terminal again.
 */
void pager_finish(struct pager *p);

#endif
