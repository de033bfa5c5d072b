// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/made.h"
#include "tests/unit/oom.h"
#include "util/file/block.h"
#include "util/file/columns.h"
#include "util/file/columns_internal.h"
#include "util/file/compress.h"
#include "util/record/deferred.h"

/* Numbers that are the same in every run. */
static u64 seed;

static u64 rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static u64 below(u64 n)
{
	return rnd() % n;
}

/* Records in the order of adding, and what is said of them. */
struct made_rec {
	size_t at;
	u32 event, run;
};

struct made_set {
	struct event_set events;
	struct buf bytes;
	VEC(struct made_rec) recs;
	VEC(struct columns_ring) runs;
};

static u32 add_event(struct made_set *s, u64 sample_type)
{
	struct perf_event_attr attr = made_attr(sample_type);
	u64 id = s->events.events.nr + 100;
	int ret = event_set_add(&s->events, &attr, sizeof(attr), "e", &id, 1, NULL);

	assert_true(ret >= 0);
	return (u32)ret;
}

static void add_run(struct made_set *s, u32 number, u32 cpu, bool sideband, u64 from, u64 to)
{
	struct columns_ring *r = vec_push(&s->runs);

	assert_non_null(r);
	*r = (struct columns_ring){number, cpu, sideband, from, to};
}

/* A record of `len` bytes of body has been appended to s->bytes behind its header. */
static void end_rec(struct made_set *s, size_t at, u32 event)
{
	struct made_rec *r = vec_push(&s->recs);

	assert_non_null(r);
	made_end(&s->bytes, at);
	*r = (struct made_rec){at, event, s->runs.nr - 1};
	while (s->bytes.len % 8)
		buf_u8(&s->bytes, 0xcc);
	assert_false(s->bytes.failed);
}

static void add_rec(struct made_set *s, u32 type, u16 misc, u32 event, const void *body, size_t len)
{
	size_t at = made_begin(&s->bytes, type, misc);

	buf_add(&s->bytes, body, len);
	end_rec(s, at, event);
}

static void add_random(struct made_set *s, u32 type, u16 misc, u32 event, size_t len)
{
	size_t at = made_begin(&s->bytes, type, misc);

	while (len--)
		buf_u8(&s->bytes, (u8)rnd());
	end_rec(s, at, event);
}

static struct rec rec_of(const struct made_set *s, u32 i)
{
	const struct made_rec *m = &s->recs.v[i];
	struct rec rec;

	assert_true(rec_view(&rec, s->bytes.data + m->at, s->bytes.len - m->at));
	rec.event = m->event;
	rec.cpu = s->runs.v[m->run].cpu;
	return rec;
}

static void set_clear(struct made_set *s)
{
	buf_clear(&s->bytes);
	s->recs.nr = s->runs.nr = 0;
}

static void set_free(struct made_set *s)
{
	event_set_free(&s->events);
	buf_free(&s->bytes);
	vec_free(&s->recs);
	vec_free(&s->runs);
}

/* The records of the set, or others in their place. */
static void add_all(struct columns_encoder *e, const struct made_set *s, const struct rec *others)
{
	u32 i, run = ID_NONE;

	columns_begin(e);
	for (i = 0; i < s->recs.nr; i++) {
		struct rec rec = others ? others[i] : rec_of(s, i);

		while (run != s->recs.v[i].run)
			columns_run(e, &s->runs.v[++run]);
		columns_add(e, &rec, NULL);
	}
	while (run + 1 != s->runs.nr)
		columns_run(e, &s->runs.v[++run]);
}

static int encode(struct columns_encoder *e, const struct made_set *s, int level, struct buf *to)
{
	add_all(e, s, NULL);
	buf_clear(to);
	return columns_end(e, level, to, NULL);
}

/* The next record of that section, from *i on. */
static bool find_rec(const struct made_set *s, bool sideband, u32 *i)
{
	while (*i < s->recs.nr && s->runs.v[s->recs.v[*i].run].sideband != sideband)
		++*i;
	return *i < s->recs.nr;
}

static void expect_records(struct columns_decoder *d, const struct made_set *s,
			   const struct rec *others)
{
	u32 section, i, size;
	struct rec rec;

	for (section = 0; section < 2; section++) {
		for (i = 0; find_rec(s, !section, &i); i++) {
			struct rec want = others ? others[i] : rec_of(s, i);

			assert_int_equal(columns_next(d, &rec), 1);
			assert_int_equal(rec.size, want.size);
			size = rec.size;
			assert_memory_equal(rec.data, want.data, size);
			assert_int_equal(rec.type, want.type);
			assert_int_equal(rec.misc, want.misc);
			assert_int_equal(rec.event, want.event);
			assert_int_equal(rec.cpu, want.cpu);
			assert_int_equal((uintptr_t)rec.data % 8, 0);
		}
	}
	assert_int_equal(columns_next(d, &rec), 0);
	assert_int_equal(columns_next(d, &rec), 0);
}

static void expect(struct columns_decoder *d, const struct made_set *s)
{
	assert_false(columns_foreign(d));
	expect_records(d, s, NULL);
}

/* What a decoder gives, in the place of the records of the set; in `bytes`. */
static struct rec *take_records(struct columns_decoder *d, const struct made_set *s,
				struct buf *bytes)
{
	struct rec *recs = calloc(s->recs.nr + 1, sizeof(*recs));
	size_t *at = calloc(s->recs.nr + 1, sizeof(*at));
	u32 section, i;

	assert_non_null(recs);
	assert_non_null(at);
	for (section = 0; section < 2; section++) {
		for (i = 0; find_rec(s, !section, &i); i++) {
			assert_int_equal(columns_next(d, &recs[i]), 1);
			at[i] = bytes->len;
			buf_add(bytes, recs[i].data, recs[i].size);
			buf_pad(bytes, '\0', ALIGN_UP(bytes->len, (size_t)8) - bytes->len);
		}
	}
	for (i = 0; i < s->recs.nr; i++)
		recs[i].data = (const u8 *)bytes->data + at[i];
	free(at);
	return recs;
}

/*
 * A payload that says to be of a machine of the other byte order gives records of that machine, and
 * they come back, too. True: as the same payload.
 */
static bool foreign_and_back(struct columns_encoder *e, struct columns_decoder *d,
			     const struct made_set *s, int level, struct buf *payload)
{
	struct buf bytes = {0}, again = {0};
	struct rec *recs;
	bool same;

	payload->data[0] ^= (char)128;
	assert_int_equal(columns_open(d, payload->data, payload->len, NULL), 0);
	assert_true(columns_foreign(d));
	recs = take_records(d, s, &bytes);
	columns_set_foreign(e, true);
	add_all(e, s, recs);
	assert_int_equal(columns_end(e, level, &again, NULL), 0);
	assert_int_equal(columns_open(d, again.data, again.len, NULL), 0);
	assert_true(columns_foreign(d));
	expect_records(d, s, recs);
	same = again.len == payload->len && !memcmp(again.data, payload->data, again.len);
	payload->data[0] ^= (char)128;
	columns_set_foreign(e, false);
	free(recs);
	buf_free(&bytes);
	buf_free(&again);
	return same;
}

/* There and back, twice with the same encoder and decoder. Returns the size of the payload. */
static size_t there_and_back(const struct made_set *s, int level)
{
	struct columns_encoder *e = columns_encoder_new(&s->events, NULL);
	struct columns_decoder *d = columns_decoder_new(NULL);
	struct buf payload = {0}, again = {0};
	size_t len;

	assert_non_null(e);
	assert_non_null(d);
	assert_int_equal(encode(e, s, level, &payload), 0);
	assert_int_equal(columns_open(d, payload.data, payload.len, NULL), 0);
	expect(d, s);
	foreign_and_back(e, d, s, level, &payload);
	assert_int_equal(encode(e, s, level, &again), 0);
	assert_int_equal(again.len, payload.len);
	assert_memory_equal(again.data, payload.data, payload.len);
	assert_int_equal(columns_open(d, again.data, again.len, NULL), 0);
	expect(d, s);
	len = payload.len;
	buf_free(&payload);
	buf_free(&again);
	columns_encoder_free(e);
	columns_decoder_free(d);
	return len;
}

