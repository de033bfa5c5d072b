// SPDX-License-Identifier: GPL-2.0
/* perf.data made of records, and read back: layouts, trailers, chains, rounds, sections, pipes. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/made.h"
#include "tests/unit/oom.h"
#include "util/file/foreign_order.h"
#include "util/file/perfdata_write.h"
#include "util/file/perfdata_write_internal.h"
#include "util/file/source.h"
#include "util/record/chain.h"

#define TP_ID 77
#define CPU   3
#define FORMAT \
	"name: hit\nID: 77\nformat:\n\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"

enum { SIDE, HIT };

/* A recording of ours: its samples carry their time, raw data and call chain alone. */
static void make_recording(struct recording *r)
{
	static const struct dso_head dso = {.class = DSO_CLASS_USER,
					    .name = "/bin/made",
					    .name_len = 9,
					    .build_id = "twenty bytes of one.",
					    .build_id_len = 20};
	static const u64 ids[] = {100, 101};
	struct perf_event_attr side = made_attr(MADE_TYPE & ~(u64)PERF_SAMPLE_CALLCHAIN);
	struct perf_event_attr hit =
		made_attr(PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW |
			  PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_USER);

	hit.type = PERF_TYPE_TRACEPOINT;
	hit.config = TP_ID;
	hit.sample_period = 5;
	hit.sample_regs_user = 3;
	hit.sample_stack_user = 64;
	*r = (struct recording){0};
	if (event_set_add(&r->events, &side, sizeof(side), "dummy:HG", ids, 1, NULL) < 0 ||
	    event_set_add(&r->events, &hit, sizeof(hit), "made:hit", NULL, 0, NULL) < 0 ||
	    recording_add_tracepoint(r, TP_ID, "made", 4, "hit", 3, FORMAT, strlen(FORMAT)) ||
	    recording_add_fact(r, "hostname", "a-host", 6) ||
	    recording_add_fact(r, "nrcpus_avail", "8", 1) ||
	    recording_add_fact(r, "nrcpus_online", "4", 1) ||
	    recording_add_fact(r, "cpu_sockets", "0,0,,3,3", 8) ||
	    recording_add_fact(r, "cpu_cores", "0,1,,0,0", 8) ||
	    recording_add_fact(r, "cmdline", "perf-lite\0record it", 20) ||
	    recording_add_fact(r, "clockid", "CLOCK_MONOTONIC", 15) ||
	    recording_add_fact(r, "clock_ns", "12", 2) ||
	    recording_add_fact(r, "wall_clock_ns", "13", 2) ||
	    recording_add_dso(r, &dso, NULL, 0) < 0)
		exit(2);
	event_set_ring_cpus(&r->events);
	r->events.events.v[HIT].layout.derive.tid_at = 4;
}

/* A sample as it stands in our files. */
static void make_hit(struct buf *b, const struct recording *r, u64 time, const u64 *chain, u32 nr,
		     u32 raw_size)
{
	static const u8 stack[64];
	size_t at = made_begin(b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);
	u32 raw[64] = {TP_ID, 4711, 0xfeed};

	buf_u64(b, time);
	buf_u64(b, nr);
	buf_add(b, chain, nr * sizeof(*chain));
	buf_u32(b, raw_size);
	buf_add(b, raw, raw_size);
	buf_pad(b, '\0', ALIGN_UP(raw_size + 4, 8u) - raw_size - 4);
	if (r->events.events.v[HIT].layout.sample_type & PERF_SAMPLE_STACK_USER) {
		buf_u64(b, PERF_SAMPLE_REGS_ABI_64);
		buf_u64(b, 0xaaa);
		buf_u64(b, 0xbbb);
		buf_u64(b, sizeof(stack));
		buf_add(b, stack, sizeof(stack));
		buf_u64(b, 8);
	}
	made_end(b, at);
}

static int put_hit(struct perfdata_writer *w, const struct buf *b, struct err *err)
{
	struct sample s;
	struct rec rec;

	if (!rec_view(&rec, b->data, b->len))
		exit(2);
	rec.cpu = CPU;
	rec.event = HIT;
	if (!sample_layout_sample(&w->recording->events.events.v[HIT].layout, &rec, &s))
		exit(2);
	s.ids.pid = 4710;
	return perfdata_writer_sample(w, &rec, HIT, &s, err);
}

