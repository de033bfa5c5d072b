// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/latency.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/json.h"
#include "util/base/text.h"
#include "util/draw/flamegraph.h"
#include "util/draw/folded.h"
#include "util/format/count_names.h"

/* --- the slowest: a heap whose first is the least --- */

static u64 length_of(const struct latency_slow *s)
{
	return s->span.end - s->span.begin;
}

static void swap(struct latency_slow *a, struct latency_slow *b)
{
	struct latency_slow t = *a;

	*a = *b;
	*b = t;
}

static void sift_down(struct latency *l)
{
	struct latency_slow *v = l->slow.v;
	u32 i = 0, child;

	while ((child = 2 * i + 1) < l->slow.nr) {
		if (child + 1 < l->slow.nr && length_of(&v[child + 1]) < length_of(&v[child]))
			child++;
		if (length_of(&v[i]) <= length_of(&v[child]))
			break;
		swap(&v[i], &v[child]);
		i = child;
	}
}

int latency_text_keep(struct latency *l, const struct latency_slow *slow, struct err *err)
{
	struct latency_slow *v;
	u32 i;

	if (l->slow.nr >= l->slowest) {
		if (!l->slow.nr || length_of(slow) <= length_of(&l->slow.v[0]))
			return 0;
		l->slow.v[0] = *slow;
		sift_down(l);
		return 0;
	}
	v = vec_push(&l->slow);
	if (!v)
		return err_nomem(err);
	*v = *slow;
	for (i = l->slow.nr - 1; i; i = (i - 1) / 2) {
		v = l->slow.v;
		if (length_of(&v[(i - 1) / 2]) <= length_of(&v[i]))
			break;
		swap(&v[(i - 1) / 2], &v[i]);
	}
	return 0;
}

static int compare_slow(const void *a, const void *b)
{
	const struct latency_slow *x = a, *y = b;
	u64 m = length_of(x), n = length_of(y);

	if (m != n)
		return m > n ? -1 : 1;
	return x->span.begin < y->span.begin ? -1 : x->span.begin > y->span.begin;
}

static void put_time(u64 ns, struct buf *out)
{
	buf_addf(out, "%llu.%06llu", (unsigned long long)(ns / 1000000000),
		 (unsigned long long)(ns / 1000 % 1000000));
}

static void put_span_json(const struct latency *l, const struct latency_slow *slow, struct buf *out)
{
	const struct count_keys *k = &l->q.keys;
	u32 i;

	json_open(out, '{');
	json_put_unsigned(out, "begin_ns", slow->span.begin);
	json_put_unsigned(out, "end_ns", slow->span.end);
	json_put_unsigned(out, "ns", length_of(slow));
	if (slow->cpu != ID_NONE)
		json_put_unsigned(out, "cpu", slow->cpu);
	for (i = 0; i < k->nr && slow->span.row != COUNT_ROW_OTHERS; i++) {
		json_key(out, k->v[i].name);
		count_names_json(&l->table, count_table_row(&l->table, slow->span.row), i, out);
	}
	latency_states_json(l, slow, out);
	buf_adds(out, "}\n");
}

void latency_text_span(const struct latency *l, const struct latency_slow *slow, struct buf *out)
{
	const struct count_keys *k = &l->q.keys;
	const struct count_row *r;
	struct buf length = {0};
	size_t at;
	u32 i;

	if (l->q.form == COUNT_FORM_JSON) {
		put_span_json(l, slow, out);
		return;
	}
	text_duration(&length, length_of(slow));
	buf_addf(out, "%10s  ", buf_str(&length));
	out->failed |= length.failed;
	buf_free(&length);
	at = out->len;
	put_time(slow->span.begin, out);
	buf_addf(out, "%*s", (int)MAX(0, 14 - (int)(out->len - at)), "");
	if (slow->cpu == ID_NONE)
		buf_adds(out, " [  -]");
	else
		buf_addf(out, " [%03u]", slow->cpu);
	if (slow->span.row == COUNT_ROW_OTHERS) {
		buf_addc(out, '\n');
		latency_states_put(l, slow, out);
		return;
	}
	r = count_table_row(&l->table, slow->span.row);
	for (i = 0; i < k->nr; i++) {
		if (sample_key_is_stack(k->v[i].kind))
			continue;
		buf_addf(out, "  %s=", k->v[i].name);
		count_names_put(&l->table, r, i, out);
	}
	buf_addc(out, '\n');
	for (i = 0; i < k->nr; i++) {
		if (!sample_key_is_stack(k->v[i].kind))
			continue;
		if (k->v[i].other)
			buf_addf(out, "    %s:\n", k->v[i].name);
		count_names_stack(&l->table, r, i, "\t", out);
	}
	latency_states_put(l, slow, out);
}

