// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_drops.c - perf-lite drops: where packets are dropped and why, as it happens or of a recording.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "perf-lite/cmd_drops.h"
#include "perf-lite/run.h"
#include "util/base/clock.h"
#include "util/base/text.h"

static bool is_live(const struct drops *d)
{
	return !d->w.input;
}

/* For how long drops were watched, in ns; of a recording nobody knows: 0. */
static u64 watched(const struct drops *d)
{
	u64 all = d->started ? clock_ns(CLOCK_MONOTONIC) - d->started : 0;

	return all - MIN(all, d->w.delay_ns);
}

/* "12:34:56", with the date for a recording; "762.850000" where the time of day is unknown. */
static void put_heading(const struct drops *d, u64 day, struct buf *out)
{
	time_t seconds = (time_t)(day / 1000000000);
	char text[32];
	struct tm tm;

	if (day && localtime_r(&seconds, &tm) &&
	    strftime(text, sizeof(text), is_live(d) ? "%T" : "%F %T", &tm)) {
		buf_adds(out, text);
		if (d->interval_ns % 1000000000)
			buf_addf(out, ".%03u", (u32)(day / 1000000 % 1000));
	} else {
		text_seconds(out, d->from, 6);
	}
}

/* Has standard output the packets? */
static bool is_piped(const struct drops *d)
{
	return d->pcapng.path && !strcmp(d->pcapng.path, "-");
}

/* A reader that has gone away ends what is live, and is no error. */
static int write_out(struct drops *d, struct buf *out, struct err *err)
{
	int ret = cmd_write(out, err);

	if (!ret || !watching_lost_reader(&d->w, err))
		return ret;
	clearerr(stdout);
	return 0;
}

/* Of all that was counted since the start. */
static int put_metrics(struct drops *d, struct err *err)
{
	struct buf out = {0};
	int ret = drops_owners_look(&d->table.owners, &d->w.what.root, err);

	d->drops = drops_table_total(&d->table);
	d->hidden = d->table.hidden;
	if (!ret)
		ret = drops_text_metrics(&d->table, watching_lost(&d->w), &out, err);
	if (!ret)
		ret = metrics_file_put(&d->metrics, &out, err);
	buf_free(&out);
	return ret;
}

/* Has nobody been left out, and is nothing lost? */
static bool sees_every_drop(const struct drops *d)
{
	const struct drops_choice *c = &d->asked.drops;
	const struct sampling *what = &d->w.what;

	return !c->event && !c->filter && !c->cgroup && !what->filtered && what->all_cpus &&
	       what->include_self && !what->cpu_list && !watching_lost(&d->w);
}

static void print_missing_counters(const struct drops *d)
{
	if (d->counting.before.no_qdiscs && !d->w.in.quiet)
		fprintf(stderr,
			"the counters of queueing disciplines cannot be read: rtnetlink: %s\n",
			strerror(-d->counting.before.no_qdiscs));
}

/* What the counters are before the drops that they are compared with: those from now on. */
static int begin_counting(struct drops *d, struct err *err)
{
	int ret;

	if (!d->counting.asked || d->counting.from)
		return 0;
	d->counting.from = clock_ns(d->w.what.attrs.clockid);
	ret = net_counters_read(&d->counting.before, &d->w.what.root, err);
	if (!ret)
		print_missing_counters(d);
	return ret;
}

/* What they are after these drops. */
static int end_counting(struct drops *d, struct err *err)
{
	int ret;

	if (!d->counting.asked || d->counting.to)
		return 0;
	ret = net_counters_read(&d->counting.now, &d->w.what.root, err);
	d->counting.to = clock_ns(d->w.what.attrs.clockid);
	return ret;
}

/* The events are on: what a counter counts from the first time to the second is reported, too. */
static void count_at_edge(void *arg)
{
	struct drops *d = arg;

	if (!d->counting.from)
		begin_counting(d, &d->counting.failed);
	else if (!d->counting.failed.code)
		end_counting(d, &d->counting.failed);
}

/* Is it a drop of the time between? */
static bool is_between_counters(const struct drops *d, u64 time)
{
	return d->counting.from && time >= d->counting.from &&
	       (!d->counting.to || time <= d->counting.to);
}

