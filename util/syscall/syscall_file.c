// SPDX-License-Identifier: GPL-2.0
#include "util/syscall/syscall.h"

#include <string.h>

static bool is_word(const char *word, const char *const *of, size_t nr)
{
	size_t i;

	for (i = 0; i < nr && strcmp(of[i], word) != 0; i++)
		;
	return i < nr;
}

/* The argument that names a file, SYSCALL_ARGS: none does. Of an attribute "name" is another thing. */
static u32 find_name(const struct syscall_arg *args)
{
	static const char *const names[] = {"filename", "pathname",    "path",          "oldname",
					    "library",  "specialfile", "from_pathname", "u_name"};
	u32 i;

	for (i = 0; i < 2 && args[i].name; i++) {
		if (args[i].kind != SYSCALL_STR)
			continue;
		if (is_word(args[i].name, names, ARRAY_SIZE(names)))
			return i;
		if (i && args[0].kind == SYSCALL_DIRFD && !strcmp(args[i].name, "name"))
			return i;
	}
	return SYSCALL_ARGS;
}

bool syscall_file_put(const struct syscall_call *c, struct buf *out)
{
	const struct syscall_arg *args = syscall_text_args_of(c);
	const struct syscall_string *at = &c->texts[0], *name = NULL;
	u32 named = find_name(args);

	if (!args[0].name || !syscall_is_descriptor(args[0].kind))
		at = NULL;
	if (named < SYSCALL_ARGS) {
		name = &c->texts[named];
		/* an empty name is the file of the descriptor */
		if (!name->s && c->args[named])
			return false;
		if (!name->len)
			name = NULL;
	}
	if (at && at->s && (!name || (args[0].kind == SYSCALL_DIRFD && name->s[0] != '/'))) {
		buf_add(out, at->s, at->len);
		/* the root is one already */
		if (name && at->len && at->s[at->len - 1] != '/')
			buf_addc(out, '/');
	} else if (!name) {
		return false;
	}
	if (name)
		buf_add(out, name->s, name->len);
	return true;
}
