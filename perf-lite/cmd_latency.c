// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/cmd.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perf-lite/latency.h"
#include "util/base/clock.h"
#include "util/base/io.h"
#include "util/file/losses_ahead.h"
#include "util/profile/task_names.h"

#define ROUND_NS  100000000ull
#define LINES_MAX (64u << 10)

/* Times are ns on the clock of the samples. */
struct measuring {
	struct latency *l;
	struct watching *w;
	bool live;
	u64 start; /* 0: not known yet */
	u64 from, until, last;
	u64 losses;                  /* what was known of losses before this sample */
	struct losses_ahead ahead;   /* of a file */
	struct spans_account before; /* the interval */
	struct buf lines;            /* of --trace */
};

/* --- whose spans --- */

/* Processes that the command started are its own. */
static int add_child(struct measuring *m, struct err *err)
{
	struct cur c = rec_body(m->w->in.s->record.rec);
	u32 pid = cur_u32(&c), parent = cur_u32(&c), i;
	struct targets_ids *pids = &m->l->pids;
	u32 *new;

	for (i = 0; i < pids->nr; i++)
		if (pids->v[i] == pid)
			return 0;
	for (i = 0; i < pids->nr; i++) {
		if (pids->v[i] != parent)
			continue;
		new = vec_push(pids);
		if (!new)
			return err_nomem(err);
		*new = pid;
		return 0;
	}
	return 0;
}

static bool in_list(const struct targets_ids *ids, u32 id)
{
	u32 i;

	for (i = 0; i < ids->nr; i++)
		if (ids->v[i] == id)
			return true;
	return false;
}

/* Is the thread called that, or the first one of its process? */
static bool is_called(const struct measuring *m, const struct session_sample *s, const char *comm)
{
	const struct process_model *model = &m->w->in.s->model;
	const struct thread *first = s->thread ? process_find_thread(model, s->thread->pid) : NULL;
	const char *name;
	size_t len;

	if (!strcmp(comm, s->comm))
		return true;
	name = first ? process_comm(model, first, &len) : NULL;
	return name && len == strlen(comm) && !memcmp(name, comm, len);
}

static bool is_wanted(const struct measuring *m, const struct session_sample *s)
{
	const struct latency *l = m->l;

	if (l->self && s->thread && s->thread->pid == l->self)
		return false;
	if (!l->pids.nr && !l->tids.nr && !l->comm)
		return true;
	return (s->thread && in_list(&l->pids, s->thread->pid)) ||
	       (s->thread && in_list(&l->tids, s->thread->tid)) ||
	       (l->comm && is_called(m, s, l->comm));
}

/* A thread and what it is called; NULL: no record named it. */
static void find_thread(struct measuring *m, u32 tid, struct session_sample *s)
{
	struct session *session = m->w->in.s;

	s->thread = process_find_thread(&session->model, tid);
	s->comm = thread_cache_comm(session->tasks, &session->model, s->thread, tid);
}

/* The sample as if it were of the thread that the span is of. */
static void change_thread(struct measuring *m, struct session_sample *s, struct sample *copy,
			  u32 tid)
{
	if (tid == s->sample->ids.tid)
		return;
	find_thread(m, tid, s);
	*copy = *s->sample;
	copy->ids.tid = tid;
	copy->ids.pid = s->thread ? s->thread->pid : ID_NONE;
	s->sample = copy;
}

/* --- spans --- */

static int begin_span(struct measuring *m, const struct session_sample *s, const u64 *key,
		      struct err *err)
{
	struct latency *l = m->l;
	u64 notes[SPANS_NOTES_MAX], time = s->sample->ids.time;
	struct session_sample of = *s;
	u32 row = COUNT_ROW_OTHERS;
	struct sample copy;
	int ret = 0;

	if (l->by_task)
		change_thread(m, &of, &copy, (u32)key[0]);
	if (!is_wanted(m, &of))
		return 0;
	/* a begin that changes nothing needs no row */
	if (!latency_filter_passes(l, s))
		row = LATENCY_ROW_LEFT_OUT;
	else if (!l->whole && (l->spans.repeat != SPANS_FIRST || !spans_find(&l->spans, key)))
		ret = count_table_find_row(&l->table, &of, s, &row, err);
	if (!ret && row != COUNT_ROW_OTHERS && row != LATENCY_ROW_LEFT_OUT)
		ret = latency_states_woken(l, (u32)key[0], s, &row, err);
	latency_states_begin(l, (u32)key[0], time, notes);
	return ret ? ret : spans_begin(&l->spans, key, time, row, notes, err);
}

