// SPDX-License-Identifier: GPL-2.0
/* util/process/perf_map and jit: the files that JIT compilers write, and who may write them. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/can.h"
#include "util/base/buf.h"
#include "util/process/jit.h"
#include "util/process/jit_limits.h"
#include "util/process/perf_map.h"
#include "util/symbol/symbols.h"

/* A folder that stands for a root, with tmp/perf-42.map, and for /proc, with process 42 in it. */
struct place {
	char dir[64], map[96], other[96];
};

static void write_file(const char *name, const char *text, const char *mode)
{
	FILE *f = fopen(name, mode);

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static int setup(void **state)
{
	struct place *p = calloc(1, sizeof(*p));
	char path[128];

	strcpy(p->dir, "/tmp/perf-lite-test.XXXXXX");
	if (!mkdtemp(p->dir))
		return -1;
	snprintf(path, sizeof(path), "%s/tmp", p->dir);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/42", p->dir);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/42/root", p->dir);
	if (symlink(p->dir, path))
		return -1;
	snprintf(path, sizeof(path), "%s/42/status", p->dir);
	write_file(path, "Name:\tx\nPid:\t42\nNSpid:\t42\t7\nThreads:\t1\n", "w");
	snprintf(p->map, sizeof(p->map), "%s/tmp/perf-42.map", p->dir);
	snprintf(p->other, sizeof(p->other), "%s/tmp/perf-7.map", p->dir);
	*state = p;
	return 0;
}

static int teardown(void **state)
{
	struct place *p = *state;
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", p->dir);
	free(p);
	return system(command);
}

static const char *at(const struct symtab *st, u64 addr)
{
	const struct sym *sym = symtab_find(st, addr);

	return sym ? sym->name : "";
}

static void test_parse(void **state)
{
	static const char text[] = "7f0000001000 20 LazyCompile:~foo /a b/c.js:12\n"
				   "0x7f0000001020 0x10 _Z6pretty\n"
				   "7f0000001010 8 newer\n"
				   "no number\n"
				   "7f0000002000\n"
				   "7f0000002000 10\n"
				   "7f0000002000 10 \n"
				   "ffffffffffffff00 ffff over the end";
	struct symtab st = {0};
	const char *limit;

	(void)state;
	assert_int_equal(perf_map_parse(&st, text, strlen(text), SYMTAB_NESTED, &limit, NULL), 0);
	assert_string_equal(at(&st, 0x7f0000001000), "LazyCompile:~foo /a b/c.js:12");
	assert_string_equal(at(&st, 0x7f0000001010), "newer");
	assert_string_equal(at(&st, 0x7f0000001018), "LazyCompile:~foo /a b/c.js:12");
	assert_string_equal(at(&st, 0x7f000000102f), "_Z6pretty");
	assert_string_equal(at(&st, 0x7f0000002000), "");
	assert_string_equal(at(&st, 0xffffffffffffff00), "over the end");
	assert_int_equal(st.syms.nr, 4);
	symtab_free(&st);
}

/* A line that its process has not finished is not a name yet. */
static void test_growing(void **state)
{
	struct place *p = *state;
	struct symtab st = {0};
	const char *limit;
	u64 size;
	int fd;

	write_file(p->map, "1000 10 whole\n1010 10 hal", "w");
	fd = perf_map_open(p->map, NULL);
	assert_true(fd >= 0);
	assert_int_equal(perf_map_read(&st, fd, SYMTAB_NESTED, &size, &limit, NULL), 0);
	close(fd);
	assert_int_equal(size, 25);
	assert_string_equal(at(&st, 0x1000), "whole");
	assert_string_equal(at(&st, 0x1010), "");
	symtab_free(&st);
}

