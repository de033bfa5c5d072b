// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>

#include "perf-lite/cmd.h"
#include "perf-lite/script.h"

static int on_pids(void *value, const char *arg, struct err *err)
{
	return sample_filter_numbers(&((struct script *)value)->filter.pids, arg, "process id",
				     err);
}

static int on_tids(void *value, const char *arg, struct err *err)
{
	return sample_filter_numbers(&((struct script *)value)->filter.tids, arg, "thread id", err);
}

static int on_cpus(void *value, const char *arg, struct err *err)
{
	return sample_filter_numbers(&((struct script *)value)->filter.cpus, arg, "CPU number",
				     err);
}

static int on_comms(void *value, const char *arg, struct err *err)
{
	return sample_filter_comms(&((struct script *)value)->filter, arg, err);
}

static int on_time(void *value, const char *arg, struct err *err)
{
	return sample_filter_time(&((struct script *)value)->filter, arg, err);
}

static int on_fields(void *value, const char *arg, struct err *err)
{
	const char **text = vec_push(&((struct script *)value)->fields.texts);

	if (!text)
		return err_nomem(err);
	*text = arg;
	return 0;
}

static int on_folded(void *value, const char *arg, struct err *err)
{
	struct script *c = value;

	(void)err;
	c->folded = true;
	if (arg)
		c->event = arg;
	return 0;
}

static int on_compat(void *value, const char *arg, struct err *err)
{
	struct script *c = value;
	bool old = !strcmp(arg, "6.1");

	if (!old && strcmp(arg, "6.12")) {
		err_set(err, EINVAL, "--compat: there is no layout '%s'", arg);
		err_hint(err, "use --compat=6.1 or --compat=6.12");
		return -EINVAL;
	}
	c->compat = arg;
	c->text.narrow_ids = c->text.map_relative = old;
	c->text.sideband_width = true;
	c->session.as_perf = true;
	c->session.resolve.ip_as_is = c->session.resolve.keep_zeros = true;
	c->fields.relative_loses_chains = true;
	return 0;
}

static int on_unwinder(void *value, const char *arg, struct err *err)
{
	static const char *const names[] = {
		[UNWIND_FAST] = "fast",
		[UNWIND_LIBDW] = "libdw",
		[UNWIND_LIBUNWIND] = "libunwind",
	};
	struct script *c = value;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(names) && strcmp(arg, names[i]) != 0; i++)
		;
	if (i == ARRAY_SIZE(names)) {
		err_set(err, EINVAL, "--unwinder: there is no '%s'", arg);
		err_hint(err, "use fast, libdw or libunwind");
		return -EINVAL;
	}
	c->session.unwinder = (enum unwind_engine)i;
	c->session.unwind_again = true;
	return 0;
}

static int on_strict(void *value, const char *arg, struct err *err)
{
	struct script *c = value;

	c->quality.strict = true;
	return script_quality_limit(&c->quality, arg ? arg : "1", err);
}

/* What depends on several options. */
static void settle(struct script *c)
{
	c->session.filter = &c->filter;
	c->filter.time_relative = c->text.relative_time;
	/* a graph of stacks without their outermost frames would be wrong */
	if (c->max_stack == UINT64_MAX && !c->folded && !c->quality.table)
		c->max_stack = PERF_MAX_STACK_DEPTH;
	c->session.resolve.max_stack = (u32)MIN(c->max_stack, (u64)UINT32_MAX);
	if (c->no_inlines)
		c->session.resolve.inlines = INLINES_NONE;
	else if (c->inlines)
		c->session.resolve.inlines = INLINES_ALL;
}

