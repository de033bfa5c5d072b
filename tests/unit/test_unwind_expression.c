// SPDX-License-Identifier: GPL-2.0
/*
 * The expressions of call frame information, as the libdw engine evaluates them: every operation,
 * and what has to fail.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <dwarf.h>

#include "util/unwind/unwind_reference_internal.h"

#define STACK 0x7000
#define CFA   0x7040

static const u8 bytes[16] = {1,    2,    3,    4,    5,    6,    7,    8,
			     0xff, 0xfe, 0xfd, 0xfc, 0xfb, 0xfa, 0xf9, 0xf8};

static bool run_on(u32 word, bool cut, const Dwarf_Op *ops, size_t nr, struct unwind_expression *x)
{
	static struct unwind_registers regs;
	static struct unwind_stack stack;

	regs = (struct unwind_registers){.value = {[7] = STACK, [3] = 100},
					 .known = 1 << 7 | 1 << 3};
	stack = (struct unwind_stack){
		.start = STACK, .size = sizeof(bytes), .bytes = bytes, .cut = cut};
	*x = (struct unwind_expression){.regs = &regs, .stack = &stack, .cfa = CFA, .word = word};
	return unwind_expression_run(x, ops, nr);
}

#define OPS(...) ((const Dwarf_Op[]){__VA_ARGS__}), ARRAY_SIZE(((const Dwarf_Op[]){__VA_ARGS__}))

#define assert_value(want, ...)                                       \
	do {                                                          \
		struct unwind_expression x_;                          \
		assert_true(run_on(8, false, OPS(__VA_ARGS__), &x_)); \
		assert_int_equal(x_.value, (u64)(want));              \
	} while (0)

#define assert_fails(why_, ...)                                        \
	do {                                                           \
		struct unwind_expression x_;                           \
		assert_false(run_on(8, false, OPS(__VA_ARGS__), &x_)); \
		assert_int_equal(x_.why, why_);                        \
	} while (0)

#define LIT(n)                           \
	{                                \
		.atom = DW_OP_lit0 + (n) \
	}
#define CONST(n)                                         \
	{                                                \
		.atom = DW_OP_consts, .number = (u64)(n) \
	}
#define OP(name)                     \
	{                            \
		.atom = DW_OP_##name \
	}

static void operands(void **state)
{
	(void)state;
	assert_value(31, LIT(31));
	assert_value(-5, CONST(-5));
	assert_value(0x1234, {.atom = DW_OP_addr, .number = 0x1234});
	assert_value(STACK + 16, {.atom = DW_OP_breg7, .number = 16});
	assert_value(STACK - 8, {.atom = DW_OP_breg7, .number = (u64)-8});
	assert_value(102, {.atom = DW_OP_bregx, .number = 3, .number2 = 2});
	assert_value(CFA - 16, OP(call_frame_cfa), {.atom = DW_OP_plus_uconst, .number = (u64)-16});
	assert_value(0x0807060504030201, {.atom = DW_OP_breg7}, OP(deref));
	assert_value(0xfdfeff08, {.atom = DW_OP_breg7, .number = 7},
		     {.atom = DW_OP_deref_size, .number = 4});
}

static void arithmetic(void **state)
{
	(void)state;
	assert_value(7, LIT(3), LIT(4), OP(plus));
	assert_value(-1, LIT(3), LIT(4), OP(minus));
	assert_value(12, LIT(3), LIT(4), OP(mul));
	assert_value(-3, CONST(-7), LIT(2), OP(div));
	assert_value(3, LIT(15), LIT(4), OP(mod));
	assert_value(0x0c, LIT(28), LIT(14), OP(and));
	assert_value(0x1e, LIT(28), LIT(14), OP(or));
	assert_value(0x12, LIT(28), LIT(14), OP(xor));
	assert_value(48, LIT(3), LIT(4), OP(shl));
	assert_value(0, LIT(3), CONST(64), OP(shl));
	assert_value(0x0fffffffffffffff, CONST(-1), LIT(4), OP(shr));
	assert_value(-1, CONST(-16), LIT(4), OP(shra));
	assert_value(-1, CONST(-16), CONST(200), OP(shra));
	assert_value(-9, LIT(9), OP(neg));
	assert_value(~9ull, LIT(9), OP(not ));
	assert_value(9, CONST(-9), OP(abs));
	assert_value(1, CONST(-9), LIT(9), OP(lt));
	assert_value(0, CONST(-9), LIT(9), OP(gt));
	assert_value(1, LIT(9), LIT(9), OP(le));
	assert_value(1, LIT(9), LIT(9), OP(ge));
	assert_value(1, LIT(9), LIT(9), OP(eq));
	assert_value(0, LIT(9), LIT(9), OP(ne));
}

static void order(void **state)
{
	(void)state;
	assert_value(2, LIT(1), LIT(2), OP(dup), OP(drop));
	assert_value(1, LIT(1), LIT(2), OP(swap));
	assert_value(1, LIT(1), LIT(2), OP(over));
	assert_value(1, LIT(1), LIT(2), LIT(3), {.atom = DW_OP_pick, .number = 2});
	/* 1 2 3 -> 3 1 2 */
	assert_value(2, LIT(1), LIT(2), LIT(3), OP(rot));
	assert_value(1, LIT(1), LIT(2), LIT(3), OP(rot), OP(drop));
	assert_value(3, LIT(1), LIT(2), LIT(3), OP(rot), OP(drop), OP(drop));
}

