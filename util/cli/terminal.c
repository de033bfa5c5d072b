// SPDX-License-Identifier: GPL-2.0
#include "util/cli/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "util/base/clock.h"
#include "util/base/io.h"

#define WORDS_MAX 16

/* The user's pager, "less" if there is none, or NULL where none is wanted. */
static const char *pager_command(bool *asked)
{
	const char *s = getenv("PERF_LITE_PAGER");

	if (!s)
		s = getenv("PAGER");
	*asked = s != NULL;
	if (!s)
		s = "less";
	return *s && strcmp(s, "cat") ? s : NULL;
}

/*
 * Split a plain command at its blanks, in place. False if it holds anything that a shell would
 * read otherwise; it is left as it was then.
 */
static bool split_plain(char *s, char *words[WORDS_MAX + 1])
{
	unsigned int n = 0;
	char *p = s, *save;

	if (strpbrk(s, "|&;<>()$`\\\"'*?[#~=%!{}\n\t"))
		return false;
	for (; *p; p++)
		n += *p != ' ' && (p == s || p[-1] == ' ');
	if (!n || n > WORDS_MAX)
		return false;
	n = 0;
	for (p = strtok_r(s, " ", &save); p; p = strtok_r(NULL, " ", &save))
		words[n++] = p;
	words[n] = NULL;
	return true;
}

/* In the child: become the pager, or write errno to `report`. */
static void run_pager(char **words, int in, int report, pid_t parent)
{
	static const int defaults[] = {SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGHUP};
	sigset_t none;
	unsigned int i;
	int code;

	for (i = 0; i < ARRAY_SIZE(defaults); i++)
		signal(defaults[i], SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* A pager without its writer would fight the shell for the keyboard. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(1);
	setenv("LESS", "FRX", 0);
	setenv("LV", "-c", 0);
	if (dup2(in, STDIN_FILENO) >= 0)
		execvp(words[0], words);
	code = errno;
	(void)io_write(report, &code, sizeof(code));
	_exit(127);
}

/* Start the pager on the read end of `data`; 0 or the -errno of its start. */
static int spawn(struct pager *p, char **words, int data[2])
{
	pid_t parent = getpid();
	int report[2], code = 0;
	ssize_t n;

	if (pipe2(report, O_CLOEXEC))
		return -errno;
	p->pid = fork();
	if (p->pid == 0)
		run_pager(words, data[0], report[1], parent);
	if (p->pid < 0)
		code = errno;
	close(report[1]);
	/* The pipe closes when exec succeeds, else it brings errno. */
	n = p->pid < 0 ? 0 : io_read(report[0], &code, sizeof(code));
	close(report[0]);
	if (n == sizeof(code))
		while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
			;
	return -code;
}

static int start_command(struct pager *p, const char *command)
{
	char *words[WORDS_MAX + 1], *copy = strdup(command);
	int data[2], ret;

	if (!copy)
		return -ENOMEM;
	if (!split_plain(copy, words)) {
		words[0] = "/bin/sh";
		words[1] = "-c";
		words[2] = copy;
		words[3] = NULL;
	}
	if (pipe2(data, O_CLOEXEC)) {
		ret = -errno;
		free(copy);
		return ret;
	}
	ret = spawn(p, words, data);
	if (!ret) {
		p->stdout_fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
		if (p->stdout_fd < 0 || dup2(data[1], STDOUT_FILENO) < 0)
			ret = -errno;
	}
	close(data[0]);
	close(data[1]);
	free(copy);
	return ret;
}

int pager_start(struct pager *p, struct err *err)
{
	const char *command;
	bool asked;
	int ret;

	*p = (struct pager){0};
	if (!isatty(STDOUT_FILENO))
		return 0;
	command = pager_command(&asked);
	if (!command)
		return 0;
	fflush(stdout);
	ret = start_command(p, command);
	if (!ret)
		return 0;
	*p = (struct pager){0};
	if (!asked)
		return 0;
	err_set(err, -ret, "cannot start the pager '%s': %s", command, strerror(-ret));
	err_hint(err, "PERF_LITE_PAGER=cat turns it off");
	return ret;
}

void pager_finish(struct pager *p)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, old_int, old_quit;

	if (!p->pid)
		return;
	fflush(stdout);
	sigaction(SIGINT, &ignore, &old_int);
	sigaction(SIGQUIT, &ignore, &old_quit);
	/* This closes the last write end of the pipe: the pager sees the end of the text. */
	dup2(p->stdout_fd, STDOUT_FILENO);
	close(p->stdout_fd);
	while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
		;
	sigaction(SIGINT, &old_int, NULL);
	sigaction(SIGQUIT, &old_quit, NULL);
	*p = (struct pager){0};
}

