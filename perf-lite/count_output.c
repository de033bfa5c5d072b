// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/count.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "perf-lite/cmd.h"
#include "util/base/clock.h"
#include "util/base/text.h"
#include "util/format/count_metrics.h"
#include "util/format/openmetrics.h"

#define FIRST_VIEW_NS 200000000ull
#define VIEW_NS       1000000000ull

void count_output_init(struct count_output *o, const struct count_request *q)
{
	bool wanted = terminal_has_colour((enum colour_when)q->colour, STDOUT_FILENO);

	*o = (struct count_output){
		.q = q,
		.metric = "perf_lite_count",
		.metrics.path = q->metrics,
		.bold = terminal_colour(wanted, COLOUR_BOLD),
		.off = terminal_colour(wanted, COLOUR_OFF),
	};
	if (q->form == COUNT_FORM_TEXT)
		screen_init(&o->screen, STDOUT_FILENO);
	o->viewing = o->screen.on;
	/* who reads the tables may leave, as from any command's */
	signal(SIGPIPE, SIG_DFL);
	o->next_view = clock_ns(CLOCK_MONOTONIC) + FIRST_VIEW_NS;
}

/* "1.000": as many decimals as intervals need. */
static void put_seconds(struct buf *b, u64 ns)
{
	text_seconds(b, ns, 3);
}

static void put_lost_metric(struct count_output *o, u64 lost)
{
	struct buf name = {0};

	buf_addf(&name, "%s_lost_samples", o->metric);
	openmetrics_family(&o->foot, buf_str(&name), "counter", NULL, "Samples that were lost.");
	openmetrics_sample(&o->foot, buf_str(&name), "_total", NULL, NULL);
	openmetrics_number(&o->foot, lost, false);
	o->foot.failed |= name.failed;
	buf_free(&name);
}

static void put_foot(struct count_output *o, const struct count_span *span)
{
	struct buf *b = &o->foot;
	u64 all = span->nr + span->lost;

	if (o->q->form == COUNT_FORM_METRICS) {
		put_lost_metric(o, span->lost);
		return;
	}
	if (span->by_kernel) {
		if (!span->no_sum)
			buf_addf(b, "%llu ", (unsigned long long)span->nr);
		buf_adds(b, "counted in ");
		put_seconds(b, span->to - span->from);
		buf_addf(b, " s by the kernel%s\n",
			 span->never        ? ""
			 : span->estimated  ? ": in part estimated"
			 : span->first_only ? ": not of what the targets started"
			 : span->unseen     ? ": none lost that it knows of"
					    : ": nothing can be lost");
		return;
	}
	if (span->by_program)
		buf_addf(b, "%llu counted in ", (unsigned long long)span->nr);
	else
		buf_addf(b, "%llu sample%s in ", (unsigned long long)span->nr,
			 TEXT_PLURAL(span->nr));
	put_seconds(b, span->to - span->from);
	buf_adds(b, span->by_program ? " s by BPF" : " s");
	if (span->rate)
		buf_addf(b, " at %llu Hz, not a count", (unsigned long long)span->rate);
	if (!span->lost)
		buf_adds(b, span->unseen ? ", none lost that the kernel knows of" : ", none lost");
	else if (span->lost_of_all)
		buf_addf(b, ", %llu lost, chosen or not", (unsigned long long)span->lost);
	else
		buf_addf(b, ", %llu lost (%.1f %%)", (unsigned long long)span->lost,
			 (double)span->lost * 100 / (double)all);
	buf_addf(b, "%s%s\n", span->why ? "; not by BPF: " : "", span->why ? span->why : "");
}

static void put_members(struct count_output *o, const struct count_span *span)
{
	struct buf *b = &o->members;

	buf_adds(b, "\"from\":");
	put_seconds(b, span->from);
	buf_adds(b, ",\"to\":");
	put_seconds(b, span->to);
	buf_addf(b, ",\"engine\":\"%s\",\"lost\":%llu",
		 span->by_kernel    ? "counters"
		 : span->by_program ? "bpf"
				    : "samples",
		 (unsigned long long)span->lost);
	if (span->lost && span->lost_of_all)
		buf_adds(b, ",\"lost_of_all\":true");
}

void count_output_begin(struct count_output *o, const struct count_span *span, bool view,
			u32 *height)
{
	struct buf *all[] = {&o->body, &o->heading, &o->foot, &o->notes, &o->members};
	u32 rows, i;

	for (i = 0; i < ARRAY_SIZE(all); i++)
		buf_reset(all[i]);
	if (o->q->interval_ns) {
		put_seconds(&o->heading, span->from);
		buf_adds(&o->heading, " s to ");
		put_seconds(&o->heading, span->to);
		buf_adds(&o->heading, " s");
	}
	put_foot(o, span);
	put_members(o, span);
	*height = 0;
	if (!view)
		return;
	rows = screen_rows(&o->screen);
	/* the foot, the cursor's line */
	*height = rows > 3 ? rows - 2 : 1;
}

/* NULL: samples */
static const char *counted(const struct count_output *o)
{
	return o->durations ? "span" : NULL;
}

