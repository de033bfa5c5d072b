// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/format/count_frames.h"
#include "util/format/count_names.h"
#include "util/library/perflite_internal.h"

static const struct {
	const char *name;
	enum perflite_source source;
} of_samples[] = {
	{"time", PERFLITE_OF_TIME},
	{"period", PERFLITE_OF_PERIOD},
	{"address", PERFLITE_OF_ADDRESS},
	{"data_address", PERFLITE_OF_DATA_ADDRESS},
};

static const struct sample_key *key_of(const struct perflite_field *f)
{
	return &f->of->keys->v[f->key];
}

static u64 word_of(const struct perflite_field *f)
{
	return f->row->words[COUNT_SHAPES + f->key];
}

/* What holds the integers of all events that have the field; PERFLITE_TEXT: they have names, or nothing does. */
static uint32_t type_of_field(const struct perflite_field *f)
{
	const struct sample_values *v = &f->of->keys->values;
	bool has_signed = false, wide = false, wide_unsigned = false, any = false;
	const struct sample_shape *s;
	u32 i;

	if (key_of(f)->function)
		return PERFLITE_TEXT;
	for (i = 0; i < v->shapes.nr; i++) {
		s = &v->shapes.v[i];
		if (s->key != f->key)
			continue;
		if (s->take.kind != FIELD_READER_INT || s->namer || s->format.prog)
			return PERFLITE_TEXT;
		wide |= s->take.size > 4 || (any && has_signed != s->take.is_signed);
		has_signed |= s->take.is_signed;
		wide_unsigned |= s->take.size > 4 && !s->take.is_signed;
		any = true;
	}
	if (!any || (has_signed && wide_unsigned))
		return PERFLITE_TEXT;
	if (wide)
		return has_signed ? PERFLITE_SIGNED64 : PERFLITE_UNSIGNED64;
	return has_signed ? PERFLITE_SIGNED32 : PERFLITE_UNSIGNED32;
}

static uint32_t type_of(const struct perflite_field *f)
{
	switch (key_of(f)->kind) {
	case KEY_PID:
	case KEY_TID:
	case KEY_CPU:
	case KEY_SOCKET:
		return PERFLITE_SIGNED32;
	case KEY_FIELD:
		return type_of_field(f);
	default:
		return sample_values_is_number(&f->of->keys->values, f->key) ? PERFLITE_UNSIGNED64
									     : PERFLITE_TEXT;
	}
}

int perflite_field_init(struct perflite_field *f, struct perflite *p, const char *name,
			struct err *err)
{
	const struct count_options o = {.max_rows = 1};
	u32 i;
	int ret;

	*f = (struct perflite_field){.type = PERFLITE_UNSIGNED64,
				     .row = (const struct count_row *)f->words};
	for (i = 0; i < ARRAY_SIZE(of_samples); i++)
		if (!strcmp(of_samples[i].name, name)) {
			f->source = of_samples[i].source;
			return 0;
		}
	ret = count_keys_parse(&f->keys, name, NULL, err);
	if (!ret && f->keys.nr != 1)
		ret = err_set(err, EINVAL, "'%s' names several values", name);
	if (!ret)
		ret = count_keys_bind(&f->keys, perflite_reading(p)->s, err);
	if (!ret)
		ret = perflite_has_parts(p, &f->keys, err);
	if (!ret)
		ret = count_table_init(&f->table, &f->keys, &o, err);
	/* as perflite_event_name() calls it */
	f->keys.values.options.numbers_events = false;
	f->of = &f->table;
	if (!ret)
		f->type = type_of(f);
	return ret;
}

void perflite_field_of(struct perflite_field *f, const struct count_table *t, u32 key)
{
	*f = (struct perflite_field){.of = t, .key = key};
	f->type = type_of(f);
}

void perflite_field_free(struct perflite_field *f)
{
	u32 i;

	for (i = 0; i < f->by_shape.nr; i++)
		hmap_free(&f->by_shape.v[i]);
	vec_free(&f->by_shape);
	strtab_free(&f->texts);
	buf_free(&f->one);
	count_table_free(&f->table);
	count_keys_free(&f->keys);
}

int perflite_field_read(struct perflite_field *f, const struct session_sample *s, struct err *err)
{
	struct count_row *row = (struct count_row *)f->words;
	const struct sample *v = s->sample;

	f->has = true;
	switch (f->source) {
	case PERFLITE_OF_KEY:
		return count_table_words(&f->table, s, row->words, err);
	case PERFLITE_OF_TIME:
		row->words[COUNT_SHAPES] = v->ids.time;
		f->has = v->ids.time;
		break;
	case PERFLITE_OF_PERIOD:
		row->words[COUNT_SHAPES] = v->period;
		break;
	case PERFLITE_OF_ADDRESS:
		row->words[COUNT_SHAPES] = v->ip;
		f->has = v->ids.has & PERF_SAMPLE_IP;
		break;
	case PERFLITE_OF_DATA_ADDRESS:
		row->words[COUNT_SHAPES] = v->addr;
		f->has = v->ids.has & PERF_SAMPLE_ADDR;
		break;
	}
	return 0;
}

void perflite_field_row(struct perflite_field *f, const struct count_row *row)
{
	f->row = row;
}

