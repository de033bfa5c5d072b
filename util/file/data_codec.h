/* SPDX-License-Identifier: GPL-2.0 */
/*
 * data_codec.h - the coding of records in a DATA block: the one door to it.
 *
 * A payload begins with a u32 that names the coding. Decoding gives back the very bytes that were
 * encoded: whole records, one behind the other.
 */
#ifndef FILE_DATA_CODEC_H
#define FILE_DATA_CODEC_H

#include "util/base/buf.h"
#include "util/base/err.h"

enum data_coding {
	DATA_RECORDS = 0,      /* the records as they are */
	DATA_RECORDS_ZSTD = 1, /* the records in one zstd frame */
};

struct data_encoder {
	void *zstd; /* ZSTD_CCtx */
	int level;  /* 0: do not compress */
};

struct data_decoder {
	void *zstd; /* ZSTD_DCtx */
};

int data_encoder_init(struct data_encoder *e, int level, struct err *err);
/* Append the payload for `len` bytes of records. */
int data_encode(struct data_encoder *e, const void *records, size_t len, struct buf *payload,
		struct err *err);
void data_encoder_free(struct data_encoder *e);

/* Append `raw_size` bytes of records to `records`; -EBADMSG if the payload does not give them. */
int data_decode(struct data_decoder *d, const void *payload, size_t len, size_t raw_size,
		struct buf *records);
void data_decoder_free(struct data_decoder *d);

/* One zstd frame, for the payloads of the other blocks. */
int data_compress(struct data_encoder *e, const void *p, size_t len, struct buf *out,
		  struct err *err);
int data_decompress(struct data_decoder *d, const void *p, size_t len, size_t raw_size,
		    struct buf *out);

#endif
