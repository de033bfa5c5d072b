// SPDX-License-Identifier: GPL-2.0
#include "util/event/ev_filter.h"

#include <errno.h>
#include <string.h>

int ev_filter_spec(struct ev_list *list, struct ev_spec *s, const char *filter, struct err *err)
{
	const char *both;

	both = s->filter ? arena_printf(&list->arena, "(%s) && (%s)", s->filter, filter)
			 : arena_strdup(&list->arena, filter);
	if (!both)
		return err_nomem(err);
	s->filter = both;
	return 0;
}

int ev_filter_add(struct ev_list *list, const char *filter, struct err *err)
{
	int ret = 0;
	u32 i;

	if (list->last >= list->specs.nr) {
		err_set(err, EINVAL, "--filter stands before any -e");
		err_hint(err, "-e skb:kfree_skb --filter '%s'", filter);
		return -EINVAL;
	}
	if (!filter[strspn(filter, " \t\n")]) {
		err_set(err, EINVAL, "the filter is empty");
		err_hint(err, "as in --filter 'prev_pid > 0'");
		return -EINVAL;
	}
	for (i = list->last; i < list->specs.nr; i++) {
		if (list->specs.v[i].class != EV_TRACEPOINT) {
			err_set(err, EINVAL, "only tracepoints can be filtered, and %s is none",
				list->specs.v[i].name);
			err_hint(err, "put --filter behind the -e of the tracepoint");
			return -EINVAL;
		}
	}
	for (i = list->last; !ret && i < list->specs.nr; i++)
		ret = ev_filter_spec(list, &list->specs.v[i], filter, err);
	return ret;
}

int ev_filter_cgroups(struct ev_list *list, const char *text, struct err *err)
{
	const char *name = NULL;
	u32 i, at = list->nr_cgroups;
	size_t len;

	if (!list->specs.nr) {
		err_set(err, EINVAL, "-G stands before any -e: define events before cgroups");
		err_hint(err, "-e cs -G %s", text);
		return -EINVAL;
	}
	for (;; text += len + 1, at++) {
		len = strcspn(text, ",");
		if (len && at >= list->specs.nr) {
			err_set(err, EINVAL, "there is no event for the cgroup '%.*s'",
				(int)MIN(len, (size_t)256), text);
			err_hint(err,
				 "-G names one cgroup for each event before it, or one for all");
			return -EINVAL;
		}
		if (len) {
			name = arena_strndup(&list->arena, text, len);
			if (!name)
				return err_nomem(err);
			list->specs.v[at].cgroup = name;
		}
		if (!text[len])
			break;
	}
	list->nr_cgroups = at + 1;
	for (i = 0; list->nr_cgroups == 1 && i < list->specs.nr; i++)
		list->specs.v[i].cgroup = name;
	return 0;
}
