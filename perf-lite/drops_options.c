// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/drops.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/kernel/tracefs.h"

#define DEFAULT_EVENT  "skb:kfree_skb"
#define HARDWARE_EVENT "devlink:devlink_trap_report"
#define INTERVAL_MIN   10000000ull
#define ROUND_NS       100000000ull

/* The drops of devices, where this kernel reports them. */
static int add_hardware(struct sampling *what, struct err *err)
{
	const struct tracefs *t = ev_env_tracefs(&what->env, NULL);
	u32 id;

	if (!t || tracefs_id(t, "devlink", "devlink_trap_report", &id, NULL))
		return 0;
	return sampling_on_event(what, HARDWARE_EVENT, err);
}

/* One for all events: what is dropped is dropped for a task of the cgroup or is not. */
static int choose_cgroup(struct sampling *what, const char *name, struct err *err)
{
	if (!strchr(name, ','))
		return sampling_on_cgroup(what, name, err);
	err_set(err, EINVAL, "-G takes one cgroup, not '%s'", name);
	err_hint(err, "a cgroup includes all that are below it");
	return -EINVAL;
}

/*
 * Packets are dropped by whoever is at hand, most of them by interrupts: the drops of a command are
 * not those in its own code, so everybody's are counted while it runs.
 */
static void choose_whom(struct sampling *what)
{
	if (sampling_named(what))
		what->all_cpus = false;
}

/* Give the last event, the probe, a format as the kernel has for its own tracepoints. */
static int describe_probe(struct drops *d, const struct tracefs *t, struct err *err)
{
	struct ev_list *list = &d->w.what.list;
	struct buf text = {0};
	int ret = drops_probe_format(&d->probe, t, &text, err);

	if (!ret) {
		list->specs.v[list->specs.nr - 1].tp.format = arena_strdup(&list->arena, text.data);
		if (!list->specs.v[list->specs.nr - 1].tp.format)
			ret = err_nomem(err);
	}
	buf_free(&text);
	d->table.event = list->specs.v[list->specs.nr - 1].name;
	d->w.what.env.filters_here = true;
	return ret;
}

/* skb:kfree_skb, or the probe instead where keys are asked for that only it has. */
static int choose_default(struct drops *d, struct err *err)
{
	const struct tracefs *t = ev_env_tracefs(&d->w.what.env, err);
	u32 tries = 0;
	int ret;

	if (!t || !drops_table_lacks(&d->table, t))
		return sampling_on_event(&d->w.what, DEFAULT_EVENT, err);
	do {
		/* found made, it may have been removed since by who made it */
		drops_probe_remove(&d->probe);
		if (drops_probe_make(&d->probe, t, &d->table.no_probe))
			return sampling_on_event(&d->w.what, DEFAULT_EVENT, err);
		ret = sampling_on_event(&d->w.what, DROPS_PROBE, tries < 3 ? NULL : err);
	} while (ret == -ENOENT && tries++ < 3);
	if (!ret)
		ret = describe_probe(d, t, err);
	buf_adds(&d->w.notes,
		 "devices and network namespaces come from a dynamic event, " DROPS_PROBE "\n");
	return ret;
}

static int choose_events(struct drops *d, const struct drops_asked *w, struct err *err)
{
	struct sampling *what = &d->w.what;
	int ret = w->event ? sampling_on_event(what, w->event, err) : choose_default(d, err);

	if (ret == -ENOENT && !w->event) {
		err_set(err, ENOENT, "this kernel has no tracepoint " DEFAULT_EVENT);
		err_hint(err, "it is there where the kernel is built with CONFIG_NET; "
			      "perf-lite check shows what is missing");
	}
	if (!ret && w->filter)
		ret = sampling_on_filter(what, w->filter, err);
	if (!ret && !w->event && !w->filter)
		ret = add_hardware(what, err);
	if (!ret && w->cgroup)
		ret = choose_cgroup(what, w->cgroup, err);
	what->attrs.call_chain |= d->table.kernel_chains || d->table.user_chains;
	if (d->table.ip) {
		what->attrs.sample_ip = true;
		d->w.mappings = true;
	}
	if (d->table.cgroups) {
		what->attrs.cgroups = true;
		what->attrs.more |= PERF_SAMPLE_CGROUP;
	}
	what->attrs.no_kernel_chain = !d->table.kernel_chains;
	what->attrs.no_user_chain = !d->table.user_chains;
	return ret;
}

/* The same of a recording. */
static int choose_samples(struct drops *d, const struct drops_asked *w, struct err *err)
{
	if (w->filter && !reading_fields_add(&d->w.in.select.fields,
					     w->event ? w->event : DEFAULT_EVENT, w->filter))
		return err_nomem(err);
	if (!w->cgroup)
		return 0;
	err_set(err, EINVAL, "-i reads a recording, which was made of a cgroup or was not");
	err_hint(err, "leave out -G");
	return -EINVAL;
}

