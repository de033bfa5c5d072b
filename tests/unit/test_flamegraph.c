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

#include "util/draw/flamegraph.h"
#include "util/draw/flamegraph_internal.h"
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

/* Frames with a group of their own. */
static unsigned int frames(const char *svg)
{
	return count(svg, "\"><title>");
}

/* What follows the style sheet, and precedes the script. */
static const char *body(const char *svg)
{
	const char *p = strstr(svg, "<g id=\"head\">");

	return p ? p : svg;
}

static void expect(const char *svg, const char *what)
{
	const char *p = body(svg), *end = strstr(p, "<script");

	if (!strstr(svg, what))
		fail_msg("'%s' is not in:\n%.*s", what, end ? (int)(end - p) : 4000, p);
}

/* What makes it work is in it, whole, and asks for nothing from elsewhere. */
static void self_contained(void **state)
{
	char *svg = DRAW(&plain, "a 1\n");

	(void)state;
	expect(svg, flamegraph_js);
	expect(svg, flamegraph_css);
	assert_null(strstr(flamegraph_js, "]]>"));
	assert_null(strstr(flamegraph_js, "</"));
	assert_null(strstr(flamegraph_js, "<!--"));
	assert_null(strpbrk(flamegraph_css, "<&"));
	assert_null(strstr(svg, "href="));
	assert_null(strstr(svg, "src="));
	assert_null(strstr(svg, "url("));
	assert_null(strstr(svg, "@import"));
	/* The names of namespaces are no addresses. */
	assert_int_equal(count(svg, "http"), 3);
	free(svg);
}

/* Counts of time are told in the unit that suits them, with three digits. */
static void times(void **state)
{
	static const struct {
		const char *ns, *text;
	} cases[] = {
		{"1", "1 ns"},
		{"999", "999 ns"},
		{"1000", "1.00 us"},
		{"9994", "9.99 us"},
		{"9996", "10.00 us"},
		{"10000", "10.0 us"},
		{"99949", "99.9 us"},
		{"123456", "123 us"},
		{"1500000", "1.50 ms"},
		{"307307307", "307 ms"},
		{"5010100960", "5.01 s"},
		{"61000000000", "61.0 s"},
		{"1234567890123", "1,235 s"},
		{"18446744073709551615", "18,446,744,074 s"},
	};
	struct flamegraph g = {.width = 1024, .time = true, .unit = "not told", .samples = 1234};
	char *svg, text[64], want[128];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		snprintf(text, sizeof(text), "a %s\n", cases[i].ns);
		svg = draw(&g, text, strlen(text));
		snprintf(want, sizeof(want), "<title>a (%s, 100.00%%)</title>", cases[i].text);
		expect(svg, want);
		snprintf(want, sizeof(want), ">%s, 1,234 samples</text>", cases[i].text);
		expect(svg, want);
		expect(svg, "{\"time\":true,\"row\"");
		free(svg);
	}
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

/* Neighbours of one tone that have no gap are one; tones and rows keep apart. */
static void runs(void **state)
{
	char *svg = DRAW(&plain, "a;p 1\na;q_[k] 1\na;r_[k] 1\nb 1\nc 1000\n");

	(void)state;
	expect(svg, "<path class=\"plain\" d=\"M12 114h0.99v17h-0.99zM12 132h3.98v17h-3.98z\"/>");
	expect(svg, "<path class=\"kernel\" d=\"M12.99 114h1.99v17h-1.99z\"/>");
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
	expect(svg, "<title>leaf (1 sample, 100.00%)</title><rect x=\"12\" y=\"96\"");
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
	expect(svg, "frames narrower than 0.1 px are not drawn one by one");
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
	g.min_width = FLAMEGRAPH_MIN_WIDTH_MAX + 1;
	assert_int_equal(flamegraph_draw(&g, &t, &out, &err), -EINVAL);
	g.min_width = 1;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(self_contained), cmocka_unit_test(times),
		cmocka_unit_test(shades),         cmocka_unit_test(runs),
		cmocka_unit_test(deep_stack),     cmocka_unit_test(many_frames),
		cmocka_unit_test(widths),         cmocka_unit_test(locale),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("flamegraph", tests, NULL, NULL);
}
