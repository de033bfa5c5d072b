// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perf-lite/damage_lines.h"
#include "perf-lite/loss_lines.h"
#include "util/base/io.h"
#include "util/base/text.h"
#include "util/cli/progress.h"
#include "util/file/perfdata_write.h"
#include "util/file/sorter.h"
#include "util/process/process.h"
#include "util/record/raw_layout.h"

/* Written out in pieces of this size, each with what lets a reader of a pipe go on. */
#define OUT_SIZE (1u << 20)

struct convert {
	const char *input, *output, *to;
	bool quiet;
	struct progress progress;
	struct source *source;
	struct sorter sorter;
	struct process_model model; /* tells the process of a sample that says its thread alone */
	char *temp;                 /* the output's name until it is whole, NULL: a pipe */
	int fd;
	u64 lost;      /* by records of the recording */
	u64 malformed; /* samples that do not fit their event */
	u64 copies;    /* events whose copies of stacks are left out */
};

struct convert_format {
	const char *name, *summary;
	const char *output; /* by default */
	bool binary;        /* not for a terminal */
	int (*run)(struct convert *c, struct err *err);
};

/* What the raw data of its tracepoints tell. */
static int derive_event(struct recording *r, u32 event, struct err *err)
{
	const struct event_desc *e = &r->events.events.v[event];
	const struct tp_text *t;
	struct plan_derive derive;
	struct tp_format *f;
	struct err why = {0};

	if (e->attr.type != PERF_TYPE_TRACEPOINT)
		return 0;
	t = recording_tracepoint(r, e->attr.config);
	f = t ? tp_format_parse(t->format, t->format_len, &why) : NULL;
	if (!f)
		return why.code == ENOMEM ? err_nomem(err) : 0;
	raw_layout_derive(f, &derive);
	event_set_derive(&r->events, event, &derive);
	tp_format_free(f);
	return 0;
}

static bool is_perfs(const struct source *s)
{
	return strcmp(s->ops->name, "perf-lite") != 0;
}

static int know_events(struct convert *c, struct err *err)
{
	struct event_set *events = &c->source->recording.events;
	int ret = 0;
	u32 i;

	if (!is_perfs(c->source))
		event_set_ring_cpus(events);
	for (i = 0; i < events->events.nr && !ret; i++) {
		ret = derive_event(&c->source->recording, i, err);
		c->copies += !is_perfs(c->source) &&
			     events->events.v[i].plan.sample_type & PERF_SAMPLE_STACK_USER;
	}
	return ret;
}

static void find_pid(const struct convert *c, struct rec_ids *ids)
{
	const struct thread *t;

	if (ids->pid != ID_NONE || ids->tid == ID_NONE)
		return;
	t = process_find_thread(&c->model, ids->tid);
	ids->pid = t ? t->pid : ids->tid;
}

static void count_loss(struct convert *c, const struct rec *rec)
{
	struct cur b = rec_body(rec);

	if (rec->type == PERF_RECORD_LOST)
		cur_skip(&b, 8);
	if (rec->type == PERF_RECORD_LOST || rec->type == PERF_RECORD_LOST_SAMPLES)
		c->lost += cur_u64(&b);
}

static int write_out(struct convert *c, struct perfdata_writer *w, struct err *err)
{
	int ret = io_write(c->fd, w->out.data, w->out.len);

	perfdata_writer_written(w);
	if (ret)
		return err_set(err, -ret, "cannot write %s: %s", c->output, strerror(-ret));
	progress_update(&c->progress, w->written, 0);
	return 0;
}

static int convert_record(struct convert *c, struct perfdata_writer *w, const struct rec *rec,
			  u32 event, struct err *err)
{
	const struct event_set *events = &c->source->recording.events;
	struct sample sample;

	if (rec->type != PERF_RECORD_SAMPLE) {
		process_apply(&c->model, rec);
		if (c->model.failed)
			return err_nomem(err);
		count_loss(c, rec);
		return perfdata_writer_record(w, rec, event, err);
	}
	if (!plan_sample(&events->events.v[event].plan, rec, &sample)) {
		c->malformed++;
		return 0;
	}
	find_pid(c, &sample.ids);
	return perfdata_writer_sample(w, rec, event, &sample, err);
}

static int write_header(struct convert *c, const struct perfdata_writer *w, struct err *err)
{
	struct buf b = {0};
	int ret;

	perfdata_writer_header(w, &b);
	ret = b.failed || pwrite(c->fd, b.data, b.len, 0) != (ssize_t)b.len
		      ? err_set(err, errno, "cannot write %s: %s", c->output, strerror(errno))
		      : 0;
	buf_free(&b);
	return ret;
}

