// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "util/library/latency_internal.h"

/* The sample as if it were of the thread that the span is of. */
static void change_thread(struct latency *l, struct session_sample *s, struct sample *copy, u32 tid)
{
	if (!l->numbers.differ && tid == s->sample->ids.tid)
		return;
	latency_thread(l, tid, s);
	*copy = *s->sample;
	copy->ids.tid = latency_numbers_here(l, tid);
	copy->ids.pid = s->thread ? s->thread->pid : ID_NONE;
	s->sample = copy;
}

/* --- spans --- */

int latency_begin(struct latency *l, const struct session_sample *s, const u64 *key, bool wanted,
		  struct err *err)
{
	u64 notes[SPANS_NOTES_MAX] = {0}, time = s->sample->ids.time;
	struct session_sample of = *s;
	u32 row = COUNT_ROW_OTHERS;
	struct sample copy;
	bool begins;
	int ret = 0;

	if (l->points.by_task)
		change_thread(l, &of, &copy, (u32)key[0]);
	if (!latency_threads_wanted(l, &of))
		return 0;
	/* one that changes nothing needs no row; what is asked of the thread's states cannot be corrected later */
	begins = l->spans.repeat != SPANS_FIRST || !spans_find(&l->spans, key);
	if (!wanted)
		row = LATENCY_ROW_LEFT_OUT;
	else if (!l->whole && begins)
		ret = latency_rows_find(l, &of, s, &row, err);
	if (!ret && row != COUNT_ROW_OTHERS && row != LATENCY_ROW_LEFT_OUT)
		ret = latency_states_woken(l, (u32)key[0], s, &row, err);
	if (begins)
		latency_states_begin(l, (u32)key[0], time, notes);
	return ret ? ret : spans_begin(&l->spans, key, time, row, notes, err);
}

/* A row of what the thread is called by now: it may have executed another program since its span began. */
static int find_whole_row(struct latency *l, struct span_ended *span, u32 tid, struct err *err)
{
	struct sample sample = {
		.ids = {.tid = latency_numbers_here(l, tid), .cpu = ID_NONE, .time = span->end}};
	struct session_sample s = {.sample = &sample, .event = l->points.bounds.v[0].event};

	if (!l->whole)
		return 0;
	latency_thread(l, tid, &s);
	sample.ids.pid = s.thread ? s.thread->pid : ID_NONE;
	return latency_rows_find(l, &s, &s, &span->row, err);
}

/* to: the point, as latency_stages_row() has it. */
static int end_span(struct latency *l, const struct session_sample *s, const u64 *key, u32 to,
		    struct err *err)
{
	struct latency_span slow = {.cpu = s->sample->ids.cpu};
	u64 notes[SPANS_NOTES_MAX], time = s->sample->ids.time;
	enum spans_end_result how;
	int ret;

	if (to == latency_stages_end(l)) {
		how = spans_end(&l->spans, key, time, &slow.span);
	} else {
		latency_states_begin(l, (u32)key[0], time, notes);
		how = spans_pass(&l->spans, key, time, to, notes, &slow.span);
	}
	if (how != SPANS_ENDED)
		return 0;
	if (slow.span.row == LATENCY_ROW_LEFT_OUT) {
		l->wanted.left_out += to == latency_stages_end(l);
		return 0;
	}
	if (latency_length(&slow) < l->asked.min_ns) {
		l->tally.below++;
		return 0;
	}
	latency_states_split(l, (u32)key[0], &slow);
	ret = find_whole_row(l, &slow.span, (u32)key[0], err);
	if (!ret)
		ret = latency_stages_row(l, &slow.span, to, &slow.span.row, err);
	l->tally.without_keys += l->listener.ended && slow.span.row == COUNT_ROW_OTHERS;
	if (!ret && l->listener.ended)
		ret = l->listener.ended(l->listener.arg, &slow, (u32)key[0], err);
	if (!ret && !l->asked.open)
		ret = latency_slowest_keep(l, &slow, err);
	if (!ret && !l->asked.open)
		ret = latency_states_add(l, &slow, err);
	if (ret || l->asked.open)
		return ret;
	return count_table_add_number(&l->table, slow.span.row, latency_length(&slow), err);
}

