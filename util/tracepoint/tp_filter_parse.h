/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tp_filter_parse.h - the text of a filter as a tree.
 *
 * The grammar is here; what stands right of an operator is read by tp_filter_number.h (numbers and
 * their names) and tp_filter_text.h (text, bytes, functions).
 */
#ifndef TRACEPOINT_TP_FILTER_PARSE_H
#define TRACEPOINT_TP_FILTER_PARSE_H

#include "util/tracepoint/tp_filter.h"
#include "util/tracepoint/tp_filter_node.h"

struct tp_filter_parser {
	const struct tp_format *f;
	const struct tp_filter_opts *opts;
	struct arena *arena;
	const char *text; /* NUL-terminated */
	const char *p;    /* what is read next */
	const char *at;   /* the comparison that is being read */
	struct err *err;
	u32 depth, nodes;
	int failed; /* -EINVAL with the place; the first error stands */
};

/* NULL, with `failed` set. */
const struct tp_filter_node *tp_filter_parse_all(struct tp_filter_parser *p);

/* ---- for the readers of values ---- */

/* A piece of the text. */
struct tp_filter_word {
	const char *s;
	size_t len;
};

/* Say what is wrong at `at`; returns NULL. */
void *tp_filter_parse_error(struct tp_filter_parser *p, const char *at, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
/* What would have been right; the hint of the error that was just said. */
void tp_filter_parse_hint(struct tp_filter_parser *p, const char *fmt, ...) PRINTF_LIKE(2, 3);
void *tp_filter_parse_nomem(struct tp_filter_parser *p);

void tp_filter_parse_blanks(struct tp_filter_parser *p);
/* Up to a blank, a bracket, && or ||, and what else is in `ends`. May be empty. */
struct tp_filter_word tp_filter_parse_word(struct tp_filter_parser *p, const char *ends);
/* A copy that ends in NUL; NULL: memory is out, and the error is set. */
const char *tp_filter_parse_copy(struct tp_filter_parser *p, struct tp_filter_word w);
/* The field (or cpu, comm, tid) of that name; false if there is none, without an error. */
bool tp_filter_parse_value(struct tp_filter_parser *p, struct tp_filter_word w,
			   struct tp_filter_value *v);
struct tp_filter_node *tp_filter_parse_node(struct tp_filter_parser *p, enum tp_filter_kind kind);
/* Two values of the sample beside each other. */
const struct tp_filter_node *tp_filter_parse_values(struct tp_filter_parser *p,
						    const struct tp_filter_value *left,
						    enum tp_filter_op op,
						    const struct tp_filter_value *right);
/* The fields of the event as the hint. */
void tp_filter_parse_fields(struct tp_filter_parser *p, struct tp_filter_word meant);

/* At most so much of a word is quoted in a message: "%.*s", TP_FILTER_WORD(w). */
#define TP_FILTER_WORD_SHOWN 64
#define TP_FILTER_WORD(w)    (int)MIN((w).len, (size_t)TP_FILTER_WORD_SHOWN), (w).s

#endif
