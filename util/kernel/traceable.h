/* SPDX-License-Identifier: GPL-2.0 */
/*
 * traceable.h - the kernel's functions whose beginning can be traced, by a pattern (glob.h).
 *
 * Since Linux 6.5 tracefs has them with their addresses. Before, the addresses are those of /proc/kallsyms, and a name that
 * has more functions there than tracefs is passed over: it is not known which of them can be traced.
 *
 * A zero-initialised list is empty and ready.
 *
 * Source: Documentation/trace/ftrace.rst, available_filter_functions and available_filter_functions_addrs.
 */
#ifndef KERNEL_TRACEABLE_H
#define KERNEL_TRACEABLE_H

#include "util/base/arena.h"
#include "util/base/vec.h"
#include "util/kernel/tracefs.h"

struct traceable {
	const char *name;
	u64 addr;
};

struct traceables {
	VEC(struct traceable) v;
	struct arena arena;
};

/*
 * Append those that match, modules' among them, or, unless `module` is NULL, of this one alone; there may be none. -ENOTSUP: this
 * kernel traces no functions.
 */
int traceable_find(const struct sysroot *root, const struct tracefs *t, const char *module,
		   const char *pattern, struct traceables *found, struct err *err);
void traceable_free(struct traceables *found);

#endif
