// SPDX-License-Identifier: GPL-2.0
/* What was lost, by cause and CPU; and its two payloads in the file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/made.h"
#include "tests/unit/oom.h"
#include "util/capture/loss_account.h"

static struct event_set two_events(void)
{
	static const u64 ids[] = {100, 101};
	struct perf_event_attr attr = made_attr(MADE_TYPE);
	struct event_set set = {0};

	assert_int_equal(event_set_add(&set, &attr, sizeof(attr), "side-band", NULL, 0, NULL), 0);
	assert_int_equal(event_set_add(&set, &attr, sizeof(attr), "a", &ids[0], 1, NULL), 1);
	assert_int_equal(event_set_add(&set, &attr, sizeof(attr), "b", &ids[1], 1, NULL), 2);
	return set;
}

/* A record of two or three words from that CPU. */
static void tell(struct loss_account *l, const struct event_set *set, u32 type, u32 cpu, u64 a,
		 u64 b, u64 before, u64 time)
{
	struct {
		struct perf_event_header h;
		u64 words[3];
	} record = {{type, 0, sizeof(record)}, {a, b, 0}};
	struct rec rec;

	assert_true(rec_view(&rec, &record, sizeof(record)));
	rec.cpu = cpu;
	rec.event = 1;
	loss_account_record(l, set, &rec, before, time);
}

static struct loss taken(struct cur *c)
{
	struct loss loss;

	assert_true(loss_get(c, &loss));
	return loss;
}

static void cpus_that_are_away(void **state)
{
	const struct loss first = loss_between(LOSS_OFFLINE, 1, 1000, 2000);
	const struct loss second = loss_between(LOSS_OFFLINE, 1, 5000, 6000);
	struct event_set set = two_events();
	struct loss_account l;

	(void)state;
	assert_int_equal(loss_account_init(&l, &set, NULL), 0);
	loss_account_loss(&l, &first);
	loss_account_loss(&l, &second);
	/* it was there in between */
	assert_int_equal(l.losses.nr, 2);
	assert_int_equal(l.losses.v[1].from, 5000);
	assert_int_equal(l.reports, 2);
	loss_account_free(&l);
	event_set_free(&set);
}

static void full_rings(void **state)
{
	struct event_set set = two_events();
	struct loss_account l;
	struct buf b = {0};
	struct loss loss;
	struct cur c;

	(void)state;
	assert_int_equal(loss_account_init(&l, &set, NULL), 0);
	loss_account_put(&l, &b);
	assert_int_equal(b.len, 0);
	tell(&l, &set, PERF_RECORD_LOST, 0, 100, 7, 1000, 1500);
	tell(&l, &set, PERF_RECORD_LOST, 1, 100, 5, 1100, 1200);
	tell(&l, &set, PERF_RECORD_LOST, 0, 101, 3, 1600, 1900);
	tell(&l, &set, PERF_RECORD_LOST_SAMPLES, 0, 4, 0, 1900, 1950);
	tell(&l, &set, PERF_RECORD_COMM, 0, 9, 9, 0, 2000);
	assert_int_equal(l.lost, 19);
	loss_account_put(&l, &b);
	c = cur_init_le(b.data, b.len);
	loss = taken(&c);
	/* one CPU's are one entry, from the first to the last */
	assert_int_equal(loss.cause, LOSS_RING);
	assert_int_equal(loss.cpu, 0);
	assert_int_equal(loss.event, ID_NONE);
	assert_int_equal(loss.from, 1000);
	assert_int_equal(loss.to, 1900);
	assert_int_equal(loss.count, 10);
	loss = taken(&c);
	assert_int_equal(loss.cpu, 1);
	assert_int_equal(loss.count, 5);
	loss = taken(&c);
	assert_int_equal(loss.event, 1);
	assert_int_equal(loss.count, 4);
	assert_int_equal(cur_left(&c), 0);
	/* until it is written it may have to be written again */
	assert_int_equal(l.losses.nr, 3);
	loss_account_written(&l);
	assert_int_equal(l.losses.nr, 0);
	buf_free(&b);
	loss_account_free(&l);
	event_set_free(&set);
}

/* The kernel counts what is lost on each CPU; of that, records tell what came before others. */
static void untold(void **state)
{
	struct event_set set = two_events();
	struct lost_on kernel = {0};
	struct loss_account l;

	(void)state;
	assert_int_equal(loss_account_init(&l, &set, NULL), 0);
	assert_int_equal(loss_account_untold(&l, &kernel, 2), 0);
	lost_on_add(&kernel, 0, 7);
	lost_on_add(&kernel, 2, 4);
	lost_on_add(&kernel, 2, 5);
	lost_on_add(&kernel, ID_NONE, 5);
	tell(&l, &set, PERF_RECORD_LOST, 0, 100, 7, 1000, 1500);
	tell(&l, &set, PERF_RECORD_LOST, 2, 100, 1, 1100, 1200);
	tell(&l, &set, PERF_RECORD_LOST_SAMPLES, 2, 2, 0, 1900, 1950);
	assert_int_equal(loss_account_untold(&l, &kernel, 0), 0);
	assert_int_equal(loss_account_untold(&l, &kernel, 1), 0);
	assert_int_equal(loss_account_untold(&l, &kernel, 2), 6);
	/* more was told than the kernel counts: its counters were closed */
	tell(&l, &set, PERF_RECORD_LOST, 2, 100, 9, 2000, 2100);
	assert_int_equal(loss_account_untold(&l, &kernel, 2), 0);
	/* what another process told is not known by CPU */
	lost_on_add(&kernel, 2, 9);
	assert_int_equal(loss_account_untold(&l, &kernel, 2), 6);
	l.told_before = 1;
	assert_int_equal(loss_account_untold(&l, &kernel, 2), 0);
	vec_free(&kernel);
	loss_account_free(&l);
	event_set_free(&set);
}

