// SPDX-License-Identifier: GPL-2.0
#include "util/file/columns_internal.h"

/* Up to this many key bits, rows are looked up directly: 8 bytes for each number, 256 KiB. */
#define NEAR_BITS 15
/* Of all classes, which may be very many with few rows: 16 MiB. */
#define NEAR_MAX (1u << 21)

void columns_fold_clear(struct columns_fold *f)
{
	f->classes.nr = f->words.nr = f->near.nr = f->kinds.nr = 0;
	columns_table_clear(&f->table);
}

void columns_fold_free(struct columns_fold *f)
{
	vec_free(&f->classes);
	vec_free(&f->words);
	vec_free(&f->near);
	vec_free(&f->kinds);
	columns_table_free(&f->table);
}

/* Can rows of the class be compared by their columns alone? */
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

/* Is the column part of the key? The time is not, nor are chains that are left out. */
static bool is_key(const struct columns_class *class, u32 col, bool no_chains)
{
	switch (class->cols.v[col].kind) {
	case COLUMN_TIME:
		return false;
	case COLUMN_CHAIN:
	case COLUMN_OPEN_CHAIN:
		return !no_chains;
	default:
		return true;
	}
}

/* A column's offset in the words of a row; none of 8 bytes or fewer spans two; `end`: of those before. */
static u32 place(u32 *end, u32 width)
{
	u32 at = *end % 8 + width > 8 ? ALIGN_UP(*end, 8u) : *end;

	*end = at + width;
	return at;
}

/* The number of words of a row's key; if `to` is not NULL, the key columns are copied to their places. */
static u32 pack(const struct columns_class *class, const struct columns_values *values, u32 nr,
		bool no_chains, u8 *to, u32 step)
{
	u32 i, at, end = 0, width;

	for (i = 0; i < class->cols.nr; i++) {
		if (values[i].constant || !is_key(class, i, no_chains))
			continue;
		width = class->cols.v[i].width;
		at = place(&end, width);
		if (to)
			columns_class_copy(to + at, step, values[i].data, width, width, nr);
	}
	return ALIGN_UP(end, 8u) / 8;
}

static inline u64 value_at(const u8 *p, u32 width)
{
	u64 v = 0;

	memcpy(&v, p, width);
	return v;
}

static inline u64 differ_in(const u8 *p, u32 width, u32 nr)
{
	u64 first = value_at(p, width), differ = 0;
	u32 i;

	for (i = 1; i < nr; i++)
		differ |= value_at(p + (size_t)i * width, width) ^ first;
	return differ;
}

static inline void add_bits(u64 *to, u32 at, const u8 *p, u32 width, u32 nr, u64 mask)
{
	u32 i, low;

	if (!mask)
		return;
	for (i = 0, low = (u32)__builtin_ctzll(mask); i < nr; i++)
		to[i] |= (value_at(p + (size_t)i * width, width) & mask) >> low << at;
}

/* The bits in which the values of a column are not the same. */
static u64 differing_bits(const u8 *p, u32 width, u32 nr)
{
	switch (width) {
	case 1:
		return differ_in(p, 1, nr);
	case 2:
		return differ_in(p, 2, nr);
	case 4:
		return differ_in(p, 4, nr);
	case 8:
		return differ_in(p, 8, nr);
	default:
		return UINT64_MAX;
	}
}

static void put_bits(u64 *to, u32 at, const u8 *p, u32 width, u32 nr, u64 mask)
{
	switch (width) {
	case 1:
		add_bits(to, at, p, 1, nr, mask);
		break;
	case 2:
		add_bits(to, at, p, 2, nr, mask);
		break;
	case 4:
		add_bits(to, at, p, 4, nr, mask);
		break;
	default:
		add_bits(to, at, p, 8, nr, mask);
		break;
	}
}

/* From the first of them to the last. */
static u32 bits_of(u64 mask)
{
	return mask ? 64 - (u32)__builtin_clzll(mask) - (u32)__builtin_ctzll(mask) : 0;
}

/*
 * The bits in which rows differ, side by side: a number for each row, the same if all is the same. Of 8 bytes each
 * half apart, since a call chain has a number in each. Returns how many bits there are, ID_NONE: too many.
 */
