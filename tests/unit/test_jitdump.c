// SPDX-License-Identifier: GPL-2.0
/* util/process/jit_dump: code that is loaded, moved, replaced, written in pieces, or damaged. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/oom.h"
#include "util/base/buf.h"
#include "util/base/io.h"
#include "util/process/jit.h"
#include "util/process/jit_limits.h"

enum {
	LOAD,
	MOVE,
	DEBUG_INFO,
	CLOSE,
	UNWINDING_INFO,
};

static void put_header(struct buf *b, u32 magic, u32 version, u64 flags)
{
	buf_u32(b, magic);
	buf_u32(b, version);
	buf_u32(b, 40);
	buf_u32(b, 62); /* EM_X86_64 */
	buf_u32(b, 0);
	buf_u32(b, 42); /* pid */
	buf_u64(b, 0);
	buf_u64(b, flags);
}

static void put_record(struct buf *b, u32 type, u64 time, const void *body, size_t len)
{
	buf_u32(b, type);
	buf_u32(b, (u32)(16 + len));
	buf_u64(b, time);
	buf_add(b, body, len);
}

static void put_load(struct buf *b, u64 time, u64 addr, u64 size, u64 index, const char *name)
{
	struct buf body = {0};

	buf_u32(&body, 42);
	buf_u32(&body, 43);
	buf_u64(&body, addr);
	buf_u64(&body, addr);
	buf_u64(&body, size);
	buf_u64(&body, index);
	buf_add(&body, name, strlen(name) + 1);
	buf_pad(&body, (char)0x90, size); /* the code itself */
	put_record(b, LOAD, time, body.data, body.len);
	buf_free(&body);
}

static void put_move(struct buf *b, u64 time, u64 from, u64 to, u64 size, u64 index)
{
	struct buf body = {0};

	buf_u32(&body, 42);
	buf_u32(&body, 43);
	buf_u64(&body, to);
	buf_u64(&body, from);
	buf_u64(&body, to);
	buf_u64(&body, size);
	buf_u64(&body, index);
	put_record(b, MOVE, time, body.data, body.len);
	buf_free(&body);
}

#define MAGIC 0x4a695444u

static void put_all(struct buf *b)
{
	put_header(b, MAGIC, 1, 0);
	put_load(b, 100, 0x1000, 0x100, 1, "first");
	put_record(b, DEBUG_INFO, 110, "some lines", 10);
	put_load(b, 200, 0x2000, 0x100, 2, "second");
	put_record(b, UNWINDING_INFO, 210, "", 0);
	put_move(b, 300, 0x1000, 0x3000, 0x100, 1);
	put_load(b, 400, 0x1080, 0x10, 3, "third");
	put_move(b, 450, 0x7000, 0x8000, 0x100, 99); /* of a function that was never loaded */
	put_record(b, CLOSE, 500, "", 0);
}

static const char *at(struct jitdump *j, u64 addr, u64 time)
{
	const struct jitdump_code *code = jitdump_find(j, addr, time);

	return code ? strtab_get(&j->names, code->name) : "";
}

