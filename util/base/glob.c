// SPDX-License-Identifier: GPL-2.0
#include "util/base/glob.h"

#include <string.h>

/* The set that begins at p[0] == '[': does it hold c? Returns what follows it, NULL if unclosed. */
static const char *match_set(const char *p, u8 c, bool *holds)
{
	bool negate = p[1] == '!' || p[1] == '^';
	bool found = false;
	const char *first;

	p += 1 + negate;
	for (first = p; *p && (*p != ']' || p == first); p++) {
		u8 from = (u8)p[0], to = from;

		if (p[1] == '-' && p[2] && p[2] != ']') {
			to = (u8)p[2];
			p += 2;
		}
		found |= from <= c && c <= to;
	}
	*holds = found != negate;
	return *p ? p + 1 : NULL;
}

/* One element of the pattern against one byte: what follows the element, NULL if it differs. */
static const char *match_one(const char *p, u8 c)
{
	const char *next;
	bool holds;

	if (*p == '?')
		return p + 1;
	if (*p == '[') {
		next = match_set(p, c, &holds);
		if (next)
			return holds ? next : NULL;
	}
	return *p && (u8)*p == c ? p + 1 : NULL;
}

/* Only the last star ever needs to be tried again: what an earlier one took can stay as it is. */
bool glob_match_n(const char *pattern, const char *name, size_t len)
{
	const char *star = NULL, *retry = NULL, *end = name + len, *next;

	while (name < end) {
		if (*pattern == '*') {
			star = ++pattern;
			retry = name;
			continue;
		}
		next = match_one(pattern, (u8)*name);
		if (next) {
			pattern = next;
			name++;
		} else if (star) {
			pattern = star;
			name = ++retry;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

bool glob_match(const char *pattern, const char *name)
{
	return glob_match_n(pattern, name, strlen(name));
}

bool glob_is_pattern(const char *text)
{
	return strpbrk(text, "*?[") != NULL;
}
