// SPDX-License-Identifier: GPL-2.0
#include "util/draw/flamegraph_internal.h"

#include <stdlib.h>

#include "util/base/json.h"
#include "util/base/text.h"

#define DOUBLE_MAX_WHOLE (1ull << 53)

void flamegraph_table_string(struct flamegraph_sheet *s, const char *p, size_t len)
{
	size_t i, done = 0;

	buf_clear(&s->text);
	text_escape(&s->text, p, len);
	/* Of the characters that JSON escapes, only these two are left. */
	p = buf_str(&s->text);
	len = s->text.len;
	buf_addc(s->out, '"');
	for (i = 0; i < len; i++) {
		if (!strchr("\"\\<>&", p[i]))
			continue;
		buf_add(s->out, p + done, i - done);
		buf_addf(s->out, "\\u%04x", (unsigned int)p[i]);
		done = i + 1;
	}
	buf_add(s->out, p + done, len - done);
	buf_addc(s->out, '"');
}

static void put_number(struct buf *b, u64 n)
{
	bool wide = n > DOUBLE_MAX_WHOLE;

	if (wide)
		buf_addc(b, '"');
	buf_dec(b, n, 0);
	if (wide)
		buf_addc(b, '"');
}

static void put_item(struct buf *b, u64 n)
{
	json_item(b);
	put_number(b, n);
}

/* ---- names ---- */

/* The numbers by which the script knows things, in the order in which it gets them. */
struct numbering {
	u32 *ids; /* by the id in the tree; ID_NONE: not known yet */
	u32 nr;
};

static bool number_make(struct numbering *n, u32 size)
{
	n->ids = malloc((size + (size_t)1) * sizeof(*n->ids));
	if (n->ids)
		memset(n->ids, 0xff, (size + (size_t)1) * sizeof(*n->ids));
	return n->ids;
}

/* True if the script does not have the thing yet. */
static bool number_new(struct numbering *n, u32 id)
{
	if (n->ids[id] != ID_NONE)
		return false;
	n->ids[id] = n->nr++;
	return true;
}

static void put_files(struct flamegraph_sheet *s, struct numbering *files)
{
	const struct frame_tree *t = s->layout.tree;
	const struct flamegraph_box *b, *end = s->layout.boxes.v + s->layout.boxes.nr;

	json_put_open(s->out, "files", '[');
	for (b = s->layout.boxes.v; b < end; b++) {
		const struct frame_label *l = frame_tree_node_label(t, b->node);

		if (!l || l->file == ID_NONE || !number_new(files, l->file))
			continue;
		json_item(s->out);
		flamegraph_table_string(s, t->names.entries[l->file].s,
					t->names.entries[l->file].len);
	}
	buf_addc(s->out, ']');
}

static void put_label(struct flamegraph_sheet *s, const struct flamegraph_box *b,
		      const struct numbering *files)
{
	const struct frame_label *l = frame_tree_node_label(s->layout.tree, b->node);
	struct flamegraph_name n = flamegraph_layout_name(&s->layout, b);

	json_open_item(s->out, '[');
	flamegraph_table_string(s, n.s, n.len);
	put_item(s->out, b->tone);
	put_item(s->out, b->shade);
	put_item(s->out, n.class);
	if (l->file != ID_NONE)
		put_item(s->out, files->ids[l->file]);
	buf_addc(s->out, ']');
}

static void put_labels(struct flamegraph_sheet *s, struct numbering *labels,
		       const struct numbering *files)
{
	const struct frame_node *v = s->layout.tree->nodes.v;
	const struct flamegraph_box *b, *end = s->layout.boxes.v + s->layout.boxes.nr;

	json_put_open(s->out, "labels", '[');
	for (b = s->layout.boxes.v + 1; b < end; b++)
		if (b->node != ID_NONE && number_new(labels, v[b->node].label))
			put_label(s, b, files);
	buf_addc(s->out, ']');
}

