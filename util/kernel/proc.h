/* SPDX-License-Identifier: GPL-2.0 */
/*
 * proc.h - running tasks and what they have mapped, from /proc.
 *
 * `proc` is a descriptor of the /proc directory (a test's own tree, or the real one). Tasks come
 * and go while one reads: what has vanished is passed over in silence.
 *
 * Source: proc(5): /proc/PID/task, comm, status, maps.
 */
#ifndef KERNEL_PROC_H
#define KERNEL_PROC_H

#include "util/base/buf.h"
#include "util/base/err.h"
#include "util/base/vec.h"

struct proc_mapping {
	u64 start, end, pgoff;
	u32 maj, min;
	u64 ino;
	u32 prot;         /* PROT_* */
	u32 flags;        /* MAP_SHARED or MAP_PRIVATE */
	const char *name; /* "" for anonymous memory; NUL-terminated, lives during the call */
};

struct proc_ids {
	u32 *v;
	u32 nr, cap;
};

/* All processes, or the threads of one, in rising order. The caller frees v. */
int proc_pids(int proc, struct proc_ids *ids, struct err *err);
int proc_tids(int proc, u32 pid, struct proc_ids *ids, struct err *err);

/* The process a thread belongs to and its parent; false if it is gone. */
bool proc_status(int proc, u32 tid, u32 *pid, u32 *ppid);

/* Whose it is, as it acts: the effective user. False if it is gone. */
bool proc_user(int proc, u32 pid, u32 *user);

/* The thread's name, without newline; false if it is gone. */
bool proc_comm(int proc, u32 pid, u32 tid, char comm[static 64]);

/* Call `each` for every mapping; false if the process is gone. */
bool proc_maps(int proc, u32 pid, void (*each)(void *arg, const struct proc_mapping *m), void *arg);

#endif
