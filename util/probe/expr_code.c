// SPDX-License-Identifier: GPL-2.0
#include "util/probe/expr.h"

#include <string.h>

enum { R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10 };

#define READ_AT (-8) /* in the stack: what was read */
#define SLOT(n) (-16 - 8 * (s32)(n))
#define SLOTS   ((EXPR_CODE_STACK - 16) / 8)

void expr_code_copy(struct expr_code *x)
{
	bpf_code_call(x->code, x->faults ? BPF_FUNC_copy_from_user
			       : x->user ? BPF_FUNC_probe_read_user
					 : BPF_FUNC_probe_read_kernel);
	bpf_code_jump(x->code, BPF_JNE, R0, 0, x->unread);
}

/* R0 = a number of `size` bytes, of which the first `nr` are those at the address R0. */
static void read_bytes(struct expr_code *x, u32 nr, u32 size)
{
	struct bpf_code *c = x->code;

	bpf_code_move(c, R3, R0);
	bpf_code_number(c, R2, nr);
	bpf_code_move(c, R1, R10);
	bpf_code_alu_number(c, BPF_ADD, R1, READ_AT);
	expr_code_copy(x);
	bpf_code_load(c, size, R0, R10, READ_AT);
}

void expr_code_read(struct expr_code *x, u32 size)
{
	read_bytes(x, size, size);
}

void expr_code_swap(struct expr_code *x, u32 size)
{
	bpf_code_emit(x->code, BPF_ALU | BPF_END | BPF_TO_BE, R0, 0, 0, (s32)(8 * size));
}

/* R0 = the bit-field at the address R0. */
static void read_bits(struct expr_code *x, const struct expr *e)
{
	const u32 end = e->bit_offset + e->bit_size;
	const bool in_unit = end <= 8 * e->type.size;
	const s32 bits = in_unit ? (s32)(8 * e->type.size) : 64;
	const s32 above =
		__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 64 - bits + e->bit_offset : 64 - (s32)end;

	if (in_unit) {
		expr_code_read(x, e->type.size);
	} else {
		bpf_code_store_number(x->code, 8, R10, READ_AT, 0);
		read_bytes(x, (end + 7) / 8, sizeof(u64));
	}
	bpf_code_alu_number(x->code, BPF_LSH, R0, above);
	bpf_code_alu_number(x->code, e->type.is_signed ? BPF_ARSH : BPF_RSH, R0, 64 - e->bit_size);
}

