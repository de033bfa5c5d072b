// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <pwd.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "util/base/clock.h"
#include "util/base/num.h"
#include "util/base/text.h"
#include "util/event/drop_fields.h"
#include "util/event/ev_filter.h"
#include "util/event/ev_record.h"
#include "util/library/sampling.h"
#include "util/syscall/syscall.h"
#include "util/tracepoint/tp_filter.h"

int sampling_filter_calls(struct sampling *s, const char *filter, bool last, struct err *err)
{
	const char *both;

	if (s->call_filter) {
		both = tp_filter_join(&s->list.arena, s->call_filter, "&&", filter);
		if (!both)
			return err_nomem(err);
		err_set(err, EINVAL, "system calls have one filter, and there are two");
		err_hint(err, "join them: --filter %s", TEXT_SHELL(both));
		return -EINVAL;
	}
	s->call_filter = filter;
	s->call_filter_last = last;
	return 0;
}

int sampling_check_calls(const struct sampling *s, const char *calls, struct err *err)
{
	if (!s->call_filter || !s->call_filter_last)
		return 0;
	err_set(err, EINVAL,
		"-e %s comes behind the filter of system calls, which is for all of them", calls);
	err_hint(err, "give --filter last; in it, syscall == NAME chooses one");
	return -EINVAL;
}

/* Are events of the last -e system calls that were named, or others? */
static bool last_are(const struct ev_list *l, bool calls)
{
	u32 i;

	for (i = l->last; i < l->specs.nr; i++)
		if (l->specs.v[i].tp.of_calls == calls)
			return true;
	return false;
}

/* skb:kfree_skb, and what the packet was. */
static int take_packets(struct sampling *s, struct err *err)
{
	struct buf event = {0};
	int ret = drop_fields_event(&s->env, DROP_FIELDS_ALL, &event, err);

	if (!ret)
		ret = ev_parse(&s->list, arena_strdup(&s->list.arena, buf_str(&event)), &s->env,
			       err);
	buf_free(&event);
	return ret;
}

static int take_event(struct sampling *s, const char *text, struct err *err)
{
	const bool packets = s->packets && !strcmp(text, DROP_FIELDS_EVENT);
	int ret = packets ? take_packets(s, err) : ev_parse(&s->list, text, &s->env, err);
	u32 i;

	for (i = s->list.last; s->calls_off && i < s->list.specs.nr; i++)
		s->list.specs.v[i].tp.of_calls = false;
	return !ret && last_are(&s->list, true) ? sampling_check_calls(s, text, err) : ret;
}

/* Where an -e names calls and other events, it is for those that have what it names. */
static int take_filter(struct sampling *s, const char *text, struct err *err)
{
	bool calls = last_are(&s->list, true), others = last_are(&s->list, false) || !calls;
	struct err why = {0};
	int ret = others ? ev_filter_add(&s->list, text, &s->env, &why) : 0, suits = calls;

	if (calls && others && (!ret || why.code == ENOENT))
		suits = syscall_filter_suits(text, !ret);
	if (suits < 0)
		return err_nomem(err);
	if (suits && (!ret || why.code == ENOENT))
		return sampling_filter_calls(s, text, true, err);
	if (ret && err)
		*err = why;
	return ret;
}

static int take(struct sampling *s, const struct sampling_asked *a, struct err *err)
{
	switch (a->what) {
	case SAMPLING_EVENT:
		return take_event(s, a->text, err);
	case SAMPLING_FILTER:
		return take_filter(s, a->text, err);
	case SAMPLING_CGROUP:
		break;
	}
	return ev_filter_cgroups(&s->list, a->text, err);
}

static int ask(struct sampling *s, const struct sampling_asked *a, struct err *err)
{
	struct sampling_asked *kept;

	if (!s->collects)
		return take(s, a, err);
	kept = vec_push(&s->asked);
	if (!kept)
		return err_nomem(err);
	*kept = *a;
	return 0;
}

bool sampling_has_asked(const struct sampling *s, enum sampling_asked_what what)
{
	u32 i;

	for (i = 0; i < s->asked.nr; i++)
		if (s->asked.v[i].what == what)
			return true;
	return false;
}

bool sampling_has_asked_event(const struct sampling *s, const char *text)
{
	u32 i;

	for (i = 0; i < s->asked.nr; i++)
		if (s->asked.v[i].what == SAMPLING_EVENT && !strcmp(s->asked.v[i].text, text))
			return true;
	return false;
}