/* The table of what was counted since the last one. `to`: on the clock of the samples, 0: not known. last: none follows. */
static int put_table(struct drops *d, u64 to, bool last, struct err *err)
{
	u64 lost = watching_lost(&d->w), nr = drops_table_total(&d->table);
	struct drops_text o = {.top = d->top, .from = d->from, .to = to, .lost = lost - d->lost};
	struct buf heading = {0}, out = {0};
	int ret;

	if (d->metrics.path)
		return put_metrics(d, err);
	ret = drops_owners_look(&d->table.owners, &d->w.what.root, err);
	if (d->explain)
		o.explained = &d->explained;
	if (!ret && last)
		ret = begin_counting(d, err);
	if (!ret && last && d->counting.asked) {
		ret = end_counting(d, err);
		o.before = &d->counting.before;
		o.now_counted = &d->counting.now;
		o.compared = &d->counting.compared;
		o.root = &d->w.what.root;
		o.every_drop = sees_every_drop(d);
	}
	if (d->from && time_text_knows_day(&d->clock))
		o.time = time_text_day(&d->clock, d->from);
	if (d->interval_ns) {
		put_heading(d, o.time, &heading);
		o.heading = buf_str(&heading);
	} else {
		o.watched = watched(d);
	}
	/* nothing is shown of a second in which nothing happened, but programs count on each */
	if (!ret && d->json)
		ret = drops_text_json(&o, &d->table, &out, err);
	else if (!ret && (!d->interval_ns || nr || o.lost || o.before))
		ret = drops_text_put(&o, &d->table, &out, err);
	if (!ret && out.len && !is_piped(d))
		ret = write_out(d, &out, err);
	else
		buf_free(&out);
	buf_free(&heading);
	d->drops += nr;
	d->hidden += d->table.hidden;
	d->lost = lost;
	drops_table_reset(&d->table);
	return ret;
}

/* It is `time` now: end the intervals that are over. */
static int advance(struct drops *d, u64 time, struct err *err)
{
	int ret = 0;

	if (!d->from)
		d->from = time;
	if (!d->interval_ns)
		return 0;
	if (!d->until)
		d->until = run_interval_end(time, d->interval_ns);
	while (!ret && time >= d->until && d->until != UINT64_MAX) {
		ret = put_table(d, d->until, false, err);
		d->from = d->json ? run_skip_intervals(d->until, time, d->interval_ns, 0,
						       d->w.in.quiet)
				  : d->until;
		d->until = run_interval_end(d->from, d->interval_ns);
		/* nobody waits for each interval of a long silence */
		if (time >= d->until && time - d->until > d->interval_ns && !d->json) {
			d->from += (time - d->until) / d->interval_ns * d->interval_ns;
			d->until = run_interval_end(d->from, d->interval_ns);
		}
	}
	return ret;
}

/* A sample, or the end of a round: then no older sample comes. */
static int take(struct drops *d, int what, const struct session_sample *s, struct err *err)
{
	bool counted = false;
	u64 time = 0;
	int ret;

	if (what == SESSION_SAMPLE)
		time = s->sample->ids.time;
	else if (is_live(d))
		time = watching_time(&d->w);
	ret = time ? advance(d, time, err) : 0;
	d->now = MAX(d->now, time);
	/* a delay is over */
	if (!ret && is_live(d) && !d->w.live->event_session.delayed)
		ret = begin_counting(d, err);
	if (!ret && d->counting.failed.code) {
		*err = d->counting.failed;
		return -err->code;
	}
	if (!ret && what == SESSION_SAMPLE && is_between_counters(d, time))
		ret = drops_compare_add(&d->counting.compared, s, err);
	if (!ret && what == SESSION_SAMPLE)
		ret = drops_table_add(&d->table, s, &counted, err);
	if (!ret && counted)
		ret = drops_pcapng_add(d, s, err);
	if (!ret && what != SESSION_SAMPLE)
		ret = drops_owners_look(&d->table.owners, &d->w.what.root, err);
	return ret || what == SESSION_SAMPLE ? ret : drops_pcapng_round(d, err);
}

static int watch(struct drops *d, struct err *err)
{
	struct session_sample s;
	int what, ret = 0;

	while (!ret && (what = watching_next(&d->w, &s, err)) > 0) {
		ret = take(d, what, &s, err);
		if (what == SESSION_WAIT && watching_is_unread(STDOUT_FILENO))
			watching_stop(&d->w);
	}
	if (!ret && what < 0)
		ret = what;
	if (!ret)
		ret = put_table(d, d->now, true, err);
	return ret ? ret : metrics_file_end(&d->metrics, err);
}

