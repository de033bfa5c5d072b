// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/oom.h"
#include "util/draw/flamegraph.h"

static const struct flamegraph plain = {.width = 1024};

/* The node of a stack such as "ab": a, on it b. */
static u32 node_of(struct frame_tree *t, const char *stack)
{
	u32 node = 0;

	for (; *stack; stack++)
		node = frame_tree_child(t, node, frame_tree_name(t, stack, 1));
	return node;
}

static struct flamegraph_moment moment(struct frame_tree *t, u32 column, const char *stack,
				       u64 count)
{
	struct flamegraph_moment m = {column, node_of(t, stack), count};

	assert_int_equal(frame_tree_add(t, m.node, count, NULL), 0);
	return m;
}

/* What follows `key`, up to the end of its array. */
static void expect(const struct buf *b, const char *key, const char *want)
{
	const char *at = strstr(buf_str(b), key);

	assert_non_null(at);
	if (strncmp(at + strlen(key), want, strlen(want)) != 0)
		print_message("# %s is %.200s\n", key, at + strlen(key));
	assert_int_equal(strncmp(at + strlen(key), want, strlen(want)), 0);
}

/* Each count in its column, at its box: all, a, b on a, c. */
static void columns(void **state)
{
	struct frame_tree t = {0};
	struct flamegraph_moment v[] = {
		moment(&t, 3, "c", 5),  moment(&t, 0, "ab", 2), moment(&t, 0, "c", 1),
		moment(&t, 0, "ab", 4), moment(&t, 1, "a", 7),
	};
	struct buf b = {0};

	(void)state;
	assert_int_equal(frame_tree_finish(&t, NULL), 0);
	assert_int_equal(flamegraph_moments_put(&plain, &t, v, ARRAY_SIZE(v), 4, &b, NULL), 0);
	expect(&b, "\"depth\":", "[0,1,2,1]");
	expect(&b, "\"label\":", "[-1,0,1,2]");
	/* where all are alike there is nothing to explain */
	expect(&b, "\"legend\":", "[]\n");
	expect(&b, "\"columns\":", "[[2,6,1,1],\n[1,7],\n[],\n[3,5]]}\n");
	buf_free(&b);
	frame_tree_free(&t);
}

/* What is less than a 20000th has a box with its like, or is its parent's. */
static void narrow(void **state)
{
	struct frame_tree t = {0};
	struct flamegraph_moment v[] = {
		moment(&t, 0, "a", 100000), moment(&t, 0, "abx", 2), moment(&t, 0, "acy", 3),
		moment(&t, 0, "adz", 4),    moment(&t, 1, "ab", 4),  moment(&t, 1, "zq", 1),
	};
	struct buf b = {0};

	(void)state;
	assert_int_equal(frame_tree_finish(&t, NULL), 0);
	assert_int_equal(flamegraph_moments_put(&plain, &t, v, ARRAY_SIZE(v), 2, &b, NULL), 0);
	/* all, a, on it b, in which x is, and four frames together; z and q are in all */
	expect(&b, "\"depth\":", "[0,1,2,2]");
	expect(&b, "\"label\":", "[-1,0,1,-5]");
	expect(&b, "\"columns\":", "[[1,100000,1,2,1,7],\n[0,1,2,4]]}\n");
	buf_free(&b);
	frame_tree_free(&t);
}

static void nothing(void **state)
{
	struct frame_tree t = {0};
	struct buf b = {0};

	(void)state;
	node_of(&t, "a");
	assert_int_equal(frame_tree_finish(&t, NULL), 0);
	assert_int_equal(flamegraph_moments_put(&plain, &t, NULL, 0, 2, &b, NULL), 0);
	expect(&b, "\"columns\":", "[[],\n[]]}\n");
	buf_free(&b);
	frame_tree_free(&t);
}

static void no_memory(void **state)
{
	struct frame_tree t = {0};
	struct flamegraph_moment v[] = {moment(&t, 0, "ab", 2), moment(&t, 1, "c", 1)};
	struct flamegraph_moment again[2];
	struct buf b;
	unsigned int n;
	int ret;

	(void)state;
	assert_int_equal(frame_tree_finish(&t, NULL), 0);
	for (n = 0;; n++) {
		b = (struct buf){0};
		memcpy(again, v, sizeof(v));
		oom_after(n);
		ret = flamegraph_moments_put(&plain, &t, again, 2, 2, &b, NULL);
		buf_free(&b);
		if (!oom_stop())
			break;
		assert_int_equal(ret, -ENOMEM);
	}
	assert_int_equal(ret, 0);
	assert_true(n > 5);
	frame_tree_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns),
		cmocka_unit_test(narrow),
		cmocka_unit_test(nothing),
		cmocka_unit_test(no_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
