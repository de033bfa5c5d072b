// SPDX-License-Identifier: GPL-2.0
/* util/tracepoint: format files of tracefs, and the fields of a record. */
#include <endian.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/tracepoint/tp_field.h"

static const char head[] = "name: made\n"
			   "ID: 77\n"
			   "format:\n"
			   "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			   "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
			   "\n";

/* The head, these field lines and the print fmt. */
static struct tp_format *parse(const char *lines, struct err *err)
{
	struct buf b = {0};
	struct tp_format *f;

	buf_addf(&b, "%s%s\nprint fmt: \"x=%%d\", REC->x\n", head, lines);
	f = tp_format_parse(buf_str(&b), b.len, err);
	buf_free(&b);
	return f;
}

static struct tp_format *good(const char *lines)
{
	struct err err = {0};
	struct tp_format *f = parse(lines, &err);

	if (!f)
		fail_msg("%s", err.msg);
	return f;
}

static void test_head(void **state)
{
	struct tp_format *f = good("\tfield:int x;\toffset:8;\tsize:4;\tsigned:1;\n");

	(void)state;
	assert_string_equal(f->name, "made");
	assert_int_equal(f->id, 77);
	assert_int_equal(f->nr_fields, 3);
	assert_true(f->fields[0].is_common);
	assert_true(f->fields[1].is_common);
	assert_false(f->fields[2].is_common);
	assert_string_equal(f->print_fmt, "\"x=%d\", REC->x");
	assert_int_equal(f->print_fmt_len, strlen(f->print_fmt));
	assert_ptr_equal(tp_format_field(f, "x"), &f->fields[2]);
	assert_null(tp_format_field(f, "y"));
	assert_null(tp_format_field(f, ""));
	assert_non_null(tp_format_field_n(f, "xyz", 1));
	tp_format_free(f);
	tp_format_free(NULL);
}

/* One declaration with its offset, size and sign, and what must be read from it. */
static const struct declaration {
	const char *line, *name, *type;
	u32 elem_size, nr_elem;
	enum tp_loc loc;
	bool is_signed, is_array, is_pointer, is_string;
} declarations[] = {
	{"field:int a;\toffset:8;\tsize:4;\tsigned:1;", "a", "int", 4, 0, TP_LOC_FIXED, 1, 0, 0, 0},
	{"field:unsigned int fd;\toffset:16;\tsize:8;\tsigned:0;", "fd", "unsigned int", 8, 0,
	 TP_LOC_FIXED, 0, 0, 0, 0},
	{"field:const char * name;\toffset:8;\tsize:8;\tsigned:0;", "name", "const char *", 8, 0,
	 TP_LOC_FIXED, 0, 0, 1, 0},
	{"field:char *const *argv;\toffset:8;\tsize:8;\tsigned:0;", "argv", "char *const *", 8, 0,
	 TP_LOC_FIXED, 0, 0, 1, 0},
	{"field:char comm[16];\toffset:8;\tsize:16;\tsigned:0;", "comm", "char", 1, 16,
	 TP_LOC_FIXED, 0, 1, 0, 1},
	{"field:u8 m[2][4];\toffset:8;\tsize:8;\tsigned:0;", "m", "u8", 1, 8, TP_LOC_FIXED, 0, 1, 0,
	 0},
	{"field:unsigned long args[6];\toffset:8;\tsize:48;\tsigned:0;", "args", "unsigned long", 8,
	 6, TP_LOC_FIXED, 0, 1, 0, 0},
	{"field:unsigned long args[MAX];\toffset:8;\tsize:48;\tsigned:0;", "args", "unsigned long",
	 8, 0, TP_LOC_FIXED, 0, 1, 0, 0},
	{"field:char buf[];\toffset:16;\tsize:0;\tsigned:0;", "buf", "char", 1, 0, TP_LOC_FIXED, 0,
	 1, 0, 1},
	{"field:__data_loc char[] str;\toffset:8;\tsize:4;\tsigned:0;", "str", "char", 1, 0,
	 TP_LOC_DATA, 0, 1, 0, 1},
	{"field:__rel_loc u64[] v;\toffset:8;\tsize:4;\tsigned:0;", "v", "u64", 8, 0, TP_LOC_REL, 0,
	 1, 0, 0},
	{"field:__data_loc struct thing[] t;\toffset:8;\tsize:4;\tsigned:0;", "t", "struct thing",
	 0, 0, TP_LOC_DATA, 0, 1, 0, 0},
	{"field:void (*func)(int);\toffset:8;\tsize:8;\tsigned:0;", "func", "void", 8, 0,
	 TP_LOC_FIXED, 0, 0, 1, 0},
	{"field special:int b;\toffset:8;\tsize:4;", "b", "int", 4, 0, TP_LOC_FIXED, 0, 0, 0, 0},
};

