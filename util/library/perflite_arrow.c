// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/library/perflite_internal.h"

/*
 * Source: https://arrow.apache.org/docs/format/CDataInterface.html, whose structs these are, and
 * https://arrow.apache.org/docs/format/Columnar.html for the buffers of each type.
 */
struct ArrowSchema {
	const char *format, *name, *metadata;
	int64_t flags, n_children;
	struct ArrowSchema **children;
	struct ArrowSchema *dictionary;
	void (*release)(struct ArrowSchema *);
	void *private_data;
};

struct ArrowArray {
	int64_t length, null_count, offset, n_buffers, n_children;
	const void **buffers;
	struct ArrowArray **children;
	struct ArrowArray *dictionary;
	void (*release)(struct ArrowArray *);
	void *private_data;
};

#define ARROW_FLAG_NULLABLE 2

/* What one schema or one array is made of. The parts of a column may outlive it: a consumer can move and release each by itself. */
struct schema_parts {
	struct perflite_table *table; /* holds the names */
	struct ArrowSchema *children[];
};

struct array_parts {
	struct perflite_table
		*table; /* holds the values; NULL: of a dictionary, which has its own */
	void *offsets, *bytes;
	const void *buffers[3];
	struct ArrowArray *children[];
};

static void release_schema(struct ArrowSchema *s)
{
	struct schema_parts *parts = s->private_data;
	int64_t i;

	for (i = 0; i < s->n_children; i++) {
		if (s->children[i] && s->children[i]->release)
			s->children[i]->release(s->children[i]);
		free(s->children[i]);
	}
	if (s->dictionary) {
		if (s->dictionary->release)
			s->dictionary->release(s->dictionary);
		free(s->dictionary);
	}
	perflite_table_free(parts->table);
	free(parts);
	s->release = NULL;
}

static void release_array(struct ArrowArray *a)
{
	struct array_parts *parts = a->private_data;
	int64_t i;

	for (i = 0; i < a->n_children; i++) {
		if (a->children[i] && a->children[i]->release)
			a->children[i]->release(a->children[i]);
		free(a->children[i]);
	}
	if (a->dictionary) {
		if (a->dictionary->release)
			a->dictionary->release(a->dictionary);
		free(a->dictionary);
	}
	perflite_table_free(parts->table);
	free(parts->offsets);
	free(parts->bytes);
	free(parts);
	a->release = NULL;
}

/* A schema that is complete but for its children, and can be released. */
static bool begin_schema(struct ArrowSchema *s, struct perflite_table *t, const char *format,
			 const char *name, u32 children)
{
	struct schema_parts *parts = calloc(1, sizeof(*parts) + children * sizeof(void *));

	if (!parts)
		return false;
	parts->table = t;
	__atomic_add_fetch(&t->refs, 1, __ATOMIC_RELAXED);
	*s = (struct ArrowSchema){
		.format = format,
		.name = name,
		.n_children = children,
		.children = parts->children,
		.release = release_schema,
		.private_data = parts,
	};
	return true;
}

static struct array_parts *begin_array(struct ArrowArray *a, struct perflite_table *t, int64_t rows,
				       int64_t buffers, u32 children)
{
	struct array_parts *parts = calloc(1, sizeof(*parts) + children * sizeof(void *));

	if (!parts)
		return NULL;
	parts->table = t;
	__atomic_add_fetch(&t->refs, 1, __ATOMIC_RELAXED);
	*a = (struct ArrowArray){
		.length = rows,
		.n_buffers = buffers,
		.buffers = parts->buffers,
		.n_children = children,
		.children = parts->children,
		.release = release_array,
		.private_data = parts,
	};
	return parts;
}

static const char *format_of(uint32_t type)
{
	static const char *const formats[] = {
		[PERFLITE_UNSIGNED32] = "I", [PERFLITE_SIGNED32] = "i", [PERFLITE_UNSIGNED64] = "L",
		[PERFLITE_SIGNED64] = "l",   [PERFLITE_TEXT] = "i",
	};

	return formats[type];
}

static bool fill_schema(struct ArrowSchema *s, struct perflite_table *t)
{
	const struct perflite_column *c;
	struct ArrowSchema *child;
	u32 i;

	if (!begin_schema(s, t, "+s", "", t->nr))
		return false;
	for (i = 0; i < t->nr; i++) {
		c = &t->columns[i].column;
		child = s->children[i] = calloc(1, sizeof(*child));
		if (!child || !begin_schema(child, t, format_of(c->type), c->name, 0))
			return false;
		child->flags = ARROW_FLAG_NULLABLE;
		if (c->type != PERFLITE_TEXT)
			continue;
		child->dictionary = calloc(1, sizeof(*child));
		/* "U": texts with offsets of 64 bits */
		if (!child->dictionary || !begin_schema(child->dictionary, t, "U", "", 0))
			return false;
	}
	return true;
}

static bool fill_dictionary(struct ArrowArray *a, struct perflite_table *t,
			    const struct perflite_column *c)
{
	struct array_parts *parts = begin_array(a, t, c->nr_texts, 3, 0);
	struct buf bytes = {0};
	int64_t *offsets;
	u32 i;

	if (!parts)
		return false;
	offsets = parts->offsets = calloc((size_t)c->nr_texts + 1, sizeof(*offsets));
	for (i = 0; offsets && i < c->nr_texts; i++) {
		buf_adds(&bytes, c->texts[i]);
		offsets[i + 1] = (int64_t)bytes.len;
	}
	/* no buffer may be missing */
	buf_addc(&bytes, '\0');
	parts->bytes = bytes.data;
	parts->buffers[1] = offsets;
	parts->buffers[2] = bytes.data;
	return offsets && !bytes.failed;
}

static int64_t missing_in(const struct perflite_column *c, u64 rows)
{
	int64_t nr = 0;
	u64 i;

	for (i = 0; c->valid && i < rows; i++)
		nr += !(c->valid[i / 8] >> i % 8 & 1);
	return nr;
}

static bool fill_column(struct ArrowArray *a, struct perflite_table *t,
			const struct perflite_column *c)
{
	struct array_parts *parts = begin_array(a, t, (int64_t)t->rows, 2, 0);

	if (!parts)
		return false;
	a->null_count = missing_in(c, t->rows);
	parts->buffers[0] = c->valid;
	parts->buffers[1] = c->values ? c->values : "";
	if (c->type != PERFLITE_TEXT)
		return true;
	a->dictionary = calloc(1, sizeof(*a));
	return a->dictionary && fill_dictionary(a->dictionary, t, c);
}

static bool fill_array(struct ArrowArray *a, struct perflite_table *t)
{
	u32 i;

	if (!begin_array(a, t, (int64_t)t->rows, 1, t->nr))
		return false;
	for (i = 0; i < t->nr; i++) {
		a->children[i] = calloc(1, sizeof(*a));
		if (!a->children[i] || !fill_column(a->children[i], t, &t->columns[i].column))
			return false;
	}
	return true;
}

int perflite_table_arrow(struct perflite_table *t, struct ArrowSchema *schema,
			 struct ArrowArray *array, struct perflite_error *error)
{
	struct err err = {0};

	memset(schema, 0, sizeof(*schema));
	memset(array, 0, sizeof(*array));
	if (!fill_schema(schema, t) || !fill_array(array, t)) {
		if (schema->release)
			schema->release(schema);
		if (array->release)
			array->release(array);
		err_nomem(&err);
	}
	return perflite_give_error(NULL, &err, error);
}
