// SPDX-License-Identifier: GPL-2.0
/* Stacks as nodes of a tree, their weights, and what graphs show of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "tests/unit/made.h"
#include "tests/unit/oom.h"
#include "util/format/stack_frames.h"
#include "util/record/chain.h"

#define PID    7
#define CODE   0x400000ull /* of the program, from byte 0x1000 of its file on */
#define JIT    0x700000ull /* of code made at run time */
#define KERNEL 0xffffffff81000000ull
#define USER   ((u64)PERF_CONTEXT_USER)
#define START  (CODE + 0x10)
#define MAIN   (CODE + 0x110)
#define MAIN2  (CODE + 0x120)
#define OTHER  (CODE + 0x210) /* has no name */

struct scene {
	struct recording recording;
	struct process_model model;
	struct bind bind;
	struct symbols *symbols;
	struct symboliser symboliser;
	const struct thread *thread;
	struct stack_tree stacks;
	struct frame_tree tree;
};

static void map(struct scene *s, u64 start, const char *name)
{
	static const struct sample_layout bare;
	struct rec_mmap2 r = {.pid = PID,
			      .tid = PID,
			      .start = start,
			      .len = 0x10000,
			      .pgoff = 0x1000,
			      .prot = PROT_READ | PROT_EXEC,
			      .name = name};
	struct buf b = {0};
	struct rec rec;

	rec_build_mmap2(&b, &bare, NULL, PERF_RECORD_MISC_USER, &r);
	assert_true(rec_view(&rec, b.data, b.len));
	process_apply(&s->model, &rec);
	buf_free(&b);
}

static void begin(struct scene *s)
{
	static const struct symbols_options nothing;
	static const struct resolve_options options = {.max_stack = 127};
	const struct dso_head program = {
		.class = DSO_CLASS_USER, .name = "/no/such/pro;gram", .name_len = 17};
	struct sym_text *sym;
	int dso;

	memset(s, 0, sizeof(*s));
	assert_int_equal(process_init(&s->model, NULL), 0);
	bind_init(&s->bind, &s->recording, &s->model);
	s->symbols = symbols_new(&nothing, NULL);
	assert_non_null(s->symbols);
	symboliser_init(&s->symboliser, &s->model, &s->bind, s->symbols, &options);
	s->symboliser.arch = arch_find("x86_64");
	map(s, CODE, "/no/such/pro;gram");
	map(s, JIT, "//anon");
	dso = recording_add_dso(&s->recording, &program, NULL, 0);
	assert_true(dso >= 0);
	sym = vec_push(&s->recording.syms);
	*sym = (struct sym_text){(u32)dso, 0x1000, 0x1100, "_start"};
	sym = vec_push(&s->recording.syms);
	*sym = (struct sym_text){(u32)dso, 0x1100, 0x1200, "main(int; char)"};
	assert_true(bind_update(&s->bind));
	s->thread = process_thread(&s->model, PID, PID);
	assert_int_equal(stack_tree_init(&s->stacks, &s->symboliser, NULL), 0);
}

static void end(struct scene *s)
{
	frame_tree_free(&s->tree);
	stack_tree_free(&s->stacks);
	symboliser_free(&s->symboliser);
	symbols_free(s->symbols);
	bind_free(&s->bind);
	process_free(&s->model);
	recording_free(&s->recording);
}

static u32 stack_of(struct scene *s, const u64 *chain, u32 nr)
{
	struct sample sample = {.chain = chain, .chain_nr = nr, .misc = PERF_RECORD_MISC_USER};
	struct session_sample at = {.sample = &sample, .thread = s->thread};

	if (!nr) {
		sample.ids.has = PERF_SAMPLE_IP;
		sample.ip = MAIN;
	}
	at.stack = symboliser_stack(&s->symboliser, s->thread, &sample);
	return stack_tree_get(&s->stacks, &at);
}

#define STACK(...) \
	stack_of(&s, (const u64[]){__VA_ARGS__}, sizeof((u64[]){__VA_ARGS__}) / sizeof(u64))