/* PERF_RECORD_LOST of 9, with the trailer that the event's layout says. */
static void make_lost(struct buf *b, const struct recording *r, u32 event, u64 time, u64 id)
{
	const struct sample_layout *layout = &r->events.events.v[event].layout;
	size_t at = made_begin(b, PERF_RECORD_LOST, 0);

	buf_u64(b, id);
	buf_u64(b, 9);
	if (layout->sample_type & PERF_SAMPLE_TID) {
		buf_u32(b, 1);
		buf_u32(b, 2);
	}
	buf_u64(b, time);
	if (layout->sample_type & PERF_SAMPLE_CPU) {
		buf_u32(b, 1);
		buf_u32(b, 0);
	}
	if (layout->sample_type & PERF_SAMPLE_IDENTIFIER)
		buf_u64(b, id);
	made_end(b, at);
}

static int put_lost(struct perfdata_writer *w, u32 event, const struct buf *b, struct err *err)
{
	struct rec rec;

	if (!rec_view(&rec, b->data, b->len))
		exit(2);
	rec.cpu = CPU;
	return perfdata_writer_record(w, &rec, event, err);
}

static const u64 unwound[] = {(u64)PERF_CONTEXT_KERNEL,
			      0xffffffff81000010,
			      0xffffffff81000020,
			      (u64)PERF_CONTEXT_USER,
			      0x1000,
			      0x2000,
			      CHAIN_GUESSED,
			      0x3000,
			      CHAIN_CERTAIN,
			      CHAIN_SIGNAL,
			      0x4000,
			      0x5000,
			      CHAIN_END + CHAIN_ROOT};
static const u64 as_perf[] = {(u64)PERF_CONTEXT_KERNEL,
			      0xffffffff81000010,
			      0xffffffff81000020,
			      (u64)PERF_CONTEXT_USER,
			      0x1000,
			      0x1fff,
			      0x2fff,
			      0x4000,
			      0x4fff};

struct usual {
	struct recording r;
	struct buf side, lost, first, second;
};

static void make_usual(struct usual *u)
{
	*u = (struct usual){0};
	make_recording(&u->r);
	make_lost(&u->side, &u->r, SIDE, 10, 100);
	make_hit(&u->first, &u->r, 20, unwound, ARRAY_SIZE(unwound), 12);
	make_lost(&u->lost, &u->r, HIT, 30, 0);
	make_hit(&u->second, &u->r, 40, unwound, 3, 9);
}

static void free_usual(struct usual *u)
{
	recording_free(&u->r);
	buf_free(&u->side);
	buf_free(&u->lost);
	buf_free(&u->first);
	buf_free(&u->second);
}

static int write_usual(struct perfdata_writer *w, const struct usual *u, bool pipe, struct err *err)
{
	const struct perfdata_write_options o = {.pipe = pipe};
	int ret = perfdata_writer_begin(w, &u->r, &o, err);

	if (!ret)
		ret = put_lost(w, SIDE, &u->side, err);
	if (!ret)
		ret = put_hit(w, &u->first, err);
	if (!ret)
		ret = perfdata_writer_round(w, UINT64_MAX, err);
	if (!ret)
		ret = put_lost(w, HIT, &u->lost, err);
	if (!ret)
		ret = put_hit(w, &u->second, err);
	return ret ? ret : perfdata_writer_end(w, err);
}

/* Its bytes as a file. */
static struct source *open_written(struct perfdata_writer *w, int *fd)
{
	struct buf header = {0};
	struct err err = {0};
	struct source *s;
	char path[32];

	if (!w->options.pipe) {
		perfdata_writer_header(w, &header);
		assert_int_equal(header.len, PERFDATA_HEADER_SIZE);
		memcpy(w->out.data, header.data, header.len);
	}
	*fd = made_file(w->out.data, w->out.len, path);
	s = source_open(path, &err);
	if (!s)
		fail_msg("%s", err.msg);
	buf_free(&header);
	return s;
}

