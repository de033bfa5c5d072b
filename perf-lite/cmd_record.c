// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "perf-lite/cmd.h"
#include "perf-lite/output_file.h"
#include "perf-lite/reading_notes.h"
#include "perf-lite/record.h"
#include "perf-lite/run.h"
#include "util/base/text.h"
#include "util/event/ev_filter.h"
#include "util/library/sampling.h"
#include "util/library/version.h"
#include "util/process/quality.h"
#include "util/profile/stack_quality.h"

bool record_is_file(const char *output)
{
	struct stat st;

	return strcmp(output, "-") != 0 && (stat(output, &st) || S_ISREG(st.st_mode));
}

static const char *output_name(const char *output)
{
	return strcmp(output, "-") ? output : "standard output";
}

/* After recorder_finish(): where the recording is; somebody may have moved its file. */
static const char *final_output(const struct record *c)
{
	const char *moved = c->recorder.block_writer.files.elsewhere;

	return moved ? moved : c->options.block_writer.output;
}

/*
 * how complete the call chains of a recording are, printed at its end: the next one can be better.
 */

/* So many are read in the blink of an eye, whatever they are. */
#define SAMPLES_MAX 100000

static bool any_walked(const struct sampling *s)
{
	const struct ev_spec *spec;
	u32 i;

	for (i = 0; i < s->list.specs.nr; i++) {
		spec = &s->list.specs.v[i];
		if (!spec->sideband && spec->attr.sample_type & PERF_SAMPLE_CALLCHAIN &&
		    !spec->attr.exclude_callchain_user)
			return true;
	}
	return false;
}

/* Nothing that goes wrong here is worth a word: the recording is made. */
static bool judge(const char *path, struct buf *line)
{
	struct session_sample s;
	struct reading in;
	struct err err;
	bool poor;
	u64 nr = 0;
	int ret;

	reading_init(&in);
	in.session.path = path;
	in.session.want.no_raw = in.session.want.grouped = true;
	in.quiet = in.judges = true;
	ret = reading_open(&in, &err);
	while (!ret && nr < SAMPLES_MAX && reading_sample(&in, &s, &err) > 0)
		nr += s.samples;
	poor = !ret && quality_is_poor(&in.stacks->counts);
	if (!ret && nr >= SAMPLES_MAX)
		buf_addf(line, "of the first %llu samples, ", (unsigned long long)nr);
	if (!ret && nr)
		quality_text_line(&in.stacks->counts, &in.s->model, line);
	reading_end(&in);
	return poor;
}

/*
 * After recorder_finish(): one line on standard error if many are cut short, or if somebody looks on (a terminal, -v).
 * What the kernel walked is read again for that, from the file, up to a number of samples that takes no time.
 */
static void record_stacks_report(const struct record *c)
{
	const char *path = final_output(c);
	struct buf line = {0};
	bool poor = c->recorder.poor_stacks;

	if (c->quiet)
		return;
	/* of links to callers alone the recorder does not know where stacks end */
	if (sampling_any_stacks(&c->what))
		buf_adds(&line, buf_str(&c->recorder.stacks));
	else if (any_walked(&c->what) && c->recorder.totals.finished && record_is_file(path))
		poor = judge(path, &line);
	if (line.len && (poor || c->verbose || isatty(STDERR_FILENO)))
		fprintf(stderr, "perf-lite record: %s\n", buf_str(&line));
	buf_free(&line);
}

/* What a flight recorder may use of memory: enough for tens of millions of samples. */
#define KEEP_BYTES (64ull << 20)

/* Lines that wait for standard error. */
#define UNTOLD_MAX (64u << 10)

/* What a signal handler may touch. */
static struct recorder_signals signals;

static void on_signal(int sig)
{
	/* the thread that writes reads them, too */
	if (signals.stop)
		__atomic_store_n(&signals.again, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&signals.stop, sig, __ATOMIC_RELAXED);
}

static void on_snapshot(int sig)
{
	signals.snapshot = sig;
}

/* Threads that unwind samples, 0: none do. */
static u32 unwinders(const struct record *c)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	return sampling_any_stacks(&c->what) || sampling_any_callers(&c->what)
		       ? unwinding_workers((u32)MAX(cpus, 1L))
		       : 0;
}

