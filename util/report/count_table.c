// SPDX-License-Identifier: GPL-2.0
#include "util/report/count_table.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/num.h"
#include "util/profile/symboliser.h"

#define FIRST_SLOTS 64
#define NODES_KEPT  (1u << 20) /* of the stacks, over a reset */

enum found { FOUND, NO_ROOM, NO_MEMORY };

/* A time has its unit, which ends in this. */
static bool parse_time(const char *text, u64 *v)
{
	return *text && text[strlen(text) - 1] == 's' && num_duration(text, v);
}

static bool parse_number(char *text, bool *negative, u64 *v)
{
	*negative = *text == '-';
	text += *negative;
	if (!num_size(text, v) && !num_u64(text, v) && !parse_time(text, v))
		return false;
	if (*negative && *v > 1ull << 63)
		return false;
	if (*negative)
		*v = -*v;
	return true;
}

static bool parse_range(char *text, struct count_options *o)
{
	bool negative_to, negative_step;
	char *parts[3] = {text};
	u32 i;

	for (i = 1; i < ARRAY_SIZE(parts); i++) {
		parts[i] = strchr(parts[i - 1], ':');
		if (!parts[i])
			return false;
		*parts[i]++ = '\0';
	}
	if (!parse_number(parts[0], &o->negative, &o->from) ||
	    !parse_number(parts[1], &negative_to, &o->to) ||
	    !parse_number(parts[2], &negative_step, &o->step) || negative_step || !o->step ||
	    (negative_to && !o->negative))
		return false;
	return o->negative ? (s64)o->from < (s64)o->to : o->from < o->to;
}

int count_table_parse_hist(const char *text, struct count_options *o, struct err *err)
{
	static const char linear[] = "linear:";
	char range[96];

	if (!strcmp(text, "log2") || !strcmp(text, "linear")) {
		o->what = !strcmp(text, "linear") ? COUNT_LINEAR : COUNT_LOG2;
		return 0;
	}
	if (!strncmp(text, linear, strlen(linear)) && strlen(text) < sizeof(range)) {
		strcpy(range, text + strlen(linear));
		if (parse_range(range, o)) {
			o->what = COUNT_LINEAR;
			if ((o->to - o->from - 1) / o->step < COUNT_STEPS_MAX)
				return 0;
			return err_set(err, EINVAL, "'%s' are more than %u steps", text,
				       COUNT_STEPS_MAX);
		}
	}
	err_set(err, EINVAL, "there is no histogram '%s'", text);
	err_hint(err,
		 "log2, linear, or linear:MIN:MAX:STEP, as linear:0:64K:4K or linear:0:1ms:100us");
	return -EINVAL;
}

static int init_values(struct count_table *t, struct err *err)
{
	struct count_options *o = &t->options;

	t->values = (struct count_values){
		.scale = o->what == COUNT_LOG2                ? COUNT_BY_LOG2
			 : o->what == COUNT_LINEAR && o->step ? COUNT_BY_STEP
							      : COUNT_EXACT,
		.is_signed = t->keys->of_signed,
		.most = o->max_values ? o->max_values : COUNT_VALUES_DEFAULT,
		.from = o->from,
		.to = o->to,
		.step = o->step,
	};
	if (t->values.scale != COUNT_BY_STEP)
		return 0;
	if (o->negative && !t->values.is_signed)
		return err_set(err, EINVAL, "no value of '%s' is below 0", t->keys->of.name);
	if (!o->negative && t->values.is_signed && o->to > INT64_MAX)
		return err_set(err, EINVAL, "no value of '%s' is 2^63 or more", t->keys->of.name);
	return 0;
}

static int init_tree(struct count_table *t, struct err *err)
{
	const struct count_keys *k = t->keys;
	static const enum count_half halves[] = {
		[KEY_KSTACK] = COUNT_HALF_KERNEL,
		[KEY_USTACK] = COUNT_HALF_USER,
		[KEY_STACK] = COUNT_HALF_BOTH,
	};
	int ret = stack_tree_init(&t->tree, k->session->symboliser, err);
	u32 i;

	report_places_init(&t->places, NULL, &t->tree);
	for (i = 0; i < k->nr && !ret; i++)
		if (sample_key_is_stack(k->v[i].kind))
			ret = count_stacks_init(&t->stacks[i], &t->tree, halves[k->v[i].kind],
						k->v[i].depth, err);
	t->has_tree = true;
	return ret;
}