static void next(struct source *s, struct rec *rec, u32 type)
{
	assert_int_equal(source_next(s, rec, NULL), 1);
	assert_int_equal(rec->type, type);
}

static void check_trailer(const struct source *s, const struct rec *rec, u32 event, u64 time)
{
	const struct event_set *events = &s->recording->events;
	struct rec_ids ids;

	assert_int_equal(event_set_find(events, rec), event);
	assert_true(sample_layout_ids(&events->events.v[event].layout, rec, &ids));
	assert_int_equal(ids.time, time);
	assert_int_equal(ids.cpu, event == SIDE ? 1 : CPU);
	assert_int_equal(ids.tid, event == SIDE ? 2 : 0);
}

static void check_hit(const struct source *s, const struct rec *rec, u64 time, const u64 *chain,
		      u32 nr)
{
	const struct event_set *events = &s->recording->events;
	struct sample d;

	assert_int_equal(event_set_find(events, rec), HIT);
	assert_true(sample_layout_sample(&events->events.v[HIT].layout, rec, &d));
	assert_int_equal(d.ids.time, time);
	assert_int_equal(d.ids.pid, 4710);
	assert_int_equal(d.ids.tid, 4711);
	assert_int_equal(d.ids.cpu, CPU);
	assert_int_equal(d.period, 5);
	assert_int_equal(d.ip, 0xffffffff81000010);
	assert_int_equal(d.chain_nr, nr);
	assert_memory_equal(d.chain, chain, nr * sizeof(*chain));
	assert_int_equal(d.raw_size, 12);
	assert_int_equal(memcmp(d.raw, &(u32){TP_ID}, sizeof(u32)), 0);
	assert_int_equal(d.regs_user.reg[1], 0xbbb);
	assert_int_equal(d.stack_size, 0);
}

/* As perf reads it: CPU 2 was offline, and what is behind CPU 4 as well. */
static void check_topology(const struct recording *r)
{
	static const char *const strings[][3] = {{"0-1", "3-4"}, {"0", "1", "3-4"}};
	static const u32 places[][2] = {{0, 0},
					{1, 0},
					{ID_NONE, ID_NONE},
					{0, 3},
					{0, 3},
					{ID_NONE, ID_NONE},
					{ID_NONE, ID_NONE},
					{ID_NONE, ID_NONE}};
	const struct section_text *s = NULL;
	struct cur c;
	u32 i, k, len;

	for (i = 0; i < r->perf.sections.nr; i++)
		if (r->perf.sections.v[i].id == PERFDATA_FEATURE_CPU_TOPOLOGY)
			s = &r->perf.sections.v[i];
	assert_non_null(s);
	c = cur_init(s->data, s->len);
	for (i = 0; i < 2; i++) {
		assert_int_equal(cur_u32(&c), i + 2);
		for (k = 0; k < i + 2; k++) {
			len = cur_u32(&c);
			assert_string_equal((const char *)cur_bytes(&c, len), strings[i][k]);
		}
	}
	for (i = 0; i < ARRAY_SIZE(places); i++) {
		assert_int_equal(cur_u32(&c), places[i][0]);
		assert_int_equal(cur_u32(&c), places[i][1]);
	}
	assert_int_equal(cur_left(&c), 0);
}

