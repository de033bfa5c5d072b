// SPDX-License-Identifier: GPL-2.0
/* util/capture/pinned_files: files that are deleted, and maps of code whose process ends. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "util/base/io.h"
#include "util/capture/pinned_files.h"
#include "util/record/rec_build.h"

static const struct sample_layout bare; /* records without a trailer */

struct place {
	char dir[64], file[96];
	int proc;
	struct pinned_files held;
};

static int setup(void **state)
{
	struct place *p = calloc(1, sizeof(*p));

	strcpy(p->dir, "/tmp/perf-lite-test.XXXXXX");
	if (!mkdtemp(p->dir))
		return -1;
	snprintf(p->file, sizeof(p->file), "%s/file", p->dir);
	p->proc = io_open(AT_FDCWD, "/proc", O_RDONLY | O_DIRECTORY);
	pinned_files_init(&p->held, p->proc);
	*state = p;
	return p->proc < 0;
}

static int teardown(void **state)
{
	struct place *p = *state;

	pinned_files_free(&p->held);
	close(p->proc);
	rmdir(p->dir);
	free(p);
	return 0;
}

/* Make the file, and tell of a mapping of it. */
static struct dso map_file(struct place *p, const char *text, u64 generation, u64 now)
{
	struct rec_mmap2 m = {.pid = (u32)getpid(),
			      .tid = (u32)getpid(),
			      .start = 0x1000,
			      .len = 0x1000,
			      .ino_generation = generation,
			      .prot = PROT_READ | PROT_EXEC,
			      .name = p->file};
	struct buf b = {0};
	struct stat st;
	int fd = open(p->file, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(io_write(fd, text, strlen(text)), 0);
	assert_int_equal(fstat(fd, &st), 0);
	close(fd);
	m.ino = st.st_ino;
	m.maj = 8;
	rec_build_mmap2(&b, &bare, NULL, PERF_RECORD_MISC_USER, &m);
	pinned_files_look(&p->held, b.data, b.len, now);
	buf_free(&b);
	return (struct dso){.name = p->file,
			    .kind = DSO_FILE,
			    .maj = 8,
			    .ino = m.ino,
			    .ino_generation = generation};
}

/* What is in the file of a DSO, "" if it is not held. */
static const char *text_of(struct place *p, const struct dso *d, char text[static 16])
{
	int fd = pinned_files_get(&p->held, d);
	ssize_t n;

	if (fd < 0)
		return "";
	n = io_pread(fd, text, 15, 0);
	assert_true(n >= 0);
	text[n] = '\0';
	close(fd);
	return text;
}

static void test_deleted(void **state)
{
	struct place *p = *state;
	struct dso d, other;
	char text[16];

	d = map_file(p, "one", 0, 1000);
	assert_string_equal(text_of(p, &d, text), "one");
	unlink(p->file);
	assert_string_equal(text_of(p, &d, text), "one");
	other = d;
	other.ino++;
	assert_string_equal(text_of(p, &other, text), "");
	other = d;
	other.ino = 0;
	assert_string_equal(text_of(p, &other, text), "");
	/* not for ever */
	pinned_files_expire(&p->held, 1000 + HELD_FILES_NS - 1);
	assert_string_equal(text_of(p, &d, text), "one");
	pinned_files_expire(&p->held, 1000 + HELD_FILES_NS);
	assert_string_equal(text_of(p, &d, text), "");
}

/* An inode that is used again, by the generation that the kernel gives it. */
static void test_generations(void **state)
{
	struct place *p = *state;
	struct dso one, two, unknown;
	char text[16];

	one = map_file(p, "one", 1, 1);
	two = map_file(p, "two and more", 2, 2);
	if (one.ino == two.ino) {
		/* the same file here: what is told apart is the name it is held under */
		assert_int_equal(p->held.nr, 2);
		assert_string_equal(text_of(p, &two, text), "two and more");
	}
	unknown = two;
	unknown.ino_generation = 0;
	assert_string_equal(text_of(p, &unknown, text), "two and more");
	unlink(p->file);
}

/* No more than so many, and each once. */
static u64 generation_told(struct place *p, const char *text, s64 changed)
{
	const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = changed}};
	struct rec_mmap2 m = {.pid = (u32)getpid(),
			      .tid = (u32)getpid(),
			      .start = 0x1000,
			      .len = 0x1000,
			      .maj = 8,
			      .ino_generation = 7,
			      .prot = PROT_READ | PROT_EXEC,
			      .name = p->file};
	struct buf b = {0};
	struct stat st;
	u64 generation;
	int fd = open(p->file, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(io_write(fd, text, strlen(text)), 0);
	assert_int_equal(futimens(fd, times), 0);
	assert_int_equal(fstat(fd, &st), 0);
	close(fd);
	m.ino = st.st_ino;
	rec_build_mmap2(&b, &bare, NULL, PERF_RECORD_MISC_USER, &m);
	pinned_files_look(&p->held, b.data, b.len, 1);
	memcpy(&generation, b.data + 56, sizeof(generation));
	buf_free(&b);
	return generation;
}

