// SPDX-License-Identifier: GPL-2.0
/* util/base: every module of it, and each of them with memory running out. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/oom.h"
#include "util/base/arena.h"
#include "util/base/buf.h"
#include "util/base/clock.h"
#include "util/base/cur.h"
#include "util/base/err.h"
#include "util/base/hash.h"
#include "util/base/io.h"
#include "util/base/json.h"
#include "util/base/num.h"
#include "util/base/table.h"
#include "util/base/text.h"
#include "util/base/vec.h"

/* xorshift64*: numbers of every magnitude, the same in every run. */
static u64 random_u64(u64 *state)
{
	u64 x = *state;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	*state = x;
	x *= 0x2545f4914f6cdd1dull;
	return x >> (x & 63);
}

static void test_err(void **state)
{
	struct err e = {0};
	char longer[2000];

	(void)state;
	assert_int_equal(err_set(&e, ENOENT, "no event \"%s\"", "a:b"), -ENOENT);
	assert_int_equal(e.code, ENOENT);
	err_hint(&e, "try %d", 1);
	err_prefix(&e, "file %s", "x");
	assert_string_equal(e.msg, "file x: no event \"a:b\"");
	assert_string_equal(e.hint, "try 1");

	assert_int_equal(err_nomem(&e), -ENOMEM);
	assert_string_equal(e.hint, "");
	assert_string_equal(e.msg, "out of memory");

	/* A code that is no errno still is an error. */
	assert_int_equal(err_set(&e, 0, "x"), -EINVAL);
	assert_int_equal(err_set(&e, -5, "x"), -EINVAL);

	memset(longer, 'a', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	err_set(&e, EIO, "%s", longer);
	err_prefix(&e, "%s", longer);
	err_hint(&e, "%s", longer);
	assert_int_equal(strlen(e.msg), sizeof(e.msg) - 1);
	assert_int_equal(strlen(e.hint), sizeof(e.hint) - 1);
	assert_string_equal(e.hint + sizeof(e.hint) - 4, "...");

	/* Nobody need listen. */
	assert_int_equal(err_set(NULL, EIO, "x"), -EIO);
	err_hint(NULL, "x");
	err_prefix(NULL, "x");
}

static void test_arena(void **state)
{
	struct arena a = {0};
	char *first, *p;
	size_t i, len;

	(void)state;
	first = arena_strdup(&a, "first");
	for (len = 0; len < 40000; len = len * 3 / 2 + 1) {
		p = arena_alloc(&a, len);
		assert_non_null(p);
		assert_int_equal((uintptr_t)p % 16, 0);
		for (i = 0; i < len; i++)
			assert_int_equal(p[i], 0);
		memset(p, 0xff, len);
	}
	assert_string_equal(first, "first");
	assert_string_equal(arena_strndup(&a, "abcdef", 3), "abc");
	assert_string_equal(arena_strndup(&a, NULL, 0), "");
	assert_string_equal(arena_printf(&a, "%s-%d", "x", 7), "x-7");
	assert_memory_equal(arena_memdup(&a, "a\0b", 3), "a\0b", 3);
	assert_null(arena_alloc(&a, SIZE_MAX));
	assert_null(arena_alloc(&a, SIZE_MAX / 2 + 1));
	arena_free(&a);
	assert_null(a.chunks);

	oom_after(0);
	assert_null(arena_alloc(&a, 1));
	assert_null(arena_strdup(&a, "x"));
	assert_null(arena_printf(&a, "x"));
	assert_true(oom_stop());
	assert_non_null(arena_alloc(&a, 1));
	arena_free(&a);
}

static void test_buf(void **state)
{
	struct buf b = {0};
	char longer[1000];
	size_t i;

	(void)state;
	assert_string_equal(buf_str(&b), "");
	buf_adds(&b, "one ");
	buf_addc(&b, '2');
	buf_add(&b, NULL, 0);
	buf_pad(&b, '.', 3);
	buf_addf(&b, "%d|", 4);
	assert_string_equal(buf_str(&b), "one 2...4|");

	/* Text that is longer than what buf_addf() first makes room for. */
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	buf_clear(&b);
	buf_addf(&b, "<%s>", longer);
	assert_int_equal(b.len, sizeof(longer) - 1 + 2);
	assert_int_equal(b.data[b.len - 1], '>');
	assert_int_equal(b.data[b.len], 0);

	/* Always terminated, at every size. */
	buf_free(&b);
	for (i = 0; i < 5000; i++) {
		buf_addc(&b, 'a');
		assert_int_equal(strlen(buf_str(&b)), i + 1);
	}

	buf_clear(&b);
	buf_u8(&b, 1);
	buf_u16(&b, 0x0203);
	buf_u32(&b, 0x04050607);
	buf_u64(&b, 0x08090a0b0c0d0e0full);
	buf_lstr(&b, "hey", 3);
	assert_int_equal(b.len, 1 + 2 + 4 + 8 + 4 + 3);
	assert_false(b.failed);

	assert_null(buf_room(&b, SIZE_MAX / 2));
	assert_true(b.failed);
	buf_free(&b);
	assert_false(b.failed);
}

static void test_buf_out_of_memory(void **state)
{
	struct buf b = {0};
	size_t len;

	(void)state;
	buf_adds(&b, "kept");
	oom_after(0);
	buf_pad(&b, 'x', 1000);
	assert_true(b.failed);
	len = b.len;
	assert_true(oom_stop());

	/* The failure sticks, and what was there before is intact. */
	buf_adds(&b, "more");
	buf_addf(&b, "%d", 1);
	buf_dec(&b, 1, 0);
	buf_u64(&b, 1);
	assert_int_equal(b.len, len);
	assert_string_equal(buf_str(&b), "kept");
	buf_free(&b);
}

static void check_number(struct buf *b, u64 v, unsigned int width)
{
	char want[160];

	snprintf(want, sizeof(want), "%*" PRIu64 "%*" PRId64 "%0*" PRIu64 "%*" PRIx64 "%0*" PRIx64,
		 (int)width, v, (int)width, (s64)v, (int)width, v, (int)width, v, (int)width, v);
	buf_clear(b);
	buf_dec(b, v, width);
	buf_sdec(b, (s64)v, width);
	buf_dec0(b, v, width);
	buf_hex(b, v, width);
	buf_hex0(b, v, width);
	assert_string_equal(buf_str(b), want);
}

static void check_fixed(struct buf *b, double v)
{
	char want[400];

	snprintf(want, sizeof(want), "%.2f", v);
	buf_clear(b);
	buf_fixed2(b, v);
	assert_string_equal(buf_str(b), want);
}

static void test_buf_fixed(void **state)
{
	static const double edges[] = {0,           -0.0,        0.005,  0.015,
				       0.025,       1.005,       2.675,  0.995,
				       99.995,      99.994,      100,    1e6,
				       9999999.994, 9999999.995, 1e7,    123456789.125,
				       1e300,       -1,          -0.001, (double)INFINITY,
				       (double)NAN};
	struct buf b = {0};
	u32 i, total;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(edges); i++)
		check_fixed(&b, edges[i]);
	/* shares, and what is half way between two of them */
	for (total = 1; total < 1000; total += 7)
		for (i = 0; i <= total; i++)
			check_fixed(&b, 100.0 * i / total);
	for (i = 0; i < 40000; i++)
		check_fixed(&b, i / 1000.0);
	buf_free(&b);
}

