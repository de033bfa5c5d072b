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

#define ID_BITS                                                                        \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

static void views(void **state)
{
	struct perf_event_header h = {.type = PERF_RECORD_COMM, .misc = 5, .size = 16};
	u8 bytes[16] = {0};
	struct rec r;
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
		struct plan p;
		struct rec r;
		u64 type = 0, id;

		for (i = 0; i < ARRAY_SIZE(bits); i++)
			type |= combination >> i & 1 ? bits[i] : 0;
		p = made_plan(type);
		rec_build_comm(&b, &p, &ids, 0, 1, 2, "name");
		assert_true(rec_view(&r, b.data, b.len));
		assert_int_equal(r.size, b.len);
		assert_true(plan_ids(&p, &r, &got));
		assert_int_equal(got.has, type & ID_BITS);
		assert_int_equal(got.pid, type & PERF_SAMPLE_TID ? 1 : 0);
		assert_int_equal(got.tid, type & PERF_SAMPLE_TID ? 2 : 0);
		assert_int_equal(got.time, type & PERF_SAMPLE_TIME ? 3 : 0);
		assert_int_equal(got.stream_id, type & PERF_SAMPLE_STREAM_ID ? 5 : 0);
		assert_int_equal(got.cpu, type & PERF_SAMPLE_CPU ? 6 : ID_NONE);
		assert_int_equal(plan_time(&p, &r), got.time);
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
	struct plan p;
	struct rec r;

	(void)state;
	attr.sample_id_all = 0;
	plan_init(&p, &attr);
	assert_int_equal(p.id_size, 0);
	assert_int_equal(p.other_id, -1);
	assert_int_equal(p.sample_id, 0);
	rec_build_task(&b, &p, NULL, PERF_RECORD_FORK, 1, 2, 3, 4, 5);
	assert_int_equal(b.len, 8 + 24);
	rec_view(&r, b.data, b.len);
	assert_true(plan_ids(&p, &r, &ids));
	assert_int_equal(ids.has, 0);
	assert_int_equal(ids.cpu, ID_NONE);
	assert_int_equal(plan_time(&p, &r), 0);
	/* a record that is too short for its trailer */
	p = made_plan(MADE_TYPE);
	r.size = 16;
	assert_false(plan_ids(&p, &r, &ids));
	assert_int_equal(ids.time, 0);
	assert_int_equal(plan_time(&p, &r), 0);
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

static struct plan full_plan(void)
{
	struct perf_event_attr attr = made_attr(EVERYTHING);
	struct plan p;

	attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_LOST |
			   PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_HW_INDEX;
	attr.sample_regs_user = 0x8005;
	attr.sample_regs_intr = 3;
	plan_init(&p, &attr);
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
	struct plan p = full_plan();
	struct buf b = {0};
	struct sizes at;
	struct sample s;
	struct rec r;
	u16 size;

	(void)state;
	full_sample(&b, &at);
	assert_true(rec_view(&r, b.data, b.len));
	assert_true(plan_sample(&p, &r, &s));
	assert_int_equal(s.misc, 0x4002);
	assert_int_equal(s.ids.id, 7);
	assert_int_equal(s.ip, 2);
	assert_int_equal(s.ids.pid, 3);
	assert_int_equal(s.ids.tid, 4);
	assert_int_equal(s.ids.time, 5);
	assert_int_equal(plan_time(&p, &r), 5);
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
	assert_int_equal(s.aux_size, 8);
	assert_memory_equal(s.aux, "aux data", 8);
	/* cut anywhere it is no sample; the copy ends where the sanitizer sees it */
	for (size = 8; size < b.len; size++) {
		u8 *cut = malloc(size);

		memcpy(cut, b.data, size);
		memcpy(cut + 6, &size, sizeof(size));
		assert_true(rec_view(&r, cut, size));
		assert_false(plan_sample(&p, &r, &s));
		free(cut);
	}
	buf_free(&b);
}

static void lying_sizes(void **state)
{
	static const u64 lies[] = {4000,       UINT32_MAX,      1ull << 61,
				   1ull << 60, UINT64_MAX / 24, UINT64_MAX};
	struct plan p = full_plan();
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
			struct rec r;
			u8 keep[8];

			memcpy(keep, b.data + where[j], 8);
			memcpy(b.data + where[j], &lies[i], width);
			rec_view(&r, b.data, b.len);
			if (width == 8 || (u32)lies[i])
				assert_false(plan_sample(&p, &r, &s));
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
	struct plan p;
	struct rec r;
	size_t at;

	(void)state;
	attr.sample_period = 4000;
	attr.sample_regs_user = 0xff;
	plan_init(&p, &attr);
	at = made_begin(&b, PERF_RECORD_SAMPLE, 0);
	buf_u64(&b, 0); /* no chain */
	buf_u32(&b, 0); /* no raw data, but its padding */
	buf_u32(&b, 0);
	buf_u64(&b, PERF_SAMPLE_REGS_ABI_NONE);
	buf_u64(&b, 0); /* no stack, and no dynamic size then */
	made_end(&b, at);
	rec_view(&r, b.data, b.len);
	assert_true(plan_sample(&p, &r, &s));
	assert_int_equal(s.period, 4000);
	assert_int_equal(s.chain_nr, 0);
	assert_int_equal(s.raw_size, 0);
	assert_null(s.regs_user.reg);
	assert_int_equal(s.stack_size, 0);
	assert_int_equal(s.ids.cpu, ID_NONE);
	assert_int_equal(plan_time(&p, &r), 0);
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
	struct plan p = made_plan(MADE_TYPE);
	struct rec_ids ids = {.time = 1234, .id = 7, .cpu = ID_NONE};
	struct buf b = {0};
	struct rec_ids got;
	char *long_name;
	struct cur c;
	struct rec r;
	size_t len;

	(void)state;
	rec_build_mmap2(&b, &p, &ids, PERF_RECORD_MISC_USER, &m);
	assert_true(rec_view(&r, b.data, b.len));
	assert_int_equal(r.size, b.len);
	assert_int_equal(r.size % 8, 0);
	assert_true(plan_ids(&p, &r, &got));
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
	struct rec r;
	u32 event;

	made_sample(&b, &m);
	rec_view(&r, b.data, b.len);
	event = event_set_find(s, &r);
	buf_free(&b);
	return event;
}

static u32 find_comm(const struct event_set *s, u64 id)
{
	struct plan p = made_plan(MADE_TYPE);
	struct rec_ids ids = {.id = id};
	struct buf b = {0};
	struct rec r;
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
	struct rec r;
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
	assert_int_equal(s.events.v[1].plan.sample_type, MADE_TYPE);
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
	r = (struct rec){.data = (const u8 *)bytes, .size = 8, .type = PERF_RECORD_SAMPLE};
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

/* Whatever fails, no event is left that has no name or cannot be found. */
static void events_out_of_memory(void **state)
{
	struct perf_event_attr attr = made_attr(MADE_TYPE);
	static const u64 ids[] = {1, 2, 3};
	unsigned int n;
	bool refused;
	int ret;
	u32 i;

	(void)state;
	for (n = 0;; n++) {
		struct event_set s = {0};
		struct err err = {0};

		oom_after(n);
		ret = event_set_add(&s, &attr, sizeof(attr), "name", ids, 3, &err);
		refused = oom_stop();
		assert_int_equal(ret, refused ? -ENOMEM : 0);
		for (i = 0; i < s.events.nr; i++)
			assert_string_equal(s.events.v[i].name, "name");
		for (i = 1; i <= 3; i++) {
			u32 event = find_sample(&s, i);

			assert_true(event == ID_NONE || event < s.events.nr);
		}
		event_set_free(&s);
		if (!refused)
			break;
	}
	assert_true(n >= 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(views),
		cmocka_unit_test(id_positions),
		cmocka_unit_test(no_trailer),
		cmocka_unit_test(every_field),
		cmocka_unit_test(lying_sizes),
		cmocka_unit_test(absent_fields),
		cmocka_unit_test(builders),
		cmocka_unit_test(events),
		cmocka_unit_test(events_out_of_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("record", tests, NULL, NULL);
}
