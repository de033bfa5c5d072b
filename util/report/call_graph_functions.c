// SPDX-License-Identifier: GPL-2.0
#include "util/report/call_graph.h"

#include <string.h>

#include "util/base/text.h"
#include "util/profile/symboliser.h"

void call_graph_functions_init(struct call_graph_functions *f, const struct stack_tree *stacks,
			       enum call_graph_key key)
{
	*f = (struct call_graph_functions){.stacks = stacks, .key = key};
}

void call_graph_functions_free(struct call_graph_functions *f)
{
	vec_free(&f->v);
	strtab_free(&f->names);
	strtab_free(&f->lines);
	hmap_free(&f->by_hash);
	vec_free(&f->older);
	vec_free(&f->by_name);
	vec_free(&f->of_frame);
	vec_free(&f->of_inlined);
}

static const struct frame *frame_at(const struct call_graph_functions *f, u32 frame)
{
	return &f->stacks->symboliser->frames.v[frame];
}

/* Strings here are interned: the same text is the same pointer. */
static bool is_same(const struct call_graph_functions *f, const struct call_graph_function *a,
		    const struct call_graph_function *b)
{
	if (a->symbol != b->symbol || a->inlined != b->inlined)
		return false;
	if (f->key == CALL_GRAPH_SRCLINE && a->line && b->line)
		return a->line == b->line;
	return a->inlined ? f->key == CALL_GRAPH_FUNCTION || a->at == b->at
			  : a->dso == b->dso && a->at == b->at;
}

static u64 hash_of(const struct call_graph_functions *f, const struct call_graph_function *g)
{
	u64 h = hash_u64((u64)(uintptr_t)g->symbol + g->inlined);

	if (f->key == CALL_GRAPH_SRCLINE && g->line)
		return h ^ (u64)(uintptr_t)g->line;
	if (g->inlined && f->key == CALL_GRAPH_FUNCTION)
		return h;
	return h ^ hash_u64(g->at);
}

/* Where number i of a list is kept; NULL when memory is out. */
static u32 *slot_of(struct call_graph_numbers *l, u32 i)
{
	while (l->nr <= i)
		if (!vec_push(l))
			return NULL;
	return &l->v[i];
}

/* What else counts as one with a function that was just added, by its name or its line. */
static u32 same_as(struct call_graph_functions *f, const struct call_graph_function *g, u32 name)
{
	const struct call_graph_function *first;
	u32 self = f->v.nr - 1, *slot;

	if (f->key == CALL_GRAPH_ADDRESS || name == ID_NONE)
		return self;
	slot = slot_of(&f->by_name, name);
	if (!slot)
		return ID_NONE;
	if (!*slot) {
		*slot = self + 1;
		return self;
	}
	first = &f->v.v[*slot - 1];
	return g->inlined || first->inlined || f->key == CALL_GRAPH_SRCLINE ? first->same : self;
}

/* key_name: what functions of one name or line are found by; ID_NONE: nothing. */
static u32 intern(struct call_graph_functions *f, const struct call_graph_function *g, u32 key_name)
{
	u64 hash = hash_of(f, g);
	u32 first = hmap_get(&f->by_hash, hash), at, *older;
	struct call_graph_function *to;

	for (at = first; at != ID_NONE; at = f->older.v[at])
		if (is_same(f, &f->v.v[at], g))
			return at;
	to = vec_push(&f->v);
	older = vec_push(&f->older);
	if (!to || !older || !hmap_set(&f->by_hash, hash, f->v.nr - 1))
		return ID_NONE;
	*to = *g;
	*older = first;
	to->same = f->v.nr - 1;
	at = same_as(f, g, key_name);
	if (at == ID_NONE)
		return ID_NONE;
	f->v.v[f->v.nr - 1].same = at;
	return f->v.nr - 1;
}

/* "file.c:12"; of an address whose line is not known "+12", "libc.so.6[1f]". */
static void put_line(const struct call_graph_functions *f, const struct frame *frame,
		     const struct place *p, struct buf *out)
{
	const struct dso *dso = &f->stacks->symboliser->model->dsos.v[frame->dso];
	const char *name;

	if (p && p->file && p->line) {
		name = text_base_name(p->file);
		text_escape(out, name, strlen(name));
		buf_addf(out, ":%u", p->line);
	} else if (f->key == CALL_GRAPH_SRCLINE) {
		return;
	} else if (frame->symbol) {
		buf_addf(out, "+%llu", (unsigned long long)frame->offset);
	} else {
		name = text_base_name(dso->name);
		text_escape(out, name, strlen(name));
		buf_addf(out, "[%llx]", (unsigned long long)frame->addr);
	}
}

