// SPDX-License-Identifier: GPL-2.0
#include "util/format/syscall_summary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/errno_names.h"
#include "util/base/json.h"
#include "util/base/text.h"
#include "util/syscall/syscall.h"

#define ALL_THREADS UINT32_MAX

/* The rows of one table: a thread, a process, or all. */
struct group {
	u32 thread; /* one of its threads, ALL_THREADS: of all */
	u32 from, nr;
	u64 calls;
};

/* How often the call of a row failed with one error. */
struct row_error {
	u32 thread; /* of the row */
	u32 nr;
	u32 error;
	u64 calls;
};

struct tables {
	const struct syscall_sink *k;
	const struct syscall_summary_options *o;
	VEC(struct group) groups;
	VEC(struct syscall_row) rows; /* of the groups, one behind the other */
	VEC(struct row_error) errors; /* sorted by row and error */
};

/* How many calls were lost with all their samples. */
static u64 syscall_summary_lost(const struct syscall_account *a, const struct syscall_loss *lost)
{
	u64 halves = a->no_enter + a->no_exit;

	if (lost->sides && lost->enters)
		return lost->enters > a->no_enter ? lost->enters - a->no_enter : 0;
	if (lost->sides)
		return lost->exits > a->no_exit ? lost->exits - a->no_exit : 0;
	/* of each of the others both samples are lost */
	return lost->samples > halves ? (lost->samples - halves + 1) / 2 : 0;
}

/* The thread that represents those counted together. */
static u32 leader(const struct tables *t, u32 thread, struct hmap *processes)
{
	const struct process_model *m = &t->k->session->model;
	u32 first;

	if (t->o->mode == SYSCALL_SUMMARY_THREADS)
		return thread;
	if (t->o->mode == SYSCALL_SUMMARY_TOTAL)
		return ALL_THREADS;
	first = hmap_get(processes, m->threads.v[thread].pid);
	if (first == ID_NONE && hmap_set(processes, m->threads.v[thread].pid, thread))
		first = thread;
	return first;
}

static bool add_row(struct tables *t, struct hmap *index, u32 group, const struct syscall_row *r)
{
	u64 key = (u64)group << 32 | (u32)r->nr;
	u32 at = hmap_get(index, key);
	struct syscall_row *row;

	if (at == ID_NONE) {
		at = t->rows.nr;
		row = vec_push(&t->rows);
		if (!row || !hmap_set(index, key, at))
			return false;
		*row = (struct syscall_row){.thread = group, .nr = r->nr, .what = r->what};
	}
	syscall_stats_merge(&t->rows.v[at], r);
	return true;
}

static int by_group_and_time(const void *a, const void *b)
{
	const struct syscall_row *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	if (x->calls != y->calls)
		return x->calls > y->calls ? -1 : 1;
	return x->nr < y->nr ? -1 : x->nr > y->nr;
}

/* All threads together come last. */
static int by_calls(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if ((x->thread == ALL_THREADS) != (y->thread == ALL_THREADS))
		return x->thread == ALL_THREADS ? 1 : -1;
	if (x->calls != y->calls)
		return x->calls > y->calls ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

static bool make_groups(struct tables *t)
{
	struct group *g = NULL;
	u32 i;

	if (t->rows.nr)
		qsort(t->rows.v, t->rows.nr, sizeof(*t->rows.v), by_group_and_time);
	for (i = 0; i < t->rows.nr; i++) {
		if (!g || g->thread != t->rows.v[i].thread) {
			g = vec_push(&t->groups);
			if (!g)
				return false;
			*g = (struct group){.thread = t->rows.v[i].thread, .from = i};
		}
		g->nr++;
		g->calls += t->rows.v[i].calls;
	}
	if (t->groups.nr)
		qsort(t->groups.v, t->groups.nr, sizeof(*t->groups.v), by_calls);
	return true;
}

static int compare_errors(const void *a, const void *b)
{
	const struct row_error *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->nr != y->nr)
		return x->nr < y->nr ? -1 : 1;
	return x->error < y->error ? -1 : x->error > y->error;
}

static bool add_error(struct tables *t, u32 thread, u64 nr, const struct syscall_error *from)
{
	struct row_error *e = vec_push(&t->errors);

	if (e)
		*e = (struct row_error){.thread = thread,
					.nr = (u32)nr,
					.error = from->error,
					.calls = from->calls};
	return e;
}

/* Sorted, with those of several threads in one. */
static void join_errors(struct tables *t)
{
	struct row_error *to = t->errors.v, *e;
	u32 i;

	if (!t->errors.nr)
		return;
	qsort(t->errors.v, t->errors.nr, sizeof(*t->errors.v), compare_errors);
	for (i = 1; i < t->errors.nr; i++) {
		e = &t->errors.v[i];
		if (!compare_errors(to, e))
			to->calls += e->calls;
		else
			*++to = *e;
	}
	t->errors.nr = (u32)(to - t->errors.v) + 1;
}

