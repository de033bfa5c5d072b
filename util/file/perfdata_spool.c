// SPDX-License-Identifier: GPL-2.0
#include "util/file/perfdata_spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/io.h"

#define PIECE (256 * 1024)

static int open_unnamed(const char *dir)
{
	char path[4096];
	int fd;

	fd = io_open(AT_FDCWD, dir, O_TMPFILE | O_RDWR);
	if (fd >= 0 || fd == -ENOENT || fd == -EACCES || fd == -EROFS)
		return fd;
	/* a file system that knows no such files */
	if ((size_t)snprintf(path, sizeof(path), "%s/perf-lite.XXXXXX", dir) >= sizeof(path))
		return -ENAMETOOLONG;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	unlink(path);
	return fd;
}

static int copy(struct stream *s, int fd)
{
	const u8 *p;
	size_t got;
	int ret;

	do {
		p = stream_peek(s, PIECE, &got);
		ret = io_write(fd, p, got);
		stream_skip(s, got);
	} while (!ret && got == PIECE);
	return ret ? ret : s->error;
}

int perfdata_spool(struct stream *s, struct err *err)
{
	const char *dir = getenv("TMPDIR");
	struct stream spooled;
	int fd, ret;

	if (!dir || !*dir)
		dir = "/var/tmp";
	fd = open_unnamed(dir);
	ret = fd < 0 ? fd : copy(s, fd);
	if (!ret && lseek(fd, 0, SEEK_SET) < 0)
		ret = -errno;
	if (!ret)
		ret = stream_init(&spooled, fd);
	if (!ret) {
		stream_close(s);
		*s = spooled;
		return 0;
	}
	if (fd >= 0)
		close(fd);
	err_set(err, -ret,
		"cannot copy the perf.data file from the pipe to a file in %s, to read its end first: %s",
		dir, strerror(-ret));
	err_hint(err, "give it by name (-i perf.data), or TMPDIR=DIR with room for it");
	return ret;
}
