// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/check.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "util/base/io.h"
#include "util/base/text.h"
#include "util/capture/rings.h"
#include "util/event/ev_filter.h"
#include "util/event/ev_hidden.h"
#include "util/event/ev_open.h"
#include "util/event/ev_parse.h"
#include "util/kernel/bpf_programs.h"
#include "util/kernel/kallsyms.h"

#define NOTE(r, ...) snprintf((r)->note, sizeof((r)->note), __VA_ARGS__)
/* What a ring of its usual size takes, in KiB: below, samples are lost sooner. */
#define RING_KB 512
/* Visits to all CPUs, to make them leave their idle tasks: 0.2 s. */
#define IDLE_ROUNDS 40

/* Open an event for this process (tid 0) or for all (-1) on the first CPU; <0: err. */
static int try_event(struct check_env *e, const char *text, s32 tid, u64 period,
		     struct counters *open, struct err *err)
{
	const u32 any = ID_NONE;
	struct ev_target target = {
		.cpus = tid < 0 ? e->online.v : &any, .nr_cpus = 1, .tids = &tid, .nr_tids = 1};
	struct ev_list list = {0};
	struct buf notes = {0};
	struct ev_opener opener = {.root = &e->root, .arena = &list.arena, .notes = &notes};
	int ret;

	ret = ev_parse(&list, text, &e->events, err);
	if (!ret && period)
		list.specs.v[0].attr.sample_period = period;
	if (!ret)
		ret = ev_open(open, &list, 0, &target, &opener, err);
	/* another event in its place is not what was asked for */
	if (!ret && !strncmp(text, "cycles", 6) && list.specs.v[0].attr.type != PERF_TYPE_HARDWARE)
		ret = err_set(err, ENOENT, "%s is not supported on this machine", text);
	buf_free(&notes);
	ev_list_free(&list);
	return ret;
}

static void check_event(struct check_env *e, const char *text, s32 tid, u64 period,
			struct check_result *r)
{
	struct counters open = {0};

	if (try_event(e, text, tid, period, &open, &r->why))
		r->state = CHECK_NO;
	ev_open_close(&open);
}

static void check_user(struct check_env *e, struct check_result *r)
{
	check_event(e, "cpu-clock:u", 0, 1000000, r);
}

static void check_kernel(struct check_env *e, struct check_result *r)
{
	check_event(e, "cpu-clock:k", 0, 1000000, r);
}

static void check_all(struct check_env *e, struct check_result *r)
{
	check_event(e, "cpu-clock", -1, 1000000, r);
	if (r->state == CHECK_YES)
		NOTE(r, "%u CPU%s, at most %llu samples a second on each", e->online.nr,
		     TEXT_PLURAL(e->online.nr), (unsigned long long)e->limits.max_sample_rate);
}

static void check_tracepoints(struct check_env *e, struct check_result *r)
{
	const struct tracefs *t = ev_env_tracefs(&e->events, &r->why);
	struct tracefs_events all = {0};

	if (!t || tracefs_glob(t, "*", "*", &all, &r->why)) {
		r->state = CHECK_NO;
	} else {
		check_event(e, "sched:sched_switch", -1, 1, r);
		NOTE(r, "%u%s", all.events.nr,
		     t->detached ? ", tracefs is not mounted: opened for this program alone" : "");
	}
	tracefs_events_free(&all);
}

static bool has_device(const struct check_env *e, const char *name)
{
	char path[80];
	s64 type;

	snprintf(path, sizeof(path), "sys/bus/event_source/devices/%s/type", name);
	return !io_read_s64(e->root.fd, path, &type);
}

static bool is_virtual(const struct check_env *e)
{
	struct buf b = {0};
	bool found = !io_read_file(e->root.fd, "proc/cpuinfo", &b, 1 << 20) &&
		     strstr(buf_str(&b), " hypervisor");

	buf_free(&b);
	return found;
}

/* Units that write traces are there, and not for us. */
static void name_tracers(struct check_env *e, struct check_result *r)
{
	const struct pmu_set *set = ev_env_pmus(&e->events, NULL);
	struct buf b = {0};
	u32 i;

	for (i = 0; set && i < set->pmus.nr; i++)
		if (pmu_traces(set->pmus.v[i].name))
			buf_addf(&b, "%s %s",
				 b.len ? "," : "; not recorded, since it makes no samples:",
				 set->pmus.v[i].name);
	NOTE(r, "counting and sampling%s", buf_str(&b));
	buf_free(&b);
}

