// SPDX-License-Identifier: GPL-2.0
/* Call graphs of rows: read from one tree, they are what adding each chain by itself gives. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/oom.h"
#include "util/report/call_graph.h"

#define FUNCTIONS  6
#define MAX_DEPTH  7
#define MAX_STACKS 60

struct stack {
	u32 function[MAX_DEPTH], nr; /* outermost first */
	u32 stood;                   /* function that the sample is a row of */
	u32 root;
	u64 samples, weight;
};

/* A recording of functions f0, f1, ..., one frame each. */
struct scene {
	struct process_model model;
	struct symboliser symboliser;
	struct stack_tree tree;
	struct report_keys keys;
	struct report_places places;
	struct report_samples samples;
	struct stack stacks[MAX_STACKS];
	u32 nr;
	u64 seed;
};

static u32 next(struct scene *s, u32 below)
{
	s->seed = s->seed * 6364136223846793005ull + 1442695040888963407ull;
	return (u32)(s->seed >> 33) % below;
}

static void begin(struct scene *s, u64 seed)
{
	static const char *const names[FUNCTIONS] = {"f0", "f1", "f2", "f3", "f4", NULL};
	static const struct resolve_options options = {.max_stack = 127};
	const struct report_asked asked = {.sort = "sym"};
	struct frame *f;
	u32 i;

	*s = (struct scene){.seed = seed};
	assert_int_equal(process_init(&s->model, NULL), 0);
	symboliser_init(&s->symboliser, &s->model, NULL, NULL, &options);
	for (i = 0; i < FUNCTIONS; i++) {
		f = vec_push(&s->symboliser.frames);
		assert_non_null(f);
		*f = (struct frame){.ip = 0x1000 + i * 0x100,
				    .addr = 0x1000 + i * 0x100,
				    .map = ID_NONE,
				    .dso = ID_NONE,
				    .symbol = names[i],
				    .offset = i,
				    .place = ID_NONE};
	}
	assert_int_equal(stack_tree_init(&s->tree, &s->symboliser, NULL), 0);
	assert_int_equal(report_keys_parse(&s->keys, &asked, NULL), 0);
	report_places_init(&s->places, &s->keys, &s->tree);
	report_samples_init(&s->samples, &s->keys, &s->tree, NULL, true);
}

static void end(struct scene *s)
{
	report_samples_free(&s->samples);
	report_places_free(&s->places);
	report_keys_free(&s->keys);
	stack_tree_free(&s->tree);
	symboliser_free(&s->symboliser);
	process_free(&s->model);
}

/* The node of a stack: made without the session's help. */
static u32 node_of(struct scene *s, const struct stack *stack)
{
	struct stack_node *n;
	u32 at = 0, i, j;

	for (i = 0; i < stack->nr; i++) {
		for (j = 1; j < s->tree.nodes.nr; j++)
			if (s->tree.nodes.v[j].parent == at &&
			    s->tree.nodes.v[j].frame == stack->function[i])
				break;
		if (j == s->tree.nodes.nr) {
			n = vec_push(&s->tree.nodes);
			assert_non_null(n);
			*n = (struct stack_node){.parent = at, .frame = stack->function[i]};
		}
		at = j;
	}
	return at;
}

static void add(struct scene *s, const struct stack *stack)
{
	u32 i;

	s->stacks[s->nr++] = *stack;
	s->samples.nr_roots = MAX(s->samples.nr_roots, stack->root + 1);
	for (i = 0; i < stack->samples; i++)
		assert_true(stack_weights_add(&s->samples.weights, stack->root, node_of(s, stack),
					      stack->stood, i ? 0 : stack->weight));
}

static void add_random(struct scene *s, u32 nr)
{
	struct stack stack;
	u32 i;

	while (nr-- > 0) {
		stack = (struct stack){.nr = next(s, MAX_DEPTH + 1),
				       .root = next(s, 2),
				       .samples = 1 + next(s, 3),
				       .weight = next(s, 20)};
		for (i = 0; i < stack.nr; i++)
			stack.function[i] = next(s, i < 3 ? 3 : FUNCTIONS);
		stack.stood =
			stack.nr && next(s, 8) ? stack.function[stack.nr - 1] : next(s, FUNCTIONS);
		add(s, &stack);
	}
}

/* What is expected: chains that are added one by one. */
struct trie {
	struct trie *child[FUNCTIONS];
	u64 self_samples, self_weight, samples, weight;
};

static void trie_free(struct trie *t)
{
	u32 i;

	for (i = 0; t && i < FUNCTIONS; i++)
		trie_free(t->child[i]);
	free(t);
}

static void trie_add(struct trie *t, const u32 *v, u32 nr, const struct stack *stack)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		t->samples += stack->samples;
		t->weight += stack->weight;
		if (!t->child[v[i]])
			t->child[v[i]] = calloc(1, sizeof(*t));
		t = t->child[v[i]];
		assert_non_null(t);
	}
	t->samples += stack->samples;
	t->weight += stack->weight;
	t->self_samples += stack->samples;
	t->self_weight += stack->weight;
}

