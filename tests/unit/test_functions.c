// SPDX-License-Identifier: GPL-2.0
/* The payload of a SYMS block: what goes in comes out, sorted; anything else is refused. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/oom.h"
#include "util/file/block.h"
#include "util/file/functions.h"

static const struct dso_head kernel = {.name = "[kernel.kallsyms]", .name_len = 17};
static const struct dso_head libc = {
	DSO_CLASS_USER, 8, 1, 4711, 5, "/lib/libc.so.6", 14, "0123456789abcdefghij", 20,
};

static void fill(struct functions *f)
{
	functions_dso(f, &kernel);
	functions_add(f, UINT64_MAX - 0xfff, 0xfff, "last", 4);
	functions_add(f, 0xffffffff81000000, 0x40, "vfs_read", 8);
	functions_add(f, 0xffffffff80000000, 0, "", 0);
	functions_dso(f, &libc);
	functions_add(f, 0x1000, 0x20, "malloc", 6);
}

/* All of them, in one block. */
static bool put(struct functions *f, struct buf *payload)
{
	struct functions_at at = {0};

	return functions_put(f, &at, payload) && at.dso == f->dsos.nr;
}

static const char *show(const struct functions *f, struct buf *b)
{
	const struct function *k = f->list.v;
	struct dso_head h;
	struct cur c;
	u32 i, n;

	buf_clear(b);
	for (i = 0; i < f->dsos.nr; i++) {
		c = cur_init_le(f->heads.data + f->dsos.v[i].head, f->dsos.v[i].head_len);
		assert_true(dso_head_get(&c, &h));
		assert_int_equal(cur_left(&c), 0);
		buf_addf(b, "%u %u:%u %llu %.*s %.*s:", h.class, h.maj, h.min,
			 (unsigned long long)h.ino, (int)h.name_len, h.name, (int)h.build_id_len,
			 (const char *)h.build_id);
		for (n = 0; n < f->dsos.v[i].nr; n++, k++)
			buf_addf(b, " %llx+%llx=%s", (unsigned long long)k->start,
				 (unsigned long long)k->size, f->names.data + k->name);
		buf_addc(b, '\n');
	}
	return buf_str(b);
}

#define SHOWN                                                                           \
	"0 0:0 0 [kernel.kallsyms] : ffffffff80000000+0= ffffffff81000000+40=vfs_read " \
	"fffffffffffff000+fff=last\n"                                                   \
	"1 8:1 4711 /lib/libc.so.6 0123456789abcdefghij: 1000+20=malloc\n"

static void round_trip(void **state)
{
	struct functions f = {0}, got = {0};
	struct buf payload = {0}, text = {0};

	(void)state;
	assert_true(put(&f, &payload));
	assert_int_equal(functions_get(&got, cur_init_le(payload.data, payload.len)), 0);
	assert_string_equal(show(&got, &text), "");
	buf_clear(&payload);
	fill(&f);
	assert_true(put(&f, &payload));
	assert_int_equal(functions_get(&got, cur_init_le(payload.data, payload.len)), 0);
	assert_string_equal(show(&got, &text), SHOWN);
	/* another payload's come behind them */
	assert_int_equal(functions_get(&got, cur_init_le(payload.data, payload.len)), 0);
	assert_string_equal(show(&got, &text), SHOWN SHOWN);
	functions_free(&f);
	functions_free(&got);
	buf_free(&payload);
	buf_free(&text);
}

static void moved(void **state)
{
	struct functions to = {0}, from = {0};
	struct buf text = {0};
	int i;

	(void)state;
	for (i = 0; i < 2; i++) {
		assert_true(functions_move(&to, &from));
		fill(&from);
		assert_true(functions_move(&to, &from));
		assert_int_equal(from.dsos.nr, 0);
		assert_int_equal(from.list.nr, 0);
	}
	/* not sorted: that is for writing */
	show(&to, &text);
	assert_non_null(strstr(text.data, ": fffffffffffff000+fff=last ffffffff81000000+40="));
	assert_int_equal(to.dsos.nr, 4);
	assert_int_equal(to.list.nr, 8);
	assert_string_equal(to.names.data + to.list.v[7].name, "malloc");
	functions_free(&to);
	functions_free(&from);
	buf_free(&text);
}