/* ---- boxes ---- */

static void put_depth(struct flamegraph_sheet *s, const struct flamegraph_box *b,
		      const struct numbering *labels)
{
	(void)labels;
	put_item(s->out, b->depth);
}

static void put_label_number(struct flamegraph_sheet *s, const struct flamegraph_box *b,
			     const struct numbering *labels)
{
	json_item(s->out);
	if (!b->depth)
		json_signed(s->out, -1);
	else if (b->node == ID_NONE)
		json_signed(s->out, -1 - (s64)b->merged);
	else
		buf_dec(s->out, labels->ids[s->layout.tree->nodes.v[b->node].label], 0);
}

static void put_total(struct flamegraph_sheet *s, const struct flamegraph_box *b,
		      const struct numbering *labels)
{
	(void)labels;
	put_item(s->out, b->total);
}

static void put_old(struct flamegraph_sheet *s, const struct flamegraph_box *b,
		    const struct numbering *labels)
{
	(void)labels;
	put_item(s->out, b->old);
}

static void put_tone(struct flamegraph_sheet *s, const struct flamegraph_box *b,
		     const struct numbering *labels)
{
	(void)labels;
	put_item(s->out, b->tone);
}

static void put_column(struct flamegraph_sheet *s, const char *key, const struct numbering *labels,
		       void (*put)(struct flamegraph_sheet *, const struct flamegraph_box *,
				   const struct numbering *))
{
	const struct flamegraph_box *b;

	buf_addc(s->out, '\n');
	json_put_open(s->out, key, '[');
	for (b = s->layout.boxes.v; b < s->layout.boxes.v + s->layout.boxes.nr; b++)
		put(s, b, labels);
	buf_addc(s->out, ']');
}

/* ---- all ---- */

static void put_sheet(struct flamegraph_sheet *s)
{
	struct buf *b = s->out;
	u32 i;

	if (s->g->time) {
		json_put_bool(b, "time", true);
	} else if (s->g->unit) {
		json_key(b, "unit");
		flamegraph_table_string(s, s->g->unit, strlen(s->g->unit));
	}
	if (s->layout.has_olds) {
		json_key(b, "old");
		put_number(b, s->layout.tree->old_total);
	}
	if (s->layout.narrow) {
		json_key(b, "narrow");
		put_number(b, s->layout.narrow);
	}
	json_put_unsigned(b, "row", FLAMEGRAPH_SHEET_ROW);
	json_put_unsigned(b, "bar", FLAMEGRAPH_SHEET_BAR);
	json_put_unsigned(b, "margin", FLAMEGRAPH_SHEET_MARGIN);
	json_put_unsigned(b, "top", s->top);
	json_put_bool(b, "inverted", s->g->inverted);
	json_put_open(b, "tones", '[');
	for (i = 0; i < FLAMEGRAPH_TONES; i++) {
		json_item(b);
		json_string(b, flamegraph_tone_name(i), strlen(flamegraph_tone_name(i)));
	}
	buf_addc(b, ']');
}

int flamegraph_table_put(struct flamegraph_sheet *s, struct err *err)
{
	const struct frame_tree *t = s->layout.tree;
	struct numbering files = {0}, labels = {0};
	int ret = 0;

	if (number_make(&files, t->names.nr) && number_make(&labels, t->labels.nr)) {
		json_open(s->out, '{');
		put_sheet(s);
		put_files(s, &files);
		put_labels(s, &labels, &files);
		put_column(s, "depth", NULL, put_depth);
		put_column(s, "label", &labels, put_label_number);
		put_column(s, "count", NULL, put_total);
		if (s->layout.has_olds) {
			put_column(s, "was", NULL, put_old);
			put_column(s, "tone", NULL, put_tone);
		}
		buf_addc(s->out, '}');
	} else {
		ret = err_nomem(err);
	}
	free(files.ids);
	free(labels.ids);
	return ret;
}
