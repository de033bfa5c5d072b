// SPDX-License-Identifier: GPL-2.0
#include "util/export/parquet_internal.h"

/* A run of entries with the same levels. */
#define RUN_SHIFT 3
#define RUN_REP   4u
#define RUN_DEF   3u
#define RUN_MAX   (UINT32_MAX >> RUN_SHIFT)

/* Longer texts are no good as the least and the greatest. */
#define RANGE_MAX 64

u32 parquet_values_max_def(const struct parquet_column *c)
{
	return (u32)c->list + c->optional;
}

u32 parquet_values_physical(const struct parquet_column *c)
{
	switch (c->type) {
	case PARQUET_SIGNED32:
	case PARQUET_UNSIGNED32:
		return PARQUET_INT32;
	case PARQUET_TEXT:
		return PARQUET_BYTE_ARRAY;
	case PARQUET_DECIMAL:
		return PARQUET_FIXED;
	default:
		return PARQUET_INT64;
	}
}

static bool has_texts(const struct parquet_values *c)
{
	return c->column->type == PARQUET_TEXT || c->column->type == PARQUET_DECIMAL;
}

/* ---- levels ---- */

static void add_entries(struct parquet_values *c, u32 rep, u32 def, u32 nr)
{
	const u32 levels = (rep ? RUN_REP : 0) | def;
	u32 *run = c->runs.nr ? &c->runs.v[c->runs.nr - 1] : NULL;

	c->entries += nr;
	if (run && (*run & (RUN_REP | RUN_DEF)) == levels && (*run >> RUN_SHIFT) + nr <= RUN_MAX) {
		*run += nr << RUN_SHIFT;
		return;
	}
	run = vec_push(&c->runs);
	if (run)
		*run = nr << RUN_SHIFT | levels;
	else
		c->failed = true;
}

void parquet_values_fill(struct parquet_values *c, u32 row)
{
	if (c->rows >= row)
		return;
	add_entries(c, 0, 0, row - c->rows);
	c->rows = row;
}

void parquet_values_list(struct parquet_values *c, u32 row)
{
	parquet_values_fill(c, row);
	c->rep = 0;
}

static void add_entry(struct parquet_values *c, u32 def, u64 *bytes)
{
	const u32 runs = c->runs.nr;

	add_entries(c, c->column->list ? c->rep : 0, def, 1);
	*bytes += (c->runs.nr - runs) * sizeof(*c->runs.v);
	c->rows += !c->column->list || !c->rep;
	c->rep = 1;
}

void parquet_values_missing(struct parquet_values *c, u64 *bytes)
{
	add_entry(c, parquet_values_max_def(c->column) - 1, bytes);
}

/* Append one level of all entries, with its length; shift: where it is in a run. */
static bool put_levels(const struct parquet_values *c, u32 shift, u32 mask, struct buf *out)
{
	const size_t at = out->len;
	VEC(u32) all = {0};
	u32 i, n, nr = 0;
	u8 *len;

	if (!vec_reserve(&all, c->entries))
		return false;
	for (i = 0; i < c->runs.nr; i++)
		for (n = c->runs.v[i] >> RUN_SHIFT; n; n--)
			all.v[nr++] = c->runs.v[i] >> shift & mask;
	buf_le32(out, 0);
	parquet_encode_hybrid(all.v, nr, parquet_values_max_def(c->column) > 1 && mask > 1 ? 2 : 1,
			      out);
	vec_free(&all);
	if (out->failed)
		return false;
	n = (u32)(out->len - at - 4);
	len = (u8 *)out->data + at;
	for (i = 0; i < 4; i++)
		len[i] = (u8)(n >> 8 * i);
	return true;
}

/* ---- values ---- */

static void add_index(struct parquet_values *c, u32 row, u32 index, u64 *bytes)
{
	u32 *v;

	if (!c->column->list)
		parquet_values_fill(c, row);
	v = index == ID_NONE ? NULL : vec_push(&c->index);
	if (!v) {
		c->failed = true;
		return;
	}
	*v = index;
	if (has_texts(c))
		c->plain += sizeof(u32) + c->texts.entries[index].len;
	c->present++;
	*bytes += sizeof(*v);
	add_entry(c, parquet_values_max_def(c->column), bytes);
}