/* A row of what the thread is called by now: it may have executed another program since its span began. */
static int find_whole_row(struct measuring *m, struct span_ended *span, u32 tid, struct err *err)
{
	struct sample sample = {.ids = {.tid = tid, .cpu = ID_NONE, .time = span->end}};
	struct session_sample s = {.sample = &sample, .event = m->l->bounds.v[0].event};

	if (!m->l->whole)
		return 0;
	find_thread(m, tid, &s);
	sample.ids.pid = s.thread ? s.thread->pid : ID_NONE;
	return count_table_find_row(&m->l->table, &s, &s, &span->row, err);
}

static int flush(struct measuring *m, struct err *err)
{
	int ret;

	if (m->lines.failed)
		return err_nomem(err);
	ret = m->lines.len ? io_write(STDOUT_FILENO, m->lines.data, m->lines.len) : 0;
	buf_clear(&m->lines);
	return ret ? cmd_cannot_write(-ret, err) : 0;
}

/* to: the point, as latency_stages_row() has it. */
static int end_span(struct measuring *m, const struct session_sample *s, const u64 *key, u32 to,
		    struct err *err)
{
	struct latency *l = m->l;
	struct latency_slow slow = {.cpu = s->sample->ids.cpu};
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
	if (slow.span.end - slow.span.begin < l->min_ns) {
		l->below++;
		return 0;
	}
	latency_states_split(l, (u32)key[0], &slow);
	ret = find_whole_row(m, &slow.span, (u32)key[0], err);
	if (!ret)
		ret = latency_stages_row(l, &slow.span, to, &slow.span.row, err);
	if (!ret && l->trace) {
		latency_text_span(l, &slow, &m->lines);
		if (m->lines.len >= LINES_MAX)
			ret = flush(m, err);
	}
	if (!ret)
		ret = latency_picture_add(l, &slow.span, err);
	if (!ret)
		ret = latency_export_add(l, &slow, (u32)key[0], m->start, err);
	if (!ret && l->slowest && !l->open)
		ret = latency_text_keep(l, &slow, err);
	if (!ret && !l->open)
		ret = latency_states_add(l, &slow, err);
	if (ret || l->open)
		return ret;
	return count_table_add_number(&l->table, slow.span.row, slow.span.end - slow.span.begin,
				      err);
}

/* An end of a thread that is not wanted has no begin either, which is no news. */
static bool is_of_others(struct measuring *m, const u64 *key)
{
	struct latency *l = m->l;
	struct session_sample s;

	if (!l->by_task || !l->others || (!l->self && !l->pids.nr && !l->tids.nr && !l->comm))
		return false;
	find_thread(m, (u32)key[0], &s);
	return !is_wanted(m, &s);
}

/* The end of the last loss: of a CPU that was offline it is when its events are seen again, which may be to come. */
static u64 end_of_losses(const struct measuring *m)
{
	const struct recording *r = m->w->in.s->source->recording;
	u64 end = 0;
	u32 i;

	for (i = 0; i < r->losses.nr; i++)
		end = MAX(end, r->losses.v[i].to);
	for (i = 0; m->live && i < m->w->live->loss_account.losses.nr; i++)
		end = MAX(end, m->w->live->loss_account.losses.v[i].to);
	return end;
}

/* Is more known to be lost than before the sample? */
static void look_for_losses(struct measuring *m, u64 time)
{
	const struct session *s = m->w->in.s;
	u64 losses = s->totals.lost + s->totals.lost_samples + s->source->recording->losses.nr +
		     (m->live ? m->w->live->loss_account.reports : 0);
	u64 until = losses_ahead_begun(&m->ahead, time);

	if (losses != m->losses)
		until = MAX(until, MAX(time, end_of_losses(m)));
	if (until) {
		thread_states_lost(&m->l->states.threads, until);
		if (!m->l->whole)
			spans_lost(&m->l->spans, until);
	}
	m->losses = losses;
}

/*
 * Of switches without a filter: the idle task is no thread, and one that has exited does not come back.
 */
