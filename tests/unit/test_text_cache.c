// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "util/format/text_cache.h"
#include "util/profile/short_text.h"

static void check(const struct text_cache *c, u64 key, const char *want)
{
	u32 len = 0;
	const char *text = text_cache_find(c, key, &len);

	if (!want) {
		assert_null(text);
		return;
	}
	assert_non_null(text);
	assert_int_equal(len, strlen(want));
	assert_memory_equal(text, want, len);
}

static void kept_when_made_twice(void **state)
{
	struct text_cache c = {0};

	(void)state;
	check(&c, 5, NULL);
	text_cache_keep(&c, 5, "five", 4);
	check(&c, 5, NULL);
	text_cache_keep(&c, 5, "five", 4);
	check(&c, 5, "five");
	/* one that belongs to the same place */
	text_cache_keep(&c, 5 + KNOWN_TEXT_SLOTS, "other", 5);
	check(&c, 5, NULL);
	check(&c, 5 + KNOWN_TEXT_SLOTS, NULL);
	/* no number */
	text_cache_keep(&c, 0, "none", 4);
	text_cache_keep(&c, 0, "none", 4);
	check(&c, 0, NULL);
	text_cache_free(&c);
}

/* Whatever is found is right, and there is never more than the cache may hold. */
static void much(void **state)
{
	struct text_cache c = {0};
	static char text[64 * 1024];
	u64 i, key, found = 0;
	const char *known;
	u32 len, round;

	(void)state;
	for (round = 0; round < 3; round++) {
		for (i = 1; i < 4000; i++) {
			key = i % 2 ? i : i % 100 + 1; /* some come often */
			memset(text, 'a' + (int)(key % 26), sizeof(text));
			snprintf(text, sizeof(text), "%llu", (unsigned long long)key);
			known = text_cache_find(&c, key, &len);
			if (known) {
				found++;
				assert_int_equal(len, sizeof(text) / 2);
				assert_memory_equal(known, text, len);
			} else {
				text_cache_keep(&c, key, text, sizeof(text) / 2);
			}
		}
		assert_true(c.text.cap <= 9u << 20);
	}
	assert_true(found > 50);
	text_cache_free(&c);
}

static void short_pieces(void **state)
{
	static struct short_texts c;
	static const size_t lengths[] = {1, 31, 32, 33, 103, 104};
	char text[128];
	struct buf b = {0};
	bool fits;
	size_t i;

	(void)state;
	memset(text, 'x', sizeof(text));
	assert_false(short_text_put(&c, 0, 0, &b));
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		fits = lengths[i] <= sizeof(c.slots[0].text);
		text[lengths[i] - 1] = 'e';
		short_text_keep(&c, 7, i, text, lengths[i]);
		buf_clear(&b);
		assert_int_equal(short_text_put(&c, 7, i, &b), fits);
		assert_int_equal(b.len, fits ? lengths[i] : 0);
		assert_memory_equal(buf_str(&b), text, b.len);
		assert_false(short_text_put(&c, 8, i, &b));
		assert_false(short_text_put(&c, 7, i + 100, &b));
		text[lengths[i] - 1] = 'x';
	}
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kept_when_made_twice),
		cmocka_unit_test(much),
		cmocka_unit_test(short_pieces),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
