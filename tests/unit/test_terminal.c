// SPDX-License-Identifier: GPL-2.0
/*
 * Colour, progress and pager, on a pseudo-terminal and without one.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "util/base/buf.h"
#include "util/cli/terminal.h"

struct pty {
	int master, slave;
};

static int pty_open(void **state)
{
	static struct pty p;

	p.master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (p.master < 0 || grantpt(p.master) || unlockpt(p.master))
		return -1;
	p.slave = open(ptsname(p.master), O_RDWR | O_NOCTTY | O_CLOEXEC);
	*state = &p;
	return p.slave < 0 ? -1 : 0;
}

static int pty_close(void **state)
{
	struct pty *p = *state;

	close(p->master);
	close(p->slave);
	return 0;
}

/* What has come out of the terminal so far. */
static const char *pty_text(const struct pty *p, char *text, size_t size)
{
	struct pollfd pfd = {.fd = p->master, .events = POLLIN};
	size_t len = 0;
	ssize_t n;

	while (len < size - 1 && poll(&pfd, 1, 100) > 0) {
		n = read(p->master, text + len, size - 1 - len);
		if (n <= 0)
			break;
		len += (size_t)n;
	}
	text[len] = '\0';
	return text;
}

static void colour_option_values(void **state)
{
	enum colour_when when = COLOUR_AUTO;
	struct err err = {0};

	(void)state;
	assert_int_equal(terminal_colour_option(&when, "never", &err), 0);
	assert_int_equal(when, COLOUR_NEVER);
	assert_int_equal(terminal_colour_option(&when, NULL, &err), 0);
	assert_int_equal(when, COLOUR_ALWAYS);
	assert_int_equal(terminal_colour_option(&when, "auto", &err), 0);
	assert_int_equal(when, COLOUR_AUTO);
	assert_int_equal(terminal_colour_option(&when, "blue", &err), -EINVAL);
}

static void colour_rules(void **state)
{
	struct pty *p = *state;
	int null = open("/dev/null", O_WRONLY);

	unsetenv("NO_COLOR");
	setenv("TERM", "xterm", 1);
	assert_true(terminal_has_colour(COLOUR_AUTO, p->slave));
	assert_false(terminal_has_colour(COLOUR_AUTO, null));
	assert_true(terminal_has_colour(COLOUR_ALWAYS, null));
	assert_false(terminal_has_colour(COLOUR_NEVER, p->slave));
	setenv("NO_COLOR", "1", 1);
	assert_false(terminal_has_colour(COLOUR_AUTO, p->slave));
	assert_true(terminal_has_colour(COLOUR_ALWAYS, p->slave));
	setenv("NO_COLOR", "", 1);
	assert_true(terminal_has_colour(COLOUR_AUTO, p->slave));
	setenv("TERM", "dumb", 1);
	assert_false(terminal_has_colour(COLOUR_AUTO, p->slave));
	assert_string_equal(terminal_colour(false, COLOUR_RED), "");
	assert_string_equal(terminal_colour(true, COLOUR_RED), "\033[31m");
	unsetenv("NO_COLOR");
	close(null);
}

static void progress_is_shown_late(void **state)
{
	struct pty *p = *state;
	struct progress g;
	char text[4096];
	unsigned int i;

	progress_start(&g, "Reading", p->slave);
	progress_update(&g, 1, 4);
	progress_end(&g);
	assert_string_equal(pty_text(p, text, sizeof(text)), "");

	progress_start(&g, "Reading", p->slave);
	usleep(550000);
	for (i = 0; i < 1000; i++)
		progress_update(&g, 2, 4);
	assert_string_equal(pty_text(p, text, sizeof(text)), "\r\033[KReading  50%");
	progress_end(&g);
	progress_end(&g);
	assert_string_equal(pty_text(p, text, sizeof(text)), "\r\033[K");
}

