// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/list.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/json.h"
#include "util/base/text.h"
#include "util/event/ev_expr.h"
#include "util/event/ev_probe.h"

#define ROWS_MAX  20u /* of an argument: all of an event fits on a screen */
#define DEPTH_MAX 8u  /* of anonymous structs */

/* An expression, and its type. */
struct row {
	const char *expression, *type;
};

/* An event whose arguments have names. */
struct members {
	struct arena arena;
	const char *event; /* as -e takes it, without expressions */
	const struct btf *btf;
	bool is_tracepoint;
	u32 function;               /* its FUNC_PROTO; 0: not known */
	const char *name;           /* without the system or the file */
	struct arguments arguments; /* of a tracepoint */
	struct ev_probe_names probe;
	VEC(struct row) rows;
	u32 left_out;
	const char *deeper; /* an expression that leads on; NULL: there is none */
	bool failed;
};

static void free_members(struct members *m)
{
	arguments_free(&m->arguments);
	ev_probe_names_free(&m->probe);
	vec_free(&m->rows);
	arena_free(&m->arena);
}

static const struct arguments *arguments_of(const struct members *m)
{
	return m->probe.btf ? &m->probe.arguments : &m->arguments;
}

/* ---- rows ---- */

static void add_row(struct members *m, const char *expression, const char *type)
{
	struct row *r = expression && type ? vec_push(&m->rows) : NULL;

	m->failed |= !r;
	if (r)
		*r = (struct row){expression, type};
}

static const char *type_text(struct members *m, u32 type, u32 bits)
{
	struct buf b = {0};
	const char *text;

	btf_text_declare(m->btf, type, "", &b);
	if (bits)
		buf_addf(&b, ":%u", bits);
	text = b.failed ? NULL : arena_strndup(&m->arena, buf_str(&b), b.len);
	buf_free(&b);
	return text;
}

/* What "->" or "." leads to from an expression of that type; NULL: nothing. */
static const char *members_of(const struct btf *b, const struct expr *e, u32 *of)
{
	const enum btf_kind kind = btf_resolve(b, e->type.of).kind;

	*of = e->type.of;
	if (kind != BTF_STRUCT && kind != BTF_UNION)
		return NULL;
	return e->type.kind == EXPR_POINTER ? "->" : e->type.kind == EXPR_STRUCT ? "." : NULL;
}

static bool is_pointer_to_struct(const struct btf *b, u32 type, u32 other_than)
{
	const struct expr_type t = expr_type_of(b, type);
	const struct btf_type of = btf_resolve(b, t.of);

	return t.kind == EXPR_POINTER && of.kind == BTF_STRUCT && of.vlen && of.id != other_than;
}

/* Members of a struct, also those of an anonymous one in it, `part`, up to so many rows. */
static void add_members(struct members *m, const char *prefix, u32 of, u32 part, u32 most,
			u32 depth)
{
	const struct btf_type t = btf_resolve(m->btf, part);
	struct btf_member member;
	const char *expression;
	u32 i;

	for (i = 0; i < t.vlen && depth < DEPTH_MAX; i++) {
		member = btf_member(m->btf, &t, i);
		if (!*member.name) {
			add_members(m, prefix, of, member.type, most, depth + 1);
			continue;
		}
		/* a mark between others */
		if (!btf_size(m->btf, member.type))
			continue;
		if (m->rows.nr >= most) {
			m->left_out++;
			continue;
		}
		expression = arena_printf(&m->arena, "%s%s", prefix, member.name);
		add_row(m, expression, type_text(m, member.type, member.bit_size));
		if (!m->deeper &&
		    is_pointer_to_struct(m->btf, member.type, btf_resolve(m->btf, of).id))
			m->deeper = expression;
	}
}

/* "x->" of what is typed as x. */
static const char *prefix_of(struct members *m, const char *text, const char *arrow)
{
	size_t n = strlen(text);
	const bool plain = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					"0123456789_->.[]") == n;

	return arena_printf(&m->arena, plain ? "%s%s" : "(%s)%s", text, arrow);
}

