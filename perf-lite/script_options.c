// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "perf-lite/cmd.h"
#include "perf-lite/perf_commands.h"
#include "perf-lite/script.h"
#include "util/base/text.h"
#include "util/unwind/unwind.h"

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
		c->in.event = arg;
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
	c->text.sideband_width = c->text.bare_watch = true;
	c->text.byte_widths = c->text.minus_cpu = true;
	c->in.session.as_perf = true;
	c->in.session.resolve.ip_as_is = c->in.session.resolve.breaks_as_perf = true;
	c->in.session.resolve.files_first = c->in.session.resolve.dwarf_names =
		c->in.session.resolve.addr2line_names = c->in.session.resolve.show_cut = true;
	c->fields.relative_loses_chains = c->fields.types_demand_nothing = true;
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
	c->in.session.unwinding.engine = (enum unwind_engine)i;
	c->in.session.unwinding.again = true;
	return 0;
}

static int on_stop(void *value, const char *arg, struct err *err)
{
	return name_list_add(&((struct script *)value)->stop_at, arg, err);
}

#define RECORD(type) (1ull << PERF_RECORD_##type)

static int on_strict(void *value, const char *arg, struct err *err)
{
	struct script *c = value;

	c->quality.strict = true;
	return script_quality_limit(&c->quality, arg ? arg : "1", err);
}

static int on_for(void *value, const char *arg, struct err *err)
{
	struct script *c = value;

	c->export.text_dialect = text_dialect_find(arg, err);
	return c->export.text_dialect ? 0 : -EINVAL;
}

/* What depends on several options. */
static void settle(struct script *c)
{
	if (c->reltime || c->deltatime)
		c->in.time_form = c->reltime ? TIME_FORM_RELTIME : TIME_FORM_DELTA;
	c->in.filter.time_relative = c->in.time_form == TIME_FORM_RELTIME;
	c->in.session.resolve.stop_at = c->stop_at.nr ? &c->stop_at : NULL;
	/* a graph of stacks without their outermost frames would be wrong */
	if (c->in.max_stack == UINT64_MAX && !c->folded && !c->quality.table && !c->export.json &&
	    !script_export_text(&c->export))
		c->in.max_stack = PERF_MAX_STACK_DEPTH;
	c->text.time = &c->time;
	c->export.options = (struct json_options){
		.time = &c->time,
		.full_paths = c->text.full_paths,
	};
	if (c->export.json)
		c->fields.more = json_sink_fields();
	c->in.as_perf_inlines = c->compat != NULL;
}

/* Programs get what they can read and nothing else. */
static int agree(const struct script *c, struct err *err)
{
	const struct script_export *x = &c->export;

	if (!!x->text_dialect + x->json + c->folded + c->quality.table + c->dump > 1)
		return err_set(
			err, EINVAL,
			"only one of -D, --for, --json, --folded and --quality can be printed");
	if (x->stack_field && !script_export_text(x) && !x->json && !c->folded)
		return err_set(err, EINVAL, "--stack-field needs --folded, --json or --for");
	if (x->text_dialect && (c->fields.texts.nr || c->hide_call_graph || c->nanoseconds ||
				c->in.time_form != TIME_FORM_RAW || c->header)) {
		err_set(err, EINVAL, "--for=%s decides itself what is printed",
			x->text_dialect->name);
		err_hint(err,
			 "leave out -F, -G, --ns, --reltime, --deltatime, --time=FORM, --header");
		return -EINVAL;
	}
	if ((c->folded || c->quality.table) &&
	    (c->fields.texts.nr || c->hide_call_graph || c->nanoseconds || c->in.session.records)) {
		err_set(err, EINVAL, "%s prints stacks, and no samples or other records",
			c->folded ? "--folded" : "--quality");
		err_hint(err, "leave out -F, -G, --ns, --show-...-events");
		return -EINVAL;
	}
	if (x->json && (c->header || c->header_only || c->nanoseconds))
		return err_set(err, EINVAL, "--json has no header, and always nanoseconds");
	if (c->in.session.records && (x->json || script_export_text(x)))
		return err_set(err, EINVAL, "--json and --for print samples and no other records");
	return 0;
}

/* What to do instead. */
#define NO_SCRIPT                                                                                        \
	"Python reads recordings itself: python3 FILE.py, with the package perflite (docs/python.md):\n" \
	"  import perflite\n"                                                                            \
	"  with perflite.open(\"perf-lite.data\") as rec:\n"                                             \
	"      for s in rec:\n"                                                                          \
	"          print(s.event, s.time, s.comm, s.fields)\n"                                           \
	"          for frame in s.stack:\n"                                                              \
	"              print(\"   \", frame.symbol)"
