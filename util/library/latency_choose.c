// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>

#include "util/base/num.h"
#include "util/library/latency_internal.h"

#define WAKER "waker." /* keys of the event by which a thread is woken */

/* --- options --- */

static int on_min(void *value, const char *arg, struct err *err)
{
	struct latency *l = value;

	if (num_duration(arg, &l->asked.min_ns))
		return 0;
	err_set(err, EINVAL, "--min: '%s' is not a time", arg);
	err_hint(err, "--min 10ms shows spans of 10 ms and more");
	return -EINVAL;
}

#define OPT_STRUCT struct latency

const struct opt latency_point_opts[] = {
	OPT_STRING(0, "from", "POINT,...", asked.from, "spans begin at these events"),
	OPT_CALL(0, "then", "POINT,...", latency_stages_then,
		 "and pass these in between: a row for each stage; may be given several times"),
	OPT_STRING(0, "to", "POINT,...", asked.to, "and end at these, if they have the same key"),
	OPT_STRING(0, "on", "KEY,...", asked.on,
		   "the key of points without one; a=b: other names (default tid)"),
	OPT_STRING(0, "until", "POINT,...", asked.until, "spans of this key will not end any more"),
	OPT_FLAG(0, "latest", asked.latest,
		 "a second begin starts the span anew (default: it is ignored)"),
	OPT_FLAG(0, "nested", asked.nested, "a second begin is a span inside the first"),
	OPT_FLAG(0, "skip-missing", asked.skips_missing,
		 "do without events that spans can begin and end without, where they are missing"),
	OPT_END,
};

const struct opt latency_span_opts[] = {
	OPT_STRING(0, "filter", "FILTER", wanted.filter,
		   "only spans that begin with an event which passes: 'path ~ \"/var/*\"'"),
	OPT_CALL(0, "min", "TIME", on_min, "only spans of this time and longer: 10ms"),
	OPT_END,
};

const struct opt latency_thread_opts[] = {
	OPT_FLAG(0, "waker", states.names_wakers,
		 "group by who woke the thread last, too; with -g by its call chain"),
	OPT_FLAG(0, "split", states.splits,
		 "show what the threads of the spans did: ran, waited for a CPU, slept"),
	OPT_END,
};

/* --- what goes together --- */

/* The one span of a thread lasts as long as the thread. */
static int check_whole(const struct latency *l, struct err *err)
{
	if (l->asked.trace || l->asked.open || l->asked.min_ns || l->states.names_wakers)
		return err_refuse(
			err,
			"states of threads are sums: they have no --trace, --open, --min and --waker",
			"-I prints them for each interval");
	if (l->spans.repeat != SPANS_FIRST || l->asked.chains)
		return err_refuse(
			err,
			"states of threads have no begins: --latest, --nested and call chains mean nothing",
			"where threads sleep: perf-lite latency off-cpu -g");
	return 0;
}

static int choose_points(struct latency *l, struct err *err)
{
	int ret = 0;

	if (l->asked.preset &&
	    (l->asked.from || l->asked.to || l->asked.on || l->asked.until || l->stages.thens.nr))
		return err_refuse(
			err,
			"a preset has its points: it cannot be combined with --from, --then, --to, --on and --until",
			"give either the preset or the points");
	if (!l->asked.preset && !(l->asked.from && l->asked.to))
		return err_refuse(
			err,
			l->asked.from ? "--to is missing: at which event do spans end?"
			: l->asked.to ? "--from is missing: at which event do spans begin?"
				      : "which time? No preset and no events are given",
			"perf-lite latency run-queue, or --from EVENT --to EVENT --on KEY; --list shows the presets");
	if (l->asked.latest && l->asked.nested)
		return err_refuse(err, "--latest and --nested are two answers to a second begin",
				  "give one of them");
	l->spans.repeat = l->asked.nested   ? SPANS_NESTED
			  : l->asked.latest ? SPANS_LATEST
			  : l->asked.preset ? l->asked.preset->repeat
					    : SPANS_FIRST;
	l->whole = l->asked.preset && l->asked.preset->whole;
	if (l->whole && l->wanted.filter)
		return err_refuse(
			err,
			"--filter is of the events that spans begin with, and here all time counts",
			"choose threads by -p, -t or --comm");
	l->states.splits |= l->whole;
	l->states.names_wakers |= l->asked.by && strstr(l->asked.by, WAKER) != NULL;
	l->states.on = l->states.splits || l->states.names_wakers;
	if (l->whole)
		ret = check_whole(l, err);
	if (ret)
		return ret;
	ret = latency_presets_in_file(&l->presets, l->asked.preset, latency_points_parse(l, err),
				      err);
	if (ret || !l->states.on ||
	    (l->points.by_task && (l->points.nr_keys == 1 || !l->states.names_wakers)))
		return ret;
	if (l->points.by_task)
		return err_refuse(err, "--waker needs spans whose key is a thread alone",
				  "their key has further parts: leave these out");
	return err_refuse(
		err,
		l->states.splits ? "--split needs spans of threads: the key of these is none"
				 : "--waker needs spans of threads: the key of these is none",
		"points of your own may have one: --on tid, or another field that is a thread's number");
}

int latency_choose(struct latency *l, bool command, struct err *err)
{
	int ret = choose_points(l, err);

	return ret ? ret : latency_threads_choose(l, command, err);
}

/* --- keys --- */

/* Is a call chain of the span's own thread among the keys? */
static bool names_stack(const char *by)
{
	static const char *const names[] = {"stack", "kstack", "ustack"};
	size_t i, len;

	for (; *by; by += len + (by[len] != '\0')) {
		len = strcspn(by, ", ");
		for (i = 0; i < ARRAY_SIZE(names); i++)
			if (strcspn(by, ":, ") == strlen(names[i]) &&
			    !strncmp(by, names[i], strlen(names[i])))
				return true;
	}
	return false;
}

/* The stack of the waker comes behind that of the thread, its name is at the top. */
static void add_waker_keys(const struct latency *l, struct buf *by)
{
	if (!l->states.names_wakers || strstr(buf_str(by), WAKER))
		return;
	if (l->asked.chains) {
		buf_adds(by, names_stack(buf_str(by)) ? "" : ",stack");
		buf_adds(by, "," WAKER "stack");
	}
	buf_adds(by, "," WAKER "comm");
}

int latency_by(struct latency *l, struct buf *by, struct err *err)
{
	if (!l->asked.by)
		buf_adds(by, l->asked.preset && l->asked.preset->by ? l->asked.preset->by
			     : l->points.by_task                    ? "comm"
								    : "event");
	add_waker_keys(l, by);
	l->keys->other = WAKER;
	latency_stages_by(l, by);
	return by->failed ? err_nomem(err) : 0;
}
