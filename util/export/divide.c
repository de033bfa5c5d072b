// SPDX-License-Identifier: GPL-2.0
#include "util/export/divide.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/cur.h"
#include "util/base/vec.h"
#include "util/export/export_internal.h"

enum { VARINT = 0, FIXED64 = 1, LENGTH = 2, FIXED32 = 5 };

enum table { MAPPINGS, LOCATIONS, FUNCTIONS, STRINGS, ATTRIBUTES, STACKS, NR_TABLES };

enum message {
	REQUEST,
	RESOURCE_PROFILES,
	SCOPE_PROFILES,
	PROFILE,
	TYPE,
	SAMPLE,
	DICTIONARY,
	MAPPING,
	LOCATION,
	LINE,
	FUNCTION,
	STRING,
	ATTRIBUTE,
	STACK,
	P_PROFILE,
	P_SAMPLE,
	P_LABEL,
	P_MAPPING,
	P_LOCATION,
	P_FUNCTION,
};

enum role {
	COPIED, /* whatever is not listed */
	INNER,  /* a message */
	SAMPLES,
	PROFILES,
	ENTRY, /* of a table */
	INDEX, /* in a table: one, or several */
	ID,    /* the number of this entry itself */
};

/* Which fields name others. `of` is a message, or a table. */
static const struct rule {
	u8 message, field, role, of;
} rules[] = {
	{REQUEST, 1, INNER, RESOURCE_PROFILES},
	{REQUEST, 2, INNER, DICTIONARY},
	{RESOURCE_PROFILES, 2, INNER, SCOPE_PROFILES},
	{SCOPE_PROFILES, 2, PROFILES, PROFILE},
	{PROFILE, 1, INNER, TYPE},
	{PROFILE, 2, SAMPLES, SAMPLE},
	{PROFILE, 5, INNER, TYPE},
	{PROFILE, 11, INDEX, ATTRIBUTES},
	{TYPE, 1, INDEX, STRINGS},
	{TYPE, 2, INDEX, STRINGS},
	{SAMPLE, 1, INDEX, STACKS},
	{SAMPLE, 2, INDEX, ATTRIBUTES},
	{DICTIONARY, 1, ENTRY, MAPPINGS},
	{DICTIONARY, 2, ENTRY, LOCATIONS},
	{DICTIONARY, 3, ENTRY, FUNCTIONS},
	{DICTIONARY, 5, ENTRY, STRINGS},
	{DICTIONARY, 6, ENTRY, ATTRIBUTES},
	{DICTIONARY, 7, ENTRY, STACKS},
	{MAPPING, 4, INDEX, STRINGS},
	{MAPPING, 5, INDEX, ATTRIBUTES},
	{LOCATION, 1, INDEX, MAPPINGS},
	{LOCATION, 3, INNER, LINE},
	{LOCATION, 4, INDEX, ATTRIBUTES},
	{LINE, 1, INDEX, FUNCTIONS},
	{FUNCTION, 1, INDEX, STRINGS},
	{FUNCTION, 2, INDEX, STRINGS},
	{FUNCTION, 3, INDEX, STRINGS},
	{ATTRIBUTE, 1, INDEX, STRINGS},
	{ATTRIBUTE, 3, INDEX, STRINGS},
	{STACK, 1, INDEX, LOCATIONS},
	{P_PROFILE, 1, INNER, TYPE},
	{P_PROFILE, 2, SAMPLES, P_SAMPLE},
	{P_PROFILE, 3, ENTRY, MAPPINGS},
	{P_PROFILE, 4, ENTRY, LOCATIONS},
	{P_PROFILE, 5, ENTRY, FUNCTIONS},
	{P_PROFILE, 6, ENTRY, STRINGS},
	{P_PROFILE, 11, INNER, TYPE},
	{P_PROFILE, 13, INDEX, STRINGS},
	{P_PROFILE, 14, INDEX, STRINGS},
	{P_SAMPLE, 1, INDEX, LOCATIONS},
	{P_SAMPLE, 3, INNER, P_LABEL},
	{P_LABEL, 1, INDEX, STRINGS},
	{P_LABEL, 2, INDEX, STRINGS},
	{P_MAPPING, 1, ID, MAPPINGS},
	{P_MAPPING, 5, INDEX, STRINGS},
	{P_MAPPING, 6, INDEX, STRINGS},
	{P_LOCATION, 1, ID, LOCATIONS},
	{P_LOCATION, 2, INDEX, MAPPINGS},
	{P_LOCATION, 4, INNER, LINE},
	{P_FUNCTION, 1, ID, FUNCTIONS},
	{P_FUNCTION, 2, INDEX, STRINGS},
	{P_FUNCTION, 3, INDEX, STRINGS},
	{P_FUNCTION, 4, INDEX, STRINGS},
};

