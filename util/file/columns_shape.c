// SPDX-License-Identifier: GPL-2.0
#include "util/file/columns_shape.h"

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

/* Where the body of a record that is no sample tells the time, behind the header; 0: nowhere. */
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
