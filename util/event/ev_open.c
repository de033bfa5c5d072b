// SPDX-License-Identifier: GPL-2.0
#include "util/event/ev_open.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/base/clock.h"
#include "util/event/ev_denied.h"
#include "util/event/ev_expr.h"
#include "util/event/ev_probe.h"
#include "util/kernel/cgroups.h"
#include "util/record/deferred.h"

#define IN_WORD(name, word, bits)                                         \
	static bool name##_is_on(const struct perf_event_attr *a)         \
	{                                                                 \
		return a->word & (bits);                                  \
	}                                                                 \
	static void name##_turn(struct perf_event_attr *a, bool on)       \
	{                                                                 \
		a->word = on ? a->word | (bits) : a->word & ~(u64)(bits); \
	}

#define IN_BIT(name)                                                \
	static bool name##_is_on(const struct perf_event_attr *a)   \
	{                                                           \
		return a->name;                                     \
	}                                                           \
	static void name##_turn(struct perf_event_attr *a, bool on) \
	{                                                           \
		a->name = on;                                       \
	}

IN_WORD(lost, read_format, PERF_FORMAT_LOST)
IN_WORD(weight_struct, sample_type, PERF_SAMPLE_WEIGHT_STRUCT)
IN_WORD(code_page_size, sample_type, PERF_SAMPLE_CODE_PAGE_SIZE)
IN_WORD(data_page_size, sample_type, PERF_SAMPLE_DATA_PAGE_SIZE)
IN_WORD(sample_cgroup, sample_type, PERF_SAMPLE_CGROUP)
IN_WORD(phys_addr, sample_type, PERF_SAMPLE_PHYS_ADDR)
IN_BIT(text_poke)
IN_BIT(cgroup)
IN_BIT(bpf_event)
IN_BIT(ksymbol)
IN_BIT(namespaces)

#define FEATURE(name, what, since, option)                     \
	{                                                      \
		what, since, option, name##_is_on, name##_turn \
	}

static const struct ev_feature features[] = {
	FEATURE(lost, "the number of lost samples", "6.0", NULL),
	FEATURE(weight_struct, "weights in parts", "5.12", NULL),
	FEATURE(code_page_size, "page sizes of code", "5.11", "--code-page-size"),
	FEATURE(data_page_size, "page sizes of data", "5.11", "--data-page-size"),
	FEATURE(text_poke, "changes of its instructions", "5.9", "--text-poke"),
	FEATURE(sample_cgroup, "control groups of samples (CONFIG_CGROUP_PERF)", "5.7",
		"--all-cgroups"),
	FEATURE(cgroup, "names of control groups", "5.7", "--all-cgroups"),
	FEATURE(bpf_event, "loaded BPF programs", "5.1", NULL),
	FEATURE(ksymbol, "functions that come and go", "5.1", NULL),
	FEATURE(phys_addr, "physical addresses", "4.14", "--phys-data"),
	FEATURE(namespaces, "namespaces of tasks", "4.12", "--namespaces"),
};

const struct ev_feature *ev_features(u32 *nr)
{
	*nr = ARRAY_SIZE(features);
	return features;
}

void ev_feature_drop(const struct ev_feature *f, struct perf_event_attr *a)
{
	f->turn(a, false);
	/* the whole weight is there since 3.10 */
	if (f->turn == weight_struct_turn)
		a->sample_type |= PERF_SAMPLE_WEIGHT;
}

/* Set the error: the kernel does not know what an option asks for. -ENOTSUP. */
static int refuse_feature(const struct ev_feature *f, struct err *err)
{
	err_set(err, ENOTSUP, "this kernel does not report %s", f->what);
	err_hint(err, "leave out %s, or take Linux %s or newer", f->option, f->since);
	return -ENOTSUP;
}

static int sys_open(const struct perf_event_attr *attr, s32 tid, u32 cpu, int group,
		    unsigned long flags)
{
	int fd;

	do {
		fd = (int)syscall(SYS_perf_event_open, attr, tid, cpu == ID_NONE ? -1 : (int)cpu,
				  group, flags | PERF_FLAG_FD_CLOEXEC);
	} while (fd < 0 && errno == EINTR);
	return fd < 0 ? -errno : fd;
}

static bool no_such_hardware(int code)
{
	return code == ENOENT || code == ENXIO || code == ENODEV || code == EOPNOTSUPP;
}

static bool is_cycles(const struct perf_event_attr *a)
{
	return a->type == PERF_TYPE_HARDWARE && a->config == PERF_COUNT_HW_CPU_CYCLES;
}