static u32 longest;

static void add_chain(struct trie *t, const struct stack *stack, u32 place, bool caller, bool all)
{
	u32 v[MAX_DEPTH], i;

	for (i = 0; i < stack->nr; i++)
		v[i] = stack->function[caller ? i : stack->nr - 1 - i];
	i = 0;
	if (stack->stood != place)
		for (i = all ? 0 : stack->nr; i < stack->nr && v[i] != place; i++)
			;
	if (i == stack->nr)
		return;
	longest = MAX(longest, stack->nr - i);
	trie_add(t, v + i, stack->nr - i, stack);
}

static void put_function(u32 f, struct buf *out)
{
	if (f + 1 == FUNCTIONS)
		buf_adds(out, "0x1500 ");
	else
		buf_addf(out, "f%u ", f);
}

static u32 nr_children(const struct trie *t)
{
	u32 i, nr = 0;

	for (i = 0; i < FUNCTIONS; i++)
		nr += t->child[i] != NULL;
	return nr;
}

/* Functions of the same weight: without a file, by address, falling; what has no name by its ip. */
static bool is_before(const struct trie *t, u32 a, u32 b, bool by_weight)
{
	if (by_weight && t->child[a]->weight != t->child[b]->weight)
		return t->child[a]->weight > t->child[b]->weight;
	return a > b;
}

static void put_trie(const struct trie *t, const struct call_graph_options *o, u64 least,
		     struct buf *out)
{
	bool by_weight = o->type != CALL_GRAPH_FLAT, done[FUNCTIONS] = {false};
	const struct trie *c;
	u32 i, best;

	if (o->type == CALL_GRAPH_FRACTAL)
		least = (u64)ceil((double)(t->weight - t->self_weight) * (o->threshold / 100));
	for (;;) {
		best = FUNCTIONS;
		for (i = 0; i < FUNCTIONS; i++)
			if (t->child[i] && !done[i] &&
			    (best == FUNCTIONS || is_before(t, i, best, by_weight)))
				best = i;
		if (best == FUNCTIONS)
			return;
		done[best] = true;
		c = t->child[best];
		if (c->weight < least)
			continue;
		buf_adds(out, "( ");
		for (i = best;; c = c->child[i]) {
			put_function(i, out);
			if (c->self_samples || nr_children(c) != 1)
				break;
			for (i = 0; !c->child[i]; i++)
				;
		}
		buf_addf(out, "%u/%u %u/%u ", (u32)c->samples, (u32)c->weight, (u32)c->self_samples,
			 (u32)c->self_weight);
		put_trie(c, o, least, out);
		buf_adds(out, ") ");
	}
}

static void put_graph(const struct call_graph *g, u32 parent, u32 first, u32 nr, struct buf *out)
{
	const struct call_graph_branch *b;
	u32 i, f;

	for (i = first; i < first + nr; i++) {
		b = &g->v.v[i];
		assert_int_equal(b->parent, parent);
		assert_int_equal(b->samples, b->self_samples + b->all_samples);
		assert_int_equal(b->weight, b->self_weight + b->all_weight);
		buf_adds(out, "( ");
		for (f = 0; f < b->nr_functions; f++) {
			call_graph_functions_text(&g->stacks->functions,
						  g->functions.v[b->function + f], out);
			buf_addc(out, ' ');
		}
		buf_addf(out, "%u/%u %u/%u ", (u32)b->samples, (u32)b->weight, (u32)b->self_samples,
			 (u32)b->self_weight);
		put_graph(g, i, b->child, b->nr_children, out);
		buf_adds(out, ") ");
	}
}

static void compare_row(struct scene *s, const struct call_graph_stacks *stacks, bool callers,
			u32 root, u32 function, const struct call_graph_options *o)
{
	struct trie *t = calloc(1, sizeof(*t));
	u32 place = report_places_get(&s->places, function), i;
	struct buf want = {0}, got = {0};
	struct call_graph g = {0};

	assert_non_null(t);
	longest = 0;
	for (i = 0; i < s->nr; i++)
		if (s->stacks[i].root == root)
			add_chain(t, &s->stacks[i], function, o->caller, callers);
	put_trie(t, o, (u64)(200 * (o->threshold / 100)), &want);
	assert_int_equal(call_graph_make(&g, stacks, root, place, o, 200, NULL), 0);
	put_graph(&g, ID_NONE, 0, g.nr_roots, &got);
	assert_string_equal(buf_str(&got), buf_str(&want));
	assert_int_equal(g.weight, t->weight);
	assert_int_equal(g.samples, t->samples);
	assert_int_equal(call_graph_stacks_depth(stacks, root, place, o->caller), longest);
	call_graph_free(&g);
	trie_free(t);
	buf_free(&want);
	buf_free(&got);
}

