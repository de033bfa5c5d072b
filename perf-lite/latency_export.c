// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/latency_request.h"

#include <string.h>

#include "util/base/text.h"
#include "util/format/count_frames.h"
#include "util/format/count_names.h"

/* Written out in pieces of this size. */
#define OUT_SIZE (64u * 1024)
#define DIGITS   18 /* of every number that is one in all formats */

static bool is_asked(const struct latency_request *req)
{
	return req->files[LATENCY_CHROME] || req->files[LATENCY_GECKO] || req->files[LATENCY_PPROF];
}

/* --- files --- */

static int open_file(struct latency_request *req, u32 i, struct err *err)
{
	int ret = output_file_open(&req->exports.v[i].out, req->files[i], req->q.w.input,
				   OUTPUT_PRIVATE, err);

	req->exports.v[i].opened = !ret;
	return ret;
}

static int write_out(struct latency_exporter *e, struct err *err)
{
	int ret = e->text.len || e->text.failed ? output_file_write(&e->out, &e->text, err) : 0;

	buf_clear(&e->text);
	return ret;
}

/* Other than 0: what was written is thrown away. */
static int close_file(struct latency_exporter *e, int ret, struct err *err)
{
	e->done = true;
	if (!e->opened)
		return ret;
	e->opened = false;
	return output_file_close(&e->out, ret, err);
}

int latency_export_open(struct latency_request *req, struct err *err)
{
	return req->files[LATENCY_CHROME] ? open_file(req, LATENCY_CHROME, err) : 0;
}

/* --- keys --- */

/* The call chain whose frames are given: of the thread, else of who woke it. */
static u32 find_stack(const struct count_keys *k)
{
	u32 i, found = ID_NONE;

	for (i = k->nr; i-- > 0;)
		if (sample_key_is_stack(k->v[i].kind) &&
		    (found == ID_NONE || k->v[found].other || !k->v[i].other))
			found = i;
	return found;
}

static int add_key(struct latency_exports *x, const char *name, bool ns, u32 of, struct err *err)
{
	struct export_spans_key *key = vec_push(&x->keys);
	struct export_spans_value *value = vec_push(&x->values);
	struct buf *text = vec_push(&x->texts);
	u32 *from = vec_push(&x->of);

	if (!key || !value || !text || !from)
		return err_nomem(err);
	*key = (struct export_spans_key){.name = name, .ns = ns};
	*from = of;
	return 0;
}

/* Those of the table, then what threads did, and last the stack. */
static int add_keys(struct latency_request *req, struct err *err)
{
	struct latency_exports *x = &req->exports;
	const struct count_parts parts = latency_states_columns(&req->l);
	const struct count_keys *k = &req->q.keys;
	const char *name;
	int ret = 0;
	u32 i;

	x->stack = find_stack(k);
	for (i = 0; i < k->nr && !ret; i++)
		if (i != x->stack)
			ret = add_key(x, k->v[i].name, false, i, err);
	x->parts_at = x->keys.nr;
	for (i = 0; i < parts.nr && !ret; i++) {
		name = arena_printf(&req->l.points.arena, "%s_ns", parts.names[i]);
		ret = name ? add_key(x, name, true, ID_NONE, err) : err_nomem(err);
	}
	if (!ret && x->stack != ID_NONE)
		ret = add_key(x, k->v[x->stack].name, false, x->stack, err);
	return ret;
}

int latency_export_start(struct latency_request *req, struct err *err)
{
	static export_spans_make *const make[LATENCY_EXPORTS] = {
		[LATENCY_CHROME] = export_spans_chrome,
		[LATENCY_GECKO] = export_spans_gecko,
		[LATENCY_PPROF] = export_spans_pprof};
	struct latency_exports *x = &req->exports;
	int ret = 0;
	u32 i;

	if (!is_asked(req))
		return 0;
	if (req->l.asked.preset)
		text_escape(&x->title, req->l.asked.preset->name,
			    strlen(req->l.asked.preset->name));
	else
		latency_points_between(&req->l, &x->title);
	ret = x->title.failed ? err_nomem(err) : add_keys(req, err);
	x->about = (struct export_spans_about){.name = buf_str(&x->title),
					       .keys = x->keys.v,
					       .nr_keys = x->keys.nr,
					       .stack = x->stack != ID_NONE,
					       .nests = req->l.points.by_task &&
							req->l.points.nr_keys == 1};
	for (i = 0; i < LATENCY_EXPORTS && !ret; i++)
		if (req->files[i])
			ret = make[i](req->q.w.in.s, &x->about, &x->v[i].spans, err);
	return ret;
}

