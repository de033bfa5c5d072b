// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/made_source.h"
#include "tests/unit/oom.h"
#include "util/file/reorder.h"
#include "util/profile/deferred_chains.h"
#include "util/record/chain.h"
#include "util/record/deferred.h"

enum { SAMPLES = 7, TELLER = 8 }; /* ids of the two events */

/*
 * What comes, in order of time: one letter each, a thread, a cookie.
 *	s sample that waits   p sample that does not   r record of a chain   x exec   c another COMM
 *	e record without a chain   d one that says more than it has   o order of a live source
 *	m mapping, from 0x1000 times the cookie
 */
struct step {
	char what;
	u32 tid;
	u64 cookie, time; /* 0: ten after the one before */
};

struct reading {
	struct made_source m; /* first */
	const struct step *steps;
	u32 nr; /* then they begin again */
};

static void put_sample(struct made_source *m, const struct step *s, bool waits)
{
	const u64 chain[] = {(u64)PERF_CONTEXT_KERNEL, 0xffffffff81000000, 0xffffffff81000010,
			     waits ? DEFERRED_CONTEXT : (u64)PERF_CONTEXT_USER, s->cookie};

	made_sample(&m->b, &(struct made_sample){.id = SAMPLES,
						 .ip = chain[1],
						 .time = m->time,
						 .pid = s->tid,
						 .tid = s->tid,
						 .chain = chain,
						 .nr = ARRAY_SIZE(chain)});
}

static void put_chain(struct made_source *m, const struct step *s)
{
	size_t at = made_begin(&m->b, DEFERRED_RECORD, PERF_RECORD_MISC_USER);
	u32 nr = s->what == 'e' ? 0 : 2;

	buf_u64(&m->b, s->cookie);
	buf_u64(&m->b, s->what == 'd' ? 1u << 30 : nr);
	if (nr) {
		buf_u64(&m->b, s->cookie * 16);
		buf_u64(&m->b, s->tid);
	}
	buf_u32(&m->b, s->tid);
	buf_u32(&m->b, s->tid);
	buf_u64(&m->b, m->time);
	buf_u64(&m->b, 0); /* cpu */
	buf_u64(&m->b, TELLER);
	made_end(&m->b, at);
}

static void put_mapping(struct made_source *m, const struct step *s,
			const struct sample_layout *layout, const struct rec_ids *ids)
{
	const struct rec_mmap2 mapping = {.pid = s->tid,
					  .tid = s->tid,
					  .start = s->cookie << 12,
					  .len = 0x1000,
					  .prot = 5,
					  .name = "file"};

	if (s->cookie % 2)
		rec_build_mmap2(&m->b, layout, ids, PERF_RECORD_MISC_USER, &mapping);
	else
		rec_build_mmap(&m->b, layout, ids, PERF_RECORD_MISC_USER, &mapping);
}

static int put_step(struct made_source *m)
{
	const struct reading *r = (const struct reading *)m;
	const struct step *s = &r->steps[m->at % r->nr];
	struct sample_layout layout = made_layout(MADE_TYPE);
	struct rec_ids ids;

	m->time = s->time ? s->time : m->time + 10;
	if (s->what == 'o') {
		m->source.order = m->time;
		return SOURCE_WAIT;
	}
	ids = (struct rec_ids){.pid = s->tid, .tid = s->tid, .time = m->time, .id = TELLER};
	if (s->what == 's' || s->what == 'p')
		put_sample(m, s, s->what == 's');
	else if (s->what == 'x' || s->what == 'c')
		rec_build_comm(&m->b, &layout, &ids,
			       s->what == 'x' ? PERF_RECORD_MISC_COMM_EXEC : 0, s->tid, s->tid,
			       "new");
	else if (s->what == 'm')
		put_mapping(m, s, &layout, &ids);
	else
		put_chain(m, s);
	return SOURCE_RECORD;
}

