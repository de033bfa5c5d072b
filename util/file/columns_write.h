/* SPDX-License-Identifier: GPL-2.0 */
/*
 * columns_write.h - one section of a DATA payload: records in, their columns out.
 */
#ifndef FILE_COLUMNS_WRITE_H
#define FILE_COLUMNS_WRITE_H

#include "util/file/columns.h"
#include "util/file/columns_blobs.h"
#include "util/file/columns_rows.h"
#include "util/file/columns_stacks.h"

/* A ring as the coder knows it. */
struct columns_source {
	struct columns_ring ring;
	u64 first, last; /* time of its first record, and of the last so far */
	bool timed;      /* they are known */
	bool unwanted;   /* by the reader: its samples */
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
	VEC(u32) grouped; /* rows of a class in the order of its key */
	struct columns_runs runs;
	u64 *words;   /* a call chain, if `foreign` */
	bool foreign; /* records are of the other byte order; the owner's */
	u32 source;   /* of the run that follows */
	bool in_run;  /* it has begun */
	bool failed;
};

void columns_writer_clear(struct columns_writer *w);
void columns_writer_free(struct columns_writer *w);
/* Records follow that come from `sources[source]`. */
void columns_writer_run(struct columns_writer *w, u32 source);
void columns_writer_add(struct columns_writer *w, struct columns_source *source,
			const struct rec *rec, struct columns_stacks *stacks);

#endif
