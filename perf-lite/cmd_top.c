// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_top.c - perf-lite top: samples of the running system, counted into the table of report, again and again.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "perf-lite/report.h"
#include "perf-lite/top.h"
#include "util/base/clock.h"
#include "util/cli/screen.h"
#include "util/cli/terminal.h"

#define ROUND_NS 100000000ull
/* Nobody looks at an empty terminal for a whole interval. */
#define FIRST_VIEW_NS 500000000ull
#define PRINTED_ROWS  30
/* Lines of a screen that are no rows: two of titles, one below the rows, the foot, the cursor's. */
#define OTHER_LINES 5

/* Tables while they are made. Times are ns on the clock of the samples. */
struct tables {
	struct top *t;
	struct watching *w;
	struct report_count count;
	struct screen screen;
	struct buf body, foot;
	u64 from, until, next_view;
	u64 samples, lost; /* lost: before this table */
	u64 rows;          /* -E, 0: not given */
	bool enough;       /* nothing comes after this table */
	bool any;          /* table so far */
};

static int begin_table(struct tables *b, struct err *err)
{
	b->samples = 0;
	b->lost = watching_lost(b->w);
	return report_count_init(&b->count, &b->t->r.how, b->t->r.in.s, err);
}

static bool are_named(const struct reading *r)
{
	return r->filter.comms.nr || r->select.places.dsos.nr || r->select.places.symbols.nr;
}

static void put_foot(struct tables *b, u64 to)
{
	u64 lost = watching_lost(b->w) - b->lost;

	buf_addf(&b->foot, "%llu sample%s in %.1f s, ", (unsigned long long)b->samples,
		 TEXT_PLURAL(b->samples), (double)(to - b->from) / 1e9);
	if (lost)
		buf_addf(&b->foot, "%llu lost (%.1f %%)", (unsigned long long)lost,
			 (double)lost * 100 / (double)(lost + b->samples));
	else
		buf_adds(&b->foot, "none lost");
	if (!b->samples && are_named(&b->w->in)) {
		/* an empty table may mean an idle machine or a name that is mistyped */
		buf_adds(&b->foot, "; no sample matches what was asked for: ");
		reading_put_choices(&b->w->in, &b->foot);
	} else if (!b->t->idle) {
		buf_adds(&b->foot, "; without idle CPUs (--idle)");
	}
	buf_addc(&b->foot, '\n');
}

static int print(struct tables *b, struct err *err)
{
	if (b->body.failed || b->foot.failed)
		return err_nomem(err);
	errno = 0;
	if ((b->body.len && fwrite(b->body.data, 1, b->body.len, stdout) != b->body.len) ||
	    fwrite(b->foot.data, 1, b->foot.len, stdout) != b->foot.len ||
	    (!b->enough && putchar('\n') < 0) || fflush(stdout)) {
		cmd_cannot_write(errno, err);
		return -EIO;
	}
	return 0;
}

/* Make the table of what was counted since b->from, and show it. */
static int show(struct tables *b, u64 to, struct err *err)
{
	struct report *r = &b->t->r;
	u32 rows;
	int ret;

	buf_reset(&b->body);
	buf_reset(&b->foot);
	r->max_rows = b->rows ? b->rows : PRINTED_ROWS;
	if (b->screen.on && !b->rows) {
		rows = screen_rows(&b->screen);
		r->max_rows = rows > OTHER_LINES + 1 ? rows - OTHER_LINES - 1 : 1;
	}
	r->fit = terminal_columns(STDOUT_FILENO);
	ret = report_tables_put(r, &b->count, &b->body, err);
	if (ret)
		return ret;
	put_foot(b, to);
	b->any = true;
	if (!b->screen.on)
		return print(b, err);
	screen_draw(&b->screen, &b->body, &b->foot, "");
	return 0;
}

/* The interval is over. `s`: the sample in hand. */
static int next_table(struct tables *b, u64 now, struct session_sample *s, struct err *err)
{
	int ret;

	b->enough = b->t->once;
	ret = show(b, b->until, err);
	report_count_free(&b->count);
	session_forget(b->t->r.in.s, s);
	if (!ret)
		ret = begin_table(b, err);
	b->from = b->until;
	/* a machine that slept has no tables of that time */
	b->until = MAX(b->until + b->t->interval_ns, now);
	b->next_view = UINT64_MAX;
	return ret;
}

