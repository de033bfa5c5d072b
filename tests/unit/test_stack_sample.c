// SPDX-License-Identifier: GPL-2.0
/* Samples with registers and a stack, and the shorter ones that are stored. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/made.h"
#include "util/capture/recorded_events.h"
#include "util/record/chain.h"

#define BEFORE (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD)
#define TYPE                                                                        \
	(BEFORE | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | PERF_SAMPLE_REGS_USER | \
	 PERF_SAMPLE_STACK_USER)
#define MASK 0x1c0u /* three registers */

static const u64 kernel[] = {(u64)PERF_CONTEXT_KERNEL, 0xffffffff81000001, 0xffffffff81000002};
static const u64 user[] = {0x401000, 0x402000, CHAIN_END + CHAIN_ROOT};

struct fixture {
	struct perf_event_attr live, stored;
	struct sample_layout live_plan, stored_plan;
	struct buf in, out;
	struct sample sample; /* decoded of out */
};

static void setup(struct fixture *f, u64 type, bool keep)
{
	*f = (struct fixture){.live = made_attr(type)};
	f->live.sample_regs_user = MASK;
	f->live.sample_stack_user = 64;
	f->live.exclude_callchain_user = 1;
	f->stored = f->live;
	recorded_stored_attr(&f->stored, keep);
	sample_layout_init(&f->live_plan, &f->live);
	sample_layout_init(&f->stored_plan, &f->stored);
}

static void teardown(struct fixture *f)
{
	buf_free(&f->in);
	buf_free(&f->out);
}

