// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/cmd_flamegraph.h"

#include <stdio.h>
#include <stdlib.h>

#include "util/base/num.h"

/* The first CPU of a row of `share`. */
static u32 first_of(u32 cpu, u32 share)
{
	return cpu == ID_NONE ? ID_NONE : cpu / share * share;
}

/* How many rows there are if so many neighbours share one. */
static u32 count_rows(const struct time_bins *b, u32 share)
{
	u32 i, nr = 0;

	for (i = 0; i < b->rows.nr; i++)
		nr += !i ||
		      first_of(b->rows.v[i].cpu, share) != first_of(b->rows.v[i - 1].cpu, share);
	return nr;
}

static void add_row(struct flamegraph_rows *rows, const struct time_row *r)
{
	char *name = rows->names[rows->nr];
	const u32 first = first_of(r->cpu, rows->share);

	if (first == ID_NONE)
		snprintf(name, sizeof(rows->names[0]), "CPU unknown");
	else if (rows->share == 1)
		snprintf(name, sizeof(rows->names[0]), "CPU %u", first);
	else
		snprintf(name, sizeof(rows->names[0]), "CPUs %u-%u", first,
			 first + rows->share - 1);
	rows->v[rows->nr] = (struct timeline_row){.name = name, .amounts = r->amounts};
	rows->first[rows->nr++] = first;
}

static void add_up(struct time_row *to, const struct time_row *from, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		to->amounts[i] = num_sum(to->amounts[i], from->amounts[i]);
}

void flamegraph_rows_make(struct flamegraph_rows *rows, struct time_bins *b)
{
	struct time_row *r, *begun = NULL;
	u32 i;

	*rows = (struct flamegraph_rows){.share = 1};
	while (count_rows(b, rows->share) > TIMELINE_ROWS_MAX)
		rows->share *= 2;
	for (i = 0; i < b->rows.nr; i++) {
		r = &b->rows.v[i];
		if (begun && first_of(r->cpu, rows->share) == rows->first[rows->nr - 1]) {
			add_up(begun, r, b->nr);
			continue;
		}
		begun = r;
		add_row(rows, r);
	}
}

struct root {
	u32 id;
	u64 total;
};

static int by_total(const void *a, const void *b)
{
	const struct root *x = a, *y = b;

	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

static u32 root_of(const struct flamegraph_rows *rows, const struct flamegraph_part *p)
{
	return MIN(p->root, rows->nr_roots);
}

/* Which rows there are, of roots with their totals in order. */
static void name_rows(struct flamegraph_rows *rows, const struct root *roots, u32 used,
		      const struct strtab *names, u32 columns)
{
	const size_t size = sizeof(rows->names[0]);
	u32 i, others;

	rows->nr = MIN(used, (u32)TIMELINE_ROWS_MAX);
	others = used > rows->nr ? used - rows->nr + 1 : 0;
	for (i = 0; i < used; i++)
		rows->row_of[roots[i].id] = MIN(i, rows->nr - 1);
	for (i = 0; i < rows->nr; i++) {
		if (others && i == rows->nr - 1)
			snprintf(rows->names[i], size, "%u others", others);
		else
			snprintf(rows->names[i], size, "%s",
				 roots[i].id < names->nr ? strtab_get(names, roots[i].id) : "all");
		rows->v[i] = (struct timeline_row){.name = rows->names[i],
						   .amounts = rows->amounts + (size_t)i * columns};
	}
}

int flamegraph_rows_roots(struct flamegraph_rows *rows, const struct flamegraph_spans *spans,
			  const struct strtab *names, const struct time_bins *b, struct err *err)
{
	const u32 nr = names->nr + 1;
	struct root *roots = calloc(nr, sizeof(*roots)), *root;
	const struct flamegraph_part *p, *end = spans->v.v + spans->v.nr;
	u32 used = 0, column;
	u64 *amount;

	*rows = (struct flamegraph_rows){.share = 1, .roots = true, .nr_roots = names->nr};
	rows->row_of = calloc(nr, sizeof(*rows->row_of));
	rows->amounts = calloc((size_t)TIMELINE_ROWS_MAX * b->nr + 1, sizeof(*rows->amounts));
	if (!roots || !rows->row_of || !rows->amounts) {
		free(roots);
		return err_nomem(err);
	}
	for (p = spans->v.v; p < end; p++) {
		root = &roots[root_of(rows, p)];
		root->id = root_of(rows, p);
		root->total = num_sum(root->total, p->weight);
	}
	qsort(roots, nr, sizeof(*roots), by_total);
	while (used < nr && roots[used].total)
		used++;
	name_rows(rows, roots, used, names, b->nr);
	free(roots);
	for (p = spans->v.v; p < end; p++) {
		column = (u32)(p->at / b->step - b->first);
		amount = &rows->amounts[(size_t)rows->row_of[root_of(rows, p)] * b->nr + column];
		*amount = num_sum(*amount, p->weight);
	}
	return 0;
}

void flamegraph_rows_free(struct flamegraph_rows *rows)
{
	free(rows->row_of);
	free(rows->amounts);
}

u32 flamegraph_rows_find(const struct flamegraph_rows *rows, u32 cpu)
{
	const u32 first = first_of(cpu, rows->share);
	u32 i;

	for (i = 0; i < rows->nr; i++)
		if (rows->first[i] == first)
			return i;
	return ID_NONE;
}