static bool has_branches(const struct ev_spec *s)
{
	return s->attr.sample_type & PERF_SAMPLE_BRANCH_STACK;
}

/* "cpu-clock" with the modifiers that say which levels an event counts. */
static const char *cpu_clock_name(const struct perf_event_attr *a)
{
	static const char *const names[] = {"cpu-clock",    "cpu-clock:u", "cpu-clock:k",
					    "cpu-clock:uk", "cpu-clock:h", "cpu-clock:uh",
					    "cpu-clock:kh", "cpu-clock"};

	return names[(a->exclude_user ? 0 : 1) | (a->exclude_kernel ? 0 : 2) |
		     (a->exclude_hv ? 0 : 4)];
}

/* Sampling of CPU time where there is no hardware to count cycles. */
static void use_cpu_clock(struct ev_spec *s, struct buf *notes)
{
	buf_addf(notes,
		 "%s: no hardware counters here (a virtual machine?); sampling cpu-clock instead\n",
		 s->name);
	s->attr.type = PERF_TYPE_SOFTWARE;
	s->attr.config = PERF_COUNT_SW_CPU_CLOCK;
	s->attr.precise_ip = 0;
	s->attr.sample_type &= ~(u64)(PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_WEIGHT_STRUCT);
	s->name = cpu_clock_name(&s->attr);
}

static struct perf_event_attr dummy_attr(const struct perf_event_attr *like);

/* Asked of an event of this task that counts nothing. */
static bool is_known(const struct ev_feature *f)
{
	const struct perf_event_attr like = {0};
	struct perf_event_attr a = dummy_attr(&like);
	int fd;

	f->turn(&a, true);
	fd = sys_open(&a, 0, ID_NONE, -1, 0);
	if (fd >= 0)
		close(fd);
	return fd != -EINVAL;
}

/* Leave out what this kernel does not know; true: there was something. */
static bool drop_unknown(struct perf_event_attr *a, const struct ev_feature **asked)
{
	const struct ev_feature *f;
	bool any = false;
	u32 nr;

	for (f = ev_features(&nr); nr--; f++) {
		if (!f->is_on(a) || is_known(f))
			continue;
		if (f->option)
			*asked = f;
		ev_feature_drop(f, a);
		any = true;
	}
	return any;
}

static const struct limits *limits(struct ev_opener *o)
{
	if (!o->limits_known)
		limits_read(o->root, &o->limits, NULL);
	o->limits_known = true;
	return &o->limits;
}

/* "cycles" -> "cycles:u", "cycles:p" -> "cycles:pu", "cpu/cycles/" -> "cpu/cycles/u", "mem:4096:w" -> "mem:4096:w:u". */
static bool name_user_only(struct ev_opener *o, struct ev_spec *s)
{
	struct buf b = {0};
	bool more = s->attr.type != PERF_TYPE_BREAKPOINT && strpbrk(s->name, ":/");
	const char *name;

	buf_addf(&b, "%s%su", s->name, more ? "" : ":");
	name = b.failed ? NULL : arena_strdup(o->arena, buf_str(&b));
	buf_free(&b);
	s->name = name ? name : s->name;
	return name;
}

/* What happens in the kernel's code alone. */
static bool is_of_kernel(const struct perf_event_attr *a)
{
	return a->type == PERF_TYPE_SOFTWARE && (a->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
						 a->config == PERF_COUNT_SW_CPU_MIGRATIONS ||
						 a->config == PERF_COUNT_SW_CGROUP_SWITCHES);
}

static bool leave_kernel_out(struct ev_opener *o, struct ev_spec *s)
{
	struct perf_event_attr *a = &s->attr;

	if (!s->sideband && !name_user_only(o, s))
		return false;
	a->exclude_kernel = a->exclude_hv = 1;
	if (s->sideband)
		return true;
	if (!o->told_user_only)
		buf_addf(o->notes, "kernel.perf_event_paranoid is %d: %s user code only (:u)\n",
			 limits(o)->paranoid, o->counts ? "counting" : "recording");
	o->told_user_only = true;
	/* records of switches come all the same */
	if (is_of_kernel(a) && !a->context_switch)
		buf_addf(o->notes, "%s %s: it happens in the kernel's code\n", s->name,
			 o->counts ? "is always 0" : "has no samples");
	return true;
}

/*
 * Change the attr so that the next try may succeed. False: there is nothing left to give up.
 */
