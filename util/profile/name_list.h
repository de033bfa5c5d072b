/* SPDX-License-Identifier: GPL-2.0 */
/*
 * name_list.h - names as people list them: "main,do_syscall_64", or "!main,do_syscall_64" for all others.
 *
 * Zero-initialised, a list is empty. Names are taken as they are; functions may be patterns, too
 * (name_list_matches()). A comma in a pair of brackets, or behind
 * a backslash, is part of a name: "std::map<int, long>::find(int, bool),main".
 */
#ifndef PROFILE_NAME_LIST_H
#define PROFILE_NAME_LIST_H

#include "util/base/arena.h"
#include "util/base/err.h"
#include "util/base/vec.h"

struct name_list {
	const char **v; /* in arena */
	u32 nr, cap;
	bool except; /* the list began with "!": names that are not wanted */
	struct arena arena;
};

/*
 * Pass over a "!" at the beginning of *text. *except is what the list says so far, if `any` of it was given: its
 * parts must agree.
 */
int name_list_except(const char **text, bool any, bool *except, struct err *err);

/* Add the names of a list; empty ones are passed over. */
int name_list_add(struct name_list *l, const char *text, struct err *err);
/* Likewise, and a "!" in front is known. */
int name_list_choose(struct name_list *l, const char *text, struct err *err);
bool name_list_has(const struct name_list *l, const char *name);
/*
 * The same of functions, which may be patterns: * any text, ? any byte. The star of a pointer, as in "f(char*)", or of
 * "operator*" means itself.
 */
bool name_list_matches(const struct name_list *l, const char *name);
bool name_list_is_pattern(const char *text);
/* Is there no list, or does it want this name? */
static inline bool name_list_wants(const struct name_list *l, const char *name)
{
	return !l->nr || name_list_has(l, name) != l->except;
}
void name_list_free(struct name_list *l);

#endif
