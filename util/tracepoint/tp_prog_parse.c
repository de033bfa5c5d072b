// SPDX-License-Identifier: GPL-2.0
#include "util/tracepoint/tp_prog_internal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Type names in a print fmt: casts, sizeof, declarations.
 *
 * Typedefs that are not in the table are types of unknown size: a cast to them changes nothing.
 */
struct tp_ctype {
	struct tp_type type; /* bits 0 if unknown; of the element if pointer */
	bool is_pointer;
	bool is_bool;
	bool is_sure;   /* made of keywords and known typedefs: no variable can be meant */
	bool perf_cast; /* one of the few types whose casts perf performs */
};

#define LONG 0xff /* bits: those of a long */

static const struct typedef_name {
	const char *name;
	u8 bits;
	bool is_signed;
} typedefs[] = {
	{"u8", 8, false},
	{"u16", 16, false},
	{"u32", 32, false},
	{"u64", 64, false},
	{"s8", 8, true},
	{"s16", 16, true},
	{"s32", 32, true},
	{"s64", 64, true},
	{"__u8", 8, false},
	{"__u16", 16, false},
	{"__u32", 32, false},
	{"__u64", 64, false},
	{"__s8", 8, true},
	{"__s16", 16, true},
	{"__s32", 32, true},
	{"__s64", 64, true},
	{"uint8_t", 8, false},
	{"uint16_t", 16, false},
	{"uint32_t", 32, false},
	{"uint64_t", 64, false},
	{"int8_t", 8, true},
	{"int16_t", 16, true},
	{"int32_t", 32, true},
	{"int64_t", 64, true},
	{"__be16", 16, false},
	{"__be32", 32, false},
	{"__be64", 64, false},
	{"__le16", 16, false},
	{"__le32", 32, false},
	{"__le64", 64, false},
	{"uint", 32, false},
	{"ushort", 16, false},
	{"ulong", LONG, false},
	{"uintptr_t", LONG, false},
	{"size_t", LONG, false},
	{"ssize_t", LONG, true},
	{"ptrdiff_t", LONG, true},
	{"loff_t", 64, true},
	{"sector_t", 64, false},
	{"blkcnt_t", 64, false},
	{"ino_t", LONG, false},
	{"dev_t", 32, false},
	{"pid_t", 32, true},
	{"uid_t", 32, false},
	{"gid_t", 32, false},
	{"umode_t", 16, false},
	{"mode_t", 16, false},
	{"gfp_t", 32, false},
	{"dma_addr_t", 64, false},
	{"phys_addr_t", 64, false},
	{"time64_t", 64, true},
	{"ktime_t", 64, true},
	{"__kernel_rwf_t", 32, true},
};

/* The words seen so far. */
struct words {
	unsigned int nlong, nunsigned, nsigned, nshort, nint, nchar, nvoid, nbool, nenum;
	const struct typedef_name *def;
	bool unknown, qualified;
};

static bool qualifier(const struct tp_tok *t)
{
	static const char *const words[] = {"const",  "volatile", "static",   "register",
					    "__user", "__force",  "restrict", "__rcu"};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (tp_parse_word(t, words[i]))
			return true;
	return false;
}

static const struct typedef_name *find_typedef(const struct tp_tok *t)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(typedefs); i++)
		if (tp_parse_word(t, typedefs[i].name))
			return &typedefs[i];
	return NULL;
}

static bool has_base(const struct words *w)
{
	return w->nlong || w->nunsigned || w->nsigned || w->nshort || w->nint || w->nchar ||
	       w->nvoid || w->nbool || w->nenum || w->def || w->unknown;
}

/* Count one word of a type; false if it is none, or a second base. */
static bool take_word(struct tp_parser *p, struct words *w)
{
	struct {
		const char *name;
		unsigned int *count;
	} keywords[] = {
		{"long", &w->nlong}, {"unsigned", &w->nunsigned}, {"signed", &w->nsigned},
		{"int", &w->nint},   {"short", &w->nshort},       {"char", &w->nchar},
		{"void", &w->nvoid}, {"bool", &w->nbool},         {"_Bool", &w->nbool},
	};
	bool tag = tp_parse_word(&p->tok, "struct") || tp_parse_word(&p->tok, "union");
	size_t i;

	if (p->tok.kind != TP_TOK_IDENT)
		return false;
	if (qualifier(&p->tok)) {
		w->qualified = true;
		tp_parse_next(p);
		return true;
	}
	for (i = 0; i < ARRAY_SIZE(keywords); i++) {
		if (!tp_parse_word(&p->tok, keywords[i].name))
			continue;
		++*keywords[i].count;
		tp_parse_next(p);
		return true;
	}
	if (has_base(w))
		return false;
	if (tag || tp_parse_word(&p->tok, "enum")) {
		tp_parse_next(p);
		if (p->tok.kind != TP_TOK_IDENT)
			return false;
		w->nenum = !tag;
		w->unknown = tag;
		w->qualified = true;
	} else {
		w->def = find_typedef(&p->tok);
		w->unknown = !w->def;
	}
	tp_parse_next(p);
	return true;
}