static void add_chain(struct buf *b, u32 nr)
{
	static const u64 contexts[] = {(u64)PERF_CONTEXT_KERNEL,     (u64)PERF_CONTEXT_USER,
				       (u64)PERF_CONTEXT_GUEST,      (u64)PERF_CONTEXT_GUEST_KERNEL,
				       (u64)PERF_CONTEXT_GUEST_USER, (u64)PERF_CONTEXT_HV};
	u32 i;

	buf_u64(b, nr);
	for (i = 0; i < nr; i++)
		buf_u64(b, below(6) ? 0x400000 + below(64) * 16
				    : contexts[below(ARRAY_SIZE(contexts))]);
}

static void add_words(struct buf *b, size_t n)
{
	while (n--)
		buf_u64(b, below(4) ? below(1000) : rnd());
}

static void add_raw(struct buf *b, u32 size)
{
	size = ALIGN_UP(size + 4, 8u) - 4;
	buf_u32(b, size);
	while (size--)
		buf_u8(b, below(8) ? 0 : (u8)rnd());
}

/* A sample as the kernel would write it for that sample_type. */
static void add_sample(struct made_set *s, u32 event, u32 raw_size)
{
	const struct sample_layout *p = &s->events.events.v[event].layout;
	static const u64 first[] = {PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IP, PERF_SAMPLE_TID};
	static const u64 second[] = {PERF_SAMPLE_ADDR, PERF_SAMPLE_ID, PERF_SAMPLE_STREAM_ID};
	size_t at = made_begin(&s->bytes, PERF_RECORD_SAMPLE, (u16)below(3));
	static u64 time;
	u64 t = p->sample_type;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(first); i++)
		add_words(&s->bytes, !!(t & first[i]));
	time += below(50) ? below(3000) : below(1ull << 40);
	if (t & PERF_SAMPLE_TIME)
		buf_u64(&s->bytes, time);
	for (i = 0; i < ARRAY_SIZE(second); i++)
		add_words(&s->bytes, !!(t & second[i]));
	if (t & PERF_SAMPLE_CPU)
		buf_u64(&s->bytes, s->runs.v[s->runs.nr - 1].cpu);
	add_words(&s->bytes, !!(t & PERF_SAMPLE_PERIOD));
	if (t & PERF_SAMPLE_READ)
		add_words(&s->bytes, 1);
	if (t & PERF_SAMPLE_CALLCHAIN)
		add_chain(&s->bytes, (u32)below(30));
	if (t & PERF_SAMPLE_RAW)
		add_raw(&s->bytes, raw_size);
	if (t & PERF_SAMPLE_BRANCH_STACK) {
		i = below(4);
		buf_u64(&s->bytes, i);
		add_words(&s->bytes, 3 * i);
	}
	if (t & PERF_SAMPLE_REGS_USER)
		buf_u64(&s->bytes, 0);
	if (t & PERF_SAMPLE_STACK_USER) {
		i = below(4) * 8;
		buf_u64(&s->bytes, i);
		add_words(&s->bytes, i ? i + 1 : 0);
	}
	for (i = 14; i < 24; i++)
		add_words(&s->bytes, !!(t & ((u64)1 << i) & ~(PERF_SAMPLE_IDENTIFIER)));
	end_rec(s, at, event);
}

/* Every bit alone, and many together; also what the layout does not foretell. */
static void test_sample_types(void **state)
{
	u64 bits[200];
	u32 i, j;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(bits); i++) {
		struct made_set s = {0};

		seed = i + 1;
		bits[i] = i < 25 ? (u64)1 << i : rnd() & ((1 << 25) - 1);
		add_event(&s, bits[i]);
		add_run(&s, 0, 3, false, 0, 100);
		for (j = 0; j < 150; j++) {
			add_sample(&s, 0, 40);
			if (!below(10))
				add_random(&s, PERF_RECORD_SAMPLE, 1, 0, below(300));
		}
		there_and_back(&s, 1);
		set_free(&s);
	}
}

static void test_read_groups(void **state)
{
	struct perf_event_attr attr = made_attr(PERF_SAMPLE_READ | PERF_SAMPLE_TIME |
						PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW);
	struct made_set s = {0};
	u32 i, n;

	(void)state;
	seed = 11;
	attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED;
	assert_int_equal(event_set_add(&s.events, &attr, sizeof(attr), "g", NULL, 0, NULL), 0);
	add_run(&s, 0, 0, false, 0, 1);
	for (i = 0; i < 200; i++) {
		size_t at = made_begin(&s.bytes, PERF_RECORD_SAMPLE, 1);

		n = (u32)below(4);
		buf_u64(&s.bytes, i * 100);
		buf_u64(&s.bytes, n);
		add_words(&s.bytes, 1 + 2 * n);
		add_chain(&s.bytes, (u32)below(9));
		add_raw(&s.bytes, 20);
		end_rec(&s, at, 0);
		/* a number of members that the record has no room for */
		at = made_begin(&s.bytes, PERF_RECORD_SAMPLE, 1);
		buf_u64(&s.bytes, i);
		buf_u64(&s.bytes, rnd());
		end_rec(&s, at, 0);
	}
	there_and_back(&s, 1);
	set_free(&s);
}

/* Fields of every size, gaps, a tail of any length; and records too short for them. */
static void test_raw_fields(void **state)
{
	static const struct raw_field fields[] = {{0, 2},  {2, 1},   {3, 1},   {4, 4},  {8, 8},
						  {18, 2}, {20, 16}, {36, 48}, {84, 3}, {88, 20}};
	struct made_set s = {0};
	u32 i;

	(void)state;
	seed = 12;
	add_event(&s, PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW);
	s.events.events.v[0].fields = (struct raw_field *)fields;
	s.events.events.v[0].nr_fields = ARRAY_SIZE(fields);
	add_run(&s, 0, 0, false, 0, 1);
	for (i = 0; i < 600; i++) {
		add_sample(&s, 0, 108);
		add_sample(&s, 0, 108 + (u32)below(200));
		add_sample(&s, 0, (u32)below(108));
	}
	there_and_back(&s, 1);
	set_clear(&s);
	/* the same with something of any length behind it */
	i = add_event(&s, PERF_SAMPLE_TIME | PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK |
				  PERF_SAMPLE_STACK_USER);
	s.events.events.v[i].fields = (struct raw_field *)fields;
	s.events.events.v[i].nr_fields = ARRAY_SIZE(fields);
	add_run(&s, 0, 0, false, 0, 1);
	for (; s.recs.nr < 600;)
		add_sample(&s, i, (u32)below(400));
	there_and_back(&s, 1);
	set_free(&s);
}

/*
 * What a field means depends on another one, as arguments do on the system call: in the order of
 * that one there is little to tell. Keys of many bits are told apart by some of these.
 */
