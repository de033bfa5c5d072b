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

static const struct count_options number = {.what = COUNT_NUMBER};

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
		   "   count  comm  reason\n"
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

/* What has no row of its own: samples, or what else is counted. */
static void limits(void **state)
{
	const struct count_options one = {.max_rows = 1}, most = {.max_rows = 3};
	const struct count_text calls = {.counted = "call"}, samples = {0};

	(void)state;
	check_text("comm,reason", NULL, &one, 0, &calls,
		   "   count  comm  reason\n"
		   "       4  #b;c  NO_SOCKET\n"
		   "... and others without a row: 7 (63.6 %)\n"
		   "      11  total\n"
		   "7 calls have no row of their own: no more than 1 row is kept\n");
	check_text("comm,reason", NULL, &most, 0, &samples,
		   "   count  comm     reason\n"
		   "       5  one two  NO_SOCKET\n"
		   "       4  #b;c     NO_SOCKET\n"
		   "       1  one two  TCP_CSUM\n"
		   "... and others without a row: 1 (9.1 %)\n"
		   "      11  total\n"
		   "1 sample has no row of its own: no more than 3 rows are kept\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(screens),
		cmocka_unit_test(limits),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
