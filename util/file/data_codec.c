// SPDX-License-Identifier: GPL-2.0
#include "util/file/data_codec.h"

#include <endian.h>
#include <errno.h>
#include <zstd.h>

#include "util/base/cur.h"

int data_encoder_init(struct data_encoder *e, int level, struct err *err)
{
	*e = (struct data_encoder){.zstd = ZSTD_createCCtx(), .level = level};
	return e->zstd ? 0 : err_nomem(err);
}

void data_encoder_free(struct data_encoder *e)
{
	ZSTD_freeCCtx(e->zstd);
	e->zstd = NULL;
}

int data_compress(struct data_encoder *e, const void *p, size_t len, struct buf *out,
		  struct err *err)
{
	size_t bound = ZSTD_compressBound(len);
	char *to = buf_room(out, bound);
	size_t n;

	if (!to)
		return err_nomem(err);
	n = ZSTD_compressCCtx(e->zstd, to, bound, p, len, e->level);
	if (ZSTD_isError(n))
		return err_set(err, EIO, "zstd: %s", ZSTD_getErrorName(n));
	out->len += n;
	out->data[out->len] = '\0';
	return 0;
}

int data_encode(struct data_encoder *e, const void *records, size_t len, struct buf *payload,
		struct err *err)
{
	if (e->level) {
		buf_u32(payload, htole32(DATA_RECORDS_ZSTD));
		return data_compress(e, records, len, payload, err);
	}
	buf_u32(payload, htole32(DATA_RECORDS));
	buf_add(payload, records, len);
	return payload->failed ? err_nomem(err) : 0;
}

int data_decompress(struct data_decoder *d, const void *p, size_t len, size_t raw_size,
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

int data_decode(struct data_decoder *d, const void *payload, size_t len, size_t raw_size,
		struct buf *records)
{
	struct cur c = cur_init(payload, len);
	u32 coding = le32toh(cur_u32(&c));

	if (c.bad)
		return -EBADMSG;
	switch (coding) {
	case DATA_RECORDS:
		if (cur_left(&c) != raw_size)
			return -EBADMSG;
		buf_add(records, c.p, raw_size);
		return records->failed ? -ENOMEM : 0;
	case DATA_RECORDS_ZSTD:
		return data_decompress(d, c.p, cur_left(&c), raw_size, records);
	default:
		return -ENOTSUP;
	}
}

void data_decoder_free(struct data_decoder *d)
{
	ZSTD_freeDCtx(d->zstd);
	d->zstd = NULL;
}