/* --off-cpu, with the other events. */
static int choose_switches(struct record *c, struct buf *notes, struct err *err)
{
	if (c->has_threshold && !c->off_cpu) {
		err_set(err, EINVAL, "--off-cpu-thresh is for --off-cpu");
		err_hint(err, "add --off-cpu, or leave it out");
		return -EINVAL;
	}
	if (!c->off_cpu)
		return 0;
	if (c->what.list.nr_cgroups) {
		err_set(err, EINVAL, "--off-cpu is of all control groups, -G of some events");
		err_hint(err,
			 "perf-lite record -e context-switches -c 1 -g --switch-events -a -G NAME");
		return -EINVAL;
	}
	if (c->what.cpu_list) {
		err_set(err, EINVAL,
			"--off-cpu follows threads over all CPUs: -C would miss where they come back");
		err_hint(err, "leave out -C, or choose threads by -p or -t");
		return -EINVAL;
	}
	return sampling_add_switches(&c->what, !c->what.no_chains, notes, err);
}

static int choose_events(struct record *c, struct buf *notes, struct err *err)
{
	struct sampling *s = &c->what;
	u32 selves = recorder_threads(&c->recorder, c->selves);
	int ret = 0;

	if (c->on_file.tid)
		c->selves[selves++] = c->on_file.tid;

	if (!s->any_event)
		ret = sampling_take_default(s, "cycles", err);
	if (!ret)
		ret = choose_switches(c, notes, err);
	if (!ret)
		ret = sampling_choose_events(s, c->selves, selves, notes, err);
	if (sampling_leaves_out_self(s))
		c->options.block_writer.self = (u32)getpid();
	c->options.event_session.cpus = &s->cpus;
	c->options.event_session.cpus_named = s->cpu_list;
	c->options.event_session.sideband_cpus = s->cpu_list ? &s->online : NULL;
	c->options.event_session.targets = s->targets;
	c->options.event_session.rings = s->rings;
	c->options.event_session.realtime = s->realtime;
	c->options.data_mappings = s->attrs.addresses;
	c->options.preamble.clockid = s->attrs.clockid;
	c->options.preamble.call_graph = s->call_graph[0] ? s->call_graph : NULL;
	return ret;
}

static void catch_signals(bool snapshots)
{
	static const int ends[] = {SIGINT,  SIGTERM,   SIGHUP,  SIGQUIT, SIGALRM, SIGUSR1,
				   SIGXCPU, SIGVTALRM, SIGPROF, SIGPWR,  SIGIO};
	struct sigaction sa = {.sa_handler = on_signal};

	sigemptyset(&sa.sa_mask);
	run_catch_signals(ends, ARRAY_SIZE(ends), &sa, NULL);
	sa.sa_handler = snapshots ? on_snapshot : on_signal;
	sigaction(SIGUSR2, &sa, NULL);
	/* a limit of file sizes is an error of write(2) */
	signal(SIGXFSZ, SIG_IGN);
}

/* Which part of --filter ran where, and how many of the samples were kept. */
static void filter_lines(const struct record *c)
{
	const struct recorder_totals *t = &c->recorder.totals;
	struct buf line = {0};
	u32 at = 0;

	while (ev_filter_tell(&c->what.list, &at, &line)) {
		fprintf(stderr, "perf-lite record: filter: %s\n", buf_str(&line));
		buf_clear(&line);
	}
	if (t->passed + t->filtered)
		fprintf(stderr, "perf-lite record: filter: %llu of %llu sample%s kept\n",
			(unsigned long long)t->passed,
			(unsigned long long)(t->passed + t->filtered),
			TEXT_PLURAL(t->passed + t->filtered));
	buf_free(&line);
}

/* Of a rate at which most is lost, larger buffers only lose a little later. */
static void loss_hint(const struct record *c)
{
	const struct recorder_totals *t = &c->recorder.totals;
	const struct rings *rings = &c->recorder.event_session.rings;
	const struct ev_list *list = &c->what.list;
	u64 rate = 0;
	u32 i, pages = rings->pages;

	for (i = 0; i < list->specs.nr; i++)
		if (list->specs.v[i].attr.freq && !list->specs.v[i].sideband)
			rate = MAX(rate, list->specs.v[i].attr.sample_freq);
	rate = rate * t->samples / MAX(t->samples + t->lost, 1u);
	for (i = 0; i < rings->v.nr; i++)
		pages = MAX(pages, rings->v.v[i].pages);
	if (rate && t->lost > t->samples)
		fprintf(stderr, "hint: sample less often: -F %llu\n",
			(unsigned long long)MAX(rate, 99u));
	else
		fprintf(stderr, "hint: use larger buffers: -m %lluM\n",
			(unsigned long long)MAX(((u64)pages * (u64)sysconf(_SC_PAGESIZE) * 4) >> 20,
						1ull));
}