static int file_of(const struct buf *b)
{
	int fd = memfd_create("jitdump", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(io_write(fd, b->data, b->len), 0);
	return fd;
}

static void test_times(void **state)
{
	struct jitdump j = {0};
	struct buf b = {0};
	int fd;

	(void)state;
	put_all(&b);
	fd = file_of(&b);
	assert_int_equal(jitdump_read(&j, fd, NULL), 0);
	assert_int_equal(j.at, b.len);
	assert_string_equal(at(&j, 0x10ff, 99), "");
	assert_string_equal(at(&j, 0x10ff, 100), "first");
	assert_string_equal(at(&j, 0x1100, 100), "");
	assert_string_equal(at(&j, 0x10ff, 299), "first");
	assert_string_equal(at(&j, 0x10ff, 300), "");
	assert_string_equal(at(&j, 0x3000, 299), "");
	assert_string_equal(at(&j, 0x3000, 300), "first");
	assert_string_equal(at(&j, 0x1084, 399), "");
	assert_string_equal(at(&j, 0x1084, 250), "first");
	assert_string_equal(at(&j, 0x1084, 400), "third");
	assert_string_equal(at(&j, 0x1090, 400), "");
	/* time 0: the newest */
	assert_string_equal(at(&j, 0x1084, 0), "third");
	assert_string_equal(at(&j, 0x2000, 0), "second");
	assert_string_equal(at(&j, 0x8000, 0), "");
	jitdump_free(&j);
	close(fd);
	buf_free(&b);
}

/* A file that is large is read in parts, up to so many functions. */
static void test_limits(void **state)
{
	const u32 nr = JIT_FUNCTIONS_MAX + 1000;
	struct jitdump j = {0};
	struct buf b = {0};
	u32 i, calls = 0;
	u64 before;
	int fd;

	(void)state;
	put_header(&b, MAGIC, 1, 0);
	for (i = 0; i < nr; i++)
		put_load(&b, 100, 0x1000 + 16 * (u64)i, 4, i, "f");
	fd = file_of(&b);
	do {
		before = j.at;
		assert_int_equal(jitdump_read(&j, fd, NULL), 0);
		calls++;
	} while (j.at != before);
	assert_true(calls > 3);
	assert_true(j.full);
	assert_in_range(j.codes.nr, JIT_FUNCTIONS_MAX - 2, JIT_FUNCTIONS_MAX);
	assert_string_equal(at(&j, 0x1000, 0), "f");
	assert_string_equal(at(&j, 0x1000 + 16 * (JIT_FUNCTIONS_MAX - 3), 0), "f");
	assert_string_equal(at(&j, 0x1000 + 16 * (nr - 1), 0), "");
	jitdump_free(&j);
	close(fd);
	buf_free(&b);
}

/* The machine's own counter tells nothing about our times: the newest code is the best guess. */
static void test_arch_timestamps(void **state)
{
	struct jitdump j = {0};
	struct buf b = {0};
	int fd;

	(void)state;
	put_header(&b, MAGIC, 1, 1);
	put_load(&b, 1000000, 0x1000, 0x100, 1, "old");
	put_load(&b, 2000000, 0x1000, 0x100, 2, "new");
	fd = file_of(&b);
	assert_int_equal(jitdump_read(&j, fd, NULL), 0);
	assert_string_equal(at(&j, 0x1000, 1), "new");
	jitdump_free(&j);
	close(fd);
	buf_free(&b);
}

/* Every way in which a process can be half-way through with writing. */
static void test_growing(void **state)
{
	struct buf b = {0};
	size_t len;

	(void)state;
	put_all(&b);
	for (len = 0; len <= b.len; len++) {
		int fd = memfd_create("jitdump", MFD_CLOEXEC);
		struct jitdump j = {0};

		assert_int_equal(io_write(fd, b.data, len), 0);
		assert_int_equal(jitdump_read(&j, fd, NULL), 0);
		assert_true(j.at <= len);
		jitdump_find(&j, 0x1000, 0);
		assert_int_equal(io_write(fd, b.data + len, b.len - len), 0);
		assert_int_equal(jitdump_read(&j, fd, NULL), 0);
		assert_int_equal(j.at, b.len);
		assert_string_equal(at(&j, 0x1084, 0), "third");
		assert_string_equal(at(&j, 0x1084, 250), "first");
		jitdump_free(&j);
		close(fd);
	}
	buf_free(&b);
}

/* More than one window of the file, and code that is larger than a window. */
static void test_large(void **state)
{
	struct jitdump j = {0};
	struct buf b = {0};
	char name[32];
	u32 i;
	int fd;

	(void)state;
	put_header(&b, MAGIC, 1, 0);
	for (i = 0; i < 5000; i++) {
		snprintf(name, sizeof(name), "function %u", i);
		put_load(&b, i + 1, 0x100000000 + (u64)i * 0x200, i == 77 ? 3 << 20 : 0x100, i,
			 name);
	}
	fd = file_of(&b);
	assert_int_equal(jitdump_read(&j, fd, NULL), 0);
	assert_int_equal(j.at, b.len);
	assert_int_equal(j.codes.nr, 5000);
	assert_string_equal(at(&j, 0x100000000 + 4999 * 0x200, 0), "function 4999");
	assert_string_equal(at(&j, 0x100000000 + 78 * 0x200, 78), "function 77");
	jitdump_free(&j);
	close(fd);
	buf_free(&b);
}

static void swap_words(struct buf *b)
{
	static const u8 sizes[] = {4, 4, 4, 4, 4, 4, 8, 8, 4, 4, 8, 4, 4, 8, 8, 8, 8};
	size_t at = 0, i, k;

	for (i = 0; i < ARRAY_SIZE(sizes); at += sizes[i++])
		for (k = 0; k < sizes[i] / 2; k++) {
			char c = b->data[at + k];

			b->data[at + k] = b->data[at + sizes[i] - 1 - k];
			b->data[at + sizes[i] - 1 - k] = c;
		}
}

static void test_swapped(void **state)
{
	struct jitdump j = {0};
	struct buf b = {0};
	int fd;

	(void)state;
	put_header(&b, MAGIC, 1, 0);
	put_load(&b, 100, 0x1000, 0x100, 1, "foreign");
	swap_words(&b);
	fd = file_of(&b);
	assert_int_equal(jitdump_read(&j, fd, NULL), 0);
	assert_string_equal(at(&j, 0x1000, 0), "foreign");
	jitdump_free(&j);
	close(fd);
	buf_free(&b);
}

static void test_damaged(void **state)
{
	static const u32 starts[][2] = {{0x464c457f, 1}, {MAGIC, 2}, {0, 1}};
	struct jitdump j = {0};
	struct buf b = {0};
	int fd;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		buf_clear(&b);
		put_header(&b, starts[i][0], starts[i][1], 0);
		put_load(&b, 1, 0x1000, 0x100, 1, "f");
		fd = file_of(&b);
		assert_int_equal(jitdump_read(&j, fd, NULL), -EBADMSG);
		assert_string_equal(at(&j, 0x1000, 0), "");
		assert_int_equal(jitdump_read(&j, fd, NULL), 0);
		jitdump_free(&j);
		close(fd);
	}
	/* a size that is none; what stands before it counts */
	buf_clear(&b);
	put_header(&b, MAGIC, 1, 0);
	put_load(&b, 1, 0x1000, 0x100, 1, "f");
	buf_u32(&b, LOAD);
	buf_u32(&b, 3);
	buf_u64(&b, 2);
	put_load(&b, 1, 0x2000, 0x100, 2, "g");
	fd = file_of(&b);
	assert_int_equal(jitdump_read(&j, fd, NULL), -EBADMSG);
	assert_string_equal(at(&j, 0x1000, 0), "f");
	assert_string_equal(at(&j, 0x2000, 0), "");
	jitdump_free(&j);
	close(fd);
	/* a name that does not end within its record */
	buf_clear(&b);
	put_header(&b, MAGIC, 1, 0);
	put_record(&b, LOAD, 1, "0123456701234567012345670123456701234567name", 44);
	fd = file_of(&b);
	assert_int_equal(jitdump_read(&j, fd, NULL), 0);
	assert_int_equal(j.codes.nr, 0);
	jitdump_free(&j);
	close(fd);
	buf_free(&b);
}

static void test_oom(void **state)
{
	struct buf b = {0};
	unsigned int n;
	int fd, ret;

	(void)state;
	put_all(&b);
	fd = file_of(&b);
	for (n = 0;; n++) {
		struct jitdump j = {0};
		const struct jitdump_code *code;

		oom_after(n);
		ret = jitdump_read(&j, fd, NULL);
		code = jitdump_find(&j, 0x2000, 0);
		if (!oom_stop()) {
			assert_int_equal(ret, 0);
			assert_non_null(code);
			jitdump_free(&j);
			break;
		}
		assert_true(!ret || ret == -ENOMEM);
		jitdump_free(&j);
	}
	close(fd);
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_limits),          cmocka_unit_test(test_times),
		cmocka_unit_test(test_arch_timestamps), cmocka_unit_test(test_growing),
		cmocka_unit_test(test_large),           cmocka_unit_test(test_swapped),
		cmocka_unit_test(test_damaged),         cmocka_unit_test(test_oom),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("jitdump", tests, NULL, NULL);
}
