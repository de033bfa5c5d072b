// SPDX-License-Identifier: GPL-2.0
/*
 * convert --to parquet: losses in order, whatever their order in the recording is, and memory that runs out.
 * tests/cli/parquet.t reads what is written.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/made_session.h"
#include "util/export/export.h"

static const struct loss late = {LOSS_RING, 1, ID_NONE, 3000, 4000, 7};
static const struct loss early = {LOSS_STOPPED, ID_NONE, ID_NONE, 1000, 5000, 0};
static const struct loss mine = {LOSS_THROTTLED, 0, MADE_CLOCK, 2000, 0, 0};
static const struct loss others = {LOSS_THROTTLED, 0, MADE_FAULTS, 2500, 0, 0};
static const struct loss timeless = {LOSS_DISK, ID_NONE, ID_NONE, 0, 0, 9};

/* The table of the losses of an event in such a recording, after that many allocations. 0 or -ENOMEM; *refused: one was. */
static int try_make(const struct loss *losses, u32 nr, u32 event, unsigned int after,
		    struct buf *out, bool *refused)
{
	struct sink *sink = NULL;
	struct made_session m;
	struct loss *l;
	u32 i;
	int ret;

	made_session_begin(&m);
	for (i = 0; i < nr; i++) {
		l = vec_push(&m.recording.losses);
		assert_non_null(l);
		*l = losses[i];
	}
	/* ten more, that no entry has */
	m.s.totals.lost = 17;
	oom_after(after);
	ret = export_parquet_losses(&m.s, event, &sink, NULL);
	if (!ret)
		ret = made_session_finish(sink, out);
	*refused = oom_stop();
	if (sink)
		sink->ops->free(sink);
	made_session_end(&m);
	return ret;
}

static void make(const struct loss *losses, u32 nr, u32 event, struct buf *out)
{
	bool refused;

	assert_int_equal(try_make(losses, nr, event, UINT32_MAX, out, &refused), 0);
	assert_false(refused);
}

static void same(const struct loss *a, u32 nr_a, u32 event_a, const struct loss *b, u32 nr_b,
		 u32 event_b, bool want)
{
	struct buf one = {0}, other = {0};

	make(a, nr_a, event_a, &one);
	make(b, nr_b, event_b, &other);
	assert_int_equal(one.len == other.len && !memcmp(one.data, other.data, one.len), want);
	buf_free(&one);
	buf_free(&other);
}

static void losses(void **state)
{
	const struct loss sorted[] = {early, mine, others, late, timeless};
	const struct loss mixed[] = {timeless, late, others, early, mine};
	const struct loss chosen[] = {early, mine, late, timeless};

	(void)state;
	same(mixed, 5, ID_NONE, sorted, 5, ID_NONE, true);
	/* those of another event are not there */
	same(mixed, 5, MADE_CLOCK, chosen, 4, ID_NONE, true);
	same(mixed, 5, ID_NONE, chosen, 4, ID_NONE, false);
}

static void losses_out_of_memory(void **state)
{
	const struct loss all[] = {timeless, late, others, early, mine};
	bool refused = true;
	struct buf out;
	unsigned int n;
	int ret = 0;

	(void)state;
	for (n = 0; refused; n++) {
		out = (struct buf){0};
		ret = try_make(all, ARRAY_SIZE(all), ID_NONE, n, &out, &refused);
		assert_int_equal(ret, refused ? -ENOMEM : 0);
		buf_free(&out);
	}
	assert_true(n > 20);
}

static void out_of_memory(void **state)
{
	(void)state;
	made_session_out_of_memory(export_parquet, MADE_HIT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(losses),
		cmocka_unit_test(losses_out_of_memory),
		cmocka_unit_test(out_of_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
