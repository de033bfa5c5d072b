// SPDX-License-Identifier: GPL-2.0
#include "util/cli/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

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
