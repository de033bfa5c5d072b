// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/count.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perf-lite/run.h"
#include "util/base/clock.h"
#include "util/event/ev_expr.h"
#include "util/event/ev_probe.h"
#include "util/format/count_text.h"

/* How often the rings are read at least, if nobody waits for a table of a shorter interval. */
#define ROUND_NS 100000000ull

/* One that came too early. */
struct held_sample {
	u32 event, size;
	u8 *raw;
};

/* Samples while they are counted. Times are ns on the clock of the samples. */
struct counting {
	struct count_request *q;
	struct watching *w;
	bool live, bare;
	bool kernel;  /* programs count; samples are what these had no room for */
	bool spilled; /* there was such a one since all was taken from the programs */
	u64 pending; /* the interval is over since then, but its samples may still come; 0: it is not */
	struct buf why;               /* ... not */
	VEC(struct held_sample) held; /* of the next interval */
	struct count_table table;
	struct count_output output;
	u64 start;       /* 0: not known yet */
	u64 from, until; /* the interval */
	u64 last;        /* sample */
	u64 lost;        /* before the interval */
	u64 rate;        /* as in struct count_span */
};

void count_samples_parts(struct count_request *q)
{
	struct ev_record_options *attrs = &q->w.what.attrs;
	const struct count_keys *k = &q->keys;
	const struct count_keys_use use = count_keys_use(k);
	struct sample_needs needs = {0};

	count_keys_need(k, &needs);
	watching_need(&q->w, &needs);
	attrs->call_chain = k->kernel_chains || k->user_chains;
	attrs->no_kernel_chain |= attrs->call_chain && !k->kernel_chains;
	attrs->no_user_chain |= attrs->call_chain && !k->user_chains;
	attrs->sample_ip |= use.ip;
	q->w.mappings |= use.ip;
	q->w.in.session.want.no_raw = !use.raw;
	q->w.in.session.want.no_chains = !attrs->call_chain && !use.ip;
}

/*
 * Samples may come as the rings hold them where no key needs order, names or stacks, and nobody chooses among
 * them by such.
 */
static bool can_be_bare(const struct count_request *q)
{
	const struct count_keys *k = &q->keys;
	const struct ev_list *list = &q->w.what.list;
	enum sample_key_kind kind;
	u32 i;

	if (q->w.input || q->interval_ns || q->w.what.filtered)
		return false;
	for (i = 0; i < list->specs.nr; i++)
		if (list->specs.v[i].tp.here)
			return false;
	for (i = 0; i < k->nr; i++) {
		kind = count_keys_may_be(&k->v[i]);
		if (kind != KEY_TID && kind != KEY_CPU && kind != KEY_EVENT &&
		    (kind != KEY_FIELD || strstr(k->v[i].name, ".function")))
			return false;
	}
	return true;
}

static bool has_functions(const struct count_request *q)
{
	u32 i;

	for (i = 0; i < q->keys.nr; i++)
		if (strstr(q->keys.v[i].name, ".function"))
			return true;
	return false;
}

/*
 * The count of a software event is a number of things that happened: each of them is a sample,
 * unless it was said how many are to be. Clocks tick as often as they are asked to.
 */
static void sample_each(struct sampling *s)
{
	struct ev_spec *spec;
	u32 i;

	if (s->attrs.frequency || s->attrs.period)
		return;
	for (i = 0; i < s->list.specs.nr; i++) {
		spec = &s->list.specs.v[i];
		if (spec->attr.type != PERF_TYPE_SOFTWARE || event_set_is_clock(&spec->attr) ||
		    spec->terms.has & (EV_PERIOD | EV_FREQ))
			continue;
		spec->attr.sample_period = 1;
		spec->attr.freq = 0;
		spec->terms.has |= EV_PERIOD;
	}
}

/* Of events that happen one by one, samples at a frequency are a part that says nothing of their number. */
static void note_rate(struct counting *c)
{
	const struct ev_list *list = &c->w->what.list;
	const struct ev_spec *spec;
	u32 i;

	for (i = 0; i < list->specs.nr && !c->rate; i++) {
		spec = &list->specs.v[i];
		if (!spec->attr.freq ||
		    (spec->attr.type != PERF_TYPE_TRACEPOINT &&
		     (spec->attr.type != PERF_TYPE_SOFTWARE || event_set_is_clock(&spec->attr))))
			continue;
		c->rate = spec->attr.sample_freq;
		/* of tracepoints it is said where they are opened */
		if (spec->attr.type == PERF_TYPE_SOFTWARE)
			buf_addf(
				&c->w->notes,
				"%s: sampled %llu times a second, not every one; without a frequency each is counted\n",
				spec->name, (unsigned long long)c->rate);
	}
}

