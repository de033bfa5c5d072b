/* SPDX-License-Identifier: GPL-2.0 */
/*
 * syscall_layout.h - where the records of a tracepoint have the system call: its number, arguments,
 * result.
 *
 *	raw_syscalls:sys_enter  sys_exit            of all calls, by number
 *	syscalls:sys_enter_X    syscalls:sys_exit_X of one; a field for each argument, and texts that
 *	                                            the kernel read itself as __data_loc __ARG_val
 *
 * A call that is not known here (syscall_signatures.h) has the arguments of its format.
 *
 * Source: include/trace/events/syscalls.h, kernel/trace/trace_syscalls.c.
 */
#ifndef SYSCALL_SYSCALL_LAYOUT_H
#define SYSCALL_SYSCALL_LAYOUT_H

#include "util/syscall/syscall_signatures.h"
#include "util/tracepoint/tp_field.h"

enum syscall_side { SYSCALL_NEITHER, SYSCALL_ENTER, SYSCALL_EXIT };

struct syscall_layout {
	enum syscall_side side;
	const struct syscall *call; /* of events of one call; NULL: by its number */
	struct syscall own;         /* what `call` is where it is not known here */
	const struct tp_field *nr, *result;
	const struct tp_field *array;                /* of all arguments, NULL: they are fields */
	const struct tp_field *fields[SYSCALL_ARGS]; /* NULL: there is none */
	const struct tp_field *texts[SYSCALL_ARGS];  /* likewise */
};

/* The format and the strings must outlive the layout; an event that is neither has NEITHER. */
void syscall_layout_init(struct syscall_layout *l, const char *system, const char *name,
			 const struct tp_format *format);

/* False: the record is too short. */
bool syscall_layout_nr(const struct syscall_layout *l, const void *raw, size_t len, u64 *nr);
bool syscall_layout_result(const struct syscall_layout *l, const void *raw, size_t len,
			   s64 *result);
/* Arguments that are not there are 0. */
bool syscall_layout_args(const struct syscall_layout *l, const void *raw, size_t len,
			 u64 args[static SYSCALL_ARGS]);

#endif
