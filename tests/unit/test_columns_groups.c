// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/oom.h"
#include "util/file/columns_internal.h"

#define ROWS    600
#define COLS    6
#define SOURCES 3

static u64 seed = 88172645463325252ull;

/* Numbers that are the same in every run. */
static u64 below(u64 n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % n;
}

/* A column: of `values` different values that differ above bit `shift`; 1: all the same. */
struct made_column {
	enum columns_kind kind;
	u32 width, values, shift;
};

struct made {
	struct columns_class class;
	struct columns_values values[COLS];
	struct columns_fold fold;
	struct sample_groups groups;
};

static void make_column(struct columns_values *v, const struct made_column *c)
{
	u32 i, j, rows = c->values == 1 ? 1 : ROWS;
	u64 value;

	v->constant = c->values == 1;
	v->data = calloc(rows, c->width);
	assert_non_null(v->data);
	for (i = 0; i < rows; i++) {
		value = below(c->values) << c->shift;
		for (j = 0; j < c->width; j++)
			v->data[i * c->width + j] = (u8)(0x31 ^ value >> 8 * (j % 8));
	}
}

static void make(struct made *m, const struct made_column *cols, bool loose)
{
	u32 i;

	*m = (struct made){.class.type = PERF_RECORD_SAMPLE, .class.loose = loose};
	for (i = 0; i < COLS && cols[i].width; i++) {
		assert_true(columns_class_add(&m->class, cols[i].kind, 0, cols[i].width));
		make_column(&m->values[i], &cols[i]);
	}
	assert_int_equal(m->class.cols.nr, i);
	assert_true(columns_class_end(&m->class));
}

static void unmake(struct made *m)
{
	u32 i;

	for (i = 0; i < COLS; i++)
		free(m->values[i].data);
	columns_fold_free(&m->fold);
	sample_groups_free(&m->groups);
	vec_free(&m->class.cols);
}

static bool same(const struct made *m, u32 col, u32 a, u32 b)
{
	u32 width = m->class.cols.v[col].width;
	const u8 *data = m->values[col].data;

	return m->values[col].constant || !memcmp(data + a * width, data + b * width, width);
}

/* The columns in `tells`, a bit each, tell rows apart, and where they came from does. */
static bool groups(const struct made *m, u32 tells, const u32 *sources, u32 a, u32 b)
{
	u32 i;

	for (i = 0; i < m->class.cols.nr; i++)
		if (tells & 1u << i && !same(m, i, a, b))
			return false;
	return sources[a] == sources[b];
}

static u64 step_of(const struct made *m, u32 row)
{
	const struct columns_values *v = &m->values[m->class.time_col];
	u64 step;

	memcpy(&step, v->data + (v->constant ? 0 : row * 8), 8);
	return step;
}

/* Take all rows, in pieces; a new kind is taken note of as its reader does. */
static void take_all(struct made *m, const u32 *sources, u64 *last)
{
	u32 row = 0, nr, taken;

	assert_true(vec_reserve(&m->groups.times, ROWS) && vec_reserve(&m->groups.kind_of, ROWS));
	while (row < ROWS) {
		for (nr = 1; row + nr < ROWS && sources[row + nr] == sources[row]; nr++)
			;
		taken = columns_fold_take(&m->fold, 0, row, nr, sources[row], &last[sources[row]],
					  &m->groups);
		assert_true(taken <= nr);
		row += taken;
		assert_int_equal(m->groups.times.nr, row + (taken < nr));
		if (taken == nr)
			continue;
		/* its time is the reader's to add */
		assert_non_null(vec_push(&m->groups.kinds));
		last[sources[row]] += step_of(m, row);
		row++;
	}
}

/* Kinds are as many as there are, numbered as they come, and times are sums. */
static void expect(struct made *m, u32 tells, bool no_chains, bool is_near)
{
	u32 sources[ROWS], first[ROWS], kinds = 0, row, k;
	u64 last[SOURCES] = {1000, 5, 70}, sum[SOURCES] = {1000, 5, 70};

	for (row = 0; row < ROWS; row++)
		sources[row] = row && below(4) ? sources[row - 1] : (u32)below(SOURCES);
	columns_fold_clear(&m->fold);
	sample_groups_clear(&m->groups);
	assert_true(columns_fold_add(&m->fold, &m->class, m->values, ROWS, no_chains));
	assert_true(m->fold.classes.v[0].folds);
	assert_int_equal(m->fold.classes.v[0].near != ID_NONE, is_near);
	take_all(m, sources, last);
	for (row = 0; row < ROWS; row++) {
		for (k = 0; k < kinds && !groups(m, tells, sources, row, first[k]); k++)
			;
		if (k == kinds)
			first[kinds++] = row;
		assert_int_equal(m->groups.kind_of.v[row], k);
		sum[sources[row]] += step_of(m, row);
		assert_int_equal(m->groups.times.v[row], sum[sources[row]]);
	}
	assert_int_equal(m->groups.kinds.nr, kinds);
	assert_memory_equal(last, sum, sizeof(sum));
}

