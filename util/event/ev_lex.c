// SPDX-License-Identifier: GPL-2.0
#include "util/event/ev_lex.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#include "util/base/err.h"
#include "util/base/num.h"
#include "util/record/event_set.h"

char ev_lex_peek(struct ev_lex *l)
{
	while (isspace((u8)*l->p))
		l->p++;
	return *l->p;
}

bool ev_lex_take(struct ev_lex *l, char c)
{
	if (ev_lex_peek(l) != c)
		return false;
	l->p++;
	return true;
}

static struct ev_word take_run(struct ev_lex *l, const char *others)
{
	struct ev_word w;

	ev_lex_peek(l);
	w.s = l->p;
	while (*l->p && (isalnum((u8)*l->p) || strchr(others, *l->p)))
		l->p++;
	w.len = (size_t)(l->p - w.s);
	return w;
}

struct ev_word ev_lex_word(struct ev_lex *l)
{
	return take_run(l, "_.*?![]-");
}

struct ev_word ev_lex_term_word(struct ev_lex *l)
{
	return take_run(l, "_.*?![]-:");
}

bool ev_word_is(struct ev_word w, const char *s)
{
	return w.len == strlen(s) && !memcmp(w.s, s, w.len);
}

bool ev_word_is_modifier(struct ev_word w)
{
	size_t i;

	for (i = 0; i < w.len; i++)
		if (!strchr(EVENT_SET_MODIFIERS, w.s[i]))
			return false;
	return w.len > 0;
}

static bool all_of(const char *s, size_t len, int (*class)(int))
{
	size_t i;

	for (i = 0; i < len; i++)
		if (!class((u8)s[i]))
			return false;
	return len > 0;
}

bool ev_word_number(struct ev_word w, u64 *v, bool *fits)
{
	char digits[32];

	if (w.len > 2 && w.s[0] == '0' && (w.s[1] | 32) == 'x') {
		*fits = num_hex(w.s + 2, w.len - 2, v);
		return all_of(w.s + 2, w.len - 2, isxdigit);
	}
	*fits = false;
	if (!all_of(w.s, w.len, isdigit))
		return false;
	if (w.len < sizeof(digits)) {
		memcpy(digits, w.s, w.len);
		digits[w.len] = '\0';
		*fits = num_u64(digits, v);
	}
	return true;
}

bool ev_word_raw(struct ev_word w, u64 *v, bool *fits)
{
	*fits = false;
	if (w.len < 2 || w.s[0] != 'r' || !all_of(w.s + 1, w.len - 1, isxdigit))
		return false;
	*fits = num_hex(w.s + 1, w.len - 1, v);
	return true;
}

/* ---- errors ---- */

int ev_lex_error(const struct ev_lex *l, const char *at, const char *fmt, ...)
{
	va_list ap;
	int ret;

	va_start(ap, fmt);
	ret = err_place(l->err, "event syntax error: ", l->text, at, fmt, ap);
	va_end(ap);
	err_hint(l->err, "perf-lite list shows the events of this machine");
	return ret;
}
