// SPDX-License-Identifier: GPL-2.0
#include "util/file/columns_class.h"

/* What a record can hold behind its header. */
#define BODY_MAX (UINT16_MAX - sizeof(struct perf_event_header))

void columns_class_clear(struct columns_class *k)
{
	__typeof__(k->cols) cols = k->cols;

	*k = (struct columns_class){.cols = cols};
	k->cols.nr = 0;
}

static bool add(struct columns_class *k, enum columns_kind kind, u8 raw, u32 width)
{
	struct columns_col *c = vec_push(&k->cols);

	if (c)
		*c = (struct columns_col){.kind = (u8)kind, .raw = raw, .width = (u16)width};
	return c;
}

bool columns_class_add(struct columns_class *k, enum columns_kind kind, u8 raw, u32 width)
{
	u32 w;

	if (kind != COLUMN_INT)
		return add(k, kind, raw, width);
	for (; width; width -= w) {
		w = width >= 8 ? 8 : 1u << (31 - __builtin_clz(width));
		if (!add(k, kind, raw, w))
			return false;
	}
	return true;
}

static bool is_width(const struct columns_col *c)
{
	switch (c->kind) {
	case COLUMN_INT:
		return c->width == 1 || c->width == 2 || c->width == 4 || c->width == 8;
	case COLUMN_TIME:
	case COLUMN_TIME2:
	case COLUMN_IP:
	case COLUMN_CHAIN:
	case COLUMN_OPEN_CHAIN:
		return c->width == 8;
	case COLUMN_CPU:
	case COLUMN_BLOB:
	case COLUMN_REST:
		return c->width == 4;
	case COLUMN_WIDE:
		return c->width > 0;
	default:
		return false;
	}
}

static bool is_loose(const struct columns_class *k)
{
	const struct columns_col *c = k->cols.v;

	return k->cols.nr >= 3 && !c[0].kind && c[0].width == 4 && !c[1].kind && c[1].width == 2 &&
	       !c[2].kind && c[2].width == 4;
}

/* Note where in the row a column is that there may be one of. */
static bool place(s32 *at, u32 where)
{
	if (*at >= 0)
		return false;
	*at = (s32)where;
	return true;
}

static bool place_column(struct columns_class *k, const struct columns_col *c)
{
	switch (c->kind) {
	case COLUMN_TIME:
		return place(&k->time_at, c->at);
	case COLUMN_TIME2:
		return place(&k->time2_at, c->at);
	case COLUMN_CPU:
		return place(&k->cpu_at, c->at);
	case COLUMN_IP:
		return place(&k->ip_at, c->at);
	case COLUMN_CHAIN:
	case COLUMN_OPEN_CHAIN:
		return place(&k->chain_at, c->at);
	default:
		return true;
	}
}

static bool add_op(struct columns_class *k, u32 col)
{
	const struct columns_col *c = &k->cols.v[col];
	bool copy = c->kind < COLUMN_BLOB;
	struct columns_op *op;

	if (k->nr_ops && copy && k->ops[k->nr_ops - 1].kind == COLUMN_INT) {
		k->ops[k->nr_ops - 1].width += c->width;
		return true;
	}
	if (k->nr_ops == COLUMNS_OPS_MAX)
		return false;
	op = &k->ops[k->nr_ops++];
	*op = (struct columns_op){
		.kind = copy ? COLUMN_INT : c->kind, .width = c->width, .at = c->at, .col = col};
	return true;
}

bool columns_class_end(struct columns_class *k)
{
	u32 i, at = 0, skip = k->loose ? 3 : 0;

	if (k->loose && !is_loose(k))
		return false;
	k->time_at = k->time2_at = k->cpu_at = k->ip_at = k->chain_at = -1;
	k->time_col = k->nr_ops = 0;
	k->raw = false;
	for (i = 0; i < k->cols.nr; i++) {
		struct columns_col *c = &k->cols.v[i];

		c->at = at;
		at += c->width;
		if (!is_width(c) || at > BODY_MAX + COLUMNS_LOOSE_SIZE)
			return false;
		if (!place_column(k, c) || (i >= skip && !add_op(k, i)))
			return false;
		if (c->kind == COLUMN_TIME)
			k->time_col = i;
		k->raw |= c->raw;
	}
	k->row_size = at;
	return true;
}

bool columns_class_room(u8 **p, size_t *cap, size_t need)
{
	size_t size = MAX(need, *cap * 2);
	u8 *to;

	if (need <= *cap)
		return true;
	to = realloc(*p, size);
	if (!to)
		return false;
	*p = to;
	*cap = size;
	return true;
}