/* An end of a thread that is not wanted has no begin either, which is no news. */
static bool is_of_others(struct latency *l, const struct session_sample *end, const u64 *key)
{
	struct session_sample s = *end;

	if ((!l->who.self && !latency_threads_any(l)) ||
	    (!l->points.by_task && !l->points.by_process && l->points.others))
		return false;
	if (l->points.by_task)
		latency_thread(l, (u32)key[0], &s);
	return !latency_threads_wanted(l, &s);
}

/* Is more known to be lost than before the sample? */
static void look_for_losses(struct latency *l, u64 time)
{
	u64 until = new_losses_until(&l->losses, l->w, time);

	if (!until)
		return;
	thread_states_lost(&l->states.threads, until);
	if (!l->whole)
		spans_lost(&l->spans, until);
}

/*
 * Of switches without a filter: the idle task is no thread, and one that has exited does not come back.
 */
static bool is_no_thread(const struct latency *l, const struct latency_bound *b,
			 const struct session_sample *s)
{
	if (!l->points.has_records ||
	    (b->keys[0].kind != LATENCY_TID && b->keys[0].kind != LATENCY_PID))
		return false;
	return !s->sample->ids.tid || s->sample->ids.tid == ID_NONE ||
	       (b->point->role == LATENCY_FROM && s->thread && s->thread->exited);
}

/* The record of a switch whose sample, which comes first and says more, has begun the span. */
static bool has_begun(const struct latency *l, const struct latency_bound *b, u32 at,
		      const u64 *key)
{
	return l->points.own &&
	       at == l->points.by_event.nr - LATENCY_RECORDS + LATENCY_SWITCH_OUT &&
	       b->point->role == LATENCY_FROM && spans_find(&l->spans, key);
}

static bool same_key(const struct latency *l, const u64 *a, const u64 *b)
{
	return !memcmp(a, b, l->points.nr_keys * sizeof(*a));
}

/* Of one key, a sample is one of the points at which spans end or go on, and one at which they begin: the first. */
static bool is_taken(const struct latency *l, const struct latency_bound *first,
		     const struct latency_bound *b)
{
	for (; first < b; first++)
		if (first->hit &&
		    (first->point->role == LATENCY_FROM) == (b->point->role == LATENCY_FROM) &&
		    same_key(l, first->key, b->key))
			return true;
	return false;
}

/* Of several points of --then, a sample is the first one that its span has not passed, if there is such a one. */
static bool passes_later(struct latency *l, const struct session_sample *s,
			 const struct latency_bound *b)
{
	const struct latency_bound *end = l->points.bounds.v + l->points.bounds.nr, *later = b + 1;
	const struct span *span =
		b->point->role == LATENCY_THEN ? spans_find(&l->spans, b->key) : NULL;
	u64 key[SPANS_KEYS_MAX];

	if (!span || b->point->stage > span->stage)
		return false;
	for (; later < end && later->event == b->event && later->point->role == LATENCY_THEN;
	     later++)
		if (later->point->stage > b->point->stage && later->point->stage >= span->stage &&
		    latency_bind_key(later, l->w->in.s, s, key) && same_key(l, key, b->key))
			return true;
	return false;
}

/* at: the number of the event, or of the record. */
static int pair(struct latency *l, const struct session_sample *s, u32 at, struct err *err)
{
	struct latency_bound *const first = l->points.by_event.v[at], *b = first;
	const struct latency_bound *end = l->points.bounds.v + l->points.bounds.nr;
	int ret = 0;

	for (; b && b < end && b->event == at && !ret; b++) {
		const u64 *key = b->key;

		b->hit = !is_no_thread(l, b, s) && latency_bind_key(b, l->w->in.s, s, b->key) &&
			 !has_begun(l, b, at, key) && !is_taken(l, first, b) &&
			 !passes_later(l, s, b);
		if (!b->hit)
			continue;
		ret = latency_numbers_name(l, b, s, key, err);
		if (ret)
			break;
		if (b->point->role == LATENCY_FROM)
			ret = latency_begin(l, s, key, latency_filter_passes(l, s), err);
		else if (b->point->role == LATENCY_UNTIL)
			spans_give_up(&l->spans, key);
		else if (spans_find(&l->spans, key) || !is_of_others(l, s, key))
			ret = end_span(l, s, key,
				       b->point->role == LATENCY_THEN ? b->point->stage
								      : latency_stages_end(l),
				       err);
	}
	return ret;
}

