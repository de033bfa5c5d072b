// SPDX-License-Identifier: GPL-2.0
/* The threads that unwind: whose turn it is, what they give back, their end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/made.h"
#include "util/capture/ring_unwinder.h"

#define RING (16u << 20)
#define SIZE 4096u

struct fixture {
	struct unwinding unwinding;
	struct ring ring;
	u8 *memory;
};

/* Two workers and a ring full of records that need no unwinding. */
static int setup(void **state)
{
	const struct ring_unwinder_options o = {.arch = &arch_x86_64, .proc = -1};
	struct perf_event_header h = {.type = PERF_RECORD_THROTTLE, .size = SIZE};
	struct fixture *f = calloc(1, sizeof(*f));
	u64 at, id = 7;
	u32 i;

	*state = f;
	if (!f || unwinding_start(&f->unwinding, 2, NULL))
		return -1;
	for (i = 0; i < f->unwinding.nr; i++) {
		struct unwinding_worker *w = &f->unwinding.v[i];

		if (ring_unwinder_init(&w->unwinder, &o, NULL))
			return -1;
		w->ready = true;
		made_events(&w->unwinder.events, MADE_TYPE, &id, 1);
		made_events(&w->unwinder.events, MADE_TYPE, NULL, 0);
	}
	f->memory = calloc(1, RING);
	if (!f->memory)
		return -1;
	for (at = 0; at < RING; at += SIZE)
		memcpy(f->memory + at, &h, sizeof(h));
	f->ring = (struct ring){.data = f->memory, .size = RING, .head = RING};
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	assert_true(unwinding_free(&f->unwinding));
	free(f->memory);
	free(f);
	return 0;
}

/* Wait until the worker has records. */
static void wait_done(struct fixture *f, struct unwinding_worker *w)
{
	u32 tries;

	for (tries = 0; tries < 1000 && unwinding_turn(w) != UNWINDING_DONE; tries++)
		unwinding_wait(&f->unwinding, 10);
	assert_int_equal(unwinding_turn(w), UNWINDING_DONE);
	unwinding_heard(&f->unwinding);
}

static void threads(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(unwinding_workers(0), 1);
	assert_int_equal(unwinding_workers(8), 1);
	assert_int_equal(unwinding_workers(9), 2);
	assert_int_equal(unwinding_workers(100000), UNWINDING_MAX);
	assert_int_equal(f->unwinding.nr, 2);
	assert_true(f->unwinding.v[0].tid && f->unwinding.v[1].tid);
	assert_int_not_equal(f->unwinding.v[0].tid, f->unwinding.v[1].tid);
	assert_int_not_equal(f->unwinding.v[0].tid, (u32)getpid());
	/* a CPU is one worker's for good */
	assert_ptr_equal(unwinding_of(&f->unwinding, 0), unwinding_of(&f->unwinding, 2));
	assert_ptr_not_equal(unwinding_of(&f->unwinding, 0), unwinding_of(&f->unwinding, 1));
}

static void turns(void **state)
{
	struct fixture *f = *state;
	struct unwinding_worker *w = &f->unwinding.v[0];
	struct ring_stretch *s;
	u64 taken = 0, wait;
	u32 nr = 0;

	f->unwinding.v[0].clean = f->unwinding.v[1].clean = 10;
	ring_unwinder_give(&w->unwinder, 5, &f->ring, 0, RING);
	unwinding_go(w, 20, 0);
	do {
		wait_done(f, w);
		s = &w->unwinder.rings.v[0];
		assert_int_equal(s->from, taken);
		taken = s->pos;
		ring_unwinder_taken(s);
		/* what is left is as old as the turn's beginning: nothing newer may be promised */
		assert_int_equal(unwinding_clean(&f->unwinding), 10);
		nr++;
		unwinding_taken(w);
	} while (taken < RING);
	assert_true(nr > 4);
	/* the last turn may have ended with what was just enough */
	for (wait = 0; wait < 1000 && unwinding_turn(w) != UNWINDING_IDLE; wait++) {
		if (unwinding_turn(w) == UNWINDING_DONE)
			unwinding_taken(w);
		usleep(1000);
	}
	assert_int_equal(w->clean, 20);
	/* the other one has had no turn */
	assert_int_equal(unwinding_clean(&f->unwinding), 10);
	assert_int_equal(unwinding_turn(&f->unwinding.v[1]), UNWINDING_IDLE);
	assert_false(unwinding_failed(&f->unwinding));
}

/* Side-band records and ids go to all workers, each at its next turn. */
static void told(void **state)
{
	struct fixture *f = *state;
	struct buf b = {0};
	u32 i;

	rec_build_comm(&b, &f->unwinding.v[0].unwinder.events.events.v[0].layout, NULL, 0, 42, 43,
		       "name");
	unwinding_sideband(&f->unwinding, b.data, b.len);
	unwinding_event_id(&f->unwinding, 99, 1);
	buf_free(&b);
	for (i = 0; i < 2; i++) {
		struct unwinding_worker *w = &f->unwinding.v[i];

		assert_null(process_find_thread(&w->unwinder.model, 43));
		unwinding_go(w, 20, 0);
		wait_done(f, w);
		assert_non_null(process_find_thread(&w->unwinder.model, 43));
		assert_int_equal(hmap_get(&w->unwinder.events.by_id, 99), 1);
		assert_int_equal(w->sideband.len, 0);
		unwinding_taken(w);
	}
	assert_int_equal(unwinding_clean(&f->unwinding), 20);
}

/* What a worker that hangs has counted is left alone, and that of the others is there. */
static void hangs(void **state)
{
	struct fixture *f = *state;
	struct unwinding *u = &f->unwinding;
	u32 i;

	for (i = 0; i < 2; i++)
		quality_stacks(&u->v[i].unwinder.quality, ID_NONE, QUALITY_UNTOLD, 10 + i);
	u->v[0].turn = UNWINDING_BUSY;
	assert_ptr_equal(unwinding_quality(u), &u->v[1].unwinder);
	assert_int_equal(u->v[0].unwinder.quality.total.stacks[QUALITY_UNTOLD], 10);
	assert_int_equal(u->v[1].unwinder.quality.total.stacks[QUALITY_UNTOLD], 11);
	u->v[1].turn = UNWINDING_BUSY;
	assert_null(unwinding_quality(u));
	u->v[0].turn = u->v[1].turn = UNWINDING_IDLE;
	assert_ptr_equal(unwinding_quality(u), &u->v[0].unwinder);
	assert_int_equal(u->v[0].unwinder.quality.total.stacks[QUALITY_UNTOLD], 21);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(threads, setup, teardown),
		cmocka_unit_test_setup_teardown(turns, setup, teardown),
		cmocka_unit_test_setup_teardown(told, setup, teardown),
		cmocka_unit_test_setup_teardown(hangs, setup, teardown),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("unwinding", tests, NULL, NULL);
}
