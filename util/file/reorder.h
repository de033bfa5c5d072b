/* SPDX-License-Identifier: GPL-2.0 */
/*
 * reorder.h - records in order of time.
 *
 *	source: 3 1 2 | 6 4 5 | ...      `order` rises with each block
 *	            \ pending, sorted  ->  1 2 3 ...    everything older than `order`
 *
 * Holds back what a later block may still precede and no more, so that a pipe streams and memory
 * stays within a few blocks. Records of one time keep the order of the file; records without a
 * time come at once. The records given out are aligned copies, valid until the next call.
 *
 * Of samples that the source gives together (SOURCE_GROUPS), those of one kind between two records are
 * given as one: its time is that of the first, `last` that of the last.
 */
#ifndef FILE_REORDER_H
#define FILE_REORDER_H

#include "util/file/sample_groups_queue.h"

struct reorder_chunk;

struct reorder_entry {
	u64 time;
	const u8 *data;
	struct record_buffer *record_buffer; /* what they lie in */
	u32 event, cpu;
};

struct reorder {
	struct source *source;
	VEC(struct reorder_entry) pending;
	struct reorder_entry *spare; /* room to merge in: of pending.cap entries, or NULL */
	u32 spare_cap;
	VEC(u32) runs;               /* where the ascending runs of `pending` begin, and its end */
	u32 pos, ready;              /* pending[pos..ready) may be given out */
	struct reorder_chunk *chunk; /* being filled */
	struct record_buffer *done;  /* of the record given out last */
	struct reorder_chunk *empty;
	struct sample_groups_queue groups;
	u64 order; /* all that is older has come */
	u64 last; /* time of the last of the records that the one given out stands for; 0: of it alone */
	bool at_end;
	u64 unknown; /* records whose event id is not in the file */
};

void reorder_init(struct reorder *s, struct source *source);
/*
 * 1: a record, 0: the end, <0: err. SORTER_WAIT: of a live source, no record is ready after a round.
 * *event is the record's event, ID_NONE if unknown.
 */
#define SORTER_WAIT 2
int reorder_next(struct reorder *s, struct rec *rec, u32 *event, struct err *err);
/* Is there something to give out, before the source is asked? */
static inline bool reorder_ready(const struct reorder *s)
{
	return s->pos < s->ready || s->groups.given < s->groups.groups.nr ||
	       s->groups.earliest < s->order;
}
void reorder_free(struct reorder *s);

#endif
