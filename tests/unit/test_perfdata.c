// SPDX-License-Identifier: GPL-2.0
/* perf.data files made here by the description of the format, and read back. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/made_perfdata.h"

static void check_recording(const struct recording *r)
{
	const char *arg;

	assert_string_equal(recording_fact(r, "hostname"), "a-host");
	assert_string_equal(recording_fact(r, "arch"), "x86_64");
	assert_string_equal(recording_fact(r, "nrcpus_avail"), "8");
	assert_string_equal(recording_fact(r, "nrcpus_online"), "4");
	assert_string_equal(recording_fact(r, "total_memory_kb"), "1234567");
	assert_string_equal(recording_fact(r, "long_size"), "8");
	assert_string_equal(recording_fact(r, "printk_formats"), "0x10 : \"text\"\n");
	assert_string_equal(recording_fact(r, "time_last"), "500");
	arg = recording_argument(r, NULL);
	assert_string_equal(arg, "perf");
	arg = recording_argument(r, arg);
	assert_string_equal(arg, "record it");
	assert_null(recording_argument(r, arg));
	assert_int_equal(r->tracepoints.nr, 1);
	assert_string_equal(recording_tracepoint(r, 1234)->system, "skb");
	assert_string_equal(recording_tracepoint(r, 1234)->name, "kfree_skb");
	assert_int_equal(r->dsos.nr, 2);
	assert_string_equal(r->dsos.v[0].name, "/bin/cat");
	assert_int_equal(r->dsos.v[0].class, DSO_CLASS_USER);
	assert_int_equal(r->dsos.v[0].build_id_len, 16);
	assert_memory_equal(r->dsos.v[0].build_id, "sixteen bytes of", 16);
	assert_int_equal(r->dsos.v[1].class, DSO_CLASS_KERNEL);
	assert_int_equal(r->dsos.v[1].build_id_len, 20);
	assert_memory_equal(r->dsos.v[1].build_id, "twenty bytes of one.", 20);
}

static void whole_file(void **state)
{
	static const u64 time[] = {0, 30, 20, 40, 35, 50};
	static const u32 event[] = {0, 0, 1, 0, ID_NONE, 1};
	/* after a round: what is newer than the round before it may still be overtaken */
	static const u64 order[] = {0, 0, 0, 1, 31, 31};
	const struct event_set *events;
	struct err err = {0};
	struct buf b = {0};
	struct source *s;
	struct result r;
	u32 i;

	(void)state;
	make_file(&b, &usual);
	s = open_bytes(&b, &err);
	assert_non_null(s);
	assert_true(s->recording->perfdata);
	events = &s->recording->events;
	assert_int_equal(events->events.nr, 2);
	assert_string_equal(events->events.v[0].name, "skb:kfree_skb");
	assert_string_equal(events->events.v[1].name, "cycles:u");
	assert_int_equal(events->events.v[0].attr.config, 1234);
	assert_int_equal(events->events.v[0].nr_ids, 2);
	assert_int_equal(events->events.v[1].ids[0], 20);
	check_recording(s->recording);
	r = read_records(s);
	assert_int_equal(r.ret, 0);
	assert_int_equal(r.records, 6);
	for (i = 0; i < 6; i++) {
		assert_int_equal(r.time[i], time[i]);
		assert_int_equal(r.event[i], event[i]);
		assert_int_equal(r.order[i], order[i]);
	}
	assert_int_equal(s->order, UINT64_MAX);
	assert_false(s->recording->damage.no_end);
	assert_int_equal(s->recording->damage.cut_at, 0);
	source_close(s);
	buf_free(&b);
}

/* attrs of kernels from 2.6.31 to ones that do not exist yet */
static void attr_sizes(void **state)
{
	static const u32 sizes[] = {PERF_ATTR_SIZE_VER0,
				    PERF_ATTR_SIZE_VER1,
				    112,
				    sizeof(struct perf_event_attr),
				    200,
				    4080};
	struct layout l = usual;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct buf b = {0};
		struct result r;

		l.attr_size = sizes[i];
		make_file(&b, &l);
		r = read_bytes(&b);
		assert_int_equal(r.ret, 0);
		assert_int_equal(r.records, 6);
		assert_int_equal(r.events, 2);
		buf_free(&b);
	}
}