static void nodes(void **state)
{
	struct scene s;
	u32 main_node, two;

	(void)state;
	begin(&s);
	main_node = STACK(USER, MAIN, START);
	assert_int_equal(STACK(USER, MAIN, START), main_node);
	assert_int_equal(s.stacks.nodes.v[s.stacks.nodes.v[main_node].parent].parent, 0);
	assert_string_equal(stack_tree_frame(&s.stacks, main_node)->symbol, "main(int; char)");
	/* on the same outer frame */
	two = STACK(USER, OTHER, MAIN, START);
	assert_int_not_equal(two, main_node);
	assert_int_equal(s.stacks.nodes.nr,
			 5); /* a return address is looked up elsewhere than MAIN */
	assert_null(stack_tree_frame(&s.stacks, two)->symbol);
	/* no chain: where it stood */
	assert_ptr_equal(stack_tree_frame(&s.stacks, stack_of(&s, NULL, 0))->symbol,
			 stack_tree_frame(&s.stacks, main_node)->symbol);
	/* nothing at all */
	assert_null(stack_tree_frame(&s.stacks, 0));
	/* not unwound to the end: on a node of its own */
	two = STACK(USER, MAIN, CHAIN_END + CHAIN_CUT);
	assert_int_equal(s.stacks.nodes.v[s.stacks.nodes.v[two].parent].frame, STACK_CUT);
	assert_null(stack_tree_frame(&s.stacks, s.stacks.nodes.v[two].parent));
	two = STACK(USER, MAIN, CHAIN_END + CHAIN_ROOT);
	assert_int_equal(s.stacks.nodes.v[two].parent, 0);
	end(&s);
}

/* The tree as text: "a;b self/total (class)" of every node, in order. */
static void put_tree(const struct frame_tree *t, u32 node, struct buf *out)
{
	static const char classes[] = "PUKIMG?";
	const struct frame_node *n = frame_tree_node(t, node);
	const struct frame_label *l = frame_tree_node_label(t, node);
	u32 c;

	if (l)
		buf_addf(out, "%s%c%llu/%llu ", strtab_get(&t->names, l->name), classes[l->class],
			 (unsigned long long)n->self, (unsigned long long)n->total);
	for (c = n->child; c != ID_NONE; c = frame_tree_node(t, c)->sibling)
		put_tree(t, c, out);
}

static void is_tree(struct frame_tree *t, const char *text)
{
	struct buf b = {0};

	assert_int_equal(frame_tree_finish(t, NULL), 0);
	put_tree(t, 0, &b);
	assert_string_equal(buf_str(&b), text);
	buf_free(&b);
}

static void count(struct scene *s, enum stack_frames_form form)
{
	struct stack_weights w = {0};
	struct stack_frames f;
	u32 comm, field;
	const u64 chain[] = {PERF_CONTEXT_KERNEL, KERNEL, USER, MAIN, START};

	stack_frames_init(&f, &s->stacks, &s->tree, form);
	comm = stack_frames_group(&f, "a;b");
	field = stack_frames_group(&f, "x=1");
	assert_true(stack_weights_add(&w, comm, stack_of(s, chain + 2, 3), ID_NONE, 3));
	assert_true(stack_weights_add(&w, comm, stack_of(s, chain + 2, 3), ID_NONE, 4));
	assert_true(stack_weights_add(&w, comm, stack_of(s, chain + 2, 3), field, 1));
	assert_true(stack_weights_add(&w, comm, stack_of(s, chain, 5), ID_NONE, 10));
	assert_true(stack_weights_add(&w, ID_NONE, stack_of(s, (const u64[]){USER, JIT}, 2),
				      ID_NONE, 100));
	assert_true(stack_weights_add(&w, ID_NONE, 0, ID_NONE, 1000));
	assert_false(stack_weights_add(&w, comm, ID_NONE, ID_NONE, 1));
	assert_int_equal(w.v.nr, 5);
	assert_int_equal(w.v.v[0].samples, 2);
	assert_int_equal(stack_frames_add(&f, &w, false, NULL), 0);
	stack_frames_free(&f);
	stack_weights_free(&w);
}

