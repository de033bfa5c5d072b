// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/watching.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "perf-lite/run.h"
#include "perf-lite/version.h"
#include "util/base/io.h"
#include "util/base/num.h"

/* What a signal handler may touch. */
static volatile sig_atomic_t stop;

static void on_signal(int sig)
{
	stop = sig;
}

static int on_duration(void *value, const char *arg, struct err *err)
{
	struct watching *w = value;

	if (!num_duration(arg, &w->duration_ns) || !w->duration_ns)
		return err_set(err, EINVAL,
			       "--duration takes a duration such as 10s or 100ms, not '%s'", arg);
	w->plain_duration = !arg[strspn(arg, "0123456789.")];
	return 0;
}

int watching_on_delay(void *value, const char *arg, struct err *err)
{
	struct watching *w = value;
	u64 ms;

	if (num_u64(arg, &ms) && ms < UINT64_MAX / 1000000) {
		w->delay_ns = ms * 1000000;
		return 0;
	}
	err_set(err, EINVAL, "'%s' is not a number of milliseconds", arg);
	err_hint(err, "-D 500 starts after half a second");
	return -EINVAL;
}

#define OPT_STRUCT struct watching

const struct opt watching_input_opts[] = {
	OPT_STRING('i', "input", "FILE", input,
		   "read a recording instead of the running system; - is standard input"),
	OPT_STRING(0, "symfs", "DIR", in.session.symfs,
		   "with -i: look for binaries under DIR instead of /"),
	OPT_STRING(0, "kallsyms", "FILE", in.session.kallsyms,
		   "with -i: read kernel symbols from FILE"),
	OPT_END,
};

const struct opt watching_target_opts[] = {
	OPT_GROUP("Targets (default: the whole system, until Ctrl-C)"),
	OPT_INCLUDE(sampling_target_opts, what),
	OPT_GROUP("Duration"),
	OPT_CALL(0, "duration", "TIME", on_duration, "stop after TIME: 10s, 500ms, 2m"),
	OPT_CALL('D', "delay", "MS", watching_on_delay, "start MS milliseconds later"),
	OPT_END,
};

/* What the kernel cannot leave out is left out here. */
static int on_except(void *arg, enum sampling_list kind, const char *list, struct err *err)
{
	struct watching *w = arg;

	switch (kind) {
	case SAMPLING_PIDS:
		return reading_on_pids(&w->in, list, err);
	case SAMPLING_TIDS:
		return reading_on_tids(&w->in, list, err);
	case SAMPLING_COMMS:
		break;
	}
	return reading_on_comms(&w->in, list, err);
}

int watching_init(struct watching *w, const char *command, struct err *err)
{
	int ret;

	*w = (struct watching){.command = command, .round_ns = WATCHING_ROUND_NS};
	reading_init(&w->in);
	ret = sampling_init(&w->what, command, err);
	w->what.env.comms_known = true;
	w->what.collects = true;
	w->what.on_except = on_except;
	w->what.except_arg = w;
	return ret;
}

int watching_events(struct watching *w, struct err *err)
{
	return w->input ? 0 : sampling_take_asked(&w->what, err);
}

static void catch_signals(void)
{
	static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	struct sigaction sa = {.sa_handler = on_signal};

	stop = 0;
	sigemptyset(&sa.sa_mask);
	run_catch_signals(ends, ARRAY_SIZE(ends), &sa, NULL);
}

static int refuse(struct err *err, const char *message, const char *hint)
{
	err_set(err, EINVAL, "%s", message);
	err_hint(err, "%s", hint);
	return -EINVAL;
}

static int add_filter_numbers(struct targets_ids *ids,
			      int (*add)(void *, const char *, struct err *), struct reading *in,
			      struct err *err)
{
	char text[16];
	int ret = 0;
	u32 i;

	for (i = 0; i < ids->nr && !ret; i++) {
		snprintf(text, sizeof(text), "%u", ids->v[i]);
		ret = add(in, text, err);
	}
	return ret;
}