/* -G that no -e is before: of all events. */
int sampling_take_first_cgroups(struct sampling *s, struct err *err)
{
	int ret = 0;
	u32 i;

	for (i = 0; !ret && i < s->asked.nr && s->asked.v[i].what != SAMPLING_EVENT; i++)
		if (s->asked.v[i].what == SAMPLING_CGROUP)
			ret = take(s, &s->asked.v[i], err);
	return ret;
}

int sampling_take_asked(struct sampling *s, struct err *err)
{
	bool any = false;
	int ret = 0;
	u32 i;

	s->collects = false;
	for (i = 0; !ret && i < s->asked.nr; i++) {
		any |= s->asked.v[i].what == SAMPLING_EVENT;
		if (any || s->asked.v[i].what != SAMPLING_CGROUP)
			ret = take(s, &s->asked.v[i], err);
	}
	return ret || !s->list.specs.nr ? ret : sampling_take_first_cgroups(s, err);
}

int sampling_take_default(struct sampling *s, const char *event, struct err *err)
{
	int ret = take_event(s, event, err);

	return ret ? ret : sampling_take_first_cgroups(s, err);
}

int sampling_on_event(void *value, const char *arg, struct err *err)
{
	struct sampling *s = value;

	s->any_event = true;
	return ask(s, &(struct sampling_asked){SAMPLING_EVENT, arg}, err);
}

int sampling_on_filter(void *value, const char *arg, struct err *err)
{
	struct sampling *s = value;

	if (!s->any_event && s->env.raw_syscalls)
		return sampling_filter_calls(s, arg, false, err);
	if (!s->any_event) {
		err_set(err, EINVAL, "--filter must follow the event it applies to");
		err_hint(err, "perf-lite %s -e skb:kfree_skb --filter %s", s->command,
			 TEXT_SHELL(arg));
		return -EINVAL;
	}
	return ask(s, &(struct sampling_asked){SAMPLING_FILTER, arg}, err);
}

int sampling_on_cgroup(void *value, const char *arg, struct err *err)
{
	return ask(value, &(struct sampling_asked){SAMPLING_CGROUP, arg}, err);
}

static int on_except(struct sampling *s, enum sampling_list kind, const char *list, struct err *err)
{
	static const char *const options[] = {
		[SAMPLING_PIDS] = "--pid", [SAMPLING_TIDS] = "--tid", [SAMPLING_COMMS] = "--comms"};

	if (!s->on_except) {
		err_set(err, EINVAL, "'%s': %s cannot exclude tasks", list, s->command);
		err_hint(
			err,
			"record the whole system, and exclude them when reading: perf-lite report %s %s",
			options[kind], TEXT_SHELL(list));
		return -EINVAL;
	}
	s->filtered = true;
	return s->on_except(s->except_arg, kind, list, err);
}

int sampling_on_pids(void *value, const char *arg, struct err *err)
{
	struct sampling *s = value;

	if (*arg == '!')
		return on_except(s, SAMPLING_PIDS, arg, err);
	return targets_ids_add(&s->pids, arg, "process id", "; by name: --comm NAME", err);
}

int sampling_on_tids(void *value, const char *arg, struct err *err)
{
	struct sampling *s = value;

	if (*arg == '!')
		return on_except(s, SAMPLING_TIDS, arg, err);
	return targets_ids_add(&s->tids, arg, "thread id", "; by name: --comm NAME", err);
}

int sampling_on_comm(void *value, const char *arg, struct err *err)
{
	struct sampling *s = value;

	if (*arg == '!')
		return on_except(s, SAMPLING_COMMS, arg, err);
	s->targets.comm = arg;
	return 0;
}

int sampling_on_user(void *value, const char *arg, struct err *err)
{
	struct sampling *s = value;
	const struct passwd *user = getpwnam(arg);
	u64 number;

	s->targets.by_user = true;
	if (user) {
		s->targets.user = user->pw_uid;
		return 0;
	}
	if (num_u64(arg, &number) && number < UINT32_MAX) {
		s->targets.user = (u32)number;
		return 0;
	}
	err_set(err, EINVAL, "unknown user '%s'", arg);
	err_hint(err, "give a user name from /etc/passwd, or a number");
	return -EINVAL;
}

