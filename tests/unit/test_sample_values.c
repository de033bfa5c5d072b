// SPDX-License-Identifier: GPL-2.0
/* The order of values that are texts: of the others, tests/golden has rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/report/sample_values.h"

static int sign(int v)
{
	return v < 0 ? -1 : v > 0;
}

/* texts[0..nr) are in order. */
static void check_order(enum sample_key_kind kind, const char *const *texts, u32 nr)
{
	const struct sample_key key = {.kind = kind};
	struct sample_values v = {.keys = &key, .nr = 1};
	u32 i, j;

	for (i = 0; i < nr; i++)
		assert_int_equal(strtab_add(&v.texts, texts[i], strlen(texts[i])), i);
	for (i = 0; i < nr; i++)
		for (j = 0; j < nr; j++)
			assert_int_equal(sign(sample_values_compare(&v, 0, i, j)),
					 i < j ? -1 : i > j);
	sample_values_free(&v);
}

/* By device and inode, as numbers, falling. */
static void test_namespaces(void **state)
{
	static const char *const texts[] = {"10/0x1", "9/0xf0000001", "9/0x20", "9/0x1f",
					    "9",      "9/0x0",        "-",      "none"};

	(void)state;
	check_order(KEY_CGROUP_ID, texts, ARRAY_SIZE(texts));
}

/* Numbers as numbers, before all else. */
static void test_texts(void **state)
{
	static const char *const texts[] = {"-2", "9", "10", "", "10x", "9x", "a"};

	(void)state;
	check_order(KEY_TRACE, texts, ARRAY_SIZE(texts));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_namespaces),
		cmocka_unit_test(test_texts),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("sample_values", tests, NULL, NULL);
}
