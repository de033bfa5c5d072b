// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/made_perfdata.h"
#include "tests/unit/oom.h"
#include "util/file/perfdata_internal.h"
#include "util/file/reorder.h"

#define TYPE (MADE_TYPE | PERF_SAMPLE_RAW)

/* A source of one event, and a sample of it. */
struct fixture {
	struct source source;
	struct perfdata_groups groups;
	struct made_sample sample;
	u64 chain[2];
	u64 raw; /* in 12 bytes */
	u16 misc;
};

static void begin_with(struct fixture *f, u64 type)
{
	static const u64 id = 5;

	*f = (struct fixture){.source.want.grouped = true,
			      .sample = {5, 0x1000, 100, 7, 10, 20, 3, NULL, 2},
			      .chain = {(u64)PERF_CONTEXT_USER, 0x1000},
			      .misc = PERF_RECORD_MISC_USER};
	made_events(&f->source.recording.events, type, &id, 1);
}

static void put(const struct fixture *f, struct buf *b)
{
	const u64 type = f->source.recording.events.events.v[0].layout.sample_type;
	const struct made_sample *s = &f->sample;
	size_t at = made_begin(b, PERF_RECORD_SAMPLE, f->misc);

	buf_u64(b, s->id);
	if (type & PERF_SAMPLE_IP)
		buf_u64(b, s->ip);
	if (type & PERF_SAMPLE_TID)
		buf_u64(b, (u64)s->tid << 32 | s->pid);
	if (type & PERF_SAMPLE_TIME)
		buf_u64(b, s->time);
	buf_u64(b, s->cpu);
	buf_u64(b, s->period);
	buf_u64(b, s->nr);
	buf_add(b, f->chain, s->nr * sizeof(u64));
	if (type & PERF_SAMPLE_RAW) {
		buf_u32(b, 12);
		buf_u64(b, f->raw);
		buf_u32(b, 0);
	}
	made_end(b, at);
}

static int take_cut(struct fixture *f, u32 cut)
{
	struct buf b = {0};
	struct rec rec;
	u16 size;
	int ret;

	put(f, &b);
	size = (u16)(b.len - cut);
	memcpy(b.data + 6, &size, sizeof(size));
	assert_true(rec_view(&rec, b.data, b.len));
	rec.event = 0;
	ret = perfdata_groups_take(&f->groups, &f->source, &rec);
	buf_free(&b);
	return ret;
}

static int take(struct fixture *f)
{
	f->sample.time++;
	return take_cut(f, 0);
}

/* How many kinds and samples were taken; they come back. */
static void expect(struct fixture *f, u32 kinds, u32 samples)
{
	assert_int_equal(perfdata_groups_give(&f->groups, &f->source), samples > 0);
	if (!samples)
		return;
	assert_int_equal(f->source.groups->kinds.nr, kinds);
	assert_int_equal(f->source.groups->times.nr, samples);
	record_buffer_put(f->source.record_buffer);
}

static void end_with(struct fixture *f)
{
	perfdata_groups_free(&f->groups);
	recording_free(&f->source.recording);
}

static void told_by_all_but_time(void **state)
{
	struct fixture f;
	struct rec *kind;

	(void)state;
	begin_with(&f, MADE_TYPE);
	assert_int_equal(take(&f), PERFDATA_GROUPS_TAKEN);
	assert_int_equal(take(&f), PERFDATA_GROUPS_TAKEN);
	expect(&f, 1, 2);
	assert_int_equal(f.source.groups->times.v[0], 101);
	assert_int_equal(f.source.groups->times.v[1], 102);
	kind = &f.source.groups->kinds.v[0];
	assert_int_equal(kind->event, 0);
	assert_int_equal(sample_layout_time(&f.source.recording.events.events.v[0].layout, kind),
			 101);
	/* each in what the one before did not say */
	take(&f);
	f.sample.ip++;
	take(&f);
	f.sample.tid++;
	take(&f);
	f.sample.cpu++;
	take(&f);
	f.sample.period++;
	take(&f);
	f.chain[1]++;
	take(&f);
	f.sample.nr = 1;
	take(&f);
	f.misc = PERF_RECORD_MISC_KERNEL;
	take(&f);
	take(&f);
	expect(&f, 8, 9);
	expect(&f, 0, 0);
	end_with(&f);
}