/* The messages that tables hold. */
static const u8 entry_of[][NR_TABLES] = {
	[DIVIDE_OTLP] = {MAPPING, LOCATION, FUNCTION, STRING, ATTRIBUTE, STACK},
	[DIVIDE_PPROF] = {P_MAPPING, P_LOCATION, P_FUNCTION, STRING, ATTRIBUTE, STACK},
};

enum { PROFILE_TIME = 3, PROFILE_DURATION, PROFILE_ID = 7 };
enum { SAMPLE_TIMES = 5, P_SAMPLE_VALUES = 2 };

struct entry {
	struct cur bytes;
	u32 now; /* its number in the part; ID_NONE: it is not in it */
};

struct dividing {
	enum divide_form form;
	VEC(struct entry) tables[NR_TABLES];
	u32 seen[NR_TABLES]; /* entries, while they are copied */
	u64 from, until;     /* samples of this part */
	u64 at;              /* samples before */
	u64 weight;          /* samples in it: pprof has several in one */
	bool failed, bad;
};

struct field {
	u32 number, wire;
	u64 value;
	struct cur bytes;        /* of LENGTH */
	struct cur whole;        /* with its number */
	const struct rule *rule; /* NULL: it is copied */
};

static const struct rule *find_rule(u32 message, u32 number)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rules); i++)
		if (rules[i].message == message && rules[i].field == number)
			return &rules[i];
	return NULL;
}

static bool next_field(struct dividing *d, u32 message, struct cur *c, struct field *f)
{
	const u8 *begin = c->p;
	u64 key;

	if (!cur_left(c) || c->bad || d->bad) {
		d->bad |= c->bad;
		return false;
	}
	key = cur_uleb(c);
	*f = (struct field){.number = (u32)(key >> 3), .wire = key & 7};
	if (f->wire == VARINT)
		f->value = cur_uleb(c);
	else if (f->wire == LENGTH)
		f->bytes = cur_sub(c, (size_t)cur_uleb(c));
	else if (f->wire == FIXED64 || f->wire == FIXED32)
		cur_skip(c, f->wire == FIXED64 ? 8 : 4);
	else
		c->bad = true;
	f->whole = cur_init(begin, (size_t)(c->p - begin));
	f->rule = find_rule(message, f->number);
	if (f->rule && (f->rule->role == INDEX || f->rule->role == ID
				? f->wire == FIXED64 || f->wire == FIXED32
				: f->wire != LENGTH))
		c->bad = true;
	d->bad |= c->bad;
	return !d->bad;
}

/* ---- the tables ---- */

static void find_entries(struct dividing *d, u32 message, struct cur c);

static void add_entry(struct dividing *d, u32 table, struct cur bytes)
{
	struct entry *e = vec_push(&d->tables[table]);

	if (e)
		*e = (struct entry){.bytes = bytes, .now = ID_NONE};
	d->failed |= !e;
}

static void find_entries(struct dividing *d, u32 message, struct cur c)
{
	struct field f;

	while (next_field(d, message, &c, &f)) {
		if (!f.rule)
			continue;
		if (f.rule->role == ENTRY)
			add_entry(d, f.rule->of, f.bytes);
		else if (f.rule->role == SAMPLES)
			d->at++;
		else if (f.rule->role == PROFILES || f.rule->role == INNER)
			find_entries(d, f.rule->of, f.bytes);
	}
}

