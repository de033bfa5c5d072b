// SPDX-License-Identifier: GPL-2.0
#include "util/report/report_ranks.h"

#include <stdlib.h>
#include <string.h>

#include "util/base/radix.h"
#include "util/report/report_compare.h"

struct ranking {
	const struct report_view *view;
	const struct report_column *column;
	const u64 *values; /* different ones, rising */
};

/* A value, and what most are told apart by without a look at it. */
struct ranked {
	u64 first; /* the first bytes of a name; of a function without one, its address */
	u32 at;    /* in `values` */
	bool nameless;
};

/* What is the larger, the further behind; of keys, their values. */
static u64 number_of(const struct ranking *r, const struct report_entry *e)
{
	if (r->column->key != ID_NONE)
		return report_view_value(r->view, e, r->column->key);
	return UINT64_MAX - report_view_number(r->view, e, r->column->kind);
}

/* Of two names that begin differently, the one that comes first has the smaller number. */
static u64 first_bytes(const char *name)
{
	u64 v = 0;
	u32 i;

	for (i = 0; i < sizeof(v); i++) {
		v = v << 8 | (u8)*name;
		name += *name != 0;
	}
	return v;
}

static struct ranked describe(const struct ranking *r, u32 at)
{
	const struct report_symbol *s;
	struct ranked d = {.at = at};

	if (!report_compare_is_symbol(r->column->kind))
		return d;
	s = &r->view->places->symbols.v[r->values[at]];
	d.nameless = !s->name;
	/* addresses are compared as signed numbers */
	d.first = s->name ? first_bytes(s->name) : s->start ^ 1ull << 63;
	return d;
}

static int compare_ranked(const void *a, const void *b, void *ranking)
{
	const struct ranked *x = a, *y = b;
	const struct ranking *r = ranking;

	if (x->nameless != y->nameless)
		return x->nameless - y->nameless;
	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return report_compare_fully(r->view, r->column->kind, r->values[x->at], r->values[y->at]);
}

/* Do they look the same? */
static bool look_same(const struct ranking *r, const struct ranked *x, const struct ranked *y)
{
	if (x->nameless || y->nameless)
		return x->nameless == y->nameless;
	return x->first == y->first &&
	       !report_compare_values(r->view, r->column->kind, r->values[x->at], r->values[y->at]);
}

/* The ranks of the different values. False: memory is out. */
static bool rank_values(struct ranking *r, u32 nr, u32 *ranks, u32 *ties)
{
	struct ranked *v = malloc((nr + 1ul) * sizeof(*v));
	u32 i, rank = 0, tie = 0;

	if (!v)
		return false;
	for (i = 0; i < nr; i++)
		v[i] = describe(r, i);
	qsort_r(v, nr, sizeof(*v), compare_ranked, r);
	for (i = 0; i < nr; i++) {
		if (i) {
			rank += !look_same(r, &v[i - 1], &v[i]);
			tie += compare_ranked(&v[i - 1], &v[i], r) != 0;
		}
		ranks[v[i].at] = rank;
		ties[v[i].at] = tie;
	}
	free(v);
	return true;
}

/* Memory for as many as there are rows. */
struct scratch {
	u64 *numbers;
	u64 *spare; /* twice as many */
	u32 *order;
	u32 *ranks, *ties; /* of different values */
};

/* The different values, rising; each row is told which is its one. Returns how many. */
static u32 find_different(struct ranking *r, struct scratch *s, u32 *which)
{
	const struct report_entries *rows = r->view->entries;
	u32 i, nr = 0;

	for (i = 0; i < rows->v.nr; i++)
		s->numbers[i] = number_of(r, &rows->v.v[i]);
	radix_order(s->numbers, s->spare, rows->v.nr, s->order);
	for (i = 0; i < rows->v.nr; i++) {
		u64 number = s->numbers[s->order[i]];

		if (!nr || s->spare[nr - 1] != number)
			s->spare[nr++] = number;
		which[s->order[i]] = nr - 1;
	}
	r->values = s->spare;
	return nr;
}

static bool rank_rows(struct report_ranks *to, struct ranking *r, struct scratch *s)
{
	u32 i, nr = find_different(r, s, to->ranks);

	if (r->column->key == ID_NONE) {
		memcpy(to->ties, to->ranks, r->view->entries->v.nr * sizeof(*to->ties));
		return true;
	}
	if (!rank_values(r, nr, s->ranks, s->ties))
		return false;
	for (i = 0; i < r->view->entries->v.nr; i++) {
		to->ties[i] = s->ties[to->ranks[i]];
		to->ranks[i] = s->ranks[to->ranks[i]];
	}
	return true;
}

bool report_ranks_make(struct report_ranks *to, const struct report_view *v,
		       const struct report_column *column)
{
	struct ranking r = {.view = v, .column = column};
	size_t nr = v->entries->v.nr + 1ul;
	struct scratch s = {.numbers = malloc(nr * sizeof(u64)),
			    .spare = malloc(nr * 2 * sizeof(u64)),
			    .order = malloc(nr * sizeof(u32)),
			    .ranks = malloc(nr * sizeof(u32)),
			    .ties = malloc(nr * sizeof(u32))};
	bool ok;

	to->ranks = malloc(nr * sizeof(*to->ranks));
	to->ties = malloc(nr * sizeof(*to->ties));
	ok = s.numbers && s.spare && s.order && s.ranks && s.ties && to->ranks && to->ties &&
	     rank_rows(to, &r, &s);
	free(s.numbers);
	free(s.spare);
	free(s.order);
	free(s.ranks);
	free(s.ties);
	if (!ok)
		report_ranks_free(to);
	return ok;
}

void report_ranks_free(struct report_ranks *r)
{
	free(r->ranks);
	free(r->ties);
	*r = (struct report_ranks){0};
}
