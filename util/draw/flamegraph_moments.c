// SPDX-License-Identifier: GPL-2.0
#include "util/draw/flamegraph.h"

#include <stdlib.h>
#include <string.h>

#include "util/base/json.h"
#include "util/draw/flamegraph_internal.h"

#define PARTS 20000 /* of all counts: what is less has no box of its own */

/* Where the counts of a node of the tree are. */
struct places {
	u32 *boxes;  /* by node; ID_NONE: it has none */
	u32 *narrow; /* by box: the one of its children that have none; ID_NONE: they are in it */
	u32 *path;   /* by depth: the box there, while they are gone through */
};

static bool find_places(struct places *p, const struct flamegraph_layout *l)
{
	const struct flamegraph_box *b = l->boxes.v;
	u32 i;

	p->boxes = malloc((l->tree->nodes.nr + (size_t)1) * sizeof(*p->boxes));
	p->narrow = malloc((l->boxes.nr + (size_t)1) * sizeof(*p->narrow));
	p->path = malloc((l->rows + (size_t)1) * sizeof(*p->path));
	if (!p->boxes || !p->narrow || !p->path)
		return false;
	memset(p->boxes, 0xff, l->tree->nodes.nr * sizeof(*p->boxes));
	memset(p->narrow, 0xff, l->boxes.nr * sizeof(*p->narrow));
	for (i = 0; i < l->boxes.nr; i++) {
		p->path[b[i].depth] = i;
		if (b[i].node != ID_NONE)
			p->boxes[b[i].node] = i;
		else
			p->narrow[p->path[b[i].depth - 1]] = i;
	}
	return true;
}

static u32 box_of(const struct places *p, const struct frame_tree *t, u32 node)
{
	u32 at = node, box;

	while (p->boxes[at] == ID_NONE)
		at = t->nodes.v[at].parent;
	box = p->boxes[at];
	return at == node || p->narrow[box] == ID_NONE ? box : p->narrow[box];
}

static int in_order(const void *a, const void *b)
{
	const struct flamegraph_moment *x = a, *y = b;

	if (x->column != y->column)
		return x->column < y->column ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

static u32 merge(struct flamegraph_moment *v, u32 nr)
{
	u32 i, kept = 0;

	qsort(v, nr, sizeof(*v), in_order);
	for (i = 0; i < nr; i++) {
		if (!kept || in_order(&v[kept - 1], &v[i]) != 0)
			v[kept++] = v[i];
		else
			v[kept - 1].count += v[i].count;
	}
	return kept;
}

static void put_columns(const struct flamegraph_moment *v, u32 nr, u32 nr_columns, struct buf *out)
{
	u32 c, i = 0, last;

	json_put_open(out, "columns", '[');
	for (c = 0; c < nr_columns; c++) {
		buf_adds(out, c ? ",\n" : "");
		json_open(out, '[');
		for (last = 0; i < nr && v[i].column == c; last = v[i++].node) {
			json_item(out);
			json_unsigned(out, v[i].node - last);
			json_item(out);
			json_unsigned(out, v[i].count);
		}
		buf_addc(out, ']');
	}
	buf_addc(out, ']');
}

static void put_legend(struct flamegraph_sheet *s)
{
	const struct flamegraph_key *k;

	json_put_open(s->out, "legend", '[');
	for (k = s->legend.keys; k < s->legend.keys + s->legend.nr; k++) {
		json_open_item(s->out, '[');
		json_unsigned(s->out, k->tone);
		json_item(s->out);
		flamegraph_table_string(s, k->s, strlen(k->s));
		buf_addc(s->out, ']');
	}
	buf_addc(s->out, ']');
}

static int put(struct flamegraph_sheet *s, struct flamegraph_moment *v, u32 nr, u32 nr_columns,
	       struct err *err)
{
	struct places p = {0};
	int ret = find_places(&p, &s->layout) ? 0 : err_nomem(err);
	u32 i;

	for (i = 0; !ret && i < nr; i++)
		v[i].node = box_of(&p, s->layout.tree, v[i].node);
	json_open(s->out, '{');
	json_key(s->out, "graph");
	if (!ret)
		ret = flamegraph_table_put(s, err);
	buf_addc(s->out, '\n');
	put_legend(s);
	buf_addc(s->out, '\n');
	if (!ret)
		put_columns(v, nr ? merge(v, nr) : 0, nr_columns, s->out);
	buf_adds(s->out, "}\n");
	free(p.boxes);
	free(p.narrow);
	free(p.path);
	return ret;
}

int flamegraph_moments_put(const struct flamegraph *g, const struct frame_tree *t,
			   struct flamegraph_moment *v, u32 nr, u32 nr_columns, struct buf *out,
			   struct err *err)
{
	struct flamegraph_sheet s = {.g = g, .out = out};
	int ret = flamegraph_layout_make(&s.layout, t, PARTS, 1, err);

	if (!ret)
		ret = flamegraph_tone_paint(g->colour, &s.layout, &s.legend, err);
	if (!ret)
		ret = put(&s, v, nr, nr_columns, err);
	if (!ret && (out->failed || s.text.failed))
		ret = err_nomem(err);
	flamegraph_layout_free(&s.layout);
	buf_free(&s.text);
	return ret;
}
