// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/record.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/base/clock.h"
#include "util/base/num.h"

int record_on_event(void *value, const char *arg, struct err *err)
{
	struct record *c = value;

	c->any_event = true;
	return ev_parse(&c->list, arg, &c->env, err);
}

int record_on_filter(void *value, const char *arg, struct err *err)
{
	struct record *c = value;

	if (!c->any_event) {
		err_set(err, EINVAL, "--filter must follow the event that it is for");
		err_hint(err, "perf-lite record -e skb:kfree_skb --filter '%s'", arg);
		return -EINVAL;
	}
	return ev_filter_add(&c->list, arg, err);
}

int record_on_cgroup(void *value, const char *arg, struct err *err)
{
	struct record *c = value;

	return ev_filter_cgroups(&c->list, arg, err);
}

int record_on_pids(void *value, const char *arg, struct err *err)
{
	return id_list_add(&((struct record *)value)->pids, arg, "process id",
			   "; by name: --comm NAME", err);
}

int record_on_tids(void *value, const char *arg, struct err *err)
{
	return id_list_add(&((struct record *)value)->tids, arg, "thread id",
			   "; by name: --comm NAME", err);
}

int record_on_frequency(void *value, const char *arg, struct err *err)
{
	struct record *c = value;

	if (!strcmp(arg, "max")) {
		c->attrs.frequency = c->limits.max_sample_rate;
		return 0;
	}
	if (num_u64(arg, &c->attrs.frequency) && c->attrs.frequency)
		return 0;
	err_set(err, EINVAL, "'%s' is not a frequency", arg);
	err_hint(err, "give samples per second, as in -F 99, or -F max");
	return -EINVAL;
}

int record_on_period(void *value, const char *arg, struct err *err)
{
	struct record *c = value;

	if (num_u64(arg, &c->attrs.period) && c->attrs.period)
		return 0;
	err_set(err, EINVAL, "'%s' is not a period", arg);
	err_hint(err, "give the number of events from one sample to the next, as in -c 100000");
	return -EINVAL;
}

static int no_branch_records(struct err *err)
{
	err_set(err, EINVAL,
		"--call-graph lbr: call chains from a processor's branch records cannot be recorded%s",
		access("/sys/bus/event_source/devices/cpu/caps/branches", F_OK)
			? "; this machine has none"
			: "");
	err_hint(err, "use --call-graph dwarf, which needs no such hardware");
	return -EINVAL;
}

/* "dwarf,8192": as perf, what is not a multiple of 8 is raised to one. */
static int stack_size(const char *how, const char *arg, u32 *size, struct err *err)
{
	u64 v;

	if (num_u64(arg, &v) && v && v <= EV_RECORD_STACK_MAX) {
		*size = (u32)ALIGN_UP(v, (u64)8);
		return 0;
	}
	err_set(err, EINVAL, "--call-graph %s: Incorrect stack dump size (max %d): %s", how,
		EV_RECORD_STACK_MAX, arg);
	err_hint(err, "bytes of stack to copy with each sample, as in --call-graph %s,16384", how);
	return -EINVAL;
}

int record_on_call_graph(void *value, const char *arg, struct err *err)
{
	static const struct {
		const char *name;
		enum ev_callgraph how;
		bool sized;
	} ways[] = {{"no", EV_CALLGRAPH_NO, false},
		    {"fp", EV_CALLGRAPH_FP, false},
		    {"dwarf", EV_CALLGRAPH_DWARF, true},
		    {"auto", EV_CALLGRAPH_AUTO, true},
		    {"lbr", EV_CALLGRAPH_LBR, false}};
	struct record *c = value;
	size_t len = strcspn(arg, ","), i;

	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		if (strlen(ways[i].name) != len || memcmp(ways[i].name, arg, len) != 0 ||
		    (arg[len] && !ways[i].sized))
			continue;
		if (ways[i].how == EV_CALLGRAPH_LBR)
			return no_branch_records(err);
		c->attrs.call_chain = ways[i].how != EV_CALLGRAPH_NO;
		c->attrs.call_graph = ways[i].how;
		c->attrs.stack_size = 0;
		return arg[len] ? stack_size(ways[i].name, arg + len + 1, &c->attrs.stack_size, err)
				: 0;
	}
	err_set(err, EINVAL, "--call-graph: there is no way '%s' to walk the stack", arg);
	err_hint(
		err,
		"use fp (frame pointers, the same as -g), dwarf[,SIZE] (unwind information) or auto");
	return -EINVAL;
}