/* Every cut and every changed byte is refused, or gives something of its own sort. */
static void damaged(void **state)
{
	struct functions f = {0}, got = {0};
	struct buf payload = {0};
	u32 bit;
	size_t i;

	(void)state;
	fill(&f);
	assert_true(put(&f, &payload));
	for (i = 0; i < payload.len; i++) {
		functions_clear(&got);
		assert_int_equal(functions_get(&got, cur_init_le(payload.data, i)), -EBADMSG);
	}
	buf_addc(&payload, '\0');
	assert_int_equal(functions_get(&got, cur_init_le(payload.data, payload.len)), -EBADMSG);
	payload.len--;
	for (i = 0; i < payload.len * 8; i++) {
		bit = 1u << (i % 8);
		payload.data[i / 8] ^= (char)bit;
		functions_clear(&got);
		functions_get(&got, cur_init_le(payload.data, payload.len));
		payload.data[i / 8] ^= (char)bit;
	}
	functions_free(&f);
	functions_free(&got);
	buf_free(&payload);
}

static void lies(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
	} bad[] = {
		{"\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 9}, /* so many DSOs */
		{"\1\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
		 38}, /* class */
		/* so many functions */
		{"\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xff\xff\x7f",
		 40},
	};
	struct functions f = {0};
	struct buf payload = {0};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(functions_get(&f, cur_init_le(bad[i].bytes, bad[i].len)),
				 -EBADMSG);
		functions_clear(&f);
	}
	functions_dso(&f, &kernel);
	functions_add(&f, UINT64_MAX, 2, "wraps", 5);
	assert_true(put(&f, &payload));
	functions_clear(&f);
	assert_int_equal(functions_get(&f, cur_init_le(payload.data, payload.len)), -EBADMSG);
	functions_free(&f);
	buf_free(&payload);
}

/* Names that no block can hold are in several, and each is there once. */
static void many_blocks(void **state)
{
	const size_t len = 60000, nr = 300;
	char *name = malloc(len + 1);
	struct functions f = {0}, got = {0};
	struct functions_at at = {0};
	struct buf payload = {0};
	u32 blocks = 0, i;

	(void)state;
	assert_non_null(name);
	memset(name, 'n', len);
	name[len] = '\0';
	functions_dso(&f, &kernel);
	functions_add(&f, 1, 1, "alone", 5);
	functions_dso(&f, &libc);
	for (i = 0; i < nr; i++)
		functions_add(&f, 0x100000 - i, 1, name, len);
	functions_dso(&f, &kernel);
	while (at.dso < f.dsos.nr) {
		buf_clear(&payload);
		assert_true(functions_put(&f, &at, &payload));
		assert_true(payload.len < BLOCK_SIZE_MAX / 8);
		assert_int_equal(functions_get(&got, cur_init_le(payload.data, payload.len)), 0);
		blocks++;
	}
	assert_true(blocks > 2);
	assert_int_equal(got.list.nr, nr + 1);
	for (i = 1; i <= nr; i++) {
		assert_int_equal(got.list.v[i].start, 0x100000 - nr + i);
		assert_string_equal(got.names.data + got.list.v[i].name, name);
	}
	assert_int_equal(got.dsos.v[got.dsos.nr - 1].nr, 0);
	free(name);
	functions_free(&f);
	functions_free(&got);
	buf_free(&payload);
}

static void no_memory(void **state)
{
	struct functions f, got;
	struct buf payload;
	bool done, refused;
	u32 n = 0;

	(void)state;
	do {
		f = got = (struct functions){0};
		payload = (struct buf){0};
		oom_after(n++);
		fill(&f);
		done = put(&f, &payload) &&
		       !functions_get(&got, cur_init_le(payload.data, payload.len)) &&
		       functions_move(&got, &f);
		refused = oom_stop();
		assert_int_equal(done, !refused);
		functions_free(&f);
		functions_free(&got);
		buf_free(&payload);
	} while (refused);
	assert_true(n > 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trip),  cmocka_unit_test(moved),
		cmocka_unit_test(damaged),     cmocka_unit_test(lies),
		cmocka_unit_test(many_blocks), cmocka_unit_test(no_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("functions", tests, NULL, NULL);
}
