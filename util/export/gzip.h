/* SPDX-License-Identifier: GPL-2.0 */
/*
 * gzip.h - bytes as a gzip file (RFC 1952), without name and time: the same bytes give the same file.
 *
 *	gzip_init() -> gzip_add() ... -> gzip_end() -> gzip_free()
 */
#ifndef EXPORT_GZIP_H
#define EXPORT_GZIP_H

#include "util/base/buf.h"
#include "util/base/err.h"
#include "util/base/types.h"

struct gzip {
	void *stream; /* z_stream */
};

int gzip_init(struct gzip *g, struct err *err);
/* Compress the bytes and append what comes out. */
int gzip_add(struct gzip *g, const void *p, size_t len, struct buf *out, struct err *err);
/* Append the rest. */
int gzip_end(struct gzip *g, struct buf *out, struct err *err);
void gzip_free(struct gzip *g);

/* Append what a gzip file holds, up to max bytes: -EFBIG. -EBADMSG: it is none, or cut. */
int gzip_unpack(const void *p, size_t len, size_t max, struct buf *out, struct err *err);

#endif