static void free_tree(struct count_table *t)
{
	u32 i;

	for (i = 0; i < COUNT_KEYS_MAX; i++)
		count_stacks_free(&t->stacks[i]);
	report_places_free(&t->places);
	stack_tree_free(&t->tree);
	t->has_tree = false;
}

static struct count_table *table_of(struct session_holder *h)
{
	return (struct count_table *)((u8 *)h - offsetof(struct count_table, holder));
}

static void keep_frames(struct session_holder *h, const struct session_numbers *kept)
{
	const struct count_table *t = table_of(h);
	u32 i;

	for (i = 0; i < t->keys->nr && t->has_tree; i++)
		if (sample_key_is_stack(t->keys->v[i].kind))
			count_stacks_keep(&t->stacks[i], kept);
}

static void move_frames(struct session_holder *h, const struct session_numbers *now)
{
	struct count_table *t = table_of(h);
	u32 i;

	if (!t->has_tree)
		return;
	for (i = 0; i < t->keys->nr; i++)
		if (sample_key_is_stack(t->keys->v[i].kind))
			count_stacks_moved(&t->stacks[i], now);
	report_places_forget_frames(&t->places);
	stack_tree_clear(&t->tree);
	t->forgets = true;
}

int count_table_init(struct count_table *t, struct count_keys *keys, const struct count_options *o,
		     struct err *err)
{
	size_t align = _Alignof(struct count_row);
	size_t size = sizeof(struct count_row) + (COUNT_SHAPES + keys->nr) * sizeof(u64);

	*t = (struct count_table){.keys = keys, .options = *o};
	/* a row for each */
	keys->values.options.numbers_events = true;
	t->stride = (size + align - 1) / align * align;
	t->uses_tree = count_keys_use(keys).functions;
	t->by_branch = count_keys_use(keys).branches;
	if (!t->options.max_rows)
		t->options.max_rows = COUNT_ROWS_DEFAULT;
	t->slots = calloc(FIRST_SLOTS, sizeof(*t->slots));
	t->mask = FIRST_SLOTS - 1;
	if (!t->slots)
		return err_nomem(err);
	if (init_values(t, err))
		return -EINVAL;
	if (!t->uses_tree)
		return 0;
	t->holder = (struct session_holder){.keep = keep_frames, .moved = move_frames};
	session_hold(keys->session, &t->holder);
	return init_tree(t, err);
}

void count_table_free(struct count_table *t)
{
	session_release(&t->holder);
	free(t->rows);
	free(t->slots);
	count_values_free(&t->values);
	if (t->has_tree)
		free_tree(t);
	*t = (struct count_table){0};
}

static bool has_many(const struct count_table *t, const struct strtab *texts)
{
	return texts->nr > t->options.max_rows;
}

static bool has_many_nodes(const struct count_table *t)
{
	return t->has_tree && t->tree.nodes.nr > NODES_KEPT;
}

bool count_table_is_large(const struct count_table *t)
{
	return has_many(t, &t->keys->values.bytes) || has_many(t, &t->keys->values.texts) ||
	       has_many_nodes(t);
}

void count_table_reset(struct count_table *t)
{
	t->nr = 0;
	t->clipped = 0;
	t->others = (struct count_sum){0};
	if (t->slots)
		memset(t->slots, 0, ((size_t)t->mask + 1) * sizeof(*t->slots));
	count_values_clear(&t->values);
	/* what is known is of use again, unless it is too much */
	if (has_many(t, &t->keys->values.bytes))
		strtab_free(&t->keys->values.bytes);
	if (has_many(t, &t->keys->values.texts))
		strtab_free(&t->keys->values.texts);
	if (has_many_nodes(t) || (t->has_tree && t->forgets))
		free_tree(t);
	t->forgets = false;
}

void count_table_empty(struct count_table *t)
{
	u32 i;

	t->others = (struct count_sum){0};
	for (i = 0; i < t->nr; i++)
		((struct count_row *)(t->rows + i * t->stride))->sum = (struct count_sum){0};
	count_values_clear(&t->values);
}