static void closing_line(const struct record *c)
{
	const struct recorder_totals *t = &c->recorder.totals;
	const char *where = output_name(final_output(c));
	struct buf name = {0};
	char size[TEXT_BYTES_MAX], counted[48] = "", earlier[48] = "", kept[48] = "";

	if (c->quiet && !t->lost && !t->lost_chains && !t->open)
		return;
	text_bytes(size, t->bytes);
	/* but for those of the recorder itself, which nobody asked for */
	if (t->counted)
		snprintf(counted, sizeof(counted), " of %llu counted",
			 (unsigned long long)(t->counted -
					      MIN(t->counted, t->excluded - t->filtered)));
	if (t->files)
		snprintf(earlier, sizeof(earlier), " and %u earlier file%s", t->files,
			 TEXT_PLURAL(t->files));
	/* what went wrong at its end may have left it under another name */
	if (t->finished) {
		buf_adds(&name, " in ");
		text_escape(&name, where, strlen(where));
	}
	if (c->options.block_writer.keep && t->kept < t->samples)
		snprintf(kept, sizeof(kept), " (the last %llu)", (unsigned long long)t->kept);
	fprintf(stderr, "perf-lite record: %llu sample%s in %.1f s, %llu lost%s, %s%s%s%s\n",
		(unsigned long long)t->samples, TEXT_PLURAL(t->samples),
		(double)t->duration_ns / 1e9, (unsigned long long)t->lost, counted, size,
		buf_str(&name), kept, earlier);
	buf_free(&name);
	filter_lines(c);
	if (t->lost_chains)
		fprintf(stderr,
			"perf-lite record: %llu deferred call chain%s %s lost as well: the samples have no user frames\n",
			(unsigned long long)t->lost_chains, TEXT_PLURAL(t->lost_chains),
			TEXT_WERE(t->lost_chains));
	if (t->unsampled)
		fprintf(stderr,
			"perf-lite record: the kernel counted %llu hit%s that it did not sample\n",
			(unsigned long long)t->unsampled, TEXT_PLURAL(t->unsampled));
	if (t->open)
		fprintf(stderr,
			"perf-lite record: samples and losses do not add up to the kernel's count; see: perf-lite verify %s\n",
			TEXT_SHELL(final_output(c)));
	record_stacks_report(c);
	if (t->throttled)
		fprintf(stderr,
			"perf-lite record: the kernel throttled events %llu time%s; lower the sampling rate with -F\n",
			(unsigned long long)t->throttled, TEXT_PLURAL(t->throttled));
	if (t->dropped)
		fprintf(stderr,
			"perf-lite record: %llu sample%s dropped: the flight recorder's %llu MiB were full\n",
			(unsigned long long)t->dropped, TEXT_PLURAL(t->dropped),
			(unsigned long long)(KEEP_BYTES >> 20));
	if (t->lost || t->lost_chains)
		loss_hint(c);
}

static bool has_user_code_only(const struct sampling *s)
{
	u32 i;

	for (i = 0; i < s->list.specs.nr; i++)
		if (s->list.specs.v[i].attr.context_switch)
			return s->list.specs.v[i].attr.exclude_kernel;
	return false;
}

/* What shows the times of --off-cpu. */
static void off_cpu_hint(const struct record *c)
{
	const char *path = final_output(c);
	struct buf min = {0};

	if (!c->off_cpu || c->quiet)
		return;
	if (has_user_code_only(&c->what))
		fprintf(stderr,
			"perf-lite record: no call chains of times off the CPU: threads leave it in code of the kernel, which %s\n",
			c->what.attrs.all_user
				? "--all-user leaves out"
				: "only root may record, or everybody if kernel.perf_event_paranoid is 1 or less");
	/* a pipe or a device cannot be read again */
	if (!record_is_file(path) || !c->recorder.totals.finished)
		return;
	if (c->threshold_ns % 1000)
		buf_addf(&min, " --min %lluns", (unsigned long long)c->threshold_ns);
	else if (c->threshold_ns % 1000000)
		buf_addf(&min, " --min %lluus", (unsigned long long)c->threshold_ns / 1000);
	else if (c->threshold_ns)
		buf_addf(&min, " --min %llums", (unsigned long long)c->threshold_ns / 1000000);
	fprintf(stderr,
		"hint: times off the CPU: perf-lite latency off-cpu -i %s%s --flamegraph off.svg\n",
		TEXT_SHELL(path), buf_str(&min));
	buf_free(&min);
}

