// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "perf-lite/cmd.h"
#include "util/base/num.h"
#include "util/event/drop_fields.h"
#include "util/event/ev_term.h"
#include "util/image/debuginfod.h"

static int on_debuginfod(void *value, const char *arg, struct err *err)
{
	struct record *c = value;

	c->fetch_names = true;
	if (arg && *arg && strcmp(arg, "system") != 0 && setenv("DEBUGINFOD_URLS", arg, 1))
		return err_nomem(err);
	return 0;
}

int record_open_debuginfod(struct record *c, struct err *err)
{
	struct block_writer_options *o = &c->options.block_writer;

	if (!c->fetch_names)
		return 0;
	if (!strcmp(o->output, "-") || o->perfdata || c->switching) {
		err_set(err, EINVAL, "--debuginfod adds names at the end of a single file%s",
			o->perfdata ? "; perf.data cannot store them" : "");
		err_hint(
			err,
			"fetch them when reading: perf-lite script --debuginfod, or report --debuginfod");
		return -EINVAL;
	}
	o->debuginfod = debuginfod_open(err);
	c->options.preamble.late_names = true;
	return o->debuginfod ? 0 : -err->code;
}

void record_options_free(struct record *c)
{
	debuginfod_close(c->options.block_writer.debuginfod);
	free(c->output_file);
}

static int on_delay(void *value, const char *arg, struct err *err)
{
	struct record *c = value;

	if (!strcmp(arg, "-1")) {
		c->options.event_session.disabled = true;
		return 0;
	}
	if (num_milliseconds(arg, &c->options.event_session.delay_ns))
		return 0;
	err_set(err, EINVAL, "'%s' is not a number of milliseconds", arg);
	err_hint(err, "-D 500 starts recording after half a second, -D -1 waits for --control");
	return -EINVAL;
}

static int on_threshold(void *value, const char *arg, struct err *err)
{
	struct record *c = value;
	u64 thousandfold;

	c->has_threshold = true;
	/* a bare number: of milliseconds, not of seconds as num_time() has it */
	if (num_time(arg, &thousandfold)) {
		c->threshold_ns = thousandfold / 1000;
		return 0;
	}
	if (num_duration(arg, &c->threshold_ns))
		return 0;
	err_set(err, EINVAL, "--off-cpu-thresh: '%s' is not a number of milliseconds", arg);
	err_hint(err, "--off-cpu --off-cpu-thresh 10 is for times of 10 ms and more");
	return -EINVAL;
}

static int on_level(void *value, const char *arg, struct err *err)
{
	struct record *c = value;
	u64 level;

	if (!arg) {
		c->options.block_writer.level = COLUMNS_BY_RATE;
		return 0;
	}
	if (num_u64(arg, &level) && level <= 22) {
		c->options.block_writer.level = (int)level;
		return 0;
	}
	err_set(err, EINVAL, "'%s' is not a compression level", arg);
	err_hint(err, "levels are 0 (none), 1 (fast) to 22 (small)");
	return -EINVAL;
}

static int on_format(void *value, const char *arg, struct err *err)
{
	struct record *c = value;
	bool perfs = !strcmp(arg, "perf") || !strcmp(arg, "perf.data");

	if (!perfs && strcmp(arg, "perf-lite") != 0) {
		err_set(err, EINVAL, "--format: unknown format '%s'", arg);
		err_hint(err, "use --format=perf-lite (the default) or --format=perf");
		return -EINVAL;
	}
	c->options.block_writer.perfdata = c->what.attrs.complete = perfs;
	return 0;
}

static int on_keep_last(void *value, const char *arg, struct err *err)
{
	struct record *c = value;

	if (num_duration(arg, &c->options.block_writer.keep_ns) &&
	    c->options.block_writer.keep_ns) {
		c->options.block_writer.keep = true;
		return 0;
	}
	err_set(err, EINVAL, "'%s' is not a time", arg);
	err_hint(err,
		 "--keep-last 30s keeps the last 30 seconds in memory, until SIGUSR2 or the end");
	return -EINVAL;
}

/* As perf has it, but that letters may be small: with B, K, M or G it is a size; m are minutes. */
static int on_switch_output(void *value, const char *arg, struct err *err)
{
	struct record *c = value;
	size_t len = arg ? strlen(arg) : 0;

	if (!len || !strcmp(arg, "signal")) {
		c->switch_by_signal = true;
		return 0;
	}
	if (strchr("BbKkMGg", arg[len - 1]) &&
	    num_size(arg, &c->options.block_writer.switch_bytes) &&
	    c->options.block_writer.switch_bytes)
		return 0;
	if (strchr("smh", arg[len - 1]) && num_duration(arg, &c->options.block_writer.switch_ns) &&
	    c->options.block_writer.switch_ns)
		return 0;
	err_set(err, EINVAL, "--switch-output: '%s' is neither a size nor a time", arg);
	err_hint(
		err,
		"use --switch-output=100M, --switch-output=30s, or --switch-output alone for SIGUSR2");
	return -EINVAL;
}