/* The string or the array of a field. */
static enum found bytes_word(struct count_table *t, const struct sample_take *take,
			     const struct sample *s, u64 *word, u8 *shape)
{
	/* no new row will want a new text */
	bool known = t->nr >= t->options.max_rows;

	if (!sample_values_bytes(&t->keys->values, take, s, known, word, shape))
		return NO_MEMORY;
	return *shape && *word == ID_NONE ? NO_ROOM : FOUND;
}

static void put_shape(u64 *words, u32 key, u8 shape)
{
	words[key / 8] |= (u64)shape << (key % 8 * 8);
}

static inline enum found field_word(struct count_table *t, u32 key, const struct sample_take *take,
				    const struct sample *s, u64 *words)
{
	enum found ret = FOUND;
	u8 shape = take->shape;

	words[COUNT_SHAPES + key] = 0;
	if (!shape || !s->raw)
		return FOUND;
	if (take->field.kind != FIELD_READER_INT)
		ret = bytes_word(t, take, s, &words[COUNT_SHAPES + key], &shape);
	else if (!field_reader_int(&take->field, s->raw, s->raw_size, &words[COUNT_SHAPES + key]))
		return FOUND;
	put_shape(words, key, shape);
	return ret;
}

/* A key that comes from the sample alone; false: it is none of these. */
static inline bool bare_word(enum sample_key_kind kind, u32 event, const struct sample *s,
			     u64 *word)
{
	switch (kind) {
	case KEY_TID:
		*word = s->ids.tid;
		return true;
	case KEY_CPU:
		*word = s->ids.cpu;
		return true;
	case KEY_EVENT:
		*word = event;
		return true;
	default:
		return false;
	}
}

static enum found place_word(struct count_table *t, enum sample_key_kind kind, u32 frame, u64 *word)
{
	if (frame == ID_NONE || !report_places_value(&t->places, kind, frame, word))
		return NO_MEMORY;
	return FOUND;
}

/* What a key says of the sampled frame. */
static enum found sampled_word(struct count_table *t, enum sample_key_kind kind,
			       const struct session_sample *s, u64 *word)
{
	const struct sample *v = s->sample;
	u32 frame = STACK_CUT;

	if (v->ids.has & PERF_SAMPLE_IP)
		frame = symboliser_address(t->tree.symboliser, s->thread,
					   v->misc & PERF_RECORD_MISC_CPUMODE_MASK, v->ip);
	return place_word(t, kind, frame, word);
}

/* The function whose address a field is. */
static enum found function_word(struct count_table *t, u32 key, const struct sample_take *take,
				const struct sample *s, u64 *words)
{
	u32 frame;
	u64 ip;

	words[COUNT_SHAPES + key] = 0;
	if (!take->shape || !s->raw || !field_reader_int(&take->field, s->raw, s->raw_size, &ip))
		return FOUND;
	put_shape(words, key, take->shape);
	frame = symboliser_address(t->tree.symboliser, NULL, PERF_RECORD_MISC_KERNEL, ip);
	return place_word(t, KEY_FUNCTION, frame, &words[COUNT_SHAPES + key]);
}

static enum found session_word(struct count_table *t, u32 key, const struct session_sample *s,
			       u64 *words)
{
	const struct sample_key *k = &t->keys->v[key];
	const struct session_sample *code = t->code ? t->code : s;
	u32 id;

	if (k->function)
		return function_word(t, key, sample_values_take(&t->keys->values, s->event, key),
				     s->sample, words);
	if (sample_key_is_of_frame(k->kind))
		return sampled_word(t, k->kind, code, &words[COUNT_SHAPES + key]);
	if (sample_key_is_stack(k->kind)) {
		id = count_stacks_get(&t->stacks[key], stack_tree_get(&t->tree, code));
		words[COUNT_SHAPES + key] = id;
		return id == ID_NONE ? NO_MEMORY : FOUND;
	}
	return sample_values_get(&t->keys->values, key, s, &words[COUNT_SHAPES + key]) ? FOUND
										       : NO_MEMORY;
}

static inline u64 hash_words(const u64 *words, u32 nr)
{
	u64 hash = 0;
	u32 i;

	/* few keys are fields of several shapes */
	for (i = 0; i < COUNT_SHAPES; i++)
		hash += words[i] << i;
	hash = hash_u64(hash);
	for (; i < nr; i++)
		hash = hash_u64(hash + words[i]);
	return hash;
}

