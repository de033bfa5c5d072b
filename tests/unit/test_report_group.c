// SPDX-License-Identifier: GPL-2.0
/*
 * The rows of several events as one table: of thousands of made ones each row has what each event counted there, by a
 * table of all rows that there can be.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/oom.h"
#include "util/report/report_group.h"

enum { MEMBERS = 4, VALUES = 3, PLACES = 4, ROWS = VALUES * VALUES * PLACES };

struct made {
	struct report_keys keys;
	struct report_samples samples[MEMBERS];
	struct report_entries entries[MEMBERS];
	struct report_member members[MEMBERS];
	struct report_group group;
	struct report_numbers want[ROWS][MEMBERS];
	bool counted[ROWS];
	u32 first[ROWS], nr_first; /* rows of the leader in the order of its entries */
};

static u32 row_of(u64 a, u64 b, u32 place)
{
	return (u32)(a * VALUES + b) * PLACES + place;
}

/* Numbers that tell rows and events apart; some have weights of modes. */
static void count(struct made *m, u32 member, u64 a, u64 b, u32 place)
{
	const u64 values[] = {a, b};
	struct report_entries *e = &m->entries[member];
	u32 row = row_of(a, b, place), n = row * MEMBERS + member + 1;
	struct report_numbers *want = &m->want[row][member];
	struct report_entry *to = vec_push(&e->v);
	struct report_modes *modes;

	assert_non_null(to);
	*to = (struct report_entry){
		.root = report_samples_root(&m->samples[member], m->keys.nr_sample ? values : NULL),
		.place = place,
		.samples = n,
		.weight = n * 10ull,
		.all_samples = n * 100ull,
		.all_weight = n * 1000ull,
	};
	assert_int_not_equal(to->root, ID_NONE);
	*want = (struct report_numbers){
		to->samples, to->weight, to->all_samples, to->all_weight, {{0}}};
	if (n % 2) {
		modes = vec_push(&e->modes);
		assert_non_null(modes);
		modes->weight[REPORT_MODE_US] = n * 5ull;
		to->modes = e->modes.nr;
		want->modes = *modes;
	}
	if (!member)
		m->first[m->nr_first++] = row;
	m->counted[row] = true;
}

/* Each event has some of all rows, in an order of its own. */
static void make(struct made *m, u32 nr, u32 nr_sample)
{
	u32 order[ROWS], member, i, at, swap;
	u64 a, b;

	*m = (struct made){.keys = {.nr_sample = nr_sample}};
	m->group = (struct report_group){.members = m->members, .nr = nr};
	for (member = 0; member < nr; member++) {
		m->samples[member] =
			(struct report_samples){.keys = &m->keys, .last_root = ID_NONE};
		m->members[member].samples = &m->samples[member];
		for (i = 0; i < ROWS; i++)
			order[i] = i;
		for (i = ROWS; i > 1; i--) {
			at = (u32)rand() % i;
			swap = order[at];
			order[at] = order[i - 1];
			order[i - 1] = swap;
		}
		for (i = 0; i < ROWS; i++) {
			a = order[i] / PLACES / VALUES;
			b = order[i] / PLACES % VALUES;
			if (rand() % 3 == 0 && (nr_sample || (!a && !b)))
				count(m, member, a, b, order[i] % PLACES);
		}
	}
}

static void forget(struct made *m)
{
	u32 i;

	report_group_free(&m->group);
	for (i = 0; i < m->group.nr; i++) {
		report_entries_free(&m->entries[i]);
		report_samples_free(&m->samples[i]);
	}
}

static u32 row_of_entry(const struct made *m, const struct report_entry *e)
{
	const u64 *v;

	if (!m->keys.nr_sample)
		return row_of(0, 0, e->place);
	v = &m->samples[0].values.v[(size_t)e->root * m->keys.nr_sample];
	return row_of(v[0], v[1], e->place);
}

static void check(const struct made *m)
{
	const struct report_entries *rows = &m->entries[0];
	bool seen[ROWS] = {false};
	const struct report_numbers *is;
	u32 i, row, member;

	for (i = 0; i < rows->v.nr; i++) {
		row = row_of_entry(m, &rows->v.v[i]);
		assert_true(m->counted[row]);
		assert_false(seen[row]);
		seen[row] = true;
		if (i < m->nr_first) {
			assert_int_equal(row, m->first[i]);
		} else {
			assert_int_equal(rows->v.v[i].samples, 0);
			assert_int_equal(rows->v.v[i].all_weight, 0);
		}
		is = report_group_row(&m->group, &rows->v.v[i]);
		for (member = 0; member < m->group.nr; member++)
			assert_memory_equal(&is[member], &m->want[row][member], sizeof(*is));
	}
	assert_memory_equal(seen, m->counted, sizeof(seen));
}

static void rows_of_all(void **state)
{
	struct made m;
	u32 i;

	(void)state;
	srand(7);
	for (i = 0; i < 3000; i++) {
		make(&m, 1 + i % MEMBERS, i % 3 ? 2 : 0);
		assert_int_equal(
			report_group_make(&m.group, &m.samples[0], &m.entries[0], m.entries, NULL),
			0);
		check(&m);
		forget(&m);
	}
}

static void memory_runs_out(void **state)
{
	struct made m;
	u32 n = 0;
	int ret;

	(void)state;
	for (;; n++) {
		srand(11);
		make(&m, MEMBERS, 2);
		oom_after(n);
		ret = report_group_make(&m.group, &m.samples[0], &m.entries[0], m.entries, NULL);
		if (!oom_stop())
			break;
		assert_int_equal(ret, -ENOMEM);
		forget(&m);
	}
	assert_int_equal(ret, 0);
	assert_true(n > 3);
	check(&m);
	forget(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_of_all),
		cmocka_unit_test(memory_runs_out),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("report_group", tests, NULL, NULL);
}
