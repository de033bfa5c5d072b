/* SPDX-License-Identifier: GPL-2.0 */
/*
 * meta.h - the blocks that hold no records, read into a struct recording (docs/FORMAT.md).
 */
#ifndef FILE_META_H
#define FILE_META_H

#include "util/file/block.h"
#include "util/file/compress.h"
#include "util/file/recording.h"

/* A zero-initialised one is ready. One for each file. */
struct meta {
	struct decompressor decompressor;
	struct hmap seen;  /* payload hashes of all blocks -> 0 */
	struct hmap ahead; /* payloads that were read ahead -> what came of it */
	u64 next_seq;
	bool records; /* set by the caller: a DATA block came, so no event or format may follow */
};

#define META_REPEATED 1

/*
 * Of any block: META_REPEATED if it was there before, as where another process went on with a pipe; 0 if it was not:
 * it counts as seen from now on; -ENOMEM. meta_read() asks by itself.
 */
int meta_repeated(struct meta *m, const struct block *k);
/*
 * Read a whole block of any type but DATA. 0; META_REPEATED: it was there before, and
 * is left out; -EBADMSG: its content is wrong (what precedes
 * that place is kept); -EEXIST: events or formats after the first DATA block, which are ignored, as
 * readers have sized their tables by those before; -EFBIG: it would take more memory than a
 * recording of this size may; -ENOTSUP: of a newer format that must be known; -ENOMEM.
 */
int meta_read(struct meta *m, struct recording *r, const struct block *k, const u8 *payload);
/* Read what stands before it in the recording, ahead of its turn: meta_read() then says what this did. 0; -ENOMEM. */
int meta_read_ahead(struct meta *m, struct recording *r, const struct block *k, const u8 *payload);
void meta_free(struct meta *m);

#endif
