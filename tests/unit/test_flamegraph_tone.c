// SPDX-License-Identifier: GPL-2.0
/*
 * What colours tell: classes, files, and how much the share of a frame changed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/oom.h"
#include "util/draw/flamegraph.h"

/* Frames from the outermost on; the last has no name. */
struct stack {
	struct {
		enum frame_class class;
		const char *name, *file;
	} frames[6];
	u64 count, old;
};

static void add(struct frame_tree *t, const struct stack *s)
{
	u32 node = 0, i;

	for (i = 0; s->frames[i].name; i++)
		node = frame_tree_child(t, node,
					frame_tree_label(t, s->frames[i].class, s->frames[i].name,
							 strlen(s->frames[i].name),
							 s->frames[i].file));
	if (s->count)
		assert_int_equal(frame_tree_add(t, node, s->count, NULL), 0);
	if (s->old)
		assert_int_equal(frame_tree_add_old(t, node, s->old, NULL), 0);
}

static char *draw(const struct flamegraph *g, const struct stack *stacks, u32 nr)
{
	struct frame_tree t = {0};
	struct buf out = {0};
	u32 i;

	for (i = 0; i < nr; i++)
		add(&t, &stacks[i]);
	assert_int_equal(frame_tree_finish(&t, NULL), 0);
	assert_int_equal(flamegraph_draw(g, &t, &out, NULL), 0);
	frame_tree_free(&t);
	return out.data;
}

static void expect(const char *svg, const char *what)
{
	const char *p = strstr(svg, "<g id=\"head\">"), *end = p ? strstr(p, "<script") : NULL;

	if (!strstr(svg, what))
		fail_msg("'%s' is not in:\n%.*s", what, end ? (int)(end - p) : 4000, p ? p : svg);
}

/* The tone of the frame whose title begins so, without its shade. */
static const char *tone(const char *svg, const char *name)
{
	static char class[32];
	char title[128];
	const char *p;
	size_t len;

	snprintf(title, sizeof(title), "\"><title>%s", name);
	p = strstr(svg, title);
	if (!p)
		fail_msg("no frame %s", name);
	while (p[-1] != '"')
		p--;
	len = strcspn(p, " \"");
	snprintf(class, sizeof(class), "%.*s", (int)len, p);
	return class;
}

static void legend_key(const char *svg, const char *tone_name, const char *word, bool there)
{
	char key[256];
	const char *p;

	snprintf(key, sizeof(key), "<g class=\"%s\"><rect ", tone_name);
	p = strstr(svg, key);
	p = p ? strstr(p, "</g><text") : NULL;
	snprintf(key, sizeof(key), ">%s</text>", word);
	p = p ? strchr(p + 5, '>') : NULL;
	assert_int_equal(p && !strncmp(p, key, strlen(key)), there);
}

static const struct flamegraph by_class = {.width = 1024};
static const struct flamegraph by_file = {.width = 1024, .colour = FLAMEGRAPH_BY_FILE};

static const struct stack classes[] = {
	{{{FRAME_CLASS_GROUP, "sh", NULL},
	  {FRAME_CLASS_USER, "main", "/bin/sh"},
	  {FRAME_CLASS_INLINED, "fold", "/bin/sh"},
	  {FRAME_CLASS_MADE, "made", "[JIT] tid 7"},
	  {FRAME_CLASS_KERNEL, "do_it", "[kernel.kallsyms]"}},
	 3,
	 0},
	{{{FRAME_CLASS_GROUP, "sh", NULL}, {FRAME_CLASS_MISSING, "[cut]", NULL}}, 1, 0},
	/* Where the class is told, a mark is a part of the name. */
	{{{FRAME_CLASS_USER, "odd_[k]", "/lib/x<y>.so"}}, 1, 0},
};