int terminal_colour_option(void *when, const char *arg, struct err *err)
{
	static const char *const names[] = {
		[COLOUR_AUTO] = "auto", [COLOUR_ALWAYS] = "always", [COLOUR_NEVER] = "never"};
	unsigned int i;

	if (!arg)
		arg = names[COLOUR_ALWAYS];
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (!strcmp(arg, names[i])) {
			*(enum colour_when *)when = i;
			return 0;
		}
	}
	return err_set(err, EINVAL, "--color takes auto, always or never, not '%s'", arg);
}

bool terminal_has_colour(enum colour_when when, int fd)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	if (when != COLOUR_AUTO)
		return when == COLOUR_ALWAYS;
	if ((no && *no) || !term || !*term || !strcmp(term, "dumb"))
		return false;
	return isatty(fd);
}

const char *terminal_colour(bool wanted, enum colour c)
{
	static const char *const codes[] = {
		[COLOUR_OFF] = "\033[m",     [COLOUR_BOLD] = "\033[1m",
		[COLOUR_DIM] = "\033[2m",    [COLOUR_RED] = "\033[31m",
		[COLOUR_GREEN] = "\033[32m", [COLOUR_YELLOW] = "\033[33m",
	};

	return wanted ? codes[c] : "";
}

#define QUIET_NS   500000000
#define BETWEEN_NS 100000000

/* Begin of line, and erase to its end (ECMA-48 EL). */
#define ERASE "\r\033[K"

void progress_start(struct progress *p, const char *what, int fd)
{
	*p = (struct progress){.what = what, .fd = fd, .on = isatty(fd)};
	if (p->on)
		p->next_ns = clock_ns(CLOCK_MONOTONIC) + QUIET_NS;
}

void progress_update(struct progress *p, u64 done, u64 total)
{
	struct winsize ws = {0};
	char line[160], amount[32];
	int width = 80;
	u64 now;

	if (!p->on)
		return;
	now = clock_ns(CLOCK_MONOTONIC);
	if (now < p->next_ns)
		return;
	p->next_ns = now + BETWEEN_NS;
	if (total)
		snprintf(amount, sizeof(amount), "%u%%",
			 (unsigned int)((unsigned __int128)MIN(done, total) * 100 / total));
	else
		snprintf(amount, sizeof(amount), "%llu MiB", (unsigned long long)(done >> 20));
	if (!ioctl(p->fd, TIOCGWINSZ, &ws) && ws.ws_col)
		width = MIN((int)ws.ws_col, 120);
	/* The last column stays free: some terminals would move to the next line. */
	snprintf(line, sizeof(line), ERASE "%.*s  %s", MAX(width - (int)strlen(amount) - 3, 0),
		 p->what, amount);
	/* It is decoration: a terminal that is gone is no error. */
	(void)io_write(p->fd, line, strlen(line));
	p->shown = true;
}

void progress_end(struct progress *p)
{
	if (p->shown)
		(void)io_write(p->fd, ERASE, strlen(ERASE));
	p->shown = false;
}

size_t terminal_width(int fd)
{
	struct winsize ws = {0};

	if (!isatty(fd))
		return SIZE_MAX;
	return !ioctl(fd, TIOCGWINSZ, &ws) && ws.ws_col && ws.ws_col < TERMINAL_WIDTH_MAX
		       ? ws.ws_col
		       : TERMINAL_WIDTH_MAX;
}

u32 terminal_columns(int fd)
{
	struct winsize ws = {0};

	if (!isatty(fd))
		return 0;
	return !ioctl(fd, TIOCGWINSZ, &ws) && ws.ws_col ? ws.ws_col : 80;
}

void terminal_wrap(struct buf *out, const char *text, size_t column, size_t indent, size_t width)
{
	bool first = true;

	while (*text) {
		size_t word = strcspn(text, " ");

		if (!first && column + 1 + word > width) {
			buf_addc(out, '\n');
			buf_pad(out, ' ', indent);
			column = indent;
		} else if (!first) {
			buf_addc(out, ' ');
			column++;
		}
		buf_add(out, text, word);
		column += word;
		text += word;
		text += strspn(text, " ");
		first = false;
	}
	buf_addc(out, '\n');
}
