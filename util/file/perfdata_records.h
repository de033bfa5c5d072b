/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perfdata_records.h - one stream of records of a perf.data file: bytes in, records out.
 *
 *	bytes -> [zstd] -> records, as they were written
 *
 * What is compressed is decompressed, and what is damaged is passed over: behind a header that
 * cannot be one, the next place is looked for from where several records follow each other. What
 * was lost this way is added to the source's damage.
 */
#ifndef FILE_PERFDATA_RECORDS_H
#define FILE_PERFDATA_RECORDS_H

#include "util/file/perfdata_zstd.h"
#include "util/file/source.h"
#include "util/file/stream.h"

struct perfdata_records {
	struct stream in;
	u64 end; /* file offset where the records end; UINT64_MAX: where the stream does */
	u64 at;  /* file offset of the last record, or of the compressed one that it came out of */
	bool swap;        /* of the other byte order */
	const char *name; /* in a directory; NULL: of a single file, or the one with the tables */
	bool inflating;   /* zstd has records to give */
	struct perfdata_zstd *zstd; /* since the first compressed record */
	struct source_damage *damage;
};

/*
 * 1: the next record. *h is its header in host order, *data all of its bytes in the order of the
 * file, valid until the next call. 0: no more. <0: err.
 */
int perfdata_records_next(struct perfdata_records *r, struct perf_event_header *h, const u8 **data,
			  struct err *err);
/* What follows the record given last and is not counted in its size. False: the file is cut in it. */
bool perfdata_records_skip(struct perfdata_records *r, u64 size);
/* The same, appended to b. 1, 0: the file is cut in it, or it is too large to be true; <0: err. */
int perfdata_records_payload(struct perfdata_records *r, u64 size, struct buf *b, struct err *err);
void perfdata_records_close(struct perfdata_records *r);

#endif