static int prepare(struct counting *c, struct opt_rest *rest, struct err *err)
{
	struct count_request *q = c->q;
	int ret;

	count_samples_parts(q);
	ret = count_kernel_choose(q, &c->why, err);
	if (ret < 0)
		return ret == -EINVAL ? CMD_USAGE : CMD_NO_START;
	c->kernel = ret;
	sample_each(&q->w.what);
	q->w.in.session.bare = c->kernel ? !has_functions(q) : can_be_bare(q);
	q->w.in.session.want.no_raw &= !c->kernel;
	q->w.hurry = true;
	q->w.round_ns = q->interval_ns ? MIN(ROUND_NS, q->interval_ns / 2) : ROUND_NS;
	ret = watching_open(c->w, rest, err);
	if (ret)
		return ret;
	c->live = c->w->live;
	if (c->live && !c->kernel)
		note_rate(c);
	c->bare = q->w.in.session.bare;
	ret = count_keys_bind(&q->keys, c->w->in.s, err);
	if (!ret)
		ret = count_table_init(&c->table, &q->keys, &q->table, err);
	if (ret)
		return ret == -EINVAL ? CMD_USAGE : CMD_NO_START;
	count_output_init(&c->output, q);
	return 0;
}

/* Of the events that were chosen; false: of one it is not known. */
static bool find_lost_of(const struct recording *r, const bool *events, u64 *lost)
{
	const struct counts *n;
	u32 i, unknown = 0;

	for (i = 0; i < r->events.events.nr; i++)
		unknown += events[i];
	*lost = 0;
	for (i = 0; i < r->counts.nr; i++) {
		n = &r->counts.v[i];
		if (n->event >= r->events.events.nr || !events[n->event] ||
		    !(n->flags & COUNTS_LOST))
			continue;
		*lost += n->lost;
		unknown--;
	}
	return !unknown;
}

/* Since the interval began. *of_all: of those, too, that were not chosen, since nobody knows which these are. */
static u64 find_lost(const struct counting *c, bool *of_all)
{
	const struct reading *in = &c->w->in;
	const enum reading_choice choice = reading_choice(in);
	u64 lost;

	*of_all = false;
	if (choice == READING_EVENTS && in->select.events && !c->q->interval_ns &&
	    find_lost_of(in->s->source->recording, in->select.events, &lost))
		return lost;
	*of_all = choice != READING_ALL;
	return watching_lost(c->w) - c->lost;
}

/* What was counted since `from`, as far as that is by `to`. */
static int put(struct counting *c, u64 to, bool view, struct err *err)
{
	struct count_span span = {
		.from = c->from - c->start,
		.to = MAX(to, c->from) - c->start,
		.nr = count_table_total(&c->table).nr,
		.rate = c->rate,
		.by_program = c->kernel,
		.unseen = ev_probe_misses(&c->w->what.list),
		.why = c->q->verbose && c->why.len ? buf_str(&c->why) : NULL,
	};
	struct count_view v;
	u32 height;
	int ret;

	span.lost = find_lost(c, &span.lost_of_all);
	count_output_begin(&c->output, &span, view, &height);
	ret = count_view_init(&v, &c->table, c->q->order, (u32)MIN(c->q->top, (u64)UINT32_MAX),
			      err);
	if (!ret) {
		ret = count_output_view(&c->output, &v, height, err);
		count_view_free(&v);
	}
	return ret ? ret : count_output_put(&c->output, view, err);
}

/*
 * When the interval that begins at `from` ends; UINT64_MAX: with the run, of which too little would be left for one
 * more.
 */
static u64 interval_end(const struct counting *c, u64 from)
{
	u64 duration = c->w->duration_ns, interval = c->q->interval_ns;

	if (!interval ||
	    (c->live && duration && from - c->start + interval + interval / 100 >= duration))
		return UINT64_MAX;
	return run_interval_end(from, interval);
}

