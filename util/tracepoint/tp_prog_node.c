// SPDX-License-Identifier: GPL-2.0
#include "util/tracepoint/tp_prog_internal.h"

static const struct tp_type s32_type = {32, true}, u64_type = {64, false};

struct tp_node *tp_node_new(struct tp_build *b, enum tp_node_kind kind)
{
	struct tp_node *n = arena_alloc(b->arena, sizeof(*n));

	if (n) {
		n->kind = kind;
		n->type = u64_type;
	}
	return n;
}

bool tp_node_is_number(const struct tp_node *n)
{
	return n->kind == TP_NODE_COND ? n->is_number : n->kind < TP_NODE_COND;
}

bool tp_node_is_known(const struct tp_node *n)
{
	return n->kind == TP_NODE_CONST && !n->unresolved;
}

const struct tp_node *tp_node_const(struct tp_build *b, u64 value, struct tp_type type)
{
	struct tp_node *n = tp_node_new(b, TP_NODE_CONST);

	if (n) {
		n->value = value;
		n->type = b->compat ? u64_type : type;
	}
	return n;
}

const struct tp_node *tp_node_field(struct tp_build *b, const struct tp_field *f)
{
	struct tp_node *n;

	if (f->is_array || !tp_is_int_size(f->size))
		return tp_node_bytes(b, f);
	n = tp_node_new(b, TP_NODE_FIELD);
	if (n) {
		n->field = f;
		if (!b->compat)
			n->type = (struct tp_type){(u8)(f->size * 8), f->is_signed};
	}
	return n;
}

const struct tp_node *tp_node_bytes(struct tp_build *b, const struct tp_field *f)
{
	struct tp_node *n = tp_node_new(b, TP_NODE_BYTES);
	u32 elem = tp_is_int_size(f->elem_size) ? f->elem_size : 1;

	if (n) {
		n->field = f;
		n->type = (struct tp_type){(u8)(elem * 8), f->is_signed && !b->compat};
	}
	return n;
}

static const struct tp_node *alu1(struct tp_build *b, enum tp_alu1 op, const struct tp_node *a,
				  struct tp_type type)
{
	struct tp_node *n;

	if (!a)
		return NULL;
	n = tp_node_new(b, a->kind == TP_NODE_CONST ? TP_NODE_CONST : TP_NODE_ALU1);
	if (!n)
		return NULL;
	n->type = type;
	if (n->kind == TP_NODE_CONST) {
		n->value = tp_alu1(op, a->value);
		n->unresolved = a->unresolved;
	} else {
		n->op = op;
		n->a = a;
	}
	return n;
}

static const struct tp_node *alu2(struct tp_build *b, enum tp_alu2 op, const struct tp_node *l,
				  const struct tp_node *r, struct tp_type type)
{
	struct tp_node *n;
	bool fold;

	if (!l || !r)
		return NULL;
	fold = l->kind == TP_NODE_CONST && r->kind == TP_NODE_CONST;
	n = tp_node_new(b, fold ? TP_NODE_CONST : TP_NODE_ALU2);
	if (!n)
		return NULL;
	n->type = type;
	if (fold) {
		n->value = tp_alu2(op, l->value, r->value);
		n->unresolved = l->unresolved || r->unresolved;
	} else {
		n->op = op;
		n->a = l;
		n->b = r;
	}
	return n;
}

/* Bring a result that may have grown past its type back into it. */
static const struct tp_node *wrap(struct tp_build *b, const struct tp_node *n, struct tp_type t)
{
	if (t.bits == 32)
		return alu1(b, t.is_signed ? TP_SX32 : TP_ZX32, n, t);
	return n;
}

const struct tp_node *tp_node_cast(struct tp_build *b, const struct tp_node *n, struct tp_type to)
{
	static const enum tp_alu1 extend[2][3] = {{TP_ZX8, TP_ZX16, TP_ZX32},
						  {TP_SX8, TP_SX16, TP_SX32}};
	struct tp_type from;
	struct tp_node *same;

	if (!n)
		return NULL;
	from = n->type;
	if (from.bits == to.bits && from.is_signed == to.is_signed)
		return n;
	/* A value that `to` holds already only changes its name. */
	if (to.bits == 64 || (from.bits < to.bits && (!from.is_signed || to.is_signed))) {
		same = arena_memdup(b->arena, n, sizeof(*n));
		if (same) {
			same->type = to;
			same->bare = false;
		}
		return same;
	}
	return alu1(b, extend[to.is_signed][to.bits == 8 ? 0 : to.bits == 16 ? 1 : 2], n, to);
}

static struct tp_type promoted(struct tp_type t)
{
	return t.bits < 32 ? s32_type : t;
}

/* The usual arithmetic conversions. */
static struct tp_type common_type(struct tp_type l, struct tp_type r)
{
	l = promoted(l);
	r = promoted(r);
	if (l.bits != r.bits)
		return l.bits > r.bits ? l : r;
	return l.is_signed ? r : l;
}

