// SPDX-License-Identifier: GPL-2.0
/* Random switches and wake-ups of one thread, beside a list of all that it did. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/report/thread_states.h"

#define TID   7
#define STEPS 400

struct piece {
	enum thread_state state;
	u64 from, to;
};

static struct piece pieces[STEPS];
static u32 nr;

static u32 next_random(u32 *seed)
{
	*seed = *seed * 1103515245 + 12345;
	return *seed >> 16 & 0x7fff;
}

static void change(enum thread_state state, u64 time)
{
	if (nr)
		pieces[nr - 1].to = time;
	pieces[nr++] = (struct piece){state, time, 0};
}

static u64 time_in(enum thread_state state, u64 to)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < nr; i++)
		if (pieces[i].state == state)
			sum += (i + 1 < nr ? pieces[i].to : to) - pieces[i].from;
	return sum;
}

static bool is_sleep(enum thread_state state)
{
	return state > THREAD_RUNNABLE && state < THREAD_NOT_KNOWN;
}

/* Of the sleeps since then, the length of the longest. */
static u64 longest_since(u64 since, u64 now)
{
	u64 longest = 0;
	u32 i;

	for (i = 0; i < nr; i++)
		if (is_sleep(pieces[i].state) && pieces[i].from >= since)
			longest = MAX(longest, (i + 1 < nr ? pieces[i].to : now) - pieces[i].from);
	return longest;
}

static void step(struct thread_states *s, u64 time, u32 *seed)
{
	enum thread_state state = pieces[nr - 1].state;
	struct err err;

	if (state == THREAD_RUNNING) {
		state = (enum thread_state)(THREAD_RUNNABLE + next_random(seed) % 4);
		change(state, time);
		assert_int_equal(thread_states_out(s, TID, time, state, nr, &err), 0);
	} else if (state == THREAD_RUNNABLE) {
		/* one more wake-up says nothing */
		assert_int_equal(thread_states_wake(s, TID, time - 1, 3, &err), 0);
		change(THREAD_RUNNING, time);
		assert_int_equal(thread_states_in(s, TID, 0, time, &err), 0);
	} else {
		thread_states_waking(s, TID, nr);
		change(THREAD_RUNNABLE, time);
		assert_int_equal(thread_states_wake(s, TID, time, 3, &err), 0);
	}
}

static void test_against_a_list(void **state)
{
	u64 so_far[THREAD_STATES], time = 1000, since;
	struct thread_states s = {0};
	struct thread_sleep sleep;
	u32 seed = 4711, i, known = 0;
	struct err err;

	(void)state;
	nr = 0;
	change(THREAD_RUNNING, time);
	assert_int_equal(thread_states_in(&s, TID, 0, time, &err), 0);
	while (nr < STEPS) {
		time += 10 + next_random(&seed) % 1000;
		step(&s, time, &seed);
		thread_states_at(&s, TID, time + 5, so_far);
		for (i = 0; i < THREAD_STATES; i++)
			assert_int_equal(so_far[i], time_in((enum thread_state)i, time + 5));
		/* of the last sleeps it is always known */
		since = time - MIN(time - 1000, next_random(&seed) % 3000);
		if (!thread_states_longest(&s, TID, since, time + 5, &sleep)) {
			assert_int_equal(longest_since(since, time + 5), 0);
			continue;
		}
		known++;
		assert_int_equal(sleep.end - sleep.begin, longest_since(since, time + 5));
		/* the switch, and the waker, were numbered by its piece */
		assert_int_equal(pieces[sleep.place - 1].from, sleep.begin);
		assert_int_equal(sleep.waker, sleep.end > time ? ID_NONE : sleep.place);
	}
	assert_true(known > STEPS / 4);
	thread_states_free(&s);
}