static void begin(struct reading *r, const struct step *steps, u32 nr)
{
	struct perf_event_attr waits = made_attr(MADE_TYPE), tells = made_attr(MADE_TYPE);
	static const u64 ids[] = {SAMPLES, TELLER};

	made_source_begin(&r->m, put_step, nr);
	r->m.cpu = 3;
	r->steps = steps;
	r->nr = nr;
	deferred_ask(&waits);
	deferred_tell(&tells);
	event_set_add(&r->m.recording.events, &waits, sizeof(waits), "s", &ids[0], 1, NULL);
	event_set_add(&r->m.recording.events, &tells, sizeof(tells), "t", &ids[1], 1, NULL);
}

static int wrap(struct reading *r, struct deferred_chains_options o)
{
	int ret = reorder_wrap(&r->m.top, &r->m.err);

	return ret ? ret : deferred_chains_wrap(&r->m.top, &o, &r->m.err);
}

static void put_end(const struct sample *s, struct buf *out)
{
	u64 last = s->chain[s->chain_nr - 1];

	/* the kernel's half is there in any case */
	assert_true(s->chain_nr >= 4 && s->chain[2] == 0xffffffff81000010);
	if (chain_is_end(last))
		buf_addf(out, "-%s", last == CHAIN_END + CHAIN_NO_RETURN ? "none" : "no-stack");
	else if (s->chain_nr == 6 && s->chain[3] == (u64)PERF_CONTEXT_USER)
		buf_addf(out, "=%llx", (unsigned long long)s->chain[4]);
}

/* A mapping that belongs to the next sample: where it begins. */
static void put_ahead(const struct rec *rec, struct buf *out)
{
	struct cur c = rec_body(rec);

	assert_true(rec->type == PERF_RECORD_MMAP || rec->type == PERF_RECORD_MMAP2);
	cur_u64(&c);
	buf_addf(out, "+%llu ", (unsigned long long)cur_u64(&c) >> 12);
}

/* All records as text: a letter, the time, what the chain of a sample ends in. */
static char *read_all(struct reading *r, struct buf *out)
{
	struct sample_layout layout = made_layout(MADE_TYPE);
	struct sample s;
	struct rec rec;
	int ret;

	buf_clear(out);
	while ((ret = source_step(r->m.top, &rec, &r->m.err)) > 0) {
		if (ret == SOURCE_WAIT) {
			buf_adds(out, "wait ");
			continue;
		}
		assert_int_equal((uintptr_t)rec.data % 8, 0);
		assert_int_equal(rec.cpu, 3);
		if (rec.ahead) {
			put_ahead(&rec, out);
			continue;
		}
		switch (rec.type) {
		case PERF_RECORD_SAMPLE:
			assert_int_equal(rec.event, 0);
			assert_true(sample_layout_sample(&layout, &rec, &s));
			buf_addf(out, "s%llu", (unsigned long long)s.ids.time);
			put_end(&s, out);
			break;
		case DEFERRED_RECORD:
			assert_int_equal(rec.event, 1);
			buf_addf(out, "r%llu",
				 (unsigned long long)sample_layout_time(&layout, &rec));
			break;
		default:
			buf_addf(out, "c%llu",
				 (unsigned long long)sample_layout_time(&layout, &rec));
		}
		buf_addc(out, ' ');
	}
	assert_int_equal(ret, 0);
	return (char *)(uintptr_t)buf_str(out);
}

static const struct deferred_chains_options no_bounds = {.max_bytes = 1 << 20};

static void check(const struct step *steps, u32 nr, struct deferred_chains_options o,
		  const char *expected, const char *note)
{
	struct buf out = {0};
	struct reading r;

	begin(&r, steps, nr);
	assert_int_equal(wrap(&r, o), 0);
	assert_string_equal(read_all(&r, &out), expected);
	buf_clear(&out);
	deferred_chains_note(&r.m.recording, &out);
	assert_string_equal(buf_str(&out), note);
	made_source_end(&r.m);
	buf_free(&out);
}

#define CHECK(o, expected, note, ...)                                          \
	do {                                                                   \
		static const struct step steps[] = {__VA_ARGS__};              \
		check(steps, (u32)ARRAY_SIZE(steps), (o), (expected), (note)); \
	} while (0)

