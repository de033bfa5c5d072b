// SPDX-License-Identifier: GPL-2.0
/* Names as the programs that parse them need them: tests/golden/dialects.txt. Here: no names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "util/format/text_dialect.h"

static const struct text_dialect *find(const char *name)
{
	struct err err = {0};
	const struct text_dialect *c = text_dialect_find(name, &err);

	assert_non_null(c);
	return c;
}

/* No file that another program wrote has a function without a name. */
static void test_empty(void **state)
{
	struct buf b = {0};

	(void)state;
	text_dialect_symbol(find("inferno"), "", &b);
	text_dialect_dso("", &b);
	assert_string_equal(buf_str(&b), "[unknown][unknown]");
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("text_dialect", tests, NULL, NULL);
}