static bool is_number_size(u32 size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static void read_place(struct expr_code *x, const struct expr *e)
{
	const bool user = x->user;

	expr_code_address(x, e);
	if (e->type.kind == EXPR_ARRAY)
		return;
	if ((e->type.kind != EXPR_NUMBER && e->type.kind != EXPR_POINTER) ||
	    !is_number_size(e->type.size)) {
		x->code->failed = true;
		return;
	}
	x->user |= e->of_user;
	if (e->bit_size)
		read_bits(x, e);
	else
		expr_code_read(x, e->type.size);
	x->user = user;
	if (e->bit_size)
		return;
	if (e->type.big_endian)
		expr_code_swap(x, e->type.size);
	else
		bpf_code_extend(x->code, R0, e->type.size, e->type.is_signed);
}

/*
 * Comparisons are computed, not jumped for: each jump doubles the ways that the kernel's verifier goes.
 *
 * R0 = R0 differs from R1, as 0 or 1: of x and -x, one has its highest bit set unless x is 0.
 */
static void put_differs(struct bpf_code *c)
{
	bpf_code_alu(c, BPF_XOR, R0, R1);
	bpf_code_move(c, R1, R0);
	bpf_code_emit(c, BPF_ALU64 | BPF_NEG, R1, 0, 0, 0);
	bpf_code_alu(c, BPF_OR, R0, R1);
	bpf_code_alu_number(c, BPF_RSH, R0, 63);
}

/* R0 = R0 is less than R1: the borrow of R0 - R1, (~R0 & R1) | ((~R0 | R1) & (R0 - R1)), is its highest bit. */
static void put_less(struct bpf_code *c, bool is_signed)
{
	if (is_signed) {
		bpf_code_number(c, R2, 1ull << 63);
		bpf_code_alu(c, BPF_XOR, R0, R2);
		bpf_code_alu(c, BPF_XOR, R1, R2);
	}
	bpf_code_move(c, R2, R0);
	bpf_code_alu_number(c, BPF_XOR, R2, -1);
	bpf_code_move(c, R3, R2);
	bpf_code_alu(c, BPF_OR, R3, R1);
	bpf_code_alu(c, BPF_AND, R2, R1);
	bpf_code_alu(c, BPF_SUB, R0, R1);
	bpf_code_alu(c, BPF_AND, R0, R3);
	bpf_code_alu(c, BPF_OR, R0, R2);
	bpf_code_alu_number(c, BPF_RSH, R0, 63);
}

static void swap_sides(struct bpf_code *c)
{
	bpf_code_move(c, R2, R0);
	bpf_code_move(c, R0, R1);
	bpf_code_move(c, R1, R2);
}

/* R0 = R0 sign R1, as 0 or 1. */
static void put_comparison(struct bpf_code *c, char sign, bool is_signed)
{
	if (sign == '>' || sign == '{')
		swap_sides(c);
	if (sign == '=' || sign == 'n')
		put_differs(c);
	else
		put_less(c, is_signed);
	/* a <= b is not b < a */
	if (strchr("={}", sign))
		bpf_code_alu_number(c, BPF_XOR, R0, 1);
}

static void put_is_zero(struct bpf_code *c, bool turned)
{
	bpf_code_number(c, R1, 0);
	put_comparison(c, turned ? 'n' : '=', false);
}

static void put_unary(struct expr_code *x, const struct expr *e)
{
	expr_code_value(x, e->a);
	if (e->sign == '-')
		bpf_code_emit(x->code, BPF_ALU64 | BPF_NEG, R0, 0, 0, 0);
	else if (e->sign == '~')
		bpf_code_alu_number(x->code, BPF_XOR, R0, -1);
	else
		put_is_zero(x->code, false);
}

/* && and ||: the right side is worked out only if the left one does not decide. */
static void put_logic(struct expr_code *x, const struct expr *e)
{
	struct bpf_code *c = x->code;
	u32 decided = bpf_code_label(c), end = bpf_code_label(c);
	const u8 jump = e->sign == 'A' ? BPF_JEQ : BPF_JNE;

	expr_code_value(x, e->a);
	bpf_code_jump(c, jump, R0, 0, decided);
	expr_code_value(x, e->b);
	bpf_code_jump(c, jump, R0, 0, decided);
	bpf_code_number(c, R0, e->sign == 'A');
	bpf_code_jump(c, BPF_JA, R0, 0, end);
	bpf_code_here(c, decided);
	bpf_code_number(c, R0, e->sign != 'A');
	bpf_code_here(c, end);
}

/* The machine divides numbers without a sign: R0 and R1 lose theirs, R2 is whether the result has one. By zero is unread. */
static void divide(struct expr_code *x, const struct expr *e)
{
	struct bpf_code *c = x->code;
	const u8 op = e->sign == '/' ? BPF_DIV : BPF_MOD;
	u32 positive = bpf_code_label(c), rest = bpf_code_label(c), end = bpf_code_label(c);

	bpf_code_jump(c, BPF_JEQ, R1, 0, x->unread);
	if (!e->type.is_signed) {
		bpf_code_alu(c, op, R0, R1);
		return;
	}
	bpf_code_move(c, R2, R0);
	if (e->sign == '/')
		bpf_code_alu(c, BPF_XOR, R2, R1);
	bpf_code_jump(c, BPF_JSGE, R0, 0, positive);
	bpf_code_emit(c, BPF_ALU64 | BPF_NEG, R0, 0, 0, 0);
	bpf_code_here(c, positive);
	bpf_code_jump(c, BPF_JSGT, R1, 0, rest);
	bpf_code_emit(c, BPF_ALU64 | BPF_NEG, R1, 0, 0, 0);
	bpf_code_here(c, rest);
	bpf_code_alu(c, op, R0, R1);
	bpf_code_jump(c, BPF_JSGE, R2, 0, end);
	bpf_code_emit(c, BPF_ALU64 | BPF_NEG, R0, 0, 0, 0);
	bpf_code_here(c, end);
}

/* R0 op= R1 */
static void put_operator(struct expr_code *x, const struct expr *e)
{
	const bool is_signed = expr_is_signed(&e->a->type) && expr_is_signed(&e->b->type);
	static const struct {
		char sign;
		u8 op;
	} plain[] = {{'+', BPF_ADD}, {'-', BPF_SUB}, {'*', BPF_MUL}, {'&', BPF_AND},
		     {'|', BPF_OR},  {'^', BPF_XOR}, {'l', BPF_LSH}};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(plain); i++) {
		if (plain[i].sign != e->sign)
			continue;
		bpf_code_alu(x->code, plain[i].op, R0, R1);
		return;
	}
	switch (e->sign) {
	case 'r':
		bpf_code_alu(x->code, expr_is_signed(&e->a->type) ? BPF_ARSH : BPF_RSH, R0, R1);
		break;
	case '/':
	case '%':
		divide(x, e);
		break;
	default:
		put_comparison(x->code, e->sign, is_signed);
	}
}

static void put_binary(struct expr_code *x, const struct expr *e)
{
	const u32 slot = x->depth;

	if (e->sign == 'A' || e->sign == 'O') {
		put_logic(x, e);
		return;
	}
	if (slot >= SLOTS) {
		x->code->failed = true;
		return;
	}
	expr_code_value(x, e->a);
	bpf_code_store(x->code, 8, R10, SLOT(slot), R0);
	x->depth++;
	expr_code_value(x, e->b);
	x->depth--;
	bpf_code_move(x->code, R1, R0);
	bpf_code_load(x->code, 8, R0, R10, SLOT(slot));
	put_operator(x, e);
}

