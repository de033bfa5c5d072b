// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/cmd_flamegraph.h"

#include <string.h>

static int add_sample(struct flamegraph_stacks *k, const struct session_sample *s, struct err *err)
{
	struct flamegraph_graph *g = &k->graphs.v[s->event];
	u64 weight = k->options->count_samples ? 1 : session_sample_weight(s);
	u64 time = s->sample->ids.time;
	u32 name, top;

	if (!flamegraph_root_of(&k->root, s, &name) || !flamegraph_root_top(&k->root, s, &top) ||
	    !stack_weights_count(&g->weights, name, stack_tree_get(&k->stacks, s), top, weight,
				 s->samples))
		return err_nomem(err);
	g->samples += s->samples;
	g->weight = stack_weights_sum(g->weight, weight, s->samples);
	if (time) {
		g->first = MIN(g->first, time);
		g->last = MAX(g->last, s->last);
	}
	return 0;
}

/* The events are known, and no more come. */
static int make_graphs(struct flamegraph_stacks *k, struct err *err)
{
	const u32 nr = k->in->s->source->recording->events.events.nr;
	struct flamegraph_graph *g;

	while (k->graphs.nr < nr) {
		g = vec_push(&k->graphs);
		if (!g)
			return err_nomem(err);
		g->first = UINT64_MAX;
	}
	return 0;
}

int flamegraph_stacks_read(struct flamegraph_stacks *k, struct reading *in,
			   const struct flamegraph_stacks_options *o, struct flamegraph_code *code,
			   struct err *err)
{
	struct session_sample s;
	int ret;

	*k = (struct flamegraph_stacks){.options = o, .in = in};
	ret = stack_tree_init(&k->stacks, in->s->symboliser, err);
	if (!ret)
		ret = flamegraph_root_init(&k->root, in->s, in->only_event, o->by, o->top, err);
	k->root.folded = o->folded;
	while (!ret && (ret = reading_sample(in, &s, err)) > 0) {
		ret = s.event < k->graphs.nr ? 0 : make_graphs(k, err);
		if (!ret)
			ret = add_sample(k, &s, err);
		if (!ret && code)
			ret = flamegraph_code_count(code, in->s->symboliser, &s, err);
	}
	return ret ? ret : make_graphs(k, err);
}

/* From the number of a name to its label in the tree; false when memory is out. */
static bool find_label(struct flamegraph_stacks *k, struct stack_frames *f, u32 *labels, u32 *name)
{
	u32 i = *name;

	if (i == ID_NONE)
		return true;
	if (!labels[i])
		labels[i] = stack_frames_group(f, strtab_get(&k->root.names, i)) + 1;
	*name = labels[i] - 1;
	return *name != ID_NONE;
}

static bool find_labels(struct flamegraph_stacks *k, struct stack_frames *f,
			struct stack_weights *w)
{
	u32 *labels = calloc(k->root.names.nr + 1, sizeof(*labels)), i;
	bool ok = labels;

	for (i = 0; i < w->v.nr && ok; i++)
		ok = find_label(k, f, labels, &w->v.v[i].root) &&
		     find_label(k, f, labels, &w->v.v[i].top);
	free(labels);
	return ok;
}

int flamegraph_stacks_put(struct flamegraph_stacks *k, u32 event, struct frame_tree *tree, bool old,
			  struct err *err)
{
	struct stack_weights *w = &k->graphs.v[event].weights;
	struct stack_frames f;
	int ret;

	stack_frames_init(&f, &k->stacks, tree,
			  k->options->folded ? STACK_FRAMES_FOLDED : STACK_FRAMES_SHOWN);
	ret = find_labels(k, &f, w) ? stack_frames_add(&f, w, old, err) : err_nomem(err);
	stack_frames_free(&f);
	return ret;
}

void flamegraph_stacks_free(struct flamegraph_stacks *k)
{
	u32 i;

	for (i = 0; i < k->graphs.nr; i++)
		stack_weights_free(&k->graphs.v[i].weights);
	vec_free(&k->graphs);
	stack_tree_free(&k->stacks);
	flamegraph_root_free(&k->root);
}
