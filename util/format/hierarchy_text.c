// SPDX-License-Identifier: GPL-2.0
#include "util/format/hierarchy_text.h"

#include <string.h>

#include "util/format/report_table.h"

#define INDENT 3u

struct nested {
	struct report_table table;
	const struct report_tree *tree;
};

static bool is_number(const struct report_table *t, u32 column)
{
	return t->columns[column].c->key == ID_NONE;
}

/* The column of a level: keys are shown in the order of levels. */
static u32 column_of(const struct nested *n, u32 level)
{
	u32 i;

	for (i = 0; i < n->table.nr; i++)
		if (n->table.columns[i].c == n->tree->levels.v[level])
			return i;
	return 0;
}

/* Columns of numbers, with what is between them. */
static size_t width_of_numbers(const struct nested *n)
{
	size_t width = 0;
	u32 i;

	for (i = 0; i < n->table.nr; i++)
		if (is_number(&n->table, i))
			width += (width ? 2 : 0) + n->table.columns[i].width;
	return width;
}

static const char *trimmed(const char *s, size_t *len)
{
	s += strspn(s, " ");
	*len = strlen(s);
	while (*len && s[*len - 1] == ' ')
		--*len;
	return s;
}

/* "Command / Shared Object"; returns its length. */
static size_t put_keys(const struct nested *n)
{
	struct buf *out = n->table.out;
	size_t before = out->len, len;
	const char *title;
	u32 i;

	for (i = 0; i < n->tree->levels.nr; i++) {
		title = trimmed(report_table_title(&n->table, column_of(n, i)), &len);
		buf_adds(out, i ? " / " : "");
		buf_add(out, title, len);
	}
	return out->len - before;
}

static void put_titles(const struct nested *n)
{
	const struct report_table *t = &n->table;
	const char *separator = t->t->separator, *title;
	size_t indent = separator ? 0 : (n->tree->levels.nr - 1) * (size_t)INDENT, width, level;
	u32 i;

	buf_adds(t->out, "# ");
	buf_pad(t->out, ' ', indent);
	for (i = 0; i < t->nr; i++) {
		if (!is_number(t, i))
			continue;
		title = report_table_title(t, i);
		report_table_text(t, i, title, strlen(title), true);
		buf_adds(t->out, separator ? separator : "  ");
	}
	width = put_keys(n);
	buf_addc(t->out, '\n');
	for (i = 0; i < n->tree->levels.nr; i++) {
		level = i * (size_t)INDENT + t->columns[column_of(n, i)].width;
		width = MAX(width, level);
	}
	buf_adds(t->out, "# ");
	for (i = 0; separator && i < t->nr; i++) {
		if (!is_number(t, i))
			continue;
		buf_pad(t->out, '.', t->columns[i].width);
		buf_adds(t->out, separator);
	}
	if (!separator) {
		buf_pad(t->out, '.', indent + width_of_numbers(n));
		buf_adds(t->out, "  ");
	}
	buf_pad(t->out, '.', width);
	buf_adds(t->out, "\n#\n");
}

/* Keys are left-aligned, also those that are right-aligned in a column: blanks before them are removed. */
static void put_key(const struct nested *n, const struct report_tree_node *node)
{
	const struct report_table *t = &n->table;
	u32 column = column_of(n, node->level);
	size_t at = t->out->len, blanks;

	report_table_cell(t, &node->entry, column, &t->t->cell);
	report_table_text(t, column, buf_str(&t->t->cell), t->t->cell.len, false);
	if (t->out->failed)
		return;
	blanks = strspn(buf_str(t->out) + at, " ");
	blanks = MIN(blanks, t->out->len - at);
	memmove(t->out->data + at, t->out->data + at + blanks, t->out->len - at - blanks);
	t->out->len -= blanks;
}

static void put_node(const struct nested *n, const struct report_tree_node *node)
{
	const struct report_table *t = &n->table;
	const char *separator = t->t->separator;
	bool first = true;
	u32 i;

	buf_pad(t->out, ' ', node->level * (size_t)INDENT);
	for (i = 0; i < t->nr; i++) {
		if (!is_number(t, i))
			continue;
		if (!separator || !first)
			buf_adds(t->out, separator ? separator : "  ");
		first = false;
		report_table_numbers(t, i, report_tree_numbers(n->tree, node));
	}
	if (!separator)
		buf_pad(t->out, ' ', (n->tree->levels.nr - 1) * (size_t)INDENT);
	buf_adds(t->out, separator ? separator : "  ");
	put_key(n, node);
	buf_addc(t->out, '\n');
}

static bool is_left_out(const struct nested *n, const struct report_tree_node *node)
{
	return report_view_percent(n->table.v, node->entry.weight) < n->table.t->percent_limit;
}

static void put_nodes(struct nested *n, u32 first, u32 nr);

static void put_branch(struct nested *n, const struct report_tree_node *node)
{
	struct report_below *below = n->table.t->below;
	u32 i, shown = 0;

	put_node(n, node);
	if (!node->nr_children) {
		if (below)
			below->put(below, n->table.v, &node->entry, n->table.out);
		return;
	}
	for (i = 0; i < node->nr_children; i++)
		shown += !is_left_out(n, &n->tree->nodes.v[node->child + i]);
	put_nodes(n, node->child, node->nr_children);
	if (shown)
		return;
	if (!n->table.t->separator)
		buf_pad(n->table.out, ' ', (n->tree->levels.nr + node->level) * (size_t)INDENT);
	buf_pad(n->table.out, ' ', width_of_numbers(n) + 4);
	buf_addf(n->table.out, "no entry >= %.2f%%\n", n->table.t->percent_limit);
}

static void put_nodes(struct nested *n, u32 first, u32 nr)
{
	u32 i;

	for (i = first; i < first + nr; i++)
		if (!is_left_out(n, &n->tree->nodes.v[i]))
			put_branch(n, &n->tree->nodes.v[i]);
}

void hierarchy_text_event(struct report_text *text, const struct report_tree *tree, struct buf *out)
{
	struct nested n = {.tree = tree};

	if (!report_table_init(&n.table, text, tree->view, false, out)) {
		out->failed = true;
		return;
	}
	if (!text->no_titles && tree->levels.nr) {
		report_table_event(&n.table);
		put_titles(&n);
	}
	put_nodes(&n, 0, tree->nr_roots);
	buf_adds(out, "\n\n");
	report_table_free(&n.table);
}