static void check_hardware(struct check_env *e, struct check_result *r)
{
	struct counters open = {0};
	struct err ignored = {0};
	bool counts, samples;

	counts = !try_event(e, "cycles:u", 0, 0, &open, &r->why);
	ev_open_close(&open);
	samples = counts && !try_event(e, "cycles:u", 0, 1000000, &open, &ignored);
	ev_open_close(&open);
	if (samples) {
		name_tracers(e, r);
		return;
	}
	if (counts) {
		r->state = CHECK_LIMITED;
		err_set(&r->why, ENOTSUP, "they count, but do not interrupt: no sampling");
		err_hint(&r->why, "sample with -e cpu-clock; count with: perf-lite stat");
		return;
	}
	r->state = CHECK_NO;
	if (r->why.code != ENOENT && r->why.code != ENXIO && r->why.code != EOPNOTSUPP)
		return;
	err_set(&r->why, ENOENT, "%s",
		is_virtual(e) ? "this virtual machine has no performance counters"
			      : "the kernel has no driver for this CPU's counters");
	err_hint(
		&r->why, "%s",
		is_virtual(e)
			? "have the host pass them through (qemu: -cpu host,pmu=on), or sample with -e cpu-clock"
			: "sample with -e cpu-clock");
}

static void check_breakpoints(struct check_env *e, struct check_result *r)
{
	static u64 watched;
	char text[64];

	snprintf(text, sizeof(text), "mem:0x%lx/4:w:u", (unsigned long)(uintptr_t)&watched);
	check_event(e, text, 0, 1, r);
}

/* The kernel was built without this option. */
static void no_probes(const char *option, const char *instead, struct check_result *r)
{
	r->state = CHECK_NO;
	err_set(&r->why, ENOENT, "the kernel was built without %s", option);
	err_hint(&r->why, "%s", instead);
}

static void need_privilege(const struct check_env *e, const char *what, struct check_result *r)
{
	if (limits_privileged(&e->limits))
		return;
	r->state = CHECK_NO;
	err_set(&r->why, EPERM, "%s need CAP_PERFMON", what);
	limits_hint(&e->limits, &r->why, "PERFMON",
		    e->limits.root ? NULL : "sudo setcap cap_perfmon,cap_sys_ptrace+ep perf-lite");
}

static void check_uprobes(struct check_env *e, struct check_result *r)
{
	if (has_device(e, "uprobe"))
		need_privilege(e, "probes in programs", r);
	else
		no_probes("CONFIG_UPROBE_EVENTS",
			  "tracepoints need no probes: perf-lite list tracepoint", r);
}

static void check_kprobes(struct check_env *e, struct check_result *r)
{
	if (has_device(e, "kprobe"))
		need_privilege(e, "probes in the kernel", r);
	else
		no_probes("CONFIG_KPROBE_EVENTS",
			  "tracepoints need no probes: perf-lite list tracepoint", r);
}

static void check_symbols(struct check_env *e, struct check_result *r)
{
	struct symtab st = {0};

	if (kallsyms_load(&st, e->root.fd, "proc/kallsyms", SYMTAB_NESTED, &r->why)) {
		r->state = CHECK_NO;
	}
	symtab_free(&st);
}

static void check_types(struct check_env *e, struct check_result *r)
{
	int fd = io_open(e->root.fd, "sys/kernel/btf/vmlinux", O_RDONLY);

	if (fd >= 0) {
		close(fd);
		return;
	}
	r->state = CHECK_NO;
	err_set(&r->why, -fd, "%s",
		fd == -ENOENT ? "the kernel was built without CONFIG_DEBUG_INFO_BTF"
			      : strerror(-fd));
	err_hint(&r->why,
		 "tracepoints are recorded without; list -v shows no prototypes and structs");
}

static void check_rings(struct check_env *e, struct check_result *r)
{
	struct rlimit lock = {0};
	u64 all, each;

	getrlimit(RLIMIT_MEMLOCK, &lock);
	if (e->limits.cap_ipc_lock || e->limits.paranoid < 0 || lock.rlim_cur == RLIM_INFINITY) {
		NOTE(r, "as large as memory allows");
		return;
	}
	all = e->limits.mlock_kb * e->online.nr + lock.rlim_cur / 1024;
	each = all / (e->online.nr ? e->online.nr : 1);
	NOTE(r, "%llu KiB for all, %llu KiB for each of %u CPUs", (unsigned long long)all,
	     (unsigned long long)each, e->online.nr);
	if (each >= RING_KB)
		return;
	r->state = CHECK_LIMITED;
	err_set(&r->why, ENOMEM, "rings of only %llu KiB a CPU: samples are lost sooner",
		(unsigned long long)each);
	err_hint(&r->why, "ulimit -l unlimited, or: sudo sysctl kernel.perf_event_mlock_kb=%u",
		 RING_KB + 4);
}

