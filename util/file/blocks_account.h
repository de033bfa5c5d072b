/* SPDX-License-Identifier: GPL-2.0 */
/*
 * blocks_account.h - what the blocks of a native file add up to, for all who read one to its end.
 *
 *	blocks_account_begin() -> blocks_account_take() for each of blocks_next() -> blocks_account_free()
 *
 * One verdict on each block: is it damaged, there twice, behind the end, and what is missing before
 * it? What is no record goes into the recording, as does the damage.
 */
#ifndef FILE_BLOCKS_ACCOUNT_H
#define FILE_BLOCKS_ACCOUNT_H

#include "util/file/blocks.h"
#include "util/file/data_block.h"
#include "util/file/meta.h"

struct blocks_account {
	struct recording *recording;
	struct meta meta;
	struct data_rings rings;
	u64 next_seq;
	u64 samples; /* of the DATA blocks so far, with those that are known to be missing */
	bool samples_unknown; /* set by who does not decode all of a block: the next one tells */
	bool after_bad;       /* bytes were passed over, in which blocks may have been */
	bool ended;           /* END came: nothing follows */
};

/* A block, and what it says of those before it. */
struct blocks_step {
	bool repeated;  /* it was there before, and is left out */
	bool after_end; /* it is left out */
	int bad; /* its content: -EBADMSG, -EEXIST, -EFBIG (meta.h); what precedes that place counts */
	u64 blocks;  /* missing before it, by its number */
	u64 missing; /* samples missing before it */
	u64 samples; /* that came before it */
	bool fewer;  /* it says that fewer did */
	struct data_rings_step rings;
};

void blocks_account_begin(struct blocks_account *a, struct recording *r, const struct blocks *b);
/* `data`: what a whole DATA block decodes to. 0; <0 with err set: -ENOTSUP, of a newer format that must be known; -ENOMEM. */
int blocks_account_take(struct blocks_account *a, const struct blocks_item *it,
			const struct data_block *data, struct blocks_step *step, struct err *err);
void blocks_account_free(struct blocks_account *a);

#endif