static bool make_errors(struct tables *t, bool several, struct hmap *processes)
{
	const struct syscall_stats *s = &t->k->stats;
	const struct syscall_row *row;
	bool ok = true;
	u32 i;

	for (i = 0; ok && i < s->errors.nr; i++) {
		row = &s->rows.v[s->errors.v[i].row];
		ok = add_error(t, leader(t, row->thread, processes), row->nr, &s->errors.v[i]) &&
		     (!several || add_error(t, ALL_THREADS, row->nr, &s->errors.v[i]));
	}
	join_errors(t);
	return ok;
}

static int make(struct tables *t, struct err *err)
{
	const struct syscall_stats *s = &t->k->stats;
	struct hmap index = {0}, processes = {0};
	bool ok = true;
	u32 i, group, first = ID_NONE;
	bool several = false;

	for (i = 0; ok && i < s->rows.nr; i++) {
		group = leader(t, s->rows.v[i].thread, &processes);
		several |= first != ID_NONE && first != group;
		first = group;
		ok = add_row(t, &index, group, &s->rows.v[i]);
	}
	for (i = 0; ok && several && i < s->rows.nr; i++)
		ok = add_row(t, &index, ALL_THREADS, &s->rows.v[i]);
	ok = ok && make_groups(t) && (!t->o->errors || make_errors(t, several, &processes));
	hmap_free(&index);
	hmap_free(&processes);
	return ok ? 0 : err_nomem(err);
}

static void drop(struct tables *t)
{
	vec_free(&t->groups);
	vec_free(&t->rows);
	vec_free(&t->errors);
}

static void put_name(const struct syscall_row *r, struct buf *out)
{
	const struct syscall_call c = {.what = r->what, .nr = r->nr};

	syscall_text_name(&c, out);
}

/* The errors of a row: *nr of them, each but once, by number. */
static const struct row_error *errors_of(const struct tables *t, const struct syscall_row *r,
					 u32 *nr)
{
	const struct row_error key = {.thread = r->thread, .nr = (u32)r->nr};
	u32 from = 0, to = t->errors.nr, at;

	while (from < to) {
		at = from + (to - from) / 2;
		if (compare_errors(&t->errors.v[at], &key) < 0)
			from = at + 1;
		else
			to = at;
	}
	while (to < t->errors.nr && t->errors.v[to].thread == key.thread &&
	       t->errors.v[to].nr == key.nr)
		to++;
	*nr = to - from;
	return t->errors.v + from;
}

static void text_errors(const struct tables *t, const struct syscall_row *r, struct buf *out)
{
	const struct row_error *e;
	const char *name;
	u32 i, nr;

	e = errors_of(t, r, &nr);
	for (i = 0; i < nr; i++) {
		name = errno_name(e[i].error);
		if (name)
			buf_addf(out, "%34" PRIu64 "  %s\n", e[i].calls, name);
		else
			buf_addf(out, "%34" PRIu64 "  errno %u\n", e[i].calls, e[i].error);
	}
}

static double ms(double ns)
{
	return ns / 1e6;
}

static void text_row(const struct tables *t, const struct syscall_row *r, struct buf *out)
{
	size_t from = out->len + 3;

	buf_adds(out, "   ");
	put_name(r, out);
	if (out->len < from + 15)
		buf_pad(out, ' ', from + 15 - out->len);
	buf_addf(out, " %8" PRIu64 "  %6" PRIu64 " %9.3f %9.3f %9.3f %9.3f   %5.2f%%\n", r->calls,
		 r->errors, ms((double)r->total), ms((double)r->min), ms(r->mean),
		 ms((double)r->max), syscall_stats_deviation(r));
	if (t->o->errors)
		text_errors(t, r, out);
}

static void text_group(const struct tables *t, const struct group *g, struct buf *out)
{
	const struct process_model *m = &t->k->session->model;
	u64 all = t->k->account.calls;
	u32 i;

	buf_addc(out, ' ');
	if (g->thread == ALL_THREADS) {
		buf_adds(out, "total");
	} else {
		syscall_sink_comm(m, g->thread, out);
		buf_addf(out, " (%u)",
			 t->o->mode == SYSCALL_SUMMARY_PROCESSES ? m->threads.v[g->thread].pid
								 : m->threads.v[g->thread].tid);
	}
	buf_addf(out, ", %" PRIu64 " call%s, %.1f%%\n\n", g->calls, TEXT_PLURAL(g->calls),
		 all ? 100 * (double)g->calls / (double)all : 0);
	buf_adds(out,
		 "   syscall            calls  errors     total       min       avg       max   "
		 "stddev\n"
		 "                                       (msec)    (msec)    (msec)    (msec)      "
		 "(%)\n"
		 "   --------------- --------  ------ --------- --------- --------- ---------   "
		 "------\n");
	for (i = g->from; i < g->from + g->nr; i++)
		text_row(t, &t->rows.v[i], out);
	buf_addc(out, '\n');
}

