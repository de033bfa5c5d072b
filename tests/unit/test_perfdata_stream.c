// SPDX-License-Identifier: GPL-2.0
/*
 * perf.data in every shape but the plain file: streams, compressed, of the other byte order, in
 * directories, files through pipes.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "tests/unit/made_perfdata.h"
#include "tests/unit/oom.h"

/* Every record that make_file() makes, as it would stand in a plain file of this machine. */
static void check_records(const struct result *r)
{
	static const u64 time[] = {0, 30, 20, 40, 35, 50};
	static const u32 event[] = {0, 0, 1, 0, ID_NONE, 1};
	static const u64 order[] = {0, 0, 0, 1, 31, 31};
	u32 i;

	assert_int_equal(r->ret, 0);
	assert_int_equal(r->records, 6);
	assert_int_equal(r->events, 2);
	for (i = 0; i < 6; i++) {
		if (event[i] != ID_NONE)
			assert_int_equal(r->time[i], time[i]);
		assert_int_equal(r->event[i], event[i]);
		assert_int_equal(r->order[i], order[i]);
	}
	assert_int_equal(r->damage.blocks + r->damage.cut_at + r->damage.sections, 0);
	assert_false(r->damage.no_end);
}

/* A sample of skb:kfree_skb, every part of it. */
static void check_sample(const struct source *s, const struct rec *rec, bool raw)
{
	static const u32 list[] = {0x11223344, 0x55667788};
	struct sample sample;
	u16 type, four[4];
	u64 x;
	u32 i, where;

	assert_true(sample_layout_sample(&s->recording->events.events.v[0].layout, rec, &sample));
	assert_int_equal(sample.ids.pid, 1);
	assert_int_equal(sample.ids.tid, 2);
	assert_int_equal(sample.ids.cpu, 3);
	assert_int_equal(sample.ids.time, 30);
	assert_int_equal(sample.ip, 30);
	assert_int_equal(sample.period, 4);
	assert_int_equal(sample.chain_nr, 2);
	assert_true(sample.chain[0] == PERF_CONTEXT_USER);
	assert_int_equal(sample.chain[1], 0x1000);
	if (!raw)
		return;
	assert_int_equal(sample.raw_size, 44);
	memcpy(&type, sample.raw, sizeof(type));
	assert_int_equal(type, 1234);
	memcpy(&x, sample.raw + 8, sizeof(x));
	assert_int_equal(x, 30);
	memcpy(four, sample.raw + 16, sizeof(four));
	for (i = 0; i < 4; i++)
		assert_int_equal(four[i], 0x100 + i);
	memcpy(&where, sample.raw + 24, sizeof(where));
	assert_int_equal(where, 8 << 16 | 32);
	assert_memory_equal(sample.raw + 28, "abc", 4);
	assert_memory_equal(sample.raw + 32, list, sizeof(list));
}

static void check_first_sample(const struct buf *b, bool raw)
{
	struct err err = {0};
	struct source *s;
	struct rec rec;

	s = open_bytes(b, &err);
	assert_non_null(s);
	do {
		assert_int_equal(source_next(s, &rec, &err), 1);
	} while (rec.type != PERF_RECORD_SAMPLE);
	check_sample(s, &rec, raw);
	source_close(s);
}

/* Every shape holds the same records. */
static void shapes(void **state)
{
	static const u32 compressed[] = {0, 81, 83}, pieces[] = {0, 1, 7, 64, 100};
	struct layout l = usual;
	struct buf b = {0};
	struct result r;
	u32 i, k;

	(void)state;
	for (i = 0; i < 8 * ARRAY_SIZE(compressed); i++) {
		l.stream = i & 1;
		l.swap = i & 2;
		l.raw = i & 4;
		l.compressed = compressed[i / 8];
		for (k = 0; k < (l.compressed ? ARRAY_SIZE(pieces) : 1); k++) {
			l.piece = pieces[k];
			buf_clear(&b);
			make_file(&b, &l);
			r = read_bytes(&b);
			check_records(&r);
			check_first_sample(&b, l.raw);
		}
	}
	buf_free(&b);
}