#define NO_SCRIPTS "any language can read the output: --json gives one object a line"
#define NO_TRACES \
	"traces of hardware are decoded by perf script; samples are printed without this option"
#define NO_GUESTS  "for functions of a virtual machine: record in the machine itself"
#define NO_PLUGINS "to filter: --json prints one object a line, for any language"

#define OPT_STRUCT struct script

static const struct opt opts[] = {
	OPT_INCLUDE(reading_input_opts, in),
	OPT_FLAG(0, "show-kernel-path", in.session.show_kernel_path,
		 "print that image as the file of kernel code"),
	OPT_INCLUDE(reading_sample_opts, in),
	OPT_GROUP("What is printed"),
	OPT_CALL(
		'F', "fields", "LIST", on_fields,
		"print these fields; +FIELD and -FIELD change the defaults; TYPE:LIST for one type"),
	OPT_BITS(0, "show-task-events", in.session.records,
		 RECORD(COMM) | RECORD(FORK) | RECORD(EXIT),
		 "print forks, exits and new names of tasks"),
	OPT_BITS(0, "show-mmap-events", in.session.records, RECORD(MMAP) | RECORD(MMAP2),
		 "print new mappings"),
	OPT_BITS(0, "show-switch-events", in.session.records,
		 RECORD(SWITCH) | RECORD(SWITCH_CPU_WIDE), "print context switches"),
	OPT_BITS(0, "show-lost-events", in.session.records, RECORD(LOST),
		 "print where samples were lost"),
	OPT_BITS(0, "show-namespace-events", in.session.records, RECORD(NAMESPACES),
		 "print new namespaces"),
	OPT_BITS(0, "show-cgroup-events", in.session.records, RECORD(CGROUP),
		 "print new control groups"),
	OPT_BITS(0, "show-bpf-events", in.session.records, RECORD(KSYMBOL) | RECORD(BPF_EVENT),
		 "print BPF programs and their symbols"),
	OPT_BITS(0, "show-text-poke-events", in.session.records,
		 RECORD(KSYMBOL) | RECORD(TEXT_POKE), "print changes of the kernel's code"),
	OPT_IGNORED(0, "show-round-events", NULL),
	OPT_FLAG(0, "dump-unsorted-raw-trace", dump, NULL, OPT_HIDDEN),
	OPT_IGNORED(0, "no-itrace", NULL),
	OPT_IGNORED(0, "demangle", "WHAT", OPT_ARG_OPTIONAL),
	OPT_IGNORED(0, "demangle-kernel", NULL),
	OPT_IGNORED(0, "merge-callchains", NULL),
	OPT_IGNORED('d', "debug-mode", NULL),
	OPT_IGNORED('v', "verbose", NULL),
	OPT_IGNORED('a', "all-cpus", NULL),
	OPT_REFUSED('s', "script", NO_SCRIPT),
	OPT_REFUSED('g', "gen-script", NO_SCRIPTS),
	OPT_REFUSED('l', "list", NO_SCRIPTS),
	OPT_REFUSED(0, "itrace", NO_TRACES),
	OPT_REFUSED(0, "insn-trace", NO_TRACES),
	OPT_REFUSED(0, "xed", NO_TRACES),
	OPT_REFUSED(0, "call-trace", NO_TRACES),
	OPT_REFUSED(0, "call-ret-trace", NO_TRACES),
	OPT_REFUSED(0, "graph-function", NO_TRACES),
	OPT_REFUSED(0, "stitch-lbr", NO_TRACES),
	OPT_IGNORED(0, "max-blocks", "N"),
	OPT_REFUSED(0, "addr-range", "for those of a function: -S NAME; of a file: --dsos FILE"),
	OPT_REFUSED(0, "per-event-dump",
		    "for one of them: --event NAME; perf-lite evlist lists their names"),
	OPT_REFUSED(0, "guest-code", NO_GUESTS),
	OPT_REFUSED(0, "guestmount", NO_GUESTS),
	OPT_REFUSED(0, "guestkallsyms", NO_GUESTS),
	OPT_REFUSED(0, "guestmodules", NO_GUESTS),
	OPT_REFUSED(0, "guestvmlinux", NO_GUESTS),
	OPT_REFUSED(0, "dlfilter", NO_PLUGINS),
	OPT_REFUSED(0, "dlarg", NO_PLUGINS),
	OPT_REFUSED(0, "list-dlfilters", NO_PLUGINS),
	OPT_FLAG('L', "Latency", text.latency, "print the columns of ftrace's latency format"),
	OPT_FLAG('G', "hide-call-graph", hide_call_graph, "print one line per sample"),
	OPT_FLAG(0, "quality", quality.table,
		 "print how many stacks are complete, and why the others are not"),
	OPT_CALL(0, "strict", "PERCENT", on_strict,
		 "exit with 3 if more stacks are incomplete or frames have no name (default 1)",
		 OPT_ARG_OPTIONAL),
	OPT_CALL(0, "unwinder", "NAME", on_unwinder,
		 "unwind stacks kept in the file with fast, libdw or libunwind"),
	OPT_CALL(0, "unwind-style", "NAME", on_unwinder, NULL, OPT_HIDDEN),
	OPT_CALL(0, "stop-bt", "NAME,...", on_stop, "cut call chains at these functions"),
	OPT_INCLUDE(reading_time_opts, in),
	OPT_FLAG(0, "ns", nanoseconds, "print times with nanoseconds"),
	OPT_FLAG(0, "reltime", reltime, "print times since the first sample"),
	OPT_FLAG(0, "deltatime", deltatime, "print times since the sample before"),
	OPT_FLAG(0, "header", header, "print the header of the recording first"),
	OPT_FLAG('I', "show-info", show_info, "with --header: print CPUs, memory and caches"),
	OPT_FLAG(0, "header-only", header_only, "print only the header"),
	OPT_FLAG('D', "dump-raw-trace", dump, "print all records with their bytes"),
	OPT_CALL(0, "folded", "EVENT", on_folded, "print folded stacks, for flame graphs",
		 OPT_ARG_OPTIONAL),
	OPT_FLAG(0, "json", export.json, "print one JSON object per line"),
	OPT_CALL(
		0, "for", "PROGRAM", on_for,
		"print what PROGRAM can parse: stackcollapse, flamegraph, inferno, speedscope, firefox, perfetto, gprof2dot, flamescope, bolt"),
	OPT_STRING(0, "stack-field", "FIELD", export.stack_field,
		   "with --folded, --for, --json: put this tracepoint field on top of its stacks"),
	OPT_FLAG(0, "safe-comm", export.safe_comm,
		 "print command names without blanks, with two characters at least"),
	OPT_CALL(0, "compat", "VERSION", on_compat,
		 "print like perf 6.1 or 6.12, including their defects"),
	OPT_UINT(
		0, "max-stack", "N", in.max_stack,
		"use at most N frames of each stack (default 127; with --folded and --quality all)"),
	OPT_INCLUDE(reading_name_opts, in),
	OPT_FLAG(0, "full-source-path", text.full_paths, "print full paths of source files"),
	OPT_INCLUDE(reading_other_opts, in),
	OPT_END,
};