static bool grow_slots(struct count_table *t)
{
	u32 size = (t->mask + 1) * 2, i, at;
	struct count_slot *slots = size ? calloc(size, sizeof(*slots)) : NULL;

	if (!slots)
		return false;
	for (i = 0; i <= t->mask; i++) {
		if (!t->slots[i].row)
			continue;
		for (at = t->slots[i].hash & (size - 1); slots[at].row; at = (at + 1) & (size - 1))
			;
		slots[at] = t->slots[i];
	}
	free(t->slots);
	t->slots = slots;
	t->mask = size - 1;
	return true;
}

static struct count_row *row_at(struct count_table *t, u32 row)
{
	return (struct count_row *)(t->rows + row * t->stride);
}

static inline u32 hash_row(const struct count_table *t, const u64 *words)
{
	return (u32)(hash_words(words, COUNT_SHAPES + t->keys->nr) >> 16);
}

/* The row behind the last one is there. */
static inline void add_slot(struct count_table *t, u32 hash)
{
	u32 at;

	for (at = hash & t->mask; t->slots[at].row; at = (at + 1) & t->mask)
		;
	t->slots[at] = (struct count_slot){hash, ++t->nr};
}

void count_table_keep(struct count_table *t, u32 *keep)
{
	const u32 nr = t->nr;
	struct count_row *r;
	u32 i;

	memset(t->slots, 0, ((size_t)t->mask + 1) * sizeof(*t->slots));
	t->nr = 0;
	for (i = 0; i < nr; i++) {
		r = row_at(t, i);
		if (!keep[i]) {
			count_table_join(t, &t->others, &r->sum);
			keep[i] = COUNT_ROW_OTHERS;
			continue;
		}
		keep[i] = t->nr;
		memmove(row_at(t, t->nr), r, t->stride);
		add_slot(t, hash_row(t, row_at(t, t->nr)->words));
	}
	count_values_clear(&t->values);
}

static struct count_row *new_row(struct count_table *t, u32 hash, const u64 *words)
{
	struct count_row *r;

	if ((u64)t->nr * 2 > t->mask && !grow_slots(t))
		return NULL;
	if (t->nr >= t->room && !vec_grow((void **)&t->rows, &t->room, (u64)t->nr + 1, t->stride))
		return NULL;
	r = row_at(t, t->nr);
	r->sum = (struct count_sum){0};
	memcpy(r->words, words, (COUNT_SHAPES + t->keys->nr) * sizeof(*words));
	add_slot(t, hash);
	return r;
}

/* The row of these keys, made if new; NULL: memory is out, or *others, and there is no room for it. */
static inline struct count_row *find_row(struct count_table *t, const u64 *words, bool *others)
{
	u32 nr = COUNT_SHAPES + t->keys->nr, hash = hash_row(t, words), at, i;
	struct count_row *r;

	for (at = hash & t->mask; t->slots[at].row; at = (at + 1) & t->mask) {
		if (t->slots[at].hash != hash)
			continue;
		r = row_at(t, t->slots[at].row - 1);
		for (i = 0; i < nr && r->words[i] == words[i]; i++)
			;
		if (i == nr)
			return r;
	}
	*others = t->nr >= t->options.max_rows;
	return *others ? NULL : new_row(t, hash, words);
}

/* The number that --of names; false: the sample has none. */
static inline bool value_of(struct count_table *t, u32 event, const struct sample *s, u64 *v)
{
	const struct count_keys *k = t->keys;
	const struct field_reader *f;

	if (k->of.kind == KEY_PERIOD) {
		*v = s->period;
		return true;
	}
	f = &k->ofs[event];
	if (f->kind != FIELD_READER_INT || !s->raw || !field_reader_int(f, s->raw, s->raw_size, v))
		return false;
	if (k->of_signed && !f->is_signed && *v > INT64_MAX) {
		*v = INT64_MAX;
		t->clipped++;
	}
	return true;
}

static inline void add_value(struct count_sum *sum, bool is_signed, u64 v)
{
	if (!sum->with++) {
		sum->least = sum->most = v;
	} else if (is_signed) {
		sum->least = (s64)v < (s64)sum->least ? v : sum->least;
		sum->most = (s64)v > (s64)sum->most ? v : sum->most;
	} else {
		sum->least = MIN(v, sum->least);
		sum->most = MAX(v, sum->most);
	}
	sum->sum += is_signed ? (__int128)(s64)v : (__int128)v;
}

