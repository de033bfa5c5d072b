// SPDX-License-Identifier: GPL-2.0
/* Expressions at syscalls:sys_enter_NAME and sys_exit_NAME: programs of these run at the tracepoint of all calls. */
#include <errno.h>
#include <string.h>
#include <sys/utsname.h>

#include "util/event/ev_expr_internal.h"

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
	/* a personality may give uname(2) another name */
	calls = arch ? arch_syscalls_find(arch->name) : NULL;
	if ((!enter && strncmp(name, EXIT, strlen(EXIT))) || !calls || !arch->syscall)
		return err_set(err, ENOTSUP, "what %s hands over is not known on this machine",
			       name);
	number = arch_syscalls_of(calls, call);
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

/* What the filter says of the number, as the program's condition. */
static int parse_filter(const struct arguments *l, const struct btf *btf, const char *filter,
			const struct expr **when, struct err *err)
{
	struct expr_scope scope = {
		.btf = btf, .arena = l->arena, .arguments = l->v.v, .nr_arguments = l->v.nr};

	*when = filter ? expr_parse(&scope, &filter, err) : NULL;
	return *when || !filter ? 0 : scope.no_memory ? err_nomem(err) : -EINVAL;
}

/* The list of its fields, up to the parenthesis. */
static const char *fields_of(struct arena *arena, const struct arch_syscall *m)
{
	struct buf b = {0};
	const char *text;
	u32 i;

	buf_adds(&b, "id, ");
	for (i = 0; i < ARCH_SYSCALL_ARGUMENTS; i++)
		buf_addf(&b, "arg%u=%s, ", i + 1, m->arguments[i]);
	buf_addf(&b, "path((int)%s))", m->arguments[0]);
	text = b.failed ? NULL : arena_strndup(arena, b.data, b.len);
	buf_free(&b);
	return text;
}

int ev_expr_call_paths(struct ev_list *list, struct ev_env *env, struct ev_spec *s, struct err *err)
{
	const struct btf *btf = ev_env_btf(env, err);
	const struct btf_type function =
		btf ? btf_tracepoint(btf, s->tp.name) : (struct btf_type){0};
	struct arguments l = {.arena = &list->arena};
	struct probe_source from = {
		.btf = btf, .name = s->tp.name, .arena = &list->arena, .arguments = &l};
	const char *system = s->tp.system, *text, *wrong;
	const struct arch *arch;
	struct ev_expr *x;
	struct utsname u;
	u32 id;
	int ret;

	if (!btf)
		return err ? -err->code : -ENOTSUP;
	arch = uname(&u) ? NULL : arch_find(u.machine);
	if (!arch || !arch->syscall || function.kind != BTF_FUNC_PROTO)
		return err_set(err, ENOTSUP,
			       "what system calls are given is not known on this machine");
	text = fields_of(&list->arena, arch->syscall);
	x = text ? ev_expr_new(list, env) : NULL;
	if (!x)
		return err_nomem(err);
	id = x->probe.id;
	ret = arguments_tracepoint(&l, btf, &function, err);
	if (!ret)
		ret = parse_filter(&l, btf, s->tp.filter, &from.when, err);
	if (!ret)
		ret = probe_parse(&x->probe, &from, &text, &wrong, err);
	arguments_free(&l);
	if (ret)
		return ret;
	x->probe.id = id;
	s->tp.filter = NULL;
	return ev_expr_fill(list, s, x, system, x->probe.tracepoint, err);
}