static u64 entry_id(struct dividing *d, u32 table, struct cur c)
{
	struct field f;

	while (next_field(d, entry_of[d->form][table], &c, &f))
		if (f.rule && f.rule->role == ID)
			return f.value;
	d->bad = true;
	return 0;
}

/* Entries of pprof have numbers of their own, from 1 on: they are put where their numbers say, and there is no entry 0. */
static void sort_entries(struct dividing *d, u32 table)
{
	struct entry *old = d->tables[table].v, *v;
	u32 nr = d->tables[table].nr, i;
	u64 id;

	v = calloc((size_t)nr + 1, sizeof(*v));
	d->failed |= !v;
	if (!v)
		return;
	for (i = 0; i <= nr; i++)
		v[i].now = ID_NONE;
	for (i = 0; i < nr && !d->bad; i++) {
		id = entry_id(d, table, old[i].bytes);
		if (!id || id > nr || v[id].bytes.p)
			d->bad = true;
		else
			v[id] = old[i];
	}
	free(old);
	d->tables[table].v = v;
	d->tables[table].nr = d->tables[table].cap = nr + 1;
}

/* ---- what a part names ---- */

static void mark_fields(struct dividing *d, u32 message, struct cur c);

static void mark(struct dividing *d, u32 table, u64 index)
{
	struct entry *e;

	if (index >= d->tables[table].nr) {
		d->bad = true;
		return;
	}
	e = &d->tables[table].v[index];
	if (e->now != ID_NONE)
		return;
	e->now = 0;
	if (e->bytes.p && table != STRINGS)
		mark_fields(d, entry_of[d->form][table], e->bytes);
}

static void mark_index(struct dividing *d, const struct field *f)
{
	struct cur c = f->bytes;

	if (f->wire == VARINT)
		mark(d, f->rule->of, f->value);
	else
		while (cur_left(&c) && !c.bad && !d->bad)
			mark(d, f->rule->of, cur_uleb(&c));
	d->bad |= f->wire == LENGTH && c.bad;
}

static bool in_part(const struct dividing *d, u64 sample)
{
	return sample >= d->from && sample < d->until;
}

static u64 count_samples(struct dividing *d, struct cur c)
{
	struct field f;
	u64 nr = 0;

	while (next_field(d, PROFILE, &c, &f))
		nr += f.rule && f.rule->role == SAMPLES;
	return nr;
}

/* Are samples of a profile that begins at this one in the part? If not, it is passed over. */
static bool has_part(struct dividing *d, struct cur profile)
{
	u64 nr = count_samples(d, profile), first = d->at;

	if (nr && first < d->until && first + nr > d->from)
		return true;
	d->at += nr;
	return false;
}

static void mark_fields(struct dividing *d, u32 message, struct cur c)
{
	struct field f;

	while (next_field(d, message, &c, &f)) {
		if (!f.rule)
			continue;
		if (f.rule->role == INDEX)
			mark_index(d, &f);
		else if (f.rule->role == INNER ||
			 (f.rule->role == PROFILES && has_part(d, f.bytes)) ||
			 (f.rule->role == SAMPLES && in_part(d, d->at++)))
			mark_fields(d, f.rule->of, f.bytes);
	}
}

static void number_entries(struct dividing *d)
{
	u32 i, k, nr;

	for (i = 0; i < NR_TABLES; i++)
		for (k = nr = 0; k < d->tables[i].nr; k++)
			if (d->tables[i].v[k].now != ID_NONE)
				d->tables[i].v[k].now = nr++;
}

static void mark_part(struct dividing *d, struct cur document)
{
	u32 i, k;

	for (i = 0; i < NR_TABLES; i++) {
		for (k = 0; k < d->tables[i].nr; k++)
			d->tables[i].v[k].now = ID_NONE;
		/* the first is none */
		if (d->tables[i].nr)
			mark(d, i, 0);
	}
	d->at = 0;
	mark_fields(d, d->form == DIVIDE_OTLP ? REQUEST : P_PROFILE, document);
	number_entries(d);
}

