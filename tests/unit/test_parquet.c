// SPDX-License-Identifier: GPL-2.0
/*
 * util/export/parquet: the encodings, decoded again by other code and compared with the examples of the format's
 * documents, small tables byte for byte, groups of rows, and memory that runs out. Whole files are read by
 * tests/cli/parquet_file.py.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "util/base/cur.h"
#include "util/export/parquet_internal.h"

#define NR 5000u

static u64 get_varint(struct cur *c)
{
	u32 shift;
	u64 v = 0;
	u8 b = 0x80;

	for (shift = 0; b & 0x80; shift += 7) {
		b = cur_u8(c);
		v |= (u64)(b & 0x7f) << shift;
	}
	return v;
}

static s64 get_zigzag(struct cur *c)
{
	const u64 v = get_varint(c);

	return v & 1 ? -(s64)(v >> 1) - 1 : (s64)(v >> 1);
}

static u64 get_bits(const u8 *p, u64 at, u32 bits)
{
	u64 v = 0;
	u32 i;

	for (i = 0; i < bits; i++, at++)
		v |= (u64)(p[at / 8] >> at % 8 & 1) << i;
	return v;
}

/* Numbers of hybrid runs; how many literals there were. */
static u64 check_hybrid(const u32 *v, u32 nr, u32 bits)
{
	struct buf b = {0};
	u64 got = 0, head, n, i, literals = 0;
	const u8 *p;
	struct cur c;

	parquet_encode_hybrid(v, nr, bits, &b);
	assert_false(b.failed);
	c = cur_init_le(buf_str(&b), b.len);
	while (got < nr) {
		head = get_varint(&c);
		if (head & 1) {
			n = (head >> 1) * 8;
			p = cur_bytes(&c, n * bits / 8);
			assert_non_null(p);
			for (i = 0; i < n; i++)
				assert_int_equal(get_bits(p, i * bits, bits),
						 got + i < nr ? v[got + i] : 0);
			literals += n;
			/* padding ends the last run alone */
			assert_true(got + n < nr + 8);
			got += n;
			continue;
		}
		n = head >> 1;
		assert_true(n > 0 && got + n <= nr);
		p = cur_bytes(&c, (bits + 7) / 8);
		assert_non_null(p);
		for (i = 0; i < n; i++)
			assert_int_equal(get_bits(p, 0, (bits + 7) / 8 * 8), v[got + i]);
		got += n;
	}
	assert_int_equal(cur_left(&c), 0);
	buf_free(&b);
	return literals;
}

static void hybrid(void **state)
{
	static const u32 sizes[] = {1, 2, 8, 16, 24, 32};
	u32 v[NR], i, n, size, bits;

	(void)state;
	srand(1);
	for (size = 0; size < ARRAY_SIZE(sizes); size++) {
		bits = sizes[size];
		/* runs of all lengths in all places */
		for (i = 0; i < NR;)
			for (n = 1 + (u32)rand() % 40; n && i < NR; n--, i++)
				v[i] = n == 1 || !i ? (u32)rand() & (u32)(((u64)1 << bits) - 1)
						    : v[i - 1];
		for (i = 0; i < 70; i++)
			check_hybrid(v + i, NR - 70 - i, bits);
		for (i = 0; i < 70; i++)
			check_hybrid(v, i, bits);
		for (i = 0; i < NR; i++)
			v[i] = 1;
		assert_int_equal(check_hybrid(v, NR, bits), 0);
	}
}

static void check_delta(const u64 *v, u64 nr, u32 size, size_t most)
{
	const u64 mask = size == 4 ? UINT32_MAX : UINT64_MAX;
	u64 last, got = 1, i, n, block, minis, widths[4];
	struct buf b = {0};
	const u8 *p;
	struct cur c;
	s64 base;

	parquet_encode_delta(v, nr, size, &b);
	assert_false(b.failed);
	assert_true(b.len <= most);
	c = cur_init_le(buf_str(&b), b.len);
	block = get_varint(&c);
	minis = get_varint(&c);
	assert_true(block % 128 == 0 && minis <= 4 && block / minis % 32 == 0);
	assert_int_equal(get_varint(&c), nr);
	last = (u64)get_zigzag(&c) & mask;
	assert_int_equal(last, nr ? v[0] & mask : 0);
	while (got < nr) {
		base = get_zigzag(&c);
		for (i = 0; i < minis; i++) {
			widths[i] = cur_u8(&c);
			assert_true(widths[i] <= size * 8);
		}
		for (i = 0; i < minis && got < nr; i++) {
			p = cur_bytes(&c, widths[i] * (block / minis) / 8);
			assert_non_null(p);
			for (n = 0; n < block / minis && got < nr; n++, got++) {
				last += (u64)base + get_bits(p, n * widths[i], (u32)widths[i]);
				last &= mask;
				assert_int_equal(last, v[got] & mask);
			}
		}
		for (; i < minis; i++)
			assert_int_equal(widths[i], 0);
	}
	assert_int_equal(cur_left(&c), 0);
	buf_free(&b);
}

