// SPDX-License-Identifier: GPL-2.0
#include "util/library/report_brief.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define NUMBERS_MAX 64u /* values of a field that are numbers */

/* What the values of a field are, those first that say most. */
enum { FIELD_NAMES, FIELD_TEXTS, FIELD_FUNCTIONS, FIELD_NUMBERS };

struct field {
	u32 table;
	u32 kind, distinct;
	u64 samples;
};

static u32 kind_of(const struct report_brief_table *t)
{
	const struct sample_take *take = sample_values_take(&t->count.values, t->event, 0);
	const struct sample_shape *shape;

	if (!take->shape)
		return FIELD_NUMBERS;
	shape = &t->count.values.shapes.v[take->shape - 1];
	if (shape->namer || shape->names.v.nr)
		return FIELD_NAMES;
	if (take->field.field->is_string)
		return FIELD_TEXTS;
	return shape->format.as == TP_SHOWN_SYMBOL ? FIELD_FUNCTIONS : FIELD_NUMBERS;
}

/* Numbers of tasks and the like: their names are in the next fields. */
static bool is_of_task(const char *name)
{
	const size_t len = strlen(name);

	return (len >= 3 && !strcmp(name + len - 3, "pid")) ||
	       (len >= 4 && !strcmp(name + len - 4, "prio"));
}

/* Numbers that are nearly all different, or all the same, say nothing. */
static bool says_something(const struct field *f)
{
	if (f->kind == FIELD_NUMBERS && (f->distinct < 2 || f->distinct > NUMBERS_MAX))
		return false;
	return f->kind == FIELD_NAMES || f->distinct < 8 || f->distinct <= f->samples / 2;
}

static int by_kind(const void *a, const void *b)
{
	const struct field *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->table < y->table ? -1 : x->table > y->table;
}

static u32 find_fields(const struct report_brief *b, u32 event, struct field *fields)
{
	const struct report_brief_seen *seen = &b->events[event];
	const struct report_brief_table *t;
	struct field f;
	u32 i, nr = 0;

	for (i = seen->first; i < seen->first + seen->nr; i++) {
		t = b->tables.v[i];
		if (t->given_up)
			continue;
		f = (struct field){.table = i,
				   .kind = kind_of(t),
				   .distinct = t->count.events[event].nr_roots,
				   .samples = t->count.events[event].all_samples};
		if (says_something(&f) &&
		    !(f.kind == FIELD_NUMBERS && is_of_task(t->count.keys.keys.v[0].field)))
			fields[nr++] = f;
	}
	qsort(fields, nr, sizeof(*fields), by_kind);
	return nr;
}

/* Always the same, and no name; or what the name of the event says. */
static bool is_dull(const struct brief_list *l)
{
	const char *first = l->v.nr ? l->v.v[0].name : "";

	return !l->v.nr || !strcmp(l->name, "__syscall_nr") ||
	       (l->distinct == 1 && (!*first || !strcmp(first, "N/A") || *first == '-' ||
				     isdigit((unsigned char)*first)));
}

int report_brief_fields(struct report_brief *b, u32 event, struct brief_event *e, struct err *err)
{
	struct field *fields = calloc((size_t)b->events[event].nr + 1, sizeof(*fields));
	struct brief_list *l;
	int ret = 0;
	u32 i, nr;

	if (!fields)
		return err_nomem(err);
	nr = find_fields(b, event, fields);
	for (i = 0; i < nr && e->nr_fields < BRIEF_FIELDS_MAX && !ret; i++) {
		l = &e->fields[e->nr_fields];
		l->name = b->tables.v[fields[i].table]->count.keys.keys.v[0].field;
		ret = report_brief_values(b, fields[i].table, event, l, err);
		if (ret || is_dull(l)) {
			vec_free(&l->v);
			*l = (struct brief_list){0};
			continue;
		}
		e->nr_fields++;
		e->nr_named += fields[i].kind != FIELD_NUMBERS;
	}
	free(fields);
	return ret;
}
