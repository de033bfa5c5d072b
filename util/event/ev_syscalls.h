/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ev_syscalls.h - patterns of system calls as two events: 'syscalls:*' -> raw_syscalls:sys_enter and
 * raw_syscalls:sys_exit.
 *
 * Each of the kernel's 720 tracepoints would be opened on every CPU and closed again, which takes
 * seconds. The two others tell the same by number, and a filter on that number chooses: of
 * 'syscalls:sys_*_open*' `id == 2 || id == 257 || ...`. Only those who understand such records ask
 * for this (ev_env.h, raw_syscalls).
 */
#ifndef EVENT_EV_SYSCALLS_H
#define EVENT_EV_SYSCALLS_H

#include "util/base/buf.h"
#include "util/kernel/tracefs.h"

/* What a pattern of names in the system "syscalls" stands for, by number. */
struct ev_syscalls {
	u8 enter[128], exit[128]; /* bits */
	u32 nr_enter, nr_exit;
	u32 most; /* calls that have a tracepoint */
};

/*
 * The calls whose tracepoints match on a machine, by its uname -m name. -ENOENT: none; -ENOTSUP: one has
 * a number that is not known here.
 */
int ev_syscalls_match(struct ev_syscalls *c, const struct tracefs *t, const char *machine,
		      const char *pattern, struct err *err);
/* The calls by their own names, both sides: are there any that match? They are added to c. */
bool ev_syscalls_named(struct ev_syscalls *c, const char *machine, const char *pattern);
/* All the others. */
void ev_syscalls_invert(struct ev_syscalls *c);

/* Are all of them meant? */
static inline bool ev_syscalls_all(const struct ev_syscalls *c, u32 nr)
{
	return nr >= c->most;
}

/* Append "id == 2 || (id >= 5 && id <= 9)". */
void ev_syscalls_filter(const u8 bits[static 128], struct buf *out);

#endif
