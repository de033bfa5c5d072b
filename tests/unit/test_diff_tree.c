// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/oom.h"
#include "util/draw/folded.h"
#include "util/format/diff_export.h"
#include "util/format/diff_text.h"

static void end(struct diff_section *s)
{
	diff_tree_free(&s->tree);
	diff_functions_free(&s->functions);
	diff_stacks_free(&s->stacks);
}

static int add_folded(struct diff_tree *t, enum stack_diff_side side, const char *text, u64 *unit)
{
	struct frame_tree stacks = {0};
	struct folded f;
	int ret;

	folded_init(&f, &stacks);
	ret = folded_feed(&f, text, strlen(text), NULL);
	if (!ret)
		ret = folded_end(&f, NULL);
	if (!ret)
		ret = diff_tree_add_folded(t, side, &stacks, unit, NULL);
	folded_free(&f);
	frame_tree_free(&stacks);
	return ret;
}

static int finish(struct diff_section *s, unsigned int by)
{
	int ret = diff_tree_finish(&s->tree, NULL);

	if (!ret)
		ret = diff_tree_functions(&s->tree, by, &s->functions, NULL);
	if (!ret)
		ret = diff_tree_stacks(&s->tree, &s->stacks, NULL);
	if (!ret)
		ret = stack_diff_judge(&s->functions.self, NULL);
	if (!ret)
		ret = stack_diff_judge(&s->functions.total, NULL);
	return ret ? ret : stack_diff_judge(&s->stacks.diff, NULL);
}

static int compare(struct diff_section *s, const char *old, const char *new, unsigned int by)
{
	u64 unit;
	int ret = add_folded(&s->tree, STACK_DIFF_OLD, old, &unit);

	if (!ret)
		ret = add_folded(&s->tree, STACK_DIFF_NEW, new, &unit);
	return ret ? ret : finish(s, by);
}

/* "name self-old/self-new total-old/total-new" of all rows, in weights */
static void expect_functions(const struct diff_section *s, const char *want)
{
	const struct diff_view v = {.by = DIFF_BY_COMM | DIFF_BY_FILE | DIFF_BY_NAME};
	struct buf b = {0};
	u32 i;

	assert_int_equal(s->functions.self.rows.nr, s->functions.functions.nr);
	assert_int_equal(s->functions.total.rows.nr, s->functions.functions.nr);
	for (i = 0; i < s->functions.functions.nr; i++) {
		const struct stack_count *self = s->functions.self.rows.v[i].count,
					 *total = s->functions.total.rows.v[i].count;

		buf_addf(&b, "%s%s:%s:%s %d/%d %d/%d", i ? ", " : "", diff_view_comm(&v, s, i),
			 diff_view_file(&v, s, i), diff_view_name(&v, s, i), (int)self[0].weight,
			 (int)self[1].weight, (int)total[0].weight, (int)total[1].weight);
	}
	assert_string_equal(buf_str(&b), want);
	buf_free(&b);
}

/* A stack that a function is in three times counts once for it. */
static void recursion(void **state)
{
	struct diff_section s = {0};

	(void)state;
	assert_int_equal(compare(&s, "f;g;f 3\nf;f;f 2\nh 1\n", "f;g;f;h 7\nf 4\n", DIFF_BY_NAME),
			 0);
	expect_functions(&s, "[unknown]:[unknown]:f 5/4 5/11, [unknown]:[unknown]:g 0/0 3/7, "
			     "[unknown]:[unknown]:h 1/7 1/7");
	end(&s);
}

static void by_command(void **state)
{
	struct diff_section s = {0}, t = {0};

	(void)state;
	assert_int_equal(compare(&s, "a;f 3\nb;f;g 2\n", "a;f 1\n", DIFF_BY_COMM), 0);
	expect_functions(&s, "a:[unknown]:[unknown] 3/1 3/1, b:[unknown]:[unknown] 2/0 2/0");
	end(&s);
	assert_int_equal(compare(&t, "a;f 3\nb;f 2\n", "a;f 1\n", DIFF_BY_COMM | DIFF_BY_NAME), 0);
	expect_functions(&t, "a:[unknown]:a 0/0 3/1, a:[unknown]:f 3/1 3/1, b:[unknown]:b 0/0 2/0, "
			     "b:[unknown]:f 2/0 2/0");
	end(&t);
}