static void check_source(struct source *s)
{
	const struct event_set *events = &s->recording->events;
	struct rec rec;

	next(s, &rec, PERF_RECORD_LOST);
	assert_int_equal(events->events.nr, 2);
	assert_string_equal(events->events.v[HIT].name, "made:hit");
	assert_int_equal(events->events.v[HIT].attr.config, TP_ID);
	assert_int_equal(events->events.v[HIT].nr_ids, 1);
	check_trailer(s, &rec, SIDE, 10);
	next(s, &rec, PERF_RECORD_SAMPLE);
	check_hit(s, &rec, 20, as_perf, ARRAY_SIZE(as_perf));
	next(s, &rec, PERF_RECORD_LOST);
	check_trailer(s, &rec, HIT, 30);
	next(s, &rec, PERF_RECORD_SAMPLE);
	check_hit(s, &rec, 40, as_perf, 3);
	assert_int_equal(source_next(s, &rec, NULL), 0);
	assert_int_equal(s->recording->damage.cut_at, 0);
	assert_int_equal(s->recording->damage.sections, 0);
	assert_false(s->recording->damage.no_end);
	assert_string_equal(recording_fact(s->recording, "hostname"), "a-host");
	assert_string_equal(recording_fact(s->recording, "nrcpus_online"), "4");
	assert_string_equal(recording_fact(s->recording, "cmdline") + 10, "record it");
	assert_string_equal(recording_fact(s->recording, "time_last"), "40");
	assert_string_equal(recording_tracepoint(s->recording, TP_ID)->format, FORMAT);
	assert_string_equal(s->recording->dsos.v[0].name, "/bin/made");
	assert_memory_equal(s->recording->dsos.v[0].build_id, "twenty bytes of one.", 20);
	check_topology(s->recording);
}

static void write_and_read(bool pipe)
{
	struct perfdata_writer w = {0};
	struct err err = {0};
	struct usual u;
	struct source *s;
	int fd;

	make_usual(&u);
	assert_int_equal(write_usual(&w, &u, pipe, &err), 0);
	assert_int_equal(w.samples, 2);
	assert_int_equal(w.unfit + w.shortened, 0);
	s = open_written(&w, &fd);
	check_source(s);
	source_close(s);
	close(fd);
	perfdata_writer_free(&w);
	free_usual(&u);
}

static void file(void **state)
{
	(void)state;
	write_and_read(false);
}

static void pipe_stream(void **state)
{
	(void)state;
	write_and_read(true);
}

/* No event comes with an id of its own: ours are made, and no two alike. */
static void ids(void **state)
{
	const struct perfdata_write_options o = {0};
	struct perfdata_writer w;
	struct recording r;

	(void)state;
	make_recording(&r);
	assert_int_equal(perfdata_writer_begin(&w, &r, &o, NULL), 0);
	assert_int_equal(w.events.v[SIDE].id, 100);
	assert_int_not_equal(w.events.v[HIT].id, 0);
	assert_int_not_equal(w.events.v[HIT].id, 100);
	perfdata_writer_free(&w);
	recording_free(&r);
}

/* A chain that fills a record: with what comes on top it loses its end, and nothing else. */
static void too_long(void **state)
{
	const struct perfdata_write_options o = {0};
	struct perfdata_writer w;
	const u64 no_stack = PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_USER;
	struct buf hit = {0};
	u64 chain[8184];
	struct recording r;
	struct source *s;
	struct sample d;
	struct rec rec;
	int fd;
	u32 i;

	(void)state;
	chain[0] = (u64)PERF_CONTEXT_KERNEL;
	for (i = 1; i < ARRAY_SIZE(chain); i++)
		chain[i] = 0xffffffff81000000 + i;
	make_recording(&r);
	r.events.events.v[HIT].attr.sample_type &= ~(u64)no_stack;
	r.events.events.v[HIT].layout.sample_type &= ~(u64)no_stack;
	make_hit(&hit, &r, 20, chain, ARRAY_SIZE(chain), 12);
	assert_int_equal(perfdata_writer_begin(&w, &r, &o, NULL), 0);
	assert_int_equal(put_hit(&w, &hit, NULL), 0);
	assert_int_equal(perfdata_writer_end(&w, NULL), 0);
	assert_int_equal(w.shortened, 1);
	s = open_written(&w, &fd);
	next(s, &rec, PERF_RECORD_SAMPLE);
	assert_true(sample_layout_sample(&s->recording->events.events.v[HIT].layout, &rec, &d));
	assert_in_range(d.chain_nr, ARRAY_SIZE(chain) - 20, ARRAY_SIZE(chain) - 1);
	assert_memory_equal(d.chain, chain, d.chain_nr * 8);
	assert_int_equal(d.raw_size, 12);
	buf_free(&hit);
	source_close(s);
	close(fd);
	perfdata_writer_free(&w);
	recording_free(&r);
}