static void put_cast(struct expr_code *x, const struct expr *e)
{
	expr_code_value(x, e->a);
	/* a cast leaves the bytes as they are in memory */
	if (e->a->type.big_endian && !e->type.big_endian)
		expr_code_swap(x, e->a->type.size);
	if (e->type.is_bool)
		put_is_zero(x->code, true);
	else if (e->type.kind == EXPR_NUMBER)
		bpf_code_extend(x->code, R0, e->type.size, e->type.is_signed);
	if (e->type.big_endian && !e->a->type.big_endian)
		expr_code_swap(x, e->type.size);
}

static void put_else(struct expr_code *x, const struct expr *e)
{
	const u32 unread = x->unread, second = bpf_code_label(x->code),
		  end = bpf_code_label(x->code);

	x->unread = second;
	expr_code_value(x, e->a);
	bpf_code_jump(x->code, BPF_JNE, R0, 0, end);
	bpf_code_here(x->code, second);
	x->unread = unread;
	expr_code_value(x, e->b);
	bpf_code_here(x->code, end);
}

static void put_choice(struct expr_code *x, const struct expr *e)
{
	const u32 second = bpf_code_label(x->code), end = bpf_code_label(x->code);

	expr_code_value(x, e->a);
	bpf_code_jump(x->code, BPF_JEQ, R0, 0, second);
	expr_code_value(x, e->b->a);
	bpf_code_jump(x->code, BPF_JA, R0, 0, end);
	bpf_code_here(x->code, second);
	expr_code_value(x, e->b->b);
	bpf_code_here(x->code, end);
}

/* Places that follow one another share what is there. */
static void put_at(struct expr_code *x, const struct expr *e)
{
	struct bpf_code *c = x->code;
	const u32 there = bpf_code_label(c), elsewhere = bpf_code_label(c), end = bpf_code_label(c);
	const struct expr *a = e->a;

	bpf_code_move(c, R1, R6);
	bpf_code_call(c, BPF_FUNC_get_attach_cookie);
	for (; e && e->op == EXPR_AT && e->a == a; e = e->b) {
		bpf_code_number(c, R1, e->value);
		bpf_code_jump_reg(c, BPF_JEQ, R0, R1, there);
	}
	bpf_code_jump(c, BPF_JA, R0, 0, e ? elsewhere : x->unread);
	bpf_code_here(c, there);
	expr_code_value(x, a);
	if (!e)
		return;
	bpf_code_jump(c, BPF_JA, R0, 0, end);
	bpf_code_here(c, elsewhere);
	expr_code_value(x, e);
	bpf_code_here(c, end);
}

/*
 * The kernel allows little with pointers whose type it knows, and older ones refuse to load those that are of no struct: copied as
 * bytes, they are numbers.
 */
static void put_context(struct expr_code *x, const struct expr *e)
{
	struct bpf_code *c = x->code;

	if (e->op == EXPR_CONTEXT) {
		bpf_code_load(c, 8, R0, R6, (s32)e->value);
		return;
	}
	bpf_code_move(c, R3, R6);
	bpf_code_alu_number(c, BPF_ADD, R3, (s32)e->value);
	bpf_code_number(c, R2, 8);
	bpf_code_move(c, R1, R10);
	bpf_code_alu_number(c, BPF_ADD, R1, READ_AT);
	bpf_code_call(c, BPF_FUNC_probe_read_kernel);
	bpf_code_load(c, 8, R0, R10, READ_AT);
}

void expr_code_value(struct expr_code *x, const struct expr *e)
{
	if (e->is_place) {
		read_place(x, e);
		return;
	}
	switch (e->op) {
	case EXPR_CONSTANT:
		bpf_code_number(x->code, R0, e->value);
		break;
	case EXPR_CONTEXT:
	case EXPR_WORD:
		put_context(x, e);
		if (e->type.kind == EXPR_NUMBER)
			bpf_code_extend(x->code, R0, e->type.size, e->type.is_signed);
		if (e->type.big_endian)
			expr_code_swap(x, e->type.size);
		break;
	case EXPR_ADDRESS:
		expr_code_address(x, e->a);
		break;
	case EXPR_CALL:
		bpf_code_call(x->code, (s32)e->value);
		break;
	case EXPR_CAST:
		put_cast(x, e);
		break;
	case EXPR_UNARY:
		put_unary(x, e);
		break;
	case EXPR_ELSE:
		put_else(x, e);
		break;
	case EXPR_CHOICE:
		put_choice(x, e);
		break;
	case EXPR_AT:
		put_at(x, e);
		break;
	default:
		put_binary(x, e);
	}
}

void expr_code_address(struct expr_code *x, const struct expr *e)
{
	if (e->op == EXPR_MEMBER) {
		expr_code_address(x, e->a);
		if (e->offset)
			bpf_code_alu_number(x->code, BPF_ADD, R0, (s32)e->offset);
	} else if (e->op == EXPR_FOLLOW) {
		expr_code_value(x, e->a);
	} else {
		x->code->failed = true;
	}
}
