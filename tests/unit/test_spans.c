// SPDX-License-Identifier: GPL-2.0
/* Spans: what begins and ends beside a list of all that is open, in every mode; memory that runs out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/oom.h"
#include "util/report/spans.h"

#define KEYS  300u
#define STEPS 200000u

static u64 seed = 88172645463325252ull;

static u64 any(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* All that is open, in the order in which it began. */
struct list {
	struct {
		u64 key[2], begin;
		u32 row;
	} v[4096];
	u32 nr;
};

static u32 last_of(const struct list *l, const u64 *key)
{
	u32 i = l->nr;

	while (i && (l->v[i - 1].key[0] != key[0] || l->v[i - 1].key[1] != key[1]))
		i--;
	return i;
}

static void remove_at(struct list *l, u32 i)
{
	memmove(&l->v[i], &l->v[i + 1], (l->nr - i - 1) * sizeof(l->v[0]));
	l->nr--;
}

static int count_open(void *arg, struct span *span)
{
	const struct list *l = arg;
	u32 i;

	for (i = 0; i < l->nr; i++)
		if (l->v[i].begin == span->begin && l->v[i].row == span->row &&
		    !memcmp(l->v[i].key, span->key, sizeof(span->key[0])))
			return 0;
	return 1;
}

static void begin_both(struct spans *s, struct list *l, const u64 *key, u64 now)
{
	u32 row = (u32)any(), known = last_of(l, key);

	assert_int_equal(spans_begin(s, key, now, row, NULL, NULL), 0);
	if (known && s->repeat == SPANS_LATEST) {
		l->v[known - 1].begin = now;
		l->v[known - 1].row = row;
	} else if ((!known || s->repeat == SPANS_NESTED) && l->nr < s->most) {
		l->v[l->nr].key[0] = key[0];
		l->v[l->nr].key[1] = key[1];
		l->v[l->nr].begin = now;
		l->v[l->nr++].row = row;
	}
}

static void end_both(struct spans *s, struct list *l, const u64 *key, u64 now)
{
	struct span_ended ended = {0};
	u32 known = last_of(l, key);
	enum spans_end_result ret = spans_end(s, key, now, &ended);

	if (!known) {
		assert_int_equal(ret, SPANS_NONE);
		return;
	}
	assert_int_equal(ret, l->v[known - 1].begin < s->lost_at ? SPANS_UNSURE : SPANS_ENDED);
	assert_int_equal(ended.begin, l->v[known - 1].begin);
	assert_int_equal(ended.row, l->v[known - 1].row);
	assert_int_equal(ended.end, now);
	remove_at(l, known - 1);
}

static void check_account(const struct spans *s)
{
	const struct spans_account *a = &s->account;

	assert_int_equal(a->begins, a->spans + a->restarts + a->given_up + a->across_loss +
					    a->reordered + a->no_room + a->open);
	assert_int_equal(a->ends, a->spans + a->across_loss + a->reordered + a->ends_without_begin +
					  a->repeated + a->out_of_order);
}

/* Stages beside where each of a few spans is. */
static void test_stages(void **state)
{
	struct {
		u64 begin;
		u32 stage;
		bool open;
	} known[8] = {0};
	struct spans s = {.nr_keys = 1, .nr_notes = 1, .stages = 3};
	u64 key, now, passed = 0, skipped = 0, repeated = 0, late = 0;
	struct span_ended e;
	u32 i, to;

	(void)state;
	for (now = 1, i = 0; i < STEPS; i++, now++) {
		key = any() % ARRAY_SIZE(known);
		to = any() % 5;
		if (!to) {
			assert_int_equal(spans_begin(&s, &key, now, (u32)key, &now, NULL), 0);
			if (!known[key].open)
				known[key].begin = now;
			known[key].stage = known[key].open ? known[key].stage : 0;
			known[key].open = true;
			continue;
		}
		if (known[key].open && to <= known[key].stage) {
			repeated += to == known[key].stage;
			late += to < known[key].stage;
			assert_int_equal(spans_pass(&s, &key, now, to, &now, &e), SPANS_NONE);
			continue;
		}
		assert_int_equal(to == 4 ? spans_end(&s, &key, now, &e)
					 : spans_pass(&s, &key, now, to, &now, &e),
				 known[key].open ? SPANS_ENDED : SPANS_NONE);
		if (!known[key].open)
			continue;
		assert_int_equal(e.begin, known[key].begin);
		assert_int_equal(e.notes[0], known[key].begin);
		assert_int_equal(e.end, now);
		assert_int_equal(e.row, key);
		assert_int_equal(e.stage, known[key].stage);
		skipped += to - known[key].stage - 1;
		passed += to < 4;
		known[key].open = to < 4;
		known[key].stage = to;
		known[key].begin = now;
	}
	check_account(&s);
	assert_true(passed && skipped && repeated && late);
	assert_int_equal(s.account.passed, passed);
	assert_int_equal(s.account.skipped, skipped);
	assert_int_equal(s.account.repeated, repeated);
	assert_int_equal(s.account.out_of_order, late);
	spans_free(&s);
}