static void test_grouped_fields(void **state)
{
	static const struct raw_field fields[] = {{0, 2}, {2, 1},  {3, 1},  {4, 4},
						  {8, 8}, {16, 8}, {24, 4}, {28, 2}};
	u64 of[64], counts[64] = {0};
	struct made_set s = {0};
	u32 i, k, n = 4000;
	size_t at;

	(void)state;
	seed = 21;
	for (k = 0; k < ARRAY_SIZE(of); k++)
		of[k] = rnd();
	add_event(&s, PERF_SAMPLE_RAW);
	s.events.events.v[0].fields = (struct raw_field *)fields;
	s.events.events.v[0].nr_fields = ARRAY_SIZE(fields);
	add_run(&s, 0, 0, false, 0, 1);
	for (i = 0; i < n; i++) {
		k = (u32)below(ARRAY_SIZE(of));
		at = made_begin(&s.bytes, PERF_RECORD_SAMPLE, 0);
		buf_u32(&s.bytes, 36);
		buf_u64(&s.bytes, 77);
		buf_u64(&s.bytes, k ? k | of[k] << 12 : UINT64_MAX);
		buf_u64(&s.bytes, of[k] + counts[k]++);
		buf_u32(&s.bytes, (u32)of[k]);
		buf_u64(&s.bytes, of[k] >> 48);
		end_rec(&s, at, 0);
	}
	/* six bits tell which of the 64 it is: a byte each, and nearly nothing else */
	assert_true(there_and_back(&s, 1) < n * 3 / 2 + 4096);
	set_free(&s);
}

/* What a field holds in record i: in turns of no certain length it stays as it is, or changes. */
static u64 in_runs(u32 field, u32 i, u64 *last, u32 *left)
{
	static const u64 masks[] = {0xff, 0xffff, 0xffffffffff, UINT64_MAX};

	if (!*left) {
		*left = 1 + (u32)below(field % 3 ? 700 : 5000);
		*last = rnd() & masks[below(ARRAY_SIZE(masks))];
	}
	--*left;
	/* of every other turn the values differ, as far as the field can tell */
	return *left & 1024 ? *last + (rnd() & masks[field % ARRAY_SIZE(masks)] >> 4) + i : *last;
}

/* Fields that keep their value for a while, as most do, alone and as the same as another one's. */
static void test_fields_in_runs(void **state)
{
	static const struct raw_field fields[] = {{0, 2},  {2, 1},  {3, 1},  {4, 4},  {8, 8},
						  {16, 8}, {24, 8}, {32, 8}, {40, 4}, {44, 4},
						  {48, 2}, {50, 1}, {52, 16}};
	static const u32 counts[] = {1, 127, 128, 129, 255, 300, 5000, 20001};
	u64 last[ARRAY_SIZE(fields)], v;
	u32 left[ARRAY_SIZE(fields)], c, i, j;
	struct made_set s = {0};
	u8 body[4 + 68 + 4];

	(void)state;
	seed = 33;
	add_event(&s, PERF_SAMPLE_TIME | PERF_SAMPLE_RAW);
	s.events.events.v[0].fields = (struct raw_field *)fields;
	s.events.events.v[0].nr_fields = ARRAY_SIZE(fields);
	for (c = 0; c < 2 * ARRAY_SIZE(counts); c++) {
		set_clear(&s);
		memset(left, 0, sizeof(left));
		add_run(&s, 0, 0, false, 0, 1);
		for (i = 0; i < counts[c / 2]; i++) {
			size_t at = made_begin(&s.bytes, PERF_RECORD_SAMPLE, 2);

			memset(body, 0, sizeof(body));
			body[0] = 68 + 4;
			for (j = 0; j < ARRAY_SIZE(fields); j++) {
				v = in_runs(j, i, &last[j], &left[j]);
				memcpy(body + 4 + fields[j].at, &v, MIN(fields[j].size, 8));
			}
			/* but for some, two fields are the same */
			if (below(50))
				memcpy(body + 4 + 24, body + 4 + 16, 8);
			/* at first they are: then one changes and the other does not */
			v = i < 100 ? i / 50 : 7;
			memcpy(body + 4 + 44, &v, 4);
			v = i / 50;
			memcpy(body + 4 + 40, &v, 4);
			buf_u64(&s.bytes, 1000000 + i * 1000ull);
			buf_add(&s.bytes, body, sizeof(body));
			end_rec(&s, at, 0);
		}
		there_and_back(&s, c % 2);
	}
	set_free(&s);
}

/* Call chains that begin like the one before, and go on otherwise. */
static void test_chains_that_begin_alike(void **state)
{
	static const u64 more[][3] = {
		{(u64)PERF_CONTEXT_USER, 0x401000, 0x402000},
		{0xffffffff81000020, 0xffffffff81000030, 0xffffffff81000040},
		{DEFERRED_CONTEXT, 5, 0},
		{0xffffffff81000020, DEFERRED_CONTEXT, 6},
		{0xffffffff81000020, (u64)PERF_CONTEXT_USER, 0x401000},
		{DEFERRED_CONTEXT, 0, 0},
	};
	u64 chain[6] = {(u64)PERF_CONTEXT_KERNEL, 0xffffffff81000000, 0xffffffff81000010};
	struct made_set s = {0};
	u32 i, last;

	(void)state;
	seed = 34;
	add_event(&s, MADE_TYPE);
	add_run(&s, 0, 0, false, 0, 1);
	for (i = 0; i < 4000; i++) {
		size_t at = s.bytes.len;

		last = (u32)below(ARRAY_SIZE(more));
		memcpy(&chain[3], more[last], sizeof(more[last]));
		made_sample(&s.bytes,
			    &(struct made_sample){.id = 100,
						  .ip = chain[1],
						  .time = i * 1000,
						  .tid = 7,
						  .chain = chain,
						  .nr = (u32)below(ARRAY_SIZE(chain) + 1)});
		end_rec(&s, at, 0);
	}
	there_and_back(&s, 1);
	set_free(&s);
}

static void test_all_types(void **state)
{
	static const u64 types[] = {0, MADE_TYPE,
				    PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
					    PERF_SAMPLE_IDENTIFIER,
				    PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID};
	u32 t, i, type, event;

	(void)state;
	for (t = 0; t < ARRAY_SIZE(types); t++) {
		struct made_set s = {0};

		seed = t + 20;
		event = add_event(&s, types[t]);
		add_run(&s, 7, 2, true, 100, 200);
		for (i = 0; i < 40; i++)
			for (type = 0; type < 40; type++)
				add_random(&s, type, (u16)below(2), below(9) ? event : ID_NONE,
					   below(20) * 8);
		add_random(&s, 0xffffffff, 0xffff, 5, 16);
		there_and_back(&s, 1);
		set_free(&s);
	}
}

/* What the kernel tells of tasks and mappings takes few bytes. */
static void test_sideband_is_small(void **state)
{
	const u64 type =
		PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;
	struct made_set s = {0};
	u64 time = 1000000;
	u32 i, event;
	size_t len;

	(void)state;
	seed = 5;
	event = add_event(&s, type);
	add_run(&s, 0, 1, true, 0, 1);
	for (i = 0; i < 2000; i++) {
		struct rec_mmap2 m = {.pid = 1000 + i / 20, .tid = 1000 + i / 20};
		struct rec_ids ids = {.pid = m.pid, .tid = m.tid, .cpu = 1, .id = 100};
		static const char *const names[] = {"/usr/lib/x86_64-linux-gnu/libc.so.6",
						    "/usr/bin/true", "[vdso]", "/usr/lib/ld.so"};
		size_t at = s.bytes.len;

		ids.time = time += 900 + below(200);
		m.start = 0x7f0000000000 + below(1 << 20) * 4096;
		m.len = 4096 * (1 + i % 4);
		m.name = names[i % 4];
		rec_build_mmap2(&s.bytes, &s.events.events.v[event].layout, &ids,
				PERF_RECORD_MISC_USER, &m);
		end_rec(&s, at, event);
	}
	len = there_and_back(&s, 1);
	assert_true(len < 2000 * 8);
	set_free(&s);
}

