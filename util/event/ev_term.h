/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ev_term.h - the terms between slashes: "period=1000,call-graph=fp" and what they set.
 */
#ifndef EVENT_EV_TERM_H
#define EVENT_EV_TERM_H

#include "util/base/buf.h"
#include "util/base/text.h"
#include "util/event/ev_lex.h"
#include "util/event/ev_spec.h"

enum ev_term_kind {
	EV_TERM_BARE, /* "KEY", which means KEY=1 */
	EV_TERM_NUMBER,
	EV_TERM_STRING,
};

struct ev_term {
	const char *key;   /* in the arena */
	const char *at;    /* the key in the text, for messages */
	const char *value; /* the text of the value; NULL if bare */
	u64 number;        /* 1 if bare */
	enum ev_term_kind kind;
};

struct ev_term_list {
	struct ev_term *v;
	u32 nr, cap;
};

/* Terms up to the '/' that ends them, or to the end of a driver's text (`closed` false). */
int ev_term_parse(struct ev_lex *l, bool closed, struct arena *arena, struct ev_term_list *terms);

/*
 * Apply a term that is known to all events: 1; 0 if it is another one; -errno, with `l` pointing
 * at the term. Tracepoints know fewer of them.
 */
int ev_term_apply(const struct ev_lex *l, const struct ev_term *t, struct ev_spec *spec);

/* The value of a term that takes a number. */
int ev_term_number(const struct ev_lex *l, const struct ev_term *t, u64 max, u64 *v);

/* Feed the names of these terms to a suggestion. */
void ev_term_suggest(struct text_suggest *s, enum ev_class class);
/* Make the term that was meant the hint of an error that has been set. */
void ev_term_hint(const struct ev_term *t, enum ev_class class, struct err *err);

/*
 * Which branches a processor shall record: "any,u", as in -j and branch_type=, as bits of attr.branch_sample_type. Privileges
 * alone mean any branch. 0, or -EINVAL with the unknown word in *unknown. (perf-record(1), --branch-filter)
 */
int ev_branch_parse(const char *text, u64 *bits, const char **unknown);

/* Append all such words, with blanks between them. */
void ev_branch_words(struct buf *b);

#endif
