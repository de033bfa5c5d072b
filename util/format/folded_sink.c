// SPDX-License-Identifier: GPL-2.0
#include "util/format/folded_sink.h"

#include <stdlib.h>
#include <string.h>

static u32 make_comm_label(struct folded_sink *k, const char *comm)
{
	struct buf b = {0};
	u32 label;

	buf_adds(&b, comm);
	stack_frames_fold_root(&b);
	label = b.failed ? ID_NONE : stack_frames_group(&k->frames, buf_str(&b));
	buf_free(&b);
	return label;
}

static u32 comm_label(struct folded_sink *k, const struct session_sample *s)
{
	u32 comm = s->thread ? s->thread->comm : ID_NONE;

	/* a thread without a name is called after its number, each differently */
	if (comm == ID_NONE)
		return make_comm_label(k, s->comm);
	while (k->comms.nr <= comm)
		if (!vec_push(&k->comms))
			return ID_NONE;
	if (!k->comms.v[comm])
		k->comms.v[comm] = make_comm_label(k, s->comm) + 1;
	return k->comms.v[comm] - 1;
}

/* The label of the field's value; ID_NONE: the event has no such field. False: memory is out. */
static bool field_label(struct folded_sink *k, const struct session_sample *s, u32 *label)
{
	struct buf b = {0};

	*label = ID_NONE;
	if (!k->field || !stack_field_put(k->field, s, &b))
		return true;
	*label = b.failed ? ID_NONE : stack_frames_group(&k->frames, buf_str(&b));
	buf_free(&b);
	return *label != ID_NONE;
}

static int folded_sample(struct sink *sink, const struct session_sample *s, struct buf *out,
			 struct err *err)
{
	struct folded_sink *k = (struct folded_sink *)sink;
	u64 weight = session_sample_weight(s);
	u32 comm, top;

	(void)out;
	if (s->event != k->event)
		return 0;
	comm = comm_label(k, s);
	if (comm == ID_NONE || !field_label(k, s, &top) ||
	    !stack_weights_add(&k->weights, comm, stack_tree_get(&k->stacks, s), top, weight))
		return err_nomem(err);
	return 0;
}

/* Nodes innermost first. */
struct path {
	u32 *v;
	u32 nr, cap;
};

/* False when memory is out. */
static bool put_path(const struct frame_tree *t, u32 node, struct path *path, struct buf *out)
{
	const char *name;
	size_t len;
	u32 n = 0;

	for (; node; node = t->nodes.v[node].parent) {
		if (!vec_reserve(path, n + 1))
			return false;
		path->v[n++] = node;
	}
	while (n-- > 0) {
		name = frame_tree_node_name(t, path->v[n], &len);
		buf_add(out, name, len);
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

static int put_lines(const struct frame_tree *t, struct buf *out, struct err *err)
{
	VEC(struct folded_line) lines = {0};
	struct path path = {0};
	struct buf text = {0};
	struct folded_line *l;
	u32 i;

	for (i = 1; i < t->nodes.nr; i++) {
		if (!t->nodes.v[i].self)
			continue;
		l = vec_push(&lines);
		if (!l)
			break;
		*l = (struct folded_line){text.len, t->nodes.v[i].self};
		if (!put_path(t, i, &path, &text))
			break;
		buf_addc(&text, '\0');
	}
	if (i < t->nodes.nr || text.failed)
		out->failed = true;
	else if (lines.nr)
		qsort_r(lines.v, lines.nr, sizeof(*lines.v), by_text, text.data);
	for (i = 0; i < lines.nr && !out->failed; i++) {
		buf_adds(out, text.data + lines.v[i].at);
		buf_addc(out, ' ');
		buf_dec(out, lines.v[i].count, 0);
		buf_addc(out, '\n');
	}
	vec_free(&lines);
	vec_free(&path);
	buf_free(&text);
	return out->failed ? err_nomem(err) : 0;
}

static int folded_end(struct sink *sink, struct buf *out, struct err *err)
{
	struct folded_sink *k = (struct folded_sink *)sink;
	int ret = stack_frames_add(&k->frames, &k->weights, false, err);

	return ret ? ret : put_lines(&k->tree, out, err);
}

static void folded_free(struct sink *sink)
{
	struct folded_sink *k = (struct folded_sink *)sink;

	stack_tree_free(&k->stacks);
	stack_weights_free(&k->weights);
	stack_frames_free(&k->frames);
	frame_tree_free(&k->tree);
	vec_free(&k->comms);
}

int folded_sink_init(struct folded_sink *k, struct symboliser *symboliser, u32 event,
		     const struct stack_field *field, struct err *err)
{
	static const struct sink_ops ops = {
		.sample = folded_sample, .end = folded_end, .free = folded_free};

	*k = (struct folded_sink){.sink.ops = &ops, .event = event, .field = field};
	stack_frames_init(&k->frames, &k->stacks, &k->tree, STACK_FRAMES_FOLDED);
	return stack_tree_init(&k->stacks, symboliser, err);
}