/* Of an argument whose type an earlier one has, too: that one; NULL: there is none. */
static const char *same_before(const struct members *m, u32 nr)
{
	const struct arguments *all = arguments_of(m);
	u32 i, of = all->v.v[nr].e->type.of;

	for (i = 0; i < nr; i++)
		if (all->v.v[i].e && all->v.v[i].e->type.kind == all->v.v[nr].e->type.kind &&
		    btf_resolve(m->btf, all->v.v[i].e->type.of).id == btf_resolve(m->btf, of).id)
			return all->v.v[i].name;
	return NULL;
}

/* What to type for more of an expression. */
static const char *command_for(struct members *m, const char *expression)
{
	const char *word = arena_printf(&m->arena, "%s(%s)", m->event, expression);

	m->failed |= !word;
	return word ? arena_printf(&m->arena, "perf-lite list %s", TEXT_SHELL(word)) : "";
}

/* A field of the tracepoint's own, which it makes of what it hands over. */
static void add_field(struct members *m, const struct expr_argument *a)
{
	struct buf type = {0};

	expr_type_text(m->btf, &a->e->type, &type);
	add_row(m, a->name, type.failed ? NULL : arena_strdup(&m->arena, buf_str(&type)));
	buf_free(&type);
}

static void add_argument(struct members *m, u32 nr)
{
	const struct expr_argument *a = &arguments_of(m)->v.v[nr];
	const char *arrow, *prefix, *same;
	u32 of;

	if (a->e && a->spare && m->is_tracepoint) {
		add_field(m, a);
		return;
	}
	arrow = a->e && !a->spare ? members_of(m->btf, a->e, &of) : NULL;
	if (!arrow)
		return;
	prefix = prefix_of(m, a->name, arrow);
	same = same_before(m, nr);
	m->failed |= !prefix;
	if (!prefix)
		return;
	if (same) {
		add_row(m, arena_printf(&m->arena, "%s...", prefix),
			arena_printf(&m->arena, "as %s", same));
		return;
	}
	m->left_out = 0;
	add_members(m, prefix, of, of, m->rows.nr + ROWS_MAX, 0);
	if (m->left_out)
		add_row(m, arena_printf(&m->arena, "%s...", prefix),
			arena_printf(&m->arena, "%u more: %s", m->left_out,
				     command_for(m, a->name)));
}

/* A variable that is in scope at a line, and what it leads to. */
static void add_variable(struct members *m, u32 nr, bool json)
{
	const struct expr_argument *a = &arguments_of(m)->v.v[nr];

	if (!m->probe.variables.v.v[nr].in_scope || (json && !a->e))
		return;
	add_row(m, a->name,
		a->e ? type_text(m, a->e->type.declared, 0)
		     : arena_printf(&m->arena, "cannot be read: %s", a->why));
	add_argument(m, nr);
}

/* ---- output ---- */

static void put_rows(struct members *m, struct buf *out)
{
	size_t width = strlen("expression"), n;
	u32 i;

	for (i = 0; i < m->rows.nr; i++)
		width = MAX(width, strlen(m->rows.v[i].expression));
	if (m->rows.nr)
		buf_adds(out, "    expression");
	if (m->rows.nr)
		buf_pad(out, ' ', width + 2 - strlen("expression"));
	buf_adds(out, m->rows.nr ? "type\n" : "");
	for (i = 0; i < m->rows.nr; i++) {
		buf_adds(out, "    ");
		n = out->len;
		text_escape(out, m->rows.v[i].expression, strlen(m->rows.v[i].expression));
		buf_pad(out, ' ', width + 2 - MIN(out->len - n, width));
		text_escape(out, m->rows.v[i].type, strlen(m->rows.v[i].type));
		buf_addc(out, '\n');
	}
	if (m->deeper)
		buf_addf(out, "    further: %s\n", command_for(m, m->deeper));
}

static void put_json_rows(const struct members *m, struct buf *out)
{
	u32 i;

	json_put_open(out, "members", '[');
	for (i = 0; i < m->rows.nr; i++) {
		json_open_item(out, '{');
		json_put_string(out, "expression", m->rows.v[i].expression);
		json_put_string(out, "type", m->rows.v[i].type);
		buf_addc(out, '}');
	}
	buf_addc(out, ']');
}

/* ---- events ---- */

