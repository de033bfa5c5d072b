// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/latency_request.h"

#include <errno.h>
#include <string.h>

#include "perf-lite/flamegraph_request.h"
#include "util/base/json.h"
#include "util/base/text.h"
#include "util/draw/flamegraph.h"
#include "util/draw/folded.h"
#include "util/format/count_bars.h"
#include "util/format/count_names.h"
#include "util/format/openmetrics.h"

/* --- the account --- */

static const char no_wakes[] =
	"no wake-ups are recorded: a sleep lasts until the thread runs again, and its waker is not known\n";

static const char no_places[] =
	"no call chains: threads leave the CPU in code of the kernel, which only root may record, or everybody if "
	"kernel.perf_event_paranoid is 1 or less\n";

static const char by_waking[] =
	"sched:sched_wakeup was not recorded: spans begin at sched:sched_waking, just before it\n";

static const char no_chains[] =
	"no call chains: the events at which spans begin are recorded without -g\n";

/* Of a recording: if the keys need call chains, has it some? */
static bool has_chains(const struct latency_request *req)
{
	const u64 chains = PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER;
	const struct latency_bound *b = req->l.points.bounds.v;
	const struct event_set *set;
	u32 i;

	if (!req->q.w.input || (!req->q.keys.kernel_chains && !req->q.keys.user_chains))
		return true;
	set = &req->q.w.in.s->source->recording->events;
	for (i = 0; i < req->l.points.bounds.nr; i++)
		if (b[i].point->role == LATENCY_FROM && b[i].event < set->events.nr &&
		    set->events.v[b[i].event].attr.sample_type & chains)
			return true;
	return false;
}

static void put_part(struct buf *out, size_t from, u64 nr, const char *one, const char *many)
{
	if (nr)
		buf_addf(out, "%s%llu %s",
			 out->len > from ? ", " : "not counted: ", (unsigned long long)nr,
			 nr == 1 ? one : many);
}

/* Each thread is in one state at a time: the account closes by itself. */
static void put_whole(const struct latency_request *req, u64 ns, struct buf *out)
{
	u64 threads = count_table_total(&req->l.table).nr;

	buf_addf(out, "%llu thread%s in ", (unsigned long long)threads, TEXT_PLURAL(threads));
	text_duration(out, ns);
	buf_addc(out, '\n');
	if (!req->l.states.knows_wakes)
		buf_adds(out, no_wakes);
}

static void put_oldest(const struct latency_request *req, u64 open, struct buf *out)
{
	if (!req->l.tally.oldest)
		return;
	buf_adds(out, open == 1 ? ", for " : ", the oldest for ");
	text_duration(out, req->l.tally.oldest);
}

/* What the kernel has paired, and whose samples are lost. With intervals, a sample may come in the one after. */
static u64 lost_spans(const struct latency_request *req, const struct spans_account *a)
{
	const u64 seen =
		count_table_total(&req->l.table).nr + req->l.tally.below + req->l.wanted.left_out;

	return req->kernel.on && !req->l.asked.open && !req->q.interval_ns && a->spans > seen &&
			       watching_lost(&req->q.w)
		       ? a->spans - seen
		       : 0;
}

/* How many spans, in which time: of --open first those in the table. */
static void put_spans(const struct latency_request *req, const struct spans_account *a, u64 open,
		      u64 ns, struct buf *out)
{
	const u64 ended = a->spans - a->passed, shown = count_table_total(&req->l.table).nr;

	if (req->l.asked.open) {
		buf_addf(out, "%llu span%s open", (unsigned long long)open, TEXT_PLURAL(open));
		put_oldest(req, open, out);
		if (open > shown && req->l.asked.min_ns) {
			buf_addf(out, ", %llu of them for less than ",
				 (unsigned long long)(open - shown));
			text_duration(out, req->l.asked.min_ns);
		}
		buf_addf(out, "; %llu ended in ", (unsigned long long)ended);
	} else {
		buf_addf(out, "%llu span%s in ", (unsigned long long)ended, TEXT_PLURAL(ended));
	}
	text_duration(out, ns);
}

