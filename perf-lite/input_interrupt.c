// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/input.h"

#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a signal handler may touch. */
static volatile sig_atomic_t spare;

bool input_interrupt_is_spared(int sig)
{
	bool spared = sig == SIGINT && spare;

	if (spared)
		spare = 0;
	return spared;
}

static void on_interrupt(int sig)
{
	if (input_interrupt_is_spared(sig))
		return;
	signal(sig, SIG_DFL);
	raise(sig);
}

void input_spare_interrupt(const char *path)
{
	struct sigaction act = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART}, was;
	struct stat st;

	if ((strcmp(path, "-") ? stat(path, &st) : fstat(STDIN_FILENO, &st)) ||
	    (!S_ISFIFO(st.st_mode) && !S_ISSOCK(st.st_mode)))
		return;
	/* whoever starts us may have it ignored; who catches it knows what to do */
	if (sigaction(SIGINT, NULL, &was) || was.sa_handler != SIG_DFL)
		return;
	sigemptyset(&act.sa_mask);
	spare = 1;
	sigaction(SIGINT, &act, NULL);
}
