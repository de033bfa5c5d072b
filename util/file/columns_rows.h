/* SPDX-License-Identifier: GPL-2.0 */
/*
 * columns_rows.h - the records of one class while a block fills: rows, which are taken apart into
 * columns every COLUMNS_ROWS of them.
 *
 * Most columns hold one value for a long time. Whole rows are compared for that, and of a column
 * in which they are all alike one value is taken: such a run costs no work of its own, here and
 * where it is coded.
 */
#ifndef FILE_COLUMNS_ROWS_H
#define FILE_COLUMNS_ROWS_H

#include "util/file/columns_shape.h"

/* The values of one column, one behind the other. */
struct columns_array {
	u8 *data;
	size_t cap;
	struct columns_runs runs;
	bool varies; /* they are not all the same; known at the end */
};

struct columns_rows {
	struct columns_class class;
	struct columns_key key;
	u32 plain; /* bytes of a record that are in its row as they are */
	bool open; /* some of a record may be of any length, besides its call chain */
	/* if nothing is: bytes of the row before the call chain and behind it */
	u32 lead, behind;
	bool time_alone; /* of that, nothing but the time is written as the difference to something */
	u32 nr;          /* values in the columns */
	VEC(struct columns_array) arrays;
	u32 nr_rows;
	u8 *rows;   /* the last ones, class.row_size bytes each; in the same memory: */
	u8 *differ; /* not 0: a byte in which they are not all alike */
	size_t cap;
	struct buf rest;
};

/* Begin with no records, of the class that stands there. False: out of memory. */
bool columns_rows_begin(struct columns_rows *r);
/* Take the rows apart: afterwards there is room for COLUMNS_ROWS. False: out of memory. */
bool columns_rows_apart(struct columns_rows *r);
/* The same for the last ones, and find out which columns vary. */
bool columns_rows_end(struct columns_rows *r);
void columns_rows_free(struct columns_rows *r);

#endif