static void test_losses(void **state)
{
	u64 so_far[THREAD_STATES];
	struct thread_states s = {0};
	struct err err;

	(void)state;
	assert_int_equal(thread_states_in(&s, TID, 0, 100, &err), 0);
	assert_int_equal(thread_states_out(&s, TID, 200, THREAD_SLEEPING, 0, &err), 0);
	thread_states_lost(&s, 300);
	assert_int_equal(thread_states_in(&s, TID, 0, 400, &err), 0);
	thread_states_at(&s, TID, 450, so_far);
	assert_int_equal(so_far[THREAD_RUNNING], 150);
	assert_int_equal(so_far[THREAD_SLEEPING], 0);
	assert_int_equal(so_far[THREAD_NOT_KNOWN], 200);
	/* what was told does not change when a loss becomes known */
	thread_states_lost(&s, 460);
	thread_states_at(&s, TID, 500, so_far);
	assert_int_equal(so_far[THREAD_RUNNING], 150);
	assert_int_equal(so_far[THREAD_NOT_KNOWN], 250);
	assert_int_equal(thread_states_out(&s, TID, 520, THREAD_SLEEPING, 0, &err), 0);
	thread_states_at(&s, TID, 600, so_far);
	assert_int_equal(so_far[THREAD_RUNNING], 150);
	assert_int_equal(so_far[THREAD_SLEEPING], 80);
	/* an event of a thread that slept: that it was switched to was missed */
	assert_int_equal(thread_states_runs(&s, TID, 0, 700, &err), 0);
	thread_states_at(&s, TID, 710, so_far);
	assert_int_equal(so_far[THREAD_RUNNING], 160);
	assert_int_equal(so_far[THREAD_SLEEPING], 80);
	assert_int_equal(so_far[THREAD_NOT_KNOWN], 370);
	/* a thread that nobody has seen */
	thread_states_at(&s, 8, 450, so_far);
	assert_int_equal(so_far[THREAD_RUNNING], 0);
	thread_states_free(&s);
}

/* Sleeps that get shorter and shorter: the longest is remembered, and so is the last. */
static void test_many_sleeps(void **state)
{
	struct thread_states s = {0};
	struct thread_sleep sleep;
	u64 time = 1000, last = 0;
	struct err err;
	u32 i;

	(void)state;
	for (i = 0; i < 3 * THREAD_SLEEPS; i++) {
		last = time;
		assert_int_equal(thread_states_out(&s, TID, time, THREAD_SLEEPING, i, &err), 0);
		time += 1000 - i;
		assert_int_equal(thread_states_in(&s, TID, 0, time, &err), 0);
		time++;
	}
	assert_true(thread_states_longest(&s, TID, 0, time, &sleep));
	assert_int_equal(sleep.end - sleep.begin, 1000);
	assert_true(thread_states_longest(&s, TID, last, time, &sleep));
	assert_int_equal(sleep.place, 3 * THREAD_SLEEPS - 1);
	thread_states_free(&s);
}

/* Many threads that end, and numbers that are used again: the room is, too. */
static void test_many_threads(void **state)
{
	u64 so_far[THREAD_STATES], time = 1;
	struct thread_states s = {0};
	struct err err;
	u32 i;

	(void)state;
	for (i = 0; i < 10 * THREAD_STATES_DEAD; i++, time += 2) {
		u32 tid = 100 + i % (3 * THREAD_STATES_DEAD);

		assert_int_equal(thread_states_in(&s, tid, 0, time, &err), 0);
		assert_int_equal(thread_states_out(&s, tid, time + 1, THREAD_NOT_KNOWN, 0, &err),
				 0);
		thread_states_at(&s, tid, time + 1, so_far);
		assert_int_equal(so_far[THREAD_RUNNING], 1);
	}
	assert_true(s.threads.nr <= THREAD_STATES_DEAD + 2);
	thread_states_free(&s);
}

static void test_states(void **state)
{
	(void)state;
	assert_int_equal(thread_states_of(0), THREAD_RUNNABLE);
	assert_int_equal(thread_states_of(0x100), THREAD_RUNNABLE);
	assert_int_equal(thread_states_of(1), THREAD_SLEEPING);
	assert_int_equal(thread_states_of(2), THREAD_UNINTERRUPTIBLE);
	assert_int_equal(thread_states_of(8), THREAD_STOPPED);
	assert_int_equal(thread_states_of(0x10), THREAD_NOT_KNOWN);
	assert_int_equal(thread_states_of(0x80), THREAD_SLEEPING);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_a_list), cmocka_unit_test(test_losses),
		cmocka_unit_test(test_many_sleeps),    cmocka_unit_test(test_many_threads),
		cmocka_unit_test(test_states),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
