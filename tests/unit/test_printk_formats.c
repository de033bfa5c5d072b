// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/oom.h"
#include "util/profile/printk_formats.h"

static void test_lines(void **state)
{
	static const char text[] = "0xffffffff8281a3e9 : \"rcu_preempt-GPS\"\n"
				   "0xffffffff8281a405 : \"Start : \\\"it\\\"\"\n"
				   "0x10 : \"with an end\\n\"\n"
				   "0x11 : \"\"\n"
				   "0x12 : \"last line\"";
	struct printk_formats f = {0};

	(void)state;
	assert_null(printk_formats_find(&f, 0x10));
	assert_true(printk_formats_parse(&f, text, sizeof(text) - 1));
	assert_string_equal(printk_formats_find(&f, 0xffffffff8281a3e9), "rcu_preempt-GPS");
	assert_string_equal(printk_formats_find(&f, 0xffffffff8281a405), "Start : \\\"it\\\"");
	assert_string_equal(printk_formats_find(&f, 0x10), "with an end");
	assert_string_equal(printk_formats_find(&f, 0x11), "");
	assert_string_equal(printk_formats_find(&f, 0x12), "last line");
	assert_null(printk_formats_find(&f, 0x13));
	printk_formats_free(&f);
}

static void test_other_lines(void **state)
{
	static const char *const texts[] = {
		"",
		"\n",
		"0x",
		"0x : \"a\"",
		"10 : \"a\"",
		"0x10 \"a\"",
		"0x10 : a",
		"0x10 : \"",
		"0x10 : \"a",
		"0xfffff0000ffff00001 : \"a\"",
		"0x10g : \"a\"",
		" : \"a\"",
	};
	struct printk_formats f = {0};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_true(printk_formats_parse(&f, texts[i], strlen(texts[i])));
	assert_int_equal(f.by_addr.nr, 0);
	printk_formats_free(&f);
}

static void test_no_memory(void **state)
{
	static const char text[] = "0x10 : \"a\"\n";
	struct printk_formats f = {0};
	unsigned int n;
	bool ok;

	(void)state;
	for (n = 0;; n++) {
		oom_after(n);
		ok = printk_formats_parse(&f, text, sizeof(text) - 1);
		if (!oom_stop())
			break;
		assert_false(ok);
		printk_formats_free(&f);
		f = (struct printk_formats){0};
	}
	assert_true(ok && n > 0);
	assert_string_equal(printk_formats_find(&f, 0x10), "a");
	printk_formats_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_other_lines),
		cmocka_unit_test(test_no_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("printk_formats", tests, NULL, NULL);
}
