// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/oom.h"
#include "util/base/text.h"
#include "util/draw/folded.h"
#include "util/draw/frame_tree.h"

/* "name:self/total(children)" of a node, on and on. */
static void dump(const struct frame_tree *t, u32 id, struct buf *b)
{
	const struct frame_node *n = frame_tree_node(t, id);
	size_t len;
	const char *name = frame_tree_node_name(t, id, &len);
	u32 c;

	text_escape(b, name, len);
	buf_addf(b, ":%llu/%llu", (unsigned long long)n->self, (unsigned long long)n->total);
	if (n->child == ID_NONE)
		return;
	buf_addc(b, '(');
	for (c = n->child; c != ID_NONE; c = frame_tree_node(t, c)->sibling) {
		assert_int_equal(frame_tree_node(t, c)->parent, id);
		if (c != n->child)
			buf_addc(b, ' ');
		dump(t, c, b);
	}
	buf_addc(b, ')');
}

static void expect_tree(struct frame_tree *t, const char *want)
{
	struct buf b = {0};

	assert_int_equal(frame_tree_finish(t, NULL), 0);
	dump(t, 0, &b);
	assert_string_equal(buf_str(&b), want);
	buf_free(&b);
}

static u32 child(struct frame_tree *t, u32 parent, const char *name)
{
	return frame_tree_child(t, parent, frame_tree_name(t, name, strlen(name)));
}

static void built_by_hand(void **state)
{
	struct frame_tree t = {0};
	u32 main_id, work;

	(void)state;
	main_id = child(&t, 0, "main");
	work = child(&t, main_id, "work");
	assert_int_equal(frame_tree_add(&t, work, 3, NULL), 0);
	assert_int_equal(frame_tree_add(&t, main_id, 2, NULL), 0);
	assert_int_equal(frame_tree_add(&t, child(&t, main_id, "idle"), 1, NULL), 0);
	assert_int_equal(child(&t, main_id, "work"), work);
	expect_tree(&t, ":0/6(main:2/6(idle:1/1 work:3/3))");
	/* More after finish, then finish again. */
	assert_int_equal(frame_tree_add(&t, child(&t, main_id, "a"), 4, NULL), 0);
	expect_tree(&t, ":0/10(main:2/10(a:4/4 idle:1/1 work:3/3))");
	frame_tree_free(&t);
}

static void nothing_in_it(void **state)
{
	struct frame_tree t = {0};

	(void)state;
	assert_int_equal(frame_tree_finish(&t, NULL), 0);
	assert_null(frame_tree_node(&t, 0));
	assert_int_equal(t.total, 0);
	frame_tree_free(&t);
}

static void failures(void **state)
{
	struct frame_tree t = {0};
	struct err err = {0};
	u32 a;

	(void)state;
	assert_int_equal(frame_tree_child(&t, ID_NONE, 0), ID_NONE);
	assert_int_equal(frame_tree_child(&t, 0, ID_NONE), ID_NONE);
	assert_int_equal(frame_tree_add(&t, ID_NONE, 1, &err), -ENOMEM);
	a = child(&t, 0, "a");
	assert_int_equal(frame_tree_add(&t, a, UINT64_MAX, &err), 0);
	assert_int_equal(frame_tree_add(&t, a, 1, &err), -EOVERFLOW);
	assert_int_equal(t.total, UINT64_MAX);
	frame_tree_free(&t);
}

/* The same line in pieces of every size gives the same tree. */
static void read_folded(const char *text, size_t len, size_t piece, struct frame_tree *t,
			struct folded *f)
{
	size_t i;

	folded_init(f, t);
	for (i = 0; i < len; i += piece)
		assert_int_equal(folded_feed(f, text + i, MIN(piece, len - i), NULL), 0);
	assert_int_equal(folded_end(f, NULL), 0);
	folded_free(f);
}

static void expect_folded(const char *text, size_t len, const char *want, u64 stacks, u64 bad,
			  u64 first)
{
	struct frame_tree t;
	struct folded f;
	size_t piece;

	for (piece = 1; piece <= len + 1; piece++) {
		memset(&t, 0, sizeof(t));
		read_folded(text, len, piece, &t, &f);
		assert_int_equal(f.stacks, stacks);
		assert_int_equal(f.bad, bad);
		assert_int_equal(f.bad_line, first);
		assert_int_equal(f.bad_why != NULL, bad != 0);
		if (want)
			expect_tree(&t, want);
		frame_tree_free(&t);
	}
}

#define FOLDED(text, ...) expect_folded(text, sizeof(text) - 1, __VA_ARGS__)