int latency_end(struct latency *l, const struct session_sample *s, const u64 *key, struct err *err)
{
	return end_span(l, s, key, latency_stages_end(l), err);
}

int latency_add(struct latency *l, const struct session_sample *s, u32 at, struct err *err)
{
	int ret;

	look_for_losses(l, s->sample->ids.time);
	ret = latency_numbers_see(l, s, err);
	if (!ret)
		ret = latency_states_see(l, s, err);
	return ret ? ret : pair(l, s, at, err);
}

static bool find_switch(const struct latency *l, struct session_sample *s, struct sample *sample,
			u32 *at)
{
	const struct session *session = l->w->in.s;
	const struct session_record *record = &session->record;
	const struct event_set *set = &session->source->recording->events;
	const bool out = record->rec->misc & PERF_RECORD_MISC_SWITCH_OUT;

	if (!(record->ids.has & PERF_SAMPLE_TID) || !record->ids.time)
		return false;
	*sample = (struct sample){.ids = record->ids};
	*s = (struct session_sample){
		.sample = sample,
		.samples = 1,
		.event = (u32)(record->desc - set->events.v),
		.desc = record->desc,
		.thread = process_find_thread(&session->model, record->ids.tid),
		.comm = record->comm,
	};
	*at = set->events.nr + (out ? LATENCY_SWITCH_OUT : LATENCY_SWITCH_IN);
	return !session->options.filter ||
	       sample_filter_pass(session->options.filter, &sample->ids, s->comm);
}

int latency_record(struct latency *l, struct session_sample *s, struct sample *sample, u32 *at,
		   struct err *err)
{
	switch (l->w->in.s->record.rec->type) {
	case PERF_RECORD_FORK:
		return latency_threads_forked(l, err);
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		return l->points.has_records && find_switch(l, s, sample, at);
	default:
		return 0;
	}
}

/* --- open spans --- */

struct ages {
	struct latency *l;
	u64 now;
	struct err *err;
};

static struct latency_span as_ended(const struct ages *a, struct span *span)
{
	struct latency_span slow = {
		.span = {.begin = span->begin,
			 .end = MAX(a->now, span->begin),
			 .row = span->row,
			 .stage = span->stage},
		.cpu = ID_NONE,
	};

	if (a->l->spans.nr_notes)
		memcpy(slow.span.notes, spans_notes(&a->l->spans, span),
		       a->l->spans.nr_notes * sizeof(*slow.span.notes));
	latency_states_split(a->l, (u32)span->key[0], &slow);
	return slow;
}

static int find_age(void *arg, struct span *span)
{
	struct ages *a = arg;
	struct latency_span slow = as_ended(a, span);
	u64 age = latency_length(&slow);
	int ret = 0;

	if (span->row == LATENCY_ROW_LEFT_OUT) {
		a->l->tally.left_open++;
		return 0;
	}
	if (span->begin < a->l->spans.lost_at) {
		a->l->tally.unsure++;
		return 0;
	}
	a->l->tally.oldest = MAX(a->l->tally.oldest, age);
	if ((!a->l->asked.open && !a->l->whole) || age < a->l->asked.min_ns)
		return 0;
	ret = find_whole_row(a->l, &slow.span, (u32)span->key[0], a->err);
	if (!ret)
		ret = latency_stages_row(a->l, &slow.span, latency_stages_open(a->l),
					 &slow.span.row, a->err);
	if (!ret)
		ret = latency_slowest_keep(a->l, &slow, a->err);
	if (!ret)
		ret = latency_states_add(a->l, &slow, a->err);
	if (a->l->whole) {
		span->begin = a->now;
		latency_states_begin(a->l, (u32)span->key[0], a->now,
				     spans_notes(&a->l->spans, span));
	}
	return ret ? ret : count_table_add_number(&a->l->table, slow.span.row, age, a->err);
}

