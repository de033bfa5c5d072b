// SPDX-License-Identifier: GPL-2.0
/* util/base/symtab: aliases, overlaps, sizes and lookups, in each view. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/base/symtab.h"

static void add(struct symtab *st, u64 start, u64 end, const char *name, u8 flags)
{
	assert_true(symtab_add(st, start, end, name, strlen(name), flags));
}

/* The name at an address, "" for none. */
static const char *at(const struct symtab *st, u64 addr)
{
	const struct sym *sym = symtab_find(st, addr);

	if (sym)
		assert_true(addr >= sym->start && addr < sym->end);
	return sym ? sym->name : "";
}

static void test_empty(void **state)
{
	struct symtab st = {0};

	(void)state;
	assert_null(symtab_find(&st, 0));
	assert_int_equal(symtab_settle(&st, false), 0);
	assert_int_equal(symtab_finish(&st, SYMTAB_NESTED), 0);
	assert_null(symtab_find(&st, 0));
	assert_null(symtab_find(&st, UINT64_MAX));
	symtab_free(&st);
}

static void test_gaps(void **state)
{
	struct symtab st = {0};

	(void)state;
	add(&st, 300, 310, "c", 0);
	add(&st, 100, 120, "a", 0);
	add(&st, 120, 130, "b", 0);
	assert_int_equal(symtab_finish(&st, SYMTAB_NESTED), 0);
	assert_string_equal(at(&st, 99), "");
	assert_string_equal(at(&st, 100), "a");
	assert_string_equal(at(&st, 119), "a");
	assert_string_equal(at(&st, 120), "b");
	assert_string_equal(at(&st, 130), "");
	assert_string_equal(at(&st, 299), "");
	assert_string_equal(at(&st, 309), "c");
	assert_string_equal(at(&st, 310), "");
	assert_string_equal(at(&st, UINT64_MAX), "");
	symtab_free(&st);
}

static void test_nested(void **state)
{
	struct symtab st = {0};

	(void)state;
	add(&st, 100, 200, "outer", 0);
	add(&st, 120, 140, "inner", 0);
	add(&st, 125, 130, "innermost", 0);
	add(&st, 150, 200, "label", SYM_NOSIZE);
	add(&st, 180, 260, "tail", 0);
	assert_int_equal(symtab_finish(&st, SYMTAB_NESTED), 0);
	assert_string_equal(at(&st, 119), "outer");
	assert_string_equal(at(&st, 120), "inner");
	assert_string_equal(at(&st, 125), "innermost");
	assert_string_equal(at(&st, 130), "inner");
	assert_string_equal(at(&st, 140), "outer");
	assert_string_equal(at(&st, 150), "outer");
	assert_string_equal(at(&st, 180), "tail");
	assert_string_equal(at(&st, 259), "tail");
	symtab_free(&st);
}

static void test_newest(void **state)
{
	struct symtab st = {0};

	(void)state;
	add(&st, 150, 250, "old", 0);
	add(&st, 100, 200, "new", 0);
	add(&st, 300, 400, "moved away", 0);
	add(&st, 300, 350, "reused", 0);
	add(&st, 500, 510, "short", 0);
	add(&st, 490, 600, "all over it", 0);
	assert_int_equal(symtab_finish(&st, SYMTAB_NEWEST), 0);
	assert_string_equal(at(&st, 100), "new");
	assert_string_equal(at(&st, 199), "new");
	assert_string_equal(at(&st, 200), "old");
	assert_string_equal(at(&st, 349), "reused");
	assert_string_equal(at(&st, 350), "moved away");
	assert_string_equal(at(&st, 505), "all over it");
	symtab_free(&st);
}

