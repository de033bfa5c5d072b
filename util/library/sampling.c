// SPDX-License-Identifier: GPL-2.0
#include "util/library/sampling.h"

#include <errno.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "util/event/ev_pmu.h"

int sampling_init(struct sampling *s, const char *command, struct err *err)
{
	int ret;

	*s = (struct sampling){.command = command,
			       .attrs = {.clockid = CLOCK_MONOTONIC},
			       .realtime = SAMPLING_REALTIME};
	ret = sysroot_open(&s->root, "/", err);
	s->env.root = &s->root;
	if (!ret)
		limits_read(&s->root, &s->limits, NULL);
	return ret;
}

void sampling_free(struct sampling *s)
{
	vec_free(&s->asked);
	ev_list_free(&s->list);
	ev_env_close(&s->env);
	cpus_free(&s->cpus);
	cpus_free(&s->online);
	vec_free(&s->pids);
	vec_free(&s->tids);
	sysroot_close(&s->root);
}

static bool is_switches(const struct ev_spec *spec)
{
	return spec->attr.type == PERF_TYPE_SOFTWARE &&
	       spec->attr.config == PERF_COUNT_SW_CONTEXT_SWITCHES;
}

/* Was a rate asked for at which switches are passed over? */
static bool has_other_rate(const struct sampling *s, const struct ev_spec *spec)
{
	if (spec->terms.has & (EV_PERIOD | EV_FREQ))
		return spec->attr.freq || spec->attr.sample_period != 1;
	return s->attrs.frequency || s->attrs.period > 1;
}

/* Does it sample where switches are: in code of the kernel, where it may be? */
static bool samples_switches(const struct sampling *s, u32 i)
{
	const struct ev_spec *spec = &s->list.specs.v[i];

	return is_switches(spec) &&
	       (!spec->attr.exclude_kernel || limits_user_only(&s->limits, 0)) &&
	       (spec->leader || !ev_leader(&s->list, i)->sample_read);
}

/* Each of them, and with a call chain, if one is wanted? */
static bool samples_each(const struct sampling *s, u32 i, bool chains)
{
	const struct ev_spec *spec = &s->list.specs.v[i];

	return samples_switches(s, i) && !has_other_rate(s, spec) &&
	       !(chains && spec->terms.has & EV_CALLGRAPH &&
		 spec->terms.callgraph == EV_CALLGRAPH_NO);
}

/* One event of switches that samples, no two: the kernel gives samples of one to the other. ID_NONE: there is none. */
static u32 find_switches(const struct sampling *s, bool chains)
{
	u32 i, found = ID_NONE;

	for (i = s->list.specs.nr; i-- > 0;) {
		if (samples_each(s, i, chains))
			return i;
		if (samples_switches(s, i))
			found = i;
	}
	return found;
}

int sampling_add_switches(struct sampling *s, bool chains, struct buf *notes, struct err *err)
{
	u32 i = find_switches(s, chains);
	bool differs = i != ID_NONE && !samples_each(s, i, chains);
	struct ev_spec *spec;
	int ret;

	if (i == ID_NONE) {
		i = s->list.specs.nr;
		ret = ev_parse(&s->list, "context-switches", &s->env, err);
		if (ret)
			return ret;
	}
	s->any_event = true;
	s->attrs.switch_events = true;
	spec = &s->list.specs.v[i];
	if (differs)
		spec->terms.has &= ~EV_CALLGRAPH;
	if (differs && notes)
		buf_addf(
			notes,
			"--off-cpu samples each switch, with its call chain, and so does %s: not as asked\n",
			spec->name);
	spec->attr.freq = 0;
	spec->attr.sample_period = 1;
	spec->terms.has &= ~EV_FREQ;
	spec->terms.has |= EV_PERIOD;
	if (chains && !s->attrs.call_chain && !(spec->terms.has & EV_CALLGRAPH)) {
		spec->terms.has |= EV_CALLGRAPH;
		spec->terms.callgraph = EV_CALLGRAPH_FP;
	}
	return 0;
}

int sampling_choose_cpus(struct sampling *s, struct err *err)
{
	int ret;

	if (!s->cpu_list)
		return cpus_online(&s->root, &s->cpus, err);
	ret = cpus_online(&s->root, &s->online, err);
	return ret ? ret : cpus_choose(s->cpu_list, &s->online, &s->cpus, err);
}

bool sampling_named(const struct sampling *s)
{
	return s->pids.nr || s->tids.nr || s->targets.comm || s->targets.by_user;
}

int sampling_choose_tasks(struct sampling *s, bool command, struct err *err)
{
	struct targets_wanted *w = &s->targets;
	bool named = sampling_named(s);

	w->pids = s->pids.v;
	w->nr_pids = s->pids.nr;
	w->tids = s->tids.v;
	w->nr_tids = s->tids.nr;
	if (named && s->all_cpus) {
		err_set(err, EINVAL,
			"-a is the whole system: it cannot be combined with processes");
		err_hint(err, "leave out either -a or the processes");
		return -EINVAL;
	}
	/* -C alone means all that happens on those CPUs, as -a does */
	w->system_wide = s->all_cpus || (!named && (s->cpu_list || !command));
	if (!w->system_wide && sampling_has_asked(s, SAMPLING_CGROUP)) {
		err_set(err, EINVAL,
			"-G selects control groups: it cannot be combined with processes");
		err_hint(err, named ? "leave out either -G or the processes"
				    : "with a command: -a -G ... -- COMMAND");
		return -EINVAL;
	}
	s->attrs.inherit = !w->system_wide && !s->no_inherit;
	s->attrs.enable_on_exec = command && !named && !w->system_wide && !s->later;
	return 0;
}

