// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/cmd.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perf-lite/header.h"
#include "perf-lite/loss_lines.h"
#include "perf-lite/script_quality.h"
#include "util/base/io.h"
#include "util/base/text.h"
#include "util/cli/pager.h"
#include "util/format/folded_sink.h"
#include "util/format/script_text.h"

/* Text is written out in pieces of this size. */
#define OUT_SIZE (256 * 1024)

struct script {
	struct session_options session;
	struct sample_filter filter;
	struct script_text_options text;
	struct fields_options fields;
	const char *input, *event, *time, *compat;
	bool live; /* the input is a pipe */
	bool folded, header, header_only, hide_call_graph, inlines, no_inlines, quiet;
	u64 max_stack;
	struct script_quality quality;
	struct session *s;
	struct sink *sink;
	union {
		struct script_text script;
		struct folded_sink folded;
	} sinks;
	u32 only_event; /* ID_NONE: all */
	struct buf out;
};

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

/* perf's cache of binaries; with --symfs, nothing of this machine counts. */
static void find_cache(struct script *c, struct buf *dir)
{
	const char *home = getenv("HOME");

	if (c->session.symfs || !home || !*home)
		return;
	buf_addf(dir, "%s/.debug", home);
	if (!dir->failed)
		c->session.cache = dir->data;
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

/* Write what has gathered. */
static int flush(struct script *c, struct err *err)
{
	int ret = 0;

	if (c->out.failed)
		return err_nomem(err);
	if (c->out.len)
		ret = io_write(STDOUT_FILENO, c->out.data, c->out.len);
	buf_clear(&c->out);
	if (ret)
		return err_set(err, -ret, "cannot write standard output: %s", strerror(-ret));
	return 0;
}

static void put_notes(struct script *c)
{
	if (!c->quiet && c->s->notes.len)
		fprintf(stderr, "%s", buf_str(&c->s->notes));
}

/* The one event that is wanted; several unnamed ones cannot be folded into one graph. */
static int choose_event(struct script *c, struct err *err)
{
	const struct event_set *events = &c->s->source->recording.events;
	struct text_suggest suggest;
	struct buf names = {0};
	u32 i, nr = 0, last = ID_NONE;

	c->only_event = ID_NONE;
	for (i = 0; i < events->events.nr; i++) {
		if (events->events.v[i].sideband || !strncmp(events->events.v[i].name, "dummy:", 6))
			continue;
		buf_addf(&names, "%s%s", nr++ ? ", " : "", events->events.v[i].name);
		last = i;
	}
	if (c->event) {
		c->only_event = session_event(c->s, c->event);
		if (c->only_event == ID_NONE) {
			text_suggest_init(&suggest, c->event);
			for (i = 0; i < events->events.nr; i++)
				text_suggest_add(&suggest, events->events.v[i].name);
			err_set(err, ENOENT, "the recording has no event '%s'", c->event);
			err_hint(err, suggest.best ? "did you mean '%s'?" : "it has: %s",
				 suggest.best ? suggest.best : buf_str(&names));
		}
	} else if (c->folded && nr > 1) {
		err_set(err, EINVAL,
			"the recording holds %u events, which do not belong in one graph", nr);
		err_hint(err, "choose one with --folded=EVENT: %s", buf_str(&names));
	} else if (c->folded) {
		c->only_event = nr ? last : 0;
	}
	buf_free(&names);
	return err->msg[0] ? -EINVAL : 0;
}

static int make_sink(struct script *c, struct err *err)
{
	const struct recording *r = &c->s->source->recording;
	struct buf notes = {0};
	struct fields fields;
	int ret;

	ret = choose_event(c, err);
	if (ret || c->quality.table)
		return ret;
	if (c->folded) {
		c->sink = &c->sinks.folded.sink;
		return folded_sink_init(&c->sinks.folded, &c->s->resolver, c->only_event, err);
	}
	c->fields.hide_call_graph = c->hide_call_graph;
	ret = fields_init(&fields, &r->events, &c->fields, &notes, err);
	if (!c->quiet && notes.len)
		fprintf(stderr, "%s", buf_str(&notes));
	buf_free(&notes);
	if (ret)
		return ret;
	script_text_init(&c->sinks.script, &c->text, &fields, &c->s->resolver, &r->events,
			 c->s->programs, &c->s->strings);
	c->sink = &c->sinks.script.sink;
	return 0;
}

static int print_samples(struct script *c, struct err *err)
{
	struct session_sample sample;
	int ret;

	while ((ret = session_next(c->s, &sample, err)) > 0) {
		if (ret == SESSION_WAIT) {
			/* a pipe is printed as it comes */
			ret = c->live ? flush(c, err) : 0;
			if (ret)
				return ret;
			continue;
		}
		if (c->only_event != ID_NONE && sample.event != c->only_event)
			continue;
		ret = script_quality_sample(&c->quality, c->s, &sample, err);
		if (!ret && c->sink)
			ret = c->sink->ops->sample(c->sink, &sample, &c->out, err);
		if (ret)
			return ret;
		if (c->out.len >= OUT_SIZE)
			ret = flush(c, err);
		if (ret)
			return ret;
	}
	if (ret)
		return ret;
	if (c->sink)
		ret = c->sink->ops->end(c->sink, &c->out, err);
	else
		ret = script_quality_table(&c->quality, c->s, &c->out, err);
	return ret ? ret : flush(c, err);
}

/* What the reader could not have: on stderr, one line each; damage makes the result partial. */
static int report_loss(struct script *c, struct err *err)
{
	const struct source_damage *d = &c->s->source->damage;
	const struct recording *r = &c->s->source->recording;
	const u64 unwritten = loss_lines_unwritten(r);
	struct session *s = c->s;
	const char *path = s->source->path, *note;
	struct buf lines = {0};
	u32 i;

	/* perf adds up in LOST_SAMPLES what LOST has told of already */
	loss_lines(r, MAX(s->lost, s->lost_samples), "", &lines);
	script_quality_note(&c->quality, s, &lines);
	if (!c->quiet)
		fputs(buf_str(&lines), stderr);
	buf_free(&lines);
	for (i = 0; !c->quiet && (note = symbols_note(s->symbols, i)); i++)
		fprintf(stderr, "%s\n", note);
	/* what the recorder could not write is no damage: it has been told */
	if (d->blocks || d->samples > unwritten) {
		err_set(err, EBADMSG,
			"%s is damaged: %llu bytes passed over from byte %llu on, %llu samples lost with them",
			path, (unsigned long long)d->bytes, (unsigned long long)d->first_at,
			(unsigned long long)(d->samples - MIN(d->samples, unwritten)));
		return CMD_PARTIAL;
	}
	if (d->cut_at) {
		err_set(err, ENODATA, "%s ends in the middle of a block, at byte %llu", path,
			(unsigned long long)d->cut_at);
		return CMD_PARTIAL;
	}
	if (s->malformed || s->sorter.unknown) {
		err_set(err, EBADMSG, "%s: %llu records do not fit their event and were left out",
			path, (unsigned long long)(s->malformed + s->sorter.unknown));
		return CMD_PARTIAL;
	}
	if (d->no_end && !c->quiet)
		fprintf(stderr, "%s was not finished by its recorder: all it wrote has been read\n",
			path);
	return script_quality_verdict(&c->quality, err);
}

static int run(struct script *c, struct err *err)
{
	int ret;

	/* folded stacks show nothing of raw data, and one line a sample nothing of stacks */
	c->session.no_raw = c->folded || c->quality.table;
	c->session.no_chains = c->hide_call_graph && !c->folded && !c->fields.texts.nr &&
			       !c->quality.table && !c->quality.strict;
	c->s = session_open(&c->session, err);
	if (!c->s)
		return -EINVAL;
	c->live = !strcmp(c->session.path, "-") && lseek(STDIN_FILENO, 0, SEEK_CUR) < 0;
	ret = session_prepare(c->s, err);
	if (ret)
		return ret;
	put_notes(c);
	if (c->header || c->header_only)
		header_text(&c->s->source->recording, c->session.path, &c->out);
	if (c->header_only)
		return flush(c, err);
	ret = make_sink(c, err);
	if (!ret)
		ret = print_samples(c, err);
	if (!ret || c->s->samples) {
		/* what was read before a failure is printed all the same */
		struct err ignored = {0};

		flush(c, &ignored);
	}
	return ret ? ret : report_loss(c, err);
}

int cmd_script(int argc, char **argv, struct err *err)
{
	struct script c = {
		.session.path = "perf-lite.data",
		.max_stack = UINT64_MAX,
		.session.resolve.keep_zeros = false,
	};
	const struct opt opts[] = {
		{OPT_GROUP, 0, NULL, NULL, NULL, "Input", NULL, 0},
		{OPT_STRING, 'i', "input", "FILE", &c.session.path,
		 "the recording; - is standard input (default perf-lite.data)", NULL, 0},
		{OPT_STRING, 0, "symfs", "DIR", &c.session.symfs,
		 "look for binaries below DIR instead of /", NULL, 0},
		{OPT_FLAG, 0, "debuginfod", NULL, &c.session.debuginfod,
		 "fetch what is not here from the servers of DEBUGINFOD_URLS", NULL, 0},
		{OPT_STRING, 0, "kallsyms", "FILE", &c.session.kallsyms, "kernel symbols from FILE",
		 NULL, 0},
		{OPT_GROUP, 0, NULL, NULL, NULL, "Which samples", NULL, 0},
		{OPT_STRING, 0, "event", "NAME", &c.event, "of this event only", NULL, 0},
		{OPT_CALL, 'c', "comms", "NAME,...", &c, "of these commands", on_comms, 0},
		{OPT_CALL, 0, "pid", "PID,...", &c, "of these processes", on_pids, 0},
		{OPT_CALL, 0, "tid", "TID,...", &c, "of these threads", on_tids, 0},
		{OPT_CALL, 'C', "cpu", "CPU,...", &c, "on these CPUs (0,2-4)", on_cpus, 0},
		{OPT_CALL, 0, "time", "FROM,TO", &c, "between these times, in seconds", on_time, 0},
		{OPT_GROUP, 0, NULL, NULL, NULL, "What is printed", NULL, 0},
		{OPT_CALL, 'F', "fields", "LIST", &c,
		 "these fields; +FIELD, -FIELD change the defaults; TYPE: before it for one type",
		 on_fields, 0},
		{OPT_FLAG, 'G', "hide-call-graph", NULL, &c.hide_call_graph, "one line a sample",
		 NULL, 0},
		{OPT_FLAG, 0, "quality", NULL, &c.quality.table,
		 "how many stacks are complete, and where and why the others are not", NULL, 0},
		{OPT_CALL, 0, "strict", "PERCENT", &c,
		 "exit with 3 if more stacks are not complete, or frames have no name (default 1)",
		 on_strict, OPT_ARG_OPTIONAL},
		{OPT_CALL, 0, "unwinder", "NAME", &c,
		 "unwind kept stacks with fast, libdw or libunwind", on_unwinder, 0},
		{OPT_UINT, 0, "max-stack", "N", &c.max_stack,
		 "frames to show (default 127; with --folded and --quality all)", NULL, 0},
		{OPT_FLAG, 0, "ns", NULL, &c.text.nanoseconds, "times with nanoseconds", NULL, 0},
		{OPT_FLAG, 0, "reltime", NULL, &c.text.relative_time,
		 "times since the first sample", NULL, 0},
		{OPT_FLAG, 0, "deltatime", NULL, &c.text.delta_time,
		 "times since the sample before", NULL, 0},
		{OPT_FLAG, 0, "header", NULL, &c.header, "what the recording says of itself first",
		 NULL, 0},
		{OPT_FLAG, 0, "header-only", NULL, &c.header_only, "nothing but that", NULL, 0},
		{OPT_CALL, 0, "folded", "EVENT", &c, "folded stacks, for flame graphs", on_folded,
		 OPT_ARG_OPTIONAL},
		{OPT_CALL, 0, "compat", "VERSION", &c,
		 "as perf VERSION prints it, faults included: 6.1 or 6.12", on_compat, 0},
		{OPT_FLAG, 0, "inline", NULL, &c.inlines,
		 "inlined functions in all stacks (default: in those made of DWARF)", NULL, 0},
		{OPT_FLAG, 0, "no-inline", NULL, &c.no_inlines, "inlined functions in none", NULL,
		 0},
		{OPT_FLAG, 0, "full-source-path", NULL, &c.text.full_paths,
		 "source files with their folders", NULL, 0},
		{OPT_FLAG, 0, "no-demangle", NULL, &c.session.resolve.no_demangle,
		 "names as the symbol table has them", NULL, 0},
		{OPT_FLAG, 'q', "quiet", NULL, &c.quiet, "no notes on standard error", NULL, 0},
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
	struct opt_rest rest;
	struct pager pager = {0};
	struct buf cache = {0};
	int ret;

	ret = opt_parse(&table, argc, argv, &rest, err);
	if (ret)
		goto out;
	if (rest.help)
		return cmd_help(&table, err);
	if (rest.argc) {
		ret = err_set(err, EINVAL, "script takes no '%s'", rest.argv[0]);
		err_hint(err, "to read a file: perf-lite script -i %s", rest.argv[0]);
		goto out;
	}
	find_cache(&c, &cache);
	c.session.filter = &c.filter;
	c.filter.time_relative = c.text.relative_time;
	/* a graph of stacks without their outermost frames would be wrong */
	if (c.max_stack == UINT64_MAX && !c.folded && !c.quality.table)
		c.max_stack = PERF_MAX_STACK_DEPTH;
	c.session.resolve.max_stack = (u32)MIN(c.max_stack, (u64)UINT32_MAX);
	if (c.no_inlines)
		c.session.resolve.inlines = INLINES_NONE;
	else if (c.inlines)
		c.session.resolve.inlines = INLINES_ALL;
	pager_start(&pager, NULL);
	ret = run(&c, err);
	pager_finish(&pager);
	if (c.sink)
		c.sink->ops->free(c.sink);
	session_close(c.s);
out:
	buf_free(&cache);
	sample_filter_free(&c.filter);
	script_quality_free(&c.quality);
	vec_free(&c.fields.texts);
	buf_free(&c.out);
	return ret;
}
