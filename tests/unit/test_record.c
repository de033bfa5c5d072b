// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/made.h"
#include "tests/unit/oom.h"
#include "util/record/event_set.h"
#include "util/record/raw_layout.h"
#include "util/record/rec_build.h"

#define ID_BITS                                                                        \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

static void views(void **state)
{
	struct perf_event_header h = {.type = PERF_RECORD_COMM, .misc = 5, .size = 16};
	u8 bytes[16] = {0};
	struct rec r = {0};
	size_t len;

	(void)state;
	memcpy(bytes, &h, sizeof(h));
	for (len = 0; len < 16; len++)
		assert_false(rec_view(&r, bytes, len));
	assert_true(rec_view(&r, bytes, 16));
	assert_int_equal(r.type, PERF_RECORD_COMM);
	assert_int_equal(r.misc, 5);
	assert_int_equal(r.size, 16);
	assert_ptr_equal(r.data, bytes);
	for (h.size = 0; h.size < 8; h.size++) {
		memcpy(bytes, &h, sizeof(h));
		assert_false(rec_view(&r, bytes, 16));
	}
	h.size = 8;
	memcpy(bytes, &h, sizeof(h));
	assert_true(rec_view(&r, bytes, 16));
	assert_int_equal(cur_left(&(struct cur){.p = rec_body(&r).p, .end = rec_body(&r).end}), 0);
	assert_string_equal(rec_type_name(PERF_RECORD_MMAP2), "MMAP2");
	assert_string_equal(rec_type_name(PERF_RECORD_AUX_OUTPUT_HW_ID), "AUX_OUTPUT_HW_ID");
	assert_null(rec_type_name(0));
	assert_null(rec_type_name(64));
	assert_null(rec_type_name(UINT32_MAX));
}

/* The flag of MMAP2 that Linux sets without a build-id, too: device and inode stay what they are. */
static void build_id_or_inode(void **state)
{
	static const struct {
		u32 maj, min;
		u64 ino, generation;
	} disks[] = {{254, 1, 99, 7}, {8, 2, 0x123456, 0}, {8, 2, 0x123456, 77},
		     {16, 1, 2, 3},   {259, 3, 4, 0},      {0, 35, 4, 0}};
	static const u8 ids[][24] = {
		{20, 0,  0,  0,  1,  2,  3,  4,  5,  6,  7,  8,
		 9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20},
		{16, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16},
		{8, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8},
	};
	const u16 misc = PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID;
	struct sample_layout layout = {0};
	struct buf b = {0};
	struct rec r;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(disks); i++) {
		struct rec_mmap2 m = {.maj = disks[i].maj,
				      .min = disks[i].min,
				      .ino = disks[i].ino,
				      .ino_generation = disks[i].generation,
				      .name = "/bin/ls"};

		buf_clear(&b);
		rec_build_mmap2(&b, &layout, NULL, misc, &m);
		assert_true(rec_view(&r, b.data, b.len));
		assert_int_equal(r.misc, PERF_RECORD_MISC_USER);
	}
	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		memcpy(b.data + REC_MMAP2_FILE, ids[i], 24);
		assert_true(rec_view(&r, b.data, b.len));
		assert_int_equal(r.misc, misc);
	}
	buf_free(&b);
}

/* Where the id stands, for every combination of the bits around it. */
static void id_positions(void **state)
{
	static const u64 bits[] = {PERF_SAMPLE_IP,   PERF_SAMPLE_TID,       PERF_SAMPLE_TIME,
				   PERF_SAMPLE_ADDR, PERF_SAMPLE_ID,        PERF_SAMPLE_STREAM_ID,
				   PERF_SAMPLE_CPU,  PERF_SAMPLE_IDENTIFIER};
	struct rec_ids ids = {.pid = 1, .tid = 2, .time = 3, .id = 0x1d, .stream_id = 5, .cpu = 6};
	u32 combination, i;

	(void)state;
	for (combination = 0; combination < 1u << ARRAY_SIZE(bits); combination++) {
		struct buf b = {0};
		struct rec_ids got;
		struct sample_layout p;
		struct rec r = {0};
		u64 type = 0, id;

		for (i = 0; i < ARRAY_SIZE(bits); i++)
			type |= combination >> i & 1 ? bits[i] : 0;
		p = made_layout(type);
		rec_build_comm(&b, &p, &ids, 0, 1, 2, "name");
		assert_true(rec_view(&r, b.data, b.len));
		assert_int_equal(r.size, b.len);
		assert_true(sample_layout_ids(&p, &r, &got));
		assert_int_equal(got.has, type & ID_BITS);
		assert_int_equal(got.pid, type & PERF_SAMPLE_TID ? 1 : 0);
		assert_int_equal(got.tid, type & PERF_SAMPLE_TID ? 2 : 0);
		assert_int_equal(got.time, type & PERF_SAMPLE_TIME ? 3 : 0);
		assert_int_equal(got.stream_id, type & PERF_SAMPLE_STREAM_ID ? 5 : 0);
		assert_int_equal(got.cpu, type & PERF_SAMPLE_CPU ? 6 : ID_NONE);
		assert_int_equal(sample_layout_time(&p, &r), got.time);
		if (type & (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER)) {
			assert_int_equal(got.id, 0x1d);
			memcpy(&id, b.data + b.len - (size_t)p.other_id, sizeof(id));
			assert_int_equal(id, 0x1d);
		} else {
			assert_int_equal(p.other_id, -1);
			assert_int_equal(p.sample_id, -1);
			assert_int_equal(got.id, 0);
		}
		buf_free(&b);
	}
}