static void test_many_classes(void **state)
{
	struct made_set s = {0};
	u32 i;

	(void)state;
	seed = 6;
	add_event(&s, MADE_TYPE);
	add_run(&s, 0, 0, false, 0, 1);
	add_run(&s, 1, 0, true, 0, 1);
	for (i = 0; i < 300; i++)
		add_random(&s, 100 + i, 0, 0, 64);
	there_and_back(&s, 1);
	for (i = 0; i < 5000; i++)
		add_random(&s, (u32)below(3000), (u16)below(5), (u32)below(9), below(300));
	there_and_back(&s, 1);
	set_free(&s);
}

static void test_sizes(void **state)
{
	struct made_set s = {0};
	u32 i, size;

	(void)state;
	seed = 7;
	add_event(&s, PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW);
	there_and_back(&s, 1);
	add_run(&s, 0, 0, false, 0, 1);
	there_and_back(&s, 1);
	for (i = 0; i < 3; i++)
		add_random(&s, PERF_RECORD_SAMPLE, 0, 0, 0);
	for (size = 0; size < 600; size++)
		add_random(&s, PERF_RECORD_SAMPLE + size % 2, 0, 0, size);
	for (i = 0; i < 12; i++)
		add_random(&s, PERF_RECORD_SAMPLE + i % 2, 0, i % 3 ? 0 : ID_NONE,
			   UINT16_MAX - 8 - i);
	for (i = 0; i < 3; i++) {
		size_t at = made_begin(&s.bytes, PERF_RECORD_SAMPLE, 0);

		/* as long as a call chain gets, and raw data to the last byte */
		buf_u64(&s.bytes, i);
		add_chain(&s.bytes, i ? 100 : 8180);
		add_raw(&s.bytes, i ? 65535 - 8 - 8 - 808 - 4 - 7 : 8);
		end_rec(&s, at, 0);
	}
	there_and_back(&s, 1);
	set_free(&s);
}

/* Dictionaries whose numbers take one, two and three bytes. */
static void test_many_stacks(void **state)
{
	static const u32 counts[] = {10, 300, 70000};
	struct made_set s = {0};
	u32 c, i;

	(void)state;
	add_event(&s, PERF_SAMPLE_TIME | PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN);
	for (c = 0; c < ARRAY_SIZE(counts); c++) {
		set_clear(&s);
		seed = 8;
		add_run(&s, 0, 0, false, 0, 1);
		for (i = 0; i < counts[c] * 2; i++) {
			size_t at = made_begin(&s.bytes, PERF_RECORD_SAMPLE, 1);
			u64 leaf = 0x7fff00000000 + (i % counts[c]) * 3;

			buf_u64(&s.bytes, leaf + (i % 7 == 0));
			buf_u64(&s.bytes, i * 10ull);
			buf_u64(&s.bytes, 4);
			buf_u64(&s.bytes, (u64)PERF_CONTEXT_USER);
			buf_u64(&s.bytes, leaf);
			buf_u64(&s.bytes, 0x400000 + below(200));
			buf_u64(&s.bytes, 0x400000);
			end_rec(&s, at, 0);
		}
		there_and_back(&s, 1);
	}
	set_free(&s);
}

static void test_rings(void **state)
{
	struct columns_encoder *e;
	struct columns_decoder *d = columns_decoder_new(NULL);
	const struct columns_ring *rings;
	const struct columns_want runs_only = {.runs_only = true};
	struct buf payload = {0};
	struct made_set s = {0};
	struct rec rec;
	u32 i, nr = 0;

	(void)state;
	seed = 9;
	add_event(&s, MADE_TYPE);
	e = columns_encoder_new(&s.events, NULL);
	for (i = 0; i < 40; i++) {
		add_run(&s, i % 4, i % 4, false, i * 100, i * 100 + 50);
		add_sample(&s, 0, 0);
		add_sample(&s, 0, 0);
		add_run(&s, 10 + i % 2, ID_NONE, true, i * 7, i * 7 + 7);
		add_random(&s, PERF_RECORD_COMM, 0, 0, 64);
	}
	add_run(&s, ID_NONE, ID_NONE, true, 0, 0);
	add_random(&s, PERF_RECORD_COMM, 0, 0, 64);
	add_run(&s, 99, 5, false, 1ull << 60, (1ull << 60) + 8);
	there_and_back(&s, 1);

	assert_int_equal(encode(e, &s, 1, &payload), 0);
	assert_int_equal(columns_open(d, payload.data, payload.len, &runs_only), 0);
	rings = columns_rings(d, &nr);
	assert_int_equal(nr, 8);
	for (i = 0; i < nr; i++) {
		const struct columns_ring *r = &rings[i];

		if (r->number < 4) {
			assert_int_equal(r->cpu, r->number);
			assert_false(r->sideband);
			assert_int_equal(r->from, r->number * 100);
			assert_int_equal(r->to, (36 + r->number) * 100 + 50);
		} else if (r->number == ID_NONE) {
			assert_true(r->sideband);
			assert_int_equal(r->cpu, ID_NONE);
			assert_int_equal(r->from, 0);
			assert_int_equal(r->to, 0);
		} else if (r->number == 99) {
			assert_int_equal(r->from, 1ull << 60);
			assert_int_equal(r->to, (1ull << 60) + 8);
		}
	}
	assert_int_equal(columns_next(d, &rec), 0);
	buf_free(&payload);
	columns_encoder_free(e);
	columns_decoder_free(d);
	set_free(&s);
}

static void test_levels(void **state)
{
	size_t len[3];
	struct made_set s = {0};
	u32 i;

	(void)state;
	seed = 10;
	add_event(&s, MADE_TYPE | PERF_SAMPLE_RAW);
	add_run(&s, 0, 0, false, 0, 1);
	for (i = 0; i < 3000; i++)
		add_sample(&s, 0, 60);
	len[0] = there_and_back(&s, 0);
	len[1] = there_and_back(&s, 1);
	len[2] = there_and_back(&s, 9);
	assert_true(len[1] < len[0]);
	assert_true(len[2] < len[1]);
	set_free(&s);
}

/* Some that the recorder made, and others so many ns apart, whose words come again and again. */
static void add_steady(struct made_set *s, u64 step)
{
	u64 body[2] = {0}, word[64];
	u32 i;

	seed = 11;
	for (i = 0; i < ARRAY_SIZE(word); i++)
		word[i] = rnd();
	add_run(s, ID_NONE, ID_NONE, false, 0, 0);
	add_rec(s, PERF_RECORD_SAMPLE, 0, 0, body, sizeof(body));
	body[0] = 2000000000;
	add_rec(s, PERF_RECORD_SAMPLE, 0, 0, body, sizeof(body));
	add_run(s, 0, 0, false, 0, 1);
	for (i = 0; i < 6000; i++) {
		body[0] = 1000000000 + i * step;
		body[1] = word[below(1 + below(64))] + (below(4) ? 0 : below(1 << 20));
		add_rec(s, PERF_RECORD_SAMPLE, 0, 0, body, sizeof(body));
	}
}

/* Blocks of few records a second are compressed at a higher level. */
static void test_level_by_rate(void **state)
{
	static const struct {
		u64 step;
		int level;
	} rates[] = {{0, 1}, {1000, 1}, {39000, 1}, {41000, 7}, {490000, 7}, {510000, 12}};
	struct columns_encoder *e;
	struct buf by_rate = {0}, at[2] = {0};
	u32 i, j;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		struct made_set s = {0};

		add_event(&s, PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR);
		add_steady(&s, rates[i].step);
		e = columns_encoder_new(&s.events, NULL);
		assert_int_equal(encode(e, &s, COLUMNS_BY_RATE, &by_rate), 0);
		for (j = 0; j < 2; j++)
			assert_int_equal(encode(e, &s, rates[i].level + (int)j * 2, &at[j]), 0);
		assert_int_equal(by_rate.len, at[0].len);
		assert_memory_equal(by_rate.data, at[0].data, at[0].len);
		assert_int_not_equal(at[0].len, at[1].len);
		columns_encoder_free(e);
		set_free(&s);
	}
	buf_free(&by_rate);
	buf_free(&at[0]);
	buf_free(&at[1]);
}