static u32 number_rows(const struct columns_class *class, const struct columns_values *values,
		       u32 nr, bool no_chains, u64 *to)
{
	u32 i, width, at = 0, most = 10;
	u64 mask, low, high;

	while (most < NEAR_BITS && 1u << most < nr)
		most++;
	for (i = 0; i < class->cols.nr; i++) {
		if (values[i].constant || !is_key(class, i, no_chains))
			continue;
		width = class->cols.v[i].width;
		mask = differing_bits(values[i].data, width, nr);
		low = mask & UINT32_MAX;
		high = mask & ~(u64)UINT32_MAX;
		if (bits_of(low) + bits_of(high) > most - at)
			return ID_NONE;
		put_bits(to, at, values[i].data, width, nr, low);
		at += bits_of(low);
		put_bits(to, at, values[i].data, width, nr, high);
		at += bits_of(high);
	}
	return at;
}

/* The keys that distinguish rows, in as few bits as possible, or in words. False: out of memory. */
static bool make_keys(struct columns_fold *f, struct columns_fold_class *to,
		      const struct columns_class *class, const struct columns_values *values,
		      u32 nr, bool no_chains)
{
	u64 need = MAX(pack(class, values, nr, no_chains, NULL, 0), 1u);
	u32 bits, near = f->near.nr;

	to->words = f->words.nr;
	if (!vec_reserve(&f->words, to->words + need * nr))
		return false;
	memset(f->words.v + to->words, 0, nr * sizeof(u64));
	bits = number_rows(class, values, nr, no_chains, f->words.v + to->words);
	to->nr_words = 1;
	to->near = ID_NONE;
	if (bits != ID_NONE && near + (1u << bits) <= NEAR_MAX) {
		if (!vec_reserve(&f->near, (u64)near + (1u << bits)))
			return false;
		memset(f->near.v + near, 0xff, (1u << bits) * sizeof(*f->near.v));
		f->near.nr += 1u << bits;
		to->near = near;
	} else {
		to->nr_words = (u32)need;
		memset(f->words.v + to->words, 0, need * nr * sizeof(u64));
		pack(class, values, nr, no_chains, (u8 *)(f->words.v + to->words),
		     to->nr_words * 8);
	}
	f->words.nr += to->nr_words * nr;
	return true;
}

bool columns_fold_add(struct columns_fold *f, const struct columns_class *class,
		      const struct columns_values *values, u32 nr, bool no_chains)
{
	struct columns_fold_class *to = vec_push(&f->classes);
	u32 i;

	if (!to)
		return false;
	to->folds = nr && folds(class);
	if (!to->folds)
		return true;
	if (!make_keys(f, to, class, values, nr, no_chains))
		return false;
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

static __attribute__((noinline)) u32 find(struct columns_fold *f, u32 class, u32 row, u32 source)
{
	const struct columns_fold_class *c = &f->classes.v[class];
	const u64 *words = words_of(f, c, row);
	u64 key = hash_of(words, c->nr_words, class, source);
	u32 at, step = 0, kind = f->kinds.nr;
	struct columns_fold_kind *k;
	struct columns_slot *slot;

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

/*
 * The kinds of rows, up to the first that is new_kind. Returns how many there are with that, ID_NONE: memory
 * is out.
 */
static u32 find_kinds(struct columns_fold *f, u32 class, u32 row, u32 nr, u32 source, u32 new_kind,
		      u32 *to)
{
	const struct columns_fold_class *c = &f->classes.v[class];
	const u64 *number = f->words.v + c->words + row;
	bool is_near = c->near != ID_NONE;
	struct columns_fold_near *near = is_near ? f->near.v + c->near : NULL, *n;
	u32 i;

	for (i = 0; i < nr; i++) {
		if (is_near) {
			n = &near[number[i]];
			if (n->source != source)
				*n = (struct columns_fold_near){source,
								find(f, class, row + i, source)};
			to[i] = n->kind;
		} else {
			to[i] = find(f, class, row + i, source);
		}
		if (to[i] == ID_NONE)
			return ID_NONE;
		if (to[i] == new_kind)
			return i + 1;
	}
	return nr;
}

u32 columns_fold_take(struct columns_fold *f, u32 class, u32 row, u32 nr, u32 source, u64 *last,
		      struct sample_groups *to)
{
	const struct columns_fold_class *c = &f->classes.v[class];
	const u8 *step = c->times + (size_t)row * c->step;
	u32 i, known = to->kinds.nr, *kinds = to->kind_of.v + to->kind_of.nr;
	u64 time = *last;

	nr = find_kinds(f, class, row, nr, source, known, kinds);
	if (nr == ID_NONE)
		return ID_NONE;
	for (i = 0; i < nr; i++, step += c->step) {
		*last = time;
		time += value_at(step, 8);
		if (!sample_groups_add_time(to, time))
			return ID_NONE;
	}
	to->kind_of.nr += nr;
	if (nr && kinds[nr - 1] == known)
		return nr - 1;
	*last = time;
	return nr;
}