#define COPY(w)                                                   \
	for (i = 0; i < n; i++, to += to_step, from += from_step) \
	memcpy(to, from, w)

void columns_class_copy(u8 *to, u32 to_step, const u8 *from, u32 from_step, u32 width, u32 n)
{
	u32 i;

	switch (width) {
	case 1:
		COPY(1);
		break;
	case 2:
		COPY(2);
		break;
	case 4:
		COPY(4);
		break;
	case 8:
		COPY(8);
		break;
	default:
		COPY(width);
		break;
	}
}

void columns_class_widen(const u8 *p, u32 step, u32 width, u64 *to, u32 n)
{
	u32 i, v32;
	u16 v16;

	switch (width) {
	case 1:
		for (i = 0; i < n; i++, p += step)
			to[i] = *p;
		break;
	case 2:
		for (i = 0; i < n; i++, p += step) {
			memcpy(&v16, p, 2);
			to[i] = v16;
		}
		break;
	case 4:
		for (i = 0; i < n; i++, p += step) {
			memcpy(&v32, p, 4);
			to[i] = v32;
		}
		break;
	default:
		for (i = 0; i < n; i++, p += step)
			memcpy(&to[i], p, 8);
		break;
	}
}

bool columns_class_plain(const struct columns_class *k, u32 col)
{
	/* the first of a loose class are no bytes of the record */
	return k->cols.v[col].kind == COLUMN_INT && col >= (k->loose ? 3 : 0);
}

void columns_class_reverse(u8 *p, u32 step, u32 width, u32 n)
{
	u8 was;
	u32 i;

	for (; n; n--, p += step) {
		for (i = 0; i < width / 2; i++) {
			was = p[i];
			p[i] = p[width - 1 - i];
			p[width - 1 - i] = was;
		}
	}
}

void columns_class_reverse_told(const struct columns_class *k, u8 *row)
{
	if (k->time_at >= 0)
		columns_class_reverse(row + k->time_at, 8, 8, 1);
	if (k->time2_at >= 0)
		columns_class_reverse(row + k->time2_at, 8, 8, 1);
	if (k->ip_at >= 0)
		columns_class_reverse(row + k->ip_at, 8, 8, 1);
	if (k->cpu_at >= 0)
		columns_class_reverse(row + k->cpu_at, 4, 4, 1);
}

void columns_class_reverse_header(struct perf_event_header *h)
{
	h->type = __builtin_bswap32(h->type);
	h->misc = __builtin_bswap16(h->misc);
	h->size = __builtin_bswap16(h->size);
}

/* Columns alike, which come in a row, stand there once with their number. */
void columns_class_put(const struct columns_class *k, struct buf *b)
{
	u32 i, same;

	columns_put_varint(b, k->type);
	columns_put_varint(b, k->misc);
	columns_put_varint(b, (u32)(k->event + 1));
	buf_u8(b, k->loose);
	for (i = 0; i < k->cols.nr; i += same) {
		const struct columns_col *c = &k->cols.v[i];

		for (same = 1; i + same < k->cols.nr; same++)
			if (c[same].kind != c->kind || c[same].raw != c->raw ||
			    c[same].width != c->width)
				break;
		columns_put_varint(b, same);
		buf_u8(b, c->kind | c->raw);
		columns_put_varint(b, c->width);
	}
	columns_put_varint(b, 0);
}

bool columns_class_get(struct columns_class *k, struct cur *c)
{
	u64 type, misc, event, width, same;
	u8 loose, kind;

	columns_class_clear(k);
	type = columns_get_varint(c);
	misc = columns_get_varint(c);
	event = columns_get_varint(c);
	loose = cur_u8(c);
	if (type > UINT32_MAX || misc > UINT16_MAX || event > UINT32_MAX || loose > 1)
		c->bad = true;
	k->type = (u32)type;
	k->misc = (u16)misc;
	k->event = (u32)event - 1;
	k->loose = loose;
	while (!c->bad && (same = columns_get_varint(c))) {
		kind = cur_u8(c);
		width = columns_get_varint(c);
		if (c->bad || (kind & ~COLUMN_RAW) >= COLUMN_KINDS || width > BODY_MAX ||
		    same > BODY_MAX - k->cols.nr) {
			c->bad = true;
			return false;
		}
		while (same--)
			if (!add(k, kind & ~COLUMN_RAW, kind & COLUMN_RAW, (u32)width))
				return false;
	}
	c->bad |= !columns_class_end(k);
	return !c->bad;
}