static void test_buf_numbers(void **state)
{
	static const u64 edges[] = {0,  1,   9,   10,   99,    100,        INT64_MAX, 1ull << 63,
				    15, 255, 256, 4095, 65536, UINT32_MAX, UINT64_MAX};
	struct buf b = {0};
	u64 seed = 1, power = 1;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(edges); i++) {
		check_number(&b, edges[i], 0);
		check_number(&b, edges[i], 25);
	}
	for (i = 0; i < 64; i++) {
		check_number(&b, (1ull << i) - 1, 0);
		check_number(&b, 1ull << i, 6);
	}
	for (i = 0; i < 20; i++, power *= 10) {
		check_number(&b, power - 1, 0);
		check_number(&b, power, 6);
	}
	for (i = 0; i < 20000; i++)
		check_number(&b, random_u64(&seed), (unsigned int)(i % 24));
	buf_free(&b);
}

static void test_cur(void **state)
{
	static const u8 bytes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
	struct cur c = cur_init(bytes, sizeof(bytes));
	struct cur s;
	u16 v16;
	u32 v32;
	u64 v64;

	(void)state;
	assert_int_equal(cur_u8(&c), 1);
	memcpy(&v32, bytes + 1, 4);
	assert_int_equal(cur_u32(&c), v32);
	memcpy(&v64, bytes + 5, 8);
	assert_int_equal(cur_u64(&c), v64);
	assert_int_equal(cur_left(&c), 2);

	/* A read past the end gives 0, moves nothing and sticks. */
	assert_int_equal(cur_u32(&c), 0);
	assert_true(c.bad);
	assert_int_equal(cur_left(&c), 2);
	assert_int_equal(cur_u8(&c), 0);
	assert_null(cur_bytes(&c, 0));
	assert_false(cur_skip(&c, 1));

	c = cur_init(bytes, sizeof(bytes));
	c.swap = true;
	memcpy(&v16, bytes, 2);
	assert_int_equal(cur_u16(&c), __builtin_bswap16(v16));
	s = cur_sub(&c, 4);
	assert_true(s.swap);
	assert_int_equal(cur_left(&s), 4);
	assert_int_equal(cur_left(&c), 9);
	assert_int_equal(cur_u64(&s), 0);
	assert_true(s.bad);
	assert_false(c.bad);
	s = cur_sub(&c, 10);
	assert_true(s.bad && c.bad);

	c = cur_init(bytes, sizeof(bytes));
	assert_null(cur_bytes(&c, SIZE_MAX));
	c = cur_init(NULL, 0);
	assert_int_equal(cur_u8(&c), 0);
	v32 = 77;
	assert_false(cur_copy(&c, &v32, sizeof(v32)));
	assert_int_equal(v32, 0);
}