/* ---- a part ---- */

static void copy_fields(struct dividing *d, u32 message, struct cur c, struct buf *out);

static u64 number_now(struct dividing *d, u32 table, u64 index)
{
	if (index < d->tables[table].nr && d->tables[table].v[index].now != ID_NONE)
		return d->tables[table].v[index].now;
	d->bad = true;
	return 0;
}

static void copy_index(struct dividing *d, const struct field *f, struct buf *out)
{
	struct cur c = f->bytes;
	struct buf numbers = {0};

	if (f->wire == VARINT) {
		export_proto_varint(out, (u64)f->number << 3 | VARINT);
		export_proto_varint(out, number_now(d, f->rule->of, f->value));
		return;
	}
	while (cur_left(&c) && !d->bad)
		export_proto_varint(&numbers, number_now(d, f->rule->of, cur_uleb(&c)));
	export_proto_message(out, f->number, &numbers);
	buf_free(&numbers);
}

static void copy_inner(struct dividing *d, const struct field *f, u32 message, struct buf *out)
{
	struct buf inner = {0};

	copy_fields(d, message, f->bytes, &inner);
	export_proto_message(out, f->number, &inner);
	buf_free(&inner);
}

/* In the order of the file, which is not that of their numbers in pprof. */
static void copy_entry(struct dividing *d, const struct field *f, struct buf *out)
{
	u32 table = f->rule->of;
	u64 index = d->form == DIVIDE_PPROF && table != STRINGS ? entry_id(d, table, f->bytes)
								: d->seen[table]++;

	if (d->bad || d->tables[table].v[index].now == ID_NONE)
		return;
	if (table == STRINGS)
		buf_add(out, f->whole.p, cur_left(&f->whole));
	else
		copy_inner(d, f, entry_of[d->form][table], out);
}

/* Samples of pprof are sums: how many they are of, and their weight, of each event. */
static u64 count_of(struct dividing *d, struct cur sample)
{
	struct field f;
	u64 nr = 0;

	if (d->form == DIVIDE_OTLP)
		return 1;
	while (next_field(d, P_SAMPLE, &sample, &f))
		while (f.number == P_SAMPLE_VALUES && cur_left(&f.bytes) && !f.bytes.bad) {
			nr += cur_uleb(&f.bytes);
			cur_uleb(&f.bytes);
		}
	return nr;
}

struct span {
	u64 first, last; /* 0: samples have no times */
};

static void add_times(struct dividing *d, struct cur sample, struct span *span)
{
	struct field f;
	u64 time;

	while (next_field(d, SAMPLE, &sample, &f)) {
		if (f.number != SAMPLE_TIMES || f.wire != LENGTH)
			continue;
		f.bytes.swap = cur_init_le(NULL, 0).swap;
		while (cur_left(&f.bytes) && !f.bytes.bad) {
			time = cur_u64(&f.bytes);
			span->first = span->first ? MIN(span->first, time) : time;
			span->last = MAX(span->last, time);
		}
	}
}

static struct span find_span(struct dividing *d, struct cur c)
{
	struct span span = {0};
	u64 at = d->at;
	struct field f;

	while (next_field(d, PROFILE, &c, &f))
		if (f.rule && f.rule->role == SAMPLES && in_part(d, at++))
			add_times(d, f.bytes, &span);
	return span;
}

/* The same samples have the same id, and others another. */
static void put_id(struct dividing *d, struct cur old, struct buf *out)
{
	u64 part = hash_u64(hash_u64(d->from) + d->until), id[2];
	u8 bytes[16];

	if (cur_left(&old) != sizeof(bytes)) {
		d->bad = true;
		return;
	}
	cur_copy(&old, bytes, sizeof(bytes));
	memcpy(id, bytes, sizeof(id));
	id[0] = hash_u64(id[0] ^ part);
	id[1] = hash_u64((id[1] + 1) ^ part);
	export_proto_bytes(out, PROFILE_ID, id, sizeof(id));
}

