// SPDX-License-Identifier: GPL-2.0
#include "util/base/symtab_internal.h"

#include <stdlib.h>

/* 0, no node, is black. */
static bool is_red(const struct symtab_tree *t, u32 n)
{
	return n && t->nodes.v[n - 1].red;
}

static struct symtab_node *at(struct symtab_tree *t, u32 n)
{
	return &t->nodes.v[n - 1];
}

/* Which child of its parent n is. */
static int side_of(struct symtab_tree *t, u32 n)
{
	return at(t, at(t, n)->parent)->child[1] == n;
}

/* Put `to` (0: nothing) in the place of n below n's parent. */
static void replace(struct symtab_tree *t, u32 n, u32 to)
{
	u32 parent = at(t, n)->parent;

	if (!parent)
		t->root = to;
	else
		at(t, parent)->child[side_of(t, n)] = to;
	if (to)
		at(t, to)->parent = parent;
}

/* n goes down to `side`, its other child comes up. */
static void rotate(struct symtab_tree *t, u32 n, int side)
{
	u32 up = at(t, n)->child[!side], between = at(t, up)->child[side];

	replace(t, n, up);
	at(t, n)->child[!side] = between;
	if (between)
		at(t, between)->parent = n;
	at(t, up)->child[side] = n;
	at(t, n)->parent = up;
}

static void balance_added(struct symtab_tree *t, u32 n)
{
	u32 parent, above, uncle;
	int side;

	while (is_red(t, parent = at(t, n)->parent)) {
		above = at(t, parent)->parent;
		side = side_of(t, parent);
		uncle = at(t, above)->child[!side];
		if (is_red(t, uncle)) {
			at(t, parent)->red = at(t, uncle)->red = false;
			at(t, above)->red = true;
			n = above;
			continue;
		}
		if (side_of(t, n) != side) {
			rotate(t, parent, side);
			parent = n;
		}
		at(t, parent)->red = false;
		at(t, above)->red = true;
		rotate(t, above, !side);
		break;
	}
	at(t, t->root)->red = false;
}

u32 symtab_tree_add(struct symtab_tree *t, u64 start)
{
	struct symtab_node *new = vec_push(&t->nodes);
	u32 n = t->nodes.nr, parent = 0, below;
	int side = 0;

	if (!new)
		return ID_NONE;
	for (below = t->root; below; below = at(t, parent)->child[side]) {
		parent = below;
		side = start >= at(t, below)->start;
	}
	*new = (struct symtab_node){.start = start, .parent = parent, .red = true};
	if (parent)
		at(t, parent)->child[side] = n;
	else
		t->root = n;
	balance_added(t, n);
	return n - 1;
}

/* The way through `parent` to its child on `side` has a black node too few. */
static void balance_removed(struct symtab_tree *t, u32 parent, int side)
{
	u32 n = parent ? at(t, parent)->child[side] : t->root, other, near, far;

	while (parent && !is_red(t, n)) {
		other = at(t, parent)->child[!side];
		if (is_red(t, other)) {
			at(t, other)->red = false;
			at(t, parent)->red = true;
			rotate(t, parent, side);
			other = at(t, parent)->child[!side];
		}
		near = at(t, other)->child[side];
		far = at(t, other)->child[!side];
		if (!is_red(t, near) && !is_red(t, far)) {
			at(t, other)->red = true;
			n = parent;
			parent = at(t, n)->parent;
			side = parent ? side_of(t, n) : 0;
			continue;
		}
		if (!is_red(t, far)) {
			at(t, near)->red = false;
			at(t, other)->red = true;
			rotate(t, other, !side);
			far = other;
			other = near;
		}
		at(t, other)->red = at(t, parent)->red;
		at(t, parent)->red = at(t, far)->red = false;
		rotate(t, parent, side);
		return;
	}
	if (n)
		at(t, n)->red = false;
}

void symtab_tree_remove(struct symtab_tree *t, u32 node)
{
	u32 n = node + 1, left = at(t, n)->child[0], right = at(t, n)->child[1], next, parent;
	bool red = at(t, n)->red;
	int side;

	if (!left || !right) {
		parent = at(t, n)->parent;
		side = parent ? side_of(t, n) : 0;
		replace(t, n, left ? left : right);
	} else {
		/* the next one takes its place and its colour */
		for (next = right; at(t, next)->child[0];)
			next = at(t, next)->child[0];
		red = at(t, next)->red;
		parent = next;
		side = 1;
		if (next != right) {
			parent = at(t, next)->parent;
			side = 0;
			replace(t, next, at(t, next)->child[1]);
			at(t, next)->child[1] = right;
			at(t, right)->parent = next;
		}
		replace(t, n, next);
		at(t, next)->child[0] = left;
		at(t, left)->parent = next;
		at(t, next)->red = at(t, n)->red;
	}
	if (!red)
		balance_removed(t, parent, side);
}

u32 symtab_tree_find(const struct symtab_tree *t, u64 addr)
{
	const struct symtab_node *v = t->nodes.v;
	u32 n = t->root;

	while (n && (addr < v[n - 1].start || addr >= v[n - 1].end))
		n = v[n - 1].child[addr >= v[n - 1].start];
	return n ? n - 1 : ID_NONE;
}

void symtab_tree_free(struct symtab_tree *t)
{
	vec_free(&t->nodes);
	t->root = 0;
}
