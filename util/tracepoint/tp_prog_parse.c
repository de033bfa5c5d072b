// SPDX-License-Identifier: GPL-2.0
#include "util/tracepoint/tp_prog_internal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Kernel macros nest some 30 deep; foreign text must not use up the stack. */
#define DEPTH_MAX 200

struct tp_parse_var {
	const struct tp_parse_var *next;
	const char *name;
	size_t len;
	const struct tp_node *value;
};

void *tp_parse_error(struct tp_parser *p, const char *at, const char *fmt, ...)
{
	char what[256];
	va_list ap;

	if (p->err->code)
		return NULL;
	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	err_set(p->err, EINVAL, "print fmt of event \"%s\", byte %td: %s", p->f->name,
		at - p->lex.start, what);
	return NULL;
}

void tp_parse_next(struct tp_parser *p)
{
	p->tok = tp_lex_next(&p->lex);
	/* An open string reaches to the end; any other bad byte is not passed over. */
	if (p->tok.kind == TP_TOK_BAD)
		tp_parse_error(p, p->tok.s,
			       p->lex.p == p->lex.end ? "a quote is not closed"
						      : "a byte that C does not know");
}

bool tp_parse_is(const struct tp_parser *p, u32 op)
{
	return p->tok.kind == TP_TOK_OP && p->tok.op == op;
}

bool tp_parse_take(struct tp_parser *p, u32 op)
{
	if (!tp_parse_is(p, op))
		return false;
	tp_parse_next(p);
	return true;
}

bool tp_parse_expect(struct tp_parser *p, u32 op)
{
	if (tp_parse_take(p, op))
		return true;
	tp_parse_error(p, p->tok.s, "\"%c\" is missing%s%.*s", (char)op,
		       p->tok.len ? " before " : " at the end", (int)MIN(p->tok.len, (size_t)40),
		       p->tok.s);
	return false;
}

bool tp_parse_string(struct tp_parser *p, const char **str, size_t *len)
{
	struct buf b = {0};

	if (p->tok.kind != TP_TOK_STRING) {
		tp_parse_error(p, p->tok.s, "a string is missing");
		return false;
	}
	for (; p->tok.kind == TP_TOK_STRING; tp_parse_next(p))
		tp_lex_unescape(&b, p->tok.s, p->tok.len);
	*len = b.len;
	*str = b.failed ? NULL : arena_strndup(p->build.arena, buf_str(&b), b.len);
	buf_free(&b);
	return *str != NULL;
}

/* ->name after REC */
static const struct tp_node *member(struct tp_parser *p)
{
	const struct tp_field *f;

	if (!tp_parse_is(p, TP_OP2('-', '>')))
		return tp_parse_error(p, p->tok.s, "\"->\" is missing after REC");
	tp_parse_next(p);
	f = p->tok.kind == TP_TOK_IDENT ? tp_format_field_n(p->f, p->tok.s, p->tok.len) : NULL;
	if (!f)
		return tp_parse_error(p, p->tok.s, "no field \"%.*s\"",
				      (int)MIN(p->tok.len, (size_t)80), p->tok.s);
	tp_parse_next(p);
	return tp_node_field(&p->build, f);
}

/* One "TYPE NAME = expr;" of a statement expression, kept as what NAME stands for. */
static bool declaration(struct tp_parser *p, const struct tp_ctype *type)
{
	struct tp_parse_var *var = arena_alloc(p->build.arena, sizeof(*var));
	const struct tp_tok name = p->tok;

	if (!var)
		return false;
	tp_parse_next(p);
	if (!type->type.bits || !tp_parse_is(p, TP_OP1('='))) {
		tp_parse_error(p, name.s, "code that is no integer expression");
		return false;
	}
	tp_parse_next(p);
	var->value = tp_ctype_cast(p, type, tp_parse_expr(p));
	var->name = name.s;
	var->len = name.len;
	var->next = p->vars;
	p->vars = var;
	return var->value && tp_parse_expect(p, TP_OP1(';'));
}

