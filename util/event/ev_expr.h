/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ev_expr.h - "skb:kfree_skb(skb->dev->name, flow(skb))": a tracepoint whose fields are expressions (probe.h).
 *
 *	ev_expr_add() -> a spec with .tp.expr, the format of its fields, and the attr of a BPF program's output
 *	-> ev_open() opens that on each CPU, whatever the targets -> ev_expr_attach(): the program, which looks for the targets
 *
 * The same at a probe (ev_probe.h): "uprobe:/bin/bash:readline(str(arg1))". The event that makes the kernel run the program is
 * then one of the PMU, and of everybody, on one CPU.
 *
 * What is stored is an event of type PERF_TYPE_TRACEPOINT with a number that no tracepoint has, ev_expr_stored().
 */
#ifndef EVENT_EV_EXPR_H
#define EVENT_EV_EXPR_H

#include "util/event/ev_env.h"
#include "util/event/ev_lex.h"
#include "util/event/ev_open.h"
#include "util/event/ev_spec.h"
#include "util/probe/arguments.h"

/* The lexer is at the "(" behind the names of the tracepoint. */
int ev_expr_add(struct ev_list *list, struct ev_env *env, struct ev_lex *l, struct ev_word system,
		struct ev_word name);
/*
 * What names mean at syscalls:NAME, sys_enter_X or sys_exit_X, as arguments_syscall() has it; *at: the tracepoint of all calls, at
 * which the program of one runs. -ENOTSUP: that is not known here.
 */
int ev_expr_call(struct ev_env *env, const char *name, struct arguments *l,
		 const struct expr **when, const char **at, struct err *err);
/* Add to what a tracepoint hands over its own fields that are known as expressions (arguments.h). */
int ev_expr_fields(struct ev_env *env, const char *system, const char *name, struct arguments *l,
		   struct err *err);
/*
 * raw_syscalls:sys_enter, perhaps with a filter of numbers: it gets fields arg1 to arg6 in place of args, and path, of the file behind the
 * first of them as a descriptor. (syscall_layout.c reads both.) -ENOTSUP: not here.
 */
int ev_expr_call_paths(struct ev_list *list, struct ev_env *env, struct ev_spec *s,
		       struct err *err);
/* May this process have such events, of everybody or of chosen threads? */
int ev_expr_allowed(struct ev_env *env, bool everybody, struct err *err);
/* May programs keep an account of hits (ev_count.h, ev_span.h)? False: `why` has the reason. */
bool ev_expr_may_account(const struct sysroot *root, struct buf *why);
/*
 * Functions that a program is attached to without a probe of the PMU: one of the kernel, by its type, as a tracing program, which
 * is given its parameters and its result; or any number, of the kernel by addresses, of a file by bytes of it. Pointers live as
 * long as the list.
 */
struct ev_expr_functions {
	u32 btf_id;         /* of the one; 0: those below */
	const char *module; /* that it is of; NULL: of the kernel itself */
	const char *file;   /* NULL: of the kernel */
	const char *names;  /* of a file's, what prints the field "function" */
	const u64 *addrs;
	u32 nr;
	const char *first;    /* its name, or that of the first */
	const char *left_out; /* which the pattern matches as well, and why; NULL: none */
	bool at_return;
};
/*
 * Likewise behind a probe, which is the last spec of the list, as it would be opened without expressions; or behind the name of
 * functions, a spec of which is made. Only these do without expressions.
 */
struct ev_expr_probe {
	const char *system, *name; /* of the event: "uprobe", "/bin/bash:readline" */
	const char *function;      /* of the format */
	const struct arguments *arguments;
	const struct btf *btf;                     /* their types; NULL: the kernel's */
	bool user;                                 /* in a program */
	const struct ev_expr_functions *functions; /* NULL: the last spec is the probe */
};
int ev_expr_add_probe(struct ev_list *list, struct ev_env *env, struct ev_lex *l,
		      const struct ev_expr_probe *probe);
/* Is it of a function: are the samples' addresses and call chains those of the place that is probed? */
bool ev_expr_is_probe(const struct ev_spec *s);
/* ... and of a file's, not of the kernel? */
bool ev_expr_is_uprobe(const struct ev_spec *s);

/* A line on what matched and has no probe. */
void ev_expr_note(const struct ev_spec *s, struct buf *notes);

/* Leave these tasks out. -ENOMEM. */
int ev_expr_leave_out(struct ev_spec *s, const u32 *selves, u32 nr, struct err *err);

/*
 * The attr is what record wants of a tracepoint: make it one of a program that looks for the targets itself. -EINVAL: it asks for what
 * a program does not do.
 */
int ev_expr_configure(struct ev_spec *s, struct err *err);

/*
 * The counters from number `from` on are new: give them to the program, which is loaded and attached the first time. tids:
 * -1 alone is every task; else these threads and what they start, as the attr has said.
 */
int ev_expr_attach(struct ev_spec *s, const struct counters *c, u32 from, const s32 *tids,
		   u32 nr_tids, struct err *err);
/*
 * Programs that do not make samples begin, or cease, to do what they do (ev_count.h, ev_span.h): nothing of it is begun any more when
 * it returns. Events that wait for an exec do it from the beginning. Of others, nothing changes.
 */
int ev_expr_enable(struct ev_spec *s, bool on, struct err *err);
/* Does its program make no samples of what its filter leaves out? Once it is attached. */
bool ev_expr_tests(const struct ev_spec *s);
/*
 * Hits that the program did not see or could not record, but for those that had no room in a ring; and one for each thread that it
 * had no room for.
 */
u64 ev_expr_missed(const struct ev_spec *s);
/* The number of its tracepoint: of the format, and of the attr as it is stored. */
u32 ev_expr_number(const struct ev_spec *s);
void ev_expr_stored(const struct ev_spec *s, struct perf_event_attr *attr);
void ev_expr_free(struct ev_expr *x);

#endif