/* The same bytes on every machine. */
static void test_little_endian(void **state)
{
	static const u8 want[] = {2, 1, 4, 3, 2, 1, 8, 7,   6,   5,  4,
				  3, 2, 1, 3, 0, 0, 0, 'h', 'e', 'y'};
	struct buf b = {0};
	struct cur c;
	size_t len;

	(void)state;
	buf_le16(&b, 0x0102);
	buf_le32(&b, 0x01020304);
	buf_le64(&b, 0x0102030405060708ull);
	buf_lstr(&b, "hey", 3);
	assert_int_equal(b.len, sizeof(want));
	assert_memory_equal(b.data, want, sizeof(want));
	c = cur_init_le(b.data, b.len);
	assert_int_equal(cur_u16(&c), 0x0102);
	assert_int_equal(cur_u32(&c), 0x01020304);
	assert_int_equal(cur_u64(&c), 0x0102030405060708ull);
	assert_memory_equal(cur_lstr(&c, &len), "hey", 3);
	assert_int_equal(len, 3);
	assert_int_equal(cur_left(&c), 0);
	buf_free(&b);
}

static void test_cur_strings(void **state)
{
	static const char text[] = "one\0two\0unended";
	struct cur c = cur_init(text, sizeof(text) - 1);
	struct buf b = {0};
	const char *s;
	size_t len;

	(void)state;
	assert_string_equal(cur_str(&c, &len), "one");
	assert_int_equal(len, 3);
	assert_string_equal(cur_str(&c, NULL), "two");
	assert_null(cur_str(&c, &len));
	assert_true(c.bad);
	assert_int_equal(len, 0);

	buf_lstr(&b, "abc", 3);
	buf_le32(&b, 1000);
	c = cur_init_le(b.data, b.len);
	s = cur_lstr(&c, &len);
	assert_int_equal(len, 3);
	assert_memory_equal(s, "abc", 3);
	assert_null(cur_lstr(&c, &len));
	assert_int_equal(len, 0);
	buf_free(&b);

	c = cur_init("a\n\nlast", 7);
	assert_true(cur_line(&c, &s, &len) && len == 1 && *s == 'a');
	assert_true(cur_line(&c, &s, &len) && len == 0);
	assert_true(cur_line(&c, &s, &len) && len == 4 && !memcmp(s, "last", 4));
	assert_false(cur_line(&c, &s, &len));
	assert_false(c.bad);
	c = cur_init("a\n", 2);
	assert_true(cur_line(&c, &s, &len));
	assert_false(cur_line(&c, &s, &len));
}