/* The halves of call chains, and which of them are new. */
static void test_stacks(void **state)
{
	const u64 k = (u64)PERF_CONTEXT_KERNEL, u = (u64)PERF_CONTEXT_USER;
	const u64 chains[][5] = {{4, k, 0xf1, u, 0x11}, {4, k, 0xf1, u, 0x12},
				 {4, k, 0xf2, u, 0x11}, {2, k, 0xf1},
				 {2, u, 0x12},          {0},
				 {3, u, 0x13, 0x12}};
	struct columns_stacks got[ARRAY_SIZE(chains)];
	const struct columns_ring ring = {0};
	struct columns_encoder *e;
	struct made_set s = {0};
	u32 i, block;

	(void)state;
	add_event(&s, PERF_SAMPLE_CALLCHAIN);
	add_run(&s, 0, 0, false, 0, 0);
	for (i = 0; i < ARRAY_SIZE(chains); i++)
		add_rec(&s, PERF_RECORD_SAMPLE, 0, 0, chains[i], 8 + chains[i][0] * 8);
	e = columns_encoder_new(&s.events, NULL);
	for (block = 0; block < 2; block++) {
		columns_begin(e);
		columns_run(e, &ring);
		for (i = 0; i < ARRAY_SIZE(chains); i++) {
			struct rec rec = rec_of(&s, i);

			columns_add(e, &rec, &got[i]);
		}
		assert_true(got[0].kernel_new && got[0].user_new);
		assert_true(!got[1].kernel_new && got[1].user_new);
		assert_true(got[2].kernel_new && !got[2].user_new);
		assert_int_equal(got[0].kernel, got[1].kernel);
		assert_int_not_equal(got[0].kernel, got[2].kernel);
		assert_int_equal(got[0].user, got[2].user);
		assert_int_equal(got[3].kernel, got[0].kernel);
		assert_int_equal(got[3].user, ID_NONE);
		assert_int_equal(got[4].kernel, ID_NONE);
		assert_int_equal(got[4].user, got[1].user);
		assert_false(got[4].user_new);
		assert_int_equal(got[5].kernel, ID_NONE);
		assert_int_equal(got[5].user, ID_NONE);
		/* the outermost address first: 0x11, u; 0x12, u; and 0x13, u below 0x12 */
		assert_int_equal(got[0].user_from, 0);
		assert_int_equal(got[0].user_first, 1);
		assert_int_equal(got[0].user_nodes, 2);
		assert_int_equal(got[1].user_from, 0);
		assert_int_equal(got[1].user_first, 3);
		assert_int_equal(got[1].user_nodes, 2);
		assert_int_equal(got[6].user_from, 3);
		assert_int_equal(got[6].user_first, 5);
		assert_int_equal(got[6].user_nodes, 2);
	}
	columns_encoder_free(e);
	set_free(&s);
}

/* A record of the other byte order, integer by integer, and what is no integer as it is. */
static void test_foreign_words(void **state)
{
	static const struct raw_field fields[] = {{0, 2}, {2, 1}, {3, 1}, {4, 4}, {8, 8}};
	const u64 words[] = {5, 3, 0x1111, (u64)PERF_CONTEXT_USER, 0x2222};
	struct columns_decoder *d = columns_decoder_new(NULL);
	struct columns_encoder *e;
	struct buf payload = {0};
	struct made_set s = {0};
	struct rec rec;
	struct cur c;
	size_t at, i;

	(void)state;
	add_event(&s, PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW);
	s.events.events.v[0].fields = (struct raw_field *)fields;
	s.events.events.v[0].nr_fields = ARRAY_SIZE(fields);
	add_run(&s, 0, 0, false, 0, 1);
	at = made_begin(&s.bytes, PERF_RECORD_SAMPLE, 2);
	buf_add(&s.bytes, words, sizeof(words));
	buf_u32(&s.bytes, 28);
	buf_u16(&s.bytes, 0x1234);
	buf_add(&s.bytes, "ab", 2);
	buf_u32(&s.bytes, 0x11223344);
	buf_u64(&s.bytes, 0x0102030405060708);
	buf_add(&s.bytes, "a string...", 12);
	end_rec(&s, at, 0);
	e = columns_encoder_new(&s.events, NULL);
	assert_non_null(e);
	assert_int_equal(encode(e, &s, 1, &payload), 0);
	payload.data[0] ^= (char)128;
	assert_int_equal(columns_open(d, payload.data, payload.len, NULL), 0);
	assert_int_equal(columns_next(d, &rec), 1);
	assert_int_equal(rec.type, PERF_RECORD_SAMPLE);
	assert_int_equal(rec.misc, 2);
	assert_int_equal(rec.size, 8 + 40 + 32);
	c = cur_init(rec.data, rec.size);
	c.swap = true;
	assert_int_equal(cur_u32(&c), PERF_RECORD_SAMPLE);
	assert_int_equal(cur_u16(&c), 2);
	assert_int_equal(cur_u16(&c), rec.size);
	for (i = 0; i < ARRAY_SIZE(words); i++)
		assert_int_equal(cur_u64(&c), words[i]);
	assert_int_equal(cur_u32(&c), 28);
	assert_int_equal(cur_u16(&c), 0x1234);
	assert_memory_equal(cur_bytes(&c, 2), "ab", 2);
	assert_int_equal(cur_u32(&c), 0x11223344);
	assert_int_equal(cur_u64(&c), 0x0102030405060708);
	assert_memory_equal(cur_bytes(&c, 12), "a string...", 12);
	buf_free(&payload);
	columns_encoder_free(e);
	columns_decoder_free(d);
	set_free(&s);
}

/* Records of the other byte order that are what their events say take the same bytes as ours. */
static void test_foreign_is_as_small(void **state)
{
	struct columns_decoder *d = columns_decoder_new(NULL);
	struct columns_encoder *e;
	struct buf payload = {0};
	u32 i, j;

	(void)state;
	for (i = 0; i < 100; i++) {
		struct made_set s = {0};

		seed = i + 1000;
		add_event(&s, rnd() & ((1 << 25) - 1) & ~(u64)PERF_SAMPLE_READ);
		add_event(&s, PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU);
		add_run(&s, 0, 3, false, 0, 100);
		for (j = 0; j < 200; j++)
			add_sample(&s, 0, 40);
		add_run(&s, 1, ID_NONE, true, 0, 100);
		for (j = 0; j < 50; j++)
			add_random(&s, PERF_RECORD_COMM + (u32)below(5), 0, 1, 56);
		e = columns_encoder_new(&s.events, NULL);
		assert_non_null(e);
		assert_int_equal(encode(e, &s, 1, &payload), 0);
		assert_true(foreign_and_back(e, d, &s, 1, &payload));
		columns_encoder_free(e);
		set_free(&s);
	}
	buf_free(&payload);
	columns_decoder_free(d);
}

/* Something of everything. */
static void make_mix(struct made_set *s, u32 nr)
{
	u32 i;

	seed = 13;
	add_event(s, PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER);
	add_event(s, PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW);
	add_event(s, PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN |
			     PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER);
	for (i = 0; i < nr; i++) {
		if (i % 10 == 0)
			add_run(s, i % 3, i % 3, false, i, i + 10);
		if (i % 10 == 5)
			add_run(s, 3 + i % 3, i % 3, true, i, i + 10);
		if (i % 10 >= 5)
			add_random(s, (u32)below(22), 0, 0, 48 + below(20) * 8);
		else
			add_sample(s, 1 + (u32)below(2), 28 + (u32)below(80));
	}
}

