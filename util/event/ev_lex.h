/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ev_lex.h - reading the text behind -e from left to right, and pointing at what is wrong in it.
 *
 * The text is NUL-terminated and stays where it is. Blanks between tokens mean nothing.
 */
#ifndef EVENT_EV_LEX_H
#define EVENT_EV_LEX_H

#include "util/base/err.h"

struct ev_lex {
	const char *text;
	const char *p; /* what is read next */
	struct err *err;
};

/* A piece of the text. */
struct ev_word {
	const char *s;
	size_t len;
};

/* Skip blanks; the next byte, '\0' at the end. */
char ev_lex_peek(struct ev_lex *l);
/* Skip blanks and c, if that is what follows. */
bool ev_lex_take(struct ev_lex *l, char c);

/* Skip blanks, then the longest run of [A-Za-z0-9_.*?!-], '[' and ']'; may be empty. */
struct ev_word ev_lex_word(struct ev_lex *l);
/* The same with ':', for the text between slashes. */
struct ev_word ev_lex_term_word(struct ev_lex *l);

bool ev_word_is(struct ev_word w, const char *s);
/* Is the word a decimal or 0x number? It may be too large: then *v is not set and *fits false. */
bool ev_word_number(struct ev_word w, u64 *v, bool *fits);
/* "r1a8": 'r' and nothing but hexadecimal digits. */
bool ev_word_raw(struct ev_word w, u64 *v, bool *fits);
/* Nothing but letters of EVENT_SET_MODIFIERS, and one at least? */
bool ev_word_is_modifier(struct ev_word w);

/* At most so much of a word is quoted in a message: "%.*s", EV_WORD(w). */
#define EV_WORD_SHOWN 64
#define EV_WORD(w)    (int)MIN((w).len, (size_t)EV_WORD_SHOWN), (w).s

/*
 * Set the error, with the text and an arrow to `at`:
 *
 *	event syntax error: 'cs,nosuch'
 *	                        \___ unknown event 'nosuch'
 *
 * The hint names perf-lite list; err_hint() may say better. Returns -EINVAL.
 */
int ev_lex_error(const struct ev_lex *l, const char *at, const char *fmt, ...) PRINTF_LIKE(3, 4);

#endif
