// SPDX-License-Identifier: GPL-2.0
#include "util/tracepoint/tp_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/tracepoint/tp_prog_internal.h"

struct search {
	const struct tp_field *field;
	bool lists;  /* a list of names */
	bool others; /* something else than the field */
	unsigned int depth;
};

#define DEPTH_MAX 64

static void look(struct search *s, const struct tp_node *n)
{
	if (!n || s->others)
		return;
	if (++s->depth > DEPTH_MAX) {
		s->others = true;
		return;
	}
	switch (n->kind) {
	case TP_NODE_CONST:
	case TP_NODE_STRING:
		break;
	case TP_NODE_FIELD:
		s->others = n->field != s->field;
		break;
	case TP_NODE_FLAGS:
	case TP_NODE_SYMBOLIC:
		s->lists = true;
		look(s, n->a);
		break;
	case TP_NODE_ALU1:
	case TP_NODE_ALU2:
	case TP_NODE_COND:
		look(s, n->a);
		look(s, n->b);
		look(s, n->c);
		break;
	default:
		s->others = true;
	}
	s->depth--;
}

static bool names_field(const struct tp_node *n, const struct tp_field *field)
{
	struct search s = {.field = field};

	look(&s, n);
	return s.lists && !s.others;
}

/* The argument that names the field; args.nr: none does. */
static u32 find_argument(const struct tp_parsed *p, const struct tp_field *field)
{
	u32 i;

	for (i = 0; i < p->args.nr; i++)
		if (names_field(p->args.v[i], field))
			break;
	return i;
}

/*
 * Does the next argument go on with the text of this one, as the "+" of sched_switch's prev_state=%s%s does? Where the
 * conversions of both are plain, and nothing else than the field decides.
 */
static bool goes_on(const struct tp_parsed *p, u32 arg, const struct tp_field *field)
{
	struct search s = {.field = field};
	const char *c = buf_str(&p->fmt);
	u32 i;

	for (i = 0; (c = strchr(c, '%')); c++) {
		if (c[1] == '%')
			c++;
		else if (c[1] != 's' && strchr("-+ #*.0123456789", c[1]))
			return false; /* which argument is which is not followed further */
		else if (i++ == arg)
			break;
	}
	if (!c || strncmp(c, "%s%s", 4) != 0 || arg + 1 >= p->args.nr)
		return false;
	look(&s, p->args.v[arg + 1]);
	return !s.others;
}

/* Is the field the number of a system call? */
static bool is_call(const struct tp_format *f, const struct tp_field *field)
{
	if (field->is_array || field->is_pointer)
		return false;
	if (!strcmp(f->name, "sys_enter") || !strcmp(f->name, "sys_exit"))
		return !strcmp(field->name, "id");
	if (strncmp(f->name, "sys_enter_", 10) != 0 && strncmp(f->name, "sys_exit_", 9) != 0)
		return false;
	/* fields that are expressions have the names of arguments, or any */
	if (tp_format_field(f, "common_unread"))
		return false;
	/* older kernels have `nr`, which is an argument of some calls as well */
	return !strcmp(field->name, "__syscall_nr") ||
	       (!strcmp(field->name, "nr") && !tp_format_field(f, "__syscall_nr"));
}

/* Is the field what futex(2) is to do? As above, of no expressions. */
static bool is_futex(const struct tp_format *f, const struct tp_field *field)
{
	return !strcmp(f->name, "sys_enter_futex") && !strcmp(field->name, "op") &&
	       !field->is_array && !field->is_pointer && !tp_format_field(f, "common_unread");
}

/* What its print fmt would be with names, which are those of trace: the command in the lower bits, flags above it. */
static const char *futex_print_fmt(struct arena *arena)
{
	static const char *const commands[] = {"WAIT",           "WAKE",        "FD",
					       "REQUEUE",        "CMP_REQUEUE", "WAKE_OP",
					       "LOCK_PI",        "UNLOCK_PI",   "TRYLOCK_PI",
					       "WAIT_BITSET",    "WAKE_BITSET", "WAIT_REQUEUE_PI",
					       "CMP_REQUEUE_PI", "LOCK_PI2"};
	static const char *const flags[] = {"", "|PRIVATE_FLAG", "|CLOCK_REALTIME",
					    "|PRIVATE_FLAG|CLOCK_REALTIME"};
	const char *text = NULL;
	struct buf b = {0};
	u32 i, k;

	buf_adds(&b, "\"%s\", __print_symbolic(REC->op");
	for (i = 0; i < ARRAY_SIZE(flags); i++)
		for (k = 0; k < ARRAY_SIZE(commands); k++)
			buf_addf(&b, ", {%u, \"%s%s\"}", i * 128 + k, commands[k], flags[i]);
	buf_addc(&b, ')');
	if (!b.failed)
		text = arena_strdup(arena, buf_str(&b));
	buf_free(&b);
	return text;
}

