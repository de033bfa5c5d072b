/* SPDX-License-Identifier: GPL-2.0 */
/*
 * name_list.h - names as people list them: "main,do_syscall_64".
 *
 * Zero-initialised, a list is empty. Names are taken as they are, no patterns.
 */
#ifndef PROFILE_NAME_LIST_H
#define PROFILE_NAME_LIST_H

#include "util/base/arena.h"
#include "util/base/err.h"
#include "util/base/vec.h"

struct name_list {
	const char **v; /* in arena */
	u32 nr, cap;
	struct arena arena;
};

/* Add the names of a list; empty ones are passed over. */
int name_list_add(struct name_list *l, const char *text, struct err *err);
bool name_list_has(const struct name_list *l, const char *name);
void name_list_free(struct name_list *l);

#endif
