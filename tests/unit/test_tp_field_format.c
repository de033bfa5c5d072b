// SPDX-License-Identifier: GPL-2.0
/* How a print fmt shows one field alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/tracepoint/tp_field_format.h"
#include "util/tracepoint/tp_prog.h"

static const char fields[] =
	"name: made\nID: 300\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
	"\tfield:void * ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:__u8 a[4];\toffset:16;\tsize:4;\tsigned:0;\n"
	"\tfield:u8 mac[6];\toffset:20;\tsize:6;\tsigned:0;\n"
	"\tfield:int n;\toffset:28;\tsize:4;\tsigned:1;\n"
	"\tfield:char s[4];\toffset:32;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc u8[] d;\toffset:36;\tsize:4;\tsigned:0;\n\n";

static const struct {
	u64 common, ip;
	u8 a[4], mac[6], pad[2];
	s32 n;
	char s[4];
	u32 d;
	u8 data[8];
} raw = {.ip = 0x1234,
	 .a = {10, 0, 0, 1},
	 .mac = {1, 2, 3, 4, 5, 0xff},
	 .n = 2,
	 .s = "abc",
	 .d = 3u << 16 | 40,
	 .data = {7, 8, 9}};

/* NULL: as it is. */
static void check(const char *field, const char *print_fmt, enum tp_field_format_as as,
		  const char *want)
{
	const struct tp_opts opts = {.long_size = 8};
	const struct tp_run run = {.raw = &raw, .len = sizeof(raw)};
	struct buf text = {0}, out = {0};
	struct tp_field_format shown;
	struct tp_format *f;

	buf_addf(&text, "%sprint fmt: %s\n", fields, print_fmt);
	f = tp_format_parse(text.data, text.len, NULL);
	assert_non_null(f);
	assert_int_equal(tp_field_format_compile(f, tp_format_field(f, field), &opts, &shown, NULL),
			 0);
	assert_int_equal(shown.as, as);
	assert_int_equal(shown.prog != NULL, want != NULL);
	if (want) {
		tp_prog_run(shown.prog, &run, &out);
		assert_string_equal(buf_str(&out), want);
	}
	tp_prog_free(shown.prog);
	tp_format_free(f);
	buf_free(&text);
	buf_free(&out);
}

static void conversions(void **state)
{
	(void)state;
	check("ip", "\"%d at %pS\", REC->n, REC->ip", TP_SHOWN_SYMBOL, "0x1234");
	check("ip", "\"100%% %ps\", (void *)REC->ip", TP_SHOWN_SYMBOL, "0x1234");
	check("ip", "\"%p %px\", REC->ip, REC->ip", TP_SHOWN_PLAIN, NULL);
	check("ip", "\"%pS\", REC->ip + 1", TP_SHOWN_PLAIN, NULL);
	check("n", "\"%*d %d\", 5, REC->n, REC->n", TP_SHOWN_PLAIN, NULL);
	check("a", "\"%d %pI4 %pM\", REC->n, REC->a, REC->mac", TP_SHOWN_BYTES, "10.0.0.1");
	check("mac", "\"%*d %pI4 %pM\", 3, REC->n, REC->a, REC->mac", TP_SHOWN_BYTES,
	      "01:02:03:04:05:ff");
	check("mac", "\"%02x:%02x\", REC->mac[0], REC->mac[1]", TP_SHOWN_PLAIN, NULL);
	check("mac", "\"%*phC\", 6, REC->mac", TP_SHOWN_BYTES, "01:02:03:04:05:ff");
	/* how much of it is shown is told by another field */
	check("mac", "\"%*phC\", REC->n, REC->mac", TP_SHOWN_PLAIN, NULL);
	check("d", "\"%s\", __print_hex(__get_dynamic_array(d), __get_dynamic_array_len(d))",
	      TP_SHOWN_BYTES, "07 08 09");
	check("d", "\"%s\", __print_hex(__get_dynamic_array(d), REC->n)", TP_SHOWN_PLAIN, NULL);
	check("a", "\"%s\", __print_array(REC->a, 4, 1)", TP_SHOWN_BYTES, "{0xa,0x0,0x0,0x1}");
	/* a string is what it is; a field that is not shown, and what cannot be read, too */
	check("s", "\"%s\", REC->s", TP_SHOWN_PLAIN, NULL);
	check("a", "\"%d\", REC->n", TP_SHOWN_PLAIN, NULL);
	check("a", "\"%pI4 %d\"", TP_SHOWN_PLAIN, NULL);
	check("a", "\"%\", REC->a", TP_SHOWN_PLAIN, NULL);
	check("a", "\"%pI4\", some_function(REC->a", TP_SHOWN_PLAIN, NULL);
}

/* Variables that stand for more and more: a walk of what they stand for would take for ever. */
static void doubling(void **state)
{
	struct buf b = {0};
	u32 i;

	(void)state;
	buf_adds(&b, "\"%d %pS\", ({ int a = REC->n; ");
	for (i = 0; i < 12; i++)
		buf_adds(&b, "int a = a ? a : a; ");
	buf_adds(&b, "a; }), REC->ip");
	check("ip", buf_str(&b), TP_SHOWN_PLAIN, NULL);
	buf_clear(&b);
	/* constants are one number, whatever they were made of */
	buf_adds(&b, "\"%d %pS\", ({ int a = 1; ");
	for (i = 0; i < 60; i++)
		buf_adds(&b, "int a = a + a; ");
	buf_adds(&b, "a; }), REC->ip");
	check("ip", buf_str(&b), TP_SHOWN_SYMBOL, "0x1234");
	check("n", buf_str(&b), TP_SHOWN_PLAIN, NULL);
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(conversions),
		cmocka_unit_test(doubling),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
