// SPDX-License-Identifier: GPL-2.0
/* perf.data files made here by the description of the format, and read back. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/made.h"
#include "tests/unit/oom.h"
#include "util/file/source.h"

#define HEADER_SIZE 104

struct layout {
	u32 attr_size;  /* of struct perf_event_attr in the file */
	bool killed;    /* perf never came to write sizes and features */
	bool no_rounds; /* nothing tells how far the order goes */
};

static void put_string(struct buf *b, const char *s)
{
	size_t len = ALIGN_UP(strlen(s) + 1, (size_t)64);

	buf_u32(b, (u32)len);
	buf_adds(b, s);
	buf_pad(b, '\0', len - strlen(s));
}

static void put_tracing_data(struct buf *b)
{
	static const char format[] = "name: kfree_skb\nID: 1234\nformat:\n\tfield:u64 x;\n";
	static const char no_id[] = "name: broken\nformat:\n";
	static const char strings[] = "0x10 : \"text\"\n";

	buf_add(b, "\x17\x08\x44tracing0.6\0\0\x08", 10 + 4 + 2);
	buf_u32(b, 4096);
	buf_add(b, "header_page", 12);
	buf_u64(b, 3);
	buf_adds(b, "xyz");
	buf_add(b, "header_event", 13);
	buf_u64(b, 0);
	buf_u32(b, 1); /* one of ftrace's own events */
	buf_u64(b, 4);
	buf_adds(b, "none");
	buf_u32(b, 1);
	buf_add(b, "skb", 4);
	buf_u32(b, 2);
	buf_u64(b, sizeof(no_id) - 1);
	buf_adds(b, no_id);
	buf_u64(b, sizeof(format) - 1);
	buf_adds(b, format);
	buf_u32(b, 4); /* kallsyms: not wanted */
	buf_adds(b, "none");
	buf_u32(b, sizeof(strings) - 1);
	buf_adds(b, strings);
	buf_u64(b, 0); /* names of tasks: not wanted */
}

static void put_build_ids(struct buf *b)
{
	size_t at = made_begin(b, 0, PERF_RECORD_MISC_USER | 1 << 15);

	buf_u32(b, UINT32_MAX);
	buf_add(b, "sixteen bytes of\0\0\0\0\x10\0\0\0", 24);
	buf_add(b, "/bin/cat\0\0\0\0\0\0\0", 16);
	made_end(b, at);
	at = made_begin(b, 0, PERF_RECORD_MISC_KERNEL);
	buf_u32(b, UINT32_MAX);
	buf_add(b, "twenty bytes of one.\0\0\0\0", 24);
	buf_add(b, "[kernel.kallsyms]\0\0\0\0\0\0", 24);
	made_end(b, at);
}

static void put_event_names(struct buf *b, u32 attr_size)
{
	buf_u32(b, 2);
	buf_u32(b, attr_size);
	buf_pad(b, '\0', attr_size);
	buf_u32(b, 2);
	put_string(b, "skb:kfree_skb");
	buf_u64(b, 10);
	buf_u64(b, 11);
	buf_pad(b, '\0', attr_size);
	buf_u32(b, 1);
	put_string(b, "cycles:u");
	buf_u64(b, 20);
}

static void put_feature(struct buf *b, int feature, u32 attr_size)
{
	switch (feature) {
	case 1:
		put_tracing_data(b);
		break;
	case 2:
		put_build_ids(b);
		break;
	case 3:
		put_string(b, "a-host");
		break;
	case 6:
		put_string(b, "x86_64");
		break;
	case 7:
		buf_u32(b, 8);
		buf_u32(b, 4);
		break;
	case 10:
		buf_u64(b, 1234567);
		break;
	case 11:
		buf_u32(b, 2);
		put_string(b, "perf");
		put_string(b, "record it");
		break;
	case 12:
		put_event_names(b, attr_size);
		break;
	case 21:
		buf_u64(b, 5);
		buf_u64(b, 500);
		break;
	}
}

static const int features[] = {1, 2, 3, 6, 7, 10, 11, 12, 21, 200};

