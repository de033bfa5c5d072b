// SPDX-License-Identifier: GPL-2.0
#include "util/file/perfdata_zstd.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "util/file/foreign_order.h"

/* The longest record, and as much again to read on. */
#define WINDOW (256u * 1024)
/* What one piece may become: perf compresses at most one ring at a time. */
#define PIECE_MAX (256u << 20)

struct perfdata_zstd {
	ZSTD_DStream *stream;
	ZSTD_inBuffer in;
	bool more;     /* zstd may hold bytes that found no room */
	u64 out_of_it; /* bytes that this piece has become */
	bool swap, broken;
	size_t pos, len; /* of the window */
	_Alignas(8) u8 window[WINDOW];
};

struct perfdata_zstd *perfdata_zstd_new(bool swap)
{
	struct perfdata_zstd *z = calloc(1, sizeof(*z));

	if (!z)
		return NULL;
	z->swap = swap;
	z->stream = ZSTD_createDStream();
	if (!z->stream) {
		free(z);
		return NULL;
	}
	return z;
}

void perfdata_zstd_feed(struct perfdata_zstd *z, const void *p, size_t len)
{
	z->in = (ZSTD_inBuffer){.src = p, .size = len};
	z->more = true;
	z->out_of_it = 0;
}

/* Fill the window up; false: nothing has come. */
static bool decompress(struct perfdata_zstd *z)
{
	ZSTD_outBuffer out;
	size_t ret, was;

	memmove(z->window, z->window + z->pos, z->len - z->pos);
	z->len -= z->pos;
	z->pos = 0;
	was = z->len;
	while (z->more && z->len < WINDOW) {
		out = (ZSTD_outBuffer){.dst = z->window + z->len, .size = WINDOW - z->len};
		ret = ZSTD_decompressStream(z->stream, &out, &z->in);
		z->len += out.pos;
		z->out_of_it += out.pos;
		if (ZSTD_isError(ret) || z->out_of_it > PIECE_MAX) {
			z->broken = true;
			break;
		}
		/* all is out when the input is used up and room was left */
		z->more = z->in.pos < z->in.size || out.pos == out.size;
		if (!out.pos && z->in.pos == z->in.size)
			z->more = false;
	}
	return z->len > was;
}

enum perfdata_zstd_result perfdata_zstd_next(struct perfdata_zstd *z, const u8 **rec, u32 *size)
{
	struct perf_event_header h;

	for (;;) {
		if (z->len - z->pos >= sizeof(h)) {
			memcpy(&h, z->window + z->pos, sizeof(h));
			if (z->swap)
				h = foreign_order_header(h);
			if (h.size < sizeof(h))
				z->broken = true;
			else if (h.size <= z->len - z->pos) {
				*rec = z->window + z->pos;
				*size = h.size;
				z->pos += h.size;
				return PERFDATA_ZSTD_RECORD;
			}
		}
		if (z->broken)
			return PERFDATA_ZSTD_BROKEN;
		if (!decompress(z) && !z->broken)
			return PERFDATA_ZSTD_EMPTY;
	}
}

size_t perfdata_zstd_left(const struct perfdata_zstd *z)
{
	return z->len - z->pos;
}

void perfdata_zstd_free(struct perfdata_zstd *z)
{
	if (!z)
		return;
	ZSTD_freeDStream(z->stream);
	free(z);
}
