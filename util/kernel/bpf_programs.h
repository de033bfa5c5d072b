/* SPDX-License-Identifier: GPL-2.0 */
/*
 * bpf_programs.h - BPF programs that are loaded: those that run before a tracepoint's events, and where the code of all is.
 *
 * A program attached to a perf event of a tracepoint (not to its raw form) runs before the perf events of everybody, and
 * where it returns 0 they do not get the hit: they count and sample nothing of it. Many programs return 0 always, since
 * their authors did not think of others; bpftrace's return 1. So the code is looked at, before anybody is warned.
 *
 * Source: kernel/trace/bpf_trace.c, trace_call_bpf(); bpf(2), BPF_TASK_FD_QUERY; perf_event_open(2),
 * PERF_EVENT_IOC_QUERY_BPF.
 */
#ifndef KERNEL_BPF_PROGRAMS_H
#define KERNEL_BPF_PROGRAMS_H

#include "util/base/buf.h"
#include "util/base/err.h"
#include "util/base/vec.h"
#include "util/kernel/sysroot.h"

/* Which hits a program keeps from perf events, as its code says. */
enum bpf_program_hides {
	BPF_PROGRAM_HIDES_SOME, /* those for which it returns 0; also if its code cannot be read */
	BPF_PROGRAM_HIDES_ALL,
	BPF_PROGRAM_HIDES_NONE,
};

struct bpf_program {
	u32 id;
	char name[16]; /* as its loader called it; "" if it did not, or we may not see it */
	enum bpf_program_hides hides;
};

/* One that a running process holds. */
struct bpf_holder {
	struct bpf_program program;
	u32 pid;
	char comm[64];
	char tracepoint[128]; /* without its system */
};

struct bpf_holders {
	VEC(struct bpf_holder) v;
};

/*
 * Those that the descriptors of running processes hold, by process, but those that hide nothing. -EPERM: this user may
 * not ask; -ENOSYS: there is no bpf(2).
 */
int bpf_programs_held(const struct sysroot *root, struct bpf_holders *out, struct err *err);

/*
 * Those before the tracepoint of an open perf event, but those that hide nothing: at most `max`; their number, or
 * -errno.
 */
int bpf_programs_before(int perf_fd, struct bpf_program *v, u32 max);

/*
 * Where the functions of all programs begin in the kernel's memory, as far as they are compiled, and the caller may ask for them
 * (CAP_SYS_ADMIN) and see addresses.
 */
void bpf_programs_functions(void (*each)(void *arg, u64 start), void *arg);

struct bpf_insn;

/*
 * What a program of these instructions hides. The kernel takes the lowest bit of what it returns. Only constants are
 * followed, as compilers return them: directly before the exit.
 */
enum bpf_program_hides bpf_program_hides_by(const struct bpf_insn *v, u32 nr);

/* Append "'NAME' (id 7)". */
void bpf_program_put(const struct bpf_program *p, struct buf *out);

#endif
