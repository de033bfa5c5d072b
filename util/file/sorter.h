/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sorter.h - records in order of time.
 *
 *	source: 3 1 2 | 6 4 5 | ...      `order` rises with each block
 *	            \ pending, sorted  ->  1 2 3 ...    everything older than `order`
 *
 * Holds back what a later block may still precede and no more, so that a pipe streams and memory
 * stays within a few blocks. Records of one time keep the order of the file; records without a
 * time come at once. The records given out are aligned copies, valid until the next call.
 */
#ifndef FILE_SORTER_H
#define FILE_SORTER_H

#include "util/file/source.h"

struct sorter_chunk;

struct sorter_entry {
	u64 time;
	const u8 *data;
	struct lent *lent; /* what they lie in */
	u32 event, cpu;
};

struct sorter {
	struct source *source;
	VEC(struct sorter_entry) pending;
	struct sorter_entry *spare; /* room to merge in: of pending.cap entries, or NULL */
	u32 spare_cap;
	VEC(u32) runs;              /* where the ascending runs of `pending` begin, and its end */
	u32 pos, ready;             /* pending[pos..ready) may be given out */
	struct sorter_chunk *chunk; /* being filled */
	struct lent *done;          /* of the record given out last */
	struct sorter_chunk *empty;
	bool at_end;
	u64 unknown; /* records whose event id is not in the file */
};

void sorter_init(struct sorter *s, struct source *source);
/*
 * 1: a record, 0: the end, <0: err. SORTER_WAIT: of a live source, no record is ready after a round.
 * *event is the record's event, ID_NONE if unknown.
 */
#define SORTER_WAIT 2
int sorter_next(struct sorter *s, struct rec *rec, u32 *event, struct err *err);
void sorter_free(struct sorter *s);

#endif