static void put_section(struct buf *b, size_t at, size_t from)
{
	u64 s[2] = {from, b->len - from};

	memcpy(b->data + at, s, sizeof(s));
}

static void put_round(struct buf *b)
{
	made_end(b, made_begin(b, 68, 0));
}

static void put_sample(struct buf *b, u64 id, u64 time)
{
	made_sample(b, &(struct made_sample){.id = id, .time = time, .ip = time, .pid = 1});
}

static void put_data(struct buf *b, const struct layout *l)
{
	size_t at;

	put_sample(b, 10, 30);
	put_sample(b, 20, 20);
	if (!l->no_rounds)
		put_round(b);
	put_sample(b, 11, 40);
	at = made_begin(b, 71, 0); /* AUXTRACE: its data follows the record */
	buf_u64(b, 16);
	buf_pad(b, '\0', 32);
	made_end(b, at);
	buf_pad(b, '\xee', 16);
	at = made_begin(b, 79, 0); /* TIME_CONV: nothing that is needed */
	buf_u64(b, 0);
	made_end(b, at);
	if (!l->no_rounds)
		put_round(b);
	put_sample(b, 99, 35); /* of no event */
	put_sample(b, 20, 50);
	if (!l->no_rounds)
		put_round(b);
}

static void put_attrs(struct buf *b, const struct layout *l)
{
	static const u64 ids[3] = {10, 11, 20};
	struct perf_event_attr attr = made_attr(MADE_TYPE);
	size_t at = b->len, entry = l->attr_size + 16, ids_at = at + 2 * entry;
	u64 sections[2][2] = {{ids_at, 16}, {ids_at + 16, 8}};
	int i;

	for (i = 0; i < 2; i++) {
		attr.type = i ? PERF_TYPE_HARDWARE : PERF_TYPE_TRACEPOINT;
		attr.config = i ? 0 : 1234;
		attr.size = l->attr_size;
		buf_add(b, &attr, MIN(l->attr_size, sizeof(attr)));
		if (l->attr_size > sizeof(attr))
			buf_pad(b, '\xaa', l->attr_size - sizeof(attr));
		buf_add(b, sections[i], 16);
	}
	put_section(b, 24, at);
	buf_add(b, ids, sizeof(ids));
}

static void make_file(struct buf *b, const struct layout *l)
{
	u64 header[HEADER_SIZE / 8] = {0};
	size_t table, at, i;

	memcpy(header, "PERFILE2", 8);
	header[1] = HEADER_SIZE;
	header[2] = l->attr_size + 16;
	for (i = 0; i < ARRAY_SIZE(features); i++)
		header[9 + features[i] / 64] |= 1ull << (features[i] % 64);
	buf_add(b, header, sizeof(header));
	put_attrs(b, l);
	at = b->len;
	put_data(b, l);
	put_section(b, 40, at);
	if (l->killed) {
		memset(b->data + 48, 0, 8);
		return;
	}
	table = b->len;
	buf_pad(b, '\0', 16 * ARRAY_SIZE(features));
	for (i = 0; i < ARRAY_SIZE(features); i++) {
		at = b->len;
		put_feature(b, features[i], l->attr_size);
		put_section(b, table + 16 * i, at);
	}
	assert_false(b->failed);
}

static const struct layout usual = {.attr_size = sizeof(struct perf_event_attr)};

struct result {
	int ret;
	u32 records, events;
	u64 time[16], order[16];
	struct err err;
	struct source_damage damage;
};

static struct result read_records(struct source *s)
{
	struct plan p = made_plan(MADE_TYPE);
	struct result r = {0};
	struct rec rec;

	while ((r.ret = source_next(s, &rec, &r.err)) > 0) {
		assert_int_equal(rec.cpu, ID_NONE);
		assert_int_equal(rec.event, ID_NONE);
		if (r.records < ARRAY_SIZE(r.time)) {
			r.time[r.records] = plan_time(&p, &rec);
			r.order[r.records] = s->order;
		}
		r.records++;
	}
	r.events = s->recording.events.events.nr;
	r.damage = s->damage;
	return r;
}

