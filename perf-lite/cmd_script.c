// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/cmd.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perf-lite/input.h"
#include "perf-lite/script.h"
#include "util/base/io.h"
#include "util/cli/terminal.h"
#include "util/format/header_text.h"
#include "util/format/record_dump.h"

/* Text is written out in pieces of this size. */
#define OUT_SIZE (256 * 1024)

/* Write what has gathered. */
static int flush(struct script *c, struct err *err)
{
	int ret = 0;

	if (c->out.failed)
		return err_nomem(err);
	if (c->out.len)
		ret = io_write(STDOUT_FILENO, c->out.data, c->out.len);
	buf_clear(&c->out);
	if (!ret)
		return 0;
	c->unwritten = true;
	cmd_cannot_write(-ret, err);
	return ret;
}

static bool shows_frames(const struct fields *f)
{
	u64 on = 0;
	u32 i;

	for (i = 0; i < FIELD_TYPE_COUNT; i++)
		on |= f->on[i];
	return f->use_chains && on & FIELD_BIT(FIELD_IP);
}

static int make_sink(struct script *c, struct err *err)
{
	const struct recording *r = c->in.s->source->recording;
	struct buf notes = {0};
	struct fields fields;
	int ret;

	ret = reading_choose_event(&c->in, c->folded || c->export.text_dialect,
				   c->folded ? "--folded" : "--event", err);
	if (ret || c->quality.table)
		return ret;
	if (c->folded) {
		const struct stack_field *field =
			script_export_field(&c->export, c->in.s, c->in.only_event, err);

		if (c->export.stack_field && !field)
			return -EINVAL;
		c->sink = &c->sinks.folded.sink;
		return folded_sink_init(&c->sinks.folded, c->in.s->symboliser, c->in.only_event,
					field, err);
	}
	if (script_export_text(&c->export))
		return script_export_sink(&c->export, c->in.s, c->in.only_event, NULL, &c->sink,
					  err);
	c->fields.hide_call_graph = c->hide_call_graph;
	/* what perf does not know of a stream when it decides */
	c->fields.stream_loses_offsets =
		c->in.session.as_perf && c->in.s->source->recording->perf.stream;
	c->text.trace_numbers = c->fields.stream_loses_offsets;
	ret = script_export_fields(&c->export, &r->events, c->in.only_event, &c->fields, err);
	if (ret)
		return ret;
	ret = time_text_init(&c->time, c->in.time_form, c->nanoseconds, r, err);
	if (ret)
		return ret;
	c->fields.has_wall_clock = time_text_knows_day(&c->time);
	ret = fields_init(&fields, &r->events, &c->fields, &notes, err);
	if (!c->in.quiet && notes.len)
		cmd_put_notes(buf_str(&notes));
	buf_free(&notes);
	if (ret)
		return ret;
	c->quality.unseen = c->in.select.limit || !shows_frames(&fields);
	if (c->export.json)
		return script_export_sink(&c->export, c->in.s, c->in.only_event, &fields, &c->sink,
					  err);
	script_text_init(&c->sinks.script, &c->text, &fields, c->in.s->symboliser, &r->events,
			 c->in.s->programs, c->in.s->strings, c->in.s->cgroups);
	c->sink = &c->sinks.script.sink;
	return 0;
}

static int print_record(struct script *c, struct err *err)
{
	int ret = 0;

	if (c->sink && c->sink->ops->record)
		ret = c->sink->ops->record(c->sink, &c->in.s->record, &c->out, err);
	return !ret && c->out.len >= OUT_SIZE ? flush(c, err) : ret;
}

