// SPDX-License-Identifier: GPL-2.0
#include "util/profile/name_list.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

/* Is text[at] a bracket, not of "operator<" or "->"? */
static bool is_bracket(const char *text, size_t at)
{
	static const char operator[] = "operator";
	const size_t len = sizeof(operator) - 1;

	if (text[at] != '<' && text[at] != '>')
		return true;
	if (text[at] == '>' && at && text[at - 1] == '-')
		return false;
	while (at && strchr("<>-=", text[at - 1]))
		at--;
	return at < len || memcmp(text + at - len, operator, len) != 0;
}

/* Where the bracket at text[at] is closed; 0: nowhere. */
static size_t closed_at(const char *text, size_t at)
{
	static const char opening[] = "(<[{", closing[] = ")>]}";
	const char open = text[at], close = closing[strchr(opening, open) - opening];
	u32 depth = 0;

	for (; text[at]; at++) {
		if (!is_bracket(text, at))
			continue;
		if (text[at] == open)
			depth++;
		else if (text[at] == close && !--depth)
			return at;
	}
	return 0;
}

/* The bytes of the first name. */
static size_t name_length(const char *text)
{
	size_t at = 0, close;

	while (text[at] && text[at] != ',') {
		close = strchr("(<[{", text[at]) && is_bracket(text, at) ? closed_at(text, at) : 0;
		if (text[at] == '\\' && text[at + 1] == ',')
			close = at + 1;
		at = MAX(at, close) + 1;
	}
	return at;
}

/* Without the backslashes before commas. */
static const char *copy_name(struct arena *arena, const char *text, size_t len)
{
	char *name = arena_strndup(arena, text, len), *to = name;
	const char *from;

	for (from = name; from && *from; from++)
		if (from[0] != '\\' || from[1] != ',')
			*to++ = *from;
	if (to)
		*to = '\0';
	return name;
}

int name_list_add(struct name_list *l, const char *text, struct err *err)
{
	const char **slot;
	size_t len;

	for (; *text; text += len + (text[len] == ',')) {
		len = name_length(text);
		if (!len)
			continue;
		slot = vec_push(l);
		if (!slot)
			return err_nomem(err);
		*slot = copy_name(&l->arena, text, len);
		if (!*slot)
			return err_nomem(err);
	}
	return 0;
}

int name_list_except(const char **text, bool any, bool *except, struct err *err)
{
	bool begins = **text == '!';

	*text += begins;
	if (any && begins != *except) {
		err_set(err, EINVAL, "'%s%s' is beside a list %s '!'", begins ? "!" : "", *text,
			begins ? "without" : "with");
		err_hint(err, "name either what is wanted, or with '!LIST' what is not");
		return -EINVAL;
	}
	*except = begins;
	return 0;
}

int name_list_choose(struct name_list *l, const char *text, struct err *err)
{
	int ret = name_list_except(&text, l->nr, &l->except, err);

	if (!ret && !*text) {
		err_set(err, EINVAL, "the list names nothing");
		err_hint(err, "give names with commas between them; '!LIST' is all others");
		return -EINVAL;
	}
	return ret ? ret : name_list_add(l, text, err);
}

bool name_list_has(const struct name_list *l, const char *name)
{
	u32 i;

	for (i = 0; i < l->nr; i++)
		if (!strcmp(l->v[i], name))
			return true;
	return false;
}

/* Does text[at] stand for other text? */
static bool is_wild(const char *text, size_t at)
{
	static const char operator[] = "operator";
	const size_t len = sizeof(operator) - 1;
	size_t from = at, to = at + 1;

	if (text[at] != '*')
		return text[at] == '?';
	while (from && strchr("*& ", text[from - 1]))
		from--;
	while (text[to] == '*' || text[to] == '&' || text[to] == ' ')
		to++;
	if (from >= len && !memcmp(text + from - len, operator, len))
		return false;
	/* behind a type, in a pair of brackets */
	return !from || !(isalnum((u8)text[from - 1]) || strchr("_>", text[from - 1])) ||
	       !text[to] || !strchr("),>", text[to]);
}

static bool matches(const char *pattern, const char *name)
{
	size_t p = 0, n = 0, star = 0, behind = 0;
	bool any = false;

	while (name[n]) {
		if (pattern[p] == '*' && is_wild(pattern, p)) {
			any = true;
			star = ++p;
			behind = n;
		} else if (pattern[p] && (pattern[p] == name[n] || is_wild(pattern, p))) {
			p++;
			n++;
		} else if (any) {
			p = star;
			n = ++behind;
		} else {
			return false;
		}
	}
	while (pattern[p] == '*' && is_wild(pattern, p))
		p++;
	return !pattern[p];
}

bool name_list_is_pattern(const char *text)
{
	size_t at;

	for (at = 0; text[at]; at++)
		if (is_wild(text, at))
			return true;
	return false;
}

bool name_list_matches(const struct name_list *l, const char *name)
{
	u32 i;

	for (i = 0; i < l->nr; i++)
		if (!strcmp(l->v[i], name) || (strpbrk(l->v[i], "*?") && matches(l->v[i], name)))
			return true;
	return false;
}

void name_list_free(struct name_list *l)
{
	vec_free(l);
	arena_free(&l->arena);
}
