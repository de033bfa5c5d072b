// SPDX-License-Identifier: GPL-2.0
/* export_wire.c - the bytes of profiles: protocol buffers, and gzip around them. */
#include <stdlib.h>
#include <zlib.h>

#include "util/export/export_internal.h"

enum { VARINT = 0, FIXED64 = 1, LENGTH = 2 };

void export_proto_varint(struct buf *b, u64 v)
{
	for (; v >= 0x80; v >>= 7)
		buf_addc(b, (char)(v | 0x80));
	buf_addc(b, (char)v);
}

void export_proto_integer(struct buf *b, u32 field, u64 v)
{
	if (!v)
		return;
	export_proto_varint(b, (u64)field << 3 | VARINT);
	export_proto_varint(b, v);
}

void export_proto_fixed64(struct buf *b, u32 field, u64 v)
{
	if (!v)
		return;
	export_proto_varint(b, (u64)field << 3 | FIXED64);
	buf_le64(b, v);
}

void export_proto_head(struct buf *b, u32 field, u64 len)
{
	export_proto_varint(b, (u64)field << 3 | LENGTH);
	export_proto_varint(b, len);
}

void export_proto_bytes(struct buf *b, u32 field, const void *p, size_t len)
{
	export_proto_head(b, field, len);
	buf_add(b, p, len);
}

void export_proto_message(struct buf *b, u32 field, struct buf *message)
{
	export_proto_bytes(b, field, buf_str(message), message->len);
	b->failed |= message->failed;
	buf_clear(message);
}

#define GZIP_WINDOW (15 + 16) /* the largest, in a gzip file */
#define ROOM        (64u * 1024)

int export_gzip_init(struct gzip *g, struct err *err)
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

int export_gzip_add(struct gzip *g, const void *p, size_t len, struct buf *out, struct err *err)
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

int export_gzip_end(struct gzip *g, struct buf *out, struct err *err)
{
	((z_stream *)g->stream)->avail_in = 0;
	return run(g, Z_FINISH, out, err);
}

void export_gzip_free(struct gzip *g)
{
	if (g->stream)
		deflateEnd(g->stream);
	free(g->stream);
	g->stream = NULL;
}