static void shown(void **state)
{
	struct scene s;

	(void)state;
	begin(&s);
	count(&s, STACK_FRAMES_SHOWN);
	is_tree(&s.tree, "[JIT]M100/100 [unknown]?1000/1000 a;bG0/18 _startU0/18 "
			 "main(int; char)U7/18 [unknown]K10/10 x=1G1/1 ");
	end(&s);
}

static void folded(void **state)
{
	struct scene s;

	(void)state;
	begin(&s);
	count(&s, STACK_FRAMES_FOLDED);
	is_tree(&s.tree, "[perf-7.map]P100/100 [unknown]P1000/1000 a:bP0/18 _startP0/18 "
			 "main(int: char)P7/18 [unknown]P10/10 x=1P1/1 ");
	end(&s);
}

/* The same stacks in an older recording, whose model and numbers are others. */
static void older(void **state)
{
	const u64 chain[] = {USER, MAIN2, START};
	struct stack_weights w = {0};
	struct scene now, then;
	struct stack_frames f;

	(void)state;
	begin(&now);
	begin(&then);
	count(&now, STACK_FRAMES_SHOWN);
	stack_frames_init(&f, &then.stacks, &now.tree, STACK_FRAMES_SHOWN);
	assert_true(stack_weights_add(&w, stack_frames_group(&f, "a;b"), stack_of(&then, chain, 3),
				      ID_NONE, 5));
	assert_int_equal(stack_frames_add(&f, &w, true, NULL), 0);
	is_tree(&now.tree, "[JIT]M100/100 [unknown]?1000/1000 a;bG0/18 _startU0/18 "
			   "main(int; char)U7/18 [unknown]K10/10 x=1G1/1 ");
	assert_int_equal(now.tree.old_total, 5);
	assert_int_equal(now.tree.old.v[0].total, 5);
	stack_frames_free(&f);
	stack_weights_free(&w);
	end(&then);
	end(&now);
}

static void most(void **state)
{
	struct stack_weights w = {0};
	u32 i;

	(void)state;
	assert_true(stack_weights_add(&w, 1, 1, 1, UINT64_MAX - 1));
	assert_true(stack_weights_add(&w, 1, 1, 1, 7));
	assert_true(w.v.v[0].weight == UINT64_MAX);
	for (i = 0; i < 100000; i++)
		assert_true(stack_weights_add(&w, i % 100, i / 100 + 2, ID_NONE, 1));
	for (i = 0; i < 100000; i++)
		assert_true(stack_weights_add(&w, i % 100, i / 100 + 2, ID_NONE, 1));
	assert_int_equal(w.v.nr, 100001);
	assert_int_equal(w.v.v[777].weight, 2);
	stack_weights_free(&w);
}

static void out_of_memory(void **state)
{
	struct stack_weights w;
	struct scene s;
	unsigned int n;
	bool added;
	u32 node;

	(void)state;
	for (n = 0;; n++) {
		begin(&s);
		w = (struct stack_weights){0};
		oom_after(n);
		node = STACK(USER, OTHER, MAIN, START);
		added = stack_weights_add(&w, 1, node, 2, 3);
		if (!oom_stop())
			break;
		assert_false(added);
		node = STACK(USER, OTHER, MAIN, START);
		assert_true(stack_weights_add(&w, 1, node, 2, 3));
		assert_int_equal(STACK(USER, OTHER, MAIN, START), node);
		stack_weights_free(&w);
		end(&s);
	}
	assert_true(n > 3);
	stack_weights_free(&w);
	end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nodes), cmocka_unit_test(shown),         cmocka_unit_test(folded),
		cmocka_unit_test(older), cmocka_unit_test(out_of_memory), cmocka_unit_test(most),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
