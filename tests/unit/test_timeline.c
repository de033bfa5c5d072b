// SPDX-License-Identifier: GPL-2.0
/* Bins of time, and marks that merge; what a map of time shows is in tests/golden/drawing.txt and flamegraph.txt. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/draw/timeline.h"
#include "util/report/time_bins.h"

#define S  1000000000ull
#define MS 1000000ull

/* ---- bins ---- */

static u64 sum(const struct time_bins *b)
{
	u64 all = 0, row;
	u32 r, i;

	for (r = 0; r < b->rows.nr; r++) {
		for (row = i = 0; i < b->nr; i++)
			row += b->rows.v[r].amounts[i];
		assert_int_equal(row, b->rows.v[r].total);
		for (; i < TIME_BINS_MAX; i++)
			assert_int_equal(b->rows.v[r].amounts[i], 0);
		all += row;
	}
	return all;
}

static const struct time_row *row_of(const struct time_bins *b, u32 cpu)
{
	u32 i;

	for (i = 0; i < b->rows.nr; i++)
		if (b->rows.v[i].cpu == cpu)
			return &b->rows.v[i];
	fail();
	return NULL;
}

static void one_time(void **state)
{
	struct time_bins b = {0};

	(void)state;
	assert_true(time_bins_add(&b, 3, 5 * S, 7));
	assert_true(time_bins_add(&b, 3, 5 * S, 2));
	time_bins_fit(&b, 100);
	assert_int_equal(b.nr, 1);
	assert_int_equal(b.first * b.step, 5 * S);
	assert_int_equal(row_of(&b, 3)->amounts[0], 9);
	time_bins_free(&b);
}

/* Every amount stays in the bin that its time belongs to, however often bins were widened. */
static void widened(void **state)
{
	static const u64 spans[] = {1000, 204799, 3 * MS, 10 * S, 86400 * S, 31557600 * S};
	u64 begin = 123456789123ull, step, time, *amount;
	struct time_bins b;
	u32 i, k;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(spans); i++) {
		b = (struct time_bins){0};
		for (k = 0; k <= 5000; k++)
			assert_true(time_bins_add(&b, k % 3, begin + spans[i] / 5000 * k, 1));
		assert_int_equal(sum(&b), 5001);
		assert_true(b.nr <= TIME_BINS_MAX);
		assert_true(b.nr > TIME_BINS_MAX / 6 || spans[i] < 100 * 400);
		time_bins_fit(&b, 500);
		assert_int_equal(sum(&b), 5001);
		assert_true(b.nr <= 500);
		for (step = b.step; step % 10 == 0; step /= 10)
			;
		assert_true(step == 1 || step == 2 || step == 4 || step == 5);
		for (k = 0; k <= 5000; k++) {
			time = begin + spans[i] / 5000 * k;
			assert_true(time / b.step - b.first < b.nr);
			amount = &b.rows.v[k % 3].amounts[time / b.step - b.first];
			assert_true(*amount > 0);
			(*amount)--;
			b.rows.v[k % 3].total--;
		}
		assert_int_equal(sum(&b), 0);
		time_bins_free(&b);
	}
}

static void backwards(void **state)
{
	struct time_bins b = {0};
	u64 t;

	(void)state;
	for (t = 2 * S; t > S; t -= MS)
		assert_true(time_bins_add(&b, 0, t, t == 2 * S ? 5 : 1));
	assert_true(time_bins_add(&b, 1, 0, 1));
	time_bins_fit(&b, 40);
	assert_int_equal(sum(&b), 5 + 999 + 1);
	assert_int_equal(b.first, 0);
	assert_true(row_of(&b, 0)->amounts[2 * S / b.step] >= 5);
	assert_int_equal(row_of(&b, 1)->amounts[0], 1);
	time_bins_free(&b);
}

static void far_apart(void **state)
{
	struct time_bins b = {0};

	(void)state;
	assert_true(time_bins_add(&b, 0, 1, UINT64_MAX));
	assert_true(time_bins_add(&b, 0, UINT64_MAX, 1));
	assert_true(time_bins_add(&b, 0, UINT64_MAX / 2, 3));
	time_bins_cover(&b, 0);
	assert_true(b.nr <= TIME_BINS_MAX);
	assert_int_equal(row_of(&b, 0)->total, UINT64_MAX);
	assert_int_equal(row_of(&b, 0)->amounts[0], UINT64_MAX);
	time_bins_fit(&b, 2);
	assert_true(b.nr <= 3);
	time_bins_free(&b);
}

static void rows_in_order(void **state)
{
	static const u32 cpus[] = {7, ID_NONE, 0, 4095, 7};
	struct time_bins b = {0};
	u32 i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cpus); i++)
		assert_true(time_bins_add(&b, cpus[i], S + i, 1));
	assert_non_null(time_bins_row(&b, 2));
	time_bins_cover(&b, S + 1000);
	time_bins_fit(&b, 500);
	assert_int_equal(b.rows.nr, 5);
	assert_int_equal(b.rows.v[0].cpu, 0);
	assert_int_equal(b.rows.v[1].cpu, 2);
	assert_int_equal(b.rows.v[1].total, 0);
	assert_int_equal(b.rows.v[2].cpu, 7);
	assert_int_equal(b.rows.v[2].total, 2);
	assert_int_equal(b.rows.v[3].cpu, 4095);
	assert_int_equal(b.rows.v[4].cpu, ID_NONE);
	assert_int_equal(b.nr, 11);
	time_bins_free(&b);
}

