// SPDX-License-Identifier: GPL-2.0
/* util/kernel/kallsyms: texts as kernels write them, and as they do not. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/can.h"
#include "util/kernel/kallsyms.h"

static int take(struct symtab *st, const char *text, enum symtab_view view, struct err *err)
{
	struct buf copy = {0};

	buf_adds(&copy, text);
	return kallsyms_take(st, &copy, view, err);
}

static void parse(struct symtab *st, const char *text, enum symtab_view view)
{
	struct err err = {0};

	assert_int_equal(take(st, text, view, &err), 0);
}

/* "name" or "name[module]"; "(name)" for a marker. */
static const char *at(const struct symtab *st, u64 addr)
{
	static char text[200];
	const struct sym *sym = symtab_find(st, addr);
	bool marker = sym && sym->flags & SYM_MARKER;

	if (!sym)
		return "";
	snprintf(text, sizeof(text), "%s%s%s%s", marker ? "(" : "", sym->name, symtab_module(sym),
		 marker ? ")" : "");
	return text;
}

static const char kernel[] = "ffffffff81000000 T _stext\n"
			     "ffffffff81000000 T _text\n"
			     "ffffffff81000000 t first\n"
			     "ffffffff81000030 T __pfx_second\n"
			     "ffffffff81000040 t second\n"
			     "ffffffff81000050 T __do_sys_read\n"
			     "ffffffff81000050 T __ia32_sys_read\n"
			     "ffffffff81000050 T __x64_sys_read\n"
			     "ffffffff81000060 W weak\n"
			     "ffffffff81000060 T strong\n"
			     "ffffffff81000080 T __irqentry_text_end\n"
			     "ffffffff81000100 T third\n"
			     "ffffffff81000200 T _etext\n"
			     "ffffffff81200000 D data\n"
			     "ffffffff81201000 b bss\n"
			     "ffffffff81202000 r rodata\n";

static void test_kernel(void **state)
{
	struct symtab st = {0};

	(void)state;
	parse(&st, kernel, SYMTAB_NESTED);
	assert_string_equal(at(&st, 0xffffffff80ffffff), "");
	assert_string_equal(at(&st, 0xffffffff81000000), "first");
	assert_string_equal(at(&st, 0xffffffff8100002f), "first");
	assert_string_equal(at(&st, 0xffffffff81000030), "(__pfx_second)");
	assert_string_equal(at(&st, 0xffffffff81000040), "second");
	assert_string_equal(at(&st, 0xffffffff81000050), "__x64_sys_read");
	assert_string_equal(at(&st, 0xffffffff81000060), "strong");
	assert_string_equal(at(&st, 0xffffffff81000080), "(__irqentry_text_end)");
	assert_string_equal(at(&st, 0xffffffff810001ff), "third");
	assert_string_equal(at(&st, 0xffffffff81000200), "(_etext)");
	assert_string_equal(at(&st, 0xffffffff81200000), "");
	symtab_free(&st);
}

static void test_perf_view(void **state)
{
	struct symtab st = {0};

	(void)state;
	parse(&st, kernel, SYMTAB_PERF);
	assert_string_equal(at(&st, 0xffffffff81000000), "first");
	assert_string_equal(at(&st, 0xffffffff81000030), "__pfx_second");
	assert_string_equal(at(&st, 0xffffffff81000050), "__x64_sys_read");
	assert_string_equal(at(&st, 0xffffffff81000060), "strong");
	assert_string_equal(at(&st, 0xffffffff810000ff), "__irqentry_text_end");
	assert_string_equal(at(&st, 0xffffffff811fffff), "_etext");
	assert_string_equal(at(&st, 0xffffffff81200000), "data");
	symtab_free(&st);
}

static void test_modules(void **state)
{
	/* the tail of the file is not in order, and a module may lie below the kernel */
	static const char text[] = "ffffffff81000000 T first\n"
				   "ffffffff81000100 T _etext\n"
				   "ffffffffc0001010 t nf_two\t[nf_tables]\n"
				   "ffffffffc0001000 T nf_one\t[nf_tables]\r\n"
				   "ffffffffc0004000 t other\t[other] \n"
				   "ffffffffa0000000 t bpf_prog_6deef7357e7b4530_sd\t[bpf]\n"
				   "ffffffffc0201000 t ftrace_trampoline\t[__builtin__ftrace]\n";
	enum symtab_view view;

	(void)state;
	for (view = SYMTAB_NESTED; view <= SYMTAB_PERF; view += SYMTAB_PERF - SYMTAB_NESTED) {
		struct symtab st = {0};

		parse(&st, text, view);
		assert_string_equal(at(&st, 0xffffffffc0001000), "nf_one[nf_tables]");
		assert_string_equal(at(&st, 0xffffffffc0001011), "nf_two[nf_tables]");
		assert_string_equal(at(&st, 0xffffffffc0004001), "other[other]");
		assert_string_equal(at(&st, 0xffffffffa0000001),
				    "bpf_prog_6deef7357e7b4530_sd[bpf]");
		assert_string_equal(at(&st, 0xffffffffc0201fff),
				    "ftrace_trampoline[__builtin__ftrace]");
		assert_string_equal(at(&st, 0xffffffffc0202000), "");
		/* modules do not fill the gaps between them; perf lets them */
		assert_string_equal(at(&st, 0xffffffffc0003000),
				    view == SYMTAB_PERF ? "nf_two[nf_tables]" : "");
		symtab_free(&st);
	}
}