static const struct opt_table table = {
	.command = "script",
	.summary = "print the samples of a recording",
	.usage = {"[-i FILE] [options]", "-i FILE --folded | perf-lite flamegraph > out.svg"},
	.opts = opts,
	.notes =
		"Exit codes: 0 complete, 1 wrong usage or unreadable input, 3 the input is damaged or cut\n"
		"(what could be read was printed), or --strict is not met.\n",
};

/* "report rwtop", and "rwtop" alone, run a program of perf's. */
static int refuse_operands(const struct opt_rest *rest, struct err *err)
{
	const char *word = rest->argv[0], *name = word, *instead;

	if (rest->argc > 1 && (!strcmp(word, "record") || !strcmp(word, "report")))
		name = rest->argv[1];
	instead = perf_commands_script_instead(name);
	err_set(err, EINVAL, "script takes no '%s'", word);
	if (instead)
		err_hint(err, "%s", instead);
	else if (strchr(word, ','))
		err_hint(err, "fields are chosen with -F: perf-lite script -F %s",
			 TEXT_SHELL(word));
	else if (access(word, F_OK))
		err_hint(err, "no scripts are run; any program can read --json, --folded, --for");
	else
		err_hint(err, "to read a file: perf-lite script -i %s", TEXT_SHELL(word));
	return -EINVAL;
}

int script_options(struct script *c, int argc, char **argv, struct opt_rest *rest, struct err *err)
{
	int ret;

	*c = (struct script){0};
	reading_init(&c->in);
	c->in.prints_times = true;
	ret = cmd_options(&table, c, argc, argv, rest, err);
	if (ret || rest->help)
		return ret;
	if (rest->argc)
		return refuse_operands(rest, err);
	if (c->reltime + c->deltatime + (c->in.time_word != NULL) > 1)
		return err_set(err, EINVAL,
			       "one of --reltime, --deltatime, --time=FORM: a time is one of them");
	settle(c);
	return agree(c, err);
}