static void test_vec(void **state)
{
	struct pair {
		u32 a, b;
	};
	VEC(struct pair) v = {0};
	u32 i, nr;

	(void)state;
	for (i = 0; i < 1000; i++) {
		struct pair *e = vec_push(&v);

		assert_non_null(e);
		assert_true(e->a == 0 && e->b == 0);
		e->a = i;
		e->b = ~i;
	}
	for (i = 0; i < v.nr; i++)
		assert_true(v.v[i].a == i && v.v[i].b == ~i);

	assert_false(vec_reserve(&v, (u64)UINT32_MAX + 1));
	nr = v.nr;
	oom_after(0);
	assert_false(vec_reserve(&v, (u64)v.cap + 1));
	while (v.nr < v.cap)
		assert_non_null(vec_push(&v));
	assert_null(vec_push(&v));
	assert_true(oom_stop());
	assert_int_equal(v.nr, v.cap);
	assert_int_equal(v.v[nr - 1].a, nr - 1);
	vec_free(&v);
	assert_int_equal(v.cap, 0);
}

static void test_hmap(void **state)
{
	enum { N = 50000 };
	struct hmap m = {0};
	u32 i;

	(void)state;
	assert_int_equal(hmap_get(&m, 0), ID_NONE);
	for (i = 0; i < N; i++)
		assert_true(hmap_set(&m, (u64)i * 4096, i));
	for (i = 0; i < N; i++)
		assert_true(hmap_set(&m, (u64)i << 40, i + 1));
	assert_int_equal(m.nr, 2 * N - 1); /* both had 0 */
	assert_int_equal(hmap_get(&m, 0), 1);
	for (i = 1; i < N; i++) {
		assert_int_equal(hmap_get(&m, (u64)i * 4096), i);
		assert_int_equal(hmap_get(&m, (u64)i << 40), i + 1);
		assert_int_equal(hmap_get(&m, (u64)i * 4096 + 1), ID_NONE);
	}
	hmap_clear(&m);
	assert_int_equal(hmap_get(&m, 4096), ID_NONE);
	assert_true(hmap_set(&m, UINT64_MAX, 5));
	assert_int_equal(hmap_get(&m, UINT64_MAX), 5);
	hmap_free(&m);

	/* A map that cannot grow keeps what it has. */
	assert_true(hmap_set(&m, 1, 1));
	oom_after(0);
	for (i = 2; hmap_set(&m, i, i); i++)
		;
	assert_true(oom_stop());
	assert_int_equal(m.nr, i - 1);
	while (--i)
		assert_int_equal(hmap_get(&m, i), i);
	hmap_free(&m);
}

static void test_strtab(void **state)
{
	enum { N = 20000 };
	struct strtab t = {0};
	char s[32];
	u32 i, n;

	(void)state;
	assert_int_equal(strtab_find(&t, "x", 1), ID_NONE);
	assert_int_equal(strtab_add(&t, "", 0), 0);
	for (i = 1; i < N; i++) {
		snprintf(s, sizeof(s), "string %u", i);
		assert_int_equal(strtab_add(&t, s, strlen(s)), i);
	}
	for (i = 1; i < N; i++) {
		snprintf(s, sizeof(s), "string %u", i);
		assert_int_equal(strtab_add(&t, s, strlen(s)), i);
		assert_int_equal(strtab_find(&t, s, strlen(s)), i);
		assert_string_equal(strtab_get(&t, i), s);
	}
	assert_int_equal(t.nr, N);
	assert_int_equal(strtab_find(&t, "string", 6), ID_NONE);
	/* Bytes, not C strings. */
	i = strtab_add(&t, "a\0b", 3);
	assert_int_not_equal(i, strtab_add(&t, "a\0c", 3));
	assert_int_equal(t.entries[i].len, 3);
	assert_string_equal(strtab_get(&t, ID_NONE), "");
	strtab_free(&t);

	/* Whatever allocation fails: ID_NONE, and every string so far keeps its id. */
	for (n = 0;; n++) {
		oom_after(n);
		for (i = 0; i < 200; i++) {
			snprintf(s, sizeof(s), "%u", i);
			if (strtab_add(&t, s, strlen(s)) != i)
				break;
		}
		if (!oom_stop())
			break;
		assert_int_equal(t.nr, i);
		while (i--) {
			snprintf(s, sizeof(s), "%u", i);
			assert_int_equal(strtab_find(&t, s, strlen(s)), i);
		}
		strtab_free(&t);
	}
	assert_int_equal(t.nr, 200);
	strtab_free(&t);
}