void latency_text_account(const struct latency_request *req, const struct spans_account *a, u64 ns,
			  struct buf *out)
{
	const u64 open = a->open - req->l.tally.unsure - req->l.tally.left_open;
	const bool none = !a->begins && !a->spans && !a->open;
	size_t from;

	if (req->l.whole)
		return put_whole(req, ns, out);
	put_spans(req, a, open, ns, out);
	if (req->l.stages.thens.nr)
		buf_addf(out, ", %llu stage%s", (unsigned long long)a->spans,
			 TEXT_PLURAL(a->spans));
	if (req->l.asked.min_ns) {
		buf_addf(out, ", %llu of them shorter than ",
			 (unsigned long long)req->l.tally.below);
		text_duration(out, req->l.asked.min_ns);
	}
	if (req->l.wanted.filter)
		buf_addf(out, ", %llu of them left out by the filter",
			 (unsigned long long)req->l.wanted.left_out);
	if (req->kernel.on)
		buf_adds(out, "; paired in the kernel");
	else if (req->kernel.why.len && req->q.verbose)
		buf_addf(out, "; not paired in the kernel: %s", buf_str(&req->kernel.why));
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
	put_part(out, from, a->reordered, "span that ends before it begins",
		 "spans that end before they begin");
	put_part(out, from, a->no_room, "begin without room", "begins without room");
	put_part(out, from, req->kernel.not_followed, "process too many: its spans are missing",
		 "too many processes: their spans are missing");
	put_part(out, from, lost_spans(req, a), "span whose sample is lost",
		 "spans whose samples are lost");
	put_part(out, from, req->l.tally.unsure, "open that may have ended: events were lost",
		 "open that may have ended: events were lost");
	if (!req->l.asked.open) {
		put_part(out, from, open, "still open", "still open");
		put_oldest(req, open, out);
	}
	if (out->len > from)
		buf_addc(out, '\n');
	if (ns && none && req->l.asked.preset && req->l.asked.preset->nothing &&
	    !req->q.interval_ns)
		buf_addf(out, "%s\n", req->l.asked.preset->nothing);
	if (ns && none && req->l.who.follows)
		buf_adds(
			out,
			"no span began in the command's own processes; with -a, spans of everybody while it runs\n");
	if (req->l.states.on && !req->l.states.knows_wakes)
		buf_adds(out, no_wakes);
	if (req->l.points.by_waking)
		buf_adds(out, by_waking);
	if (req->l.points.no_places && req->q.w.what.attrs.call_chain)
		buf_adds(out, no_places);
	else if (!has_chains(req))
		buf_adds(out, no_chains);
}

/* Was there nobody whose spans are wanted? Of samples that are chosen by numbers, reading_verdict() says it. */
static void put_nobody(const struct latency_request *req, struct buf *out)
{
	const struct spans_account *a = &req->l.spans.account;
	const struct latency_threads *who = &req->l.who;
	const bool numbers = who->pids.nr || who->tids.nr;

	if (a->begins || a->ends || who->follows || !latency_threads_any(&req->l) ||
	    (req->q.w.input && !req->q.w.in.select.given))
		return;
	if (req->q.w.input)
		buf_addf(out, "no sample of %s", req->q.w.input);
	else
		buf_adds(out, "no event");
	buf_addf(out, " matches what was asked for: %s%s%s%s%s\n", who->comms.nr ? "command" : "",
		 who->comms.nr && numbers ? ", " : "", who->pids.nr ? "process" : "",
		 who->pids.nr && who->tids.nr ? ", " : "", who->tids.nr ? "thread" : "");
}

