/* SPDX-License-Identifier: GPL-2.0 */
/* cmd_verify.h - what the parts of perf-lite verify share. */
#ifndef PERF_LITE_CMD_VERIFY_H
#define PERF_LITE_CMD_VERIFY_H

#include "util/file/blocks.h"
#include "util/file/columns.h"
#include "util/file/recording.h"
#include "util/tracepoint/tp_format.h"

/*
 * verify_bytes.c: where the bytes of a native file are: by kind of block, and of the records by
 * part of their payload, and by event and column.
 */

struct verify_bytes_row {
	char *name;
	u64 bytes;
};

struct verify_bytes {
	VEC(struct verify_bytes_row) rows;
	VEC(struct tp_format *) formats; /* by event, NULL: none */
	const struct recording *recording;
	u64 all;
	bool failed; /* sticky: memory ran out */
};

/* Take in a block, header included; `type` is how its kind is called. */
void verify_bytes_add(struct verify_bytes *v, const struct recording *r,
		      struct columns_decoder *decoder, const struct blocks_item *it,
		      const char *type);
/* The table, the largest first; `size` and `samples` of the file. What is small is one row. */
void verify_bytes_put(struct verify_bytes *v, u64 size, u64 samples, struct buf *b);
void verify_bytes_free(struct verify_bytes *v);

#endif