/* The stacks of recordings: a command below, which is no function; whether inlined or not. */
static void commands_and_inlining(void **state)
{
	struct diff_section s = {0};
	struct frame_tree *t = &s.tree.frames;
	const struct stack_count c = {2, 20, 200};
	u32 comm = frame_tree_label(t, FRAME_CLASS_GROUP, "sh", 2, NULL);
	u32 plain = frame_tree_label(t, FRAME_CLASS_USER, "f", 1, "lib.so");
	u32 inlined = frame_tree_label(t, FRAME_CLASS_INLINED, "f", 1, "lib.so");
	u32 other = frame_tree_label(t, FRAME_CLASS_USER, "f", 1, "other.so");
	u32 nodes[4], i;

	(void)state;
	nodes[0] = frame_tree_child(t, 0, comm);
	nodes[1] = frame_tree_child(t, nodes[0], plain);
	nodes[2] = frame_tree_child(t, nodes[1], inlined);
	nodes[3] = frame_tree_child(t, nodes[1], other);
	assert_int_equal(diff_tree_finish(&s.tree, NULL), 0);
	for (i = 0; i < 4; i++) {
		stack_count_add(&s.tree.nodes.v[nodes[i]].count[i & 1], &c);
		stack_count_add(&s.tree.all[i & 1], &c);
	}
	assert_int_equal(finish(&s, DIFF_BY_FILE | DIFF_BY_NAME), 0);
	expect_functions(&s, "[unknown]:[unknown]:[unknown] 20/0 20/0, "
			     "[unknown]:lib.so:f 20/20 20/40, [unknown]:other.so:f 0/20 0/20");
	assert_int_equal(s.stacks.nodes.nr, 4);
	end(&s);
}

/* What one sample counts is the greatest number that divides all counts. */
static void unit_of_folded(void **state)
{
	struct diff_section s = {0};
	u64 unit;

	(void)state;
	assert_int_equal(
		add_folded(&s.tree, STACK_DIFF_OLD, "a 3000000\nb;c 2000000\nd 0\n", &unit), 0);
	assert_int_equal(unit, 1000000);
	assert_int_equal(s.tree.all[STACK_DIFF_OLD].samples, 5);
	assert_int_equal(s.tree.all[STACK_DIFF_OLD].weight, 5000000);
	assert_true(s.tree.all[STACK_DIFF_OLD].squares == 5e12);
	assert_int_equal(add_folded(&s.tree, STACK_DIFF_NEW, "a 7\nb;c 9\n", &unit), 0);
	assert_int_equal(unit, 1);
	assert_int_equal(add_folded(&s.tree, STACK_DIFF_NEW, "", &unit), 0);
	assert_int_equal(unit, 1);
	end(&s);
}

/* ---- output ---- */

#define OLD_STACKS "p;main;f 300\np;main;g 300\np;main;h 200\np;main;old 101\n"
#define NEW_STACKS "p;main;f 600\np;main;g 310\np;main;h 50\np;main;new 101\n"

static const struct diff_colours none = {"", "", "", "", ""};

static struct diff_view view_of(const struct diff_section *s)
{
	return (struct diff_view){
		.by = DIFF_BY_NAME,
		.recordings = {{.path = "a", .seconds = 1.5}, {.path = "b", .folded = true}},
		.sections = s,
		.nr = 1,
	};
}

static void expect_text(const struct diff_view *v, const char *want)
{
	struct buf b = {0};

	assert_int_equal(diff_text(&b, v, &none, NULL), 0);
	assert_string_equal(buf_str(&b), want);
	buf_free(&b);
}

#define HEAD                              \
	"OLD: a, 901 samples in 1.50 s\n" \
	"NEW: b, 1061 samples, if the greatest common divisor of all counts is one sample\n\n"

static void text(void **state)
{
	struct diff_section s = {.event = "cycles"};
	struct diff_view v;

	(void)state;
	assert_int_equal(compare(&s, OLD_STACKS, NEW_STACKS, DIFF_BY_NAME), 0);
	v = view_of(&s);
	expect_text(
		&v, HEAD
		"cycles: of 5 functions, 1 more, 1 less, 1 new, 1 gone beyond noise (901 and 1061 "
		"samples)\n"
		"A change of 1.3 points would be told from noise where OLD has 1 %, of 3.8 where it "
		"has 10 %.\n\n"
		"     Old      New   Change   Ratio  Verdict       Function\n"
		"  33.30%   56.55%   +23.25    1.70  more          f\n"
		"  22.20%    4.71%   -17.49    0.21  less          h\n"
		"  11.21%    0.00%   -11.21    0.00  gone          old\n"
		"   0.00%    9.52%    +9.52       -  new           new\n");
	v.all = true;
	v.sort = DIFF_SORT_NAME;
	v.limit = 3;
	v.percent_limit = 10;
	v.scale = STACK_DIFF_NONE;
	s.functions.self.scale = STACK_DIFF_NONE;
	assert_int_equal(stack_diff_judge(&s.functions.self, NULL), 0);
	expect_text(
		&v, HEAD
		"cycles: of 5 functions, 1 more, 1 less, 1 new, 1 gone beyond noise (901 and 1061 "
		"samples)\n\n"
		"     Old      New   Change   Ratio  Verdict       Function\n"
		"     300      600     +300    2.00  more          f\n"
		"     300      310      +10    1.03  within noise  g\n"
		"     200       50     -150    0.25  less          h\n");
	end(&s);
}

