/* SPDX-License-Identifier: GPL-2.0 */
/* check.h - what the parts of perf-lite check share. */
#ifndef PERF_LITE_CHECK_H
#define PERF_LITE_CHECK_H

#include "util/event/ev_env.h"
#include "util/kernel/cpus.h"
#include "util/kernel/limits.h"

/*
 * check_items.c: what can be recorded here by this user: each thing is tried, not guessed.
 */

struct check_env {
	struct sysroot root;
	struct limits limits;
	struct ev_env events;
	struct cpus online;
};

enum check_state { CHECK_YES, CHECK_LIMITED, CHECK_NO };

struct check_result {
	enum check_state state;
	struct err
		why; /* unless YES: what is missing, and the command that mends it; code 0: nothing does */
	char note[512]; /* further facts, "" if there are none */
};

struct check_item {
	const char *name; /* as it is chosen: "tracepoints" */
	const char *what; /* in words */
	void (*run)(struct check_env *e, struct check_result *r);
};

/* All of them, in order. */
const struct check_item *check_items(u32 *nr);
/* Is it an event of this machine, recordable or not? */
bool check_items_is_event(struct check_env *e, const char *name);
/* One event, by name: can it be recorded on all CPUs, and is anything before it? */
void check_items_event(struct check_env *e, const char *name, struct check_result *r);

#endif