static int print_samples(struct script *c, struct err *err)
{
	struct session_sample sample;
	int ret = 0;

	while ((ret = reading_next(&c->in, &sample, err)) > 0) {
		if (ret == SESSION_WAIT) {
			/* a pipe is printed as it comes */
			ret = c->in.live ? flush(c, err) : 0;
			if (ret)
				return ret;
			continue;
		}
		if (ret == SESSION_RECORD) {
			ret = print_record(c, err);
			if (ret)
				return ret;
			continue;
		}
		/* perf counts from the first sample that it prints */
		if (!c->in.session.as_perf)
			time_text_from(&c->time, c->in.filter.time_first);
		sample.comm = script_export_comm(&c->export, sample.comm);
		ret = script_quality_sample(&c->quality, &c->in, &sample, err);
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
		ret = script_quality_table(&c->in, &c->out, err);
	if (!ret && c->export.json)
		json_sink_losses(c->in.s, &c->out);
	return ret ? ret : flush(c, err);
}

/* What the reader could not have: on stderr, one line each; damage makes the result partial. */
static int report_loss(struct script *c, struct err *err)
{
	struct buf lines = {0};
	int ret;

	script_quality_note(&c->quality, &c->in, &lines);
	if (c->time.recording)
		time_text_steps(&c->time, &lines);
	ret = reading_verdict(&c->in, &lines, err);
	buf_free(&lines);
	return ret ? ret : script_quality_verdict(&c->quality, &c->in, err);
}

/* -D: the records in the order of the file, without what is made of them. */
static int dump(struct script *c, struct err *err)
{
	const struct event_set *events;
	struct err later = {0};
	struct buf lines = {0};
	struct source *s;
	struct rec rec;
	u64 nr = 0;
	int ret = 0, written;

	input_spare_interrupt(c->in.session.path);
	s = source_open(c->in.session.path, err);
	if (!s)
		return -EINVAL;
	events = &s->recording->events;
	while ((!c->in.select.limit || nr < c->in.select.limit) &&
	       (ret = source_next(s, &rec, err)) > 0) {
		record_dump(events, &rec, event_set_find(events, &rec), s->recording->at,
			    s->recording->path, &c->out);
		nr++;
		ret = c->out.len >= OUT_SIZE ? flush(c, err) : 0;
		if (ret)
			break;
	}
	/* the records before a failure are what is looked for */
	written = flush(c, ret < 0 ? &later : err);
	if (ret >= 0)
		ret = written;
	if (!ret && reading_damage_lines(s->recording, 0, &lines, err))
		ret = CMD_PARTIAL;
	if (!c->in.quiet)
		fputs(buf_str(&lines), stderr);
	buf_free(&lines);
	source_close(s);
	return ret;
}

static int run(struct script *c, struct err *err)
{
	int ret;

	if (c->dump)
		return dump(c, err);

	c->in.judges = true;
	/* folded stacks show nothing of raw data, and one line a sample nothing of stacks */
	c->in.session.want.no_raw = (c->folded && !c->export.stack_field) || c->quality.table;
	c->in.session.want.no_chains = c->hide_call_graph && !c->fields.texts.nr &&
				       !c->quality.strict && !c->export.json &&
				       !place_filter_any(&c->in.select.places);
	/* lines that are seen coming are progress enough */
	if (!isatty(STDOUT_FILENO))
		c->in.what = "Reading samples";
	ret = reading_open(&c->in, err);
	if (ret)
		return ret;
	if (c->header || c->header_only)
		header_text(c->in.s->source->recording, c->in.session.path, c->show_info, &c->out);
	if (c->header_only) {
		ret = flush(c, err);
		return ret ? ret
			   : input_damage_report(c->in.s->source->recording, 0, c->in.quiet, err);
	}
	ret = make_sink(c, err);
	if (!ret)
		ret = print_samples(c, err);
	if (!ret || c->in.s->totals.samples) {
		/* what was read before a failure is printed all the same */
		struct err ignored = {0};

		flush(c, &ignored);
	}
	return ret ? ret : report_loss(c, err);
}

int cmd_script(int argc, char **argv, struct err *err)
{
	struct script c;
	struct opt_rest rest;
	struct pager pager = {0};
	int ret;

	ret = script_options(&c, argc, argv, &rest, err);
	if (ret || rest.help)
		goto out;
	pager_start(&pager, NULL);
	ret = run(&c, err);
	if (c.unwritten)
		ret = CMD_PARTIAL;
	pager_finish(&pager);
	if (c.sink)
		c.sink->ops->free(c.sink);
out:
	script_export_free(&c.export);
	reading_end(&c.in);
	script_quality_free(&c.quality);
	time_text_free(&c.time);
	name_list_free(&c.stop_at);
	vec_free(&c.fields.texts);
	buf_free(&c.out);
	return ret;
}