static int on_branches(void *value, const char *arg, struct err *err)
{
	struct record *c = value;
	struct buf words = {0};
	const char *unknown;
	u64 bits;

	if (!ev_branch_parse(arg, &bits, &unknown)) {
		c->what.attrs.branches |= bits;
		return 0;
	}
	ev_branch_words(&words);
	err_set(err, EINVAL, "-j: unknown kind of branch '%.*s'",
		(int)MIN(strcspn(unknown, ","), (size_t)64), unknown);
	err_hint(err, "kinds: %s", buf_str(&words));
	buf_free(&words);
	return -EINVAL;
}

static int on_branch_any(void *value, const char *arg, struct err *err)
{
	(void)arg;
	return on_branches(value, "any", err);
}

static int on_max_size(void *value, const char *arg, struct err *err)
{
	struct record *c = value;

	if (num_size(arg, &c->options.block_writer.max_bytes) && c->options.block_writer.max_bytes)
		return 0;
	err_set(err, EINVAL, "--max-size: '%s' is not a size", arg);
	err_hint(err, "--max-size 100M stops recording when the file reaches that size");
	return -EINVAL;
}

#define NO_AUX "record AUX traces with perf record; -b records the last branches"

#define OPT_STRUCT struct record

static const struct opt opts[] = {
	OPT_GROUP("Events"),
	OPT_INCLUDE(sampling_event_opts, what),
	OPT_INCLUDE(sampling_stack_opts, what),
	OPT_FLAG(0, "keep-stacks", options.keep_stacks,
		 "store the copied registers and stacks of dwarf and auto as well"),
	OPT_FLAG(0, "inline", options.block_writer.inlines,
		 "store inlined functions and source lines, for reading on another machine"),
	OPT_CALL(
		0, "debuginfod", "URLS", on_debuginfod,
		"fetch missing symbol names from debuginfod at the end (default URLS: $DEBUGINFOD_URLS)",
		OPT_ARG_OPTIONAL),
	OPT_INCLUDE(sampling_rate_opts, what),
	OPT_FLAG(0, "strict-freq", what.attrs.strict_frequency,
		 "fail if the kernel does not allow the frequency"),
	OPT_INCLUDE(sampling_code_opts, what),
	OPT_FLAG(
		0, "packets", what.packets,
		"keep what each packet of -e skb:kfree_skb was: device, network, flow, first bytes"),
	OPT_FLAG(0, "off-cpu", off_cpu,
		 "record when threads leave the CPU, where, and when they are back"),
	OPT_CALL(0, "off-cpu-thresh", "MS", on_threshold,
		 "name --min MS in the command that shows times off the CPU"),
	OPT_INCLUDE(record_more_opts, what.attrs),
	OPT_CALL('b', "branch-any", NULL, on_branch_any,
		 "record the last branches taken, if the processor supports it"),
	OPT_CALL(
		'j', "branch-filter", "KIND,...", on_branches,
		"record the last branches of these kinds: any, any_call, any_ret, cond, ..., u, k"),
	OPT_FLAG('W', "weight", what.attrs.weight,
		 "record the access cost (PERF_SAMPLE_WEIGHT), if the PMU reports it"),
	OPT_GROUP("Targets (default: the whole system, until Ctrl-C)"),
	OPT_INCLUDE(sampling_target_opts, what),
	OPT_FLAG('i', "no-inherit", what.no_inherit,
		 "do not record child processes and new threads of the targets"),
	OPT_GROUP("Duration"),
	OPT_DURATION(0, "duration", "TIME", options.event_session.duration_ns,
		     "stop after TIME: 10s, 500ms, 2m"),
	OPT_CALL('D', "delay", "MS", on_delay,
		 "start recording MS milliseconds later; -1: when --control enables it"),
	OPT_STRING(0, "control", "fifo:CTL[,ACK]", options.control,
		   "read commands: enable, disable, stop, ping, snapshot, evlist; or fd:CTL[,ACK]"),
	OPT_GROUP("Flight recorder"),
	OPT_CALL(0, "keep-last", "TIME", on_keep_last,
		 "keep the last TIME in memory; write it on SIGUSR2 (to FILE.DATE) and at the end"),
	OPT_FLAG(
		0, "overwrite", what.rings.overwrite,
		"keep only the newest samples, in the kernel's buffers; write as --keep-last does"),
	OPT_CALL(
		0, "switch-output", "SIZE|TIME", on_switch_output,
		"start a new file at this size or age, or on SIGUSR2; rename the old one FILE.DATE",
		OPT_ARG_OPTIONAL),
	OPT_UINT(0, "switch-max-files", "N", max_files, "keep only the newest N of those files"),
	OPT_STRING(0, "on-file", "COMMAND", on_file.command,
		   "run a shell command for each finished file, one at a time; {} is its path"),
	OPT_CALL(0, "max-size", "SIZE", on_max_size, "stop when the file reaches SIZE"),
	OPT_GROUP("Output"),
	OPT_STRING('o', "output", "FILE", options.block_writer.output,
		   "output file; - is standard output (default perf-lite.data)"),
	OPT_CALL(0, "format", "FORMAT", on_format,
		 "perf-lite (default), or perf for a perf.data file"),
	OPT_INCLUDE(sampling_buffer_opts, what),
	OPT_CALL('z', "compression-level", "N", on_level,
		 "zstd level, 0 for none (default: chosen by the sample rate)", OPT_ARG_OPTIONAL),
	OPT_FLAG(0, "no-guardian", options.no_guardian,
		 "do not start the process that finishes the file if this one is killed"),
	OPT_FLAG(0, "dry-run", options.dry,
		 "open the events, print what would be recorded, and exit"),
	OPT_FLAG('q', "quiet", quiet, "print errors only"),
	OPT_COUNT('v', "verbose", verbose, "print the events that are opened"),
	OPT_IGNORED('R', "raw-samples", NULL),
	OPT_IGNORED('T', "timestamp", NULL),
	OPT_IGNORED('P', "period", NULL),
	OPT_IGNORED('B', "no-buildid", NULL),
	OPT_IGNORED('N', "no-buildid-cache", NULL),
	OPT_IGNORED(0, "buildid-all", NULL),
	OPT_IGNORED(0, "buildid-mmap", NULL),
	OPT_IGNORED(0, "exclude-perf", NULL),
	OPT_IGNORED(0, "sample-cpu", NULL),
	OPT_IGNORED(0, "sample-identifier", NULL),
	OPT_IGNORED(0, "group", NULL),
	OPT_NO_EFFECT(0, "aio", "N", OPT_ARG_OPTIONAL),
	OPT_NO_EFFECT(0, "affinity", "HOW"),
	OPT_NO_EFFECT(0, "threads", "SPEC", OPT_ARG_OPTIONAL),
	OPT_NO_EFFECT(0, "proc-map-timeout", "MS"),
	OPT_NO_EFFECT(0, "per-thread", NULL),
	OPT_NO_EFFECT(0, "no-buffering", NULL),
	OPT_NO_EFFECT(0, "mmap-flush", "N"),
	OPT_NO_EFFECT(0, "synth", "WHAT"),
	OPT_NO_EFFECT(0, "tail-synthesize", NULL),
	OPT_NO_EFFECT(0, "num-thread-synthesize", "N"),
	OPT_NO_EFFECT(0, "no-bpf-event", NULL),
	OPT_IGNORED(0, "timestamp-boundary", NULL),
	OPT_REFUSED('S', "snapshot", NO_AUX),
	OPT_REFUSED(0, "aux-sample", NO_AUX),
	OPT_REFUSED('f', NULL, "leave it out; a filter: --filter EXPR, behind its -e"),
	OPT_REFUSED('l', NULL, "functions of the kernel: -e kprobe:FUNCTION"),
	OPT_REFUSED('n', "no-samples", "to count only: perf-lite stat"),
	OPT_REFUSED('s', "stat", "to count by thread: perf-lite stat --per-thread"),
	OPT_REFUSED(0, "running-time", "perf-lite stat prints how long each event was counted"),
	OPT_REFUSED(0, "transaction",
		    "to count transactions: perf-lite stat -e cpu/tx-start/,cpu/tx-abort/"),
	OPT_REFUSED(0, "kcore", "leave it out: every recording includes the kernel functions seen"),
	OPT_REFUSED(
		0, "vmlinux",
		"leave it out: names come from the running kernel; when reading: report -k FILE"),
	OPT_REFUSED(0, "clang-path", "-e takes events, not BPF sources"),
	OPT_REFUSED(0, "clang-opt", "-e takes events, not BPF sources"),
	OPT_REFUSED(0, "switch-output-event",
		    "use --switch-output=signal, and kill -USR2 when the event happens"),
	OPT_REFUSED(0, "timestamp-filename", "-o NAME-$(date +%Y%m%d%H%M%S)"),
	OPT_END,
};

