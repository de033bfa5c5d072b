// SPDX-License-Identifier: GPL-2.0
#include "util/file/columns_internal.h"

#include <errno.h>

#define DEPTH_MAX 4

void columns_in_free(struct columns_in *in)
{
	size_t i;

	decompressor_free(&in->zstd);
	buf_free(&in->plane);
	for (i = 0; i < ARRAY_SIZE(in->scratch); i++)
		free(in->scratch[i]);
	*in = (struct columns_in){0};
}

bool columns_in_room(struct columns_in *in, size_t n)
{
	bool there = columns_ints_room(in->scratch, ARRAY_SIZE(in->scratch), &in->cap, n);

	in->nomem |= !there;
	return there;
}

u64 columns_get_varint(struct cur *c)
{
	u64 v = 0;
	u32 shift;
	u8 b;

	for (shift = 0; shift < 64; shift += 7) {
		b = cur_u8(c);
		v |= (u64)(b & 127) << shift;
		if (b < 128)
			return v;
	}
	c->bad = true;
	return 0;
}

static const u8 *bad(struct cur *c)
{
	c->bad = true;
	return NULL;
}

/*
 * A stream of n bytes, with room for as many behind what in->plane holds already. NULL: c->bad, or all
 * of them are *same.
 */
static const u8 *get_stream(struct columns_in *in, struct cur *c, size_t n, u8 *same)
{
	u64 head = columns_get_varint(c);
	size_t len = head >> 2, at = in->plane.len;
	const u8 *p = cur_bytes(c, len);
	int ret;

	if (!p)
		return NULL;
	switch (head & 3) {
	case COLUMNS_STREAM_RAW:
		return len == n ? p : bad(c);
	case COLUMNS_STREAM_CONST:
		if (len != 1)
			return bad(c);
		*same = p[0];
		return NULL;
	case COLUMNS_STREAM_ZSTD:
		ret = decompressor_frame(&in->zstd, p, len, n, &in->plane);
		in->nomem |= ret == -ENOMEM;
		return ret ? bad(c) : (const u8 *)in->plane.data + at;
	default:
		return bad(c);
	}
}

const u8 *columns_get_stream(struct columns_in *in, struct cur *c, size_t n)
{
	const u8 *p;
	u8 same = 0;
	char *to;

	buf_reset(&in->plane);
	p = get_stream(in, c, n, &same);
	if (p || c->bad)
		return p;
	to = buf_room(&in->plane, n);
	if (!to) {
		in->nomem = true;
		return bad(c);
	}
	return memset(to, same, n);
}

static bool get_array(struct columns_in *in, struct cur *c, u64 *v, size_t n, u32 depth);

/* One byte of each integer, and its shift. */
struct plane {
	const u8 *bytes;
	u32 shift;
};

/* Integers at a time, so that a compiler makes vectors of them. */
#define LOT 16

/* Begin with one plane, and what is added to each integer. */
static void begin_integers(u64 *restrict v, size_t n, const struct plane *plane, u64 add)
{
	const u8 *restrict p = plane->bytes;
	u32 shift = plane->shift, j;
	size_t i;

	for (i = 0; i + LOT <= n; i += LOT)
		for (j = 0; j < LOT; j++)
			v[i + j] = ((u64)p[i + j] << shift) + add;
	for (; i < n; i++)
		v[i] = ((u64)p[i] << shift) + add;
}

static void add_plane(u64 *restrict v, size_t n, const struct plane *plane)
{
	const u8 *restrict p = plane->bytes;
	u32 shift = plane->shift, j;
	size_t i;

	for (i = 0; i + LOT <= n; i += LOT)
		for (j = 0; j < LOT; j++)
			v[i + j] += (u64)p[i + j] << shift;
	for (; i < n; i++)
		v[i] += (u64)p[i] << shift;
}

static void join_planes(u64 *v, size_t n, const struct plane *planes, u32 k, u64 add)
{
	size_t i;
	u32 j;

	if (k)
		begin_integers(v, n, &planes[0], add);
	else
		for (i = 0; i < n; i++)
			v[i] = add;
	for (j = 1; j < k; j++)
		add_plane(v, n, &planes[j]);
}

static bool get_planes(struct columns_in *in, struct cur *c, u64 *v, size_t n, u32 k)
{
	u64 min = columns_get_varint(c), nx = columns_get_varint(c), escape, x, base = 0;
	struct plane planes[8];
	size_t i, at = 0;
	struct cur apart;
	u32 j, used = 0;
	const u8 *p;
	u8 same = 0;

	if (k > 8 || nx > n || (nx && (!k || k == 8)))
		c->bad = true;
	if (c->bad)
		return false;
	buf_reset(&in->plane);
	/* they stay where they are until all of them are there */
	if (k && !buf_room(&in->plane, n * k)) {
		in->nomem = true;
		return bad(c);
	}
	for (j = 0; j < k; j++) {
		p = get_stream(in, c, n, &same);
		if (c->bad)
			return false;
		if (p)
			planes[used++] = (struct plane){p, 8 * j};
		else
			base += (u64)same << 8 * j;
	}
	/* the minimum is added to the exceptions, too */
	join_planes(v, n, planes, used, base + (nx ? 0 : min));
	if (!nx)
		return true;
	p = columns_get_stream(in, c, nx * 8);
	if (!p)
		return false;
	apart = cur_init_le(p, nx * 8);
	escape = ((u64)1 << 8 * k) - 1;
	for (i = 0; i < n; i++) {
		x = v[i];
		if (x == escape) {
			if (at == nx)
				return bad(c);
			x = cur_u64(&apart);
			at++;
		}
		v[i] = x + min;
	}
	return at == nx || bad(c);
}