/* The counters behind branches are written with them, and read in the other order of bytes. */
static void branch_counters(void **state)
{
	const u64 type = PERF_SAMPLE_TIME | PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_WEIGHT;
	const struct perfdata_write_options o = {0};
	struct event_desc *e;
	struct foreign_order order = {0};
	struct perfdata_writer w;
	struct buf hit = {0};
	struct recording r;
	struct source *s;
	struct sample d;
	struct rec rec;
	int fd;
	u64 v;

	(void)state;
	make_recording(&r);
	e = &r.events.events.v[HIT];
	e->attr.type = PERF_TYPE_HARDWARE;
	e->attr.sample_type = e->layout.sample_type = type;
	e->attr.branch_sample_type = e->layout.branch_type = SAMPLE_BRANCH_COUNTERS;
	made_begin(&hit, PERF_RECORD_SAMPLE, 0);
	buf_u64(&hit, 20);
	buf_u64(&hit, 2);
	for (v = 0; v < 6; v++)
		buf_u64(&hit, 100 + v);
	for (v = 0; v < 3; v++)
		buf_u64(&hit, 200 + v); /* two counters, the weight */
	made_end(&hit, 0);
	assert_int_equal(perfdata_writer_begin(&w, &r, &o, NULL), 0);
	assert_int_equal(put_hit(&w, &hit, NULL), 0);
	assert_int_equal(perfdata_writer_end(&w, NULL), 0);
	s = open_written(&w, &fd);
	next(s, &rec, PERF_RECORD_SAMPLE);
	assert_true(sample_layout_sample(&s->recording->events.events.v[HIT].layout, &rec, &d));
	assert_int_equal(d.branch_nr, 2);
	assert_int_equal(d.branch[1].to, 104);
	assert_int_equal(sample_branch_counters(&d)[1], 201);
	assert_int_equal(d.weight, 202);
	source_close(s);
	close(fd);
	/* all but the flags of branches are words */
	for (v = 8; v < hit.len; v += 8) {
		u64 word;

		memcpy(&word, hit.data + v, 8);
		word = __builtin_bswap64(word);
		memcpy(hit.data + v, &word, 8);
	}
	assert_int_equal(foreign_order_record(&order, &r, (u8 *)hit.data, (u32)hit.len, HIT), 1);
	assert_true(rec_view(&rec, hit.data, hit.len));
	assert_true(sample_layout_sample(&e->layout, &rec, &d));
	assert_int_equal(d.branch[1].to, 104);
	assert_int_equal(sample_branch_counters(&d)[0], 200);
	assert_int_equal(d.weight, 202);
	foreign_order_free(&order);
	buf_free(&hit);
	perfdata_writer_free(&w);
	recording_free(&r);
}

/* Records and sections of a file of perf's are what they were. */
static void as_recorded(void **state)
{
	const struct perfdata_write_options o = {.as_recorded = true};
	static const char section[] = "nobody knows what this says";
	struct buf hit = {0};
	struct perfdata_writer w;
	struct recording r;
	struct sample d;
	struct rec rec;
	size_t at;
	u32 i;

	(void)state;
	make_recording(&r);
	assert_int_equal(
		recording_add_section(&r, PERFDATA_FEATURE_GROUP_DESC, section, sizeof(section)),
		0);
	assert_int_equal(recording_add_section(&r, PERFDATA_FEATURE_COMPRESSED, section, 16), 0);
	assert_int_equal(perfdata_writer_begin(&w, &r, &o, NULL), 0);
	for (i = 0; i < r.events.events.nr; i++)
		assert_memory_equal(&w.events.v[i].attr, &r.events.events.v[i].attr,
				    sizeof(w.events.v[i].attr));
	at = w.out.len;
	assert_int_equal(at, w.data_at);
	make_hit(&hit, &r, 20, unwound, ARRAY_SIZE(unwound), 12);
	assert_true(rec_view(&rec, hit.data, hit.len));
	assert_true(sample_layout_sample(&r.events.events.v[HIT].layout, &rec, &d));
	assert_int_equal(perfdata_writer_sample(&w, &rec, HIT, &d, NULL), 0);
	assert_int_equal(w.out.len, at + hit.len);
	assert_memory_equal(w.out.data + at, hit.data, hit.len);
	assert_int_equal(perfdata_writer_end(&w, NULL), 0);
	assert_true(w.features >> PERFDATA_FEATURE_GROUP_DESC & 1);
	assert_false(w.features >> PERFDATA_FEATURE_COMPRESSED & 1);
	assert_non_null(memmem(w.out.data, w.out.len, section, sizeof(section)));
	buf_free(&hit);
	perfdata_writer_free(&w);
	recording_free(&r);
}

