// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "perf-lite/cmd.h"
#include "perf-lite/run.h"
#include "perf-lite/stat.h"
#include "util/base/buf.h"
#include "util/capture/background_close.h"
#include "util/event/ev_pmu.h"
#include "util/stat/derived.h"
#include "util/stat/stat_events.h"

/*
 * perf-lite stat --metric list: the metrics that this machine can measure, and of
 * which events each is made.
 */

static void put_events(struct buf *b, const struct stat_metric *m)
{
	u32 i;

	for (i = 0; i < STAT_METRIC_EVENTS && m->events[i]; i++)
		buf_addf(b, "%s%s", i ? "," : "", m->events[i]);
}

/* A line for each that can be measured; nothing of the others. */
static void stat_metrics_print(struct buf *b, struct ev_env *env)
{
	const struct stat_metric *m;
	const char *missing;
	struct buf events = {0};
	u32 i;

	for (i = 0; (m = stat_metric_nth(i)); i++) {
		if (!stat_metric_measurable(m, env, &missing))
			continue;
		buf_clear(&events);
		put_events(&events, m);
		buf_addf(b, "  %-16s %-46s [%s]\n", m->name, m->help, buf_str(&events));
	}
	b->failed |= events.failed;
	buf_free(&events);
}

/* One call of the command: what is counted where, and how it is shown. */
struct stat_session {
	struct stat_command *c;
	struct stat_counters counters;
	struct stat_targets targets;
	struct control control;
	struct stat_output output;
	struct buf title, notes;
	int status; /* the first that is not 0 */
	bool stop;
	bool shown; /* the run that goes on is no warm-up */
	bool ended; /* how a run ended was said */
};

/* As perf names it. */
static void put_title(struct stat_session *s)
{
	const struct stat_command *c = s->c;
	const struct sampling *w = &c->what;
	const struct targets_ids *ids = w->pids.nr ? &w->pids : &w->tids;
	struct buf *b = &s->title;
	u32 i;

	if (ids->nr) {
		buf_addf(b, "%s id '", w->pids.nr ? "process" : "thread");
		for (i = 0; i < ids->nr; i++)
			buf_addf(b, "%s%u", i ? "," : "", ids->v[i]);
	} else if (w->targets.comm) {
		buf_addf(b, "processes named '%s", w->targets.comm);
	} else if (w->targets.by_user) {
		buf_addf(b, "processes of user '%u", w->targets.user);
	} else if (w->all_cpus || !(w->cpu_list || c->run.command)) {
		buf_adds(b, "'system wide");
	} else if (w->cpu_list) {
		buf_addf(b, "'CPU(s) %s", w->cpu_list);
	} else {
		s->c->output.show_times = true;
		buf_addc(b, '\'');
		for (i = 0; c->run.command[i]; i++)
			buf_addf(b, "%s%s", i ? " " : "", c->run.command[i]);
	}
	buf_addc(b, '\'');
	s->c->output.target = buf_str(b);
}

/* --- what --- */

static bool in_list(const struct ev_list *list, const char *name)
{
	u32 i;

	for (i = 0; i < list->specs.nr; i++)
		if (!strcmp(list->specs.v[i].name, name))
			return true;
	return false;
}

static int metric_events(struct stat_command *c, struct err *err)
{
	struct stat_output_options *o = &c->output;
	u32 i, j;
	int ret;

	ret = stat_metric_parse(c->metrics, &c->what.env, o->metrics, ARRAY_SIZE(o->metrics), err);
	if (ret < 0)
		return ret;
	o->nr_metrics = (u32)ret;
	ret = 0;
	for (i = 0; i < o->nr_metrics; i++)
		for (j = 0; j < STAT_METRIC_EVENTS && o->metrics[i]->events[j] && !ret; j++)
			if (!in_list(&c->what.list, o->metrics[i]->events[j]))
				ret = ev_parse(&c->what.list, o->metrics[i]->events[j],
					       &c->what.env, err);
	return ret;
}

static int choose_events(struct stat_session *s, struct err *err)
{
	struct stat_command *c = s->c;
	struct ev_list *list = &c->what.list;
	struct ev_env *env = &c->what.env;
	int ret = 0;

	if (c->null_run && list->specs.nr)
		return err_refuse(err, "-n counts nothing, and -e names events",
				  "leave out one of them");
	if (c->metrics && c->what.any_event && c->what.asked.v[0].what == SAMPLING_CGROUP)
		return err_refuse(err, "a -G before -e does not hold for the events of -M",
				  "--for-each-cgroup NAME counts all of them in a cgroup");
	if (c->metrics)
		ret = metric_events(c, err);
	if (!ret && !c->null_run)
		ret = stat_events_default(list, env, s->targets.system_wide, c->detailed, err);
	if (!ret && !c->what.any_event && list->specs.nr)
		ret = sampling_take_first_cgroups(&c->what, err);
	if (!ret)
		ret = ev_cores_expand(list, env, err);
	if (!ret)
		ret = stat_events_split_groups(list, &s->notes, err);
	if (!ret && c->each_cgroup)
		ret = stat_events_each_cgroup(list, c->each_cgroup, err);
	return ret;
}

