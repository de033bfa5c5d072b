// SPDX-License-Identifier: GPL-2.0
/* Counted rows as tables, JSON, CSV and folded stacks, byte for byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/made_counts.h"
#include "util/draw/folded.h"
#include "util/format/count_export.h"
#include "util/format/count_folded.h"
#include "util/format/count_text.h"

static const u64 deep[] = {MADE_SYSTEM, MADE_KERNEL + 5, MADE_KERNEL + 0x19,
			   MADE_USER,   MADE_MAIN,       MADE_START};
static const u64 user[] = {MADE_USER, MADE_NAKED + 5, MADE_START};

static void begin(struct made_counts *c, const char *by, const char *of,
		  const struct count_options *o)
{
	static const struct made_drop drops[] = {
		{.len = 60,
		 .reason = 2,
		 .saddr = {10, 0, 0, 1},
		 .name = "lo",
		 .location = MADE_KERNEL},
		{.len = 1500, .reason = 2, .saddr = {10, 0, 0, 1}, .name = "lo"},
		{.len = 61, .reason = 3, .saddr = {127, 0, 0, 1}, .name = "e;\x01", .ret = -5},
		{.len = 0, .reason = 77, .name = "a \"b\""},
	};
	u32 i;

	made_counts_begin(c, by, of, o);
	made_counts_name(c, 11, "one two");
	made_counts_name(c, 12, "#b;c");
	for (i = 0; i < 10; i++) {
		c->tid = i % 3 ? 11 : 12;
		c->chain = i % 2 ? deep : user;
		c->chain_nr = i % 2 ? ARRAY_SIZE(deep) : ARRAY_SIZE(user);
		if (i == 9)
			c->chain_nr = 0;
		assert_int_equal(made_counts_add(c, MADE_DROP, &drops[i * i % 4 + (i == 7)]), 0);
	}
	assert_int_equal(made_counts_add(c, MADE_DROP, &drops[3]), 0);
}

struct shown {
	struct made_counts c;
	struct count_view view;
	struct buf out;
};

static void show(struct shown *s, const char *by, const char *of, const struct count_options *o,
		 u32 top)
{
	begin(&s->c, by, of, o);
	s->out = (struct buf){0};
	assert_int_equal(count_view_init(&s->view, &s->c.table, COUNT_ORDER_NUMBER, top, NULL), 0);
}

static void check(struct shown *s, const char *want)
{
	assert_string_equal(buf_str(&s->out), want);
	buf_free(&s->out);
	count_view_free(&s->view);
	made_counts_end(&s->c);
}

static void check_text(const char *by, const char *of, const struct count_options *o, u32 top,
		       const struct count_text *text, const char *want)
{
	struct shown s;

	show(&s, by, of, o, top);
	assert_int_equal(count_text_put(text, &s.view, &s.out, NULL), 0);
	check(&s, want);
}

static void check_json(const char *by, const char *of, const struct count_options *o, u32 top,
		       const struct count_export *x, const char *want)
{
	struct shown s;

	show(&s, by, of, o, top);
	assert_int_equal(count_export_json(x, &s.view, &s.out, NULL), 0);
	check(&s, want);
}

static void check_csv(const char *by, const char *of, const struct count_options *o,
		      const struct count_export *x, const char *want)
{
	struct shown s;

	show(&s, by, of, o, 0);
	count_export_csv_head(x, &s.view, &s.out);
	assert_int_equal(count_export_csv(x, &s.view, &s.out, NULL), 0);
	check(&s, want);
}

/* What is written can be read as folded stacks again, with the same sum. */
static void check_folded(const char *by, const char *of, const struct count_options *o,
			 u32 want_left_out, u64 total, const char *want)
{
	struct frame_tree tree = {0};
	struct folded folded;
	struct shown s;
	u32 left_out;

	show(&s, by, of, o, 0);
	assert_int_equal(count_folded_put(&s.view, &left_out, &s.out, NULL), 0);
	assert_int_equal(left_out, want_left_out);
	folded_init(&folded, &tree);
	assert_int_equal(folded_feed(&folded, buf_str(&s.out), s.out.len, NULL), 0);
	assert_int_equal(folded_end(&folded, NULL), 0);
	assert_int_equal(folded.bad, 0);
	assert_int_equal(tree.total, total);
	folded_free(&folded);
	frame_tree_free(&tree);
	check(&s, want);
}

