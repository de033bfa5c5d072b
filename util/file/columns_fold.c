// SPDX-License-Identifier: GPL-2.0
#include "util/file/columns_fold.h"

void columns_fold_clear(struct columns_fold *f)
{
	f->classes.nr = f->words.nr = f->kinds.nr = 0;
	f->samples = 0;
	columns_table_clear(&f->table);
}

void columns_fold_free(struct columns_fold *f)
{
	vec_free(&f->classes);
	vec_free(&f->words);
	vec_free(&f->kinds);
	columns_table_free(&f->table);
}

/* Can rows of the class be told apart by their columns? */
static bool folds(const struct columns_class *class)
{
	u32 i;

	if (class->type != PERF_RECORD_SAMPLE || class->loose || class->time_at < 0 ||
	    class->time2_at >= 0)
		return false;
	for (i = 0; i < class->cols.nr; i++)
		if (class->cols.v[i].kind == COLUMN_REST)
			return false;
	return true;
}

/* Chains that are left out tell nothing, unless an address is the difference to one of theirs. */
static bool tells(const struct columns_class *class, u32 col, bool no_chains)
{
	switch (class->cols.v[col].kind) {
	case COLUMN_TIME:
		return false;
	case COLUMN_CHAIN:
	case COLUMN_OPEN_CHAIN:
		return !no_chains || class->ip_at >= 0;
	default:
		return true;
	}
}

/* Where a column stands in the words of a row, none of 8 bytes or fewer in two; `end`: of those before. */
static u32 place(u32 *end, u32 width)
{
	u32 at = *end % 8 + width > 8 ? ALIGN_UP(*end, 8u) : *end;

	*end = at + width;
	return at;
}

/* The words of a row; if `to` is not NULL, the columns that tell rows apart each into their place. */
static u32 pack(const struct columns_class *class, const struct columns_values *values, u32 nr,
		bool no_chains, u8 *to, u32 step)
{
	u32 i, at, end = 0, width;

	for (i = 0; i < class->cols.nr; i++) {
		if (values[i].constant || !tells(class, i, no_chains))
			continue;
		width = class->cols.v[i].width;
		at = place(&end, width);
		if (to)
			columns_class_copy(to + at, step, values[i].data, width, width, nr);
	}
	return ALIGN_UP(end, 8u) / 8;
}

bool columns_fold_add(struct columns_fold *f, const struct columns_class *class,
		      const struct columns_values *values, u32 nr, bool no_chains)
{
	struct columns_fold_class *to = vec_push(&f->classes);
	u64 need;
	u32 i;

	if (!to)
		return false;
	to->folds = nr && folds(class);
	if (!to->folds)
		return true;
	to->words = f->words.nr;
	to->nr_words = pack(class, values, nr, no_chains, NULL, 0);
	need = (u64)to->nr_words * nr;
	if (!vec_reserve(&f->words, to->words + need))
		return false;
	f->words.nr += (u32)need;
	if (need)
		memset(f->words.v + to->words, 0, need * sizeof(u64));
	pack(class, values, nr, no_chains, (u8 *)(f->words.v + to->words), to->nr_words * 8);
	for (i = 0; i < class->cols.nr; i++) {
		if (class->cols.v[i].kind != COLUMN_TIME)
			continue;
		to->times = values[i].data;
		to->step = values[i].constant ? 0 : 8;
	}
	return true;
}

static const u64 *words_of(const struct columns_fold *f, const struct columns_fold_class *c,
			   u32 row)
{
	return f->words.v + c->words + (size_t)row * c->nr_words;
}

static u64 hash_of(const u64 *words, u32 nr, u32 class, u32 source)
{
	u64 h = ((u64) class << 32 | source) * 0xff51afd7ed558ccdull;
	u32 i;

	for (i = 0; i < nr; i++) {
		h = (h ^ words[i]) * 0x9e3779b97f4a7c15ull;
		h ^= h >> 32;
	}
	return h;
}

static bool are_alike(const struct columns_fold *f, const struct columns_fold_kind *k, u32 class,
		      const u64 *words, u32 source)
{
	const struct columns_fold_class *c = &f->classes.v[class];
	const u64 *with = words_of(f, c, k->row);
	u32 i;

	if (k->class != class || k->source != source)
		return false;
	for (i = 0; i < c->nr_words; i++)
		if (words[i] != with[i])
			return false;
	return true;
}

u32 columns_fold_find(struct columns_fold *f, u32 class, u32 row, u32 source)
{
	const struct columns_fold_class *c = &f->classes.v[class];
	const u64 *words = words_of(f, c, row);
	u64 key = hash_of(words, c->nr_words, class, source);
	u32 at, step = 0, kind = f->kinds.nr;
	struct columns_fold_kind *k;
	struct columns_slot *slot;

	f->samples++;
	if (!columns_table_ready(&f->table))
		return ID_NONE;
	at = columns_table_at(&f->table, key);
	while ((slot = columns_table_next(&f->table, key, &at, &step))) {
		if (slot->time != f->table.time)
			break;
		if (are_alike(f, &f->kinds.v[slot->value], class, words, source))
			return slot->value;
	}
	k = vec_push(&f->kinds);
	if (!k)
		return ID_NONE;
	*k = (struct columns_fold_kind){class, row, source};
	if (slot)
		columns_table_put(&f->table, slot, key, kind);
	return kind;
}
