/* SPDX-License-Identifier: GPL-2.0 */
/*
 * data_block.h - the records of one DATA block, decoded; and which bytes of the rings were read.
 */
#ifndef FILE_DATA_BLOCK_H
#define FILE_DATA_BLOCK_H

#include "util/base/hash.h"
#include "util/base/vec.h"
#include "util/file/block.h"
#include "util/file/columns.h"

/* A zero-initialised one is empty and ready; it may be used again for another block. */
struct data_block {
	/*
	 * 0; -EBADMSG: the payload is not what its header says, the records up to that place are
	 * there; -ENOTSUP: of a newer format; -ENOMEM.
	 */
	int ret;
	VEC(struct rec) records; /* in the order of the block, the bytes in `bytes` */
	struct buf bytes;
	struct sample_groups groups;    /* samples that are not among the records; only if wanted */
	VEC(struct columns_ring) rings; /* that it was read from, one entry each */
	u32 samples;                    /* of both */
	u32 raw_size; /* of records, and of samples that are the first of a kind */
	bool foreign; /* they are in the other byte order: foreign_order.h */
};

/* Decode; `want` may be NULL: all. Counts are checked against the header only if all is wanted. */
void data_block_decode(struct data_block *b, struct columns_decoder *d, const struct block *head,
		       const void *payload, const struct columns_want *want);
void data_block_free(struct data_block *b);

/* How far each ring of a recording has been read. Zero-initialised: nothing yet. */
struct data_rings {
	struct hmap index; /* ring number -> place in `to` */
	VEC(u64) to;
};

struct data_rings_step {
	bool repeated; /* all that the block was read from was read before: it is to be left out */
	u32 ring;      /* one whose bytes do not follow on its last block's */
	u64 missing;   /* bytes of the rings between their last blocks and this one */
	u64 twice;     /* bytes of the rings that were in their last blocks already */
};

/* Take note of the rings of the next block. False: out of memory. */
bool data_rings_take(struct data_rings *r, const struct data_block *b,
		     struct data_rings_step *step);
void data_rings_free(struct data_rings *r);

#endif
