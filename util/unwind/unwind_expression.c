// SPDX-License-Identifier: GPL-2.0
#include "util/unwind/unwind_expression.h"

#include <dwarf.h>

#define DEPTH      64
#define MOST_STEPS 1000 /* a damaged expression may branch back for ever */

struct machine {
	struct unwind_expression *x;
	u64 v[DEPTH];
	u32 nr;
	bool bad;
};

static void push(struct machine *s, u64 value)
{
	if (s->nr >= DEPTH) {
		s->bad = true;
		return;
	}
	s->v[s->nr++] = s->x->word == 4 ? (u32)value : value;
}

/* The n-th from the top. */
static u64 peek(struct machine *s, u64 n)
{
	if (n >= s->nr) {
		s->bad = true;
		return 0;
	}
	return s->v[s->nr - 1 - n];
}

static u64 pop(struct machine *s)
{
	u64 v = peek(s, 0);

	if (s->nr)
		s->nr--;
	return v;
}

static void push_register(struct machine *s, u64 reg, u64 add)
{
	if (!unwind_register_known(s->x->regs, reg)) {
		s->x->why = CHAIN_BAD_STACK;
		s->bad = true;
		return;
	}
	push(s, s->x->regs->value[reg] + add);
}

static void deref(struct machine *s, u32 len)
{
	u64 addr = pop(s), value;

	if (!len || len > sizeof(value) || s->bad) {
		s->bad = true;
	} else if (unwind_stack_read(s->x->stack, addr, len, &value)) {
		push(s, value);
	} else {
		s->x->why = unwind_stack_why(s->x->stack, addr);
		s->bad = true;
	}
}

static s64 extend(const struct machine *s, u64 v)
{
	return s->x->word == 4 ? (s32)v : (s64)v;
}

static u64 divide(struct machine *s, s64 a, s64 b)
{
	if (!b || (b == -1 && a == INT64_MIN)) {
		s->bad = true;
		return 0;
	}
	return (u64)(a / b);
}

static u64 modulo(struct machine *s, u64 a, u64 b)
{
	if (!b) {
		s->bad = true;
		return 0;
	}
	return a % b;
}

static bool binary(struct machine *s, u8 op)
{
	u64 b = peek(s, 0), a = peek(s, 1), bits = s->x->word * 8, r;

	switch (op) {
	case DW_OP_and:
		r = a & b;
		break;
	case DW_OP_or:
		r = a | b;
		break;
	case DW_OP_xor:
		r = a ^ b;
		break;
	case DW_OP_plus:
		r = a + b;
		break;
	case DW_OP_minus:
		r = a - b;
		break;
	case DW_OP_mul:
		r = a * b;
		break;
	case DW_OP_div:
		r = divide(s, extend(s, a), extend(s, b));
		break;
	case DW_OP_mod:
		r = modulo(s, a, b);
		break;
	case DW_OP_shl:
		r = b < bits ? a << b : 0;
		break;
	case DW_OP_shr:
		r = b < bits ? a >> b : 0;
		break;
	case DW_OP_shra:
		r = (u64)(extend(s, a) >> (b < bits ? b : bits - 1));
		break;
	case DW_OP_eq:
		r = a == b;
		break;
	case DW_OP_ne:
		r = a != b;
		break;
	case DW_OP_lt:
		r = extend(s, a) < extend(s, b);
		break;
	case DW_OP_le:
		r = extend(s, a) <= extend(s, b);
		break;
	case DW_OP_gt:
		r = extend(s, a) > extend(s, b);
		break;
	case DW_OP_ge:
		r = extend(s, a) >= extend(s, b);
		break;
	default:
		return false;
	}
	pop(s);
	pop(s);
	push(s, r);
	return true;
}