/* What the kernel cannot test is tested on samples. The events have the numbers of the list. */
static bool filter_live(struct watching *w)
{
	const struct ev_list *list = &w->what.list;
	u32 i;

	for (i = 0; i < list->specs.nr; i++) {
		if (!list->specs.v[i].tp.here)
			continue;
		w->in.session.want.no_raw = false;
		if (!reading_select_event_filter(&w->in.select, i, list->specs.v[i].tp.here))
			return false;
	}
	return true;
}

/* With -i, the options that name targets choose among the samples of the recording. */
static int choose_samples(struct watching *w, const struct opt_rest *rest, struct err *err)
{
	struct sampling *s = &w->what;
	int ret = 0;

	if (rest->argc)
		return refuse(err, "-i reads a recording: it cannot be combined with a command",
			      "leave out either -i or the command");
	if (w->duration_ns || w->delay_ns)
		return refuse(
			err,
			"-i reads a recording to its end: --duration and -D are for the running system",
			"a part of one: perf-lite script, report, flamegraph or trace with --time FROM,TO");
	if (s->targets.by_user)
		return refuse(err, "-i reads a recording, which does not store users",
			      "leave out -u, or select processes with -p or --comm");
	if (sampling_has_asked(s, SAMPLING_CGROUP))
		return refuse(err, "-G cannot select control groups in a recording",
			      "leave out -G");
	if (s->cpu_list)
		ret = reading_on_cpus(&w->in, s->cpu_list, err);
	if (!ret && s->targets.comm)
		ret = reading_on_comms(&w->in, s->targets.comm, err);
	if (!ret)
		ret = add_filter_numbers(&s->pids, reading_on_pids, &w->in, err);
	if (!ret)
		ret = add_filter_numbers(&s->tids, reading_on_tids, &w->in, err);
	w->in.session.path = w->input;
	if (sampling_has_asked(s, SAMPLING_FILTER) || s->call_filter)
		w->in.session.want.no_raw = w->in.session.want.grouped = false;
	if (!ret)
		ret = reading_open(&w->in, err);
	return ret ? ret : watching_choose_recorded(w, err);
}

/* After watching_open(): do samples carry call chains? */
static bool any_chains(const struct watching *w)
{
	u32 i;

	for (i = 0; i < w->what.list.specs.nr; i++)
		if (w->what.list.specs.v[i].attr.sample_type & PERF_SAMPLE_CALLCHAIN)
			return true;
	return sampling_any_stacks(&w->what);
}

static void take_notes(struct watching *w)
{
	if (!w->live)
		return;
	buf_add(&w->notes, w->live->notes.data, w->live->notes.len);
	buf_reset(&w->live->notes);
}

static int open_live(struct watching *w, const struct opt_rest *rest, struct err *err)
{
	struct sampling *s = &w->what;
	struct live_options o = {
		.event_session = {.command = rest->argc ? rest->argv : NULL,
				  .cpus = &s->cpus,
				  .cpus_named = s->cpu_list,
				  .sideband_cpus = s->cpu_list ? &s->online : NULL,
				  .targets = s->targets,
				  .rings = s->rings,
				  .duration_ns = w->duration_ns,
				  .delay_ns = w->delay_ns,
				  .realtime = w->hurry ? s->realtime : 0,
				  .stop = &stop},
		.preamble = {.version = version_string(),
			     .clockid = s->attrs.clockid,
			     .call_graph = s->call_graph[0] ? s->call_graph : NULL},
		.round_ns = w->round_ns,
		.self = sampling_leaves_out_self(s) ? (u32)getpid() : 0,
		.tasks = !w->in.session.bare,
		.mappings = !w->in.session.bare && (w->mappings || any_chains(w)),
		.data_mappings = s->attrs.addresses,
	};
	int ret;

	o.event_session.rings.gated = true;
	o.event_session.rings.prompt = w->prompt;
	o.look = w->look;
	o.look_arg = w->look_arg;
	ret = live_open(&w->live, &o, &s->list, &s->root, err);
	take_notes(w);
	if (ret) {
		if (!w->live)
			return CMD_NO_START;
		ret = run_no_start(&w->live->event_session.child, CMD_NO_START);
		source_close(&w->live->source);
		w->live = NULL;
		return ret;
	}
	w->in.session.source = &w->live->source;
	w->in.session.path = w->live->recording.path;
	if (!filter_live(w))
		return err_nomem(err);
	return reading_open(&w->in, err);
}

