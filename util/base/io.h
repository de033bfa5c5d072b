/* SPDX-License-Identifier: GPL-2.0 */
/*
 * io.h - whole-file reads and complete writes; every loop over EINTR and short counts is here.
 *
 * Paths are relative to `dirfd` (AT_FDCWD for the working directory), so that tests can hand in a
 * fake /proc or /sys. All return 0 (or a descriptor) or -errno, and set no message: the caller
 * knows what the file means to the user.
 */
#ifndef BASE_IO_H
#define BASE_IO_H

#include <dirent.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "util/base/buf.h"

int io_open(int dirfd, const char *path, int flags);
int io_opendir(int dirfd, const char *path, DIR **dir);
/* Unlike access(), it counts the capabilities that a program has by its file. */
bool io_exists(int dirfd, const char *path);
/* Append the whole file to `b`, at most `max` bytes (-EFBIG past that). */
int io_read_file(int dirfd, const char *path, struct buf *b, size_t max);
/* Append what is left to read on fd, likewise. */
int io_read_fd(int fd, struct buf *b, size_t max);
/* A one-line file as an integer (decimal, or 0x hex). */
int io_read_s64(int dirfd, const char *path, s64 *v);
/* Up to `len` bytes, fewer only at the end of the file; the count or -errno. */
ssize_t io_read(int fd, void *p, size_t len);
ssize_t io_pread(int fd, void *p, size_t len, u64 off);
int io_write(int fd, const void *p, size_t len);
/*
 * The same without the SIGPIPE that would end a program which has not ignored it. (A socket has a flag for that, but to send on
 * one is a system call that somebody may be counting.)
 */
int io_write_quietly(int fd, const void *p, size_t len);
/* Writes all of iov[0..n); changes iov. */
int io_writev(int fd, struct iovec *iov, int n);

/*
 * The file that `path` leads to, for an output that is written beside it and renamed over it. Symbolic links are followed,
 * even if their target is missing, unless the kernel refuses to follow them (fs.protected_symlinks, a circle); but a pipe, a
 * device or a folder keeps the name that it was given by. *file is the caller's to free. 0 or -errno.
 */
int io_link_target(const char *path, char **file);

/*
 * Give a file that this process has just created, as `path`, to the user who ran sudo(8): to SUDO_UID and SUDO_GID if this
 * process is root and that user may write to the folder. Otherwise, or if it fails, the file stays root's.
 */
void io_give_to_sudo_user(int fd, const char *path);

/* When a file was changed last, in ns since 1970. */
static inline s64 io_modified(const struct stat *st)
{
	return (s64)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
}

#endif
