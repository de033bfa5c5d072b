/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ev_tracepoint.h - "sched:sched_switch", "sched:*" -> specs with id and format.
 *
 * A pattern must match one event at least; what matches is taken in the order of its names, and
 * systems that have no such event are passed over.
 */
#ifndef EVENT_EV_TRACEPOINT_H
#define EVENT_EV_TRACEPOINT_H

#include "util/base/buf.h"
#include "util/event/ev_env.h"
#include "util/event/ev_lex.h"
#include "util/event/ev_spec.h"
#include "util/kernel/tracefs.h"

int ev_tracepoint_add(struct ev_list *list, struct ev_env *env, const struct ev_lex *l,
		      struct ev_word system, struct ev_word name);

/*
 * Give a spec that has only the number of a tracepoint ("2:325", "tracepoint/config=325/") its
 * system, name and format. If that is not possible it stays a number, and opening it fails.
 */
int ev_tracepoint_identify(struct ev_list *list, struct ev_env *env, struct ev_spec *s);

/*
 * Patterns of system calls as two events: 'syscalls:*' -> raw_syscalls:sys_enter and
 * raw_syscalls:sys_exit.
 *
 * Each of the kernel's 720 tracepoints would be opened on every CPU and closed again, which takes
 * seconds. The two others carry the number of the call, and a filter on it chooses: of
 * 'syscalls:sys_*_open*' `id == 2 || id == 257 || ...`. Only those who understand such records ask
 * for this (ev_env.h, raw_syscalls).
 */
#define EV_SYSCALLS_BYTES 128

struct ev_syscalls {
	u8 enter[EV_SYSCALLS_BYTES], exit[EV_SYSCALLS_BYTES]; /* bits */
	u32 nr_enter, nr_exit;
	u32 most; /* calls that have a tracepoint */
};

/* The calls by their own names, both sides: are there any that match? They are added to c. */
bool ev_syscalls_named(struct ev_syscalls *c, const char *machine, const char *pattern);
/* All the others. */
void ev_syscalls_invert(struct ev_syscalls *c);

static inline bool ev_syscalls_has(const u8 bits[static EV_SYSCALLS_BYTES], u32 nr)
{
	return bits[nr / 8] >> nr % 8 & 1;
}

/* Are all of them meant? */
static inline bool ev_syscalls_all(const struct ev_syscalls *c, u32 nr)
{
	return nr >= c->most;
}

/* Append "id == 2 || (id >= 5 && id <= 9)". */
void ev_syscalls_filter(const u8 bits[static EV_SYSCALLS_BYTES], struct buf *out);
/* The same for their ends: the kernel has forgotten the number of rt_sigreturn(2) by then. */
void ev_syscalls_filter_ends(const u8 bits[static EV_SYSCALLS_BYTES], const char *machine,
			     struct buf *out);

/*
 * Read system calls by their own names, as strace and perf trace take them: "openat,close", "*stat*", "!futex,poll" (all but
 * these), of a machine by its uname -m name. 1; 0: there are none, nothing was read; <0: the lexer's err.
 */
int ev_syscalls_read(struct ev_syscalls *c, const char *machine, struct ev_lex *l);
/*
 * Those of this machine, and add their events. Adjacent names become one pair of events, so that a call that two of them match is
 * reported once. Likewise.
 */
int ev_calls_add(struct ev_list *list, struct ev_env *env, struct ev_lex *l);

#endif