/* Nothing changed: how many samples would tell more. One side empty: nothing to compare. */
static void text_of_little(void **state)
{
	struct diff_section s[2] = {{.event = "cycles"}, {.event = "page-faults"}};
	struct diff_view v = view_of(s);
	struct buf b = {0};

	(void)state;
	v.nr = 2;
	v.recordings[1] = v.recordings[0];
	assert_int_equal(compare(&s[0], "f 40\ng 59\n", "f 50\ng 51\n", DIFF_BY_NAME), 0);
	assert_int_equal(compare(&s[1], "", "f 3\n", DIFF_BY_NAME), 0);
	assert_int_equal(diff_text(&b, &v, &none, NULL), 0);
	assert_non_null(strstr(buf_str(&b), "of 2 functions, none changed beyond noise"));
	assert_non_null(strstr(buf_str(&b), "The largest change, of f by +9.10 points, would take "
					    "about 580 samples in each recording.\n"));
	assert_null(strstr(buf_str(&b), "Verdict"));
	assert_non_null(strstr(buf_str(&b), "page-faults: 1 sample in NEW, none in OLD: nothing to "
					    "compare\n"));
	buf_free(&b);
	end(&s[0]);
	end(&s[1]);
}

static void programs(void **state)
{
	struct diff_section s = {.event = "a,\"b\""};
	struct diff_view v = view_of(&s);
	struct buf b = {0};

	(void)state;
	assert_int_equal(
		compare(&s, "p;f 1\np;g\033[31m 3\n", "p;f 1\np;\"q\",r 3\n", DIFF_BY_NAME), 0);
	assert_int_equal(diff_export_folded(&b, &v, NULL), 0);
	assert_string_equal(buf_str(&b), "p;\"q\",r 0 3\np;f 1 1\np;g\\x1b[31m 3 0\n");
	buf_clear(&b);
	assert_int_equal(diff_export_csv(&b, &v, NULL), 0);
	assert_string_equal(buf_str(&b),
			    "event,function,old_samples,new_samples,old_weight,new_weight,old,new,"
			    "change,ratio,p,verdict\n"
			    "\"a,\"\"b\"\"\",\"\"\"q\"\",r\",0,3,0,3,0,75,75,,0.1429,"
			    "within noise\n"
			    "\"a,\"\"b\"\"\",g\\x1b[31m,3,0,3,0,75,0,-75,0,0.1429,"
			    "within noise\n"
			    "\"a,\"\"b\"\"\",f,1,1,1,1,25,25,0,1,1,within noise\n");
	buf_clear(&b);
	v.stacks = true;
	v.limit = 1;
	assert_int_equal(diff_export_csv(&b, &v, NULL), 0);
	assert_non_null(strstr(buf_str(&b), "\n\"a,\"\"b\"\"\",\"p;\"\"q\"\",r\",0,3,"));
	buf_clear(&b);
	assert_int_equal(diff_export_json(&b, &v, NULL), 0);
	assert_non_null(strstr(buf_str(&b), "\"stacks\":[{\"frames\":[\"p\",\"\\\"q\\\",r\"],"));
	buf_free(&b);
	end(&s);
}

/* ---- memory ---- */

static int all_forms(struct buf *b, const struct diff_view *v)
{
	int ret = diff_text(b, v, &none, NULL);

	if (!ret)
		ret = diff_export_csv(b, v, NULL);
	if (!ret)
		ret = diff_export_json(b, v, NULL);
	if (!ret)
		ret = diff_export_folded(b, v, NULL);
	return ret ? ret : b->failed ? -ENOMEM : 0;
}

static void out_of_memory(void **state)
{
	unsigned int n;
	bool refused;
	int ret;

	(void)state;
	for (n = 0;; n++) {
		struct diff_section s = {0};
		struct diff_view v = view_of(&s);
		struct buf b = {0};

		v.all = v.stacks = true;
		oom_after(n);
		ret = compare(&s, OLD_STACKS, NEW_STACKS, DIFF_BY_NAME);
		if (!ret)
			ret = all_forms(&b, &v);
		refused = oom_stop();
		buf_free(&b);
		end(&s);
		if (!refused)
			break;
		assert_int_equal(ret, -ENOMEM);
	}
	assert_int_equal(ret, 0);
	assert_true(n > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recursion),
		cmocka_unit_test(by_command),
		cmocka_unit_test(commands_and_inlining),
		cmocka_unit_test(unit_of_folded),
		cmocka_unit_test(text),
		cmocka_unit_test(text_of_little),
		cmocka_unit_test(programs),
		cmocka_unit_test(out_of_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