/* What the tables do not have, or have in part. */
static void text_account(const struct tables *t, struct buf *out)
{
	const struct syscall_account *a = &t->k->account;
	u64 lost = syscall_summary_lost(a, &t->o->lost);

	if (lost)
		buf_addf(out, " of %" PRIu64 " calls %" PRIu64 " were lost (%.1f%%)\n",
			 a->calls + lost, lost, 100 * (double)lost / (double)(a->calls + lost));
	if (a->no_exit)
		buf_addf(out, " of %" PRIu64 " calls the end is missing\n", a->no_exit);
	if (a->no_enter)
		buf_addf(out, " of %" PRIu64 " calls the beginning is missing\n", a->no_enter);
	if (a->before)
		buf_addf(out, " %" PRIu64 " call%s had begun before the first sample\n", a->before,
			 TEXT_PLURAL(a->before));
	if (a->unfinished)
		buf_addf(out, " %" PRIu64 " call%s had not ended\n", a->unfinished,
			 TEXT_PLURAL(a->unfinished));
}

int syscall_summary_text(const struct syscall_sink *k, const struct syscall_summary_options *o,
			 struct buf *out, struct err *err)
{
	struct tables t = {.k = k, .o = o};
	int ret = make(&t, err);
	u32 i;

	buf_adds(out, "\n Summary of system calls:\n\n");
	for (i = 0; !ret && i < t.groups.nr; i++)
		text_group(&t, &t.groups.v[i], out);
	if (!ret)
		text_account(&t, out);
	drop(&t);
	return !ret && out->failed ? err_nomem(err) : ret;
}

static void json_errors(const struct tables *t, const struct syscall_row *r, struct buf *out)
{
	const struct row_error *e;
	const char *name;
	u32 i, nr;

	e = errors_of(t, r, &nr);
	json_put_open(out, "by_error", '{');
	for (i = 0; i < nr; i++) {
		name = errno_name(e[i].error);
		if (!name)
			continue;
		json_put_unsigned(out, name, e[i].calls);
	}
	buf_addc(out, '}');
}

static void json_row(const struct tables *t, const struct syscall_row *r, struct buf *out)
{
	const struct process_model *m = &t->k->session->model;
	struct buf name = {0};

	json_open(out, '{');
	if (r->thread != ALL_THREADS) {
		syscall_sink_comm(m, r->thread, &name);
		json_put_buf(out, "comm", &name);
		json_put_signed(out, "pid", (s32)m->threads.v[r->thread].pid);
		if (t->o->mode == SYSCALL_SUMMARY_THREADS)
			json_put_signed(out, "tid", (s32)m->threads.v[r->thread].tid);
	}
	buf_clear(&name);
	put_name(r, &name);
	json_put_buf(out, "syscall", &name);
	json_put_unsigned(out, "calls", r->calls);
	json_put_unsigned(out, "errors", r->errors);
	json_put_unsigned(out, "timed", r->timed);
	json_put_unsigned(out, "total", r->total);
	json_put_unsigned(out, "min", r->min);
	json_put_fixed(out, "avg", r->mean, 1);
	json_put_unsigned(out, "max", r->max);
	json_put_fixed(out, "stddev_percent", syscall_stats_deviation(r), 2);
	if (t->o->errors)
		json_errors(t, r, out);
	buf_adds(out, "}\n");
	buf_free(&name);
}

static void json_account(const struct tables *t, struct buf *out)
{
	const struct syscall_account *a = &t->k->account;
	u64 lost = syscall_summary_lost(a, &t->o->lost);

	json_open(out, '{');
	json_put_unsigned(out, "calls", a->calls + lost);
	json_put_unsigned(out, "seen", a->calls);
	json_put_unsigned(out, "lost", lost);
	json_put_unsigned(out, "without_end", a->no_exit);
	json_put_unsigned(out, "without_beginning", a->no_enter);
	json_put_unsigned(out, "begun_before", a->before);
	json_put_unsigned(out, "unfinished", a->unfinished);
	buf_adds(out, "}\n");
}

int syscall_summary_json(const struct syscall_sink *k, const struct syscall_summary_options *o,
			 struct buf *out, struct err *err)
{
	struct tables t = {.k = k, .o = o};
	int ret = make(&t, err);
	u32 i, j;

	for (i = 0; !ret && i < t.groups.nr; i++)
		for (j = 0; j < t.groups.v[i].nr; j++)
			json_row(&t, &t.rows.v[t.groups.v[i].from + j], out);
	if (!ret)
		json_account(&t, out);
	drop(&t);
	return !ret && out->failed ? err_nomem(err) : ret;
}
