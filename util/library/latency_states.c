// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>

#include "util/library/latency_internal.h"

/* common_flags of a tracepoint: TRACE_FLAG_HARDIRQ, _SOFTIRQ (include/linux/trace_events.h) */
#define IN_INTERRUPT (0x08 | 0x10)

enum says { NOTHING, SWITCH, WAKE, WAKING };

static const struct {
	const char *event;
	enum says says;
} events[] = {
	{"sched:sched_switch", SWITCH},
	{"sched:sched_wakeup", WAKE},
	{"sched:sched_wakeup_new", WAKE},
	{"sched:sched_waking", WAKING},
};

bool latency_states_want(const struct latency *l, const char *event)
{
	size_t i;

	for (i = 0; l->states.on && i < ARRAY_SIZE(events); i++)
		if (!strcmp(events[i].event, event))
			return true;
	return false;
}

int latency_states_open(struct latency *l, struct err *err)
{
	struct sampling *s = &l->w->what;
	bool asked;
	size_t i;
	u32 p;
	int ret = 0;

	for (i = 0; l->states.on && i < ARRAY_SIZE(events) && !ret; i++) {
		asked = false;
		for (p = 0; p < l->points.all.nr; p++)
			asked |= !strcmp(l->points.all.v[p].event, events[i].event);
		if (!asked)
			ret = sampling_on_event(s, events[i].event, err);
	}
	return ret;
}

static int bind_field(const struct tp_format *f, const char *name, struct field_reader *reader)
{
	const struct tp_field *field = f ? tp_format_field(f, name) : NULL;

	*reader = field ? field_reader_of(field) : (struct field_reader){0};
	return reader->kind == FIELD_READER_INT ? 0 : -EINVAL;
}

static int bind_event(struct latency *l, u32 event, enum says says)
{
	const struct tp_format *f = l->w->in.s->formats[event];
	struct latency_says *v = &l->states.says.v[event];

	v->what = says;
	if (says != SWITCH) {
		/* of a kernel without it: none is an interrupt's */
		bind_field(f, "common_flags", &v->flags);
		return bind_field(f, "pid", &v->tid);
	}
	return bind_field(f, "prev_pid", &v->tid) || bind_field(f, "next_pid", &v->next)
		       ? -EINVAL
		       : bind_field(f, "prev_state", &v->state);
}

/* The frames of switches: where threads sleep. */
static int prepare_places(struct latency *l, struct err *err)
{
	struct latency_states *st = &l->states;
	const struct count_options o = {.what = COUNT_NUMBER};
	int ret;

	if (!st->splits || (!l->keys->kernel_chains && !l->keys->user_chains))
		return 0;
	ret = count_keys_parse(&st->place_keys, "stack", NULL, err);
	if (!ret)
		ret = count_keys_bind(&st->place_keys, l->w->in.s, err);
	if (!ret)
		ret = count_table_init(&st->places, &st->place_keys, &o, err);
	st->has_places = !ret;
	return ret;
}

static int not_recorded(struct latency *l, struct err *err)
{
	err_set(err, EINVAL, "%s has no switches of threads: what they did in a span is not known",
		l->w->input ? l->w->input : "the running system");
	err_hint(err, "record sched:sched_switch,sched:sched_wakeup,sched:sched_wakeup_new,sched:"
		      "sched_waking, too, with -a --include-self");
	return -EINVAL;
}

int latency_states_bind(struct latency *l, struct err *err)
{
	const struct event_set *set = &l->w->in.s->source->recording->events;
	struct latency_states *st = &l->states;
	bool found[WAKING + 1] = {false};
	size_t i;
	u32 e;

	if (!st->on)
		return 0;
	if (set->events.nr &&
	    !vec_grow((void **)&st->says.v, &st->says.cap, set->events.nr, sizeof(*st->says.v)))
		return err_nomem(err);
	memset(st->says.v, 0, set->events.nr * sizeof(*st->says.v));
	st->says.nr = set->events.nr;
	for (e = 0; e < set->events.nr; e++) {
		for (i = 0; i < ARRAY_SIZE(events); i++) {
			if (set->events.v[e].sideband ||
			    strcmp(set->events.v[e].name, events[i].event) != 0)
				continue;
			if (bind_event(l, e, events[i].says))
				return err_set(err, EINVAL, "%s lacks a field",
					       set->events.v[e].name);
			found[events[i].says] = true;
			/* of all threads, not of new ones */
			st->knows_wakes |= !strcmp(events[i].event, "sched:sched_wakeup");
		}
	}
	if (!found[SWITCH])
		return not_recorded(l, err);
	/* the wake-up comes right behind */
	for (e = 0; !st->knows_wakes && e < set->events.nr; e++)
		if (st->says.v[e].what == WAKING)
			st->says.v[e].what = WAKE;
	st->knows_wakes |= found[WAKING];
	if (!l->points.by_task) {
		err_set(err, EINVAL, "--split and --waker need spans of threads");
		err_hint(
			err,
			"of these events pid is a process; points of your own may have threads: --on tid");
		return -EINVAL;
	}
	l->spans.nr_notes = st->splits ? THREAD_NOT_KNOWN : 0;
	return prepare_places(l, err);
}