static void attrs_of_the_other_order(void **state)
{
	struct layout l = usual;
	struct buf b = {0};
	struct err err = {0};
	const struct perf_event_attr *a;
	struct source *s;

	(void)state;
	l.swap = true;
	make_file(&b, &l);
	s = open_bytes(&b, &err);
	assert_non_null(s);
	a = &s->recording->events.events.v[0].attr;
	assert_int_equal(a->type, PERF_TYPE_TRACEPOINT);
	assert_int_equal(a->config, 1234);
	assert_int_equal(a->size, sizeof(*a));
	assert_int_equal(a->wakeup_events, 77);
	assert_int_equal(a->disabled, 1);
	assert_int_equal(a->precise_ip, 2);
	assert_int_equal(a->sample_id_all, 1);
	assert_int_equal(a->inherit + a->exclude_idle + a->mmap_data + a->exclude_host, 0);
	assert_int_equal(s->recording->events.events.v[0].nr_ids, 2);
	assert_string_equal(recording_fact(s->recording, "nrcpus_avail"), "8");
	assert_string_equal(recording_fact(s->recording, "total_memory_kb"), "1234567");
	assert_int_equal(s->recording->tracepoints.nr, 1);
	assert_int_equal(s->recording->dsos.v[0].build_id_len, 16);
	source_close(s);
	buf_free(&b);
}

/* What a stream says of itself in records. */
static void stream_tells(void **state)
{
	struct layout l = usual;
	struct err err = {0};
	struct buf b = {0};
	struct source *s;
	struct result r;

	(void)state;
	l.stream = true;
	make_file(&b, &l);
	s = open_bytes(&b, &err);
	assert_non_null(s);
	assert_true(s->recording->perf.stream);
	r = read_records(s);
	check_records(&r);
	assert_string_equal(recording_fact(s->recording, "hostname"), "a-host");
	assert_string_equal(recording_fact(s->recording, "cmdline") + 5, "record it");
	assert_string_equal(s->recording->events.events.v[0].name, "skb:kfree_skb");
	assert_string_equal(s->recording->events.events.v[1].name, "renamed");
	assert_int_equal(s->recording->tracepoints.nr, 1);
	assert_int_equal(s->recording->dsos.nr, 2);
	assert_int_equal(s->recording->perf.traces, 1);
	assert_int_equal(s->recording->perf.trace_bytes, 16);
	source_close(s);
	buf_free(&b);
}

/* One event: no record need tell whose it is, and the file need not know the ids that they have. */
static void one_event(void **state)
{
	struct layout l = usual;
	struct buf b = {0};
	struct result r;
	int i;

	(void)state;
	l.no_ids = true;
	for (i = 0; i < 4; i++) {
		l.stream = i & 1;
		l.swap = i & 2;
		buf_clear(&b);
		make_file(&b, &l);
		r = read_bytes(&b);
		assert_int_equal(r.ret, 0);
		assert_int_equal(r.events, 1);
		assert_int_equal(r.records, 6);
		assert_int_equal(r.event[4], 0);
		assert_int_equal(r.time[4], 35);
	}
	buf_free(&b);
}

struct feeder {
	const struct buf *b;
	int fd;
};

static void *feed_pipe(void *arg)
{
	struct feeder *f = arg;

	if (io_write(f->fd, f->b->data, f->b->len))
		exit(2);
	close(f->fd);
	return NULL;
}

/* Streams, and files too, come through pipes. */
static void through_pipes(void **state)
{
	struct layout l = usual;
	struct buf b = {0};
	struct result r;
	struct err err = {0};
	struct source *s;
	struct feeder f;
	pthread_t thread;
	char path[32];
	int fds[2], i;

	(void)state;
	for (i = 0; i < 4; i++) {
		l.stream = i & 1;
		l.compressed = i & 2 ? 81 : 0;
		buf_clear(&b);
		make_file(&b, &l);
		assert_int_equal(pipe(fds), 0);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fds[0]);
		f = (struct feeder){&b, fds[1]};
		assert_int_equal(pthread_create(&thread, NULL, feed_pipe, &f), 0);
		s = source_open(path, &err);
		assert_non_null(s);
		/* only a file is read to its end before */
		r = read_records(s);
		pthread_join(thread, NULL);
		check_records(&r);
		source_close(s);
		close(fds[0]);
	}
	buf_free(&b);
}