static u64 rounds(const struct perfdata_writer *w)
{
	size_t at = w->data_at;
	struct rec rec;
	u64 nr = 0;

	for (; at < w->out.len && rec_view(&rec, w->out.data + at, w->out.len - at); at += rec.size)
		nr += rec.type == PERFDATA_FINISHED_ROUND;
	return nr;
}

static u32 u32_at(const struct buf *b, size_t at)
{
	u32 v;

	assert_true(at + sizeof(v) <= b->len);
	memcpy(&v, b->data + at, sizeof(v));
	return v;
}

static u64 u64_at(const struct buf *b, size_t at)
{
	u64 v;

	assert_true(at + sizeof(v) <= b->len);
	memcpy(&v, b->data + at, sizeof(v));
	return v;
}

/* What two events of such sizes are written as: perf finds the second behind attr.size and 16 bytes. */
static void expect_attr_size(u32 first, u32 second, bool pipe, u32 want)
{
	const struct perfdata_write_options o = {.as_recorded = true, .pipe = pipe};
	const size_t size_at = offsetof(struct perf_event_attr, size);
	struct perfdata_writer w;
	struct recording r;
	size_t at;

	make_recording(&r);
	r.events.events.v[0].attr.size = first;
	r.events.events.v[1].attr.size = second;
	assert_int_equal(perfdata_writer_begin(&w, &r, &o, NULL), 0);
	if (pipe) {
		assert_int_equal(u32_at(&w.out, PERFDATA_PIPE_HEADER_SIZE + 8 + size_at), want);
	} else {
		at = u64_at(&w.out, 24); /* the section of attrs */
		assert_int_equal(u64_at(&w.out, 16), want + 16);
		assert_int_equal(u64_at(&w.out, 32), 2 * (want + 16));
		assert_int_equal(u32_at(&w.out, at + size_at), want);
		assert_int_equal(u32_at(&w.out, at + want + 16 + size_at), want);
	}
	perfdata_writer_free(&w);
	recording_free(&r);
}

static void attr_sizes(void **state)
{
	const u32 whole = sizeof(struct perf_event_attr);

	(void)state;
	expect_attr_size(whole, whole, false, whole);
	expect_attr_size(64, 64, false, 64);
	expect_attr_size(96, 96, false, 96);
	expect_attr_size(96, 112, false, whole);
	expect_attr_size(whole + 8, whole + 8, false, whole);
	expect_attr_size(0, 0, false, whole);
	expect_attr_size(96, 96, true, whole);
}

static void order(void **state)
{
	const struct perfdata_write_options o = {0};
	struct buf lost = {0};
	struct perfdata_writer w;
	struct recording r;

	(void)state;
	make_recording(&r);
	assert_int_equal(perfdata_writer_begin(&w, &r, &o, NULL), 0);
	assert_int_equal(perfdata_writer_round(&w, 5, NULL), 0);
	assert_int_equal(rounds(&w), 0);
	make_lost(&lost, &r, SIDE, 100, 100);
	assert_int_equal(put_lost(&w, SIDE, &lost, NULL), 0);
	buf_clear(&lost);
	assert_int_equal(perfdata_writer_round(&w, 50, NULL), 0);
	assert_int_equal(rounds(&w), 1);
	make_lost(&lost, &r, SIDE, 200, 100);
	assert_int_equal(put_lost(&w, SIDE, &lost, NULL), 0);
	assert_int_equal(perfdata_writer_round(&w, 90, NULL), 0);
	assert_int_equal(rounds(&w), 1);
	assert_int_equal(perfdata_writer_round(&w, 100, NULL), 0);
	assert_int_equal(rounds(&w), 2);
	buf_free(&lost);
	perfdata_writer_free(&w);
	recording_free(&r);
}

