/* SPDX-License-Identifier: GPL-2.0 */
/*
 * syscall_signatures.h - the arguments of the system calls that are known here, and what they return.
 *
 * Source: the formats of syscalls:sys_enter_* of Linux 6.18, whose names of arguments these are;
 * the manual pages of the calls.
 */
#ifndef SYSCALL_SYSCALL_SIGNATURES_H
#define SYSCALL_SYSCALL_SIGNATURES_H

#include "util/syscall/syscall_names.h"

#define SYSCALL_ARGS 6

struct syscall_arg {
	const char *name; /* NULL: there is none */
	enum syscall_kind kind;
};

struct syscall {
	const char *name;         /* as in the manual */
	enum syscall_kind result; /* LONG: a number, and as every result perhaps -ERRNO */
	struct syscall_arg args[SYSCALL_ARGS];
};

/* NULL: not known. */
const struct syscall *syscall_signatures_find(const char *name);

/* Has any of them an argument of this name? Those of calls that are not known are arg1 to arg6. */
bool syscall_signatures_has_arg(const char *name);

#endif