static bool any_named(const char *comm)
{
	int proc = io_open(AT_FDCWD, "/proc", O_RDONLY | O_DIRECTORY);
	bool any = proc < 0 || targets_any_named(proc, comm);

	if (proc >= 0)
		close(proc);
	return any;
}

int watching_find_comm(struct watching *w, bool command, struct err *err)
{
	struct targets_wanted *t = &w->what.targets;
	const char *comm = t->comm;
	int ret;

	if (w->input || !comm || w->what.pids.nr || w->what.tids.nr || t->by_user ||
	    (!command && !limits_privileged(&w->what.limits)) || any_named(comm))
		return 0;
	ret = reading_on_comms(&w->in, comm, err);
	if (ret)
		return ret;
	t->comm = NULL;
	w->what.filtered = true;
	if (!command)
		buf_addf(&w->notes, "no process is named '%s' yet: waiting for one\n", comm);
	return 0;
}

static int watch_system(struct watching *w, const struct opt_rest *rest, struct err *err)
{
	const u32 self = (u32)getpid();
	int ret;

	if (!w->what.any_event) {
		err_set(err, EINVAL, "no event is given");
		err_hint(err, "perf-lite %s -e skb:kfree_skb; perf-lite list shows the events",
			 w->command);
		return CMD_USAGE;
	}
	w->what.later = w->delay_ns;
	w->what.busy = w->hurry;
	ret = watching_find_comm(w, rest->argc, err);
	if (!ret)
		ret = sampling_choose_targets(&w->what, rest->argc, err);
	if (!ret)
		ret = sampling_choose_events(&w->what, &self, 1, &w->notes, err);
	if (ret == -EINVAL)
		return CMD_USAGE;
	catch_signals();
	if (!ret)
		ret = open_live(w, rest, err);
	run_put_notes(&w->notes, w->in.quiet);
	return ret < 0 ? CMD_NO_START : ret;
}

int watching_open(struct watching *w, struct opt_rest *rest, struct err *err)
{
	if (w->input)
		return choose_samples(w, rest, err) ? CMD_USAGE : CMD_OK;
	return watch_system(w, rest, err);
}

int watching_start(struct watching *w, struct err *err)
{
	if (!w->live || !live_start(w->live, err))
		return CMD_OK;
	return run_no_start(&w->live->event_session.child, CMD_NO_START);
}

int watching_next(struct watching *w, struct session_sample *s, struct err *err)
{
	return w->stopped ? SESSION_END : reading_next(&w->in, s, err);
}

u64 watching_time(const struct watching *w)
{
	const struct session *s = w->in.s;

	return w->live ? s->source->order : s->totals.last;
}

u64 watching_lost(const struct watching *w)
{
	const struct session *s = w->in.s;

	return w->live ? live_lost(w->live) : recording_lost(s->source->recording, session_lost(s));
}

bool watching_is_unread(void)
{
	struct pollfd out = {.fd = STDOUT_FILENO};

	return poll(&out, 1, 0) == 1 && out.revents & (POLLERR | POLLHUP);
}

void watching_stop(struct watching *w)
{
	if (w->live)
		event_session_stop(&w->live->event_session);
	w->stopped = true;
}

int watching_verdict(struct watching *w, const struct buf *more, struct err *err)
{
	int ret = reading_verdict(&w->in, more, err);

	if (w->live) {
		take_notes(w);
		run_put_notes(&w->notes, w->in.quiet);
	}
	if (!ret && w->live && child_poll(&w->live->event_session.child))
		return child_exit_code(&w->live->event_session.child);
	return ret;
}

void watching_close(struct watching *w)
{
	reading_end(&w->in);
	sampling_free(&w->what);
	buf_free(&w->notes);
}
