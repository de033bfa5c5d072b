// SPDX-License-Identifier: GPL-2.0
/* The times when CPUs went and came back, read before the records: what is asked for when, and files that are none. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/oom.h"
#include "util/base/hash.h"
#include "util/base/io.h"
#include "util/file/block.h"
#include "util/file/losses_ahead.h"

#define S 1000000000ull

static void put_block(struct buf *file, u16 type, const struct buf *payload, bool damaged)
{
	struct block k = {
		.type = type,
		.stored_size = (u32)payload->len,
		.raw_size = (u32)payload->len,
		.payload_hash = hash_bytes(payload->data, payload->len) + damaged,
	};

	block_put_header(file, &k);
	buf_add(file, payload->data, payload->len);
	while (file->len % 8)
		buf_addc(file, '\0');
}

static void put_loss(struct buf *file, enum loss_cause cause, u64 from, u64 to, bool damaged)
{
	const struct loss loss = loss_between(cause, 1, from, to);
	struct buf payload = {0};

	loss_put(&payload, &loss);
	put_block(file, BLOCK_LOSS, &payload, damaged);
	buf_free(&payload);
}

/* A block of 100 bytes that are no records, and losses behind it, not in their order. */
static void make_file(struct buf *file)
{
	const struct file_header h = {.major = FILE_MAJOR, .minor = FILE_MINOR};
	struct buf data = {0};

	while (data.len < 100)
		buf_addc(&data, 'x');
	block_put_file_header(file, &h);
	put_block(file, BLOCK_DATA, &data, false);
	put_loss(file, LOSS_OFFLINE, 50 * S, 100 * S, false);
	put_loss(file, LOSS_OFFLINE, 10 * S, 11 * S, false);
	put_loss(file, LOSS_RING, 20 * S, 21 * S, false);
	put_loss(file, LOSS_OFFLINE, 30 * S, 31 * S, true);
	buf_free(&data);
}

static int read_bytes(struct losses_ahead *l, const void *bytes, size_t len)
{
	char path[] = "/tmp/losses_ahead.XXXXXX";
	int fd = mkstemp(path), ret;

	assert_true(fd >= 0);
	assert_int_equal(io_write(fd, bytes, len), 0);
	close(fd);
	ret = losses_ahead_read(l, path);
	unlink(path);
	return ret;
}

static void ends(void **state)
{
	struct losses_ahead l;
	struct buf file = {0};

	(void)state;
	make_file(&file);
	assert_int_equal(read_bytes(&l, file.data, file.len), 0);
	/* a short one as a whole, of a long one its ends; other causes and damage do not count */
	assert_int_equal(l.losses.nr, 3);
	assert_int_equal(losses_ahead_begun(&l, 10 * S), 0);
	assert_int_equal(losses_ahead_begun(&l, 10 * S + 1), 11 * S);
	assert_int_equal(losses_ahead_begun(&l, 10 * S + 2), 0);
	assert_int_equal(losses_ahead_begun(&l, 40 * S), 0);
	assert_int_equal(losses_ahead_begun(&l, 60 * S), 51 * S);
	assert_int_equal(losses_ahead_begun(&l, 200 * S), 100 * S);
	assert_int_equal(losses_ahead_begun(&l, 300 * S), 0);
	losses_ahead_free(&l);
	buf_free(&file);
}

/* Cut anywhere: what is whole counts. */
static void cut_files(void **state)
{
	struct losses_ahead l;
	struct buf file = {0};
	size_t len;

	(void)state;
	make_file(&file);
	for (len = 0; len < file.len; len++) {
		assert_int_equal(read_bytes(&l, file.data, len), 0);
		assert_true(l.losses.nr <= 3);
		losses_ahead_free(&l);
	}
	buf_free(&file);
}

/* Damage costs itself, that of the file header too, and another recording says nothing; nothing counts behind END. */
static void damaged_files(void **state)
{
	const struct file_header other = {.major = FILE_MAJOR, .minor = FILE_MINOR, .session = {9}};
	const struct buf none = {0};
	struct losses_ahead l;
	struct buf file = {0};
	bool known;

	(void)state;
	make_file(&file);
	put_block(&file, BLOCK_END, &none, false);
	put_loss(&file, LOSS_OFFLINE, 60 * S, 61 * S, false);
	file.data[20] ^= 1; /* of the file header */
	assert_int_equal(read_bytes(&l, file.data, file.len), 0);
	assert_int_equal(l.losses.nr, 3);
	losses_ahead_free(&l);
	file.data[FILE_HEADER_SIZE + 20] ^= 1; /* of the first block */
	assert_int_equal(read_bytes(&l, file.data, file.len), 0);
	assert_int_equal(l.losses.nr, 3);
	losses_ahead_free(&l);
	file.len = 0;
	block_put_file_header(&file, &other);
	put_loss(&file, LOSS_OFFLINE, 60 * S, 61 * S, false);
	assert_int_equal(read_bytes(&l, file.data, file.len), 0);
	assert_int_equal(l.losses.nr, 0);
	losses_ahead_free(&l);
	assert_int_equal(losses_ahead_read_all(&l, "/dev/null", &known), 0);
	assert_false(known);
	buf_free(&file);
}

static void other_files(void **state)
{
	struct losses_ahead l;

	(void)state;
	assert_int_equal(losses_ahead_read(&l, "/nowhere"), 0);
	assert_int_equal(losses_ahead_read(&l, "-"), 0);
	assert_int_equal(losses_ahead_read(&l, "/dev/null"), 0);
	assert_int_equal(losses_ahead_read(&l, "/proc/self/exe"), 0);
	assert_int_equal(l.losses.nr, 0);
	losses_ahead_free(&l);
}

static void no_memory(void **state)
{
	struct losses_ahead l;
	struct buf file = {0};
	unsigned int i;
	int ret = -1;

	(void)state;
	make_file(&file);
	for (i = 0; ret && i < 100; i++) {
		oom_after(i);
		ret = read_bytes(&l, file.data, file.len);
		oom_stop();
		losses_ahead_free(&l);
	}
	assert_int_equal(ret, 0);
	assert_true(i > 1);
	buf_free(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ends),          cmocka_unit_test(cut_files),
		cmocka_unit_test(damaged_files), cmocka_unit_test(other_files),
		cmocka_unit_test(no_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("losses_ahead", tests, NULL, NULL);
}
