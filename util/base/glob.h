/* SPDX-License-Identifier: GPL-2.0 */
/*
 * glob.h - names matched by patterns: * any text, ? any byte, [a-f] one of a set, [!a-f] none of
 * it.
 *
 * Unlike fnmatch(3) it never goes back further than to the last star, so that no pattern takes
 * exponential time. A '[' that is not closed means itself; nothing is special about '/', '.'
 * or '\\'.
 */
#ifndef BASE_GLOB_H
#define BASE_GLOB_H

#include "util/base/types.h"

bool glob_match(const char *pattern, const char *name);
/* The same for a name that is not NUL-terminated. */
bool glob_match_n(const char *pattern, const char *name, size_t len);
/* Has the text any of * ? [ in it? */
bool glob_is_pattern(const char *text);

#endif