/* In the guardian, which has finished what the killed recorder left. */
static void guardian_report(const struct guardian_report *r)
{
	const char *where = output_name(r->file);
	struct buf name = {0};

	text_escape(&name, where, strlen(where));
	if (r->error)
		fprintf(stderr,
			"perf-lite record: killed; its guardian could not finish %s: %s\n%s%s%s",
			buf_str(&name), r->error->msg, r->error->hint[0] ? "hint: " : "",
			r->error->hint, r->error->hint[0] ? "\n" : "");
	else
		fprintf(stderr,
			"perf-lite record: killed; its guardian finished %s: %llu sample%s, %llu of them rescued\n",
			buf_str(&name), (unsigned long long)r->samples, TEXT_PLURAL(r->samples),
			(unsigned long long)r->rescued);
	buf_free(&name);
}

/* Lines that standard error takes without our waiting for it; `all`: whatever it takes. */
static void put_untold(struct buf *lines, bool all)
{
	struct pollfd p = {.fd = STDERR_FILENO, .events = POLLOUT};
	struct buf line = {0};
	size_t at, n;

	for (at = 0; at < lines->len && (all || poll(&p, 1, 0) == 1); at += n) {
		n = strcspn(buf_str(lines) + at, "\n") + 1;
		n = MIN(n, lines->len - at);
		buf_clear(&line);
		buf_add(&line, lines->data + at, n);
		cmd_put_notes(buf_str(&line));
	}
	if (at) {
		memmove(lines->data, lines->data + at, lines->len - at);
		lines->len -= at;
	}
	buf_free(&line);
}

/* What the recorder has to say while it runs. It reads the rings: a terminal that is stopped must not stop it. */
static void tell(void *arg, const char *lines, bool note)
{
	struct record *c = arg;

	if (note && c->quiet)
		return;
	if (c->untold.len < UNTOLD_MAX)
		buf_adds(&c->untold, lines);
	put_untold(&c->untold, false);
}

static void tell_unread(void *arg)
{
	struct pollfd p = {.fd = STDERR_FILENO, .events = POLLOUT};
	const struct record *c = arg;

	/* nor must one stop the thread that writes */
	if (poll(&p, 1, 0) != 1)
		return;
	fprintf(stderr,
		"perf-lite record: nobody reads %s, and the end waits for that; press Ctrl-C again to end without\n",
		output_name(c->options.block_writer.output));
}

static void put_plan(const struct record *c, FILE *out)
{
	const struct ev_spec *s;
	u32 i;

	for (i = 1; i < c->what.list.specs.nr; i++) {
		s = &c->what.list.specs.v[i];
		if (s->sideband)
			continue;
		fprintf(out, "%s  type %u  config 0x%llx  %s %llu%s\n", s->name, s->attr.type,
			(unsigned long long)s->attr.config, s->attr.freq ? "frequency" : "period",
			(unsigned long long)s->attr.sample_period,
			s->attr.sample_type & PERF_SAMPLE_CALLCHAIN ? "  call chains" : "");
		if (s->tp.filter)
			fprintf(out, "    filter %s\n", s->tp.filter);
		if (s->tp.here)
			fprintf(out, "    filter here %s\n", s->tp.here->here);
	}
}

/* What was printed of the last file was read from it: the command may delete it. */
static bool end_on_file(struct record *c, struct err *err)
{
	const char *path = final_output(c);

	if (c->on_file.tid && !c->recorder.totals.finished)
		fprintf(stderr,
			"perf-lite record: --on-file: %s is not complete and was not given to the command\n",
			TEXT_SHELL(path));
	return record_on_file_end(&c->on_file, c->recorder.totals.finished ? path : NULL,
				  &signals.stop, c->quiet, err);
}

static void put_end(struct record *c, bool failed)
{
	const char *full = c->recorder.block_writer.full ? "--max-size" : NULL;
	struct run_end end = run_end_of(&c->recorder.event_session, failed ? "an error" : full);
	struct buf lines = {0};

	end.prefix = "perf-lite record: ";
	end.early = c->recorder.block_writer.full;
	end.samples = c->recorder.totals.samples;
	run_end_lines(&end, &lines);
	run_put_notes(&lines, c->quiet);
	buf_free(&lines);
}