static void results(void **state)
{
	struct unwind_expression x;

	(void)state;
	assert_true(run_on(8, false, OPS(OP(call_frame_cfa)), &x));
	assert_false(x.is_value);
	assert_true(run_on(8, false, OPS(OP(call_frame_cfa), OP(stack_value)), &x));
	assert_true(x.is_value);
	assert_true(run_on(8, false, OPS({.atom = DW_OP_regx, .number = 3}), &x));
	assert_true(x.is_value);
	assert_int_equal(x.value, 100);
	/* numbers of a 32-bit program */
	assert_true(run_on(4, false, OPS(LIT(1), LIT(2), OP(minus)), &x));
	assert_int_equal(x.value, 0xffffffff);
	assert_true(run_on(4, false, OPS(CONST(-8), LIT(1), OP(shra)), &x));
	assert_int_equal(x.value, 0xfffffffc);
	assert_true(run_on(4, false, OPS({.atom = DW_OP_breg7}, OP(deref)), &x));
	assert_int_equal(x.value, 0x04030201);
}

static void branches(void **state)
{
	(void)state;
	/* the entries of a procedure linkage table: rsp + 8 + ((rip & 15) >= 11) * 8 and its like */
	assert_value(5, LIT(1), {.atom = DW_OP_bra, .number = 1, .offset = 1},
		     {.atom = DW_OP_lit9, .offset = 4}, {.atom = DW_OP_lit5, .offset = 5});
	assert_value(9, {.atom = DW_OP_lit9}, {.atom = DW_OP_skip, .number = 1, .offset = 1},
		     {.atom = DW_OP_lit5, .offset = 4});
	/* for ever */
	assert_fails(CHAIN_BAD_CFI, {.atom = DW_OP_skip, .number = (u64)-3});
	/* into the middle of an operation */
	assert_fails(CHAIN_BAD_CFI, {.atom = DW_OP_const2u, .number = 9},
		     {.atom = DW_OP_skip, .number = (u64)-5, .offset = 3});
}

static void failures(void **state)
{
	Dwarf_Op many[100];
	struct unwind_expression x;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(many); i++)
		many[i] = (Dwarf_Op)LIT(1);
	assert_false(run_on(8, false, many, ARRAY_SIZE(many), &x));
	assert_int_equal(x.why, CHAIN_BAD_CFI);
	assert_false(run_on(8, false, many, 0, &x));
	assert_fails(CHAIN_BAD_CFI, LIT(1), OP(plus));
	assert_fails(CHAIN_BAD_CFI, OP(drop));
	assert_fails(CHAIN_BAD_CFI, LIT(1), LIT(0), OP(div));
	assert_fails(CHAIN_BAD_CFI, LIT(1), LIT(0), OP(mod));
	assert_fails(CHAIN_BAD_CFI, CONST(INT64_MIN), CONST(-1), OP(div));
	assert_fails(CHAIN_BAD_CFI, OP(push_object_address));
	assert_fails(CHAIN_BAD_CFI, {.atom = DW_OP_breg7}, {.atom = DW_OP_deref_size, .number = 9});
	/* a register that no frame below has kept */
	assert_fails(CHAIN_BAD_STACK, {.atom = DW_OP_breg12});
	assert_fails(CHAIN_BAD_STACK, {.atom = DW_OP_bregx, .number = 1000});
	/* memory that is not in the copy of the stack */
	assert_fails(CHAIN_BAD_STACK, {.atom = DW_OP_breg7, .number = 9}, OP(deref));
	assert_fails(CHAIN_BAD_STACK, {.atom = DW_OP_breg7, .number = (u64)-1}, OP(deref));
	assert_false(run_on(8, true, OPS({.atom = DW_OP_breg7, .number = 16}, OP(deref)), &x));
	assert_int_equal(x.why, CHAIN_CUT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operands), cmocka_unit_test(arithmetic),
		cmocka_unit_test(order),    cmocka_unit_test(results),
		cmocka_unit_test(branches), cmocka_unit_test(failures),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
