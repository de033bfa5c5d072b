// SPDX-License-Identifier: GPL-2.0
#include "util/base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int io_open(int dirfd, const char *path, int flags)
{
	int fd;

	do {
		fd = openat(dirfd, path, flags | O_CLOEXEC, 0600);
	} while (fd < 0 && errno == EINTR);
	return fd < 0 ? -errno : fd;
}

bool io_exists(int dirfd, const char *path)
{
	struct stat s;

	return !fstatat(dirfd, path, &s, 0);
}

int io_read_fd(int fd, struct buf *b, size_t max)
{
	size_t got = 0;
	ssize_t n;
	char *d;

	for (;;) {
		d = buf_room(b, 64 * 1024);
		if (!d)
			return -ENOMEM;
		n = read(fd, d, 64 * 1024);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		got += (size_t)n;
		if (got > max)
			return -EFBIG;
		b->len += (size_t)n;
	}
	b->data[b->len] = '\0';
	return 0;
}

int io_read_file(int dirfd, const char *path, struct buf *b, size_t max)
{
	int fd = io_open(dirfd, path, O_RDONLY);
	int ret;

	if (fd < 0)
		return fd;
	ret = io_read_fd(fd, b, max);
	close(fd);
	return ret;
}

int io_read_s64(int dirfd, const char *path, s64 *v)
{
	struct buf b = {0};
	char *end;
	int ret = io_read_file(dirfd, path, &b, 4096);

	if (!ret) {
		errno = 0;
		*v = strtoll(buf_str(&b), &end, 0);
		if (errno || end == buf_str(&b))
			ret = -EINVAL;
	}
	buf_free(&b);
	return ret;
}

ssize_t io_read(int fd, void *p, size_t len)
{
	size_t got = 0;
	ssize_t n;

	while (got < len) {
		n = read(fd, (char *)p + got, len - got);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		got += (size_t)n;
	}
	return (ssize_t)got;
}

ssize_t io_pread(int fd, void *p, size_t len, u64 off)
{
	size_t got = 0;
	ssize_t n;

	while (got < len) {
		n = pread(fd, (char *)p + got, len - got, (off_t)(off + got));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		got += (size_t)n;
	}
	return (ssize_t)got;
}

int io_write(int fd, const void *p, size_t len)
{
	struct iovec iov = {.iov_base = (void *)(uintptr_t)p, .iov_len = len};

	return io_writev(fd, &iov, 1);
}

int io_writev(int fd, struct iovec *iov, int n)
{
	ssize_t w;

	while (n > 0) {
		w = writev(fd, iov, n);
		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0)
			return -errno;
		while (n > 0 && (size_t)w >= iov->iov_len) {
			w -= (ssize_t)iov->iov_len;
			iov++;
			n--;
		}
		if (n > 0) {
			iov->iov_base = (char *)iov->iov_base + w;
			iov->iov_len -= (size_t)w;
		}
	}
	return 0;
}