static const struct count_options number = {.what = COUNT_NUMBER}, sums = {.what = COUNT_SUM},
				  ranks = {.what = COUNT_QUANTILES}, powers = {.what = COUNT_LOG2},
				  steps = {.what = COUNT_LINEAR, .from = 10, .to = 61, .step = 50},
				  few = {.what = COUNT_QUANTILES, .max_rows = 1, .max_values = 1};
static const struct count_text plain;
static const double shares[] = {0, 0.25, 0.9999, 1};

static void tables(void **state)
{
	const struct count_text all = {.heading = "10.5 s",
				       .notes = "3 samples were lost\n",
				       .bold = "<b>",
				       .off = "</b>",
				       .quantiles = shares,
				       .nr_quantiles = 4};

	(void)state;
	check_text("comm,reason,saddr,name", NULL, &number, 0, &plain,
		   "   count  comm     reason     saddr      name\n"
		   "       5  one two  NO_SOCKET  10.0.0.1   lo\n"
		   "       4  #b;c     NO_SOCKET  10.0.0.1   lo\n"
		   "       1  #b;c     0x4d       0.0.0.0    a \"b\"\n"
		   "       1  one two  TCP_CSUM   127.0.0.1  e;\\x01\n"
		   "      11  total\n");
	check_text("comm,reason,ret", "drop.len", &sums, 2, &all,
		   "10.5 s\n"
		   "<b>   count   sum   mean  min   max  comm     reason     ret</b>\n"
		   "       5  3180  636.0   60  1500  one two  NO_SOCKET    0\n"
		   "       4  3120  780.0   60  1500  #b;c     NO_SOCKET    0\n"
		   "... and 2 more: 2 (18.2 %), sum 61\n"
		   "      11  6361  578.3    0  1500  total\n"
		   "3 samples were lost\n");
	check_text(NULL, NULL, &number, 0, &plain,
		   "   count\n"
		   "      11\n");
	check_text("ret", "drop.len", &ranks, 0, &plain,
		   "   count   mean  p50   p90   p99  p99.9   max  ret\n"
		   "      10  630.0   60  1500  1500   1500  1500    0\n"
		   "       1   61.0   61    61    61     61    61   -5\n"
		   "      11  578.3   60  1500  1500   1500  1500  total\n");
	check_text("ret", "drop.len", &ranks, 0, &all,
		   "10.5 s\n"
		   "<b>   count   mean  min  p25  p99.99   max  ret</b>\n"
		   "      10  630.0    0   60    1500  1500    0\n"
		   "       1   61.0   61   61      61    61   -5\n"
		   "      11  578.3    0   60    1500  1500  total\n"
		   "3 samples were lost\n");
	check_text("name", "drop.len", &few, 0, &plain,
		   "   count   mean  p50   p90   p99  p99.9   max  name\n"
		   "       9  700.0   60  1488  1488   1488  1500  lo\n"
		   "... and others without a row: 2 (18.2 %)\n"
		   "      11  578.3   60  1488  1488   1488  1500  total\n"
		   "2 samples have no row of their own: no more than 1 rows are kept\n"
		   "4 values were rounded, by less than 1.6 %: there are too many different ones\n"
		   "2 values are not among these: there are too many different ones\n");
}

