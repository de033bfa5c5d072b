// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/watching_run.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "perf-lite/run.h"
#include "util/library/version.h"

/* What a signal handler may touch. */
static volatile sig_atomic_t stop;

static void on_signal(int sig)
{
	stop = sig;
}

static void catch_signals(void)
{
	static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	struct sigaction sa = {.sa_handler = on_signal};

	stop = 0;
	sigemptyset(&sa.sa_mask);
	run_catch_signals(ends, ARRAY_SIZE(ends), &sa, NULL);
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

/* The option, if one was given, that says how the running system is sampled; the defaults say nothing. */
static const char *sampling_option(const struct sampling *s)
{
	return s->attrs.frequency                    ? "-F"
	       : s->attrs.period                     ? "-c"
	       : s->ring_bytes                       ? "-m"
	       : s->realtime != SAMPLING_REALTIME    ? "-r"
	       : s->attrs.clockid != CLOCK_MONOTONIC ? "-k"
						     : NULL;
}

int watching_check(const struct watching *w, struct err *err)
{
	const char *option = sampling_option(&w->what);

	/* who prints times chooses by them of the running system, too */
	if (!w->input && w->in.times && !w->in.prints_times)
		return err_refuse(err, "--time chooses of a recording",
				  "name it with -i; of the running system: -D and --duration");
	if (!w->input && w->in.session.want.threads)
		return err_refuse(err, "-j is for reading a recording, and none is named",
				  "leave out -j, or name a recording with -i");
	if (!w->input || !option)
		return 0;
	err_set(err, EINVAL, "-i reads a recording: %s says how the running system is sampled",
		option);
	err_hint(err, "leave out %s", option);
	return -EINVAL;
}

/* With -i, the options that name targets choose among the samples of the recording. */
static int open_recording(struct watching *w, const struct opt_rest *rest, struct err *err)
{
	struct sampling *s = &w->what;
	int ret = 0;

	if (rest->argc)
		return err_refuse(err, "-i reads a recording: it cannot be combined with a command",
				  "leave out either -i or the command");
	if (w->duration_ns || w->delay_ns)
		return err_refuse(
			err,
			"-i reads a recording to its end: --duration and -D are for the running system",
			"a part of one: perf-lite script, report, flamegraph, count, latency or trace with --time FROM,TO");
	if (s->targets.by_user)
		return err_refuse(err, "-i reads a recording, which does not store users",
				  "leave out -u, or select processes with -p or --comm");
	if (sampling_has_asked(s, SAMPLING_CGROUP))
		return err_refuse(err, "-G cannot select control groups in a recording",
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

static int watch_system(struct watching *w, const struct opt_rest *rest, struct err *err)
{
	int ret = watching_choose(w, rest->argc, err);

	if (ret == -EINVAL)
		return CMD_USAGE;
	w->stop = &stop;
	w->version = version_string();
	catch_signals();
	if (!ret)
		ret = watching_begin(w, rest->argc ? rest->argv : NULL, err);
	if (!ret)
		reading_put_notes(&w->in);
	run_put_notes(&w->notes, w->in.quiet);
	return ret ? run_no_start(w->command_error, CMD_NO_START) : CMD_OK;
}

int watching_open(struct watching *w, struct opt_rest *rest, struct err *err)
{
	if (w->input)
		return open_recording(w, rest, err) ? CMD_USAGE : CMD_OK;
	return watch_system(w, rest, err);
}

int watching_start(struct watching *w, struct err *err)
{
	return watching_enable(w, err) ? run_no_start(w->command_error, CMD_NO_START) : CMD_OK;
}

bool watching_is_unread(int fd)
{
	struct pollfd out = {.fd = fd};

	return poll(&out, 1, 0) == 1 && out.revents & (POLLERR | POLLHUP);
}

bool watching_lost_reader(struct watching *w, struct err *err)
{
	if (w->input || err->code != EPIPE)
		return false;
	*err = (struct err){0};
	watching_stop(w);
	return true;
}

/* How it ended; what samples that are counted in the kernel say is in no ring. */
static void note_end(struct watching *w)
{
	struct run_end end = run_end_of(&w->live->event_session, w->ended_by);

	if (!w->hurry)
		end.samples = w->live->samples;
	run_end_lines(&end, &w->notes);
}

int watching_verdict(struct watching *w, const struct buf *more, struct err *err)
{
	int ret = reading_verdict(&w->in, more, err);

	if (w->live) {
		watching_take_notes(w);
		note_end(w);
		run_put_notes(&w->notes, w->in.quiet);
	}
	if (!ret && w->live && child_poll(&w->live->event_session.child))
		return child_exit_code(&w->live->event_session.child);
	return ret;
}