static void test_declarations(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(declarations); i++) {
		const struct declaration *d = &declarations[i];
		struct tp_format *f = good(d->line);
		const struct tp_field *fl = tp_format_field(f, d->name);

		if (!fl)
			fail_msg("no field %s in %s", d->name, d->line);
		assert_string_equal(fl->type, d->type);
		assert_int_equal(fl->elem_size, d->elem_size);
		assert_int_equal(fl->nr_elem, d->nr_elem);
		assert_int_equal(fl->loc, d->loc);
		assert_int_equal(fl->is_signed, d->is_signed);
		assert_int_equal(fl->is_array, d->is_array);
		assert_int_equal(fl->is_pointer, d->is_pointer);
		assert_int_equal(fl->is_string, d->is_string);
		tp_format_free(f);
	}
}

static void test_bad_fields(void **state)
{
	static const char *const lines[] = {
		"field:int x;\tsize:4;\tsigned:1;",
		"field:int x;\toffset:8;\tsigned:1;",
		"field:int x;\toffset:8;\tsize:-4;\tsigned:1;",
		"field:int x;\toffset:99999999999;\tsize:4;\tsigned:1;",
		"field:int x;\toffset:8;\tsize:4;\tsigned:maybe;",
		"field:int x;\toffset:4294967295;\tsize:4;\tsigned:1;",
		"field:;\toffset:8;\tsize:4;\tsigned:1;",
		"field:x;\toffset:8;\tsize:4;\tsigned:1;",
		"field:char [16];\toffset:8;\tsize:16;\tsigned:1;",
		"field:x];\toffset:8;\tsize:16;\tsigned:1;",
		"field:__data_loc char[] x;\toffset:8;\tsize:8;\tsigned:0;",
		"field:__data_loc ;\toffset:8;\tsize:4;\tsigned:0;",
		"field:",
	};
	struct err err = {0};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		err.code = 0;
		if (parse(lines[i], &err))
			fail_msg("taken: %s", lines[i]);
		assert_int_equal(err.code, EINVAL);
		assert_non_null(strstr(err.msg, "\"made\""));
	}
}

static void test_no_format(void **state)
{
	static const struct {
		const char *text, *missing;
	} texts[] = {
		{"", "name:"},
		{"hello", "name:"},
		{"name: x\nformat:\n", "ID:"},
		{"name: x\nID: y\nformat:\n", "ID:"},
		{"name: x\nID: 7\n", "format:"},
		{"name:\nID: 7\nformat:\n", "name:"},
	};
	struct err err;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		err = (struct err){0};
		assert_null(tp_format_parse(texts[i].text, strlen(texts[i].text), &err));
		assert_int_equal(err.code, EINVAL);
		assert_non_null(strstr(err.msg, texts[i].missing));
	}
	assert_null(tp_format_parse("", TP_FORMAT_MAX + 1u, NULL));
}

/* Cut at every byte: never a crash, and never a field that the text did not hold. */
static void test_cut(void **state)
{
	struct buf b = {0};
	struct tp_format *f;
	size_t len;
	char *copy;

	(void)state;
	buf_addf(&b,
		 "%s\tfield:int x;\toffset:8;\tsize:4;\tsigned:1;\n\nprint fmt: \"%%d\", REC->x",
		 head);
	for (len = 0; len <= b.len; len++) {
		copy = malloc(len ? len : 1);
		assert_non_null(copy);
		memcpy(copy, b.data, len);
		f = tp_format_parse(copy, len, NULL);
		free(copy);
		assert_true(!f || f->nr_fields <= 3);
		assert_true(f || len < b.len);
		tp_format_free(f);
	}
	buf_free(&b);
}

/* offsets: s8 8, s16 10, s32 12, u64 16, comm 24, str 40, rel 44, arr 48, bad 52, rest 56 */
static const char all[] = "field:s8 a;\toffset:8;\tsize:1;\tsigned:1;\n"
			  "field:short b;\toffset:10;\tsize:2;\tsigned:1;\n"
			  "field:int c;\toffset:12;\tsize:4;\tsigned:1;\n"
			  "field:u64 d;\toffset:16;\tsize:8;\tsigned:0;\n"
			  "field:char comm[16];\toffset:24;\tsize:16;\tsigned:0;\n"
			  "field:__data_loc char[] str;\toffset:40;\tsize:4;\tsigned:0;\n"
			  "field:__rel_loc char[] rel;\toffset:44;\tsize:4;\tsigned:0;\n"
			  "field:__data_loc s32[] arr;\toffset:48;\tsize:4;\tsigned:1;\n"
			  "field:__data_loc char[] bad;\toffset:52;\tsize:4;\tsigned:0;\n"
			  "field:char rest[];\toffset:56;\tsize:0;\tsigned:0;\n"
			  "field:unsigned long l;\toffset:16;\tsize:8;\tsigned:0;\n"
			  "field:void * p;\toffset:16;\tsize:8;\tsigned:0;\n"
			  "field:struct three t;\toffset:8;\tsize:3;\tsigned:0;\n";