static u32 add_number(struct parquet_values *c, u64 number, u64 *bytes)
{
	u64 *v;

	v = vec_push(&c->numbers);
	if (!v)
		return ID_NONE;
	*v = number;
	*bytes += sizeof(*v);
	return c->numbers.nr - 1;
}

static u32 find_number(struct parquet_values *c, u64 number, u64 *bytes)
{
	u32 id;

	/* neighbours are often the same */
	if (c->index.nr && c->numbers.v[c->index.v[c->index.nr - 1]] == number)
		return c->index.v[c->index.nr - 1];
	id = hmap_get(&c->number_of, number);
	if (id != ID_NONE)
		return id;
	id = add_number(c, number, bytes);
	*bytes += sizeof(struct hmap_slot);
	return id != ID_NONE && hmap_set(&c->number_of, number, id) ? id : ID_NONE;
}

void parquet_values_number(struct parquet_values *c, u32 row, u64 number, u64 *bytes)
{
	if (!c->column->distinct) {
		add_index(c, row, find_number(c, number, bytes), bytes);
		return;
	}
	if (!c->column->list)
		parquet_values_fill(c, row);
	if (add_number(c, number, bytes) == ID_NONE) {
		c->failed = true;
		return;
	}
	c->present++;
	add_entry(c, parquet_values_max_def(c->column), bytes);
}

bool parquet_values_known(struct parquet_values *c, u32 row, u32 key, u64 *bytes)
{
	if (key >= c->of_key.nr || !c->of_key.v[key])
		return false;
	add_index(c, row, c->of_key.v[key] - 1, bytes);
	return true;
}

static bool keep_key(struct parquet_values *c, u32 key, u32 id, u64 *bytes)
{
	if (key >= c->of_key.nr) {
		if (!vec_reserve(&c->of_key, (u64)key + 1))
			return false;
		memset(c->of_key.v + c->of_key.nr, 0,
		       (key + 1 - c->of_key.nr) * sizeof(*c->of_key.v));
		c->of_key.nr = key + 1;
	}
	c->of_key.v[key] = id + 1;
	*bytes += sizeof(*c->of_key.v);
	return true;
}

void parquet_values_text(struct parquet_values *c, u32 row, u32 key, const char *s, size_t len,
			 u64 *bytes)
{
	const u32 known = c->texts.nr;
	u32 id = strtab_add(&c->texts, s, len);

	if (c->texts.nr > known)
		*bytes += sizeof(*c->texts.entries) + 2 * sizeof(*c->texts.slots) + len + 1;
	if (id != ID_NONE && key != ID_NONE && !keep_key(c, key, id, bytes))
		id = ID_NONE;
	add_index(c, row, id, bytes);
}

/* ---- what is written ---- */

u32 parquet_values_distinct(const struct parquet_values *c)
{
	return has_texts(c) ? c->texts.nr : c->numbers.nr;
}

bool parquet_values_has_dictionary(const struct parquet_values *c)
{
	if (!c->present || c->column->distinct)
		return false;
	/* a text is kept once: each of a few that are long, written again and again, would be far more than what is kept */
	return parquet_values_distinct(c) <= c->present / 2 || c->plain > PARQUET_BYTES;
}

static void put_number(const struct parquet_values *c, u64 v, struct buf *out)
{
	if (parquet_values_physical(c->column) == PARQUET_INT32)
		buf_le32(out, (u32)v);
	else
		buf_le64(out, v);
}

static void put_text(const struct parquet_values *c, u32 id, struct buf *out)
{
	const struct strtab_entry *e = &c->texts.entries[id];

	if (c->column->type == PARQUET_DECIMAL)
		buf_add(out, e->s, e->len);
	else
		buf_lstr(out, e->s, e->len);
}

void parquet_values_dictionary(const struct parquet_values *c, struct buf *out)
{
	const u32 nr = parquet_values_distinct(c);
	u32 i;

	for (i = 0; i < nr; i++)
		if (has_texts(c))
			put_text(c, i, out);
		else
			put_number(c, c->numbers.v[i], out);
}

static u32 index_bits(u32 distinct)
{
	u32 bits = 8;

	if (distinct <= 4)
		return distinct <= 2 ? 1 : 2;
	for (; bits < 32 && (distinct - 1) >> bits; bits += 8)
		;
	return bits;
}