void latency_text_missing(const struct latency_request *req, struct buf *out)
{
	const char *others = req->q.w.input ? latency_lacks_others(&req->l) : NULL;
	const u64 nameless = req->l.tally.without_keys;
	struct buf events = {0}, named = {0};

	latency_named_threads(&req->l, &named);
	if (named.len)
		buf_addf(
			out,
			"spans are paired by the thread that hits the events; by the one that they name: %s\n",
			buf_str(&named));
	out->failed |= named.failed;
	buf_free(&named);
	if (others)
		buf_addf(
			out,
			"%s was recorded of some tasks alone, so that spans are missing that others begin or end: record with -a\n",
			others);
	/* what states do not know, they say by themselves */
	if (req->q.w.input && !req->l.whole)
		latency_missing_begins(&req->l, &events);
	if (events.len)
		buf_addf(out, "no span begins at %s, which %s lacks: record with -e %s, too\n",
			 buf_str(&events), req->q.w.input, buf_str(&events));
	out->failed |= events.failed;
	buf_free(&events);
	if (nameless &&
	    (req->l.asked.trace || req->files[LATENCY_CHROME] || req->files[LATENCY_GECKO]))
		buf_addf(out,
			 "%llu span%s written without keys: there are too many different ones\n",
			 (unsigned long long)nameless, nameless == 1 ? " is" : "s are");
	put_nobody(req, out);
}

/* --- metrics --- */

const char *latency_text_metric(struct latency_request *req)
{
	const struct span_preset *preset = req->l.asked.preset;
	struct buf b = {0};
	const char *name;

	buf_adds(&b, "perf_lite_latency");
	if (preset) {
		buf_addc(&b, '_');
		openmetrics_name(&b, preset->name);
	}
	name = b.failed ? NULL : arena_strdup(&req->l.points.arena, buf_str(&b));
	buf_free(&b);
	return name;
}

void latency_text_metrics(const struct spans_account *a, const char *metric, struct buf *out)
{
	const struct {
		const char *name, *type, *help;
		u64 nr;
	} all[] = {
		{"open", "gauge", "Spans that have not ended.", a->open},
		{"across_loss", "counter", "Spans across lost samples: in no other figure.",
		 a->across_loss},
		{"restarts", "counter", "Begins while a span was open.", a->restarts},
		{"ends_without_begin", "counter", "Ends whose begin is unknown.",
		 a->ends_without_begin},
		{"no_room", "counter", "Begins for which there was no room.", a->no_room},
	};
	struct buf name = {0};
	const char *total;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		buf_clear(&name);
		buf_addf(&name, "%s_%s", metric, all[i].name);
		total = strcmp(all[i].type, "counter") ? "" : "_total";
		openmetrics_family(out, buf_str(&name), all[i].type, NULL, all[i].help);
		openmetrics_sample(out, buf_str(&name), total, NULL, NULL);
		openmetrics_number(out, all[i].nr, false);
	}
	out->failed |= name.failed;
	buf_free(&name);
}

/* --- the picture --- */

static int draw(const struct latency_request *req, const struct frame_tree *tree, u64 spans,
		struct err *err)
{
	const struct flamegraph g = {
		.title = req->l.asked.preset ? req->l.asked.preset->help : "time between events",
		.time = true,
		.counted = spans == 1 ? "span" : "spans",
		.samples = spans,
		.width = FLAMEGRAPH_WIDTH,
		.html = flamegraph_picture_is_html(req->files[LATENCY_FLAMEGRAPH]),
	};
	struct buf out = {0};
	int ret = flamegraph_draw(&g, tree, &out, err);

	if (!ret)
		ret = output_file_put(req->files[LATENCY_FLAMEGRAPH], &out, err);
	buf_free(&out);
	return ret;
}

/* The whole table, whatever --top says. */
static int fold_table(struct latency_request *req, struct buf *text, struct err *err)
{
	struct count_view v;
	u32 left_out;
	int ret = count_view_init(&v, &req->l.table, req->q.order, 0, err);

	if (ret)
		return ret;
	ret = count_folded_put(&v, true, &left_out, text, err);
	count_view_free(&v);
	return ret;
}

