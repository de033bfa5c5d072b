// SPDX-License-Identifier: GPL-2.0
#include "util/profile/name_list.h"

#include <errno.h>
#include <string.h>

int name_list_add(struct name_list *l, const char *text, struct err *err)
{
	const char **slot;
	size_t len;

	for (; *text; text += len + (text[len] == ',')) {
		len = strcspn(text, ",");
		if (!len)
			continue;
		slot = vec_push(l);
		if (!slot)
			return err_nomem(err);
		*slot = arena_strndup(&l->arena, text, len);
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

void name_list_free(struct name_list *l)
{
	vec_free(l);
	arena_free(&l->arena);
}
