// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "util/report/report_compare.h"

/* Each before the next one: falling devices, and of one device falling inodes. */
static const char *const namespaces[] = {"10/0x1", "9/0xf0000001", "9/0x20", "9/0x1f",
					 "9",      "9/0x0",        "-",      "none"};

static const char *text(const struct report_texts *t, u32 id)
{
	(void)t;
	return namespaces[id];
}

static int sign(int v)
{
	return v < 0 ? -1 : v > 0;
}

static void test_namespaces(void **state)
{
	struct report_texts texts = {.text = text};
	struct report_view v = {.texts = &texts};
	u32 i, j;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(namespaces); i++)
		for (j = 0; j < ARRAY_SIZE(namespaces); j++)
			assert_int_equal(sign(report_compare_values(&v, REPORT_CGROUP_ID, i, j)),
					 i < j ? -1 : i > j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_namespaces),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("report_compare", tests, NULL, NULL);
}
