// SPDX-License-Identifier: GPL-2.0
/*
 * Arguments of system calls: a program runs at raw_syscalls:sys_enter or sys_exit, and finds them among the registers. Their names and
 * types are those of the format of syscalls:sys_enter_NAME, where they lie one after the other, 8 bytes each.
 */
#include "util/probe/arguments.h"

#include <errno.h>
#include <string.h>

#define WORD  8u
#define FIRST 16u /* in such a record, behind the number */

struct calls {
	struct arguments *l;
	const struct arguments_syscall *of;
	struct expr_scope scope; /* of regs, and the number or the result */
};

/* NULL: it cannot be read on this kernel; or memory is out, which the scope says. */
static const struct expr *parse(struct calls *c, const char *text)
{
	struct err why = {0};

	c->scope.no_memory |= !text;
	return text ? expr_parse(&c->scope, &text, &why) : NULL;
}

static int add(struct calls *c, const char *name, const struct expr *e, struct err *err)
{
	struct expr_argument *a = name && e && !c->scope.no_memory ? vec_push(&c->l->v) : NULL;

	if (!a)
		return err_nomem(err);
	*a = (struct expr_argument){.name = name, .e = e};
	return 0;
}

/* Which of the arguments it is; ID_NONE: it is none, but the number or a text that the kernel has stored behind them. */
static u32 place_of(const struct tp_field *f)
{
	const u32 n = f->offset >= FIRST ? (f->offset - FIRST) / WORD : ID_NONE;

	return !f->is_common && f->loc == TP_LOC_FIXED && !f->is_array && f->size == WORD &&
			       f->offset % WORD == 0 && n < ARCH_SYSCALL_ARGUMENTS
		       ? n
		       : ID_NONE;
}

/*
 * The type of an argument, as a cast can have it: const is left out, and where the kernel takes another struct than it says,
 * it is that. (ipc/msg.c, ipc/shm.c, without CONFIG_ARCH_WANT_OLD_COMPAT_IPC)
 */
static const char *type_of(struct arena *arena, const char *type)
{
	static const struct {
		const char *declared, *taken;
	} structs[] = {{"msqid_ds", "msqid64_ds"}, {"shmid_ds", "shmid64_ds"}};
	static const char constant[] = "const";
	struct buf b = {0};
	const char *text;
	size_t n, i;

	for (; *type; type += n) {
		n = strspn(type, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
		if (n == strlen(constant) && !memcmp(type, constant, n))
			continue;
		for (i = 0; i < ARRAY_SIZE(structs); i++)
			if (n == strlen(structs[i].declared) &&
			    !memcmp(type, structs[i].declared, n))
				break;
		n = MAX(n, 1u);
		if (i < ARRAY_SIZE(structs))
			buf_adds(&b, structs[i].taken);
		else
			buf_add(&b, type, n);
	}
	text = b.failed ? NULL : arena_strndup(arena, buf_str(&b), b.len);
	buf_free(&b);
	return text;
}

/* As a type that the kernel does not know by that name it is an address or a number. */
static int add_argument(struct calls *c, const struct tp_field *f, const char *where,
			struct err *err)
{
	struct arena *arena = c->l->arena;
	const char *type = type_of(arena, f->type);
	const struct expr *e = parse(c, type ? arena_printf(arena, "(%s)%s", type, where) : NULL);

	if (!e && !c->scope.no_memory)
		e = parse(c, f->is_pointer ? arena_printf(arena, "(void *)%s", where) : where);
	/* also of a type that is one by another name */
	if (e && e->type.kind == EXPR_POINTER)
		e = expr_of_user(arena, e);
	return add(c, arena_strdup(arena, f->name), e, err);
}

static int add_arguments(struct calls *c, struct err *err)
{
	const struct tp_format *f = c->of->enter;
	u32 i, n;
	int ret = 0;

	for (i = 0; i < f->nr_fields && !ret; i++) {
		n = place_of(&f->fields[i]);
		if (n != ID_NONE)
			ret = add_argument(c, &f->fields[i], c->of->machine->arguments[n], err);
	}
	return ret;
}

/* Of 64-bit programs: others have other numbers, which mean other calls. */
static int make_condition(struct calls *c, const struct expr **when, struct err *err)
{
	const struct arch_syscall *m = c->of->machine;
	const char *number = c->of->at_exit ? m->number : "id";

	*when = parse(c, m->foreign ? arena_printf(c->l->arena, "%s==%u&&!(%s)", number,
						   c->of->number, m->foreign)
				    : arena_printf(c->l->arena, "%s==%u", number, c->of->number));
	if (*when)
		return 0;
	return c->scope.no_memory
		       ? err_nomem(err)
		       : err_set(err, ENOTSUP,
				 "the running kernel has other registers than are known");
}

int arguments_syscall(struct arguments *l, const struct btf *b, const struct arguments_syscall *of,
		      const struct expr **when, struct err *err)
{
	const struct btf_type raw = btf_tracepoint(b, of->at_exit ? "sys_exit" : "sys_enter");
	struct arguments own = {.arena = l->arena};
	struct calls c = {
		.l = l, .of = of, .scope = {.btf = b, .arena = l->arena, .has_task = true}};
	int ret =
		raw.kind == BTF_FUNC_PROTO
			? arguments_tracepoint(&own, b, &raw, err)
			: err_set(err, ENOTSUP, "the running kernel has no types of system calls");

	c.scope.arguments = own.v.v;
	c.scope.nr_arguments = own.v.nr;
	if (!ret)
		ret = make_condition(&c, when, err);
	if (!ret)
		ret = add_arguments(&c, err);
	if (!ret && of->at_exit)
		ret = add(&c, "ret", parse(&c, "ret"), err);
	arguments_free(&own);
	return ret;
}