static bool put_differences(const struct parquet_values *c, struct buf *out)
{
	const u32 size = parquet_values_physical(c->column) == PARQUET_INT32 ? 4 : 8;
	VEC(u64) all = {0};
	u32 i;

	if (c->column->distinct) {
		parquet_encode_delta(c->numbers.v, c->present, size, out);
		return true;
	}
	if (!vec_reserve(&all, c->present))
		return false;
	for (i = 0; i < c->index.nr; i++)
		all.v[i] = c->numbers.v[c->index.v[i]];
	parquet_encode_delta(all.v, c->present, size, out);
	vec_free(&all);
	return true;
}

/* Values behind the levels; their encoding. */
static u32 put_values(struct parquet_values *c, struct buf *out)
{
	u32 bits, i;

	if (parquet_values_has_dictionary(c)) {
		bits = index_bits(parquet_values_distinct(c));
		buf_u8(out, (u8)bits);
		parquet_encode_hybrid(c->index.v, c->present, bits, out);
		return PARQUET_RLE_DICTIONARY;
	}
	if (has_texts(c)) {
		for (i = 0; i < c->index.nr; i++)
			put_text(c, c->index.v[i], out);
		return PARQUET_PLAIN;
	}
	c->failed |= !put_differences(c, out);
	return PARQUET_DELTA_BINARY_PACKED;
}

u32 parquet_values_data(struct parquet_values *c, struct buf *out)
{
	if (c->column->list)
		c->failed |= !put_levels(c, 2, 1, out);
	if (parquet_values_max_def(c->column))
		c->failed |= !put_levels(c, 0, RUN_DEF, out);
	return put_values(c, out);
}

static bool is_signed(enum parquet_type type)
{
	return type != PARQUET_UNSIGNED32 && type != PARQUET_UNSIGNED64;
}

static bool number_before(const struct parquet_values *c, u64 a, u64 b)
{
	return is_signed(c->column->type) ? (s64)a < (s64)b : a < b;
}

static bool text_before(const struct parquet_values *c, const struct strtab_entry *a,
			const struct strtab_entry *b)
{
	const int order = memcmp(a->s, b->s, MIN(a->len, b->len));

	/* the first byte of a decimal is 0xff of a negative number, else 0 */
	if (c->column->type == PARQUET_DECIMAL && a->s[0] != b->s[0])
		return a->s[0] != 0;
	return order ? order < 0 : a->len < b->len;
}

static bool text_range(const struct parquet_values *c, struct buf *least, struct buf *most)
{
	const struct strtab_entry *e, *first = c->texts.entries, *last = first;

	for (e = first; e < c->texts.entries + c->texts.nr; e++) {
		if (text_before(c, e, first))
			first = e;
		if (text_before(c, last, e))
			last = e;
	}
	if (first->len > RANGE_MAX || last->len > RANGE_MAX)
		return false;
	buf_add(least, first->s, first->len);
	buf_add(most, last->s, last->len);
	return true;
}

bool parquet_values_range(const struct parquet_values *c, struct buf *least, struct buf *most)
{
	u32 i, first = 0, last = 0;

	if (!c->present)
		return false;
	if (has_texts(c))
		return text_range(c, least, most);
	for (i = 1; i < c->numbers.nr; i++) {
		if (number_before(c, c->numbers.v[i], c->numbers.v[first]))
			first = i;
		if (number_before(c, c->numbers.v[last], c->numbers.v[i]))
			last = i;
	}
	put_number(c, c->numbers.v[first], least);
	put_number(c, c->numbers.v[last], most);
	return true;
}

void parquet_values_clear(struct parquet_values *c)
{
	c->index.nr = c->numbers.nr = c->runs.nr = c->rows = c->rep = 0;
	c->entries = c->present = c->plain = 0;
	hmap_clear(&c->number_of);
	strtab_free(&c->texts);
	if (c->of_key.nr)
		memset(c->of_key.v, 0, c->of_key.nr * sizeof(*c->of_key.v));
}

void parquet_values_free(struct parquet_values *c)
{
	vec_free(&c->index);
	vec_free(&c->numbers);
	vec_free(&c->of_key);
	vec_free(&c->runs);
	hmap_free(&c->number_of);
	strtab_free(&c->texts);
}
