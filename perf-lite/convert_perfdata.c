// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/convert.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "perf-lite/input.h"
#include "util/base/text.h"
#include "util/file/perfdata_write.h"
#include "util/file/reorder.h"
#include "util/process/process.h"
#include "util/profile/deferred_chains.h"
#include "util/record/raw_layout.h"

/* Written out in pieces of this size, each with what lets a reader of a pipe go on. */
#define OUT_SIZE (1u << 20)

struct perfdata {
	struct convert *c;
	struct source *source;
	struct process_model model; /* gives the process of a sample that has only a tid */
	struct progress progress;
	u64 lost;      /* by records of the recording */
	u64 malformed; /* samples that do not fit their event */
	u64 copies;    /* events whose copies of stacks are left out */
};

/* Take what the raw data of its tracepoints gives. */
static int derive_event(struct recording *r, u32 event, struct err *err)
{
	struct sample_layout_derive derive;
	struct err why = {0};
	struct tp_format *f = recording_event_format(r, event, &why);

	if (!f)
		return why.code == ENOMEM ? err_nomem(err) : 0;
	raw_layout_derive(f, &derive);
	event_set_derive(&r->events, event, &derive);
	tp_format_free(f);
	return 0;
}

static int know_events(struct perfdata *p, struct err *err)
{
	struct recording *r = p->source->recording;
	int ret = 0;
	u32 i;

	for (i = 0; i < r->events.events.nr && !ret; i++) {
		ret = derive_event(r, i, err);
		p->copies += !r->perfdata &&
			     r->events.events.v[i].layout.sample_type & PERF_SAMPLE_STACK_USER;
	}
	return ret;
}

static void find_pid(const struct perfdata *p, struct rec_ids *ids)
{
	const struct thread *t;

	if (ids->pid != ID_NONE || ids->tid == ID_NONE)
		return;
	t = process_find_thread(&p->model, ids->tid);
	ids->pid = t ? t->pid : ids->tid;
}

static void count_loss(struct perfdata *p, const struct rec *rec)
{
	struct cur b = rec_body(rec);

	if (rec->type == PERF_RECORD_LOST)
		cur_skip(&b, 8);
	if (rec->type == PERF_RECORD_LOST || rec->type == PERF_RECORD_LOST_SAMPLES)
		p->lost += cur_u64(&b);
}

static int write_out(struct perfdata *p, struct perfdata_writer *w, struct err *err)
{
	int ret = output_file_write(&p->c->out, &w->out, err);

	perfdata_writer_written(w);
	progress_update(&p->progress, w->written, 0);
	return ret;
}

static int write_record(struct perfdata *p, struct perfdata_writer *w, const struct rec *rec,
			struct err *err)
{
	const struct event_set *events = &p->source->recording->events;
	struct sample sample;

	if (rec->type != PERF_RECORD_SAMPLE) {
		process_apply(&p->model, rec);
		if (p->model.failed)
			return err_nomem(err);
		count_loss(p, rec);
		return perfdata_writer_record(w, rec, rec->event, err);
	}
	if (!sample_layout_sample(&events->events.v[rec->event].layout, rec, &sample)) {
		p->malformed++;
		return 0;
	}
	find_pid(p, &sample.ids);
	return perfdata_writer_sample(w, rec, rec->event, &sample, err);
}

static int write_header(struct perfdata *p, const struct perfdata_writer *w, struct err *err)
{
	struct buf b = {0};
	int ret;

	perfdata_writer_header(w, &b);
	ret = output_file_rewrite(&p->c->out, &b, err);
	buf_free(&b);
	return ret;
}

static int begin(struct perfdata *p, struct perfdata_writer *w, struct err *err)
{
	const struct perfdata_write_options o = {
		.pipe = !output_file_seeks(&p->c->out),
		.as_recorded = p->source->recording->perfdata,
	};
	int ret = know_events(p, err);

	return ret ? ret : perfdata_writer_begin(w, p->source->recording, &o, err);
}

static int write_round(struct perfdata *p, struct perfdata_writer *w, struct err *err)
{
	int ret = perfdata_writer_round(w, UINT64_MAX, err);

	return ret ? ret : write_out(p, w, err);
}

