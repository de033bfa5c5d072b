// SPDX-License-Identifier: GPL-2.0
/* Blocks of names behind the last records of a file, read before the first. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/made.h"
#include "tests/unit/oom.h"
#include "util/base/hash.h"
#include "util/file/block.h"
#include "util/file/late_names.h"

struct file {
	struct buf b;
	u64 seq;
};

/* Where it stands. */
static u64 add_block(struct file *f, u16 type, const void *payload, size_t len)
{
	struct block k = {.type = type,
			  .seq = f->seq++,
			  .stored_size = (u32)len,
			  .raw_size = (u32)len,
			  .payload_hash = hash_bytes(payload, len)};
	size_t at = f->b.len;

	block_put_header(&f->b, &k);
	buf_add(&f->b, payload, len);
	buf_pad(&f->b, '\0', ALIGN_UP(f->b.len, (size_t)8) - f->b.len);
	assert_false(f->b.failed);
	return at;
}

static u64 add_function(struct file *f, u64 start, const char *name)
{
	const struct made_function function = {start, 0x10, name};
	struct buf b = {0};
	u64 at;

	made_functions(&b, DSO_CLASS_USER, 7, "/bin/a", "id", &function, 1);
	at = add_block(f, BLOCK_SYMS, b.data, b.len);
	buf_free(&b);
	return at;
}

static void add_frames(struct file *f)
{
	struct buf b = {0};

	buf_le32(&b, 0);
	buf_le32(&b, 0);
	add_block(f, BLOCK_FRAMES, b.data, b.len);
	buf_free(&b);
}

/* What is read of a file from a block on. */
static int read_fd(int fd, u64 from, struct recording *r)
{
	struct blocks b = {.has_session = true};
	struct meta m = {0};
	int ret;

	memset(r, 0, sizeof(*r));
	assert_int_equal(stream_init(&b.in, fd), 0);
	ret = late_names_read(&m, r, &b, from);
	meta_free(&m);
	return ret;
}

static int read_file(struct file *f, u64 from, struct recording *r)
{
	char path[32];
	int fd = made_file(f->b.data, f->b.len, path), ret;

	ret = read_fd(fd, from, r);
	close(fd);
	return ret;
}

static void forget(struct file *f)
{
	buf_free(&f->b);
	f->seq = 0;
}

/* Those of the names that are told, in order, each behind a space. */
static const char *names(struct recording *r)
{
	static char text[256];
	size_t n = 0;
	u32 i;

	text[0] = '\0';
	for (i = 0; i < r->syms.nr; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, " %s", r->syms.v[i].name);
	recording_free(r);
	return text;
}

/* Those before the last records are left to who reads the file in its order. */
static void behind_the_last_records(void **state)
{
	struct file f = {0};
	struct recording r;

	(void)state;
	add_block(&f, BLOCK_META, "", 0);
	add_function(&f, 0x100, "early");
	add_block(&f, BLOCK_DATA, "abc", 3);
	add_function(&f, 0x200, "between");
	add_block(&f, BLOCK_DATA, "abcdefghi", 9);
	add_block(&f, BLOCK_LOSS, "", 0);
	add_function(&f, 0x300, "late");
	add_function(&f, 0x400, "later");
	add_block(&f, BLOCK_COUNTS, "", 0);
	add_function(&f, 0x500, "last");
	add_block(&f, BLOCK_END, "", 0);
	add_function(&f, 0x600, "behind_the_end");
	assert_int_equal(read_file(&f, 0, &r), 0);
	assert_string_equal(names(&r), " late later last");
	/* from a later block on it is the same */
	assert_int_equal(read_file(&f, BLOCK_HEADER_SIZE, &r), 0);
	assert_string_equal(names(&r), " late later last");
	forget(&f);
}

static void none(void **state)
{
	struct file f = {0};
	struct recording r;

	(void)state;
	assert_int_equal(read_file(&f, 0, &r), 0);
	recording_free(&r);
	assert_int_equal(read_file(&f, 1 << 20, &r), 0);
	recording_free(&r);
	add_function(&f, 0x100, "early");
	add_block(&f, BLOCK_DATA, "", 0);
	add_block(&f, BLOCK_END, "", 0);
	assert_int_equal(read_file(&f, 0, &r), 0);
	assert_string_equal(names(&r), "");
	forget(&f);
}