int script_options(struct script *c, int argc, char **argv, struct opt_rest *rest, struct err *err)
{
	const struct opt opts[] = {
		{OPT_GROUP, 0, NULL, NULL, NULL, "Input", NULL, 0},
		{OPT_STRING, 'i', "input", "FILE", &c->session.path,
		 "the recording; - is standard input (default perf-lite.data)", NULL, 0},
		{OPT_STRING, 0, "symfs", "DIR", &c->session.symfs,
		 "look for binaries below DIR instead of /", NULL, 0},
		{OPT_FLAG, 0, "debuginfod", NULL, &c->session.debuginfod,
		 "fetch what is not here from the servers of DEBUGINFOD_URLS", NULL, 0},
		{OPT_STRING, 0, "kallsyms", "FILE", &c->session.kallsyms,
		 "kernel symbols from FILE", NULL, 0},
		{OPT_GROUP, 0, NULL, NULL, NULL, "Which samples", NULL, 0},
		{OPT_STRING, 0, "event", "NAME", &c->event, "of this event only", NULL, 0},
		{OPT_CALL, 'c', "comms", "NAME,...", c, "of these commands", on_comms, 0},
		{OPT_CALL, 0, "pid", "PID,...", c, "of these processes", on_pids, 0},
		{OPT_CALL, 0, "tid", "TID,...", c, "of these threads", on_tids, 0},
		{OPT_CALL, 'C', "cpu", "CPU,...", c, "on these CPUs (0,2-4)", on_cpus, 0},
		{OPT_CALL, 0, "time", "FROM,TO", c, "between these times, in seconds", on_time, 0},
		{OPT_GROUP, 0, NULL, NULL, NULL, "What is printed", NULL, 0},
		{OPT_CALL, 'F', "fields", "LIST", c,
		 "these fields; +FIELD, -FIELD change the defaults; TYPE: before it for one type",
		 on_fields, 0},
		{OPT_FLAG, 'G', "hide-call-graph", NULL, &c->hide_call_graph, "one line a sample",
		 NULL, 0},
		{OPT_FLAG, 0, "quality", NULL, &c->quality.table,
		 "how many stacks are complete, and where and why the others are not", NULL, 0},
		{OPT_CALL, 0, "strict", "PERCENT", c,
		 "exit with 3 if more stacks are not complete, or frames have no name (default 1)",
		 on_strict, OPT_ARG_OPTIONAL},
		{OPT_CALL, 0, "unwinder", "NAME", c,
		 "unwind kept stacks with fast, libdw or libunwind", on_unwinder, 0},
		{OPT_UINT, 0, "max-stack", "N", &c->max_stack,
		 "frames to show (default 127; with --folded and --quality all)", NULL, 0},
		{OPT_FLAG, 0, "ns", NULL, &c->text.nanoseconds, "times with nanoseconds", NULL, 0},
		{OPT_FLAG, 0, "reltime", NULL, &c->text.relative_time,
		 "times since the first sample", NULL, 0},
		{OPT_FLAG, 0, "deltatime", NULL, &c->text.delta_time,
		 "times since the sample before", NULL, 0},
		{OPT_FLAG, 0, "header", NULL, &c->header, "what the recording says of itself first",
		 NULL, 0},
		{OPT_FLAG, 0, "header-only", NULL, &c->header_only, "nothing but that", NULL, 0},
		{OPT_CALL, 0, "folded", "EVENT", c, "folded stacks, for flame graphs", on_folded,
		 OPT_ARG_OPTIONAL},
		{OPT_CALL, 0, "compat", "VERSION", c,
		 "as perf VERSION prints it, faults included: 6.1 or 6.12", on_compat, 0},
		{OPT_FLAG, 0, "inline", NULL, &c->inlines,
		 "inlined functions in all stacks (default: in those made of DWARF)", NULL, 0},
		{OPT_FLAG, 0, "no-inline", NULL, &c->no_inlines, "inlined functions in none", NULL,
		 0},
		{OPT_FLAG, 0, "full-source-path", NULL, &c->text.full_paths,
		 "source files with their folders", NULL, 0},
		{OPT_FLAG, 0, "no-demangle", NULL, &c->session.resolve.no_demangle,
		 "names as the symbol table has them", NULL, 0},
		{OPT_FLAG, 'q', "quiet", NULL, &c->quiet, "no notes on standard error", NULL, 0},
		{OPT_IGNORED, 'f', "force", NULL, NULL, NULL, NULL, 0},
	};
	const struct opt_table table = {
		.command = "script",
		.summary = "print the samples of a recording",
		.usage = {"[-i FILE] [options]",
			  "-i FILE --folded | perf-lite flamegraph > out.svg"},
		.opts = opts,
		.nr = ARRAY_SIZE(opts),
		.notes =
			"Exit codes: 0 complete, 1 wrong usage or unreadable input, 3 the input is damaged or cut\n"
			"(what could be read was printed), or --strict is not met.\n",
	};
	int ret;

	*c = (struct script){.session.path = "perf-lite.data", .max_stack = UINT64_MAX};
	ret = opt_parse(&table, argc, argv, rest, err);
	if (ret)
		return ret;
	if (rest->help)
		return cmd_help(&table, err);
	if (rest->argc) {
		err_set(err, EINVAL, "script takes no '%s'", rest->argv[0]);
		err_hint(err, "to read a file: perf-lite script -i %s", rest->argv[0]);
		return -EINVAL;
	}
	settle(c);
	return 0;
}