static void check_stacks(struct check_env *e, struct check_result *r)
{
	NOTE(r, "%llu frames", (unsigned long long)e->limits.max_stack);
	if (e->limits.max_stack >= 127)
		return;
	r->state = CHECK_LIMITED;
	err_set(&r->why, E2BIG, "call chains end after %llu frames",
		(unsigned long long)e->limits.max_stack);
	err_hint(&r->why, "sudo sysctl kernel.perf_event_max_stack=127");
}

/* Switches to the idle task, and those from it: as many, but for one. */
enum { IDLE_ENTERED, IDLE_LEFT, IDLE_SPECS };

static int parse_idle(struct check_env *e, struct ev_list *switches, struct err *err)
{
	static const char *const filters[IDLE_SPECS] = {
		[IDLE_ENTERED] = "next_pid == 0", [IDLE_LEFT] = "prev_pid == 0"};
	int ret = ev_env_tracefs(&e->events, err) ? 0 : -err->code;
	u32 s;

	for (s = 0; s < IDLE_SPECS && !ret; s++) {
		ret = ev_parse(switches, "sched:sched_switch", &e->events, err);
		if (!ret)
			ret = ev_filter_spec(switches, &switches->specs.v[s], filters[s], err);
	}
	return ret;
}

static int open_idle(struct check_env *e, struct ev_list *switches, struct counters *open,
		     struct err *err)
{
	const s32 everybody = -1;
	const struct ev_target target = {
		.cpus = e->online.v, .nr_cpus = e->online.nr, .tids = &everybody, .nr_tids = 1};
	struct buf notes = {0};
	struct ev_opener opener = {.root = &e->root, .arena = &switches->arena, .notes = &notes};
	int ret = 0;
	u32 s, i, from;

	for (s = 0; s < IDLE_SPECS && !ret; s++) {
		from = open->nr;
		ret = ev_open(open, switches, s, &target, &opener, err);
		if (!ret)
			ret = ev_open_filter(open, from, switches, s, err);
	}
	for (i = 0; i < open->nr && !ret; i++)
		if (ioctl(open->v[i].fd, PERF_EVENT_IOC_ENABLE, 0))
			ret = err_set(err, errno, "cannot enable an event: %s", strerror(errno));
	buf_free(&notes);
	return ret;
}

/* Append the CPUs whose idle task is entered and never left. False: of some neither is known yet. */
static bool put_lost_idle(const struct counters *open, u32 nr_cpus, struct buf *lost)
{
	u64 seen[IDLE_SPECS];
	bool all = true;
	u32 i, s;

	for (i = 0; i < nr_cpus; i++) {
		for (s = 0; s < IDLE_SPECS; s++)
			if (read(open->v[s * nr_cpus + i].fd, &seen[s], sizeof(*seen)) !=
			    sizeof(*seen))
				seen[s] = 0;
		if (seen[IDLE_ENTERED] >= 3 && !seen[IDLE_LEFT])
			buf_addf(lost, "%s%u", lost->len ? ", " : "", open->v[i].cpu);
		all &= seen[IDLE_ENTERED] >= 3 || seen[IDLE_LEFT];
	}
	return all;
}

/*
 * A CPU that is visited leaves its idle task, and enters it again behind us, unless others keep it busy. Of one that is
 * busy all the time nothing is known, and nothing said.
 */
static void visit_idle(const struct cpus *cpus, const struct counters *open, struct buf *lost)
{
	const struct timespec moment = {.tv_nsec = 5000000};
	struct rings_visit visit = rings_visit_begin();
	bool all = false;
	u32 round, i;

	for (round = 0; round < IDLE_ROUNDS && !all; round++) {
		for (i = 0; i < cpus->nr; i++)
			rings_visit(&visit, cpus->v[i]);
		nanosleep(&moment, NULL);
		buf_reset(lost);
		all = put_lost_idle(open, cpus->nr, lost);
	}
	rings_visit_end(&visit);
}

