// SPDX-License-Identifier: GPL-2.0
#include "util/format/stack_frames.h"

#include <string.h>

#include "util/base/text.h"
#include "util/profile/symboliser.h"

static u32 add_label(struct stack_frames *f, enum frame_class class, struct buf *name,
		     const char *file)
{
	u32 id = ID_NONE;
	size_t i;

	if (!name->len) /* nothing between two separators is no name */
		buf_adds(name, "[unknown]");
	if (f->form == STACK_FRAMES_FOLDED) {
		class = FRAME_CLASS_PLAIN;
		file = NULL;
		for (i = 0; i < name->len; i++)
			if (name->data[i] == ';')
				name->data[i] = ':';
	}
	if (!name->failed)
		id = frame_tree_label(f->tree, class, buf_str(name), name->len, file);
	buf_free(name);
	return id;
}

void stack_frames_fold_root(struct buf *name)
{
	size_t i;

	for (i = 0; i < name->len; i++)
		if (name->data[i] == ' ' || (!i && name->data[i] == '#'))
			name->data[i] = '_';
}

u32 stack_frames_group(struct stack_frames *f, const char *name)
{
	struct buf b = {0};

	buf_adds(&b, name);
	return add_label(f, FRAME_CLASS_GROUP, &b, NULL);
}

/* Code that was made while it ran is of no file, so that it is the same in each process, and in an older recording. */
static const char *file_of(const struct dso *dso)
{
	if (!dso)
		return NULL;
	return dso->kind == DSO_PERF_MAP ? "[JIT]" : text_base_name(dso->name);
}

static enum frame_class class_of(const struct frame *frame, const struct dso *dso)
{
	if (frame->kind == FRAME_KERNEL)
		return FRAME_CLASS_KERNEL;
	if (!dso)
		return FRAME_CLASS_MISSING;
	return dso->kind == DSO_PERF_MAP ? FRAME_CLASS_MADE : FRAME_CLASS_USER;
}

static const struct dso *dso_of(const struct stack_frames *f, const struct frame *frame)
{
	return frame->dso == ID_NONE ? NULL : &f->stacks->symboliser->model->dsos.v[frame->dso];
}

void stack_frames_name(const struct frame *frame, const struct dso *dso, struct buf *out)
{
	const char *file = dso ? text_base_name(dso->name) : NULL;

	if (frame->symbol) {
		text_escape(out, frame->symbol, strlen(frame->symbol));
	} else if (!file) {
		buf_adds(out, "[unknown]");
	} else {
		if (file[0] != '[')
			buf_addc(out, '[');
		text_escape(out, file, strlen(file));
		if (file[0] != '[')
			buf_addc(out, ']');
	}
}

static u32 make_frame_label(struct stack_frames *f, const struct frame *frame)
{
	const struct dso *dso = dso_of(f, frame);
	struct buf b = {0};

	if (!frame->symbol && f->form == STACK_FRAMES_SHOWN && dso && dso->kind == DSO_PERF_MAP)
		buf_adds(&b, file_of(dso));
	else
		stack_frames_name(frame, dso, &b);
	return add_label(f, class_of(frame, dso), &b, file_of(dso));
}

static u32 make_place_label(struct stack_frames *f, const struct frame *frame,
			    const struct place *p)
{
	const char *name = p->function ? p->function : "[unknown]";
	const struct dso *dso = dso_of(f, frame);
	struct buf b = {0};

	text_escape(&b, name, strlen(name));
	return add_label(f, FRAME_CLASS_INLINED, &b, file_of(dso));
}

/* Where the label of frame or place i is kept; NULL when memory is out. */
static u32 *slot_of(struct label_list *l, u32 i)
{
	while (l->nr <= i)
		if (!vec_push(l))
			return NULL;
	return &l->v[i];
}

