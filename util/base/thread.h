/* SPDX-License-Identifier: GPL-2.0 */
/* thread.h - threads beside the main one. Signals are for that: all are blocked in the others. */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>
#include <signal.h>

#include "util/base/err.h"

int thread_start(pthread_t *thread, void *(*run)(void *), void *arg, struct err *err);
/* What a signal handler or another thread sets, once: nothing else is read because of it. */
static inline sig_atomic_t thread_flag(const volatile sig_atomic_t *flag)
{
	return __atomic_load_n(flag, __ATOMIC_RELAXED);
}

/* A condition whose timed waits are by CLOCK_MONOTONIC. */
void thread_condition_init(pthread_cond_t *condition);

#endif
