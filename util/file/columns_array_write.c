// SPDX-License-Identifier: GPL-2.0
#include "util/file/columns_internal.h"

#define STREAM_MIN 64 /* shorter ones are not worth compressing */
/* Addresses are split there: a library is not much larger, and processes differ above. */
#define SPLIT_BITS 24

void columns_out_free(struct columns_out *o)
{
	size_t i;

	compress_free(&o->zstd);
	columns_table_free(&o->table);
	for (i = 0; i < ARRAY_SIZE(o->scratch); i++)
		free(o->scratch[i]);
	free(o->planes);
	buf_free(&o->frame);
	buf_free(&o->extra);
	*o = (struct columns_out){0};
}

bool columns_out_room(struct columns_out *o, size_t n)
{
	u8 *planes;

	if (n <= o->cap)
		return true;
	if (!columns_ints_room(o->scratch, ARRAY_SIZE(o->scratch), &o->cap, n)) {
		o->failed = true;
		return false;
	}
	planes = realloc(o->planes, o->cap * 8);
	if (!planes) {
		o->failed = true;
		o->cap = 0;
		return false;
	}
	o->planes = planes;
	return true;
}

void columns_put_varint(struct buf *b, u64 v)
{
	u8 t[10];
	u32 n = 0;

	while (v >= 128) {
		t[n++] = (u8)(v | 128);
		v >>= 7;
	}
	t[n++] = (u8)v;
	buf_add(b, t, n);
}

void columns_put_stream(struct columns_out *o, const void *p, size_t n)
{
	const u8 *bytes = p;

	if (!n)
		return;
	if (n > 1 && !memcmp(bytes, bytes + 1, n - 1)) {
		columns_put_varint(o->to, 1 << 2 | COLUMNS_STREAM_CONST);
		buf_add(o->to, bytes, 1);
		return;
	}
	if (n >= STREAM_MIN && o->zstd.level) {
		buf_reset(&o->frame);
		if (compress_frame(&o->zstd, p, n, &o->frame, NULL)) {
			o->failed = true;
			return;
		}
		if (o->frame.len < n) {
			columns_put_varint(o->to, (u64)o->frame.len << 2 | COLUMNS_STREAM_ZSTD);
			buf_add(o->to, o->frame.data, o->frame.len);
			return;
		}
	}
	columns_put_varint(o->to, (u64)n << 2 | COLUMNS_STREAM_RAW);
	buf_add(o->to, p, n);
}

static u32 width_of(u64 v)
{
	return v ? (71 - (u32)__builtin_clzll(v)) / 8 : 0;
}

/* An array; `same`: whether all integers of a run are the same, NULL: of no run. */
struct ints {
	const u64 *v;
	size_t n;
	const u8 *same;
};

/* The number of integers of the run at `at`, and how many of them are stored. */
static size_t run_at(const struct ints *a, size_t at, size_t *stored)
{
	size_t len = MIN(a->n - at, (size_t)COLUMNS_RUN);

	*stored = a->same && a->same[at / COLUMNS_RUN] ? 1 : len;
	return len;
}

/* What an array costs in planes. */
struct cost {
	u64 min, range;
	u32 planes;
	size_t bytes;
};

static void find_range(const struct ints *a, struct cost *c)
{
	u64 min = a->v[0], max = a->v[0], min2 = min, max2 = max;
	size_t i, at, len, stored;

	for (at = 0; at < a->n; at += len) {
		const u64 *v = a->v + at;

		len = run_at(a, at, &stored);
		min = MIN(min, v[0]);
		max = MAX(max, v[0]);
		/* two at a time, which need not wait for each other */
		for (i = stored & 1; i < stored; i += 2) {
			min = MIN(min, v[i]);
			max = MAX(max, v[i]);
			min2 = MIN(min2, v[i + 1]);
			max2 = MAX(max2, v[i + 1]);
		}
	}
	c->min = MIN(min, min2);
	c->range = MAX(max, max2) - c->min;
}

/*
 * The number of planes with which the array and what does not fit into them are shortest. In a long
 * array only every fourth integer is looked at.
 */
