// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "tests/unit/oom.h"
#include "util/draw/flamegraph.h"
#include "util/draw/folded.h"

static const struct flamegraph plain = {.width = 1024};

/* The document for a folded text; the caller's to free. */
static char *draw(const struct flamegraph *g, const char *text, size_t len)
{
	struct frame_tree t = {0};
	struct buf out = {0};
	struct folded f;

	folded_init(&f, &t);
	assert_int_equal(folded_feed(&f, text, len, NULL), 0);
	assert_int_equal(folded_end(&f, NULL), 0);
	assert_int_equal(frame_tree_finish(&t, NULL), 0);
	assert_int_equal(flamegraph_draw(g, &t, &out, NULL), 0);
	folded_free(&f);
	frame_tree_free(&t);
	return out.data;
}

#define DRAW(g, text) draw(g, text, sizeof(text) - 1)

static unsigned int count(const char *svg, const char *what)
{
	unsigned int n = 0;

	for (; (svg = strstr(svg, what)); svg += strlen(what))
		n++;
	return n;
}

/* Frames are the groups with a title; the document has one more. */
static unsigned int frames(const char *svg)
{
	return count(svg, "\"><title>");
}

static void expect(const char *svg, const char *what)
{
	if (!strstr(svg, what))
		fail_msg("'%s' is not in:\n%s", what, svg);
}

static void geometry(void **state)
{
	char *svg = DRAW(&plain, "a;b 1\na;c 2\nd 1\n");

	(void)state;
	assert_int_equal(frames(svg), 5);
	expect(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1024\" height=\"130\" "
		    "viewBox=\"0 0 1024 130\">");
	/* 1000 px for 4 samples; half a px stays free on the right. Depth 2 is the top row. */
	expect(svg, "<title>all (4 samples, 100.00%)</title>"
		    "<rect x=\"12\" y=\"100\" width=\"999.5\" height=\"17\"/>");
	expect(svg, "<title>a (3 samples, 75.00%)</title>"
		    "<rect x=\"12\" y=\"82\" width=\"749.5\" height=\"17\"/>"
		    "<text x=\"15\" y=\"94.5\">a</text></g>");
	expect(svg, "<title>b (1 sample, 25.00%)</title>"
		    "<rect x=\"12\" y=\"64\" width=\"249.5\" height=\"17\"/>");
	expect(svg, "<title>c (2 samples, 50.00%)</title>"
		    "<rect x=\"262\" y=\"64\" width=\"499.5\" height=\"17\"/>");
	expect(svg, "<title>d (1 sample, 25.00%)</title>"
		    "<rect x=\"762\" y=\"82\" width=\"249.5\" height=\"17\"/>");
	free(svg);
}

/* What a function spends itself stands to the right of its callees. */
static void own_counts(void **state)
{
	char *svg = DRAW(&plain, "a 2\na;b 2\n");

	(void)state;
	expect(svg, "<title>b (2 samples, 50.00%)</title><rect x=\"12\" ");
	expect(svg, "<title>a (4 samples, 100.00%)</title><rect x=\"12\" y=\"82\" width=\"999.5\"");
	free(svg);
	svg = DRAW(&plain, "a;x 1\na 2\nb;x 1\n");
	expect(svg, "<title>b (1 sample, 25.00%)</title><rect x=\"762\" ");
	free(svg);
}

static void inverted(void **state)
{
	struct flamegraph g = {.width = 1024, .inverted = true};
	char *svg = DRAW(&g, "a;b 1\n");

	(void)state;
	expect(svg, "<title>all (1 sample, 100.00%)</title><rect x=\"12\" y=\"64\" ");
	expect(svg, "<title>b (1 sample, 100.00%)</title><rect x=\"12\" y=\"100\" ");
	free(svg);
}

static void words(void **state)
{
	struct flamegraph g = {.width = 1200, .title = "drops & <more>", .unit = "ns"};
	char *svg = DRAW(&g, "a 1234567\n");

	(void)state;
	expect(svg, "drops &amp; &lt;more&gt;</title>");
	expect(svg, "drops &amp; &lt;more&gt;</text>");
	expect(svg, "<title>a (1,234,567 ns, 100.00%)</title>");
	free(svg);
}

