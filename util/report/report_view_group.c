// SPDX-License-Identifier: GPL-2.0
#include "util/report/report_view.h"

#include <string.h>

static u64 key_of(u32 root, u32 place)
{
	return (u64)root << 32 | place;
}

/* Room for what the members have in another row, nothing yet. NULL when memory is out. */
static struct report_numbers *add_row(struct report_group *g, u32 root, u32 place)
{
	u32 row = g->numbers.nr / g->nr;
	struct report_numbers *to;

	if (!vec_reserve(&g->numbers, (u64)g->numbers.nr + g->nr) ||
	    !hmap_set(&g->rows, key_of(root, place), row))
		return NULL;
	to = &g->numbers.v[g->numbers.nr];
	memset(to, 0, g->nr * sizeof(*to));
	g->numbers.nr += g->nr;
	return to;
}

static bool add_leader(struct report_group *g, const struct report_entries *rows)
{
	struct report_numbers *to;
	u32 i;

	for (i = 0; i < rows->v.nr; i++) {
		to = add_row(g, rows->v.v[i].root, rows->v.v[i].place);
		if (!to)
			return false;
		to[0] = report_entries_numbers(rows, &rows->v.v[i]);
	}
	return true;
}

/* The numbers of a member's entry in the row that is the same, which is made if there is none. */
static bool add_entry(struct report_group *g, u32 member, struct report_samples *leader,
		      struct report_entries *rows, const struct report_entries *entries, u32 i)
{
	const struct report_entry *e = &entries->v.v[i];
	const struct report_samples *own = g->members[member].samples;
	u32 nr = own->keys->nr_sample, root, row;
	const u64 *values = nr ? &own->values.v[(size_t)e->root * nr] : NULL;
	struct report_numbers *to;
	struct report_entry *added;

	root = report_samples_root(leader, values);
	if (root == ID_NONE)
		return false;
	row = hmap_get(&g->rows, key_of(root, e->place));
	if (row != ID_NONE) {
		g->numbers.v[(size_t)row * g->nr + member] = report_entries_numbers(entries, e);
		return true;
	}
	to = add_row(g, root, e->place);
	added = to ? vec_push(&rows->v) : NULL;
	if (!added)
		return false;
	*added = (struct report_entry){.root = root, .place = e->place};
	to[member] = report_entries_numbers(entries, e);
	return true;
}

int report_group_make(struct report_group *g, struct report_samples *leader,
		      struct report_entries *rows, const struct report_entries *entries,
		      struct err *err)
{
	u32 m, i;

	if (!add_leader(g, rows))
		return err_nomem(err);
	for (m = 1; m < g->nr; m++)
		for (i = 0; i < entries[m].v.nr; i++)
			if (!add_entry(g, m, leader, rows, &entries[m], i))
				return err_nomem(err);
	return 0;
}

const struct report_numbers *report_group_row(const struct report_group *g,
					      const struct report_entry *e)
{
	u32 row = hmap_get(&g->rows, key_of(e->root, e->place));

	return &g->numbers.v[(size_t)row * g->nr];
}

void report_group_free(struct report_group *g)
{
	vec_free(&g->numbers);
	hmap_free(&g->rows);
}