/* A Linux 6.18 was seen to lose all tracepoints of one CPU's idle task, but those in its interrupts, soon after the boot. */
static void check_idle(struct check_env *e, struct check_result *r)
{
	struct ev_list switches = {0};
	struct counters open = {0};
	struct buf lost = {0};
	int ret = parse_idle(e, &switches, &r->why);

	if (!ret)
		ret = open_idle(e, &switches, &open, &r->why);
	if (!ret)
		visit_idle(&e->online, &open, &lost);
	if (ret) {
		r->state = CHECK_NO;
	} else if (lost.len) {
		r->state = CHECK_LIMITED;
		err_set(&r->why, EIO, "the kernel loses tracepoints of the idle task of CPU %s",
			buf_str(&lost));
		err_hint(&r->why, "programs see them: perf-lite count --engine=bpf; "
				  "keep a load whose waits you measure off that CPU: taskset -c");
	}
	ev_open_close(&open);
	buf_free(&lost);
	ev_list_free(&switches);
}

static void check_priority(struct check_env *e, struct check_result *r)
{
	const struct sched_param first = {.sched_priority = 1};
	int policy = sched_getscheduler(0);
	struct sched_param before;

	(void)e;
	sched_getparam(0, &before);
	if (!sched_setscheduler(0, SCHED_FIFO, &first)) {
		sched_setscheduler(0, policy, &before);
		return;
	}
	r->state = CHECK_LIMITED;
	err_set(&r->why, errno,
		"the recorder cannot run before other programs: on a busy machine rings overflow sooner");
	limits_hint(&e->limits, &r->why, "SYS_NICE",
		    e->limits.root ? NULL : "sudo setcap cap_sys_nice+ep perf-lite");
}

static void check_bpf(struct check_env *e, struct check_result *r)
{
	struct bpf_holders held = {0};
	struct buf b = {0};
	u32 i;

	if (bpf_programs_held(&e->root, &held, &r->why)) {
		r->state = CHECK_LIMITED;
		limits_hint(&e->limits, &r->why, "SYS_ADMIN",
			    "of one event: perf-lite check SYSTEM:NAME");
	} else if (held.v.nr) {
		r->state = CHECK_LIMITED;
		for (i = 0; i < held.v.nr && b.len < 600; i++) {
			buf_addf(&b, "%s%s: ", i ? ", " : "", held.v.v[i].tracepoint);
			bpf_program_put(&held.v.v[i].program, &b);
			buf_addf(&b, " of %s %u", held.v.v[i].comm, held.v.v[i].pid);
		}
		err_set(&r->why, EBUSY, "hits for which these return 0 are not seen: %s",
			buf_str(&b));
		err_hint(&r->why, "end that program, or have its BPF program return 1");
	} else {
		NOTE(r, "none of a running process hides hits");
	}
	buf_free(&b);
	vec_free(&held.v);
}

bool check_items_is_event(struct check_env *e, const char *name)
{
	struct ev_list list = {0};
	bool is = !ev_parse(&list, name, &e->events, NULL);

	ev_list_free(&list);
	return is;
}

void check_items_event(struct check_env *e, const char *name, struct check_result *r)
{
	struct counters open = {0};
	struct buf b = {0};

	if (try_event(e, name, -1, 1, &open, &r->why)) {
		r->state = CHECK_NO;
		return;
	}
	if (ev_hidden_why(open.v[0].fd, &b)) {
		r->state = CHECK_LIMITED;
		err_set(&r->why, EBUSY, "%s", buf_str(&b));
		err_hint(&r->why, "end the program that loaded it, or have it return 1");
	}
	buf_free(&b);
	ev_open_close(&open);
}

const struct check_item *check_items(u32 *nr)
{
	static const struct check_item items[] = {
		{"user", "your programs, user code", check_user},
		{"kernel", "your programs, kernel code", check_kernel},
		{"all", "all programs on all CPUs", check_all},
		{"tracepoints", "tracepoints of the kernel", check_tracepoints},
		{"hardware", "hardware counters", check_hardware},
		{"breakpoints", "hardware breakpoints", check_breakpoints},
		{"uprobes", "probes in programs", check_uprobes},
		{"kprobes", "probes in the kernel", check_kprobes},
		{"symbols", "names of kernel functions", check_symbols},
		{"types", "types of the kernel (BTF)", check_types},
		{"stacks", "depth of call chains", check_stacks},
		{"idle", "events of idle CPUs", check_idle},
		{"rings", "memory for samples", check_rings},
		{"priority", "reading rings in time", check_priority},
		{"bpf", "BPF programs before tracepoints", check_bpf},
	};

	*nr = ARRAY_SIZE(items);
	return items;
}
