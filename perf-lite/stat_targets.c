// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/stat.h"

#include <errno.h>
#include <stdlib.h>

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

static int choose_threads(struct stat_targets *w, bool named, struct err *err)
{
	const struct targets_wanted wanted = {
		.system_wide = w->system_wide,
		.pids = w->c->pids.v,
		.nr_pids = w->c->pids.nr,
		.tids = w->c->tids.v,
		.nr_tids = w->c->tids.nr,
	};
	int ret;

	w->threads.target.cpus = w->c->cpus.v;
	w->threads.target.nr_cpus = w->c->cpus.nr;
	w->threads.named = w->c->output.per[STAT_PER_THREAD];
	ret = w->threads.named && !named ? stat_threads_every(&w->threads, err)
					 : stat_threads_find(&w->threads, &wanted, w->notes, err);
	/* a command says itself how long */
	if (!ret && named && !w->c->run.command)
		ret = stat_threads_watch(&w->threads, &w->c->tids, &w->c->run, err);
	return ret;
}

int stat_targets_choose(struct stat_targets *w, struct err *err)
{
	struct stat_command *c = w->c;
	bool named = c->pids.nr || c->tids.nr;
	int ret;

	if (named && c->all_cpus)
		return err_refuse(err, "-a counts everybody: processes cannot be named beside it",
				  "leave out either -a or the processes");
	/* -C alone means all that happens on those CPUs, as -a does */
	w->system_wide = !named && (c->all_cpus || c->cpu_list || !c->run.command);
	if (c->output.per[STAT_PER_THREAD] && c->run.command && !named && !c->all_cpus)
		return err_refuse(err, "--per-thread separates threads that run already",
				  "name them with -p or -t, or take all: --per-thread -a");
	if (c->output.per[STAT_PER_THREAD] && w->system_wide) {
		if (c->cpu_list || c->list.nr_cgroups || c->each_cgroup)
			return err_refuse(err, "--per-thread counts threads wherever they run",
					  "leave out -C and -G");
		w->system_wide = false;
		c->output.skip_zeros = true;
	}
	if (!w->system_wide && (c->list.nr_cgroups || c->each_cgroup))
		return err_refuse(err, "-G counts what is in a cgroup, whoever that is",
				  c->run.command ? "with a command: -a -G ... -- COMMAND"
						 : "leave out either -G or the processes");
	ret = choose_cpus(w, err);
	if (!ret)
		ret = choose_threads(w, named, err);
	c->counting.inherit = !c->no_inherit && !w->system_wide;
	c->counting.enable_on_exec = c->run.command && !w->threads.target.nr_threads &&
				     !c->run.delay_ns && !c->run.disabled;
	/* counters of a command are of one task; others may count again */
	c->run.keep = w->threads.target.nr_threads;
	return ret;
}
