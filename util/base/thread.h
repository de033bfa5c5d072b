/* SPDX-License-Identifier: GPL-2.0 */
/* thread.h - threads beside the main one. Signals are for that: all are blocked in the others. */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>

#include "util/base/err.h"

int thread_start(pthread_t *thread, void *(*run)(void *), void *arg, struct err *err);
/* A condition whose timed waits are by CLOCK_MONOTONIC. */
void thread_condition_init(pthread_cond_t *condition);

#endif
