/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tp_parse.h - the print fmt of an event as a format string and a tree per argument.
 *
 * The kernel prints the source text of TP_printk() after the preprocessor: C expressions over
 * REC->field with the helpers of include/trace/stages/stage3_trace_output.h. Statement expressions
 * are understood where their statements only declare integers (that is what min() becomes).
 */
#ifndef TRACEPOINT_TP_PARSE_H
#define TRACEPOINT_TP_PARSE_H

#include <string.h>

#include "util/base/buf.h"
#include "util/base/vec.h"
#include "util/tracepoint/tp_lex.h"
#include "util/tracepoint/tp_node.h"

/* What a print fmt does not say about the machine that recorded. */
struct tp_opts {
	u32 long_size; /* bytes of a long and of a pointer: 4 or 8; 0 means 8 */
	u32 hz;        /* CONFIG_HZ, for jiffies_to_msecs(); 0 if unknown */
	/*
	 * The text of perf 6.1 also where it is not the kernel's: all numbers are unsigned 64-bit
	 * ones, a name that the kernel left untranslated is -1, arrays print as "1 2", a width is
	 * that of each name in a list. What perf misreads (see tests/oracle/prog/tp_oracle.c) is
	 * read as C all the same.
	 */
	bool compat;
};

struct tp_parsed {
	struct buf fmt; /* of printf, escapes replaced */
	VEC(const struct tp_node *) args;
};

/* Nodes are made in `arena`, which must outlive them; free the rest with tp_parse_free(). */
int tp_parse(const struct tp_format *f, const struct tp_opts *opts, struct arena *arena,
	     struct tp_parsed *out, struct err *err);
void tp_parse_free(struct tp_parsed *out);

/* The rest is between the grammar (tp_parse.c), its types (tp_ctype.c) and its calls (tp_call.c). */
struct tp_parser {
	const struct tp_format *f;
	struct tp_opts opts;
	struct tp_build build;
	struct tp_lex lex;
	struct tp_tok tok;
	const struct tp_parse_var *vars; /* of statement expressions, the newest first */
	unsigned int depth;
	struct err *err;
};

/* Say what is wrong at `at`; returns NULL. The first message stands. */
void *tp_parse_error(struct tp_parser *p, const char *at, const char *fmt, ...) PRINTF_LIKE(3, 4);
void tp_parse_next(struct tp_parser *p);
bool tp_parse_is(const struct tp_parser *p, u32 op);
/* Step over the punctuation if it is there. */
bool tp_parse_take(struct tp_parser *p, u32 op);
/* The same, or an error. */
bool tp_parse_expect(struct tp_parser *p, u32 op);
const struct tp_node *tp_parse_expr(struct tp_parser *p);
/* A string literal, or several in a row, unescaped into the arena. */
bool tp_parse_string(struct tp_parser *p, const char **str, size_t *len);

static inline bool tp_parse_word(const struct tp_tok *t, const char *word)
{
	return t->kind == TP_TOK_IDENT && strlen(word) == t->len && !memcmp(t->s, word, t->len);
}

#endif