static int add(struct tables *b, struct session_sample *s, struct err *err)
{
	u64 time = s->sample->ids.time;
	int ret = time >= b->until ? next_table(b, time, s, err) : 0;

	if (ret || b->enough)
		return ret;
	b->samples++;
	return report_count_add(&b->count, s, err);
}

static int waits(struct tables *b, struct err *err)
{
	u64 time = watching_time(b->w);

	if (time >= b->until)
		return next_table(b, time, NULL, err);
	if (!b->screen.on || time < b->next_view)
		return 0;
	b->next_view = UINT64_MAX;
	return show(b, time, err);
}

/* A table of a short rest says little, unless it is the only one. On a terminal the last table stays. */
static int last_table(struct tables *b, struct err *err)
{
	u64 now = clock_ns(b->w->what.attrs.clockid);
	int ret = 0;

	b->enough = true;
	if (!b->any || now >= b->from + b->t->interval_ns / 2)
		ret = show(b, now, err);
	if (ret || !b->screen.on)
		return ret;
	screen_erase(&b->screen);
	return print(b, err);
}

static int watch(struct tables *b, struct err *err)
{
	struct session_sample s;
	int ret;

	b->from = watching_begins(b->w);
	b->until = b->from + b->t->interval_ns;
	b->next_view = b->from + FIRST_VIEW_NS;
	while (!b->enough && (ret = watching_next(b->w, &s, err)) > 0) {
		ret = ret == SESSION_SAMPLE ? add(b, &s, err)
		      : ret == SESSION_WAIT ? waits(b, err)
					    : 0;
		if (ret)
			return ret;
	}
	if (b->enough) {
		b->w->ended_by = "--once";
		watching_stop(b->w);
		return 0;
	}
	return ret ? ret : last_table(b, err);
}

/* The report counts samples of the session that is watched: all else of its reading is unused. */
static void share_session(struct top *t)
{
	t->r.in = t->w.in;
}

static int run(struct top *t, struct opt_rest *rest, struct err *err)
{
	struct tables b = {.t = t, .w = &t->w, .rows = t->r.max_rows};
	struct sample_needs needs = {0};
	int ret;

	share_session(t);
	ret = report_count_needs(&t->r.how, place_filter_any(&t->r.in.select.places),
				 &t->r.in.session, &needs, err);
	if (ret)
		return CMD_USAGE;
	watching_need(&t->w, &needs);
	t->w.in.session = t->r.in.session;
	t->w.in.session.want.grouped = false;
	t->w.what.attrs.sample_ip = true;
	t->w.what.attrs.switch_events |= t->r.in.session.threads.latency;
	t->w.mappings = true;
	t->w.round_ns = MIN(ROUND_NS, t->interval_ns / 2);
	ret = watching_open(&t->w, rest, err);
	if (ret)
		return ret;
	t->w.in.only_event = ID_NONE;
	share_session(t);
	signal(SIGPIPE, SIG_DFL);
	if (begin_table(&b, err))
		ret = CMD_USAGE;
	if (!ret && !t->once)
		screen_init(&b.screen, STDOUT_FILENO);
	else
		b.screen.fd = -1;
	if (!ret)
		ret = watching_start(&t->w, err);
	if (!ret && watch(&b, err))
		ret = CMD_PARTIAL;
	screen_end(&b.screen);
	if (!ret)
		ret = watching_verdict(&t->w, NULL, err);
	report_count_free(&b.count);
	buf_free(&b.body);
	buf_free(&b.foot);
	return ret;
}

int cmd_top(int argc, char **argv, struct err *err)
{
	struct top t = {0};
	struct opt_rest rest = {0};
	int ret = watching_init(&t.w, "top", err) ? CMD_NO_START : 0;

	if (!ret)
		ret = cmd_refused(top_options(&t, argc, argv, &rest, err));
	if (!ret && !rest.help)
		ret = run(&t, &rest, err);
	watching_end(&t.w);
	return ret;
}