static void no_room_to_spool(void **state)
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
	setenv("TMPDIR", "/no/such/folder", 1);
	assert_null(source_open(path, &err));
	unsetenv("TMPDIR");
	assert_int_equal(err.code, ENOENT);
	assert_non_null(strstr(err.hint, "TMPDIR"));
	close(fds[0]);
	buf_free(&b);
}

static void write_part(const char *dir, const char *name, const void *p, size_t len)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(io_write(fd, p, len), 0);
	close(fd);
}

static void directory(void **state)
{
	struct made_perfdata part = {.l = usual};
	struct err err = {0};
	struct buf b = {0};
	struct source *s;
	struct result r;
	char dir[64];
	int i;

	(void)state;
	for (i = 0; i < 2; i++) {
		part.l.compressed = i ? 81 : 0;
		buf_clear(&b);
		buf_clear(&part.b);
		make_file(&b, &part.l);
		put_data(&part);
		made_folder(dir);
		write_part(dir, "data", b.data, b.len);
		write_part(dir, "data.0", part.b.data, part.b.len);
		write_part(dir, "data.1", part.b.data, part.b.len - 5);
		write_part(dir, "data.txt", "no records", 10);
		s = source_open(dir, &err);
		assert_non_null(s);
		r = read_records(s);
		assert_int_equal(r.ret, 0);
		assert_int_equal(r.records, i ? 12 : 18);
		/* the rounds of one file tell nothing of another */
		assert_int_equal(r.order[5], 0);
		assert_int_equal(s->order, UINT64_MAX);
		assert_true(r.damage.cut);
		assert_string_equal(s->recording->damage.part, "data.1");
		source_close(s);
		made_folder_gone(dir);
	}
	made_folder(dir);
	assert_null(source_open(dir, &err));
	assert_int_equal(err.code, ENOENT);
	assert_non_null(strstr(err.msg, "no recording in it"));
	made_folder_gone(dir);
	buf_free(&b);
	buf_free(&part.b);
}

/* Cut at every byte, with every byte changed: it ends, and says so. Under ASan, which takes ten times as long, other bytes for
 * each shape. */
#ifdef __SANITIZE_ADDRESS__
#define ANY_DAMAGE_STEP 7
#else
#define ANY_DAMAGE_STEP 1
#endif
static void any_damage(void **state)
{
	static const u8 changes[] = {0x01, 0x80, 0xff};
	struct buf b = {0}, cut = {0};
	struct layout l = usual;
	struct result r;
	size_t at, i;
	int shape;

	(void)state;
	l.raw = true;
	for (shape = 1; shape < 8; shape++) {
		l.stream = shape & 1;
		l.swap = shape & 2;
		l.compressed = shape & 4 ? 81 : 0;
		l.piece = 100;
		buf_clear(&b);
		make_file(&b, &l);
		for (at = shape % ANY_DAMAGE_STEP; at < b.len; at += ANY_DAMAGE_STEP) {
			buf_clear(&cut);
			buf_add(&cut, b.data, at);
			r = read_bytes(&cut);
			assert_true(r.ret == 0 || r.err.msg[0]);
			assert_true(r.records <= 6);
			b.data[at] ^= changes[at / ANY_DAMAGE_STEP % 3];
			r = read_bytes(&b);
			b.data[at] ^= changes[at / ANY_DAMAGE_STEP % 3];
			assert_true(r.ret == 0 || r.err.msg[0]);
			/* a changed byte of the zstd stream can stand for many */
			assert_true(r.records <= (l.compressed ? 10000 : 6));
		}
		/* cut between the records of a stream nothing is missing that could be known */
		for (i = 0; i < 2; i++) {
			buf_clear(&cut);
			buf_add(&cut, b.data, b.len - (i ? 3 : 0));
			r = read_bytes(&cut);
			assert_int_equal(r.ret, 0);
			if (l.stream)
				assert_int_equal(r.damage.cut, i);
		}
	}
	buf_free(&b);
	buf_free(&cut);
}

