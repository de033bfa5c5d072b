// SPDX-License-Identifier: GPL-2.0
#include "util/draw/frame_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

u32 frame_tree_name(struct frame_tree *t, const char *s, size_t len)
{
	return strtab_add(&t->names, s, len);
}

static u32 new_node(struct frame_tree *t, u32 parent, u32 name)
{
	struct frame_node *n;

	if (t->nodes.nr == ID_NONE)
		return ID_NONE;
	n = vec_push(&t->nodes);
	if (!n)
		return ID_NONE;
	*n = (struct frame_node){
		.name = name, .parent = parent, .child = ID_NONE, .sibling = ID_NONE};
	return t->nodes.nr - 1;
}

u32 frame_tree_child(struct frame_tree *t, u32 parent, u32 name)
{
	u64 key = (u64)parent << 32 | name;
	u32 id;

	if (parent == ID_NONE || name == ID_NONE)
		return ID_NONE;
	if (!t->nodes.nr && new_node(t, ID_NONE, ID_NONE) == ID_NONE)
		return ID_NONE;
	id = hmap_get(&t->children, key);
	if (id != ID_NONE)
		return id;
	id = new_node(t, parent, name);
	if (id != ID_NONE && !hmap_set(&t->children, key, id)) {
		t->nodes.nr--;
		return ID_NONE;
	}
	return id;
}

int frame_tree_add(struct frame_tree *t, u32 node, u64 count, struct err *err)
{
	if (node >= t->nodes.nr)
		return err_nomem(err);
	if (count > UINT64_MAX - t->total)
		return err_set(err, EOVERFLOW, "the counts add up to more than 64 bits");
	t->total += count;
	t->nodes.v[node].self += count;
	return 0;
}

struct ranked_name {
	const char *s;
	u32 len, id;
};

static int by_bytes(const void *a, const void *b)
{
	const struct ranked_name *x = a, *y = b;
	int d = memcmp(x->s, y->s, MIN(x->len, y->len));

	return d ? d : (x->len > y->len) - (x->len < y->len);
}

/* rank[name id] = its place among all names; the caller's to free. */
static u32 *rank_names(const struct strtab *names)
{
	struct ranked_name *r = calloc(names->nr + (size_t)1, sizeof(*r));
	u32 *rank = calloc(names->nr + (size_t)1, sizeof(*rank));
	u32 i;

	if (!r || !rank) {
		free(r);
		free(rank);
		return NULL;
	}
	for (i = 0; i < names->nr; i++)
		r[i] = (struct ranked_name){names->entries[i].s, names->entries[i].len, i};
	qsort(r, names->nr, sizeof(*r), by_bytes);
	for (i = 0; i < names->nr; i++)
		rank[r[i].id] = i;
	free(r);
	return rank;
}

struct place {
	u64 key; /* parent, rank of the name */
	u32 id;
};

static int by_key(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

int frame_tree_finish(struct frame_tree *t, struct err *err)
{
	struct frame_node *v = t->nodes.v;
	u32 n = t->nodes.nr, i;
	struct place *places;
	u32 *rank;

	if (!n)
		return 0;
	rank = rank_names(&t->names);
	places = calloc(n, sizeof(*places));
	if (!rank || !places) {
		free(rank);
		free(places);
		return err_nomem(err);
	}
	for (i = 0; i < n; i++) {
		v[i].total = v[i].self;
		v[i].child = v[i].sibling = ID_NONE;
		places[i] = (struct place){i ? (u64)v[i].parent << 32 | rank[v[i].name] : 0, i};
	}
	/* A parent has a lower id than its children, so one pass backwards sums all. */
	for (i = n; --i > 0;)
		v[v[i].parent].total += v[i].total;
	qsort(places + 1, n - 1, sizeof(*places), by_key);
	for (i = n; --i > 0;) {
		struct frame_node *c = &v[places[i].id];

		c->sibling = v[c->parent].child;
		v[c->parent].child = places[i].id;
	}
	free(rank);
	free(places);
	return 0;
}

const char *frame_tree_node_name(const struct frame_tree *t, u32 id, size_t *len)
{
	u32 name = id < t->nodes.nr ? t->nodes.v[id].name : ID_NONE;

	*len = name < t->names.nr ? t->names.entries[name].len : 0;
	return strtab_get(&t->names, name);
}

void frame_tree_free(struct frame_tree *t)
{
	strtab_free(&t->names);
	vec_free(&t->nodes);
	hmap_free(&t->children);
	t->total = 0;
}
