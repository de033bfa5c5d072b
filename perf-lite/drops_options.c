// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/cmd_drops.h"

#include <errno.h>
#include <string.h>

#include "util/base/num.h"

#define INTERVAL_MIN 10000000ull
#define ROUND_NS     100000000ull

/* The drops of a recording. */
static int choose_samples(struct drops *d, struct err *err)
{
	int ret = drops_choose_filter(&d->asked.drops, &d->w.in.select.fields, err);

	if (ret || !d->asked.drops.cgroup)
		return ret;
	err_set(err, EINVAL, "-i reads a recording, which was made of a cgroup or was not");
	err_hint(err, "leave out -G");
	return -EINVAL;
}

/* Standard output has the packets, and nothing else. */
static int check_piped(const struct drops *d, const struct drops_asked *w, struct err *err)
{
	const char *option = d->json                                            ? "--json"
			     : d->counting.asked                                ? "--counters"
			     : d->list_reasons                                  ? "--reasons"
			     : d->explain                                       ? "--explain"
			     : d->top                                           ? "--top"
			     : w->by                                            ? "--by"
			     : d->metrics.path && !strcmp(d->metrics.path, "-") ? "--openmetrics -"
										: NULL;

	if (!option)
		return 0;
	err_set(err, EINVAL, "%s is for a table, and --pcapng - has standard output for itself",
		option);
	err_hint(err, "leave out %s, or name a file: --pcapng drops.pcapng", option);
	return -EINVAL;
}

/* Metrics have a number for each row, and nothing else. */
static int check_metrics(const struct drops *d, struct err *err)
{
	const char *option = d->json             ? "--json"
			     : d->counting.asked ? "--counters"
			     : d->explain        ? "--explain"
			     : d->top            ? "--top"
						 : NULL;

	if (!option && d->pcapng.path && !strcmp(d->pcapng.path, d->metrics.path))
		return err_refuse(err, "--pcapng and --openmetrics would both be one file",
				  "give them two names");
	if (!option)
		return metrics_file_check(d->metrics.path, err);
	err_set(err, EINVAL, "%s is for a table, and --openmetrics writes none", option);
	err_hint(err, "leave out %s", option);
	return -EINVAL;
}

static int settle(struct drops *d, const struct drops_asked *w, const struct opt_rest *rest,
		  struct err *err)
{
	bool endless = !d->w.input && !rest->argc && !d->w.duration_ns;
	int ret;

	ret = watching_check(&d->w, err);
	if (ret)
		return ret;
	if (w->interval_ns != UINT64_MAX)
		d->interval_ns = w->interval_ns;
	else if (d->metrics.path && !d->w.input)
		d->interval_ns = METRICS_INTERVAL_NS;
	else if (endless)
		d->interval_ns = 1000000000;
	if (d->interval_ns && d->interval_ns < INTERVAL_MIN) {
		err_set(err, EINVAL, "-I takes seconds, at least 0.01");
		err_hint(err, "-I 1 shows the drops of each second");
		return -EINVAL;
	}
	ret = watching_events(&d->w, err);
	if (!ret)
		ret = drops_table_ask(&d->table, w->by, w->stacks, err);
	if (!ret && d->pcapng.path && !strcmp(d->pcapng.path, "-"))
		ret = check_piped(d, w, err);
	if (!ret && d->metrics.path)
		ret = check_metrics(d, err);
	if (!ret && d->counting.asked && d->w.input) {
		err_set(err, EINVAL,
			"--counters are those of this kernel now, and -i reads a recording");
		err_hint(err, "leave out one of them");
		ret = -EINVAL;
	}
	if (!ret && d->list_reasons && d->w.input) {
		err_set(err, EINVAL,
			"--reasons are those of this kernel, and -i reads a recording");
		err_hint(err, "those of its drops: --by reason");
		ret = -EINVAL;
	}
	if (!ret && d->explain && !d->list_reasons && !drops_table_has(&d->table, DROPS_REASON)) {
		err_set(err, EINVAL, "--explain explains reasons, and no key is the reason");
		err_hint(err, "add it: --by reason,%s", w->by);
		ret = -EINVAL;
	}
	d->w.own_output = (d->pcapng.path && !strcmp(d->pcapng.path, "-")) ||
			  (d->metrics.path && !strcmp(d->metrics.path, "-")) ||
			  (d->json && d->interval_ns);
	d->asked.drops.packets = d->pcapng.path;
	d->table.event = w->drops.event;
	d->table.only = w->drops.event || w->drops.filter;
	d->table.live = !d->w.input;
	d->asked.drops.compared = d->counting.asked;
	d->w.in.session.want.no_chains =
		!d->table.needs.kernel_chains && !d->table.needs.user_chains && !d->table.needs.ip;
	d->w.in.session.drop_companions = true;
	d->w.round_ns = ROUND_NS;
	if (ret || d->list_reasons)
		return ret;
	return d->w.input ? choose_samples(d, err)
			  : drops_choose_events(&d->table, &d->asked.drops, &d->w, err);
}

static int on_interval(void *value, const char *arg, struct err *err)
{
	struct drops *d = value;

	if (!num_duration(arg, &d->asked.interval_ns))
		return err_set(err, EINVAL, "-I takes a duration such as 10s or 100ms, not '%s'",
			       arg);
	watching_note_interval(&d->w, arg, d->asked.interval_ns);
	return 0;
}