static void no_trailer(void **state)
{
	struct perf_event_attr attr = made_attr(MADE_TYPE);
	struct buf b = {0};
	struct rec_ids ids;
	struct sample_layout p;
	struct rec r = {0};

	(void)state;
	attr.sample_id_all = 0;
	sample_layout_init(&p, &attr);
	assert_int_equal(p.id_size, 0);
	assert_int_equal(p.other_id, -1);
	assert_int_equal(p.sample_id, 0);
	rec_build_task(&b, &p, NULL, PERF_RECORD_FORK, 1, 2, 3, 4, 5);
	assert_int_equal(b.len, 8 + 24);
	rec_view(&r, b.data, b.len);
	assert_true(sample_layout_ids(&p, &r, &ids));
	assert_int_equal(ids.has, 0);
	assert_int_equal(ids.cpu, ID_NONE);
	assert_int_equal(sample_layout_time(&p, &r), 0);
	/* a record that is too short for its trailer */
	p = made_layout(MADE_TYPE);
	r.size = 16;
	assert_false(sample_layout_ids(&p, &r, &ids));
	assert_int_equal(ids.time, 0);
	assert_int_equal(sample_layout_time(&p, &r), 0);
	buf_free(&b);
}

/* Every field a sample can have, each with a value of its own. */
#define EVERYTHING                                                                         \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |    \
	 PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |     \
	 PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | \
	 PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER |       \
	 PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION |             \
	 PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP |              \
	 PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE | PERF_SAMPLE_AUX)

static struct sample_layout full_plan(void)
{
	struct perf_event_attr attr = made_attr(EVERYTHING);
	struct sample_layout p;

	attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_LOST |
			   PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_HW_INDEX | SAMPLE_BRANCH_COUNTERS;
	attr.sample_regs_user = 0x8005;
	attr.sample_regs_intr = 3;
	sample_layout_init(&p, &attr);
	return p;
}

/* Where the sizes stand that a hostile record would lie about. */
struct sizes {
	size_t counts, chain, raw, branches, stack, aux;
};

static void full_sample(struct buf *b, struct sizes *at)
{
	size_t start = made_begin(b, PERF_RECORD_SAMPLE, 0x4002);
	u64 v;

	for (v = 1; v <= 2; v++) /* identifier, ip */
		buf_u64(b, v);
	buf_u32(b, 3);
	buf_u32(b, 4);
	for (v = 5; v <= 8; v++) /* time, addr, id, stream id */
		buf_u64(b, v);
	buf_u32(b, 9);
	buf_u32(b, 0);
	buf_u64(b, 10);
	at->counts = b->len;
	buf_u64(b, 2);
	for (v = 0; v < 2 + 2 * 3; v++) /* times, two of value, id, lost */
		buf_u64(b, 100 + v);
	at->chain = b->len;
	buf_u64(b, 3);
	for (v = 0; v < 3; v++)
		buf_u64(b, 200 + v);
	at->raw = b->len;
	buf_u32(b, 12);
	buf_add(b, "raw bytes of", 12);
	at->branches = b->len;
	buf_u64(b, 2);
	buf_u64(b, 77);
	for (v = 0; v < 6; v++)
		buf_u64(b, 300 + v);
	buf_u64(b, 310);
	buf_u64(b, 311);
	buf_u64(b, PERF_SAMPLE_REGS_ABI_64);
	for (v = 0; v < 3; v++)
		buf_u64(b, 400 + v);
	at->stack = b->len;
	buf_u64(b, 16);
	buf_add(b, "the stack itself", 16);
	buf_u64(b, 11);
	for (v = 0; v < 3; v++) /* weight, data_src, transaction */
		buf_u64(b, 500 + v);
	buf_u64(b, PERF_SAMPLE_REGS_ABI_32);
	buf_u64(b, 600);
	buf_u64(b, 601);
	for (v = 0; v < 4; v++) /* phys_addr, cgroup, page sizes */
		buf_u64(b, 700 + v);
	at->aux = b->len;
	buf_u64(b, 8);
	buf_add(b, "aux data", 8);
	made_end(b, start);
}