static void progress_needs_a_terminal(void **state)
{
	struct progress g;
	int fds[2];
	char c;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	progress_start(&g, "Reading", fds[1]);
	g.next_ns = 0;
	progress_update(&g, 1, 2);
	progress_end(&g);
	close(fds[1]);
	assert_int_equal(read(fds[0], &c, 1), 0);
	close(fds[0]);
}

/*
 * In a child whose standard output is the terminal (or not): write through the pager. Returns the
 * exit status, with what the terminal got in text.
 */
static int page(const struct pty *p, bool terminal, char *text, size_t size)
{
	struct pager pager;
	int status, fds[2];
	struct err err = {0};
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (!pid) {
		dup2(terminal ? p->slave : fds[1], STDOUT_FILENO);
		status = pager_start(&pager, &err) ? 1 : 0;
		printf("hello");
		pager_finish(&pager);
		printf(" end");
		fflush(stdout);
		_exit(status);
	}
	close(fds[1]);
	/* what it writes is short: all of it waits on the terminal when the child has ended */
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (terminal) {
		pty_text(p, text, size);
	} else {
		ssize_t n = read(fds[0], text, size - 1);

		text[MAX(n, 0)] = '\0';
	}
	close(fds[0]);
	return WEXITSTATUS(status);
}

static void pager_is_used(void **state)
{
	struct pty *p = *state;
	char text[4096];

	setenv("PAGER", "tr a-z A-Z", 1);
	assert_int_equal(page(p, true, text, sizeof(text)), 0);
	assert_string_equal(text, "HELLO end");
	setenv("PERF_LITE_PAGER", "sed 's/^/>/' | tr l L", 1);
	assert_int_equal(page(p, true, text, sizeof(text)), 0);
	assert_string_equal(text, ">heLLo end");
	assert_int_equal(page(p, false, text, sizeof(text)), 0);
	assert_string_equal(text, "hello end");
	unsetenv("PERF_LITE_PAGER");
	unsetenv("PAGER");
}

static void pager_environment(void **state)
{
	struct pty *p = *state;
	char text[4096];

	unsetenv("LESS");
	/* it must read its input: a pager that leaves early ends the command, as it should */
	setenv("PAGER", "printenv LESS; cat >/dev/null", 1);
	assert_int_equal(page(p, true, text, sizeof(text)), 0);
	assert_string_equal(text, "FRX\r\n end");
	setenv("LESS", "S", 1);
	assert_int_equal(page(p, true, text, sizeof(text)), 0);
	assert_string_equal(text, "S\r\n end");
	unsetenv("LESS");
	unsetenv("PAGER");
}

static void pager_is_off(void **state)
{
	static const char *const off[] = {"cat", ""};
	struct pty *p = *state;
	char text[4096];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(off); i++) {
		setenv("PAGER", off[i], 1);
		assert_int_equal(page(p, true, text, sizeof(text)), 0);
		assert_string_equal(text, "hello end");
	}
	unsetenv("PAGER");
}

static void pager_is_missing(void **state)
{
	struct pty *p = *state;
	char text[4096];

	setenv("PAGER", "/nonexistent/pager", 1);
	assert_int_equal(page(p, true, text, sizeof(text)), 1);
	assert_string_equal(text, "hello end");
	unsetenv("PAGER");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(colour_option_values),
		cmocka_unit_test_setup_teardown(colour_rules, pty_open, pty_close),
		cmocka_unit_test_setup_teardown(progress_is_shown_late, pty_open, pty_close),
		cmocka_unit_test(progress_needs_a_terminal),
		cmocka_unit_test_setup_teardown(pager_is_used, pty_open, pty_close),
		cmocka_unit_test_setup_teardown(pager_environment, pty_open, pty_close),
		cmocka_unit_test_setup_teardown(pager_is_off, pty_open, pty_close),
		cmocka_unit_test_setup_teardown(pager_is_missing, pty_open, pty_close),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("terminal", tests, NULL, NULL);
}