/* A table that was put is followed by one of the next interval, but for metrics, which are of all since the start. */
static void next_table(struct counting *c, u64 from)
{
	if (c->q->form == COUNT_FORM_METRICS)
		return;
	count_table_reset(&c->table);
	c->lost = watching_lost(c->w);
	c->from = from;
}

/* The interval is over, as are all that end before `now`. */
static int next_intervals(struct counting *c, u64 now, struct err *err)
{
	bool view = c->output.viewing;
	int ret = 0;
	u64 from;

	while (!ret && now >= c->until && c->until != UINT64_MAX) {
		ret = put(c, c->until, view, err);
		from = run_skip_intervals(c->until, now, c->q->interval_ns, c->start,
					  c->w->in.quiet);
		next_table(c, from);
		c->until = interval_end(c, from);
	}
	return ret;
}

/* --- what programs have counted --- */

static int take(struct counting *c, struct err *err)
{
	c->spilled = false;
	return count_kernel_take(c->q, &c->table, err);
}

static int hold(struct counting *c, const struct session_sample *s, struct err *err)
{
	struct held_sample *h = vec_push(&c->held);

	if (!h)
		return err_nomem(err);
	*h = (struct held_sample){s->event, s->sample->raw_size, NULL};
	h->raw = malloc(MAX(h->size, 1u));
	if (!h->raw)
		return err_nomem(err);
	memcpy(h->raw, s->sample->raw, h->size);
	return 0;
}

static int add_held(struct counting *c, struct err *err)
{
	struct sample s = {0};
	int ret = 0;
	u32 i;

	for (i = 0; i < c->held.nr; i++) {
		s.raw = c->held.v[i].raw;
		s.raw_size = c->held.v[i].size;
		if (!ret)
			ret = count_kernel_add(c->q, &c->table, c->held.v[i].event, &s, err);
		free(c->held.v[i].raw);
	}
	c->held.nr = 0;
	return ret;
}

static int add_spilled(struct counting *c, const struct session_sample *s, struct err *err)
{
	c->spilled = true;
	if (c->pending && s->sample->ids.time >= c->pending)
		return hold(c, s, err);
	return count_kernel_add(c->q, &c->table, s->event, s->sample, err);
}

/* All samples of the interval are there. */
static int end_interval(struct counting *c, struct err *err)
{
	int ret = put(c, c->pending, c->output.viewing, err);

	next_table(c, c->pending);
	while (c->until <= c->pending)
		c->until = interval_end(c, c->until);
	c->pending = 0;
	return ret ? ret : add_held(c, err);
}

/* The programs' part is taken at the end of an interval, on a full map, and to be shown. */
static int wait_for_programs(struct counting *c, struct err *err)
{
	const u64 now = clock_ns(c->w->what.attrs.clockid);
	const bool due = !c->q->interval_ns && count_output_is_due(&c->output);
	int ret = 0;

	if (c->pending && watching_time(c->w) >= c->pending)
		ret = end_interval(c, err);
	if (!ret && !c->pending && now >= c->until) {
		c->pending = now;
		ret = take(c, err);
	} else if (!ret && (due || (c->spilled && !c->pending))) {
		ret = take(c, err);
	}
	if (!ret && due)
		ret = put(c, now, true, err);
	/* the next round ends with the interval */
	if (c->until > now)
		c->w->live->options.round_ns =
			MAX(MIN(c->q->w.round_ns, c->until - now), 1000000ull);
	return ret;
}

static int finish_programs(struct counting *c, struct err *err)
{
	int ret = c->pending ? end_interval(c, err) : 0;

	return ret ? ret : take(c, err);
}

/* --- the run --- */

static void begin(struct counting *c, u64 time)
{
	c->start = c->from = c->last = time;
	c->until = interval_end(c, time);
}

static int add(struct counting *c, const struct session_sample *s, struct err *err)
{
	u64 time = s->sample->ids.time;
	int ret = 0;

	if (c->kernel)
		return add_spilled(c, s, err);
	if (time) {
		if (!c->start)
			begin(c, time);
		if (time >= c->until)
			ret = next_intervals(c, time, err);
		if (time > c->last)
			c->last = time;
	}
	if (ret)
		return ret;
	return c->bare ? count_table_add_bare(&c->table, s->event, s->sample, err)
		       : count_table_add(&c->table, s, err);
}