static bool give_up_one(struct ev_opener *o, struct ev_spec *s, int code, s32 tid,
			const struct ev_feature **asked)
{
	struct perf_event_attr *a = &s->attr;

	if (!o->counts && no_such_hardware(code) && is_cycles(a) && !has_branches(s)) {
		use_cpu_clock(s, o->notes);
		return true;
	}
	if (code == EINVAL && drop_unknown(a, asked))
		return !*asked;
	if ((code == EINVAL || code == EOPNOTSUPP) && a->precise_ip) {
		a->precise_ip--;
		return true;
	}
	if (code == EINVAL && a->exclude_guest && !s->guest_given) {
		a->exclude_guest = 0;
		return true;
	}
	return (code == EACCES || code == EPERM) && !a->exclude_kernel && !a->exclude_user &&
	       a->type != PERF_TYPE_TRACEPOINT && !ev_probe_is(s) &&
	       limits_user_only(limits(o), tid) && leave_kernel_out(o, s);
}

static int no_branches(const struct ev_spec *s, int code, struct err *err)
{
	err_set(err, code, "%s: this machine records no branches, or none of that kind", s->name);
	err_hint(err, "leave out -b and -j; a virtual machine seldom has branch records");
	return -code;
}

static int open_at(const struct perf_event_attr *attr, const struct ev_place *where, int group)
{
	return sys_open(attr, where->cgroup >= 0 ? where->cgroup : where->tid, where->cpu, group,
			where->cgroup >= 0 ? PERF_FLAG_PID_CGROUP : 0);
}

