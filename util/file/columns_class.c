// SPDX-License-Identifier: GPL-2.0
#include "util/file/columns_internal.h"

/* What a record can hold behind its header. */
#define BODY_MAX (UINT16_MAX - sizeof(struct perf_event_header))

/* Forget the columns, keep the memory. */
static void columns_class_clear(struct columns_class *k)
{
	__typeof__(k->cols) cols = k->cols;

	*k = (struct columns_class){.cols = cols};
	k->cols.nr = 0;
}

static bool append_column(struct columns_class *k, enum columns_kind kind, u8 raw, u32 width)
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
		return append_column(k, kind, raw, width);
	for (; width; width -= w) {
		w = width >= 8 ? 8 : 1u << (31 - __builtin_clz(width));
		if (!append_column(k, kind, raw, w))
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
static bool set_place(s32 *at, u32 where)
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
		return set_place(&k->time_at, c->at);
	case COLUMN_TIME2:
		return set_place(&k->time2_at, c->at);
	case COLUMN_CPU:
		return set_place(&k->cpu_at, c->at);
	case COLUMN_IP:
		return set_place(&k->ip_at, c->at);
	case COLUMN_CHAIN:
	case COLUMN_OPEN_CHAIN:
		return set_place(&k->chain_at, c->at);
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

/* Identical adjacent columns are written once, with their number. */
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
			if (!append_column(k, kind & ~COLUMN_RAW, kind & COLUMN_RAW, (u32)width))
				return false;
	}
	c->bad |= !columns_class_end(k);
	return !c->bad;
}

/* Values of key.form that are no number of raw bytes, nor of a record's bytes. */
enum {
	FORM_WORDS = 0x80000000u, /* plus its size: words of a record of which nothing is known */
	FORM_BLOB = 0xfffffff0u,  /* nothing is known of it, and it is long */
	FORM_TAIL,                /* raw data with something of any length behind its fields */
	FORM_NAMED,               /* not a sample: lead bytes, a name and the like, the trailer */
};

#define HEADER    sizeof(struct perf_event_header)
#define WORDS_MAX 256 /* longer unknown data is not taken apart */
#define LEAD_NONE UINT16_MAX

static u64 u64_at(const struct columns_layout *l, const struct rec *rec, u32 at)
{
	u64 v;

	memcpy(&v, rec->data + at, sizeof(v));
	return l->foreign ? __builtin_bswap64(v) : v;
}

static u32 u32_at(const struct columns_layout *l, const struct rec *rec, u32 at)
{
	u32 v;

	memcpy(&v, rec->data + at, sizeof(v));
	return l->foreign ? __builtin_bswap32(v) : v;
}

/* Of 8 bytes each; those before the call chain, in their order. */
static const u64 before_chain[] = {
	PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IP,   PERF_SAMPLE_TID,
	PERF_SAMPLE_TIME,       PERF_SAMPLE_ADDR, PERF_SAMPLE_ID,
	PERF_SAMPLE_STREAM_ID,  PERF_SAMPLE_CPU,  PERF_SAMPLE_PERIOD,
};
static const u64 behind_raw[] = {
	PERF_SAMPLE_WEIGHT,         PERF_SAMPLE_WEIGHT_STRUCT,  PERF_SAMPLE_DATA_SRC,
	PERF_SAMPLE_TRANSACTION,    PERF_SAMPLE_PHYS_ADDR,      PERF_SAMPLE_CGROUP,
	PERF_SAMPLE_DATA_PAGE_SIZE, PERF_SAMPLE_CODE_PAGE_SIZE,
};
#define BEHIND_ANY                                                                   \
	(PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | \
	 PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_AUX)