static void differences(void **state)
{
	static const u64 edges[] = {0,         UINT64_MAX, (u64)1 << 63, (u64)INT64_MAX,
				    INT32_MAX, UINT32_MAX, (u64)1 << 31, 1};
	u64 v[NR], all = 0;
	u32 i;

	(void)state;
	for (i = 0; i < NR; i++)
		v[i] = i * 7;
	/* the same difference costs no bits */
	check_delta(v, NR, 8, NR / 128 * 6 + 32);
	check_delta(v, NR, 4, NR / 128 * 6 + 32);
	for (i = 0; i < NR; i++)
		v[i] = all += (u64)rand() % 60000;
	check_delta(v, NR, 8, (size_t)NR * 2 + NR / 128 * 8 + 64);
	for (i = 0; i < 300; i++)
		check_delta(v, i, 8, SIZE_MAX);
	for (i = 0; i < NR; i++)
		v[i] = edges[(u32)rand() % ARRAY_SIZE(edges)];
	check_delta(v, NR, 8, SIZE_MAX);
	check_delta(v, NR, 4, (size_t)NR * 4 + NR / 128 * 16 + 64);
}

/* The examples of Encodings.md, in blocks of 128. */
static void examples(void **state)
{
	static const u64 rising[] = {1, 2, 3, 4, 5}, both[] = {7, 5, 3, 1, 2, 3, 4, 5};
	static const u8 want_rising[] = {0x80, 1, 4, 5, 2, 2, 0, 0, 0, 0};
	static const u8 want_both[] = {0x80, 1, 4, 8, 14, 3, 8, 0, 0, 0, 0, 0, 0, 3, 3, 3, 3};
	struct buf b = {0};

	(void)state;
	parquet_encode_delta(rising, 5, 8, &b);
	assert_int_equal(b.len, sizeof(want_rising));
	assert_memory_equal(b.data, want_rising, sizeof(want_rising));
	buf_clear(&b);
	parquet_encode_delta(both, 8, 8, &b);
	assert_int_equal(b.len, 11 - 1 + 32);
	assert_memory_equal(b.data, want_both, sizeof(want_both));
	buf_free(&b);
}

static const struct parquet_column columns[] = {
	{"time", .type = PARQUET_TIME, .optional = true, .distinct = true},
	{"small", .type = PARQUET_SIGNED32, .optional = true},
	{"large", .type = PARQUET_UNSIGNED64},
	{"name", .type = PARQUET_TEXT, .optional = true},
	{"any", .type = PARQUET_DECIMAL, .optional = true},
	{"stack", .type = PARQUET_TEXT, .list = true},
	{"files", .type = PARQUET_TEXT, .optional = true, .list = true},
};

static int put_row(struct parquet *p, u32 i, struct buf *out, struct err *err)
{
	static const char *const names[] = {"main", "leaf", "exit"};
	u32 n;

	parquet_number(p, 0, (u64)i * 1000);
	if (i % 3)
		parquet_number(p, 1, (u64)(s64) - (s32)(i % 7));
	parquet_number(p, 2, i);
	if (i % 2 && !parquet_known(p, 3, i % 5))
		parquet_text(p, 3, i % 5, names[i % 3], 4);
	if (i % 3)
		parquet_decimal(p, 4, i % 3 - 2, i % 3 == 1);
	if (i % 4) {
		parquet_list(p, 5);
		parquet_list(p, 6);
	}
	for (n = 0; n < i % 4; n++) {
		parquet_text(p, 5, ID_NONE, names[n], 4);
		if (n == 1)
			parquet_missing(p, 6);
		else
			parquet_text(p, 6, n, "libc", 4);
	}
	return parquet_row(p, out, err);
}

/* Rows are appended group by group, not at the end. */
static void groups(void **state)
{
	struct parquet *p = parquet_new(columns, ARRAY_SIZE(columns), NULL);
	struct buf out = {0};
	u32 i, was = 4;

	(void)state;
	assert_non_null(p);
	for (i = 0; i < 2 * PARQUET_ROWS + 5; i++) {
		assert_int_equal(put_row(p, i, &out, NULL), 0);
		assert_true(i % PARQUET_ROWS == PARQUET_ROWS - 1 ? out.len > was : out.len == was);
		was = (u32)out.len;
	}
	assert_int_equal(parquet_end(p, &out, NULL), 0);
	assert_memory_equal(out.data, "PAR1", 4);
	assert_memory_equal(out.data + out.len - 4, "PAR1", 4);
	parquet_free(p);
	buf_free(&out);
}

