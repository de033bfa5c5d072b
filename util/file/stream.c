// SPDX-License-Identifier: GPL-2.0
#include "util/file/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/io.h"
#include "util/base/text.h"

#define WINDOW  (256 * 1024)
#define WAIT_MS 250

int stream_init(struct stream *s, int fd)
{
	struct stat st;
	off_t at = lseek(fd, 0, SEEK_CUR);

	*s = (struct stream){.fd = fd, .size = UINT64_MAX};
	if (fstat(fd, &st))
		return -errno;
	if (at >= 0 && S_ISREG(st.st_mode)) {
		s->seekable = true;
		s->size = (u64)st.st_size;
		s->at = (u64)at;
	}
	return 0;
}

const char *stream_name(const char *path)
{
	return strcmp(path, "-") ? path : "standard input";
}

static void hint_unopened(const char *path, int code, struct err *err)
{
	const uid_t uid = geteuid();
	struct stat st;

	if (code == ENOENT) {
		err_hint(err, "record first (perf-lite record), or name another file");
	} else if (code == EACCES && uid && !stat(path, &st) && st.st_uid != uid) {
		err_hint(err, "%s: sudo chown %u %s, or run this command with sudo",
			 st.st_uid ? "it belongs to another user" : "it was recorded by root",
			 (unsigned int)uid, TEXT_SHELL(path));
	}
}

int stream_open(struct stream *s, const char *path, struct err *err)
{
	bool is_stdin = !strcmp(path, "-");
	int fd, ret;

	if (is_stdin && isatty(STDIN_FILENO)) {
		err_set(err, EINVAL, "standard input is a terminal, not a recording");
		err_hint(err, "perf-lite record -o - ... | perf-lite script -i -");
		return -EINVAL;
	}
	fd = is_stdin ? STDIN_FILENO : io_open(AT_FDCWD, path, O_RDONLY);
	if (fd < 0) {
		err_set(err, -fd, "cannot open %s: %s", *path ? path : "''", strerror(-fd));
		hint_unopened(path, -fd, err);
		return fd;
	}
	ret = stream_init(s, fd);
	if (!ret)
		return 0;
	stream_close(s);
	return err_set(err, -ret, "cannot read %s: %s", stream_name(path), strerror(-ret));
}

/* Room for `want` bytes from the next one on. */
static bool make_room(struct stream *s, size_t want)
{
	size_t left = s->len - s->pos;
	size_t cap;
	u8 *p;

	if (left < want && s->pos) {
		memmove(s->buf, s->buf + s->pos, left);
		s->at += s->pos;
		s->len = left;
		s->pos = 0;
	}
	if (s->cap < want) {
		cap = s->cap ? s->cap : (size_t)MIN(s->size, (u64)WINDOW) + 1;
		while (cap < want)
			cap *= 2;
		p = realloc(s->buf, cap);
		if (!p) {
			s->error = -ENOMEM;
			return false;
		}
		s->buf = p;
		s->cap = cap;
	}
	return true;
}

/* A pipe gives what it has. False: there is no more. */
static bool read_some(struct stream *s)
{
	u8 *to = s->buf + s->len;
	ssize_t n;

	do
		n = s->seekable ? pread(s->fd, to, s->cap - s->len, (off_t)(s->at + s->len))
				: read(s->fd, to, s->cap - s->len);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		s->error = -errno;
	if (n > 0)
		s->len += (size_t)n;
	return n > 0;
}

const u8 *stream_fill(struct stream *s, size_t want, size_t *got)
{
	*got = 0;
	if (!make_room(s, want))
		return s->buf;
	/* wait for `want`, never for a full window */
	while (s->len - s->pos < want && !s->error && read_some(s))
		;
	*got = MIN(s->len - s->pos, want);
	return s->buf + s->pos;
}

bool stream_wait(struct stream *s, size_t want)
{
	struct pollfd fd = {.fd = s->fd, .events = POLLIN};
	int ret;

	if (s->len - s->pos >= want || s->error || !make_room(s, want))
		return true;
	do {
		ret = poll(&fd, 1, WAIT_MS);
		if (!ret || (ret < 0 && errno == EINTR))
			return false;
	} while (read_some(s) && s->len - s->pos < want);
	return true;
}

void stream_pass(struct stream *s, u64 n)
{
	size_t got, step;

	if (s->seekable) {
		/* a size from a damaged file may lead anywhere, but never backwards */
		stream_seek(s, stream_tell(s) + MIN(n, (u64)INT64_MAX - stream_tell(s)));
		return;
	}
	while (n) {
		step = (size_t)MIN(n, (u64)WINDOW);
		stream_peek(s, step, &got);
		if (!got)
			return;
		s->pos += got;
		n -= got;
	}
}

int stream_seek(struct stream *s, u64 off)
{
	if (off >= s->at && off - s->at <= s->len) {
		s->pos = (size_t)(off - s->at);
		return 0;
	}
	if (!s->seekable)
		return -ESPIPE;
	if (off > INT64_MAX)
		return -EINVAL;
	s->at = off;
	s->len = s->pos = 0;
	return 0;
}

void stream_close(struct stream *s)
{
	if (s->fd > STDERR_FILENO)
		close(s->fd);
	s->fd = -1;
	stream_free(s);
}

void stream_free(struct stream *s)
{
	free(s->buf);
	s->buf = NULL;
}