/* Version 1 had fewer ways to write the same, and is read by the same rules. */
static void test_first_version(void **state)
{
	struct columns_decoder *d = columns_decoder_new(NULL);
	struct columns_encoder *e;
	struct buf payload = {0};
	struct made_set s = {0};

	(void)state;
	seed = 22;
	make_mix(&s, 3);
	e = columns_encoder_new(&s.events, NULL);
	assert_int_equal(encode(e, &s, 1, &payload), 0);
	payload.data[0] = 1;
	assert_int_equal(columns_open(d, payload.data, payload.len, NULL), 0);
	expect(d, &s);
	buf_free(&payload);
	columns_encoder_free(e);
	columns_decoder_free(d);
	set_free(&s);
}

/* `want` leaves out just what it says. */
static void test_want(void **state)
{
	const struct columns_want side = {.no_samples = true},
				  bare = {.no_chains = true, .no_raw = true};
	struct columns_decoder *d = columns_decoder_new(NULL);
	struct columns_encoder *e;
	struct buf payload = {0};
	struct made_set s = {0};
	struct sample a, b;
	struct rec rec;
	u32 i, j;

	(void)state;
	make_mix(&s, 600);
	e = columns_encoder_new(&s.events, NULL);
	assert_int_equal(encode(e, &s, 1, &payload), 0);

	assert_int_equal(columns_open(d, payload.data, payload.len, &side), 0);
	for (i = 0; find_rec(&s, true, &i); i++) {
		struct rec old = rec_of(&s, i);

		assert_int_equal(columns_next(d, &rec), 1);
		assert_int_equal(rec.size, old.size);
		assert_memory_equal(rec.data, old.data, rec.size);
	}
	assert_int_equal(columns_next(d, &rec), 0);

	assert_int_equal(columns_open(d, payload.data, payload.len, &bare), 0);
	for (i = 0; find_rec(&s, true, &i); i++)
		assert_int_equal(columns_next(d, &rec), 1);
	for (i = 0; find_rec(&s, false, &i); i++) {
		struct rec old = rec_of(&s, i);
		const struct sample_layout *p = &s.events.events.v[old.event].layout;

		assert_int_equal(columns_next(d, &rec), 1);
		assert_true(sample_layout_sample(p, &old, &a));
		assert_true(sample_layout_sample(p, &rec, &b));
		assert_int_equal(b.chain_nr, 0);
		assert_int_equal(rec.size, old.size - a.chain_nr * 8);
		assert_int_equal(a.ids.time, b.ids.time);
		assert_int_equal(a.ids.tid, b.ids.tid);
		if (p->sample_type & PERF_SAMPLE_IP)
			assert_int_equal(a.ip, b.ip);
		assert_int_equal(a.stack_size, b.stack_size);
		assert_int_equal(a.raw_size, b.raw_size);
		if (a.stack_size)
			assert_memory_equal(a.stack, b.stack, a.stack_size);
		for (j = 0; j < a.raw_size; j++)
			assert_int_equal(b.raw[j], j < 8 ? a.raw[j] : 0);
	}
	assert_int_equal(columns_next(d, &rec), 0);
	buf_free(&payload);
	columns_encoder_free(e);
	columns_decoder_free(d);
	set_free(&s);
}

static bool is_cpu(const void *filter, u32 cpu)
{
	return *(const u32 *)filter == cpu;
}

/*
 * Samples of the rings of other CPUs are left out, and nothing else: neither what else stands in these
 * rings, nor samples that say where they were, nor those of a ring of all CPUs. Times go on.
 */
static void test_cpus(void **state)
{
	const u32 wanted = 2;
	const struct columns_want want = {.cpu = is_cpu, .filter = &wanted};
	struct columns_decoder *d = columns_decoder_new(NULL);
	struct columns_encoder *e;
	struct buf payload = {0};
	struct made_set s = {0};
	u32 i, j, plain, told, left_out = 0;
	struct rec rec;

	(void)state;
	seed = 21;
	plain = add_event(&s, PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW);
	told = add_event(&s, PERF_SAMPLE_TIME | PERF_SAMPLE_CPU);
	e = columns_encoder_new(&s.events, NULL);
	for (i = 0; i < 200; i++) {
		add_run(&s, i % 5, i % 5 == 4 ? ID_NONE : i % 5, false, i * 100, i * 100 + 50);
		for (j = 0; j < 5; j++)
			add_sample(&s, below(4) ? plain : told, 20);
		if (!below(3))
			add_random(&s, PERF_RECORD_LOST, 0, plain, 48);
		add_run(&s, 10 + i % 4, i % 4, true, i * 7, i * 7 + 7);
		add_random(&s, PERF_RECORD_COMM, 0, 0, 64);
	}
	assert_int_equal(encode(e, &s, 1, &payload), 0);
	assert_int_equal(columns_open(d, payload.data, payload.len, &want), 0);
	for (j = 0; j < 2; j++) {
		for (i = 0; find_rec(&s, !j, &i); i++) {
			struct rec old = rec_of(&s, i);

			if (old.type == PERF_RECORD_SAMPLE && old.event == plain &&
			    old.cpu != ID_NONE && old.cpu != wanted) {
				left_out++;
				continue;
			}
			assert_int_equal(columns_next(d, &rec), 1);
			assert_int_equal(rec.size, old.size);
			assert_int_equal(rec.cpu, old.cpu);
			assert_memory_equal(rec.data, old.data, rec.size);
		}
	}
	assert_int_equal(columns_next(d, &rec), 0);
	assert_in_range(left_out, 300, 600);
	buf_free(&payload);
	columns_encoder_free(e);
	columns_decoder_free(d);
	set_free(&s);
}

/* Read all that there is, and look at every byte of it. */
static int drain(struct columns_decoder *d, const u8 *p, size_t len,
		 const struct columns_want *want)
{
	int ret = columns_open(d, p, len, want);
	struct rec rec;
	u64 bytes = 0;
	u32 sum = 0;

	while (!ret && (ret = columns_next(d, &rec)) == 1) {
		assert_true(rec.size >= 8 && rec.size <= UINT16_MAX);
		for (u32 i = 0; i < rec.size; i += 8)
			sum += rec.data[i];
		bytes += rec.size;
		assert_true(bytes <= BLOCK_SIZE_MAX);
		ret = 0;
	}
	return sum == 0x12345678 ? 1 : ret;
}

