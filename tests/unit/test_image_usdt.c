// SPDX-License-Identifier: GPL-2.0
/* Notes of static probes, made here: both word sizes and byte orders, moved images, damage. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/oom.h"
#include "util/base/buf.h"
#include "util/image/image_usdt.h"

struct made {
	struct buf b;
	u8 word;
	bool swap;
};

static void put(struct made *m, u64 v, u32 bytes)
{
	bool little = (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) != m->swap;
	u32 i;

	for (i = 0; i < bytes; i++)
		buf_addc(&m->b, (char)(v >> (little ? 8 * i : 8 * (bytes - 1 - i))));
}

static void put_string(struct made *m, const char *s)
{
	buf_add(&m->b, s, strlen(s) + 1);
}

static void align(struct made *m)
{
	while (m->b.len % 4)
		buf_addc(&m->b, 0);
}

static void put_note(struct made *m, u64 pc, u64 base, u64 semaphore, const char *provider,
		     const char *name, const char *arguments)
{
	put(m, sizeof("stapsdt"), 4);
	put(m, 3u * m->word + strlen(provider) + strlen(name) + strlen(arguments) + 3, 4);
	put(m, 3, 4);
	put_string(m, "stapsdt");
	align(m);
	put(m, pc, m->word);
	put(m, base, m->word);
	put(m, semaphore, m->word);
	put_string(m, provider);
	put_string(m, name);
	put_string(m, arguments);
	align(m);
}

static void put_other(struct made *m, const char *owner, u32 type)
{
	put(m, strlen(owner) + 1, 4);
	put(m, 5, 4);
	put(m, type, 4);
	put_string(m, owner);
	align(m);
	buf_add(&m->b, "abcde", 5);
	align(m);
}

static int parse(const struct made *m, u64 base, struct image_usdt_list *l)
{
	*l = (struct image_usdt_list){0};
	return image_usdt_parse(m->b.data, m->b.len, m->word, m->swap, base, l);
}

static void check_probe(const struct image_usdt_list *l, u32 i, const char *provider,
			const char *name, const char *arguments, u64 vaddr, u64 semaphore)
{
	const struct image_usdt_probe *p = &l->probes.v[i];

	assert_true(i < l->probes.nr);
	assert_string_equal(p->provider, provider);
	assert_string_equal(p->name, name);
	assert_string_equal(p->arguments, arguments);
	assert_int_equal(p->vaddr, vaddr);
	assert_int_equal(p->semaphore, semaphore);
}

static void make(struct made *m)
{
	put_other(m, "GNU", 3);
	put_note(m, 0x1154, 0x2015, 0, "python", "function__entry", "8@%rbx -4@%eax");
	put_other(m, "stapsdt", 4);
	put_note(m, 0x1200, 0x2015, 0x4020, "a", "b.c-d$1", "");
	put_note(m, 0x1300, 0, 0, "a", "no_base", "");
}

static void test_notes(void **state)
{
	struct image_usdt_list l;
	int i;

	(void)state;
	for (i = 0; i < 4; i++) {
		struct made m = {.word = i & 1 ? 8 : 4, .swap = i & 2};

		make(&m);
		assert_int_equal(parse(&m, 0x2015, &l), 0);
		assert_int_equal(l.probes.nr, 3);
		check_probe(&l, 0, "python", "function__entry", "8@%rbx -4@%eax", 0x1154, 0);
		check_probe(&l, 1, "a", "b.c-d$1", "", 0x1200, 0x4020);
		image_usdt_free(&l);

		/* moved after it was linked; and without the section that would tell */
		assert_int_equal(parse(&m, 0x3015, &l), 0);
		check_probe(&l, 0, "python", "function__entry", "8@%rbx -4@%eax", 0x2154, 0);
		check_probe(&l, 1, "a", "b.c-d$1", "", 0x2200, 0x5020);
		check_probe(&l, 2, "a", "no_base", "", 0x1300, 0);
		image_usdt_free(&l);
		assert_int_equal(parse(&m, 0, &l), 0);
		check_probe(&l, 0, "python", "function__entry", "8@%rbx -4@%eax", 0x1154, 0);
		image_usdt_free(&l);
		buf_free(&m.b);
	}
}

static void test_names(void **state)
{
	static const char *const bad[] = {"",    "a b", "a:b",      "a,b", "a@b",
					  "a/b", "{",   "\xc3\xa4", "a\nb"};
	struct made m = {.word = 8};
	struct image_usdt_list l;
	u32 i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		put_note(&m, 1, 0, 0, bad[i], "name", "");
		put_note(&m, 1, 0, 0, "provider", bad[i], "");
	}
	put_note(&m, 1, 0, 0, "provider", "name", "any text: \x01");
	assert_int_equal(parse(&m, 0, &l), 0);
	assert_int_equal(l.probes.nr, 1);
	check_probe(&l, 0, "provider", "name", "any text: \x01", 1, 0);
	image_usdt_free(&l);
	buf_free(&m.b);
}

/* Cut anywhere, it has the probes before the cut. */
static void test_cut(void **state)
{
	struct made m = {.word = 8};
	struct image_usdt_list l;
	size_t len;

	(void)state;
	make(&m);
	len = m.b.len;
	for (m.b.len = 0; m.b.len < len; m.b.len++) {
		assert_int_equal(parse(&m, 0x2015, &l), 0);
		assert_in_range(l.probes.nr, 0, 2 + (m.b.len + 4 > len));
		image_usdt_free(&l);
	}
	buf_free(&m.b);
}

/* Strings without an end, and a name that is longer than all there is. */
static void test_damage(void **state)
{
	struct made m = {.word = 8};
	struct image_usdt_list l;

	(void)state;
	put_note(&m, 1, 0, 0, "provider", "name", "arguments");
	put_note(&m, 1, 0, 0, "provider", "next", "");
	memset(m.b.data + 20 + 24, 'x', 8 + 1 + 4 + 1 + 9 + 1);
	assert_int_equal(parse(&m, 0, &l), 0);
	assert_int_equal(l.probes.nr, 1);
	check_probe(&l, 0, "provider", "next", "", 1, 0);
	image_usdt_free(&l);
	memset(m.b.data, 0xff, 4);
	assert_int_equal(parse(&m, 0, &l), 0);
	assert_int_equal(l.probes.nr, 0);
	image_usdt_free(&l);
	buf_free(&m.b);
}

static void test_out_of_memory(void **state)
{
	struct made m = {.word = 8};
	struct image_usdt_list l;
	unsigned int n;
	int ret;

	(void)state;
	make(&m);
	for (n = 0;; n++) {
		oom_after(n);
		ret = parse(&m, 0, &l);
		if (!oom_stop())
			break;
		assert_int_equal(ret, -ENOMEM);
		image_usdt_free(&l);
	}
	assert_int_equal(ret, 0);
	assert_int_equal(l.probes.nr, 3);
	image_usdt_free(&l);
	buf_free(&m.b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_notes),         cmocka_unit_test(test_names),
		cmocka_unit_test(test_cut),           cmocka_unit_test(test_damage),
		cmocka_unit_test(test_out_of_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