static bool is_no_thread(const struct latency *l, const struct latency_bound *b,
			 const struct session_sample *s)
{
	if (!l->has_records || (b->keys[0].kind != LATENCY_TID && b->keys[0].kind != LATENCY_PID))
		return false;
	return !s->sample->ids.tid || s->sample->ids.tid == ID_NONE ||
	       (b->point->role == LATENCY_FROM && s->thread && s->thread->exited);
}

/* The record of a switch whose sample, which comes first and says more, has begun the span. */
static bool has_begun(const struct latency *l, const struct latency_bound *b, u32 at,
		      const u64 *key)
{
	return l->own && at == l->by_event.nr - LATENCY_RECORDS + LATENCY_SWITCH_OUT &&
	       b->point->role == LATENCY_FROM && spans_find(&l->spans, key);
}

static bool same_key(const struct latency *l, const u64 *a, const u64 *b)
{
	return !memcmp(a, b, l->nr_keys * sizeof(*a));
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
static bool passes_later(struct measuring *m, const struct session_sample *s,
			 const struct latency_bound *b)
{
	const struct latency *l = m->l;
	const struct latency_bound *end = l->bounds.v + l->bounds.nr, *later = b + 1;
	const struct span *span =
		b->point->role == LATENCY_THEN ? spans_find(&l->spans, b->key) : NULL;
	u64 key[SPANS_KEYS_MAX];

	if (!span || b->point->stage > span->stage)
		return false;
	for (; later < end && later->event == b->event && later->point->role == LATENCY_THEN;
	     later++)
		if (later->point->stage > b->point->stage && later->point->stage >= span->stage &&
		    latency_points_key(later, m->w->in.s, s, key) && same_key(l, key, b->key))
			return true;
	return false;
}

/* It was paired in the kernel. */
static int pair_span(struct measuring *m, const struct session_sample *end, struct err *err)
{
	struct latency_kernel_span span;
	int ret = latency_kernel_ended(m->l, end, &span, err);

	if (ret <= 0)
		return ret;
	ret = begin_span(m, &span.begin, span.key, err);
	return ret ? ret : end_span(m, end, span.key, latency_stages_end(m->l), err);
}

/* at: the number of the event, or of the record. */
static int pair(struct measuring *m, const struct session_sample *s, u32 at, struct err *err)
{
	struct latency *l = m->l;
	struct latency_bound *const first = l->by_event.v[at], *b = first;
	const struct latency_bound *end = l->bounds.v + l->bounds.nr;
	int ret = 0;

	for (; b && b < end && b->event == at && !ret; b++) {
		const u64 *key = b->key;

		b->hit = !is_no_thread(l, b, s) && latency_points_key(b, m->w->in.s, s, b->key) &&
			 !has_begun(l, b, at, key) && !is_taken(l, first, b) &&
			 !passes_later(m, s, b);
		if (!b->hit)
			continue;
		if (b->point->role == LATENCY_FROM)
			ret = begin_span(m, s, key, err);
		else if (b->point->role == LATENCY_UNTIL)
			spans_give_up(&l->spans, key);
		else if (spans_find(&l->spans, key) || !is_of_others(m, key))
			ret = end_span(m, s, key,
				       b->point->role == LATENCY_THEN ? b->point->stage
								      : latency_stages_end(l),
				       err);
	}
	return ret;
}

/* --- tables --- */

static struct spans_account since(const struct spans_account *now,
				  const struct spans_account *before)
{
	struct spans_account a = *now;

	a.begins -= before->begins;
	a.ends -= before->ends;
	a.spans -= before->spans;
	a.restarts -= before->restarts;
	a.ends_without_begin -= before->ends_without_begin;
	a.given_up -= before->given_up;
	a.across_loss -= before->across_loss;
	a.reordered -= before->reordered;
	a.no_room -= before->no_room;
	a.passed -= before->passed;
	a.repeated -= before->repeated;
	a.out_of_order -= before->out_of_order;
	a.skipped -= before->skipped;
	return a;
}

struct ages {
	struct measuring *m;
	struct latency *l;
	u64 now;
	struct err *err;
};

static struct latency_slow as_ended(const struct ages *a, struct span *span)
{
	struct latency_slow slow = {
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
	struct latency_slow slow = as_ended(a, span);
	u64 age = slow.span.end - slow.span.begin;
	int ret = 0;

	if (span->row == LATENCY_ROW_LEFT_OUT)
		return 0;
	if (span->begin < a->l->spans.lost_at) {
		a->l->unsure++;
		return 0;
	}
	a->l->oldest = MAX(a->l->oldest, age);
	if ((!a->l->open && !a->l->whole) || age < a->l->min_ns)
		return 0;
	ret = find_whole_row(a->m, &slow.span, (u32)span->key[0], a->err);
	if (!ret)
		ret = latency_stages_row(a->l, &slow.span, latency_stages_open(a->l),
					 &slow.span.row, a->err);
	if (!ret && a->l->slowest)
		ret = latency_text_keep(a->l, &slow, a->err);
	if (!ret)
		ret = latency_states_add(a->l, &slow, a->err);
	if (a->l->whole) {
		span->begin = a->now;
		latency_states_begin(a->l, (u32)span->key[0], a->now,
				     spans_notes(&a->l->spans, span));
	}
	return ret ? ret : count_table_add_number(&a->l->table, slow.span.row, age, a->err);
}

static int open_span(void *arg, const struct latency_kernel_span *s, struct err *err)
{
	return begin_span(arg, &s->begin, s->key, err);
}

/* Of what the kernel pairs, it is asked what is open. */
static int find_open(struct measuring *m, u64 now, struct err *err)
{
	int ret = m->l->kernel.on ? latency_kernel_each_open(m->l, now, open_span, m, err) : 0;

	return ret ? ret : m->l->kernel.on ? latency_kernel_account(m->l, err) : 0;
}

/* --open: the table and the slowest are these. */
static int find_ages(struct measuring *m, u64 now, struct err *err)
{
	struct ages ages = {m, m->l, now, err};

	int ret;

	m->l->oldest = m->l->unsure = 0;
	if (m->l->open) {
		count_table_empty(&m->l->table);
		latency_states_empty(m->l);
		m->l->slow.nr = 0;
	}
	ret = find_open(m, now, err);
	if (!ret)
		ret = spans_each_open(&m->l->spans, find_age, &ages);
	return ret;
}

static int put_view(struct measuring *m, const struct count_view *v, const struct spans_account *a,
		    const struct count_span *window, u32 height, struct err *err)
{
	struct latency *l = m->l;

	l->output.parts = latency_states_columns(l);
	if (l->q.form == COUNT_FORM_JSON)
		return latency_text_json(l, v, a, window, &l->output.body, err);
	return count_output_view(&l->output, v, height, err);
}

static int put(struct measuring *m, u64 to, bool view, struct err *err)
{
	struct latency *l = m->l;
	const struct count_span span = {.from = m->from - m->start, .to = to - m->start};
	struct spans_account a;
	struct err second = {0};
	struct count_view v;
	u32 height;
	int ret = find_ages(m, to, err), drawn = 0;

	if (ret)
		return ret;
	a = since(&l->spans.account, &m->before);
	if (l->kernel.on)
		spans_forget_open(&l->spans);
	count_output_begin(&l->output, &span, view, &height);
	buf_reset(&l->output.foot);
	if (!l->trace) {
		ret = count_view_init(&v, &l->table, l->q.order,
				      (u32)MIN(l->q.top, (u64)UINT32_MAX), err);
		if (ret)
			return ret;
		ret = put_view(m, &v, &a, &span, height, err);
		count_view_free(&v);
	}
	/* of a picture that cannot be written there is the table at least */
	if (!ret && l->files[LATENCY_FLAMEGRAPH] && !view)
		drawn = latency_text_flamegraph(l, err);
	if (!ret && !drawn && l->files[LATENCY_TIMELINE] && !view)
		drawn = latency_picture_draw(l, &a, m->from, to, err);
	if (!view)
		latency_text_slowest(l, &l->output.foot);
	latency_text_account(l, &a, to - m->from, &l->output.foot);
	/* of text it is printed below the table, of JSON it is inside */
	if (!view && !m->w->in.quiet &&
	    (l->q.form == COUNT_FORM_CSV || l->q.form == COUNT_FORM_FOLDED ||
	     (l->trace && l->q.form == COUNT_FORM_JSON) || latency_files_on_stdout(l)))
		fputs(buf_str(&l->output.foot), stderr);
	if (ret || latency_files_on_stdout(l))
		return ret ? ret : drawn;
	ret = count_output_put(&l->output, view, drawn ? &second : err);
	return ret ? ret : drawn;
}

static u64 interval_end(const struct measuring *m, u64 from)
{
	return m->l->q.interval_ns ? from + m->l->q.interval_ns : UINT64_MAX;
}

/* Rows stay, since open spans have theirs; unless there would soon be no room for new ones. */
static void empty_table(struct latency *l)
{
	latency_states_empty(l);
	if (l->table.nr < l->table.options.max_rows / 2) {
		count_table_empty(&l->table);
		return;
	}
	count_table_reset(&l->table);
	latency_states_reset(l);
	spans_set_rows(&l->spans, COUNT_ROW_OTHERS, LATENCY_ROW_LEFT_OUT);
}

static int next_intervals(struct measuring *m, u64 now, struct err *err)
{
	struct latency *l = m->l;
	int ret = 0;

	while (!ret && now >= m->until) {
		ret = put(m, m->until, l->output.viewing, err);
		empty_table(l);
		l->slow.nr = 0;
		if (l->kernel.on)
			latency_kernel_next(l);
		l->below = l->wanted.left_out = 0;
		m->before = l->spans.account;
		m->from = m->until;
		m->until = interval_end(m, m->from);
	}
	return ret;
}

static void begin(struct measuring *m, u64 time)
{
	m->start = m->from = m->last = time;
	m->until = interval_end(m, time);
}

/* --- the run --- */

static int add(struct measuring *m, const struct session_sample *s, u32 at, struct err *err)
{
	u64 time = s->sample->ids.time;
	int ret = 0;

	/* live, the first samples may be older than the moment when all events were on */
	if (!m->start || (time < m->from && m->from == m->start))
		begin(m, time);
	if (time >= m->until)
		ret = next_intervals(m, time, err);
	m->last = MAX(m->last, time);
	if (m->l->kernel.on)
		return ret ? ret : pair_span(m, s, err);
	look_for_losses(m, time);
	if (!ret)
		ret = latency_states_see(m->l, s, err);
	return ret ? ret : pair(m, s, at, err);
}

/* A record of a switch is paired as a sample of nothing but its thread would be. */
static int add_switch(struct measuring *m, struct err *err)
{
	const struct session *session = m->w->in.s;
	const struct session_record *record = &session->record;
	const struct event_set *set = &session->source->recording->events;
	const struct sample sample = {.ids = record->ids};
	struct session_sample s = {.sample = &sample, .samples = 1};
	const bool out = record->rec->misc & PERF_RECORD_MISC_SWITCH_OUT;

	if (!(record->ids.has & PERF_SAMPLE_TID) || !record->ids.time)
		return 0;
	s.event = (u32)(record->desc - set->events.v);
	s.desc = record->desc;
	s.thread = process_find_thread(&session->model, record->ids.tid);
	s.comm = record->comm;
	if (session->options.filter &&
	    !sample_filter_pass(session->options.filter, &sample.ids, s.comm))
		return 0;
	return add(m, &s, set->events.nr + (out ? LATENCY_SWITCH_OUT : LATENCY_SWITCH_IN), err);
}

static int add_record(struct measuring *m, struct err *err)
{
	return m->w->in.s->record.rec->type == PERF_RECORD_FORK ? add_child(m, err)
								: add_switch(m, err);
}

static int waits(struct measuring *m, struct err *err)
{
	u64 time = watching_time(m->w);
	int ret = flush(m, err);

	if (!ret)
		ret = latency_export_flush(m->l, err);
	if (ret || !m->start)
		return ret;
	if (time >= m->until)
		ret = next_intervals(m, time, err);
	if (!ret && !m->l->trace && !m->l->q.interval_ns && count_output_is_due(&m->l->output))
		ret = put(m, MAX(time, m->last), true, err);
	return ret;
}

static int follow_command(struct measuring *m, struct err *err)
{
	u32 *pid;

	if (!m->l->follows)
		return 0;
	pid = vec_push(&m->l->pids);
	if (!pid)
		return err_nomem(err);
	*pid = (u32)m->w->live->event_session.child.pid;
	return 0;
}

static int prepare(struct measuring *m, struct opt_rest *rest, struct err *err)
{
	struct latency *l = m->l;
	struct count_request *q = &l->q;
	int ret;

	count_samples_parts(q);
	m->w->in.session.want.no_raw = false;
	if (l->follows || l->pids.nr)
		m->w->in.session.records |= 1ull << PERF_RECORD_FORK;
	if (l->has_records)
		m->w->in.session.records |=
			1ull << PERF_RECORD_SWITCH | 1ull << PERF_RECORD_SWITCH_CPU_WIDE;
	m->w->hurry = true;
	m->w->round_ns = q->interval_ns ? MIN(ROUND_NS, q->interval_ns / 2) : ROUND_NS;
	ret = latency_kernel_choose(l, err);
	if (ret)
		return ret == -EINVAL ? CMD_USAGE : CMD_NO_START;
	if (latency_export_open(l, err))
		return CMD_USAGE;
	ret = watching_open(m->w, rest, err);
	if (ret)
		return ret;
	m->live = m->w->live;
	if (m->w->input && losses_ahead_read(&m->ahead, m->w->input)) {
		err_nomem(err);
		return CMD_NO_START;
	}
	l->spans.nr_keys = l->nr_keys;
	ret = latency_presets_in_file(&l->presets, l->preset, latency_points_bind(l, err), err);
	if (!ret)
		ret = latency_presets_in_file(&l->presets, l->by_given ? NULL : l->preset,
					      count_keys_bind(&q->keys, m->w->in.s, err), err);
	q->keys.values.labels = l->stages.labels;
	if (!ret) {
		strcpy(q->keys.of_unit, "ns");
		ret = count_table_init(&l->table, &q->keys, &q->table, err);
	}
	if (!ret)
		ret = latency_export_start(l, err);
	if (!ret)
		ret = follow_command(m, err);
	if (ret)
		return ret == -EINVAL ? CMD_USAGE : CMD_NO_START;
	count_output_init(&l->output, q);
	l->output.viewing &= !l->trace && !l->whole && !latency_files_on_stdout(l);
	l->output.durations = true;
	l->output.sums = l->whole && !q->quantiled && !q->hist;
	return 0;
}

static int run(struct measuring *m, struct err *err)
{
	struct session_sample s;
	int ret = watching_start(m->w, err);

	if (ret)
		return ret;
	if (m->live)
		begin(m, clock_ns(m->w->what.attrs.clockid));
	while ((ret = watching_next(m->w, &s, err)) > 0) {
		ret = ret == SESSION_SAMPLE   ? add(m, &s, s.event, err)
		      : ret == SESSION_WAIT   ? waits(m, err)
		      : ret == SESSION_RECORD ? add_record(m, err)
					      : 0;
		if (ret)
			return CMD_PARTIAL;
	}
	return ret < 0 ? CMD_PARTIAL : 0;
}

/* What was paired is printed even if the rest could not be read. */
static int finish(struct measuring *m, int ret, struct err *err)
{
	struct err second = {0};
	u64 end = m->live ? clock_ns(m->w->what.attrs.clockid) : m->last;
	int code, put_ret;

	ret |= latency_export_finish(m->l, m->start, MAX(end, m->from), ret ? &second : err);
	put_ret = flush(m, ret ? &second : err);
	if (!put_ret)
		put_ret = put(m, MAX(end, m->from), false, ret ? &second : err);
	code = watching_verdict(m->w, NULL, ret || put_ret ? &second : err);
	return ret || put_ret ? CMD_PARTIAL : code;
}

static int measure(struct latency *l, struct opt_rest *rest, struct err *err)
{
	struct measuring m = {.l = l, .w = &l->q.w};
	int ret = prepare(&m, rest, err);

	if (!ret) {
		ret = run(&m, err);
		if (!ret || ret == CMD_PARTIAL)
			ret = finish(&m, ret, err);
	}
	buf_free(&m.lines);
	losses_ahead_free(&m.ahead);
	return ret;
}

static void release(struct latency *l)
{
	latency_export_free(l);
	count_output_free(&l->output);
	count_table_free(&l->table);
	spans_free(&l->spans);
	latency_states_free(&l->states);
	buf_free(&l->kernel.why);
	time_bins_free(&l->map);
	vec_free(&l->slow);
	vec_free(&l->pids);
	vec_free(&l->tids);
	latency_points_free(l);
	latency_presets_free(&l->presets);
	count_options_free(&l->q);
	watching_end(&l->q.w);
}

int cmd_latency(int argc, char **argv, struct err *err)
{
	struct latency l = {0};
	struct opt_rest rest = {0};
	int ret;

	ret = watching_init(&l.q.w, "latency", err) ? CMD_NO_START : 0;
	if (!ret)
		ret = cmd_refused(latency_options(&l, argc, argv, &rest, err));
	if (!ret && !rest.help)
		ret = measure(&l, &rest, err);
	release(&l);
	return ret;
}