static void by_columns(void **state)
{
	static const struct {
		struct made_column cols[COLS];
		u32 tells;
		bool is_near;
	} cases[] = {
		{{{COLUMN_TIME, 8, 90, 0}}, 0, true},
		{{{COLUMN_INT, 4, 3, 0}, {COLUMN_TIME, 8, 90, 0}}, 1, true},
		/* times that ascend evenly, or stand still */
		{{{COLUMN_INT, 4, 3, 0}, {COLUMN_TIME, 8, 1, 0}}, 1, true},
		{{{COLUMN_TIME, 8, 90, 0},
		  {COLUMN_INT, 1, 3, 5},
		  {COLUMN_INT, 2, 2, 9},
		  {COLUMN_INT, 4, 4, 29},
		  {COLUMN_INT, 8, 3, 61},
		  {COLUMN_CPU, 4, 2, 0}},
		 0x3e,
		 true},
		/* what is the same in all rows tells nothing */
		{{{COLUMN_TIME, 8, 90, 0}, {COLUMN_INT, 8, 1, 0}, {COLUMN_INT, 8, 5, 0}}, 4, true},
		{{{COLUMN_TIME, 8, 9, 0}, {COLUMN_CHAIN, 8, 9, 0}}, 2, true},
		{{{COLUMN_TIME, 8, 9, 0}, {COLUMN_CHAIN, 8, 5, 32}}, 2, true},
		{{{COLUMN_TIME, 8, 9, 0}, {COLUMN_BLOB, 4, 7, 0}}, 2, true},
		/* too many bits, or no integer */
		{{{COLUMN_TIME, 8, 9, 0}, {COLUMN_INT, 8, 1u << 20, 0}}, 2, false},
		{{{COLUMN_TIME, 8, 9, 0}, {COLUMN_INT, 4, 100, 0}, {COLUMN_INT, 4, 100, 0}},
		 6,
		 false},
		{{{COLUMN_TIME, 8, 9, 0}, {COLUMN_WIDE, 3, 4, 0}, {COLUMN_INT, 2, 3, 0}}, 6, false},
		{{{COLUMN_TIME, 8, 9, 0}, {COLUMN_WIDE, 21, 4, 0}, {COLUMN_INT, 8, 3, 63}},
		 6,
		 false},
	};
	struct made m;
	u32 i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		make(&m, cases[i].cols, false);
		expect(&m, cases[i].tells, false, cases[i].is_near);
		/* the same memory again */
		expect(&m, cases[i].tells, false, cases[i].is_near);
		unmake(&m);
	}
}

/* They tell nothing. */
static void chains_left_out(void **state)
{
	static const struct made_column alone[COLS] = {
		{COLUMN_TIME, 8, 9, 0}, {COLUMN_CHAIN, 8, 7, 0}, {COLUMN_INT, 4, 3, 0}};
	static const struct made_column open[COLS] = {
		{COLUMN_TIME, 8, 9, 0}, {COLUMN_OPEN_CHAIN, 8, 7, 0}, {COLUMN_INT, 8, 3, 0}};
	struct made m;

	(void)state;
	make(&m, alone, false);
	expect(&m, 4, true, true);
	expect(&m, 6, false, true);
	unmake(&m);
	make(&m, open, false);
	expect(&m, 4, true, true);
	unmake(&m);
}

static void expect_unfolded(const struct made_column *cols, u32 type, bool loose)
{
	struct made m;

	make(&m, cols, loose);
	m.class.type = type;
	assert_true(columns_fold_add(&m.fold, &m.class, m.values, ROWS, false));
	assert_false(m.fold.classes.v[0].folds);
	unmake(&m);
}

static void not_folded(void **state)
{
	static const struct made_column plain[COLS] = {{COLUMN_INT, 4, 2, 0},
						       {COLUMN_INT, 2, 2, 0},
						       {COLUMN_INT, 4, 2, 0},
						       {COLUMN_TIME, 8, 9, 0}};
	static const struct made_column timeless[COLS] = {{COLUMN_INT, 4, 2, 0}};
	static const struct made_column two_times[COLS] = {{COLUMN_TIME, 8, 9, 0},
							   {COLUMN_TIME2, 8, 9, 0}};
	static const struct made_column rest[COLS] = {{COLUMN_TIME, 8, 9, 0},
						      {COLUMN_REST, 4, 1, 0}};
	struct made m;

	(void)state;
	expect_unfolded(plain, PERF_RECORD_SAMPLE, true);
	expect_unfolded(plain, PERF_RECORD_SWITCH, false);
	expect_unfolded(timeless, PERF_RECORD_SAMPLE, false);
	expect_unfolded(two_times, PERF_RECORD_SAMPLE, false);
	expect_unfolded(rest, PERF_RECORD_SAMPLE, false);
	/* and that is why */
	make(&m, plain, false);
	expect(&m, 7, false, true);
	/* none of them */
	columns_fold_clear(&m.fold);
	assert_true(columns_fold_add(&m.fold, &m.class, m.values, 0, false));
	assert_false(m.fold.classes.v[0].folds);
	unmake(&m);
}