static void killed(void **state)
{
	struct layout l = usual;
	struct err err = {0};
	struct buf b = {0};
	struct source *s;
	struct result r;

	(void)state;
	l.killed = true;
	make_file(&b, &l);
	s = open_bytes(&b, &err);
	assert_non_null(s);
	r = read_records(s);
	assert_int_equal(r.ret, 0);
	assert_int_equal(r.records, 6);
	assert_true(r.damage.no_end);
	assert_int_equal(r.damage.cut_at, 0);
	assert_null(recording_fact(s->recording, "hostname"));
	assert_int_equal(s->recording->tracepoints.nr, 0);
	source_close(s);
	buf_free(&b);
}

static void without_rounds(void **state)
{
	struct layout l = usual;
	struct buf b = {0};
	struct result r;

	(void)state;
	l.no_rounds = true;
	make_file(&b, &l);
	r = read_bytes(&b);
	assert_int_equal(r.ret, 0);
	assert_int_equal(r.records, 6);
	assert_int_equal(r.order[5], 0);
	buf_free(&b);
}

static void cut_anywhere(void **state)
{
	struct layout l = usual;
	struct buf b = {0}, cut = {0};
	struct result whole, r;
	size_t len;
	u32 before = 0;

	(void)state;
	for (l.killed = false;; l.killed = true) {
		buf_clear(&b);
		make_file(&b, &l);
		whole = read_bytes(&b);
		for (len = 8, before = 0; len < b.len; len++) {
			buf_clear(&cut);
			buf_add(&cut, b.data, len);
			r = read_bytes(&cut);
			assert_true(r.ret == 0 || (r.ret == -EINVAL && r.err.msg[0]));
			assert_in_range(r.records, before, whole.records);
			before = r.records;
		}
		assert_int_equal(before, l.killed ? whole.records : 6);
		if (l.killed)
			break;
	}
	buf_free(&b);
	buf_free(&cut);
}

/* Sizes and offsets are where a hostile file would lie; whatever comes out, it ends. */
static void any_byte_changed(void **state)
{
	static const u8 changes[] = {0x01, 0x80, 0xff};
	struct buf b = {0};
	size_t at, i;

	(void)state;
	make_file(&b, &usual);
	for (at = 8; at < b.len; at++) {
		for (i = 0; i < ARRAY_SIZE(changes); i++) {
			struct result r;

			b.data[at] ^= changes[i];
			r = read_bytes(&b);
			b.data[at] ^= changes[i];
			assert_true(r.ret <= 0 && r.records <= b.len / 8);
			assert_true(r.ret == 0 || r.err.msg[0]);
		}
	}
	buf_free(&b);
}

static size_t data_start(const struct buf *b)
{
	u64 at;

	memcpy(&at, b->data + 40, sizeof(at));
	return (size_t)at;
}

/* Where the first record of a type stands. */
static size_t find_record(const struct buf *b, u32 type)
{
	struct perf_event_header h;
	size_t at = data_start(b);

	for (;; at += h.size) {
		memcpy(&h, b->data + at, sizeof(h));
		if (h.type == type)
			return at;
	}
}

static void hostile_sizes(void **state)
{
	static const u64 sizes[] = {17, 1000, 1ull << 40, 1ull << 63, UINT64_MAX - 200, UINT64_MAX};
	struct layout l = usual;
	struct buf b = {0};
	struct result r;
	size_t i, aux;
	u64 v;

	(void)state;
	l.no_rounds = true;
	make_file(&b, &l);
	aux = find_record(&b, 71) + 8;
	memcpy(&v, b.data + aux, sizeof(v));
	assert_int_equal(v, 16);
	/* AUXTRACE data past the end, and so far that the sum wraps around to before it */
	for (i = 1; i < ARRAY_SIZE(sizes); i++) {
		memcpy(b.data + aux, &sizes[i], 8);
		r = read_bytes(&b);
		assert_int_equal(r.ret, 0);
		assert_int_equal(r.records, 4);
		assert_int_equal(r.damage.cut_at, aux - 8);
	}
	buf_clear(&b);
	/* data that ends behind the file: what there is */
	make_file(&b, &usual);
	for (i = 2; i < ARRAY_SIZE(sizes); i++) {
		memcpy(b.data + 48, &sizes[i], 8);
		r = read_bytes(&b);
		assert_int_equal(r.ret, 0);
		assert_true(r.records >= 6);
		assert_true(r.damage.no_end);
	}
	buf_clear(&b);
	/* every attr claims all of the file as its ids */
	make_file(&b, &usual);
	for (i = 0; i < 2; i++) {
		u64 all[2] = {0, b.len};

		memcpy(b.data + MADE_HEADER + i * (sizeof(struct perf_event_attr) + 16) +
			       sizeof(struct perf_event_attr),
		       all, sizeof(all));
	}
	r = read_bytes(&b);
	assert_int_equal(r.ret, -EINVAL);
	assert_non_null(strstr(r.err.msg, "event ids"));
	buf_free(&b);
}

