// SPDX-License-Identifier: GPL-2.0
#include "util/format/call_graph_text.h"

#include <stdlib.h>
#include <string.h>

#define MARGIN       12
#define INDENT       11 /* of a branch to the one that it leads to */
#define SHARE_HIGH   5.0
#define SHARE_MIDDLE 0.5

/* The graph of one row on its way out. */
struct drawing {
	struct call_graph_text *t;
	const struct call_graph *g;
	struct buf *out;
	u64 total;     /* weight in all */
	size_t margin; /* blanks in front of each line */
};

static bool is_fractal(const struct drawing *d)
{
	return d->t->options->type == CALL_GRAPH_FRACTAL;
}

static void put_function(struct drawing *d, u32 i)
{
	call_graph_functions_text(&d->g->stacks->functions, d->g->functions.v[i], d->out);
}

/* What a branch is worth: of `total` where that is a share. */
static void put_value(struct drawing *d, u64 samples, u64 weight, u64 total)
{
	const struct report_text_colours *c = &d->t->colours;
	double share = total ? (double)weight * 100.0 / (double)total : 0.0;
	const char *colour = share >= SHARE_HIGH ? c->high : share > SHARE_MIDDLE ? c->middle : "";

	switch (d->t->options->value) {
	case CALL_GRAPH_PERIOD:
		buf_dec(d->out, weight, 0);
		break;
	case CALL_GRAPH_COUNT:
		buf_dec(d->out, samples, 0);
		break;
	default:
		buf_adds(d->out, colour);
		buf_fixed2(d->out, share);
		buf_addc(d->out, '%');
		buf_adds(d->out, *colour ? c->off : "");
	}
}

/* False when memory is out. */
static bool set_pipe(struct call_graph_text *t, u32 depth, bool on)
{
	u32 max = MAX(depth * 2, 64u);
	bool *v;

	if (depth >= t->max_depth) {
		v = realloc(t->pipes, max * sizeof(*v));
		if (!v)
			return false;
		t->pipes = v;
		t->max_depth = max;
	}
	t->pipes[depth] = on;
	return true;
}

/* The lines of branches further out, and of the one at `depth`. */
static void put_pipes(struct drawing *d, u32 depth)
{
	u32 i;

	buf_pad(d->out, ' ', d->margin);
	for (i = 1; i <= depth; i++) {
		buf_addc(d->out, d->t->pipes[i] ? '|' : ' ');
		buf_pad(d->out, ' ', INDENT - 1);
	}
}

/* The beginning of a branch's line, with its value; its function follows. */
static void put_head(struct drawing *d, u32 depth, u64 samples, u64 weight, u64 total)
{
	put_pipes(d, depth - 1);
	buf_addc(d->out, d->t->pipes[depth] ? '|' : ' ');
	buf_adds(d->out, "--");
	put_value(d, samples, weight, total);
	buf_adds(d->out, "--");
}

static bool put_branches(struct drawing *d, u32 first, u32 nr, u64 total, u64 samples, u32 depth);

static bool put_branch(struct drawing *d, const struct call_graph_branch *b, u64 total, u32 depth)
{
	u32 i;

	for (i = 0; i < b->nr_functions; i++) {
		if (i)
			put_pipes(d, depth);
		else
			put_head(d, depth, b->samples, b->weight, total);
		put_function(d, b->function + i);
		buf_addc(d->out, '\n');
	}
	return put_branches(d, b->child, b->nr_children, is_fractal(d) ? b->all_weight : total,
			    b->all_samples, depth + 1);
}

/* Siblings and, of a fractal, what was left out of them. `samples`: of all of them. */
static bool put_branches(struct drawing *d, u32 first, u32 nr, u64 total, u64 samples, u32 depth)
{
	const struct call_graph_branch *b;
	u64 rest = total;
	u32 i;

	for (i = 0; i < nr; i++) {
		b = &d->g->v.v[first + i];
		rest -= b->weight;
		samples -= b->samples;
		if (!set_pipe(d->t, depth, true))
			return false;
		put_pipes(d, depth);
		buf_addc(d->out, '\n');
		set_pipe(d->t, depth, i + 1 < nr || (is_fractal(d) && rest));
		if (!put_branch(d, b, total, depth))
			return false;
		if (i + 1 == d->t->options->limit)
			break;
	}
	if (!is_fractal(d) || !rest || rest == total ||
	    (d->t->options->value == CALL_GRAPH_COUNT && (s64)samples <= 0))
		return true;
	set_pipe(d->t, depth, false);
	put_head(d, depth, samples, rest, total);
	buf_adds(d->out, "[...]\n");
	return true;
}

/* The functions that all stacks begin with have lines of their own, if the graph has all stacks. */
static void put_trunk(struct drawing *d, const struct call_graph_branch *b)
{
	u32 i, shown = 0;

	for (i = d->t->by_symbol; i < b->nr_functions; i++) {
		buf_pad(d->out, ' ', d->margin);
		if (!shown) {
			buf_adds(d->out, "|\n");
			buf_pad(d->out, ' ', d->margin);
			buf_adds(d->out, "---");
			d->margin += 3;
		}
		put_function(d, b->function + i);
		buf_addc(d->out, '\n');
		if (++shown == d->t->options->limit)
			break;
	}
}