static int record(struct record *c, struct err *err)
{
	struct err second = {0};
	bool failed;
	int ret;

	catch_signals(c->options.snapshots);
	ret = recorder_prepare(&c->recorder, &c->options, &c->what.list, &c->what.root, err);
	run_put_notes(&c->recorder.notes, c->quiet);
	if (!ret && c->options.dry) {
		put_plan(c, stdout);
		return CMD_OK;
	}
	if (!ret && c->verbose)
		put_plan(c, stderr);
	if (signals.stop && (!ret || ret == -EINTR))
		ret = err_set(err, EINTR, "interrupted before recording started; %s is unchanged",
			      output_name(c->options.block_writer.output));
	if (!ret)
		ret = recorder_start(&c->recorder, err);
	if (ret)
		return run_no_start(c->recorder.event_session.child.error, CMD_NO_START);
	if (!c->quiet && !c->options.event_session.command && !c->options.event_session.duration_ns)
		fprintf(stderr, "perf-lite record: recording, press Ctrl-C to stop\n");
	ret = recorder_run(&c->recorder, err);
	failed = ret != 0;
	if (c->fetch_names && !c->quiet)
		fprintf(stderr, "perf-lite record: fetching symbol names; press Ctrl-C to skip\n");
	if (!ret)
		ret = recorder_finish(&c->recorder, err);
	else
		recorder_finish(&c->recorder, &second);
	put_untold(&c->untold, true);
	run_put_notes(&c->recorder.notes, c->quiet);
	closing_line(c);
	put_end(c, failed);
	off_cpu_hint(c);
	if (ret && c->recorder.totals.unwritten)
		err_prefix(err, "%llu sample%s %s not written",
			   (unsigned long long)c->recorder.totals.unwritten,
			   TEXT_PLURAL(c->recorder.totals.unwritten),
			   TEXT_WERE(c->recorder.totals.unwritten));
	if (!end_on_file(c, err) || ret)
		return CMD_PARTIAL;
	return child_exit_code(&c->recorder.event_session.child);
}

/* What of the flight recorder, of several files and of the size of one goes together. */
static int check_flight(const struct record *c, struct err *err)
{
	const struct block_writer_options *o = &c->options.block_writer;

	if (c->options.snapshots && !record_is_file(o->output)) {
		err_set(err, EINVAL, "cannot write several files to %s", output_name(o->output));
		err_hint(err, "name a file with -o FILE");
		return -EINVAL;
	}
	if (o->keep && (o->switch_bytes || o->switch_ns))
		return err_refuse(
			err, "--keep-last and --overwrite cannot be combined with --switch-output",
			"leave out --switch-output; SIGUSR2 writes a snapshot");
	if (o->keep && o->max_bytes)
		return err_refuse(
			err,
			"--max-size is of a file that grows: --keep-last and --overwrite write none before the end",
			"leave out --max-size");
	if (o->max_files && !c->options.snapshots)
		return err_refuse(err, "--switch-max-files is of several files, and there is one",
				  "add --switch-output=100M, or leave it out");
	return 0;
}

static int choose_flight(struct record *c, struct err *err)
{
	struct block_writer_options *o = &c->options.block_writer;
	int ret;

	if (c->what.rings.overwrite && o->keep)
		return err_refuse(err, "--overwrite and --keep-last cannot be combined",
				  "use --keep-last: it compresses samples and so keeps many more");
	c->switching = c->switch_by_signal || o->switch_bytes || o->switch_ns;
	o->keep = o->keep || c->what.rings.overwrite;
	o->keep_once = c->what.rings.overwrite;
	o->keep_bytes = KEEP_BYTES;
	c->options.snapshots = o->keep || c->switching;
	c->options.listener = c->on_file.command ? &c->on_file.listener : NULL;
	o->max_files = (u32)MIN(c->max_files, (u64)UINT32_MAX);
	ret = check_flight(c, err);
	if (!ret)
		ret = record_on_file_check(&c->on_file, o->output, err);
	if (!ret && c->options.event_session.disabled && !c->options.control)
		ret = err_refuse(err, "-D -1 needs --control to start recording",
				 "-D -1 --control fifo:PATH, then: echo enable > PATH");
	return ret;
}