static struct result read_bytes(const struct buf *b)
{
	struct result r = {0};
	char path[32];
	int fd = made_file(b->data, b->len, path);
	struct source *s = source_open(path, &r.err);

	if (s)
		r = read_records(s);
	else
		r.ret = -r.err.code;
	source_close(s);
	close(fd);
	return r;
}

static void check_recording(const struct recording *r)
{
	assert_string_equal(recording_fact(r, "hostname"), "a-host");
	assert_string_equal(recording_fact(r, "arch"), "x86_64");
	assert_string_equal(recording_fact(r, "nrcpus_avail"), "8");
	assert_string_equal(recording_fact(r, "nrcpus_online"), "4");
	assert_string_equal(recording_fact(r, "total_memory_kb"), "1234567");
	assert_string_equal(recording_fact(r, "long_size"), "8");
	assert_string_equal(recording_fact(r, "printk_formats"), "0x10 : \"text\"\n");
	assert_string_equal(recording_fact(r, "time_last"), "500");
	assert_string_equal(recording_fact(r, "cmdline"), "perf");
	assert_string_equal(recording_fact(r, "cmdline") + 5, "record it");
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
	static const u64 time[] = {30, 20, 40, 35, 50};
	/* after a round: what is newer than the round before it may still be overtaken */
	static const u64 order[] = {0, 0, 1, 31, 31};
	const struct event_set *events;
	struct err err = {0};
	struct buf b = {0};
	struct source *s;
	struct result r;
	char path[32];
	u32 i;
	int fd;

	(void)state;
	make_file(&b, &usual);
	fd = made_file(b.data, b.len, path);
	s = source_open(path, &err);
	assert_non_null(s);
	assert_string_equal(s->ops->name, "perf.data");
	events = &s->recording.events;
	assert_int_equal(events->events.nr, 2);
	assert_string_equal(events->events.v[0].name, "skb:kfree_skb");
	assert_string_equal(events->events.v[1].name, "cycles:u");
	assert_int_equal(events->events.v[0].attr.config, 1234);
	assert_int_equal(events->events.v[0].nr_ids, 2);
	assert_int_equal(events->events.v[1].ids[0], 20);
	assert_true(s->recording.has_callchains);
	check_recording(&s->recording);
	r = read_records(s);
	assert_int_equal(r.ret, 0);
	assert_int_equal(r.records, 5);
	for (i = 0; i < 5; i++) {
		assert_int_equal(r.time[i], time[i]);
		assert_int_equal(r.order[i], order[i]);
	}
	assert_int_equal(s->order, UINT64_MAX);
	assert_false(s->damage.no_end);
	assert_int_equal(s->damage.cut_at, 0);
	source_close(s);
	close(fd);
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
		assert_int_equal(r.records, 5);
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
	char path[32];
	int fd;

	(void)state;
	l.killed = true;
	make_file(&b, &l);
	fd = made_file(b.data, b.len, path);
	s = source_open(path, &err);
	assert_non_null(s);
	r = read_records(s);
	assert_int_equal(r.ret, 0);
	assert_int_equal(r.records, 5);
	assert_true(r.damage.no_end);
	assert_int_equal(r.damage.cut_at, 0);
	assert_int_equal(s->recording.facts.nr, 0);
	source_close(s);
	close(fd);
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
	assert_int_equal(r.records, 5);
	assert_int_equal(r.order[4], 0);
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
		assert_int_equal(before, l.killed ? whole.records : 5);
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
	aux = data_start(&b) + 3 * (8 + 8 * 7) + 8;
	memcpy(&v, b.data + aux, sizeof(v));
	assert_int_equal(v, 16);
	/* AUXTRACE data past the end, and so far that the sum wraps around to before it */
	for (i = 1; i < ARRAY_SIZE(sizes); i++) {
		memcpy(b.data + aux, &sizes[i], 8);
		r = read_bytes(&b);
		assert_int_equal(r.ret, 0);
		assert_int_equal(r.records, 3);
		assert_int_equal(r.damage.cut_at, aux - 8);
	}
	buf_clear(&b);
	/* data that ends behind the file: what there is */
	make_file(&b, &usual);
	for (i = 2; i < ARRAY_SIZE(sizes); i++) {
		memcpy(b.data + 48, &sizes[i], 8);
		r = read_bytes(&b);
		assert_int_equal(r.ret, 0);
		assert_true(r.records >= 5);
		assert_true(r.damage.no_end);
	}
	buf_clear(&b);
	/* every attr claims all of the file as its ids */
	make_file(&b, &usual);
	for (i = 0; i < 2; i++) {
		u64 all[2] = {0, b.len};

		memcpy(b.data + HEADER_SIZE + i * (sizeof(struct perf_event_attr) + 16) +
			       sizeof(struct perf_event_attr),
		       all, sizeof(all));
	}
	r = read_bytes(&b);
	assert_int_equal(r.ret, -EINVAL);
	assert_non_null(strstr(r.err.msg, "event ids"));
	buf_free(&b);
}