int latency_text_flamegraph(struct latency_request *req, struct err *err)
{
	struct frame_tree tree = {0};
	struct buf text = {0};
	struct folded folded;
	int ret = fold_table(req, &text, err);

	folded_init(&folded, &tree);
	if (!ret)
		ret = folded_feed(&folded, buf_str(&text), text.len, err);
	if (!ret)
		ret = folded_end(&folded, err);
	if (!ret)
		ret = frame_tree_finish(&tree, err);
	if (!ret)
		ret = draw(req, &tree, count_table_total(&req->l.table).nr, err);
	folded_free(&folded);
	frame_tree_free(&tree);
	buf_free(&text);
	return ret;
}

/* --- JSON --- */

/* As they are given, but for the event that another one stands in for. */
static void put_points(const struct latency_request *req, enum latency_role role, const char *name,
		       struct buf *out)
{
	static const char absent[] = "sched:sched_wakeup", there[] = "sched:sched_waking";
	const char *points = latency_points_text(&req->l, role), *at;
	struct buf text = {0};

	if (!points)
		return;
	while (req->l.points.by_waking && (at = strstr(points, absent))) {
		buf_add(&text, points, (size_t)(at - points));
		points = at + strlen(absent);
		/* not sched_wakeup_new */
		buf_adds(&text, *points == '_' ? absent : there);
	}
	buf_adds(&text, points);
	json_put_name(out, name, buf_str(&text));
	out->failed |= text.failed;
	buf_free(&text);
}

static void put_thens(const struct latency_request *req, struct buf *out)
{
	u32 i;

	if (!req->l.stages.thens.nr)
		return;
	json_put_open(out, "then", '[');
	for (i = 0; i < req->l.stages.thens.nr; i++) {
		json_item(out);
		json_string(out, req->l.stages.thens.v[i], strlen(req->l.stages.thens.v[i]));
	}
	buf_addc(out, ']');
}

/* "pid=next_pid,cpu": of the first points of both sides */
static void put_key(const struct latency_request *req, struct buf *out)
{
	const struct latency_point *from = &req->l.points.all.v[0], *to;
	struct buf key = {0};
	u32 i;

	while (from->own != req->l.points.own)
		from++;
	for (to = from; to->role != LATENCY_TO;)
		to++;
	for (i = 0; i < req->l.points.nr_keys; i++) {
		buf_addf(&key, "%s%s", i ? "," : "", from->keys[i]);
		if (strcmp(from->keys[i], to->keys[i]) != 0)
			buf_addf(&key, "=%s", to->keys[i]);
	}
	json_put_buf(out, "on", &key);
	out->failed |= key.failed;
	buf_free(&key);
}

static void put_sums(const struct latency_request *req, const struct count_sum *sum,
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
	for (i = 0; i < req->q.nr_quantiles && req->q.table.what == COUNT_QUANTILES; i++) {
		if (req->q.quantiles[i] <= 0 || req->q.quantiles[i] >= 1 ||
		    !count_text_quantile(req->q.quantiles[i], sum, series, &v))
			continue;
		buf_clear(&name);
		count_text_quantile_name(req->q.quantiles[i], &name);
		buf_adds(&name, "_ns");
		json_put_unsigned(out, buf_str(&name), v);
	}
	json_put_unsigned(out, "max_ns", sum->most);
	out->failed |= name.failed;
	buf_free(&name);
}

