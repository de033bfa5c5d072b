// SPDX-License-Identifier: GPL-2.0
/* What the writer does beside writing: reserves, goes on, keeps in memory, renames. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "tests/unit/made.h"
#include "util/file/writer.h"

static char dir[] = "/tmp/test_writer.XXXXXX";
static char path[64];

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/file", dir);
	return 0;
}

static int teardown(void **state)
{
	char command[96];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

static struct writer_data made_block(const void *payload, size_t len, u32 samples, u64 time)
{
	return (struct writer_data){.payload = payload,
				    .len = len,
				    .records = samples,
				    .samples = samples,
				    .raw_size = len,
				    .time_min = time,
				    .time_max = time};
}

static off_t size_of(const char *name)
{
	struct stat st;

	assert_int_equal(stat(name, &st), 0);
	return st.st_size;
}

/* What another process had written behind the state that holds is cut off; numbers go on. */
static void goes_on(void **state)
{
	static const u8 payload[256];
	struct writer_data d = made_block(payload, sizeof(payload), 10, 5);
	struct writer_state held;
	struct writer w, second;
	struct err err = {0};
	struct block k;
	u8 head[BLOCK_HEADER_SIZE];
	int fd;

	(void)state;
	assert_int_equal(writer_open(&w, path, 1, &err), 0);
	assert_int_equal(writer_data(&w, &d, &err), 0);
	assert_int_equal(writer_publish(&w, &err), 0);
	held = writer_state(&w);
	assert_int_equal(held.samples, 10);
	assert_int_equal(writer_data(&w, &d, &err), 0);
	assert_true((u64)size_of(path) > held.bytes);
	fd = dup(w.fd);
	assert_int_equal(writer_resume(&second, fd, path, &held, 1, &err), 0);
	assert_int_equal(size_of(path), held.bytes);
	d.samples = 3;
	assert_int_equal(writer_data(&second, &d, &err), 0);
	assert_int_equal(writer_state(&second).samples, 13);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(pread(fd, head, sizeof(head), (off_t)held.bytes), sizeof(head));
	close(fd);
	assert_true(block_get_header(head, &k));
	assert_int_equal(k.seq, held.seq);
	assert_int_equal(k.samples_before, 10);
	assert_int_equal(writer_close(&second, &err), 0);
	/* what was reserved is given back */
	assert_int_equal(size_of(path), held.bytes + BLOCK_HEADER_SIZE + sizeof(payload));
	close(w.fd);
	w.fd = -1;
	writer_close(&w, NULL);
}

/* Below a limit on the size of files the records stop early enough for the end to be written. */
static void keeps_a_reserve(void **state)
{
	static const u8 payload[8192];
	struct writer_data d = made_block(payload, sizeof(payload), 10, 5);
	struct rlimit before, small = {200000, RLIM_INFINITY};
	struct writer w;
	struct err err = {0};
	int ret, blocks = 0;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	setrlimit(RLIMIT_FSIZE, &small);
	assert_int_equal(writer_open(&w, path, 1, &err), 0);
	while (!(ret = writer_data(&w, &d, &err)))
		blocks++;
	assert_int_equal(ret, -EFBIG);
	assert_non_null(strstr(err.hint, "ulimit -f"));
	assert_in_range(blocks, 15, 23);
	assert_int_equal(writer_room(&w, sizeof(payload), &err), -EFBIG);
	writer_skip(&w, 10);
	assert_int_equal(w.samples_skipped, 10);
	/* what is left is for what is no record */
	assert_int_equal(writer_block(&w, BLOCK_END, payload, 100, &err), 0);
	assert_int_equal(writer_block(&w, BLOCK_END, payload, 100, &err), 0);
	assert_int_equal(writer_close(&w, &err), 0);
	setrlimit(RLIMIT_FSIZE, &before);
}

/* A pipe that nobody reads any more. */
static void tells_of_the_reader(void **state)
{
	static const u8 payload[100];
	struct writer_state start = {0};
	struct writer w;
	struct err err = {0};
	int fds[2];

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	assert_int_equal(writer_resume(&w, fds[1], NULL, &start, 1, &err), 0);
	close(fds[0]);
	assert_int_equal(writer_block(&w, BLOCK_END, payload, sizeof(payload), &err), -EPIPE);
	assert_string_equal(
		err.hint,
		"the reader of the pipe exited; what it received can be read up to where it stopped");
	writer_close(&w, NULL);
}

/* How often this process wrote; 0: the kernel counts that not. */
static unsigned long times_written(void)
{
	FILE *f = fopen("/proc/self/io", "r");
	unsigned long n = 0;
	char line[80];

	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "syscw: %lu", &n);
	if (f)
		fclose(f);
	return n;
}

/* An empty pipe gets a block at once, so that a kill does not tear it. */
static void fills_an_empty_pipe(void **state)
{
	static const u8 payload[30000];
	struct writer_data d = made_block(payload, sizeof(payload), 1, 1);
	struct writer_state start = {0};
	unsigned long before;
	struct err err = {0};
	struct writer w;
	int fds[2];

	(void)state;
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	assert_int_equal(writer_resume(&w, fds[1], NULL, &start, 1, &err), 0);
	before = times_written();
	assert_int_equal(writer_data(&w, &d, &err), 0);
	assert_int_equal(times_written() - before, before ? 1 : 0);
	writer_close(&w, NULL);
	close(fds[0]);
	if (!before)
		skip();
}

/* Blocks wait in memory; the oldest leave when they are too old or too many. */
static void keeps_in_memory(void **state)
{
	static const u8 payload[1000];
	struct keep keep;
	struct writer_data d = made_block(payload, sizeof(payload), 10, 0);
	const struct keep_block *b;
	struct writer w, file;
	struct err err = {0};
	u64 t;

	(void)state;
	assert_int_equal(keep_open(&keep, 5000, 100, &err), 0);
	assert_int_equal(writer_open_memory(&w, &keep, 1, &err), 0);
	assert_int_equal(writer_block(&w, BLOCK_SYMS, payload, 500, &err), 0);
	for (t = 1000; t < 1010; t++) {
		d.time_min = d.time_max = t;
		assert_int_equal(writer_data(&w, &d, &err), 0);
		while ((b = keep_oldest(&keep, t))) {
			assert_int_equal(b->head.time_max, t - 5);
			keep_drop(&keep, t);
		}
	}
	assert_int_equal(keep.bytes, 5000);
	assert_int_equal(keep.memory->dropped, 50);
	assert_int_equal(keep.memory->evicted, 50);
	/* by age: no fault of the memory's */
	assert_non_null(keep_oldest(&keep, 1107));
	keep_drop(&keep, 1107);
	keep_drop(&keep, 1107);
	assert_null(keep_oldest(&keep, 1107));
	assert_int_equal(keep.memory->dropped, 50);
	assert_int_equal(keep.memory->evicted, 70);
	assert_int_equal(writer_open(&file, path, 1, &err), 0);
	assert_int_equal(keep_write(&keep, &file, &err), 0);
	assert_int_equal(writer_state(&file).samples, 30);
	assert_int_equal(writer_state(&file).seq, 4);
	assert_int_equal(writer_publish(&file, &err), 0);
	assert_int_equal(writer_close(&file, &err), 0);
	assert_true(size_of(path) > 3000);
	writer_close(&w, NULL);
	keep_free(&keep);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(goes_on),
		cmocka_unit_test(keeps_a_reserve),
		cmocka_unit_test(keeps_in_memory),
		cmocka_unit_test(tells_of_the_reader),
		cmocka_unit_test(fills_an_empty_pipe),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("writer", tests, setup, teardown);
}
