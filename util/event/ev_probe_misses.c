// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <sys/utsname.h>

#include "util/event/ev_probe.h"

static bool is_missed_silently(const struct ev_spec *s)
{
	struct utsname u;
	u32 major, minor;

	if (!s->at_return || ev_probe_is_user(s) || !s->tp.expr)
		return s->at_return;
	return uname(&u) || sscanf(u.release, "%u.%u", &major, &minor) != 2 ||
	       major * 1000 + minor < 6007;
}

bool ev_probe_misses(const struct ev_list *list)
{
	u32 i;

	for (i = 0; i < list->specs.nr; i++)
		if (is_missed_silently(&list->specs.v[i]))
			return true;
	return false;
}

void ev_probe_note_misses(const struct ev_list *list, struct buf *notes)
{
	static const char *const what[] = {
		"returns of more calls at once than twice the CPUs, or 10, are not seen",
		"returns of more than 64 nested calls are not seen"};
	const struct ev_spec *s;
	u32 user, i, nr;

	for (user = 0; user < 2; user++) {
		for (i = nr = 0; i < list->specs.nr; i++) {
			s = &list->specs.v[i];
			if (!is_missed_silently(s) || ev_probe_is_user(s) != user)
				continue;
			buf_addf(notes, "%s%s", nr++ ? ", " : "", s->name);
		}
		if (nr)
			buf_addf(notes, ": %s\n", what[user]);
	}
}