/* A file that is written anew in its place is another one for who reads the records. */
static void test_versions(void **state)
{
	struct place *p = *state;

	assert_int_equal(generation_told(p, "one", 1), 7);
	assert_int_equal(generation_told(p, "one", 1), 7);
	assert_int_equal(generation_told(p, "two", 2), 7 + (1ull << 32));
	assert_int_equal(generation_told(p, "two", 2), 7 + (1ull << 32));
	assert_int_equal(generation_told(p, "three", 2), 7 + (2ull << 32));
	unlink(p->file);
}

static void test_many(void **state)
{
	struct place *p = *state;
	struct dso first, last = {0};
	char text[16];
	u32 i;

	first = map_file(p, "1", 1, 1);
	map_file(p, "1", 1, 1);
	assert_int_equal(p->held.nr, 1);
	for (i = 2; i <= HELD_FILES_MAX + 1; i++)
		last = map_file(p, "x", i, i);
	assert_int_equal(p->held.nr, HELD_FILES_MAX);
	assert_string_equal(text_of(p, &first, text), "");
	assert_string_equal(text_of(p, &last, text), "x");
	unlink(p->file);
}

/* What is no file of code, and what is no whole record. */
static void test_others(void **state)
{
	static const u8 torn[] = {10, 0, 0, 0, 2, 0, 200, 0, 1, 2, 3};
	struct place *p = *state;
	struct rec_mmap2 m = {.pid = (u32)getpid(), .len = 0x1000, .ino = 1, .name = "/dev/null"};
	struct buf b = {0};

	rec_build_mmap2(&b, &bare, NULL, PERF_RECORD_MISC_USER, &m);
	m.name = "[vdso]";
	rec_build_mmap2(&b, &bare, NULL, PERF_RECORD_MISC_USER, &m);
	m.name = "/nonexistent";
	rec_build_mmap2(&b, &bare, NULL, PERF_RECORD_MISC_USER, &m);
	rec_build_comm(&b, &bare, NULL, 0, 1, 1, "comm");
	buf_add(&b, torn, sizeof(torn));
	pinned_files_look(&p->held, b.data, b.len, 1);
	assert_int_equal(p->held.nr, 0);
	assert_int_equal(p->held.nr_maps, 0);
	buf_free(&b);
}

/* A process makes code, tells of it a while later, and ends. */
static void test_map(void **state)
{
	struct place *p = *state;
	struct rec_mmap2 m = {.len = 0x1000, .prot = PROT_EXEC, .name = "//anon"};
	struct buf b = {0};
	char path[64], text[8];
	pid_t pid = fork();
	int fd;

	if (!pid) {
		pause();
		_exit(0);
	}
	/* that of a process before it, which had the same number */
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)pid);
	unlink(path);
	m.pid = (u32)pid;
	rec_build_mmap2(&b, &bare, NULL, PERF_RECORD_MISC_USER, &m);
	pinned_files_look(&p->held, b.data, b.len, 1);
	pinned_files_look(&p->held, b.data, b.len, 1);
	assert_int_equal(p->held.nr_maps, 1);
	pinned_files_expire(&p->held, 1000000000);
	assert_int_equal(pinned_files_get_map(&p->held, m.pid), -1);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	pinned_files_expire(&p->held, 2000000000);
	assert_int_equal(io_write(fd, "1 1 f\n", 6), 0);
	close(fd);
	unlink(path);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	pinned_files_expire(&p->held, 3000000000);
	fd = pinned_files_get_map(&p->held, m.pid);
	assert_true(fd >= 0);
	assert_int_equal(io_pread(fd, text, 6, 0), 6);
	assert_memory_equal(text, "1 1 f\n", 6);
	close(fd);
	pinned_files_expire(&p->held, 3000000000 + HELD_FILES_NS);
	assert_int_equal(pinned_files_get_map(&p->held, m.pid), -1);
	assert_int_equal(p->held.nr_maps, 0);
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_deleted, setup, teardown),
		cmocka_unit_test_setup_teardown(test_generations, setup, teardown),
		cmocka_unit_test_setup_teardown(test_versions, setup, teardown),
		cmocka_unit_test_setup_teardown(test_many, setup, teardown),
		cmocka_unit_test_setup_teardown(test_others, setup, teardown),
		cmocka_unit_test_setup_teardown(test_map, setup, teardown),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("pinned_files", tests, NULL, NULL);
}
