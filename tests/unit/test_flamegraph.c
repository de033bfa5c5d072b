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

static void geometry(void **state)
{
	char *svg = DRAW(&plain, "a;b 1\na;c 2\nd 1\n");

	(void)state;
	assert_int_equal(frames(svg), 5);
	expect(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1024\" height=\"162\" "
		    "viewBox=\"0 0 1024 162\">");
	/* 1000 px for 4 samples; half a px stays free on the right. Depth 2 is the top row. */
	expect(svg, "<title>all (4 samples, 100.00%)</title>"
		    "<rect x=\"12\" y=\"132\" width=\"999.5\" height=\"17\"/>");
	expect(svg, "<title>a (3 samples, 75.00%)</title>"
		    "<rect x=\"12\" y=\"114\" width=\"749.5\" height=\"17\"/>"
		    "<text x=\"15\" y=\"126.5\">a</text></g>");
	expect(svg, "<title>b (1 sample, 25.00%)</title>"
		    "<rect x=\"12\" y=\"96\" width=\"249.5\" height=\"17\"/>");
	expect(svg, "<title>c (2 samples, 50.00%)</title>"
		    "<rect x=\"262\" y=\"96\" width=\"499.5\" height=\"17\"/>");
	expect(svg, "<title>d (1 sample, 25.00%)</title>"
		    "<rect x=\"762\" y=\"114\" width=\"249.5\" height=\"17\"/>");
	free(svg);
}

/* What a function spends itself stands to the right of its callees. */
static void own_counts(void **state)
{
	char *svg = DRAW(&plain, "a 2\na;b 2\n");

	(void)state;
	expect(svg, "<title>b (2 samples, 50.00%)</title><rect x=\"12\" ");
	expect(svg,
	       "<title>a (4 samples, 100.00%)</title><rect x=\"12\" y=\"114\" width=\"999.5\"");
	free(svg);
	svg = DRAW(&plain, "a;x 1\na 2\nb;x 1\n");
	expect(svg, "<title>b (1 sample, 25.00%)</title><rect x=\"762\" ");
	free(svg);
}

/* The whole of a small one, but for the style sheet and the script. */
static void golden(void **state)
{
	static const char want[] =
		"<g id=\"head\">\n"
		"<text class=\"title\" x=\"12\" y=\"28\">Flame graph</text>\n"
		"<text class=\"note\" x=\"12\" y=\"50\">4 samples</text>\n"
		"<g class=\"kernel\"><rect x=\"12\" y=\"58\" width=\"12\" height=\"12\"/></g>"
		"<text class=\"note\" x=\"29\" y=\"68\">kernel</text>\n"
		"<g class=\"plain\"><rect x=\"89\" y=\"58\" width=\"12\" height=\"12\"/></g>"
		"<text class=\"note\" x=\"106\" y=\"68\">user</text>\n"
		"</g>\n"
		"<g id=\"frames\">\n"
		"<g class=\"all\"><title>all (4 samples, 100.00%)</title>"
		"<rect x=\"12\" y=\"150\" width=\"999.5\" height=\"17\"/>"
		"<text x=\"15\" y=\"162.5\">all</text></g>\n"
		"<g class=\"plain s3\"><title>a (4 samples, 100.00%)</title>"
		"<rect x=\"12\" y=\"132\" width=\"999.5\" height=\"17\"/>"
		"<text x=\"15\" y=\"144.5\">a</text></g>\n"
		"<g class=\"kernel s3\"><title>b [kernel] (1 sample, 25.00%)</title>"
		"<rect x=\"12\" y=\"114\" width=\"249.5\" height=\"17\"/>"
		"<text x=\"15\" y=\"126.5\">b</text></g>\n"
		"</g>\n"
		"<script type=\"application/json\" id=\"table\"><![CDATA["
		"{\"row\":18,\"bar\":17,\"margin\":12,\"top\":114,\"inverted\":false,"
		"\"tones\":[\"all\",\"narrow\",\"plain\",\"user\",\"kernel\",\"inlined\",\"made\","
		"\"group\",\"missing\",\"f0\",\"f1\",\"f2\",\"f3\",\"f4\",\"f5\",\"f6\",\"f7\","
		"\"f8\",\"f9\",\"other\",\"less6\",\"less5\",\"less4\",\"less3\",\"less2\",\"less1\","
		"\"same\",\"more1\",\"more2\",\"more3\",\"more4\",\"more5\",\"more6\"],"
		"\"files\":[],\"labels\":[[\"a\",2,3,0],[\"b\",4,3,2]]\n"
		",\"depth\":[0,1,2]\n"
		",\"label\":[-1,0,1]\n"
		",\"count\":[4,4,1]}]]></script>\n"
		"</svg>\n";
	char *svg = DRAW(&plain, "a 3\na;b_[k] 1\n");

	(void)state;
	assert_string_equal(body(svg), want);
	free(svg);
}

