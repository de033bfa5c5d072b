// SPDX-License-Identifier: GPL-2.0
/*
 * Recordings of a machine of the other byte order: made once as this machine would and once as that
 * one would, they read alike.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/made_perfdata.h"
#include "tests/unit/oom.h"
#include "util/file/pack.h"
#include "util/file/verify.h"

#define SAMPLES 3

/* How the file tells which order it is of. */
enum told { BY_FACT, BY_SIZE };

static const char *order_name(bool swap)
{
	return swap ^ (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? "big" : "little";
}

/* A mapping: a name, and integers of both sizes. */
static void put_mmap2(struct made_perfdata *m)
{
	size_t at = begin(m, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);

	put32(m, 1);
	put32(m, 2);
	put64(m, 0x400000);
	put64(m, 0x1000);
	put64(m, 0x2000);
	put32(m, 8);
	put32(m, 1);
	put64(m, 123456);
	put64(m, 7);
	put32(m, 5);
	put32(m, 2);
	buf_add(&m->b, "/bin/a-program\0\0", 16);
	put32(m, 1);
	put32(m, 2);
	put64(m, 5);
	put32(m, 3);
	put32(m, 0);
	put64(m, 0);
	end(m, at);
}

static void put_fork(struct made_perfdata *m)
{
	size_t at = begin(m, PERF_RECORD_FORK, 0);

	put32(m, 9);
	put32(m, 1);
	put32(m, 9);
	put32(m, 2);
	put64(m, 6);
	put32(m, 9);
	put32(m, 9);
	put64(m, 7);
	put32(m, 3);
	put32(m, 0);
	put64(m, 20);
	end(m, at);
}

/* Side-band first, then samples: the order in which a block gives them back. */
static void put_all(struct made_perfdata *m, size_t *samples)
{
	put_comm(m);
	put_mmap2(m);
	put_fork(m);
	*samples = m->b.len;
	put_sample(m, 10, 30);
	put_sample(m, 11, 31);
	put_sample(m, 10, 32);
}

static struct event_set our_events(void)
{
	static const u64 ids[2][2] = {{10, 11}, {20}};
	struct made_perfdata m = {.l = {.attr_size = sizeof(struct perf_event_attr), .raw = true}};
	struct event_set s = {0};
	int i;

	for (i = 0; i < 2; i++) {
		buf_clear(&m.b);
		put_attr(&m, i);
		assert_int_equal(event_set_add(&s, m.b.data, m.b.len, "e", ids[i], i ? 1 : 2, NULL),
				 i);
	}
	buf_free(&m.b);
	return s;
}

static void encode(struct columns_encoder *e, const struct event_set *events,
		   const struct made_perfdata *m, size_t samples)
{
	struct made_perfdata ours = {.l = m->l};
	const struct columns_ring rings[] = {{0, 3, true, 0, 64}, {1, 3, false, 0, 64}};
	struct rec rec;
	size_t at, first;

	/* what a record is, its recorder knows */
	ours.l.swap = false;
	put_all(&ours, &first);
	assert_int_equal(first, samples);
	columns_set_foreign(e, m->l.swap);
	columns_begin(e);
	for (at = 0; at < ours.b.len; at += rec.size) {
		assert_true(rec_view(&rec, ours.b.data + at, ours.b.len - at));
		rec.event = event_set_find(events, &rec);
		rec.data = (const u8 *)m->b.data + at;
		columns_run(e, &rings[at >= samples]);
		columns_add(e, &rec, NULL);
	}
	buf_free(&ours.b);
}

/* A recording of this layout's byte order; its path, in `folder`. */
static void make_recording(const char *path, bool swap, enum told told)
{
	struct made_perfdata m = {
		.l = {.attr_size = sizeof(struct perf_event_attr), .swap = swap, .raw = true}};
	struct event_set events = our_events();
	struct columns_encoder *e = columns_encoder_new(&events, NULL);
	struct writer_data d = {.records = 6, .samples = SAMPLES, .time_min = 5, .time_max = 32};
	struct buf b = {0}, payload = {0};
	struct writer w;
	int i;

	assert_non_null(e);
	assert_int_equal(writer_open(&w, path, 1, NULL), 0);
	made_fact(&b, "arch", "any");
	if (told == BY_FACT)
		made_fact(&b, "byte_order", order_name(swap));
	assert_int_equal(writer_block(&w, BLOCK_META, b.data, b.len, NULL), 0);
	buf_clear(&b);
	for (i = 0; i < 2; i++) {
		buf_clear(&m.b);
		put_attr(&m, i);
		buf_le32(&b, 0);
		buf_lstr(&b, m.b.data, m.b.len);
		buf_lstr(&b, "e", 1);
		buf_le32(&b, i ? 1 : 2);
		buf_le64(&b, i ? 20 : 10);
		if (!i)
			buf_le64(&b, 11);
	}
	assert_int_equal(writer_block(&w, BLOCK_ATTR, b.data, b.len, NULL), 0);
	buf_clear(&b);
	buf_le32(&b, 1234);
	buf_lstr(&b, "skb", 3);
	buf_lstr(&b, "kfree_skb", 9);
	buf_lstr(&b, made_format, sizeof(made_format) - 1);
	assert_int_equal(writer_block(&w, BLOCK_TPFMT, b.data, b.len, NULL), 0);
	buf_clear(&m.b);
	put_all(&m, &d.raw_size);
	encode(e, &events, &m, d.raw_size);
	assert_int_equal(columns_end(e, 1, &payload, NULL), 0);
	d.payload = payload.data;
	d.len = payload.len;
	d.raw_size = m.b.len;
	assert_int_equal(writer_data(&w, &d, NULL), 0);
	buf_clear(&b);
	made_fact(&b, "samples", "3");
	assert_int_equal(writer_block(&w, BLOCK_END, b.data, b.len, NULL), 0);
	assert_int_equal(writer_publish(&w, NULL), 0);
	assert_int_equal(writer_close(&w, NULL), 0);
	columns_encoder_free(e);
	event_set_free(&events);
	buf_free(&b);
	buf_free(&payload);
	buf_free(&m.b);
}

/* All records that a file gives, and the attrs of its events. */
static int take_records(const char *path, struct buf *to)
{
	struct err err = {0};
	struct source *s = source_open(path, &err);
	struct rec rec;
	u32 i;
	int ret;

	if (!s)
		return -err.code;
	to->len = 0;
	while ((ret = source_next(s, &rec, &err)) > 0) {
		if (ret != SOURCE_RECORD)
			continue;
		assert_int_equal((uintptr_t)rec.data % 8, 0);
		assert_true(rec.event < 2);
		buf_add(to, rec.data, rec.size);
	}
	for (i = 0; i < s->recording->events.events.nr; i++)
		buf_add(to, &s->recording->events.events.v[i].attr, sizeof(struct perf_event_attr));
	assert_int_equal(s->recording->damage.bytes, 0);
	source_close(s);
	return ret;
}

static void expect_ours(const char *path)
{
	struct buf ours = {0}, theirs = {0};
	char our_path[128];

	snprintf(our_path, sizeof(our_path), "%s.ours", path);
	make_recording(our_path, false, BY_FACT);
	assert_int_equal(take_records(our_path, &ours), 0);
	assert_true(ours.len > 6 * 64);
	assert_int_equal(take_records(path, &theirs), 0);
	assert_int_equal(theirs.len, ours.len);
	assert_memory_equal(theirs.data, ours.data, ours.len);
	unlink(our_path);
	buf_free(&ours);
	buf_free(&theirs);
}

static void verify_all(const char *path)
{
	struct blocks_item it;
	struct err err = {0};
	struct verify v;

	assert_int_equal(verify_open(&v, path, &err), 0);
	while (verify_next(&v, &it, &err) > 0)
		;
	assert_int_equal(verify_end(&v, &err), 0);
	assert_int_equal(v.nr_problems, 0);
	assert_int_equal(v.samples, SAMPLES);
	assert_int_equal(v.time_min, 5);
	assert_int_equal(v.time_max, 32);
	verify_free(&v);
}

/* The DATA payload of a recording. */
static void get_data(const char *path, struct buf *to)
{
	struct blocks_item it;
	struct err err = {0};
	struct blocks b;
	struct stream in;

	assert_int_equal(stream_open(&in, path, &err), 0);
	assert_int_equal(blocks_begin(&b, &in, &err), 0);
	buf_clear(to);
	while (blocks_next(&b, &it) > 0)
		if (it.head.type == BLOCK_DATA)
			buf_add(to, it.payload, it.head.stored_size);
	stream_close(&b.in);
	assert_true(to->len > 0);
}

static void reads_alike(void **state)
{
	char folder[64], path[96];

	(void)state;
	made_folder(folder);
	snprintf(path, sizeof(path), "%s/theirs", folder);
	make_recording(path, true, BY_FACT);
	expect_ours(path);
	verify_all(path);
	/* the block of facts may be damaged */
	unlink(path);
	make_recording(path, true, BY_SIZE);
	expect_ours(path);
	/* and old files of this order did not say either */
	unlink(path);
	make_recording(path, false, BY_SIZE);
	expect_ours(path);
	made_folder_gone(folder);
}

/* What is packed stays of its machine's order. */
static void packs(void **state)
{
	struct pack_options o = {.level = 1};
	struct pack_result result;
	struct buf before = {0}, after = {0};
	struct err err = {0};
	char folder[64], path[96], packed[96];
	struct stream in;
	struct writer w;

	(void)state;
	made_folder(folder);
	snprintf(path, sizeof(path), "%s/theirs", folder);
	snprintf(packed, sizeof(packed), "%s/packed", folder);
	make_recording(path, true, BY_FACT);
	assert_int_equal(stream_open(&in, path, &err), 0);
	assert_int_equal(writer_open(&w, packed, 1, &err), 0);
	assert_int_equal(pack_stream(&in, &w, &o, &result, &err), 0);
	assert_int_equal(writer_publish(&w, &err), 0);
	assert_int_equal(writer_close(&w, &err), 0);
	stream_close(&in);
	assert_int_equal(result.samples, SAMPLES);
	get_data(path, &before);
	get_data(packed, &after);
	assert_int_equal(before.len, after.len);
	assert_memory_equal(before.data, after.data, before.len);
	expect_ours(packed);
	verify_all(packed);
	buf_free(&before);
	buf_free(&after);
	made_folder_gone(folder);
}

static void out_of_memory(void **state)
{
	struct buf all = {0}, some = {0};
	char folder[64], path[96];
	unsigned int n;
	bool refused;
	int ret;

	(void)state;
	made_folder(folder);
	snprintf(path, sizeof(path), "%s/theirs", folder);
	make_recording(path, true, BY_FACT);
	assert_int_equal(take_records(path, &all), 0);
	assert_non_null(buf_room(&some, all.len));
	for (n = 0;; n++) {
		oom_after(n);
		ret = take_records(path, &some);
		refused = oom_stop();
		if (!refused)
			break;
		/* memory for later use need not be had */
		assert_true(ret == -ENOMEM || ret == 0);
		if (ret)
			continue;
		assert_int_equal(some.len, all.len);
		assert_memory_equal(some.data, all.data, all.len);
	}
	assert_int_equal(ret, 0);
	assert_true(n > 20);
	buf_free(&all);
	buf_free(&some);
	made_folder_gone(folder);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_alike),
		cmocka_unit_test(packs),
		cmocka_unit_test(out_of_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("foreign_order", tests, NULL, NULL);
}