static int parse_print_fmt(const struct tp_format *f, const struct tp_field *field,
			   const struct tp_opts *opts, struct arena *arena,
			   struct tp_parsed *parsed, struct err *err)
{
	struct tp_format named = *f;

	if (!opts->calls || !is_futex(f, field))
		return tp_parse(f, opts, arena, parsed, err);
	named.print_fmt = futex_print_fmt(arena);
	if (!named.print_fmt)
		return err_nomem(err);
	named.print_fmt_len = strlen(named.print_fmt);
	return tp_parse(&named, opts, arena, parsed, err);
}

/* The text of the argument and of those that go on with it. */
static bool emit_names(struct tp_compiler *c, u32 arg, const struct tp_field *field)
{
	const struct tp_spec plain = {.conv = 's'};
	bool ok = tp_emit_text(c, c->parsed.args.v[arg], &plain);

	for (; ok && goes_on(&c->parsed, arg, field); arg++)
		ok = tp_emit_text(c, c->parsed.args.v[arg + 1], &plain);
	return ok;
}

static bool emit_call(struct tp_compiler *c, const struct tp_field *field)
{
	return tp_emit_num(c, tp_node_field(&c->build, field)) &&
	       tp_emit_out(c, TP_OP_CALL, 1, NULL);
}

int tp_names_compile(const struct tp_format *f, const struct tp_field *field,
		     const struct tp_opts *opts, struct tp_prog **prog, struct err *err)
{
	struct arena arena = {0};
	struct err why = {0};
	struct tp_compiler c = {
		.err = &why,
		.long_bits = opts->long_size == 4 ? 32 : 64,
		.build = {.arena = &arena, .compat = opts->compat},
	};
	bool ok, call = opts->calls && is_call(f, field);
	u32 arg;

	*prog = NULL;
	if (parse_print_fmt(f, field, opts, &arena, &c.parsed, &why))
		goto out;
	arg = find_argument(&c.parsed, field);
	if (arg == c.parsed.args.nr && !call)
		goto out_parsed;
	c.prog = tp_prog_new(f, opts->compat, &why);
	if (!c.prog)
		goto out_parsed;
	c.prog->calls = opts->calls;
	ok = (call ? emit_call(&c, field) : emit_names(&c, arg, field)) && tp_prog_end(&c);
	*prog = tp_prog_take(&c, ok && !why.code);
out_parsed:
	tp_parse_free(&c.parsed);
out:
	arena_free(&arena);
	return why.code == ENOMEM ? err_nomem(err) : 0;
}

/* The first list in an argument that names the field. */
static const struct tp_node *find_list(const struct tp_node *n, unsigned int depth)
{
	const struct tp_node *found;

	if (!n || depth > DEPTH_MAX)
		return NULL;
	if (n->kind == TP_NODE_FLAGS || n->kind == TP_NODE_SYMBOLIC)
		return n;
	found = find_list(n->a, depth + 1);
	if (!found)
		found = find_list(n->b, depth + 1);
	return found ? found : find_list(n->c, depth + 1);
}

static int list_calls(const struct arch_syscalls *calls, struct tp_name_list *list, struct err *err)
{
	struct tp_value_name *to;
	const char *name;
	u64 nr;

	list->whole = true;
	for (nr = 0; nr < ARCH_SYSCALLS_END; nr++) {
		name = arch_syscalls_name(calls, nr);
		if (!name)
			continue;
		to = vec_push(&list->v);
		if (!to)
			return err_nomem(err);
		*to = (struct tp_value_name){nr, name, strlen(name)};
	}
	return 0;
}

int tp_names_list(const struct tp_format *f, const struct tp_field *field,
		  const struct tp_opts *opts, struct tp_name_list *list, struct err *err)
{
	struct tp_parsed parsed = {0};
	const struct tp_pair *pair;
	const struct tp_node *n;
	struct tp_value_name *name;
	struct err why = {0};
	u32 arg;

	if (opts->calls && is_call(f, field))
		return list_calls(opts->calls, list, err);
	if (parse_print_fmt(f, field, opts, &list->arena, &parsed, &why))
		return why.code == ENOMEM ? err_nomem(err) : 0;
	arg = find_argument(&parsed, field);
	n = arg < parsed.args.nr ? find_list(parsed.args.v[arg], 0) : NULL;
	tp_parse_free(&parsed);
	if (!n)
		return 0;
	list->flags = n->kind == TP_NODE_FLAGS;
	list->whole = n->a && n->a->kind == TP_NODE_FIELD;
	for (pair = n->list; pair; pair = pair->next) {
		if (!tp_node_is_known(pair->value))
			continue;
		name = vec_push(&list->v);
		if (!name)
			return err_nomem(err);
		*name = (struct tp_value_name){pair->value->value, pair->str, pair->len};
	}
	return 0;
}

void tp_names_list_free(struct tp_name_list *list)
{
	vec_free(&list->v);
	arena_free(&list->arena);
}