int sampling_choose_targets(struct sampling *s, bool command, struct err *err)
{
	int ret = sampling_choose_tasks(s, command, err);

	return ret ? ret : sampling_choose_cpus(s, err);
}

/* Bytes of a ring for each CPU, where nobody said how many. */
static u64 ring_bytes(const struct sampling *s, struct buf *notes)
{
	if (sampling_any_stacks(s))
		return sampling_stacks_ring_bytes(s, notes);
	if (!limits_privileged(&s->limits))
		return SAMPLING_RING_BYTES;
	if (s->busy)
		return SAMPLING_BUSY_RING_BYTES;
	return sampling_any_callers(s) ? SAMPLING_LINK_RING_BYTES : SAMPLING_RING_BYTES;
}

static void choose_rings(struct sampling *s, struct buf *notes)
{
	struct rings_options *o = &s->rings;
	u64 bytes = s->ring_bytes ? s->ring_bytes : ring_bytes(s, notes);

	o->pages = (u32)(bytes / (u64)sysconf(_SC_PAGESIZE));
	o->asked = s->ring_bytes;
	o->growing = !s->ring_bytes && limits_privileged(&s->limits) && !o->overwrite &&
		     !sampling_any_stacks(s);
}

bool sampling_leaves_out_self(const struct sampling *s)
{
	return s->targets.system_wide && !s->include_self;
}

/* Without it stacks are no worse, so nobody is turned away. */
static void choose_deferral(struct sampling *s, struct buf *notes)
{
	const char *why = s->attrs.complete      ? "older versions of perf could not read the file"
			  : !ev_open_can_defer() ? "deferred unwinding needs Linux 6.19"
						 : NULL;

	if (!s->attrs.defer || !why)
		return;
	s->attrs.defer = false;
	buf_addf(notes, "--call-graph fp,defer: user stacks are walked immediately: %s\n", why);
}

/* Events of counters that the kernel's code adds to itself, not those that a timer or a program samples. */
static bool is_hit_in_kernel(const struct ev_spec *spec)
{
	return spec->attr.type == PERF_TYPE_SOFTWARE && !spec->sideband &&
	       !(is_switches(spec) && spec->attr.exclude_kernel) &&
	       !event_set_is_clock(&spec->attr) && spec->attr.config != PERF_COUNT_SW_DUMMY &&
	       spec->attr.config != PERF_COUNT_SW_BPF_OUTPUT;
}

/* May one hit be a sample of both? */
static bool share_hits(const struct sampling *s, u32 i, u32 j)
{
	const struct ev_spec *a = &s->list.specs.v[i], *b = &s->list.specs.v[j];

	return is_hit_in_kernel(a) && is_hit_in_kernel(b) && a->attr.config == b->attr.config &&
	       (a->leader || !ev_leader(&s->list, i)->sample_read) &&
	       (b->leader || !ev_leader(&s->list, j)->sample_read) &&
	       !(a->attr.exclude_kernel && b->attr.exclude_user) &&
	       !(a->attr.exclude_user && b->attr.exclude_kernel);
}

/*
 * Since Linux 6.2 all events of a software counter that are hit at once have the id and the size of the first (do_perf_sw_event()
 * in kernel/events/core.c; for tracepoints it was mended).
 */
static void note_shared_hits(const struct sampling *s, struct buf *notes)
{
	u32 i, j;

	for (i = 0; !s->list.nr_cgroups && i < s->list.specs.nr; i++)
		for (j = i + 1; j < s->list.specs.nr; j++)
			if (share_hits(s, i, j))
				buf_addf(
					notes,
					"%s and %s sample one counter: Linux gives samples of one to the other; record one of them\n",
					s->list.specs.v[i].name, s->list.specs.v[j].name);
}

int sampling_choose_events(struct sampling *s, const u32 *tids, u32 nr, struct buf *notes,
			   struct err *err)
{
	int ret;

	if (s->attrs.frequency && s->attrs.period) {
		err_set(err, EINVAL, "cannot set frequency and period at the same time");
		err_hint(err, "use either -F or -c");
		return -EINVAL;
	}
	ret = ev_cores_expand(&s->list, &s->env, err);
	if (!ret)
		ret = sampling_stacks_choose(s, err);
	if (ret)
		return ret;
	note_shared_hits(s, notes);
	choose_rings(s, notes);
	choose_deferral(s, notes);
	s->attrs.max_frequency = s->limits.max_sample_rate;
	s->attrs.overwrite = s->rings.overwrite;
	s->attrs.root_pid_namespace = !s->limits.pid_namespace;
	if (s->limits.pid_namespace && s->targets.system_wide)
		buf_adds(
			notes,
			"running in a PID namespace: processes outside it appear as PID 0, under one name\n");
	if (sampling_leaves_out_self(s)) {
		/* elsewhere the kernel's filters know other numbers: then it is left out here */
		s->attrs.selves = tids;
		s->attrs.nr_selves = s->attrs.root_pid_namespace ? nr : 0;
	}
	return ev_record_configure(&s->list, &s->attrs, notes, err);
}