static size_t record(u8 *raw)
{
	static const s32 arr[] = {-1, 2, 1000000};
	s16 b = -2;
	s32 c = -3;
	u64 d = 0xffff888000001234;
	u32 loc;

	memset(raw, 0, 96);
	raw[8] = 0xff;
	raw[9] = 0x41;
	memcpy(raw + 10, &b, 2);
	memcpy(raw + 12, &c, 4);
	memcpy(raw + 16, &d, 8);
	memcpy(raw + 24, "a task", 7);
	loc = 6 << 16 | 64;
	memcpy(raw + 40, &loc, 4);
	memcpy(raw + 64, "hello", 6);
	loc = 4 << 16 | (70 - 48);
	memcpy(raw + 44, &loc, 4);
	memcpy(raw + 70, "rel", 4);
	loc = 12 << 16 | 76;
	memcpy(raw + 48, &loc, 4);
	memcpy(raw + 76, arr, 12);
	loc = 8 << 16 | 90;
	memcpy(raw + 52, &loc, 4);
	memcpy(raw + 56, "rest", 4);
	return 92;
}

static void test_values(void **state)
{
	struct tp_format *f = good(all);
	u8 raw[96];
	size_t len = record(raw), n;
	const void *p;
	const char *s;
	u64 v;

	(void)state;
	assert_true(tp_field_int(tp_format_field(f, "a"), raw, len, &v));
	assert_int_equal((s64)v, -1);
	assert_true(tp_field_int(tp_format_field(f, "b"), raw, len, &v));
	assert_int_equal((s64)v, -2);
	assert_true(tp_field_int(tp_format_field(f, "c"), raw, len, &v));
	assert_int_equal((s64)v, -3);
	assert_true(tp_field_int(tp_format_field(f, "d"), raw, len, &v));
	assert_true(v == 0xffff888000001234);
	assert_false(tp_field_int(tp_format_field(f, "d"), raw, 23, &v));
	assert_false(tp_field_int(tp_format_field(f, "comm"), raw, len, &v));
	assert_false(tp_field_int(tp_format_field(f, "t"), raw, len, &v));

	assert_true(tp_field_string(tp_format_field(f, "comm"), raw, len, &s, &n));
	assert_int_equal(n, 6);
	assert_memory_equal(s, "a task", n);
	assert_true(tp_field_string(tp_format_field(f, "str"), raw, len, &s, &n));
	assert_int_equal(n, 5);
	assert_memory_equal(s, "hello", n);
	assert_true(tp_field_string(tp_format_field(f, "rel"), raw, len, &s, &n));
	assert_int_equal(n, 3);
	assert_memory_equal(s, "rel", n);
	assert_true(tp_field_bytes(tp_format_field(f, "rest"), raw, len, &p, &n));
	assert_int_equal(n, len - 56);
	/* 8 bytes at 90 of a record of 92. */
	assert_false(tp_field_string(tp_format_field(f, "bad"), raw, len, &s, &n));
	/* The string lies behind the end. */
	assert_false(tp_field_string(tp_format_field(f, "str"), raw, 60, &s, &n));

	assert_true(tp_field_elem(tp_format_field(f, "arr"), raw, len, 0, &v));
	assert_int_equal((s64)v, -1);
	assert_true(tp_field_elem(tp_format_field(f, "arr"), raw, len, 2, &v));
	assert_int_equal(v, 1000000);
	assert_false(tp_field_elem(tp_format_field(f, "arr"), raw, len, 3, &v));
	tp_format_free(f);
}

static void test_print(void **state)
{
	static const struct {
		const char *name, *text;
	} want[] = {
		{"a", "-1"},
		{"b", "-2"},
		{"c", "-3"},
		{"d", "18446612682070037044"},
		{"l", "0xffff888000001234"},
		{"p", "0xffff888000001234"},
		{"comm", "a task"},
		{"str", "hello"},
		{"rel", "rel"},
		{"bad", "INVALID"},
#if BYTE_ORDER == BIG_ENDIAN
		{"t", "ARRAY[ff, 41, ff]"},
		{"arr", "ARRAY[ff, ff, ff, ff, 00, 00, 00, 02, 00, 0f, 42, 40]"},
#else
		{"t", "ARRAY[ff, 41, fe]"},
		{"arr", "ARRAY[ff, ff, ff, ff, 02, 00, 00, 00, 40, 42, 0f, 00]"},
#endif
	};
	struct tp_format *f = good(all);
	struct buf out = {0};
	u8 raw[96];
	size_t len = record(raw), i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(want); i++) {
		buf_clear(&out);
		tp_field_print(tp_format_field(f, want[i].name), raw, len, &out);
		assert_string_equal(buf_str(&out), want[i].text);
	}
	buf_clear(&out);
	raw[24] = 0x1b;
	tp_field_print(tp_format_field(f, "comm"), raw, 40, &out);
	assert_string_equal(buf_str(&out), "ARRAY[1b, 20, 74, 61, 73, 6b, 00, 00, 00, 00, 00, 00, "
					   "00, 00, 00, 00]");
	buf_free(&out);
	tp_format_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_head),       cmocka_unit_test(test_declarations),
		cmocka_unit_test(test_bad_fields), cmocka_unit_test(test_no_format),
		cmocka_unit_test(test_cut),        cmocka_unit_test(test_values),
		cmocka_unit_test(test_print),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("tp_format", tests, NULL, NULL);
}
