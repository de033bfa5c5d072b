/* SPDX-License-Identifier: GPL-2.0 */
/*
 * columns_read.h - one section of a DATA payload: its columns in, records out.
 *
 * Opening it decodes all the columns that are wanted; rows are made of them a few at a time, and a
 * record when it is asked for. Whatever the bytes are, no more memory is taken than a few times BLOCK_SIZE_MAX.
 */
#ifndef FILE_COLUMNS_READ_H
#define FILE_COLUMNS_READ_H

#include "util/file/columns.h"
#include "util/file/columns_blobs.h"
#include "util/file/columns_class.h"
#include "util/file/columns_stacks.h"

struct columns_source; /* columns_write.h */

/* The values of one column, one behind the other; `data` holds one if all are the same. */
struct columns_values {
	u8 *data;
	size_t cap;
	bool constant;
};

struct columns_read_rows {
	struct columns_class class;
	u32 nr, next; /* records; the one to be read next */
	VEC(struct columns_values) values;
	u8 *rows; /* COLUMNS_ROWS of them: those of record `next` and its neighbours */
	size_t cap;
	struct buf rest; /* what COLUMN_REST holds */
	size_t rest_at;
};

struct columns_reader {
	struct columns_in *in;
	struct columns_want want;
	bool foreign; /* records come out in the other byte order */
	VEC(struct columns_read_rows) classes;
	u32 nr_classes;
	VEC(u16) order;
	VEC(u32) run_sources, run_records;
	u32 next, run; /* record; run */
	struct columns_known halves[COLUMNS_HALVES];
	struct columns_blobs blobs;
	size_t made; /* bytes of records so far */
};

void columns_reader_free(struct columns_reader *r);
/*
 * `foreign`: the machine of the records had the other byte order. False: c->bad, or memory is out
 * (in->nomem). `in` must live as long as the reader is used.
 */
bool columns_reader_open(struct columns_reader *r, struct columns_in *in, struct cur *c,
			 u32 nr_sources, bool foreign, const struct columns_want *want);
/* As columns_next_to(). */
int columns_reader_next(struct columns_reader *r, struct columns_source *sources, void *to,
			struct rec *rec);

#endif