/* What does not belong to an event, or is shorter than it, is left out and counted. */
static void unfit(void **state)
{
	const struct perfdata_write_options o = {0};
	struct perf_event_header h = {.type = PERF_RECORD_LOST, .size = sizeof(h)};
	struct perfdata_writer w;
	struct sample d = {0};
	struct recording r;
	struct rec rec;
	size_t len;

	(void)state;
	make_recording(&r);
	assert_int_equal(perfdata_writer_begin(&w, &r, &o, NULL), 0);
	len = w.out.len;
	assert_true(rec_view(&rec, &h, sizeof(h)));
	assert_int_equal(perfdata_writer_record(&w, &rec, SIDE, NULL), 0);
	assert_int_equal(perfdata_writer_record(&w, &rec, 2, NULL), 0);
	assert_int_equal(perfdata_writer_record(&w, &rec, ID_NONE, NULL), 0);
	assert_int_equal(perfdata_writer_sample(&w, &rec, 2, &d, NULL), 0);
	assert_int_equal(w.unfit, 4);
	assert_int_equal(w.out.len, len);
	perfdata_writer_free(&w);
	recording_free(&r);
}

/* An empty recording is no unfinished one. */
static void empty(void **state)
{
	const struct perfdata_write_options o = {0};
	struct perfdata_writer w;
	struct recording r;
	struct source *s;
	struct rec rec;
	int fd;

	(void)state;
	make_recording(&r);
	assert_int_equal(perfdata_writer_begin(&w, &r, &o, NULL), 0);
	assert_int_equal(perfdata_writer_end(&w, NULL), 0);
	s = open_written(&w, &fd);
	assert_int_equal(source_next(s, &rec, NULL), 0);
	assert_false(s->recording->damage.no_end);
	source_close(s);
	close(fd);
	perfdata_writer_free(&w);
	recording_free(&r);
}

static void memory_runs_out(void **state)
{
	struct perfdata_writer w;
	struct usual u;
	unsigned int n;
	bool pipe, refused;
	int ret;

	(void)state;
	make_usual(&u);
	for (pipe = false;; pipe = true) {
		for (n = 0;; n++) {
			struct err err = {0};

			w = (struct perfdata_writer){0};
			oom_after(n);
			ret = write_usual(&w, &u, pipe, &err);
			refused = oom_stop();
			perfdata_writer_free(&w);
			if (!refused)
				break;
			assert_int_equal(ret, -ENOMEM);
			assert_int_equal(err.code, ENOMEM);
		}
		assert_int_equal(ret, 0);
		if (pipe)
			break;
	}
	free_usual(&u);
}

