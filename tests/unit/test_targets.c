// SPDX-License-Identifier: GPL-2.0
/* Which threads are recorded, in a /proc made here whose tasks come and go. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "tests/unit/made.h"
#include "tests/unit/oom.h"
#include "util/capture/targets.h"

static char folder[64];
static int proc;

static void put(const char *text, const char *fmt, u32 pid, u32 tid)
{
	char path[64], *slash;
	int fd;

	snprintf(path, sizeof(path), "%u/task/%u", pid, tid);
	if (!tid)
		snprintf(path, sizeof(path), "%u", pid);
	strcat(path, fmt);
	for (slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdirat(proc, path, 0700);
		*slash = '/';
	}
	fd = openat(proc, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(io_write(fd, text, strlen(text)), 0);
	close(fd);
}

static void put_child(u32 parent, u32 pid, u32 tid, const char *comm)
{
	char text[64];

	put(comm, "/comm", pid, tid);
	/* pid 42 is root's, acting as 33; the others are all of 1000 */
	snprintf(text, sizeof(text), "Tgid:\t%u\nPid:\t%u\nPPid:\t%u\nUid:\t%u\t%u\t0\t0\n", pid,
		 tid, parent, pid == 42 ? 0 : 1000, pid == 42 ? 33 : 1000);
	put(text, "/status", tid, 0);
}

static void put_task(u32 pid, u32 tid, const char *comm)
{
	put_child(1, pid, tid, comm);
}

static int make_tree(void **state)
{
	(void)state;
	made_folder(folder);
	proc = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(proc >= 0);
	put_task(42, 42, "server\n");
	put_task(300, 300, "server\n");
	put_task(300, 301, "worker\n");
	put_task(300, 302, "worker\n");
	return 0;
}

static int remove_tree(void **state)
{
	(void)state;
	close(proc);
	made_folder_gone(folder);
	return 0;
}

static void show(const struct targets *t, struct buf *b)
{
	u32 i;

	buf_clear(b);
	for (i = 0; i < t->nr; i++)
		buf_addf(b, "%d ", t->v[i]);
}

static void expect(const struct targets_wanted *w, int ret, const char *want, const char *notes)
{
	struct buf said = {0}, b = {0};
	struct targets t = {0};
	struct err err = {0};

	assert_int_equal(targets_find(proc, w, &t, &said, &err), ret);
	show(&t, &b);
	assert_string_equal(ret ? err.msg : buf_str(&b), want);
	assert_string_equal(buf_str(&said), notes);
	assert_int_equal(err.code, -ret);
	buf_free(&said);
	buf_free(&b);
	targets_free(&t);
}

static void found(void **state)
{
	static const u32 processes[] = {300, 42, 300}, threads[] = {302, 42, 302};

	(void)state;
	expect(&(struct targets_wanted){.system_wide = true, .command = 5}, 0, "-1 ", "");
	expect(&(struct targets_wanted){.command = 5}, 0, "5 ", "");
	expect(&(struct targets_wanted){.pids = processes, .nr_pids = 2}, 0, "300 301 302 42 ", "");
	/* named twice, recorded once */
	expect(
		&(struct targets_wanted){
			.pids = processes, .nr_pids = 3, .tids = threads, .nr_tids = 3},
		0, "300 301 302 42 ", "");
	expect(&(struct targets_wanted){.tids = threads, .nr_tids = 3}, 0, "302 42 ", "");
	expect(&(struct targets_wanted){.comm = "server"}, 0, "42 300 301 302 ", "");
	expect(&(struct targets_wanted){.by_user = true, .user = 1000}, 0, "300 301 302 ", "");
	expect(&(struct targets_wanted){.by_user = true, .user = 33}, 0, "42 ", "");
	expect(&(struct targets_wanted){.by_user = true, .user = 0}, -ESRCH,
	       "user 0 has no process", "");
	/* either is enough */
	expect(&(struct targets_wanted){.by_user = true, .user = 33, .comm = "server"}, 0,
	       "42 300 301 302 ", "");
	expect(&(struct targets_wanted){.comm = "nobody"}, -ESRCH, "no process is named 'nobody'",
	       "");
}

static void dead(void **state)
{
	static const u32 gone[] = {7, 8}, some[] = {7, 42, 8}, threads[] = {9, 301};

	(void)state;
	expect(&(struct targets_wanted){.pids = gone, .nr_pids = 1}, -ESRCH,
	       "there is no process 7", "");
	expect(&(struct targets_wanted){.tids = gone, .nr_tids = 1}, -ESRCH, "there is no thread 7",
	       "");
	expect(&(struct targets_wanted){.pids = gone, .nr_pids = 2}, -ESRCH,
	       "there is no process 8", "");
	/* one that lives is enough */
	expect(&(struct targets_wanted){.pids = some, .nr_pids = 3}, 0, "42 ",
	       "there is no process 7: it is left out\n"
	       "there is no process 8: it is left out\n");
	expect(&(struct targets_wanted){.tids = threads, .nr_tids = 2}, 0, "301 ",
	       "there is no thread 9: it is left out\n");
	expect(&(struct targets_wanted){.pids = gone, .nr_pids = 1, .command = 5}, 0, "5 ",
	       "there is no process 7: it is left out\n");
	expect(&(struct targets_wanted){.pids = gone, .nr_pids = 1, .tids = threads, .nr_tids = 2},
	       0, "301 ",
	       "there is no process 7: it is left out\n"
	       "there is no thread 9: it is left out\n");
}

