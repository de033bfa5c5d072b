// SPDX-License-Identifier: GPL-2.0
/* Call chains that come again, and what is said of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/file/columns_internal.h"

#define KERNEL ((u64)PERF_CONTEXT_KERNEL)
#define USER   ((u64)PERF_CONTEXT_USER)

static struct columns_halves halves[COLUMNS_HALVES];

static struct columns_stacks add(struct columns_chain *c, const u64 *words, u32 nr)
{
	struct columns_stacks s = {.kernel = ID_NONE, .user = ID_NONE};

	columns_chain_sample(c, halves, (const u8 *)words, nr, &s);
	return s;
}

static void check(const struct columns_stacks *s, u32 kernel, u32 user, bool kernel_new,
		  bool user_new)
{
	assert_int_equal(s->kernel, kernel);
	assert_int_equal(s->user, user);
	assert_int_equal(s->kernel_new, kernel_new);
	assert_int_equal(s->user_new, user_new);
}

static void end(void)
{
	u32 i;

	for (i = 0; i < COLUMNS_HALVES; i++) {
		assert_false(halves[i].failed);
		columns_halves_clear(&halves[i]);
		columns_halves_free(&halves[i]);
	}
}

/* One that comes again and again is known at a glance, and another one is still told from it. */
static void again(void **state)
{
	const u64 a[] = {KERNEL, 10, 11, USER, 20, 21}, b[] = {KERNEL, 10, 11, USER, 20, 22};
	const u64 other[] = {KERNEL, 10, 12, USER, 20, 21};
	struct columns_chain c = {0};
	struct columns_stacks s;
	u32 i;

	(void)state;
	s = add(&c, a, 6);
	check(&s, 1, 1, true, true);
	assert_int_equal(s.user_nodes, 3);
	for (i = 0; i < COLUMNS_CHAIN_TIMES; i++) {
		assert_int_equal(c.nr, 0);
		s = add(&c, a, 6);
		check(&s, 1, 1, false, false);
	}
	assert_int_equal(c.nr, 6);
	s = add(&c, a, 6);
	check(&s, 1, 1, false, false);
	s = add(&c, b, 6);
	check(&s, 1, 2, false, true);
	assert_int_equal(c.nr, 0);
	s = add(&c, other, 6);
	check(&s, 2, 1, true, false);
	s = add(&c, a, 6);
	check(&s, 1, 1, false, false);
	/* the same words, but not all of them */
	for (i = 0; i <= COLUMNS_CHAIN_TIMES; i++)
		add(&c, a, 6);
	assert_int_equal(c.nr, 6);
	s = add(&c, a, 5);
	check(&s, 1, 3, false, true);
	s = add(&c, a, 3);
	check(&s, 1, ID_NONE, false, false);
	s = add(&c, a, 0);
	check(&s, ID_NONE, ID_NONE, false, false);
	end();
}

/* One half alone; and a chain that is too long to be kept. */
static void halves_alone(void **state)
{
	u64 words[COLUMNS_CHAIN_MAX + 1] = {USER};
	struct columns_chain c = {0};
	struct columns_stacks s;
	u32 i;

	(void)state;
	for (i = 1; i < ARRAY_SIZE(words); i++)
		words[i] = 100 + i;
	for (i = 0; i < 2 * COLUMNS_CHAIN_TIMES; i++) {
		s = add(&c, words, COLUMNS_CHAIN_MAX);
		check(&s, ID_NONE, 1, false, !i);
	}
	assert_int_equal(c.nr, COLUMNS_CHAIN_MAX);
	for (i = 0; i < 2 * COLUMNS_CHAIN_TIMES; i++) {
		s = add(&c, words, COLUMNS_CHAIN_MAX + 1);
		check(&s, ID_NONE, 2, false, !i);
	}
	assert_int_equal(c.nr, 0);
	/* of another event the halves are known, but not that they come again */
	c = (struct columns_chain){0};
	s = add(&c, words, COLUMNS_CHAIN_MAX);
	check(&s, ID_NONE, 1, false, false);
	assert_int_equal(c.times, 0);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(again),
		cmocka_unit_test(halves_alone),
	};

	return cmocka_run_group_tests_name("columns_rows", tests, NULL, NULL);
}