static const struct opt_table table = {
	.command = "record",
	.summary = "record events of a command, of processes or of the whole system",
	.usage = {"[options] [--] COMMAND [ARG...]", "[options] -a | -p PID | --comm NAME"},
	.opts = opts,
	.notes =
		"Examples:\n"
		"  perf-lite record -e skb:kfree_skb -ag --duration 10s    dropped packets with their call chains\n"
		"  perf-lite record -g -- ./program                        profile a program\n"
		"Exit codes: that of the command (128 + signal; 126 or 127 if it cannot be run), else 0;\n"
		"1 wrong usage, 2 could not start, 3 the recording is not complete.\n",
	.stop_at_operand = true,
};

int record_options(struct record *c, int argc, char **argv, struct opt_rest *rest, struct err *err)
{
	int ret;

	/* --packets is of events before it, too */
	c->what.collects = true;
	ret = cmd_options(&table, c, argc, argv, rest, err);
	if (ret || rest->help)
		return ret;
	if (c->what.packets && !sampling_has_asked_event(&c->what, DROP_FIELDS_EVENT)) {
		err_set(err, EINVAL, "--packets is for -e " DROP_FIELDS_EVENT);
		err_hint(err, "give it an -e of its own: perf-lite record -e " DROP_FIELDS_EVENT
			      " -a --packets");
		return -EINVAL;
	}
	return sampling_take_asked(&c->what, err);
}
