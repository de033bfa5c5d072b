// SPDX-License-Identifier: GPL-2.0
#include "util/event/ev_calls.h"

#include <sys/utsname.h>

#include "util/base/buf.h"
#include "util/event/ev_syscalls.h"
#include "util/event/ev_tracepoint.h"

/* The next word if it names calls, which are added to c. What has a colon or a slash behind it is an event. */
static int take_name(struct ev_syscalls *c, const char *machine, struct ev_lex *l)
{
	struct ev_lex ahead = *l;
	struct ev_word w = ev_lex_word(&ahead);
	struct buf name = {0};
	char next = ev_lex_peek(&ahead);
	int ret = 0;

	if (!w.len || next == ':' || next == '/')
		return 0;
	buf_add(&name, w.s, w.len);
	if (name.failed)
		ret = err_nomem(l->err);
	else if (ev_syscalls_named(c, machine, buf_str(&name)))
		ret = 1;
	buf_free(&name);
	if (ret > 0)
		*l = ahead;
	return ret;
}

int ev_calls_add(struct ev_list *list, struct ev_env *env, struct ev_lex *l)
{
	struct ev_lex ahead = *l;
	struct ev_syscalls c = {0};
	struct utsname u;
	bool all_but;
	int ret;

	if (uname(&u))
		return 0;
	all_but = ev_lex_take(&ahead, '!');
	ret = take_name(&c, u.machine, &ahead);
	if (!ret && all_but) {
		struct ev_word w = ev_lex_word(&ahead);

		ret = ev_lex_error(l, w.s, "there is no system call '%.*s'", EV_WORD(w));
		err_hint(l->err, "names are those of the manual, as in '!futex,poll*'");
	}
	if (ret <= 0)
		return ret;
	do {
		*l = ahead;
		ret = ev_lex_take(&ahead, ',') ? take_name(&c, u.machine, &ahead) : 0;
	} while (ret > 0);
	if (ret < 0)
		return ret;
	if (all_but)
		ev_syscalls_invert(&c);
	if (!c.nr_enter)
		return ev_lex_error(l, l->p, "no system call is left");
	ret = ev_tracepoint_add_calls(list, env, l, &c);
	return ret ? ret : 1;
}