static void every_field(void **state)
{
	struct sample_layout p = full_plan();
	struct buf b = {0};
	struct sizes at;
	struct sample s;
	struct rec r = {0};
	u16 size;

	(void)state;
	full_sample(&b, &at);
	assert_true(rec_view(&r, b.data, b.len));
	assert_true(sample_layout_sample(&p, &r, &s));
	assert_int_equal(s.misc, 0x4002);
	assert_int_equal(s.ids.id, 7);
	assert_int_equal(s.ip, 2);
	assert_int_equal(s.ids.pid, 3);
	assert_int_equal(s.ids.tid, 4);
	assert_int_equal(s.ids.time, 5);
	assert_int_equal(sample_layout_time(&p, &r), 5);
	assert_int_equal(s.addr, 6);
	assert_int_equal(s.ids.stream_id, 8);
	assert_int_equal(s.ids.cpu, 9);
	assert_int_equal(s.period, 10);
	assert_int_equal(cur_left(&s.read), 9 * 8);
	assert_int_equal(cur_u64(&s.read), 2);
	assert_int_equal(cur_u64(&s.read), 100);
	assert_int_equal(s.chain_nr, 3);
	assert_int_equal(s.chain[2], 202);
	assert_int_equal(s.raw_size, 12);
	assert_memory_equal(s.raw, "raw bytes of", 12);
	assert_int_equal(s.branch_nr, 2);
	assert_int_equal(s.branch_hw_idx, 77);
	assert_int_equal(s.branch[1].to, 304);
	assert_int_equal(sample_branch_counters(&s)[1], 311);
	assert_int_equal(s.regs_user.abi, PERF_SAMPLE_REGS_ABI_64);
	assert_int_equal(s.regs_user.mask, 0x8005);
	assert_int_equal(s.regs_user.reg[2], 402);
	assert_int_equal(s.stack_size, 16);
	assert_int_equal(s.stack_dyn_size, 11);
	assert_memory_equal(s.stack, "the stack itself", 16);
	assert_int_equal(s.weight, 500);
	assert_int_equal(s.data_src, 501);
	assert_int_equal(s.transaction, 502);
	assert_int_equal(s.regs_intr.reg[1], 601);
	assert_int_equal(s.phys_addr, 700);
	assert_int_equal(s.cgroup, 701);
	assert_int_equal(s.data_page_size, 702);
	assert_int_equal(s.code_page_size, 703);
	/* cut anywhere it is no sample; the copy ends where the sanitizer sees it */
	for (size = 8; size < b.len; size++) {
		u8 *cut = malloc(size);

		memcpy(cut, b.data, size);
		memcpy(cut + 6, &size, sizeof(size));
		assert_true(rec_view(&r, cut, size));
		assert_false(sample_layout_sample(&p, &r, &s));
		free(cut);
	}
	buf_free(&b);
}

static void lying_sizes(void **state)
{
	static const u64 lies[] = {4000,       UINT32_MAX,      1ull << 61,
				   1ull << 60, UINT64_MAX / 24, UINT64_MAX};
	struct sample_layout p = full_plan();
	struct buf b = {0};
	struct sizes at;
	size_t i, j;

	(void)state;
	full_sample(&b, &at);
	for (i = 0; i < ARRAY_SIZE(lies); i++) {
		const size_t where[] = {at.counts, at.chain, at.raw, at.branches, at.stack, at.aux};

		for (j = 0; j < ARRAY_SIZE(where); j++) {
			size_t width = where[j] == at.raw ? 4 : 8;
			struct sample s;
			struct rec r = {0};
			u8 keep[8];

			memcpy(keep, b.data + where[j], 8);
			memcpy(b.data + where[j], &lies[i], width);
			rec_view(&r, b.data, b.len);
			if (width == 8 || (u32)lies[i])
				assert_false(sample_layout_sample(&p, &r, &s));
			memcpy(b.data + where[j], keep, 8);
		}
	}
	buf_free(&b);
}

/* What is not there: no registers, no stack, a fixed period, the sizes of 0. */
static void absent_fields(void **state)
{
	struct perf_event_attr attr = made_attr(PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER |
						PERF_SAMPLE_RAW | PERF_SAMPLE_CALLCHAIN);
	struct buf b = {0};
	struct sample s;
	struct sample_layout p;
	struct rec r = {0};
	size_t at;

	(void)state;
	attr.sample_period = 4000;
	attr.sample_regs_user = 0xff;
	sample_layout_init(&p, &attr);
	at = made_begin(&b, PERF_RECORD_SAMPLE, 0);
	buf_u64(&b, 0); /* no chain */
	buf_u32(&b, 0); /* no raw data, but its padding */
	buf_u32(&b, 0);
	buf_u64(&b, PERF_SAMPLE_REGS_ABI_NONE);
	buf_u64(&b, 0); /* no stack, and no dynamic size then */
	made_end(&b, at);
	rec_view(&r, b.data, b.len);
	assert_true(sample_layout_sample(&p, &r, &s));
	assert_int_equal(s.period, 4000);
	assert_int_equal(s.chain_nr, 0);
	assert_int_equal(s.raw_size, 0);
	assert_null(s.regs_user.reg);
	assert_int_equal(s.stack_size, 0);
	assert_int_equal(s.ids.cpu, ID_NONE);
	assert_int_equal(sample_layout_time(&p, &r), 0);
	buf_free(&b);
}