static u32 number_of(const struct count_table *t, const struct count_row *r)
{
	return r ? (u32)((size_t)((const u8 *)r - t->rows) / t->stride) : COUNT_ROW_OTHERS;
}

/* Count the sample in the row of these words; NULL: in none of its own. */
static inline int count(struct count_table *t, const u64 *words, u32 event, const struct sample *s,
			struct err *err)
{
	bool others = !words;
	struct count_row *r = words ? find_row(t, words, &others) : NULL;
	struct count_sum *sum = r ? &r->sum : &t->others;
	u64 v;

	if (!r && !others)
		return err_nomem(err);
	sum->nr++;
	if (!t->keys->has_of || !value_of(t, event, s, &v))
		return 0;
	add_value(sum, t->keys->of_signed, v);
	if (t->options.what < COUNT_LOG2 || count_values_add(&t->values, number_of(t, r), v))
		return 0;
	return err_nomem(err);
}

static struct count_sum *sum_of(struct count_table *t, u32 row)
{
	return row == COUNT_ROW_OTHERS ? &t->others : &row_at(t, row)->sum;
}

void count_table_add_none(struct count_table *t, u32 row)
{
	sum_of(t, row)->nr++;
}

int count_table_add_number(struct count_table *t, u32 row, u64 number, struct err *err)
{
	struct count_sum *sum = sum_of(t, row);

	sum->nr++;
	add_value(sum, t->keys->of_signed, number);
	if (t->options.what < COUNT_LOG2 || count_values_add(&t->values, row, number))
		return 0;
	return err_nomem(err);
}

static int finish(struct count_table *t, enum found found, const u64 *words, u32 event,
		  const struct sample *s, struct err *err)
{
	if (found == NO_MEMORY)
		return err_nomem(err);
	return count(t, found == FOUND ? words : NULL, event, s, err);
}

int count_table_add_bare(struct count_table *t, u32 event, const struct sample *s, struct err *err)
{
	const struct count_keys *k = t->keys;
	const struct sample_take *take = sample_values_take(&k->values, event, 0);
	u64 words[COUNT_SHAPES + COUNT_KEYS_MAX];
	enum found found = FOUND;
	u32 i;

	memset(words, 0, COUNT_SHAPES * sizeof(*words));
	for (i = 0; i < k->nr && found == FOUND; i++)
		if (!bare_word(k->v[i].kind, event, s, &words[COUNT_SHAPES + i]))
			found = field_word(t, i, &take[i], s, words);
	return finish(t, found, words, event, s, err);
}

static enum found words_of(struct count_table *t, const struct session_sample *s, u64 *words)
{
	const struct count_keys *k = t->keys;
	const struct sample_take *take = sample_values_take(&k->values, s->event, 0);
	enum found found = FOUND;
	u32 i;

	memset(words, 0, COUNT_SHAPES * sizeof(*words));
	for (i = 0; i < k->nr && found == FOUND; i++) {
		if (k->v[i].other) {
			words[COUNT_SHAPES + i] = 0;
			continue;
		}
		found = k->v[i].kind == KEY_FIELD && !k->v[i].function
				? field_word(t, i, &take[i], s->sample, words)
				: session_word(t, i, s, words);
	}
	return found;
}

int count_table_words(struct count_table *t, const struct session_sample *s, u64 *words,
		      struct err *err)
{
	if (t->uses_tree && !t->has_tree && init_tree(t, err))
		return -ENOMEM;
	return words_of(t, s, words) == FOUND ? 0 : err_nomem(err);
}

int count_table_other(struct count_table *t, const struct session_sample *s, struct count_other *o,
		      struct err *err)
{
	u64 words[COUNT_SHAPES + COUNT_KEYS_MAX] = {0};
	enum found found = FOUND;
	u32 i;

	if (t->uses_tree && !t->has_tree && init_tree(t, err))
		return -ENOMEM;
	for (i = 0; i < t->keys->nr && found == FOUND; i++)
		if (t->keys->v[i].other)
			found = session_word(t, i, s, words);
	memcpy(o->words, words + COUNT_SHAPES, sizeof(o->words));
	return found == FOUND ? 0 : err_nomem(err);
}