/* The same in HTML, where the scripts stand outside the picture. */
static void html(void **state)
{
	struct flamegraph g = {.width = 1024, .html = true, .title = "<T>"};
	char *svg = DRAW(&plain, "a 3\na;b_[k] 1\n"), *doc = DRAW(&g, "a 3\na;b_[k] 1\n");
	const char *frames_svg = strstr(svg, "<g id=\"frames\">");
	const char *frames_html = strstr(doc, "<g id=\"frames\">");
	size_t len = (size_t)(strstr(frames_svg, "<script") - frames_svg);

	(void)state;
	assert_memory_equal(doc, "<!DOCTYPE html>\n<html lang=\"en\">\n", 33);
	assert_int_equal(count(doc, "<title>&lt;T&gt;</title>"), 2);
	assert_memory_equal(frames_svg, frames_html, len);
	assert_memory_equal(frames_html + len, "</svg>\n<script ", 15);
	assert_int_equal(count(doc, "<style>"), 1);
	assert_null(strstr(doc, "CDATA"));
	assert_null(strstr(doc, "<?xml"));
	assert_string_equal(doc + strlen(doc) - 26, "</script>\n</body>\n</html>\n");
	free(svg);
	free(doc);
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

static void inverted(void **state)
{
	struct flamegraph g = {.width = 1024, .inverted = true};
	char *svg = DRAW(&g, "a;b 1\n");

	(void)state;
	expect(svg, "<title>all (1 sample, 100.00%)</title><rect x=\"12\" y=\"96\" ");
	expect(svg, "<title>b (1 sample, 100.00%)</title><rect x=\"12\" y=\"132\" ");
	expect(svg, "\"inverted\":true");
	free(svg);
}

static void words(void **state)
{
	static const char *const notes[] = {"cycles:u", "3 s of <4>"};
	struct flamegraph g = {.width = 1200,
			       .title = "drops & <more>",
			       .unit = "n<s",
			       .notes = notes,
			       .nr_notes = 2,
			       .warning = "5 lost & gone\nand more"};
	char *svg = DRAW(&g, "a 1234567\n");

	(void)state;
	expect(svg, "drops &amp; &lt;more&gt;</title>");
	expect(svg, "drops &amp; &lt;more&gt;</text>");
	expect(svg, "<title>a (1,234,567 n&lt;s, 100.00%)</title>");
	expect(svg, "<desc>Flame graph of 1,234,567 n&lt;s</desc>");
	expect(svg, "<text class=\"note\" x=\"12\" y=\"50\">1,234,567 n&lt;s</text>\n"
		    "<text class=\"note\" x=\"12\" y=\"68\">cycles:u</text>\n"
		    "<text class=\"note\" x=\"12\" y=\"86\">3 s of &lt;4&gt;</text>\n"
		    "<text class=\"warning\" x=\"12\" y=\"104\">5 lost &amp; gone</text>\n"
		    "<text class=\"warning\" x=\"12\" y=\"122\">and more</text>\n");
	expect(svg, "{\"unit\":\"n\\u003cs\",");
	/* The frames follow what is written above them. */
	expect(svg, "<title>a (1,234,567 n&lt;s, 100.00%)</title><rect x=\"12\" y=\"168\"");
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

static void marks(void **state)
{
	char *svg = DRAW(&plain, "main;in_[i];made_[j];write;ksys_write_[k] 3\n");

	(void)state;
	expect(svg, "<title>ksys_write [kernel] (3 samples, 100.00%)</title>");
	expect(svg, ">ksys_write</text>");
	expect(svg, "<g class=\"inlined s");
	expect(svg, "<title>in [inlined] (");
	expect(svg, "<g class=\"made");
	expect(svg, "<title>made [JIT] (");
	expect(svg, "[\"ksys_write\",");
	assert_null(strstr(svg, "_[k]"));
	/* A key for each colour. */
	expect(svg, ">kernel</text>");
	expect(svg, ">inlined</text>");
	expect(svg, ">JIT</text>");
	expect(svg, ">user</text>");
	free(svg);
	svg = DRAW(&plain, "main;write;odd_[x];_[k];[k] 3\n");
	expect(svg, "<title>odd_[x] (3 samples");
	expect(svg, "<title>(no name) [kernel] (3 samples");
	expect(svg, "<title>[k] (3 samples");
	free(svg);
	svg = DRAW(&plain, "main;write 3\n");
	assert_null(strstr(svg, ">user</text>"));
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
	expect(svg, ">abcdefghijklmnopqrstuvwxy\xe2\x80\xa6</text>");
	expect(svg, "<title>abcdefghijklmnopqrstuvwxyz0 (");
	free(svg);
	/* By characters, not bytes; an entity is one letter. */
	svg = DRAW(&g, "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"
		       "<<<<<<<<<<<<<<<<<< 1\n");
	expect(svg,
	       ">\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"
	       "&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;\xe2\x80\xa6</text>");
	free(svg);
	/* Too narrow for two letters and an ellipsis: a frame without text. */
	svg = DRAW(&g, "main 9\nx;yyyyyyyyyyyy 1\n");
	assert_int_equal(count(svg, "</title><rect "), 4);
	assert_null(strstr(svg, "y\xe2\x80\xa6</text>"));
	assert_null(strstr(svg, ">yyyyyyyyyyyy</text>"));
	expect(svg, "[\"yyyyyyyyyyyy\",");
	free(svg);
}

static const char hostile[] =
	"\"'<script>alert(1)</script>&amp]]>\\;<!--;</style>;a\x01\x7f\xff\x00\x1b[2J; 1\n";

/* In text and in the table, no name is anything else; in either kind of document. */
static void hostile_names(void **state)
{
	struct flamegraph g = {.width = 1024, .title = "</title><script>x</script>]]>"};
	unsigned int html;
	const char *p;
	char *doc;

	(void)state;
	for (html = 0; html < 2; html++) {
		g.html = html;
		doc = draw(&g, hostile, sizeof(hostile) - 1);
		for (p = body(doc); *p; p++)
			assert_true((unsigned char)*p < 0x7f && (*p >= 0x20 || strchr("\n\t", *p)));
		assert_int_equal(count(doc, "<script"), 2);
		assert_int_equal(count(doc, "</script"), 2);
		assert_int_equal(count(doc, "]]>"), html ? 0 : 2);
		assert_int_equal(count(doc, "</style"), 1);
		assert_int_equal(count(doc, "<!--"), 0);
		expect(doc,
		       "<title>&quot;&#39;&lt;script&gt;alert(1)&lt;/script&gt;&amp;amp]]&gt;\\ (");
		expect(doc, "[\"\\u0022'\\u003cscript\\u003ealert(1)\\u003c/script\\u003e"
			    "\\u0026amp]]\\u003e\\u005c\",");
		expect(doc, "<title>a\\x01\\x7f\\xff\\x00\\x1b[2J (");
		expect(doc, "[\"a\\u005cx01\\u005cx7f\\u005cxff\\u005cx00\\u005cx1b[2J\",");
		expect(doc, "<title>(no name) (");
		free(doc);
	}
}

/* 1000 px: 0.1 px is a ten-thousandth. */
static void narrow_frames(void **state)
{
	struct flamegraph g = {.width = 1024, .min_width = 10000};
	char *svg = DRAW(&plain, "big 99989\nfine 10\nslim;x;y 1\n");

	(void)state;
	/* Less than 3 px: no group, but a place and a row in the table. */
	assert_int_equal(frames(svg), 2);
	expect(svg, "<path class=\"plain\" d=\"M1011.89 96h0.1v17h-0.1z\"/>");
	expect(svg, "\"depth\":[0,1,1]");
	expect(svg, "\"count\":[100000,99989,10]");
	expect(svg, "; 3 frames narrower than 0.1 px are not drawn one by one</desc>");
	expect(svg, "\"narrow\":3,");
	free(svg);
	/* Together they are wide enough to be one, at the end. */
	svg = DRAW(&plain, "a 9\nb;x;y 9\nc 99982\n");
	expect(svg, "<title>c (99,982 samples, 99.98%)</title><rect x=\"12\"");
	expect(svg, "<path class=\"narrow\" d=\"M1011.82 96h0.18v17h-0.18z\"/>");
	expect(svg, "\"label\":[-1,0,-5]");
	free(svg);
	/* 100 px: the two are one frame of 150; a lone narrow one of 50 leaves its room free. */
	svg = DRAW(&g, "a 75\nb 75\nc 800\nc;d 50\n");
	assert_int_equal(frames(svg), 3);
	expect(svg, "<g class=\"narrow\"><title>2 narrow frames (150 samples, 15.00%)</title>"
		    "<rect x=\"862\" y=\"96\" width=\"149.5\" height=\"17\"/>"
		    "<text x=\"865\" y=\"108.5\">2 narrow frames</text></g>");
	expect(svg, "3 frames narrower than 100 px are");
	free(svg);
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

static void huge_counts(void **state)
{
	char *svg = DRAW(&plain, "a 9223372036854775807\nb 9223372036854775808\n");

	(void)state;
	expect(svg, "<title>all (18,446,744,073,709,551,615 samples, 100.00%)</title>");
	expect(svg, "<title>b (9,223,372,036,854,775,808 samples, 50.00%)</title>"
		    "<rect x=\"511.99\"");
	/* What a double cannot hold is told in full. */
	expect(svg, "\"count\":[\"18446744073709551615\",\"9223372036854775807\",");
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
		cmocka_unit_test(inverted),      cmocka_unit_test(golden),
		cmocka_unit_test(html),          cmocka_unit_test(self_contained),
		cmocka_unit_test(words),         cmocka_unit_test(times),
		cmocka_unit_test(no_samples),    cmocka_unit_test(marks),
		cmocka_unit_test(shades),        cmocka_unit_test(cut_text),
		cmocka_unit_test(hostile_names), cmocka_unit_test(narrow_frames),
		cmocka_unit_test(runs),          cmocka_unit_test(huge_counts),
		cmocka_unit_test(deep_stack),    cmocka_unit_test(many_frames),
		cmocka_unit_test(widths),        cmocka_unit_test(locale),
		cmocka_unit_test(out_of_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("flamegraph", tests, NULL, NULL);
}