/* The blocks of a native file, one half before and one behind a change of process. */
static void blocks(void **state)
{
	static const u64 id[] = {100};
	static const u64 chain[] = {0x1000, 0x2000};
	struct perf_event_attr attr = made_attr(MADE_TYPE);
	struct perfdata_write_blocks *b, *second;
	struct buf events = {0}, records = {0}, data = {0}, header = {0}, *out, all = {0};
	struct made_sample m = {
		.id = 100, .ip = 0x1000, .pid = 1, .tid = 2, .chain = chain, .nr = 2};
	struct block attr_block = {.type = BLOCK_ATTR}, data_block = {.type = BLOCK_DATA},
		     end_block = {.type = BLOCK_END};
	struct event_set set = {0};
	struct source *s;
	struct rec rec;
	char path[32];
	int fd, i;

	(void)state;
	made_events(&set, MADE_TYPE, id, 1);
	made_event(&events, 0, &attr, "made", id, 1);
	attr_block.stored_size = attr_block.raw_size = (u32)events.len;
	for (m.time = 10; m.time <= 20; m.time += 10)
		made_sample(&records, &m);
	made_data(&data, &set, NULL, 0, records.data, records.len);
	data_block.stored_size = (u32)data.len;
	b = perfdata_write_blocks_new(false, NULL);
	second = perfdata_write_blocks_new(false, NULL);
	assert_non_null(b);
	assert_non_null(second);
	assert_int_equal(perfdata_write_blocks_take(b, &attr_block, events.data, &out, NULL), 0);
	assert_int_equal(out->len, 0);
	/* a write that fails: the beginning comes again */
	for (i = 0; i < 2; i++) {
		assert_int_equal(perfdata_write_blocks_take(b, &data_block, data.data, &out, NULL),
				 0);
		assert_memory_equal(out->data, PERFDATA_MAGIC, 8);
		if (!i)
			perfdata_write_blocks_dropped(b);
	}
	buf_add(&all, out->data, out->len);
	perfdata_write_blocks_written(b);
	assert_false(perfdata_write_blocks_header(b, &header));
	perfdata_write_blocks_resume(second, all.len);
	for (i = 0; i < 3; i++) {
		const struct block *k = i == 0 ? &attr_block : i == 1 ? &data_block : &end_block;

		assert_int_equal(perfdata_write_blocks_take(second, k,
							    i == 0   ? events.data
							    : i == 1 ? data.data
								     : "",
							    &out, NULL),
				 0);
		buf_add(&all, out->data, out->len);
		perfdata_write_blocks_written(second);
	}
	assert_true(perfdata_write_blocks_header(second, &header));
	memcpy(all.data, header.data, header.len);
	fd = made_file(all.data, all.len, path);
	s = source_open(path, NULL);
	assert_non_null(s);
	for (i = 0; i < 4; i++)
		next(s, &rec, PERF_RECORD_SAMPLE);
	assert_int_equal(source_next(s, &rec, NULL), 0);
	assert_false(s->recording->damage.no_end);
	source_close(s);
	close(fd);
	perfdata_write_blocks_free(b);
	perfdata_write_blocks_free(second);
	event_set_free(&set);
	buf_free(&events);
	buf_free(&records);
	buf_free(&data);
	buf_free(&header);
	buf_free(&all);
}

/* One system after the other, each format once. */
static void tracing(void **state)
{
	struct buf b = {0}, systems = {0};
	struct recording r = {0};

	(void)state;
	assert_false(perfdata_write_tracing_put(&r, &b));
	assert_int_equal(b.len, 0);
	assert_int_equal(recording_add_tracepoint(&r, 1, "x", 1, "a", 1, "XA", 2), 0);
	assert_int_equal(recording_add_tracepoint(&r, 2, "y", 1, "b", 1, "YB", 2), 0);
	assert_int_equal(recording_add_tracepoint(&r, 3, "x", 1, "c", 1, "XC", 2), 0);
	assert_int_equal(recording_add_tracepoint(&r, 1, "x", 1, "a", 1, "XA", 2), 0);
	assert_true(perfdata_write_tracing_put(&r, &b));
	buf_u32(&systems, 2);
	buf_add(&systems, "x", 2);
	buf_u32(&systems, 2);
	buf_u64(&systems, 2);
	buf_adds(&systems, "XA");
	buf_u64(&systems, 2);
	buf_adds(&systems, "XC");
	buf_add(&systems, "y", 2);
	buf_u32(&systems, 1);
	buf_u64(&systems, 2);
	buf_adds(&systems, "YB");
	assert_non_null(memmem(b.data, b.len, systems.data, systems.len));
	buf_free(&systems);
	buf_free(&b);
	recording_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(file),
		cmocka_unit_test(pipe_stream),
		cmocka_unit_test(ids),
		cmocka_unit_test(too_long),
		cmocka_unit_test(branch_counters),
		cmocka_unit_test(as_recorded),
		cmocka_unit_test(attr_sizes),
		cmocka_unit_test(order),
		cmocka_unit_test(unfit),
		cmocka_unit_test(empty),
		cmocka_unit_test(memory_runs_out),
		cmocka_unit_test(blocks),
		cmocka_unit_test(tracing),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