static void joins_in_order(void **state)
{
	(void)state;
	/* one stay with two samples, beside what does not wait */
	CHECK(no_bounds, "s10=10 c20 s30=10 s40 r50 s60 ", "", {'s', 5, 1, 0}, {'c', 5, 0, 0},
	      {'s', 5, 1, 0}, {'p', 6, 0, 0}, {'r', 5, 1, 0}, {'p', 6, 0, 0});
	/* two threads at once, the second back first */
	CHECK(no_bounds, "s10=10 s20=20 r30 r40 s50=30 r60 ", "", {'s', 5, 1, 0}, {'s', 6, 2, 0},
	      {'r', 6, 2, 0}, {'r', 5, 1, 0}, {'s', 5, 3, 0}, {'r', 5, 3, 0});
}

static void says_what_is_missing(void **state)
{
	(void)state;
	CHECK(no_bounds, "s10-none s20=20 r30 s40 ",
	      "1 of 2 deferred call chains lack their user half: 1 had not returned to user space, "
	      "or the record was lost\n",
	      {'s', 5, 1, 0}, {'s', 6, 2, 0}, {'r', 6, 2, 0}, {'p', 6, 0, 0});
	/* a record before its sample, as a damaged file may have it, is no answer; nor is another's */
	CHECK(no_bounds, "r10 s20-none ",
	      "1 of 1 deferred call chains lack their user half: 1 had not returned to user space, "
	      "or the record was lost\n",
	      {'r', 5, 1, 0}, {'s', 5, 1, 0});
	CHECK(no_bounds, "s10-no-stack r20 ",
	      "1 of 1 deferred call chains lack their user half: 1 began another program\n",
	      {'s', 5, 1, 0}, {'r', 6, 1, 0});
	/* one that says nothing, one that cannot be read */
	CHECK(no_bounds, "s10-no-stack r20 ", "", {'s', 5, 1, 0}, {'e', 5, 1, 0});
	CHECK(no_bounds, "s10-none r20 ",
	      "1 of 1 deferred call chains lack their user half: 1 had not returned to user space, "
	      "or the record was lost\n",
	      {'s', 5, 1, 0}, {'d', 5, 1, 0});
	/* of two the first */
	CHECK(no_bounds, "s10 s20=10 r30 r40 ", "", {'p', 5, 1, 0}, {'s', 5, 1, 0}, {'r', 5, 1, 0},
	      {'r', 5, 1, 0});
}

static void knows_other_programs(void **state)
{
	(void)state;
	/* the exec lies between; that of another thread, or before, does not matter */
	CHECK(no_bounds, "s10-no-stack c20 r30 ",
	      "1 of 1 deferred call chains lack their user half: 1 began another program\n",
	      {'s', 5, 1, 0}, {'x', 5, 0, 0}, {'r', 5, 1, 0});
	CHECK(no_bounds, "s10=10 c20 r30 ", "", {'s', 5, 1, 0}, {'x', 6, 0, 0}, {'r', 5, 1, 0});
	CHECK(no_bounds, "s10=20 c20 s30=10 r40 r50 ", "", {'s', 6, 2, 0}, {'x', 5, 0, 0},
	      {'s', 5, 1, 0}, {'r', 5, 1, 0}, {'r', 6, 2, 0});
}

static void tells_of_mappings(void **state)
{
	(void)state;
	/* its own, behind it and before the record, in order */
	CHECK(no_bounds, "c10 +2 +3 s20=10 c30 c40 c50 r60 c70 ", "", {'m', 5, 1, 0},
	      {'s', 5, 1, 0}, {'m', 5, 2, 0}, {'m', 6, 9, 0}, {'m', 5, 3, 0}, {'r', 5, 1, 0},
	      {'m', 5, 4, 0});
	/* of two in one stay, the second has fewer; what another stay mapped is none of its */
	CHECK(no_bounds, "+2 +3 s10=10 c20 +3 s30=10 c40 r50 s60=20 r70 ", "", {'s', 5, 1, 0},
	      {'m', 5, 2, 0}, {'s', 5, 1, 0}, {'m', 5, 3, 0}, {'r', 5, 1, 0}, {'s', 5, 2, 0},
	      {'r', 5, 2, 0});
	/* of another program's stack, or of none, none */
	CHECK(no_bounds, "s10-no-stack c20 c30 r40 ",
	      "1 of 1 deferred call chains lack their user half: 1 began another program\n",
	      {'s', 5, 1, 0}, {'x', 5, 0, 0}, {'m', 5, 2, 0}, {'r', 5, 1, 0});
}

