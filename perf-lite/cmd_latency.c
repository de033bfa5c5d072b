// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/cmd.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "perf-lite/latency_request.h"
#include "perf-lite/run.h"
#include "util/base/clock.h"
#include "util/base/io.h"

#define ROUND_NS  100000000ull
#define PAIRED_NS 20000000ull /* an interval of what the kernel pairs ends about so late */
#define LINES_MAX (64u << 10)

/* Times are ns on the clock of the samples. */
struct measuring {
	struct latency_request *req;
	struct latency *l;
	struct watching *w;
	bool live;
	u64 start; /* 0: not known yet */
	u64 from, until, last;
	struct spans_account before; /* the interval */
	/* of what the kernel pairs: where it ends, once what it has added up was read; older samples are to come; 0: not yet */
	u64 taken;
	struct spans_account account; /* by then */
	struct buf lines;             /* of --trace */
};

static int flush(struct measuring *m, struct err *err)
{
	int ret;

	if (m->lines.failed)
		return err_nomem(err);
	ret = m->lines.len ? io_write(STDOUT_FILENO, m->lines.data, m->lines.len) : 0;
	buf_clear(&m->lines);
	return ret ? cmd_cannot_write(-ret, err) : 0;
}

/* --- spans --- */

static int show_span(void *arg, const struct latency_span *span, u32 tid, struct err *err)
{
	struct measuring *m = arg;
	int ret = 0;

	if (m->l->asked.trace) {
		latency_span_put(m->req, span, &m->lines);
		if (m->lines.len >= LINES_MAX)
			ret = flush(m, err);
	}
	if (!ret)
		ret = latency_picture_add(m->req, &span->span, err);
	return ret ? ret : latency_export_add(m->req, span, tid, m->start, err);
}

/* It was paired in the kernel. */
static int pair_span(struct measuring *m, const struct session_sample *end, struct err *err)
{
	struct latency_kernel_span span;
	int ret = latency_kernel_ended(m->req, end, &span, err);

	if (ret <= 0)
		return ret;
	ret = latency_begin(m->l, &span.begin, span.key, true, err);
	return ret ? ret : latency_end(m->l, end, span.key, err);
}

static int open_span(void *arg, const struct latency_kernel_span *s, struct err *err)
{
	return latency_begin(arg, &s->begin, s->key, !s->unwanted, err);
}

/* Ask the kernel what it has added up. */
static int take(struct measuring *m, struct err *err)
{
	int ret = latency_kernel_take(m->req, err);

	if (!ret)
		ret = latency_kernel_account(m->req, err);
	m->account = m->l->spans.account;
	return ret;
}

/* Of what the kernel pairs, it is asked for that and for what is open. */
static int find_open(struct measuring *m, u64 now, struct err *err)
{
	struct spans_account *a = &m->l->spans.account;
	int ret = 0;

	if (m->req->kernel.on && !m->taken)
		ret = take(m, err);
	if (!ret && m->req->kernel.on) {
		ret = latency_kernel_each_open(m->req, now, open_span, m->l, err);
		m->account.open = a->open;
		*a = m->account;
	}
	return ret ? ret : latency_ages(m->l, now, err);
}

/* --- tables --- */

static int put_view(struct measuring *m, const struct count_view *v, const struct spans_account *a,
		    const struct count_span *window, u32 height, struct err *err)
{
	struct latency_request *req = m->req;

	req->output.parts = latency_states_columns(&req->l);
	if (req->q.form == COUNT_FORM_JSON)
		return latency_text_json(req, v, a, window, &req->output.body, err);
	return count_output_view(&req->output, v, height, err);
}