static void find_planes(const u64 *v, size_t n, struct cost *c)
{
	u32 k, most = width_of(c->range), step = n > 4096 ? 4 : 1;
	size_t count[9] = {0}, above = 0, bytes, i;

	c->planes = most;
	c->bytes = n * most;
	if (most <= 1)
		return;
	for (i = 0; i < n; i += step)
		count[width_of(v[i] - c->min)]++;
	for (k = most - 1; k; k--) {
		above += count[k + 1] * step;
		bytes = n * k + above * 8;
		if (bytes < c->bytes) {
			c->bytes = bytes;
			c->planes = k;
		}
	}
}

/* Split integers, less `min`, into planes. */
static void split_planes(u8 *p, const struct ints *a, u64 min, u32 k)
{
	size_t at, len, stored, i;
	u32 j;

	for (j = 0; j < k; j++) {
		for (at = 0; at < a->n; at += len, p += len) {
			const u64 *v = a->v + at;

			len = run_at(a, at, &stored);
			if (stored < len) {
				memset(p, (u8)((v[0] - min) >> 8 * j), len);
				continue;
			}
			for (i = 0; i < len; i++)
				p[i] = (u8)((v[i] - min) >> 8 * j);
		}
	}
}

/* The same for a whole array where some do not fit: those are written separately, and all ones in their place. */
static size_t split_extra(struct columns_out *o, const u64 *v, size_t n, u64 min, u32 k)
{
	u64 escape = ((u64)1 << 8 * k) - 1, x;
	size_t i, nx = 0;
	u32 j;

	buf_reset(&o->extra);
	for (i = 0; i < n; i++) {
		x = v[i] - min;
		if (x >= escape) {
			buf_le64(&o->extra, x);
			x = escape;
			nx++;
		}
		for (j = 0; j < k; j++)
			o->planes[j * n + i] = (u8)(x >> 8 * j);
	}
	return nx;
}

static void put_split(struct columns_out *o, size_t n, u64 min, u32 k, size_t nx)
{
	u32 j;

	buf_u8(o->to, (u8)(COLUMNS_ARRAY_PLANES | k << 4));
	columns_put_varint(o->to, min);
	columns_put_varint(o->to, nx);
	for (j = 0; j < k; j++)
		columns_put_stream(o, o->planes + j * n, n);
	if (!nx)
		return;
	o->failed |= o->extra.failed;
	if (!o->failed)
		columns_put_stream(o, o->extra.data, nx * 8);
}

static void put_planes(struct columns_out *o, const u64 *v, size_t n, const struct cost *c)
{
	const struct ints a = {v, n, NULL};
	u32 k = c->planes;
	size_t nx = 0;

	if (k && k < 8 && c->range >> 8 * k)
		nx = split_extra(o, v, n, c->min, k);
	else
		split_planes(o->planes, &a, c->min, k);
	put_split(o, n, c->min, k, nx);
}

static void put_plain(struct columns_out *o, const u64 *v, size_t n)
{
	const struct ints a = {v, n, NULL};
	struct cost c;

	find_range(&a, &c);
	find_planes(v, n, &c);
	put_planes(o, v, n, &c);
}

static void make_deltas(const u64 *v, size_t n, u64 *to)
{
	u64 last = v[0];
	size_t i;

	for (i = 0; i < n; i++) {
		to[i] = columns_zigzag(v[i] - last);
		last = v[i];
	}
}

/*
 * The low halves of addresses, each as the difference to the last one with the same high half.
 * Returns how many high halves there are, 0: too many.
 */
