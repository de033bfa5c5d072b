/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tp_lex.h - the C tokens of a print fmt.
 *
 * The text need not be NUL-terminated and is never read past its end. A token is a piece of the
 * text in place: the quotes of a string are not in it, its backslashes still are.
 */
#ifndef TRACEPOINT_TP_LEX_H
#define TRACEPOINT_TP_LEX_H

#include "util/base/buf.h"
#include "util/base/types.h"

enum tp_tok_kind {
	TP_TOK_END,
	TP_TOK_IDENT,
	TP_TOK_NUMBER,
	TP_TOK_CHAR,
	TP_TOK_STRING,
	TP_TOK_OP,  /* punctuation; `op` is its code */
	TP_TOK_BAD, /* a string without its end, or a byte that C does not know */
};

/* The code of punctuation: its characters, the first in the lowest byte. */
#define TP_OP1(a)    ((u32)(u8)(a))
#define TP_OP2(a, b) ((u32)(u8)(a) | (u32)(u8)(b) << 8)

struct tp_tok {
	enum tp_tok_kind kind;
	u32 op;
	const char *s;
	size_t len;
	u64 value;                 /* of numbers and characters */
	bool is_unsigned, is_long; /* of numbers: what suffix and size make of it */
};

struct tp_lex {
	const char *start, *p, *end;
};

struct tp_tok tp_lex_next(struct tp_lex *l);

/* Append a string's bytes with \n, \t, \r, \" and the like replaced by what they stand for. */
void tp_lex_unescape(struct buf *b, const char *s, size_t len);

#endif