static int choose_output(struct record *c, struct err *err)
{
	struct block_writer_options *o = &c->options.block_writer;
	int ret;

	if (!o->output)
		o->output = o->perfdata ? "perf.data" : "perf-lite.data";
	if (!o->output[0]) {
		err_set(err, EINVAL, "-o needs a file name");
		err_hint(err, "-o FILE, or -o - for standard output");
		return CMD_USAGE;
	}
	if (!strcmp(o->output, "-"))
		return 0;
	ret = output_file_follow(o->output, &c->output_file, err);
	o->output = c->output_file;
	return ret ? CMD_NO_START : 0;
}

/* Samples of perf.data go through our columns, where compressing them would be in vain, but in memory. */
static void choose_level(struct record *c, struct buf *notes)
{
	struct block_writer_options *o = &c->options.block_writer;

	if (!o->perfdata || o->keep_ns)
		return;
	if (o->level > 0)
		buf_adds(notes, "-z changes nothing: perf.data files are not compressed\n");
	o->level = 0;
}

static int run(struct record *c, struct opt_rest *rest, struct err *err)
{
	struct buf notes = {0};
	int ret;

	ret = recorder_init(&c->recorder, unwinders(c), err);
	if (ret)
		return CMD_NO_START;
	if (rest->argc)
		c->options.event_session.command = rest->argv;
	ret = choose_output(c, err);
	if (ret)
		return ret;
	c->options.event_session.own_output = !strcmp(c->options.block_writer.output, "-");
	ret = choose_flight(c, err);
	if (ret)
		return CMD_USAGE;
	if (!c->options.dry && !strcmp(c->options.block_writer.output, "-") &&
	    isatty(STDOUT_FILENO)) {
		err_set(err, EINVAL, "will not write a recording to a terminal");
		err_hint(err, "perf-lite record -o - ... | perf-lite script -i -");
		return CMD_USAGE;
	}
	ret = record_open_debuginfod(c, err);
	if (ret)
		return ret == -EINVAL ? CMD_USAGE : CMD_NO_START;
	ret = record_on_file_start(&c->on_file, err);
	if (ret)
		return CMD_NO_START;
	c->what.later = c->options.event_session.delay_ns || c->options.event_session.disabled;
	ret = sampling_choose_targets(&c->what, rest->argc, err);
	if (!ret)
		ret = record_more_check(&c->what.attrs, sampling_any_stacks(&c->what),
					c->options.keep_stacks, err);
	cmd_note_no_effect(rest, &notes);
	choose_level(c, &notes);
	if (!ret)
		ret = choose_events(c, &notes, err);
	if (c->options.keep_stacks && !sampling_any_stacks(&c->what))
		buf_adds(&notes, "--keep-stacks changes nothing: stacks are copied with "
				 "--call-graph dwarf or auto\n");
	run_put_notes(&notes, c->quiet);
	buf_free(&notes);
	if (ret)
		return ret == -EINVAL ? CMD_USAGE : CMD_NO_START;
	return record(c, err);
}

int cmd_record(int argc, char **argv, struct err *err)
{
	struct record c = {
		.options =
			{
				.block_writer = {.level = COLUMNS_BY_RATE},
				.preamble = {.version = version_string()},
				.signals = &signals,
				.guardian_report = guardian_report,
				.tell = tell,
				.tell_unread = tell_unread,
			},
	};
	char program[] = "perf-lite", **words;
	struct opt_rest rest;
	int ret;

	c.options.tell_arg = &c;
	ret = sampling_init(&c.what, "record", err);
	if (ret)
		return CMD_NO_START;
	/* parsing reorders the words; the file has them as they were typed */
	words = calloc((size_t)argc + 1, sizeof(*words));
	if (!words)
		return err_nomem(err);
	words[0] = program;
	memcpy(words + 1, argv, (size_t)argc * sizeof(*words));
	c.options.preamble.argc = argc + 1;
	c.options.preamble.argv = words;
	ret = record_options(&c, argc, argv, &rest, err);
	if (!ret && !rest.help)
		ret = run(&c, &rest, err);
	ret = cmd_refused(ret);
	recorder_free(&c.recorder);
	record_on_file_free(&c.on_file);
	buf_free(&c.untold);
	record_options_free(&c);
	free(words);
	sampling_free(&c.what);
	return ret;
}