static void blocks(void **state)
{
	(void)state;
	check_text("ret", "ret", &powers, 0, &plain,
		   "   count  mean  min  max  ret\n"
		   "      10   0.0    0    0    0\n"
		   "        [0] 10 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n"
		   "\n"
		   "       1  -5.0   -5   -5   -5\n"
		   "        (-8, -4] 1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n"
		   "\n"
		   "      11  -0.5   -5    0  total\n");
	check_text(NULL, "drop.len", &steps, 0, &plain,
		   "   count   mean  min   max\n"
		   "      11  578.3    0  1500\n"
		   "        (..., 10) 1 |@@@@@@@@                                |\n"
		   "         [10, 60) 0 |                                        |\n"
		   "             [60] 5 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n"
		   "        [61, ...) 5 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n"
		   "\n");
	check_text("kstack", NULL, &number, 0, &plain,
		   "   count\n"
		   "       5\n"
		   "\t-\n"
		   "\n"
		   "       4\n"
		   "\tffffffff81000005 do_work+0x5 ([kernel.kallsyms])\n"
		   "\tffffffff81000019 do_work+0x19 ([kernel.kallsyms])\n"
		   "\n"
		   "       2\n"
		   "\tffffffff81000010 do_work+0x10 ([kernel.kallsyms])\n"
		   "\n"
		   "      11  total\n");
	check_text("comm,kstack:1,ustack", NULL, &number, 1, &plain,
		   "   count  comm\n"
		   "       3  one two\n"
		   "    kstack:1:\n"
		   "\t-\n"
		   "    ustack:\n"
		   "\t          600005 [unknown] (/no/such/naked.so)\n"
		   "\t          400010 _start+0x10 (/no/such/\"program\")\n"
		   "\n"
		   "... and 4 more: 8 (72.7 %)\n"
		   "      11  total\n");
	check_text("tid,sym,dso,location,location.function", NULL, &number, 0, &plain,
		   "   count  tid  sym      dso                location     location.function\n"
		   "       3   11  do_work  [kernel.kallsyms]  0x0          [unknown]\n"
		   "       3   11  do_work  [kernel.kallsyms]  do_work+0x0  do_work\n"
		   "       3   12  do_work  [kernel.kallsyms]  0x0          [unknown]\n"
		   "       2   12  do_work  [kernel.kallsyms]  do_work+0x0  do_work\n"
		   "      11  total\n");
}

/* On a screen: rows that do not fit are told, lines end where it does. */
static void screens(void **state)
{
	const struct count_text low = {.height = 7}, tiny = {.height = 1}, narrow = {.width = 14};

	(void)state;
	check_text("comm,reason", NULL, &number, 0, &low,
		   "   count  comm     reason\n"
		   "       5  one two  NO_SOCKET\n"
		   "       4  #b;c     NO_SOCKET\n"
		   "... and 2 more: 2 (18.2 %)\n"
		   "      11  total\n");
	check_text("comm,reason", NULL, &number, 0, &tiny,
		   "   count  comm     reason\n"
		   "... and 4 more: 11 (100.0 %)\n"
		   "      11  total\n");
	check_text("comm,kstack", NULL, &number, 1, &narrow,
		   "   count  comm\n"
		   "       3  one \n"
		   "\t-\n"
		   "\n"
		   "... and 4 more\n"
		   "      11  tota\n");
}

