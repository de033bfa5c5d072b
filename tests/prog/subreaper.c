// SPDX-License-Identifier: GPL-2.0
/*
 * subreaper - runs a command, and waits until all processes that it left behind have ended, too. Writes the name of each
 * of them to FILE, a line each: those whose parents ended before them. Ends as the command did.
 *
 *	subreaper FILE COMMAND [ARG...]
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void write_name(FILE *to, pid_t pid)
{
	char path[64], name[64] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	f = fopen(path, "r");
	if (!f || !fgets(name, sizeof(name), f))
		perror(path);
	fputs(name, to);
	if (f)
		fclose(f);
}

int main(int argc, char **argv)
{
	FILE *to = argc > 2 ? fopen(argv[1], "w") : NULL;
	int status, code = -1;
	siginfo_t ended;
	pid_t pid;

	if (!to || prctl(PR_SET_CHILD_SUBREAPER, 1)) {
		perror("subreaper");
		return 125;
	}
	pid = fork();
	if (pid < 0) {
		perror("fork");
		return 125;
	}
	if (!pid) {
		fclose(to);
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	/* a name can be read as long as nobody has waited */
	while (!waitid(P_ALL, 0, &ended, WEXITED | WNOWAIT)) {
		if (ended.si_pid != pid)
			write_name(to, ended.si_pid);
		waitpid(ended.si_pid, &status, 0);
		if (ended.si_pid == pid)
			code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	}
	fclose(to);
	return code;
}