/* A piece that zstd cannot read: what came before it is given, what comes behind cannot be. */
static void broken_zstd(void **state)
{
	struct layout l = usual;
	struct buf b = {0};
	struct result r;
	size_t i;

	(void)state;
	l.compressed = 81;
	l.piece = 80;
	l.stream = true;
	make_file(&b, &l);
	for (i = b.len - 60; i < b.len; i += 7)
		b.data[i] ^= 0x55;
	r = read_bytes(&b);
	assert_int_equal(r.ret, 0);
	assert_in_range(r.records, 1, 5);
	assert_true(r.damage.blocks || r.damage.cut_at);
	buf_free(&b);
}

/* Records that data follow have no place in a compressed one: zstd reads the bytes which those would be. */
static void compressed_payloads(void **state)
{
	struct made_perfdata m = {.l = usual}, records;
	struct result r;
	size_t at;

	(void)state;
	m.l.stream = true;
	make_all(&m);
	m.l.compressed = 81;
	records = (struct made_perfdata){.l = m.l};
	at = begin(&records, PERFDATA_HEADER_TRACING_DATA, 0);
	put32(&records, 48);
	put32(&records, 0);
	end(&records, at);
	put_sample(&records, 20, 60);
	at = begin(&records, PERFDATA_AUXTRACE, 0);
	put64(&records, 48);
	buf_pad(&records.b, '\0', 32);
	end(&records, at);
	put_sample(&records, 20, 61);
	at = m.b.len;
	put_compressed(&m, &records);
	put_sample(&m, 20, 62);
	put_sample(&m, 20, 63);
	r = read_bytes(&m.b);
	assert_int_equal(r.ret, 0);
	assert_int_equal(r.records, 6 + 4);
	assert_int_equal(r.damage.sections, 2);
	assert_int_equal(r.damage.section_at, at);
	assert_false(r.damage.cut || r.damage.blocks);
	buf_free(&records.b);
	buf_free(&m.b);
}

static void late_events(void **state)
{
	struct made_perfdata m = {.l = usual};
	struct result r;
	size_t at;

	(void)state;
	m.l.stream = true;
	make_all(&m);
	at = begin(&m, 64, 0);
	put_attr(&m, 1);
	put64(&m, 99);
	end(&m, at);
	r = read_bytes(&m.b);
	assert_int_equal(r.ret, 0);
	assert_int_equal(r.events, 2);
	assert_int_equal(r.damage.sections, 1);
	assert_int_equal(r.damage.section_at, at);
	buf_free(&m.b);
}

static void put_event_type(struct made_perfdata *m, u64 type, char c, u32 len)
{
	size_t at = begin(m, PERFDATA_HEADER_EVENT_TYPE, 0);

	put64(m, type);
	buf_pad(&m->b, c, len);
	end(m, at);
}

