/* SPDX-License-Identifier: GPL-2.0 */
/* perfdata_internal.h - what the parts of perfdata.h share. */
#ifndef FILE_PERFDATA_INTERNAL_H
#define FILE_PERFDATA_INTERNAL_H

#include "util/file/perfdata.h"
#include "util/file/recording.h"
#include "util/file/source.h"
#include "util/file/stream.h"

/*
 * perfdata_records.c: one stream of records of a perf.data file: bytes in, records out.
 *
 *	bytes -> [zstd] -> records, as they were written
 *
 * What is compressed is decompressed, and what is damaged is passed over: behind a header that
 * cannot be one, the next place is looked for from where several records follow each other. What
 * was lost this way is added to the source's damage.
 */

struct perfdata_records {
	struct stream in;
	u64 end; /* file offset where the records end; UINT64_MAX: where the stream does */
	u64 at;  /* file offset of the last record, or of the compressed one that it came out of */
	bool swap;        /* of the other byte order */
	const char *name; /* in a directory; NULL: of a single file, or the one with the tables */
	bool inflating;   /* zstd has records to give */
	struct perfdata_zstd *zstd; /* since the first compressed record */
	struct recording_damage *damage;
};

/*
 * 1: the next record. *h is its header in host order, *data all of its bytes in the order of the
 * file, valid until the next call. 0: no more. <0: err.
 */
int perfdata_records_next(struct perfdata_records *r, struct perf_event_header *h, const u8 **data,
			  struct err *err);
/* As stream_wait(), for the whole of the next record of the file. */
bool perfdata_records_wait(struct perfdata_records *r);
/*
 * What follows the record given last and is not counted in its size. False: the file is cut in it. Not while `inflating`:
 * zstd reads bytes of the stream that this takes further.
 */
bool perfdata_records_skip(struct perfdata_records *r, u64 size);
/* The same, appended to b. 1, 0: the file is cut in it, or it is too large to be true; <0: err. */
int perfdata_records_payload(struct perfdata_records *r, u64 size, struct buf *b, struct err *err);
void perfdata_records_close(struct perfdata_records *r);

/*
 * perfdata_feature.c: what a perf.data file has besides its records, read into the recording: the
 * sections after the data of a file, and the records that hold the same in a stream.
 *
 * Payloads come as bounded cursors, whose `swap` says that the file is of the other byte order. All
 * functions return 0, -EBADMSG where the payload is damaged (what precedes that place is kept), or
 * -ENOMEM.
 *
 * Source: tools/perf/Documentation/perf.data-file-format.txt; the tracing data is the
 * "tracing metadata" of trace-cmd's file format, version 0.6.
 */

/* One feature (enum perfdata_feature); those that nobody asks for are passed over. */
int perfdata_feature_load(struct recording *r, u32 feature, struct cur c);
/* An entry of the build-id table, which is a record, behind its header. */
int perfdata_build_id_load(struct recording *r, u16 misc, struct cur body);

/*
 * Names of tracepoints by their numbers: those that the file names, and those of the formats. Any number of events may be of one
 * tracepoint, and share its name. Zero-initialised, there are none.
 */
struct perfdata_names {
	struct hmap by_type; /* attr.config -> its name */
	VEC(const char *) names;
};

/* Both are false when memory is out. */
bool perfdata_names_add(struct perfdata_names *n, struct recording *r, u64 type, const char *name,
			size_t len);
/* Name the tracepoints that nothing else has named: when all events are known, for it goes through them. */
bool perfdata_names_give(struct perfdata_names *n, struct recording *r);
void perfdata_names_free(struct perfdata_names *n);

/* An attr in the file's byte order, `size` bytes, and the section of ids that belongs to it. */
int perfdata_event_load(struct recording *r, const u8 *attr, size_t size, struct cur ids,
			struct err *err);

/*
 * perfdata_header.c: the header of a perf.data file, and the sections that it leads to: attrs and
 * ids before the records, features behind them.
 *
 * Source: tools/perf/Documentation/perf.data-file-format.txt.
 */

struct perfdata_section {
	u64 offset, size;
};

struct perfdata_header {
	u64 attr_size; /* of an entry: the attr and the section of its ids */
	struct perfdata_section attrs, data;
	u64 features[4]; /* bitmap; their sections follow the data */
	u64 file_size;
	bool swap; /* of the other byte order */
};

/* No section of a sane file is larger: formats of every tracepoint take 2 MB. */
#define PERFDATA_SECTION_MAX (256u << 20)
/* Nor any attr with the section of its ids. */
#define PERFDATA_ENTRY_MAX 4096

/* What the first bytes say. */
enum perfdata_mode { PERFDATA_NONE, PERFDATA_FILE, PERFDATA_PIPE };
enum perfdata_mode perfdata_header_mode(const u8 *p, size_t len, bool *swap);

/* Parse the header of a file of `file_size` bytes. */
int perfdata_header_parse(struct perfdata_header *h, const u8 *p, size_t len, u64 file_size,
			  struct err *err);
/* Did perf finish it, and is it all there? */
bool perfdata_header_is_whole(const struct perfdata_header *h);
/*
 * Read events and features through fd (pread) into the recording. Features that cannot be read
 * are missing: damage->sections counts them.
 */
int perfdata_header_load(const struct perfdata_header *h, int fd, struct recording *r,
			 struct recording_damage *damage, struct err *err);

#endif
