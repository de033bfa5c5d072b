// SPDX-License-Identifier: GPL-2.0
#include "util/format/syscall_summary.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/errno_names.h"
#include "util/base/json.h"
#include "util/base/text.h"
#include "util/format/count_text.h"

static const double quantiles[] = {0.5, 0.99, 1};

/* ---- rows ---- */

int syscall_summary_init(struct syscall_summary *s, struct session *session, struct err *err)
{
	static const struct count_options options = {.what = COUNT_QUANTILES};
	int ret;

	s->keys.v[s->keys.nr++] = (struct sample_key){.kind = KEY_TEXT, .name = "syscall"};
	ret = count_keys_bind(&s->keys, session, err);
	s->keys.values.given = s->given;
	return ret ? ret : count_table_init(&s->table, &s->keys, &options, err);
}

static bool add_error(struct syscall_summary *s, u32 row, u32 error)
{
	u64 key = (u64)row << 32 | error;
	u32 at = hmap_get(&s->by_error, key);
	struct syscall_summary_error *e;

	if (at == ID_NONE) {
		at = s->errors.nr;
		e = vec_push(&s->errors);
		if (!e || !hmap_set(&s->by_error, key, at))
			return false;
		*e = (struct syscall_summary_error){.row = row, .error = error};
	}
	s->errors.v[at].calls++;
	return true;
}

int syscall_summary_add(struct syscall_summary *s, const struct session_sample *of,
			const struct syscall_made *made, struct err *err)
{
	const u32 error = made->ended ? syscall_errno(made->result) : 0;
	int ret = syscall_summary_give(s, made, err);
	u32 row;

	if (!ret)
		ret = count_table_find_row(&s->table, of, of, &row, err);
	if (!ret && made->timed)
		ret = count_table_add_number(&s->table, row, made->duration, err);
	else if (!ret)
		count_table_add_none(&s->table, row);
	if (ret || !error)
		return ret;
	return add_error(s, row, 0) && add_error(s, row, error) ? 0 : err_nomem(err);
}

void syscall_summary_free(struct syscall_summary *s)
{
	count_table_free(&s->table);
	count_keys_free(&s->keys);
	buf_free(&s->texts);
	buf_free(&s->one);
	vec_free(&s->errors);
	hmap_free(&s->by_error);
}

/* ---- errors ---- */

static int compare_errors(const void *a, const void *b)
{
	const struct syscall_summary_error *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	return x->error < y->error ? -1 : x->error > y->error;
}

/* Of a row, first the number of all its errors. None can be added any more. */
static void sort_errors(struct syscall_summary *s)
{
	if (s->errors.nr)
		qsort(s->errors.v, s->errors.nr, sizeof(*s->errors.v), compare_errors);
}

/* Those of a row by errno, *nr of them, and how many calls failed. */
static const struct syscall_summary_error *errors_of(const struct syscall_summary *s, u32 row,
						     u32 *nr, u64 *calls)
{
	const struct syscall_summary_error *v = s->errors.v;
	u32 from = 0, to = s->errors.nr, at;

	while (from < to) {
		at = from + (to - from) / 2;
		if (v[at].row < row)
			from = at + 1;
		else
			to = at;
	}
	while (to < s->errors.nr && v[to].row == row)
		to++;
	*nr = to - from;
	*calls = 0;
	if (!*nr)
		return NULL;
	*calls = v[from].calls;
	(*nr)--;
	return v + from + 1;
}

static u64 errors_of_all(const struct syscall_summary *s)
{
	u64 calls = 0;
	u32 i;

	for (i = 0; i < s->errors.nr; i++)
		calls += s->errors.v[i].error ? 0 : s->errors.v[i].calls;
	return calls;
}

/* ---- text ---- */

static void put_errors(const void *arg, u32 row, struct buf *out)
{
	u64 calls;
	u32 nr;

	errors_of(arg, row, &nr, &calls);
	buf_dec(out, row == COUNT_ROW_ALL ? errors_of_all(arg) : calls, 0);
}

static void put_names(const void *arg, u32 row, struct buf *out)
{
	const struct syscall_summary_error *e;
	const char *name;
	u64 calls;
	u32 nr;

	for (e = errors_of(arg, row, &nr, &calls); nr; nr--, e++) {
		name = errno_name(e->error);
		buf_addf(out, "%" PRIu64 " ", e->calls);
		if (name)
			buf_adds(out, name);
		else
			buf_addf(out, "errno %u", e->error);
		if (nr > 1)
			buf_adds(out, ", ");
	}
}

/* What the table does not have, or has in part. */
static void text_account(const struct syscall_account *a, struct buf *out)
{
	u64 all = a->calls + a->lost;

	if (a->lost && a->filtered)
		buf_addf(out, "%" PRIu64 " call%s lost, perhaps such as the filter wants\n",
			 a->lost, a->lost == 1 ? " was" : "s were");
	else if (a->lost)
		buf_addf(out, "of %" PRIu64 " calls %" PRIu64 " %s lost (%.1f %%)\n", all, a->lost,
			 a->lost == 1 ? "was" : "were", 100 * (double)a->lost / (double)all);
	if (a->across)
		buf_addf(out,
			 "of %" PRIu64
			 " call%s the time is not known: events were lost meanwhile\n",
			 a->across, TEXT_PLURAL(a->across));
	if (a->no_exit)
		buf_addf(out, "of %" PRIu64 " call%s the end is missing\n", a->no_exit,
			 TEXT_PLURAL(a->no_exit));
	if (a->no_enter)
		buf_addf(out, "of %" PRIu64 " call%s the beginning is missing\n", a->no_enter,
			 TEXT_PLURAL(a->no_enter));
	if (a->only_enter)
		buf_addf(
			out,
			"of %" PRIu64
			" call%s the beginning alone is traced: neither times nor errors are known\n",
			a->only_enter, TEXT_PLURAL(a->only_enter));
	if (a->only_exit)
		buf_addf(out,
			 "of %" PRIu64 " call%s the end alone is traced: times are not known\n",
			 a->only_exit, TEXT_PLURAL(a->only_exit));
	if (a->before)
		buf_addf(out, "%" PRIu64 " call%s had begun before the first sample\n", a->before,
			 TEXT_PLURAL(a->before));
	if (a->unfinished)
		buf_addf(out, "%" PRIu64 " call%s had not ended\n", a->unfinished,
			 TEXT_PLURAL(a->unfinished));
	if (a->delayed)
		buf_adds(out, "texts were read from the processes, so calls took some "
			      "microseconds longer\n");
}

