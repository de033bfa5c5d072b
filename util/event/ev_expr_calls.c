// SPDX-License-Identifier: GPL-2.0
/* Expressions at syscalls:sys_enter_NAME and sys_exit_NAME: programs of these run at the tracepoint of all calls. */
#include <errno.h>
#include <string.h>
#include <sys/utsname.h>

#include "util/event/ev_expr.h"

#define ENTER "sys_enter_"
#define EXIT  "sys_exit_"

/* The format of where the call begins, which has its arguments. */
static struct tp_format *enter_format(const struct tracefs *t, const char *call, struct err *err)
{
	struct buf name = {0}, text = {0};
	struct tp_format *f = NULL;

	buf_addf(&name, ENTER "%s", call);
	if (name.failed)
		err_nomem(err);
	else if (!tracefs_format(t, "syscalls", buf_str(&name), &text, err))
		f = tp_format_parse(buf_str(&text), text.len, err);
	buf_free(&name);
	buf_free(&text);
	return f;
}

int ev_expr_call(struct ev_env *env, const char *name, struct arguments *l,
		 const struct expr **when, const char **at, struct err *err)
{
	const bool enter = !strncmp(name, ENTER, strlen(ENTER));
	const char *call = name + strlen(enter ? ENTER : EXIT);
	const struct btf *btf = ev_env_btf(env, err);
	const struct tracefs *t = ev_env_tracefs(env, err);
	const struct arch_syscalls *calls;
	const struct arch *arch;
	struct tp_format *f;
	struct utsname u;
	u32 number;
	int ret;

	if (!btf || !t)
		return err ? -err->code : -ENOTSUP;
	arch = uname(&u) ? NULL : arch_find(u.machine);
	calls = arch ? arch_syscalls_find(u.machine) : NULL;
	if ((!enter && strncmp(name, EXIT, strlen(EXIT))) || !calls || !arch->syscall)
		return err_set(err, ENOTSUP, "what %s hands over is not known on this machine",
			       name);
	number = arch_syscalls_number(calls, arch_syscalls_of_tracepoint(call));
	if (number == ID_NONE)
		return err_set(err, ENOTSUP, "the number of the system call %s is not known", call);
	f = enter_format(t, call, err);
	ret = f     ? arguments_syscall(l, btf,
					&(struct arguments_syscall){.machine = arch->syscall,
								    .enter = f,
								    .number = number,
								    .at_exit = !enter},
					when, err)
	      : err ? -err->code
		    : -ENOTSUP;
	tp_format_free(f);
	*at = enter ? "sys_enter" : "sys_exit";
	return ret;
}
