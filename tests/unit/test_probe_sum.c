// SPDX-License-Identifier: GPL-2.0
/*
 * Adding up in the kernel: what a value holds after hits, also where one thread takes the CPU from another in the middle of it, after
 * each of its instructions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/probe/probe_internal.h"

#define BUSY 77

/* --- a machine that executes what is used here --- */

struct machine {
	const struct bpf_insn *insns;
	u32 at;
	u64 r[11];
	bool over;
};

static u64 *at(u64 base, s16 off)
{
	return (u64 *)(uintptr_t)(base + (u64)(s64)off);
}

static u64 arithmetic(u8 op, u64 a, u64 b)
{
	switch (op) {
	case BPF_ADD:
		return a + b;
	case BPF_SUB:
		return a - b;
	case BPF_AND:
		return a & b;
	case BPF_XOR:
		return a ^ b;
	case BPF_LSH:
		return a << b;
	case BPF_RSH:
		return a >> b;
	case BPF_ARSH:
		return (u64)((s64)a >> b);
	case BPF_NEG:
		return -a;
	case BPF_MOV:
		return b;
	default:
		fail_msg("no such arithmetic: %x", op);
		return 0;
	}
}

static bool jumps(u8 op, u64 a, u64 b)
{
	switch (op) {
	case BPF_JA:
		return true;
	case BPF_JEQ:
		return a == b;
	case BPF_JNE:
		return a != b;
	case BPF_JGE:
		return a >= b;
	case BPF_JSGE:
		return (s64)a >= (s64)b;
	default:
		fail_msg("no such jump: %x", op);
		return false;
	}
}

static void atomic(struct machine *m, const struct bpf_insn *i)
{
	u64 *to = at(m->r[i->dst_reg], i->off), old = *to;

	switch (i->imm) {
	case BPF_ADD:
		*to += m->r[i->src_reg];
		break;
	case BPF_ADD | BPF_FETCH:
		*to += m->r[i->src_reg];
		m->r[i->src_reg] = old;
		break;
	case BPF_CMPXCHG:
		if (old == m->r[0])
			*to = m->r[i->src_reg];
		m->r[0] = old;
		break;
	default:
		fail_msg("no such operation: %x", (u32)i->imm);
	}
}

static void step(struct machine *m)
{
	const struct bpf_insn *i = &m->insns[m->at++];
	const u64 by = BPF_SRC(i->code) == BPF_X ? m->r[i->src_reg] : (u64)(s64)i->imm;

	switch (BPF_CLASS(i->code)) {
	case BPF_ALU64:
		m->r[i->dst_reg] = arithmetic(BPF_OP(i->code), m->r[i->dst_reg], by);
		break;
	case BPF_LD:
		m->r[i->dst_reg] = (u32)i->imm | (u64)(u32)m->insns[m->at++].imm << 32;
		break;
	case BPF_LDX:
		m->r[i->dst_reg] = *at(m->r[i->src_reg], i->off);
		break;
	case BPF_STX:
		if (BPF_MODE(i->code) == BPF_ATOMIC)
			atomic(m, i);
		else
			*at(m->r[i->dst_reg], i->off) = m->r[i->src_reg];
		break;
	case BPF_JMP:
		if (BPF_OP(i->code) == BPF_EXIT)
			m->over = true;
		else if (jumps(BPF_OP(i->code), m->r[i->dst_reg], by))
			m->at = (u32)((s32)m->at + i->off);
		break;
	default:
		fail_msg("no such instruction: %x", i->code);
	}
}

/* --- hits --- */

struct sums {
	struct probe_sum what;
	struct bpf_code code;
	union {
		struct probe_sum_value v;
		u64 words[sizeof(struct probe_sum_value) / sizeof(u64) + 129];
	};
};

/* One hit with the number R1, in the value at R0. */
static void make(struct sums *s, bool preempted)
{
	const struct probe_sum_place place = {
		.sum = &s->what, .code = &s->code, .preempted = preempted};
	const u32 busy = bpf_code_label(&s->code);

	probe_sum_ends(&place, busy);
	probe_sum_hit(&place);
	probe_sum_number(&place);
	bpf_code_number(&s->code, R0, 0);
	bpf_code_exit(&s->code);
	bpf_code_here(&s->code, busy);
	bpf_code_number(&s->code, R0, BUSY);
	bpf_code_exit(&s->code);
	assert_true(bpf_code_end(&s->code));
}

static struct machine begin(struct sums *s, u64 number)
{
	return (struct machine){.insns = s->code.insns.v, .r = {(u64)(uintptr_t)&s->v, number}};
}

static void finish(struct machine *m)
{
	while (!m->over)
		step(m);
	assert_int_equal(m->r[0], 0);
}