static void builders(void **state)
{
	struct rec_mmap2 m = {.pid = 1,
			      .tid = 2,
			      .start = 0x1000,
			      .len = 0x2000,
			      .pgoff = 0x3000,
			      .maj = 8,
			      .min = 1,
			      .ino = 99,
			      .ino_generation = 7,
			      .prot = 5,
			      .flags = 2,
			      .name = "/bin/true"};
	struct sample_layout p = made_layout(MADE_TYPE);
	struct rec_ids ids = {.time = 1234, .id = 7, .cpu = ID_NONE};
	struct buf b = {0};
	struct rec_ids got;
	char *long_name;
	struct cur c;
	struct rec r = {0};
	size_t len;

	(void)state;
	rec_build_mmap2(&b, &p, &ids, PERF_RECORD_MISC_USER, &m);
	assert_true(rec_view(&r, b.data, b.len));
	assert_int_equal(r.size, b.len);
	assert_int_equal(r.size % 8, 0);
	assert_true(sample_layout_ids(&p, &r, &got));
	assert_int_equal(got.time, 1234);
	assert_int_equal(got.cpu, 0);
	c = rec_body(&r);
	assert_int_equal(cur_u32(&c), 1);
	assert_int_equal(cur_u32(&c), 2);
	assert_int_equal(cur_u64(&c), 0x1000);
	assert_int_equal(cur_u64(&c), 0x2000);
	assert_int_equal(cur_u64(&c), 0x3000);
	assert_int_equal(cur_u32(&c), 8);
	assert_int_equal(cur_u32(&c), 1);
	assert_int_equal(cur_u64(&c), 99);
	assert_int_equal(cur_u64(&c), 7);
	assert_int_equal(cur_u32(&c), 5);
	assert_int_equal(cur_u32(&c), 2);
	assert_string_equal(cur_str(&c, NULL), "/bin/true");
	/* a name that no record can hold leaves nothing behind */
	len = b.len;
	long_name = calloc(1, 70000);
	memset(long_name, 'x', 69999);
	m.name = long_name;
	rec_build_mmap(&b, &p, NULL, 0, &m);
	assert_int_equal(b.len, len);
	free(long_name);
	oom_after(0);
	buf_free(&b);
	rec_build_comm(&b, &p, NULL, 0, 1, 1, "x");
	assert_true(oom_stop());
	assert_true(b.failed);
	assert_int_equal(b.len, 0);
	buf_free(&b);
}

static u32 find_sample(const struct event_set *s, u64 id)
{
	struct made_sample m = {.id = id, .time = 1};
	struct buf b = {0};
	struct rec r = {0};
	u32 event;

	made_sample(&b, &m);
	rec_view(&r, b.data, b.len);
	event = event_set_find(s, &r);
	buf_free(&b);
	return event;
}

static u32 find_comm(const struct event_set *s, u64 id)
{
	struct sample_layout p = made_layout(MADE_TYPE);
	struct rec_ids ids = {.id = id};
	struct buf b = {0};
	struct rec r = {0};
	u32 event;

	rec_build_comm(&b, &p, &ids, 0, 1, 1, "x");
	rec_view(&r, b.data, b.len);
	event = event_set_find(s, &r);
	buf_free(&b);
	return event;
}

static void events(void **state)
{
	struct perf_event_attr attr = made_attr(MADE_TYPE);
	static const u64 first[] = {10, 11}, second[] = {20};
	u8 longer[sizeof(attr) + 64] = {0};
	struct event_set s = {0};
	struct err err = {0};
	struct rec r = {0};
	u64 bytes[2] = {0};

	(void)state;
	assert_int_equal(find_sample(&s, 10), ID_NONE);
	assert_int_equal(event_set_add(&s, &attr, sizeof(attr), "a", first, 2, &err), 0);
	/* an attr of an old kernel, and one of a newer */
	assert_int_equal(event_set_add(&s, &attr, PERF_ATTR_SIZE_VER0, "b", second, 1, &err), 1);
	memcpy(longer, &attr, sizeof(attr));
	memset(longer + sizeof(attr), 0xff, 64);
	assert_int_equal(event_set_add(&s, longer, sizeof(longer), "c", NULL, 0, &err), 2);
	assert_memory_equal(&s.events.v[2].attr, &attr, sizeof(attr));
	assert_int_equal(s.events.v[1].layout.sample_type, MADE_TYPE);
	assert_int_equal(find_sample(&s, 10), 0);
	assert_int_equal(find_sample(&s, 11), 0);
	assert_int_equal(find_sample(&s, 20), 1);
	assert_int_equal(find_sample(&s, 30), ID_NONE);
	assert_int_equal(find_comm(&s, 20), 1);
	assert_int_equal(find_comm(&s, 30), ID_NONE);
	/* an id of 0 marks what a recorder made itself; a sample has an id */
	assert_int_equal(find_comm(&s, 0), 0);
	assert_int_equal(find_sample(&s, 0), ID_NONE);
	assert_int_equal(event_set_id(&s, 30, 2), 0);
	assert_int_equal(find_sample(&s, 30), 2);
	assert_int_equal(event_set_name(&s, 2, "other", 3), 0);
	assert_string_equal(s.events.v[2].name, "oth");
	assert_int_equal(event_set_name(&s, 3, "x", 1), -EINVAL);
	/* records too short to have an id */
	r = (struct rec){.data = (const u8 *)bytes,
			 .size = 8,
			 .type = PERF_RECORD_SAMPLE,
			 .cpu = ID_NONE,
			 .event = ID_NONE};
	assert_int_equal(event_set_find(&s, &r), ID_NONE);
	r.type = PERF_RECORD_EXIT;
	assert_int_equal(event_set_find(&s, &r), ID_NONE);
	event_set_free(&s);
	/* without ids there is one event */
	attr = made_attr(PERF_SAMPLE_IP);
	assert_int_equal(event_set_add(&s, &attr, sizeof(attr), "only", NULL, 0, &err), 0);
	assert_int_equal(find_sample(&s, 99), 0);
	assert_int_equal(find_comm(&s, 99), 0);
	event_set_free(&s);
}

