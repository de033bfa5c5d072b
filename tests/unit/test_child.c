// SPDX-License-Identifier: GPL-2.0
/* The command to be recorded: it waits, runs as if started from a shell, and is reaped. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "tests/unit/made.h"
#include "util/capture/child.h"

static int run_beside(const char *script, bool own_output)
{
	char *argv[] = {"sh", "-c", (char *)(uintptr_t)script, NULL};
	struct err err = {0};
	struct child c;

	assert_int_equal(child_fork(&c, argv, own_output, &err), 0);
	assert_true(c.pid > 0);
	assert_false(child_poll(&c));
	assert_int_equal(child_start(&c, argv[0], &err), 0);
	child_finish(&c, true);
	assert_true(c.reaped);
	return child_exit_code(&c);
}

static int run(const char *script)
{
	return run_beside(script, false);
}

static void exit_codes(void **state)
{
	(void)state;
	assert_int_equal(run("exit 0"), 0);
	assert_int_equal(run("exit 7"), 7);
	assert_int_equal(run("kill -TERM $$"), 128 + SIGTERM);
}

/* Nothing of the command happens before it is let go. */
static void waits(void **state)
{
	char folder[64], script[128], *argv[] = {"sh", "-c", script, NULL};
	struct err err = {0};
	struct stat st;
	struct child c;
	char path[96];

	(void)state;
	made_folder(folder);
	snprintf(path, sizeof(path), "%s/ran", folder);
	snprintf(script, sizeof(script), "touch %s", path);
	assert_int_equal(child_fork(&c, argv, false, &err), 0);
	usleep(20000);
	assert_false(child_poll(&c));
	child_finish(&c, false);
	/* it never started, and is gone */
	assert_true(c.reaped);
	assert_int_equal(waitpid(c.pid, NULL, 0), -1);
	assert_int_equal(stat(path, &st), -1);
	assert_int_equal(child_fork(&c, argv, false, &err), 0);
	assert_int_equal(child_start(&c, argv[0], &err), 0);
	child_finish(&c, true);
	assert_int_equal(stat(path, &st), 0);
	made_folder_gone(folder);
}

/* What the recorder does with signals is not the command's. */
static void signals(void **state)
{
	sigset_t mask, old;

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	sigemptyset(&mask);
	sigaddset(&mask, SIGTERM);
	sigprocmask(SIG_BLOCK, &mask, &old);
	assert_int_equal(run("kill -PIPE $$; exit 9"), 128 + SIGPIPE);
	assert_int_equal(run("kill -XFSZ $$; exit 9"), 128 + SIGXFSZ);
	assert_int_equal(run("kill -TERM $$; exit 9"), 128 + SIGTERM);
	sigprocmask(SIG_SETMASK, &old, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
}

/* Where standard output has data of ours, what the command prints there is on standard error. */
static void output(void **state)
{
	const char *same = "test /proc/self/fd/1 -ef /proc/self/fd/2";
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC), saved = dup(STDERR_FILENO);

	(void)state;
	assert_int_equal(dup2(fd, STDERR_FILENO), STDERR_FILENO);
	assert_int_equal(run_beside(same, false), 1);
	assert_int_equal(run_beside(same, true), 0);
	assert_int_equal(dup2(saved, STDERR_FILENO), STDERR_FILENO);
	close(saved);
	close(fd);
}

static void expect_none(const char *name, int ret, const char *msg)
{
	char *argv[] = {(char *)(uintptr_t)name, NULL};
	struct err err = {0};
	struct child c;

	assert_int_equal(child_fork(&c, argv, false, &err), ret);
	assert_non_null(strstr(err.msg, msg));
	assert_int_equal(c.pid, 0);
	child_finish(&c, true);
	assert_int_equal(child_exit_code(&c), 0);
}

static void no_command(void **state)
{
	char folder[64], path[96], want[160], *argv[] = {path, NULL};
	struct err err = {0};
	struct child c;
	int fd;

	(void)state;
	/* a folder that cannot be read would be another error */
	setenv("PATH", "/usr/bin:/bin", 1);
	made_folder(folder);
	expect_none("no-such-command", -ENOENT, "command not found: no-such-command");
	expect_none("/no/such", -ENOENT, "cannot run /no/such: ");
	expect_none("/tmp", -EISDIR, "cannot run /tmp: Is a directory");
	expect_none("", -ENOENT, "command not found: ''");
	snprintf(path, sizeof(path), "%s/script", folder);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(io_write(fd, "#!/no/such/interpreter\n", 23), 0);
	close(fd);
	snprintf(want, sizeof(want), "cannot run %s: Permission denied", path);
	expect_none(path, -EACCES, want);
	/* only the exec itself can find out */
	assert_int_equal(chmod(path, 0700), 0);
	assert_int_equal(child_fork(&c, argv, false, &err), 0);
	assert_int_equal(child_start(&c, path, &err), -ENOENT);
	assert_non_null(strstr(err.msg, path));
	child_finish(&c, false);
	assert_true(c.reaped);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(child_exit_code(&c), 127);
	made_folder_gone(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exit_codes), cmocka_unit_test(waits),
		cmocka_unit_test(signals),    cmocka_unit_test(output),
		cmocka_unit_test(no_command),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("child", tests, NULL, NULL);
}
