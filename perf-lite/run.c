// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/run.h"

#include <errno.h>

#include "perf-lite/cmd.h"

static bool ignores_hangup(void)
{
	struct sigaction old;

	return !sigaction(SIGHUP, NULL, &old) && old.sa_handler == SIG_IGN;
}

void run_catch_signals(const int *signals, u32 nr, const struct sigaction *sa, sigset_t *caught)
{
	bool no_hangup = ignores_hangup();
	u32 i;

	if (caught)
		sigemptyset(caught);
	for (i = 0; i < nr; i++) {
		if (signals[i] == SIGHUP && no_hangup)
			continue;
		sigaction(signals[i], sa, NULL);
		if (caught)
			sigaddset(caught, signals[i]);
	}
	signal(SIGPIPE, SIG_IGN);
}

int run_no_start(int error, int otherwise)
{
	return !error ? otherwise : error == ENOENT ? CMD_NOT_FOUND : CMD_NOT_RUN;
}

void run_put_notes(struct buf *notes, bool quiet)
{
	if (!quiet && notes->len)
		cmd_put_notes(buf_str(notes));
	buf_clear(notes);
}
