// SPDX-License-Identifier: GPL-2.0
#include "util/export/gzip.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

#define GZIP_WINDOW (15 + 16) /* the largest, in a gzip file */
#define ROOM        (64u * 1024)

int gzip_init(struct gzip *g, struct err *err)
{
	z_stream *z = calloc(1, sizeof(*z));

	if (z && deflateInit2(z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, MAX_MEM_LEVEL,
			      Z_DEFAULT_STRATEGY) != Z_OK) {
		free(z);
		z = NULL;
	}
	g->stream = z;
	return z ? 0 : err_nomem(err);
}

static int run(struct gzip *g, int flush, struct buf *out, struct err *err)
{
	z_stream *z = g->stream;
	char *to;

	do {
		to = buf_room(out, ROOM);
		if (!to)
			return err_nomem(err);
		z->next_out = (Bytef *)to;
		z->avail_out = ROOM;
		if (deflate(z, flush) == Z_STREAM_ERROR)
			return err_nomem(err);
		buf_wrote(out, ROOM - z->avail_out);
	} while (!z->avail_out);
	return 0;
}

int gzip_add(struct gzip *g, const void *p, size_t len, struct buf *out, struct err *err)
{
	z_stream *z = g->stream;
	const u8 *from = p;
	size_t part;
	int ret = 0;

	for (; len && !ret; from += part, len -= part) {
		part = MIN(len, (size_t)1 << 30);
		z->next_in = (Bytef *)from;
		z->avail_in = (uInt)part;
		ret = run(g, Z_NO_FLUSH, out, err);
	}
	return ret;
}

int gzip_end(struct gzip *g, struct buf *out, struct err *err)
{
	((z_stream *)g->stream)->avail_in = 0;
	return run(g, Z_FINISH, out, err);
}

void gzip_free(struct gzip *g)
{
	if (g->stream)
		deflateEnd(g->stream);
	free(g->stream);
	g->stream = NULL;
}

static int unpack(z_stream *z, size_t max, struct buf *out)
{
	int ret = Z_OK;
	char *to;

	while (ret == Z_OK) {
		to = buf_room(out, ROOM);
		if (!to)
			return -ENOMEM;
		z->next_out = (Bytef *)to;
		z->avail_out = ROOM;
		ret = inflate(z, Z_NO_FLUSH);
		buf_wrote(out, ROOM - z->avail_out);
		if (out->len > max)
			return -EFBIG;
	}
	return ret == Z_STREAM_END ? 0 : ret == Z_MEM_ERROR ? -ENOMEM : -EBADMSG;
}

int gzip_unpack(const void *p, size_t len, size_t max, struct buf *out, struct err *err)
{
	z_stream z = {.next_in = (Bytef *)p, .avail_in = (uInt)len};
	int ret = -ENOMEM;

	if (len > UINT32_MAX)
		ret = -EFBIG;
	else if (inflateInit2(&z, GZIP_WINDOW) == Z_OK) {
		ret = unpack(&z, max, out);
		inflateEnd(&z);
	}
	if (ret == -ENOMEM)
		return err_nomem(err);
	return ret ? err_set(err, -ret, "it is %s", ret == -EFBIG ? "too large" : "no gzip file")
		   : 0;
}
