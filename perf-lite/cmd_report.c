// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/cmd.h"

#include <errno.h>
#include <unistd.h>

#include "perf-lite/input.h"
#include "perf-lite/report.h"
#include "util/format/header_text.h"
#include "util/library/report_brief.h"

static int count(struct report *r, struct report_count *c, struct err *err)
{
	struct session_sample s;
	int ret;

	while ((ret = reading_sample(&r->in, &s, err)) > 0) {
		ret = report_count_add(c, &s, err);
		if (ret)
			return ret;
	}
	return ret;
}

/* Tracepoints have addresses only where that was asked for: without, all of them are "[unknown] 0000000000000000". */
static void note_placeless(const struct event_set *set, struct buf *lines)
{
	const struct event_desc *first = NULL, *e;
	u32 nr = 0, i;

	for (i = 0; i < set->events.nr; i++) {
		e = &set->events.v[i];
		if (e->attr.type != PERF_TYPE_TRACEPOINT ||
		    e->attr.sample_type & (PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN))
			continue;
		first = first ? first : e;
		nr++;
	}
	if (!nr)
		return;
	buf_addf(lines, "%s", first->name);
	if (nr > 1)
		buf_addf(lines, " and %u more", nr - 1);
	buf_adds(
		lines,
		": no addresses were recorded (perf-lite record --sample-ip, or -g); to group by fields: "
		"-s comm,FIELD\n");
}

/* Keys that no sample has, as perf shows them. */
static void note_lacking(const struct report *r, const struct report_keys *k)
{
	const struct event_set *set = &r->in.s->source->recording->events;
	struct buf lines = {0};
	const char *option;
	u64 needs, has = 0;
	bool places = false;
	u32 i;

	for (i = 0; i < set->events.nr; i++)
		has |= set->events.v[i].attr.sample_type;
	for (i = 0; i < k->keys.nr; i++) {
		places |= k->keys.v[i].kind == KEY_SYMBOL || k->keys.v[i].kind == KEY_DSO;
		needs = sample_keys_needs(k->keys.v[i].kind, &option);
		if (option && needs && !(has & needs))
			buf_addf(&lines, "%s was not recorded: perf-lite record %s\n",
				 k->keys.v[i].name, option);
	}
	if (places)
		note_placeless(set, &lines);
	if (!r->in.quiet && lines.len)
		cmd_put_notes(buf_str(&lines));
	buf_free(&lines);
}

static int make_table(struct report *r, struct buf *out, struct err *err)
{
	struct report_count c;
	int ret = report_count_init(&c, &r->how, r->in.s, err);

	if (!ret)
		ret = count(r, &c, err);
	if (!ret)
		session_finish(r->in.s);
	r->in.no_rows = !c.any_shown;
	if (!ret && !report_count_any(&c)) {
		if (!reading_none_match(&r->in))
			err_set(err, ENODATA, "%s has no samples%s", r->in.session.path,
				r->in.s->totals.any ? " of those that were asked for" : "");
		if (r->form == REPORT_TEXT)
			buf_clear(out);
	}
	if (!ret && report_count_any(&c))
		note_lacking(r, &c.keys);
	if (!ret && (report_count_any(&c) || r->form != REPORT_TEXT))
		ret = report_tables_put(r, &c, out, err);
	report_count_free(&c);
	return ret;
}

/* What the table has no place for goes to standard error. */
static int verdict(struct report *r, struct err *err)
{
	struct buf lines = {0};
	int ret;

	if (r->form != REPORT_TEXT)
		reading_stacks_note(&r->in, &lines);
	if (lines.len)
		buf_addc(&lines, '\n');
	ret = reading_verdict(&r->in, &lines, err);
	buf_free(&lines);
	return ret;
}

