// SPDX-License-Identifier: GPL-2.0
#include "util/process/mapped_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/io.h"

int mapped_file_open(const struct dso *d, const struct map *map, u32 pid, int proc)
{
	char path[4096 + 64];
	struct stat st;
	int fd, tries;

	for (tries = 0; tries < 3; tries++) {
		if (tries == 0)
			snprintf(path, sizeof(path), "%u/root%s", pid, d->name);
		else if (tries == 1)
			snprintf(path, sizeof(path), "%u/map_files/%llx-%llx", pid,
				 (unsigned long long)map->start, (unsigned long long)map->end);
		else
			snprintf(path, sizeof(path), "%s", d->name);
		fd = io_open(proc, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
		if (fd < 0)
			continue;
		/* another inode: the file was replaced, and its symbols are not those that ran */
		if (!fstat(fd, &st) && S_ISREG(st.st_mode) && (!d->ino || st.st_ino == d->ino))
			return fd;
		close(fd);
	}
	return -1;
}
