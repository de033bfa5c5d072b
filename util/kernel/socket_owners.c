// SPDX-License-Identifier: GPL-2.0
#include "util/kernel/socket_owners.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/io.h"
#include "util/kernel/proc.h"

/* 0: it is no socket. */
static u64 socket_inode(int dir, const char *fd)
{
	static const char socket[] = "socket:[";
	char link[64];
	ssize_t n = readlinkat(dir, fd, link, sizeof(link) - 1);

	if (n < 0)
		return 0;
	link[n] = '\0';
	return strncmp(link, socket, sizeof(socket) - 1)
		       ? 0
		       : strtoull(link + sizeof(socket) - 1, NULL, 10);
}

/* Returns how many were found. */
static u32 look_at_socket(u64 inode, u32 pid, struct socket_owner *owners, u32 nr)
{
	u32 i, found = 0;

	for (i = 0; i < nr; i++) {
		if (owners[i].inode != inode || owners[i].pid)
			continue;
		owners[i].pid = pid;
		found++;
	}
	return found;
}

static u32 look_at_process(int proc, u32 pid, struct socket_owner *owners, u32 nr)
{
	struct dirent *d;
	u32 found = 0;
	char path[40];
	u64 inode;
	DIR *dir;

	snprintf(path, sizeof(path), "%u/fd", pid);
	if (io_opendir(proc, path, &dir))
		return 0;
	while ((d = readdir(dir))) {
		inode = socket_inode(dirfd(dir), d->d_name);
		if (inode)
			found += look_at_socket(inode, pid, owners, nr);
	}
	closedir(dir);
	return found;
}

int socket_owners_find(int proc, struct socket_owner *owners, u32 nr, struct err *err)
{
	struct proc_ids pids = {0};
	u32 i, missing = 0;
	int ret;

	for (i = 0; i < nr; i++)
		missing += !owners[i].pid;
	ret = missing ? proc_pids(proc, &pids, err) : 0;
	for (i = 0; !ret && missing && i < pids.nr; i++)
		missing -= look_at_process(proc, pids.v[i], owners, nr);
	for (i = 0; i < nr; i++)
		if (owners[i].pid && !owners[i].comm[0])
			proc_comm(proc, owners[i].pid, owners[i].pid, owners[i].comm);
	free(pids.v);
	return ret;
}
