/* SPDX-License-Identifier: GPL-2.0 */
/* ev_probe_internal.h - what the pages of ev_probe.h share. */
#ifndef EVENT_EV_PROBE_INTERNAL_H
#define EVENT_EV_PROBE_INTERNAL_H

#include "util/event/ev_expr.h"
#include "util/event/ev_probe.h"
#include "util/kernel/traceable.h"

/* What was typed: [FILE:]FUNCTION, address or SOURCE:LINE, +OFFSET, %return. */
struct ev_probe_typed {
	struct ev_word at; /* all of it, for messages */
	const char *file, *function;
	const char *module; /* of the kernel; NULL: none was typed */
	const char *source; /* with its line; NULL: none was typed */
	u32 line;
	u64 address, offset;
	bool has_address, at_return, is_64_bit;
	bool by_type;            /* fentry, fexit */
	bool is_pattern;         /* of functions */
	u64 vaddr;               /* once it is found */
	const char *expressions; /* and what follows; NULL: none */
};

/* The registers of calls here; NULL and the error: they are not known. */
const struct arch_call *ev_probe_call(const struct ev_lex *l, const char *at, bool is_64_bit);
/* ev_expr_add_probe(), by what was typed, which lives as long as the list. */
int ev_probe_add_expressions(struct ev_list *list, struct ev_env *env, struct ev_lex *l,
			     const char *text, struct ev_expr_probe *probe);

/* The ELF file of a probe, or the error, pointing at `at`. */
int ev_probe_open(const struct ev_lex *l, struct ev_word at, const char *file, struct image *img);

/* What the instruction is that begins at the byte of the file, if this machine's kernel is known to put no probe at such; else NULL. */
const char *ev_probe_no_place(const struct image *img, u64 offset);

/* A place that has been found: what the event's attr says of it. */
struct ev_probe_place {
	const char *name;   /* of the event; NULL: as it was typed */
	const char *target; /* a function of the kernel, or a file; lives as long as the list */
	u64 offset;         /* in it */
	u64 semaphore;      /* where in the file the count of those who watch is; 0: nowhere */
	bool at_return;
};
int ev_probe_add_place(struct ev_list *list, const struct pmu *pmu,
		       const struct ev_probe_place *place, struct err *err);
/* The kernel's PMU "kprobe" or "uprobe"; NULL and err if it has none, pointing at `kind`. */
struct pmu *ev_probe_pmu(struct ev_env *env, const struct ev_lex *l, struct ev_word kind,
			 const char *name);

/* What names mean at a function, of which the address is known if it is one of a file. */
int ev_probe_find_names(struct ev_env *env, const struct ev_probe_typed *p,
			const struct arch_call *call, struct ev_probe_names *n, struct err *err);

/* ev_probe_lines.c: lines of source. */
int ev_probe_add_line(struct ev_list *list, struct ev_env *env, struct ev_lex *l,
		      struct ev_word kind, struct ev_probe_typed *p);
int ev_probe_line_names(struct ev_probe_names *n, struct ev_env *env, struct ev_lex *l,
			struct ev_probe_typed *p);

/* Can the name of a function stand in a format? */
bool ev_probe_is_word(const char *name);
/* Bytes of the file and the functions that they are in, into the list's arena: a field "function" of a program. */
int ev_probe_take_functions(struct ev_list *list, const struct ev_lex *l,
			    const struct ev_probe_typed *p, const struct traceables *found,
			    struct ev_expr_functions *functions);

/* ev_probe_functions.c: functions that need no PMU. */
int ev_probe_add_functions(struct ev_list *list, struct ev_env *env, struct ev_lex *l,
			   struct ev_word kind, struct ev_probe_typed *p);

#endif