static int find_tracepoint(struct members *m, struct list_detail *d, struct ev_word system,
			   const char *name, struct err *err)
{
	const struct btf *b = ev_env_tracepoint(d->env, name, err);
	struct btf_type function;
	const struct expr *when;
	const char *at;
	char *of;
	int ret;

	if (!b)
		return -ENOMEM; /* the kernel's own are there */
	function = btf_tracepoint(b, name);
	m->btf = b;
	m->name = name;
	m->arguments.arena = &m->arena;
	m->is_tracepoint = true;
	if (ev_word_is(system, "syscalls")) {
		ret = ev_expr_call(d->env, name, &m->arguments, &when, &at, err);
		return ret == -ENOENT ? -ENOTSUP : ret;
	}
	m->function = function.kind == BTF_FUNC_PROTO ? function.id : 0;
	ret = m->function ? arguments_tracepoint(&m->arguments, b, &function, err) : -ENOTSUP;
	of = ret ? NULL : arena_strndup(&m->arena, system.s, system.len);
	if (!ret && (!of || ev_expr_fields(d->env, of, name, &m->arguments, err) == -ENOMEM))
		ret = err_nomem(err);
	return ret;
}

int list_members_tracepoint(struct list_detail *d, const char *event, struct buf *out,
			    struct err *err)
{
	const char *colon = strchr(event, ':');
	struct members m = {.event = event};
	u32 i;
	int ret = list_detail_kernel(d) && colon
			  ? find_tracepoint(&m, d, (struct ev_word){event, (size_t)(colon - event)},
					    colon + 1, err)
			  : -ENOTSUP;

	for (i = 0; !ret && i < m.arguments.v.nr; i++)
		add_argument(&m, i);
	if (!ret && m.failed)
		ret = err_nomem(err);
	if (!ret && !d->json)
		put_rows(&m, out);
	free_members(&m);
	/* nothing is known of what it hands over */
	return ret == -ENOTSUP ? 0 : ret;
}

bool list_members_named(const char *word)
{
	const char *p = strpbrk(word, ":(");

	return p && ((*p == ':' && ev_probe_named((struct ev_word){word, (size_t)(p - word)})) ||
		     (*p == ':' && strchr(p, '(') && !list_usdt_named(word)));
}

/* Or is that not known? */
static bool is_tracepoint(const struct list_detail *d, struct ev_word system, const char *name)
{
	const struct tracefs *t = ev_env_tracefs(d->env, NULL);
	char *of = strndup(system.s, system.len);
	struct buf format = {0};
	int ret = t && of ? tracefs_format(t, of, name, &format, NULL) : 0;

	buf_free(&format);
	free(of);
	return ret != -ENOENT;
}

/* Read the name of the event, up to its "(" or its end. */
static int find_event(struct members *m, struct list_detail *d, struct ev_lex *l)
{
	const struct ev_word kind = {l->p, strcspn(l->p, ":")};
	const struct btf *b = list_detail_kernel(d);
	struct err why = {0};
	int ret;

	m->probe.arguments.arena = &m->arena;
	if (ev_probe_named(kind)) {
		l->p += kind.len;
		ret = ev_probe_names_find(&m->probe, d->env, l, kind);
		m->btf = m->probe.btf;
		m->function = m->probe.function;
		m->name = m->probe.name;
		return ret;
	}
	l->p += strcspn(l->p, "(");
	m->name = arena_strndup(&m->arena, kind.s + kind.len + 1,
				(size_t)(l->p - kind.s) - kind.len - 1);
	if (!m->name)
		return err_nomem(l->err);
	if (!b)
		*l->err = d->btf_why;
	ret = b ? find_tracepoint(m, d, kind, m->name, &why) : -ENOENT;
	if (ret == -ENOTSUP && !is_tracepoint(d, kind, m->name))
		ev_lex_error(l, kind.s, "unknown tracepoint '%.*s:%s'", EV_WORD(kind), m->name);
	else if (ret == -ENOTSUP)
		ev_lex_error(l, kind.s, "the running kernel has no types of what %s hands over",
			     m->name);
	if (ret == -ENOMEM)
		err_nomem(l->err);
	return ret;
}