int syscall_summary_text(struct syscall_summary *s, const struct syscall_account *a,
			 struct buf *out, struct err *err)
{
	static const char *const titles[] = {"calls", "total", "avg"};
	const struct count_text_column number = {"errors", put_errors, s};
	const struct count_text_column names = {"errno", put_names, s};
	const struct count_text text = {
		.quantiles = quantiles,
		.nr_quantiles = ARRAY_SIZE(quantiles),
		.durations = true,
		.counted = "call",
		.titles = titles,
		.number = &number,
		.last = s->named ? &names : NULL,
	};
	struct count_view view;
	int ret;

	sort_errors(s);
	ret = count_view_init(&view, &s->table, COUNT_ORDER_SUM, 0, err);
	if (!ret)
		ret = count_text_put(&text, &view, out, err);
	count_view_free(&view);
	text_account(a, out);
	return !ret && out->failed ? err_nomem(err) : ret;
}

/* ---- JSON ---- */

/* One without a name is its number. */
static void json_errors(const struct syscall_summary_error *e, u32 nr, struct buf *out)
{
	const char *name;
	char number[16];

	json_put_open(out, "by_error", '{');
	for (; nr; nr--, e++) {
		name = errno_name(e->error);
		snprintf(number, sizeof(number), "%u", e->error);
		json_put_unsigned(out, name ? name : number, e->calls);
	}
	buf_addc(out, '}');
}

static void json_row(const struct syscall_summary *s, u32 row, const struct count_series *series,
		     struct buf *out)
{
	const struct count_row *r = count_table_row(&s->table, row);
	const struct syscall_summary_error *e;
	const struct count_sum *sum = &r->sum;
	struct buf name = {0};
	u64 calls, v;
	u32 i, nr;

	e = errors_of(s, row, &nr, &calls);
	json_open(out, '{');
	for (i = 0; i < s->keys.nr; i++) {
		json_key(out, s->keys.v[i].name);
		count_names_json(&s->table, r, i, out);
	}
	json_put_unsigned(out, "calls", sum->nr);
	json_put_unsigned(out, "errors", calls);
	json_put_unsigned(out, "timed", sum->with);
	json_put_unsigned(out, "total", (u64)sum->sum);
	json_put_unsigned(out, "min", sum->least);
	json_put_fixed(out, "avg", sum->with ? (double)sum->sum / (double)sum->with : 0, 1);
	for (i = 0; i < ARRAY_SIZE(quantiles); i++) {
		buf_clear(&name);
		count_text_quantile_name(quantiles[i], &name);
		if (count_text_quantile(quantiles[i], sum, series, &v))
			json_put_unsigned(out, buf_str(&name), v);
	}
	if (s->named)
		json_errors(e, nr, out);
	buf_adds(out, "}\n");
	out->failed |= name.failed;
	buf_free(&name);
}

static void json_account(const struct syscall_summary *s, const struct syscall_account *a,
			 struct buf *out)
{
	json_open(out, '{');
	json_put_unsigned(out, "calls", a->calls + (a->filtered ? 0 : a->lost));
	json_put_unsigned(out, "seen", a->calls);
	json_put_unsigned(out, "lost", a->lost);
	json_put_unsigned(out, "without_end", a->no_exit);
	json_put_unsigned(out, "without_beginning", a->no_enter);
	json_put_unsigned(out, "begun_before", a->before);
	json_put_unsigned(out, "unfinished", a->unfinished);
	if (a->only_enter)
		json_put_unsigned(out, "only_beginning", a->only_enter);
	if (a->only_exit)
		json_put_unsigned(out, "only_end", a->only_exit);
	if (a->across)
		json_put_unsigned(out, "across_loss", a->across);
	if (a->delayed)
		json_put_bool(out, "delayed", true);
	if (s->table.others.nr)
		json_put_unsigned(out, "without_row", s->table.others.nr);
	buf_adds(out, "}\n");
}

int syscall_summary_json(struct syscall_summary *s, const struct syscall_account *a,
			 struct buf *out, struct err *err)
{
	struct count_series series;
	struct histogram h;
	struct count_view view;
	int ret = histogram_init(&h, &s->table.values, s->table.nr, err);
	u32 i;

	if (ret)
		return ret;
	sort_errors(s);
	ret = count_view_init(&view, &s->table, COUNT_ORDER_SUM, 0, err);
	for (i = 0; !ret && i < view.shown; i++) {
		series = histogram_of(&h, view.order[i]);
		json_row(s, view.order[i], &series, out);
	}
	json_account(s, a, out);
	count_view_free(&view);
	histogram_free(&h);
	return !ret && out->failed ? err_nomem(err) : ret;
}