static u32 frame_label(struct stack_frames *f, u32 frame)
{
	u32 *slot = slot_of(&f->of_frames, frame);

	if (slot && !*slot)
		*slot = make_frame_label(f, &f->stacks->symboliser->frames.v[frame]) + 1;
	return slot ? *slot - 1 : ID_NONE;
}

static u32 place_label(struct stack_frames *f, const struct frame *frame, u32 place)
{
	u32 *slot = slot_of(&f->of_places, place);

	if (slot && !*slot)
		*slot = make_place_label(f, frame, &f->stacks->symboliser->places.v[place]) + 1;
	return slot ? *slot - 1 : ID_NONE;
}

/* The child for a node of the stacks, and for what was inlined there. */
static u32 add_node(struct stack_frames *f, u32 at, const struct stack_node *n)
{
	struct symboliser *r = f->stacks->symboliser;
	const struct frame *frame;
	struct buf cut = {0};
	u32 i;

	if (n->frame == STACK_CUT) {
		buf_adds(&cut, "[truncated]");
		return frame_tree_child(f->tree, at, add_label(f, FRAME_CLASS_MISSING, &cut, NULL));
	}
	at = frame_tree_child(f->tree, at, frame_label(f, n->frame));
	if (!n->inlines || at == ID_NONE)
		return at;
	if (!symboliser_places(r, n->frame))
		return ID_NONE;
	frame = &r->frames.v[n->frame];
	for (i = frame->symbol && frame->nr_places ? frame->nr_places - 1 : 0; i-- > 0;)
		at = frame_tree_child(f->tree, at, place_label(f, frame, frame->place + i));
	return at;
}

static u64 node_key(u32 root, u32 node)
{
	return (u64)root << 32 | node;
}

/* The node of the tree for a stack on a root; ID_NONE when memory is out. */
static u32 add_stack(struct stack_frames *f, u32 root, u32 node)
{
	u32 at = 0, n = 0;

	for (; node; node = f->stacks->nodes.v[node].parent) {
		at = hmap_get(&f->nodes, node_key(root, node));
		if (at != ID_NONE)
			break;
		if (!vec_reserve(&f->path, n + 1))
			return ID_NONE;
		f->path.v[n++] = node;
	}
	if (!node)
		at = root == ID_NONE ? 0 : frame_tree_child(f->tree, 0, root);
	while (n-- > 0 && at != ID_NONE) {
		node = f->path.v[n];
		at = add_node(f, at, &f->stacks->nodes.v[node]);
		if (at != ID_NONE && !hmap_set(&f->nodes, node_key(root, node), at))
			return ID_NONE;
	}
	return at;
}

u32 stack_frames_node(struct stack_frames *f, const struct stack_weight *w)
{
	u32 at = add_stack(f, w->root, w->node);
	struct buf none = {0};

	if (w->top != ID_NONE)
		at = frame_tree_child(f->tree, at, w->top);
	/* the root itself is nobody's frame */
	return at ? at
		  : frame_tree_child(f->tree, 0, add_label(f, FRAME_CLASS_MISSING, &none, NULL));
}

int stack_frames_add(struct stack_frames *f, const struct stack_weights *w, bool old,
		     struct err *err)
{
	const struct stack_weight *e;
	int ret = 0;
	u32 i, at;

	for (i = 0; i < w->v.nr && !ret; i++) {
		e = &w->v.v[i];
		at = stack_frames_node(f, e);
		ret = old ? frame_tree_add_old(f->tree, at, e->weight, err)
			  : frame_tree_add(f->tree, at, e->weight, err);
	}
	return ret;
}

void stack_frames_init(struct stack_frames *f, const struct stack_tree *stacks,
		       struct frame_tree *tree, enum stack_frames_form form)
{
	*f = (struct stack_frames){.stacks = stacks, .tree = tree, .form = form};
}

void stack_frames_free(struct stack_frames *f)
{
	free(f->of_frames.v);
	free(f->of_places.v);
	vec_free(&f->path);
	hmap_free(&f->nodes);
}
