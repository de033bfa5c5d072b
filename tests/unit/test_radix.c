// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/base/hash.h"
#include "util/base/radix.h"

#define MOST 5000

struct item {
	u64 bits; /* that it is sorted by */
	u64 key;
	u32 at;
};

static u64 keys[MOST], spare[MOST * 2];
static u32 order[MOST];
static struct item want[MOST];

static int by_bits(const void *x, const void *y)
{
	const struct item *a = x, *b = y;

	if (a->bits != b->bits)
		return a->bits < b->bits ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

/* As a stable sort by comparisons has them. */
static void check(u32 nr, unsigned int low, unsigned int high)
{
	const u64 *got;
	u32 i;

	for (i = 0; i < nr; i++) {
		want[i].key = keys[i];
		want[i].bits = (high == 64 ? keys[i] : keys[i] & ((1ull << high) - 1)) >> low;
		want[i].at = i;
	}
	qsort(want, nr, sizeof(*want), by_bits);
	got = radix_sort(keys, spare, nr, low, high);
	assert_true(got == keys || got == spare);
	for (i = 0; i < nr; i++)
		assert_true(got[i] == want[i].key);
}

static void fill(u32 nr, u64 seed, u64 mask)
{
	u32 i;

	for (i = 0; i < nr; i++)
		keys[i] = hash_u64(seed + i) & mask;
}

static void any_bits(void **state)
{
	unsigned int low, high;

	(void)state;
	for (low = 0; low < 64; low += 5) {
		for (high = low + 1; high <= 64; high += 3) {
			fill(300, low * 64 + high, UINT64_MAX);
			check(300, low, high);
		}
	}
	fill(300, 1, UINT64_MAX);
	check(300, 0, 64);
	fill(300, 2, UINT64_MAX);
	check(300, 63, 64);
}

static void sizes(void **state)
{
	static const u32 nr[] = {0, 1, 2, 3, 255, 4096, MOST};
	u32 i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(nr); i++) {
		fill(nr[i], i, UINT64_MAX);
		check(nr[i], 24, 64);
	}
}

/* Many that are alike, in order, or in the opposite order. */
static void shapes(void **state)
{
	u32 i;

	(void)state;
	fill(MOST, 7, 0x30000ff);
	check(MOST, 24, 40);
	memset(keys, 0x5a, sizeof(keys));
	check(MOST, 0, 64);
	for (i = 0; i < MOST; i++)
		keys[i] = (u64)i << 30;
	check(MOST, 24, 64);
	for (i = 0; i < MOST; i++)
		keys[i] = (u64)(MOST - i) << 30 | i;
	check(MOST, 30, 44);
}

static void check_order(u32 nr)
{
	u64 was[MOST];
	u32 i;

	memcpy(was, keys, sizeof(was));
	radix_order(keys, spare, nr, order);
	assert_memory_equal(keys, was, sizeof(was));
	for (i = 0; i < nr; i++)
		want[i] = (struct item){.bits = keys[i], .at = i};
	qsort(want, nr, sizeof(*want), by_bits);
	for (i = 0; i < nr; i++)
		assert_int_equal(order[i], want[i].at);
}

/* Few, many; near one another, anywhere, or all the same. */
static void numbers_in_order(void **state)
{
	static const u64 masks[] = {0, 1, 0xff00, 0xffffffffff, 0xfff0000000000000, UINT64_MAX};
	static const u32 nr[] = {0, 1, 2, 63, 64, 65, 700, MOST};
	u32 i, j, k;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(masks); i++) {
		for (j = 0; j < ARRAY_SIZE(nr); j++) {
			fill(nr[j], i, masks[i]);
			check_order(nr[j]);
			for (k = 0; k < nr[j]; k++)
				keys[k] += 1ull << 62;
			check_order(nr[j]);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_bits),
		cmocka_unit_test(sizes),
		cmocka_unit_test(shapes),
		cmocka_unit_test(numbers_in_order),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