void columns_layout_init(struct columns_layout *l, const struct event_desc *event, bool foreign)
{
	u64 type, format;
	size_t i;

	*l = (struct columns_layout){
		.event = event, .foreign = foreign, .lead = HEADER, .last = ID_NONE};
	if (!event)
		return;
	type = event->layout.sample_type;
	format = event->layout.read_format;
	for (i = 0; i < ARRAY_SIZE(before_chain); i++)
		l->lead += type & before_chain[i] ? 8 : 0;
	if (type & PERF_SAMPLE_READ) {
		l->each = 8 * (1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST));
		l->group = format & PERF_FORMAT_GROUP;
		l->read = 8 * (!!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
			       !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING));
		l->read += l->group ? 8 : l->each;
	}
	l->chain = type & PERF_SAMPLE_CALLCHAIN;
	l->raw = type & PERF_SAMPLE_RAW;
	if (event->fields && event->nr_fields) {
		const struct raw_field *f = &event->fields[event->nr_fields - 1];

		l->fields = (u32)f->at + f->size;
	}
	l->behind_kind = type & BEHIND_ANY ? BEHIND_REST : BEHIND_FIXED;
	for (i = 0; i < ARRAY_SIZE(behind_raw); i++)
		l->behind += type & behind_raw[i] ? 8 : 0;
	/* the two kinds of weight are one word */
	if ((type & PERF_SAMPLE_WEIGHT) && (type & PERF_SAMPLE_WEIGHT_STRUCT))
		l->behind -= 8;
}

static void unknown(const struct rec *rec, struct columns_parts *p)
{
	p->key.lead = LEAD_NONE;
	p->key.form = rec->size - HEADER > WORDS_MAX ? FORM_BLOB : FORM_WORDS + rec->size;
	p->key.chain = 0;
	p->chain = p->raw = 0;
}

/* Bytes of raw data that are columns of their own. */
static u32 fields_of(const struct columns_layout *l, u32 raw)
{
	if (l->fields)
		return l->fields;
	return raw > WORDS_MAX ? 8 : raw;
}

static bool sample_parts(const struct columns_layout *l, const struct rec *rec,
			 struct columns_parts *p)
{
	u32 at = l->lead + l->read, fields, raw = 0;
	u64 nr;

	if (l->group) {
		if (at > rec->size)
			return false;
		nr = u64_at(l, rec, l->lead);
		if (nr > rec->size / l->each)
			return false;
		at += (u32)nr * l->each;
	}
	if (at > rec->size)
		return false;
	p->key.lead = (u16)at;
	if (l->chain) {
		if (rec->size - at < 8)
			return false;
		nr = u64_at(l, rec, at);
		at += 8;
		if (nr > (rec->size - at) / 8)
			return false;
		p->key.chain = COLUMN_CHAIN;
		p->chain = (u32)nr;
		/* each cookie is another one: within the chain it would make all of them different */
		if (nr >= 2 && u64_at(l, rec, at + (u32)(nr - 2) * 8) == DEFERRED_CONTEXT) {
			p->key.chain = COLUMN_OPEN_CHAIN;
			p->chain--;
		}
		at += (u32)nr * 8;
	}
	if (l->raw) {
		if (rec->size - at < 4)
			return false;
		raw = u32_at(l, rec, at);
		at += 4;
		fields = fields_of(l, raw);
		if (raw > rec->size - at || raw < fields)
			return false;
		at += raw;
		p->raw = raw;
		p->key.form = raw - fields < 8 ? raw : FORM_TAIL;
	}
	return l->behind_kind == BEHIND_REST || rec->size - at == l->behind;
}

struct named {
	bool is;
	u8 lead; /* bytes of the body before the name and what changes with it */
};

static struct named named_type(u32 type)
{
	static const struct named types[] = {
		[PERF_RECORD_MMAP] = {true, 16},     [PERF_RECORD_COMM] = {true, 8},
		[PERF_RECORD_MMAP2] = {true, 16},    [PERF_RECORD_NAMESPACES] = {true, 8},
		[PERF_RECORD_KSYMBOL] = {true, 8},   [PERF_RECORD_CGROUP] = {true, 8},
		[PERF_RECORD_TEXT_POKE] = {true, 8},
	};

