/* SPDX-License-Identifier: GPL-2.0 */
/* ev_parse_internal.h - what the parts of ev_parse.h share. */
#ifndef EVENT_EV_PARSE_INTERNAL_H
#define EVENT_EV_PARSE_INTERNAL_H

#include "util/event/ev_env.h"
#include "util/event/ev_lex.h"
#include "util/event/ev_parse.h"
#include "util/event/ev_spec.h"

/*
 * ev_parse_calls.c: system calls by their own names, as strace and perf trace take them: "openat,close",
 * "*stat*", "!futex,poll" (all but these).
 *
 * Names that stand beside each other become one pair of events (ev_syscalls.h), so that a call that
 * two of them mean is told of once.
 */

/* Read such names, and add their events: 1; 0: there are none, nothing was read; <0: the lexer's err. */
int ev_calls_add(struct ev_list *list, struct ev_env *env, struct ev_lex *l);

/*
 * ev_parse_modifier.c: the letters behind an event or a group.
 *
 *	u k h  only user space, only the kernel, only the hypervisor; or those that are named
 *	G H    only in a guest, only on the host
 *	I      not while idle
 *	p      precise address, up to three times; P the most precise that there is
 *	S      the leader's samples carry the counts of the whole group
 *	D e    pinned; alone on the PMU (both: leaders only)
 *	W      the group may be broken up
 *	b      perf's BPF counters
 *
 * Source: perf-list(1), EVENT MODIFIERS.
 */

/* Nothing but such letters, and one at least? */
bool ev_modifier_is(struct ev_word w);

/*
 * Apply to nr specs. Those of a group are added to what the events have said for themselves;
 * else the exclude_ bits start from nothing: as in perf, "cs" excludes guests and "cs:k" does not.
 */
int ev_modifier_apply(const struct ev_lex *l, struct ev_word w, struct ev_spec *specs, u32 nr,
		      bool group);

#endif