static void appeared(void **state)
{
	static const u32 processes[] = {300}, threads[] = {42};
	struct targets t = {0};
	struct buf b = {0};
	u32 from;

	(void)state;
	assert_int_equal(targets_find(proc,
				      &(struct targets_wanted){.pids = processes,
							       .nr_pids = 1,
							       .tids = threads,
							       .nr_tids = 1},
				      &t, &b, NULL),
			 0);
	from = t.nr;
	assert_int_equal(targets_new(proc, &t, NULL), 0);
	assert_int_equal(t.nr, from);
	put_task(300, 303, "late\n");
	put_task(42, 43, "sibling\n"); /* of a thread that was asked for alone */
	put_task(500, 500, "server\n");
	assert_int_equal(targets_new(proc, &t, NULL), 0);
	assert_int_equal(t.nr, from + 1);
	show(&t, &b);
	assert_string_equal(buf_str(&b), "300 301 302 42 303 ");
	assert_int_equal(targets_new(proc, &t, NULL), 0);
	assert_int_equal(t.nr, from + 1);
	buf_free(&b);
	targets_free(&t);
}

/* What a command has become: its threads, its children, and theirs, whatever their numbers. */
static void family(void **state)
{
	struct targets t = {0};
	struct buf b = {0};

	(void)state;
	put_child(1, 600, 600, "command\n");
	put_child(1, 600, 601, "thread\n");
	put_child(700, 650, 650, "grandchild\n");
	put_child(600, 700, 700, "child\n");
	put_child(1, 701, 701, "stranger\n");
	assert_int_equal(targets_find(proc, &(struct targets_wanted){.command = 600}, &t, &b, NULL),
			 0);
	assert_int_equal(targets_family(proc, &t, NULL), 0);
	show(&t, &b);
	assert_string_equal(buf_str(&b), "600 601 700 650 ");
	assert_int_equal(targets_family(proc, &t, NULL), 0);
	assert_int_equal(t.nr, 4);
	buf_free(&b);
	targets_free(&t);
}

/* A process that has ended by the second look. */
static void vanished(void **state)
{
	static const u32 processes[] = {600, 42};
	struct targets t = {0};
	struct buf b = {0};

	(void)state;
	put_task(600, 600, "short\n");
	assert_int_equal(targets_find(proc,
				      &(struct targets_wanted){.pids = processes, .nr_pids = 2}, &t,
				      &b, NULL),
			 0);
	assert_int_equal(renameat(proc, "600", proc, "was600"), 0);
	put_task(42, 44, "late\n");
	assert_int_equal(targets_new(proc, &t, NULL), 0);
	assert_int_equal(t.v[t.nr - 1], 44);
	buf_free(&b);
	targets_free(&t);
}

static void thousands(void **state)
{
	static const u32 processes[] = {9000};
	struct targets t = {0};
	struct buf b = {0};
	u32 i;

	(void)state;
	for (i = 0; i < 3000; i++)
		put("t\n", "/comm", 9000, 9000 + i);
	assert_int_equal(targets_find(proc,
				      &(struct targets_wanted){.pids = processes, .nr_pids = 1}, &t,
				      &b, NULL),
			 0);
	assert_int_equal(t.nr, 3000);
	assert_int_equal(targets_new(proc, &t, NULL), 0);
	assert_int_equal(t.nr, 3000);
	buf_free(&b);
	targets_free(&t);
}

static void memory(void **state)
{
	static const u32 processes[] = {7, 300};
	struct targets_wanted w = {.pids = processes, .nr_pids = 2, .comm = "server"};
	struct err err;
	unsigned int n;
	int ret, again;

	(void)state;
	for (n = 0;; n++) {
		struct targets t = {0};
		struct buf b = {0};

		oom_after(n);
		ret = targets_find(proc, &w, &t, &b, &err);
		again = ret ? 0 : targets_new(proc, &t, &err);
		targets_free(&t);
		buf_free(&b);
		if (!oom_stop())
			break;
		/* a folder that cannot be listed is one that is not there, or a note is lost */
		assert_true(ret == -ENOMEM || ret == -ESRCH || !ret);
		assert_true(again == -ENOMEM || !again);
	}
	assert_int_equal(ret, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(found),  cmocka_unit_test(dead),     cmocka_unit_test(appeared),
		cmocka_unit_test(family), cmocka_unit_test(vanished), cmocka_unit_test(thousands),
		cmocka_unit_test(memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("targets", tests, make_tree, remove_tree);
}