void latency_text_slowest(struct latency *l, struct buf *out)
{
	u32 i;

	if (!l->slow.nr)
		return;
	qsort(l->slow.v, l->slow.nr, sizeof(*l->slow.v), compare_slow);
	buf_adds(out, "\n   slowest  began at       CPU\n");
	for (i = 0; i < l->slow.nr; i++)
		latency_text_span(l, &l->slow.v[i], out);
}

/* --- the account --- */

static const char no_wakes[] =
	"no wake-ups are recorded: a sleep lasts until the thread runs again, and its waker is not known\n";

static const char no_places[] =
	"no call chains: threads leave the CPU in code of the kernel, which only root may record, or everybody if "
	"kernel.perf_event_paranoid is 1 or less\n";

static void put_part(struct buf *out, size_t from, u64 nr, const char *one, const char *many)
{
	if (nr)
		buf_addf(out, "%s%llu %s",
			 out->len > from ? ", " : "not counted: ", (unsigned long long)nr,
			 nr == 1 ? one : many);
}

/* Each thread is in one state at a time: the account closes by itself. */
static void put_whole(const struct latency *l, u64 ns, struct buf *out)
{
	u64 threads = count_table_total(&l->table).nr;

	buf_addf(out, "%llu thread%s in ", (unsigned long long)threads, TEXT_PLURAL(threads));
	text_duration(out, ns);
	buf_addc(out, '\n');
	if (!l->states.knows_wakes)
		buf_adds(out, no_wakes);
}

/* What the kernel has paired, and whose samples are lost. With intervals, a sample may come in the one after. */
static u64 lost_spans(const struct latency *l, const struct spans_account *a)
{
	const u64 seen = count_table_total(&l->table).nr + l->below;

	return l->kernel.on && !l->open && !l->q.interval_ns && a->spans > seen &&
			       watching_lost(&l->q.w)
		       ? a->spans - seen
		       : 0;
}

void latency_text_account(const struct latency *l, const struct spans_account *a, u64 ns,
			  struct buf *out)
{
	size_t from;

	if (l->whole)
		return put_whole(l, ns, out);
	buf_addf(out, "%llu span%s in ", (unsigned long long)(a->spans - a->passed),
		 TEXT_PLURAL(a->spans - a->passed));
	text_duration(out, ns);
	if (l->stages.thens.nr)
		buf_addf(out, ", %llu stage%s", (unsigned long long)a->spans,
			 TEXT_PLURAL(a->spans));
	if (l->min_ns) {
		buf_addf(out, ", %llu of them shorter than ", (unsigned long long)l->below);
		text_duration(out, l->min_ns);
	}
	if (l->wanted.filter)
		buf_addf(out, ", %llu of them left out by the filter",
			 (unsigned long long)l->wanted.left_out);
	if (l->kernel.on)
		buf_adds(out, "; paired in the kernel");
	else if (l->kernel.why.len && l->q.verbose)
		buf_addf(out, "; not paired in the kernel: %s", buf_str(&l->kernel.why));
	buf_addc(out, '\n');
	from = out->len;
	put_part(out, from, a->restarts, "begin while a span was open",
		 "begins while a span was open");
	put_part(out, from, a->ends_without_begin, "end without a begin", "ends without a begin");
	put_part(out, from, a->skipped, "stage skipped", "stages skipped");
	put_part(out, from, a->repeated, "point passed again", "points passed again");
	put_part(out, from, a->out_of_order, "point out of order", "points out of order");
	put_part(out, from, a->given_up, "given up", "given up");
	put_part(out, from, a->across_loss, "across lost events", "across lost events");
	put_part(out, from, a->reordered, "span whose end is before its begin",
		 "spans whose ends are before their begins");
	put_part(out, from, a->no_room, "begin without room", "begins without room");
	put_part(out, from, lost_spans(l, a), "span whose sample is lost",
		 "spans whose samples are lost");
	put_part(out, from, l->unsure, "open that may have ended: events were lost",
		 "open that may have ended: events were lost");
	put_part(out, from, a->open - l->unsure, "still open", "still open");
	if (l->oldest) {
		buf_adds(out, a->open - l->unsure == 1 ? ", for " : ", the oldest for ");
		text_duration(out, l->oldest);
	}
	if (out->len > from)
		buf_addc(out, '\n');
	if (!a->spans && !a->open && l->follows)
		buf_adds(
			out,
			"no span began in the command's own processes; with -a, spans of everybody while it runs\n");
	if (l->states.on && !l->states.knows_wakes)
		buf_adds(out, no_wakes);
	if (l->no_places && l->q.w.what.attrs.call_chain)
		buf_adds(out, no_places);
}

/* --- the picture --- */