/* Behind the words of a sample, what is wanted tells. */
static void not_by_what_nobody_wants(void **state)
{
	struct fixture f;
	int no_chains, no_raw, addresses;

	(void)state;
	for (no_chains = 0; no_chains < 2; no_chains++)
		for (addresses = 0; addresses < 2; addresses++)
			for (no_raw = 0; no_raw < 2; no_raw++) {
				bool chains = !no_chains && !addresses;

				begin_with(&f, TYPE);
				f.source.want.no_chains = no_chains;
				f.source.want.addresses = addresses;
				f.source.want.no_raw = no_raw;
				take(&f);
				f.raw++;
				take(&f);
				expect(&f, no_raw ? 1 : 2, 2);
				take(&f);
				f.sample.nr = 1;
				take(&f);
				f.sample.nr = 2;
				f.chain[1]++;
				take(&f);
				expect(&f, no_raw && !chains ? 1 : 3, 3);
				end_with(&f);
			}
	/* what tracepoints say */
	begin_with(&f, TYPE);
	f.source.want.no_raw = f.source.want.traces = true;
	f.source.recording.events.events.v[0].attr.type = PERF_TYPE_TRACEPOINT;
	take(&f);
	f.raw++;
	take(&f);
	expect(&f, 2, 2);
	end_with(&f);
	/* where the chain tells the sampled address, or raw data the task */
	begin_with(&f, MADE_TYPE & ~(u64)PERF_SAMPLE_IP);
	f.source.want.no_chains = true;
	take(&f);
	f.chain[1]++;
	take(&f);
	expect(&f, 2, 2);
	end_with(&f);
	begin_with(&f, TYPE & ~(u64)PERF_SAMPLE_TID);
	f.source.want.no_raw = true;
	assert_int_equal(take(&f), PERFDATA_GROUPS_LEFT);
	end_with(&f);
}

static void left(void **state)
{
	static const u64 types[] = {MADE_TYPE | PERF_SAMPLE_READ, MADE_TYPE | PERF_SAMPLE_WEIGHT,
				    MADE_TYPE | PERF_SAMPLE_BRANCH_STACK,
				    MADE_TYPE & ~(u64)PERF_SAMPLE_TIME};
	struct perf_event_attr attr = made_attr(types[0]);
	struct fixture f;
	u64 id = 6;
	u32 i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(types); i++) {
		begin_with(&f, types[i]);
		assert_int_equal(take(&f), PERFDATA_GROUPS_LEFT);
		expect(&f, 0, 0);
		end_with(&f);
	}
	/* cut: in the raw data, in its length, in the chain, in its length, in the words */
	begin_with(&f, TYPE);
	f.source.want.no_chains = f.source.want.no_raw = true;
	for (i = 8; i <= 88; i += 8)
		assert_int_equal(take_cut(&f, i), PERFDATA_GROUPS_LEFT);
	f.sample.nr = 3;
	f.source.recording.events.events.v[0].layout.sample_type &= ~(u64)PERF_SAMPLE_RAW;
	assert_int_equal(take_cut(&f, 8), PERFDATA_GROUPS_LEFT);
	f.sample.nr = 2;
	assert_int_equal(take(&f), PERFDATA_GROUPS_TAKEN);
	/* an event turns up whose counts go on from sample to sample */
	assert_true(event_set_add(&f.source.recording.events, &attr, sizeof(attr), "e", &id, 1,
				  NULL) >= 0);
	assert_int_equal(take(&f), PERFDATA_GROUPS_LEFT);
	expect(&f, 1, 1);
	end_with(&f);
	begin_with(&f, MADE_TYPE);
	f.source.want.grouped = false;
	assert_int_equal(take(&f), PERFDATA_GROUPS_LEFT);
	end_with(&f);
}

static void not_in_vain(void **state)
{
	struct fixture f;
	u32 i;

	(void)state;
	begin_with(&f, MADE_TYPE);
	for (i = 0; i < 2049; i++) {
		f.sample.ip += i % 6 > 0;
		assert_int_not_equal(take(&f), PERFDATA_GROUPS_LEFT);
		if (i % 96 == 95)
			expect(&f, 81, 96);
	}
	assert_false(f.groups.off);
	for (; i < 20000 && !f.groups.off; i++) {
		f.sample.ip++;
		assert_int_not_equal(take(&f), PERFDATA_GROUPS_LEFT);
	}
	assert_in_range(i, 2500, 2600);
	assert_int_equal(take(&f), PERFDATA_GROUPS_LEFT);
	assert_true(perfdata_groups_give(&f.groups, &f.source));
	record_buffer_put(f.source.record_buffer);
	end_with(&f);
}