static int convert_all(struct convert *c, struct perfdata_writer *w, struct err *err)
{
	const struct perfdata_write_options o = {
		.pipe = !c->temp,
		.as_recorded = is_perfs(c->source),
	};
	struct rec rec;
	bool begun = false;
	u32 event;
	int ret;

	do {
		/* the events are known with the first record */
		ret = sorter_next(&c->sorter, &rec, &event, err);
		if (ret >= 0 && !begun) {
			begun = true;
			if (know_events(c, err) ||
			    perfdata_writer_begin(w, &c->source->recording, &o, err))
				return -EINVAL;
		}
		if (ret <= 0)
			break;
		ret = convert_record(c, w, &rec, event, err);
		if (!ret &&
		    (w->out.len >= OUT_SIZE || (!c->temp && c->sorter.pos == c->sorter.ready))) {
			ret = perfdata_writer_round(w, UINT64_MAX, err);
			if (!ret)
				ret = write_out(c, w, err);
		}
	} while (!ret);
	if (!ret)
		ret = perfdata_writer_end(w, err);
	if (!ret)
		ret = write_out(c, w, err);
	return !ret && c->temp ? write_header(c, w, err) : ret;
}

static void say_what_is_missing(const struct convert *c, const struct perfdata_writer *w)
{
	struct buf lines = {0};

	if (c->quiet)
		return;
	loss_lines(&c->source->recording, c->lost, "", &lines);
	fputs(buf_str(&lines), stderr);
	buf_free(&lines);
	if (c->copies)
		fputs("copies of stacks are left out: the call chains that they told are written\n",
		      stderr);
	if (w->shortened)
		fprintf(stderr,
			"%llu call chains were too long for perf.data: their ends are left out\n",
			(unsigned long long)w->shortened);
}

static int to_perfdata(struct convert *c, struct err *err)
{
	struct perfdata_writer w = {0};
	int ret = convert_all(c, &w, err);

	if (!ret)
		say_what_is_missing(c, &w);
	c->malformed += w.unfit;
	perfdata_writer_free(&w);
	return ret;
}

static const struct convert_format formats[] = {
	{"perf.data", "perf's own file: for perf, hotspot and whoever reads it", "perf.data", true,
	 to_perfdata},
};

static const struct convert_format *find_format(const char *name, struct err *err)
{
	struct text_suggest suggest;
	struct buf names = {0};
	u32 i;

	if (name)
		text_suggest_init(&suggest, name);
	for (i = 0; i < ARRAY_SIZE(formats); i++) {
		if (name && !strcmp(formats[i].name, name))
			break;
		if (name)
			text_suggest_add(&suggest, formats[i].name);
		buf_addf(&names, "%s%s", i ? ", " : "", formats[i].name);
	}
	if (i == ARRAY_SIZE(formats)) {
		if (name)
			err_set(err, EINVAL, "--to: there is no format '%s'", name);
		else
			err_set(err, EINVAL, "convert to what?");
		if (name && suggest.best)
			err_hint(err, "did you mean --to %s?", suggest.best);
		else
			err_hint(err, "--to takes one of: %s", buf_str(&names));
	}
	buf_free(&names);
	return i < ARRAY_SIZE(formats) ? &formats[i] : NULL;
}

/* Would the output replace what is being read? */
static bool is_input(const struct convert *c)
{
	struct stat in, out;

	return !stat(c->output, &out) &&
	       !(strcmp(c->input, "-") ? stat(c->input, &in) : fstat(STDIN_FILENO, &in)) &&
	       in.st_dev == out.st_dev && in.st_ino == out.st_ino;
}