static void test_beside_a_list(void **state)
{
	static struct list list;
	struct spans s;
	u64 key[2], now;
	u32 mode, i, known;

	(void)state;
	for (mode = 0; mode < 6; mode++) {
		s = (struct spans){.nr_keys = 1 + mode % 2, .repeat = mode / 2, .most = 400};
		list.nr = 0;
		for (now = 1, i = 0; i < STEPS; i++, now += 1 + any() % 3) {
			key[0] = any() % KEYS;
			key[1] = s.nr_keys > 1 ? any() % 2 : 0;
			switch (any() % 16) {
			case 0:
				spans_give_up(&s, key);
				while ((known = last_of(&list, key)))
					remove_at(&list, known - 1);
				break;
			case 1:
				if (any() % 256 == 0)
					spans_lost(&s, now);
				break;
			case 2:
			case 3:
			case 4:
			case 5:
			case 6:
			case 7:
				end_both(&s, &list, key, now);
				break;
			default:
				begin_both(&s, &list, key, now);
			}
			assert_int_equal(s.account.open, list.nr);
		}
		assert_int_equal(spans_each_open(&s, count_open, &list), 0);
		check_account(&s);
		assert_true(s.account.spans && s.account.across_loss && s.account.given_up);
		assert_true(s.repeat == SPANS_NESTED ? s.account.no_room != 0
						     : s.account.restarts != 0);
		spans_free(&s);
	}
}

/* An end that is older than its begin, and the same time twice. */
static void test_times(void **state)
{
	struct spans s = {.nr_keys = 1};
	struct span_ended ended;
	u64 key = 7;

	(void)state;
	assert_int_equal(spans_end(&s, &key, 5, &ended), SPANS_NONE);
	assert_int_equal(spans_begin(&s, &key, 100, 1, NULL, NULL), 0);
	assert_int_equal(spans_end(&s, &key, 99, &ended), SPANS_UNSURE);
	assert_int_equal(s.account.reordered, 1);
	assert_int_equal(spans_begin(&s, &key, 100, 1, NULL, NULL), 0);
	assert_int_equal(spans_end(&s, &key, 100, &ended), SPANS_ENDED);
	assert_int_equal(ended.end - ended.begin, 0);
	check_account(&s);
	spans_free(&s);
}

static void test_forget_open(void **state)
{
	struct spans s = {.nr_keys = 1};
	struct span_ended ended;
	u64 key;

	(void)state;
	spans_forget_open(&s);
	for (key = 0; key < 100; key++)
		assert_int_equal(spans_begin(&s, &key, key, 0, NULL, NULL), 0);
	spans_forget_open(&s);
	assert_int_equal(s.account.begins, 100);
	assert_int_equal(s.account.open, 0);
	for (key = 0; key < 100; key++)
		assert_null(spans_find(&s, &key));
	for (key = 0; key < 300; key++)
		assert_int_equal(spans_begin(&s, &key, key, 0, NULL, NULL), 0);
	for (key = 0; key < 300; key++)
		assert_int_equal(spans_end(&s, &key, 1000, &ended), SPANS_ENDED);
	assert_int_equal(s.account.open, 0);
	spans_free(&s);
}

static void test_memory(void **state)
{
	struct spans s;
	struct err err;
	u32 n;
	u64 i;
	int ret;

	(void)state;
	for (n = 0;; n++) {
		s = (struct spans){.nr_keys = 1};
		oom_after(n);
		for (i = ret = 0; i < 5000 && !ret; i++)
			ret = spans_begin(&s, &i, i + 1, 0, NULL, &err);
		if (!oom_stop())
			break;
		assert_int_equal(ret, -12);
		assert_int_equal(s.account.open, i - 1);
		spans_free(&s);
	}
	assert_true(n > 5);
	assert_int_equal(s.account.open, 5000);
	spans_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stages), cmocka_unit_test(test_beside_a_list),
		cmocka_unit_test(test_times),  cmocka_unit_test(test_forget_open),
		cmocka_unit_test(test_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