static void json(void **state)
{
	static const struct count_export bare, full = {shares, 4, "\"time\":1.5,\"lost\":0"};

	(void)state;
	check_json(
		"comm,reason,saddr,name,ret", NULL, &number, 1, &full,
		"{\"time\":1.5,\"lost\":0,\"samples\":11,\"keys\":[\"comm\",\"reason\",\"saddr\",\"name\",\"ret\"],\"rows\":[{\"comm\":\"one two\",\"reason\":{\"value\":2,\"name\":\"NO_SOCKET\"},\"saddr\":{\"value\":[10,0,0,1],\"name\":\"10.0.0.1\"},\"name\":\"lo\",\"ret\":0,\"count\":5}],\"rest\":{\"rows\":3,\"count\":6},\"others\":{\"count\":0},\"total\":{\"count\":11}}\n");
	check_json(
		"sym,location", "drop.len", &ranks, 0, &full,
		"{\"time\":1.5,\"lost\":0,\"samples\":11,\"keys\":[\"sym\",\"location\"],\"of\":\"drop.len\",\"rows\":[{\"sym\":\"do_work\",\"location\":{\"value\":\"0x0\",\"name\":\"0x0\"},\"count\":6,\"sum\":6061,\"mean\":1010.1666666666666,\"min\":0,\"max\":1500,\"quantiles\":{\"min\":0,\"p25\":61,\"p99.99\":1500,\"max\":1500}},{\"sym\":\"do_work\",\"location\":{\"value\":\"0xffffffff81000000\",\"name\":\"do_work+0x0\"},\"count\":5,\"sum\":300,\"mean\":60,\"min\":60,\"max\":60,\"quantiles\":{\"min\":60,\"p25\":60,\"p99.99\":60,\"max\":60}}],\"rest\":{\"rows\":0,\"count\":0,\"sum\":0},\"others\":{\"count\":0,\"sum\":0},\"total\":{\"count\":11,\"sum\":6361,\"mean\":578.2727272727273,\"min\":0,\"max\":1500,\"quantiles\":{\"min\":0,\"p25\":60,\"p99.99\":1500,\"max\":1500}},\"without\":0,\"clipped\":0,\"rounded\":0,\"unkept\":0}\n");
	check_json(
		"kstack:2,ustack:1", NULL, &number, 1, &bare,
		"{\"samples\":11,\"keys\":[\"kstack:2\",\"ustack:1\"],\"rows\":[{\"kstack:2\":[],\"ustack:1\":[{\"ip\":\"0x600005\",\"dso\":\"/no/such/naked.so\"}],\"count\":5}],\"rest\":{\"rows\":2,\"count\":6},\"others\":{\"count\":0},\"total\":{\"count\":11}}\n");
	check_json(
		NULL, "ret", &powers, 0, &bare,
		"{\"samples\":11,\"keys\":[],\"of\":\"ret\",\"rows\":[{\"count\":11,\"sum\":-5,\"mean\":-0.45454545454545453,\"min\":-5,\"max\":0,\"histogram\":[{\"from\":-7,\"to\":-4,\"count\":1},{\"from\":-3,\"to\":-2,\"count\":0},{\"from\":-1,\"to\":-1,\"count\":0},{\"from\":0,\"to\":0,\"count\":10}]}],\"rest\":{\"rows\":0,\"count\":0,\"sum\":0},\"others\":{\"count\":0,\"sum\":0},\"total\":{\"count\":11,\"sum\":-5,\"mean\":-0.45454545454545453,\"min\":-5,\"max\":0,\"histogram\":[{\"from\":-7,\"to\":-4,\"count\":1},{\"from\":-3,\"to\":-2,\"count\":0},{\"from\":-1,\"to\":-1,\"count\":0},{\"from\":0,\"to\":0,\"count\":10}]},\"without\":0,\"clipped\":0,\"rounded\":0,\"unkept\":0}\n");
	check_json(
		NULL, "drop.len", &steps, 0, &bare,
		"{\"samples\":11,\"keys\":[],\"of\":\"drop.len\",\"rows\":[{\"count\":11,\"sum\":6361,\"mean\":578.2727272727273,\"min\":0,\"max\":1500,\"histogram\":[{\"to\":9,\"count\":1},{\"from\":10,\"to\":59,\"count\":0},{\"from\":60,\"to\":60,\"count\":5},{\"from\":61,\"count\":5}]}],\"rest\":{\"rows\":0,\"count\":0,\"sum\":0},\"others\":{\"count\":0,\"sum\":0},\"total\":{\"count\":11,\"sum\":6361,\"mean\":578.2727272727273,\"min\":0,\"max\":1500,\"histogram\":[{\"to\":9,\"count\":1},{\"from\":10,\"to\":59,\"count\":0},{\"from\":60,\"to\":60,\"count\":5},{\"from\":61,\"count\":5}]},\"without\":0,\"clipped\":0,\"rounded\":0,\"unkept\":0}\n");
	check_json(
		"name", "drop.len", &few, 0, &bare,
		"{\"samples\":11,\"keys\":[\"name\"],\"of\":\"drop.len\",\"rows\":[{\"name\":\"lo\",\"count\":9,\"sum\":6300,\"mean\":700,\"min\":60,\"max\":1500,\"quantiles\":{\"p50\":60,\"p90\":1488,\"p99\":1488,\"p99.9\":1488,\"max\":1500}}],\"rest\":{\"rows\":0,\"count\":0,\"sum\":0},\"others\":{\"count\":2,\"sum\":61,\"mean\":30.5,\"min\":0,\"max\":61},\"total\":{\"count\":11,\"sum\":6361,\"mean\":578.2727272727273,\"min\":0,\"max\":1500,\"quantiles\":{\"p50\":60,\"p90\":1488,\"p99\":1488,\"p99.9\":1488,\"max\":1500}},\"without\":0,\"clipped\":0,\"rounded\":4,\"unkept\":2}\n");
}