/* ({ int x = ...; int y = ...; x < y ? x : y; }) after its "({". */
static const struct tp_node *statement_expr(struct tp_parser *p)
{
	const struct tp_parse_var *outer = p->vars;
	const struct tp_node *n;
	struct tp_ctype type;
	struct tp_lex lex;
	struct tp_tok tok;

	for (;;) {
		lex = p->lex;
		tok = p->tok;
		if (!tp_ctype_parse(p, &type) || p->tok.kind != TP_TOK_IDENT)
			break;
		if (!declaration(p, &type))
			return NULL;
	}
	p->lex = lex;
	p->tok = tok;
	n = tp_parse_expr(p);
	tp_parse_take(p, TP_OP1(';'));
	p->vars = outer;
	if (!n || !tp_parse_expect(p, TP_OP1('}')) || !tp_parse_expect(p, TP_OP1(')')))
		return NULL;
	return n;
}

static bool starts_operand(const struct tp_parser *p)
{
	return p->tok.kind == TP_TOK_IDENT || p->tok.kind == TP_TOK_NUMBER ||
	       p->tok.kind == TP_TOK_STRING || p->tok.kind == TP_TOK_CHAR ||
	       tp_parse_is(p, TP_OP1('(')) || tp_parse_is(p, TP_OP1('~')) ||
	       tp_parse_is(p, TP_OP1('!'));
}

static const struct tp_parse_var *find_var(const struct tp_parser *p, const struct tp_tok *name)
{
	const struct tp_parse_var *v;

	for (v = p->vars; v; v = v->next)
		if (v->len == name->len && !memcmp(v->name, name->s, v->len))
			return v;
	return NULL;
}

static const struct tp_node *unary(struct tp_parser *p);

/* What follows "(": a cast, a statement expression, (REC)->x, or an expression and ")". */
static const struct tp_node *parenthesis(struct tp_parser *p)
{
	struct tp_lex lex = p->lex;
	struct tp_tok tok = p->tok;
	const struct tp_node *n;
	struct tp_ctype type;

	if (tp_parse_take(p, TP_OP1('{')))
		return statement_expr(p);
	if (tp_parse_word(&tok, "REC")) {
		tp_parse_next(p);
		if (tp_parse_take(p, TP_OP1(')')))
			return member(p);
	} else if (!find_var(p, &tok) && tp_ctype_parse(p, &type) &&
		   tp_parse_take(p, TP_OP1(')')) && (type.is_sure || starts_operand(p))) {
		return tp_ctype_cast(p, &type, unary(p));
	}
	p->lex = lex;
	p->tok = tok;
	n = tp_parse_expr(p);
	return n && tp_parse_expect(p, TP_OP1(')')) ? n : NULL;
}

static const struct tp_node *size_of(struct tp_parser *p)
{
	const struct tp_type ulong_type = {(u8)(p->opts.long_size * 8), false};
	const char *at = p->tok.s;
	const struct tp_node *n;
	struct tp_ctype type;
	u32 size = 0;

	if (!tp_parse_expect(p, TP_OP1('(')))
		return NULL;
	if (!tp_parse_word(&p->tok, "REC") && tp_ctype_parse(p, &type)) {
		size = tp_ctype_size(p, &type);
	} else {
		n = tp_parse_expr(p);
		if (!n)
			return NULL;
		size = n->kind == TP_NODE_BYTES ? n->field->size : n->type.bits / 8;
	}
	if (!size)
		return tp_parse_error(p, at, "sizeof() of an unknown type");
	if (!tp_parse_expect(p, TP_OP1(')')))
		return NULL;
	return tp_node_const(&p->build, size, ulong_type);
}

static const struct tp_node *name(struct tp_parser *p)
{
	const struct tp_tok tok = p->tok;
	const struct tp_parse_var *var;
	struct tp_node *n;
	u64 v = 0;

	tp_parse_next(p);
	if (tp_parse_word(&tok, "REC"))
		return member(p);
	if (tp_parse_word(&tok, "sizeof"))
		return size_of(p);
	if (tp_parse_is(p, TP_OP1('(')))
		return tp_call_parse(p, &tok);
	var = find_var(p, &tok);
	if (var)
		return var->value;
	n = tp_node_new(&p->build, TP_NODE_CONST);
	if (n) {
		/* Variables of the kernel and enumerators that it did not translate count as 0. */
		n->unresolved = n->bare = !tp_call_constant(&tok, &v);
		n->value = v;
	}
	return n;
}

