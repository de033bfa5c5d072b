// SPDX-License-Identifier: GPL-2.0
#include "util/stat/stat_open.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/base/io.h"
#include "util/event/ev_denied.h"

static const struct limits *limits(struct stat_opener *o)
{
	if (!o->limits_known)
		limits_read(o->root, &o->limits, NULL);
	o->limits_known = true;
	return &o->limits;
}

/* The hard limit is root's to raise. True: the next try may succeed. */
static bool raise_limit(const struct stat_opener *o)
{
	struct rlimit rl, more;
	s64 most;

	if (getrlimit(RLIMIT_NOFILE, &rl))
		return false;
	more = rl;
	more.rlim_cur = rl.rlim_max;
	if (rl.rlim_cur == rl.rlim_max) {
		if (io_read_s64(o->root->fd, "proc/sys/fs/nr_open", &most) || most <= 0 ||
		    (rlim_t)most <= rl.rlim_max)
			return false;
		more.rlim_cur = more.rlim_max = (rlim_t)most;
	}
	return !setrlimit(RLIMIT_NOFILE, &more);
}

/* "cycles" -> "cycles:u", "cycles:p" -> "cycles:pu". */
static bool name_user_only(struct stat_opener *o, struct stat_event *e)
{
	char name[512];

	if (snprintf(name, sizeof(name), "%s%su", e->name, strchr(e->name, ':') ? "" : ":") >=
	    (int)sizeof(name))
		return false;
	e->name = arena_strdup(o->arena, name);
	return e->name;
}

/* What happens in the kernel's code alone. */
static bool is_of_kernel(const struct perf_event_attr *a)
{
	return a->type == PERF_TYPE_SOFTWARE && (a->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
						 a->config == PERF_COUNT_SW_CPU_MIGRATIONS ||
						 a->config == PERF_COUNT_SW_CGROUP_SWITCHES);
}

/* Change the attr so that the next try may succeed; false: there is nothing left to give up. */
static bool give_up_one(struct stat_opener *o, struct stat_event *e, const struct ev_spec *spec,
			s32 tid, int code)
{
	struct perf_event_attr *a = &e->attr;

	if ((code == EINVAL || code == EOPNOTSUPP) && a->precise_ip) {
		a->precise_ip--;
		return true;
	}
	if (code == EINVAL && a->exclude_guest && !spec->guest_given) {
		a->exclude_guest = 0;
		return true;
	}
	if ((code == EACCES || code == EPERM) && !a->exclude_kernel && !a->exclude_user &&
	    a->type != PERF_TYPE_TRACEPOINT && limits_user_only(limits(o), tid) &&
	    name_user_only(o, e)) {
		a->exclude_kernel = a->exclude_hv = 1;
		if (!o->told_user_only)
			buf_addf(o->notes,
				 "kernel.perf_event_paranoid is %d: counting user code only (:u)\n",
				 limits(o)->paranoid);
		o->told_user_only = true;
		if (is_of_kernel(a))
			buf_addf(o->notes, "%s is always 0: it happens in the kernel's code\n",
				 e->name);
		return true;
	}
	return false;
}

static bool is_not_here(const struct ev_spec *spec, int code)
{
	/* what a pattern matches and cannot be counted is no reason to refuse the rest */
	if (spec->tp.of_pattern && code == EPERM)
		return true;
	return code == ENOENT || code == ENODEV || code == ENXIO || code == EOPNOTSUPP ||
	       code == EINVAL;
}

static int not_here(struct stat_opener *o, struct stat_event *e, const struct ev_spec *spec,
		    const struct stat_place *where, int code)
{
	struct err why = {0};

	e->code = code;
	ev_denied(spec, code, where->cpu, where->tid, limits(o), &why);
	snprintf(e->reason, sizeof(e->reason), "%.*s (%s)", (int)sizeof(e->reason) - 64, why.msg,
		 strerror(code));
	return STAT_OPEN_NOT_HERE;
}

static int forbidden(struct stat_opener *o, struct stat_event *e, const struct ev_spec *spec,
		     const struct stat_place *where, int code, struct err *err)
{
	e->code = code;
	if (code == EMFILE || code == ENFILE) {
		err_set(err, code, "too many open files: each event needs one per CPU and thread");
		err_hint(
			err,
			code == EMFILE
				? "raise the limit with: ulimit -n 65536, or count fewer events or threads"
				: "raise the limit with: sudo sysctl fs.file-max=1000000");
	} else if (code == EBADF && spec->cgroup) {
		err_set(err, code, "'%s' is not a cgroup", spec->cgroup);
		err_hint(err, "give its path below the place where cgroup2 is mounted");
	} else if (code == ENOMEM) {
		err_nomem(err);
	} else {
		ev_denied(spec, code, where->cpu, where->tid, limits(o), err);
	}
	return STAT_OPEN_FORBIDDEN;
}

int stat_open(struct stat_opener *o, struct stat_event *e, const struct ev_spec *spec,
	      const struct stat_place *where, int cgroup, int group, bool settled, struct err *err)
{
	unsigned long flags = PERF_FLAG_FD_CLOEXEC | (cgroup >= 0 ? PERF_FLAG_PID_CGROUP : 0);
	int cpu = where->cpu == ID_NONE ? -1 : (int)where->cpu, fd, code;
	pid_t tid = cgroup >= 0 ? cgroup : where->tid;

	for (;;) {
		fd = (int)syscall(SYS_perf_event_open, &e->attr, tid, cpu, group, flags);
		if (fd >= 0)
			return fd;
		code = errno;
		if (code == EINTR || (code == EMFILE && raise_limit(o)))
			continue;
		if (code == ESRCH && where->tid > 0)
			return STAT_OPEN_GONE;
		if (!settled && give_up_one(o, e, spec, where->tid, code))
			continue;
		if (is_not_here(spec, code))
			return not_here(o, e, spec, where, code);
		return forbidden(o, e, spec, where, code, err);
	}
}