static void test_num(void **state)
{
	u64 v = 42;
	s64 s = 42;

	(void)state;
	assert_true(num_u64("18446744073709551615", &v) && v == UINT64_MAX);
	assert_true(num_u64("0x1F", &v) && v == 31);
	assert_true(num_u64("010", &v) && v == 10);
	v = 42;
	assert_false(num_u64("18446744073709551616", &v));
	assert_false(num_u64("", &v) || num_u64("-1", &v) || num_u64("+1", &v) ||
		     num_u64(" 1", &v) || num_u64("1 ", &v) || num_u64("0x", &v) ||
		     num_u64("x", &v));
	assert_int_equal(v, 42);

	assert_true(num_s64("-9223372036854775808", &s) && s == INT64_MIN);
	assert_true(num_s64("7", &s) && s == 7);
	assert_false(num_s64("-", &s) || num_s64("--1", &s) || num_s64("9223372036854775808", &s) ||
		     num_s64("0x1", &s) || num_s64("", &s));
	assert_int_equal(s, 7);

	assert_true(num_hex("ffffffff81000000", 16, &v) && v == 0xffffffff81000000ull);
	assert_true(num_hex("aBcX", 3, &v) && v == 0xabc);
	assert_false(num_hex("", 0, &v) || num_hex("0x1", 3, &v) ||
		     num_hex("00000000000000001", 17, &v) || num_hex("1g", 2, &v));
	assert_int_equal(v, 0xabc);
}

static void test_num_units(void **state)
{
	u64 v = 42;

	(void)state;
	assert_true(num_size("4096", &v) && v == 4096);
	assert_true(num_size("512K", &v) && v == 512 << 10);
	assert_true(num_size("64m", &v) && v == 64 << 20);
	assert_true(num_size("2GB", &v) && v == 2ull << 30);
	assert_true(num_size("7b", &v) && v == 7);
	assert_false(num_size("", &v) || num_size("K", &v) || num_size("1KK", &v) ||
		     num_size("1T", &v) || num_size("-1", &v) || num_size("17179869184G", &v) ||
		     num_size("99999999999999999999", &v));
	assert_int_equal(v, 7);

	assert_true(num_milliseconds("500", &v) && v == 500000000);
	assert_true(num_milliseconds("9223372036854", &v) && v == 9223372036854000000ull);
	assert_false(num_milliseconds("9223372036855", &v) || num_milliseconds("-1", &v) ||
		     num_milliseconds("1.5", &v) || num_milliseconds("", &v));
	assert_int_equal(v, 9223372036854000000ull);
	assert_true(num_duration("10", &v) && v == 10000000000ull);
	assert_true(num_duration("1.5s", &v) && v == 1500000000ull);
	assert_true(num_duration("100ms", &v) && v == 100000000ull);
	assert_true(num_duration("20us", &v) && v == 20000);
	assert_true(num_duration("7ns", &v) && v == 7);
	assert_true(num_duration("2m", &v) && v == 120000000000ull);
	assert_true(num_duration("1h", &v) && v == 3600000000000ull);
	assert_true(num_duration(".25s", &v) && v == 250000000ull);
	assert_false(num_duration("", &v) || num_duration("s", &v) || num_duration(".s", &v) ||
		     num_duration("1.2.3s", &v) || num_duration("1 s", &v) ||
		     num_duration("1d", &v) || num_duration("-1s", &v) ||
		     num_duration("99999999999h", &v));
	assert_int_equal(v, 250000000ull);

	assert_true(num_time("762.858245", &v) && v == 762858245000ull);
	assert_true(num_time("0.000000001", &v) && v == 1);
	assert_true(num_time("1.", &v) && v == 1000000000);
	assert_false(num_time("1s", &v) || num_time("", &v) || num_time("1e3", &v));
}

/* What text_escape() lets through: the judge is written apart from the code. */
static bool shows_plainly(const char *s, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if ((u8)s[i] < 0x20 || (u8)s[i] == 0x7f)
			return false;
	return true;
}

