/* SPDX-License-Identifier: GPL-2.0 */
/*
 * columns_read.h - one section of a DATA payload: its columns in. columns_record.h makes records of them.
 *
 * Opening it decodes all the columns that are wanted. Whatever the bytes are, no more memory is taken than a few
 * times BLOCK_SIZE_MAX.
 */
#ifndef FILE_COLUMNS_READ_H
#define FILE_COLUMNS_READ_H

#include "util/file/columns.h"
#include "util/file/columns_blobs.h"
#include "util/file/columns_class.h"
#include "util/file/columns_fold.h"
#include "util/file/columns_stacks.h"

/* The records of one class. */
struct columns_read_rows {
	struct columns_class class;
	u32 nr, next; /* records; the one to be read next */
	VEC(struct columns_values) values;
	u8 *rows; /* of records [first, end) */
	u32 first, end;
	u32 same;   /* rows that hold what is constant */
	bool plain; /* bytes, perhaps a call chain, bytes: most samples */
	u32 lead;   /* of a plain one: bytes of a row before the call chain */
	u32 tail;   /* those behind it */
	bool skips; /* samples, of which nothing need be known but the time to pass over one */
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
	VEC(u32) grouped; /* the rows of a class in the order of a column */
	u32 grouped_by;   /* that column */
	u32 next, run;    /* record; run */
	struct columns_known halves[COLUMNS_HALVES];
	struct columns_blobs blobs;
	struct columns_fold fold;
	bool folds;  /* samples may be folded */
	size_t made; /* bytes of records so far */
};

void columns_reader_free(struct columns_reader *r);
/*
 * `foreign`: the machine of the records had the other byte order. False: c->bad, or memory is out
 * (in->nomem). `in` must live as long as the reader is used.
 */
bool columns_reader_open(struct columns_reader *r, struct columns_in *in, struct cur *c,
			 u32 nr_sources, bool foreign, const struct columns_want *want);

#endif
