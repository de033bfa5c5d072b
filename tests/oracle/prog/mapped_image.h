/* SPDX-License-Identifier: GPL-2.0 */
/*
 * mapped_image.h - the image behind a mapping of a process that runs on this machine, or of a
 * recording that was made on it a moment ago: what an unwinder's `open` asks for.
 */
#ifndef ORACLE_MAPPED_IMAGE_H
#define ORACLE_MAPPED_IMAGE_H

#include <fcntl.h>

#include "util/image/image.h"
#include "util/process/mapped_file.h"
#include "util/unwind/unwind.h"

static int mapped_image_open(void *ctx, const struct process_model *m, u32 map, u32 pid,
			     struct image *img)
{
	const struct map *g = &m->maps.v[map];
	const struct dso *d = &m->dsos.v[g->dso];
	const void *vdso;
	size_t len;
	int proc, fd;

	(void)ctx;
	if (d->kind == DSO_VDSO) {
		vdso = image_vdso(&len);
		return vdso ? image_open_memory(img, vdso, len, NULL) : -1;
	}
	proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (proc < 0)
		return -1;
	fd = mapped_file_open(d, g, pid, proc);
	close(proc);
	return fd < 0 ? fd : image_open_fd(img, fd, NULL);
}

#endif