static const struct tp_node *primary(struct tp_parser *p)
{
	struct tp_type type = {p->tok.is_long ? 64 : 32, !p->tok.is_unsigned};
	struct tp_node *n;
	u64 v = p->tok.value;

	switch (p->tok.kind) {
	case TP_TOK_NUMBER:
		tp_parse_next(p);
		return tp_node_const(&p->build, v, type);
	case TP_TOK_CHAR:
		tp_parse_next(p);
		return tp_node_const(&p->build, v, (struct tp_type){32, true});
	case TP_TOK_STRING:
		n = tp_node_new(&p->build, TP_NODE_STRING);
		return n && tp_parse_string(p, &n->str, &n->len) ? n : NULL;
	case TP_TOK_IDENT:
		return name(p);
	default:
		break;
	}
	if (tp_parse_take(p, TP_OP1('(')))
		return parenthesis(p);
	return tp_parse_error(p, p->tok.s, p->tok.len ? "unexpected \"%.*s\"" : "cut short%.*s",
			      (int)MIN(p->tok.len, (size_t)40), p->tok.s);
}

static const struct tp_node *index_of(struct tp_parser *p, const struct tp_node *base,
				      const struct tp_node *index, const char *at)
{
	struct tp_node *n;

	if (!index)
		return NULL;
	if (base->kind != TP_NODE_BYTES)
		return tp_parse_error(p, at, "an index into what is no array of the record");
	n = tp_node_new(&p->build, TP_NODE_INDEX);
	if (n) {
		n->a = base;
		n->b = index;
		n->type = p->opts.compat ? n->type : base->type;
	}
	return n;
}

static const struct tp_node *postfix(struct tp_parser *p)
{
	const struct tp_node *n = primary(p), *index;
	const char *at;

	while (n) {
		at = p->tok.s;
		if (tp_parse_is(p, TP_OP1('.')) || tp_parse_is(p, TP_OP2('-', '>')))
			return tp_parse_error(p, at, "a member of a structure");
		if (!tp_parse_take(p, TP_OP1('[')))
			return n;
		index = tp_parse_expr(p);
		if (!index || !tp_parse_expect(p, TP_OP1(']')))
			return NULL;
		n = index_of(p, n, index, at);
	}
	return NULL;
}

static const struct tp_node *address_of(struct tp_parser *p, const struct tp_node *n,
					const char *at)
{
	if (!n || n->kind == TP_NODE_BYTES)
		return n;
	if (n->kind == TP_NODE_FIELD)
		return tp_node_bytes(&p->build, n->field);
	return tp_parse_error(p, at, "the address of what is no field");
}

static const struct tp_node *unary_op(struct tp_parser *p)
{
	const struct tp_tok op = p->tok;
	const struct tp_node *n;

	if (op.kind != TP_TOK_OP || op.op > 0xff || !strchr("-+!~&*", (char)op.op))
		return postfix(p);
	tp_parse_next(p);
	n = unary(p);
	switch (n ? op.op : 0) {
	case TP_OP1('-'):
		return tp_node_alu1(&p->build, TP_NEG, n);
	case TP_OP1('!'):
		return tp_node_alu1(&p->build, TP_NOT, n);
	case TP_OP1('~'):
		return tp_node_alu1(&p->build, TP_INV, n);
	case TP_OP1('&'):
		return address_of(p, n, op.s);
	case TP_OP1('*'):
		return index_of(p, n, tp_node_const(&p->build, 0, n->type), op.s);
	default:
		return n;
	}
}

static const struct tp_node *unary(struct tp_parser *p)
{
	const struct tp_node *n;

	if (p->depth >= DEPTH_MAX)
		return tp_parse_error(p, p->tok.s, "nested too deep");
	p->depth++;
	n = unary_op(p);
	p->depth--;
	return n;
}

