// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/cmd_flamegraph.h"

#include <stdlib.h>

#include "util/base/num.h"
#include "util/draw/flamegraph.h"
#include "util/format/stack_frames.h"

#define MAKERS 3 /* so many are named */

/* ---- who made a cell ---- */

struct maker {
	u32 cell, root; /* cell: row * columns + column */
	u64 weight;
};

static int by_cell(const void *a, const void *b)
{
	const struct maker *x = a, *y = b;

	if (x->cell != y->cell)
		return x->cell < y->cell ? -1 : 1;
	return x->root < y->root ? -1 : x->root > y->root;
}

static int by_weight(const void *a, const void *b)
{
	const struct maker *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x->root < y->root ? -1 : x->root > y->root;
}

static u32 column_of(const struct timeline *t, u64 at)
{
	return (u32)((at - t->from) / t->step);
}

/* One for each cell and root. */
static u32 find_makers(struct maker *v, const struct timeline *t,
		       const struct flamegraph_rows *rows, const struct flamegraph_spans *spans)
{
	const struct flamegraph_part *p;
	u32 i, nr = 0, kept = 0, row;

	for (i = 0; i < spans->v.nr; i++) {
		p = &spans->v.v[i];
		row = flamegraph_rows_find(rows, p->cpu);
		if (row != ID_NONE && p->root != ID_NONE)
			v[nr++] = (struct maker){row * t->nr_columns + column_of(t, p->at), p->root,
						 p->weight};
	}
	if (nr)
		qsort(v, nr, sizeof(*v), by_cell);
	for (i = 0; i < nr; i++) {
		if (!kept || by_cell(&v[kept - 1], &v[i]) != 0)
			v[kept++] = v[i];
		else
			v[kept - 1].weight = num_sum(v[kept - 1].weight, v[i].weight);
	}
	return kept;
}

/* "spin 8, sh 2, others 1"; "spin" */
static void put_makers(struct buf *out, struct maker *v, u32 nr, const struct timeline *t,
		       const struct strtab *names)
{
	void (*put)(struct buf *, u64) =
		t->time ? flamegraph_sheet_put_ns : flamegraph_sheet_put_count;
	u64 others = 0;
	u32 i;

	qsort(v, nr, sizeof(*v), by_weight);
	for (i = 0; i < nr; i++) {
		if (i >= MAKERS) {
			others = num_sum(others, v[i].weight);
			continue;
		}
		buf_addf(out, "%s%s", i ? ", " : "", strtab_get(names, v[i].root));
		if (nr > 1) {
			buf_addc(out, ' ');
			put(out, v[i].weight);
		}
	}
	if (others) {
		buf_adds(out, ", others ");
		put(out, others);
	}
	buf_addc(out, '\0');
}

static int name_makers(struct flamegraph_timeline_more *m, const struct timeline *t,
		       struct flamegraph_rows *rows, const struct flamegraph_spans *spans,
		       const struct strtab *names, struct err *err)
{
	const size_t cells = (size_t)rows->nr * t->nr_columns;
	struct maker *v = calloc(spans->v.nr + (size_t)1, sizeof(*v));
	size_t *at = calloc(cells + 1, sizeof(*at));
	u32 i, end, nr;

	m->makers = calloc(cells + 1, sizeof(*m->makers));
	if (v && at && m->makers) {
		nr = find_makers(v, t, rows, spans);
		for (i = 0; i < nr; i = end) {
			for (end = i + 1; end < nr && v[end].cell == v[i].cell; end++)
				;
			at[v[i].cell] = m->texts.len + 1;
			put_makers(&m->texts, &v[i], end - i, t, names);
		}
		for (i = 0; i < cells && !m->texts.failed; i++)
			m->makers[i] = at[i] ? m->texts.data + at[i] - 1 : NULL;
		for (i = 0; i < rows->nr; i++)
			rows->v[i].makers = m->makers + (size_t)i * t->nr_columns;
	} else {
		m->texts.failed = true;
	}
	free(v);
	free(at);
	return m->texts.failed ? err_nomem(err) : 0;
}

/* ---- flame graphs ---- */

/* The tree of all, and where in it each part is. */
static int fill_tree(struct frame_tree *tree, struct flamegraph_moment *v, const struct timeline *t,
		     const struct flamegraph_spans *spans, const struct flamegraph_root *root,
		     const struct stack_tree *stacks, struct err *err)
{
	u32 *labels = calloc(root->names.nr + (size_t)1, sizeof(*labels)), i;
	const struct flamegraph_part *p;
	struct stack_frames frames;
	struct stack_weight w;
	int ret = labels ? 0 : err_nomem(err);

	stack_frames_init(&frames, stacks, tree, STACK_FRAMES_SHOWN);
	for (i = 0; !ret && i < root->names.nr; i++) {
		labels[i] = stack_frames_group(&frames, strtab_get(&root->names, i));
		if (labels[i] == ID_NONE)
			ret = err_nomem(err);
	}
	for (i = 0; !ret && i < spans->v.nr; i++) {
		p = &spans->v.v[i];
		w = (struct stack_weight){.root = p->root == ID_NONE ? ID_NONE : labels[p->root],
					  .node = p->stack,
					  .top = ID_NONE};
		v[i] = (struct flamegraph_moment){column_of(t, p->at),
						  stack_frames_node(&frames, &w), p->weight};
		ret = frame_tree_add(tree, v[i].node, p->weight, err);
	}
	stack_frames_free(&frames);
	free(labels);
	return ret ? ret : frame_tree_finish(tree, err);
}

static int make_moments(struct flamegraph_timeline_more *m, const struct timeline *t,
			const struct flamegraph_spans *spans, const struct flamegraph_root *root,
			const struct stack_tree *stacks, const struct flamegraph *look,
			struct err *err)
{
	struct flamegraph_moment *v = calloc(spans->v.nr + (size_t)1, sizeof(*v));
	struct frame_tree tree = {.folds_unknown = true};
	struct flamegraph g = *look;
	int ret = v ? fill_tree(&tree, v, t, spans, root, stacks, err) : err_nomem(err);

	g.unit = t->unit;
	g.time = t->time;
	if (!ret)
		ret = flamegraph_moments_put(&g, &tree, v, spans->v.nr, t->nr_columns, &m->moments,
					     err);
	frame_tree_free(&tree);
	free(v);
	return ret;
}

int flamegraph_timeline_more(struct flamegraph_timeline_more *m, struct timeline *t,
			     struct flamegraph_rows *rows, const struct flamegraph_spans *spans,
			     const struct flamegraph_root *root, const struct stack_tree *stacks,
			     const struct flamegraph *look, struct err *err)
{
	int ret;

	/* what a row is of needs no word */
	ret = rows->roots ? 0 : name_makers(m, t, rows, spans, &root->names, err);
	if (!ret)
		ret = make_moments(m, t, spans, root, stacks, look, err);
	if (!ret)
		t->moments = buf_str(&m->moments);
	return ret;
}

void flamegraph_timeline_more_free(struct flamegraph_timeline_more *m)
{
	buf_free(&m->texts);
	buf_free(&m->moments);
	free(m->makers);
}