static bool is_by_interrupt(const struct latency_says *v, const struct session_sample *s)
{
	u64 flags;

	return v->flags.kind == FIELD_READER_INT &&
	       field_reader_int(&v->flags, s->sample->raw, s->sample->raw_size, &flags) &&
	       flags & IN_INTERRUPT;
}

/* Who wakes a thread with this sample, as keys of a row. */
static int find_waker(struct latency *l, const struct session_sample *s, struct count_other *waker,
		      struct err *err)
{
	static const char interrupt[] = "[interrupt]";
	struct strtab *comms = &l->w->in.s->model.comms;
	struct session_sample by = *s;
	struct thread thread;
	struct sample sample;

	if (s->thread && is_by_interrupt(&l->states.says.v[s->event], s)) {
		sample = *s->sample;
		sample.ids.pid = sample.ids.tid = 0;
		by.sample = &sample;
		thread = *s->thread;
		thread.pid = thread.tid = 0;
		thread.comm = strtab_add(comms, interrupt, strlen(interrupt));
		by.thread = &thread;
	}
	return count_table_other(&l->table, &by, waker, err);
}

/* NULL: nothing is kept of the thread. */
static struct latency_waking *waking_of(struct latency_states *st, u32 tid)
{
	u32 i = hmap_get(&st->waking_of_tid, tid);

	return i == ID_NONE ? NULL : &st->waking.v[i];
}

/* The wake-up itself, at which spans begin, may come from the CPU where the thread will run. */
static int keep_waking(struct latency_states *st, u32 tid, const struct count_other *waker,
		       struct err *err)
{
	struct latency_waking *w = waking_of(st, tid);

	if (!w) {
		w = vec_push(&st->waking);
		if (!w || !hmap_set(&st->waking_of_tid, tid, st->waking.nr - 1))
			return err_nomem(err);
	}
	*w = (struct latency_waking){true, *waker};
	return 0;
}

/* The open span of a thread that is woken gets the row of who wakes it. */
static int name_waker(struct latency *l, u32 tid, const struct session_sample *s, struct err *err)
{
	struct latency_states *st = &l->states;
	bool asleep = thread_states_is_asleep(&st->threads, tid);
	bool waking = st->says.v[s->event].what == WAKING;
	struct count_other waker;
	const u64 key = tid;
	struct span *span;
	int ret;

	if (!st->names_wakers || (!asleep && !waking))
		return 0;
	ret = find_waker(l, s, &waker, err);
	if (!ret && waking)
		ret = keep_waking(st, tid, &waker, err);
	span = !ret && asleep ? spans_find(&l->spans, &key) : NULL;
	/* one that the filter leaves out has no row */
	if (span && span->row == LATENCY_ROW_LEFT_OUT)
		span = NULL;
	return span ? count_table_change_row(&l->table, &waker, &span->row, err) : ret;
}

int latency_states_woken(struct latency *l, u32 tid, const struct session_sample *s, u32 *row,
			 struct err *err)
{
	struct latency_states *st = &l->states;
	const struct latency_says *v;
	struct latency_waking *w;
	struct count_other waker;
	u64 woken;
	int ret;

	if (!st->names_wakers)
		return 0;
	v = &st->says.v[s->event];
	if ((v->what != WAKE && v->what != WAKING) || !s->sample->raw ||
	    !field_reader_int(&v->tid, s->sample->raw, s->sample->raw_size, &woken) ||
	    latency_numbers_as_key(l, woken) != tid)
		return 0;
	w = waking_of(st, tid);
	if (w && w->known)
		return count_table_change_row(&l->table, &w->waker, row, err);
	ret = find_waker(l, s, &waker, err);
	return ret ? ret : count_table_change_row(&l->table, &waker, row, err);
}

static u32 waker_of(const struct latency_says *v, const struct session_sample *s)
{
	return is_by_interrupt(v, s) ? LATENCY_INTERRUPT : s->sample->ids.tid;
}

static int see_switch(struct latency *l, const struct latency_says *v,
		      const struct session_sample *s, struct err *err)
{
	struct latency_states *st = &l->states;
	u64 time = s->sample->ids.time, prev, next, state;
	struct latency_waking *waking;
	u32 place = ID_NONE, cpu = s->sample->ids.cpu;
	int ret = 0;

	if (!field_reader_int(&v->tid, s->sample->raw, s->sample->raw_size, &prev) ||
	    !field_reader_int(&v->next, s->sample->raw, s->sample->raw_size, &next) ||
	    !field_reader_int(&v->state, s->sample->raw, s->sample->raw_size, &state))
		return 0;
	prev = latency_numbers_as_key(l, prev);
	next = latency_numbers_as_key(l, next);
	if (prev && st->has_places)
		ret = count_table_find_row(&st->places, s, s, &place, err);
	waking = prev ? waking_of(st, (u32)prev) : NULL;
	if (waking)
		waking->known = false;
	if (!ret)
		ret = thread_states_runs(&st->threads, (u32)prev, cpu, time, err);
	if (!ret && prev)
		ret = thread_states_out(&st->threads, (u32)prev, time, thread_states_of(state),
					place, err);
	return ret ? ret : thread_states_in(&st->threads, (u32)next, cpu, time, err);
}