/* Would it, in no group? */
static bool opens(const struct perf_event_attr *attr, const struct ev_place *where)
{
	struct perf_event_attr a = *attr;
	int fd;

	a.disabled = 1;
	fd = open_at(&a, where, -1);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* The kernel takes it for a counter that nobody samples. */
static bool can_be_counted(const struct ev_spec *s, const struct ev_place *where)
{
	struct perf_event_attr a = s->attr;

	a.sample_period = a.freq = 0;
	a.sample_type = 0;
	return opens(&a, where);
}

static int refuse_descriptors(const struct ev_opener *o, int code, struct err *err)
{
	err_set(err, code, "too many open files: each event needs one per CPU and thread");
	if (code == ENFILE)
		err_hint(err, "raise the limit with: sudo sysctl fs.file-max=1000000");
	else
		limits_hint_files(o->root, err, o->counts ? "count" : "record");
	return -code;
}

static int refuse(struct ev_opener *o, const struct ev_spec *s, int code,
		  const struct ev_place *where, struct err *err)
{
	switch (code) {
	case ENOMEM:
		return err_nomem(err);
	case EMFILE:
	case ENFILE:
		return refuse_descriptors(o, code, err);
	case EBADF:
		if (!s->cgroup)
			break;
		err_set(err, code, "'%s' is not a cgroup", s->cgroup);
		err_hint(err, "give its path below the place where cgroup2 is mounted");
		return -code;
	case EOPNOTSUPP:
	case EINVAL:
		if (has_branches(s))
			return no_branches(s, code, err);
		if (code != EINVAL || where->cgroup >= 0 || !s->attr.sample_period ||
		    !can_be_counted(s, where))
			break;
		err_set(err, code, "%s can be counted, not sampled", s->name);
		err_hint(err, "read it at the samples of another event: -e '{cpu-clock,%s}:S'",
			 s->name);
		return -code;
	}
	return ev_denied(s, code, where->cpu, where->tid, limits(o), err);
}

int ev_open_one(struct ev_opener *o, struct ev_spec *s, const struct ev_place *where,
		struct err *err)
{
	const struct ev_feature *asked = NULL;
	int fd, code;

	for (;;) {
		fd = open_at(&s->attr, where, where->group);
		if (fd >= 0 || (fd == -ESRCH && where->tid > 0))
			return fd;
		code = -fd;
		if (code == EMFILE && !o->keep_limits && limits_raise_files(o->root, UINT64_MAX))
			continue;
		/* it is the group's fault, and what the event alone has need not be given up */
		if (code == EINVAL && where->group >= 0 && opens(&s->attr, where)) {
			err_set(err, EXFULL,
				"%s does not fit on the PMU with the rest of its group", s->name);
			err_hint(
				err,
				"take it out of the group, or let its events be opened one by one: {...}:W");
			return EV_OPEN_NO_ROOM;
		}
		if (!where->settled && give_up_one(o, s, code, where->tid, &asked))
			continue;
		return asked ? refuse_feature(asked, err) : refuse(o, s, code, where, err);
	}
}

struct opening {
	struct ev_opener *opener;
	struct ev_list *list;
	struct ev_spec *spec;
	u32 index;
	int cgroup_fd; /* -1: none */
	bool any;      /* one is open: its attr is the one to use */
};

/* The leader of the spec's group on this CPU and thread, -1: none. */
static int group_leader(const struct counters *c, const struct opening *o, u32 cpu, s32 tid)
{
	u32 leader = (u32)(ev_leader(o->list, o->index) - o->list->specs.v), i;

	if (leader == o->index)
		return -1;
	for (i = c->nr; i-- > 0;)
		if (c->v[i].spec == leader && c->v[i].cpu == cpu && c->v[i].tid == tid)
			return c->v[i].fd;
	return -1;
}

/* A PMU that measures a whole package can be opened on one CPU of it only. */
static bool opens_on(const struct ev_spec *s, u32 cpu)
{
	u32 i;

	for (i = 0; i < s->pmu.nr_cpus; i++)
		if (s->pmu.cpus[i] == cpu)
			return true;
	return !s->pmu.nr_cpus;
}

static bool has_counter(const struct counters *c, u32 spec, u32 cpu)
{
	u32 i;

	for (i = 0; i < c->nr; i++)
		if (c->v[i].spec == spec && c->v[i].cpu == cpu && c->v[i].fd >= 0)
			return true;
	return false;
}

#define LEFT_OUT 1

/* What a pattern matches and nobody may sample is no reason to refuse the rest. */
static bool is_left_out(struct opening *o, int code)
{
	return o->spec->tp.of_pattern && !o->any && (code == EPERM || code == EINVAL) &&
	       limits_privileged(limits(o->opener));
}

/*
 * Those that are never throttled: the kernel throttles a group as a whole (since 6.16). Nor must
 * events of hardware be dragged into a group, which would not fit on the PMU.
 */
static bool can_be_gated(const struct opening *o, s32 tid)
{
	const struct ev_spec *s = o->spec;

	return tid == -1 && o->cgroup_fd < 0 && s->group == ID_NONE && s->attr.disabled &&
	       !s->sideband && !s->attr.pinned && !s->attr.exclusive && !s->attr.enable_on_exec &&
	       s->attr.type == PERF_TYPE_TRACEPOINT && !s->attr.freq && s->attr.sample_period == 1;
}

static int open_gated(const struct opening *o, u32 cpu, s32 gate)
{
	struct perf_event_attr attr = o->spec->attr;

	attr.disabled = 0;
	return sys_open(&attr, -1, cpu, gate, 0);
}

static int open_one(struct counters *out, struct opening *o, u32 cpu, s32 tid, s32 gate,
		    struct err *err)
{
	const struct ev_spec *leader = ev_leader(o->list, o->index);
	struct ev_place where = {
		.cpu = cpu,
		.tid = tid,
		.cgroup = o->cgroup_fd,
		.group = group_leader(out, o, cpu, tid),
		.settled = o->any,
	};
	int fd = gate >= 0 && can_be_gated(o, tid) ? open_gated(o, cpu, gate) : -1;
	bool gated = fd >= 0;
	struct err why = {0};
	struct counter *c;

	if (!gated)
		fd = ev_open_one(o->opener, o->spec, &where, &why);
	if (fd == EV_OPEN_NO_ROOM && leader->weak) {
		where.group = -1;
		/* it begins by itself, when its leader does */
		o->spec->attr.disabled = leader->attr.disabled;
		o->spec->attr.enable_on_exec = leader->attr.enable_on_exec;
		fd = ev_open_one(o->opener, o->spec, &where, &why);
	}
	if (fd == -ESRCH && tid > 0) /* the thread has ended */
		return 0;
	if (fd < 0 && is_left_out(o, -fd)) {
		buf_addf(o->opener->notes, "%s: left out, the kernel does not let it be sampled\n",
			 o->spec->name);
		return LEFT_OUT;
	}
	if (fd < 0) {
		if (err)
			*err = why;
		return fd;
	}
	o->any = true;
	c = vec_push(out);
	if (!c) {
		close(fd);
		return err_nomem(err);
	}
	*c = (struct counter){.fd = fd, .cpu = cpu, .tid = tid, .spec = o->index, .gated = gated};
	c->opened = clock_ns(o->spec->attr.clockid);
	if (ioctl(fd, PERF_EVENT_IOC_ID, &c->id))
		return err_set(err, errno, "cannot read the id of %s: %s", o->spec->name,
			       strerror(errno));
	return 0;
}

/* What a program makes comes from each CPU, whatever the targets are. */
static int open_program(struct counters *out, struct opening *o, const struct ev_target *target,
			struct err *err)
{
	u32 i, from = out->nr;
	int ret = 0;

	for (i = 0; i < target->nr_cpus && !ret; i++)
		if (!has_counter(out, o->index, target->cpus[i]))
			ret = open_one(out, o, target->cpus[i], -1, -1, err);
	if (!ret)
		ret = ev_expr_attach(o->spec, out, from, target->tids, target->nr_tids, err);
	if (o->cgroup_fd >= 0)
		close(o->cgroup_fd);
	return ret;
}

int ev_open(struct counters *out, struct ev_list *list, u32 spec, const struct ev_target *target,
	    struct ev_opener *opener, struct err *err)
{
	struct opening o = {
		.opener = opener,
		.list = list,
		.spec = &list->specs.v[spec],
		.index = spec,
		.cgroup_fd = -1,
	};
	bool more = o.spec->sideband && target->sideband_cpus;
	const u32 *cpus = more ? target->sideband_cpus : target->cpus;
	u32 nr = more ? target->nr_sideband_cpus : target->nr_cpus, i, j;
	int ret = 0;

	if (target->programs_alone && !o.spec->tp.expr)
		return 0;
	if (o.spec->cgroup) {
		o.cgroup_fd = cgroups_open(opener->root, o.spec->cgroup, err);
		if (o.cgroup_fd < 0)
			ret = o.cgroup_fd;
	}
	if (!ret && o.spec->tp.expr)
		return open_program(out, &o, target, err);
	for (i = 0; i < nr && !ret; i++)
		for (j = 0; opens_on(o.spec, cpus[i]) && j < target->nr_tids && !ret; j++)
			if (!target->has ||
			    !target->has(target->has_arg, spec, target->tids[j], cpus[i]))
				ret = open_one(out, &o, cpus[i], target->tids[j],
					       target->gates && !more ? target->gates[i] : -1, err);
	if (o.cgroup_fd >= 0)
		close(o.cgroup_fd);
	return ret == LEFT_OUT ? 0 : ret;
}

/* Counts nothing, at the same clock as `like`. */
static struct perf_event_attr dummy_attr(const struct perf_event_attr *like)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.size = sizeof(struct perf_event_attr),
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.use_clockid = like->use_clockid,
		.clockid = like->clockid,
	};
}