static u32 make_regions(struct columns_out *o, const u64 *v, size_t n, u64 *high, u64 *low,
			u64 *regions)
{
	u32 last[COLUMNS_REGIONS_MAX], nr = 0, r = ID_NONE;
	struct columns_slot *slot;
	size_t i;

	columns_table_clear(&o->table);
	for (i = 0; i < n; i++) {
		u64 h = v[i] >> 32;

		if (r == ID_NONE || regions[r] != h) {
			if (!columns_table_ready(&o->table)) {
				o->failed = true;
				return 0;
			}
			r = columns_table_find(&o->table, h, &slot);
			if (r == ID_NONE) {
				if (nr == COLUMNS_REGIONS_MAX)
					return 0;
				r = nr++;
				regions[r] = h;
				last[r] = 0;
				if (slot)
					columns_table_put(&o->table, slot, h, r);
			}
		}
		high[i] = r;
		low[i] = columns_zigzag((u64)((s64)(v[i] & UINT32_MAX) - (s64)last[r]));
		last[r] = (u32)v[i];
	}
	return nr;
}

/* An array of values that are not worth a dictionary, or are in one; their range is known. */
static void put_numbers(struct columns_out *o, const u64 *v, size_t n, struct cost plain)
{
	u64 regions[COLUMNS_REGIONS_MAX];
	struct cost delta, low;
	u32 nr = 0;

	find_planes(v, n, &plain);
	if (plain.planes <= 1) {
		put_planes(o, v, n, &plain);
		return;
	}
	make_deltas(v, n, o->scratch[1]);
	find_range(&(struct ints){o->scratch[1], n, NULL}, &delta);
	find_planes(o->scratch[1], n, &delta);
	delta.bytes += 12;
	if (MIN(delta.bytes, plain.bytes) > n * 4 && width_of(plain.range) > 4) {
		nr = make_regions(o, v, n, o->scratch[3], o->scratch[1], regions);
		if (nr) {
			find_range(&(struct ints){o->scratch[1], n, NULL}, &low);
			find_planes(o->scratch[1], n, &low);
			low.bytes += n / 4 + nr * 4 + 16;
			if (low.bytes > MIN(delta.bytes, plain.bytes))
				nr = 0;
		}
	}
	if (nr) {
		buf_u8(o->to, COLUMNS_ARRAY_REGION);
		columns_put_varint(o->to, nr);
		put_planes(o, o->scratch[1], n, &low);
		put_plain(o, o->scratch[3], n);
		put_plain(o, regions, nr);
	} else if (delta.bytes < plain.bytes) {
		make_deltas(v, n, o->scratch[1]);
		buf_u8(o->to, COLUMNS_ARRAY_DELTA);
		columns_put_varint(o->to, v[0]);
		put_planes(o, o->scratch[1], n, &delta);
	} else {
		put_planes(o, v, n, &plain);
	}
}

/* A dictionary while it is made: the table of `o` numbers the values. */
struct dict {
	struct columns_out *o;
	u64 *values;
	u32 nr, max;
};

/* The number of a value; ID_NONE: after `before` others there are too many for that to be of use. */
static u32 number_of(struct dict *d, u64 value, size_t before)
{
	struct columns_table *t = &d->o->table;
	struct columns_slot *slot;
	u32 known;

	if (!columns_table_ready(t)) {
		d->o->failed = true;
		return ID_NONE;
	}
	known = columns_table_find(t, value, &slot);
	if (known != ID_NONE)
		return known;
	if (d->nr == d->max || d->nr > 192 + before / 2)
		return ID_NONE;
	d->values[d->nr] = value;
	if (slot)
		columns_table_put(t, slot, value, d->nr);
	return d->nr++;
}

/* Number the different values; 0: there are more than `max`, too many for that to be of use. */
static u32 make_dict(struct columns_out *o, const struct ints *a, u32 max, u16 *code, u64 *values)
{
	struct dict d = {.o = o, .values = values, .max = max};
	size_t at, len, stored, i;
	u64 last = ~a->v[0];
	u32 number = 0;

	columns_table_clear(&o->table);
	for (at = 0; at < a->n; at += len) {
		const u64 *v = a->v + at;

		len = run_at(a, at, &stored);
		for (i = 0; i < stored; i++) {
			if (v[i] != last) {
				last = v[i];
				number = number_of(&d, last, at + i);
				if (number == ID_NONE)
					return 0;
			}
			code[at + i] = (u16)number;
		}
		for (; i < len; i++)
			code[at + i] = (u16)number;
	}
	return d.nr;
}

