// SPDX-License-Identifier: GPL-2.0
#include "util/stat/stat_run.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "util/base/io.h"
#include "util/kernel/proc.h"

/* Of the threads of a process that makes them faster than they can be opened. */
#define MAX_LISTINGS 8

void stat_threads_init(struct stat_threads *t)
{
	*t = (struct stat_threads){.proc = io_open(AT_FDCWD, "/proc", O_RDONLY | O_DIRECTORY)};
}

/* An error has no words yet. */
static int add_place(struct stat_threads *t, s32 tid)
{
	struct stat_place *p = vec_push(&t->places);
	u32 parent;

	if (!p)
		return -ENOMEM;
	p->tid = tid;
	p->cpu = ID_NONE;
	if (t->named && proc_status(t->proc, (u32)tid, &p->pid, &parent))
		proc_comm(t->proc, p->pid, (u32)tid, p->comm);
	return 0;
}

static void set_target(struct stat_threads *t)
{
	t->target.threads = t->places.v;
	t->target.nr_threads = t->places.nr;
}

static int add_found(struct stat_threads *t, u32 from, struct err *err)
{
	for (; from < t->found.nr; from++)
		if (add_place(t, t->found.v[from]))
			return err_nomem(err);
	set_target(t);
	return 0;
}

int stat_threads_find(struct stat_threads *t, const struct targets_wanted *wanted,
		      struct buf *notes, struct err *err)
{
	static const struct stat_place everybody = {.cpu = ID_NONE, .tid = -1};
	int ret;

	if (wanted->system_wide) {
		t->target.threads = &everybody;
		t->target.nr_threads = 1;
		return 0;
	}
	if (!targets_named(wanted))
		return 0;
	ret = targets_find(t->proc, wanted, &t->found, notes, err);
	return ret ? ret : add_found(t, 0, err);
}

int stat_threads_watch(struct stat_threads *t, const struct targets_ids *tids,
		       struct stat_run_options *run, struct err *err)
{
	u32 i, nr = t->found.processes.nr;
	s32 *slot;

	for (i = 0; i < nr + tids->nr; i++) {
		slot = vec_push(&t->watch);
		if (!slot)
			return err_nomem(err);
		*slot = (s32)(i < nr ? t->found.processes.v[i] : tids->v[i - nr]);
	}
	run->watch = t->watch.v;
	run->nr_watch = t->watch.nr;
	return 0;
}

int stat_threads_every(struct stat_threads *t, struct err *err)
{
	struct proc_ids pids = {0}, tids = {0};
	int ret = proc_pids(t->proc, &pids, err);
	u32 i, j;

	for (i = 0; i < pids.nr && !ret; i++) {
		/* one that has ended meanwhile is none */
		if (proc_tids(t->proc, pids.v[i], &tids, NULL))
			tids.nr = 0;
		for (j = 0; j < tids.nr && !ret; j++)
			ret = add_place(t, (s32)tids.v[j]);
		vec_free(&tids);
	}
	vec_free(&pids);
	set_target(t);
	return ret == -ENOMEM ? err_nomem(err) : ret;
}

/*
 * A thread that began between listing and opening is nobody's child to us: list again until there
 * is none.
 */
int stat_threads_open(struct stat_threads *t, struct stat_counters *counters, struct err *err)
{
	u32 tries = 0, known, from;
	int ret;

	if (!t->target.nr_threads)
		return 0;
	do {
		known = t->places.nr;
		stat_counters_shut(counters);
		ret = stat_counters_open(counters, &t->target, err);
		from = t->found.nr;
		if (!ret)
			ret = targets_new(t->proc, &t->found, err);
		if (!ret && from < t->found.nr)
			ret = add_found(t, from, err);
	} while (!ret && t->places.nr != known && ++tries < MAX_LISTINGS);
	return ret;
}

void stat_threads_free(struct stat_threads *t)
{
	if (t->proc >= 0)
		close(t->proc);
	targets_free(&t->found);
	vec_free(&t->places);
	vec_free(&t->watch);
}