int count_table_change_row(struct count_table *t, const struct count_other *o, u32 *row,
			   struct err *err)
{
	u64 words[COUNT_SHAPES + COUNT_KEYS_MAX];
	bool others = false;
	struct count_row *r;
	u32 i;

	if (*row == COUNT_ROW_OTHERS)
		return 0;
	memcpy(words, row_at(t, *row)->words, (COUNT_SHAPES + t->keys->nr) * sizeof(*words));
	for (i = 0; i < t->keys->nr; i++) {
		if (!t->keys->v[i].other)
			continue;
		put_shape(words, i, 1);
		words[COUNT_SHAPES + i] = o->words[i];
	}
	r = find_row(t, words, &others);
	if (!r && !others)
		return err_nomem(err);
	*row = number_of(t, r);
	return 0;
}

int count_table_put_label(struct count_table *t, u32 key, u64 label, u32 *row, struct err *err)
{
	u64 words[COUNT_SHAPES + COUNT_KEYS_MAX];
	bool others = false;
	struct count_row *r;

	if (*row == COUNT_ROW_OTHERS)
		return 0;
	memcpy(words, row_at(t, *row)->words, (COUNT_SHAPES + t->keys->nr) * sizeof(*words));
	words[COUNT_SHAPES + key] = label;
	r = find_row(t, words, &others);
	if (!r && !others)
		return err_nomem(err);
	*row = number_of(t, r);
	return 0;
}

int count_table_find_row(struct count_table *t, const struct session_sample *s,
			 const struct session_sample *code, u32 *row, struct err *err)
{
	u64 words[COUNT_SHAPES + COUNT_KEYS_MAX];
	struct count_row *r = NULL;
	bool others = true;
	enum found found;

	if (t->uses_tree && !t->has_tree && init_tree(t, err))
		return -ENOMEM;
	t->code = code;
	found = words_of(t, s, words);
	t->code = NULL;
	if (found == FOUND)
		r = find_row(t, words, &others);
	if (found == NO_MEMORY || (!r && !others))
		return err_nomem(err);
	*row = number_of(t, r);
	return 0;
}

int count_table_add_sum(struct count_table *t, const struct session_sample *s,
			const struct count_sum *sum, const u64 *buckets, u32 nr, s32 first,
			struct err *err)
{
	u32 row, i;
	int ret = count_table_find_row(t, s, NULL, &row, err);

	if (ret)
		return ret;
	count_table_join(t, row == COUNT_ROW_OTHERS ? &t->others : &row_at(t, row)->sum, sum);
	for (i = 0; t->options.what == COUNT_LOG2 && i < nr; i++)
		if (buckets[i] && !count_values_add_bucket(&t->values, row,
							   (u64)(s64)(first + (s32)i), buckets[i]))
			return err_nomem(err);
	return 0;
}

static int add_one(struct count_table *t, const struct session_sample *s, struct err *err)
{
	u64 words[COUNT_SHAPES + COUNT_KEYS_MAX];
	enum found found = words_of(t, s, words);

	return finish(t, found, words, s->event, s->sample, err);
}

int count_table_add(struct count_table *t, const struct session_sample *s, struct err *err)
{
	int ret = 0;
	u64 i;

	if (t->uses_tree && !t->has_tree && init_tree(t, err))
		return -ENOMEM;
	if (!t->by_branch)
		return add_one(t, s, err);
	for (i = 0; i < s->sample->branch_nr && !ret; i++) {
		t->keys->values.branch = &s->sample->branch[i];
		ret = add_one(t, s, err);
	}
	return ret;
}

void count_table_join(const struct count_table *t, struct count_sum *a, const struct count_sum *b)
{
	bool is_signed = t->keys->of_signed;

	a->nr += b->nr;
	if (!b->with)
		return;
	if (!a->with || (is_signed ? (s64)b->least < (s64)a->least : b->least < a->least))
		a->least = b->least;
	if (!a->with || (is_signed ? (s64)b->most > (s64)a->most : b->most > a->most))
		a->most = b->most;
	a->with += b->with;
	a->sum += b->sum;
}

struct count_sum count_table_total(const struct count_table *t)
{
	struct count_sum total = t->others;
	u32 i;

	for (i = 0; i < t->nr; i++)
		count_table_join(t, &total, &count_table_row(t, i)->sum);
	return total;
}
