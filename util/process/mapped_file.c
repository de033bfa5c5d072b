// SPDX-License-Identifier: GPL-2.0
#include "util/process/mapped_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/io.h"

#define OPEN_FLAGS (O_RDONLY | O_NONBLOCK | O_NOCTTY)

/* As mapped_file_open(). */
static int absence(int ret)
{
	switch (-ret) {
	case EACCES:
	case EPERM:
	case ENOTDIR:
	case ESRCH:
	case ELOOP:
	case ENAMETOOLONG:
		return -ENOENT;
	default:
		return ret;
	}
}

/* Try a path where none before had the file: by another inode, it was replaced. `*fd`: as mapped_file_open(). */
static void try_path(const struct dso *d, int dirfd, const char *path, int *fd)
{
	struct stat st;
	int found;

	if (*fd >= 0)
		return;
	found = io_open(dirfd, path, OPEN_FLAGS);
	if (found < 0) {
		*fd = *fd == -ENOENT ? absence(found) : *fd;
		return;
	}
	if (!fstat(found, &st) && S_ISREG(st.st_mode) && (!d->ino || st.st_ino == d->ino))
		*fd = found;
	else
		close(found);
}

/* What the kernel has made of the mapping since: cut, or joined with its neighbour. */
static void try_overlapping(const struct dso *d, const struct map *map, u32 pid, int proc, int *fd)
{
	unsigned long long start, end;
	const struct dirent *e;
	char path[64];
	DIR *dir;

	/* only the inode would identify the file */
	if (*fd >= 0 || !d->ino)
		return;
	snprintf(path, sizeof(path), "%u/map_files", pid);
	if (io_opendir(proc, path, &dir))
		return;
	while (*fd < 0 && (e = readdir(dir)))
		if (sscanf(e->d_name, "%llx-%llx", &start, &end) == 2 && start < map->end &&
		    end > map->start)
			try_path(d, dirfd(dir), e->d_name, fd);
	closedir(dir);
}

int mapped_file_open(const struct dso *d, const struct map *map, u32 pid, int proc)
{
	char path[4096 + 64];
	int fd = -ENOENT;

	snprintf(path, sizeof(path), "%u/root%s", pid, d->name);
	try_path(d, proc, path, &fd);
	snprintf(path, sizeof(path), "%u/map_files/%llx-%llx", pid, (unsigned long long)map->start,
		 (unsigned long long)map->end);
	try_path(d, proc, path, &fd);
	try_overlapping(d, map, pid, proc, &fd);
	/* map_files asks for more privileges than this */
	snprintf(path, sizeof(path), "%u/exe", pid);
	if (d->ino)
		try_path(d, proc, path, &fd);
	/* the process has ended, and the file is still there */
	try_path(d, proc, d->name, &fd);
	return fd;
}