static void test_text_every_byte(void **state)
{
	static const struct {
		char c;
		const char *entity;
	} xml[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
	struct buf b = {0};
	char want[16];
	size_t k;
	int i;

	(void)state;
	for (i = 0; i < 256; i++) {
		char c = (char)i;
		bool plain = i >= 0x20 && i < 0x7f;

		snprintf(want, sizeof(want), plain ? "%c" : "\\x%02x", i);
		buf_clear(&b);
		text_escape(&b, &c, 1);
		assert_string_equal(buf_str(&b), want);
		assert_int_equal(text_is_plain(&c, 1), plain);

		for (k = 0; k < ARRAY_SIZE(xml); k++)
			if (xml[k].c == c)
				snprintf(want, sizeof(want), "%s", xml[k].entity);
		buf_clear(&b);
		text_xml(&b, &c, 1);
		assert_string_equal(buf_str(&b), want);

		snprintf(want, sizeof(want),
			 i == '"'               ? "\"\"\"\""
			 : i == ',' || i == ' ' ? "\"%c\""
			 : plain                ? "%c"
						: "\\x%02x",
			 i);
		buf_clear(&b);
		text_csv(&b, &c, 1);
		assert_string_equal(buf_str(&b), want);

		if (i == '"' || i == '\\')
			snprintf(want, sizeof(want), "\"\\%c\"", i);
		else if (plain)
			snprintf(want, sizeof(want), "\"%c\"", i);
		else if (i < 0x80)
			snprintf(want, sizeof(want), "\"\\u%04x\"", i);
		else
			snprintf(want, sizeof(want), "\"\xef\xbf\xbd\"");
		buf_clear(&b);
		json_string(&b, &c, 1);
		assert_string_equal(buf_str(&b), want);
	}
	buf_free(&b);
}

static void test_base_name(void **state)
{
	(void)state;
	assert_string_equal(text_base_name("/usr/lib/libc.so.6"), "libc.so.6");
	assert_string_equal(text_base_name("[kernel.kallsyms]"), "[kernel.kallsyms]");
	assert_string_equal(text_base_name("/usr/lib/"), "/usr/lib/");
	assert_string_equal(text_base_name(""), "");
}

static void test_text_shell(void **state)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{"perf-lite.data", "perf-lite.data"},
		{"/tmp/a_b@c%d+e=f:g,h", "/tmp/a_b@c%d+e=f:g,h"},
		{"na\xc3\xafve", "na\xc3\xafve"},
		{"", "''"},
		{"a b", "'a b'"},
		{"a*?[$`\"\\;&|<>()~#!{}", "'a*?[$`\"\\;&|<>()~#!{}'"},
		{"it's", "'it'\\''s'"},
		{"a\nb'\\\xff", "$'a\\x0ab\\'\\\\\\xff'"},
	};
	char out[TEXT_SHELL_MAX], big[TEXT_SHELL_MAX];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(text_shell(out, cases[i].in), cases[i].out);
	memset(big, ' ', sizeof(big));
	big[sizeof(big) - 2] = '\0';
	assert_ptr_equal(text_shell(out, big), big);
	big[sizeof(big) - 3] = '\0';
	assert_int_equal(strlen(text_shell(out, big)), sizeof(out) - 1);
}

static void test_text_utf8(void **state)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{"na\xc3\xafve", "na\xc3\xafve"},
		{"\xe2\x82\xac\xf0\x9f\x98\x80", "\xe2\x82\xac\xf0\x9f\x98\x80"},
		{"\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf",
		 "\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf"},
		{"a\xc3", "a\\xc3"},                          /* cut short */
		{"\xe2\x82z", "\\xe2\\x82z"},                 /* broken */
		{"\xc0\xaf", "\\xc0\\xaf"},                   /* overlong */
		{"\xe0\x9f\xbf", "\\xe0\\x9f\\xbf"},          /* overlong */
		{"\xf0\x8f\xbf\xbf", "\\xf0\\x8f\\xbf\\xbf"}, /* overlong */
		{"\xed\xa0\x80", "\\xed\\xa0\\x80"},          /* surrogate */
		{"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"}, /* past U+10FFFF */
		{"\xc2\x9b[31m", "\\xc2\\x9b[31m"},           /* C1 control: CSI */
		{"\x1b]0;x\x07", "\\x1b]0;x\\x07"},
		{"two\nlines", "two\\x0alines"},
	};
	struct buf b = {0};
	char in[24];
	u64 seed = 7;
	size_t i, k;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		buf_clear(&b);
		text_escape(&b, cases[i].in, strlen(cases[i].in));
		assert_string_equal(buf_str(&b), cases[i].out);
		assert_int_equal(text_is_plain(cases[i].in, strlen(cases[i].in)),
				 !strcmp(cases[i].in, cases[i].out));
	}
	for (i = 0; i < 20000; i++) {
		for (k = 0; k < sizeof(in); k++)
			in[k] = (char)random_u64(&seed);
		buf_clear(&b);
		text_escape(&b, in, sizeof(in));
		assert_true(shows_plainly(b.data, b.len));
		assert_true(text_is_plain(b.data, b.len));
		buf_clear(&b);
		text_xml(&b, in, sizeof(in));
		assert_true(text_is_plain(b.data, b.len));
		buf_clear(&b);
		json_string(&b, in, sizeof(in));
		assert_true(text_is_plain(b.data, b.len));
	}
	buf_free(&b);
}