/* What of the options goes together. */
static int check(const struct stat_command *c, struct err *err)
{
	const struct stat_output_options *o = &c->output;
	enum stat_aggregation by;
	u32 ways = 0;

	for (by = STAT_GLOBAL; by < STAT_AGGREGATIONS; by++)
		ways += o->per[by];
	if (ways > 1)
		return err_refuse(err, "counts are aggregated in one way at a time",
				  "give one of -A, --per-core, --per-socket, --per-thread ...");
	if (ways && !o->per[STAT_PER_THREAD] && !c->what.cpu_list &&
	    (sampling_named(&c->what) || (c->run.command && !c->what.all_cpus)))
		return err_refuse(err, "a task is counted wherever it runs, not by CPU",
				  "count everybody, with -a, or name the CPUs with -C");
	if (c->repeat_given && c->run.interval_ns)
		return err_refuse(
			err, "-r shows what several runs have in common, -I what is in each second",
			"leave out one of them");
	if ((c->repeat > 1 || c->warmup) && !c->run.command)
		return err_refuse(err, "-r repeats a command, and there is none",
				  "perf-lite stat -r 5 -- COMMAND");
	if (c->run.disabled && !c->control)
		return err_refuse(err, "-D -1 begins when --control says so, and there is none",
				  "-D -1 --control fifo:PATH, then: echo enable > PATH");
	if (c->run.interval_count && !c->run.interval_ns)
		return err_refuse(err,
				  "--interval-count counts the intervals of -I, and there are none",
				  "-I 1000 --interval-count 5");
	if (o->table && !c->repeat_given)
		return err_refuse(err, "--table shows the runs of -r, and there are none",
				  "-r 5 --table");
	if (o->file && o->log_fd_given)
		return err_refuse(err, "-o and --log-fd are two places for one output",
				  "leave out one of them");
	return 0;
}

/* What perf takes without a word. */
static void note_unused(const struct stat_command *c, struct buf *notes)
{
	const struct stat_output_options *o = &c->output;
	const struct {
		const char *option, *needed;
		bool unused;
	} options[] = {
		{"--interval-clear", "-I", o->clear && !c->run.interval_ns},
		{"--summary", "-I", o->summary && !c->run.interval_ns},
		{"--no-csv-summary", "-I", o->no_csv_summary && !c->run.interval_ns},
		{"--append", "-o", o->append && !o->file},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(options); i++)
		if (options[i].unused)
			buf_addf(notes, "%s has no effect without %s\n", options[i].option,
				 options[i].needed);
}

/* --- the runs --- */

static int on_interval(void *arg, const struct stat_reading *r, struct err *err)
{
	struct stat_session *s = arg;

	return s->shown ? stat_output_interval(&s->output, r, err) : 0;
}

static void on_say(void *arg, const char *text)
{
	if (!((struct stat_session *)arg)->c->output.quiet)
		cmd_put_notes(text);
}

/* It gets the signals that only a run waits for. */
static int hook(const char *command, const char *option, struct err *err)
{
	sigset_t none, blocked;
	int status;

	if (!command)
		return 0;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, &blocked);
	status = system(command);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
	if (!status)
		return 0;
	err_set(err, ECANCELED, "%s '%s' failed", option, command);
	err_hint(err, "a run counts only where the commands around it succeed");
	return -ECANCELED;
}

static int count(struct stat_session *s, struct stat_run *run, struct err *err)
{
	int ret = stat_run_count(run, err);
	struct run_end end;

	if (ret)
		return run_count_failed(run, ret);
	if (!s->status)
		s->status = run_count_exit_code(run);
	s->stop = run->stopped_by;
	if (!s->shown)
		return 0;
	ret = stat_output_run(&s->output, &run->total, err);
	end = run_end_of_counting(run);
	if (!s->ended)
		run_end_lines(&end, &s->notes);
	s->ended |= s->notes.len > 0;
	run_put_notes(&s->notes, s->c->output.quiet);
	return ret ? CMD_PARTIAL : 0;
}