static int put_text(struct count_output *o, const struct count_view *v, u32 height, struct err *err)
{
	const struct count_text text = {
		.quantiles = o->q->nr_quantiles ? o->q->quantiles : NULL,
		.nr_quantiles = o->q->nr_quantiles,
		.heading = o->heading.len ? buf_str(&o->heading) : NULL,
		.height = height,
		.fit = terminal_columns(STDOUT_FILENO),
		.with_sum = o->q->sum,
		.sums = o->sums,
		.durations = o->durations,
		.counted = counted(o),
		.parts = &o->parts,
		.bold = o->bold,
		.off = o->off,
	};

	return count_text_put(&text, v, &o->body, err);
}

static int put_metrics(struct count_output *o, const struct count_view *v, struct err *err)
{
	const struct count_metrics metrics = {
		.name = o->metric,
		.help = o->durations ? "Time between two events." : "Events.",
		.quantiles = o->q->nr_quantiles ? o->q->quantiles : count_text_quantiles,
		.nr_quantiles = o->q->nr_quantiles ? o->q->nr_quantiles : COUNT_QUANTILES_DEFAULT,
		.durations = o->durations,
	};

	return count_metrics_put(&metrics, v->table, &o->body, err);
}

void count_output_left_out(struct count_output *o, u32 rows, u64 nr)
{
	if (rows)
		buf_addf(&o->notes, "left out by --top: %u row%s, with a count of %llu\n", rows,
			 TEXT_PLURAL(rows), (unsigned long long)nr);
}

/* What CSV and folded stacks have no place for. */
static void put_missing(struct count_output *o, const struct count_view *v)
{
	count_output_left_out(o, v->hidden, v->rest.nr);
	count_text_limits(v->table, counted(o), o->q->form == COUNT_FORM_CSV, &o->notes);
}

int count_output_view(struct count_output *o, const struct count_view *v, u32 height,
		      struct err *err)
{
	const struct count_export export = {
		.quantiles = o->q->nr_quantiles ? o->q->quantiles : NULL,
		.nr_quantiles = o->q->nr_quantiles,
		.members = buf_str(&o->members),
		.parts = &o->parts,
	};
	u32 left_out = 0;
	int ret;

	if (o->q->form == COUNT_FORM_CSV || o->q->form == COUNT_FORM_FOLDED)
		put_missing(o, v);
	switch (o->q->form) {
	case COUNT_FORM_TEXT:
		return put_text(o, v, height, err);
	case COUNT_FORM_JSON:
		return count_export_json(&export, v, &o->body, err);
	case COUNT_FORM_CSV:
		if (o->q->hist)
			buf_adds(&o->notes, "histograms are left out of CSV; --json has them\n");
		count_export_csv_head(&export, v, &o->body);
		return count_export_csv(&export, v, &o->body, err);
	case COUNT_FORM_METRICS:
		return put_metrics(o, v, err);
	case COUNT_FORM_FOLDED:
		break;
	}
	ret = count_folded_put(v, false, &left_out, &o->body, err);
	if (!ret && left_out)
		fprintf(stderr, "%u row%s a sum of 0 or less, and so no line\n", left_out,
			left_out == 1 ? " has" : "s have");
	return ret;
}

static int print(const struct buf *b, struct err *err)
{
	if (b->failed)
		return err_nomem(err);
	errno = 0;
	if (b->len && fwrite(b->data, 1, b->len, stdout) != b->len) {
		cmd_cannot_write(errno, err);
		return -EIO;
	}
	return 0;
}

int count_output_put(struct count_output *o, bool view, struct err *err)
{
	bool text = o->q->form == COUNT_FORM_TEXT;
	int ret;

	if (view) {
		screen_draw(&o->screen, &o->body, &o->foot, "^C prints all");
		return 0;
	}
	if (o->q->form == COUNT_FORM_METRICS) {
		openmetrics_end(&o->foot);
		buf_add(&o->body, o->foot.data, o->foot.len);
		o->body.failed |= o->foot.failed;
		return metrics_file_put(&o->metrics, &o->body, err);
	}
	screen_erase(&o->screen);
	if (o->heading.failed || o->members.failed || o->notes.failed)
		return err_nomem(err);
	ret = print(&o->body, err);
	if (!ret && text)
		ret = print(&o->foot, err);
	if (!ret && o->notes.len && !o->q->w.in.quiet)
		fputs(buf_str(&o->notes), stderr);
	if (!ret && text && o->q->interval_ns)
		putchar('\n');
	errno = 0;
	if (!ret && fflush(stdout)) {
		cmd_cannot_write(errno, err);
		ret = -EIO;
	}
	return ret;
}

int count_output_end(const struct count_output *o, struct err *err)
{
	return metrics_file_end(&o->metrics, err);
}

bool count_output_is_due(struct count_output *o)
{
	u64 now;

	if (!o->viewing)
		return false;
	now = clock_ns(CLOCK_MONOTONIC);
	if (now < o->next_view)
		return false;
	o->next_view = now + VIEW_NS;
	return true;
}

void count_output_free(struct count_output *o)
{
	screen_end(&o->screen);
	buf_free(&o->body);
	buf_free(&o->heading);
	buf_free(&o->foot);
	buf_free(&o->notes);
	buf_free(&o->members);
}
