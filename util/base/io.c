// SPDX-License-Identifier: GPL-2.0
#include "util/base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "util/base/num.h"
#include "util/base/types.h"

int io_open(int dirfd, const char *path, int flags)
{
	int fd;

	do {
		fd = openat(dirfd, path, flags | O_CLOEXEC, 0600);
	} while (fd < 0 && errno == EINTR);
	return fd < 0 ? -errno : fd;
}

int io_opendir(int dirfd, const char *path, DIR **dir)
{
	int fd = io_open(dirfd, path, O_RDONLY | O_DIRECTORY), code;

	*dir = fd < 0 ? NULL : fdopendir(fd);
	if (*dir || fd < 0)
		return MIN(fd, 0);
	code = errno;
	close(fd);
	return -code;
}

bool io_exists(int dirfd, const char *path)
{
	struct stat s;

	return !fstatat(dirfd, path, &s, 0);
}

int io_read_fd(int fd, struct buf *b, size_t max)
{
	size_t room, got = 0;
	ssize_t n;
	char *d;

	for (;;) {
		/* most files are small, and are read very often */
		room = got ? 64 * 1024 : 4096;
		room = MIN(room, max - got + 1);
		d = buf_room(b, room);
		if (!d)
			return -ENOMEM;
		n = read(fd, d, room);
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

/* `off` -1: where the last read ended. */
static ssize_t read_whole(int fd, void *p, size_t len, off_t off)
{
	size_t got = 0;
	ssize_t n;

	while (got < len) {
		n = off < 0 ? read(fd, (char *)p + got, len - got)
			    : pread(fd, (char *)p + got, len - got, off + (off_t)got);
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

ssize_t io_read(int fd, void *p, size_t len)
{
	return read_whole(fd, p, len, -1);
}

ssize_t io_pread(int fd, void *p, size_t len, u64 off)
{
	return off > INT64_MAX ? -EINVAL : read_whole(fd, p, len, (off_t)off);
}

int io_write(int fd, const void *p, size_t len)
{
	struct iovec iov = {.iov_base = (void *)(uintptr_t)p, .iov_len = len};

	return io_writev(fd, &iov, 1);
}

int io_write_quietly(int fd, const void *p, size_t len)
{
	const struct timespec now = {0};
	sigset_t pipe_only, before, pending;
	bool was_pending;
	int ret;

	sigemptyset(&pipe_only);
	sigaddset(&pipe_only, SIGPIPE);
	was_pending = !sigpending(&pending) && sigismember(&pending, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &pipe_only, &before);
	ret = io_write(fd, p, len);
	if (ret == -EPIPE && !was_pending)
		sigtimedwait(&pipe_only, NULL, &now);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return ret;
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

/* As many links in a row as the kernel follows. */
#define LINKS_MAX 40

/* The name in a link, seen from where the link is; NULL: errno says why. */
static char *read_link(const char *path)
{
	const char *slash = strrchr(path, '/');
	char name[PATH_MAX], *file;
	ssize_t n = readlink(path, name, sizeof(name) - 1);

	if (n < 0)
		return NULL;
	name[n] = 0;
	if (name[0] == '/' || !slash)
		return strdup(name);
	return asprintf(&file, "%.*s%s", (int)(slash + 1 - path), path, name) < 0 ? NULL : file;
}

/* Nothing is there: of links, where would it be? */
static int missing_target(const char *path, char **file)
{
	char *at = strdup(path), *next;
	int links;

	for (links = 0; at && links < LINKS_MAX; links++) {
		next = read_link(at);
		if (!next && (errno == EINVAL || errno == ENOENT)) {
			*file = at;
			return 0;
		}
		free(at);
		at = next;
	}
	free(at);
	return at ? -ELOOP : -errno;
}

int io_link_target(const char *path, char **file)
{
	struct stat st;

	*file = NULL;
	/* the kernel decides whether the link may be followed */
	if (stat(path, &st))
		return errno == ENOENT ? missing_target(path, file) : -errno;
	/* what is no file keeps its name: that of a pipe behind /dev/stdout is none that could be opened */
	*file = S_ISREG(st.st_mode) && !lstat(path, &st) && S_ISLNK(st.st_mode)
			? realpath(path, NULL)
			: strdup(path);
	return *file ? 0 : -errno;
}

static bool id_of(const char *variable, u64 *id)
{
	const char *text = getenv(variable);

	return text && num_u64(text, id) && *id < UINT32_MAX;
}

static int stat_folder(const char *path, struct stat *st)
{
	const char *slash = strrchr(path, '/');
	char folder[PATH_MAX];
	size_t len;

	if (!slash)
		return stat(".", st);
	len = (size_t)(slash - path) + (slash == path);
	if (len >= sizeof(folder))
		return -1;
	memcpy(folder, path, len);
	folder[len] = '\0';
	return stat(folder, st);
}

/* A root shell inherits SUDO_UID, too; what it writes to /root is nobody else's. */
static bool may_write(const struct stat *folder, uid_t uid, gid_t gid)
{
	mode_t bit = folder->st_uid == uid ? S_IWUSR : folder->st_gid == gid ? S_IWGRP : S_IWOTH;

	return folder->st_mode & bit;
}

void io_give_to_sudo_user(int fd, const char *path)
{
	struct stat folder;
	u64 uid, gid;

	if (geteuid() || !id_of("SUDO_UID", &uid) || !id_of("SUDO_GID", &gid) || !uid)
		return;
	if (stat_folder(path, &folder) || !may_write(&folder, (uid_t)uid, (gid_t)gid))
		return;
	/* a file system without owners (FAT, some network mounts) refuses: the file is written nevertheless */
	if (fchown(fd, (uid_t)uid, (gid_t)gid))
		return;
}
