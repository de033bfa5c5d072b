// SPDX-License-Identifier: GPL-2.0
#include "util/library/drops.h"

#include <stdlib.h>

static void merge_rows(struct drops_rows *rows, const struct drops_table *t)
{
	const struct count_row *next[DROPS_PARTS];
	u32 at[DROPS_PARTS] = {0}, part;

	while (rows->nr < t->parts[DROPS_SOFTWARE].table.nr + t->parts[DROPS_HARDWARE].table.nr) {
		for (part = 0; part < DROPS_PARTS; part++)
			next[part] = at[part] < t->parts[part].table.nr
					     ? count_view_row(&rows->views[part], at[part])
					     : NULL;
		part = !next[DROPS_SOFTWARE] ||
		       (next[DROPS_HARDWARE] &&
			next[DROPS_HARDWARE]->sum.nr > next[DROPS_SOFTWARE]->sum.nr);
		rows->v[rows->nr++] = (struct drops_row){(enum drops_part)part, next[part]};
		at[part]++;
	}
}

int drops_rows_init(struct drops_rows *rows, const struct drops_table *t, u64 top, struct err *err)
{
	u32 nr = 0, part;
	u64 shown = 0;
	int ret = 0;

	*rows = (struct drops_rows){0};
	for (part = 0; part < DROPS_PARTS && !ret; part++) {
		if (!t->parts[part].there)
			continue;
		nr += t->parts[part].table.nr;
		ret = count_view_init(&rows->views[part], &t->parts[part].table, COUNT_ORDER_NUMBER,
				      0, err);
	}
	if (ret)
		return ret;
	rows->v = calloc((size_t)nr + 1, sizeof(*rows->v));
	if (!rows->v)
		return err_nomem(err);
	merge_rows(rows, t);
	rows->shown = top && top < rows->nr ? (u32)top : rows->nr;
	for (nr = 0; nr < rows->shown; nr++)
		shown += rows->v[nr].counted->sum.nr;
	rows->rest = drops_table_total(t) - shown;
	return 0;
}

void drops_rows_free(struct drops_rows *rows)
{
	u32 part;

	for (part = 0; part < DROPS_PARTS; part++)
		count_view_free(&rows->views[part]);
	free(rows->v);
}