static void keeps_its_bounds(void **state)
{
	const struct deferred_chains_options small = {.max_bytes = 300};
	const struct deferred_chains_options live = {.max_bytes = 1 << 20, .max_wait_ns = 100};

	(void)state;
	CHECK(small, "s10-none s20 s30 s40 r50 ",
	      "1 of 1 deferred call chains lack their user half: 1 did so too late\n",
	      {'s', 5, 1, 0}, {'p', 6, 0, 0}, {'p', 6, 0, 0}, {'p', 6, 0, 0}, {'r', 5, 1, 0});
	CHECK(live, "wait wait wait s10-none s20 r220 ",
	      "1 of 1 deferred call chains lack their user half: 1 did so too late\n",
	      {'s', 5, 1, 10}, {'o', 0, 0, 50}, {'p', 6, 0, 20}, {'o', 0, 0, 100}, {'o', 0, 0, 200},
	      {'r', 5, 1, 220});
	/* what comes with the end is not late */
	CHECK(live, "wait s10=10 s500 r510 ", "", {'s', 5, 1, 10}, {'o', 0, 0, 20},
	      {'p', 6, 0, 500}, {'r', 5, 1, 510});
}

static void memory_stays_small(void **state)
{
	static const struct step steps[] = {
		{'s', 5, 1, 0}, {'p', 6, 0, 0}, {'o', 0, 0, 0}, {'r', 5, 1, 0}, {'x', 6, 0, 0}};
	const size_t start = mallinfo2().uordblks + mallinfo2().hblkhd;
	struct reading r;
	struct buf out = {0};

	(void)state;
	begin(&r, steps, ARRAY_SIZE(steps));
	assert_int_equal(wrap(&r, no_bounds), 0);
	r.m.nr *= 50001;
	read_all(&r, &out);
	assert_int_equal(r.m.recording.deferred.joined, 50001);
	/* most of it is the text and the copies of the reorder stage; 25 MB went through */
	assert_true(mallinfo2().uordblks + mallinfo2().hblkhd < start + out.cap + (4 << 20));
	made_source_end(&r.m);
	buf_free(&out);
}

static void survives_no_memory(void **state)
{
	static const struct step steps[] = {
		{'s', 5, 1, 0}, {'p', 6, 0, 0}, {'x', 6, 0, 0}, {'r', 5, 1, 0}};
	struct reading r;
	struct rec rec;
	bool refused = true;
	u32 n;
	int ret;

	(void)state;
	for (n = 0; refused; n++) {
		begin(&r, steps, ARRAY_SIZE(steps));
		oom_after(n);
		ret = wrap(&r, no_bounds);
		while (!ret && (ret = source_next(r.m.top, &rec, &r.m.err)) > 0)
			ret = 0;
		refused = oom_stop();
		assert_int_equal(ret, refused ? -ENOMEM : 0);
		made_source_end(&r.m);
	}
	assert_true(n > 5);
}

static void knows_the_bits(void **state)
{
	struct perf_event_attr a = {.precise_ip = 3, .sigtrap = 1};

	(void)state;
	assert_false(deferred_is_asked(&a) || deferred_is_told(&a));
	deferred_ask(&a);
	assert_true(deferred_is_asked(&a) && !deferred_is_told(&a));
	deferred_tell(&a);
	assert_true(deferred_is_asked(&a) && deferred_is_told(&a));
	/* they lie behind the last that these headers may know */
	assert_true(a.precise_ip == 3 && a.sigtrap && !a.disabled && !a.inherit);
	deferred_forget(&a);
	assert_false(deferred_is_asked(&a) || deferred_is_told(&a));
	assert_true(a.precise_ip == 3 && a.sigtrap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(joins_in_order),       cmocka_unit_test(says_what_is_missing),
		cmocka_unit_test(knows_other_programs), cmocka_unit_test(keeps_its_bounds),
		cmocka_unit_test(memory_stays_small),   cmocka_unit_test(survives_no_memory),
		cmocka_unit_test(knows_the_bits),       cmocka_unit_test(tells_of_mappings),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
