/* SPDX-License-Identifier: GPL-2.0 */
/*
 * columns_fold.h - which rows of a section are alike: the same in all columns but the time.
 *
 * What tells rows of a class apart, the values of its columns that differ, is packed into a few words for each
 * row. Rows without a time, with times of two kinds, or with bytes that stand in no column are not folded;
 * neither is the rest of a block's if most are new.
 */
#ifndef FILE_COLUMNS_FOLD_H
#define FILE_COLUMNS_FOLD_H

#include "util/file/alike.h"
#include "util/file/columns_class.h"
#include "util/file/columns_table.h"

/* The values of one column, one behind the other; `data` holds one if all are the same. */
struct columns_values {
	u8 *data;
	size_t cap;
	bool constant;
};

/* What rows of a class are told apart by. */
struct columns_fold_class {
	bool folds;
	u32 words, nr_words; /* of the first row, in `words`; of each row */
	const u8 *times;     /* differences */
	u32 step;            /* from one to the next: 0 or 8 */
};

struct columns_fold_kind {
	u32 class, row, source;
};

struct columns_fold {
	VEC(struct columns_fold_class) classes;
	VEC(u64) words;
	VEC(struct columns_fold_kind) kinds;
	struct columns_table table; /* hash of the words -> kind */
	u32 samples;                /* looked for so far */
};

void columns_fold_clear(struct columns_fold *f);
void columns_fold_free(struct columns_fold *f);
/*
 * Take up the next class, whose `nr` rows have been read; the values stay until the last is looked for.
 * False: memory is out.
 */
bool columns_fold_add(struct columns_fold *f, const struct columns_class *class,
		      const struct columns_values *values, u32 nr, bool no_chains);
/*
 * The kind of a row of a class that folds, which came from a source. If it is new, it has the next
 * number. ID_NONE: memory is out.
 */
u32 columns_fold_find(struct columns_fold *f, u32 class, u32 row, u32 source);

/* Do so many samples have so many kinds that it is not worth looking for more? */
static inline bool columns_fold_vain(const struct columns_fold *f)
{
	return f->samples > 512 && f->kinds.nr > f->samples / 2;
}

#endif
