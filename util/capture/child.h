/* SPDX-License-Identifier: GPL-2.0 */
/*
 * child.h - the command to be recorded: made first, let go when every event is ready.
 *
 * child_fork() leaves a process that waits before its exec, so that events can be opened on its
 * pid with enable_on_exec. The owner must reap it.
 */
#ifndef CAPTURE_CHILD_H
#define CAPTURE_CHILD_H

#include <sys/resource.h>
#include <sys/types.h>

#include "util/base/err.h"

struct child {
	pid_t pid;  /* 0: none */
	int go;     /* a byte written here lets it exec, closing ends it; -1: done */
	int result; /* gives the errno of a failed exec, or nothing */
	int pidfd;  /* readable when it has ended; -1: the kernel has none */
	int error;  /* errno that kept the command from running, 0: none so far */
	bool reaped;
	int status;          /* of waitpid(2), once reaped */
	struct rusage usage; /* of it and all that it waited for, once reaped */
};

/*
 * own_output: standard output has data of ours, so what the command prints there goes to standard error.
 * -ENOENT, -EACCES or -EISDIR if there is no such command: nothing was forked then.
 */
int child_fork(struct child *c, char *const argv[], bool own_output, struct err *err);
/* Let it exec; waits until that has happened. One that cannot is reaped. */
int child_start(struct child *c, const char *name, struct err *err);
/* Has it ended? Never waits. */
bool child_poll(struct child *c);
/* End it if it never started; wait for it if it did. */
void child_finish(struct child *c, bool wait);
/* End one that was let go and still runs: SIGTERM, and SIGKILL if it takes longer than so many ms; then wait as long again. */
void child_end(struct child *c, int ms);
/* The shell's number for how it ended: 0..255, 128 + signal. */
int child_exit_code(const struct child *c);

#endif