static void told_classes(void **state)
{
	char *svg = draw(&by_class, classes, ARRAY_SIZE(classes));

	(void)state;
	assert_string_equal(tone(svg, "all "), "all");
	assert_string_equal(tone(svg, "sh "), "group");
	assert_string_equal(tone(svg, "main "), "user");
	assert_string_equal(tone(svg, "fold [inlined] "), "inlined");
	assert_string_equal(tone(svg, "made [JIT] "), "made");
	assert_string_equal(tone(svg, "do_it [kernel] "), "kernel");
	assert_string_equal(tone(svg, "[cut] "), "missing");
	assert_string_equal(tone(svg, "odd_[k] "), "user");
	legend_key(svg, "user", "user", true);
	legend_key(svg, "kernel", "kernel", true);
	legend_key(svg, "inlined", "inlined", true);
	legend_key(svg, "made", "JIT", true);
	legend_key(svg, "group", "group", true);
	legend_key(svg, "missing", "unknown", true);
	legend_key(svg, "plain", "user", false);
	expect(svg, "\"files\":[\"/lib/x\\u003cy\\u003e.so\",\"/bin/sh\",\"[JIT] tid 7\","
		    "\"[kernel.kallsyms]\"]");
	expect(svg, "[\"main\",3,");
	expect(svg, "[\"[cut]\",8,");
	free(svg);
}

static void files(void **state)
{
	char *svg = draw(&by_file, classes, ARRAY_SIZE(classes));

	(void)state;
	/* The kernel has 3 counts of its own, x.so 1, the others none: those in order of names. */
	assert_string_equal(tone(svg, "do_it"), "f0");
	assert_string_equal(tone(svg, "odd"), "f1");
	assert_string_equal(tone(svg, "main"), "f2");
	assert_string_equal(tone(svg, "fold"), "f2");
	assert_string_equal(tone(svg, "made"), "f3");
	assert_string_equal(tone(svg, "sh"), "group");
	assert_string_equal(tone(svg, "[cut]"), "missing");
	legend_key(svg, "f0", "[kernel.kallsyms]", true);
	legend_key(svg, "f1", "x&lt;y&gt;.so", true);
	legend_key(svg, "f2", "sh", true);
	legend_key(svg, "group", "group", true);
	free(svg);
}

/* The files with most counts have a colour each; a long legend takes more lines. */
static void many_files(void **state)
{
	struct stack s[15];
	char names[ARRAY_SIZE(s)][64], *svg;
	u32 i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(s); i++) {
		snprintf(names[i], sizeof(names[i]), "/a/long-name-of-a-library-%02u.so", i);
		s[i] = (struct stack){
			{{FRAME_CLASS_USER, strrchr(names[i], '-') + 1, names[i]}}, i + 1, 0};
	}
	svg = draw(&by_file, s, ARRAY_SIZE(s));
	assert_string_equal(tone(svg, "14.so"), "f0");
	assert_string_equal(tone(svg, "05.so"), "f9");
	assert_string_equal(tone(svg, "04.so"), "other");
	legend_key(svg, "f0", "long-name-of-a-library-14.so", true);
	legend_key(svg, "other", "other files", true);
	expect(svg, "<g class=\"f0\"><rect x=\"12\" y=\"58\"");
	expect(svg, "<g class=\"f4\"><rect x=\"12\" y=\"76\"");
	/* What has no colour of its own needs no key. */
	assert_null(strstr(svg, ">long-name-of-a-library-04.so</text>"));
	free(svg);
}

#define USER(name)                           \
	{                                    \
		FRAME_CLASS_USER, name, NULL \
	}

/* Shares of 1000 and of 500. */
static const struct stack changes[] = {
	{{USER("main"), USER("same")}, 400, 200},  /* 40 %, 40 % */
	{{USER("main"), USER("grown")}, 360, 0},   /* 36 %, 0 % */
	{{USER("main"), USER("shrunk")}, 140, 95}, /* 14 %, 19 % */
	{{USER("main"), USER("bit")}, 100, 49},    /* 10 %, 9.8 % */
	{{USER("main"), USER("gone")}, 0, 106},    /* 0, 21.2 % */
	{{USER("old")}, 0, 50},
};

