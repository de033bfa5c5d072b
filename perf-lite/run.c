// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/run.h"

#include <errno.h>

#include "perf-lite/cmd.h"
#include "util/base/text.h"
#include "util/stat/stat_run.h"

#define INTERVALS_MAX 100000u

static struct stat_run_signals counted;

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

static void on_signal(int sig, siginfo_t *info, void *context)
{
	(void)context;
	counted.last = sig;
	counted.from_terminal = info->si_code == SI_KERNEL;
	counted.count = counted.count + 1;
}

const struct stat_run_signals *run_count_signals(void)
{
	static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	struct sigaction sa = {.sa_flags = SA_SIGINFO, .sa_sigaction = on_signal};
	sigset_t caught;

	sigemptyset(&sa.sa_mask);
	run_catch_signals(ends, ARRAY_SIZE(ends), &sa, &caught);
	sigprocmask(SIG_BLOCK, &caught, NULL);
	return &counted;
}

int run_no_start(int error, int otherwise)
{
	return !error ? otherwise : error == ENOENT ? CMD_NOT_FOUND : CMD_NOT_RUN;
}

int run_count_failed(const struct stat_run *run, int ret)
{
	return run_no_start(run->child.error, ret == -EINVAL ? CMD_USAGE : CMD_NO_START);
}

int run_count_exit_code(const struct stat_run *run)
{
	if (run->child.pid && run->child.reaped)
		return child_exit_code(&run->child);
	return run->child.pid && run->stopped_by && !run->options->leaves_command
		       ? 128 + run->stopped_by
		       : 0;
}

void run_put_notes(struct buf *notes, bool quiet)
{
	if (!quiet && notes->len)
		cmd_put_notes(buf_str(notes));
	buf_clear(notes);
}

u64 run_interval_end(u64 from, u64 interval)
{
	return interval <= UINT64_MAX - from ? from + interval : UINT64_MAX;
}

u64 run_skip_intervals(u64 from, u64 now, u64 interval, u64 start, bool quiet)
{
	const u64 nr = now > from ? (now - from) / interval : 0, to = from + nr * interval;
	struct buf b = {0};

	if (nr <= INTERVALS_MAX)
		return from;
	buf_adds(&b, "no samples from ");
	text_seconds(&b, from - start, 3);
	buf_adds(&b, " s to ");
	text_seconds(&b, to - start, 3);
	buf_addf(&b, " s: %llu empty intervals are left out\n", (unsigned long long)nr);
	run_put_notes(&b, quiet);
	buf_free(&b);
	return to;
}