/* A sample as the kernel writes it: a stack of `size` bytes, `valid` of them copied. */
static void make(struct fixture *f, const u64 *chain, u32 nr, u64 abi, u32 size, u32 valid)
{
	size_t at;
	u32 i;

	buf_clear(&f->in);
	at = made_begin(&f->in, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	buf_u64(&f->in, 77);
	buf_u32(&f->in, 100);
	buf_u32(&f->in, 101);
	buf_u64(&f->in, 123456);
	buf_u64(&f->in, 250000);
	buf_u64(&f->in, nr);
	buf_add(&f->in, chain, nr * sizeof(*chain));
	buf_u32(&f->in, 12);
	buf_add(&f->in, "raw data....", 12);
	buf_u64(&f->in, abi);
	for (i = 0; abi && i < 3; i++)
		buf_u64(&f->in, 0x1000 + i);
	buf_u64(&f->in, size);
	for (i = 0; i < size; i++)
		buf_u8(&f->in, i < valid ? (u8)(i + 1) : 0xee);
	if (size)
		buf_u64(&f->in, valid);
	made_end(&f->in, at);
}

static void put(struct fixture *f, const u64 *words, u32 nr, bool keep)
{
	struct sample s;
	struct rec rec;

	assert_true(rec_view(&rec, f->in.data, f->in.len));
	assert_int_equal(rec.size, f->in.len);
	assert_true(sample_layout_sample(&f->live_plan, &rec, &s));
	buf_clear(&f->out);
	assert_true(recorded_sample_put(&f->out, &rec, &s, words, nr, keep));
	assert_true(rec_view(&rec, f->out.data, f->out.len));
	assert_int_equal(rec.size, f->out.len);
	assert_int_equal(rec.misc, PERF_RECORD_MISC_USER);
	assert_true(sample_layout_sample(&f->stored_plan, &rec, &f->sample));
	/* what is around it is as it was */
	assert_int_equal(f->sample.ids.id, 77);
	assert_int_equal(f->sample.ids.pid, 100);
	assert_int_equal(f->sample.ids.tid, 101);
	assert_int_equal(f->sample.ids.time, 123456);
	assert_int_equal(f->sample.period, 250000);
	assert_int_equal(f->sample.raw_size, 12);
	assert_memory_equal(f->sample.raw, "raw data....", 12);
}

static void attrs(void **state)
{
	struct perf_event_attr plain = made_attr(MADE_TYPE), before = plain;
	struct fixture f;

	(void)state;
	setup(&f, TYPE, false);
	assert_true(recorded_has_stack(&f.live));
	assert_false(recorded_has_stack(&f.stored));
	assert_int_equal(f.stored.sample_type,
			 TYPE & ~(u64)(PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER));
	assert_int_equal(f.stored.exclude_callchain_user, 0);
	assert_int_equal(f.stored.sample_stack_user, 0);
	setup(&f, TYPE, true);
	assert_int_equal(f.stored.sample_type, TYPE);
	assert_int_equal(f.stored.sample_stack_user, 64);
	assert_int_equal(f.stored.exclude_callchain_user, 0);
	/* an event without stacks stays what it is */
	plain.exclude_callchain_user = before.exclude_callchain_user = 1;
	recorded_stored_attr(&plain, false);
	assert_memory_equal(&plain, &before, sizeof(plain));
}

static void shorter(void **state)
{
	struct fixture f;
	u64 both[5];

	(void)state;
	setup(&f, TYPE, false);
	make(&f, kernel, 3, PERF_SAMPLE_REGS_ABI_64, 64, 40);
	put(&f, user, 3, false);
	assert_int_equal(f.sample.chain_nr, 7);
	assert_memory_equal(f.sample.chain, kernel, sizeof(kernel));
	assert_true(f.sample.chain[3] == (u64)PERF_CONTEXT_USER);
	assert_memory_equal(f.sample.chain + 4, user, sizeof(user));
	/* nothing of the kernel; nothing of the user */
	make(&f, kernel, 0, PERF_SAMPLE_REGS_ABI_64, 64, 64);
	put(&f, user, 3, false);
	assert_int_equal(f.sample.chain_nr, 4);
	assert_true(f.sample.chain[0] == (u64)PERF_CONTEXT_USER);
	make(&f, kernel, 3, PERF_SAMPLE_REGS_ABI_NONE, 0, 0);
	put(&f, NULL, 0, false);
	assert_int_equal(f.sample.chain_nr, 3);
	/* the kernel's own user half gives way */
	memcpy(both, kernel, 2 * sizeof(u64));
	both[2] = (u64)PERF_CONTEXT_USER;
	both[3] = 0x999;
	both[4] = 0x998;
	make(&f, both, 5, PERF_SAMPLE_REGS_ABI_64, 64, 64);
	put(&f, user, 3, false);
	assert_int_equal(f.sample.chain_nr, 6);
	assert_memory_equal(f.sample.chain + 3, user, sizeof(user));
	teardown(&f);
}

static void kept(void **state)
{
	struct fixture f;
	u32 i;

	(void)state;
	setup(&f, TYPE, true);
	/* not filled: the stack ended, and its last word says so */
	make(&f, kernel, 3, PERF_SAMPLE_REGS_ABI_64, 64, 40);
	put(&f, user, 3, true);
	assert_int_equal(f.sample.chain_nr, 7);
	assert_int_equal(f.sample.regs_user.abi, PERF_SAMPLE_REGS_ABI_64);
	assert_int_equal(f.sample.regs_user.reg[2], 0x1002);
	assert_int_equal(f.sample.stack_size, 48);
	assert_int_equal(f.sample.stack_dyn_size, 40);
	for (i = 0; i < 40; i++)
		assert_int_equal(f.sample.stack[i], i + 1);
	/* filled: there may be more */
	make(&f, kernel, 3, PERF_SAMPLE_REGS_ABI_32, 64, 64);
	put(&f, user, 3, true);
	assert_int_equal(f.sample.regs_user.abi, PERF_SAMPLE_REGS_ABI_32);
	assert_int_equal(f.sample.stack_size, 64);
	assert_int_equal(f.sample.stack_dyn_size, 64);
	/* none, and none that is valid */
	make(&f, kernel, 3, PERF_SAMPLE_REGS_ABI_NONE, 0, 0);
	put(&f, NULL, 0, true);
	assert_int_equal(f.sample.stack_size, 0);
	make(&f, kernel, 3, PERF_SAMPLE_REGS_ABI_64, 64, 0);
	put(&f, user, 3, true);
	assert_int_equal(f.sample.stack_size, 0);
	teardown(&f);
}

/* A record has no more than 64 KiB, and the chain comes first. */
static void full(void **state)
{
	u64 *chain = calloc(UINT16_MAX, sizeof(*chain));
	struct fixture f;
	struct sample s;
	struct rec rec;

	(void)state;
	setup(&f, TYPE, true);
	make(&f, kernel, 3, PERF_SAMPLE_REGS_ABI_64, 65000, 65000);
	put(&f, chain, 4000, true);
	assert_int_equal(f.sample.chain_nr, 4004);
	assert_in_range(f.sample.stack_size, 30000, 34000);
	assert_int_equal(f.sample.stack_size, f.sample.stack_dyn_size);
	assert_in_range(f.out.len, UINT16_MAX - 16, UINT16_MAX);
	/* a chain that no record holds is refused, and nothing was appended */
	assert_true(rec_view(&rec, f.in.data, f.in.len));
	assert_true(sample_layout_sample(&f.live_plan, &rec, &s));
	buf_clear(&f.out);
	assert_false(recorded_sample_put(&f.out, &rec, &s, chain, 8200, true));
	assert_int_equal(f.out.len, 0);
	free(chain);
	teardown(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(attrs),
		cmocka_unit_test(shorter),
		cmocka_unit_test(kept),
		cmocka_unit_test(full),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("stack_sample", tests, NULL, NULL);
}