int ev_open_owner(const struct perf_event_attr *like, u32 watermark, u32 cpu)
{
	struct perf_event_attr a = dummy_attr(like);

	a.sample_period = 1;
	a.watermark = 1;
	a.wakeup_watermark = watermark;
	a.write_backward = like->write_backward;
	/* of this task, whichever the others are of: it outlives them, and needs no privilege */
	return sys_open(&a, 0, cpu, -1, 0);
}

int ev_open_gate(const struct perf_event_attr *like, u32 cpu)
{
	struct perf_event_attr a = dummy_attr(like);

	return sys_open(&a, -1, cpu, -1, 0);
}

int ev_open_end(s32 tid, u32 cpu, int owner)
{
	const struct perf_event_attr like = {0};
	struct perf_event_attr a = dummy_attr(&like);
	int fd, ret;

	a.inherit = 1;
	fd = sys_open(&a, tid, cpu, -1, 0);
	if (fd < 0 || !ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, owner))
		return fd;
	ret = -errno;
	close(fd);
	return ret;
}

bool ev_open_can_defer(void)
{
	const struct perf_event_attr like = {0};
	struct perf_event_attr a = dummy_attr(&like);
	int fd;

	deferred_ask(&a);
	fd = sys_open(&a, 0, ID_NONE, -1, 0);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

int ev_open_filter_one(int fd, const struct ev_spec *s, struct err *err)
{
	if (!s->tp.filter || !ioctl(fd, PERF_EVENT_IOC_SET_FILTER, s->tp.filter))
		return 0;
	return ev_denied_filter(s, errno, err);
}

int ev_open_filter(const struct counters *c, u32 from, const struct ev_list *list, u32 spec,
		   struct err *err)
{
	int ret = 0;
	u32 i;

	for (i = from; i < c->nr && !ret; i++)
		if (c->v[i].spec == spec)
			ret = ev_open_filter_one(c->v[i].fd, &list->specs.v[spec], err);
	return ret;
}

void ev_open_close(struct counters *c)
{
	u32 i;

	for (i = 0; i < c->nr; i++)
		close(c->v[i].fd);
	vec_free(c);
}
