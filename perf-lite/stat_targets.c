// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/stat.h"

#include <errno.h>
#include <stdlib.h>

#include "util/kernel/proc.h"

/* Of the threads of a process that makes them faster than they can be opened. */
#define MAX_LISTINGS 8

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

static int add_found(struct stat_threads *t, u32 from, struct err *err)
{
	for (; from < t->found.nr; from++)
		if (add_place(t, t->found.v[from]))
			return err_nomem(err);
	return 0;
}

int stat_threads_find(struct stat_threads *t, const struct targets_wanted *wanted,
		      struct buf *notes, struct err *err)
{
	int ret = targets_find(t->proc, wanted, &t->found, notes, err);

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

/*
 * A thread that began between listing and opening is nobody's child to us: list again until there
 * is none.
 */
int stat_threads_open(struct stat_threads *t, struct stat_counters *counters,
		      struct stat_target *target, struct err *err)
{
	u32 tries = 0, known, from;
	int ret;

	do {
		known = t->places.nr;
		stat_counters_shut(counters);
		ret = stat_counters_open(counters, target, err);
		from = t->found.nr;
		if (!ret)
			ret = targets_new(t->proc, &t->found, err);
		if (!ret)
			ret = add_found(t, from, err);
		if (t->places.nr) {
			target->threads = t->places.v;
			target->nr_threads = t->places.nr;
		}
	} while (!ret && t->places.nr != known && ++tries < MAX_LISTINGS);
	return ret;
}

void stat_threads_free(struct stat_threads *t)
{
	targets_free(&t->found);
	vec_free(&t->places);
	vec_free(&t->watch);
}

static int choose_cpus(struct stat_targets *w, struct err *err)
{
	struct stat_command *c = w->c;
	struct cpus online = {0};
	int ret = 0;

	if (!w->system_wide && !c->cpu_list)
		return 0;
	ret = cpus_online(&c->root, &online, err);
	if (!ret && !c->cpu_list) {
		c->cpus = online;
		return 0;
	}
	if (!ret)
		ret = cpus_choose(c->cpu_list, &online, &c->cpus, err);
	cpus_free(&online);
	return ret;
}

/* --per-thread alone, or with -a: all the threads there are. */
static int every_thread(struct stat_threads *t, struct err *err)
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
	return ret == -ENOMEM ? err_nomem(err) : ret;
}

static int named_threads(struct stat_targets *w, struct err *err)
{
	const struct targets_wanted wanted = {
		.pids = w->c->pids.v,
		.nr_pids = w->c->pids.nr,
		.tids = w->c->tids.v,
		.nr_tids = w->c->tids.nr,
	};
	int ret = stat_threads_find(&w->threads, &wanted, w->notes, err);

	/* a command says itself how long */
	if (!ret && !w->c->run.command)
		ret = stat_threads_watch(&w->threads, &w->c->tids, &w->c->run, err);
	return ret;
}

static int choose_threads(struct stat_targets *w, struct err *err)
{
	static const struct stat_place everybody = {.cpu = ID_NONE, .tid = -1};
	const struct stat_command *c = w->c;
	int ret = 0;

	w->threads.named = c->output.per_thread;
	if (c->pids.nr || c->tids.nr)
		ret = named_threads(w, err);
	else if (c->output.per_thread)
		ret = every_thread(&w->threads, err);
	else if (w->system_wide) {
		w->target.threads = &everybody;
		w->target.nr_threads = 1;
		return 0;
	}
	w->target.threads = w->threads.places.v;
	w->target.nr_threads = w->threads.places.nr;
	return ret;
}

int stat_targets_choose(struct stat_targets *w, struct err *err)
{
	struct stat_command *c = w->c;
	bool named = c->pids.nr || c->tids.nr;
	int ret;

	if (named && c->all_cpus)
		return stat_refuse(err, "-a counts everybody: processes cannot be named beside it",
				   "leave out either -a or the processes");
	/* -C alone means all that happens on those CPUs, as -a does */
	w->system_wide = !named && (c->all_cpus || c->cpu_list || !c->run.command);
	if (c->output.per_thread && c->run.command && !named && !c->all_cpus)
		return stat_refuse(err, "--per-thread separates threads that run already",
				   "name them with -p or -t, or take all: --per-thread -a");
	if (c->output.per_thread && w->system_wide) {
		if (c->cpu_list || c->list.nr_cgroups || c->each_cgroup)
			return stat_refuse(err, "--per-thread counts threads wherever they run",
					   "leave out -C and -G");
		w->system_wide = false;
		c->output.skip_zeros = true;
	}
	if (!w->system_wide && (c->list.nr_cgroups || c->each_cgroup))
		return stat_refuse(err, "-G counts what is in a cgroup, whoever that is",
				   c->run.command ? "with a command: -a -G ... -- COMMAND"
						  : "leave out either -G or the processes");
	ret = choose_cpus(w, err);
	if (!ret)
		ret = choose_threads(w, err);
	w->target.cpus = c->cpus.v;
	w->target.nr_cpus = c->cpus.nr;
	c->counting.inherit = !c->no_inherit && !w->system_wide;
	c->counting.enable_on_exec =
		c->run.command && !w->target.nr_threads && !c->run.delay_ns && !c->run.disabled;
	/* counters of a command are of one task; others may count again */
	c->run.keep = w->target.nr_threads;
	return ret;
}
