/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arch_syscalls.h - the system calls of a machine: number <-> name, as constant tables.
 *
 * Names are those of <asm/unistd.h> and of the manual (fstat, umount2). Numbers are those of 64-bit
 * programs: what a 32-bit program calls on a 64-bit kernel goes by other numbers, and its
 * tracepoints do not say that.
 *
 * Source: <asm/unistd_64.h> and <asm-generic/unistd.h> up to Linux 6.18.
 */
#ifndef ARCH_ARCH_SYSCALLS_H
#define ARCH_ARCH_SYSCALLS_H

#include "util/base/types.h"

struct arch_syscalls {
	const char *const *names; /* by number, NULL: not used */
	u32 nr;
};

/* The table for a uname -m name; NULL: there is none. */
const struct arch_syscalls *arch_syscalls_find(const char *machine);
/* NULL: not a number of this machine, or of a newer kernel. */
const char *arch_syscalls_name(const struct arch_syscalls *t, u64 nr);
/* ID_NONE if there is none. */
u32 arch_syscalls_number(const struct arch_syscalls *t, const char *name);

/*
 * The name of the call whose tracepoint is sys_enter_NAME: the kernel has names of its own for a few
 * (newfstat, umount). All others are returned as they are.
 */
const char *arch_syscalls_of_tracepoint(const char *name);

extern const struct arch_syscalls arch_syscalls_x86_64, arch_syscalls_generic, arch_syscalls_s390,
	arch_syscalls_powerpc;

#endif