static int put(struct measuring *m, u64 to, bool view, struct err *err)
{
	struct latency_request *req = m->req;
	const bool metrics = req->q.form == COUNT_FORM_METRICS;
	const struct count_span span = {.from = m->from - m->start,
					.to = to - m->start,
					.lost = metrics ? watching_lost(m->w) : 0};
	struct spans_account a;
	struct err second = {0};
	struct count_view v;
	u32 height;
	int ret = find_open(m, to, err), drawn = 0;

	if (ret)
		return ret;
	a = spans_account_since(&req->l.spans.account, &m->before);
	if (req->kernel.on)
		spans_forget_open(&req->l.spans);
	count_output_begin(&req->output, &span, view, &height);
	if (!metrics)
		buf_reset(&req->output.foot);
	if (!req->l.asked.trace) {
		ret = count_view_init(&v, &req->l.table, req->q.order,
				      (u32)MIN(req->q.top, (u64)UINT32_MAX), err);
		if (ret)
			return ret;
		ret = put_view(m, &v, &a, &span, height, err);
		count_view_free(&v);
	}
	/* of a picture that cannot be written there is the table at least */
	if (!ret && req->files[LATENCY_FLAMEGRAPH] && !view)
		drawn = latency_text_flamegraph(req, err);
	if (!ret && !drawn && req->files[LATENCY_TIMELINE] && !view)
		drawn = latency_picture_draw(req, &a, m->from, to, err);
	if (!view)
		latency_span_put_slowest(req, &req->output.foot);
	if (metrics)
		latency_text_metrics(&a, req->output.metric, &req->output.foot);
	else
		latency_text_account(req, &a, to - m->from, &req->output.foot);
	/* the picture in place of the table, which would say it */
	if (latency_files_on_stdout(req) && req->files[LATENCY_FLAMEGRAPH])
		count_text_limits(&req->l.table, "span", false, &req->output.foot);
	/* of text it is printed below the table, of JSON it is inside */
	if (!view && !m->w->in.quiet &&
	    (req->q.form == COUNT_FORM_CSV || req->q.form == COUNT_FORM_FOLDED ||
	     (req->l.asked.trace && req->q.form == COUNT_FORM_JSON) ||
	     latency_files_on_stdout(req)))
		fputs(buf_str(&req->output.foot), stderr);
	if (ret || latency_files_on_stdout(req))
		return ret ? ret : drawn;
	ret = count_output_put(&req->output, view, drawn ? &second : err);
	return ret ? ret : drawn;
}

static u64 interval_end(const struct measuring *m, u64 from)
{
	return m->req->q.interval_ns ? run_interval_end(from, m->req->q.interval_ns) : UINT64_MAX;
}

/* An interval has ended, and the next begins. */
static int end_interval(struct measuring *m, u64 to, struct err *err)
{
	struct latency_request *req = m->req;
	int ret = put(m, to, req->output.viewing, err);

	m->taken = 0;
	/* metrics are of all since the start */
	if (req->q.form == COUNT_FORM_METRICS)
		return ret;
	if (req->kernel.on)
		latency_kernel_next(req);
	latency_next(m->l);
	m->before = m->l->spans.account;
	m->from = to;
	return ret;
}

static int next_intervals(struct measuring *m, u64 now, struct err *err)
{
	const struct count_request *q = &m->req->q;
	int ret = 0;
	u64 from;

	while (!ret && now >= m->until && m->until != UINT64_MAX) {
		ret = end_interval(m, m->until, err);
		from = run_skip_intervals(m->until, now, q->interval_ns, m->start, q->w.in.quiet);
		if (from != m->until && q->form != COUNT_FORM_METRICS)
			m->from = from;
		m->until = interval_end(m, from);
	}
	return ret;
}

/* Of what the kernel pairs, an interval ends when that is read: whatever is older is part of it, as soon as it has come. */
static int next_paired(struct measuring *m, u64 now, struct err *err)
{
	const u64 clock = clock_ns(m->w->what.attrs.clockid);
	int ret = 0;

	if (m->taken && now >= m->taken)
		ret = end_interval(m, m->taken, err);
	if (ret || m->taken || clock < m->until)
		return ret;
	ret = take(m, err);
	m->taken = clock;
	while (m->until <= clock)
		m->until = interval_end(m, m->until);
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
	if (m->req->kernel.on ? m->taken && time >= m->taken : time >= m->until)
		ret = m->req->kernel.on ? end_interval(m, m->taken, err)
					: next_intervals(m, time, err);
	m->last = MAX(m->last, time);
	if (m->req->kernel.on)
		return ret ? ret : pair_span(m, s, err);
	return ret ? ret : latency_add(m->l, s, at, err);
}

static int add_record(struct measuring *m, struct err *err)
{
	struct session_sample s;
	struct sample sample;
	u32 at;
	int ret = latency_record(m->l, &s, &sample, &at, err);

	return ret > 0 ? add(m, &s, at, err) : ret;
}

static int waits(struct measuring *m, struct err *err)
{
	u64 time = watching_time(m->w);
	int ret = flush(m, err);

	if (!ret)
		ret = latency_export_flush(m->req, err);
	if (ret || !m->start)
		return ret;
	ret = m->req->kernel.on ? next_paired(m, time, err) : next_intervals(m, time, err);
	if (!ret && !m->l->asked.trace && !m->req->q.interval_ns &&
	    count_output_is_due(&m->req->output))
		ret = put(m, MAX(time, m->last), true, err);
	return ret;
}