const struct tp_node *tp_node_alu1(struct tp_build *b, enum tp_alu1 op, const struct tp_node *a)
{
	struct tp_type t;

	if (!a)
		return NULL;
	t = promoted(a->type);
	switch (op) {
	case TP_NOT:
	case TP_BOOL:
		return alu1(b, op, a, b->compat ? u64_type : s32_type);
	case TP_NEG:
	case TP_INV:
		return wrap(b, alu1(b, op, tp_node_cast(b, a, t), t), t);
	case TP_SWAP16:
		return alu1(b, op, a, b->compat ? u64_type : (struct tp_type){16, false});
	case TP_SWAP32:
		return alu1(b, op, a, b->compat ? u64_type : (struct tp_type){32, false});
	default:
		return alu1(b, op, a, u64_type);
	}
}

static const struct tp_node *compare(struct tp_build *b, enum tp_alu2 s, enum tp_alu2 u,
				     const struct tp_node *l, const struct tp_node *r)
{
	struct tp_type t = common_type(l->type, r->type);

	return alu2(b, t.is_signed ? s : u, tp_node_cast(b, l, t), tp_node_cast(b, r, t),
		    b->compat ? u64_type : s32_type);
}

static const struct tp_node *arith(struct tp_build *b, enum tp_alu2 s, enum tp_alu2 u,
				   const struct tp_node *l, const struct tp_node *r)
{
	struct tp_type t = common_type(l->type, r->type);

	return wrap(b,
		    alu2(b, t.is_signed ? s : u, tp_node_cast(b, l, t), tp_node_cast(b, r, t), t),
		    t);
}

static const struct tp_node *shift(struct tp_build *b, enum tp_alu2 op, const struct tp_node *l,
				   const struct tp_node *r)
{
	struct tp_type t = promoted(l->type);

	return wrap(b, alu2(b, op, tp_node_cast(b, l, t), r, t), t);
}

const struct tp_node *tp_node_binary(struct tp_build *b, u32 op, const struct tp_node *l,
				     const struct tp_node *r)
{
	if (!l || !r)
		return NULL;
	switch (op) {
	case TP_OP1('+'):
		return arith(b, TP_ADD, TP_ADD, l, r);
	case TP_OP1('-'):
		return arith(b, TP_SUB, TP_SUB, l, r);
	case TP_OP1('*'):
		return arith(b, TP_MUL, TP_MUL, l, r);
	case TP_OP1('/'):
		return arith(b, TP_DIVS, TP_DIVU, l, r);
	case TP_OP1('%'):
		return arith(b, TP_MODS, TP_MODU, l, r);
	case TP_OP1('&'):
		return arith(b, TP_AND, TP_AND, l, r);
	case TP_OP1('|'):
		return arith(b, TP_OR, TP_OR, l, r);
	case TP_OP1('^'):
		return arith(b, TP_XOR, TP_XOR, l, r);
	case TP_OP2('<', '<'):
		return shift(b, TP_SHL, l, r);
	case TP_OP2('>', '>'):
		return shift(b, promoted(l->type).is_signed ? TP_SHRS : TP_SHRU, l, r);
	case TP_OP2('=', '='):
		return compare(b, TP_EQ, TP_EQ, l, r);
	case TP_OP2('!', '='):
		return compare(b, TP_NE, TP_NE, l, r);
	case TP_OP1('<'):
		return compare(b, TP_LTS, TP_LTU, l, r);
	case TP_OP1('>'):
		return compare(b, TP_LTS, TP_LTU, r, l);
	case TP_OP2('<', '='):
		return compare(b, TP_LES, TP_LEU, l, r);
	case TP_OP2('>', '='):
		return compare(b, TP_LES, TP_LEU, r, l);
	case TP_OP2('&', '&'):
		return alu2(b, TP_LAND, l, r, b->compat ? u64_type : s32_type);
	case TP_OP2('|', '|'):
		return alu2(b, TP_LOR, l, r, b->compat ? u64_type : s32_type);
	default:
		return NULL;
	}
}

const struct tp_node *tp_node_cond(struct tp_build *b, const struct tp_node *cond,
				   const struct tp_node *yes, const struct tp_node *no)
{
	struct tp_node *n;

	if (!cond || !yes || !no)
		return NULL;
	if (tp_node_is_known(cond))
		return cond->value ? yes : no;
	n = tp_node_new(b, TP_NODE_COND);
	if (!n)
		return NULL;
	if (tp_node_is_number(yes) && tp_node_is_number(no)) {
		n->is_number = true;
		n->type = common_type(yes->type, no->type);
		yes = tp_node_cast(b, yes, n->type);
		no = tp_node_cast(b, no, n->type);
	}
	n->a = cond;
	n->b = yes;
	n->c = no;
	return yes && no ? n : NULL;
}

static bool is_within(const struct tp_node *n, u32 *left, unsigned int depth)
{
	if (!n)
		return true;
	if (!*left || depth > TP_DEPTH_MAX)
		return false;
	--*left;
	return is_within(n->a, left, depth + 1) && is_within(n->b, left, depth + 1) &&
	       is_within(n->c, left, depth + 1);
}

bool tp_node_is_within(const struct tp_node *n, u32 *left)
{
	return is_within(n, left, 0);
}
