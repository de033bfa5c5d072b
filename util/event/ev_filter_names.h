/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ev_filter_names.h - names that filters may use and that this machine's kernel tells: values of types
 * (/sys/kernel/btf/vmlinux), functions (/proc/kallsyms). Nothing is read before it is asked for.
 */
#ifndef EVENT_EV_FILTER_NAMES_H
#define EVENT_EV_FILTER_NAMES_H

#include "util/btf/btf.h"
#include "util/kernel/sysroot.h"
#include "util/tracepoint/tp_filter.h"

struct ev_filter_names {
	const struct sysroot *root;
	struct tp_filter_names names; /* to be given to filters */
	struct btf btf;
	struct buf kallsyms;
	bool have_btf, have_kallsyms;
	struct arena arena;
};

/* *n must stay where it is until ev_filter_names_free(). */
void ev_filter_names_init(struct ev_filter_names *n, const struct sysroot *root);
void ev_filter_names_free(struct ev_filter_names *n);

/* Does the kernel take FIELD.function in filters? Linux 6.3 and later. */
bool ev_filter_names_functions(const struct sysroot *root);
/* Do threads have the numbers here that the kernel itself has for them? Not in a pid namespace. */
bool ev_filter_names_tids(const struct sysroot *root);

#endif
