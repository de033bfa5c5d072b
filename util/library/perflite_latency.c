// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/clock.h"
#include "util/library/perflite_internal.h"
#include "util/report/count_view.h"

struct timing {
	struct perflite *p;
	struct latency l;
	bool borrows; /* l.who is that of p->watched.latency */
	struct count_keys keys;
	struct buf by;
	struct arena arena; /* values of options */
	u64 last;           /* sample */
	struct histogram spread;
	struct perflite_keys columns;
	struct count_parts parts; /* behind the other columns */
	struct perflite_table *out;
	struct err err;
};

/* --- the option `latency` --- */

static int find_preset(struct latency *l, const char *name, struct err *err)
{
	int ret = latency_presets_read(&l->presets, err);

	if (ret)
		return ret;
	l->asked.preset = latency_presets_find(&l->presets, name, err);
	return l->asked.preset ? 0 : -EINVAL;
}

int perflite_latency_watch(struct perflite *p, bool command, struct err *err)
{
	struct sampling *s = &p->watching.what;
	struct latency *l;
	int ret;

	if (s->any_event)
		return err_refuse(err, "latency=PRESET has events of its own",
				  "leave out either event or latency");
	l = p->watched.latency = calloc(1, sizeof(*l));
	if (!l)
		return err_nomem(err);
	l->w = &p->watching;
	l->asked.chains = s->attrs.call_chain;
	ret = find_preset(l, p->asked.latency, err);
	if (!ret)
		ret = latency_choose(l, command, err);
	/* a control group limits the events before it */
	s->collects = false;
	return ret ? ret
		   : latency_presets_in_file(&l->presets, l->asked.preset,
					     latency_points_open(l, err), err);
}

void perflite_latency_free(struct perflite *p)
{
	if (p->watched.latency)
		latency_free(p->watched.latency);
	free(p->watched.latency);
}

/* --- what is asked for --- */

#define OPT_STRUCT struct timing

static const struct opt rows[] = {
	OPT_INCLUDE(latency_point_opts, l),
	OPT_STRING(0, "presets", "FILE", l.presets.option, "presets of your own"),
	OPT_INCLUDE(latency_span_opts, l),
	OPT_STRING(0, "by", "KEY,...", l.asked.by, "group by these keys"),
	OPT_INCLUDE(latency_thread_opts, l),
	OPT_UINT(0, "slowest", "N", l.asked.slowest, "the N longest spans"),
	OPT_FLAG(0, "open", l.asked.open, "spans that have not ended"),
	OPT_END,
};

static bool chooses_tasks(const struct reading *in)
{
	const struct sample_filter *f = &in->filter;

	return f->pids.nr || f->tids.nr || f->cpus.nr || f->comms.nr;
}

/* Would points be missing that the recording, or the running system, has? */
static int check_samples(const struct timing *t, bool everybody, struct err *err)
{
	const struct perflite *p = t->p;
	const struct reading *in = &p->watching.in;
	const struct latency *l = &t->l;

	if (p->asked.no_fields)
		return err_refuse(err, "no-fields: spans are paired by fields of samples",
				  "leave out no-fields");
	if (in->select.fields.asked.nr && !p->live)
		return err_refuse(
			err,
			"the recording was opened with a filter, which leaves out ends of spans",
			"give the filter to perflite_latency(): it chooses spans");
	if (l->points.others && !p->live && chooses_tasks(in))
		return err_refuse(
			err,
			"spans begin and end by events of other threads, which comm, pid, tid and cpu leave out",
			"open the recording without them; comm and tid are keys");
	if (l->points.others && p->live && !everybody)
		return err_refuse(
			err,
			"spans begin and end by events of other threads, which are not watched",
			"perflite_watch() with latency=PRESET opens all that is needed");
	if (l->states.on && p->live && !(p->watched.latency && p->watched.latency->states.on))
		return err_refuse(
			err,
			"split and waker need all switches and wake-ups, which are not watched",
			"record them, or watch with latency=states");
	return 0;
}

/* The targets of what runs already stay as they are. */
static int choose(struct timing *t)
{
	struct sampling *s = &t->p->watching.what;
	const bool all_cpus = s->all_cpus, include_self = s->include_self;
	const struct targets_ids pids = s->pids, tids = s->tids;
	const char *comm = s->targets.comm;
	struct latency *l = &t->l;
	int ret = latency_choose(l, false, &t->err);

	if (!ret)
		ret = check_samples(t, all_cpus && include_self, &t->err);
	s->all_cpus = all_cpus;
	s->include_self = include_self;
	s->pids = pids;
	s->tids = tids;
	s->targets.comm = comm;
	l->who = (struct latency_threads){0};
	if (l->asked.by)
		buf_adds(&t->by, l->asked.by);
	if (!ret)
		ret = latency_by(l, &t->by, &t->err);
	if (!ret)
		ret = latency_presets_in_file(
			&l->presets, l->asked.by ? NULL : l->asked.preset,
			count_keys_parse(&t->keys, buf_str(&t->by), "period", &t->err), &t->err);
	if (!ret)
		ret = perflite_has_parts(t->p, &t->keys, &t->err);
	latency_stages_keys(l);
	t->keys.of.name = "latency";
	return ret;
}

