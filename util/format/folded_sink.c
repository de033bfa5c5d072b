// SPDX-License-Identifier: GPL-2.0
#include "util/format/folded_sink.h"

#include <stdlib.h>

#include "util/base/text.h"
#include "util/record/chain.h"

static bool grow(struct folded_sink *k)
{
	u32 size = k->slots ? (k->mask + 1) * 2 : 1024, i, at;
	const struct folded_node *n;
	u32 *slots;

	if (!size)
		return false;
	slots = calloc(size, sizeof(*slots));
	if (!slots)
		return false;
	for (i = 1; i < k->nodes.nr; i++) {
		n = &k->nodes.v[i];
		at = (u32)hash_u64((u64)n->parent << 32 | n->name) & (size - 1);
		while (slots[at])
			at = (at + 1) & (size - 1);
		slots[at] = i;
	}
	free(k->slots);
	k->slots = slots;
	k->mask = size - 1;
	return true;
}

/* The child of a node; 0 when memory is out (the root is nobody's child). */
static u32 child(struct folded_sink *k, u32 parent, u32 name)
{
	struct folded_node *n;
	u32 at;

	if (name == ID_NONE)
		return 0;
	if ((!k->slots || (u64)k->nodes.nr * 4 >= ((u64)k->mask + 1) * 3) && !grow(k))
		return 0;
	for (at = (u32)hash_u64((u64)parent << 32 | name) & k->mask; k->slots[at];
	     at = (at + 1) & k->mask) {
		n = &k->nodes.v[k->slots[at]];
		if (n->parent == parent && n->name == name)
			return k->slots[at];
	}
	n = vec_push(&k->nodes);
	if (!n)
		return 0;
	n->parent = parent;
	n->name = name;
	k->slots[at] = k->nodes.nr - 1;
	return k->nodes.nr - 1;
}

static u32 add_name(struct folded_sink *k, struct buf *b, char blank)
{
	size_t i;
	u32 id;

	for (i = 0; i < b->len; i++) {
		if (b->data[i] == ';')
			b->data[i] = ':';
		else if (b->data[i] == ' ')
			b->data[i] = blank;
	}
	if (!b->len) /* nothing between two separators is no name */
		buf_adds(b, "[unknown]");
	id = b->failed ? ID_NONE : strtab_add(&k->names, buf_str(b), b->len);
	buf_free(b);
	return id;
}

static u32 comm_name(struct folded_sink *k, const char *comm)
{
	struct buf b = {0};

	buf_adds(&b, comm);
	if (comm[0] == '#' && b.len) /* would make the line a comment */
		b.data[0] = '_';
	return add_name(k, &b, '_');
}

static u32 make_frame_name(struct folded_sink *k, const struct frame *f)
{
	const char *name, *slash;
	struct buf b = {0};

	if (f->symbol) {
		text_escape(&b, f->symbol, strlen(f->symbol));
	} else if (f->dso == ID_NONE) {
		buf_adds(&b, "[unknown]");
	} else {
		name = k->resolver->model->dsos.v[f->dso].name;
		slash = strrchr(name, '/');
		name = slash && slash[1] ? slash + 1 : name;
		if (name[0] != '[')
			buf_addc(&b, '[');
		text_escape(&b, name, strlen(name));
		if (name[0] != '[')
			buf_addc(&b, ']');
	}
	return add_name(k, &b, ' ');
}

static u32 frame_name(struct folded_sink *k, u32 frame)
{
	while (k->frame_names.nr <= frame)
		if (!vec_push(&k->frame_names))
			return ID_NONE;
	if (!k->frame_names.v[frame])
		k->frame_names.v[frame] = make_frame_name(k, &k->resolver->frames.v[frame]) + 1;
	return k->frame_names.v[frame] - 1;
}

static u32 make_place_name(struct folded_sink *k, const struct place *p)
{
	const char *name = p->function ? p->function : "[unknown]";
	struct buf b = {0};

	text_escape(&b, name, strlen(name));
	return add_name(k, &b, ' ');
}

static u32 place_name(struct folded_sink *k, u32 place)
{
	while (k->place_names.nr <= place)
		if (!vec_push(&k->place_names))
			return ID_NONE;
	if (!k->place_names.v[place])
		k->place_names.v[place] = make_place_name(k, &k->resolver->places.v[place]) + 1;
	return k->place_names.v[place] - 1;
}

/* The node of a frame, and those of what was inlined there; 0 when memory is out. */
static u32 add_frame(struct folded_sink *k, u32 parent, u32 frame, bool inlines)
{
	u32 node = child(k, parent, frame_name(k, frame)), i;
	const struct frame *f;

	if (!inlines || !node)
		return node;
	if (!resolver_places(k->resolver, frame))
		return 0;
	f = &k->resolver->frames.v[frame];
	for (i = f->symbol && f->nr_places ? f->nr_places - 1 : 0; i-- > 0 && node;)
		node = child(k, node, place_name(k, f->place + i));
	return node;
}

/* In place of the outer frames of a stack that was not unwound to its end. */
static const char truncated[] = "[truncated]";

static bool is_truncated(const struct sample *s)
{
	u64 last = s->chain_nr ? s->chain[s->chain_nr - 1] : 0;

	return chain_is_end(last) && last != CHAIN_END + CHAIN_ROOT;
}