/* --- values --- */

/* One that every format can hold, as it is written. */
static bool is_number(const char *text)
{
	size_t len;

	text += *text == '-';
	len = strspn(text, "0123456789");
	return len && len <= DIGITS && !text[len] && (*text != '0' || len == 1);
}

static void put_value(const struct latency_request *req, const struct count_row *r, u32 key,
		      struct buf *out)
{
	const struct count_table *t = &req->l.table;

	if (sample_key_is_stack(req->q.keys.v[key].kind))
		count_frames_folded(&t->stacks[key], (u32)r->words[COUNT_SHAPES + key], 0, out);
	else
		count_names_put(t, r, key, out);
}

/* r: NULL: what no row was left for. The stack is text in traces alone. */
static void take_values(struct latency_request *req, const struct count_row *r)
{
	struct latency_exports *x = &req->exports;
	struct export_spans_value *v;
	u32 i;

	for (i = 0; i < x->keys.nr; i++) {
		v = &x->values.v[i];
		*v = (struct export_spans_value){0};
		if (!r || x->of.v[i] == ID_NONE || !count_names_has(&req->l.table, r, x->of.v[i]) ||
		    (x->of.v[i] == x->stack && !req->files[LATENCY_CHROME]))
			continue;
		buf_clear(&x->texts.v[i]);
		put_value(req, r, x->of.v[i], &x->texts.v[i]);
		v->text = buf_str(&x->texts.v[i]);
		v->number = count_names_is_number(&req->l.table, x->of.v[i]) && is_number(v->text);
	}
	x->group = (struct export_spans_values){.v = x->values.v};
	if (r && x->stack != ID_NONE && count_names_has(&req->l.table, r, x->stack))
		x->group.frames = count_stacks_frames(&req->l.table.stacks[x->stack],
						      (u32)r->words[COUNT_SHAPES + x->stack],
						      &x->group.nr_frames);
}

static void take_parts(struct latency_request *req, const struct latency_span *slow)
{
	struct latency_exports *x = &req->exports;
	u32 i;

	for (i = 0; i < THREAD_STATES && req->l.states.splits; i++) {
		buf_clear(&x->texts.v[x->parts_at + i]);
		buf_dec(&x->texts.v[x->parts_at + i], slow->parts[i], 0);
		x->values.v[x->parts_at + i] = (struct export_spans_value){
			.text = buf_str(&x->texts.v[x->parts_at + i]), .number = true};
	}
}

/* "block-io R": what is measured, and of what, but for the thread, whose track it is in. */
static void make_name(struct latency_request *req)
{
	struct latency_exports *x = &req->exports;
	const struct sample_key *key;
	u32 i;

	buf_clear(&x->name);
	buf_adds(&x->name, x->about.name);
	for (i = 0; i < x->parts_at; i++) {
		key = &req->q.keys.v[x->of.v[i]];
		if (key->kind != KEY_COMM && key->kind != KEY_PID && key->kind != KEY_TID &&
		    !sample_key_is_stack(key->kind) && x->values.v[i].text)
			buf_addf(&x->name, " %s", x->values.v[i].text);
	}
}

static int check_memory(const struct latency_exports *x, struct err *err)
{
	bool failed = x->name.failed;
	u32 i;

	for (i = 0; i < x->texts.nr; i++)
		failed |= x->texts.v[i].failed;
	return failed ? err_nomem(err) : 0;
}

/* --- spans --- */

static const struct count_row *row_of(const struct latency_request *req, u32 row)
{
	return row == COUNT_ROW_OTHERS ? NULL : count_table_row(&req->l.table, row);
}