/* A file that was cut, or is being written: what is whole is taken. */
static void cut(void **state)
{
	struct file f = {0};
	struct recording r;
	size_t len, second;

	(void)state;
	add_block(&f, BLOCK_DATA, "abc", 3);
	add_function(&f, 0x100, "first");
	second = add_function(&f, 0x200, "second");
	for (len = f.b.len; len-- > 0;) {
		f.b.len = len;
		assert_int_equal(read_file(&f, 0, &r), 0);
		/* padding is no part of what a block says */
		if (len >= second)
			assert_memory_equal(names(&r), " first", 6);
		else
			recording_free(&r);
	}
	forget(&f);
}

/* What is damaged is passed over, wherever the damage is: it costs itself. */
static void damaged(void **state)
{
	struct file f = {0};
	struct recording r;
	u64 first, second, third, i;
	const char *got;

	(void)state;
	add_function(&f, 0x10, "early");
	add_block(&f, BLOCK_DATA, "abc", 3);
	first = add_function(&f, 0x100, "first");
	second = add_function(&f, 0x200, "second");
	third = f.b.len;
	add_frames(&f);
	for (i = 0; i < f.b.len; i++) {
		f.b.data[i] ^= 0x55;
		assert_int_equal(read_file(&f, first, &r), 0);
		got = names(&r);
		assert_true((i >= first && i < second) || strstr(got, " first"));
		assert_true((i >= second && i < third) || strstr(got, " second"));
		assert_null(strstr(got, "early"));
		f.b.data[i] ^= 0x55;
	}
	forget(&f);
	/* sizes that lead beyond all bounds */
	add_block(&f, BLOCK_DATA, "abc", 3);
	add_block(&f, BLOCK_SYMS, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10);
	add_function(&f, 0x100, "behind");
	assert_int_equal(read_file(&f, 0, &r), 0);
	assert_string_equal(names(&r), " behind");
	forget(&f);
}

/* Bytes that are no block, before the last records: what stands in front of these is not late. */
static void damage_between(void **state)
{
	struct file f = {0};
	struct recording r;
	u64 at;

	(void)state;
	add_block(&f, BLOCK_DATA, "abc", 3);
	add_function(&f, 0x100, "between");
	at = add_block(&f, BLOCK_LOSS, "", 0);
	add_block(&f, BLOCK_DATA, "abcdefghi", 9);
	add_function(&f, 0x200, "late");
	f.b.data[at] ^= 0x55;
	assert_int_equal(read_file(&f, 0, &r), 0);
	assert_string_equal(names(&r), " late");
	forget(&f);
}

/* The reader of the file is told what came of each, and reads nothing twice. */
static void in_their_turn(void **state)
{
	const struct block bad = {.type = BLOCK_SYMS,
				  .seq = 7,
				  .stored_size = 3,
				  .raw_size = 3,
				  .payload_hash = hash_bytes("\xff\xff\xff", 3)};
	const struct block facts = {.type = BLOCK_META, .payload_hash = hash_bytes("", 0)};
	struct recording r = {0};
	struct meta m = {0};
	u32 nr;

	(void)state;
	assert_int_equal(meta_read_ahead(&m, &r, &bad, (const u8 *)"\xff\xff\xff"), 0);
	nr = r.syms.nr;
	assert_int_equal(meta_read(&m, &r, &facts, (const u8 *)""), 0);
	assert_int_equal(meta_read(&m, &r, &bad, (const u8 *)"\xff\xff\xff"), -EBADMSG);
	assert_int_equal(r.syms.nr, nr);
	assert_int_equal(meta_read(&m, &r, &bad, (const u8 *)"\xff\xff\xff"), META_REPEATED);
	meta_free(&m);
	recording_free(&r);
}

static void no_memory(void **state)
{
	struct file f = {0};
	struct recording r;
	unsigned int n;
	char path[32];
	int fd, ret;

	(void)state;
	add_block(&f, BLOCK_DATA, "abc", 3);
	add_function(&f, 0x100, "first");
	add_function(&f, 0x200, "second");
	fd = made_file(f.b.data, f.b.len, path);
	for (n = 0;; n++) {
		oom_after(n);
		ret = read_fd(fd, 0, &r);
		if (!oom_stop())
			break;
		assert_int_equal(ret, -ENOMEM);
		recording_free(&r);
	}
	assert_int_equal(ret, 0);
	assert_true(n > 3);
	assert_string_equal(names(&r), " first second");
	close(fd);
	forget(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(behind_the_last_records),
		cmocka_unit_test(none),
		cmocka_unit_test(cut),
		cmocka_unit_test(damaged),
		cmocka_unit_test(damage_between),
		cmocka_unit_test(in_their_turn),
		cmocka_unit_test(no_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