static int prepare(struct measuring *m, struct opt_rest *rest, struct err *err)
{
	struct latency_request *req = m->req;
	struct count_request *q = &req->q;
	int ret;

	count_samples_parts(q);
	m->w->in.session.want.no_raw = false;
	m->w->in.session.records |= latency_records(m->l);
	m->w->hurry = true;
	m->w->round_ns = q->interval_ns ? MIN(ROUND_NS, q->interval_ns / 2) : ROUND_NS;
	ret = latency_kernel_choose(req, err);
	if (!ret && req->kernel.on && q->interval_ns)
		m->w->round_ns = MIN(PAIRED_NS, q->interval_ns / 10);
	if (ret)
		return ret == -EINVAL ? CMD_USAGE : CMD_NO_START;
	if (latency_export_open(req, err))
		return CMD_USAGE;
	ret = watching_open(m->w, rest, err);
	if (ret)
		return ret;
	m->live = m->w->live;
	ret = latency_bind(m->l, &q->table, err);
	latency_threads_take_names(m->l);
	if (!ret && req->kernel.on)
		ret = latency_kernel_opened(req, err);
	if (!ret)
		ret = latency_export_start(req, err);
	if (ret)
		return ret == -EINVAL ? CMD_USAGE : CMD_NO_START;
	count_output_init(&req->output, q);
	req->output.viewing &=
		!req->l.asked.trace && !req->l.whole && !latency_files_on_stdout(req);
	req->output.durations = true;
	req->output.metric = latency_text_metric(req);
	if (!req->output.metric) {
		err_nomem(err);
		return CMD_NO_START;
	}
	req->output.sums = req->l.whole && !q->quantiled && !q->hist;
	return 0;
}

static int run(struct measuring *m, struct err *err)
{
	struct session_sample s;
	int ret = watching_start(m->w, err);

	if (ret)
		return ret;
	if (m->live)
		begin(m, watching_begins(m->w));
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
	struct buf lines = {0};
	u64 end = m->live ? clock_ns(m->w->what.attrs.clockid) : m->last;
	int code, put_ret;

	ret |= latency_export_finish(m->req, m->start, MAX(end, m->from), ret ? &second : err);
	put_ret = flush(m, ret ? &second : err);
	if (!put_ret && m->taken)
		put_ret = end_interval(m, m->taken, ret ? &second : err);
	if (!put_ret)
		put_ret = put(m, MAX(end, m->from), false, ret ? &second : err);
	if (!put_ret)
		put_ret = count_output_end(&m->req->output, ret ? &second : err);
	latency_text_missing(m->req, &lines);
	code = watching_verdict(m->w, &lines, ret || put_ret ? &second : err);
	buf_free(&lines);
	return ret || put_ret ? CMD_PARTIAL : code;
}

static int measure(struct latency_request *req, struct opt_rest *rest, struct err *err)
{
	struct measuring m = {.req = req, .l = &req->l, .w = &req->q.w};
	int ret;

	if (req->l.asked.trace || req->files[LATENCY_TIMELINE] || req->files[LATENCY_CHROME] ||
	    req->files[LATENCY_GECKO]) {
		req->l.listener.ended = show_span;
		req->l.listener.arg = &m;
	}
	req->l.rows.no_table = req->l.asked.trace && !req->files[LATENCY_PPROF];
	ret = prepare(&m, rest, err);
	if (!ret) {
		ret = run(&m, err);
		if (!ret || ret == CMD_PARTIAL)
			ret = finish(&m, ret, err);
	}
	buf_free(&m.lines);
	return ret;
}

static void release(struct latency_request *req)
{
	latency_export_free(req);
	count_output_free(&req->output);
	latency_free(&req->l);
	buf_free(&req->kernel.why);
	time_bins_free(&req->map);
	count_options_free(&req->q);
	watching_end(&req->q.w);
}

int cmd_latency(int argc, char **argv, struct err *err)
{
	struct latency_request req = {.l = {.w = &req.q.w, .keys = &req.q.keys}};
	struct opt_rest rest = {0};
	int ret;

	ret = watching_init(&req.q.w, "latency", err) ? CMD_NO_START : 0;
	if (!ret)
		ret = cmd_refused(latency_options(&req, argc, argv, &rest, err));
	/* one that nobody has yet is looked for among samples: programs would not know */
	if (!ret && !rest.help)
		ret = cmd_refused(watching_find_comm(&req.q.w, rest.argc, err));
	if (!ret && !rest.help)
		ret = measure(&req, &rest, err);
	release(&req);
	return ret;
}
