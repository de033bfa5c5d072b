// SPDX-License-Identifier: GPL-2.0
#include "util/unwind/cfi.h"

#include <dwarf.h>

#include "util/base/cur.h"

#define STACK      64
#define STEP_LIMIT 1000

struct machine {
	u64 stack[STACK];
	u32 nr;
	u8 address;
	struct cur c, code;
	const struct cfi_expr_ops *ops;
	void *ctx;
	enum cfi_expr_result result;
};

static void fail(struct machine *x, enum cfi_expr_result why)
{
	if (x->result == CFI_EXPR_OK)
		x->result = why;
}

static void push(struct machine *x, u64 v)
{
	if (x->nr == STACK)
		fail(x, CFI_EXPR_BAD);
	else
		x->stack[x->nr++] = x->address == 4 ? (u32)v : v;
}

/* The element `depth` below the top. */
static u64 peek(struct machine *x, u32 depth)
{
	if (depth < x->nr)
		return x->stack[x->nr - 1 - depth];
	fail(x, CFI_EXPR_BAD);
	return 0;
}

static u64 pop(struct machine *x)
{
	u64 v = peek(x, 0);

	if (x->nr)
		x->nr--;
	return v;
}

static s64 pop_signed(struct machine *x)
{
	u64 v = pop(x);

	return x->address == 4 ? (s32)v : (s64)v;
}

static void push_register(struct machine *x, u64 reg, s64 offset)
{
	u64 v = 0;

	if (!x->ops->reg(x->ctx, reg, &v))
		fail(x, CFI_EXPR_VALUE);
	push(x, v + (u64)offset);
}

static void deref(struct machine *x, u32 bytes)
{
	u64 addr = pop(x), v = 0;

	if (!bytes || bytes > x->address)
		fail(x, CFI_EXPR_BAD);
	else if (x->result == CFI_EXPR_OK && !x->ops->load(x->ctx, addr, bytes, &v))
		fail(x, CFI_EXPR_VALUE);
	push(x, v);
}

static void jump(struct machine *x, s16 by)
{
	s64 at = x->c.p - x->code.p + by;

	if (at < 0 || at > x->code.end - x->code.p)
		fail(x, CFI_EXPR_BAD);
	else
		x->c.p = x->code.p + at;
}

static u64 divide(struct machine *x, s64 a, s64 b)
{
	if (!b) {
		fail(x, CFI_EXPR_BAD);
		return 0;
	}
	return b == -1 ? -(u64)a : (u64)(a / b);
}

static u64 shift_arithmetic(s64 a, u64 by)
{
	return (u64)(a >> (by < 63 ? by : 63));
}

static void binary(struct machine *x, u8 op)
{
	s64 sb = x->address == 4 ? (s32)peek(x, 0) : (s64)peek(x, 0);
	u64 b = pop(x);
	s64 sa = x->address == 4 ? (s32)peek(x, 0) : (s64)peek(x, 0);
	u64 a = pop(x);

	switch (op) {
	case DW_OP_and:
		return push(x, a & b);
	case DW_OP_div:
		return push(x, divide(x, sa, sb));
	case DW_OP_minus:
		return push(x, a - b);
	case DW_OP_mod:
		if (!b)
			fail(x, CFI_EXPR_BAD);
		return push(x, b ? a % b : 0);
	case DW_OP_mul:
		return push(x, a * b);
	case DW_OP_or:
		return push(x, a | b);
	case DW_OP_plus:
		return push(x, a + b);
	case DW_OP_shl:
		return push(x, b < 64 ? a << b : 0);
	case DW_OP_shr:
		return push(x, b < 64 ? a >> b : 0);
	case DW_OP_shra:
		return push(x, shift_arithmetic(sa, b));
	case DW_OP_xor:
		return push(x, a ^ b);
	case DW_OP_eq:
		return push(x, sa == sb);
	case DW_OP_ge:
		return push(x, sa >= sb);
	case DW_OP_gt:
		return push(x, sa > sb);
	case DW_OP_le:
		return push(x, sa <= sb);
	case DW_OP_lt:
		return push(x, sa < sb);
	case DW_OP_ne:
		return push(x, sa != sb);
	}
}