/* Each pair: which of two aliases is kept, in whichever order they come. */
static void test_aliases(void **state)
{
	static const struct {
		const char *good, *bad;
		u8 good_flags, bad_flags;
		u8 good_size, bad_size;
	} pairs[] = {
		{"preferred", "___other_name", SYM_PREFER, SYM_GLOBAL, 8, 8},
		{"real", "marker_with_long_name", 0, SYM_MARKER | SYM_GLOBAL, 8, 8},
		{"sized", "sizeless_name", SYM_WEAK, SYM_NOSIZE | SYM_GLOBAL, 8, 8},
		{"strong", "weak_name", 0, SYM_WEAK, 8, 8},
		{"global", "local_name", SYM_GLOBAL, 0, 8, 8},
		{"bare", "_underscored", SYM_GLOBAL, SYM_GLOBAL, 8, 8},
		{"longer", "short", 0, 0, 8, 8},
	};
	size_t i;
	int swap;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(pairs); i++) {
		for (swap = 0; swap < 2; swap++) {
			struct symtab st = {0};

			if (swap)
				add(&st, 100, 100 + pairs[i].bad_size, pairs[i].bad,
				    pairs[i].bad_flags);
			add(&st, 100, 100 + pairs[i].good_size, pairs[i].good, pairs[i].good_flags);
			if (!swap)
				add(&st, 100, 100 + pairs[i].bad_size, pairs[i].bad,
				    pairs[i].bad_flags);
			assert_int_equal(symtab_finish(&st, SYMTAB_NESTED), 0);
			assert_int_equal(st.syms.nr, 1);
			assert_string_equal(at(&st, 100), pairs[i].good);
			symtab_free(&st);
		}
	}
}

static void test_alias_lengths(void **state)
{
	struct symtab st = {0};

	(void)state;
	add(&st, 100, 110, "short_one", SYM_GLOBAL);
	add(&st, 100, 140, "long_one", 0);
	assert_int_equal(symtab_finish(&st, SYMTAB_NESTED), 0);
	assert_string_equal(at(&st, 139), "short_one");
	symtab_free(&st);
}

static void test_sizeless(void **state)
{
	struct symtab st = {0};

	(void)state;
	add(&st, 100, 500, "to_next", SYM_NOSIZE);
	add(&st, 200, 250, "to_limit", SYM_NOSIZE);
	add(&st, 300, 310, "sized", 0);
	assert_true(symtab_add_module(&st, 0x10000, UINT64_MAX, "m", 1, "[a]", 3, SYM_NOSIZE));
	assert_true(symtab_add_module(&st, 0x20010, UINT64_MAX, "n", 1, "[b]", 3, SYM_NOSIZE));
	assert_int_equal(symtab_finish(&st, SYMTAB_NESTED), 0);
	assert_string_equal(at(&st, 199), "to_next");
	assert_string_equal(at(&st, 249), "to_limit");
	assert_string_equal(at(&st, 250), "");
	/* the end of a module, and that of the table: one more page */
	assert_string_equal(at(&st, 0x10fff), "m");
	assert_string_equal(at(&st, 0x11000), "");
	assert_string_equal(at(&st, 0x21fff), "n");
	assert_string_equal(at(&st, 0x22000), "");
	assert_string_equal(symtab_module(symtab_find(&st, 0x10000)), "[a]");
	assert_string_equal(symtab_module(symtab_find(&st, 100)), "");
	symtab_free(&st);
}

/* What perf does: a size first, then the choice; so the last of sizeless aliases wins. */
static void test_settle(void **state)
{
	struct symtab st = {0};

	(void)state;
	add(&st, 0x1000, 0x1000, "the_best_name", SYM_GLOBAL);
	add(&st, 0x1000, 0x1000, "_x", SYM_WEAK);
	add(&st, 0x1100, 0x1100, "next", 0);
	assert_true(symtab_add_module(&st, 0x8000, 0x8000, "m", 1, "[a]", 3, 0));
	assert_int_equal(symtab_settle(&st, true), 0);
	assert_int_equal(symtab_finish(&st, SYMTAB_PERF), 0);
	assert_string_equal(at(&st, 0x1000), "_x");
	assert_string_equal(at(&st, 0x10ff), "_x");
	assert_string_equal(at(&st, 0x1100), "next");
	assert_string_equal(at(&st, 0x2fff), "next");
	assert_string_equal(at(&st, 0x3000), "");
	assert_string_equal(at(&st, 0x8fff), "m");
	assert_string_equal(at(&st, 0x9000), "");
	symtab_free(&st);
}

