// SPDX-License-Identifier: GPL-2.0
/* util/profile/symboliser_addr2line: what addr2line would call functions of tests/prog/mangled.cc, in turns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/oom.h"
#include "util/image/image_symbols.h"
#include "util/profile/symboliser.h"

struct program {
	struct image img;
	struct debuginfo *debug;
	struct symtab symbols;
	char path[4096];
};

static int open_program(void **state)
{
	static struct program p;
	const char *o = getenv("O");

	snprintf(p.path, sizeof(p.path), "%s/tests/prog/mangled", o ? o : "build");
	if (image_open(&p.img, p.path, NULL))
		return 0;
	*state = &p;
	return image_symbols_load(&p.img, NULL, &p.symbols, SYMTAB_NESTED, NULL) ||
	       debuginfo_open(&p.debug, &(struct debuginfo_images){.image = &p.img}, NULL);
}

static int close_program(void **state)
{
	struct program *p = *state;

	if (!p)
		return 0;
	debuginfo_close(p->debug);
	symtab_free(&p->symbols);
	image_close(&p->img);
	return 0;
}

/* The function whose symbol begins so, at that byte of it. */
static struct debug_frame frame_of(struct program *p, const char *symbol, u64 into)
{
	struct debug_frame f[4] = {0};
	u64 vaddr;
	u32 i;

	if (!p)
		skip();
	for (i = 0; i < p->symbols.syms.nr; i++) {
		if (strncmp(p->symbols.syms.v[i].name, symbol, strlen(symbol)) != 0)
			continue;
		assert_true(image_vaddr(&p->img, p->symbols.syms.v[i].start + into, &vaddr));
		assert_int_equal(debuginfo_find(p->debug, vaddr, f, ARRAY_SIZE(f)), 1);
		assert_non_null(f[0].entry);
		return f[0];
	}
	fail_msg("no symbol %s", symbol);
	return f[0];
}

/* main() has no linkage name, and its symbol begins with it: it goes by that for good. */
static void test_symbols_name(void **state)
{
	struct debug_frame f = frame_of(*state, "main", 4), later = frame_of(*state, "main", 8);
	struct addr2line_names a = {0};

	assert_int_equal(addr2line_names_ask(&a, 1, 4, &f, 1, 4), 1);
	assert_int_equal(addr2line_names_ask(&a, 1, 8, &later, 1, 8), 1);
	assert_int_equal(addr2line_names_ask(&a, 1, 4, &f, 1, 4), 1);
	addr2line_names_free(&a);
}

/* Where the symbol begins elsewhere that is so once, and the answer of then stays. */
static void test_own_name(void **state)
{
	struct debug_frame f = frame_of(*state, "main", 4), later = frame_of(*state, "main", 8);
	struct addr2line_names a = {0};

	assert_int_equal(addr2line_names_ask(&a, 1, 4, &f, 1, 100), 1);
	assert_int_equal(addr2line_names_ask(&a, 1, 8, &later, 1, 104), 0);
	assert_int_equal(addr2line_names_ask(&a, 1, 4, &f, 1, 100), 1);
	/* another file's is another question */
	assert_int_equal(addr2line_names_ask(&a, 2, 4, &f, 1, 100), 0);
	addr2line_names_free(&a);
}

static void test_linkage_name(void **state)
{
	struct debug_frame f = frame_of(*state, "_ZNK5outer5thingcl", 4);
	struct addr2line_names a = {0};

	assert_int_equal(addr2line_names_ask(&a, 1, 4, &f, 1, 4), 0);
	assert_int_equal(a.functions.nr, 0);
	addr2line_names_free(&a);
}

/* The functions around the innermost one, as they were asked for before. */
static void test_levels(void **state)
{
	struct debug_frame named = frame_of(*state, "_ZNK5outer5thingcl", 4);
	struct debug_frame f[40], outer = frame_of(*state, "main", 4);
	struct addr2line_names a = {0};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(f); i++)
		f[i] = i % 2 ? outer : named;
	/* main() has not been asked for itself yet */
	assert_int_equal(addr2line_names_ask(&a, 1, 1, f, 4, 4), 0);
	assert_int_equal(addr2line_names_ask(&a, 1, 2, &outer, 1, 4), 1);
	assert_int_equal(addr2line_names_ask(&a, 1, 1, f, 4, 4), 0);
	assert_int_equal(addr2line_names_ask(&a, 1, 3, f, 4, 4), 2 + 8);
	/* of more levels than an answer has bits, the innermost */
	assert_int_equal(addr2line_names_ask(&a, 1, 4, f, ARRAY_SIZE(f), 4), 0x2aaaaaaa);
	addr2line_names_free(&a);
}

/* Names that are not DWARF's: of one function that of the symbol. */
static void test_no_entry(void **state)
{
	struct debug_frame f[2] = {0};
	struct addr2line_names a = {0};

	(void)state;
	assert_int_equal(addr2line_names_ask(&a, 1, 1, f, 1, 0), 1);
	assert_int_equal(addr2line_names_ask(&a, 1, 1, f, 2, 0), 0);
	addr2line_names_free(&a);
}

static void test_no_memory(void **state)
{
	struct debug_frame f = frame_of(*state, "main", 4);
	struct addr2line_names a = {0};
	u32 names;

	oom_after(0);
	names = addr2line_names_ask(&a, 1, 4, &f, 1, 4);
	assert_true(oom_stop());
	assert_int_equal(names, 1);
	assert_int_equal(addr2line_names_ask(&a, 1, 4, &f, 1, 4), 1);
	addr2line_names_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_symbols_name), cmocka_unit_test(test_own_name),
		cmocka_unit_test(test_linkage_name), cmocka_unit_test(test_levels),
		cmocka_unit_test(test_no_entry),     cmocka_unit_test(test_no_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, open_program, close_program);
}
