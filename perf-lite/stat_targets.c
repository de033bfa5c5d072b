// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/stat.h"

#include <errno.h>

static int choose_threads(struct stat_targets *w, bool named, struct err *err)
{
	struct stat_threads *t = &w->threads;
	struct sampling *s = &w->c->what;
	int ret;

	if (w->system_wide || s->cpu_list) {
		ret = sampling_choose_cpus(s, err);
		if (ret)
			return ret;
		t->target.cpus = s->cpus.v;
		t->target.nr_cpus = s->cpus.nr;
	}
	t->named = w->c->output.per[STAT_PER_THREAD];
	ret = t->named && !named ? stat_threads_every(t, err)
				 : stat_threads_find(t, &s->targets, w->notes, err);
	/* a command says itself how long */
	if (!ret && named && !w->c->run.command)
		ret = stat_threads_watch(t, &s->tids, &w->c->run, err);
	return ret;
}

int stat_targets_choose(struct stat_targets *w, struct err *err)
{
	struct stat_command *c = w->c;
	struct sampling *s = &c->what;
	bool named = sampling_named(s);
	int ret = sampling_choose_tasks(s, c->run.command, err);

	if (ret)
		return ret;
	w->system_wide = s->targets.system_wide;
	if (c->output.per[STAT_PER_THREAD] && c->run.command && !named && !s->all_cpus)
		return err_refuse(err, "--per-thread separates threads that run already",
				  "name them with -p or -t, or take all: --per-thread -a");
	if (c->output.per[STAT_PER_THREAD] && w->system_wide) {
		if (s->cpu_list || sampling_has_asked(s, SAMPLING_CGROUP) || c->each_cgroup)
			return err_refuse(err, "--per-thread counts threads wherever they run",
					  "leave out -C and -G");
		w->system_wide = false;
		c->output.skip_zeros = true;
	}
	if (!w->system_wide && c->each_cgroup)
		return err_refuse(
			err, "--for-each-cgroup counts what is in a cgroup, whoever that is",
			c->run.command ? "with a command: -a --for-each-cgroup ... -- COMMAND"
				       : "leave out the processes");
	ret = choose_threads(w, named, err);
	c->counting.inherit = !s->no_inherit && !w->system_wide;
	c->counting.enable_on_exec = c->run.command && !w->threads.target.nr_threads &&
				     !c->run.delay_ns && !c->run.disabled;
	/* counters of a command are of one task; others may count again */
	c->run.keep = w->threads.target.nr_threads;
	return ret;
}