/* Which of `nr` values each is: the first is number 0, so these are their own planes. */
static void put_codes(struct columns_out *o, const u16 *code, size_t n, u32 nr)
{
	u64 *wide = o->scratch[3];
	u8 *plane = o->planes;
	size_t i;

	if (nr > 256) {
		for (i = 0; i < n; i++)
			wide[i] = code[i];
		put_plain(o, wide, n);
		return;
	}
	for (i = 0; i < n; i++)
		plane[i] = (u8)code[i];
	put_split(o, n, 0, nr > 1, 0);
}

/* So many different values of n, in so many planes without, are worth a dictionary. */
static u32 dict_max(size_t n, u32 planes)
{
	size_t few = MIN(n / 3, (size_t)257), many = MIN(n / 4, (size_t)COLUMNS_DICT_MAX + 1);

	return (u32)(planes > 2 && many > few ? many : MAX(few, (size_t)1)) - 1;
}

/* False: they are not worth a dictionary. */
static bool put_dict(struct columns_out *o, const struct ints *a, u32 planes)
{
	u16 *code = (u16 *)o->scratch[1];
	u64 *values = o->scratch[2];
	struct cost range;
	u32 nr;

	nr = a->n >= 32 ? make_dict(o, a, dict_max(a->n, planes), code, values) : 0;
	if (!nr)
		return false;
	buf_u8(o->to, COLUMNS_ARRAY_DICT);
	columns_put_varint(o->to, nr);
	put_codes(o, code, a->n, nr);
	find_range(&(struct ints){values, nr, NULL}, &range);
	put_numbers(o, values, nr, range);
	return true;
}

static void fill_runs(u64 *v, size_t n, const u8 *same)
{
	size_t at, len, stored, i;

	for (at = 0; at < n; at += len) {
		len = run_at(&(struct ints){v, n, same}, at, &stored);
		for (i = stored; i < len; i++)
			v[at + i] = v[at];
	}
}

/* True: it is written. False: what it would cost in planes. */
static bool put_short(struct columns_out *o, const struct ints *a, struct cost *plain)
{
	find_range(a, plain);
	plain->planes = width_of(plain->range);
	if (plain->planes > 1)
		return put_dict(o, a, plain->planes);
	split_planes(o->planes, a, plain->min, plain->planes);
	put_split(o, a->n, plain->min, plain->planes, 0);
	return true;
}

void columns_put_ints(struct columns_out *o, const u64 *v, size_t n)
{
	struct cost plain;

	if (n && columns_out_room(o, n) && !put_short(o, &(struct ints){v, n, NULL}, &plain))
		put_numbers(o, v, n, plain);
}

void columns_put_runs(struct columns_out *o, u64 *v, size_t n, const u8 *same)
{
	struct cost plain;

	if (!n || !columns_out_room(o, n) || put_short(o, &(struct ints){v, n, same}, &plain))
		return;
	fill_runs(v, n, same);
	put_numbers(o, v, n, plain);
}

void columns_put_addresses(struct columns_out *o, const u64 *v, size_t n)
{
	size_t i;

	if (!n || !columns_out_room(o, n))
		return;
	if (n < STREAM_MIN) {
		columns_put_ints(o, v, n);
		return;
	}
	buf_u8(o->to, COLUMNS_ARRAY_SPLIT);
	buf_u8(o->to, SPLIT_BITS);
	for (i = 0; i < n; i++)
		o->scratch[0][i] = v[i] & ((1u << SPLIT_BITS) - 1);
	put_plain(o, o->scratch[0], n);
	for (i = 0; i < n; i++)
		o->scratch[0][i] = v[i] >> SPLIT_BITS;
	columns_put_ints(o, o->scratch[0], n);
}

void columns_put_u32s(struct columns_out *o, const u32 *v, size_t n)
{
	size_t i;

	if (!columns_out_room(o, n))
		return;
	for (i = 0; i < n; i++)
		o->scratch[0][i] = v[i];
	columns_put_ints(o, o->scratch[0], n);
}
