/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ksyms.h - names of addresses in the running kernel, asked one at a time.
 *
 * The kernel itself answers, through a small BPF program that formats addresses with "%pS": some
 * microseconds for each function, once. Where that cannot be had (no privilege, an old kernel, a
 * /proc that is a test's own tree), the whole of /proc/kallsyms is read, which takes some 50 ms.
 * Nothing happens before the first address; each function is asked for once and then remembered.
 *
 * Both ways give functions only: no section bounds, no padding before functions. Of aliases the
 * kernel names the first of its list, where kallsyms.h prefers by its own rules. The entry points
 * of system calls (__x64_sys_read) are preferred in both, but for kernels before 6.2, which take
 * milliseconds to find a name.
 *
 * Source: bpf(2), BPF_PROG_TYPE_SYSCALL and bpf_snprintf() (Linux 5.16);
 * Documentation/core-api/printk-formats.rst; kernel/kallsyms.c.
 */
#ifndef KERNEL_KSYMS_H
#define KERNEL_KSYMS_H

#include "util/base/err.h"
#include "util/base/hash.h"
#include "util/base/symtab.h"
#include "util/base/vec.h"

struct ksym {
	u64 start, end; /* [start, end) */
	const char *name;
	const char *module; /* "[nf_tables]", "[bpf]"; "": the kernel itself */
};

struct ksyms {
	int proc;       /* descriptor of /proc */
	bool file_only; /* do not ask the kernel: set it before the first address */
	bool opened, by_kernel;
	bool names_are_slow;
	int prog;
	struct ksyms_shared *shared; /* what program and caller share */
	u64 start, text_end, end;    /* of the kernel's image */
	VEC(struct ksyms_found)
	found; /* by address, no two overlap */
	struct strtab names;
	struct symtab file; /* all of /proc/kallsyms, if it was read */
	struct err error;   /* why there are no names; code 0: there are, or none was asked for */
};

/* Cannot fail: what could is put off to the first address. */
void ksyms_open(struct ksyms *k, int proc);

/*
 * The function at `ip`, false if there is none or it is unknown (k->error then says why). Its
 * strings live until ksyms_close().
 */
bool ksyms_find(struct ksyms *k, u64 ip, struct ksym *out);

/* Where the kernel's own code is; false if unknown. */
bool ksyms_range(struct ksyms *k, u64 *start, u64 *len);

/* Code there is new: what was known of the range may not hold any more. */
void ksyms_forget(struct ksyms *k, u64 start, u64 len);

void ksyms_close(struct ksyms *k);

#endif