static void refused(void **state)
{
	struct buf b = {0};
	struct result r;
	size_t at;

	(void)state;
	make_file(&b, &usual);
	at = data_start(&b);
	b.data[at] = 81; /* COMPRESSED */
	r = read_bytes(&b);
	assert_int_equal(r.ret, -ENOTSUP);
	assert_non_null(strstr(r.err.msg, "compressed"));
	assert_string_equal(r.err.hint, "record without -z");
	buf_clear(&b);
	make_file(&b, &usual);
	b.data[8] = 16;
	r = read_bytes(&b);
	assert_int_equal(r.ret, -ENOTSUP);
	assert_non_null(strstr(r.err.msg, "pipe"));
	buf_clear(&b);
	make_file(&b, &usual);
	memcpy(b.data, "2ELIFREP", 8);
	r = read_bytes(&b);
	assert_int_equal(r.ret, -ENOTSUP);
	assert_non_null(strstr(r.err.msg, "byte order"));
	buf_clear(&b);
	make_file(&b, &usual);
	memset(b.data + 32, 0, 8); /* no attrs */
	r = read_bytes(&b);
	assert_int_equal(r.ret, -EINVAL);
	assert_non_null(strstr(r.err.msg, "no event"));
	buf_free(&b);
}

static void from_a_pipe(void **state)
{
	struct buf b = {0};
	struct err err = {0};
	char path[32];
	int fds[2];

	(void)state;
	make_file(&b, &usual);
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(io_write(fds[1], b.data, b.len), 0);
	close(fds[1]);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fds[0]);
	assert_null(source_open(path, &err));
	assert_int_equal(err.code, ESPIPE);
	assert_non_null(strstr(err.hint, "-i"));
	close(fds[0]);
	buf_free(&b);
}

static void out_of_memory(void **state)
{
	struct buf b = {0};
	char path[32];
	unsigned int n;
	bool refuse;
	int fd;

	(void)state;
	make_file(&b, &usual);
	fd = made_file(b.data, b.len, path);
	for (n = 0;; n++) {
		struct err err = {0};
		struct source *s;
		struct result r = {0};

		oom_after(n);
		s = source_open(path, &err);
		if (s)
			r = read_records(s);
		else
			r.ret = -err.code;
		refuse = oom_stop();
		assert_int_equal(r.ret, refuse ? -ENOMEM : 0);
		source_close(s);
		if (!refuse)
			break;
	}
	assert_true(n > 8);
	close(fd);
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_file),    cmocka_unit_test(attr_sizes),
		cmocka_unit_test(killed),        cmocka_unit_test(without_rounds),
		cmocka_unit_test(cut_anywhere),  cmocka_unit_test(any_byte_changed),
		cmocka_unit_test(hostile_sizes), cmocka_unit_test(refused),
		cmocka_unit_test(from_a_pipe),   cmocka_unit_test(out_of_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("perfdata", tests, NULL, NULL);
}
