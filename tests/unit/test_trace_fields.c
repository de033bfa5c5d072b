// SPDX-License-Identifier: GPL-2.0
/*
 * util/profile/trace_fields: the values of a tracepoint's fields, and the names that its print fmt
 * has for them. tests/golden/values.txt asks the command; this runs on big-endian machines, too (tests/vm).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/profile/trace_fields.h"
#include "util/tracepoint/tp_prog.h"

static const char text[] =
	"name: made\nID: 7\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:u64 big;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:long least;\toffset:16;\tsize:8;\tsigned:1;\n"
	"\tfield:int fd;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:void * ptr;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:char comm[8];\toffset:40;\tsize:8;\tsigned:0;\n"
	"\tfield:u16 list[2];\toffset:48;\tsize:4;\tsigned:0;\n"
	"\tfield:enum reason why;\toffset:52;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned int flags;\toffset:56;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc char[] name;\toffset:60;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc u8[] gone;\toffset:64;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned int both;\toffset:68;\tsize:4;\tsigned:0;\n"
	"\nprint fmt: \"%llu %s %s %s\", REC->big, __print_symbolic(REC->why, { 2, \"NO_SOCKET\" }, { 3, \"A\\\"B\" }), "
	"(REC->flags & 0xff) ? __print_flags(REC->flags & 0xff, \"|\", { 1, \"R\" }, { 2, \"W\" }) : \"none\", "
	"__print_symbolic(REC->both + REC->why, { 1, \"never\" })\n";

static void make(u8 raw[80])
{
	static const u64 big = UINT64_MAX, least = (u64)1 << 63, fd = 0xffffff9c,
			 ptr = 0xffff888100000000;
	static const u16 list[] = {1, 65535};
	static const u32 why = 3, flags = 0x103, loc = 5 << 16 | 72, gone = 9 << 16 | 72;

	memset(raw, 0, 80);
	memcpy(raw + 8, &big, 8);
	memcpy(raw + 16, &least, 8);
	memcpy(raw + 24, &fd, 8);
	memcpy(raw + 32, &ptr, 8);
	memcpy(raw + 40, "a\"\\\xff\n", 6);
	memcpy(raw + 48, list, 4);
	memcpy(raw + 52, &why, 4);
	memcpy(raw + 56, &flags, 4);
	memcpy(raw + 60, &loc, 4);
	memcpy(raw + 64, &gone, 4);
	memcpy(raw + 72, "eth0", 5);
}

static const char want[] =
	"{\"big\":18446744073709551615,\"least\":-9223372036854775808,\"fd\":-100,"
	"\"ptr\":\"0xffff888100000000\",\"comm\":\"a\\\"\\\\\\\\xff\\\\x0a\",\"list\":[1,65535],"
	"\"why\":{\"value\":3,\"name\":\"A\\\"B\"},\"flags\":{\"value\":259,\"name\":\"R|W\"},"
	"\"name\":\"eth0\",\"gone\":null,\"both\":0}";

static const struct tp_opts opts = {.long_size = 8};
static const struct trace_text none; /* no symbols are asked for */

static void test_json(void **state)
{
	struct tp_format *f = tp_format_parse(text, strlen(text), NULL);
	struct trace_fields t;
	struct sample s = {0};
	struct buf b = {0};
	u8 raw[80];
	u32 n;

	(void)state;
	assert_non_null(f);
	make(raw);
	assert_int_equal(trace_fields_init(&t, f, &opts, NULL), 0);
	s.raw = raw;
	s.raw_size = 77;
	trace_fields_json(&t, &none, &s, &b);
	assert_string_equal(buf_str(&b), want);
	/* cut at every byte: still an object, and nothing read past the end */
	for (n = 0; n < sizeof(raw); n++) {
		u8 *part = malloc(n + 1);

		assert_non_null(part);
		memcpy(part, raw, n);
		s.raw = part;
		s.raw_size = n;
		buf_clear(&b);
		trace_fields_json(&t, &none, &s, &b);
		assert_int_equal(b.data[0], '{');
		assert_int_equal(b.data[b.len - 1], '}');
		free(part);
	}
	buf_free(&b);
	trace_fields_free(&t);
	tp_format_free(f);
}

static void test_numbers(void **state)
{
	static const struct {
		const char *name;
		enum trace_field_type type;
		u64 number; /* unless it is text */
	} fields[] = {
		{"big", TRACE_FIELD_UNSIGNED64, UINT64_MAX},
		{"least", TRACE_FIELD_SIGNED64, (u64)1 << 63},
		{"fd", TRACE_FIELD_SIGNED32, (u64)-100},
		{"ptr", TRACE_FIELD_UNSIGNED64, 0xffff888100000000},
		{"comm", TRACE_FIELD_TEXT, 0},
		{"list", TRACE_FIELD_TEXT, 0},
		{"why", TRACE_FIELD_TEXT, 0},
		{"flags", TRACE_FIELD_TEXT, 0},
		{"name", TRACE_FIELD_TEXT, 0},
		{"gone", TRACE_FIELD_TEXT, 0},
		{"both", TRACE_FIELD_UNSIGNED32, 0},
	};
	struct tp_format *f = tp_format_parse(text, strlen(text), NULL);
	struct trace_fields t;
	struct sample s = {0};
	u8 raw[80];
	u64 v;
	u32 i;

	(void)state;
	assert_non_null(f);
	make(raw);
	assert_int_equal(trace_fields_init(&t, f, &opts, NULL), 0);
	assert_int_equal(t.nr, ARRAY_SIZE(fields));
	s.raw = raw;
	for (i = 0; i < t.nr; i++) {
		assert_string_equal(t.v[i].field->name, fields[i].name);
		assert_int_equal(trace_fields_type(&t.v[i]), fields[i].type);
		s.raw_size = 77;
		assert_int_equal(trace_fields_is_there(&t.v[i], &s),
				 strcmp(fields[i].name, "gone") != 0);
		if (fields[i].type == TRACE_FIELD_TEXT)
			continue;
		assert_true(trace_fields_number(&t.v[i], &s, &v));
		assert_int_equal(v, fields[i].number);
		s.raw_size = t.v[i].field->offset + t.v[i].field->size - 1;
		assert_false(trace_fields_number(&t.v[i], &s, &v));
		assert_false(trace_fields_is_there(&t.v[i], &s));
	}
	trace_fields_free(&t);
	tp_format_free(f);
}

static void test_join(void **state)
{
	enum {
		S32 = TRACE_FIELD_SIGNED32,
		U32 = TRACE_FIELD_UNSIGNED32,
		S64 = TRACE_FIELD_SIGNED64,
		U64 = TRACE_FIELD_UNSIGNED64,
		INT = TRACE_FIELD_INTEGER,
		TEXT = TRACE_FIELD_TEXT
	};
	static const u32 joined[6][6] = {
		[S32] = {S32, S64, S64, INT, INT, TEXT},
		[U32] = {S64, U32, S64, U64, INT, TEXT},
		[S64] = {S64, S64, S64, INT, INT, TEXT},
		[U64] = {INT, U64, INT, U64, INT, TEXT},
		[INT] = {INT, INT, INT, INT, INT, TEXT},
		[TEXT] = {TEXT, TEXT, TEXT, TEXT, TEXT, TEXT},
	};
	u32 a, b;

	(void)state;
	for (a = 0; a < 6; a++)
		for (b = 0; b < 6; b++)
			assert_int_equal(trace_fields_join(a, b), joined[a][b]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_join),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("trace_fields", tests, NULL, NULL);
}