static void no_samples(void **state)
{
	char *svg = DRAW(&plain, "");

	(void)state;
	assert_int_equal(frames(svg), 0);
	expect(svg, "No samples");
	expect(svg, "</svg>\n");
	free(svg);
	svg = DRAW(&plain, "a;b 0\n");
	assert_int_equal(frames(svg), 0);
	expect(svg, "No samples");
	free(svg);
}

static void kernel_frames(void **state)
{
	char *svg = DRAW(&plain, "main;write;ksys_write_[k] 3\n");

	(void)state;
	assert_int_equal(count(svg, "<g class=\"k"), 2); /* the frame and the legend */
	expect(svg, "<title>ksys_write [kernel] (3 samples, 100.00%)</title>");
	expect(svg, ">ksys_write</text>");
	assert_null(strstr(svg, "_[k]"));
	free(svg);
	svg = DRAW(&plain, "main;write 3\n");
	assert_int_equal(count(svg, "<g class=\"k"), 0);
	free(svg);
}

/* The shade is the name's, wherever it stands. */
static void shades(void **state)
{
	char *one = DRAW(&plain, "alpha;beta 3\n"), *two = DRAW(&plain, "zeta;alpha 1\nbeta 2\n");
	char *a = strstr(one, "<title>alpha"), *b = strstr(two, "<title>alpha");

	(void)state;
	assert_non_null(a);
	assert_non_null(b);
	assert_memory_equal(a - 4, b - 4, 4);
	free(one);
	free(two);
}

static void cut_text(void **state)
{
	struct flamegraph g = {.width = 224}; /* 200 px: 26 letters for one frame */
	char *svg = DRAW(&g, "abcdefghijklmnopqrstuvwxyz 1\n");

	(void)state;
	expect(svg, ">abcdefghijklmnopqrstuvwxyz</text>");
	free(svg);
	svg = DRAW(&g, "abcdefghijklmnopqrstuvwxyz0 1\n");
	expect(svg, ">abcdefghijklmnopqrstuvwx..</text>");
	expect(svg, "<title>abcdefghijklmnopqrstuvwxyz0 (");
	free(svg);
	/* By characters, not bytes; an entity is one letter. */
	svg = DRAW(&g, "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"
		       "<<<<<<<<<<<<<<<<<< 1\n");
	expect(svg, ">\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"
		    "&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;..</text>");
	free(svg);
	/* Too narrow for a letter and "..": a frame without text. */
	svg = DRAW(&g, "main 9\nx;yyyyyyyyyyyy 1\n");
	assert_int_equal(count(svg, "</title><rect "), 4);
	assert_null(strstr(svg, "..</text>"));
	assert_null(strstr(svg, ">yyyyyyyyyyyy</text>"));
	free(svg);
}

static void hostile_names(void **state)
{
	char *svg =
		DRAW(&plain, "\"'<script>alert(1)</script>&amp]]>;a\x01\x7f\xff\x00\x1b[2J; 1\n");
	const char *p;

	(void)state;
	for (p = svg; *p; p++)
		assert_true((unsigned char)*p < 0x7f && (*p >= 0x20 || *p == '\n'));
	assert_null(strstr(svg, "<script"));
	assert_null(strstr(svg, "]]>"));
	expect(svg, "<title>&quot;&#39;&lt;script&gt;alert(1)&lt;/script&gt;&amp;amp]]&gt; (");
	expect(svg, "<title>a\\x01\\x7f\\xff\\x00\\x1b[2J (");
	expect(svg, "<title>(no name) (");
	free(svg);
}

/* 1000 px: 0.1 px is a ten-thousandth. What is narrower goes, with all above it, and is counted. */
static void narrow_frames(void **state)
{
	char *svg = DRAW(&plain, "big 99989\nfine 10\nslim;x;y 1\n");

	(void)state;
	assert_int_equal(frames(svg), 3);
	expect(svg, "<title>fine (10 samples, 0.01%)</title><rect x=\"1011.89\" y=\"64\" "
		    "width=\"0.1\"");
	expect(svg, "3 frames narrower than 0.1 px are not drawn</desc>");
	free(svg);
	/* Their room stays free. */
	svg = DRAW(&plain, "a 9\nb 9\nc 99982\n");
	assert_int_equal(frames(svg), 2);
	expect(svg, "<title>c (99,982 samples, 99.98%)</title><rect x=\"12.18\"");
	free(svg);
}