static struct tp_type base_type(const struct tp_parser *p, const struct words *w)
{
	u8 long_bits = (u8)(p->opts.long_size * 8);
	struct tp_type t = {32, !w->nunsigned};

	if (w->def)
		return (struct tp_type){w->def->bits == LONG ? long_bits : w->def->bits,
					w->def->is_signed};
	if (w->unknown || w->nvoid)
		return (struct tp_type){0, false};
	if (w->nbool || w->nchar)
		t = (struct tp_type){8, w->nchar && !w->nunsigned};
	else if (w->nshort)
		t.bits = 16;
	else if (w->nlong)
		t.bits = w->nlong > 1 ? 64 : long_bits;
	else if (w->nenum)
		t.is_signed = false;
	return t;
}

/* Read a type name at the current token. False, with the parser where it was, if there is none. */
static bool parse_ctype(struct tp_parser *p, struct tp_ctype *t)
{
	struct tp_lex lex = p->lex;
	struct tp_tok tok = p->tok;
	struct words w = {0};

	while (take_word(p, &w))
		;
	if (!has_base(&w)) {
		p->lex = lex;
		p->tok = tok;
		return false;
	}
	*t = (struct tp_ctype){.type = base_type(p, &w),
			       .is_bool = w.nbool != 0,
			       .is_sure = !w.unknown || w.qualified};
	while (tp_parse_take(p, TP_OP1('*'))) {
		/* What a pointer to a pointer points to is a long. */
		if (t->is_pointer)
			t->type = (struct tp_type){(u8)(p->opts.long_size * 8), false};
		t->is_pointer = true;
		while (qualifier(&p->tok))
			tp_parse_next(p);
	}
	t->perf_cast = !t->is_pointer && !w.nlong && !w.nsigned && t->type.bits &&
		       t->type.bits < 64 &&
		       (w.nchar + w.nshort + w.nint == 1 ||
			(w.def && (w.def->name[0] == 'u' || w.def->name[0] == 's') &&
			 strlen(w.def->name) <= 3));
	return true;
}

/* 0 if unknown */
static u32 ctype_size(const struct tp_parser *p, const struct tp_ctype *t)
{
	return t->is_pointer ? p->opts.long_size : t->type.bits / 8;
}

static const struct tp_node *cast_to_ctype(struct tp_parser *p, const struct tp_ctype *t,
					   const struct tp_node *n)
{
	struct tp_type to = t->type;
	struct tp_node *view;

	if (!n)
		return NULL;
	if (n->kind == TP_NODE_BYTES && t->is_pointer && to.bits) {
		/* (u32 *)array: the same bytes, other elements. */
		view = arena_memdup(p->build.arena, n, sizeof(*n));
		if (view)
			view->type = (struct tp_type){to.bits, to.is_signed && !p->opts.compat};
		return view;
	}
	if (!tp_node_is_number(n))
		return n;
	if (p->opts.compat) {
		if (!t->perf_cast)
			return n;
		to.is_signed = false;
		return tp_node_cast(&p->build, tp_node_cast(&p->build, n, to),
				    (struct tp_type){64, false});
	}
	if (t->is_pointer)
		to = (struct tp_type){(u8)(p->opts.long_size * 8), false};
	if (t->is_bool)
		return tp_node_alu1(&p->build, TP_BOOL, n);
	return to.bits ? tp_node_cast(&p->build, n, to) : n;
}

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

static bool tp_parse_is(const struct tp_parser *p, u32 op)
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

/* One "TYPE NAME = expr;" of a statement expression, kept as the value of NAME. */
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
	var->value = cast_to_ctype(p, type, tp_parse_expr(p));
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
		if (!parse_ctype(p, &type) || p->tok.kind != TP_TOK_IDENT)
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
	} else if (!find_var(p, &tok) && parse_ctype(p, &type) && tp_parse_take(p, TP_OP1(')')) &&
		   (type.is_sure || starts_operand(p))) {
		return cast_to_ctype(p, &type, unary(p));
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
	if (!tp_parse_word(&p->tok, "REC") && parse_ctype(p, &type)) {
		size = ctype_size(p, &type);
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
	const char *at;

	while (p->tok.kind != TP_TOK_END) {
		if (!tp_parse_expect(p, TP_OP1(',')))
			return -EINVAL;
		at = p->tok.s;
		n = tp_parse_expr(p);
		if (!n)
			return p->err->code ? -p->err->code : err_nomem(p->err);
		if (!tp_node_is_within(n, &p->nodes_left))
			tp_parse_error(p, at, "an expression that is too large");
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
		.nodes_left = TP_NODES_MAX,
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
