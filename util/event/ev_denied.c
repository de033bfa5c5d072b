// SPDX-License-Identifier: GPL-2.0
#include "util/event/ev_denied.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "util/event/ev_filter.h"
#include "util/event/ev_probe.h"
#include "util/tracepoint/tp_format.h"

/* The first sentence is perf's: programs look for it. */
#define LIMITED "Access to performance monitoring and observability operations is limited. "

static int denied_by_seccomp(int code, struct err *err)
{
	err_set(err, code, LIMITED "A seccomp filter forbids perf_event_open");
	err_hint(
		err,
		"in a container: start it with --cap-add PERFMON, or with --security-opt seccomp=unconfined");
	return -code;
}

static int denied_to_root(const struct ev_spec *s, int code, const struct limits *l,
			  struct err *err)
{
	err_set(err, code, LIMITED "%s: the kernel refuses it to this user (%s)", s->name,
		strerror(code));
	if (ev_function_is(s))
		err_hint(
			err,
			"a kernel without this tracer refuses it too: cat /sys/kernel/tracing/available_tracers");
	else if (l->confidential)
		err_hint(
			err,
			"the kernel is locked down (confidentiality): cat /sys/kernel/security/lockdown");
	else
		err_hint(err, "look for a reason with: dmesg | tail (a security module)");
	return -code;
}

static bool of_another_user(s32 tid)
{
	return tid > 0 && kill(tid, 0) && errno == EPERM;
}

static int denied_by_settings(const struct ev_spec *s, int code, s32 tid, const struct limits *l,
			      struct err *err)
{
	bool tracepoint = s->attr.type == PERF_TYPE_TRACEPOINT;

	if (limits_privileged(l))
		return denied_to_root(s, code, l, err);
	if (of_another_user(tid)) {
		err_set(err, code, LIMITED "Thread %d belongs to another user", tid);
		limits_hint(l, err, "PERFMON --cap-add SYS_PTRACE", NULL);
	} else if (tracepoint && l->paranoid > -1) {
		err_set(err, code,
			LIMITED
			"%s: tracepoints need kernel.perf_event_paranoid = -1 (it is %d) or CAP_PERFMON",
			s->name, l->paranoid);
		limits_hint(l, err, "PERFMON", "sudo sysctl kernel.perf_event_paranoid=-1");
	} else if (tid == -1 && l->paranoid > 0) {
		err_set(err, code,
			LIMITED
			"Events of all tasks need kernel.perf_event_paranoid = 0 or lower (it is %d) or CAP_PERFMON",
			l->paranoid);
		limits_hint(
			l, err, "PERFMON",
			"sudo sysctl kernel.perf_event_paranoid=0 (your own command needs neither: -- COMMAND)");
	} else if (!s->attr.exclude_kernel && l->paranoid > 1) {
		err_set(err, code,
			LIMITED
			"%s: the kernel's own code needs kernel.perf_event_paranoid = 1 or lower (it is %d) or CAP_PERFMON",
			s->name, l->paranoid);
		limits_hint(l, err, "PERFMON", "sudo sysctl kernel.perf_event_paranoid=1");
	} else if (l->paranoid > 2) {
		/* some distributions have such a level */
		err_set(err, code,
			LIMITED
			"kernel.perf_event_paranoid is %d: all of it is forbidden without CAP_PERFMON",
			l->paranoid);
		limits_hint(l, err, "PERFMON", "sudo sysctl kernel.perf_event_paranoid=2");
	} else {
		err_set(err, code, LIMITED "%s: not allowed (kernel.perf_event_paranoid is %d)",
			s->name, l->paranoid);
		limits_hint(l, err, "PERFMON", NULL);
	}
	return -code;
}