/* Under ASan, which takes ten times as long, each second byte, of either level another one. */
#ifdef __SANITIZE_ADDRESS__
#define DAMAGE_STEP 2
#else
#define DAMAGE_STEP 1
#endif
static void test_damage(void **state)
{
	const struct columns_want bare = {.no_chains = true, .no_raw = true};
	struct columns_decoder *d = columns_decoder_new(NULL);
	struct columns_encoder *e;
	struct buf payload = {0};
	struct made_set s = {0};
	size_t i, refused = 0;
	u8 *copy;
	int ret;

	(void)state;
	make_mix(&s, 80);
	e = columns_encoder_new(&s.events, NULL);
	/* level 0: each byte means something; there is no frame that would refuse it as a whole */
	for (int level = 0; level < 2; level++) {
		assert_int_equal(encode(e, &s, level, &payload), 0);
		for (i = 0; i < payload.len; i += 1 + i / 400) {
			copy = malloc(i ? i : 1);
			memcpy(copy, payload.data, i);
			assert_true(drain(d, copy, i, NULL) < 0);
			free(copy);
		}
		copy = malloc(payload.len);
		for (i = (size_t)level % DAMAGE_STEP; i < payload.len; i += DAMAGE_STEP) {
			memcpy(copy, payload.data, payload.len);
			copy[i] ^= (u8)(1 << i % 8);
			ret = drain(d, copy, payload.len, i / DAMAGE_STEP % 2 ? NULL : &bare);
			assert_true(ret == 0 || ret == -EBADMSG || ret == -ENOTSUP);
			refused += ret != 0;
		}
		free(copy);
	}
	assert_true(refused > payload.len / DAMAGE_STEP / 10);
	/* whole again: nothing of all that has stuck to the decoder */
	assert_int_equal(columns_open(d, payload.data, payload.len, NULL), 0);
	expect(d, &s);
	payload.data[0] = 3;
	assert_int_equal(columns_open(d, payload.data, payload.len, NULL), -ENOTSUP);
	payload.data[0] = 0;
	assert_int_equal(columns_open(d, payload.data, payload.len, NULL), -EBADMSG);
	buf_free(&payload);
	columns_encoder_free(e);
	columns_decoder_free(d);
	set_free(&s);
}

/* One array of few bytes that says there are very many values. */
static void test_bombs(void **state)
{
	struct columns_decoder *d = columns_decoder_new(NULL);
	static const u64 sizes[] = {1ull << 23, 1ull << 30, 1ull << 40, UINT64_MAX};
	u32 i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct buf b = {0}, section = {0}, class = {0};

		buf_add(&b, "\1\1\1\1\0\0\0\0", 7); /* one ring */
		columns_put_varint(&section, sizes[i]);
		columns_put_varint(&section, 1);
		buf_add(&section, "\0\0\0", 3); /* its number: 0 */
		buf_u8(&section, 0);
		columns_put_varint(&section, sizes[i]);
		buf_u8(&section, 0);
		/* a class of a BLOB alone */
		buf_add(&class, "\11\0\1\0\1\6\4\0", 8);
		columns_put_varint(&section, 1);
		columns_put_varint(&section, class.len);
		columns_put_varint(&section, class.len << 2);
		buf_add(&section, class.data, class.len);
		buf_add(&section, "\0\0\0", 3);           /* order */
		buf_add(&section, "\3\0\0\0\3\0\0\0", 8); /* no halves */
		columns_put_varint(&section, 1);
		columns_put_varint(&section, 65000);
		buf_u8(&section, 0);
		columns_put_varint(&section, 65000);
		buf_u8(&section, 0);
		buf_add(&section, "\5x", 2); /* the blob: one letter, very often */
		buf_add(&section, "\4\0\0\0\0", 5);
		buf_u8(&b, 0);
		columns_put_varint(&b, section.len);
		buf_add(&b, section.data, section.len);
		assert_int_equal(drain(d, (u8 *)b.data, b.len, NULL), -EBADMSG);
		buf_free(&b);
		buf_free(&section);
		buf_free(&class);
	}
	columns_decoder_free(d);
}

/* Few bytes that say there are many classes, each of as many columns as a record has bytes; no records. */
static void test_bomb_of_classes(void **state)
{
	struct columns_decoder *d = columns_decoder_new(NULL);
	struct buf b = {0}, section = {0}, classes = {0};
	u32 i;

	(void)state;
	for (i = 0; i < 200; i++) {
		buf_add(&classes, "\11\0\1\0", 4);
		columns_put_varint(&classes, UINT16_MAX - 8);
		buf_add(&classes, "\0\1\0", 3);
	}
	buf_add(&section, "\0\0", 2); /* records, runs */
	columns_put_varint(&section, 200);
	columns_put_varint(&section, classes.len);
	columns_put_varint(&section, classes.len << 2);
	buf_add(&section, classes.data, classes.len);
	buf_add(&section, "\3\0\0\0\3\0\0\0\0\0", 10); /* no halves, no blobs */
	buf_pad(&section, '\0', (size_t)200 * (UINT16_MAX - 8));
	buf_add(&b, "\1\0\0", 3); /* no rings, nothing of the first section */
	columns_put_varint(&b, section.len);
	buf_add(&b, section.data, section.len);
	assert_int_equal(drain(d, (u8 *)b.data, b.len, NULL), -EBADMSG);
	buf_free(&b);
	buf_free(&section);
	buf_free(&classes);
	columns_decoder_free(d);
}

static void test_too_much(void **state)
{
	struct columns_encoder *e;
	const struct columns_ring ring = {0};
	struct made_set s = {0};
	struct buf payload = {0};
	struct err err = {0};
	struct rec rec;
	u32 i;

	(void)state;
	add_event(&s, 0);
	add_run(&s, 0, 0, false, 0, 0);
	add_random(&s, 99, 0, 0, 65520);
	rec = rec_of(&s, 0);
	e = columns_encoder_new(&s.events, NULL);
	columns_run(e, &ring);
	for (i = 0; i < BLOCK_SIZE_MAX / 65528 + 1; i++)
		columns_add(e, &rec, NULL);
	assert_int_equal(columns_end(e, 1, &payload, &err), -E2BIG);
	assert_true(err.msg[0]);
	columns_begin(e);
	assert_int_equal(columns_end(e, 1, &payload, &err), 0);
	buf_free(&payload);
	columns_encoder_free(e);
	set_free(&s);
}

static void test_out_of_memory(void **state)
{
	struct columns_encoder *e;
	struct columns_decoder *d;
	struct made_set s = {0};
	struct buf payload = {0}, whole = {0};
	u32 n;
	int ret;

	(void)state;
	make_mix(&s, 100);
	for (n = 0;; n++) {
		buf_free(&payload);
		oom_after(n);
		e = columns_encoder_new(&s.events, NULL);
		ret = e ? encode(e, &s, 1, &payload) : -ENOMEM;
		if (!oom_stop())
			break;
		assert_int_equal(ret, -ENOMEM);
		/* the next block does not suffer for it */
		if (e && n % 8 == 0) {
			assert_int_equal(encode(e, &s, 1, &whole), 0);
			d = columns_decoder_new(NULL);
			assert_int_equal(columns_open(d, whole.data, whole.len, NULL), 0);
			expect(d, &s);
			columns_decoder_free(d);
		}
		columns_encoder_free(e);
	}
	assert_true(n > 50);
	assert_int_equal(ret, 0);
	columns_encoder_free(e);
	for (n = 0;; n++) {
		oom_after(n);
		d = columns_decoder_new(NULL);
		ret = d ? drain(d, (u8 *)payload.data, payload.len, NULL) : -ENOMEM;
		if (!oom_stop())
			break;
		assert_int_equal(ret, -ENOMEM);
		if (d) {
			assert_int_equal(columns_open(d, payload.data, payload.len, NULL), 0);
			expect(d, &s);
		}
		columns_decoder_free(d);
	}
	assert_true(n > 20);
	assert_int_equal(ret, 0);
	columns_decoder_free(d);
	buf_free(&payload);
	buf_free(&whole);
	set_free(&s);
}

static u64 made_int(u32 kind, u32 i)
{
	switch (kind) {
	case 0:
		return 42;
	case 1:
		return UINT64_MAX;
	case 2:
		return i;
	case 3:
		return rnd();
	case 4:
		return below(200) ? below(256) : rnd(); /* a few do not fit */
	case 5:
		return below(3) ? 0xffff888100000000 + below(1 << 20) * 64
				: 0x7f0000000000 + below(1 << 16);
	case 6:
		return rnd() >> 40 << 40 | below(4); /* more regions than there may be */
	case 7:
		return below(300) * 0x123456789abcdef;
	case 8:
		return (u64)(s64)-1 - below(70000);
	case 9:
		return i * 1000ull + below(100);
	case 10:
		return below(20) ? 254 + below(3) : 65534 + below(4);
	case 11:
		return below(40000) * 0x10001000100;
	default:
		return i & 1 ? UINT64_MAX : 0;
	}
}

