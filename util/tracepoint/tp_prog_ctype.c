// SPDX-License-Identifier: GPL-2.0
#include "util/tracepoint/tp_prog_internal.h"

#include <string.h>

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

bool tp_ctype_parse(struct tp_parser *p, struct tp_ctype *t)
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

u32 tp_ctype_size(const struct tp_parser *p, const struct tp_ctype *t)
{
	return t->is_pointer ? p->opts.long_size : t->type.bits / 8;
}

const struct tp_node *tp_ctype_cast(struct tp_parser *p, const struct tp_ctype *t,
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
