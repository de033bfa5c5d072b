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

/* The kind of the rows of one number that came last, and the source of that; ID_NONE: none. */
struct columns_fold_near {
	u32 source, kind;
};

/* What rows of a class are told apart by. */
struct columns_fold_class {
	bool folds;
	u32 words, nr_words; /* of the first row, in `words`; of each row */
	u32 near;        /* `words` has one number for each row: that of 0 in `near`. ID_NONE: no */
	const u8 *times; /* differences */
	u32 step;        /* from one to the next: 0 or 8 */
};

struct columns_fold_kind {
	u32 class, row, source;
};

struct columns_fold {
	VEC(struct columns_fold_class) classes;
	VEC(u64) words;
	VEC(struct columns_fold_near) near;
	VEC(struct columns_fold_kind) kinds;
	struct columns_table table; /* hash of the words -> kind */
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
 * Append to `to` the samples of `nr` rows of a class that folds, from one source, where there is room for so many
 * and the kinds are in order of their numbers; *last is the time before them, and of the last
 * one taken. Returns how many were taken: fewer if one is of a new kind, of which `to` has been told, too.
 * ID_NONE: memory is out.
 */
u32 columns_fold_take(struct columns_fold *f, u32 class, u32 row, u32 nr, u32 source, u64 *last,
		      struct alike *to);

/*
 * Do `samples`, so many until now, have so many kinds that it is not worth looking for more? Nearly all may be
 * new at first that are seen often in the end.
 */
static inline bool columns_fold_vain(const struct columns_fold *f, u32 samples)
{
	return samples > 2048 && f->kinds.nr > samples - samples / 8;
}

#endif
