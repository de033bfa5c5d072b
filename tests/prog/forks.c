// SPDX-License-Identifier: GPL-2.0
/*
 * forks - starts N processes (default 20), one after the other; each executes this program again,
 * which ends at once with a name of its own.
 *
 * Prints forks=N first=PID last=PID.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char *child[] = {argv[0], "--child", NULL};
	pid_t pid, first = 0, last = 0;
	int i, n, status;

	if (argc > 1 && !strcmp(argv[1], "--child")) {
		prctl(PR_SET_NAME, "forks-child");
		return 0;
	}
	n = argc > 1 ? atoi(argv[1]) : 20;
	for (i = 0; i < n; i++) {
		pid = fork();
		if (pid < 0) {
			perror("fork");
			return 1;
		}
		if (!pid) {
			execv("/proc/self/exe", child);
			_exit(127);
		}
		if (waitpid(pid, &status, 0) != pid || status) {
			fprintf(stderr, "forks: child %d failed: %d\n", pid, status);
			return 1;
		}
		first = first ? first : pid;
		last = pid;
	}
	printf("forks=%d first=%d last=%d\n", n, first, last);
	return 0;
}
