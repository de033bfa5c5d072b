// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/oom.h"
#include "util/export/spool.h"

static int read_all(struct spool *r, struct buf *out)
{
	int ret;

	while ((ret = spool_read(r, out)) > 0)
		;
	return ret;
}

/* Numbers from `from` on, with commas. */
static void fill(struct spool *r, struct buf *want, u32 from, u32 nr)
{
	u32 i;

	for (i = from; i < from + nr; i++) {
		spool_item(r);
		buf_dec(&r->tail, i, 0);
		spool_settle(r);
		if (want && i != from)
			buf_addc(want, ',');
		if (want)
			buf_dec(want, i, 0);
	}
}

static void joined(void **state)
{
	static const u32 sizes[] = {0, 1, 5, 40000, 0, 3, 100000, 20000, 20000, 7};
	struct spool all = {0}, part = {0};
	struct buf want = {0}, got = {0};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		buf_adds(&all.tail, "[");
		buf_adds(&want, "[");
		fill(&part, &want, (u32)i, sizes[i]);
		spool_join(&all, &part);
		assert_int_equal(part.tail.len + part.pieces.nr, 0);
		buf_adds(&all.tail, "]");
		buf_adds(&want, "]");
	}
	/* what is kept is far smaller than the text */
	assert_true(all.pieces.nr > 10);
	assert_int_equal(read_all(&all, &got), 0);
	assert_string_equal(buf_str(&got), buf_str(&want));
	spool_free(&all);
	buf_free(&want);
	buf_free(&got);
}

static void copied(void **state)
{
	struct spool a = {0}, b = {0}, part = {0};
	struct buf want = {0}, got = {0};

	(void)state;
	buf_adds(&a.tail, "a");
	buf_adds(&want, "a");
	fill(&part, &want, 5, 50000);
	spool_copy(&a, &part);
	spool_join(&b, &part);
	assert_int_equal(read_all(&a, &got), 0);
	assert_string_equal(buf_str(&got), buf_str(&want));
	buf_clear(&got);
	assert_int_equal(read_all(&b, &got), 0);
	assert_string_equal(buf_str(&got), buf_str(&want) + 1);
	spool_free(&a);
	spool_free(&b);
	buf_free(&want);
	buf_free(&got);
}

/* A single append that is longer than a piece; bytes that do not shrink. */
static void long_and_random(void **state)
{
	struct spool r = {0};
	struct buf want = {0}, got = {0};
	u32 i, x = 1;

	(void)state;
	for (i = 0; i < 10 * SPOOL_PIECE + 3; i++) {
		x = x * 1664525 + 1013904223;
		buf_addc(&want, (char)('!' + (x >> 24) % 90));
	}
	buf_add(&r.tail, want.data, want.len);
	spool_settle(&r);
	assert_int_equal(r.tail.len, 0);
	assert_int_equal(read_all(&r, &got), 0);
	assert_string_equal(buf_str(&got), buf_str(&want));
	spool_free(&r);
	buf_free(&want);
	buf_free(&got);
}

static void out_of_memory(void **state)
{
	struct buf want = {0}, got;
	struct spool a, part = {0};
	unsigned int n;
	int ret;

	(void)state;
	fill(&part, &want, 1, 30000);
	spool_free(&part);
	fill(&part, &want, 1, 30000);
	spool_free(&part);
	for (n = 0;; n++) {
		a = part = (struct spool){0};
		got = (struct buf){0};
		oom_after(n);
		fill(&part, NULL, 1, 30000);
		spool_copy(&a, &part);
		spool_join(&a, &part);
		ret = read_all(&a, &got);
		if (!oom_stop())
			break;
		/* or it did without: a piece stayed in a larger place than it needs */
		if (ret)
			assert_int_equal(ret, -ENOMEM);
		else
			assert_string_equal(buf_str(&got), buf_str(&want));
		spool_free(&a);
		spool_free(&part);
		buf_free(&got);
	}
	assert_true(n > 3);
	assert_int_equal(ret, 0);
	assert_string_equal(buf_str(&got), buf_str(&want));
	spool_free(&a);
	buf_free(&want);
	buf_free(&got);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(joined),
		cmocka_unit_test(copied),
		cmocka_unit_test(long_and_random),
		cmocka_unit_test(out_of_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