/* "(EXPRESSION)": its type, and its members. */
static int add_expression(struct members *m, struct ev_lex *l)
{
	const struct arguments *all = arguments_of(m);
	struct expr_scope scope = {.btf = m->btf,
				   .arguments = all->v.v,
				   .nr_arguments = all->v.nr,
				   .missing = all->missing,
				   .has_task = !m->probe.user,
				   .arena = &m->arena};
	const char *begin = ++l->p, *text, *arrow;
	struct err why = {0};
	const struct expr *e = expr_parse(&scope, &l->p, &why);
	struct buf type = {0};
	u32 of;

	if (!e) {
		ev_lex_error(l, scope.wrong ? scope.wrong : begin, "%s", why.msg);
		err_hint(l->err, "%s", why.hint[0] ? why.hint : "one expression is looked at");
		return -EINVAL;
	}
	text = arena_strndup(&m->arena, begin, (size_t)(l->p - begin));
	if (!ev_lex_take(l, ')') || ev_lex_peek(l))
		return ev_lex_error(l, l->p, "one expression and ')' are expected here");
	expr_type_text(m->btf, &e->type, &type);
	add_row(m, text, arena_strdup(&m->arena, buf_str(&type)));
	buf_free(&type);
	arrow = text ? members_of(m->btf, e, &of) : NULL;
	text = arrow ? prefix_of(m, text, arrow) : NULL;
	if (text)
		add_members(m, text, of, of, UINT32_MAX, 0);
	return m->failed ? err_nomem(l->err) : 0;
}

static void put_prototype(const struct members *m, bool json, struct buf *out)
{
	const char *name = m->name ? m->name : "function";
	struct buf text = {0};

	if (m->is_tracepoint)
		btf_text_tracepoint(m->btf, name, &text);
	else if (m->function)
		btf_text_declare(m->btf, m->function, name, &text);
	if (json && text.len) {
		json_put_buf(out, "prototype", &text);
	} else if (text.len) {
		buf_adds(out, "    ");
		text_escape(out, buf_str(&text), text.len);
		buf_addc(out, '\n');
	} else if (!json && arguments_of(m)->missing) {
		buf_addf(out, "    no types are known (%s)%s\n", arguments_of(m)->missing,
			 !arguments_of(m)->v.nr       ? ""
			 : arguments_of(m)->v.nr == 1 ? ", but a number: retval"
						      : ", but numbers: arg1, arg2, ...");
	}
	buf_free(&text);
}

/* Of a line of source. */
static void put_places(const struct members *m, bool json, struct buf *out)
{
	if (json) {
		json_put_unsigned(out, "places", m->probe.places);
		return;
	}
	buf_adds(out, "    in ");
	text_escape(out, m->name, strlen(m->name));
	if (m->probe.places > 1)
		buf_addf(out, " and others, at %u places", m->probe.places);
	buf_addc(out, '\n');
}

static void put_event(struct members *m, bool has_expression, bool json, struct buf *out)
{
	if (json) {
		json_open(out, '{');
		json_put_string(out, "name", m->event);
		json_put_string(out, "class", m->is_tracepoint ? "tracepoint" : "pmu");
	} else {
		text_escape(out, m->event, strlen(m->event));
		buf_addf(out, "  [%s]\n", m->is_tracepoint ? "Tracepoint event" : "Probe");
	}
	if (!has_expression && m->probe.places)
		put_places(m, json, out);
	else if (!has_expression)
		put_prototype(m, json, out);
	if (!json) {
		put_rows(m, out);
		return;
	}
	put_json_rows(m, out);
	buf_addc(out, '}');
}

int list_members_word(struct list_detail *d, const char *word, struct buf *out, struct err *err)
{
	struct ev_lex l = {.text = word, .p = word, .err = err};
	struct members m = {0};
	bool has_expression = false;
	int ret = find_event(&m, d, &l);
	u32 i;

	if (!ret) {
		has_expression = *l.p == '(';
		m.event = arena_strndup(&m.arena, word, (size_t)(l.p - word));
		ret = m.event ? 0 : err_nomem(err);
	}
	if (!ret && !has_expression && *l.p)
		ret = ev_lex_error(&l, l.p, "'(' is expected here");
	if (!ret && has_expression)
		ret = add_expression(&m, &l);
	for (i = 0; !ret && !has_expression && i < arguments_of(&m)->v.nr; i++)
		if (m.probe.places)
			add_variable(&m, i, d->json);
		else
			add_argument(&m, i);
	if (!ret && m.failed)
		ret = err_nomem(err);
	if (!ret)
		put_event(&m, has_expression, d->json, out);
	free_members(&m);
	return ret;
}