static int check_event(const struct timing *t, struct err *err)
{
	const struct reading *in = perflite_reading(t->p);
	const struct latency *l = &t->l;
	u32 i;

	for (i = 0; i < l->points.bounds.nr; i++)
		if (!session_wants_event(in->s, l->points.bounds.v[i].event))
			return err_refuse(
				err,
				"the option event leaves out an event at which spans begin or end",
				"open the recording without it");
	return 0;
}

static int begin(struct timing *t, const char *preset, const char *const *options)
{
	const struct count_options o = {.what = COUNT_QUANTILES, .max_rows = UINT32_MAX};
	struct latency *l = &t->l;
	int ret;

	l->w = &t->p->watching;
	l->keys = &t->keys;
	ret = perflite_options_put(rows, t, &t->arena, options, &t->err);
	if (!preset && !l->asked.from && !l->asked.to)
		preset = t->p->asked.latency;
	if (!ret && preset)
		ret = find_preset(l, preset, &t->err);
	if (!ret)
		ret = choose(t);
	if (ret)
		return ret;
	/* whose spans was chosen when it was opened */
	t->borrows = t->p->watched.latency;
	if (t->borrows) {
		l->who = t->p->watched.latency->who;
		t->p->watched.latency->who = (struct latency_threads){0};
	}
	ret = latency_bind(l, &o, &t->err);
	if (!ret)
		ret = check_event(t, &t->err);
	/* what fails has read nothing, and changes nothing of what comes */
	if (!ret)
		perflite_reading(t->p)->s->options.records |= latency_records(l);
	return ret;
}

/* --- samples --- */

static int add(struct timing *t, const struct session_sample *s, u32 at)
{
	t->last = MAX(t->last, s->sample->ids.time);
	return latency_add(&t->l, s, at, &t->err);
}

static int add_all(struct timing *t)
{
	struct session_sample s;
	struct sample sample;
	int ret;
	u32 at;

	while ((ret = perflite_step(t->p, &s, &t->err)) > 0) {
		at = s.event;
		if (ret == SESSION_RECORD)
			ret = latency_record(&t->l, &s, &sample, &at, &t->err);
		if (ret > 0)
			ret = add(t, &s, at);
		if (ret < 0)
			return ret;
	}
	if (!ret && t->p->live)
		t->last = MAX(t->last, clock_ns(t->p->watching.what.attrs.clockid));
	return ret ? ret : latency_ages(&t->l, t->last, &t->err);
}

/* --- rows --- */

static const char *const of_rows[] = {"spans",  "sum_ns", "min_ns", "p50_ns",
				      "p90_ns", "p99_ns", "max_ns"};
static const double shares[] = {0.5, 0.9, 0.99};
static const char *const of_spans[] = {"begin_ns", "end_ns", "ns", "cpu"};

static int new_table(struct timing *t, const char *const *names, u32 nr)
{
	struct buf name = {0};
	bool ok;
	u32 i;

	t->parts = latency_states_columns(&t->l);
	t->out = perflite_table_new(t->keys.nr + nr + t->parts.nr);
	ok = t->out && perflite_keys_name(&t->columns, t->out);
	for (i = 0; ok && i < nr; i++)
		ok = perflite_table_name(t->out, t->keys.nr + i, names[i],
					 strcmp(names[i], "cpu") ? PERFLITE_UNSIGNED64
								 : PERFLITE_SIGNED32);
	for (i = 0; ok && i < t->parts.nr; i++) {
		buf_clear(&name);
		buf_addf(&name, "%s_ns", t->parts.names[i]);
		ok = !name.failed && perflite_table_name(t->out, t->keys.nr + nr + i,
							 buf_str(&name), PERFLITE_UNSIGNED64);
	}
	buf_free(&name);
	return ok ? 0 : err_nomem(&t->err);
}