/* What is damaged is passed over up to where records follow each other again. */
static void damaged_records(void **state)
{
	struct layout l = usual;
	struct buf b = {0};
	struct result r;
	size_t at;

	(void)state;
	make_file(&b, &l);
	at = find_record(&b, PERF_RECORD_SAMPLE);
	memset(b.data + at, 0, 8); /* the sample at 30 */
	r = read_bytes(&b);
	assert_int_equal(r.ret, 0);
	assert_int_equal(r.records, 5);
	assert_int_equal(r.time[1], 20);
	assert_int_equal(r.damage.blocks, 1);
	assert_int_equal(r.damage.first_at, at);
	assert_int_equal(r.damage.bytes, 8 + 8 * 9);
	assert_int_equal(r.damage.cut_at, 0);
	buf_clear(&b);
	make_file(&b, &l);
	memset(b.data + at + 6, 0xff, 2); /* its size: beyond the end of the data */
	r = read_bytes(&b);
	assert_int_equal(r.records, 5);
	assert_int_equal(r.damage.bytes, 8 + 8 * 9);
	buf_clear(&b);
	/* nothing follows */
	l.killed = true;
	make_file(&b, &l);
	at = find_record(&b, PERF_RECORD_SAMPLE);
	memset(b.data + at, 0, b.len - at);
	r = read_bytes(&b);
	assert_int_equal(r.records, 1);
	assert_int_equal(r.damage.first_at, at);
	assert_int_equal(r.damage.bytes, b.len - at);
	buf_free(&b);
}

/* A section that cannot be read costs what it says. */
static void damaged_sections(void **state)
{
	struct buf b = {0};
	struct result r;
	u64 data[2], far = 1ull << 60;

	(void)state;
	make_file(&b, &usual);
	memcpy(data, b.data + 40, sizeof(data));
	memcpy(b.data + data[0] + data[1], &far, 8);
	r = read_bytes(&b);
	assert_int_equal(r.ret, 0);
	assert_int_equal(r.records, 6);
	assert_int_equal(r.damage.sections, 1);
	assert_int_equal(r.damage.section_at, data[0] + data[1]);
	buf_free(&b);
}

static void refused(void **state)
{
	struct buf b = {0};
	struct result r;

	(void)state;
	make_file(&b, &usual);
	memcpy(b.data + 8, &(u64){17}, 8);
	r = read_bytes(&b);
	assert_int_equal(r.ret, -EINVAL);
	assert_non_null(strstr(r.err.msg, "17 bytes"));
	buf_clear(&b);
	make_file(&b, &usual);
	memset(b.data + 32, 0, 8); /* no attrs */
	r = read_bytes(&b);
	assert_int_equal(r.ret, -EINVAL);
	assert_non_null(strstr(r.err.msg, "no event"));
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_file),       cmocka_unit_test(attr_sizes),
		cmocka_unit_test(killed),           cmocka_unit_test(without_rounds),
		cmocka_unit_test(cut_anywhere),     cmocka_unit_test(any_byte_changed),
		cmocka_unit_test(hostile_sizes),    cmocka_unit_test(damaged_records),
		cmocka_unit_test(damaged_sections), cmocka_unit_test(refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("perfdata", tests, NULL, NULL);
}