/* A process may write any amount: so much is taken, and the rest is told. */
static void test_limits(void **state)
{
	struct place *p = *state;
	char *name = malloc(JIT_NAME_MAX + 100);
	struct symtab st = {0};
	struct buf text = {0};
	const char *limit;
	u64 size;
	u32 i;
	int fd;

	/* a name is cut before the character that does not fit */
	memset(name, 'n', JIT_NAME_MAX + 99);
	name[JIT_NAME_MAX + 99] = '\0';
	memcpy(name + JIT_NAME_MAX - 1, "\xc3\xa9", 2);
	buf_addf(&text, "1000 10 short\n2000 10 ");
	buf_adds(&text, name);
	buf_adds(&text, "\n3000 10 behind\n");
	assert_int_equal(perf_map_parse(&st, text.data, text.len, SYMTAB_NESTED, &limit, NULL), 0);
	assert_string_equal(at(&st, 0x1000), "short");
	assert_int_equal(strlen(at(&st, 0x2000)), JIT_NAME_MAX - 1);
	assert_string_equal(at(&st, 0x3000), "behind");
	assert_string_equal(limit, "names of more than 64 KiB are cut");
	symtab_free(&st);

	buf_clear(&text);
	for (i = 0; i < JIT_FUNCTIONS_MAX + 10; i++)
		buf_addf(&text, "%x 1 f\n", i + 1);
	assert_int_equal(perf_map_parse(&st, text.data, text.len, SYMTAB_NESTED, &limit, NULL), 0);
	assert_string_equal(at(&st, JIT_FUNCTIONS_MAX), "f");
	assert_string_equal(at(&st, JIT_FUNCTIONS_MAX + 1), "");
	assert_non_null(strstr(limit, "functions"));
	symtab_free(&st);

	/* a hole of 8 GiB behind one function */
	write_file(p->map, "1000 10 first\n", "w");
	assert_int_equal(truncate(p->map, (off_t)8 << 30), 0);
	fd = perf_map_open(p->map, NULL);
	assert_true(fd >= 0);
	assert_int_equal(perf_map_read(&st, fd, SYMTAB_NESTED, &size, &limit, NULL), 0);
	close(fd);
	assert_int_equal(size, JIT_MAP_MAX);
	assert_string_equal(at(&st, 0x1000), "first");
	assert_non_null(strstr(limit, "64 MiB"));
	symtab_free(&st);
	buf_free(&text);
	free(name);
}

static void test_who(void **state)
{
	struct place *p = *state;
	int proc = open(p->dir, O_PATH | O_DIRECTORY | O_CLOEXEC), real, fd;
	struct err err = {0};
	siginfo_t info;
	pid_t child;

	/* a link, a folder, a pipe that nobody writes to */
	write_file(p->other, "1000 10 f\n", "w");
	assert_int_equal(symlink(p->other, p->map), 0);
	assert_int_equal(perf_map_open(p->map, &err), -ELOOP);
	assert_int_equal(perf_map_open(p->dir, &err), -EINVAL);
	unlink(p->map);
	assert_int_equal(mkfifo(p->map, 0600), 0);
	assert_int_equal(perf_map_open(p->map, &err), -EINVAL);
	unlink(p->map);

	/* the number that the process has in its container */
	assert_int_equal(perf_map_inner_pid(proc, 42), 7);
	assert_int_equal(perf_map_inner_pid(proc, 43), 43);
	fd = perf_map_open_live(proc, 42, &err);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(perf_map_open_live(proc, 43, &err), -ESRCH);
	unlink(p->other);
	assert_int_equal(mkfifo(p->other, 0600), 0);
	assert_int_equal(perf_map_open_live(proc, 42, &err), -EINVAL);
	unlink(p->other);
	assert_int_equal(symlink("/etc/passwd", p->other), 0);
	assert_int_equal(perf_map_open_live(proc, 42, &err), -ELOOP);
	unlink(p->other);
	assert_int_equal(perf_map_open_live(proc, 42, &err), -ENOENT);
	assert_int_equal(strncmp(err.msg, "/tmp/perf-7.map: ", 17), 0);

	/* one that has ended, and that nobody has waited for */
	child = fork();
	if (!child)
		_exit(0);
	assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
	real = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(perf_map_open_live(real, (u32)child, &err), -ESRCH);
	close(real);
	waitpid(child, NULL, 0);

	if (can_or_why("users")) {
		char task[80];

		write_file(p->other, "1000 10 f\n", "w");
		assert_int_equal(chown(p->other, 12345, 12345), 0);
		assert_int_equal(perf_map_open(p->other, &err), -EPERM);
		assert_int_equal(perf_map_open_live(proc, 42, &err), -EPERM);
		/* its own user's word is taken */
		snprintf(task, sizeof(task), "%s/42", p->dir);
		assert_int_equal(chown(task, 12345, 12345), 0);
		fd = perf_map_open_live(proc, 42, &err);
		assert_true(fd >= 0);
		close(fd);
	}
	close(proc);
}