/* ---- the picture ---- */

static u32 count(const char *text, const char *word)
{
	u32 n = 0;

	for (text = strstr(text, word); text; text = strstr(text + 1, word))
		n++;
	return n;
}

static void draw(const struct timeline *t, struct buf *b)
{
	struct err err = {0};

	buf_clear(b);
	assert_int_equal(timeline_draw(t, b, &err), 0);
	assert_int_equal(count(buf_str(b), "<script"), count(buf_str(b), "</script>"));
}

static void expect(const struct buf *b, const char *text)
{
	if (!strstr(buf_str(b), text))
		print_message("# no '%s' in the picture\n", text);
	assert_non_null(strstr(buf_str(b), text));
}

static void merged_marks(void **state)
{
	const u64 none[10] = {0};
	const struct timeline_row rows[] = {{"CPU 0", none, NULL}, {"CPU 1", none, NULL}};
	const struct timeline_mark marks[] = {
		{1, TIMELINE_LOST, 105, 109, 4, 0},
		{0, TIMELINE_LOST, 150, 155, 3, 0}, /* next to the one before, in the same row */
		{0, TIMELINE_LOST, 148, 149, 2, 0},
		{0, TIMELINE_LOST, 145, 147, 0, 60}, /* on any row, merged with those */
		{1, TIMELINE_LOST, 145, 147, 0, 60},
		{0, TIMELINE_LOST, 190, 500, 1, 0}, /* ends behind the map */
		{0, TIMELINE_OFFLINE, 0, 110, 0, 0},
		{0, TIMELINE_THROTTLED, 10, 20, 9, 0}, /* before it */
		{0, TIMELINE_LOST, 200, 300, 9, 0},    /* behind it */
		{2, TIMELINE_LOST, 120, 120, 9, 0},    /* no such row */
		{1, TIMELINE_STOPPED, 130, 120, 9, 0}, /* ends before it begins */
	};
	const struct timeline t = {.width = 1200,
				   .from = 100,
				   .step = 10,
				   .nr_columns = 10,
				   .rows = rows,
				   .nr_rows = 2,
				   .marks = marks,
				   .nr_marks = ARRAY_SIZE(marks)};
	struct buf b = {0};

	(void)state;
	draw(&t, &b);
	assert_int_equal(count(buf_str(&b), "<rect class=\"lost\""), 4 + 1);
	assert_int_equal(count(buf_str(&b), "<rect class=\"offline\""), 1 + 1);
	assert_int_equal(count(buf_str(&b), "<rect class=\"throttled\""), 0);
	assert_int_equal(count(buf_str(&b), "<rect class=\"stopped\""), 0);
	expect(&b, ": 5 lost: there was no room; 60 more on any of the rows<");
	expect(&b, " s: there was no room; 60 on any of the rows<");
	expect(&b, ": 4 lost: there was no room<");
	expect(&b, ": 1 lost: there was no room");
	expect(&b, " s: the CPU was offline");
	/* columns 4 and 5, of 93.6 px: 374 to 561 */
	expect(&b, "<rect class=\"lost\" x=\"490\" y=\"123\" width=\"187\" height=\"6\">");
	buf_free(&b);
}

static void sizes(void **state)
{
	static u64 amounts[20000];
	static struct timeline_row rows[TIMELINE_ROWS_MAX + 1];
	struct timeline t = {.step = 2, .rows = rows};
	struct err err = {0};
	struct buf b = {0};
	u32 i, nr;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(amounts); i++)
		amounts[i] = UINT64_MAX - i;
	for (i = 0; i <= TIMELINE_ROWS_MAX; i++)
		rows[i] = (struct timeline_row){"CPU", amounts, NULL};
	for (t.width = 1; t.width <= 20000; t.width = t.width * 3 + 1) {
		for (nr = 1; nr <= TIMELINE_ROWS_MAX; nr = nr * 2 + 1) {
			t.nr_rows = nr;
			t.nr_columns = timeline_columns(t.width, nr);
			assert_true(t.nr_columns >= 60);
			assert_true(t.nr_columns * nr <= 20000 + nr);
			t.from = UINT64_MAX - t.nr_columns * t.step + 1;
			draw(&t, &b);
		}
	}
	t = (struct timeline){.width = 1200, .step = 1, .rows = rows};
	draw(&t, &b);
	expect(&b, "No samples: there is nothing to draw.");
	t.nr_columns = t.nr_rows = TIMELINE_ROWS_MAX + 1;
	assert_int_equal(timeline_draw(&t, &b, &err), -EINVAL);
	t.nr_rows = 1;
	t.nr_columns = timeline_columns(1200, 1) + 1;
	assert_int_equal(timeline_draw(&t, &b, &err), -EINVAL);
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_time),      cmocka_unit_test(widened),
		cmocka_unit_test(backwards),     cmocka_unit_test(far_apart),
		cmocka_unit_test(rows_in_order), cmocka_unit_test(merged_marks),
		cmocka_unit_test(sizes),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