#define OPT_STRUCT struct drops

static const struct opt opts[] = {
	OPT_GROUP("What to show"),
	OPT_STRING(
		0, "by", "KEY,...", asked.by,
		"group drops by place, reason, protocol, dev, netns, flow, inner, owner, saddr, sport, daddr, dport, len, comm, pid, cpu, kstack, fields, ... (default place,reason,protocol,dev,comm)"),
	OPT_FLAG('g', NULL, asked.stacks,
		 "also group by the kernel's call chain (same as --by ...,kstack)"),
	OPT_CALL(
		'I', "interval", "SEC", on_interval,
		"print a table every SEC seconds, 0: one at the end (default 1 if nothing else ends it)"),
	OPT_UINT(0, "top", "N", top, "print the N rows with most drops"),
	OPT_FLAG(0, "all", table.all,
		 "print what is hidden as noise: no drops, or neither reason nor protocol"),
	OPT_FLAG(0, "json", json, "print a JSON object on a line for each table"),
	OPT_STRING(0, "openmetrics", "FILE", metrics.path,
		   "write all since the start to FILE for Prometheus, every 10 s or -I"),
	OPT_FLAG(
		0, "counters", counting.asked,
		"at the end, print the kernel's own counters of lost packets that rose, also of devices and queues, and compare them with the drops"),
	OPT_FLAG(0, "explain", explain, "say what the reasons mean and what to look at"),
	OPT_STRING(0, "pcapng", "FILE", pcapng.path,
		   "write the packets to FILE ('-': standard output) for Wireshark and tcpdump"),
	OPT_FLAG(0, "reasons", list_reasons, "list the reasons that this kernel knows"),
	OPT_GROUP("Source"),
	OPT_INCLUDE(watching_input_opts, w),
	OPT_STRING(
		'e', "event", "NAME", asked.drops.event,
		"the tracepoint of drops (default skb:kfree_skb and devlink:devlink_trap_report)"),
	OPT_STRING(0, "filter", "EXPR", asked.drops.filter,
		   "only drops that match: 'reason == NO_SOCKET'"),
	OPT_CALL_ON(0, "time", "FROM,TO", w.in, reading_on_time,
		    "with -i, only between these times, in seconds, or a part: 10%/2, 0%-10%"),
	OPT_GROUP("Targets (default: the whole system, while the command runs or until Ctrl-C)"),
	OPT_FLAG('a', "all-cpus", w.what.all_cpus,
		 "the whole system (default); --no-all-cpus: only in code that the command runs"),
	OPT_STRING('C', "cpu", "LIST", w.what.cpu_list, "only these CPUs (0,2-4)"),
	OPT_CALL_ON('p', "pid", "PID,...", w.what, sampling_on_pids,
		    "only in code that these processes run"),
	OPT_CALL_ON('t', "tid", "TID,...", w.what, sampling_on_tids, "these threads"),
	OPT_CALL_ON(0, "comm", "NAME", w.what, sampling_on_comm, "processes with this name"),
	OPT_CALL_ON('u', "uid", "USER", w.what, sampling_on_user, "processes of this user"),
	OPT_STRING('G', "cgroup", "NAME", asked.drops.cgroup, "processes in this control group"),
	OPT_FLAG(
		0, "include-self", w.what.include_self,
		"also while perf-lite itself runs (default); --no-include-self leaves out interrupts of it, too"),
	OPT_GROUP("Duration"),
	OPT_DURATION(0, "duration", "TIME", w.duration_ns, "stop after TIME: 10s, 500ms, 2m"),
	OPT_CALL_ON('D', "delay", "MS", w, watching_on_delay, "start MS milliseconds later"),
	OPT_GROUP("Other options"),
	OPT_INCLUDE(sampling_busy_buffer_opts, w.what),
	OPT_INCLUDE(reading_other_opts, w.in),
	OPT_END,
};

static const struct opt_table table = {
	.command = "drops",
	.summary = "show where packets are dropped, and why",
	.usage = {"[options]", "[options] -- COMMAND [ARG...]", "[options] -i FILE"},
	.opts = opts,
	.stop_at_operand = true,
	.notes = "  perf-lite drops                          each second, until ^C\n"
		 "  perf-lite drops --duration 10s -g        and where they come from\n"
		 "  perf-lite drops --explain --duration 10s what the reasons mean\n"
		 "  perf-lite drops --by reason,flow --filter 'dport == 443'\n"
		 "  perf-lite drops --by reason -- iperf3 -c HOST\n"
		 "  perf-lite drops --filter 'reason != TCP_OLD_DATA' -I 5\n",
};

int drops_options(struct drops *d, int argc, char **argv, struct opt_rest *rest, struct err *err)
{
	int ret;

	d->asked.interval_ns = UINT64_MAX;
	d->w.what.all_cpus = true;
	/* packets are dropped by interrupts, of whoever runs */
	d->w.what.include_self = true;
	ret = cmd_options(&table, d, argc, argv, rest, err);
	return ret || rest->help ? ret : settle(d, &d->asked, rest, err);
}
