// SPDX-License-Identifier: GPL-2.0
#include "util/export/call_rows.h"

#include <string.h>

#include "util/base/text.h"
#include "util/profile/symboliser.h"

enum { FUNCTIONS, FRAMES, ROWS };

/* What distinguishes functions. Where its source is may be known at some addresses alone. */
struct function_key {
	u32 name, dso, class;
};

u32 call_rows_name(struct call_rows *c, const char *name)
{
	return text_intern(&c->names, name);
}

/* ---- functions ---- */

static const struct dso *dso_of(const struct call_rows *c, const struct frame *f)
{
	return f->dso == ID_NONE ? NULL : &c->stacks.symboliser->model->dsos.v[f->dso];
}

static enum call_class class_of(const struct call_rows *c, const struct frame *f)
{
	const struct dso *dso = dso_of(c, f);

	if (f->kind == FRAME_KERNEL)
		return CALL_KERNEL;
	if (!dso)
		return CALL_UNKNOWN;
	return dso->kind == DSO_PERF_MAP ? CALL_MADE : CALL_USER;
}

/* ID_NONE when memory is out, as from all that make numbers. */
static u32 add_function(struct call_rows *c, u32 name, u32 dso, enum call_class class,
			const char *file)
{
	const struct function_key key = {name, dso, class};
	u32 id = name == ID_NONE ? ID_NONE : strtab_add(&c->keys[FUNCTIONS], &key, sizeof(key));
	u32 *known;

	if (id == ID_NONE)
		return ID_NONE;
	if (id == c->files.nr) {
		known = vec_push(&c->files);
		if (!known)
			return ID_NONE;
		*known = ID_NONE;
	}
	known = &c->files.v[id];
	if (file && *known == ID_NONE) {
		*known = call_rows_name(c, file);
		if (*known == ID_NONE)
			return ID_NONE;
	}
	return id;
}

/* The name of a frame that has no symbol. */
static u32 add_file_name(struct call_rows *c, const struct dso *dso)
{
	const char *name;
	struct buf b = {0};
	u32 id;

	if (!dso)
		return call_rows_name(c, "[unknown]");
	name = text_base_name(dso->name);
	buf_addf(&b, name[0] == '[' ? "%s" : "[%s]", name);
	id = b.failed ? ID_NONE : call_rows_name(c, b.data);
	buf_free(&b);
	return id;
}

/* ---- frames ---- */

static u32 add_frame(struct call_rows *c, u32 function, u32 line, u32 depth)
{
	const struct call_frame key = {function, c->lines ? line : 0, depth};

	return function == ID_NONE ? ID_NONE : strtab_add(&c->keys[FRAMES], &key, sizeof(key));
}

static u32 add_missing(struct call_rows *c, const char *name)
{
	return add_frame(c, add_function(c, call_rows_name(c, name), ID_NONE, CALL_UNKNOWN, NULL),
			 0, 0);
}

/* p: its place in the source, NULL: unknown. */
static u32 add_own(struct call_rows *c, const struct frame *f, const struct place *p)
{
	u32 name = f->symbol ? call_rows_name(c, f->symbol) : add_file_name(c, dso_of(c, f));

	return add_frame(
		c, add_function(c, name, f->dso, class_of(c, f), p && f->symbol ? p->file : NULL),
		p && f->symbol ? p->line : 0, 0);
}

static u32 add_inlined(struct call_rows *c, const struct frame *f, const struct place *p, u32 depth)
{
	u32 name = call_rows_name(c, p->function ? p->function : "[unknown]");

	return add_frame(c, add_function(c, name, f->dso, class_of(c, f), p->file), p->line, depth);
}

/* ---- rows ---- */

static u32 add_row(struct call_rows *c, u32 parent, u32 frame)
{
	const struct call_row key = {parent, frame};

	return frame == ID_NONE ? ID_NONE : strtab_add(&c->keys[ROWS], &key, sizeof(key));
}

/* The row of a frame that was called from another, and of what was inlined there. */
static u32 add_calls(struct call_rows *c, u32 row, const struct stack_node *n)
{
	struct symboliser *r = c->stacks.symboliser;
	const struct place *places = NULL;
	const struct frame *f;
	u32 i, nr = 0;

	if (n->frame == STACK_CUT)
		return add_row(c, row, add_missing(c, "[truncated]"));
	if ((c->source || n->inlines) && !symboliser_places(r, n->frame))
		return ID_NONE;
	f = &r->frames.v[n->frame];
	if (f->place != ID_NONE && f->nr_places) {
		nr = f->nr_places;
		places = r->places.v + f->place;
	}
	row = add_row(c, row, add_own(c, f, nr ? &places[nr - 1] : NULL));
	for (i = n->inlines && f->symbol && nr ? nr - 1 : 0; i-- > 0 && row != ID_NONE;)
		row = add_row(c, row, add_inlined(c, f, &places[i], nr - 1 - i));
	return row;
}

/* Nodes come after their parents. The root is a sample without any address. */
static bool extend(struct call_rows *c)
{
	const struct stack_node *n;
	u32 node, parent, *row;

	while (c->of_node.nr < c->stacks.nodes.nr) {
		node = c->of_node.nr;
		row = vec_push(&c->of_node);
		if (!row)
			return false;
		n = &c->stacks.nodes.v[node];
		parent = node && n->parent ? c->of_node.v[n->parent] : ID_NONE;
		*row = node ? add_calls(c, parent, n) : ID_NONE;
		if (node && *row == ID_NONE) {
			c->of_node.nr--;
			return false;
		}
	}
	return true;
}

/* node: ID_NONE when memory is out. */
static u32 row_of(struct call_rows *c, u32 node)
{
	if (node == ID_NONE || !extend(c))
		return ID_NONE;
	if (!node && c->of_node.v[0] == ID_NONE)
		c->of_node.v[0] = add_row(c, ID_NONE, add_missing(c, "[unknown]"));
	return c->of_node.v[node];
}

u32 call_rows_get(struct call_rows *c, const struct session_sample *s)
{
	return row_of(c, stack_tree_get(&c->stacks, s));
}

u32 call_rows_path(struct call_rows *c, const struct stack_frame *frames, u32 nr)
{
	return row_of(c, stack_tree_path(&c->stacks, frames, nr));
}

/* ---- reading ---- */

struct call_function call_rows_function(const struct call_rows *c, u32 function)
{
	struct function_key key;

	memcpy(&key, strtab_get(&c->keys[FUNCTIONS], function), sizeof(key));
	return (struct call_function){key.name, key.dso, c->files.v[function], key.class};
}

struct call_frame call_rows_frame(const struct call_rows *c, u32 frame)
{
	struct call_frame key;

	memcpy(&key, strtab_get(&c->keys[FRAMES], frame), sizeof(key));
	return key;
}

struct call_row call_rows_row(const struct call_rows *c, u32 row)
{
	struct call_row key;

	memcpy(&key, strtab_get(&c->keys[ROWS], row), sizeof(key));
	return key;
}

int call_rows_init(struct call_rows *c, struct symboliser *symboliser, bool lines, struct err *err)
{
	*c = (struct call_rows){.source = symboliser->options.inlines != INLINES_NONE,
				.lines = lines};
	return stack_tree_init(&c->stacks, symboliser, err);
}

void call_rows_free(struct call_rows *c)
{
	u32 i;

	stack_tree_free(&c->stacks);
	strtab_free(&c->names);
	for (i = 0; i < ARRAY_SIZE(c->keys); i++)
		strtab_free(&c->keys[i]);
	vec_free(&c->files);
	vec_free(&c->of_node);
}
