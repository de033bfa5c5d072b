// SPDX-License-Identifier: GPL-2.0
#include "util/event/ev_parse_internal.h"

#include <sys/utsname.h>

#include "util/base/buf.h"
#include "util/event/ev_syscalls.h"
#include "util/event/ev_tracepoint.h"

/* Does the word name calls? They are added to c. 1, 0 or -ENOMEM. */
static int names_calls(struct ev_syscalls *c, const char *machine, struct ev_word w,
		       struct err *err)
{
	struct buf name = {0};
	int ret;

	buf_add(&name, w.s, w.len);
	ret = name.failed ? err_nomem(err)
			  : (w.len && ev_syscalls_named(c, machine, buf_str(&name)));
	buf_free(&name);
	return ret;
}

/* What has one of these behind it is an event. */
static bool of_event(char next)
{
	return next == ':' || next == '/';
}

/* The next word if it names calls, which are added to c. */
static int take_name(struct ev_syscalls *c, const char *machine, struct ev_lex *l)
{
	struct ev_lex ahead = *l;
	struct ev_word w = ev_lex_word(&ahead);
	int ret = of_event(ev_lex_peek(&ahead)) ? 0 : names_calls(c, machine, w, l->err);

	if (ret > 0)
		*l = ahead;
	return ret;
}

/* Behind '!' stands what names no call: why not. */
static int not_a_call(struct ev_syscalls *c, const char *machine, struct ev_lex *l)
{
	struct ev_lex ahead = *l;
	struct ev_word w = ev_lex_word(&ahead);
	char next = ev_lex_peek(&ahead);
	int call = names_calls(c, machine, w, l->err), ret;

	if (call < 0)
		return call;
	if (!w.len)
		ret = ev_lex_error(l, w.s, "'!' leaves out system calls, and names none");
	else if (call)
		ret = ev_lex_error(l, ahead.p,
				   "behind '!', a system call is its name alone, without '%c'",
				   next);
	else if (of_event(next))
		ret = ev_lex_error(l, w.s, "'!' leaves out system calls, but this is an event");
	else
		ret = ev_lex_error(l, w.s, "there is no system call '%.*s'", EV_WORD(w));
	err_hint(l->err, "names are those of the manual, as in '!futex,poll*'");
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
	if (!ret && all_but)
		ret = not_a_call(&c, u.machine, &ahead);
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
