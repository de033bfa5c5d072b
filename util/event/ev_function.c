// SPDX-License-Identifier: GPL-2.0
#include "util/event/ev_function.h"

#include <errno.h>
#include <string.h>

#define EXAMPLE "ftrace:function --filter 'ip == kfree_skb || ip == napi_*'"

bool ev_function_is(const struct ev_spec *s)
{
	return s->tp_system && !strcmp(s->tp_system, "ftrace") && !strcmp(s->tp_name, "function");
}

static bool is_name_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c && strchr("_.$*?[]:-", c));
}

static void skip_blanks(const char **p)
{
	*p += strspn(*p, " \t\n");
}

/* A word of the field's or a function's name, bare or in quotes; 0: there is none. */
static size_t take_word(const char **p, const char **word)
{
	const char quote = **p == '"' || **p == '\'' ? *(*p)++ : 0;
	size_t len = 0;

	while (is_name_byte((*p)[len]))
		len++;
	*word = *p;
	*p += len;
	if (quote && **p != quote)
		return 0;
	*p += quote != 0;
	return len;
}

/* ip == NAME, as the kernel writes it. False: it is something else. */
static bool take_test(const char **p, struct buf *out)
{
	const char *word, *how;
	size_t len = take_word(p, &word);

	if (len != 2 || memcmp(word, "ip", 2) != 0)
		return false;
	skip_blanks(p);
	how = *p;
	if (strncmp(how, "==", 2) == 0 || strncmp(how, "!=", 2) == 0)
		*p += 2;
	else if (*how == '~')
		*p += 1;
	else
		return false;
	skip_blanks(p);
	len = take_word(p, &word);
	buf_addf(out, "ip %s %.*s", *how == '!' ? "!=" : "==", (int)len, word);
	return len != 0;
}

/* Tests, with && and || between them, and brackets. */
static bool translate(const char *text, struct buf *out)
{
	u32 depth = 0;

	for (;;) {
		for (skip_blanks(&text); *text == '('; skip_blanks(&text)) {
			buf_addc(out, *text++);
			depth++;
		}
		if (!take_test(&text, out))
			return false;
		for (skip_blanks(&text); *text == ')' && depth; skip_blanks(&text)) {
			buf_addc(out, *text++);
			depth--;
		}
		if (!*text)
			return !depth;
		if (strncmp(text, "||", 2) != 0 && strncmp(text, "&&", 2) != 0)
			return false;
		buf_addf(out, " %.2s ", text);
		text += 2;
	}
}

/* What the kernel is to be told; NULL: `text` does not name functions, or memory is out. */
static const char *kernel_text(struct ev_list *list, const char *text)
{
	struct buf b = {0};
	const char *kernel = NULL;

	if (translate(text, &b) && !b.failed)
		kernel = arena_strdup(&list->arena, buf_str(&b));
	buf_free(&b);
	return kernel;
}

int ev_function_filter(struct ev_list *list, struct ev_spec *s, const char *text, struct err *err)
{
	if (s->filter) {
		err_set(err, EINVAL, "%s has a filter already", s->name);
		err_hint(err, "one filter names all functions: -e " EXAMPLE);
		return -EINVAL;
	}
	s->typed_filter = arena_strdup(&list->arena, text);
	s->filter = s->kernel_filter = kernel_text(list, text);
	if (s->filter)
		return s->typed_filter ? 0 : err_nomem(err);
	err_set(err, EINVAL, "filter of %s: '%s' does not name functions by their ip", s->name,
		text);
	err_hint(err, "-e " EXAMPLE);
	return -EINVAL;
}

int ev_function_check(const struct ev_spec *s, struct err *err)
{
	if (s->filter)
		return 0;
	err_set(err, EINVAL,
		"%s without a filter is every call of every function, those of the recording itself among them",
		s->name);
	err_hint(err, "name functions: -e " EXAMPLE "; to count all of them: perf-lite stat -e %s",
		 s->name);
	return -EINVAL;
}

int ev_function_refused(const struct ev_spec *s, int code, struct err *err)
{
	err_set(err, code, "%s: the kernel does not take the filter '%s' (%s)", s->name, s->filter,
		strerror(code));
	err_hint(
		err,
		"it names functions of /sys/kernel/tracing/available_filter_functions; several by ||, "
		"all but some by !=");
	return -code;
}