int latency_states_see(struct latency *l, const struct session_sample *s, struct err *err)
{
	struct latency_states *st = &l->states;
	const struct latency_says *v;
	const struct rec_ids *ids = &s->sample->ids;
	u32 waker;
	u64 tid;
	int ret = 0;

	if (!st->on)
		return 0;
	/* it comes behind sched:sched_switch, and does not mean that the thread runs */
	if (latency_points_is_switches(s->desc))
		return 0;
	v = &st->says.v[s->event];
	if (v->what == SWITCH)
		return s->sample->raw ? see_switch(l, v, s, err) : 0;
	/* others may come after a switch, when the thread does not run any more */
	if (ids->tid && ids->tid != ID_NONE && !(l->numbers.differ && l->numbers.in_keys) &&
	    (l->points.by_event.v[s->event] || v->what != NOTHING))
		ret = thread_states_runs(&st->threads, ids->tid, ids->cpu, ids->time, err);
	if (ret || v->what == NOTHING || !s->sample->raw)
		return ret;
	if (!field_reader_int(&v->tid, s->sample->raw, s->sample->raw_size, &tid))
		return 0;
	tid = latency_numbers_as_key(l, tid);
	waker = waker_of(v, s);
	ret = name_waker(l, (u32)tid, s, err);
	if (!ret && v->what == WAKE)
		ret = thread_states_wake(&st->threads, (u32)tid, ids->time, waker, err);
	if (v->what == WAKING)
		thread_states_waking(&st->threads, (u32)tid, waker);
	return ret;
}

void latency_states_begin(struct latency *l, u32 tid, u64 time, u64 *notes)
{
	u64 so_far[THREAD_STATES];

	if (!l->states.splits)
		return;
	thread_states_at(&l->states.threads, tid, time, so_far);
	memcpy(notes, so_far, THREAD_NOT_KNOWN * sizeof(*notes));
}

void latency_states_split(struct latency *l, u32 tid, struct latency_span *slow)
{
	u64 so_far[THREAD_STATES], rest = slow->span.end - slow->span.begin;
	struct thread_states *threads = &l->states.threads;
	u32 i;

	if (!l->states.splits)
		return;
	thread_states_at(threads, tid, slow->span.end, so_far);
	for (i = 0; i < THREAD_NOT_KNOWN; i++) {
		/* less than it was: another thread of that number */
		if (so_far[i] > slow->span.notes[i])
			slow->parts[i] = MIN(rest, so_far[i] - slow->span.notes[i]);
		rest -= slow->parts[i];
	}
	slow->parts[THREAD_NOT_KNOWN] = rest;
	slow->slept =
		thread_states_longest(threads, tid, slow->span.begin, slow->span.end, &slow->sleep);
}

int latency_states_add(struct latency *l, const struct latency_span *slow, struct err *err)
{
	struct latency_states *st = &l->states;
	u32 row = slow->span.row, i, need = l->table.nr;
	struct latency_parts *p;

	if (!st->splits)
		return 0;
	if (st->rows.nr < need) {
		if (!vec_grow((void **)&st->rows.v, &st->rows.cap, need, sizeof(*st->rows.v)))
			return err_nomem(err);
		memset(st->rows.v + st->rows.nr, 0, (need - st->rows.nr) * sizeof(*st->rows.v));
		st->rows.nr = need;
	}
	p = row == COUNT_ROW_OTHERS ? &st->others : &st->rows.v[row];
	for (i = 0; i < THREAD_STATES; i++) {
		p->ns[i] += slow->parts[i];
		st->all.ns[i] += slow->parts[i];
	}
	return 0;
}

void latency_states_empty(struct latency *l)
{
	l->states.rows.nr = 0;
	l->states.others = l->states.all = (struct latency_parts){0};
}

void latency_states_reset(struct latency *l)
{
	l->states.waking.nr = 0;
	hmap_clear(&l->states.waking_of_tid);
}

static u64 part_of(const void *arg, u32 row, u32 part)
{
	const struct latency_states *st = arg;
	const struct latency_parts *p = row == COUNT_ROW_ALL      ? &st->all
					: row == COUNT_ROW_OTHERS ? &st->others
					: row < st->rows.nr       ? &st->rows.v[row]
								  : NULL;

	return p ? p->ns[part] : 0;
}

struct count_parts latency_states_columns(const struct latency *l)
{
	return (struct count_parts){
		.nr = l->states.splits ? THREAD_STATES : 0,
		.names = thread_state_names,
		.of = part_of,
		.arg = &l->states,
	};
}

void latency_states_free(struct latency_states *st)
{
	vec_free(&st->says);
	vec_free(&st->rows);
	vec_free(&st->waking);
	hmap_free(&st->waking_of_tid);
	thread_states_free(&st->threads);
	count_table_free(&st->places);
	count_keys_free(&st->place_keys);
}