static bool put_row(struct timing *t, const struct count_row *r, u32 row)
{
	const struct count_series series = histogram_of(&t->spread, row);
	const struct count_sum *sum = &r->sum;
	u32 at = t->keys.nr, i;
	u64 v;
	bool ok = perflite_keys_put(&t->columns, t->out, r) &&
		  perflite_table_put_number(t->out, at, sum->nr) &&
		  perflite_table_put_number(t->out, at + 1, (u64)sum->sum) &&
		  perflite_table_put_value(t->out, at + 2, sum->with, sum->least) &&
		  perflite_table_put_value(t->out, at + 6, sum->with, sum->most);

	for (i = 0; ok && i < ARRAY_SIZE(shares); i++) {
		const bool there = count_text_quantile(shares[i], sum, &series, &v);

		ok = perflite_table_put_value(t->out, at + 3 + i, there, there ? v : 0);
	}
	at += ARRAY_SIZE(of_rows);
	for (i = 0; ok && i < t->parts.nr; i++)
		ok = perflite_table_put_number(t->out, at + i, t->parts.of(t->parts.arg, row, i));
	return ok;
}

static int put_rows(struct timing *t)
{
	struct count_view v;
	int ret = histogram_init(&t->spread, &t->l.table.values, t->l.table.nr, &t->err);
	u32 i;

	if (!ret)
		ret = new_table(t, of_rows, ARRAY_SIZE(of_rows));
	if (!ret)
		ret = count_view_init(&v, &t->l.table, COUNT_ORDER_SUM, 0, &t->err);
	if (ret)
		return ret;
	for (i = 0; i < v.shown && put_row(t, count_view_row(&v, i), v.order[i]); i++)
		t->out->rows++;
	ret = i < v.shown ? err_nomem(&t->err) : 0;
	count_view_free(&v);
	return ret;
}

static bool put_span(struct timing *t, const struct latency_span *s)
{
	u32 at = t->keys.nr, i;
	bool ok =
		perflite_keys_put(&t->columns, t->out, count_table_row(&t->l.table, s->span.row)) &&
		perflite_table_put_number(t->out, at, s->span.begin) &&
		perflite_table_put_number(t->out, at + 1, s->span.end) &&
		perflite_table_put_number(t->out, at + 2, latency_length(s)) &&
		perflite_table_put_value(t->out, at + 3, s->cpu != ID_NONE, s->cpu);

	at += ARRAY_SIZE(of_spans);
	for (i = 0; ok && i < t->parts.nr; i++)
		ok = perflite_table_put_number(t->out, at + i, s->parts[i]);
	return ok;
}

static int put_slowest(struct timing *t)
{
	int ret = new_table(t, of_spans, ARRAY_SIZE(of_spans));

	latency_slowest_sort(&t->l);
	while (!ret && t->out->rows < t->l.slow.nr) {
		if (!put_span(t, &t->l.slow.v[t->out->rows]))
			return err_nomem(&t->err);
		t->out->rows++;
	}
	return ret;
}

static void put_account(struct timing *t)
{
	const struct spans_account *a = &t->l.spans.account;

	t->out->has_account = true;
	t->out->account = (struct perflite_account){
		.spans = a->spans,
		.begins = a->begins,
		.ends = a->ends,
		.restarts = a->restarts,
		.ends_without_begin = a->ends_without_begin,
		.given_up = a->given_up,
		.open = a->open,
		.open_across_loss = t->l.tally.unsure,
		.oldest_open_ns = t->l.tally.oldest,
		.across_loss = a->across_loss,
		.reordered = a->reordered,
		.no_room = a->no_room,
		.passed = a->passed,
		.skipped = a->skipped,
		.repeated = a->repeated,
		.out_of_order = a->out_of_order,
		.below_min = t->l.tally.below,
		.left_out = t->l.wanted.left_out,
	};
}

static int make_table(struct timing *t)
{
	int ret = perflite_keys_init(&t->columns, &t->l.table) ? 0 : err_nomem(&t->err);

	if (!ret)
		ret = t->l.asked.slowest ? put_slowest(t) : put_rows(t);
	if (ret)
		return ret;
	put_account(t);
	perflite_table_finish(t->out);
	return 0;
}

static void end(struct timing *t)
{
	if (t->borrows) {
		t->p->watched.latency->who = t->l.who;
		t->l.who = (struct latency_threads){0};
	}
	perflite_keys_free(&t->columns);
	histogram_free(&t->spread);
	latency_free(&t->l);
	count_keys_free(&t->keys);
	buf_free(&t->by);
	arena_free(&t->arena);
}

struct perflite_table *perflite_latency(struct perflite *p, const char *preset,
					const char *const *options, struct perflite_error *error)
{
	struct timing t = {.p = p};
	int ret = begin(&t, preset, options);

	if (!ret)
		ret = add_all(&t);
	if (!ret)
		ret = make_table(&t);
	if (ret) {
		perflite_table_free(t.out);
		t.out = NULL;
	}
	end(&t);
	perflite_give_error(p, &t.err, error);
	return t.out;
}

const struct perflite_account *perflite_table_account(const struct perflite_table *t)
{
	return t->has_account ? &t->account : NULL;
}