/* All samples up to `time` are there. */
static int waits(struct counting *c, struct err *err)
{
	u64 time = watching_time(c->w);
	int ret = 0;

	if (!c->start)
		return 0;
	if (c->kernel)
		return wait_for_programs(c, err);
	if (time >= c->until)
		ret = next_intervals(c, time, err);
	if (!ret && !c->q->interval_ns && count_output_is_due(&c->output))
		ret = put(c, MAX(time, c->last), true, err);
	return ret;
}

static int run(struct counting *c, struct err *err)
{
	struct session_sample s;
	int ret;

	ret = watching_start(c->w, err);
	if (ret)
		return ret;
	if (c->live)
		begin(c, watching_begins(c->w));
	while ((ret = watching_next(c->w, &s, err)) > 0) {
		ret = ret == SESSION_SAMPLE ? add(c, &s, err)
		      : ret == SESSION_WAIT ? waits(c, err)
					    : 0;
		if (ret)
			return CMD_PARTIAL;
	}
	return ret < 0 ? CMD_PARTIAL : 0;
}

/* Behind intervals: has the run ended as the last of them did? */
static bool nothing_since(const struct counting *c, u64 end)
{
	return c->q->interval_ns && c->from > c->start && !count_table_total(&c->table).nr &&
	       watching_lost(c->w) == c->lost && end < c->from + c->q->interval_ns / 100;
}

/* A string of the caller of a system call, of which the tracepoint has the address alone; NULL: the key is none. */
static const struct tp_field *string_address(const struct session *s, const struct sample_key *key,
					     const char **event)
{
	static const char calls[] = "syscalls:sys_enter_";
	const struct event_set *events = &s->source->recording->events;
	const struct tp_field *field;
	u32 e;

	if (key->kind != KEY_FIELD || key->function)
		return NULL;
	for (e = 0; e < events->events.nr; e++) {
		*event = events->events.v[e].name;
		field = s->formats[e] ? tp_format_field(s->formats[e], key->field) : NULL;
		if (field && field->is_pointer && strstr(field->type, "char") &&
		    !strncmp(*event, calls, sizeof(calls) - 1) &&
		    (!key->event || event_set_is_named(*event, key->event)))
			return field;
	}
	return NULL;
}

/* Rows of addresses that were to be names. */
static void note_addresses(struct counting *c)
{
	const struct session *s = c->w->in.s;
	const struct tp_field *field = NULL;
	const char *event = NULL;
	u32 i;

	if (c->q->form != COUNT_FORM_TEXT ||
	    (c->live && ev_expr_allowed(&c->w->what.env, c->w->what.all_cpus, NULL)))
		return;
	for (i = 0; i < c->q->keys.nr && !field; i++)
		field = string_address(s, &c->q->keys.v[i], &event);
	if (field)
		buf_addf(&c->w->notes, "%s is an address; its text%s: -e '%s(str(%s))'\n",
			 field->name, c->live ? "" : ", if recorded so", event, field->name);
}

/* What was counted is printed even if the rest could not be read. */
static int finish(struct counting *c, int ret, struct err *err)
{
	struct err second = {0};
	u64 end = c->live ? clock_ns(c->w->what.attrs.clockid) : c->last;
	int code, put_ret = 0;

	if (c->kernel)
		put_ret = finish_programs(c, ret ? &second : err);
	if (!put_ret && !nothing_since(c, end))
		put_ret = put(c, end, false, ret ? &second : err);
	if (!put_ret)
		put_ret = count_output_end(&c->output, ret ? &second : err);
	if (!put_ret)
		note_addresses(c);
	run_put_notes(&c->w->notes, c->q->w.in.quiet);
	code = watching_verdict(c->w, NULL, ret || put_ret ? &second : err);
	return ret || put_ret ? CMD_PARTIAL : code;
}

int count_samples(struct count_request *q, struct opt_rest *rest, struct err *err)
{
	struct counting c = {.q = q, .w = &q->w};
	bool started = false;
	int ret;

	ret = prepare(&c, rest, err);
	if (!ret) {
		ret = run(&c, err);
		started = !ret || ret == CMD_PARTIAL;
	}
	if (started)
		ret = finish(&c, ret, err);
	count_output_free(&c.output);
	count_table_free(&c.table);
	buf_free(&c.why);
	for (; c.held.nr; c.held.nr--)
		free(c.held.v[c.held.nr - 1].raw);
	vec_free(&c.held);
	return ret;
}