/* "running_ns":1200, ... of these rows together */
static void put_parts(const struct latency_request *req, const u32 *rows, u32 nr, struct buf *out)
{
	const struct count_parts parts = latency_states_columns(&req->l);
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

static void put_account(const struct latency_request *req, const struct spans_account *a,
			struct buf *out)
{
	json_put_string(out, "engine", req->kernel.on ? "bpf" : "perf");
	json_put_unsigned(out, "begins", a->begins);
	json_put_unsigned(out, "ends", a->ends);
	json_put_unsigned(out, "restarts", a->restarts);
	json_put_unsigned(out, "ends_without_begin", a->ends_without_begin);
	json_put_unsigned(out, "given_up", a->given_up);
	json_put_unsigned(out, "open", a->open);
	json_put_unsigned(out, "open_across_loss", req->l.tally.unsure);
	json_put_unsigned(out, "oldest_open_ns", req->l.tally.oldest);
	json_put_unsigned(out, "across_loss", a->across_loss);
	json_put_unsigned(out, "reordered", a->reordered);
	json_put_unsigned(out, "no_room", a->no_room);
	json_put_unsigned(out, "lost_spans", lost_spans(req, a));
	if (req->l.stages.thens.nr) {
		json_put_unsigned(out, "passed", a->passed);
		json_put_unsigned(out, "skipped", a->skipped);
		json_put_unsigned(out, "repeated", a->repeated);
		json_put_unsigned(out, "out_of_order", a->out_of_order);
	}
	if (req->l.asked.min_ns)
		json_put_unsigned(out, "below_min", req->l.tally.below);
	if (req->l.wanted.filter)
		json_put_unsigned(out, "left_out", req->l.wanted.left_out);
}

static void put_histogram(const struct histogram *h, const struct count_series *series,
			  struct buf *out)
{
	static const struct count_bars_names names = {"from_ns", "to_ns", "spans"};
	struct count_buckets b;

	if (histogram_buckets(h, series, &b, NULL))
		out->failed = true;
	count_bars_json(&b, false, &names, out);
	histogram_free_buckets(&b);
}

/* What --top leaves out, and what no row was left for. */
static void put_rest(const struct latency_request *req, const struct count_view *v, struct buf *out)
{
	const u32 others = COUNT_ROW_OTHERS;

	json_put_open(out, "rest", '{');
	json_put_unsigned(out, "rows", v->hidden);
	json_put_unsigned(out, "spans", v->rest.nr);
	json_put_unsigned(out, "sum_ns", (u64)v->rest.sum);
	put_parts(req, v->order + v->shown, v->hidden, out);
	buf_addc(out, '}');
	json_put_open(out, "others", '{');
	json_put_unsigned(out, "spans", v->table->others.nr);
	json_put_unsigned(out, "sum_ns", (u64)v->table->others.sum);
	put_parts(req, &others, 1, out);
	buf_addc(out, '}');
}

int latency_text_json(struct latency_request *req, const struct count_view *v,
		      const struct spans_account *a, const struct count_span *window,
		      struct buf *out, struct err *err)
{
	const struct count_keys *k = &req->q.keys;
	struct count_sum total = count_table_total(&req->l.table);
	const u32 all = COUNT_ROW_ALL;
	struct count_series series;
	struct histogram h;
	u32 i, key;

	if (histogram_init(&h, &req->l.table.values, req->l.table.nr, err))
		return -ENOMEM;
	json_open(out, '{');
	put_points(req, LATENCY_FROM, "from", out);
	put_thens(req, out);
	put_points(req, LATENCY_TO, "to", out);
	put_points(req, LATENCY_UNTIL, "until", out);
	put_key(req, out);
	json_put_open(out, "window_ns", '[');
	json_item(out);
	json_unsigned(out, window->from);
	json_item(out);
	json_unsigned(out, window->to);
	buf_addc(out, ']');
	series = histogram_of(&h, COUNT_ROW_ALL);
	put_sums(req, &total, &series, out);
	put_parts(req, &all, 1, out);
	put_account(req, a, out);
	json_put_open(out, "rows", '[');
	for (i = 0; i < v->shown; i++) {
		const struct count_row *r = count_view_row(v, i);

		json_open_item(out, '{');
		for (key = 0; key < k->nr; key++) {
			json_key(out, k->v[key].name);
			count_names_json(&req->l.table, r, key, out);
		}
		series = histogram_of(&h, v->order[i]);
		put_sums(req, &r->sum, &series, out);
		put_parts(req, &v->order[i], 1, out);
		if (req->q.hist)
			put_histogram(&h, &series, out);
		buf_addc(out, '}');
	}
	buf_addc(out, ']');
	latency_span_json_slowest(req, out);
	put_rest(req, v, out);
	buf_adds(out, "}\n");
	histogram_free(&h);
	return out->failed ? err_nomem(err) : 0;
}
