// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/metrics_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perf-lite/output_file.h"
#include "util/base/io.h"

/* The new file, and what it will be; both are the caller's to free. */
struct new_file {
	char *target, *temp;
	int fd;
};

static int cannot(const char *path, int code, struct err *err)
{
	err_set(err, code, "cannot write %s: %s", path, strerror(code));
	err_hint(err, "%s",
		 code == ENOSPC || code == EDQUOT || code == EFBIG
			 ? "free some space, or write elsewhere"
			 : "the folder must be one that you may write to");
	return -code;
}

static int make(struct new_file *f, const char *path, struct err *err)
{
	int ret;

	*f = (struct new_file){.fd = -1};
	ret = output_file_follow(path, &f->target, err);
	if (ret)
		return ret;
	if (asprintf(&f->temp, "%s.%d.tmp", f->target, (int)getpid()) < 0) {
		f->temp = NULL;
		return err_nomem(err);
	}
	/* one that an earlier process of that number left is replaced */
	unlink(f->temp);
	f->fd = io_open(AT_FDCWD, f->temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
	return f->fd < 0 ? cannot(path, -f->fd, err) : 0;
}

static void done(struct new_file *f)
{
	if (f->fd >= 0) {
		close(f->fd);
		unlink(f->temp);
	}
	free(f->temp);
	free(f->target);
}

/* Standard output, a device or a pipe: it is written to, and not replaced. */
static bool is_stream(const char *path)
{
	struct stat st;

	return !strcmp(path, "-") || (!stat(path, &st) && !S_ISREG(st.st_mode));
}

/* How long a pipe may be full: a reader that stopped reading must not hold up for ever what records. */
#define READER_SECONDS 5

/* A pipe that does not block takes as much as its reader has made room for. */
static int write_stream(int fd, const char *p, size_t len)
{
	struct pollfd room = {.fd = fd, .events = POLLOUT};
	ssize_t n;
	int ready;

	while (len) {
		n = write(fd, p, len);
		if (n > 0) {
			p += n;
			len -= (size_t)n;
			continue;
		}
		if (!n)
			return -EIO;
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN)
			return -errno;
		ready = poll(&room, 1, READER_SECONDS * 1000);
		if (!ready)
			return -ETIMEDOUT;
		if (ready < 0 && errno != EINTR)
			return -errno;
	}
	return 0;
}

static int put_stream(const char *path, const struct buf *b, struct err *err)
{
	bool standard = !strcmp(path, "-");
	/* a pipe that nobody reads is an error, and no reason to wait */
	int fd = standard ? STDOUT_FILENO : io_open(AT_FDCWD, path, O_WRONLY | O_NONBLOCK);
	int ret = fd < 0 ? fd : write_stream(fd, b->data, b->len);

	if (fd >= 0 && !standard)
		close(fd);
	if (ret == -ETIMEDOUT) {
		err_set(err, ETIMEDOUT, "cannot write %s: its reader has read nothing for %u s",
			standard ? "standard output" : path, READER_SECONDS);
		err_hint(err, "let it read to the end; a regular file is replaced as a whole, "
			      "whoever reads it");
		return ret;
	}
	return ret ? cannot(standard ? "standard output" : path, -ret, err) : 0;
}

int metrics_file_check(const char *path, struct err *err)
{
	struct new_file f;
	int ret;

	/* a limit of file size is an error of write(2), reported as such */
	signal(SIGXFSZ, SIG_IGN);
	if (is_stream(path))
		return 0;
	ret = make(&f, path, err);
	done(&f);
	return ret;
}

/* Whoever reads it is not who records: anybody may. */
static void fill(struct new_file *f, const char *path, const struct buf *b, struct err *err)
{
	int ret = io_write(f->fd, b->data, b->len);

	if (!ret && fchmod(f->fd, 0644))
		ret = -errno;
	/* a file system may say only here that what was written is lost */
	if (close(f->fd) && !ret)
		ret = -errno;
	f->fd = -1;
	if (!ret && rename(f->temp, f->target))
		ret = -errno;
	if (!ret)
		return;
	unlink(f->temp);
	cannot(path, -ret, err);
}

static void put_file(const char *path, const struct buf *b, struct err *err)
{
	struct new_file f;

	if (!make(&f, path, err))
		fill(&f, path, b, err);
	done(&f);
}

int metrics_file_put(struct metrics_file *m, const struct buf *b, struct err *err)
{
	bool failed = m->failed.code;

	if (b->failed)
		return err_nomem(err);
	if (is_stream(m->path))
		return put_stream(m->path, b, err);
	m->failed = (struct err){0};
	put_file(m->path, b, &m->failed);
	if (m->failed.code && !failed)
		fprintf(stderr, "%s; it is tried again\n", m->failed.msg);
	else if (failed && !m->failed.code)
		fprintf(stderr, "%s is written again\n", m->path);
	return 0;
}

int metrics_file_end(const struct metrics_file *m, struct err *err)
{
	if (m->failed.code && err)
		*err = m->failed;
	return -m->failed.code;
}
