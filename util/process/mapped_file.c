// SPDX-License-Identifier: GPL-2.0
#include "util/process/mapped_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/io.h"

#define OPEN_FLAGS (O_RDONLY | O_NONBLOCK | O_NOCTTY)

/* The file, if it is the one that was mapped: by another inode, it was replaced. */
static int open_same(const struct dso *d, int dirfd, const char *path)
{
	int fd = io_open(dirfd, path, OPEN_FLAGS);
	struct stat st;

	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && (!d->ino || st.st_ino == d->ino))
		return fd;
	close(fd);
	return -1;
}

/* What the kernel has made of the mapping since: cut, or joined with its neighbour. */
static int open_overlapping(const struct dso *d, const struct map *map, u32 pid, int proc)
{
	unsigned long long start, end;
	const struct dirent *e;
	char path[64];
	int fd = -1;
	DIR *dir;

	/* only the inode would identify the file */
	if (!d->ino)
		return -1;
	snprintf(path, sizeof(path), "%u/map_files", pid);
	if (io_opendir(proc, path, &dir))
		return -1;
	while (fd < 0 && (e = readdir(dir)))
		if (sscanf(e->d_name, "%llx-%llx", &start, &end) == 2 && start < map->end &&
		    end > map->start)
			fd = open_same(d, dirfd(dir), e->d_name);
	closedir(dir);
	return fd;
}

int mapped_file_open(const struct dso *d, const struct map *map, u32 pid, int proc)
{
	char path[4096 + 64];
	int fd;

	snprintf(path, sizeof(path), "%u/root%s", pid, d->name);
	fd = open_same(d, proc, path);
	if (fd < 0) {
		snprintf(path, sizeof(path), "%u/map_files/%llx-%llx", pid,
			 (unsigned long long)map->start, (unsigned long long)map->end);
		fd = open_same(d, proc, path);
	}
	if (fd < 0)
		fd = open_overlapping(d, map, pid, proc);
	/* map_files asks for more privileges than this */
	if (fd < 0 && d->ino) {
		snprintf(path, sizeof(path), "%u/exe", pid);
		fd = open_same(d, proc, path);
	}
	/* the process has ended, and the file is still there */
	if (fd < 0)
		fd = open_same(d, proc, d->name);
	return fd;
}