int latency_export_add(struct latency_request *req, const struct latency_span *slow, u32 tid,
		       u64 from, struct err *err)
{
	struct latency_exports *x = &req->exports;
	struct export_span span = {.begin = slow->span.begin,
				   .end = slow->span.end,
				   .cpu = slow->cpu,
				   .tid = ID_NONE,
				   .values = &x->group};
	struct latency_exporter *e;
	int ret;

	if (!req->files[LATENCY_CHROME] && !req->files[LATENCY_GECKO])
		return 0;
	take_values(req, row_of(req, slow->span.row));
	take_parts(req, slow);
	make_name(req);
	ret = check_memory(x, err);
	span.name = buf_str(&x->name);
	if (req->l.points.by_task) {
		struct session_sample of = {0};

		latency_thread(&req->l, tid, &of);
		span.tid = of.thread ? of.thread->tid : tid;
		span.thread = of.thread;
		span.comm = of.comm;
	}
	for (e = x->v; e < x->v + LATENCY_EXPORTS && !ret; e++) {
		if (!e->spans || !e->spans->ops->span)
			continue;
		e->spans->from = from;
		ret = e->spans->ops->span(e->spans, &span, &e->text, err);
		if (!ret && e->text.len >= OUT_SIZE)
			ret = write_out(e, err);
		if (ret)
			ret = close_file(e, ret, err);
	}
	return ret;
}

int latency_export_flush(struct latency_request *req, struct err *err)
{
	struct latency_exporter *e = &req->exports.v[LATENCY_CHROME];
	int ret = e->opened ? write_out(e, err) : 0;

	return ret ? close_file(e, ret, err) : 0;
}

static int put_row(struct latency_request *req, struct latency_exporter *e,
		   const struct count_row *r, const struct count_sum *sum, struct err *err)
{
	const struct export_spans_row row = {
		.spans = sum->nr, .ns = (u64)sum->sum, .values = &req->exports.group};
	int ret;

	take_values(req, r);
	ret = check_memory(&req->exports, err);
	if (!ret)
		ret = e->spans->ops->row(e->spans, &row, &e->text, err);
	return ret ? ret : write_out(e, err);
}

/* The whole table, whatever --top says. */
static int put_rows(struct latency_request *req, struct latency_exporter *e, struct err *err)
{
	struct count_view v;
	int ret = count_view_init(&v, &req->l.table, req->q.order, 0, err);
	u32 i;

	if (ret)
		return ret;
	for (i = 0; i < v.nr && !ret; i++)
		ret = put_row(req, e, count_view_row(&v, i), &count_view_row(&v, i)->sum, err);
	if (!ret && req->l.table.others.nr)
		ret = put_row(req, e, NULL, &req->l.table.others, err);
	count_view_free(&v);
	return ret;
}

static int finish_file(struct latency_request *req, u32 i, struct err *err)
{
	struct latency_exporter *e = &req->exports.v[i];
	int ret = e->opened ? 0 : open_file(req, i, err), more = 1;

	if (ret)
		return ret;
	if (e->spans->ops->row)
		ret = put_rows(req, e, err);
	while (!ret && more > 0) {
		more = e->spans->ops->end(e->spans, &e->text, err);
		ret = more < 0 ? more : write_out(e, err);
	}
	return close_file(e, ret, err);
}

int latency_export_finish(struct latency_request *req, u64 from, u64 to, struct err *err)
{
	struct err second = {0};
	int ret = 0, one;
	u32 i;

	for (i = 0; i < LATENCY_EXPORTS; i++) {
		if (!req->exports.v[i].spans || req->exports.v[i].done)
			continue;
		req->exports.v[i].spans->from = from;
		req->exports.v[i].spans->to = to;
		one = finish_file(req, i, ret ? &second : err);
		ret = ret ? ret : one;
	}
	return ret;
}

void latency_export_free(struct latency_request *req)
{
	struct latency_exports *x = &req->exports;
	struct err none = {0};
	u32 i;

	for (i = 0; i < LATENCY_EXPORTS; i++) {
		close_file(&x->v[i], -1, &none);
		if (x->v[i].spans)
			x->v[i].spans->ops->free(x->v[i].spans);
		buf_free(&x->v[i].text);
	}
	for (i = 0; i < x->texts.nr; i++)
		buf_free(&x->texts.v[i]);
	vec_free(&x->texts);
	vec_free(&x->keys);
	vec_free(&x->values);
	vec_free(&x->of);
	buf_free(&x->title);
	buf_free(&x->name);
}
