// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/latency_request.h"

#include <string.h>

#include "util/base/json.h"
#include "util/base/text.h"
#include "util/format/count_names.h"
#include "util/format/selected_fields.h"
#include "util/profile/task_names.h"

static void put_waker(const struct latency_request *req, u32 waker, struct buf *out)
{
	struct session *s = req->l.w->in.s;
	const struct thread *thread = process_find_thread(&s->model, waker);

	if (waker == ID_NONE)
		return;
	if (!waker || waker == LATENCY_INTERRUPT)
		buf_adds(out, "an interrupt");
	else
		buf_addf(out, "%s/%u", thread_cache_comm(s->tasks, &s->model, thread, waker),
			 waker);
}

/* A line below that of the span, and the stack of its longest sleep. */
static void put_states(const struct latency_request *req, const struct latency_span *slow,
		       struct buf *out)
{
	const struct latency_states *st = &req->l.states;
	const struct thread_sleep *sleep = &slow->sleep;
	const char *between = "";
	u64 asleep = 0;
	bool only;
	u32 i;

	if (!st->splits || slow->span.end == slow->span.begin)
		return;
	buf_pad(out, ' ', 12);
	for (i = 0; i < THREAD_STATES; i++) {
		if (!slow->parts[i])
			continue;
		buf_addf(out, "%s%s ", between, thread_state_names[i]);
		text_duration(out, slow->parts[i]);
		between = ", ";
		asleep += i >= THREAD_SLEEPING && i < THREAD_NOT_KNOWN ? slow->parts[i] : 0;
	}
	only = slow->slept && asleep == sleep->end - sleep->begin;
	if (slow->slept) {
		buf_adds(out, only ? "; asleep once" : "; the longest sleep ");
		if (!only)
			text_duration(out, sleep->end - sleep->begin);
		if (sleep->waker != ID_NONE)
			buf_adds(out, ", woken by ");
		put_waker(req, sleep->waker, out);
	}
	if (slow->slept && st->has_places && sleep->place != ID_NONE)
		buf_adds(out, "; it slept at:");
	buf_addc(out, '\n');
	if (slow->slept && st->has_places && sleep->place != ID_NONE)
		count_names_stack(&st->places, count_table_row(&st->places, slow->sleep.place), 0,
				  "\t", out);
}

/* The same as members of an object. */
static void put_states_json(const struct latency_request *req, const struct latency_span *slow,
			    struct buf *out)
{
	const struct latency_states *st = &req->l.states;
	const struct thread_sleep *sleep = &slow->sleep;
	struct buf text = {0};
	u32 i;

	if (!st->splits)
		return;
	for (i = 0; i < THREAD_STATES; i++) {
		buf_clear(&text);
		buf_addf(&text, "%s_ns", thread_state_names[i]);
		json_put_unsigned(out, buf_str(&text), slow->parts[i]);
	}
	if (slow->slept) {
		json_put_open(out, "longest_sleep", '{');
		json_put_unsigned(out, "ns", sleep->end - sleep->begin);
		buf_clear(&text);
		put_waker(req, sleep->waker, &text);
		if (text.len)
			json_put_buf(out, "waker", &text);
		if (st->has_places && sleep->place != ID_NONE) {
			json_key(out, "stack");
			count_names_json(&st->places, count_table_row(&st->places, sleep->place), 0,
					 out);
		}
		buf_addc(out, '}');
	}
	out->failed |= text.failed;
	buf_free(&text);
}

/* Members of an object. */
static void put_span_json(const struct latency_request *req, const struct latency_span *slow,
			  struct buf *out)
{
	const struct count_keys *k = &req->q.keys;
	u32 i;

	json_put_unsigned(out, "begin_ns", slow->span.begin);
	json_put_unsigned(out, "end_ns", slow->span.end);
	json_put_unsigned(out, "ns", latency_length(slow));
	if (slow->cpu != ID_NONE)
		json_put_unsigned(out, "cpu", slow->cpu);
	for (i = 0; i < k->nr && slow->span.row != COUNT_ROW_OTHERS; i++) {
		json_key(out, k->v[i].name);
		count_names_json(&req->l.table, count_table_row(&req->l.table, slow->span.row), i,
				 out);
	}
	put_states_json(req, slow, out);
}

void latency_span_put(const struct latency_request *req, const struct latency_span *slow,
		      struct buf *out)
{
	const struct count_keys *k = &req->q.keys;
	const struct count_row *r;
	struct buf length = {0};
	size_t at;
	u32 i;

	if (req->q.form == COUNT_FORM_JSON) {
		json_open(out, '{');
		put_span_json(req, slow, out);
		buf_adds(out, "}\n");
		return;
	}
	text_duration(&length, latency_length(slow));
	buf_addf(out, "%10s  ", buf_str(&length));
	out->failed |= length.failed;
	buf_free(&length);
	at = out->len;
	text_seconds(out, slow->span.begin, 6);
	buf_addf(out, "%*s", (int)MAX(0, 14 - (int)(out->len - at)), "");
	buf_addc(out, ' ');
	selected_fields_cpu(slow->cpu, out);
	if (slow->span.row == COUNT_ROW_OTHERS) {
		buf_addc(out, '\n');
		put_states(req, slow, out);
		return;
	}
	r = count_table_row(&req->l.table, slow->span.row);
	for (i = 0; i < k->nr; i++) {
		if (sample_key_is_stack(k->v[i].kind))
			continue;
		buf_addf(out, "  %s=", k->v[i].name);
		count_names_put(&req->l.table, r, i, out);
	}
	buf_addc(out, '\n');
	for (i = 0; i < k->nr; i++) {
		if (!sample_key_is_stack(k->v[i].kind))
			continue;
		if (k->v[i].other)
			buf_addf(out, "    %s:\n", k->v[i].name);
		count_names_stack(&req->l.table, r, i, "\t", out);
	}
	put_states(req, slow, out);
}

void latency_span_put_slowest(struct latency_request *req, struct buf *out)
{
	u32 i;

	if (!req->l.slow.nr || req->q.form != COUNT_FORM_TEXT)
		return;
	latency_slowest_sort(&req->l);
	buf_adds(out, "\n   slowest  began at       CPU\n");
	for (i = 0; i < req->l.slow.nr; i++)
		latency_span_put(req, &req->l.slow.v[i], out);
}

void latency_span_json_slowest(struct latency_request *req, struct buf *out)
{
	u32 i;

	if (!req->l.asked.slowest)
		return;
	latency_slowest_sort(&req->l);
	json_put_open(out, "slowest", '[');
	for (i = 0; i < req->l.slow.nr; i++) {
		json_open_item(out, '{');
		put_span_json(req, &req->l.slow.v[i], out);
		buf_addc(out, '}');
	}
	buf_addc(out, ']');
}