/* What the process writes while it is recorded. */
static void test_jit(void **state)
{
	struct place *p = *state;
	int proc = open(p->dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct jit_options o = {.proc = proc, .map_fd = -1, .view = SYMTAB_NESTED};
	struct jit j = {.pid = 42};
	struct process_model m;
	struct jit_symbol sym;
	struct err err = {0};

	assert_int_equal(process_init(&m, NULL), 0);
	assert_false(jit_find(&j, &m, &o, 0x1000, 0, &sym, &err));
	assert_int_equal(err.code, ENOENT);
	write_file(p->other, "1000 10 first\n", "w");
	assert_true(jit_find(&j, &m, &o, 0x100f, 0, &sym, &err));
	assert_string_equal(sym.name, "first");
	assert_int_equal(sym.start, 0x1000);
	assert_int_equal(sym.end, 0x1010);
	assert_false(jit_find(&j, &m, &o, 0x2000, 0, &sym, &err));
	write_file(p->other, "2000 10 second\n", "a");
	assert_true(jit_find(&j, &m, &o, 0x2000, 0, &sym, &err));
	assert_string_equal(sym.name, "second");
	/* begun anew by another program of that number */
	write_file(p->other, "3000 10 third\n", "w");
	assert_true(jit_find(&j, &m, &o, 0x3000, 0, &sym, &err));
	assert_string_equal(sym.name, "third");
	jit_free(&j);
	process_free(&m);
	close(proc);
}

static const char *find(struct symbols *s, const struct process_model *m, u32 dso, u64 addr)
{
	struct symbol sym;

	return symbols_find(s, m, dso, addr, &sym) ? sym.name : "";
}

/* A process that has ended: the file below --symfs, and none of this machine's otherwise. */
static void test_ended(void **state)
{
	struct place *p = *state;
	struct symbols_options opt = {.demangle = true};
	struct process_model m;
	struct symbols *s;
	u32 dso;

	assert_int_equal(process_init(&m, NULL), 0);
	dso = process_dso(&m, "/tmp/perf-42.map", 16, DSO_PERF_MAP, 0, 0, 0);
	write_file(p->map, "1000 10 _Z6pretty\n", "w");
	opt.symfs = p->dir;
	s = symbols_new(&opt, NULL);
	assert_string_equal(find(s, &m, dso, 0x1004), "_Z6pretty");
	assert_string_equal(find(s, &m, dso, 0x2004), "");
	assert_null(symbols_note(s, 0));
	symbols_free(s);
	unlink(p->map);
	s = symbols_new(&opt, NULL);
	assert_string_equal(find(s, &m, dso, 0x1004), "");
	assert_string_equal(find(s, &m, dso, 0x1008), "");
	assert_non_null(strstr(symbols_note(s, 0), "/tmp/perf-42.map"));
	assert_null(symbols_note(s, 1));
	symbols_free(s);
	process_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		cmocka_unit_test_setup_teardown(test_growing, setup, teardown),
		cmocka_unit_test_setup_teardown(test_limits, setup, teardown),
		cmocka_unit_test_setup_teardown(test_who, setup, teardown),
		cmocka_unit_test_setup_teardown(test_jit, setup, teardown),
		cmocka_unit_test_setup_teardown(test_ended, setup, teardown),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("perf_map", tests, NULL, NULL);
}