static void test_text_width(void **state)
{
	static const struct {
		const char *in;
		size_t width;
	} cases[] = {
		{"", 0},
		{"perf-lite", 9},
		{"\xc3\xa9", 1},                 /* e with an accent */
		{"e\xcc\x81", 1},                /* the accent is a character of its own */
		{"\xe6\x97\xa5\xe6\x9c\xac", 4}, /* of Japan */
		{"\xef\xbd\xb1", 1},             /* kana, half as wide */
		{"\xef\xbc\xa1", 2},             /* A, of full width */
		{"\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab", 2}, /* three jamo, one syllable */
		{"\xf0\x9f\x98\x80", 2},                     /* a face */
		{"\xf0\xa0\x80\x80", 2},                     /* CJK extension B */
		{"\xe2\x96\x88", 1},                         /* a full block */
		{"\xe2\x80\x8b", 0},                         /* a space of no width */
		{"\xff\xe6\x97", 3},                         /* broken */
	};
	const char *mixed = "a\xe6\x97\xa5"
			    "e\xcc\x81z";
	size_t i, n, len;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		len = strlen(cases[i].in);
		assert_int_equal(text_width(cases[i].in, len), cases[i].width);
		assert_int_equal(text_fit(cases[i].in, len, cases[i].width), len);
		for (n = 0; n <= len; n++)
			assert_true(text_width(cases[i].in, text_fit(cases[i].in, len, n)) <= n);
	}
	/* a wide character goes whole or not at all, an accent with its letter */
	assert_int_equal(text_fit(mixed, strlen(mixed), 1), 1);
	assert_int_equal(text_fit(mixed, strlen(mixed), 2), 1);
	assert_int_equal(text_fit(mixed, strlen(mixed), 3), 4);
	assert_int_equal(text_fit(mixed, strlen(mixed), 4), 7);
	assert_int_equal(text_fit(mixed, strlen(mixed), 9), strlen(mixed));
}

