// SPDX-License-Identifier: GPL-2.0
/*
 * execs - N processes (default 300) that each execute this program anew and then stand still; at the
 * first byte, or the end, of standard input they go on, one after the other, and show who they are:
 * each makes five getppid(2) calls, a millisecond apart, from main -> child_main -> child_work.
 *
 * A name and mappings that somebody missed while the processes were started are missing in all that
 * is seen of them later. Their name is "exe", after the path that is executed; the parent's is "execs".
 *
 * Prints "ready" when all stand still, and execs=N when all have ended.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CALLS = 5 };

struct child {
	pid_t pid;
	int go;
};

__attribute__((noinline)) static void child_work(void)
{
	int i;

	for (i = 0; i < CALLS; i++) {
		syscall(SYS_getppid, i);
		usleep(1000);
	}
}

/* Standard input is the pipe from the parent, standard output the one to it. */
static int child_main(void)
{
	char c = 'r';

	if (write(STDOUT_FILENO, &c, 1) != 1 || read(STDIN_FILENO, &c, 1) != 1)
		return 1;
	child_work();
	__asm__ volatile("");
	return 0;
}

static int start(struct child *c)
{
	char *args[] = {(char *)"execs", (char *)"--child", NULL};
	int down[2], up[2];
	char ready;

	if (pipe2(down, O_CLOEXEC) || pipe2(up, O_CLOEXEC)) {
		perror("pipe");
		return -1;
	}
	c->pid = fork();
	if (c->pid < 0) {
		perror("fork");
		return -1;
	}
	if (!c->pid) {
		dup2(down[0], STDIN_FILENO);
		dup2(up[1], STDOUT_FILENO);
		execv("/proc/self/exe", args);
		_exit(127);
	}
	close(down[0]);
	close(up[1]);
	c->go = down[1];
	if (read(up[0], &ready, 1) != 1) {
		fprintf(stderr, "execs: a child did not start\n");
		return -1;
	}
	close(up[0]);
	return 0;
}

int main(int argc, char **argv)
{
	struct child *children;
	int i, n, status, failed = 0;
	char c;

	if (argc > 1 && !strcmp(argv[1], "--child"))
		return child_main();
	n = argc > 1 ? atoi(argv[1]) : 300;
	children = calloc((size_t)n + 1, sizeof(*children));
	if (!children)
		return 1;
	for (i = 0; i < n; i++)
		if (start(&children[i]))
			return 1;
	printf("ready\n");
	fflush(stdout);
	if (read(STDIN_FILENO, &c, 1) < 0)
		perror("execs: standard input");
	for (i = 0; i < n; i++) {
		if (write(children[i].go, "g", 1) != 1)
			perror("execs: pipe");
		if (waitpid(children[i].pid, &status, 0) != children[i].pid || status)
			failed++;
	}
	printf("execs=%d\n", n - failed);
	return failed != 0;
}
