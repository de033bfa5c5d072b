/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tp_names.h - the names that a print fmt has for the values of a field.
 *
 * A field has names where one argument of the print fmt is made of __print_symbolic() or
 * __print_flags() and of no other field: `reason` of skb:kfree_skb, `prev_state` of
 * sched:sched_switch. If several are, the first counts.
 */
#ifndef TRACEPOINT_TP_NAMES_H
#define TRACEPOINT_TP_NAMES_H

#include "util/tracepoint/tp_prog.h"

/*
 * The program that prints the name of the field's value and nothing else (tp_run.h); the caller
 * frees it. *prog is NULL, and 0 is returned, if the field has no names or the print fmt cannot be
 * compiled. -ENOMEM.
 */
int tp_names_compile(const struct tp_format *f, const struct tp_field *field,
		     const struct tp_opts *opts, struct tp_prog **prog, struct err *err);

#endif
