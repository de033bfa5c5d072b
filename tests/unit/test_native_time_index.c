// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/oom.h"
#include "util/base/io.h"
#include "util/file/native_internal.h"

/* Blocks of a file, as far as their order goes. */
struct made_block {
	u16 type;
	u64 time_min, order;
	bool damaged; /* its header */
};

struct made_file {
	FILE *f;
	struct stream in;
	u64 at[512]; /* of each block, and the end */
};

static void make(struct made_file *m, const struct made_block *v, u32 nr)
{
	struct buf b = {0};
	u32 i;

	buf_pad(&b, 'f', FILE_HEADER_SIZE);
	for (i = 0; i < nr; i++) {
		m->at[i] = b.len;
		block_put_header(&b, &(struct block){.type = v[i].type,
						     .seq = i,
						     .stored_size = i % 20,
						     .raw_size = 100,
						     .time_min = v[i].time_min,
						     .order = v[i].order});
		if (v[i].damaged)
			b.data[m->at[i] + 50] ^= 1;
		buf_pad(&b, 'p', ALIGN_UP(i % 20, 8u));
	}
	m->at[nr] = b.len;
	m->f = tmpfile();
	assert_non_null(m->f);
	assert_int_equal(io_write(fileno(m->f), b.data, b.len), 0);
	buf_free(&b);
	assert_int_equal(lseek(fileno(m->f), 0, SEEK_SET), 0);
	assert_int_equal(stream_init(&m->in, fileno(m->f)), 0);
}

static u64 get(struct native_time_index *o, const struct made_file *m, const struct made_block *v,
	       u32 i)
{
	const struct blocks_item it = {
		.kind = BLOCKS_WHOLE,
		.at = m->at[i],
		.bytes = m->at[i + 1] - m->at[i],
		.has_head = true,
		.head = {.type = v[i].type, .time_min = v[i].time_min, .order = v[i].order}};

	return native_time_index_get(o, &(struct blocks){.in = m->in, .has_session = true}, &it);
}

/* What native_time_index_get() says of the DATA blocks, one behind the other. */
static void expect(const struct made_block *v, u32 nr, const u64 *want)
{
	struct native_time_index o = {0};
	struct made_file m;
	u32 i;

	make(&m, v, nr);
	for (i = 0; i < nr; i++)
		if (v[i].type == BLOCK_DATA && !v[i].damaged)
			assert_int_equal(get(&o, &m, v, i), want[i]);
	native_time_index_free(&o);
	fclose(m.f);
}

/* Two CPUs, a block of each in a round: none waits for the next round. */
static void rounds(void **state)
{
	static const struct made_block v[] = {
		{BLOCK_META, 0, 0, false},     {BLOCK_DATA, 0, 50, false},
		{BLOCK_DATA, 102, 50, false},  {BLOCK_DATA, 103, 50, false},
		{BLOCK_SYMS, 0, 0, false},     {BLOCK_DATA, 201, 110, false},
		{BLOCK_DATA, 199, 110, false}, {BLOCK_DATA, 300, 250, false},
	};
	static const u64 want[] = {0, 102, 103, 199, 0, 199, 250, 250};

	(void)state;
	expect(v, ARRAY_SIZE(v), want);
}

/* Behind the last block of a whole file nothing comes any more. */
static void whole_file(void **state)
{
	static const struct made_block v[] = {
		{BLOCK_DATA, 10, 5, false}, {BLOCK_DATA, 20, 5, false}, {BLOCK_END, 0, 0, false}};
	static const u64 want[] = {20, UINT64_MAX, 0};

	(void)state;
	expect(v, ARRAY_SIZE(v), want);
}

/* A record that comes too late for the order that was told is as late as it was. */
static void late(void **state)
{
	static const struct made_block v[] = {{BLOCK_DATA, 10, 8, false},
					      {BLOCK_DATA, 20, 15, false},
					      {BLOCK_DATA, 3, 15, false},
					      {BLOCK_DATA, 30, 25, false}};
	static const u64 want[] = {8, 15, 25, 25};

	(void)state;
	expect(v, ARRAY_SIZE(v), want);
}

/* What stands behind bytes that are no block may be as old as the order lets it; a block that they follow may be torn. */
static void damage(void **state)
{
	static const struct made_block v[] = {{BLOCK_DATA, 10, 1, false},
					      {BLOCK_DATA, 20, 2, false},
					      {BLOCK_DATA, 30, 3, true},
					      {BLOCK_DATA, 40, 4, false},
					      {BLOCK_DATA, 50, 5, false}};
	static const u64 want[] = {1, 2, 0, 5, 5};

	(void)state;
	expect(v, ARRAY_SIZE(v), want);
}

/* More blocks than are looked at at once: each is told all the same what the next one begins with. */
static void many(void **state)
{
	static struct made_block v[500];
	static u64 want[500];
	u32 i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(v); i++) {
		v[i] = (struct made_block){BLOCK_DATA, 100 * (i + 1), 100 * (i / 4 * 4), false};
		want[i] = i + 1 == ARRAY_SIZE(v) ? v[i].order : 100 * (i + 2);
	}
	/* the last round is told when the next one has come, and there is none */
	for (i = ARRAY_SIZE(v) - 4; i < ARRAY_SIZE(v); i++)
		want[i] = v[i].order;
	want[ARRAY_SIZE(v) - 5] = v[ARRAY_SIZE(v) - 1].order;
	expect(v, ARRAY_SIZE(v), want);
}

static void cannot_look(void **state)
{
	static const struct made_block v[] = {{BLOCK_DATA, 10, 5, false},
					      {BLOCK_DATA, 20, 15, false}};
	struct native_time_index o = {0};
	struct made_file m;

	(void)state;
	make(&m, v, 2);
	m.in.seekable = false;
	assert_int_equal(get(&o, &m, v, 0), 5);
	m.in.seekable = true;
	oom_after(0);
	assert_int_equal(get(&o, &m, v, 0), 5);
	assert_true(oom_stop());
	assert_int_equal(get(&o, &m, v, 0), 15);
	native_time_index_free(&o);
	fclose(m.f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rounds), cmocka_unit_test(whole_file),
		cmocka_unit_test(late),   cmocka_unit_test(damage),
		cmocka_unit_test(many),   cmocka_unit_test(cannot_look),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