static void comparison(void **state)
{
	char *svg = draw(&by_class, changes, ARRAY_SIZE(changes));

	(void)state;
	assert_string_equal(tone(svg, "all"), "all");
	assert_string_equal(tone(svg, "grown"), "more6");
	assert_string_equal(tone(svg, "same"), "same");
	assert_string_equal(tone(svg, "shrunk"), "less3");
	assert_string_equal(tone(svg, "bit"), "more1");
	assert_string_equal(tone(svg, "main"), "more4");
	expect(svg, "<title>shrunk (140 samples, 14.00%, -5.00%; before: 95 samples, 19.00%)<");
	expect(svg, "<title>grown (360 samples, 36.00%, +36.00%; before: 0 samples, 0.00%)<");
	expect(svg, ">1,000 samples, before: 500; 31.20% of those in stacks that are gone</text>");
	expect(svg, ">-36.00%</text>");
	expect(svg, ">+36.00%</text>");
	expect(svg, "{\"old\":500,");
	expect(svg, "\"was\":[500,450,49,0,200,95]");
	expect(svg, "\"tone\":[0,30,27,32,26,23]");
	/* Frames without counts are not there, and not told as too narrow. */
	assert_null(strstr(svg, "\"gone\""));
	assert_null(strstr(svg, "frames narrower"));
	free(svg);
}

static void nothing_to_compare(void **state)
{
	static const struct stack only_new[] = {{{USER("a")}, 5, 0}, {{USER("b")}, 0, 0}};
	static const struct stack only_old[] = {{{USER("a")}, 0, 5}};
	static const struct stack equal[] = {{{USER("a")}, 5, 50}, {{USER("b")}, 5, 50}};
	char *svg = draw(&by_class, only_new, 1);

	(void)state;
	assert_string_equal(tone(svg, "a "), "user");
	free(svg);
	svg = draw(&by_class, only_old, 1);
	expect(svg, ">No samples: there is nothing to draw.</text>");
	free(svg);
	svg = draw(&by_class, equal, 2);
	assert_string_equal(tone(svg, "a "), "same");
	expect(svg, ">+0.00%</text>");
	free(svg);
}

static void comparison_of_huge_counts(void **state)
{
	static const struct stack huge[] = {{{USER("a")}, UINT64_MAX - 1, 1},
					    {{USER("b")}, 1, UINT64_MAX - 1}};
	char *svg = draw(&by_class, huge, 2);

	(void)state;
	assert_string_equal(tone(svg, "a "), "more6");
	expect(svg, "<title>a (18,446,744,073,709,551,614 samples, 100.00%, +100.00%; "
		    "before: 1 sample, 0.00%)<");
	free(svg);
}

static void out_of_memory(void **state)
{
	struct flamegraph g = {.width = 1024, .html = true, .colour = FLAMEGRAPH_BY_FILE};
	struct frame_tree t = {0};
	unsigned int n, i;
	int ret;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(classes); i++)
		add(&t, &classes[i]);
	assert_int_equal(frame_tree_finish(&t, NULL), 0);
	for (n = 0;; n++) {
		struct buf out = {0};

		oom_after(n);
		ret = flamegraph_draw(&g, &t, &out, NULL);
		assert_int_equal(ret, oom_stop() ? -12 : 0);
		buf_free(&out);
		if (!ret)
			break;
	}
	assert_true(n > 5);
	frame_tree_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(told_classes),       cmocka_unit_test(files),
		cmocka_unit_test(many_files),         cmocka_unit_test(comparison),
		cmocka_unit_test(nothing_to_compare), cmocka_unit_test(comparison_of_huge_counts),
		cmocka_unit_test(out_of_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("flamegraph_tone", tests, NULL, NULL);
}