static int on_frequency(void *value, const char *arg, struct err *err)
{
	struct sampling *s = value;

	if (!strcmp(arg, "max")) {
		s->attrs.frequency = s->limits.max_sample_rate;
		return 0;
	}
	if (num_u64(arg, &s->attrs.frequency) && s->attrs.frequency)
		return 0;
	err_set(err, EINVAL, "'%s' is not a frequency", arg);
	err_hint(err, "give samples per second: -F 99, or -F max");
	return -EINVAL;
}

static int on_period(void *value, const char *arg, struct err *err)
{
	struct sampling *s = value;
	const bool known = num_u64(arg, &s->attrs.period);

	if (known && s->attrs.period && s->attrs.period <= INT64_MAX)
		return 0;
	if (known && s->attrs.period)
		err_set(err, EINVAL, "the period %s is too large: %" PRIi64 " at most", arg,
			INT64_MAX);
	else
		err_set(err, EINVAL, "'%s' is not a period", arg);
	err_hint(err, "give the number of events between samples: -c 100000");
	return -EINVAL;
}

static int no_branch_records(struct err *err)
{
	err_set(err, EINVAL,
		"--call-graph lbr: call chains from branch records are not supported%s",
		access("/sys/bus/event_source/devices/cpu/caps/branches", F_OK)
			? "; this machine has no branch records"
			: "");
	err_hint(err, "use --call-graph dwarf, which needs no special hardware");
	return -EINVAL;
}

/* "dwarf,8192": as perf, what is not a multiple of 8 is raised to one. */
static int stack_size(const char *how, const char *arg, u32 *size, struct err *err)
{
	u64 v;

	if (num_u64(arg, &v) && v && v <= EV_CHAIN_STACK_MAX) {
		*size = (u32)ALIGN_UP(v, (u64)8);
		return 0;
	}
	err_set(err, EINVAL, "--call-graph %s: Incorrect stack dump size (max %d): %s", how,
		EV_CHAIN_STACK_MAX, arg);
	err_hint(err, "give the bytes of stack to copy per sample: --call-graph %s,16384", how);
	return -EINVAL;
}

static int on_call_graph(void *value, const char *arg, struct err *err)
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
	struct sampling *s = value;
	size_t len = strcspn(arg, ","), i;

	s->attrs.defer = !strcmp(arg, "fp,defer");
	if (s->attrs.defer || !strcmp(arg, "fp,nodefer"))
		arg = "fp";
	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		if (strlen(ways[i].name) != len || memcmp(ways[i].name, arg, len) != 0 ||
		    (arg[len] && !ways[i].sized))
			continue;
		if (ways[i].how == EV_CALLGRAPH_LBR)
			return no_branch_records(err);
		s->no_chains = ways[i].how == EV_CALLGRAPH_NO;
		s->attrs.call_chain = !s->no_chains;
		s->attrs.call_graph = ways[i].how;
		s->attrs.stack_size = 0;
		return arg[len] ? stack_size(ways[i].name, arg + len + 1, &s->attrs.stack_size, err)
				: 0;
	}
	err_set(err, EINVAL, "--call-graph: unknown method '%s'", arg);
	err_hint(
		err,
		"use fp (frame pointers, same as -g), dwarf[,SIZE] (unwind information) or auto (both)");
	return -EINVAL;
}

static int on_clock(void *value, const char *arg, struct err *err)
{
	struct sampling *s = value;
	int id = clock_by_name(arg);
	u64 number;

	/* perf takes numbers as well: 1 is CLOCK_MONOTONIC */
	if (id < 0 && num_u64(arg, &number) && number < INT32_MAX && clock_name((int)number))
		id = (int)number;
	if (id < 0) {
		err_set(err, EINVAL, "unknown clock '%s'", arg);
		err_hint(err, "clocks: mono, raw, boot, real, tai");
		return -EINVAL;
	}
	s->attrs.clockid = id;
	return 0;
}

static int on_realtime(void *value, const char *arg, struct err *err)
{
	struct sampling *s = value;
	u64 priority;

	if (!num_u64(arg, &priority) || priority > (u64)sched_get_priority_max(SCHED_FIFO)) {
		err_set(err, EINVAL, "'%s' is not a SCHED_FIFO priority", arg);
		err_hint(err, "1 to %d; 0 for none", sched_get_priority_max(SCHED_FIFO));
		return -EINVAL;
	}
	s->realtime = (u32)priority;
	return 0;
}

