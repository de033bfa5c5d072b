/* SPDX-License-Identifier: GPL-2.0 */
/*
 * columns_write.h - one section of a DATA payload: records in, their columns out.
 */
#ifndef FILE_COLUMNS_WRITE_H
#define FILE_COLUMNS_WRITE_H

#include "util/file/columns.h"
#include "util/file/columns_blobs.h"
#include "util/file/columns_shape.h"
#include "util/file/columns_stacks.h"

/* A ring as the coder knows it. */
struct columns_source {
	struct columns_ring ring;
	u64 first, last; /* time of its first record, and of the last so far */
	bool timed;      /* they are known */
	bool unwanted;   /* by the reader: its samples */
};

/* The values of one column, one behind the other. */
struct columns_array {
	u8 *data;
	size_t cap;
};

/* A class and its records: those that came last as rows, the others as columns already. */
struct columns_rows {
	struct columns_class class;
	struct columns_key key;
	u32 plain; /* bytes of a record that are in its row as they are */
	bool open; /* some of a record may be of any length, besides its call chain */
	u32 nr;    /* values in the columns */
	VEC(struct columns_array) arrays;
	u32 nr_rows;
	u8 *rows;
	size_t cap;
	struct buf rest;
	u32 group_key; /* the column by which others may be grouped, ID_NONE: none */
};

struct columns_writer {
	const struct event_set *events;
	VEC(struct columns_layout) layouts; /* by event, behind them that of unknown ones */
	VEC(struct columns_rows) classes;   /* with the memory of earlier blocks */
	u32 nr_classes;
	struct columns_table by_key;
	VEC(u16) order; /* the class of each record */
	VEC(u32) run_sources, run_records;
	struct columns_halves halves[COLUMNS_HALVES];
	struct columns_blobs blobs;
	struct buf columns, column;
	VEC(u32) grouped; /* rows in the order of a key */
	u64 *words;       /* a call chain, if `foreign` */
	bool foreign;     /* records are of the other byte order; the owner's */
	u32 source;       /* of the run that follows */
	bool in_run;      /* it has begun */
	bool failed;
};

void columns_writer_clear(struct columns_writer *w);
void columns_writer_free(struct columns_writer *w);
/* Records follow that come from `sources[source]`. */
void columns_writer_run(struct columns_writer *w, u32 source);
void columns_writer_add(struct columns_writer *w, struct columns_source *source,
			const struct rec *rec, struct columns_stacks *stacks);
/* Write the section; nothing if there were no records. */
void columns_writer_end(struct columns_writer *w, struct columns_out *o);

#endif