static void compare_rows(struct scene *s, bool callers)
{
	static const enum call_graph_type types[] = {CALL_GRAPH_ABSOLUTE, CALL_GRAPH_FRACTAL,
						     CALL_GRAPH_FLAT};
	struct call_graph_options o = call_graph_options_default();
	struct call_graph_stacks stacks;
	u32 i;

	assert_int_equal(call_graph_stacks_make(&stacks, &s->samples, &s->places,
						CALL_GRAPH_FUNCTION, callers, NULL),
			 0);
	for (i = 0; i < FUNCTIONS * 2 * 2 * 3 * 3; i++) {
		o.caller = i & 1;
		o.type = types[i / 4 % 3];
		o.threshold = (double[]){0, 3, 20}[i / 12 % 3];
		compare_row(s, &stacks, callers, i / 2 % 2, i / 36, &o);
	}
	call_graph_stacks_free(&stacks);
}

static void random_stacks(void **state)
{
	struct scene s;
	u64 seed;

	(void)state;
	for (seed = 1; seed <= 60; seed++) {
		begin(&s, seed);
		add_random(&s, 1 + next(&s, MAX_STACKS));
		compare_rows(&s, false);
		compare_rows(&s, true);
		end(&s);
	}
}

static void no_stacks(void **state)
{
	struct scene s;

	(void)state;
	begin(&s, 1);
	compare_rows(&s, true);
	add(&s, &(struct stack){.stood = 2, .samples = 1, .weight = 5});
	compare_rows(&s, false);
	compare_rows(&s, true);
	end(&s);
}

static void memory_out(void **state)
{
	const struct call_graph_options o = call_graph_options_default();
	struct call_graph_stacks stacks;
	struct call_graph g;
	struct scene s;
	u32 n, place;
	int ret;

	(void)state;
	begin(&s, 5);
	add_random(&s, 20);
	for (n = 0;; n++) {
		oom_after(n);
		g = (struct call_graph){0};
		ret = call_graph_stacks_make(&stacks, &s.samples, &s.places, CALL_GRAPH_FUNCTION,
					     true, NULL);
		place = report_places_get(&s.places, 1);
		if (!ret && place != ID_NONE)
			ret = call_graph_make(&g, &stacks, 0, place, &o, 100, NULL);
		if (!oom_stop())
			break;
		call_graph_free(&g);
		call_graph_stacks_free(&stacks);
	}
	assert_int_equal(ret, 0);
	assert_true(n > 10);
	assert_true(g.nr_roots > 0);
	call_graph_free(&g);
	call_graph_stacks_free(&stacks);
	end(&s);
}

static void is_options(const char *words, enum call_graph_type type, bool caller, double threshold,
		       u32 limit)
{
	struct call_graph_options o = call_graph_options_default();
	struct err err;

	assert_int_equal(call_graph_options_parse(&o, words, &err), 0);
	assert_int_equal(o.type, type);
	assert_int_equal(o.caller, caller);
	assert_true(o.threshold == threshold);
	assert_int_equal(o.limit, limit);
}

static void is_wrong(const char *words, const char *message, const char *hint)
{
	struct call_graph_options o = call_graph_options_default();
	struct err err;

	assert_true(call_graph_options_parse(&o, words, &err) < 0);
	assert_string_equal(err.msg, message);
	assert_non_null(strstr(err.hint, hint));
}

static void options(void **state)
{
	(void)state;
	is_options("", CALL_GRAPH_ABSOLUTE, false, 0.5, 0);
	is_options("caller", CALL_GRAPH_ABSOLUTE, true, 0.5, 0);
	is_options("fractal,2.5,10,callee,address,count", CALL_GRAPH_FRACTAL, false, 2.5, 10);
	is_options("0%,folded", CALL_GRAPH_FOLDED, false, 0, 0);
	is_options("caller,callee,none", CALL_GRAPH_NONE, false, 0.5, 0);
	/* cut short: the first that begins so */
	is_options("fl,c", CALL_GRAPH_FLAT, true, 0.5, 0);
	is_wrong("caler", "'caler' says nothing of how a call graph is to look", "'caller'");
	is_wrong("branch", "'branch' says nothing of how a call graph is to look", "");
	is_wrong("graph,x", "'x' says nothing of how a call graph is to look", "srcline");
	is_wrong("-1", "the threshold of a call graph is a percentage, not '-1'", "");
	is_wrong("0.5x", "the threshold of a call graph is a percentage, not '0.5x'", "");
	is_wrong("101", "the threshold of a call graph is a percentage, not '101'", "");
	is_wrong("1,2,3", "a call graph has a threshold and a limit, what is '3'?", "");
	is_wrong("1,2.5", "a call graph has a threshold and a limit, what is '2.5'?", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options),
		cmocka_unit_test(random_stacks),
		cmocka_unit_test(no_stacks),
		cmocka_unit_test(memory_out),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