/* Samples that carry only what nothing else tells. */

#define LEAN       (PERF_SAMPLE_TIME | PERF_SAMPLE_RAW)
#define LEAN_CHAIN (LEAN | PERF_SAMPLE_CALLCHAIN)

/* The common fields, and one field of eight bytes behind them. */
struct lean {
	u64 time;
	u16 type;
	s32 pid;
	const u64 *chain; /* NULL: the layout has none */
	u32 nr;
	u32 raw_size; /* 0: all 16 bytes */
};

static void lean_sample(struct buf *b, struct rec *r, const struct lean *l)
{
	struct {
		u16 type;
		u8 flags, preempt;
		s32 pid;
		u64 field;
	} raw = {.type = l->type, .pid = l->pid, .field = 77};
	u32 size = l->raw_size ? l->raw_size : sizeof(raw);
	size_t at;

	buf_clear(b);
	at = made_begin(b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);
	buf_u64(b, l->time);
	if (l->chain) {
		buf_u64(b, l->nr);
		buf_add(b, l->chain, l->nr * sizeof(*l->chain));
	}
	buf_u32(b, size);
	buf_add(b, &raw, size);
	buf_pad(b, '\0', (8 - (size + 4) % 8) % 8);
	made_end(b, at);
	assert_true(rec_view(r, b->data, b->len));
}

static const struct sample_layout_derive at_four = {.tid_at = 4, .period_at = -1};

static u32 add_tracepoint(struct event_set *s, u64 config, u64 sample_type, u64 id)
{
	struct perf_event_attr attr = made_attr(sample_type);
	int event;

	attr.type = PERF_TYPE_TRACEPOINT;
	attr.config = config;
	attr.sample_period = 1;
	event = event_set_add(s, &attr, sizeof(attr), "tracepoint", &id, id != 0, NULL);
	assert_true(event >= 0);
	event_set_derive(s, (u32)event, &at_four);
	return (u32)event;
}

static void derived(void **state)
{
	static const u64 chain[] = {(u64)PERF_CONTEXT_KERNEL, 0xffffffff81000010,
				    (u64)PERF_CONTEXT_USER, 0x400000};
	struct lean l = {.time = 9, .type = 300, .pid = 42, .chain = chain, .nr = 4};
	struct event_set set = {0};
	struct buf b = {0};
	const struct sample_layout *p;
	struct sample s;
	struct rec r = {0};

	(void)state;
	add_tracepoint(&set, 300, LEAN_CHAIN, 0);
	p = &set.events.v[0].layout;
	assert_int_equal(p->has,
			 LEAN_CHAIN | PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD | PERF_SAMPLE_TID);
	lean_sample(&b, &r, &l);
	r.cpu = 3;
	assert_true(sample_layout_sample(p, &r, &s));
	assert_int_equal(s.ids.has, p->has | PERF_SAMPLE_CPU);
	assert_int_equal(s.ids.cpu, 3);
	assert_int_equal(s.ids.tid, 42);
	assert_int_equal(s.ids.pid, ID_NONE);
	assert_int_equal(s.ids.time, 9);
	assert_int_equal(s.period, 1);
	assert_int_equal(s.ip, 0xffffffff81000010);
	assert_int_equal(sample_layout_time(p, &r), 9);
	/* the first address, whichever side it is of; none, no ip */
	l.chain = chain + 2;
	l.nr = 2;
	lean_sample(&b, &r, &l);
	assert_true(sample_layout_sample(p, &r, &s));
	assert_int_equal(s.ip, 0x400000);
	assert_int_equal(s.ids.cpu, ID_NONE);
	assert_false(s.ids.has & PERF_SAMPLE_CPU);
	for (l.nr = 0; l.nr < 2; l.nr++) {
		lean_sample(&b, &r, &l);
		assert_true(sample_layout_sample(p, &r, &s));
		assert_int_equal(s.ip, 0);
		assert_false(s.ids.has & PERF_SAMPLE_IP);
	}
	/* raw data that ends before its fourth common field */
	for (l.raw_size = 4; l.raw_size < 8; l.raw_size++) {
		lean_sample(&b, &r, &l);
		assert_true(sample_layout_sample(p, &r, &s));
		assert_false(s.ids.has & PERF_SAMPLE_TID);
		assert_int_equal(s.ids.tid, ID_NONE);
		assert_int_equal(s.ids.pid, ID_NONE);
	}
	l.raw_size = 8;
	lean_sample(&b, &r, &l);
	assert_true(sample_layout_sample(p, &r, &s));
	assert_int_equal(s.ids.tid, 42);
	event_set_free(&set);
	buf_free(&b);
}