static void huge_counts(void **state)
{
	char *svg = DRAW(&plain, "a 9223372036854775807\nb 9223372036854775808\n");

	(void)state;
	expect(svg, "<title>all (18,446,744,073,709,551,615 samples, 100.00%)</title>");
	expect(svg, "<title>b (9,223,372,036,854,775,808 samples, 50.00%)</title>"
		    "<rect x=\"511.99\"");
	free(svg);
}

static void deep_stack(void **state)
{
	struct buf b = {0};
	unsigned int i;
	char *svg;

	(void)state;
	for (i = 0; i < 5000; i++)
		buf_addf(&b, "f%u;", i);
	buf_adds(&b, "leaf 1\n");
	svg = draw(&plain, b.data, b.len);
	assert_int_equal(frames(svg), 5002);
	expect(svg, "<title>leaf (1 sample, 100.00%)</title><rect x=\"12\" y=\"64\"");
	free(svg);
	buf_free(&b);
}

/* 100,000 functions, on 20,000 stacks: well under a second, so 10 s is an error of order. */
static void many_frames(void **state)
{
	struct buf b = {0};
	time_t start = time(NULL);
	unsigned int i;
	char *svg;

	(void)state;
	for (i = 0; i < 100000; i += 5)
		buf_addf(&b, "f%u;f%u;f%u;f%u;f%u %u\n", i, i + 1, i + 2, i + 3, i + 4, 1 + i % 7);
	svg = draw(&plain, b.data, b.len);
	expect(svg, "frames narrower than 0.1 px are not drawn");
	assert_true(time(NULL) - start < 10);
	free(svg);
	buf_free(&b);
}

static void widths(void **state)
{
	struct flamegraph g = {.width = FLAMEGRAPH_WIDTH_MIN - 1};
	struct frame_tree t = {0};
	struct buf out = {0};
	struct err err = {0};

	(void)state;
	assert_int_equal(flamegraph_draw(&g, &t, &out, &err), -EINVAL);
	g.width = FLAMEGRAPH_WIDTH_MAX + 1;
	assert_int_equal(flamegraph_draw(&g, &t, &out, &err), -EINVAL);
	g.width = FLAMEGRAPH_WIDTH_MAX;
	assert_int_equal(flamegraph_draw(&g, &t, &out, &err), 0);
	buf_free(&out);
}

/* A locale with a decimal comma, where there is one, changes nothing. */
static void locale(void **state)
{
	static const char text[] = "a 1\nb 2\n";
	char *before = DRAW(&plain, text), *after;

	(void)state;
	if (!setlocale(LC_ALL, "de_DE.UTF-8"))
		setlocale(LC_ALL, "C.UTF-8");
	after = DRAW(&plain, text);
	setlocale(LC_ALL, "C");
	assert_string_equal(before, after);
	expect(before, "66.67%");
	free(before);
	free(after);
}

static void out_of_memory(void **state)
{
	struct frame_tree t = {0};
	u32 name = frame_tree_name(&t, "main", 4);
	unsigned int n;
	int ret;

	(void)state;
	assert_int_equal(frame_tree_add(&t, frame_tree_child(&t, 0, name), 1, NULL), 0);
	assert_int_equal(frame_tree_finish(&t, NULL), 0);
	for (n = 0;; n++) {
		struct buf out = {0};

		oom_after(n);
		ret = flamegraph_draw(&plain, &t, &out, NULL);
		assert_int_equal(ret, oom_stop() ? -ENOMEM : 0);
		buf_free(&out);
		if (!ret)
			break;
	}
	assert_true(n > 2);
	frame_tree_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(geometry),      cmocka_unit_test(own_counts),
		cmocka_unit_test(inverted),      cmocka_unit_test(words),
		cmocka_unit_test(no_samples),    cmocka_unit_test(kernel_frames),
		cmocka_unit_test(shades),        cmocka_unit_test(cut_text),
		cmocka_unit_test(hostile_names), cmocka_unit_test(narrow_frames),
		cmocka_unit_test(huge_counts),   cmocka_unit_test(deep_stack),
		cmocka_unit_test(many_frames),   cmocka_unit_test(widths),
		cmocka_unit_test(locale),        cmocka_unit_test(out_of_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("flamegraph", tests, NULL, NULL);
}
