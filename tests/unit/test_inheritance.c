// SPDX-License-Identifier: GPL-2.0
/* Which events a thread has inherited, by FORK records in a ring made here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/capture/inheritance.h"

#define MS 1000000ull

static struct perf_event_mmap_page meta;
static u64 data[512];
static struct ring_slot slot;
static struct ev_spec specs[4];
static struct counter counters[8];
static struct ev_list list;
static struct rings rings;

/* Thread 10 and its four counters on CPU 0, opened at 100 ms, 200 ms, and two of a group at 300 and 400 ms. */
static int setup(void **state)
{
	u32 i;

	(void)state;
	memset(&meta, 0, sizeof(meta));
	memset(&rings, 0, sizeof(rings));
	slot = (struct ring_slot){
		.sideband = true,
		.ring = {.meta = &meta, .data = (const u8 *)data, .size = sizeof(data)}};
	for (i = 0; i < 4; i++) {
		specs[i].group = i < 2 ? ID_NONE : 0;
		counters[i] = (struct counter){
			.fd = 3, .tid = 10, .spec = i, .opened = (i + 1) * 100 * MS};
	}
	list.specs.v = specs;
	list.specs.nr = 4;
	rings.list = &list;
	rings.v.v = &slot;
	rings.v.nr = 1;
	rings.counters.v = counters;
	rings.counters.nr = 4;
	return 0;
}

static void put_fork(u32 tid, u32 maker, u64 ms)
{
	const struct {
		struct perf_event_header h;
		u32 pid, ppid, tid, ptid;
		u64 time;
	} fork = {{PERF_RECORD_FORK, 0, sizeof(fork)}, 10, 10, tid, maker, ms * MS};

	memcpy((u8 *)data + meta.data_head, &fork, sizeof(fork));
	meta.data_head += sizeof(fork);
}

static bool has(struct inheritance *h, u32 spec, s32 tid)
{
	return inheritance_has(h, spec, tid, 0);
}

static void by_time(void **state)
{
	struct inheritance h = {.rings = &rings};

	(void)state;
	put_fork(20, 10, 250);
	put_fork(21, 10, 350);
	put_fork(22, 10, 500);
	/* its events are those of 20 by then */
	put_fork(23, 20, 500);
	inheritance_look(&h);
	/* of the first list nothing is inherited */
	assert_false(has(&h, 0, 22));
	inheritance_late(&h);
	assert_true(has(&h, 0, 20) && has(&h, 1, 20));
	assert_false(has(&h, 2, 20) || has(&h, 3, 20));
	/* a group is there as a whole, or opened as a whole */
	assert_true(has(&h, 1, 21));
	assert_false(has(&h, 2, 21) || has(&h, 3, 21));
	assert_true(has(&h, 2, 22) && has(&h, 3, 22));
	assert_true(has(&h, 1, 23));
	assert_false(has(&h, 2, 23));
	/* one that was there before, and another CPU */
	assert_false(has(&h, 0, 30));
	assert_false(inheritance_has(&h, 0, 22, 1));
	assert_int_equal(h.doubtful.nr, 0);
	inheritance_free(&h);
}

/* A thread that was opened late has counters of its own, which count for those that it makes. */
static void of_late_ones(void **state)
{
	struct inheritance h = {.rings = &rings};

	(void)state;
	put_fork(20, 10, 150);
	put_fork(24, 20, 480);
	put_fork(25, 20, 600);
	inheritance_look(&h);
	inheritance_late(&h);
	assert_true(has(&h, 0, 20));
	assert_false(has(&h, 1, 20));
	counters[4] = (struct counter){.fd = 3, .tid = 20, .spec = 1, .opened = 500 * MS};
	rings.counters.nr = 5;
	inheritance_look(&h);
	inheritance_late(&h);
	assert_true(has(&h, 0, 24) && has(&h, 0, 25));
	assert_false(has(&h, 1, 24));
	assert_true(has(&h, 1, 25));
	inheritance_free(&h);
}

static void in_doubt(void **state)
{
	struct inheritance h = {.rings = &rings};

	(void)state;
	put_fork(20, 10, 200);
	put_fork(21, 10, 201);
	put_fork(22, 10, 199);
	inheritance_look(&h);
	inheritance_late(&h);
	assert_false(has(&h, 1, 20));
	assert_true(has(&h, 1, 21));
	assert_false(has(&h, 1, 22));
	assert_int_equal(h.doubtful.nr, 1);
	inheritance_free(&h);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(by_time, setup),
		cmocka_unit_test_setup(of_late_ones, setup),
		cmocka_unit_test_setup(in_doubt, setup),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("inheritance", tests, NULL, NULL);
}
