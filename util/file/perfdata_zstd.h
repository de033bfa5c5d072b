/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perfdata_zstd.h - records out of the COMPRESSED records of a perf.data file.
 *
 *	perfdata_zstd_feed() -> perfdata_zstd_next() ... -> PERFDATA_ZSTD_EMPTY -> feed ...
 *
 * All COMPRESSED records of a file are pieces of one zstd stream, and a record may begin in one
 * piece and end in the next. What comes out is held in a window, so that memory does not depend on
 * what a piece claims to hold.
 */
#ifndef FILE_PERFDATA_ZSTD_H
#define FILE_PERFDATA_ZSTD_H

#include "util/base/types.h"

struct perfdata_zstd;

/* NULL: out of memory. */
struct perfdata_zstd *perfdata_zstd_new(bool swap);
/* The payload of the next COMPRESSED record; it must stay until EMPTY. */
void perfdata_zstd_feed(struct perfdata_zstd *z, const void *p, size_t len);
/*
 * One more record: its bytes, valid until the next call. BROKEN: the stream makes no sense from here
 * on, or what comes out of it are no records: nothing more can come of it.
 */
enum perfdata_zstd_result {
	PERFDATA_ZSTD_EMPTY,
	PERFDATA_ZSTD_RECORD,
	PERFDATA_ZSTD_BROKEN,
};
enum perfdata_zstd_result perfdata_zstd_next(struct perfdata_zstd *z, const u8 **rec, u32 *size);
/* Bytes of a record that has begun and for which no further piece has come. */
size_t perfdata_zstd_left(const struct perfdata_zstd *z);
void perfdata_zstd_free(struct perfdata_zstd *z);

#endif
