/* SPDX-License-Identifier: GPL-2.0 */
/*
 * columns_record.h - the records of a section of a DATA payload, made of its columns: rows of a class are filled
 * a few at a time, and a record is made of one when it is asked for.
 */
#ifndef FILE_COLUMNS_RECORD_H
#define FILE_COLUMNS_RECORD_H

#include "util/file/columns_read.h"

struct columns_source; /* columns_write.h */

/* Begin with the first of k->nr records of a class whose columns are known. False: memory is out. */
bool columns_record_begin(const struct columns_reader *r, struct columns_read_rows *k);

/* Records that are left. */
static inline u32 columns_reader_left(const struct columns_reader *r)
{
	return r->order.nr - r->next;
}
/* As columns_next_to(). */
int columns_reader_next(struct columns_reader *r, struct columns_source *sources, void *to,
			struct rec *rec);

/*
 * Append to `to` the samples that are next, as long as they are of its kinds. True: it has been told
 * of one more, the first of a new kind; columns_reader_next() gives its record.
 */
bool columns_reader_alike(struct columns_reader *r, struct columns_source *sources,
			  struct alike *to);

#endif