static void test_hidden_addresses(void **state)
{
	static const char text[] = "0000000000000000 T _stext\n0000000000000000 T first\n";
	struct symtab st = {0};
	struct err err = {0};

	(void)state;
	assert_int_equal(take(&st, text, SYMTAB_NESTED, &err), -EPERM);
	assert_string_equal(err.hint, "");
	kallsyms_hidden(&err);
	assert_true(err.hint[0]);
	symtab_free(&st);
}

static void test_garbage(void **state)
{
	static const char *const bad[] = {"",
					  "\n\n\n",
					  "hello world\n",
					  "ffffffff81000000\n",
					  "ffffffff81000000 T\n",
					  "ffffffff81000000 T \n",
					  "ffffffff81000000 T \t[mod]\n",
					  "ffffffff81000000 T $x\n",
					  "ffffffff81000000 R only_data\n",
					  "xyz T name\n",
					  "ffffffff810000001 T too_long_an_address\n"};
	struct err err;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		struct symtab st = {0};

		assert_int_equal(take(&st, bad[i], SYMTAB_NESTED, &err), -ENODATA);
		symtab_free(&st);
	}
	for (i = 0; i < 2; i++) {
		struct symtab st = {0};

		/* one good line among them; no newline at its end */
		parse(&st, "garbage\n1000 T\n\n1234 t good", i ? SYMTAB_PERF : SYMTAB_NESTED);
		assert_string_equal(at(&st, 0x1234), "good");
		assert_int_equal(st.syms.nr, 1);
		symtab_free(&st);
	}
}

/* Every byte at every place of an address: a digit counts, anything else makes it no line. */
static void test_digits(void **state)
{
	static const char digits[] = "0123456789abcdef";
	char line[] = "9876543210abcdef T function\n";
	u64 want = 0x9876543210abcdef, nibble;
	struct symtab st;
	const char *d;
	int place, byte;

	(void)state;
	for (place = 0; place < 16; place++) {
		for (byte = 1; byte < 256; byte++) {
			line[place] = (char)byte;
			st = (struct symtab){0};
			d = strchr(digits, byte >= 'A' && byte <= 'F' ? byte + 32 : byte);
			if (d) {
				nibble = (u64)(d - digits) << (60 - 4 * place);
				nibble |= want & ~(15ull << (60 - 4 * place));
				parse(&st, line, SYMTAB_NESTED);
				assert_string_equal(at(&st, nibble), "function");
				assert_string_equal(at(&st, nibble - 1), "");
			} else if (byte != '\n' && byte != ' ') {
				assert_int_not_equal(take(&st, line, SYMTAB_NESTED, NULL), 0);
			}
			symtab_free(&st);
		}
		line[place] = "9876543210abcdef"[place];
	}
}

static void test_load(void **state)
{
	struct symtab st = {0};
	struct err err = {0};

	(void)state;
	assert_int_equal(kallsyms_load(&st, AT_FDCWD, "/nonexistent/kallsyms", SYMTAB_NESTED, &err),
			 -ENOENT);
	assert_int_equal(strncmp(err.msg, "/nonexistent/kallsyms: ", 23), 0);
	/* below what stands for "/", as the user knows it */
	assert_int_equal(kallsyms_load(&st, AT_FDCWD, "nonexistent/kallsyms", SYMTAB_NESTED, &err),
			 -ENOENT);
	assert_int_equal(strncmp(err.msg, "/nonexistent/kallsyms: ", 23), 0);
	symtab_free(&st);
	NEEDS("kallsyms");
	assert_int_equal(kallsyms_load(&st, AT_FDCWD, "/proc/kallsyms", SYMTAB_NESTED, &err), 0);
	assert_true(st.syms.nr > 1000);
	symtab_free(&st);
}

static void test_address(void **state)
{
	static const char text[] = "ffffffff81000000 T _text\n"
				   "ffffffff81000000 t _text_too\n"
				   "ffffffff82000000 t _etext\n"
				   "ffffffff83000000 T _e";

	(void)state;
	assert_int_equal(kallsyms_address(text, sizeof(text) - 1, "_text"), 0xffffffff81000000);
	assert_int_equal(kallsyms_address(text, sizeof(text) - 1, "_etext"), 0xffffffff82000000);
	assert_int_equal(kallsyms_address(text, sizeof(text) - 1, "text"), 0);
	assert_int_equal(kallsyms_address(text, sizeof(text) - 1, "_e"), 0); /* a cut line */
	assert_int_equal(kallsyms_address(" T x\n", 5, "x"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernel),  cmocka_unit_test(test_perf_view),
		cmocka_unit_test(test_modules), cmocka_unit_test(test_hidden_addresses),
		cmocka_unit_test(test_garbage), cmocka_unit_test(test_digits),
		cmocka_unit_test(test_load),    cmocka_unit_test(test_address),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("kallsyms", tests, NULL, NULL);
}
