/* SPDX-License-Identifier: GPL-2.0 */
/*
 * limits.h - what the kernel allows this process to measure.
 *
 * Sources: Documentation/admin-guide/sysctl/kernel.rst (perf_event_*, kptr_restrict);
 * capabilities(7); proc(5), /proc/PID/status: Uid, CapEff, Seccomp; kernel_lockdown(7).
 */
#ifndef KERNEL_LIMITS_H
#define KERNEL_LIMITS_H

#include "util/base/err.h"
#include "util/kernel/sysroot.h"

struct limits {
	bool perf_events; /* the kernel has them at all; if not, the next four are 0 */
	int paranoid; /* perf_event_paranoid: -1 all .. 2 own user code; 3, 4: some distributions */
	u64 mlock_kb; /* ring memory per user that does not count as locked */
	u64 max_sample_rate;
	u64 max_stack; /* frames of a call chain */
	int kptr_restrict;
	bool user_namespace; /* not the first one: its root is an ordinary user for most of this */
	bool cap_perfmon;    /* effective capabilities of this process that count */
	bool cap_sys_admin;
	bool cap_ipc_lock;
	bool root;          /* the effective user */
	bool pid_namespace; /* not the first one: processes outside of it have no numbers here */
	bool filtered; /* a seccomp filter forbids perf_event_open; known for the real root alone */
	bool confidential; /* the kernel is locked down so that nobody reads its memory */
};

/* Have threads other numbers here than the kernel itself has for them? */
bool limits_in_pid_namespace(const struct sysroot *root);

/* 0 or -errno. A file that this kernel does not have leaves its field 0. */
int limits_read(const struct sysroot *root, struct limits *l, struct err *err);

/*
 * How this process gets a right that it lacks, as the hint of an error. `capability`: the one that gives
 * it, as "PERFMON"; `instead`: what helps without, as a command, or NULL.
 */
void limits_hint(const struct limits *l, struct err *err, const char *capability,
		 const char *instead);
/* Likewise without limits_read(). */
void limits_hint_at(const struct sysroot *root, struct err *err, const char *capability,
		    const char *instead);

/*
 * Descriptors of perf events are one per event, CPU and thread. Raise the limit towards `wanted`: to the hard limit, and
 * that one, which is root's to raise, to what the kernel has at most. True: it is higher than before.
 */
bool limits_raise_files(const struct sysroot *root, u64 wanted);
/* Too many open files: the hint. `verb`: what is done to the events, as "record". */
void limits_hint_files(const struct sysroot *root, struct err *err, const char *verb);

/* Bytes of memory that can be had without swapping (/proc/meminfo); 0: not known. */
u64 limits_memory_available(const struct sysroot *root);

/* May this process do what perf_event_paranoid forbids others? */
static inline bool limits_privileged(const struct limits *l)
{
	return l->cap_perfmon || l->cap_sys_admin;
}

/* Is code of the kernel what paranoid forbids, so that user code alone may be recorded of `tid` (-1: of everybody)? */
static inline bool limits_user_only(const struct limits *l, s32 tid)
{
	return l->paranoid >= 2 && tid != -1 && !limits_privileged(l) && !l->filtered;
}

#endif