/* The node of a sample's stack; 0 when memory is out. */
static u32 make_stack(struct folded_sink *k, const struct session_sample *s)
{
	const struct sample *v = s->sample;
	u16 cpumode = v->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	u32 node = child(k, 0, comm_name(k, s->comm)), i, id;

	if (is_truncated(v) && node)
		node = child(k, node, strtab_add(&k->names, truncated, strlen(truncated)));
	if (!resolver_chain(k->resolver, s->thread, v, &k->chain))
		return 0;
	for (i = k->chain.nr; i-- > 0 && node;)
		node = add_frame(k, node, k->chain.v[i], k->chain.inlines);
	if (node && !k->chain.nr && v->ids.has & PERF_SAMPLE_IP) {
		/* no chain: the place itself is all the stack there is */
		id = resolver_address(k->resolver, s->thread, cpumode, v->ip);
		node = id == ID_NONE ? 0 : add_frame(k, node, id, k->chain.inlines);
	}
	return node;
}

/* The node of a stack by its number and the number of the thread's name. */
struct folded_known {
	u32 stack, comm, node;
};

#define KNOWN_SLOTS 4096u

static u32 stack_node(struct folded_sink *k, const struct session_sample *s)
{
	u32 comm = s->thread ? s->thread->comm : ID_NONE, node;
	struct folded_known *f;

	if (!s->stack || comm == ID_NONE)
		return make_stack(k, s);
	f = &k->known[(s->stack + comm * 31) % KNOWN_SLOTS];
	if (f->stack == s->stack && f->comm == comm)
		return f->node;
	node = make_stack(k, s);
	/* a chain of no frames is told by the sample's address */
	if (node && k->chain.nr)
		*f = (struct folded_known){s->stack, comm, node};
	return node;
}

/* The node of the field's value, which stands on the stack as one more function. */
static u32 add_field(struct folded_sink *k, u32 parent, const struct session_sample *s)
{
	struct buf b = {0};

	if (!stack_field_put(k->field, s, &b))
		return parent;
	return child(k, parent, add_name(k, &b, ' '));
}

static int folded_sample(struct sink *sink, const struct session_sample *s, struct buf *out,
			 struct err *err)
{
	struct folded_sink *k = (struct folded_sink *)sink;
	const struct sample *v = s->sample;
	u32 node;

	(void)out;
	if (s->event != k->event)
		return 0;
	node = stack_node(k, s);
	if (node && k->field)
		node = add_field(k, node, s);
	if (!node)
		return err_nomem(err);
	k->nodes.v[node].count += v->period ? v->period : 1;
	return 0;
}

/* False when memory is out. */
static bool put_path(struct folded_sink *k, u32 node, struct buf *out)
{
	u32 n = 0;

	for (; node; node = k->nodes.v[node].parent) {
		if (!vec_reserve(&k->path, n + 1))
			return false;
		k->path.v[n++] = k->nodes.v[node].name;
	}
	while (n-- > 0) {
		buf_add(out, k->names.entries[k->path.v[n]].s, k->names.entries[k->path.v[n]].len);
		if (n)
			buf_addc(out, ';');
	}
	return true;
}

struct folded_line {
	size_t at;
	u64 count;
};

static int by_text(const void *a, const void *b, void *text)
{
	const struct folded_line *x = a, *y = b;

	return strcmp((const char *)text + x->at, (const char *)text + y->at);
}

static int folded_end(struct sink *sink, struct buf *out, struct err *err)
{
	struct folded_sink *k = (struct folded_sink *)sink;
	VEC(struct folded_line) lines = {0};
	struct buf text = {0};
	struct folded_line *l;
	u32 i;

	for (i = 1; i < k->nodes.nr; i++) {
		if (!k->nodes.v[i].count)
			continue;
		l = vec_push(&lines);
		if (!l)
			break;
		*l = (struct folded_line){text.len, k->nodes.v[i].count};
		if (!put_path(k, i, &text))
			break;
		buf_addc(&text, '\0');
	}
	if (i == k->nodes.nr && !text.failed) {
		if (lines.nr)
			qsort_r(lines.v, lines.nr, sizeof(*lines.v), by_text, text.data);
		for (i = 0; i < lines.nr; i++) {
			buf_adds(out, text.data + lines.v[i].at);
			buf_addc(out, ' ');
			buf_dec(out, lines.v[i].count, 0);
			buf_addc(out, '\n');
		}
	} else {
		out->failed = true;
	}
	vec_free(&lines);
	buf_free(&text);
	return out->failed ? err_nomem(err) : 0;
}

static void folded_free(struct sink *sink)
{
	struct folded_sink *k = (struct folded_sink *)sink;

	vec_free(&k->chain);
	vec_free(&k->path);
	vec_free(&k->nodes);
	vec_free(&k->frame_names);
	free(k->known);
	vec_free(&k->place_names);
	strtab_free(&k->names);
	free(k->slots);
}

int folded_sink_init(struct folded_sink *k, struct resolver *resolver, u32 event,
		     const struct stack_field *field, struct err *err)
{
	static const struct sink_ops ops = {
		.sample = folded_sample, .end = folded_end, .free = folded_free};

	*k = (struct folded_sink){
		.sink.ops = &ops, .resolver = resolver, .event = event, .field = field};
	k->known = calloc(KNOWN_SLOTS, sizeof(*k->known));
	return k->known && vec_push(&k->nodes) ? 0 : err_nomem(err);
}
