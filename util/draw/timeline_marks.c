// SPDX-License-Identifier: GPL-2.0
#include "util/draw/timeline_marks.h"

#include <stdlib.h>

#include "util/base/text.h"
#include "util/draw/flamegraph_sheet.h"

#define BAND_MIN 2 /* px */

static const struct {
	const char *class, *legend, *tells;
	bool over_all; /* the row's whole height */
} kinds[TIMELINE_KINDS] = {
	[TIMELINE_LOST] = {"lost", "lost: no room", "there was no room", false},
	[TIMELINE_THROTTLED] = {"throttled", "throttled", "throttled by the kernel", false},
	[TIMELINE_STOPPED] = {"stopped", "nobody read", "nobody read the buffers", false},
	[TIMELINE_OFFLINE] = {"offline", "offline", "the CPU was offline", true},
};

const char *timeline_marks_class(enum timeline_kind kind)
{
	return kinds[kind].class;
}

const char *timeline_marks_legend(enum timeline_kind kind)
{
	return kinds[kind].legend;
}

static int in_order(const void *a, const void *b)
{
	const struct timeline_mark *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	/* those that cover the row come first, and so below the others */
	if (x->kind != y->kind)
		return x->kind > y->kind ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

/* The part that can be seen; false if there is none. */
static bool cut(const struct timeline *t, struct timeline_mark *m)
{
	const u64 end = t->from + t->nr_columns * t->step - 1;

	if (m->row >= t->nr_rows || m->kind >= TIMELINE_KINDS || m->to < m->from ||
	    m->to < t->from || m->from > end)
		return false;
	m->from = MAX(m->from, t->from);
	m->to = MIN(m->to, end);
	return true;
}

static u64 column_of(const struct timeline *t, u64 time)
{
	return (time - t->from) / t->step;
}

static void add(u64 *sum, u64 n)
{
	if (__builtin_add_overflow(*sum, n, sum))
		*sum = UINT64_MAX;
}

static void merge_sorted(struct timeline_sheet *s)
{
	struct timeline_mark *v = s->marks.v, *last = NULL;
	u32 i, nr = 0;

	for (i = 0; i < s->marks.nr; i++) {
		if (last && last->row == v[i].row && last->kind == v[i].kind &&
		    column_of(s->t, v[i].from) <= column_of(s->t, last->to) + 1) {
			last->to = MAX(last->to, v[i].to);
			add(&last->count, v[i].count);
			add(&last->shared, v[i].shared);
			continue;
		}
		last = &v[nr++];
		*last = v[i];
	}
	s->marks.nr = nr;
}

int timeline_marks_merge(struct timeline_sheet *s, struct err *err)
{
	struct timeline_mark m, *to;
	u32 i;

	if (!s->t->nr_columns)
		return 0;
	for (i = 0; i < s->t->nr_marks; i++) {
		m = s->t->marks[i];
		if (!cut(s->t, &m))
			continue;
		to = vec_push(&s->marks);
		if (!to)
			return err_nomem(err);
		*to = m;
	}
	if (s->marks.nr)
		qsort(s->marks.v, s->marks.nr, sizeof(*s->marks.v), in_order);
	merge_sorted(s);
	return 0;
}

/* "CPU 1, 12.1 to 12.3 s: 1,234 lost: there was no room; 56 more on any of the rows" */
static void put_title(struct timeline_sheet *s, const struct timeline_mark *m)
{
	const char *name = s->t->rows[m->row].name;

	buf_adds(s->out, "<title>");
	text_xml(s->out, name, strlen(name));
	buf_adds(s->out, ", ");
	timeline_sheet_put_time(s->out, m->from, 1000);
	buf_adds(s->out, " to ");
	timeline_sheet_put_time(s->out, m->to, 1000);
	buf_adds(s->out, " s: ");
	if (m->count) {
		flamegraph_sheet_put_count(s->out, m->count);
		buf_adds(s->out, " lost: ");
	}
	buf_adds(s->out, kinds[m->kind].tells);
	if (m->shared) {
		buf_adds(s->out, "; ");
		flamegraph_sheet_put_count(s->out, m->shared);
		buf_adds(s->out, m->count ? " more on any of the rows" : " on any of the rows");
	}
	buf_adds(s->out, "</title>");
}

/* Whole columns, so that none is too short to be seen. */
static void put_mark(struct timeline_sheet *s, const struct timeline_mark *m, u32 y)
{
	const u32 first = (u32)column_of(s->t, m->from), last = (u32)column_of(s->t, m->to);
	const u32 band = MAX(s->row / 4, (u32)BAND_MIN);
	u32 height = s->row - 1;

	if (!kinds[m->kind].over_all) {
		/* what the kernel paused above, what was lost below */
		y += m->kind == TIMELINE_THROTTLED ? 0 : height - band;
		height = band;
	}
	buf_addf(s->out, "<rect class=\"%s\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\">",
		 kinds[m->kind].class, timeline_sheet_column(s, first), y,
		 timeline_sheet_column(s, last + 1) - timeline_sheet_column(s, first), height);
	put_title(s, m);
	buf_adds(s->out, "</rect>\n");
}

void timeline_marks_put(struct timeline_sheet *s, u32 row, u32 y)
{
	while (s->next_mark < s->marks.nr && s->marks.v[s->next_mark].row == row)
		put_mark(s, &s->marks.v[s->next_mark++], y);
}

bool timeline_marks_any(const struct timeline_sheet *s, enum timeline_kind kind)
{
	u32 i;

	for (i = 0; i < s->marks.nr; i++)
		if (s->marks.v[i].kind == kind)
			return true;
	return false;
}

void timeline_marks_free(struct timeline_sheet *s)
{
	vec_free(&s->marks);
}