static void test_ints(void **state)
{
	static const u32 counts[] = {1, 2, 7, 31, 32, 33, 100, 1000, 20000};
	struct columns_out out = {0};
	struct columns_in in = {0};
	u64 v[20000], got[20000];
	struct buf b = {0};
	u32 kind, c, i, n;

	(void)state;
	seed = 99;
	assert_int_equal(compress_init(&out.zstd, 1, NULL), 0);
	out.to = &b;
	for (kind = 0; kind < 26; kind++) {
		for (c = 0; c < ARRAY_SIZE(counts); c++) {
			struct cur cur;

			n = counts[c];
			for (i = 0; i < n; i++)
				v[i] = made_int(kind / 2, i);
			buf_clear(&b);
			if (kind % 2)
				columns_put_addresses(&out, v, n);
			else
				columns_put_ints(&out, v, n);
			assert_false(out.failed);
			assert_true(b.len <= n * 8 + 100);
			cur = cur_init(b.data, b.len);
			memset(got, 0xee, sizeof(got));
			assert_true(columns_get_ints(&in, &cur, got, n));
			assert_false(cur.bad);
			assert_int_equal(cur_left(&cur), 0);
			assert_memory_equal(got, v, n * sizeof(*v));
		}
	}
	buf_free(&b);
	columns_out_free(&out);
	columns_in_free(&in);
}

/* What does not stand there makes no difference, nor that it does not. */
static void test_ints_in_runs(void **state)
{
	static const u32 counts[] = {1, 2, 127, 128, 129, 1000, 20000};
	u8 alike[20000 / COLUMNS_RUN + 1];
	struct columns_out out = {0};
	struct buf b = {0}, whole = {0};
	u32 kind, c, i, n, share;
	u64 v[20000];

	(void)state;
	seed = 98;
	assert_int_equal(compress_init(&out.zstd, 1, NULL), 0);
	for (kind = 0; kind < 13 * 3; kind++) {
		for (c = 0; c < ARRAY_SIZE(counts); c++) {
			n = counts[c];
			/* most, half, or few of the runs are all of one value */
			share = kind % 3 * 4 + 1;
			for (i = 0; i < n; i++) {
				if (i % COLUMNS_RUN == 0)
					alike[i / COLUMNS_RUN] = below(10) >= share;
				v[i] = i % COLUMNS_RUN && alike[i / COLUMNS_RUN]
					       ? v[i - 1]
					       : made_int(kind / 3, i);
			}
			buf_clear(&whole);
			out.to = &whole;
			columns_put_ints(&out, v, n);
			for (i = 0; i < n; i++)
				if (i % COLUMNS_RUN && alike[i / COLUMNS_RUN])
					v[i] = 0xdeadbeefdeadbeef;
			buf_clear(&b);
			out.to = &b;
			columns_put_runs(&out, v, n, alike);
			assert_false(out.failed);
			assert_int_equal(b.len, whole.len);
			assert_memory_equal(b.data, whole.data, b.len);
		}
	}
	buf_free(&b);
	buf_free(&whole);
	columns_out_free(&out);
}

/* Cookies differ in each stay in the kernel: the chains that they end must not. */
static void deferred_chains_are_few(void **state)
{
	const u64 user[] = {0x401000, 0x402000, 0x403000, 0x404000, 0x405000};
	u64 chain[] = {(u64)PERF_CONTEXT_KERNEL, 0xffffffff81000000, 0xffffffff81000010,
		       DEFERRED_CONTEXT, 0};
	const u64 nr_user = ARRAY_SIZE(user);
	const struct columns_want no_chains = {.no_chains = true};
	struct columns_encoder *e;
	struct columns_decoder *d = columns_decoder_new(NULL);
	struct sample_layout layout = made_layout(MADE_TYPE);
	struct made_set s = {0};
	struct buf b = {0};
	struct sample sample;
	struct rec rec;
	size_t at;
	u32 i;

	(void)state;
	add_event(&s, MADE_TYPE);
	add_event(&s, PERF_SAMPLE_TID | PERF_SAMPLE_TIME);
	e = columns_encoder_new(&s.events, NULL);
	add_run(&s, 1, 0, false, 0, 1);
	for (i = 0; i < 3000; i++) {
		chain[4] = ((u64)i * 2 + 1) << 32 | 1;
		at = s.bytes.len;
		made_sample(&s.bytes, &(struct made_sample){.id = 100,
							    .ip = chain[1],
							    .time = i * 1000,
							    .tid = 7,
							    .chain = chain,
							    .nr = ARRAY_SIZE(chain)});
		end_rec(&s, at, 0);
		at = made_begin(&s.bytes, DEFERRED_RECORD, PERF_RECORD_MISC_USER);
		buf_u64(&s.bytes, chain[4]);
		buf_u64(&s.bytes, nr_user);
		buf_add(&s.bytes, user, sizeof(user));
		buf_u64(&s.bytes, 7);
		buf_u64(&s.bytes, i * 1000 + 500);
		end_rec(&s, at, 1);
	}
	/* one that says more than it has, and one without an end, are records like any other */
	at = made_begin(&s.bytes, DEFERRED_RECORD, 0);
	buf_u64(&s.bytes, 5);
	buf_u64(&s.bytes, 1ull << 40);
	buf_u64(&s.bytes, 6);
	end_rec(&s, at, 1);
	add_rec(&s, DEFERRED_RECORD, 0, 1, &nr_user, 4);
	assert_int_equal(encode(e, &s, 0, &b), 0);
	/* 6000 records: the cookies and times that differ take up to 5 bytes each, no chain is there twice */
	assert_true(b.len < 6000 * 6);
	assert_int_equal(columns_open(d, b.data, b.len, NULL), 0);
	expect(d, &s);
	/* without the addresses it still is a chain that waits */
	assert_int_equal(columns_open(d, b.data, b.len, &no_chains), 0);
	assert_int_equal(columns_next(d, &rec), 1);
	assert_true(sample_layout_sample(&layout, &rec, &sample));
	assert_int_equal(sample.chain_nr, 2);
	assert_true(deferred_chain(sample.chain, sample.chain_nr));
	columns_encoder_free(e);
	columns_decoder_free(d);
	buf_free(&b);
	set_free(&s);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ints),
		cmocka_unit_test(test_ints_in_runs),
		cmocka_unit_test(test_sample_types),
		cmocka_unit_test(test_read_groups),
		cmocka_unit_test(test_raw_fields),
		cmocka_unit_test(test_grouped_fields),
		cmocka_unit_test(test_fields_in_runs),
		cmocka_unit_test(test_chains_that_begin_alike),
		cmocka_unit_test(test_first_version),
		cmocka_unit_test(test_all_types),
		cmocka_unit_test(test_sideband_is_small),
		cmocka_unit_test(test_many_classes),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_many_stacks),
		cmocka_unit_test(test_rings),
		cmocka_unit_test(test_levels),
		cmocka_unit_test(test_level_by_rate),
		cmocka_unit_test(test_stacks),
		cmocka_unit_test(test_want),
		cmocka_unit_test(test_cpus),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_bombs),
		cmocka_unit_test(test_bomb_of_classes),
		cmocka_unit_test(test_too_much),
		cmocka_unit_test(test_foreign_words),
		cmocka_unit_test(test_foreign_is_as_small),
		cmocka_unit_test(deferred_chains_are_few),
		cmocka_unit_test(test_out_of_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("columns", tests, NULL, NULL);
}