/* Warn about keys that were asked for and that the kernel's own drops do not have: only those of devices do. */
static void print_missing_keys(const struct drops *d)
{
	const struct drops_table *t = &d->table;
	u32 i;

	for (i = 0; i < t->nr_keys && t->chosen && !d->w.in.quiet; i++)
		if (t->keys[i].kind != DROPS_OTHER && t->parts[DROPS_SOFTWARE].there &&
		    !t->keys[i].in[DROPS_SOFTWARE].nr)
			fprintf(stderr, "drops of the kernel have no %s: %s\n", t->keys[i].name,
				t->no_fields.code && t->keys[i].kind != DROPS_REASON
					? t->no_fields.msg
					: "their tracepoint has none here");
}

/* Of intervals, what all of them come to. */
static void put_sum(const struct drops *d, struct buf *lines)
{
	if (!d->interval_ns)
		return;
	drops_text_sum(d->drops, 0, watched(d), lines);
	if (d->hidden)
		buf_addf(lines, ", %llu more hidden", (unsigned long long)d->hidden);
	buf_addc(lines, '\n');
}

/* Sockets whose owners nobody looked for. */
static void put_left_out(const struct drops *d, struct buf *lines)
{
	const u64 nr = d->table.owners.left_out;

	if (nr)
		buf_addf(
			lines,
			"owners of %llu drop%s were not looked for: more than %u sockets in one table\n",
			(unsigned long long)nr, TEXT_PLURAL(nr), DROPS_OWNERS_MAX);
}

static int run(struct drops *d, struct opt_rest *rest, struct err *err)
{
	struct buf lines = {0};
	int ret;

	d->w.hurry = true;
	if (drops_pcapng_open(d, err))
		return CMD_USAGE;
	ret = watching_open(&d->w, rest, err);
	if (!ret)
		ret = drops_table_bind(&d->table, d->w.in.s, err);
	if (!ret && d->counting.asked)
		ret = drops_compare_bind(&d->counting.compared, &d->table, err);
	if (!ret)
		ret = time_text_init(&d->clock, TIME_FORM_RAW, false, d->w.in.s->source->recording,
				     err);
	if (!ret)
		ret = drops_pcapng_bind(d, err);
	if (!ret)
		print_missing_keys(d);
	if (!ret && is_live(d) && d->counting.asked) {
		d->w.live->event_session.options.at_edge = count_at_edge;
		d->w.live->event_session.options.edge_arg = d;
	}
	if (!ret)
		ret = watching_start(&d->w, err);
	if (!ret && is_live(d))
		d->started = clock_ns(CLOCK_MONOTONIC);
	if (!ret)
		ret = watch(d, err);
	ret = drops_pcapng_close(d, ret, err);
	if (!ret) {
		put_sum(d, &lines);
		put_left_out(d, &lines);
		drops_pcapng_sum(d, &lines);
		ret = watching_verdict(&d->w, &lines, err);
	}
	buf_free(&lines);
	return ret;
}

static int list_reasons(struct drops *d, struct err *err)
{
	const struct tracefs *t = ev_env_tracefs(&d->w.what.env, err);
	struct buf out = {0};
	int ret = t ? drops_reasons_put(t, d->json, d->explain, &out, err) : -err->code;

	if (!ret)
		return cmd_write(&out, err);
	buf_free(&out);
	return ret;
}

int cmd_drops(int argc, char **argv, struct err *err)
{
	struct opt_rest rest = {0};
	struct drops d = {0};
	int ret;

	ret = watching_init(&d.w, "drops", err);
	if (!ret)
		ret = cmd_refused(drops_options(&d, argc, argv, &rest, err));
	if (!ret && !rest.help)
		ret = d.list_reasons ? list_reasons(&d, err) : run(&d, &rest, err);
	drops_pcapng_free(&d.pcapng);
	strtab_free(&d.explained);
	net_counters_free(&d.counting.before);
	net_counters_free(&d.counting.now);
	drops_compare_free(&d.counting.compared);
	drops_table_free(&d.table);
	time_text_free(&d.clock);
	watching_end(&d.w);
	return ret;
}