static bool is_missing(const struct perflite_field *f)
{
	if (f->source != PERFLITE_OF_KEY)
		return !f->has;
	if (!count_names_has(f->of, f->row, f->key))
		return true;
	/* pid, tid or cpu that was not recorded */
	return f->type == PERFLITE_SIGNED32 && key_of(f)->kind != KEY_FIELD &&
	       word_of(f) == ID_NONE;
}

bool perflite_field_number(const struct perflite_field *f, u64 *number)
{
	const struct sample_shape *shape;

	if (is_missing(f))
		return false;
	*number = word_of(f);
	if (f->source != PERFLITE_OF_KEY)
		return true;
	if (key_of(f)->kind != KEY_FIELD)
		return f->type != PERFLITE_TEXT;
	shape = count_table_shape(f->of, f->row, f->key);
	return shape->take.kind == FIELD_READER_INT && !key_of(f)->function;
}

static void make_text(struct perflite_field *f)
{
	buf_clear(&f->one);
	if (sample_key_is_stack(key_of(f)->kind))
		count_frames_folded(&f->of->stacks[f->key], (u32)word_of(f), 0, &f->one);
	else
		count_names_put(f->of, f->row, f->key, &f->one);
}

static struct hmap *map_of(struct perflite_field *f, u32 shape)
{
	while (f->by_shape.nr <= shape)
		if (!vec_push(&f->by_shape))
			return NULL;
	return &f->by_shape.v[shape];
}

u32 perflite_field_text_of(struct perflite_field *f)
{
	struct hmap *map;
	u32 id;

	if (f->source != PERFLITE_OF_KEY || is_missing(f))
		return ID_NONE;
	map = map_of(f, count_table_shape_number(f->row, f->key));
	id = map ? hmap_get(map, word_of(f)) : ID_NONE;
	if (id != ID_NONE)
		return id;
	make_text(f);
	id = f->one.failed ? ID_NONE : strtab_add(&f->texts, buf_str(&f->one), f->one.len);
	f->one.failed |= id == ID_NONE || !map || !hmap_set(map, word_of(f), id);
	return f->one.failed ? ID_NONE : id;
}

/* The public functions. */

int perflite_field(struct perflite *p, const char *name, struct perflite_error *error)
{
	struct perflite_field **slot = vec_push(&p->fields);
	struct err err = {0};
	int ret;

	*(slot ? slot : &(struct perflite_field *){NULL}) = slot ? calloc(1, sizeof(**slot)) : NULL;
	if (!slot || !*slot) {
		p->fields.nr -= slot != NULL;
		err_nomem(&err);
		return perflite_give_error(p, &err, error);
	}
	ret = perflite_field_init(*slot, p, name ? name : "", &err);
	perflite_give_error(p, &err, error);
	if (!ret)
		return (int)p->fields.nr - 1;
	perflite_field_free(*slot);
	free(*slot);
	p->fields.nr--;
	return ret;
}

/* The field with its value of the last sample. */
static struct perflite_field *value(struct perflite *p, int field)
{
	struct perflite_field *f;

	if (!perflite_has_sample(p) || field < 0 || (u32)field >= p->fields.nr)
		return NULL;
	f = p->fields.v[field];
	if (!perflite_field_read(f, &p->sample, NULL))
		return f;
	p->no_memory = true;
	return NULL;
}

int perflite_field_type(struct perflite *p, int field)
{
	return field < 0 || (u32)field >= p->fields.nr ? -EINVAL : (int)p->fields.v[field]->type;
}

int perflite_number(struct perflite *p, int field, uint64_t *number)
{
	struct perflite_field *f = value(p, field);
	u64 n;

	if (!f || !perflite_field_number(f, &n))
		return 0;
	*number = n;
	return 1;
}

int perflite_is_signed(struct perflite *p, int field)
{
	struct perflite_field *f = value(p, field);
	u64 n;

	if (!f || !perflite_field_number(f, &n))
		return 0;
	if (f->type != PERFLITE_TEXT)
		return f->type == PERFLITE_SIGNED32 || f->type == PERFLITE_SIGNED64;
	return count_table_shape(f->of, f->row, f->key)->take.is_signed;
}

/* Of numbers, which are many, texts are not kept. */
static const char *number_text(struct perflite *p, struct perflite_field *f)
{
	u64 n;

	if (!perflite_field_number(f, &n))
		return NULL;
	buf_clear(&f->one);
	if (f->source == PERFLITE_OF_KEY)
		make_text(f);
	else if (f->source >= PERFLITE_OF_ADDRESS)
		buf_addf(&f->one, "%llx", (unsigned long long)n);
	else
		buf_dec(&f->one, n, 0);
	p->no_memory |= f->one.failed;
	return f->one.failed ? NULL : buf_str(&f->one);
}

const char *perflite_text(struct perflite *p, int field)
{
	struct perflite_field *f = value(p, field);
	u32 id;

	if (!f)
		return NULL;
	if (f->type != PERFLITE_TEXT)
		return number_text(p, f);
	id = perflite_field_text_of(f);
	p->no_memory |= f->one.failed;
	return id == ID_NONE ? NULL : strtab_get(&f->texts, id);
}
