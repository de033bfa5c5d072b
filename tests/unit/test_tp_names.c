// SPDX-License-Identifier: GPL-2.0
/* The names that a print fmt gives to the values of fields. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/tracepoint/tp_names.h"
#include "util/tracepoint/tp_prog.h"

static const char text[] =
	"name: made\nID: 7\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
	"\tfield:int kind;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:u32 bits;\toffset:12;\tsize:4;\tsigned:0;\n"
	"\tfield:long state;\toffset:16;\tsize:8;\tsigned:1;\n"
	"\tfield:int plain;\toffset:24;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"%s %s %s %d %s\", "
	"__print_symbolic(REC->kind, { -1, \"NONE\" }, { 3, \"TH\" \"REE\" }, { UNKNOWN, \"U\" }), "
	"__print_flags(REC->bits, \"|\", { 1, \"A\" }, { 0x10, \"BA\" }), "
	"REC->state & 0xff ? __print_flags(REC->state & 0xff, \"|\", { 1, \"S\" }) : \"R\", REC->plain, "
	"__print_symbolic(REC->plain + REC->kind, { 1, \"SUM\" })\n";

static struct tp_format *format(void)
{
	struct tp_format *f = tp_format_parse(text, strlen(text), NULL);

	assert_non_null(f);
	return f;
}

/* "VALUE NAME ..." of a field, with what kind of names they are. */
static void is_list(const struct tp_format *f, const char *field, const char *names)
{
	static const struct tp_opts opts = {.long_size = 8};
	struct tp_name_list list = {0};
	struct buf b = {0};
	u32 i;

	assert_int_equal(tp_names_list(f, tp_format_field(f, field), &opts, &list, NULL), 0);
	buf_addf(&b, "%s%s", list.flags ? "flags " : "", list.whole ? "whole " : "");
	for (i = 0; i < list.v.nr; i++)
		buf_addf(&b, "%lld %.*s ", (long long)list.v.v[i].value, (int)list.v.v[i].len,
			 list.v.v[i].name);
	assert_string_equal(buf_str(&b), names);
	buf_free(&b);
	tp_names_list_free(&list);
}

static void lists(void **state)
{
	struct tp_format *f = format();

	(void)state;
	/* a value that the kernel did not translate is not known */
	is_list(f, "kind", "whole -1 NONE 3 THREE ");
	is_list(f, "bits", "flags whole 1 A 16 BA ");
	is_list(f, "state", "flags 1 S ");
	/* a list of a sum says nothing of one field */
	is_list(f, "plain", "");
	is_list(f, "common_type", "");
	tp_format_free(f);
}

/* The text of a value is that of all that goes on with it. */
static void texts(void **state)
{
	static const char switched[] =
		"name: made\nID: 7\nformat:\n"
		"\tfield:long state;\toffset:0;\tsize:8;\tsigned:1;\n"
		"\tfield:int other;\toffset:8;\tsize:4;\tsigned:1;\n\n"
		"print fmt: \"%d %s%s%s %s\", REC->other, "
		"REC->state & 3 ? __print_flags(REC->state & 3, \"|\", { 1, \"S\" }, { 2, \"D\" }) : \"R\", "
		"REC->state & 16 ? \"+\" : \"\", REC->other ? \"o\" : \"\", REC->state ? \"x\" : \"\"\n";
	static const struct tp_opts opts = {.long_size = 8};
	static const struct {
		u64 raw[2];
		const char *text;
	} cases[] = {{{0, 1}, "R"}, {{16, 1}, "R+"}, {{3, 0}, "S|D"}, {{18, 1}, "D+"}};
	struct tp_format *f = tp_format_parse(switched, strlen(switched), NULL);
	struct tp_prog *prog = NULL;
	struct buf b = {0};
	struct tp_run run;
	u32 i;

	(void)state;
	assert_non_null(f);
	assert_int_equal(tp_names_compile(f, tp_format_field(f, "state"), &opts, &prog, NULL), 0);
	assert_non_null(prog);
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		buf_clear(&b);
		run = (struct tp_run){.raw = cases[i].raw, .len = sizeof(cases[i].raw)};
		tp_prog_run(prog, &run, &b);
		assert_string_equal(buf_str(&b), cases[i].text);
	}
	buf_free(&b);
	tp_prog_free(prog);
	tp_format_free(f);
}

/* Which numbers are those of system calls: that a machine has names, and whose fields they are. */
static void calls(void **state)
{
	static const struct {
		const char *event, *field;
		bool known;
	} cases[] = {
		{"sys_enter", "id", true},
		{"sys_exit", "id", true},
		{"sys_enter_openat", "__syscall_nr", true},
		{"sys_exit_openat", "__syscall_nr", true},
		{"sys_enter", "ret", false},
		{"sys_entered", "id", false},
		{"made", "__syscall_nr", false},
		{"sys_enter_openat", "id", false},
		{"sys_enter_openat", "nr", true},
		{"made", "nr", false},
	};
	static const u64 numbers[] = {288, 449, 9999, UINT64_MAX};
	const struct tp_opts s390 = {.calls = arch_syscalls_find("s390x")}, none = {0};
	struct tp_prog *prog;
	struct tp_format *f;
	struct tp_run run;
	struct buf b = {0};
	u32 i, n;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		buf_clear(&b);
		buf_addf(
			&b,
			"name: %s\nID: 7\nformat:\n\tfield:long %s;\toffset:0;\tsize:8;\tsigned:1;\n\n"
			"print fmt: \"NR %%ld\", REC->%s\n",
			cases[i].event, cases[i].field, cases[i].field);
		f = tp_format_parse(b.data, b.len, NULL);
		assert_non_null(f);
		assert_int_equal(tp_names_compile(f, f->fields, &none, &prog, NULL), 0);
		assert_null(prog);
		assert_int_equal(tp_names_compile(f, f->fields, &s390, &prog, NULL), 0);
		assert_int_equal(prog != NULL, cases[i].known);
		buf_clear(&b);
		for (n = 0; prog && n < ARRAY_SIZE(numbers); n++) {
			run = (struct tp_run){.raw = &numbers[n], .len = sizeof(numbers[n])};
			tp_prog_run(prog, &run, &b);
			buf_addc(&b, ' ');
		}
		if (prog)
			assert_string_equal(buf_str(&b), "openat futex_waitv 9999 -1 ");
		tp_prog_free(prog);
		tp_format_free(f);
	}
	buf_free(&b);
}

/* Variables that stand for more and more: a walk of what they stand for would take for ever. */
static void doubling(void **state)
{
	static const struct tp_opts opts = {.long_size = 8};
	struct tp_prog *prog;
	struct buf b = {0};
	struct tp_format *f;
	u32 i;

	(void)state;
	buf_adds(&b, "name: made\nID: 7\nformat:\n"
		     "\tfield:int plain;\toffset:0;\tsize:4;\tsigned:1;\n\n"
		     "print fmt: \"%s\", __print_symbolic(({ int a = REC->plain; ");
	for (i = 0; i < 12; i++)
		buf_adds(&b, "int a = a ? a : a; ");
	buf_adds(&b, "a; }), { 1, \"ONE\" })\n");
	f = tp_format_parse(b.data, b.len, NULL);
	assert_non_null(f);
	is_list(f, "plain", "");
	assert_int_equal(tp_names_compile(f, f->fields, &opts, &prog, NULL), 0);
	assert_null(prog);
	tp_format_free(f);
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists),
		cmocka_unit_test(texts),
		cmocka_unit_test(calls),
		cmocka_unit_test(doubling),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