int latency_ages(struct latency *l, u64 now, struct err *err)
{
	struct ages ages = {l, now, err};

	l->tally.oldest = l->tally.unsure = l->tally.left_open = 0;
	if (l->asked.open) {
		count_table_empty(&l->table);
		latency_states_empty(l);
		l->slow.nr = 0;
	}
	return spans_each_open(&l->spans, find_age, &ages);
}

void latency_next(struct latency *l)
{
	latency_states_empty(l);
	l->slow.nr = 0;
	l->tally.below = l->wanted.left_out = 0;
	/* rows stay, since open spans have theirs; unless there would soon be no room for new ones */
	if (l->table.nr < l->table.options.max_rows / 2)
		count_table_empty(&l->table);
	else
		latency_rows_reset(l);
}

/* --- beginning and end --- */

u64 latency_records(const struct latency *l)
{
	u64 records = 0;

	if (l->who.follows || l->who.pids.nr)
		records |= 1ull << PERF_RECORD_FORK;
	if (l->points.has_records)
		records |= 1ull << PERF_RECORD_SWITCH | 1ull << PERF_RECORD_SWITCH_CPU_WIDE;
	return records;
}

static int follow_command(struct latency *l, struct err *err)
{
	u32 *pid;

	if (!l->who.follows)
		return 0;
	pid = vec_push(&l->who.pids);
	if (!pid)
		return err_nomem(err);
	*pid = (u32)l->w->live->event_session.child.pid;
	return 0;
}

/* Keys are of the begins of spans: the fields of other events would have no values. */
static int choose_fields(struct latency *l, struct err *err)
{
	const struct latency_bound *b = l->points.bounds.v;
	const u32 nr = l->w->in.s->source->recording->events.events.nr;
	bool *begins = arena_alloc(&l->points.arena, MAX(nr, 1u) * sizeof(*begins));
	u32 i;

	if (!begins)
		return err_nomem(err);
	memset(begins, 0, nr * sizeof(*begins));
	for (i = 0; i < l->points.bounds.nr; i++)
		if (b[i].point->role == LATENCY_FROM && b[i].event < nr)
			begins[b[i].event] = true;
	l->keys->fields_of = begins;
	l->keys->whose = "at which spans begin";
	return 0;
}

int latency_bind(struct latency *l, const struct count_options *options, struct err *err)
{
	const struct span_preset *preset = l->asked.preset;
	int ret = new_losses_init(&l->losses, l->w, err);

	if (!ret && l->who.comm)
		ret = name_list_choose(&l->who.comms, l->who.comm, err);
	if (ret)
		return ret;
	l->spans.nr_keys = l->points.nr_keys;
	ret = latency_presets_in_file(&l->presets, preset, latency_bind_points(l, err), err);
	if (!ret)
		ret = choose_fields(l, err);
	if (!ret)
		ret = latency_presets_in_file(&l->presets, l->asked.by ? NULL : preset,
					      count_keys_bind(l->keys, l->w->in.s, err), err);
	l->keys->values.labels = l->stages.labels;
	if (ret)
		return ret;
	strcpy(l->keys->of_unit, "ns");
	ret = count_table_init(&l->table, l->keys, options, err);
	if (!ret)
		ret = follow_command(l, err);
	if (!ret)
		latency_threads_hold(l);
	return ret;
}

void latency_free(struct latency *l)
{
	session_release(&l->holder);
	new_losses_free(&l->losses);
	count_table_free(&l->table);
	spans_free(&l->spans);
	latency_states_free(&l->states);
	latency_numbers_free(&l->numbers);
	vec_free(&l->slow);
	vec_free(&l->who.pids);
	vec_free(&l->who.started);
	vec_free(&l->who.tids);
	name_list_free(&l->who.comms);
	latency_points_free(l);
	latency_presets_free(&l->presets);
}
