// SPDX-License-Identifier: GPL-2.0
#include "util/base/thread.h"

#include <signal.h>
#include <string.h>
#include <time.h>

int thread_start(pthread_t *thread, void *(*run)(void *), void *arg, struct err *err)
{
	sigset_t all, before;
	int ret;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	ret = pthread_create(thread, NULL, run, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return ret ? err_set(err, ret, "cannot start a thread: %s", strerror(ret)) : 0;
}

void thread_condition_init(pthread_cond_t *condition)
{
	pthread_condattr_t clock;

	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(condition, &clock);
	pthread_condattr_destroy(&clock);
}
