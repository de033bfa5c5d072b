// SPDX-License-Identifier: GPL-2.0
/* What is written is JSON, whatever the strings, the numbers and the locale are. */
#include <float.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/base/json.h"

static void test_structure(void **state)
{
	struct buf b = {0};

	(void)state;
	json_open(&b, '{');
	json_key(&b, "pid");
	json_unsigned(&b, UINT64_MAX);
	json_key(&b, "empty");
	json_open(&b, '[');
	buf_addc(&b, ']');
	json_key(&b, "list");
	json_open(&b, '[');
	json_item(&b);
	json_signed(&b, INT64_MIN);
	json_item(&b);
	json_open(&b, '{');
	json_key_escaped(&b, "a\"b", 3);
	json_bool(&b, true);
	json_key(&b, "no");
	json_bool(&b, false);
	buf_adds(&b, "}]");
	json_key(&b, "ip");
	json_address(&b, UINT64_MAX);
	buf_addc(&b, '}');
	assert_string_equal(buf_str(&b),
			    "{\"pid\":18446744073709551615,\"empty\":[],"
			    "\"list\":[-9223372036854775808,{\"a\\\"b\":true,\"no\":false}],"
			    "\"ip\":\"0xffffffffffffffff\"}");
	buf_free(&b);
}

static void test_members(void **state)
{
	struct buf b = {0}, s = {0}, failed = {.failed = true};

	(void)state;
	buf_adds(&s, "a\"b");
	json_open(&b, '{');
	json_put_unsigned(&b, "unsigned", 12);
	json_put_signed(&b, "signed", -1);
	json_put_string(&b, "string", "a\n");
	json_put_string(&b, "none", NULL);
	json_put_name(&b, "name", "a\n");
	json_put_buf(&b, "buf", &s);
	json_put_address(&b, "address", 31);
	json_put_double(&b, "double", 0.5);
	json_put_double(&b, "nan", NAN);
	json_put_fixed(&b, "fixed", 0.5, 2);
	json_put_bool(&b, "bool", true);
	json_put_open(&b, "list", '[');
	json_open_item(&b, '{');
	buf_addc(&b, '}');
	json_open_item(&b, '[');
	buf_adds(&b, "]]}");
	assert_string_equal(
		buf_str(&b),
		"{\"unsigned\":12,\"signed\":-1,\"string\":\"a\\u000a\",\"none\":null,"
		"\"name\":\"a\\\\x0a\",\"buf\":\"a\\\"b\",\"address\":\"0x1f\","
		"\"double\":0.5,\"nan\":null,\"fixed\":0.50,\"bool\":true,\"list\":[{},[]]}");
	assert_false(b.failed);
	json_put_buf(&b, "failed", &failed);
	assert_true(b.failed);
	buf_free(&b);
	buf_free(&s);
}

static void test_strings(void **state)
{
	static const struct {
		const char *in;
		size_t len;
		const char *out;
	} cases[] = {
		{"", 0, "\"\""},
		{"plain", 5, "\"plain\""},
		{"a\"b\\c/", 6, "\"a\\\"b\\\\c/\""},
		{"\0\t\n\x1f\x7f", 5, "\"\\u0000\\u0009\\u000a\\u001f\\u007f\""},
		{"\xc3\xa9\xf0\x9f\x98\x80", 6, "\"\xc3\xa9\xf0\x9f\x98\x80\""},
		{"\xff\xc3", 2, "\"\xef\xbf\xbd\xef\xbf\xbd\""},
		{"x\xed\xa0\x80y", 5, "\"x\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdy\""},
	};
	struct buf b = {0};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		buf_clear(&b);
		json_string(&b, cases[i].in, cases[i].len);
		assert_string_equal(buf_str(&b), cases[i].out);
	}
	buf_free(&b);
}

static const char *number(struct buf *b, double v)
{
	buf_clear(b);
	json_double(b, v);
	return buf_str(b);
}

static const char *fixed(struct buf *b, double v, unsigned int decimals)
{
	buf_clear(b);
	json_fixed(b, v, decimals);
	return buf_str(b);
}

static void test_doubles(void **state)
{
	static const double values[] = {0.1, 1.0 / 3, DBL_MAX, DBL_MIN, 5e-324, -1e300, 2.5e-7};
	struct buf b = {0};
	size_t i;

	(void)state;
	assert_string_equal(number(&b, 0), "0");
	assert_string_equal(number(&b, 0.1), "0.1");
	assert_string_equal(number(&b, -2.5), "-2.5");
	assert_string_equal(number(&b, 9007199254740992.0), "9007199254740992");
	assert_string_equal(number(&b, NAN), "null");
	assert_string_equal(number(&b, -INFINITY), "null");
	for (i = 0; i < ARRAY_SIZE(values); i++)
		assert_true(strtod(number(&b, values[i]), NULL) == values[i]);
	assert_string_equal(fixed(&b, 1234.5678, 2), "1234.57");
	assert_string_equal(fixed(&b, 3, 0), "3");
	assert_string_equal(fixed(&b, INFINITY, 3), "null");
	fixed(&b, -DBL_MAX, 99);
	assert_int_equal(b.len, 1 + 309 + 1 + 17);
	buf_free(&b);
}

static void test_locale(void **state)
{
	struct buf b = {0};

	(void)state;
	/* with a decimal comma, where there is such a locale */
	if (!setlocale(LC_ALL, "de_DE.UTF-8"))
		setlocale(LC_ALL, "C.UTF-8");
	assert_string_equal(number(&b, 0.5), "0.5");
	assert_string_equal(fixed(&b, 1234567.25, 2), "1234567.25");
	setlocale(LC_ALL, "C");
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_structure), cmocka_unit_test(test_members),
		cmocka_unit_test(test_strings),   cmocka_unit_test(test_doubles),
		cmocka_unit_test(test_locale),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