static bool unary(struct machine *s, const Dwarf_Op *op)
{
	u64 v = peek(s, 0);

	switch (op->atom) {
	case DW_OP_neg:
		v = 0 - v;
		break;
	case DW_OP_not:
		v = ~v;
		break;
	case DW_OP_abs:
		v = extend(s, v) < 0 ? 0 - v : v;
		break;
	case DW_OP_plus_uconst:
		v += op->number;
		break;
	default:
		return false;
	}
	pop(s);
	push(s, v);
	return true;
}

static bool shuffle(struct machine *s, const Dwarf_Op *op)
{
	u64 a, b, c;

	switch (op->atom) {
	case DW_OP_dup:
		push(s, peek(s, 0));
		break;
	case DW_OP_drop:
		pop(s);
		break;
	case DW_OP_over:
		push(s, peek(s, 1));
		break;
	case DW_OP_pick:
		push(s, peek(s, op->number));
		break;
	case DW_OP_swap:
		a = pop(s);
		b = pop(s);
		push(s, a);
		push(s, b);
		break;
	case DW_OP_rot:
		a = pop(s);
		b = pop(s);
		c = pop(s);
		push(s, a);
		push(s, c);
		push(s, b);
		break;
	default:
		return false;
	}
	return true;
}

/* Constants, registers and memory. */
static bool load(struct machine *s, const Dwarf_Op *op)
{
	u8 atom = op->atom;

	if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31)
		push(s, atom - DW_OP_lit0);
	else if ((atom >= DW_OP_const1u && atom <= DW_OP_consts) || atom == DW_OP_addr)
		push(s, op->number);
	else if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31)
		push_register(s, atom - DW_OP_breg0, op->number);
	else if (atom == DW_OP_bregx)
		push_register(s, op->number, op->number2);
	else if (atom >= DW_OP_reg0 && atom <= DW_OP_reg31)
		push_register(s, atom - DW_OP_reg0, 0);
	else if (atom == DW_OP_regx)
		push_register(s, op->number, 0);
	else if (atom == DW_OP_call_frame_cfa)
		push(s, s->x->cfa);
	else if (atom == DW_OP_deref)
		deref(s, s->x->word);
	else if (atom == DW_OP_deref_size)
		deref(s, (u32)op->number);
	else
		return false;
	if (atom == DW_OP_regx || (atom >= DW_OP_reg0 && atom <= DW_OP_reg31))
		s->x->is_value = true;
	return true;
}

/* The index of the operation that a branch leads to; nr is the end. */
static size_t target(struct machine *s, const Dwarf_Op *ops, size_t nr, size_t at)
{
	/* its number counts from behind the branch: one byte of opcode, two of distance */
	u64 to = ops[at].offset + 3 + (u64)(s16)ops[at].number;
	size_t i;

	for (i = 0; i < nr; i++)
		if (ops[i].offset == to)
			return i;
	if (to < ops[nr - 1].offset)
		s->bad = true;
	return nr;
}

static size_t step(struct machine *s, const Dwarf_Op *ops, size_t nr, size_t at)
{
	const Dwarf_Op *op = &ops[at];

	switch (op->atom) {
	case DW_OP_nop:
		return at + 1;
	case DW_OP_skip:
		return target(s, ops, nr, at);
	case DW_OP_bra:
		return pop(s) ? target(s, ops, nr, at) : at + 1;
	case DW_OP_stack_value:
		s->x->is_value = true;
		return at + 1;
	}
	if (!load(s, op) && !unary(s, op) && !shuffle(s, op) && !binary(s, op->atom))
		s->bad = true;
	return at + 1;
}

bool unwind_expression_run(struct unwind_expression *x, const Dwarf_Op *ops, size_t nr)
{
	struct machine s = {.x = x};
	size_t at = 0;
	u32 steps = 0;

	x->is_value = false;
	x->why = CHAIN_BAD_CFI;
	while (at < nr && !s.bad) {
		if (steps++ == MOST_STEPS)
			return false;
		at = step(&s, ops, nr, at);
	}
	x->value = pop(&s);
	return !s.bad;
}