/* What a sample does carry counts, and nothing is claimed that nobody told. */
static void recorded_first(void **state)
{
	static const u64 chain[] = {(u64)PERF_CONTEXT_USER, 0x1234};
	struct made_sample m = {.id = 1,
				.ip = 0x99,
				.time = 5,
				.period = 6,
				.pid = 7,
				.tid = 8,
				.cpu = 2,
				.chain = chain,
				.nr = 2};
	struct sample_layout p = made_layout(MADE_TYPE);
	struct event_set set = {0};
	struct buf b = {0};
	struct sample s;
	struct rec r = {0};
	size_t at;

	(void)state;
	assert_int_equal(p.has, MADE_TYPE);
	p.derive = at_four;
	made_sample(&b, &m);
	rec_view(&r, b.data, b.len);
	r.cpu = 31;
	assert_true(sample_layout_sample(&p, &r, &s));
	assert_int_equal(s.ids.has, MADE_TYPE);
	assert_int_equal(s.ids.cpu, 2);
	assert_int_equal(s.ids.pid, 7);
	assert_int_equal(s.ids.tid, 8);
	assert_int_equal(s.ip, 0x99);
	assert_int_equal(s.period, 6);
	/* raw data that is cut tells nothing */
	p = made_layout(PERF_SAMPLE_RAW);
	p.derive = at_four;
	buf_clear(&b);
	at = made_begin(&b, PERF_RECORD_SAMPLE, 0);
	buf_u32(&b, 100);
	buf_u32(&b, 7);
	made_end(&b, at);
	assert_true(rec_view(&r, b.data, b.len));
	assert_false(sample_layout_sample(&p, &r, &s));
	/* a pid namespace's own numbers are recorded beside the kernel's in the raw data */
	p = made_layout(PERF_SAMPLE_TID | PERF_SAMPLE_RAW);
	p.derive = at_four;
	buf_clear(&b);
	at = made_begin(&b, PERF_RECORD_SAMPLE, 0);
	buf_u32(&b, 7);
	buf_u32(&b, 8);
	buf_u32(&b, 12);
	buf_u64(&b, 999ull << 32);
	buf_u32(&b, 0);
	made_end(&b, at);
	assert_true(rec_view(&r, b.data, b.len));
	assert_true(sample_layout_sample(&p, &r, &s));
	assert_int_equal(s.raw_size, 12);
	assert_int_equal(s.ids.pid, 7);
	assert_int_equal(s.ids.tid, 8);
	buf_free(&b);
	/* no raw data, no tid; no ring, no CPU */
	p = made_layout(PERF_SAMPLE_IP);
	assert_int_equal(p.has, PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD);
	add_tracepoint(&set, 300, PERF_SAMPLE_IP, 0);
	assert_int_equal(set.events.v[0].layout.has, PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD);
	event_set_ring_cpus(&set);
	add_tracepoint(&set, 301, LEAN, 0);
	assert_int_equal(set.events.v[0].layout.has,
			 PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CPU);
	assert_int_equal(set.events.v[1].layout.has,
			 LEAN | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CPU | PERF_SAMPLE_TID);
	event_set_derive(&set, 2, &at_four);
	event_set_free(&set);
}

static void events_without_ids(void **state)
{
	static const u64 chain[] = {(u64)PERF_CONTEXT_KERNEL, 1, 2, 3};
	static const u64 type_behind_size = 300ull << 32 | 8;
	struct lean l = {.time = 1, .type = 301, .chain = chain, .nr = 4};
	struct sample_layout side = made_layout(MADE_TYPE);
	struct rec_ids ids = {.id = 900};
	struct event_set s = {0};
	struct buf b = {0};
	struct rec r = {0};
	u64 lie;

	(void)state;
	assert_int_equal(event_set_add(&s, &(struct perf_event_attr){0}, 0, "side", NULL, 0, NULL),
			 0);
	add_tracepoint(&s, 300, LEAN_CHAIN, 0);
	add_tracepoint(&s, 301, LEAN_CHAIN, 0);
	add_tracepoint(&s, 300, LEAN_CHAIN, 0);
	lean_sample(&b, &r, &l);
	assert_int_equal(event_set_find_in(&s, &r, 1), 2);
	assert_int_equal(event_set_find_in(&s, &r, 4), ID_NONE);
	/* of two with one type, the first */
	l.type = 300;
	lean_sample(&b, &r, &l);
	assert_int_equal(event_set_find_in(&s, &r, 3), 1);
	/* the source knows better than any id */
	r.event = 3;
	assert_int_equal(event_set_find(&s, &r), 3);
	r.event = 4;
	assert_int_equal(event_set_find(&s, &r), 0);
	l.type = 302;
	lean_sample(&b, &r, &l);
	assert_int_equal(event_set_find_in(&s, &r, 1), ID_NONE);
	/* a chain longer than its record; a record that ends before its raw data */
	l.type = 300;
	lean_sample(&b, &r, &l);
	for (lie = 5; lie; lie <<= 1) {
		memcpy(b.data + 16, &lie, sizeof(lie));
		assert_int_equal(event_set_find_in(&s, &r, 1), ID_NONE);
	}
	/* one whose length in bytes is 0 again */
	l.chain = &type_behind_size;
	l.nr = 1;
	lean_sample(&b, &r, &l);
	lie = 1ull << 61;
	memcpy(b.data + 16, &lie, sizeof(lie));
	assert_int_equal(event_set_find_in(&s, &r, 1), ID_NONE);
	l.chain = chain;
	l.nr = 4;
	lean_sample(&b, &r, &l);
	for (r.size = 8; r.size < 8 + 8 + 8 + 32 + 4 + 2; r.size++)
		assert_int_equal(event_set_find_in(&s, &r, 1), ID_NONE);
	assert_int_equal(event_set_find_in(&s, &r, 1), 1);
	/* no sample, no raw data: it is of the event whose layout the ring has */
	buf_clear(&b);
	rec_build_comm(&b, &side, &ids, 0, 1, 1, "x");
	rec_view(&r, b.data, b.len);
	assert_int_equal(event_set_find_in(&s, &r, 1), 1);
	event_set_free(&s);
	buf_free(&b);
}

