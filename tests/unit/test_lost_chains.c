// SPDX-License-Identifier: GPL-2.0
/* Lost samples, and beside them lost records of deferred call chains: rings tell of both alike, the account by event. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/made.h"
#include "util/file/recording.h"
#include "util/record/deferred.h"

/* Side-band, samples, and where it defers an event that tells of call chains. */
static struct recording made(bool defers)
{
	struct perf_event_attr attr = made_attr(MADE_TYPE);
	struct recording r = {0};

	assert_int_equal(event_set_add(&r.events, &attr, sizeof(attr), "side-band", NULL, 0, NULL),
			 0);
	assert_int_equal(event_set_add(&r.events, &attr, sizeof(attr), "a", NULL, 0, NULL), 1);
	if (defers)
		deferred_tell(&attr);
	assert_int_equal(event_set_add(&r.events, &attr, sizeof(attr), "last", NULL, 0, NULL), 2);
	return r;
}

static void add_loss(struct recording *r, u64 count)
{
	struct loss *l = vec_push(&r->losses);

	assert_non_null(l);
	*l = (struct loss){.cause = LOSS_RING, .cpu = 1, .event = ID_NONE, .count = count};
}

static void add_counts(struct recording *r, u32 event, u64 lost)
{
	struct counts *n = vec_push(&r->counts);

	assert_non_null(n);
	*n = (struct counts){.event = event, .flags = COUNTS_LOST, .lost = lost};
}

static void check(struct recording *r, u64 told, u64 samples, u64 chains)
{
	assert_int_equal(recording_lost(r, told), samples);
	assert_int_equal(recording_lost_chains(r), chains);
	recording_free(r);
}

static void test_told_apart(void **state)
{
	struct recording r = made(true);

	(void)state;
	add_loss(&r, 6);
	add_loss(&r, 4);
	add_counts(&r, 1, 7);
	add_counts(&r, 2, 3);
	check(&r, 10, 7, 3);
}

/* The last loss of a ring has no record behind it: only the account knows. */
static void test_account_knows_more(void **state)
{
	struct recording r = made(true);

	(void)state;
	add_loss(&r, 4);
	add_counts(&r, 1, 5);
	add_counts(&r, 2, 6);
	check(&r, 4, 5, 6);
}

/* Before an account is there, and of events whose records are samples. */
static void test_not_told_apart(void **state)
{
	struct recording r = made(true);

	(void)state;
	add_loss(&r, 10);
	check(&r, 9, 10, 0);

	r = made(false);
	add_loss(&r, 10);
	add_counts(&r, 1, 7);
	add_counts(&r, 2, 3);
	check(&r, 0, 10, 0);
}

/* Rings lose side-band, too: the kernel's own counts tell samples from it. */
static void test_sideband(void **state)
{
	struct recording r = made(false);

	(void)state;
	r.events.events.v[0].sideband = true;
	add_loss(&r, 15);
	add_counts(&r, 1, 7);
	add_counts(&r, 2, 3);
	check(&r, 15, 10, 0);

	/* an event without one, and one whose losses were added up from records */
	r = made(false);
	r.events.events.v[0].sideband = true;
	add_loss(&r, 15);
	add_counts(&r, 1, 7);
	check(&r, 15, 15, 0);

	r = made(false);
	r.events.events.v[0].sideband = true;
	add_loss(&r, 15);
	add_counts(&r, 1, 7);
	add_counts(&r, 2, 3);
	r.counts.v[1].flags = 0;
	check(&r, 15, 15, 0);
}

/* Accounts of events that there are not. */
static void test_bad_numbers(void **state)
{
	struct recording r = made(true);

	(void)state;
	add_counts(&r, 3, 5);
	add_counts(&r, ID_NONE, 6);
	check(&r, 0, 11, 0);

	r = made(false);
	add_counts(&r, ID_NONE, 6);
	check(&r, 0, 6, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_told_apart),     cmocka_unit_test(test_account_knows_more),
		cmocka_unit_test(test_not_told_apart), cmocka_unit_test(test_sideband),
		cmocka_unit_test(test_bad_numbers),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
