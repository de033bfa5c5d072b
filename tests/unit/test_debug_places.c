// SPDX-License-Identifier: GPL-2.0
/* How a message lists lines. What the lines are is tested by tests/cli/probes.t, of programs. */
#include "util/debuginfo/debug_places.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* marks: '#' for each line that is meant, '.' for each other, from line 10 on. */
static void lists(const char *marks, const char *text)
{
	struct debug_lines lines = {0};
	struct buf out = {0};
	bool is[64];
	u32 i;

	assert_true(strlen(marks) <= sizeof(is));
	for (i = 0; marks[i]; i++) {
		*vec_push(&lines.v) = (struct debug_line){.line = 10 + i};
		is[i] = marks[i] == '#';
	}
	debug_lines_text(&lines, is, &out);
	assert_string_equal(buf_str(&out), text);
	buf_free(&out);
	vec_free(&lines.v);
}

static void test_runs(void **state)
{
	(void)state;
	lists("...", "");
	lists(".#.", "11");
	lists("##", "10-11");
	lists("#.###.#", "10, 12-14, 16");
}

static void test_many_runs(void **state)
{
	(void)state;
	lists("#.#.#.#.#.#.#.#", "10, 12, 14, 16, 18, 20, 22, 24");
	lists("#.#.#.#.#.#.#.##.", "10, 12, 14, 16, 18, 20, 22, 24-25");
	lists("#.#.#.#.#.#.#.#.#.#", "10, 12, 14, 16, 18, 20, 22, 24, ...");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_runs),
		cmocka_unit_test(test_many_runs),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
