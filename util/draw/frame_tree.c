// SPDX-License-Identifier: GPL-2.0
#include "util/draw/frame_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A key of label_ids has room for so many names. */
#define NAMES_MAX (1u << 28)

static u32 make_label(struct frame_tree *t, enum frame_class class, u32 name, u32 file)
{
	u64 key = (u64)name << 32 | (u64)(file == ID_NONE ? NAMES_MAX : file) << 3 | (u64) class;
	struct frame_label *l;
	u32 id;

	if (name == ID_NONE || t->names.nr >= NAMES_MAX)
		return ID_NONE;
	id = hmap_get(&t->label_ids, key);
	if (id != ID_NONE)
		return id;
	l = vec_push(&t->labels);
	if (!l)
		return ID_NONE;
	*l = (struct frame_label){.name = name, .file = file, .class = class};
	if (hmap_set(&t->label_ids, key, t->labels.nr - 1))
		return t->labels.nr - 1;
	t->labels.nr--;
	return ID_NONE;
}

u32 frame_tree_label(struct frame_tree *t, enum frame_class class, const char *name, size_t len,
		     const char *file)
{
	u32 id = ID_NONE;

	if (file) {
		id = strtab_add(&t->names, file, strlen(file));
		if (id == ID_NONE)
			return ID_NONE;
	}
	return make_label(t, class, strtab_add(&t->names, name, len), id);
}

u32 frame_tree_name(struct frame_tree *t, const char *s, size_t len)
{
	return frame_tree_label(t, FRAME_CLASS_PLAIN, s, len, NULL);
}

static u32 new_node(struct frame_tree *t, u32 parent, u32 label)
{
	struct frame_node *n;

	if (t->nodes.nr == ID_NONE)
		return ID_NONE;
	n = vec_push(&t->nodes);
	if (!n)
		return ID_NONE;
	*n = (struct frame_node){
		.label = label, .parent = parent, .child = ID_NONE, .sibling = ID_NONE};
	return t->nodes.nr - 1;
}

static bool is_unknown(const struct frame_tree *t, u32 label)
{
	return label < t->labels.nr &&
	       !strcmp(strtab_get(&t->names, t->labels.v[label].name), "[unknown]");
}

u32 frame_tree_child(struct frame_tree *t, u32 parent, u32 label)
{
	u64 key = (u64)parent << 32 | label;
	u32 id;

	if (parent == ID_NONE || label == ID_NONE)
		return ID_NONE;
	if (!t->nodes.nr && new_node(t, ID_NONE, ID_NONE) == ID_NONE)
		return ID_NONE;
	if (t->folds_unknown && parent && t->nodes.v[parent].label == label && is_unknown(t, label))
		return parent;
	id = hmap_get(&t->children, key);
	if (id != ID_NONE)
		return id;
	id = new_node(t, parent, label);
	if (id != ID_NONE && !hmap_set(&t->children, key, id)) {
		t->nodes.nr--;
		return ID_NONE;
	}
	return id;
}

static int add_up(u64 *total, u64 *self, u64 count, struct err *err)
{
	if (count > UINT64_MAX - *total)
		return err_set(err, EOVERFLOW, "the counts add up to more than 64 bits");
	*total += count;
	*self += count;
	return 0;
}

int frame_tree_add(struct frame_tree *t, u32 node, u64 count, struct err *err)
{
	if (node >= t->nodes.nr)
		return err_nomem(err);
	return add_up(&t->total, &t->nodes.v[node].self, count, err);
}

/* Make `old` as long as `nodes`. */
static bool reach_old(struct frame_tree *t)
{
	u32 nr = t->old.nr;

	if (!vec_reserve(&t->old, t->nodes.nr))
		return false;
	memset(t->old.v + nr, 0, (t->nodes.nr - nr) * sizeof(*t->old.v));
	t->old.nr = t->nodes.nr;
	return true;
}

int frame_tree_add_old(struct frame_tree *t, u32 node, u64 count, struct err *err)
{
	if (node >= t->nodes.nr || (t->old.nr <= node && !reach_old(t)))
		return err_nomem(err);
	return add_up(&t->old_total, &t->old.v[node].self, count, err);
}

struct ranked_label {
	const char *s, *file;
	u32 len, id;
};

static int by_bytes(const void *a, const void *b)
{
	const struct ranked_label *x = a, *y = b;
	int d = memcmp(x->s, y->s, MIN(x->len, y->len));

	if (!d)
		d = (x->len > y->len) - (x->len < y->len);
	if (!d)
		d = strcmp(x->file, y->file);
	return d ? d : (x->id > y->id) - (x->id < y->id);
}

/* rank[label] = its place among all labels; the caller's to free. */
static u32 *rank_labels(const struct frame_tree *t)
{
	struct ranked_label *r = calloc(t->labels.nr + (size_t)1, sizeof(*r));
	u32 *rank = calloc(t->labels.nr + (size_t)1, sizeof(*rank));
	u32 i;

	if (!r || !rank) {
		free(r);
		free(rank);
		return NULL;
	}
	for (i = 0; i < t->labels.nr; i++) {
		const struct strtab_entry *name = &t->names.entries[t->labels.v[i].name];

		r[i] = (struct ranked_label){name->s, strtab_get(&t->names, t->labels.v[i].file),
					     name->len, i};
	}
	if (t->labels.nr)
		qsort(r, t->labels.nr, sizeof(*r), by_bytes);
	for (i = 0; i < t->labels.nr; i++)
		rank[r[i].id] = i;
	free(r);
	return rank;
}

struct place {
	u64 key; /* parent, rank of the label */
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
	rank = rank_labels(t);
	places = calloc(n, sizeof(*places));
	if (!rank || !places || (t->old.nr && !reach_old(t))) {
		free(rank);
		free(places);
		return err_nomem(err);
	}
	for (i = 0; i < n; i++) {
		v[i].total = v[i].self;
		v[i].child = v[i].sibling = ID_NONE;
		places[i] = (struct place){i ? (u64)v[i].parent << 32 | rank[v[i].label] : 0, i};
	}
	for (i = 0; i < t->old.nr; i++)
		t->old.v[i].total = t->old.v[i].self;
	/* A parent has a lower id than its children, so one pass backwards sums all. */
	for (i = n; --i > 0;)
		v[v[i].parent].total += v[i].total;
	for (i = t->old.nr ? n : 1; --i > 0;)
		t->old.v[v[i].parent].total += t->old.v[i].total;
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
	const struct frame_label *l = frame_tree_node_label(t, id);

	*len = l ? t->names.entries[l->name].len : 0;
	return l ? t->names.entries[l->name].s : "";
}

void frame_tree_free(struct frame_tree *t)
{
	strtab_free(&t->names);
	vec_free(&t->labels);
	hmap_free(&t->label_ids);
	vec_free(&t->nodes);
	vec_free(&t->old);
	hmap_free(&t->children);
	t->total = t->old_total = 0;
}
