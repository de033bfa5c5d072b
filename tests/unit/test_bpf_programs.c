// SPDX-License-Identifier: GPL-2.0
/* What the code of BPF programs says of the hits that they hide. */
#include <linux/bpf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/kernel/bpf_programs.h"

#define SET(R, K)                                                             \
	{                                                                     \
		.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = (R), .imm = K \
	}
#define SET_32(R, K)                                                        \
	{                                                                   \
		.code = BPF_ALU | BPF_MOV | BPF_K, .dst_reg = (R), .imm = K \
	}
#define JUMP(CODE, N)                                \
	{                                            \
		.code = BPF_JMP | (CODE), .off = (N) \
	}
#define EXIT JUMP(BPF_EXIT, 0)

#define HIDES(...)                                                            \
	bpf_program_hides_by((const struct bpf_insn[]){__VA_ARGS__},          \
			     sizeof((const struct bpf_insn[]){__VA_ARGS__}) / \
				     sizeof(struct bpf_insn))

static void constants_are_followed(void **state)
{
	(void)state;
	assert_int_equal(HIDES(SET(0, 0), EXIT), BPF_PROGRAM_HIDES_ALL);
	assert_int_equal(HIDES(SET_32(0, 0), EXIT), BPF_PROGRAM_HIDES_ALL);
	assert_int_equal(HIDES(SET(0, 1), EXIT), BPF_PROGRAM_HIDES_NONE);
	assert_int_equal(HIDES(SET_32(0, -1), EXIT), BPF_PROGRAM_HIDES_NONE);
	/* the lowest bit is what counts */
	assert_int_equal(HIDES(SET(0, 2), EXIT), BPF_PROGRAM_HIDES_ALL);
	assert_int_equal(HIDES(SET(1, 1), EXIT), BPF_PROGRAM_HIDES_SOME);
	assert_int_equal(HIDES({.code = BPF_ALU64 | BPF_MOV | BPF_X, .src_reg = 1}, EXIT),
			 BPF_PROGRAM_HIDES_SOME);
}

static void each_exit_counts(void **state)
{
	(void)state;
	assert_int_equal(HIDES(JUMP(BPF_JEQ, 2), SET(0, 1), EXIT, SET(0, 1), EXIT),
			 BPF_PROGRAM_HIDES_NONE);
	assert_int_equal(HIDES(JUMP(BPF_JEQ, 2), SET(0, 1), EXIT, SET(0, 0), EXIT),
			 BPF_PROGRAM_HIDES_SOME);
	assert_int_equal(HIDES(JUMP(BPF_JEQ, 2), SET(0, 0), EXIT, SET(0, 0), EXIT),
			 BPF_PROGRAM_HIDES_ALL);
	/* behind whatever was done before */
	assert_int_equal(HIDES(JUMP(BPF_JEQ, 1), SET(0, 1), EXIT), BPF_PROGRAM_HIDES_SOME);
	assert_int_equal(HIDES(JUMP(BPF_JA, 1), SET(0, 1), EXIT), BPF_PROGRAM_HIDES_SOME);
	assert_int_equal(HIDES(SET(0, 1), EXIT, JUMP(BPF_JEQ, -2)), BPF_PROGRAM_HIDES_SOME);
	assert_int_equal(HIDES({.code = BPF_JMP32 | BPF_JEQ, .off = 1}, SET(0, 1), EXIT),
			 BPF_PROGRAM_HIDES_SOME);
	assert_int_equal(HIDES({.code = BPF_JMP32 | BPF_JA, .imm = 1}, SET(0, 1), EXIT),
			 BPF_PROGRAM_HIDES_SOME);
	assert_int_equal(HIDES(JUMP(BPF_JA | BPF_X, 0), SET(0, 1), EXIT), BPF_PROGRAM_HIDES_SOME);
	/* another program answers */
	assert_int_equal(
		HIDES({.code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_tail_call}, SET(0, 1), EXIT),
		BPF_PROGRAM_HIDES_SOME);
	assert_int_equal(
		HIDES({.code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_ktime_get_ns}, SET(0, 1), EXIT),
		BPF_PROGRAM_HIDES_NONE);
}

static void wrong_code_is_not_known(void **state)
{
	(void)state;
	assert_int_equal(bpf_program_hides_by(NULL, 0), BPF_PROGRAM_HIDES_SOME);
	assert_int_equal(HIDES(EXIT), BPF_PROGRAM_HIDES_SOME);
	assert_int_equal(HIDES(SET(0, 1)), BPF_PROGRAM_HIDES_SOME);
	assert_int_equal(HIDES(JUMP(BPF_JEQ, 30000), JUMP(BPF_JA, -30000), SET(0, 1), EXIT),
			 BPF_PROGRAM_HIDES_NONE);
	assert_int_equal(HIDES({.code = BPF_JMP32 | BPF_JA, .imm = INT32_MAX}, SET(0, 1), EXIT),
			 BPF_PROGRAM_HIDES_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(constants_are_followed),
		cmocka_unit_test(each_exit_counts),
		cmocka_unit_test(wrong_code_is_not_known),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
