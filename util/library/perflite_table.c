// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/library/perflite_internal.h"

struct perflite_table *perflite_table_new(u32 nr)
{
	struct perflite_table *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->refs = 1;
	t->nr = nr;
	t->columns = calloc(MAX(nr, 1u), sizeof(*t->columns));
	if (t->columns)
		return t;
	free(t);
	return NULL;
}

void perflite_table_free(struct perflite_table *t)
{
	u32 i;

	/* consumers may release their parts in any thread */
	if (!t || __atomic_sub_fetch(&t->refs, 1, __ATOMIC_ACQ_REL))
		return;
	for (i = 0; i < t->nr; i++) {
		buf_free(&t->columns[i].values);
		buf_free(&t->columns[i].valid);
		free(t->columns[i].of_text);
		vec_free(&t->columns[i].texts);
	}
	free(t->columns);
	arena_free(&t->arena);
	free(t);
}

bool perflite_table_name(struct perflite_table *t, u32 column, const char *name, uint32_t type)
{
	t->columns[column].column.type = type;
	t->columns[column].column.name = arena_strdup(&t->arena, name);
	return t->columns[column].column.name;
}

static bool is_wide(uint32_t type)
{
	return type == PERFLITE_UNSIGNED64 || type == PERFLITE_SIGNED64;
}

static bool put_value(struct perflite_filling *c, bool there, u64 value)
{
	const bool wide = is_wide(c->column.type);
	const u64 row = c->values.len / (wide ? sizeof(u64) : sizeof(u32));
	const u32 narrow = (u32)value;

	if (wide)
		buf_add(&c->values, &value, sizeof(value));
	else
		buf_add(&c->values, &narrow, sizeof(narrow));
	if (row % 8 == 0)
		buf_addc(&c->valid, 0);
	if (c->valid.failed || c->values.failed)
		return false;
	if (there)
		c->valid.data[row / 8] |= (char)(1 << row % 8);
	c->missing |= !there;
	return true;
}

/* The number in the column of a text. */
static bool find_text(struct perflite_table *t, struct perflite_filling *c,
		      const struct strtab *texts, u32 id, u32 *number)
{
	const u32 room = MAX(64u, texts->cap);
	const char *text, **slot;
	u32 *of_text;

	if (id >= c->nr_of_text) {
		of_text = realloc(c->of_text, (size_t)room * sizeof(*of_text));
		if (!of_text)
			return false;
		memset(of_text + c->nr_of_text, 0, (room - c->nr_of_text) * sizeof(*of_text));
		c->of_text = of_text;
		c->nr_of_text = room;
	}
	if (!c->of_text[id]) {
		text = arena_strdup(&t->arena, strtab_get(texts, id));
		slot = text ? vec_push(&c->texts) : NULL;
		if (!slot)
			return false;
		*slot = text;
		c->of_text[id] = c->texts.nr;
	}
	*number = c->of_text[id] - 1;
	return true;
}

bool perflite_table_put(struct perflite_table *t, u32 column, struct perflite_field *f)
{
	struct perflite_filling *c = &t->columns[column];
	u64 value = 0;
	u32 id, number = 0;

	if (c->column.type != PERFLITE_TEXT) {
		const bool there = perflite_field_number(f, &value);

		return put_value(c, there, value);
	}
	id = perflite_field_text_of(f);
	if (f->one.failed || (id != ID_NONE && !find_text(t, c, &f->texts, id, &number)))
		return false;
	return put_value(c, id != ID_NONE, number);
}

bool perflite_table_put_text(struct perflite_table *t, u32 column, struct strtab *texts,
			     const char *text)
{
	struct perflite_filling *c = &t->columns[column];
	const u32 id = text ? strtab_add(texts, text, strlen(text)) : ID_NONE;
	u32 number = 0;

	if (text && (id == ID_NONE || !find_text(t, c, texts, id, &number)))
		return false;
	return put_value(c, text, number);
}

bool perflite_table_put_value(struct perflite_table *t, u32 column, bool there, u64 number)
{
	return put_value(&t->columns[column], there, number);
}

bool perflite_table_put_number(struct perflite_table *t, u32 column, u64 number)
{
	return put_value(&t->columns[column], true, number);
}

void perflite_table_finish(struct perflite_table *t)
{
	struct perflite_filling *c;
	u32 i;

	for (i = 0; i < t->nr; i++) {
		c = &t->columns[i];
		c->column.values = c->values.data;
		c->column.valid = c->missing ? (const uint8_t *)c->valid.data : NULL;
		c->column.texts = c->texts.v;
		c->column.nr_texts = c->texts.nr;
	}
}

uint64_t perflite_table_rows(const struct perflite_table *t)
{
	return t->rows;
}

const struct perflite_column *perflite_table_column(const struct perflite_table *t, uint32_t number)
{
	return number < t->nr ? &t->columns[number].column : NULL;
}