static void events_with_ids(void **state)
{
	struct made_sample m = {.id = 11};
	struct perf_event_attr attr = made_attr(MADE_TYPE);
	static const u64 ids[] = {10, 11};
	struct event_set s = {0};
	struct buf b = {0};
	struct rec r = {0};

	(void)state;
	/* the side-band event of a recording has ids where its samples have none */
	assert_int_equal(event_set_add(&s, &attr, sizeof(attr), "side", NULL, 0, NULL), 0);
	assert_int_equal(event_set_add(&s, &attr, sizeof(attr), "a", ids, 1, NULL), 1);
	assert_int_equal(event_set_add(&s, &attr, sizeof(attr), "b", ids + 1, 1, NULL), 2);
	made_sample(&b, &m);
	rec_view(&r, b.data, b.len);
	assert_int_equal(event_set_find_in(&s, &r, 1), 2);
	assert_int_equal(event_set_find(&s, &r), 2);
	/* an id of another program: of the one software event that there is */
	m.id = 12;
	buf_clear(&b);
	made_sample(&b, &m);
	rec_view(&r, b.data, b.len);
	assert_int_equal(event_set_find_in(&s, &r, 1), ID_NONE);
	s.events.v[0].sideband = true;
	s.events.v[1].attr.config = PERF_COUNT_SW_CPU_CLOCK;
	s.events.v[2].attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	assert_int_equal(event_set_find_in(&s, &r, 1), 2);
	s.events.v[1].attr.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
	assert_int_equal(event_set_find_in(&s, &r, 1), ID_NONE);
	s.events.v[1].attr.type = PERF_TYPE_HARDWARE;
	assert_int_equal(event_set_find_in(&s, &r, 1), 2);
	assert_int_equal(event_set_find(&s, &r), ID_NONE);
	/* one event and no id: nothing else it could be */
	attr = made_attr(PERF_SAMPLE_IP | PERF_SAMPLE_RAW);
	assert_int_equal(event_set_add(&s, &attr, sizeof(attr), "c", NULL, 0, NULL), 3);
	assert_int_equal(event_set_find_in(&s, &r, 3), 3);
	event_set_free(&s);
	buf_free(&b);
}

static const char stat_runtime[] =
	"name: sched_stat_runtime\nID: 363\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:__data_loc char[] comm;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:pid_t pid;\toffset:12;\tsize:4;\tsigned:1;\n"
	"\tfield:u64 runtime;\toffset:16;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \"%d\", REC->pid\n";

static const char arrays[] =
	"name: arrays\nID: 7\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
	"\tfield:char name[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:unsigned long args[3];\toffset:24;\tsize:24;\tsigned:0;\n"
	"\tfield:int overlapping;\toffset:40;\tsize:4;\tsigned:1;\n"
	"\tfield:__data_loc u64[] list;\toffset:48;\tsize:4;\tsigned:0;\n"
	"\tfield:char rest[];\toffset:52;\tsize:0;\tsigned:0;\n"
	"\tfield:u64 far;\toffset:65536;\tsize:8;\tsigned:0;\n"
	"\tfield:u64 beyond;\toffset:65530;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \"\"\n";

static void expect_fields(const char *text, const char *want)
{
	struct tp_format *f = tp_format_parse(text, strlen(text), NULL);
	struct raw_fields fields = {0};
	struct buf b = {0};
	u32 i;

	assert_non_null(f);
	assert_int_equal(raw_layout_fields(f, &fields), 0);
	for (i = 0; i < fields.nr; i++)
		buf_addf(&b, "%u+%u ", fields.v[i].at, fields.v[i].size);
	assert_string_equal(buf_str(&b), want);
	vec_free(&fields);
	buf_free(&b);
	tp_format_free(f);
}

static void raw_layouts(void **state)
{
	static const char *const counting[] = {"stat_wait", "stat_sleep", "stat_iowait",
					       "stat_blocked"};
	char text[sizeof(stat_runtime) + 32];
	struct tp_format *f;
	struct sample_layout_derive d;
	u32 i;

	(void)state;
	expect_fields(stat_runtime, "0+2 2+1 3+1 4+4 8+4 12+4 16+8 ");
	expect_fields(arrays, "0+2 8+16 24+8 32+8 40+8 48+4 ");
	f = tp_format_parse(stat_runtime, strlen(stat_runtime), NULL);
	raw_layout_derive(f, &d);
	assert_int_equal(d.tid_at, 4);
	assert_int_equal(d.period_at, 16);
	tp_format_free(f);
	f = tp_format_parse(arrays, strlen(arrays), NULL);
	raw_layout_derive(f, &d);
	assert_int_equal(d.tid_at, -1);
	assert_int_equal(d.period_at, -1);
	tp_format_free(f);
	for (i = 0; i < ARRAY_SIZE(counting); i++) {
		snprintf(text, sizeof(text),
			 "name: sched_%s\nID: 1\nformat:\n"
			 "\tfield:u64 delay;\toffset:24;\tsize:8;\tsigned:0;\n\n"
			 "print fmt: \"\"\n",
			 counting[i]);
		f = tp_format_parse(text, strlen(text), NULL);
		raw_layout_derive(f, &d);
		assert_int_equal(d.period_at, 24);
		tp_format_free(f);
	}
}

