// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/flamegraph_rows.h"

#include <stdio.h>

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
		if (__builtin_add_overflow(to->amounts[i], from->amounts[i], &to->amounts[i]))
			to->amounts[i] = UINT64_MAX;
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

u32 flamegraph_rows_find(const struct flamegraph_rows *rows, u32 cpu)
{
	const u32 first = first_of(cpu, rows->share);
	u32 i;

	for (i = 0; i < rows->nr; i++)
		if (rows->first[i] == first)
			return i;
	return ID_NONE;
}
