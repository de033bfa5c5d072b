// SPDX-License-Identifier: GPL-2.0
#include "util/capture/child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/base/io.h"
#include "util/base/text.h"

/* Can this path be executed? 0 or the errno that says why not. */
static int runnable(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return errno;
	if (S_ISDIR(st.st_mode))
		return EISDIR;
	return access(path, X_OK) ? errno : 0;
}

/* Look for the command as execvp(3) will. 0 or an errno. */
static int find_command(const char *name)
{
	const char *path = getenv("PATH"), *end;
	char full[PATH_MAX];
	int why = ENOENT, code;

	if (!*name)
		return ENOENT;
	if (strchr(name, '/'))
		return runnable(name);
	if (!path)
		path = "/bin:/usr/bin";
	for (; *path; path = *end ? end + 1 : end) {
		end = strchrnul(path, ':');
		if (snprintf(full, sizeof(full), "%.*s/%s", (int)(end - path),
			     end > path ? path : ".", name) >= (int)sizeof(full))
			continue;
		code = runnable(full);
		if (!code)
			return 0;
		if (code == EACCES)
			why = code;
	}
	return why;
}

static int not_found(struct child *c, const char *name, int code, struct err *err)
{
	c->error = code;
	if (code == ENOENT && !strchr(name, '/')) {
		err_set(err, code, "command not found: %s", *name ? name : "''");
		err_hint(err, "check the spelling, or give its path");
	} else if (code == ENOENT) {
		err_set(err, code,
			"cannot run %s: it, or the interpreter that it names, is not there", name);
		err_hint(err, "ls -l %s; head -n 1 %s", TEXT_SHELL(name), TEXT_SHELL(name));
	} else {
		err_set(err, code, "cannot run %s: %s", name, strerror(code));
		err_hint(err, "ls -l %s", TEXT_SHELL(name));
	}
	return -code;
}

/*
 * The recorder's own signal arrangements are not the command's. While that waits for its exec, a signal to the process
 * group ends it as well.
 */
static void forget_signals(void)
{
	sigset_t all, none;
	int sig;

	sigfillset(&all);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &all, NULL);
	for (sig = 1; sig < NSIG; sig++)
		if (signal(sig, SIG_DFL) == SIG_IGN && sig != SIGPIPE && sig != SIGXFSZ)
			signal(sig, SIG_IGN);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* A standard descriptor that --control took is not the command's; without one, its first file would get the number. */
static void replace_taken(void)
{
	int fd, null;

	for (fd = 0; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) != FD_CLOEXEC)
			continue;
		null = open("/dev/null", O_RDWR);
		dup2(null, fd);
		close(null);
	}
}

static void exec_command(int go, int result, char *const argv[], bool own_output)
{
	const char *base = strrchr(argv[0], '/');
	char c;
	int code;

	/* what it does before its exec is the command's doing, not the recorder's */
	prctl(PR_SET_NAME, base ? base + 1 : argv[0]);

	forget_signals();
	if (own_output)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	replace_taken();
	if (io_read(go, &c, 1) != 1)
		_exit(127);
	execvp(argv[0], argv);
	code = errno;
	io_write(result, &code, sizeof(code));
	_exit(127);
}

int child_fork(struct child *c, char *const argv[], bool own_output, struct err *err)
{
	int go[2], result[2], code;

	*c = (struct child){.go = -1, .result = -1, .pidfd = -1};
	code = find_command(argv[0]);
	if (code)
		return not_found(c, argv[0], code, err);
	if (pipe2(go, O_CLOEXEC))
		return err_set(err, errno, "cannot make a pipe: %s", strerror(errno));
	if (pipe2(result, O_CLOEXEC)) {
		code = errno;
		close(go[0]);
		close(go[1]);
		return err_set(err, code, "cannot make a pipe: %s", strerror(code));
	}
	c->pid = fork();
	if (c->pid == 0) {
		close(go[1]);
		close(result[0]);
		exec_command(go[0], result[1], argv, own_output);
	}
	code = errno;
	close(go[0]);
	close(result[1]);
	c->go = go[1];
	c->result = result[0];
	if (c->pid < 0) {
		c->pid = 0;
		child_finish(c, false);
		return err_set(err, code, "cannot fork: %s", strerror(code));
	}
	c->pidfd = (int)syscall(SYS_pidfd_open, c->pid, 0);
	return 0;
}

int child_start(struct child *c, const char *name, struct err *err)
{
	ssize_t n;
	int code = 0, ret = io_write_quietly(c->go, "g", 1);

	if (ret)
		return err_set(err, -ret, "cannot start '%s': %s", name, strerror(-ret));
	close(c->go);
	c->go = -1;
	n = io_read(c->result, &code, sizeof(code));
	close(c->result);
	c->result = -1;
	if (n != sizeof(code))
		return 0;
	/* it ends, and child_finish() does not wait for one that was let go */
	while (wait4(c->pid, &c->status, 0, &c->usage) < 0 && errno == EINTR)
		;
	c->reaped = true;
	return not_found(c, name, code, err);
}

bool child_poll(struct child *c)
{
	pid_t ended;

	if (!c->pid || c->reaped)
		return c->reaped;
	ended = wait4(c->pid, &c->status, WNOHANG, &c->usage);
	/* somebody else may have reaped it: a program that we are a library of */
	c->reaped = ended == c->pid || (ended < 0 && errno == ECHILD);
	return c->reaped;
}

static void send_signal(const struct child *c, int sig)
{
	if (c->pidfd < 0 || syscall(SYS_pidfd_send_signal, c->pidfd, sig, NULL, 0))
		kill(c->pid, sig);
}

static bool wait_for_end(struct child *c, int ms)
{
	struct pollfd ended = {.fd = c->pidfd, .events = POLLIN};
	int ret;

	if (c->pidfd >= 0)
		do
			ret = poll(&ended, 1, ms);
		while (ret < 0 && errno == EINTR);
	return child_poll(c);
}

void child_end(struct child *c, int ms)
{
	if (!c->pid || c->go >= 0 || child_poll(c))
		return;
	send_signal(c, SIGTERM);
	if (wait_for_end(c, ms))
		return;
	send_signal(c, SIGKILL);
	wait_for_end(c, ms);
}

void child_finish(struct child *c, bool wait)
{
	bool started = c->go < 0;

	/* one that waits to start need not see the end of its socket: another child may have a copy */
	if (!started && c->pid && !child_poll(c))
		send_signal(c, SIGKILL);
	if (c->go >= 0)
		close(c->go);
	if (c->result >= 0)
		close(c->result);
	if (c->pidfd >= 0)
		close(c->pidfd);
	c->go = c->result = c->pidfd = -1;
	if (!c->pid || c->reaped)
		return;
	if ((wait || !started) && wait4(c->pid, &c->status, 0, &c->usage) == c->pid)
		c->reaped = true;
}

int child_exit_code(const struct child *c)
{
	if (!c->reaped)
		return 0;
	return WIFSIGNALED(c->status) ? 128 + WTERMSIG(c->status) : WEXITSTATUS(c->status);
}