static bool put_graph(struct drawing *d, u64 weight)
{
	const struct call_graph_branch *b = d->g->v.v;
	u64 total = is_fractal(d) ? weight : d->total;
	size_t before = d->out->len;
	bool ok;

	if (d->g->nr_roots == 1 && b->weight == weight) {
		put_trunk(d, b);
		ok = put_branches(d, b->child, b->nr_children, total, b->all_samples, 1);
	} else {
		ok = put_branches(d, 0, d->g->nr_roots, total, d->g->samples, 1);
	}
	if (d->out->len > before)
		buf_addc(d->out, '\n');
	return ok;
}

/* The functions of a stack from the row on. */
static void put_path(struct drawing *d, u32 branch, const char *before, const char *between)
{
	const struct call_graph_branch *b = &d->g->v.v[branch];
	u32 i;

	if (b->parent != ID_NONE)
		put_path(d, b->parent, before, between);
	for (i = 0; i < b->nr_functions; i++) {
		buf_adds(d->out, i || b->parent != ID_NONE ? between : before);
		put_function(d, b->function + i);
	}
}

struct stack_list {
	u32 *v;
	u32 nr, cap;
};

/* Branches that stacks end with, of those that are heavy enough; callers last. */
static bool find_stacks(const struct drawing *d, u32 first, u32 nr, u64 least, struct stack_list *l)
{
	const struct call_graph_branch *b;
	u32 i, *to;

	for (i = first; i < first + nr; i++) {
		b = &d->g->v.v[i];
		if (!find_stacks(d, b->child, b->nr_children, least, l))
			return false;
		if (!b->self_weight || b->self_weight < least)
			continue;
		to = vec_push(l);
		if (!to)
			return false;
		*to = i;
	}
	return true;
}

struct ranked {
	u64 weight;
	u32 at, branch;
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* The heaviest first, else as they are. */
static bool rank(const struct drawing *d, struct stack_list *l)
{
	struct ranked *v = calloc((size_t)l->nr + 1, sizeof(*v));
	u32 i;

	if (!v)
		return false;
	for (i = 0; i < l->nr; i++)
		v[i] = (struct ranked){d->g->v.v[l->v[i]].self_weight, i, l->v[i]};
	qsort(v, l->nr, sizeof(*v), compare_ranked);
	for (i = 0; i < l->nr; i++)
		l->v[i] = v[i].branch;
	free(v);
	return true;
}

static bool put_stacks(struct drawing *d)
{
	bool folded = d->t->options->type == CALL_GRAPH_FOLDED;
	u64 least = (u64)((double)d->total * (d->t->options->threshold / 100));
	const struct call_graph_branch *b;
	struct stack_list l = {0};
	u32 i;
	bool ok = find_stacks(d, 0, d->g->nr_roots, least, &l) && rank(d, &l);

	for (i = 0; ok && i < l.nr; i++) {
		b = &d->g->v.v[l.v[i]];
		if (folded) {
			put_value(d, b->self_samples, b->self_weight, d->total);
			put_path(d, l.v[i], " ", d->t->separator);
			buf_addc(d->out, '\n');
		} else {
			buf_pad(d->out, ' ', MARGIN - 1);
			put_value(d, b->samples, b->weight, d->total);
			put_path(d, l.v[i], "\n                ", "\n                ");
			buf_adds(d->out, "\n\n");
		}
		if (i + 1 == d->t->options->limit)
			break;
	}
	vec_free(&l);
	return ok;
}

static void put_below(struct report_below *below, const struct report_view *v,
		      const struct report_entry *e, struct buf *out)
{
	struct call_graph_text *t = (struct call_graph_text *)below;
	struct drawing d = {
		.t = t, .g = &t->graph, .out = out, .total = v->weight_in_all, .margin = MARGIN};
	bool ok;

	if (call_graph_make(&t->graph, t->stacks, e->root, e->place, t->options, d.total, NULL)) {
		out->failed = true;
		return;
	}
	switch (t->options->type) {
	case CALL_GRAPH_ABSOLUTE:
	case CALL_GRAPH_FRACTAL:
		ok = put_graph(&d, v->children ? e->all_weight : e->weight);
		break;
	default:
		ok = put_stacks(&d);
	}
	out->failed |= !ok;
}

void call_graph_text_init(struct call_graph_text *t, const struct call_graph_options *o,
			  const struct report_text_colours *colours, const char *separator,
			  const char *sort, bool fields)
{
	*t = (struct call_graph_text){
		.below.put = put_below,
		.options = o,
		.colours = *colours,
		.separator = separator ? separator : ";",
		.by_symbol = !fields && sort && !strncmp(sort, "sym", 3),
	};
}

void call_graph_text_free(struct call_graph_text *t)
{
	call_graph_free(&t->graph);
	free(t->pipes);
}