static void folded_good(void **state)
{
	(void)state;
	FOLDED("a;b;c 1\na;b 2\nz 4\na;b;c 8\n", ":0/15(a:0/11(b:2/11(c:9/9)) z:4/4)", 4, 0, 0);
	FOLDED("a 1", ":0/1(a:1/1)", 1, 0, 0);
	FOLDED("# a;b 1\n\n  \na\t7 \r\n", ":0/7(a:7/7)", 1, 0, 0);
	FOLDED("std::map<int, A>;operator new(unsigned long) 3\n",
	       ":0/3(std::map<int, A>:0/3(operator new(unsigned long):3/3))", 1, 0, 0);
	FOLDED(";b 1\na; 2\na;;c 3\n", ":0/6(:0/1(b:1/1) a:0/5(:2/5(c:3/3)))", 3, 0, 0);
	FOLDED("a 18446744073709551615\nb 0\n",
	       ":0/18446744073709551615(a:18446744073709551615/18446744073709551615 b:0/0)", 2, 0,
	       0);
	FOLDED("a\0b;\x1b[31m 1\n", ":0/1(a\\x00b:0/1(\\x1b[31m:1/1))", 1, 0, 0);
	/* The same function called by itself is not the same node. */
	FOLDED("f;f;f 1\nf;f 1\n", ":0/2(f:0/2(f:1/2(f:1/1)))", 2, 0, 0);
	FOLDED("", NULL, 0, 0, 0);
	FOLDED("\n\n", NULL, 0, 0, 0);
}

static void folded_bad(void **state)
{
	(void)state;
	FOLDED("a 1\nno count\nb 1.5\n", ":0/1(a:1/1)", 1, 2, 2);
	FOLDED("12\n", NULL, 0, 1, 1);
	FOLDED(" 12\n", NULL, 0, 1, 1);
	FOLDED("a;b\n", NULL, 0, 1, 1);
	FOLDED("a -1\na +1\na 0x1\na 1e3\n", NULL, 0, 4, 1);
	FOLDED("#\na 18446744073709551616\n", NULL, 0, 1, 2);
}

static void folded_overflow(void **state)
{
	static const char text[] = "a 18446744073709551615\nb 1\n";
	struct frame_tree t = {0};
	struct err err = {0};
	struct folded f;

	(void)state;
	folded_init(&f, &t);
	assert_int_equal(folded_feed(&f, text, sizeof(text) - 1, &err), -EOVERFLOW);
	folded_free(&f);
	frame_tree_free(&t);
}

static void folded_long_line(void **state)
{
	size_t len = FOLDED_LINE_MAX + 100, piece;
	char *text = malloc(len + 6);
	struct frame_tree t;
	struct folded f;

	(void)state;
	assert_non_null(text);
	memset(text, 'x', len);
	memcpy(text + len, "\na 1\n", 6);
	for (piece = 65536; piece <= 2 * len; piece *= 16) {
		memset(&t, 0, sizeof(t));
		read_folded(text, len + 5, piece, &t, &f);
		assert_int_equal(f.lines, 2);
		assert_int_equal(f.bad, 1);
		assert_int_equal(f.bad_line, 1);
		expect_tree(&t, ":0/1(a:1/1)");
		frame_tree_free(&t);
	}
	free(text);
}

/* However the stacks arrive, the tree reads the same. */
static void order_does_not_matter(void **state)
{
	FOLDED("b 1\na;y 2\na;x 3\nA 4\na.b 5\n", ":0/15(A:4/4 a:0/5(x:3/3 y:2/2) a.b:5/5 b:1/1)",
	       5, 0, 0);
	FOLDED("a.b 5\nA 4\na;x 3\nb 1\na;y 2\n", ":0/15(A:4/4 a:0/5(x:3/3 y:2/2) a.b:5/5 b:1/1)",
	       5, 0, 0);
	(void)state;
}

/* Wherever memory runs out, it is said so, and what is there can be freed. */
static void out_of_memory(void **state)
{
	static const char text[] = "a;b;c 1\na;b 2\na;d 3\ne 1\n# part", rest[] = " of a comment";
	unsigned int n;
	int ret;

	(void)state;
	for (n = 0;; n++) {
		struct frame_tree t = {0};
		struct err err = {0};
		struct folded f;

		oom_after(n);
		folded_init(&f, &t);
		ret = folded_feed(&f, text, sizeof(text) - 1, &err);
		if (!ret)
			ret = folded_feed(&f, rest, sizeof(rest) - 1, &err);
		if (!ret)
			ret = folded_end(&f, &err);
		if (!ret)
			ret = frame_tree_finish(&t, &err);
		if (oom_stop()) {
			assert_int_equal(ret, -ENOMEM);
			assert_string_equal(err.msg, "out of memory");
		} else {
			assert_int_equal(ret, 0);
			expect_tree(&t, ":0/7(a:0/6(b:2/3(c:1/1) d:3/3) e:1/1)");
		}
		folded_free(&f);
		frame_tree_free(&t);
		if (!ret)
			break;
	}
	assert_true(n > 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(built_by_hand),
		cmocka_unit_test(nothing_in_it),
		cmocka_unit_test(failures),
		cmocka_unit_test(folded_good),
		cmocka_unit_test(folded_bad),
		cmocka_unit_test(folded_overflow),
		cmocka_unit_test(out_of_memory),
		cmocka_unit_test(folded_long_line),
		cmocka_unit_test(order_does_not_matter),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("frame_tree", tests, NULL, NULL);
}
