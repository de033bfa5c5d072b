// SPDX-License-Identifier: GPL-2.0
#include "util/capture/background_close.h"

#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

void background_close_others(int kept)
{
	DIR *dir = opendir("/proc/self/fd");
	const struct dirent *entry;
	char link[32];
	ssize_t len;
	int fd;

	for (fd = 0; fd <= STDERR_FILENO; fd++)
		close(fd);
	while (dir && (entry = readdir(dir))) {
		fd = atoi(entry->d_name);
		len = readlinkat(dirfd(dir), entry->d_name, link, sizeof(link) - 1);
		if (len < 0 || fd == kept || fd == dirfd(dir))
			continue;
		link[len] = '\0';
		if (strcmp(link, "anon_inode:[perf_event]"))
			close(fd);
	}
	if (dir)
		closedir(dir);
}

void background_close(u32 nr_tracepoints)
{
	struct pollfd parent = {.events = POLLIN};
	sigset_t all;

	if (nr_tracepoints <= QUICK_TRACEPOINTS)
		return;
	parent.fd = (int)syscall(SYS_pidfd_open, getpid(), 0);
	if (parent.fd < 0)
		return;
	if (fork()) {
		close(parent.fd);
		return;
	}
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	setsid();
	prctl(PR_SET_NAME, "perf-lite-close");
	background_close_others(parent.fd);
	while (poll(&parent, 1, -1) < 0)
		;
	_exit(0);
}