/* What programs lost is a part of the kernel's number, and is told of no CPU. */
static void programs(void **state)
{
	struct event_set set = two_events();
	struct counts kernel[3] = {{0}, {.lost = 2}, {.lost = 9, .missed = 4}};
	struct loss_account l;

	(void)state;
	assert_int_equal(loss_account_init(&l, &set, NULL), 0);
	tell(&l, &set, PERF_RECORD_LOST, 0, 100, 7, 1000, 1500);
	loss_account_written(&l);
	loss_account_close(&l, kernel, true);
	assert_int_equal(l.lost, 11);
	assert_int_equal(l.counts[2].lost, 9);
	assert_int_equal(l.losses.nr, 1);
	assert_int_equal(l.losses.v[0].cause, LOSS_PROGRAM);
	assert_int_equal(l.losses.v[0].cpu, ID_NONE);
	assert_int_equal(l.losses.v[0].event, 2);
	assert_int_equal(l.losses.v[0].count, 4);
	loss_account_free(&l);
	event_set_free(&set);
}

static void throttled(void **state)
{
	struct event_set set = two_events();
	struct loss_account l;
	struct buf b = {0};
	struct loss loss;
	struct cur c;

	(void)state;
	assert_int_equal(loss_account_init(&l, &set, NULL), 0);
	tell(&l, &set, PERF_RECORD_THROTTLE, 0, 1, 101, 0, 500);
	tell(&l, &set, PERF_RECORD_THROTTLE, 1, 1, 101, 0, 600);
	tell(&l, &set, PERF_RECORD_UNTHROTTLE, 0, 1, 101, 0, 700);
	/* one that was never paused says nothing */
	tell(&l, &set, PERF_RECORD_UNTHROTTLE, 0, 1, 100, 0, 800);
	/* the other never ends: until the end of the recording */
	loss_account_end(&l, &set, 900);
	assert_int_equal(l.throttles, 2);
	assert_int_equal(l.lost, 0);
	loss_account_put(&l, &b);
	c = cur_init_le(b.data, b.len);
	loss = taken(&c);
	assert_int_equal(loss.cause, LOSS_THROTTLED);
	assert_int_equal(loss.cpu, 0);
	assert_int_equal(loss.event, 2);
	assert_int_equal(loss.from, 500);
	assert_int_equal(loss.to, 700);
	loss = taken(&c);
	assert_int_equal(loss.cpu, 1);
	assert_int_equal(loss.from, 600);
	assert_int_equal(loss.to, 900);
	assert_int_equal(cur_left(&c), 0);
	buf_free(&b);
	loss_account_free(&l);
	event_set_free(&set);
}

/* Memory that runs out is remembered, not passed over. */
static void no_memory(void **state)
{
	struct event_set set = two_events();
	struct loss_account l;
	unsigned int n;

	(void)state;
	for (n = 0;; n++) {
		oom_after(n);
		if (!loss_account_init(&l, &set, NULL))
			tell(&l, &set, PERF_RECORD_THROTTLE, 0, 1, 100, 0, 500);
		if (!oom_stop())
			break;
		assert_true(!l.counts || l.failed || !l.pauses.nr || l.throttles);
		loss_account_free(&l);
	}
	assert_false(l.failed);
	loss_account_free(&l);
	event_set_free(&set);
}

static void payloads(void **state)
{
	struct counts n = {3, COUNTS_HITS | COUNTS_LOST, 10, 20, 30, 40, 100, 0, 0}, m;
	struct buf b = {0};
	struct cur c;
	size_t len;

	(void)state;
	loss_put_counts(&b, &n);
	c = cur_init_le(b.data, b.len);
	assert_true(loss_get_counts(&c, &m));
	assert_memory_equal(&n, &m, sizeof(n));
	for (len = 0; len < b.len; len++) {
		c = cur_init_le(b.data, len);
		assert_false(loss_get_counts(&c, &m));
	}
	assert_string_equal(loss_cause_name(LOSS_OFFLINE), "CPU offline");
	assert_null(loss_cause_name(0));
	assert_null(loss_cause_name(999));
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(full_rings), cmocka_unit_test(cpus_that_are_away),
		cmocka_unit_test(untold),     cmocka_unit_test(throttled),
		cmocka_unit_test(no_memory),  cmocka_unit_test(payloads),
		cmocka_unit_test(programs),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("loss_account", tests, NULL, NULL);
}