static int one_run(struct stat_session *s, struct err *err)
{
	struct stat_run run;
	int ret;

	if (hook(s->c->pre, "--pre", err))
		return CMD_NO_START;
	if (s->c->sync)
		sync();
	ret = stat_run_open(&run, &s->c->run, &s->counters, &s->targets.threads.target, err);
	run_put_notes(&s->notes, s->c->output.quiet);
	ret = ret ? run_count_failed(&run, ret) : count(s, &run, err);
	stat_run_close(&run);
	if (!ret && hook(s->c->post, "--post", err))
		ret = CMD_NO_START;
	return ret;
}

static int all_runs(struct stat_session *s, struct err *err)
{
	const struct stat_command *c = s->c;
	int ret = 0, end;
	u64 i;

	for (i = 0; i < c->warmup && !ret && !s->stop; i++)
		ret = one_run(s, err);
	s->shown = true;
	for (i = 0; (!c->repeat || i < c->repeat) && !ret && !s->stop; i++)
		ret = one_run(s, err);
	end = stat_output_end(&s->output, ret ? NULL : err);
	return ret ? ret : end ? CMD_PARTIAL : s->status;
}

static int open_all(struct stat_session *s, struct err *err)
{
	struct stat_command *c = s->c;
	int ret;

	ret = stat_counters_init(&s->counters, &c->what.list, &c->counting, &s->notes, err);
	if (!ret && c->control) {
		ret = control_open(c->control, &s->control, err);
		if (!ret)
			c->run.control = &s->control;
	}
	if (!ret)
		ret = stat_threads_open(&s->targets.threads, &s->counters, err);
	if (!ret)
		ret = stat_output_open(&s->output, &c->output, &s->counters.shape, &c->what.root,
				       err);
	/* lines for programs, written while the command runs, or between its runs */
	c->run.own_output = s->output.fd == STDOUT_FILENO && c->output.form != STAT_OUTPUT_TEXT &&
			    (c->run.interval_ns || !c->repeat);
	return ret;
}

static int prepare(struct stat_session *s, struct err *err)
{
	struct stat_command *c = s->c;
	int ret = check(c, err);

	note_unused(c, &s->notes);
	if (!ret)
		ret = stat_targets_choose(&s->targets, err);
	if (!ret)
		ret = choose_events(s, err);
	if (ret)
		return ret;
	put_title(s);
	c->output.intervals = c->run.interval_ns;
	c->output.repeat = c->repeat;
	c->output.verbose = c->verbose;
	c->run.has_limit = !getrlimit(RLIMIT_NOFILE, &c->run.limit);
	c->run.say = on_say;
	c->run.arg = s;
	if (c->run.interval_ns)
		c->run.interval = on_interval;
	c->counting.root = &c->what.root;
	c->counting.no_merge |= c->output.per[STAT_PER_CPU];
	c->counting.one_by_one = c->control;
	return open_all(s, err);
}

static int run(struct stat_command *c, struct opt_rest *rest, struct err *err)
{
	struct stat_session s = {.c = c, .control = {.ctl = -1, .ack = -1}};
	int ret;

	if (rest->argc)
		c->run.command = rest->argv;
	s.targets.c = c;
	s.targets.notes = &s.notes;
	stat_threads_init(&s.targets.threads);
	ret = prepare(&s, err);
	run_put_notes(&s.notes, c->output.quiet);
	if (!ret) {
		c->run.signals = run_count_signals();
		ret = all_runs(&s, err);
		if (s.counters.fds)
			background_close(stat_counters_tracepoints(&s.counters));
	} else {
		ret = ret == -EINVAL ? CMD_USAGE : CMD_NO_START;
	}
	stat_output_close(&s.output);
	stat_counters_free(&s.counters);
	if (c->run.control)
		control_close(&s.control);
	stat_threads_free(&s.targets.threads);
	buf_free(&s.title);
	buf_free(&s.notes);
	return ret;
}

static int list_metrics(struct stat_command *c, struct err *err)
{
	struct buf b = {0};

	stat_metrics_print(&b, &c->what.env);
	return cmd_write(&b, err);
}

int cmd_stat(int argc, char **argv, struct err *err)
{
	struct stat_command c = {.repeat = 1, .output.scaled = true};
	struct opt_rest rest;
	int ret;

	ret = sampling_init(&c.what, "stat", err);
	if (ret)
		return CMD_NO_START;
	ret = stat_options(&c, argc, argv, &rest, err);
	if (!ret && !rest.help && c.metrics && !strcmp(c.metrics, "list"))
		ret = list_metrics(&c, err);
	else if (!ret && !rest.help)
		ret = run(&c, &rest, err);
	if (ret == -EACCES || ret == -EPERM)
		ret = CMD_NO_START;
	sampling_free(&c.what);
	return ret;
}