int record_on_clock(void *value, const char *arg, struct err *err)
{
	struct record *c = value;
	int id = clock_by_name(arg);

	if (id < 0) {
		err_set(err, EINVAL, "there is no clock '%s'", arg);
		err_hint(err, "clocks: mono, raw, boot, real, tai");
		return -EINVAL;
	}
	c->attrs.clockid = c->options.preamble.clockid = id;
	return 0;
}

int record_on_pages(void *value, const char *arg, struct err *err)
{
	struct record *c = value;
	u64 v, page = (u64)sysconf(_SC_PAGESIZE);
	size_t len = strlen(arg);
	bool ok;

	ok = num_size(arg, &v) && v;
	/* a bare number counts pages, as with perf */
	if (ok && len && arg[len - 1] >= '0' && arg[len - 1] <= '9')
		ok = v <= UINT32_MAX && (v *= page);
	if (!ok || v > (1ull << 32)) {
		err_set(err, EINVAL, "'%s' is not a size for the event buffers", arg);
		err_hint(err, "give pages (-m 128) or bytes (-m 4M), for each CPU");
		return -EINVAL;
	}
	for (c->ring_bytes = page; c->ring_bytes < v;)
		c->ring_bytes *= 2;
	return 0;
}

int record_on_delay(void *value, const char *arg, struct err *err)
{
	struct record *c = value;
	u64 ms;

	if (!strcmp(arg, "-1")) {
		c->options.disabled = true;
		return 0;
	}
	if (num_u64(arg, &ms) && ms < UINT64_MAX / 1000000) {
		c->options.delay_ns = ms * 1000000;
		return 0;
	}
	err_set(err, EINVAL, "'%s' is not a number of milliseconds", arg);
	err_hint(err, "-D 500 waits half a second before recording, -D -1 for --control");
	return -EINVAL;
}

int record_on_level(void *value, const char *arg, struct err *err)
{
	struct record *c = value;
	u64 level;

	if (!arg) {
		c->options.scribe.level = 1;
		return 0;
	}
	if (num_u64(arg, &level) && level <= 22) {
		c->options.scribe.level = (int)level;
		return 0;
	}
	err_set(err, EINVAL, "'%s' is not a compression level", arg);
	err_hint(err, "levels go from 0 (none) over 1 (fast) to 22 (small)");
	return -EINVAL;
}

int record_on_format(void *value, const char *arg, struct err *err)
{
	struct record *c = value;
	bool perfs = !strcmp(arg, "perf") || !strcmp(arg, "perf.data");

	if (!perfs && strcmp(arg, "perf-lite") != 0) {
		err_set(err, EINVAL, "--format: there is no format '%s'", arg);
		err_hint(err, "use --format=perf-lite (the default) or --format=perf");
		return -EINVAL;
	}
	c->options.scribe.perfdata = c->attrs.complete = perfs;
	return 0;
}

int record_on_keep_last(void *value, const char *arg, struct err *err)
{
	struct record *c = value;

	if (num_duration(arg, &c->options.scribe.keep_ns) && c->options.scribe.keep_ns) {
		c->options.scribe.keep = true;
		return 0;
	}
	err_set(err, EINVAL, "'%s' is not a time", arg);
	err_hint(err,
		 "--keep-last 30s keeps the last half minute in memory, until SIGUSR2 or the end");
	return -EINVAL;
}

/* As perf has it: a number with B, K, M or G is a size, with s, m, h or d a time. */
int record_on_switch_output(void *value, const char *arg, struct err *err)
{
	struct record *c = value;
	size_t len = arg ? strlen(arg) : 0;

	if (!len || !strcmp(arg, "signal")) {
		c->switch_by_signal = true;
		return 0;
	}
	if (strchr("BKMG", arg[len - 1]) && num_size(arg, &c->options.scribe.switch_bytes) &&
	    c->options.scribe.switch_bytes)
		return 0;
	if (strchr("smh", arg[len - 1]) && num_duration(arg, &c->options.scribe.switch_ns) &&
	    c->options.scribe.switch_ns)
		return 0;
	err_set(err, EINVAL, "--switch-output: '%s' is neither a size nor a time", arg);
	err_hint(err, "as in --switch-output=100M, =30s, or alone: at each SIGUSR2");
	return -EINVAL;
}

int record_on_max_size(void *value, const char *arg, struct err *err)
{
	struct record *c = value;

	if (num_size(arg, &c->options.scribe.max_bytes) && c->options.scribe.max_bytes)
		return 0;
	err_set(err, EINVAL, "--max-size: '%s' is not a size", arg);
	err_hint(err, "as in --max-size 100M: the recording ends there");
	return -EINVAL;
}
