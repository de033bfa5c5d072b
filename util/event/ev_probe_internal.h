/* SPDX-License-Identifier: GPL-2.0 */
/* ev_probe_internal.h - what the pages of ev_probe.h share. */
#ifndef EVENT_EV_PROBE_INTERNAL_H
#define EVENT_EV_PROBE_INTERNAL_H

#include "util/event/ev_expr.h"
#include "util/event/ev_probe.h"

/* What was typed: [FILE:]FUNCTION or address, +OFFSET, %return. */
struct ev_probe_typed {
	struct ev_word at; /* all of it, for messages */
	const char *file, *function;
	u64 address, offset;
	bool has_address, at_return, is_64_bit;
	bool by_type;    /* fentry, fexit */
	bool is_pattern; /* of functions */
	u64 vaddr;       /* once it is found */
};

/* The registers of calls here; NULL and the error: they are not known. */
const struct arch_call *ev_probe_call(const struct ev_lex *l, const char *at, bool is_64_bit);
/* ev_expr_add_probe(), by what was typed, which lives as long as the list. */
int ev_probe_add_expressions(struct ev_list *list, struct ev_env *env, struct ev_lex *l,
			     const char *text, struct ev_expr_probe *probe);

/* The ELF file of a probe, or the error, pointing at `at`. */
int ev_probe_open(const struct ev_lex *l, struct ev_word at, const char *file, struct image *img);

/* ev_probe_functions.c: functions that need no PMU. */
int ev_probe_add_functions(struct ev_list *list, struct ev_env *env, struct ev_lex *l,
			   struct ev_word kind, struct ev_probe_typed *p);

#endif
