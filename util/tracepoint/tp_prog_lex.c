// SPDX-License-Identifier: GPL-2.0
#include "util/tracepoint/tp_prog_internal.h"

#include <ctype.h>
#include <string.h>

static bool ident_char(char c)
{
	return isalnum((u8)c) || c == '_' || c == '$';
}

static char unescape_char(char c)
{
	switch (c) {
	case 'n':
		return '\n';
	case 't':
		return '\t';
	case 'r':
		return '\r';
	case '0':
		return '\0';
	default:
		return c;
	}
}

void tp_lex_unescape(struct buf *b, const char *s, size_t len)
{
	const char *end = s + len, *slash;

	while (s < end) {
		slash = memchr(s, '\\', (size_t)(end - s));
		if (!slash || slash + 1 == end) {
			buf_add(b, s, (size_t)(end - s));
			return;
		}
		buf_add(b, s, (size_t)(slash - s));
		buf_addc(b, unescape_char(slash[1]));
		s = slash + 2;
	}
}

static unsigned int digit_value(char c)
{
	if (isdigit((u8)c))
		return (unsigned int)(c - '0');
	return isalpha((u8)c) ? (unsigned int)((c | 32) - 'a') + 10 : 99;
}

/* C's rule: the first of int, unsigned (hex only), long, unsigned long that holds it. */
static void number(struct tp_lex *l, struct tp_tok *t)
{
	const char *p = t->s;
	unsigned int base = 10;

	if (*p == '0' && l->end - p > 2 && (p[1] | 32) == 'x') {
		base = 16;
		p += 2;
	} else if (*p == '0') {
		base = 8;
	}
	for (; p < l->end && digit_value(*p) < base; p++)
		t->value = t->value * base + digit_value(*p);
	for (; p < l->end && ident_char(*p); p++) {
		t->is_unsigned |= (*p | 32) == 'u';
		t->is_long |= (*p | 32) == 'l';
	}
	if (t->value > UINT32_MAX || (base == 10 && !t->is_unsigned && t->value > INT32_MAX))
		t->is_long = true;
	if (t->value > INT64_MAX || (!t->is_long && t->value > INT32_MAX))
		t->is_unsigned = true;
	t->kind = TP_TOK_NUMBER;
	l->p = p;
}

/* The opening quote is at l->p. */
static void quoted(struct tp_lex *l, struct tp_tok *t)
{
	char quote = *l->p++;

	t->s = l->p;
	for (; l->p < l->end && *l->p != quote; l->p++)
		if (*l->p == '\\' && ++l->p == l->end)
			break;
	if (l->p >= l->end) {
		l->p = l->end;
		return;
	}
	t->len = (size_t)(l->p - t->s);
	l->p++;
	if (quote == '"') {
		t->kind = TP_TOK_STRING;
	} else if (t->len == 1 || (t->len == 2 && t->s[0] == '\\')) {
		t->kind = TP_TOK_CHAR;
		t->value = (u8)(t->len == 2 ? unescape_char(t->s[1]) : t->s[0]);
	}
}

static void punctuation(struct tp_lex *l, struct tp_tok *t)
{
	static const char two[][3] = {"->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
	size_t i;

	if (!strchr("()[]{},;?:.+-*/%&|^~!<>=", *l->p))
		return;
	t->kind = TP_TOK_OP;
	t->op = TP_OP1(*l->p++);
	for (i = 0; l->p < l->end && i < ARRAY_SIZE(two); i++) {
		if (two[i][0] != l->p[-1] || two[i][1] != *l->p)
			continue;
		t->op = TP_OP2(two[i][0], two[i][1]);
		l->p++;
		break;
	}
}

struct tp_tok tp_lex_next(struct tp_lex *l)
{
	struct tp_tok t = {.kind = TP_TOK_BAD};

	while (l->p < l->end && isspace((u8)*l->p))
		l->p++;
	t.s = l->p;
	if (l->p == l->end) {
		t.kind = TP_TOK_END;
		return t;
	}
	if (isdigit((u8)*l->p)) {
		number(l, &t);
	} else if (ident_char(*l->p)) {
		while (l->p < l->end && ident_char(*l->p))
			l->p++;
		t.kind = TP_TOK_IDENT;
	} else if (*l->p == '"' || *l->p == '\'') {
		quoted(l, &t);
		return t;
	} else if (*l->p) {
		punctuation(l, &t);
	}
	t.len = (size_t)(l->p - t.s);
	return t;
}