static int on_pages(void *value, const char *arg, struct err *err)
{
	struct sampling *s = value;
	u64 v, page = (u64)sysconf(_SC_PAGESIZE);
	size_t len = strlen(arg);
	bool ok;

	ok = num_size(arg, &v) && v;
	/* a bare number counts pages, as with perf */
	if (ok && len && arg[len - 1] >= '0' && arg[len - 1] <= '9')
		ok = v <= UINT32_MAX && (v *= page);
	if (!ok || v > (1ull << 32)) {
		err_set(err, EINVAL, "'%s' is not a buffer size", arg);
		err_hint(err, "give pages (-m 128) or bytes (-m 4M) per CPU");
		return -EINVAL;
	}
	for (s->ring_bytes = page; s->ring_bytes < v;)
		s->ring_bytes *= 2;
	return 0;
}

#define OPT_STRUCT struct sampling

const struct opt sampling_event_opts[] = {
	OPT_CALL('e', "event", "EVENT,...", sampling_on_event,
		 "events, as perf-lite list prints them"),
	OPT_CALL(0, "filter", "EXPR", sampling_on_filter,
		 "record only hits that match this expression (tracepoints of the -e before it)"),
	OPT_END,
};

const struct opt sampling_stack_opts[] = {
	OPT_FLAG('g', NULL, attrs.call_chain, "record call chains (same as --call-graph fp)"),
	OPT_CALL(
		0, "call-graph", "HOW", on_call_graph,
		"record call chains: fp[,defer] (frame pointers), dwarf[,SIZE] (unwind a copy of the stack), auto[,SIZE] (both)"),
	OPT_END,
};

const struct opt sampling_rate_opts[] = {
	OPT_CALL('F', "freq", "HZ", on_frequency, "samples per second, or max (default 4000)"),
	OPT_CALL('c', "count", "N", on_period, "sample every N events"),
	OPT_END,
};

const struct opt sampling_code_opts[] = {
	OPT_FLAG(0, "all-user", attrs.all_user, "user code only"),
	OPT_FLAG(0, "all-kernel", attrs.all_kernel, "kernel code only"),
	OPT_FLAG(0, "user-callchains", attrs.no_kernel_chain,
		 "record only the user part of call chains"),
	OPT_FLAG(0, "kernel-callchains", attrs.no_user_chain,
		 "record only the kernel part of call chains"),
	OPT_END,
};

/* clang-format off */
#define TARGET_ROWS \
	OPT_FLAG('a', "all-cpus", all_cpus, "the whole system, on all CPUs"), \
	OPT_STRING('C', "cpu", "LIST", cpu_list, "the whole system, on these CPUs (0,2-4)"), \
	OPT_CALL('p', "pid", "PID,...", sampling_on_pids, "these processes"), \
	OPT_CALL('t', "tid", "TID,...", sampling_on_tids, "these threads"), \
	OPT_CALL(0, "comm", "NAME", sampling_on_comm, "processes with this name"), \
	OPT_CALL('u', "uid", "USER", sampling_on_user, "processes of this user (name or number)"), \
	OPT_CALL('G', "cgroup", "NAME,...", sampling_on_cgroup, \
		 "limit the events before it, or all, to this control group")
/* clang-format on */

const struct opt sampling_target_opts[] = {
	TARGET_ROWS,
	OPT_FLAG(0, "include-self", include_self, "include perf-lite itself"),
	OPT_END,
};

const struct opt sampling_counting_opts[] = {TARGET_ROWS, OPT_END};

/* clang-format off */
#define BUFFER_ROWS(size) \
	OPT_CALL('m', "mmap-pages", "SIZE", on_pages, \
		 "buffer size of each CPU, in pages or bytes: 128, 8M (default " size ")"), \
	OPT_CALL('r', "realtime", "PRIO", on_realtime, \
		 "read the buffers at this SCHED_FIFO priority (default 1; 0: none)"), \
	OPT_CALL('k', "clockid", "CLOCK", on_clock, "clock: mono (default), raw, boot, real, tai"), \
	OPT_END
/* clang-format on */

const struct opt sampling_buffer_opts[] = {BUFFER_ROWS("512K")};
const struct opt sampling_busy_buffer_opts[] = {BUFFER_ROWS("4M")};
const struct opt sampling_trace_buffer_opts[] = {BUFFER_ROWS("512K; 4M where texts are read")};
