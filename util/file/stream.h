/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stream.h - bytes of a file or a pipe, read forwards with a window to look ahead.
 *
 * stream_peek() shows the next bytes without passing over them, stream_skip() passes over them.
 * Pointers into the window live until the next call. Seeks are only for what can seek, which is read
 * without moving the descriptor's offset: several streams may read one file.
 */
#ifndef FILE_STREAM_H
#define FILE_STREAM_H

#include "util/base/err.h"

struct stream {
	int fd;
	bool seekable;
	u64 size; /* of a file; UINT64_MAX for a pipe */
	u64 at;   /* file offset of the first byte of the window */
	u8 *buf;
	size_t len, pos, cap;
	int error; /* sticky: -errno of a failed read, or -ENOMEM */
};

/* Open a file; "-" is standard input. 0, or <0 with err set. */
int stream_open(struct stream *s, const char *path, struct err *err);
/* How messages name it. */
const char *stream_name(const char *path);
/* Takes over fd. */
int stream_init(struct stream *s, int fd);
/*
 * Wait for the next `want` bytes. False: a quarter of a second went by without input, or a signal came. True: they are there, or
 * the end or an error is, and stream_peek() does not wait.
 */
bool stream_wait(struct stream *s, size_t want);
const u8 *stream_fill(struct stream *s, size_t want, size_t *got);
void stream_pass(struct stream *s, u64 n);

/* Up to `want` next bytes; *got < want only at the end of the file or on error. */
static inline const u8 *stream_peek(struct stream *s, size_t want, size_t *got)
{
	if (s->len - s->pos < want)
		return stream_fill(s, want, got);
	*got = want;
	return s->buf + s->pos;
}

static inline void stream_skip(struct stream *s, u64 n)
{
	if (n <= s->len - s->pos)
		s->pos += (size_t)n;
	else
		stream_pass(s, n);
}

/* The file offset of the next byte. */
static inline u64 stream_tell(const struct stream *s)
{
	return s->at + s->pos;
}
/* Seek: 0, -ESPIPE or -EINVAL. */
int stream_seek(struct stream *s, u64 off);
void stream_close(struct stream *s);
/* Of one that shares the descriptor of another: free its window alone. */
void stream_free(struct stream *s);

#endif