static void full(void **state)
{
	struct perfdata_groups_block *first;
	struct fixture f;
	u32 i, ret;

	(void)state;
	begin_with(&f, MADE_TYPE);
	for (i = 1; (ret = (u32)take(&f)) == PERFDATA_GROUPS_TAKEN; i++)
		;
	assert_int_equal(ret, PERFDATA_GROUPS_FULL);
	assert_int_equal(i, 65536);
	first = f.groups.now;
	expect(&f, 1, i);
	for (i = 1; (ret = (u32)take(&f)) == PERFDATA_GROUPS_TAKEN; i++)
		f.sample.ip++;
	assert_int_equal(ret, PERFDATA_GROUPS_FULL);
	/* memory that came back is used again */
	assert_ptr_equal(f.groups.now, first);
	assert_in_range(i, 5700, 5800);
	expect(&f, i, i);
	end_with(&f);
}

static void out_of_memory(void **state)
{
	struct fixture f;
	u32 n, i;
	int ret;

	(void)state;
	for (n = 0;; n++) {
		struct buf b = {0};
		struct rec rec;

		begin_with(&f, MADE_TYPE);
		put(&f, &b);
		assert_true(rec_view(&rec, b.data, b.len));
		rec.event = 0;
		oom_after(n);
		for (i = 0, ret = PERFDATA_GROUPS_TAKEN; i < 100 && ret >= 0; i++) {
			memcpy(b.data + 16, &i, sizeof(i));
			ret = perfdata_groups_take(&f.groups, &f.source, &rec);
		}
		if (!oom_stop()) {
			expect(&f, 100, 100);
			buf_free(&b);
			break;
		}
		assert_int_equal(ret, -ENOMEM);
		if (perfdata_groups_give(&f.groups, &f.source))
			record_buffer_put(f.source.record_buffer);
		buf_free(&b);
		end_with(&f);
	}
	assert_true(n > 5);
	end_with(&f);
}

/* All that a reorder gives of a file, and how far its order went. */
static void sorted(const struct buf *file, bool groups, struct buf *out)
{
	struct reorder reorder;
	struct source *s;
	struct err err = {0};
	struct rec rec;
	char path[32];
	int fd = made_file(file->data, file->len, path), ret;
	u32 event;
	u64 time;

	s = source_open(path, &err);
	assert_non_null(s);
	s->want.grouped = groups;
	reorder_init(&reorder, s);
	while ((ret = reorder_next(&reorder, &rec, &event, &err)) > 0) {
		time = sample_layout_time(&s->recording.events.events.v[0].layout, &rec);
		buf_addf(out, "%u %u %llu %u of %u, order %llu\n", rec.type, event,
			 (unsigned long long)time, rec.size, rec.more + 1,
			 (unsigned long long)reorder.order);
	}
	assert_int_equal(ret, 0);
	reorder_free(&reorder);
	source_close(s);
	close(fd);
}

static void as_without(void **state)
{
	struct layout l = usual;
	struct buf b = {0}, with = {0}, without = {0};
	int i;

	(void)state;
	for (i = 0; i < 16; i++) {
		l.swap = i & 1;
		l.stream = i & 2;
		l.no_rounds = i & 4;
		l.compressed = i & 8 ? 81 : 0;
		buf_clear(&b);
		buf_clear(&with);
		buf_clear(&without);
		make_file(&b, &l);
		sorted(&b, true, &with);
		sorted(&b, false, &without);
		assert_true(with.len > 0);
		assert_string_equal(buf_str(&with), buf_str(&without));
	}
	buf_free(&b);
	buf_free(&with);
	buf_free(&without);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(told_by_all_but_time),
		cmocka_unit_test(not_by_what_nobody_wants),
		cmocka_unit_test(left),
		cmocka_unit_test(not_in_vain),
		cmocka_unit_test(full),
		cmocka_unit_test(out_of_memory),
		cmocka_unit_test(as_without),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