/* Constants, registers and what moves the stack about; false: it is none of these. */
static bool operand(struct machine *x, u8 op)
{
	struct cur *c = &x->c;
	u64 v;

	switch (op) {
	case DW_OP_addr:
		push(x, x->address == 4 ? cur_u32(c) : cur_u64(c));
		return true;
	case DW_OP_const1u:
		push(x, cur_u8(c));
		return true;
	case DW_OP_const1s:
		push(x, (u64)(s8)cur_u8(c));
		return true;
	case DW_OP_const2u:
		push(x, cur_u16(c));
		return true;
	case DW_OP_const2s:
		push(x, (u64)(s16)cur_u16(c));
		return true;
	case DW_OP_const4u:
		push(x, cur_u32(c));
		return true;
	case DW_OP_const4s:
		push(x, (u64)(s32)cur_u32(c));
		return true;
	case DW_OP_const8u:
	case DW_OP_const8s:
		push(x, cur_u64(c));
		return true;
	case DW_OP_constu:
		push(x, cur_uleb(c));
		return true;
	case DW_OP_consts:
		push(x, (u64)cur_sleb(c));
		return true;
	case DW_OP_bregx:
		v = cur_uleb(c);
		push_register(x, v, cur_sleb(c));
		return true;
	case DW_OP_dup:
		push(x, peek(x, 0));
		return true;
	case DW_OP_drop:
		pop(x);
		return true;
	case DW_OP_over:
		push(x, peek(x, 1));
		return true;
	case DW_OP_pick:
		push(x, peek(x, cur_u8(c)));
		return true;
	}
	if (op >= DW_OP_lit0 && op <= DW_OP_lit31)
		push(x, op - DW_OP_lit0);
	else if (op >= DW_OP_breg0 && op <= DW_OP_breg31)
		push_register(x, op - DW_OP_breg0, cur_sleb(c));
	else
		return false;
	return true;
}

static void rearrange(struct machine *x, u8 op)
{
	u64 a = pop(x), b = pop(x), third;

	if (op == DW_OP_swap) {
		push(x, a);
		push(x, b);
	} else {
		third = pop(x);
		push(x, a);
		push(x, third);
		push(x, b);
	}
}

static void run_operation(struct machine *x, u8 op)
{
	s64 signed_value;
	s16 by;

	if (operand(x, op))
		return;
	switch (op) {
	case DW_OP_nop:
		break;
	case DW_OP_swap:
	case DW_OP_rot:
		rearrange(x, op);
		break;
	case DW_OP_deref:
		deref(x, x->address);
		break;
	case DW_OP_deref_size:
		deref(x, cur_u8(&x->c));
		break;
	case DW_OP_abs:
		signed_value = pop_signed(x);
		push(x, signed_value < 0 ? -(u64)signed_value : (u64)signed_value);
		break;
	case DW_OP_neg:
		push(x, -pop(x));
		break;
	case DW_OP_not:
		push(x, ~pop(x));
		break;
	case DW_OP_plus_uconst:
		push(x, pop(x) + cur_uleb(&x->c));
		break;
	case DW_OP_skip:
		jump(x, (s16)cur_u16(&x->c));
		break;
	case DW_OP_bra:
		by = (s16)cur_u16(&x->c);
		if (pop(x))
			jump(x, by);
		break;
	case DW_OP_and:
	case DW_OP_div:
	case DW_OP_minus:
	case DW_OP_mod:
	case DW_OP_mul:
	case DW_OP_or:
	case DW_OP_plus:
	case DW_OP_shl:
	case DW_OP_shr:
	case DW_OP_shra:
	case DW_OP_xor:
	case DW_OP_eq:
	case DW_OP_ge:
	case DW_OP_gt:
	case DW_OP_le:
	case DW_OP_lt:
	case DW_OP_ne:
		binary(x, op);
		break;
	default:
		fail(x, CFI_EXPR_BAD);
	}
}

enum cfi_expr_result cfi_expr(struct cur code, u8 address, const struct cfi_expr_ops *ops,
			      void *ctx, const u64 *initial, u64 *value)
{
	struct machine x;
	u32 steps = 0;

	x.nr = 0;
	x.address = address;
	x.c = x.code = code;
	x.ops = ops;
	x.ctx = ctx;
	x.result = CFI_EXPR_OK;
	if (initial)
		push(&x, *initial);
	while (x.result == CFI_EXPR_OK && cur_left(&x.c)) {
		if (++steps > STEP_LIMIT)
			return CFI_EXPR_BAD;
		run_operation(&x, cur_u8(&x.c));
		if (x.c.bad)
			return CFI_EXPR_BAD;
	}
	*value = pop(&x);
	return x.result;
}
