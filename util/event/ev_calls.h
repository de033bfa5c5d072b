/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ev_calls.h - system calls by their own names, as strace and perf trace take them: "openat,close",
 * "*stat*", "!futex,poll" (all but these).
 *
 * Names that stand beside each other become one pair of events (ev_syscalls.h), so that a call that
 * two of them mean is told of once.
 */
#ifndef EVENT_EV_CALLS_H
#define EVENT_EV_CALLS_H

#include "util/event/ev_env.h"
#include "util/event/ev_lex.h"
#include "util/event/ev_spec.h"

/* Read such names, and add their events: 1; 0: there are none, nothing was read; <0: the lexer's err. */
int ev_calls_add(struct ev_list *list, struct ev_env *env, struct ev_lex *l);

#endif