static int draw(const struct latency *l, const struct frame_tree *tree, u64 spans, struct err *err)
{
	const char *dot = strrchr(l->files[LATENCY_FLAMEGRAPH], '.');
	const struct flamegraph g = {
		.title = l->preset ? l->preset->help : "time between events",
		.time = true,
		.counted = spans == 1 ? "span" : "spans",
		.samples = spans,
		.width = FLAMEGRAPH_WIDTH,
		.html = dot && !strcmp(dot, ".html"),
	};
	struct buf out = {0};
	int ret = flamegraph_draw(&g, tree, &out, err);

	if (!ret)
		ret = output_file_put(l->files[LATENCY_FLAMEGRAPH], &out, err);
	buf_free(&out);
	return ret;
}

/* The whole table, whatever --top says. */
static int fold_table(struct latency *l, struct buf *text, struct err *err)
{
	struct count_view v;
	u32 left_out;
	int ret = count_view_init(&v, &l->table, l->q.order, 0, err);

	if (ret)
		return ret;
	ret = count_folded_put(&v, true, &left_out, text, err);
	count_view_free(&v);
	return ret;
}

int latency_text_flamegraph(struct latency *l, struct err *err)
{
	struct frame_tree tree = {0};
	struct buf text = {0};
	struct folded folded;
	int ret = fold_table(l, &text, err);

	folded_init(&folded, &tree);
	if (!ret)
		ret = folded_feed(&folded, buf_str(&text), text.len, err);
	if (!ret)
		ret = folded_end(&folded, err);
	if (!ret)
		ret = frame_tree_finish(&tree, err);
	if (!ret)
		ret = draw(l, &tree, count_table_total(&l->table).nr, err);
	folded_free(&folded);
	frame_tree_free(&tree);
	buf_free(&text);
	return ret;
}

/* --- JSON --- */

static void put_points(const struct latency *l, enum latency_role role, const char *name,
		       struct buf *out)
{
	const char *points = latency_points_text(l, role);

	if (points)
		json_put_name(out, name, points);
}

static void put_thens(const struct latency *l, struct buf *out)
{
	u32 i;

	if (!l->stages.thens.nr)
		return;
	json_put_open(out, "then", '[');
	for (i = 0; i < l->stages.thens.nr; i++) {
		json_item(out);
		json_string(out, l->stages.thens.v[i], strlen(l->stages.thens.v[i]));
	}
	buf_addc(out, ']');
}

/* "pid=next_pid,cpu": of the first points of both sides */
static void put_key(const struct latency *l, struct buf *out)
{
	const struct latency_point *from = &l->points.v[0], *to;
	struct buf key = {0};
	u32 i;

	while (from->own != l->own)
		from++;
	for (to = from; to->role != LATENCY_TO;)
		to++;
	for (i = 0; i < l->nr_keys; i++) {
		buf_addf(&key, "%s%s", i ? "," : "", from->keys[i]);
		if (strcmp(from->keys[i], to->keys[i]) != 0)
			buf_addf(&key, "=%s", to->keys[i]);
	}
	json_put_buf(out, "on", &key);
	out->failed |= key.failed;
	buf_free(&key);
}

static void put_sums(const struct latency *l, const struct count_sum *sum,
		     const struct count_series *series, struct buf *out)
{
	struct buf name = {0};
	u64 v;
	u32 i;

	json_put_unsigned(out, "spans", sum->nr);
	json_put_unsigned(out, "sum_ns", (u64)sum->sum);
	if (!sum->with)
		return;
	json_put_unsigned(out, "min_ns", sum->least);
	for (i = 0; i < l->q.nr_quantiles && l->q.table.what == COUNT_QUANTILES; i++) {
		if (l->q.quantiles[i] <= 0 || l->q.quantiles[i] >= 1 ||
		    !count_text_quantile(l->q.quantiles[i], sum, series, &v))
			continue;
		buf_clear(&name);
		count_text_quantile_name(l->q.quantiles[i], &name);
		buf_adds(&name, "_ns");
		json_put_unsigned(out, buf_str(&name), v);
	}
	json_put_unsigned(out, "max_ns", sum->most);
	out->failed |= name.failed;
	buf_free(&name);
}

/* "running_ns":1200, ... of these rows together */
static void put_parts(const struct latency *l, const u32 *rows, u32 nr, struct buf *out)
{
	const struct count_parts parts = latency_states_columns(l);
	struct buf name = {0};
	u32 i, row;
	u64 ns;

	for (i = 0; i < parts.nr; i++) {
		ns = 0;
		for (row = 0; row < nr; row++)
			ns += parts.of(parts.arg, rows[row], i);
		buf_clear(&name);
		buf_addf(&name, "%s_ns", parts.names[i]);
		json_put_unsigned(out, buf_str(&name), ns);
	}
	out->failed |= name.failed;
	buf_free(&name);
}