/* A profile that is not all in the part. */
static void copy_part(struct dividing *d, struct cur c, struct buf *out)
{
	struct span span = find_span(d, c);
	struct field f;

	while (next_field(d, PROFILE, &c, &f)) {
		if (span.first && f.number == PROFILE_TIME)
			export_proto_fixed64(out, PROFILE_TIME, span.first);
		else if (span.first && f.number == PROFILE_DURATION)
			export_proto_integer(out, PROFILE_DURATION, span.last + 1 - span.first);
		else if (f.number == PROFILE_ID && f.wire == LENGTH)
			put_id(d, f.bytes, out);
		else
			copy_fields(d, PROFILE, f.whole, out);
	}
}

static void copy_profile(struct dividing *d, const struct field *f, struct buf *out)
{
	struct buf inner = {0};
	u64 nr = count_samples(d, f->bytes);

	if (d->at >= d->from && d->at + nr <= d->until)
		copy_fields(d, PROFILE, f->bytes, &inner);
	else
		copy_part(d, f->bytes, &inner);
	export_proto_message(out, f->number, &inner);
	buf_free(&inner);
}

static void copy_sample(struct dividing *d, const struct field *f, struct buf *out)
{
	if (!in_part(d, d->at++))
		return;
	d->weight += count_of(d, f->bytes);
	copy_inner(d, f, f->rule->of, out);
}

static void copy_fields(struct dividing *d, u32 message, struct cur c, struct buf *out)
{
	struct field f;

	while (next_field(d, message, &c, &f)) {
		switch (f.rule ? f.rule->role : COPIED) {
		case COPIED:
			buf_add(out, f.whole.p, cur_left(&f.whole));
			break;
		case INNER:
			copy_inner(d, &f, f.rule->of, out);
			break;
		case SAMPLES:
			copy_sample(d, &f, out);
			break;
		case PROFILES:
			if (has_part(d, f.bytes))
				copy_profile(d, &f, out);
			break;
		case ENTRY:
			copy_entry(d, &f, out);
			break;
		default:
			copy_index(d, &f, out);
		}
	}
}

static void read_tables(struct dividing *d, struct cur document)
{
	u32 i;

	find_entries(d, d->form == DIVIDE_OTLP ? REQUEST : P_PROFILE, document);
	for (i = 0; d->form == DIVIDE_PPROF && i < STRINGS && !d->bad && !d->failed; i++)
		sort_entries(d, i);
}

static void make_part(struct dividing *d, struct cur document, struct divide_part *part)
{
	d->from = part->from;
	d->until = part->until;
	mark_part(d, document);
	d->at = 0;
	copy_fields(d, d->form == DIVIDE_OTLP ? REQUEST : P_PROFILE, document, &part->bytes);
	part->samples = d->weight;
	d->failed |= part->bytes.failed;
}

static int free_dividing(struct dividing *d, struct err *err)
{
	u32 i;

	for (i = 0; i < NR_TABLES; i++)
		vec_free(&d->tables[i]);
	if (d->failed)
		return err_nomem(err);
	return d->bad ? err_set(err, EBADMSG, "the document is damaged, and cannot be divided") : 0;
}

int divide_count(enum divide_form form, const void *document, size_t len, u64 *nr, struct err *err)
{
	struct dividing d = {.form = form};

	find_entries(&d, form == DIVIDE_OTLP ? REQUEST : P_PROFILE, cur_init(document, len));
	*nr = d.at;
	return free_dividing(&d, err);
}

int divide_document(enum divide_form form, const void *document, size_t len,
		    struct divide_part *part, struct err *err)
{
	struct dividing d = {.form = form};
	struct cur c = cur_init(document, len);

	read_tables(&d, c);
	if (!d.bad && !d.failed)
		make_part(&d, c, part);
	return free_dividing(&d, err);
}
