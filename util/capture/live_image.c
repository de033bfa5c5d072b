// SPDX-License-Identifier: GPL-2.0
#include "util/capture/live_image.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/base/io.h"
#include "util/image/vdso.h"
#include "util/process/mapped_file.h"

#define VDSO_MAX (256u << 10)
/* Our own vdso is that of a 64-bit process. */
#define ABOVE_32_BITS (1ull << 32)

/* A descriptor of a file in memory that holds a range of the process's memory. */
static int copy_memory(u32 pid, u64 start, u64 len, int proc)
{
	char path[32], page[4096];
	int from, to;
	u64 done;

	snprintf(path, sizeof(path), "%u/mem", pid);
	from = io_open(proc, path, O_RDONLY);
	if (from < 0)
		return from;
	to = memfd_create("perf-lite vdso", MFD_CLOEXEC);
	for (done = 0; to >= 0 && done < len; done += sizeof(page)) {
		if (pread(from, page, sizeof(page), (off_t)(start + done)) ==
			    (ssize_t)sizeof(page) &&
		    pwrite(to, page, sizeof(page), (off_t)done) == (ssize_t)sizeof(page))
			continue;
		close(to);
		to = -1;
	}
	close(from);
	return to < 0 ? -ENOENT : to;
}

static int open_vdso(const struct map *map, u32 pid, int proc, struct image *img)
{
	const void *own;
	size_t len;
	int fd;

	if (map->start >= ABOVE_32_BITS) {
		own = vdso_image(&len);
		return own ? image_open_memory(img, own, len, NULL) : -ENOENT;
	}
	if (map->end - map->start > VDSO_MAX)
		return -ENOENT;
	fd = copy_memory(pid, map->start, map->end - map->start, proc);
	return fd < 0 ? fd : image_open_fd(img, fd, NULL);
}

int live_image_open(const struct process_model *m, u32 map, u32 pid, int proc,
		    struct pinned_files *held, struct image *img)
{
	const struct map *at = &m->maps.v[map];
	const struct dso *d = &m->dsos.v[at->dso];
	int fd;

	if (d->kind == DSO_VDSO)
		return open_vdso(at, pid, proc, img);
	if (d->kind != DSO_FILE)
		return -ENOENT;
	/* it may be gone while it is held, or be there although it was not */
	fd = held ? pinned_files_get(held, d) : -1;
	if (fd < 0)
		fd = mapped_file_open(d, at, pid, proc);
	return fd < 0 ? -ENOENT : image_open_fd(img, fd, NULL);
}