static void fields_of_events(void **state)
{
	struct raw_field fields[] = {{0, 2}, {4, 4}};
	struct event_set s = {0};
	struct tp_format *f = tp_format_parse(stat_runtime, strlen(stat_runtime), NULL);
	struct raw_fields out = {0};

	(void)state;
	add_tracepoint(&s, 300, LEAN, 0);
	assert_null(s.events.v[0].fields);
	assert_int_equal(event_set_fields(&s, 0, fields, 2), 0);
	fields[1].at = 99;
	assert_int_equal(s.events.v[0].nr_fields, 2);
	assert_int_equal(s.events.v[0].fields[1].at, 4);
	assert_int_equal(event_set_fields(&s, 1, fields, 2), -EINVAL);
	event_set_free(&s);
	oom_after(0);
	assert_int_equal(raw_layout_fields(f, &out), -ENOMEM);
	assert_true(oom_stop());
	vec_free(&out);
	tp_format_free(f);
}

/* As kernels write them to the second ring and the third. */
static void trailers_that_grew(void **state)
{
	static const struct {
		u64 addr;
		u32 len;
		u16 type, flags;
		char name[8];
	} symbol = {.name = "bpf_pro"};
	static const u64 program[2];
	static const struct {
		u64 addr;
		u16 old, new;
		u8 bytes[12];
	} byte_pairs = {.old = 2, .new = 2}, calls = {.old = 5, .new = 5};
	static const struct {
		u32 type, nr; /* words */
		const void *body;
	} records[] = {
		{PERF_RECORD_KSYMBOL, 3, &symbol},
		{PERF_RECORD_BPF_EVENT, 2, program},
		{PERF_RECORD_TEXT_POKE, 2, &byte_pairs},
		{PERF_RECORD_TEXT_POKE, 3, &calls},
	};
	static const struct {
		u32 pid, tid;
		u64 time;
	} trailer = {1, 2, 77};
	struct sample_layout p = made_layout(PERF_SAMPLE_TID | PERF_SAMPLE_TIME);
	struct perf_event_header h = {0};
	struct rec_ids ids;
	u32 i, grown;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(records); i++)
		for (grown = 0; grown < 3; grown++) {
			u32 nr = records[i].nr;
			u64 words[12];
			struct rec r = {0};

			memset(words, '/', sizeof(words));
			h.type = records[i].type;
			h.size = (u16)((1 + nr + 2 + 2 * grown) * 8);
			memcpy(words, &h, sizeof(h));
			memcpy(&words[1], records[i].body, nr * sizeof(u64));
			memcpy(&words[1 + nr], &trailer, sizeof(trailer));
			assert_true(rec_view(&r, (const u8 *)words, sizeof(words)));
			assert_true(sample_layout_ids(&p, &r, &ids));
			assert_int_equal(ids.pid, 1);
			assert_int_equal(ids.tid, 2);
			assert_int_equal(ids.time, 77);
		}
}

/* Modifiers and the system of a tracepoint may be left out, but not a part of a word. */
static void names_of_events(void **state)
{
	(void)state;
	assert_true(event_set_is_named("cycles", "cycles"));
	assert_true(event_set_is_named("cycles:u", "cycles"));
	assert_true(event_set_is_named("cycles:u", "cycles:u"));
	assert_false(event_set_is_named("cycles:u", "u"));
	assert_false(event_set_is_named("cycles:u", "cycles:k"));
	assert_false(event_set_is_named("cycles", "cycles:u"));
	assert_true(event_set_is_named("sched:sched_switch", "sched_switch"));
	assert_true(event_set_is_named("sched:sched_switch:k", "sched_switch"));
	assert_true(event_set_is_named("sched:sched_switch:k", "sched:sched_switch"));
	assert_false(event_set_is_named("sched:sched_switch", "sched"));
	assert_false(event_set_is_named("sched:sched_switch", "switch"));
	assert_false(event_set_is_named("sched:sched_switch", "sched_switch_x"));
	assert_false(event_set_is_named("sched:sched_switch", ""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(views),           cmocka_unit_test(build_id_or_inode),
		cmocka_unit_test(id_positions),    cmocka_unit_test(no_trailer),
		cmocka_unit_test(every_field),     cmocka_unit_test(lying_sizes),
		cmocka_unit_test(absent_fields),   cmocka_unit_test(builders),
		cmocka_unit_test(events),          cmocka_unit_test(derived),
		cmocka_unit_test(recorded_first),  cmocka_unit_test(events_without_ids),
		cmocka_unit_test(events_with_ids), cmocka_unit_test(trailers_that_grew),
		cmocka_unit_test(raw_layouts),     cmocka_unit_test(fields_of_events),
		cmocka_unit_test(names_of_events),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("record", tests, NULL, NULL);
}