	return type < ARRAY_SIZE(types) ? types[type] : (struct named){0};
}

/* Its cookie, its chain, the trailer. */
static bool deferred_parts(const struct columns_layout *l, const struct rec *rec, u32 body,
			   struct columns_parts *p)
{
	u64 nr = body >= 16 ? u64_at(l, rec, HEADER + 8) : 0;

	if (body < 16 || nr != (body - 16) / 8 || body % 8)
		return false;
	p->key.lead = HEADER + 8;
	p->key.chain = COLUMN_CHAIN;
	p->chain = (u32)nr;
	return true;
}

static bool other_parts(const struct columns_layout *l, const struct rec *rec,
			struct columns_parts *p)
{
	struct named n = named_type(rec->type);
	u32 body = rec->size - HEADER;

	if (!l->event || body < l->event->layout.id_size)
		return false;
	body -= l->event->layout.id_size;
	if (rec->type == DEFERRED_RECORD)
		return deferred_parts(l, rec, body, p);
	p->key.lead = (u16)(HEADER + (n.is ? n.lead : body));
	p->key.form = n.is ? FORM_NAMED : rec->size;
	return n.is ? body >= n.lead : body <= WORDS_MAX;
}

void columns_shape_parts(const struct columns_layout *l, const struct rec *rec,
			 struct columns_parts *p)
{
	*p = (struct columns_parts){
		.key = {.type = rec->type, .misc = rec->misc, .event = rec->event}};
	if (rec->type == PERF_RECORD_SAMPLE ? !l->event || !sample_parts(l, rec, p)
					    : !other_parts(l, rec, p))
		unknown(rec, p);
}

static bool add_word(struct columns_class *k, u64 bit, bool chain)
{
	switch (bit) {
	case PERF_SAMPLE_TIME:
		return columns_class_add(k, COLUMN_TIME, 0, 8);
	case PERF_SAMPLE_CPU:
		return columns_class_add(k, COLUMN_CPU, 0, 4) &&
		       columns_class_add(k, COLUMN_INT, 0, 4);
	case PERF_SAMPLE_IP:
		return columns_class_add(k, chain ? COLUMN_IP : COLUMN_INT, 0, 8);
	default:
		return columns_class_add(k, COLUMN_INT, 0, 8);
	}
}

/* Bytes of raw data from..to, which no field covers. */
static bool add_gap(struct columns_class *k, u32 from, u32 to)
{
	u32 common = from < 8 ? MIN(to, 8u) - from : 0;

	return columns_class_add(k, COLUMN_INT, 0, common) &&
	       (from + common >= to ||
		columns_class_add(k, COLUMN_INT, COLUMN_RAW, to - from - common));
}

static bool add_field(struct columns_class *k, u32 at, u32 size)
{
	u8 raw = at >= 8 ? COLUMN_RAW : 0;
	/* long ones are arrays of words, or as good as that */
	bool wide = size > 8 && (size < 24 || size % 8);

	return columns_class_add(k, wide ? COLUMN_WIDE : COLUMN_INT, raw, size);
}

/* What every tracepoint's begins with: type, flags, preempt count, pid. */
static const struct raw_field common_fields[] = {{0, 2}, {2, 1}, {3, 1}, {4, 4}};

static bool add_raw(struct columns_class *k, const struct columns_layout *l,
		    const struct columns_parts *p)
{
	bool known = l->fields, tail = p->key.form == FORM_TAIL;
	const struct raw_field *f = known ? l->event->fields : common_fields;
	u32 nr = known ? l->event->nr_fields : ARRAY_SIZE(common_fields);
	u32 end = tail ? fields_of(l, p->raw) : p->raw;
	u32 at = 0, i;

	if (!columns_class_add(k, COLUMN_INT, 0, 4))
		return false;
	for (i = 0; i < nr; i++) {
		if (f[i].at < at || (u32)f[i].at + f[i].size > end)
			continue;
		if (!add_gap(k, at, f[i].at) || !add_field(k, f[i].at, f[i].size))
			return false;
		at = (u32)f[i].at + f[i].size;
	}
	/* only one column can be of any length */
	tail &= l->behind_kind != BEHIND_REST;
	return add_gap(k, at, end) && (!tail || columns_class_add(k, COLUMN_BLOB, COLUMN_RAW, 4));
}