static bool prefer_z(const char *a, const char *b)
{
	return b[0] == 'z' && a[0] != 'z';
}

static void test_better_name(void **state)
{
	struct symtab st = {.better_name = prefer_z};

	(void)state;
	add(&st, 0, 1, "longer", 0);
	add(&st, 0, 1, "z", 0);
	assert_int_equal(symtab_finish(&st, SYMTAB_NESTED), 0);
	assert_string_equal(at(&st, 0), "z");
	symtab_free(&st);
}

static u64 next_random(u64 *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

/* Against a search through all of them, for ranges of every length and density. */
static void test_random(void **state)
{
	static const enum symtab_view views[] = {SYMTAB_NESTED, SYMTAB_NEWEST};
	u64 x = 88172645463325252ull;
	char name[16];
	u32 round, i, j;

	(void)state;
	for (round = 0; round < 60; round++) {
		enum symtab_view view = views[round % 2];
		u64 span = 64ull << round % 50, starts[200], ends[200];
		struct symtab st = {0};

		for (i = 0; i < 200; i++) {
			/* one start per symbol, or aliases would come in */
			starts[i] = next_random(&x) % span * 256 + i;
			ends[i] = starts[i] + 1 + next_random(&x) % (span * 16);
			snprintf(name, sizeof(name), "%u", i);
			add(&st, starts[i], ends[i], name, 0);
		}
		assert_int_equal(symtab_finish(&st, view), 0);
		for (j = 0; j < 1000; j++) {
			u64 addr = j < 400 ? (j & 1 ? ends : starts)[j / 2] - (j % 3 == 0)
					   : next_random(&x) % (span * 272);
			int want = -1;

			for (i = 0; i < 200; i++) {
				if (addr < starts[i] || addr >= ends[i])
					continue;
				if (want < 0 || view == SYMTAB_NEWEST || starts[i] > starts[want])
					want = (int)i;
			}
			snprintf(name, sizeof(name), "%d", want);
			assert_string_equal(at(&st, addr), want < 0 ? "" : name);
		}
		symtab_free(&st);
	}
}

static void test_edges(void **state)
{
	struct symtab st = {0};

	(void)state;
	add(&st, UINT64_MAX - 1, UINT64_MAX, "top", 0);
	add(&st, 0, 1, "bottom", 0);
	add(&st, UINT64_MAX - 8, UINT64_MAX, "sizeless", SYM_NOSIZE);
	add(&st, 50, 40, "backwards", 0);
	assert_int_equal(symtab_finish(&st, SYMTAB_NESTED), 0);
	assert_string_equal(at(&st, 0), "bottom");
	assert_string_equal(at(&st, 1), "");
	assert_string_equal(at(&st, 50), "");
	assert_string_equal(at(&st, UINT64_MAX - 2), "sizeless");
	assert_string_equal(at(&st, UINT64_MAX - 1), "top");
	assert_string_equal(at(&st, UINT64_MAX), "");
	symtab_free(&st);
}

/* In order but for a tail, as kallsyms is; and names that are not copied. */
static void test_tail(void **state)
{
	static const char block[] = "head\0tail\0[module]";
	struct symtab st = {0};
	const struct sym *sym;
	char *names = malloc(sizeof(block));
	u32 i;

	(void)state;
	assert_non_null(names);
	memcpy(names, block, sizeof(block));
	assert_true(symtab_adopt(&st, names));
	assert_true(symtab_reserve(&st, 1300));
	for (i = 0; i < 1000; i++)
		assert_true(symtab_add_adopted(&st, i * 32, i * 32 + 16, names, 0));
	/* behind each third one, at each third one, and before all others */
	for (i = 999; i > 700; i -= 3) {
		assert_true(symtab_add_adopted(&st, (i - 700) * 32, (i - 700) * 32 + 8, names + 5,
					       SYM_MODULE));
		assert_true(symtab_add_adopted(&st, (i - 700) * 32 + 16, (i - 700) * 32 + 32,
					       names + 5, SYM_MODULE));
	}
	assert_int_equal(symtab_finish(&st, SYMTAB_NEWEST), 0);
	for (i = 1; i < st.syms.nr; i++) {
		const struct sym *a = &st.syms.v[i - 1], *b = &st.syms.v[i];

		assert_true(a->start < b->start || (a->start == b->start && a->order < b->order));
	}
	for (i = 0; i < 300; i++) {
		bool both = i >= 2 && (i - 2) % 3 == 0;

		assert_string_equal(at(&st, i * 32), both ? "tail" : "head");
		assert_string_equal(at(&st, i * 32 + 8), "head");
		assert_string_equal(at(&st, i * 32 + 16), both ? "tail" : "");
	}
	sym = symtab_find(&st, 2 * 32);
	assert_non_null(sym);
	assert_string_equal(symtab_module(sym), "[module]");
	symtab_free(&st);
}

/* Addresses that are too far apart for short keys: a program's and the kernel's. */
static void test_far_apart(void **state)
{
	struct symtab st = {0};

	(void)state;
	add(&st, 0xffffffff81000100, 0xffffffff81000200, "kernel b", 0);
	add(&st, 0x401000, 0x401010, "program", 0);
	add(&st, 0xffffffff81000000, 0xffffffff81000100, "kernel a", 0);
	add(&st, 0x401000, 0x401010, "longer program", 0);
	add(&st, (u64)1 << 40, ((u64)1 << 40) + 16, "between", 0);
	assert_int_equal(symtab_finish(&st, SYMTAB_NESTED), 0);
	assert_string_equal(at(&st, 0x401000), "longer program");
	assert_string_equal(at(&st, 0x40100f), "longer program");
	assert_string_equal(at(&st, ((u64)1 << 40) + 15), "between");
	assert_string_equal(at(&st, 0xffffffff810000ff), "kernel a");
	assert_string_equal(at(&st, 0xffffffff81000100), "kernel b");
	assert_string_equal(at(&st, 0xffffffff81000200), "");
	symtab_free(&st);
}

/* Enough for huge pages, added from the last to the first. */
static void test_many(void **state)
{
	const u32 nr = 100000;
	struct symtab st = {0};
	char name[32];
	u32 i;

	(void)state;
	assert_true(symtab_reserve(&st, nr / 2));
	for (i = nr; i-- > 0;) {
		snprintf(name, sizeof(name), "f%u", i);
		add(&st, (u64)i * 16, (u64)i * 16 + 16, name, 0);
	}
	assert_int_equal(symtab_finish(&st, SYMTAB_NESTED), 0);
	for (i = 0; i < nr; i += 7) {
		snprintf(name, sizeof(name), "f%u", i);
		assert_string_equal(at(&st, (u64)i * 16 + i % 16), name);
	}
	symtab_free(&st);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),       cmocka_unit_test(test_gaps),
		cmocka_unit_test(test_nested),      cmocka_unit_test(test_newest),
		cmocka_unit_test(test_aliases),     cmocka_unit_test(test_alias_lengths),
		cmocka_unit_test(test_sizeless),    cmocka_unit_test(test_settle),
		cmocka_unit_test(test_better_name), cmocka_unit_test(test_random),
		cmocka_unit_test(test_edges),       cmocka_unit_test(test_tail),
		cmocka_unit_test(test_far_apart),   cmocka_unit_test(test_many),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("symtab", tests, NULL, NULL);
}