static void put_account(const struct latency *l, const struct spans_account *a, struct buf *out)
{
	json_put_string(out, "engine", l->kernel.on ? "bpf" : "perf");
	json_put_unsigned(out, "begins", a->begins);
	json_put_unsigned(out, "ends", a->ends);
	json_put_unsigned(out, "restarts", a->restarts);
	json_put_unsigned(out, "ends_without_begin", a->ends_without_begin);
	json_put_unsigned(out, "given_up", a->given_up);
	json_put_unsigned(out, "open", a->open);
	json_put_unsigned(out, "open_across_loss", l->unsure);
	json_put_unsigned(out, "oldest_open_ns", l->oldest);
	json_put_unsigned(out, "across_loss", a->across_loss);
	json_put_unsigned(out, "reordered", a->reordered);
	json_put_unsigned(out, "no_room", a->no_room);
	json_put_unsigned(out, "lost_spans", lost_spans(l, a));
	if (l->stages.thens.nr) {
		json_put_unsigned(out, "passed", a->passed);
		json_put_unsigned(out, "skipped", a->skipped);
		json_put_unsigned(out, "repeated", a->repeated);
		json_put_unsigned(out, "out_of_order", a->out_of_order);
	}
	if (l->min_ns)
		json_put_unsigned(out, "below_min", l->below);
	if (l->wanted.filter)
		json_put_unsigned(out, "left_out", l->wanted.left_out);
}

static void put_histogram(const struct histogram *h, const struct count_series *series,
			  struct buf *out)
{
	struct count_buckets b;
	u32 i;

	if (histogram_buckets(h, series, &b, NULL))
		out->failed = true;
	json_put_open(out, "histogram", '[');
	for (i = 0; i < b.nr; i++) {
		json_open_item(out, '{');
		json_put_unsigned(out, "from_ns", b.v[i].from);
		json_put_unsigned(out, "to_ns", b.v[i].to);
		json_put_unsigned(out, "spans", b.v[i].nr);
		buf_addc(out, '}');
	}
	buf_addc(out, ']');
	histogram_free_buckets(&b);
}

/* What --top leaves out, and what no row was left for. */
static void put_rest(const struct latency *l, const struct count_view *v, struct buf *out)
{
	const u32 others = COUNT_ROW_OTHERS;

	json_put_open(out, "rest", '{');
	json_put_unsigned(out, "rows", v->hidden);
	json_put_unsigned(out, "spans", v->rest.nr);
	json_put_unsigned(out, "sum_ns", (u64)v->rest.sum);
	put_parts(l, v->order + v->shown, v->hidden, out);
	buf_addc(out, '}');
	json_put_open(out, "others", '{');
	json_put_unsigned(out, "spans", v->table->others.nr);
	json_put_unsigned(out, "sum_ns", (u64)v->table->others.sum);
	put_parts(l, &others, 1, out);
	buf_addc(out, '}');
}

int latency_text_json(struct latency *l, const struct count_view *v, const struct spans_account *a,
		      const struct count_span *window, struct buf *out, struct err *err)
{
	const struct count_keys *k = &l->q.keys;
	struct count_sum total = count_table_total(&l->table);
	const u32 all = COUNT_ROW_ALL;
	struct count_series series;
	struct histogram h;
	u32 i, key;

	if (histogram_init(&h, &l->table.values, l->table.nr, err))
		return -ENOMEM;
	json_open(out, '{');
	put_points(l, LATENCY_FROM, "from", out);
	put_thens(l, out);
	put_points(l, LATENCY_TO, "to", out);
	put_points(l, LATENCY_UNTIL, "until", out);
	put_key(l, out);
	json_put_open(out, "window_ns", '[');
	json_item(out);
	json_unsigned(out, window->from);
	json_item(out);
	json_unsigned(out, window->to);
	buf_addc(out, ']');
	series = histogram_of(&h, COUNT_ROW_ALL);
	put_sums(l, &total, &series, out);
	put_parts(l, &all, 1, out);
	put_account(l, a, out);
	json_put_open(out, "rows", '[');
	for (i = 0; i < v->shown; i++) {
		const struct count_row *r = count_view_row(v, i);

		json_open_item(out, '{');
		for (key = 0; key < k->nr; key++) {
			json_key(out, k->v[key].name);
			count_names_json(&l->table, r, key, out);
		}
		series = histogram_of(&h, v->order[i]);
		put_sums(l, &r->sum, &series, out);
		put_parts(l, &v->order[i], 1, out);
		if (l->q.hist)
			put_histogram(&h, &series, out);
		buf_addc(out, '}');
	}
	buf_addc(out, ']');
	put_rest(l, v, out);
	buf_adds(out, "}\n");
	histogram_free(&h);
	return out->failed ? err_nomem(err) : 0;
}
