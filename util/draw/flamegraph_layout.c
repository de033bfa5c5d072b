// SPDX-License-Identifier: GPL-2.0
#include "util/draw/flamegraph_internal.h"

static bool add_box(struct flamegraph_layout *l, struct flamegraph_box box)
{
	struct flamegraph_box *b = vec_push(&l->boxes);

	if (!b)
		return false;
	*b = box;
	l->rows = MAX(l->rows, box.depth + 1);
	return true;
}

static u64 old_of(const struct flamegraph_layout *l, u32 node)
{
	return l->has_olds ? l->tree->old.v[node].total : 0;
}

static bool add_node(struct flamegraph_layout *l, u32 node, u32 depth, u64 at)
{
	return add_box(l, (struct flamegraph_box){.node = node,
						  .depth = depth,
						  .at = at,
						  .total = l->tree->nodes.v[node].total,
						  .old = old_of(l, node)});
}

/* Frames with counts in the tree below and including `top`. */
static u32 frames_below(const struct frame_node *v, u32 top)
{
	u32 at = top, nr = 0;

	for (;;) {
		nr += v[at].total != 0;
		if (v[at].child != ID_NONE) {
			at = v[at].child;
			continue;
		}
		while (at != top && v[at].sibling == ID_NONE)
			at = v[at].parent;
		if (at == top)
			return nr;
		at = v[at].sibling;
	}
}

/* The children of `parent` that are too narrow, as one box at *at, which goes on behind them. */
static bool add_narrow(struct flamegraph_layout *l, u32 parent, u32 depth, u64 *at)
{
	const struct frame_node *v = l->tree->nodes.v;
	struct flamegraph_box box = {.node = ID_NONE, .depth = depth, .at = *at};
	u32 c;

	for (c = v[parent].child; c != ID_NONE; c = v[c].sibling) {
		if (!v[c].total || v[c].total >= l->least)
			continue;
		box.total += v[c].total;
		box.old += old_of(l, c);
		box.merged += frames_below(v, c);
	}
	l->narrow += box.merged;
	*at += box.total;
	return box.total < l->least || add_box(l, box);
}

static bool lay_out(struct flamegraph_layout *l)
{
	const struct frame_node *v = l->tree->nodes.v;
	u32 node = 0, depth = 0, next;
	u64 at = 0;

	if (!add_node(l, 0, 0, 0))
		return false;
	next = v[0].child;
	for (;;) {
		while (next != ID_NONE && v[next].total < l->least)
			next = v[next].sibling;
		if (next != ID_NONE) {
			node = next;
			if (!add_node(l, node, ++depth, at))
				return false;
			next = v[node].child;
			continue;
		}
		/* All wide children of `node` are there, and end at `at`. */
		if (!add_narrow(l, node, depth + 1, &at))
			return false;
		if (!depth)
			return true;
		at += v[node].self;
		next = v[node].sibling;
		node = v[node].parent;
		depth--;
	}
}

/* Which rows are not shown. Each row has at most what the one below it has. */
static bool cut_rows(struct flamegraph_layout *l)
{
	u64 *sums = calloc(l->rows, sizeof(*sums)), widest = 0;
	const struct flamegraph_box *b;
	u32 cut = l->rows;

	if (!sums)
		return false;
	for (b = l->boxes.v; b < l->boxes.v + l->boxes.nr; b++)
		sums[b->depth] += b->total;
	while (sums[cut - 1] < l->tree->total / FLAMEGRAPH_CUT_SHARE)
		cut--;
	free(sums);
	l->shown = l->rows - cut < FLAMEGRAPH_CUT_ROWS ? l->rows : cut;
	for (b = l->boxes.v; b < l->boxes.v + l->boxes.nr; b++) {
		if (b->depth != l->shown || b->total <= widest)
			continue;
		widest = b->total;
		l->tower = (u32)(b - l->boxes.v);
	}
	return true;
}

int flamegraph_layout_make(struct flamegraph_layout *l, const struct frame_tree *tree, u64 room,
			   u32 min_width, struct err *err)
{
	unsigned __int128 least = (unsigned __int128)tree->total * min_width + room - 1;

	l->tree = tree;
	l->room = room;
	l->has_olds = tree->old.nr > 0;
	if (!tree->total)
		return 0;
	l->least = MAX((u64)(least / room), (u64)1);
	return lay_out(l) && cut_rows(l) ? 0 : err_nomem(err);
}

void flamegraph_layout_free(struct flamegraph_layout *l)
{
	vec_free(&l->boxes);
}

static enum frame_class class_of_mark(char mark)
{
	switch (mark) {
	case 'k':
		return FRAME_CLASS_KERNEL;
	case 'i':
		return FRAME_CLASS_INLINED;
	case 'j':
		return FRAME_CLASS_MADE;
	default:
		return FRAME_CLASS_PLAIN;
	}
}

struct flamegraph_name flamegraph_layout_name(const struct flamegraph_layout *l,
					      const struct flamegraph_box *box)
{
	const struct frame_label *label = frame_tree_node_label(l->tree, box->node);
	struct flamegraph_name n = {.s = "all", .len = 3};
	const char *end;

	if (!label)
		return n;
	n.s = frame_tree_node_name(l->tree, box->node, &n.len);
	n.class = label->class;
	end = n.s + n.len;
	if (n.class == FRAME_CLASS_PLAIN && n.len >= 4 && !memcmp(end - 4, "_[", 2) &&
	    end[-1] == ']') {
		n.class = class_of_mark(end[-2]);
		n.len -= n.class == FRAME_CLASS_PLAIN ? 0 : 4;
	}
	if (!n.len)
		n = (struct flamegraph_name){"(no name)", 9, n.class};
	return n;
}