/* Rows of two classes are never alike, whatever they hold. */
static void two_classes(void **state)
{
	static const struct made_column cols[COLS] = {{COLUMN_TIME, 8, 9, 0},
						      {COLUMN_INT, 4, 1, 0}};
	static const struct made_column many[COLS] = {{COLUMN_TIME, 8, 9, 0},
						      {COLUMN_INT, 8, 1u << 20, 0}};
	const struct made_column *of[] = {cols, many};
	struct made m;
	u64 last = 0;
	u32 i, class;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(of); i++) {
		make(&m, of[i], false);
		assert_true(vec_reserve(&m.groups.times, ROWS) &&
			    vec_reserve(&m.groups.kind_of, ROWS));
		for (class = 0; class < 2; class ++)
			assert_true(columns_fold_add(&m.fold, &m.class, m.values, ROWS, false));
		for (class = 0; class < 2; class ++) {
			/* the first row of each is a new kind, and known then */
			assert_int_equal(
				columns_fold_take(&m.fold, class, 0, 1, 0, &last, &m.groups), 0);
			assert_non_null(vec_push(&m.groups.kinds));
			assert_int_equal(
				columns_fold_take(&m.fold, class, 0, 1, 0, &last, &m.groups), 1);
		}
		assert_int_equal(m.groups.kind_of.v[0], 0);
		assert_int_equal(m.groups.kind_of.v[3], 1);
		unmake(&m);
	}
}

static void memory_runs_out(void **state)
{
	static const struct made_column near[COLS] = {{COLUMN_TIME, 8, 9, 0},
						      {COLUMN_INT, 4, 3, 0}};
	static const struct made_column words[COLS] = {{COLUMN_TIME, 8, 9, 0},
						       {COLUMN_INT, 8, 1u << 20, 0}};
	const struct made_column *of[] = {near, words};
	u32 i, n, taken;
	struct made m;
	bool refused;
	u64 last;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(of); i++) {
		for (n = 0, refused = true; refused; n++) {
			make(&m, of[i], false);
			assert_true(vec_reserve(&m.groups.times, ROWS) &&
				    vec_reserve(&m.groups.kind_of, ROWS));
			last = taken = 0;
			oom_after(n);
			if (columns_fold_add(&m.fold, &m.class, m.values, ROWS, false))
				taken = columns_fold_take(&m.fold, 0, 0, ROWS, 0, &last, &m.groups);
			refused = oom_stop();
			/* the first row is of a new kind, of which there was no word */
			if (!refused)
				assert_int_equal(m.groups.times.nr, 1);
			else
				assert_true(!taken || taken == ID_NONE);
			unmake(&m);
		}
	}
}

/* Of a few rows each there may be so many classes that tables of numbers would fill the memory. */
static void many_classes(void **state)
{
	static const struct made_column cols[COLS] = {{COLUMN_TIME, 8, 1, 0},
						      {COLUMN_INT, 2, 1, 0}};
	const u32 classes = 8192;
	u16 values[] = {0, 1023};
	u64 last = 0;
	struct made m;
	u32 i;

	(void)state;
	make(&m, cols, false);
	free(m.values[1].data);
	m.values[1] = (struct columns_values){.data = (u8 *)values};
	columns_fold_clear(&m.fold);
	for (i = 0; i < classes; i++)
		assert_true(columns_fold_add(&m.fold, &m.class, m.values, 2, false));
	assert_true(m.fold.near.nr * sizeof(*m.fold.near.v) <= 16u << 20);
	/* they are told apart all the same */
	assert_true(vec_reserve(&m.groups.times, 2) && vec_reserve(&m.groups.kind_of, 2));
	assert_int_equal(columns_fold_take(&m.fold, classes - 1, 0, 2, 0, &last, &m.groups), 0);
	assert_non_null(vec_push(&m.groups.kinds));
	assert_int_equal(columns_fold_take(&m.fold, classes - 1, 1, 1, 0, &last, &m.groups), 0);
	m.values[1].data = NULL;
	unmake(&m);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_columns),   cmocka_unit_test(chains_left_out),
		cmocka_unit_test(not_folded),   cmocka_unit_test(two_classes),
		cmocka_unit_test(many_classes), cmocka_unit_test(memory_runs_out),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
