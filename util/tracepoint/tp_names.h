/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tp_names.h - the names that a print fmt has for the values of a field.
 *
 * A field has names where one argument of the print fmt is made of __print_symbolic() or
 * __print_flags() and of no other field: `reason` of skb:kfree_skb, `prev_state` of
 * sched:sched_switch. If several are, the first counts, and what goes on with its text.
 *
 * The numbers of system calls have names, too, where tp_opts.calls knows the machine, though no print fmt has them: `id` of
 * raw_syscalls:sys_enter and sys_exit, `__syscall_nr`, of older kernels `nr`, of the events of one call. One without a name is a decimal number. So has `op` of sys_enter_futex.
 */
#ifndef TRACEPOINT_TP_NAMES_H
#define TRACEPOINT_TP_NAMES_H

#include "util/base/vec.h"
#include "util/tracepoint/tp_prog.h"

struct tp_value_name {
	u64 value;
	const char *name; /* unescaped, not NUL-terminated */
	size_t len;
};

/* All names of a field, in the order of the print fmt. */
struct tp_name_list {
	VEC(struct tp_value_name) v;
	bool flags; /* each means bits of the value */
	bool whole; /* they name the field as a whole, not a part or a sum of it */
	struct arena arena;
};

/*
 * The program that prints the name of the field's value and nothing else (tp_prog_run()); the caller
 * frees it. *prog is NULL, and 0 is returned, if the field has no names or the print fmt cannot be
 * compiled. -ENOMEM.
 */
int tp_names_compile(const struct tp_format *f, const struct tp_field *field,
		     const struct tp_opts *opts, struct tp_prog **prog, struct err *err);

/* The zeroed *list is empty, and 0 is returned, if the field has no names. -ENOMEM. */
int tp_names_list(const struct tp_format *f, const struct tp_field *field,
		  const struct tp_opts *opts, struct tp_name_list *list, struct err *err);
void tp_names_list_free(struct tp_name_list *list);

#endif