/* A file is made beside its name, and takes that when it is whole; a pipe is written as it is. */
static int open_output(struct convert *c, const struct convert_format *f, struct err *err)
{
	struct stat st;

	if (!strcmp(c->output, "-")) {
		c->output = "standard output";
		c->fd = STDOUT_FILENO;
		if (!f->binary || !isatty(STDOUT_FILENO))
			return 0;
		err_set(err, EINVAL, "%s is not written to a terminal", f->name);
		err_hint(err, "perf-lite convert --to %s -o FILE", f->name);
		return -EINVAL;
	}
	if (is_input(c)) {
		err_set(err, EINVAL, "%s is the recording that is to be read", c->output);
		err_hint(err, "give another name with -o FILE");
		return -EINVAL;
	}
	if (!stat(c->output, &st) && !S_ISREG(st.st_mode)) {
		if (S_ISDIR(st.st_mode))
			return err_set(err, EISDIR, "cannot create %s: it is a directory",
				       c->output);
		c->fd = io_open(AT_FDCWD, c->output, O_WRONLY);
	} else {
		if (asprintf(&c->temp, "%s.%d.tmp", c->output, (int)getpid()) < 0) {
			c->temp = NULL;
			return err_nomem(err);
		}
		c->fd = io_open(AT_FDCWD, c->temp, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW);
		if (c->fd < 0) {
			free(c->temp);
			c->temp = NULL;
		}
	}
	if (c->fd >= 0)
		return 0;
	err_set(err, -c->fd, "cannot create %s: %s", c->output, strerror(-c->fd));
	err_hint(err, "choose a place that you may write to with -o FILE");
	return c->fd;
}

static int close_output(struct convert *c, int ret, struct err *err)
{
	if (c->fd > STDERR_FILENO && close(c->fd) && !ret)
		ret = err_set(err, errno, "cannot write %s: %s", c->output, strerror(errno));
	if (c->temp && !ret && rename(c->temp, c->output))
		ret = err_set(err, errno, "cannot name the file %s: %s", c->output,
			      strerror(errno));
	if (c->temp && ret)
		unlink(c->temp);
	free(c->temp);
	c->temp = NULL;
	return ret;
}

static int run(struct convert *c, const struct convert_format *f, struct err *err)
{
	int ret;

	/* a limit of file size is an error of write(2), reported as such */
	signal(SIGXFSZ, SIG_IGN);
	c->source = source_open(c->input, err);
	if (!c->source)
		return -EINVAL;
	sorter_init(&c->sorter, c->source);
	ret = process_init(&c->model, err);
	if (!ret)
		ret = open_output(c, f, err);
	if (!ret) {
		progress_start(&c->progress, "Converting", STDERR_FILENO);
		ret = f->run(c, err);
		progress_end(&c->progress);
		ret = close_output(c, ret, err);
	}
	if (!ret)
		ret = damage_report(c->source, c->malformed + c->sorter.unknown, c->quiet, err);
	process_free(&c->model);
	sorter_free(&c->sorter);
	source_close(c->source);
	return ret;
}

static void list_formats(struct buf *b)
{
	u32 i;

	buf_adds(b, "Formats:\n");
	for (i = 0; i < ARRAY_SIZE(formats); i++)
		buf_addf(b, "  %-12s %s\n", formats[i].name, formats[i].summary);
	buf_adds(
		b,
		"Exit codes: 0 converted, 1 wrong usage or unreadable, 3 converted without what is damaged.\n");
}

int cmd_convert(int argc, char **argv, struct err *err)
{
	struct convert c = {.input = "perf-lite.data", .fd = -1};
	struct buf notes = {0};
	const struct opt opts[] = {
		{OPT_STRING, 'i', "input", "FILE", &c.input,
		 "the recording; - is standard input (default perf-lite.data)", NULL, 0},
		{OPT_STRING, 'o', "output", "FILE", &c.output,
		 "where to; - is standard output (default: the format's name)", NULL, 0},
		{OPT_STRING, 0, "to", "FORMAT", &c.to, "one of those below", NULL, 0},
		{OPT_FLAG, 'q', "quiet", NULL, &c.quiet, "do not say what is left out", NULL, 0},
	};
	struct opt_table table = {
		.command = "convert",
		.summary = "write a recording in another format",
		.usage = {"--to FORMAT [-i FILE] [-o FILE]"},
		.opts = opts,
		.nr = ARRAY_SIZE(opts),
	};
	const struct convert_format *f;
	struct opt_rest rest;
	int ret;

	list_formats(&notes);
	table.notes = buf_str(&notes);
	ret = opt_parse(&table, argc, argv, &rest, err);
	if (!ret && rest.help)
		ret = cmd_help(&table, err);
	else if (!ret && rest.argc)
		ret = err_set(err, EINVAL, "'%s': recordings are named with -i", rest.argv[0]);
	else if (!ret) {
		f = find_format(c.to, err);
		if (f && !c.output)
			c.output = f->output;
		ret = f ? run(&c, f, err) : -EINVAL;
	}
	buf_free(&notes);
	return ret;
}
