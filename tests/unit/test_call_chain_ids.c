// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "util/profile/symboliser.h"

static const struct stack_place here = {1, 2};

static void same_and_other(void **state)
{
	static const u64 words[] = {7, 8, 9, 7, 8, 9};
	const struct stack_place user = {3, 2}, kernel = {1, 3};
	struct call_chain_ids s = {0};
	u32 a;

	(void)state;
	a = call_chain_ids_get(&s, words, 3, here);
	assert_int_not_equal(a, 0);
	assert_int_equal(call_chain_ids_get(&s, words + 3, 3, here), a);
	/* other words, fewer, more, elsewhere */
	assert_int_not_equal(call_chain_ids_get(&s, words + 1, 3, here), a);
	assert_int_not_equal(call_chain_ids_get(&s, words, 2, here), a);
	assert_int_not_equal(call_chain_ids_get(&s, words, 4, here), a);
	assert_int_not_equal(call_chain_ids_get(&s, words, 3, user), a);
	assert_int_not_equal(call_chain_ids_get(&s, words, 3, kernel), a);
	assert_int_equal(call_chain_ids_get(&s, words, 3, here), a);
	assert_int_equal(call_chain_ids_get(&s, words, 0, here), 0);
	call_chain_ids_free(&s);
}

/* Far more stacks than are kept: no number comes twice, and memory does not grow with them. */
static void many(void **state)
{
	struct call_chain_ids s = {0};
	u32 i, number, last = 0;
	u64 words[40];

	(void)state;
	for (i = 0; i < 40; i++)
		words[i] = i;
	for (i = 0; i < 200000; i++) {
		words[3] = i;
		number = call_chain_ids_get(&s, words, 4 + i % 36, here);
		assert_true(number > last);
		last = number;
		assert_int_equal(call_chain_ids_get(&s, words, 4 + i % 36, here), number);
	}
	assert_true(s.words.cap <= 1u << 20);
	assert_true(s.stacks.cap <= 1u << 16);
	call_chain_ids_free(&s);
}

static void too_long(void **state)
{
	u64 *words = calloc(1u << 17, sizeof(*words));
	struct call_chain_ids s = {0};

	(void)state;
	assert_non_null(words);
	assert_int_equal(call_chain_ids_get(&s, words, 1u << 17, here), 0);
	assert_int_not_equal(call_chain_ids_get(&s, words, 127, here), 0);
	call_chain_ids_free(&s);
	free(words);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_and_other),
		cmocka_unit_test(many),
		cmocka_unit_test(too_long),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