static void csv(void **state)
{
	static const struct count_export bare, some = {shares, 4, NULL};

	(void)state;
	check_csv("comm,name", NULL, &number, &bare,
		  "count,comm,name\n"
		  "5,one two,lo\n"
		  "4,#b;c,lo\n"
		  "1,#b;c,\"a \"\"b\"\"\"\n"
		  "1,one two,e;\\x01\n");
	check_csv("ret", "drop.len", &ranks, &some,
		  "count,sum,mean,min,max,qmin,p25,p99.99,qmax,ret\n"
		  "10,6300,630,0,1500,0,60,1500,1500,0\n"
		  "1,61,61,61,61,61,61,61,61,-5\n");
	check_csv("kstack,ustack", "other.len", &sums, &bare,
		  "count,sum,mean,min,max,kstack,ustack\n"
		  "5,0,,,,,_start;[naked.so]\n"
		  "4,0,,,,do_work;do_work,_start;main\\x01\\xff:<b>\n"
		  "2,0,,,,do_work,\n");
}

static void folded(void **state)
{
	(void)state;
	check_folded("comm,stack", NULL, &number, 0, 11,
		     "_b:c;_start;[naked.so] 2\n"
		     "_b:c;_start;main\\x01\\xff:<b>;do_work;do_work 1\n"
		     "_b:c;do_work 2\n"
		     "one_two;_start;[naked.so] 3\n"
		     "one_two;_start;main\\x01\\xff:<b>;do_work;do_work 3\n");
	check_folded("ustack,name", "drop.len", &sums, 1, 6361,
		     "_start;[naked.so];lo 300\n"
		     "_start;main\\x01\\xff:<b>;e:\\x01 61\n"
		     "_start;main\\x01\\xff:<b>;lo 4500\n"
		     "lo 1500\n");
	check_folded("kstack", NULL, &number, 0, 11,
		     "[unknown] 5\n"
		     "do_work 2\n"
		     "do_work;do_work 4\n");
}

/* Memory runs out in every place: each form says so, or is whole. */
static void out_of_memory(void **state)
{
	static const struct count_export bare;
	struct buf want[4] = {{0}};
	bool refused = true;
	unsigned int n, i;
	struct shown s;
	u32 left_out;
	int ret;

	(void)state;
	show(&s, "comm,reason,stack", "drop.len", &powers, 2);
	for (n = 0; refused; n++) {
		refused = false;
		for (i = 0; i < 4; i++) {
			buf_clear(&s.out);
			if (n)
				oom_after(n - 1);
			ret = i == 0   ? count_text_put(&plain, &s.view, &s.out, NULL)
			      : i == 1 ? count_export_json(&bare, &s.view, &s.out, NULL)
			      : i == 2 ? count_export_csv(&bare, &s.view, &s.out, NULL)
				       : count_folded_put(&s.view, &left_out, &s.out, NULL);
			refused |= oom_stop() || !n;
			if (!n)
				buf_adds(&want[i], buf_str(&s.out));
			if (ret)
				assert_int_equal(ret, -ENOMEM);
			else
				assert_string_equal(buf_str(&s.out), buf_str(&want[i]));
			buf_free(&s.out);
		}
	}
	assert_true(n > 10);
	for (i = 0; i < 4; i++)
		buf_free(&want[i]);
	buf_adds(&s.out, "");
	check(&s, "");
}

static void check_list(const char *text, const char *want)
{
	double list[COUNT_QUANTILES_MAX];
	struct buf names = {0};
	u32 nr, i;
	int ret = count_text_parse_quantiles(text, list, &nr, NULL);

	assert_int_equal(ret, want ? 0 : -EINVAL);
	for (i = 0; i < nr && want; i++) {
		count_text_quantile_name(list[i], &names);
		buf_addc(&names, ' ');
	}
	if (want)
		assert_string_equal(buf_str(&names), want);
	buf_free(&names);
}

static void lists(void **state)
{
	(void)state;
	check_list("50,90,99.9", "p50 p90 p99.9 ");
	check_list("min p50,p99.999,max", "min p50 p99.999 max ");
	check_list("0,100", "min max ");
	check_list("0.1,7", "p0.1 p7 ");
	check_list("101", NULL);
	check_list("-1", NULL);
	check_list("nan", NULL);
	check_list("50x", NULL);
	check_list("", NULL);
	check_list("p", NULL);
	check_list("1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables),  cmocka_unit_test(blocks),
		cmocka_unit_test(screens), cmocka_unit_test(json),
		cmocka_unit_test(csv),     cmocka_unit_test(folded),
		cmocka_unit_test(lists),   cmocka_unit_test(out_of_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
