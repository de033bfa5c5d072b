// SPDX-License-Identifier: GPL-2.0
/* util/base/symtab_tree: a red-black tree at all times, and what a search meets first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/oom.h"
#include "util/base/symtab_internal.h"

#define NODES 3000

/* The black height below n; fails where the tree is out of order, or no red-black tree. */
static u32 check(const struct symtab_tree *t, u32 n, u32 parent, u64 from, u64 to, u32 *nr)
{
	const struct symtab_node *v;
	u32 left, right;

	if (!n)
		return 1;
	v = &t->nodes.v[n - 1];
	++*nr;
	assert_int_equal(v->parent, parent);
	assert_in_range(v->start, from, to);
	if (v->red && parent)
		assert_false(t->nodes.v[parent - 1].red);
	left = check(t, v->child[0], n, from, v->start, nr);
	right = check(t, v->child[1], n, v->start, to, nr);
	assert_int_equal(left, right);
	return left + !v->red;
}

static void check_all(const struct symtab_tree *t, u32 expected)
{
	u32 nr = 0;

	if (t->root)
		assert_false(t->nodes.v[t->root - 1].red);
	check(t, t->root, 0, 0, UINT64_MAX, &nr);
	assert_int_equal(nr, expected);
}

static u32 add(struct symtab_tree *t, u64 start, u64 end)
{
	u32 node = symtab_tree_add(t, start);

	assert_int_not_equal(node, ID_NONE);
	t->nodes.v[node].end = end;
	return node;
}

static void test_balance(void **state)
{
	static u32 in[NODES];
	struct symtab_tree t = {0};
	u32 seed = 1, nr = 0, i, pick;

	(void)state;
	for (i = 0; i < NODES; i++) {
		u64 start;

		seed = seed * 1103515245 + 12345;
		start = (seed >> 8) % 4096 * 16;
		in[nr++] = add(&t, start, start + 16);
		if (i % 3 == 2) {
			pick = (seed >> 4) % nr;
			symtab_tree_remove(&t, in[pick]);
			in[pick] = in[--nr];
		}
		if (i % 50 == 0)
			check_all(&t, nr);
	}
	while (nr) {
		symtab_tree_remove(&t, in[--nr]);
		if (nr % 50 == 0)
			check_all(&t, nr);
	}
	assert_int_equal(t.root, 0);
	symtab_tree_free(&t);
}

/* The first on the way down: not the innermost, nor the outermost. */
static void test_overlap(void **state)
{
	struct symtab_tree t = {0};
	u32 outer, inner;

	(void)state;
	outer = add(&t, 0x1000, 0x1100);
	inner = add(&t, 0x1010, 0x1020);
	assert_int_equal(symtab_tree_find(&t, 0x1010), outer);
	assert_int_equal(symtab_tree_find(&t, 0x10ff), outer);
	/* the second one of three comes to the root */
	add(&t, 0x1200, 0x1300);
	assert_int_equal(symtab_tree_find(&t, 0x1010), inner);
	/* behind the one at the root nobody looks for what begins before it */
	assert_int_equal(symtab_tree_find(&t, 0x1020), ID_NONE);
	assert_int_equal(symtab_tree_find(&t, 0x100f), outer);
	assert_int_equal(symtab_tree_find(&t, 0xfff), ID_NONE);
	symtab_tree_remove(&t, inner);
	assert_int_equal(symtab_tree_find(&t, 0x1020), outer);
	symtab_tree_free(&t);
}

static void test_oom(void **state)
{
	struct symtab_tree t = {0};

	(void)state;
	oom_after(0);
	assert_int_equal(symtab_tree_add(&t, 1), ID_NONE);
	assert_true(oom_stop());
	assert_int_equal(t.root, 0);
	symtab_tree_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_balance),
		cmocka_unit_test(test_overlap),
		cmocka_unit_test(test_oom),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