/* Many events of one tracepoint, which has a long name, and one of another, which has a format. */
static void shared_names(void **state)
{
	struct made_perfdata m = {.l = usual}, last = {.l = usual};
	const struct event_set *events;
	struct source *s;
	struct rec rec;
	size_t at;
	u32 i;

	(void)state;
	m.l.stream = last.l.stream = true;
	buf_add(&m.b, PERFDATA_MAGIC, 8);
	put64(&m, 16);
	for (i = 0; i < 1000; i++) {
		at = begin(&m, PERFDATA_HEADER_ATTR, 0);
		put_attr(&m, 0);
		if (i < 999)
			set64(&m, m.b.len - m.l.attr_size + 8, 77);
		put64(&m, 1000 + i);
		end(&m, at);
	}
	put_event_type(&m, 77, 'x', 100);
	put_event_type(&m, 77, 'y', 60000);
	make_all(&last);
	/* behind the header and two events */
	at = 16 + 2 * (8 + m.l.attr_size) + 24;
	buf_add(&m.b, last.b.data + at, last.b.len - at);
	at = m.b.len;
	put_event_type(&m, 77, 'z', 100);
	s = open_bytes(&m.b, NULL);
	assert_non_null(s);
	while (source_next(s, &rec, NULL) > 0)
		;
	events = &s->recording->events;
	assert_int_equal(events->events.nr, 1000);
	/* the first two are named by the table of events */
	for (i = 2; i < 999; i++) {
		assert_int_equal(strlen(events->events.v[i].name), 1024);
		assert_int_equal(events->events.v[i].name[0], 'y');
	}
	assert_string_equal(events->events.v[999].name, "skb:kfree_skb");
	assert_true(events->arena.total < 1u << 20);
	/* events have their names by then */
	assert_int_equal(s->recording->damage.sections, 1);
	assert_int_equal(s->recording->damage.section_at, at);
	source_close(s);
	buf_free(&m.b);
	buf_free(&last.b);
}

/* No event is in two groups. */
static void groups(void **state)
{
	static const u32 leaders[] = {0, 1}, members[] = {3, 5};
	struct made_perfdata m = {.l = usual};
	struct source *s;
	struct rec rec;
	size_t at;
	u32 i;

	(void)state;
	m.l.stream = true;
	buf_add(&m.b, PERFDATA_MAGIC, 8);
	put64(&m, 16);
	for (i = 0; i < 6; i++) {
		at = begin(&m, PERFDATA_HEADER_ATTR, 0);
		put_attr(&m, 1);
		put64(&m, 1000 + i);
		end(&m, at);
	}
	at = begin(&m, PERFDATA_HEADER_FEATURE, 0);
	put64(&m, PERFDATA_FEATURE_GROUP_DESC);
	put32(&m, 2);
	for (i = 0; i < 2; i++) {
		put_string(&m, "{anon_group}");
		put32(&m, leaders[i]);
		put32(&m, members[i]);
	}
	end(&m, at);
	s = open_bytes(&m.b, NULL);
	assert_non_null(s);
	while (source_next(s, &rec, NULL) > 0)
		;
	assert_int_equal(s->recording->damage.sections, 0);
	for (i = 0; i < 6; i++)
		assert_int_equal(s->recording->events.events.v[i].in_group, i == 1 || i == 2);
	source_close(s);
	buf_free(&m.b);
}

static void out_of_memory(void **state)
{
	struct buf b = {0};
	struct layout l = usual;
	unsigned int n;
	bool refuse;
	int shape;

	(void)state;
	l.raw = true;
	for (shape = 0; shape < 4; shape++) {
		l.stream = shape & 1;
		l.swap = shape & 1;
		l.compressed = shape & 2 ? 81 : 0;
		buf_clear(&b);
		make_file(&b, &l);
		for (n = 0;; n++) {
			struct err err = {0};
			struct source *s;
			struct result r = {0};

			oom_after(n);
			s = open_bytes(&b, &err);
			if (s)
				r = read_records(s);
			else
				r.ret = -err.code;
			refuse = oom_stop();
			/* zstd has a heap of its own way, and a format is parsed or not */
			assert_true(r.ret == (refuse ? -ENOMEM : 0) || (refuse && !r.ret));
			source_close(s);
			if (!refuse)
				break;
		}
		assert_true(n > 8);
	}
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shapes),        cmocka_unit_test(attrs_of_the_other_order),
		cmocka_unit_test(stream_tells),  cmocka_unit_test(one_event),
		cmocka_unit_test(through_pipes), cmocka_unit_test(no_room_to_spool),
		cmocka_unit_test(directory),     cmocka_unit_test(any_damage),
		cmocka_unit_test(broken_zstd),   cmocka_unit_test(late_events),
		cmocka_unit_test(out_of_memory), cmocka_unit_test(compressed_payloads),
		cmocka_unit_test(shared_names),  cmocka_unit_test(groups),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("perfdata_stream", tests, NULL, NULL);
}