/* A group ends, too, where its values take much memory. */
static void bytes(void **state)
{
	static const struct parquet_column column = {"text", .type = PARQUET_TEXT};
	struct parquet *p = parquet_new(&column, 1, NULL);
	struct buf out = {0};
	char text[4096];
	u32 i, ends = 0;
	size_t was = 4;

	(void)state;
	memset(text, 'x', sizeof(text));
	for (i = 0; i < 3 * (PARQUET_BYTES / sizeof(text)); i++) {
		memcpy(text, &i, sizeof(i));
		parquet_text(p, 0, ID_NONE, text, sizeof(text));
		assert_int_equal(parquet_row(p, &out, NULL), 0);
		ends += out.len > was;
		was = out.len;
	}
	assert_true(ends >= 3);
	parquet_free(p);
	buf_free(&out);
}

/* A long text that repeats among short ones that do not: what is written is no more than what is kept. */
static void long_repeats(void **state)
{
	static const struct parquet_column column = {"text", .type = PARQUET_TEXT};
	struct parquet_values c = {.column = &column};
	static char text[4096];
	struct buf data = {0};
	u64 kept = 0;
	u32 i, each;

	(void)state;
	memset(text, 'x', sizeof(text));
	for (each = 0; each < 2; each++) {
		/* a few of them are no reason */
		for (i = 0; i < (each ? 40000 : 400); i++) {
			parquet_values_text(&c, i, ID_NONE, i % 5 < 2 ? text : (char *)&i,
					    i % 5 < 2 ? sizeof(text) : sizeof(i), &kept);
		}
		assert_false(c.failed);
		assert_int_equal(parquet_values_has_dictionary(&c), each);
		assert_int_equal(parquet_values_data(&c, &data),
				 each ? PARQUET_RLE_DICTIONARY : PARQUET_PLAIN);
		assert_true(data.len < PARQUET_BYTES);
		buf_clear(&data);
		parquet_values_dictionary(&c, &data);
		assert_true(data.len < kept);
		buf_clear(&data);
		parquet_values_clear(&c);
	}
	buf_free(&data);
	parquet_values_free(&c);
}

/* Nine bytes each, the highest first; the least and the greatest are those of the numbers. */
static void decimals(void **state)
{
	static const struct parquet_column column = {"n", .type = PARQUET_DECIMAL};
	static const u8 want[][9] = {
		{0},
		{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
		{0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
		{0xff, 0x80, 0, 0, 0, 0, 0, 0, 0},
		{0, 1, 2, 3, 4, 5, 6, 7, 8},
	};
	struct parquet_values c = {.column = &column};
	struct buf data = {0}, least = {0}, most = {0};
	u64 took = 0;
	u32 i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(want); i++)
		parquet_values_text(&c, i, ID_NONE, (const char *)want[i], sizeof(want[i]), &took);
	assert_int_equal(parquet_values_physical(&column), 7);
	assert_int_equal(parquet_values_data(&c, &data), PARQUET_PLAIN);
	assert_int_equal(data.len, sizeof(want));
	assert_memory_equal(data.data, want, sizeof(want));
	assert_true(parquet_values_range(&c, &least, &most));
	assert_int_equal(least.len, 9);
	assert_memory_equal(least.data, want[3], 9);
	assert_int_equal(most.len, 9);
	assert_memory_equal(most.data, want[2], 9);
	parquet_values_free(&c);
	buf_free(&data);
	buf_free(&least);
	buf_free(&most);
}

/* Nothing in it, byte for byte: the magic, the footer, its length. */
static void empty(void **state)
{
	static const struct parquet_column column = {"n", .type = PARQUET_UNSIGNED32,
						     .optional = true};
	static const u8 want[] = {
		'P',  'A',  'R',  '1',                      /* */
		0x15, 4,                                    /* version 2 */
		0x19, 0x2c,                                 /* schema: two elements */
		0x48, 6,    's',  'c', 'h',  'e', 'm', 'a', /* name */
		0x15, 2,    0,                              /* one child */
		0x15, 2,                                    /* INT32 */
		0x25, 2,                                    /* OPTIONAL */
		0x18, 1,    'n',                            /* name */
		0x25, 26,                                   /* UINT_32 */
		0x4c, 0xac, 0x13, 32,  0x12, 0,   0,        /* integer of 32 bits, not signed */
		0,                                          /* */
		0x16, 0,                                    /* no rows */
		0x19, 0x0c,                                 /* no groups */
		0x28, 9,    'p',  'e', 'r',  'f', '-', 'l', 'i', 't', 'e', /* */
		0x19, 0x1c, 0x1c, 0,   0, /* orders: that of the type */
		0,                        /* */
		53,   0,    0,    0,      /* */
		'P',  'A',  'R',  '1',
	};
	struct parquet *p = parquet_new(&column, 1, NULL);
	struct buf out = {0};

	(void)state;
	assert_int_equal(parquet_end(p, &out, NULL), 0);
	assert_int_equal(out.len, sizeof(want));
	assert_memory_equal(out.data, want, sizeof(want));
	parquet_free(p);
	buf_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hybrid),   cmocka_unit_test(differences),
		cmocka_unit_test(examples), cmocka_unit_test(empty),
		cmocka_unit_test(groups),   cmocka_unit_test(bytes),
		cmocka_unit_test(decimals), cmocka_unit_test(long_repeats),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