static u32 bucket(const struct probe_sum *what, u64 number)
{
	const bool negative = what->is_signed && (s64)number < 0;
	u64 left = negative ? -number : number;
	u32 digits = 0;

	for (; left; left >>= 1)
		digits++;
	return !what->is_signed ? digits : negative ? 64 - digits : 64 + digits;
}

static bool is_less(const struct probe_sum *what, u64 a, u64 b)
{
	return what->is_signed ? (s64)a < (s64)b : a < b;
}

/* Does the value hold these numbers, and nothing else? */
static bool holds(const struct sums *s, const u64 *numbers, u32 nr)
{
	u64 least = numbers[0], most = numbers[0], buckets[129] = {0};
	unsigned __int128 sum = 0;
	u32 i;

	for (i = 0; i < nr; i++) {
		least = is_less(&s->what, numbers[i], least) ? numbers[i] : least;
		most = is_less(&s->what, most, numbers[i]) ? numbers[i] : most;
		sum += s->what.is_signed ? (unsigned __int128)(__int128)(s64)numbers[i]
					 : numbers[i];
		buckets[bucket(&s->what, numbers[i])]++;
	}
	return s->v.nr == nr && s->v.with == nr && s->v.sum_low == (u64)sum &&
	       s->v.sum_high == (u64)(sum >> 64) && probe_sum_least(&s->what, &s->v) == least &&
	       probe_sum_most(&s->what, &s->v) == most &&
	       !memcmp(s->v.buckets, buckets, probe_sum_buckets(&s->what) * sizeof(u64));
}

static const u64 numbers[] = {0,          1,         5,    UINT64_MAX, UINT64_MAX - 6,
			      1ull << 63, INT64_MAX, 4096, 1ull << 32};
#define NUMBERS ARRAY_SIZE(numbers)

static void test_one_after_the_other(void **state)
{
	u32 is_signed, preempted, i;

	(void)state;
	for (is_signed = 0; is_signed < 2; is_signed++) {
		for (preempted = 0; preempted < 2; preempted++) {
			struct sums s = {.what = {true, is_signed, true}};

			make(&s, preempted);
			for (i = 0; i < NUMBERS; i++) {
				struct machine m = begin(&s, numbers[i]);

				finish(&m);
				assert_true(holds(&s, numbers, i + 1));
			}
			bpf_code_free(&s.code);
		}
	}
}

/* How often something is wrong if b takes the CPU from a, after each instruction of it; `before`: after another one. */
static u32 wrong_between(struct sums *s, u64 before, u64 a, u64 b, u32 *tried)
{
	const u64 all[] = {before, a, b};
	u32 steps, i, wrong = 0;
	bool over = false;

	for (steps = 0; !over; steps++) {
		struct machine first, one, other;

		memset(s->words, 0, sizeof(s->words));
		first = begin(s, before);
		finish(&first);
		one = begin(s, a);
		for (i = 0; i < steps && !one.over; i++)
			step(&one);
		over = one.over;
		other = begin(s, b);
		finish(&other);
		if (!over)
			finish(&one);
		wrong += !holds(s, all, ARRAY_SIZE(all));
		++*tried;
	}
	return wrong;
}

static u32 wrong_of_all(bool is_signed, bool preempted, u32 *tried)
{
	struct sums s = {.what = {true, is_signed, true}};
	u32 a, b, wrong = 0;

	make(&s, preempted);
	for (a = 0; a < NUMBERS; a++)
		for (b = 0; b < NUMBERS; b++)
			wrong += wrong_between(&s, numbers[(a + b) % NUMBERS], numbers[a],
					       numbers[b], tried);
	bpf_code_free(&s.code);
	return wrong;
}

static void test_one_amid_the_other(void **state)
{
	u32 is_signed, tried;

	(void)state;
	for (is_signed = 0; is_signed < 2; is_signed++) {
		tried = 0;
		assert_int_equal(wrong_of_all(is_signed, true, &tried), 0);
		assert_true(tried > 20 * NUMBERS * NUMBERS);
		/* what no thread can interrupt does it with fewer instructions, which would lose */
		assert_true(wrong_of_all(is_signed, false, &tried) > 0);
	}
}

/* Somebody else is there at each try: the hit is not in the value, and the program knows it. */
static void test_always_others(void **state)
{
	struct sums s = {.what = {true, false, false}};
	struct machine m;
	u64 others = 0;

	(void)state;
	make(&s, true);
	m = begin(&s, 1000);
	while (!m.over) {
		if (BPF_MODE(s.code.insns.v[m.at].code) == BPF_ATOMIC &&
		    s.code.insns.v[m.at].imm == BPF_CMPXCHG)
			s.v.above = ++others;
		step(&m);
	}
	assert_int_equal(m.r[0], BUSY);
	assert_int_equal(s.v.nr, 0);
	bpf_code_free(&s.code);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_after_the_other),
		cmocka_unit_test(test_one_amid_the_other),
		cmocka_unit_test(test_always_others),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
