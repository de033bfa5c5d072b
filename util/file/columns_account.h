/* SPDX-License-Identifier: GPL-2.0 */
/*
 * columns_account.h - what the bytes of a DATA payload are: a walk over its parts, which adds up to
 * its length. No record is made.
 */
#ifndef FILE_COLUMNS_ACCOUNT_H
#define FILE_COLUMNS_ACCOUNT_H

#include "util/file/columns.h"
#include "util/file/columns_class.h"

enum columns_part {
	COLUMNS_PART_FRAME, /* rings, lengths, numbers of things */
	COLUMNS_PART_RUNS,
	COLUMNS_PART_CLASSES,
	COLUMNS_PART_ORDER,        /* the class of each record */
	COLUMNS_PART_KERNEL_CHAIN, /* how the halves of call chains hang together */
	COLUMNS_PART_KERNEL_REFERENCES,
	COLUMNS_PART_KERNEL_ADDRESSES,
	COLUMNS_PART_USER_CHAIN,
	COLUMNS_PART_USER_REFERENCES,
	COLUMNS_PART_USER_ADDRESSES,
	COLUMNS_PART_BLOBS,
	COLUMNS_PART_COLUMN, /* one column of one class */
	COLUMNS_PARTS,
};

/* Told of each part; `class` is of a column only, valid during the call, and `col` its number. */
typedef void columns_account_fn(void *ctx, enum columns_part part, u64 bytes,
				const struct columns_class *class, u32 col);

/* Where in its raw data the column begins, -1: it is no part of that. */
s32 columns_account_raw_at(const struct columns_class *class, u32 col);

/*
 * 0; -EBADMSG if it is no payload, -ENOTSUP if it needs a newer reader, -ENOMEM. The decoder is
 * used for the payload, which may be opened with it again.
 */
int columns_account(struct columns_decoder *d, const void *payload, size_t len,
		    columns_account_fn *tell, void *ctx);

#endif