/* EINVAL: what of its numbers can it be? */
static int not_accepted(const struct ev_spec *s, struct err *err)
{
	const struct perf_event_attr *a = &s->attr;

	err_set(err, EINVAL, "%s: the kernel does not accept its parameters", s->name);
	if (a->type == PERF_TYPE_TRACEPOINT && a->use_clockid && a->clockid != CLOCK_MONOTONIC &&
	    a->clockid != CLOCK_MONOTONIC_RAW) {
		err_set(err, EINVAL, "%s: the kernel does not give tracepoints this clock",
			s->name);
		err_hint(err, "leave out -k, or give mono or raw");
	} else if (a->type == PERF_TYPE_TRACEPOINT) {
		err_set(err, EINVAL, "%s: there is no tracepoint with the number %llu", s->name,
			(unsigned long long)a->config);
		err_hint(err, "its number is in /sys/kernel/tracing/events/SYSTEM/NAME/id");
	} else if (s->guest_given) {
		err_hint(err, "leave out :G and :H: this machine may not tell guests apart");
	} else if (a->type != PERF_TYPE_BREAKPOINT) {
		err_hint(err, "see what there is with: perf-lite list");
	} else if (a->bp_type & HW_BREAKPOINT_X && a->bp_type != HW_BREAKPOINT_X) {
		err_hint(err, "executing is watched alone: mem:0x%llx:x",
			 (unsigned long long)a->bp_addr);
	} else if (a->bp_type == HW_BREAKPOINT_X && a->bp_len != sizeof(long)) {
		err_hint(err, "executing is watched with the length %zu: mem:0x%llx:x",
			 sizeof(long), (unsigned long long)a->bp_addr);
	} else if (a->bp_type == HW_BREAKPOINT_R) {
		err_hint(err, "this processor may not watch reading alone: mem:0x%llx:rw",
			 (unsigned long long)a->bp_addr);
	} else {
		err_hint(err, "the address must be a multiple of the length: mem:ADDR/LEN:rw");
	}
	return -EINVAL;
}

int ev_denied(const struct ev_spec *s, int code, u32 cpu, s32 tid, const struct limits *l,
	      struct err *err)
{
	if (l->filtered)
		return denied_by_seccomp(code, err);
	if (ev_probe_is(s))
		return ev_probe_refused(s, code, l, err);
	switch (code) {
	case EACCES:
	case EPERM:
		return denied_by_settings(s, code, tid, l, err);
	case ENOSYS:
		err_set(err, code, "the kernel has no perf events (CONFIG_PERF_EVENTS)");
		err_hint(err, "in a container its seccomp profile may hide them");
		return -code;
	case ENOENT:
	case ENXIO:
	case EOPNOTSUPP:
		err_set(err, code, "%s is not supported on this machine", s->name);
		if (s->attr.branch_sample_type)
			err_hint(
				err,
				"only processors record branches, hardly ever in a virtual machine; for callers: -e cpu-clock -g");
		else
			err_hint(
				err,
				"in a virtual machine try cpu-clock; see what there is with: perf-lite list");
		return -code;
	case ENODEV:
		err_set(err, code,
			cpu == ID_NONE
				? "%s is not supported on this machine"
				: "%s cannot be opened on CPU %u: it is offline or has no such unit",
			s->name, cpu);
		err_hint(err,
			 "choose CPUs with -C; those online: cat /sys/devices/system/cpu/online");
		return -code;
	case EBUSY:
		err_set(err, code, "%s: another program has the hardware for itself", s->name);
		err_hint(
			err,
			"end the other profiler, or the NMI watchdog: sudo sysctl kernel.nmi_watchdog=0");
		return -code;
	case ENOSPC:
		err_set(err, code, "%s: no debug register is free", s->name);
		err_hint(err, "use fewer breakpoints at a time");
		return -code;
	case EINVAL:
		return not_accepted(s, err);
	}
	/* perf's sentence for what it does not know either */
	return err_set(
		err, code,
		"perf_event_open(..., PERF_FLAG_FD_CLOEXEC) failed with unexpected error %d (%s) for %s",
		code, strerror(code), s->name);
}

int ev_denied_filter(const struct ev_spec *s, int code, struct err *err)
{
	struct tp_format *f = NULL;
	struct buf names = {0};
	u32 i;

	if (ev_function_is(s))
		return ev_function_refused(s, code, err);
	err_set(err, code, "%s: the kernel does not take the filter '%s' (%s)", s->name,
		s->tp.filter, strerror(code));
	if (s->tp.format)
		f = tp_format_parse(s->tp.format, strlen(s->tp.format), NULL);
	for (i = 0; f && i < f->nr_fields; i++)
		buf_addf(&names, "%s%s", i ? " " : "", f->fields[i].name);
	if (f)
		err_hint(err, "its fields: %s", buf_str(&names));
	tp_format_free(f);
	buf_free(&names);
	return -code;
}
