// SPDX-License-Identifier: GPL-2.0
#include "util/format/stat_view.h"

#include <string.h>

#include "util/base/text.h"

int stat_ratios_find(struct stat_ratios *r, const struct stat_shape *shape,
		     const struct stat_derivations *d, struct err *err)
{
	struct stat_derived is[STAT_DERIVED_MAX];
	struct stat_ratio *to;
	u32 e, i, nr;

	for (e = 0; e < shape->nr_events; e++) {
		nr = stat_derivations_ratios(d, e, is);
		for (i = 0; i < nr; i++) {
			to = vec_push(r);
			if (!to)
				return err_nomem(err);
			*to = (struct stat_ratio){e, is[i]};
		}
	}
	return 0;
}

void stat_ratios_free(struct stat_ratios *r)
{
	vec_free(r);
}

void stat_ratios_title(const struct stat_ratio *r, const struct stat_view *v, struct buf *out)
{
	const struct stat_event *e = &v->table->shape->events[r->event];

	if (r->is.metric) {
		buf_adds(out, r->is.metric);
	} else {
		if (!strncmp(r->is.unit, "of all ", 7)) {
			text_escape(out, e->name, strlen(e->name));
			buf_addc(out, ' ');
		}
		buf_adds(out, r->is.unit);
	}
	if (e->cgroup) {
		buf_addc(out, ' ');
		text_escape(out, e->cgroup, strlen(e->cgroup));
	}
}

/* The first event of a row that is shown there; ID_NONE: none is. */
static u32 shown_event(const struct stat_ratios *r, const struct stat_table *t, u32 key)
{
	u32 i;

	for (i = 0; i < r->nr; i++)
		if (stat_table_shows(t, r->v[i].event, key))
			return r->v[i].event;
	return ID_NONE;
}

bool stat_ratios_next(const struct stat_ratios *r, const struct stat_view *v, u32 *key,
		      struct stat_row *row)
{
	const struct stat_table *t = v->table;
	u32 event = ID_NONE, at = 0;

	while (event == ID_NONE) {
		if (*key >= t->nr_keys)
			return false;
		at = (*key)++;
		event = shown_event(r, t, at);
	}
	*row = (struct stat_row){
		.event = &t->shape->events[event],
		.key = &t->keys[at],
		.cell = stat_table_cell(t, event, at),
	};
	return true;
}

static u32 key_of(const struct stat_view *v, const struct stat_row *row)
{
	return (u32)(row->key - v->table->keys);
}

static bool same(const struct stat_derived *a, const struct stat_derived *b)
{
	if (a->metric || b->metric)
		return a->metric && b->metric && !strcmp(a->metric, b->metric);
	return !strcmp(a->unit, b->unit);
}

bool stat_ratios_value(const struct stat_ratio *r, const struct stat_view *v,
		       const struct stat_row *row, struct stat_derived *out)
{
	struct stat_derived all[STAT_DERIVED_MAX];
	u32 nr = stat_derivations_get(v->derivations, v->table, r->event, key_of(v, row), all), i;

	for (i = 0; i < nr; i++) {
		if (!same(&all[i], &r->is))
			continue;
		*out = all[i];
		return true;
	}
	return false;
}

const char *stat_ratios_absent(const struct stat_ratio *r, const struct stat_view *v,
			       const struct stat_row *row)
{
	const struct stat_row its = {.cell = stat_table_cell(v->table, r->event, key_of(v, row))};
	const char *absent = stat_row_absent(&its);

	return absent ? absent : "-";
}