static bool get_dict(struct columns_in *in, struct cur *c, u64 *v, size_t n, u32 depth)
{
	u64 nr = columns_get_varint(c), *values, wrong = 0;
	size_t i;

	if (c->bad || !nr || nr > COLUMNS_DICT_MAX || !get_array(in, c, v, n, depth + 1))
		return bad(c);
	values = malloc(nr * sizeof(*values));
	if (!values) {
		in->nomem = true;
		return bad(c);
	}
	if (!get_array(in, c, values, nr, depth + 1)) {
		free(values);
		return false;
	}
	for (i = 0; i < n; i++) {
		u64 at = v[i];

		wrong |= at >= nr;
		v[i] = values[at < nr ? at : 0];
	}
	free(values);
	return !wrong || bad(c);
}

static bool get_regions(struct columns_in *in, struct cur *c, u64 *v, size_t n, u32 depth)
{
	u64 nr = columns_get_varint(c), regions[COLUMNS_REGIONS_MAX], wrong = 0;
	u32 last[COLUMNS_REGIONS_MAX] = {0}, *high;
	u64 *high_at;
	size_t i;

	if (c->bad || !nr || nr > COLUMNS_REGIONS_MAX || !get_array(in, c, v, n, depth + 1))
		return bad(c);
	high_at = malloc((n ? n : 1) * sizeof(*high_at));
	if (!high_at) {
		in->nomem = true;
		return bad(c);
	}
	if (!get_array(in, c, high_at, n, depth + 1) || !get_array(in, c, regions, nr, depth + 1)) {
		free(high_at);
		return false;
	}
	for (i = 0; i < n; i++) {
		u64 at = high_at[i];

		wrong |= at >= nr;
		at = at < nr ? at : 0;
		high = &last[at];
		*high += (u32)columns_unzigzag(v[i]);
		v[i] = regions[at] << 32 | *high;
	}
	free(high_at);
	return !wrong || bad(c);
}

static bool get_split(struct columns_in *in, struct cur *c, u64 *v, size_t n, u32 depth)
{
	u8 bits = cur_u8(c);
	u64 *high;
	size_t i;

	if (c->bad || !bits || bits > 63 || !get_array(in, c, v, n, depth + 1))
		return bad(c);
	high = malloc((n ? n : 1) * sizeof(*high));
	if (!high) {
		in->nomem = true;
		return bad(c);
	}
	if (!get_array(in, c, high, n, depth + 1)) {
		free(high);
		return false;
	}
	for (i = 0; i < n; i++)
		v[i] += high[i] << bits;
	free(high);
	return true;
}

static bool get_array(struct columns_in *in, struct cur *c, u64 *v, size_t n, u32 depth)
{
	u8 kind = cur_u8(c);
	u64 last;
	size_t i;

	if (c->bad || depth > DEPTH_MAX)
		return bad(c);
	switch (kind & 15) {
	case COLUMNS_ARRAY_PLANES:
		return get_planes(in, c, v, n, kind >> 4);
	case COLUMNS_ARRAY_DELTA:
		last = columns_get_varint(c);
		if (!get_array(in, c, v, n, depth + 1))
			return false;
		for (i = 0; i < n; i++)
			last = v[i] = last + columns_unzigzag(v[i]);
		return true;
	case COLUMNS_ARRAY_DICT:
		return get_dict(in, c, v, n, depth);
	case COLUMNS_ARRAY_REGION:
		return get_regions(in, c, v, n, depth);
	case COLUMNS_ARRAY_SPLIT:
		return get_split(in, c, v, n, depth);
	default:
		return bad(c);
	}
}

bool columns_get_ints(struct columns_in *in, struct cur *c, u64 *v, size_t n)
{
	return !n || get_array(in, c, v, n, 0);
}

bool columns_get_constant(struct cur *c)
{
	return cur_u8(c) == COLUMNS_ARRAY_PLANES;
}

bool columns_get_u32s(struct columns_in *in, struct cur *c, u32 *v, size_t n)
{
	u64 wrong = 0;
	size_t i;

	if (!columns_in_room(in, n) || !columns_get_ints(in, c, in->scratch[0], n))
		return bad(c);
	for (i = 0; i < n; i++) {
		wrong |= in->scratch[0][i] >> 32;
		v[i] = (u32)in->scratch[0][i];
	}
	return !wrong || bad(c);
}