static void test_table_fits(void **state)
{
	static const struct {
		u32 width;
		const char *out;
	} cases[] = {
		{0, "\xe6\x97\xa5\xe6\x9c\xac  1\nab    2\n"},
		{7, "\xe6\x97\xa5\xe6\x9c\xac  1\nab    2\n"},
		{3, "\xe6\x97\xa5\nab \n"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct table t = {0};
		struct buf out = {0};

		table_column(&t, &(struct table_column){0});
		table_column(&t, &(struct table_column){.right = true, .gap = 2});
		table_row(&t);
		buf_adds(table_cell(&t), "\xe6\x97\xa5\xe6\x9c\xac");
		buf_adds(table_cell(&t), "1");
		table_row(&t);
		buf_adds(table_cell(&t), "ab");
		buf_adds(table_cell(&t), "2");
		table_put(&t, cases[i].width, &out);
		assert_string_equal(buf_str(&out), cases[i].out);
		buf_free(&out);
		table_free(&t);
	}
}

/* Tabs go to the next multiple of eight. */
static void test_table_tabs(void **state)
{
	static const struct {
		u32 width;
		const char *out;
	} cases[] = {
		{0, "a\tb\tc\n"}, {1, "a\n"},     {7, "a\n"},       {8, "a\t\n"},
		{9, "a\tb\n"},    {15, "a\tb\n"}, {16, "a\tb\t\n"}, {17, "a\tb\tc\n"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct table t = {0};
		struct buf out = {0};

		buf_adds(table_text(&t), "a\tb\tc\n");
		table_put(&t, cases[i].width, &out);
		assert_string_equal(buf_str(&out), cases[i].out);
		buf_free(&out);
		table_free(&t);
	}
}

static void test_suggest(void **state)
{
	static const char *const events[] = {"kfree_skb", "consume_skb", "sched_switch",
					     "sched_wakeup"};
	struct text_suggest s;
	size_t i;

	(void)state;
	assert_int_equal(text_distance("abc", "abc", 3), 0);
	assert_int_equal(text_distance("abc", "ABC", 3), 0);
	assert_int_equal(text_distance("abc", "acb", 3), 1);
	assert_int_equal(text_distance("abc", "ab", 3), 1);
	assert_int_equal(text_distance("kitten", "sitting", 5), 3);
	assert_int_equal(text_distance("kitten", "sitting", 2), 3);
	assert_int_equal(text_distance("", "abc", 5), 3);
	assert_int_equal(text_distance("", "", 0), 0);

	text_suggest_init(&s, "kfre_skb");
	for (i = 0; i < ARRAY_SIZE(events); i++)
		text_suggest_add(&s, events[i]);
	assert_ptr_equal(s.best, events[0]);

	text_suggest_init(&s, "zzzzzzzz");
	for (i = 0; i < ARRAY_SIZE(events); i++)
		text_suggest_add(&s, events[i]);
	assert_null(s.best);

	text_suggest_init(&s, "");
	text_suggest_add(&s, "a");
	assert_null(s.best);
}

static void test_io(void **state)
{
	char path[] = "/tmp/test_base.XXXXXX";
	char head[] = "-12\n", tail[] = "rest", got[16];
	struct iovec iov[] = {{head, 4}, {tail, 0}, {tail, 4}};
	int fd = mkstemp(path);
	struct buf b = {0};
	s64 v = 0;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(io_writev(fd, iov, 3), 0);
	assert_int_equal(io_write(fd, "!", 1), 0);
	assert_int_equal(io_pread(fd, got, sizeof(got), 4), 5);
	assert_memory_equal(got, "rest!", 5);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(io_read(fd, got, 3), 3);
	assert_int_equal(io_read(fd, got, sizeof(got)), 6);

	assert_int_equal(io_read_file(AT_FDCWD, path, &b, 9), 0);
	assert_string_equal(buf_str(&b), "-12\nrest!");
	buf_clear(&b);
	assert_int_equal(io_read_file(AT_FDCWD, path, &b, 8), -EFBIG);
	oom_after(0);
	buf_free(&b);
	assert_int_equal(io_read_file(AT_FDCWD, path, &b, 9), -ENOMEM);
	assert_true(oom_stop());
	buf_free(&b);

	assert_int_equal(io_read_s64(AT_FDCWD, path, &v), 0);
	assert_int_equal(v, -12);
	assert_int_equal(io_read_s64(AT_FDCWD, "/dev/null", &v), -EINVAL);
	assert_int_equal(io_open(AT_FDCWD, "/nonexistent/x", O_RDONLY), -ENOENT);
	assert_int_equal(io_read_file(AT_FDCWD, "/", &b, 9), -EISDIR);
	assert_int_equal(io_read(-1, got, 1), -EBADF);
	assert_int_equal(io_write(-1, got, 1), -EBADF);
	buf_free(&b);
	close(fd);
	unlink(path);
}

static void test_clock(void **state)
{
	static const int ids[] = {CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, CLOCK_REALTIME,
				  CLOCK_BOOTTIME, CLOCK_TAI};
	size_t i;
	u64 t;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		assert_int_equal(clock_by_name(clock_name(ids[i])), ids[i]);
		t = clock_ns(ids[i]);
		assert_true(t > 0 && clock_ns(ids[i]) >= t);
	}
	assert_int_equal(clock_by_name("mono"), CLOCK_MONOTONIC);
	assert_int_equal(clock_by_name("sundial"), -1);
	assert_null(clock_name(12345));
	assert_int_equal(clock_ns(12345), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_err),
		cmocka_unit_test(test_arena),
		cmocka_unit_test(test_buf),
		cmocka_unit_test(test_buf_out_of_memory),
		cmocka_unit_test(test_buf_numbers),
		cmocka_unit_test(test_buf_fixed),
		cmocka_unit_test(test_cur),
		cmocka_unit_test(test_little_endian),
		cmocka_unit_test(test_cur_strings),
		cmocka_unit_test(test_vec),
		cmocka_unit_test(test_hmap),
		cmocka_unit_test(test_strtab),
		cmocka_unit_test(test_num),
		cmocka_unit_test(test_num_units),
		cmocka_unit_test(test_text_every_byte),
		cmocka_unit_test(test_text_shell),
		cmocka_unit_test(test_base_name),
		cmocka_unit_test(test_text_utf8),
		cmocka_unit_test(test_text_width),
		cmocka_unit_test(test_table_fits),
		cmocka_unit_test(test_table_tabs),
		cmocka_unit_test(test_suggest),
		cmocka_unit_test(test_io),
		cmocka_unit_test(test_clock),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