/* Whoever reads the pipe shall not wait for what is there while the next record is waited for. */
static int write_records(struct perfdata *p, struct perfdata_writer *w, struct err *err)
{
	const bool pipe = !output_file_seeks(&p->c->out);
	struct rec rec;
	int ret, step;

	ret = begin(p, w, err);
	while (!ret && (step = source_step(p->source, &rec, err)) != SOURCE_END) {
		if (step < 0)
			return step;
		if (step == SOURCE_RECORD && !rec.ahead)
			ret = write_record(p, w, &rec, err);
		if (!ret && (w->out.len >= OUT_SIZE || (pipe && step == SOURCE_WAIT)))
			ret = write_round(p, w, err);
	}
	return ret;
}

static int write_all(struct perfdata *p, struct perfdata_writer *w, struct err *err)
{
	int ret = write_records(p, w, err);

	if (!ret)
		ret = perfdata_writer_end(w, err);
	if (!ret)
		ret = write_out(p, w, err);
	return !ret && output_file_seeks(&p->c->out) ? write_header(p, w, err) : ret;
}

static void say_what_is_missing(const struct perfdata *p, const struct perfdata_writer *w)
{
	struct buf lines = {0};

	if (p->c->in.quiet)
		return;
	reading_loss_lines(p->source->recording, p->lost, "", &lines);
	deferred_chains_note(p->source->recording, &lines);
	fputs(buf_str(&lines), stderr);
	buf_free(&lines);
	if (p->copies)
		fputs("copies of stacks are left out: the call chains unwound from them are written\n",
		      stderr);
	if (w->shortened)
		fprintf(stderr,
			"%llu call chain%s %s too long for perf.data: the outermost frames are left out\n",
			(unsigned long long)w->shortened, TEXT_PLURAL(w->shortened),
			TEXT_WERE(w->shortened));
}

static int convert(struct perfdata *p, struct err *err)
{
	struct perfdata_writer w = {0};
	int ret;

	progress_start(&p->progress, "Converting", STDERR_FILENO);
	ret = write_all(p, &w, err);
	progress_end(&p->progress);
	ret = output_file_close(&p->c->out, ret, err);
	if (!ret)
		say_what_is_missing(p, &w);
	p->malformed += w.unfit;
	perfdata_writer_free(&w);
	return ret;
}

/* What is chosen among samples, or said of names, that the file has no place for. */
static int refuse_choice(const struct reading *r, struct err *err)
{
	const struct {
		const char *option;
		bool given;
	} names[] = {
		{"--max-stack", r->max_stack != UINT64_MAX},
		{"--inline", r->inlines},
		{"--no-inline", r->no_inlines},
		{"--no-demangle", r->session.resolve.no_demangle},
		{"--symfs", r->session.symfs},
		{"--debuginfod", r->session.debuginfod},
		{"--kallsyms", r->session.kallsyms},
		{"--vmlinux", r->session.vmlinux},
	};
	const char *option = r->event ? "--event" : reading_needs_recording(r);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names) && !option; i++)
		if (names[i].given)
			option = names[i].option;
	if (!option)
		return 0;
	err_set(err, EINVAL,
		"%s is not for perf.data: all records are written, and perf finds their names",
		option);
	err_hint(err, "choose where it is read: perf script and perf report have options for that");
	return -EINVAL;
}

/* perf's own records are kept as they are. */
static int chain_stages(struct perfdata *p, struct err *err)
{
	const struct deferred_chains_options bounds = {.max_bytes = DEFERRED_CHAINS_BYTES};
	const struct recording *r = p->source->recording;
	int ret = reorder_wrap(&p->source, err);

	if (!ret)
		ret = reorder_prepare(p->source, err);
	if (!ret && r->events.defers && !r->perfdata)
		ret = deferred_chains_wrap(&p->source, &bounds, err);
	return ret;
}

int convert_perfdata(struct convert *c, struct err *err)
{
	struct perfdata p = {.c = c};
	int ret = refuse_choice(&c->in, err);

	if (ret)
		return ret;
	input_spare_interrupt(c->in.session.path);
	p.source = source_open(c->in.session.path, err);
	if (!p.source)
		return -EINVAL;
	ret = chain_stages(&p, err);
	if (!ret)
		ret = process_init(&p.model, err);
	if (!ret)
		ret = output_file_open(&c->out, c->output, c->in.session.path, OUTPUT_PRIVATE, err);
	if (!ret)
		ret = convert(&p, err);
	if (!ret)
		ret = input_damage_report(p.source->recording,
					  p.malformed + p.source->recording->damage.unknown,
					  c->in.quiet, err);
	process_free(&p.model);
	source_close(p.source);
	return ret;
}