static bool add_chain(struct columns_class *k, const struct columns_parts *p)
{
	if (p->key.chain && !columns_class_add(k, (enum columns_kind)p->key.chain, 0, 8))
		return false;
	return p->key.chain != COLUMN_OPEN_CHAIN || columns_class_add(k, COLUMN_INT, 0, 8);
}

static bool sample_class(const struct columns_layout *l, const struct columns_parts *p,
			 struct columns_class *k)
{
	u64 type = l->event->layout.sample_type;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(before_chain); i++)
		if (type & before_chain[i] && !add_word(k, before_chain[i], l->chain))
			return false;
	if (!columns_class_add(k, COLUMN_INT, 0, p->key.lead - l->lead))
		return false;
	if (!add_chain(k, p))
		return false;
	if (l->raw && !add_raw(k, l, p))
		return false;
	if (l->behind_kind == BEHIND_REST)
		return columns_class_add(k, COLUMN_REST, 0, 4);
	return columns_class_add(k, COLUMN_INT, 0, l->behind);
}

static const u64 trailer[] = {PERF_SAMPLE_TID,       PERF_SAMPLE_TIME, PERF_SAMPLE_ID,
			      PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU,  PERF_SAMPLE_IDENTIFIER};

/* The offset of the time in a record that is no sample, from the end of its header; 0: it has none. */
static u32 body_time(u32 type, u32 body)
{
	switch (type) {
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return body >= 24 ? 16 : 0;
	default:
		return 0;
	}
}

static bool other_class(const struct columns_layout *l, const struct columns_parts *p,
			struct columns_class *k)
{
	u64 type = l->event->layout.sample_type;
	u32 lead = p->key.lead - HEADER, time = body_time(k->type, lead);
	size_t i;

	if (time && l->event->layout.id_size && type & PERF_SAMPLE_TIME) {
		if (!columns_class_add(k, COLUMN_INT, 0, time) ||
		    !columns_class_add(k, COLUMN_TIME2, 0, 8))
			return false;
		lead -= time + 8;
	}
	if (!columns_class_add(k, COLUMN_INT, 0, lead) || !add_chain(k, p))
		return false;
	if (p->key.form == FORM_NAMED && !columns_class_add(k, COLUMN_BLOB, 0, 4))
		return false;
	for (i = 0; l->event->layout.id_size && i < ARRAY_SIZE(trailer); i++)
		if (type & trailer[i] && !add_word(k, trailer[i], false))
			return false;
	return true;
}

bool columns_shape_class(const struct columns_layout *l, const struct rec *rec,
			 const struct columns_parts *p, struct columns_class *k)
{
	bool ok;

	columns_class_clear(k);
	k->type = rec->type;
	k->misc = rec->misc;
	k->event = rec->event;
	if (p->key.lead == LEAD_NONE)
		ok = p->key.form == FORM_BLOB
			     ? columns_class_add(k, COLUMN_BLOB, 0, 4)
			     : columns_class_add(k, COLUMN_INT, 0, rec->size - HEADER);
	else if (rec->type == PERF_RECORD_SAMPLE)
		ok = sample_class(l, p, k);
	else
		ok = other_class(l, p, k);
	return ok && columns_class_end(k);
}

bool columns_shape_loose(struct columns_class *k)
{
	columns_class_clear(k);
	k->event = ID_NONE;
	k->loose = true;
	return columns_class_add(k, COLUMN_INT, 0, 4) && columns_class_add(k, COLUMN_INT, 0, 2) &&
	       columns_class_add(k, COLUMN_INT, 0, 4) && columns_class_add(k, COLUMN_BLOB, 0, 4) &&
	       columns_class_end(k);
}