static int settle(struct drops *d, const struct drops_asked *w, const struct opt_rest *rest,
		  struct err *err)
{
	bool endless = !d->w.input && !rest->argc && !d->w.duration_ns;
	int ret;

	d->interval_ns = w->interval_ns != UINT64_MAX ? w->interval_ns : endless ? 1000000000 : 0;
	if (d->interval_ns && d->interval_ns < INTERVAL_MIN) {
		err_set(err, EINVAL, "-I takes seconds, at least 0.01");
		err_hint(err, "-I 1 shows the drops of each second");
		return -EINVAL;
	}
	ret = watching_events(&d->w, err);
	if (!ret)
		ret = drops_table_ask(&d->table, w->by, w->stacks, err);
	d->table.event = w->event;
	d->table.only = w->event || w->filter;
	d->table.live = !d->w.input;
	d->w.in.session.want.no_chains =
		!d->table.kernel_chains && !d->table.user_chains && !d->table.ip;
	d->w.round_ns = ROUND_NS;
	choose_whom(&d->w.what);
	if (ret || d->list_reasons)
		return ret;
	return d->w.input ? choose_samples(d, w, err) : choose_events(d, w, err);
}

#define OPT_STRUCT struct drops

static const struct opt opts[] = {
	OPT_GROUP("What to show"),
	OPT_STRING(
		0, "by", "KEY,...", asked.by,
		"group drops by place, reason, protocol, dev, netns, comm, pid, cpu, kstack, fields, ... (default place,reason,protocol,dev,comm)"),
	OPT_FLAG('g', NULL, asked.stacks,
		 "also group by the kernel's call chain (same as --by ...,kstack)"),
	OPT_DURATION(
		'I', "interval", "SEC", asked.interval_ns,
		"print a table every SEC seconds, 0: one at the end (default 1 if nothing else ends it)",
		OPT_ZERO),
	OPT_UINT(0, "top", "N", top, "print the N rows with most drops"),
	OPT_FLAG(0, "all", table.all,
		 "print what is hidden as noise: no drops, or neither reason nor protocol"),
	OPT_FLAG(0, "json", json, "print a JSON object on a line for each table"),
	OPT_FLAG(0, "reasons", list_reasons, "list the reasons that this kernel knows"),
	OPT_GROUP("Source"),
	OPT_INCLUDE(watching_input_opts, w),
	OPT_STRING(
		'e', "event", "NAME", asked.event,
		"the tracepoint of drops (default skb:kfree_skb and devlink:devlink_trap_report)"),
	OPT_STRING(0, "filter", "EXPR", asked.filter,
		   "only drops that match: 'reason == NO_SOCKET'"),
	OPT_GROUP("Targets (default: the whole system, while the command runs or until Ctrl-C)"),
	OPT_FLAG('a', "all-cpus", w.what.all_cpus,
		 "the whole system (default); --no-all-cpus: only in code that the command runs"),
	OPT_STRING('C', "cpu", "LIST", w.what.cpu_list, "only these CPUs (0,2-4)"),
	OPT_CALL_ON('p', "pid", "PID,...", w.what, sampling_on_pids,
		    "only in code that these processes run"),
	OPT_CALL_ON('t', "tid", "TID,...", w.what, sampling_on_tids, "these threads"),
	OPT_CALL_ON(0, "comm", "NAME", w.what, sampling_on_comm, "processes with this name"),
	OPT_CALL_ON('u', "uid", "USER", w.what, sampling_on_user, "processes of this user"),
	OPT_STRING('G', "cgroup", "NAME", asked.cgroup, "processes in this control group"),
	OPT_FLAG(0, "include-self", w.what.include_self, "include perf-lite itself"),
	OPT_GROUP("Duration"),
	OPT_DURATION(0, "duration", "TIME", w.duration_ns, "stop after TIME: 10s, 500ms, 2m"),
	OPT_CALL_ON('D', "delay", "MS", w, watching_on_delay, "start MS milliseconds later"),
	OPT_GROUP("Other options"),
	OPT_INCLUDE(sampling_buffer_opts, w.what),
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
		 "  perf-lite drops --by reason -- iperf3 -c HOST\n"
		 "  perf-lite drops --filter 'reason != TCP_OLD_DATA' -I 5\n",
};

int drops_options(struct drops *d, int argc, char **argv, struct opt_rest *rest, struct err *err)
{
	int ret;

	d->asked.interval_ns = UINT64_MAX;
	d->w.what.all_cpus = true;
	ret = cmd_options(&table, d, argc, argv, rest, err);
	return ret || rest->help ? ret : settle(d, &d->asked, rest, err);
}
