// SPDX-License-Identifier: GPL-2.0
#include "util/file/compress.h"

#include <errno.h>
#include <zstd.h>

int compress_init(struct compressor *c, int level, struct err *err)
{
	*c = (struct compressor){.zstd = ZSTD_createCCtx(), .level = level};
	return c->zstd ? 0 : err_nomem(err);
}

void compress_free(struct compressor *c)
{
	ZSTD_freeCCtx(c->zstd);
	c->zstd = NULL;
}

int compress_frame(struct compressor *c, const void *p, size_t len, struct buf *out,
		   struct err *err)
{
	size_t bound = ZSTD_compressBound(len);
	char *to = buf_room(out, bound);
	size_t n;

	if (!to)
		return err_nomem(err);
	n = ZSTD_compressCCtx(c->zstd, to, bound, p, len, c->level);
	if (ZSTD_isError(n))
		return err_set(err, EIO, "zstd: %s", ZSTD_getErrorName(n));
	out->len += n;
	out->data[out->len] = '\0';
	return 0;
}

int decompressor_frame(struct decompressor *d, const void *p, size_t len, size_t raw_size,
		       struct buf *out)
{
	char *to;
	size_t n;

	if (!d->zstd)
		d->zstd = ZSTD_createDCtx();
	to = buf_room(out, raw_size);
	if (!d->zstd || !to)
		return -ENOMEM;
	n = ZSTD_decompressDCtx(d->zstd, to, raw_size, p, len);
	if (ZSTD_isError(n) || n != raw_size)
		return -EBADMSG;
	out->len += raw_size;
	out->data[out->len] = '\0';
	return 0;
}

void decompressor_free(struct decompressor *d)
{
	ZSTD_freeDCtx(d->zstd);
	d->zstd = NULL;
}