/* The line of place i of a frame; ID_NONE when memory is out. */
static u32 line_of(struct call_graph_functions *f, u32 frame, u32 i)
{
	struct symboliser *r = f->stacks->symboliser;
	struct buf text = {0};
	u32 id = ID_NONE;

	if (!symboliser_places(r, frame))
		return ID_NONE;
	put_line(f, frame_at(f, frame),
		 i < frame_at(f, frame)->nr_places ? &r->places.v[frame_at(f, frame)->place + i]
						   : NULL,
		 &text);
	if (!text.failed)
		id = strtab_add(&f->lines, buf_str(&text), text.len);
	buf_free(&text);
	return id;
}

/* The function at place i of a frame, whose name is known. */
static u32 make(struct call_graph_functions *f, u32 frame, u32 i, const char *symbol, bool inlined)
{
	const struct frame *x = frame_at(f, frame);
	struct call_graph_function g = {
		.ip = x->ip, .at = x->ip, .dso = x->dso, .inlined = inlined};
	u32 name = ID_NONE, line = ID_NONE;

	if (symbol) {
		name = strtab_add(&f->names, symbol, strlen(symbol));
		if (name == ID_NONE)
			return ID_NONE;
		g.symbol = strtab_get(&f->names, name);
		if (f->key != CALL_GRAPH_ADDRESS)
			g.at = x->addr - x->offset;
	}
	if (f->key != CALL_GRAPH_FUNCTION && x->dso != ID_NONE) {
		line = line_of(f, frame, i);
		if (line == ID_NONE)
			return ID_NONE;
		if (*strtab_get(&f->lines, line))
			g.line = strtab_get(&f->lines, line);
	}
	if (f->key == CALL_GRAPH_SRCLINE)
		name = g.line ? line : ID_NONE;
	return intern(f, &g, name);
}

u32 call_graph_functions_get(struct call_graph_functions *f, u32 frame, u32 inlined)
{
	u32 *slot = slot_of(&f->of_frame, frame);

	if (slot && !*slot)
		*slot = make(f, frame, inlined, frame_at(f, frame)->symbol, false) + 1;
	return slot ? *slot - 1 : ID_NONE;
}

u32 call_graph_functions_inlined(struct call_graph_functions *f, u32 frame, u32 i)
{
	const struct frame *x = frame_at(f, frame);
	u32 *slot = slot_of(&f->of_inlined, x->place + i);
	const char *name = f->stacks->symboliser->places.v[x->place + i].function;

	if (slot && !*slot)
		*slot = make(f, frame, i, name ? name : "[unknown]", true) + 1;
	return slot ? *slot - 1 : ID_NONE;
}

static int compare_u64(u64 a, u64 b)
{
	return a < b ? -1 : a > b;
}

int call_graph_functions_compare(const struct call_graph_functions *f, u32 a, u32 b)
{
	const struct call_graph_function *x = &f->v.v[a], *y = &f->v.v[b];
	int ret;

	if (f->key == CALL_GRAPH_SRCLINE && x->line && y->line)
		return strcmp(y->line, x->line);
	if (x->symbol && y->symbol && f->key != CALL_GRAPH_ADDRESS && (x->inlined || y->inlined)) {
		ret = strcmp(y->symbol, x->symbol);
		if (ret)
			return ret;
	}
	/* frames without a file come first; those without a name are in order of their addresses */
	ret = compare_u64((u64)y->dso + 1, (u64)x->dso + 1);
	if (x->dso == ID_NONE || y->dso == ID_NONE)
		ret = -ret;
	if (ret)
		return ret;
	if (!x->symbol != !y->symbol)
		return compare_u64(y->ip, x->ip);
	return compare_u64(y->at, x->at);
}

void call_graph_functions_text(const struct call_graph_functions *f, u32 function, struct buf *out)
{
	const struct call_graph_function *g = &f->v.v[function];

	if (!g->symbol) {
		buf_addf(out, "%#llx", (unsigned long long)g->ip);
		return;
	}
	text_escape(out, g->symbol, strlen(g->symbol));
	if (g->line) {
		buf_addc(out, ' ');
		buf_adds(out, g->line);
	}
	if (g->inlined)
		buf_adds(out, " (inlined)");
}
