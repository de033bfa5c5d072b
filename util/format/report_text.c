// SPDX-License-Identifier: GPL-2.0
#include "util/format/report_text.h"

#include <string.h>

#include "util/base/text.h"
#include "util/format/report_table.h"

static bool is_left_out(const struct report_table *t, const struct report_entry *e)
{
	return report_view_share(t->v, e) < t->t->percent_limit;
}

static void put_titles(struct report_table *t)
{
	const char *title;
	u32 i;

	for (i = 0; i < t->nr; i++) {
		if (i)
			report_table_between(t, i);
		else
			buf_adds(t->out, "# ");
		title = report_table_title(t, i);
		report_table_text(t, i, title, strlen(title), true);
	}
	while (t->t->brief && t->out->len && t->out->data[t->out->len - 1] == ' ')
		t->out->len--;
	buf_addc(t->out, '\n');
	if (t->t->separator || t->t->brief)
		return;
	for (i = 0; i < t->nr; i++) {
		buf_adds(t->out, i ? "  " : "# ");
		buf_pad(t->out, '.', t->columns[i].width);
	}
	buf_adds(t->out, "\n#\n");
}

static void put_row(struct report_table *t, const struct report_entry *e)
{
	const struct report_numbers own = report_entries_numbers(t->v->entries, e);
	const struct report_numbers *numbers =
		t->v->group ? report_group_row(t->v->group, e) : &own;
	struct buf *cell = &t->t->cell;
	u32 i;

	for (i = 0; i < t->nr; i++) {
		report_table_between(t, i);
		if (t->columns[i].c->key == ID_NONE) {
			report_table_numbers(t, i, numbers);
			continue;
		}
		report_table_cell(t, e, i, cell);
		report_table_text(t, i, buf_str(cell), cell->len, false);
	}
	buf_addc(t->out, '\n');
	if (t->t->below)
		t->t->below->put(t->t->below, t->v, e, t->out);
}

void report_text_head(const struct report_text *t, const struct report_keys *keys, u64 lost,
		      struct buf *out)
{
	const char *only;
	u32 i;

	if (t->no_titles || t->brief)
		return;
	for (i = 0; i < keys->shown.nr; i++) {
		only = report_table_elided(t, &keys->shown.v[i]);
		if (!only)
			continue;
		buf_addf(out, "# %s: ", report_keys_name(keys, &keys->shown.v[i]));
		text_escape(out, only, strlen(only));
		buf_addc(out, '\n');
	}
	buf_addf(out, "#\n# Total Lost Samples: %llu\n#\n", (unsigned long long)lost);
}

void report_text_event(struct report_text *t, const struct report_view *v, struct buf *out)
{
	struct report_table table;
	u32 i, nr = 0, left_out = 0;

	if (!report_table_init(&table, t, v, true, out)) {
		out->failed = true;
		return;
	}
	if (!t->no_titles) {
		report_table_event(&table);
		put_titles(&table);
	}
	for (i = 0; i < v->entries->v.nr; i++) {
		if (is_left_out(&table, &v->entries->v.v[i]))
			continue;
		if (t->max_rows && nr == t->max_rows) {
			left_out++;
			continue;
		}
		put_row(&table, &v->entries->v.v[i]);
		nr++;
	}
	if (left_out)
		buf_addf(out, "# ... and %u more row%s\n", left_out, TEXT_PLURAL(left_out));
	buf_adds(out, t->brief ? "\n" : "\n\n");
	report_table_free(&table);
}
