// SPDX-License-Identifier: GPL-2.0
/* Functions of JIT compilers that replace others: added once, late, again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/oom.h"
#include "util/capture/symbol_collector_internal.h"

#define KNOWN(l) (10 * (int)OVERLAY_KNOWN + (l))
#define NEW(l)   (10 * (int)OVERLAY_NEW + (l))
#define OLD      (10 * (int)OVERLAY_OLD)

static int add(struct symbol_overlays *l, u64 start, u64 end, const char *name, u64 from)
{
	u32 layer;
	enum symbol_overlay_state state = symbol_overlays_add(l, start, end, name, from, &layer);

	return 10 * (int)state + (state == OVERLAY_OLD ? 0 : (int)layer);
}

static void over_each_other(void **state)
{
	struct symbol_overlays l = {0};

	(void)state;
	assert_false(symbol_overlays_any(&l, 0, UINT64_MAX));
	assert_int_equal(add(&l, 0x1000, 0x1100, "a", 1), NEW(0));
	assert_int_equal(add(&l, 0x1100, 0x1200, "b", 1), NEW(0));
	assert_int_equal(add(&l, 0x1000, 0x1100, "a", 1), KNOWN(0));
	assert_true(symbol_overlays_any(&l, 0x11ff, 0x1300));
	assert_false(symbol_overlays_any(&l, 0x1200, 0x1300));
	assert_false(symbol_overlays_any(&l, 0, 0x1000));
	/* in the middle of one, then what sticks out of it, and of two */
	assert_int_equal(add(&l, 0x1040, 0x1080, "c", 2), NEW(1));
	assert_int_equal(add(&l, 0x1000, 0x1100, "a", 1), KNOWN(0));
	assert_int_equal(add(&l, 0x1080, 0x1090, "d", 3), NEW(1));
	assert_int_equal(add(&l, 0x1088, 0x1180, "e", 4), NEW(2));
	assert_int_equal(add(&l, 0x1180, 0x1200, "f", 5), NEW(1));
	/* the same once more, where something else stood in between */
	assert_int_equal(add(&l, 0x1000, 0x1100, "a", 6), NEW(3));
	assert_int_equal(add(&l, 0x1000, 0x1100, "a", 6), KNOWN(3));
	/* another name, another end: another function */
	assert_int_equal(add(&l, 0x1000, 0x1100, "g", 7), NEW(4));
	assert_int_equal(add(&l, 0x1000, 0x10f0, "g", 8), NEW(5));
	assert_int_equal(add(&l, 0x10f0, 0x1100, "h", 9), NEW(5));
	assert_false(l.failed);
	symbol_overlays_free(&l);
}

static void late(void **state)
{
	struct symbol_overlays l = {0};

	(void)state;
	assert_int_equal(add(&l, 0x1000, 0x1100, "new", 5), NEW(0));
	assert_int_equal(add(&l, 0x1080, 0x1180, "old", 4), OLD);
	assert_int_equal(add(&l, 0x1080, 0x1180, "of that time", 5), NEW(1));
	assert_int_equal(add(&l, 0x2000, 0x2000, "nothing", 6), OLD);
	assert_int_equal(add(&l, 0x2000, 0x1000, "less", 6), OLD);
	assert_int_equal(add(&l, 0, UINT64_MAX, "all", 7), NEW(2));
	symbol_overlays_free(&l);
}

static void forgotten(void **state)
{
	struct symbol_overlays l = {0};

	(void)state;
	assert_int_equal(add(&l, 0x1000, 0x1100, "a", 5), NEW(0));
	symbol_overlays_forget(&l);
	assert_int_equal(add(&l, 0x1000, 0x1100, "a", 1), NEW(1));
	assert_int_equal(add(&l, 0x1000, 0x1100, "a", 1), KNOWN(1));
	symbol_overlays_free(&l);
}

/* Functions at random, beside a table of every byte. */
static void at_random(void **state)
{
	static struct {
		u32 layer;
		char name[16];
	} bytes[512];
	struct symbol_overlays l = {0};
	u64 seed = 7, start, end, at;
	char name[16];
	u32 i, most;
	int added;

	(void)state;
	memset(bytes, 0, sizeof(bytes));
	for (i = 1; i < 3000; i++) {
		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		start = seed >> 33 & 255;
		end = start + 1 + (seed >> 50) % 100;
		snprintf(name, sizeof(name), "f%u", i);
		added = add(&l, start, end, name, i);
		for (most = 0, at = start; at < end; at++)
			if (bytes[at].name[0])
				most = MAX(most, bytes[at].layer + 1);
		assert_int_equal(added, NEW((int)most));
		for (at = start; at < end; at++) {
			bytes[at].layer = most;
			memcpy(bytes[at].name, name, sizeof(name));
		}
	}
	for (i = 0; i < l.v.nr; i++) {
		assert_true(l.v.v[i].start < l.v.v[i].end);
		assert_true(!i || l.v.v[i - 1].end <= l.v.v[i].start);
		for (at = l.v.v[i].start; at < l.v.v[i].end; at++) {
			assert_int_equal(l.v.v[i].layer, bytes[at].layer);
			assert_string_equal(strtab_get(&l.names, l.v.v[i].name), bytes[at].name);
			bytes[at].name[0] = '\0';
		}
	}
	for (i = 0; i < ARRAY_SIZE(bytes); i++)
		assert_int_equal(bytes[i].name[0], 0);
	symbol_overlays_free(&l);
}

static void memory(void **state)
{
	unsigned int n;
	bool failed;

	(void)state;
	for (n = 0;; n++) {
		struct symbol_overlays l = {0};

		oom_after(n);
		add(&l, 0x1000, 0x1100, "a", 1);
		add(&l, 0x1040, 0x1080, "b", 2);
		failed = l.failed;
		symbol_overlays_free(&l);
		if (!oom_stop())
			break;
		assert_true(failed);
	}
	assert_false(failed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(over_each_other), cmocka_unit_test(late),
		cmocka_unit_test(forgotten),       cmocka_unit_test(at_random),
		cmocka_unit_test(memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("symbol_overlays", tests, NULL, NULL);
}