/* How tightly a binary operator binds; 0 if it is none. */
static unsigned int precedence(const struct tp_parser *p)
{
	if (p->tok.kind != TP_TOK_OP)
		return 0;
	switch (p->tok.op) {
	case TP_OP1('*'):
	case TP_OP1('/'):
	case TP_OP1('%'):
		return 10;
	case TP_OP1('+'):
	case TP_OP1('-'):
		return 9;
	case TP_OP2('<', '<'):
	case TP_OP2('>', '>'):
		return 8;
	case TP_OP1('<'):
	case TP_OP1('>'):
	case TP_OP2('<', '='):
	case TP_OP2('>', '='):
		return 7;
	case TP_OP2('=', '='):
	case TP_OP2('!', '='):
		return 6;
	case TP_OP1('&'):
		return 5;
	case TP_OP1('^'):
		return 4;
	case TP_OP1('|'):
		return 3;
	case TP_OP2('&', '&'):
		return 2;
	case TP_OP2('|', '|'):
		return 1;
	default:
		return 0;
	}
}

static const struct tp_node *binary(struct tp_parser *p, unsigned int least)
{
	const struct tp_node *l = unary(p), *r;
	struct tp_tok op;
	unsigned int prec;

	while (l && (prec = precedence(p)) >= least && prec) {
		op = p->tok;
		tp_parse_next(p);
		r = binary(p, prec + 1);
		if (!r)
			return NULL;
		l = tp_node_binary(&p->build, op.op, l, r);
	}
	return l;
}

const struct tp_node *tp_parse_expr(struct tp_parser *p)
{
	const struct tp_node *cond, *yes, *no = NULL;

	if (p->depth >= DEPTH_MAX)
		return tp_parse_error(p, p->tok.s, "nested too deep");
	p->depth++;
	cond = binary(p, 1);
	if (cond && tp_parse_take(p, TP_OP1('?'))) {
		yes = tp_parse_expr(p);
		if (yes && tp_parse_expect(p, TP_OP1(':')))
			no = tp_parse_expr(p);
		cond = tp_node_cond(&p->build, cond, yes, no);
	}
	p->depth--;
	return cond;
}

static int arguments(struct tp_parser *p, struct tp_parsed *out)
{
	const struct tp_node *n, **slot;

	while (p->tok.kind != TP_TOK_END) {
		if (!tp_parse_expect(p, TP_OP1(',')))
			return -EINVAL;
		n = tp_parse_expr(p);
		if (!n)
			return p->err->code ? -p->err->code : err_nomem(p->err);
		slot = vec_push(&out->args);
		if (!slot)
			return err_nomem(p->err);
		*slot = n;
	}
	return -p->err->code;
}

int tp_parse(const struct tp_format *f, const struct tp_opts *opts, struct arena *arena,
	     struct tp_parsed *out, struct err *err)
{
	const char *text = f->print_fmt;
	struct err local = {0};
	struct tp_parser p = {
		.f = f,
		.opts = *opts,
		.build = {.arena = arena, .compat = opts->compat},
		.lex = {.start = text, .p = text, .end = text + f->print_fmt_len},
		.err = &local,
	};
	int ret;

	*out = (struct tp_parsed){0};
	if (!p.opts.long_size)
		p.opts.long_size = 8;
	tp_parse_next(&p);
	if (p.tok.kind != TP_TOK_STRING)
		tp_parse_error(&p, p.tok.s, "no format string");
	for (; p.tok.kind == TP_TOK_STRING; tp_parse_next(&p))
		tp_lex_unescape(&out->fmt, p.tok.s, p.tok.len);
	ret = local.code ? -local.code : arguments(&p, out);
	if (!ret && out->fmt.failed)
		ret = err_nomem(&local);
	if (ret) {
		tp_parse_free(out);
		if (err)
			*err = local;
	}
	return ret;
}

void tp_parse_free(struct tp_parsed *out)
{
	buf_free(&out->fmt);
	vec_free(&out->args);
}