static void put_header(const struct report *r, struct buf *out)
{
	if (r->header || r->header_only)
		header_text(r->in.s->source->recording, r->in.session.path, r->show_info, out);
	else if (r->form == REPORT_TEXT && !r->in.quiet && !r->brief_lines)
		buf_adds(out, "# To display the perf.data header info, please use "
			      "--header/--header-only options.\n#\n");
}

static int count_brief(struct report *r, struct report_brief *b, struct err *err)
{
	struct session_sample s;
	int ret;

	while ((ret = reading_sample(&r->in, &s, err)) > 0) {
		ret = report_brief_add(b, &s, err);
		if (ret)
			return ret;
	}
	return ret;
}

/* Its notes on standard error, then the lines: those on damage know what the notes found. */
static int finish_brief(struct report *r, struct report_brief *b, struct buf *out, struct err *err)
{
	struct err ignored;
	int verdict, ret;

	session_finish(r->in.s);
	r->in.no_rows = !b->samples;
	verdict = reading_verdict(&r->in, NULL, err);
	ret = report_brief_make(b, verdict == CMD_PARTIAL ? err->msg : NULL,
				verdict ? &ignored : err);
	reading_put_late_notes(&r->in);
	if (ret)
		return ret;
	if (r->form == REPORT_JSON)
		brief_json(&b->brief, out);
	else if (b->samples)
		brief_text(&b->brief, out);
	if (!b->samples && !verdict && !reading_none_match(&r->in))
		err_set(err, ENODATA, "%s has no samples%s", r->in.session.path,
			r->in.s->totals.any ? " of those that were asked for" : "");
	return verdict;
}

/* --brief: the finding, in lines or as JSON. CMD_OK, or CMD_PARTIAL for a damaged recording. */
static int make_brief(struct report *r, struct buf *out, struct err *err)
{
	struct report_brief b = {
		.in = &r->in,
		.how = &r->how,
		.lines = r->brief_lines,
		.percent_limit = r->percent_limit,
	};
	int ret = report_brief_init(&b, err);

	if (!ret)
		ret = count_brief(r, &b, err);
	if (!ret)
		ret = finish_brief(r, &b, out, err);
	report_brief_free(&b);
	return ret;
}

/* What has to be read, before the recording is opened. */
static int choose(struct report *r, struct err *err)
{
	struct session_options *o = &r->in.session;
	int ret = 0;

	if (r->form == REPORT_TASKS) {
		o->records = report_tasks_records();
		o->want.no_raw = o->want.no_chains = true;
	} else {
		ret = report_count_needs(&r->how, place_filter_any(&r->in.select.places), o, NULL,
					 err);
	}
	if (r->brief_lines)
		report_brief_needs(&o->want);
	return ret;
}

static int run(struct report *r, struct buf *out, struct err *err)
{
	int ret;

	if (r->form == REPORT_STATS)
		return report_stats(r, out, err);
	r->in.judges = true;
	r->in.rows = &r->how.shown;
	r->in.row_places = &r->how.places;
	ret = choose(r, err);
	if (!ret)
		ret = reading_open(&r->in, err);
	if (!ret)
		ret = reading_choose_event(&r->in, false, "--event", err);
	if (ret)
		return ret;
	if (r->brief_lines)
		return make_brief(r, out, err);
	put_header(r, out);
	if (r->header_only)
		return input_damage_report(r->in.s->source->recording, 0, r->in.quiet, err);
	ret = r->form == REPORT_TASKS ? report_tasks(r, out, err) : make_table(r, out, err);
	return ret ? ret : verdict(r, err);
}

int cmd_report(int argc, char **argv, struct err *err)
{
	struct opt_rest rest = {0};
	struct buf out = {0};
	struct report r;
	int ret;

	ret = report_options(&r, argc, argv, &rest, err);
	if (!ret && !rest.help) {
		ret = run(&r, &out, err);
		ret = cmd_write_paged(ret, &out, err);
	}
	report_options_free(&r);
	reading_end(&r.in);
	return ret;
}
