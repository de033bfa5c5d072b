// SPDX-License-Identifier: GPL-2.0
/* util/format/text_dialect: names as the programs that parse them need them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/oom.h"
#include "util/format/text_dialect.h"

static const struct text_dialect *find(const char *name)
{
	struct err err = {0};
	const struct text_dialect *c = text_dialect_find(name, &err);

	assert_non_null(c);
	return c;
}

static void test_find(void **state)
{
	struct err err = {0};

	(void)state;
	assert_string_equal(find("perfetto")->name, "perfetto");
	assert_false(find("perfetto")->trace_line);
	assert_true(find("bolt")->perf_fields);
	assert_null(text_dialect_find("Perfetto", &err));
	assert_int_equal(err.code, EINVAL);
	assert_non_null(
		strstr(err.hint, "stackcollapse, flamegraph, inferno, speedscope, firefox"));
}

static void test_comm(void **state)
{
	static const struct {
		const char *comm, *plain, *firefox, *flamescope;
	} cases[] = {
		{"bash", "bash", "bash", "bash"},
		{"a", "a_", "a_", "a_"},
		{"", "[unknown]", "[unknown]", "[unknown]"},
		{"V8 Worker", "V8_Worker", "V8 Worker", "V\uff18_Worker"},
		{" x", "_x", "_x", "_x"},
		{"#a;b", "_a:b", "_a:b", "_a:b"},
		{"{a", "_a", "_a", "_a"},
		{"12", "12", "12", "\uff11\uff12"},
		{"a\u00a0b\u2028c", "a_b_c", "a b c", "a_b_c"},
		{"\u00e9\xff\n", "\u00e9\\xff\\x0a", "\u00e9\\xff\\x0a", "\u00e9\\xff\\x\uff10a"},
	};
	struct buf b = {0};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		buf_clear(&b);
		text_dialect_comm(find("inferno"), cases[i].comm, &b);
		assert_string_equal(buf_str(&b), cases[i].plain);
		buf_clear(&b);
		text_dialect_comm(find("firefox"), cases[i].comm, &b);
		assert_string_equal(buf_str(&b), cases[i].firefox);
		buf_clear(&b);
		text_dialect_comm(find("flamescope"), cases[i].comm, &b);
		assert_string_equal(buf_str(&b), cases[i].flamescope);
	}
	buf_free(&b);
}

static void test_event(void **state)
{
	static const struct {
		const char *event, *out;
	} cases[] = {
		{"cpu-clock", "cpu-clock"},
		{"skb:kfree_skb", "skb:kfree_skb"},
		{"mem:0x4010:rw", "mem:0x4010_rw"},
		{" cs ", "_cs_"},
		{"1:2", "_1:2"},
		{"", "_"},
		{"my:name=x,y:z", "my:name=x,y_z"},
	};
	struct buf b = {0};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		buf_clear(&b);
		text_dialect_event(cases[i].event, &b);
		assert_string_equal(buf_str(&b), cases[i].out);
	}
	buf_free(&b);
}

static void test_symbol(void **state)
{
	static const struct {
		const char *symbol, *speedscope, *inferno, *flamescope;
	} cases[] = {
		{"main", "main", "main", "main"},
		{"", "[unknown]", "[unknown]", "[unknown]"},
		{"(anonymous namespace)::f((anonymous namespace)::t)",
		 "{anonymous}::f({anonymous}::t)", "{anonymous}::f({anonymous}::t)",
		 "{anonymous}::f({anonymous}::t)"},
		{"(a(b)c)d(e)", "{a(b)c}d(e)", "{a(b)c}d(e)", "{a(b)c}d(e)"},
		{"(open", "{open", "{open", "{open"},
		{"t::operator->()", "t::operator->()", "t::operator-\uff1e()",
		 "t::operator-\uff1e()"},
		{"Lfoo;->bar", "Lfoo:->bar", "Lfoo:->bar", "Lfoo:->bar"},
		{"operator+", "operator+", "operator+", "operator\uff0b"},
		{"bad\x1b\u2029", "bad\\x1b ", "bad\\x1b ", "bad\\x1b "},
	};
	struct buf b = {0};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		buf_clear(&b);
		text_dialect_symbol(find("speedscope"), cases[i].symbol, &b);
		assert_string_equal(buf_str(&b), cases[i].speedscope);
		buf_clear(&b);
		text_dialect_symbol(find("inferno"), cases[i].symbol, &b);
		assert_string_equal(buf_str(&b), cases[i].inferno);
		buf_clear(&b);
		text_dialect_symbol(find("flamescope"), cases[i].symbol, &b);
		assert_string_equal(buf_str(&b), cases[i].flamescope);
	}
	buf_free(&b);
}

static void test_dso(void **state)
{
	static const struct {
		const char *dso, *out;
	} cases[] = {
		{"/usr/bin/x", "/usr/bin/x"}, {"/memfd:jit code (deleted)", "/memfd:jit_code"},
		{"/a (b)/c", "/a__b_/c"},     {"[kernel.kallsyms]", "[kernel.kallsyms]"},
		{" (deleted)", "__deleted_"}, {"", "[unknown]"},
	};
	struct buf b = {0};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		buf_clear(&b);
		text_dialect_dso(cases[i].dso, &b);
		assert_string_equal(buf_str(&b), cases[i].out);
	}
	buf_free(&b);
}

static void test_no_memory(void **state)
{
	struct buf b = {0};
	unsigned int n;

	(void)state;
	for (n = 0;; n++) {
		oom_after(n);
		text_dialect_comm(find("flamescope"), "V8 Worker", &b);
		text_dialect_symbol(find("flamescope"), "(anonymous namespace)::operator+", &b);
		text_dialect_event("skb:kfree_skb", &b);
		text_dialect_dso("/usr/bin/x y", &b);
		if (!oom_stop())
			break;
		assert_true(b.failed);
		buf_free(&b);
	}
	assert_false(b.failed);
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),  cmocka_unit_test(test_comm),
		cmocka_unit_test(test_event), cmocka_unit_test(test_symbol),
		cmocka_unit_test(test_dso),   cmocka_unit_test(test_no_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("text_dialect", tests, NULL, NULL);
}
