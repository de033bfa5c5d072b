// SPDX-License-Identifier: GPL-2.0
#include "util/event/ev_open.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/event/ev_denied.h"

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

/* Sampling of CPU time where there is no hardware to count cycles. */
static void use_cpu_clock(struct ev_spec *s, struct buf *notes)
{
	buf_addf(notes,
		 "%s: no hardware counters here (a virtual machine?); sampling cpu-clock instead\n",
		 s->name);
	s->attr.type = PERF_TYPE_SOFTWARE;
	s->attr.config = PERF_COUNT_SW_CPU_CLOCK;
	s->attr.precise_ip = 0;
	s->name = "cpu-clock";
}

/* Bits that only newer kernels know, newest first; none changes what is counted. */
static bool drop_newer_bit(struct perf_event_attr *a)
{
	if (a->read_format & PERF_FORMAT_LOST)
		a->read_format &= ~(u64)PERF_FORMAT_LOST; /* 6.0 */
	else if (a->cgroup)
		a->cgroup = 0; /* 5.7 */
	else if (a->bpf_event)
		a->bpf_event = 0; /* 5.1 */
	else if (a->ksymbol)
		a->ksymbol = 0; /* 5.1 */
	else if (a->namespaces)
		a->namespaces = 0; /* 4.12 */
	else if (a->exclude_guest)
		a->exclude_guest = 0;
	else
		return false;
	return true;
}

/*
 * Change the attr so that the next try may succeed. False: there is nothing left to give up.
 */
static bool give_up_one(struct ev_spec *s, int code, const struct limits *l, struct buf *notes)
{
	struct perf_event_attr *a = &s->attr;

	if (no_such_hardware(code) && is_cycles(a)) {
		use_cpu_clock(s, notes);
		return true;
	}
	if ((code == EINVAL || code == EOPNOTSUPP) && a->precise_ip) {
		a->precise_ip--;
		return true;
	}
	if (code == EINVAL)
		return drop_newer_bit(a);
	if ((code == EACCES || code == EPERM) && !a->exclude_kernel && l->paranoid >= 2 &&
	    !limits_privileged(l) && a->type != PERF_TYPE_TRACEPOINT) {
		a->exclude_kernel = a->exclude_hv = 1;
		if (!s->sideband)
			buf_addf(notes,
				 "%s: kernel.perf_event_paranoid is %d: recording user code only\n",
				 s->name, l->paranoid);
		return true;
	}
	return false;
}

/* Descriptors are one per event, CPU and thread: take as many as the hard limit allows. */
static bool raise_descriptor_limit(void)
{
	struct rlimit rl;

	if (getrlimit(RLIMIT_NOFILE, &rl) || rl.rlim_cur >= rl.rlim_max)
		return false;
	rl.rlim_cur = rl.rlim_max;
	return !setrlimit(RLIMIT_NOFILE, &rl);
}

struct opening {
	struct ev_list *list;
	struct ev_spec *spec;
	u32 index;
	const struct sysroot *root;
	struct limits limits;
	struct buf *notes;
	int cgroup_fd; /* -1: none */
	bool any;      /* one is open: its attr is the one to use */
};

static int refuse(const struct opening *o, int code, u32 cpu, s32 tid, struct err *err)
{
	if (code == EMFILE) {
		err_set(err, code, "too many open files: each event needs one per CPU and thread");
		err_hint(
			err,
			"raise the limit with: ulimit -n 65536, or record fewer events or threads");
		return -code;
	}
	return ev_denied(o->spec, code, cpu, tid, &o->limits, err);
}

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

	for (i = 0; i < s->nr_cpus; i++)
		if (s->cpus[i] == cpu)
			return true;
	return !s->nr_cpus;
}

static int open_one(struct counters *out, struct opening *o, u32 cpu, s32 tid, struct err *err)
{
	int group = group_leader(out, o, cpu, tid), fd;
	unsigned long flags = o->cgroup_fd >= 0 ? PERF_FLAG_PID_CGROUP : 0;
	struct counter *c;

	for (;;) {
		fd = sys_open(&o->spec->attr, o->cgroup_fd >= 0 ? o->cgroup_fd : tid, cpu, group,
			      flags);
		if (fd >= 0)
			break;
		if (fd == -EMFILE && raise_descriptor_limit())
			continue;
		if (fd == -ESRCH && tid > 0) {
			out->gone++;
			return 0;
		}
		if (fd == -EINVAL && group >= 0 && ev_leader(o->list, o->index)->weak) {
			group = -1;
			o->spec->attr.disabled = 1;
			continue;
		}
		if (o->any || !give_up_one(o->spec, -fd, &o->limits, o->notes))
			return refuse(o, -fd, cpu, tid, err);
	}
	o->any = true;
	c = vec_push(out);
	if (!c) {
		close(fd);
		return err_nomem(err);
	}
	*c = (struct counter){.fd = fd, .cpu = cpu, .tid = tid, .spec = o->index};
	if (ioctl(fd, PERF_EVENT_IOC_ID, &c->id))
		return err_set(err, errno, "cannot read the id of %s: %s", o->spec->name,
			       strerror(errno));
	return 0;
}

int ev_open(struct counters *out, struct ev_list *list, u32 spec, const struct ev_target *target,
	    const struct sysroot *root, struct buf *notes, struct err *err)
{
	struct opening o = {
		.list = list,
		.spec = &list->specs.v[spec],
		.index = spec,
		.root = root,
		.notes = notes,
		.cgroup_fd = -1,
	};
	u32 i, j;
	int ret = limits_read(root, &o.limits, err);

	if (!ret && o.spec->cgroup) {
		o.cgroup_fd = ev_cgroup_open(root, o.spec->cgroup, err);
		if (o.cgroup_fd < 0)
			ret = o.cgroup_fd;
	}
	for (i = 0; i < target->nr_cpus && !ret; i++)
		for (j = 0; opens_on(o.spec, target->cpus[i]) && j < target->nr_tids && !ret; j++)
			ret = open_one(out, &o, target->cpus[i], target->tids[j], err);
	if (o.cgroup_fd >= 0)
		close(o.cgroup_fd);
	return ret;
}

int ev_open_filter(const struct counters *c, const struct ev_list *list, u32 spec, struct err *err)
{
	const struct ev_spec *s = &list->specs.v[spec];
	u32 i;

	if (!s->filter)
		return 0;
	for (i = 0; i < c->nr; i++)
		if (c->v[i].spec == spec && ioctl(c->v[i].fd, PERF_EVENT_IOC_SET_FILTER, s->filter))
			return ev_denied_filter(s, errno, err);
	return 0;
}

void ev_open_close(struct counters *c)
{
	u32 i;

	for (i = 0; i < c->nr; i++)
		close(c->v[i].fd);
	vec_free(c);
}
