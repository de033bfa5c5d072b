/* SPDX-License-Identifier: GPL-2.0 */
/*
 * made_perfdata.h - perf.data files that tests make by the description of the format: of either
 * byte order, as a file, as a stream, or as a directory, with attrs of any size, compressed or not.
 *
 * Two events: skb:kfree_skb, ids 10 and 11, and cycles:u, id 20. A COMM, and samples at the times
 * 30 20 | 40 | 35 50, the one at 35 of no event, with rounds in between.
 */
#ifndef TESTS_UNIT_MADE_PERFDATA_H
#define TESTS_UNIT_MADE_PERFDATA_H

#include <endian.h>
#include <zstd.h>

#include "tests/unit/made.h"
#include "util/file/perfdata_abi.h"
#include "util/file/source.h"
#include "util/file/stream.h"

#define MADE_HEADER 104
#define MADE_RAW    PERF_SAMPLE_RAW

struct layout {
	u32 attr_size;  /* of struct perf_event_attr in the file */
	bool killed;    /* perf never came to write sizes and features */
	bool no_rounds; /* nothing tells how far the order goes */
	bool swap;      /* a machine of the other byte order */
	bool stream;    /* perf record -o - */
	u32 compressed; /* type of the records that hold all others: 81, 83; 0: none */
	u32 piece;      /* bytes that each of these holds; 0: all */
	bool no_ids;    /* one event, samples without an id */
	bool raw;       /* samples have raw data of skb:kfree_skb */
};

static const struct layout usual = {.attr_size = sizeof(struct perf_event_attr)};

/* A file that is being made. */
struct made_perfdata {
	struct layout l;
	struct buf b;
};

static inline void put16(struct made_perfdata *m, u16 v)
{
	buf_u16(&m->b, m->l.swap ? __builtin_bswap16(v) : v);
}

static inline void put32(struct made_perfdata *m, u32 v)
{
	buf_u32(&m->b, m->l.swap ? __builtin_bswap32(v) : v);
}

static inline void put64(struct made_perfdata *m, u64 v)
{
	buf_u64(&m->b, m->l.swap ? __builtin_bswap64(v) : v);
}

static inline void set64(struct made_perfdata *m, size_t at, u64 v)
{
	if (m->l.swap)
		v = __builtin_bswap64(v);
	memcpy(m->b.data + at, &v, sizeof(v));
}

static inline size_t begin(struct made_perfdata *m, u32 type, u16 misc)
{
	size_t at = m->b.len;

	put32(m, type);
	put16(m, misc);
	put16(m, 0);
	return at;
}

static inline void end(struct made_perfdata *m, size_t at)
{
	u16 size = (u16)(m->b.len - at);

	if (m->l.swap)
		size = __builtin_bswap16(size);
	memcpy(m->b.data + at + 6, &size, sizeof(size));
}

static inline void put_string(struct made_perfdata *m, const char *s)
{
	size_t len = ALIGN_UP(strlen(s) + 1, (size_t)64);

	put32(m, (u32)len);
	buf_adds(&m->b, s);
	buf_pad(&m->b, '\0', len - strlen(s));
}

static const char made_format[] =
	"name: kfree_skb\nID: 1234\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:u64 x;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:u16 four[4];\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:__data_loc u32[] list;\toffset:24;\tsize:4;\tsigned:0;\n"
	"\tfield:char text[4];\toffset:28;\tsize:4;\tsigned:0;\n\n"
	"print fmt: \"x=%llu\", REC->x\n";

static inline void put_tracing_data(struct made_perfdata *m)
{
	static const char no_id[] = "name: broken\nformat:\n";
	static const char strings[] = "0x10 : \"text\"\n";
	struct buf *b = &m->b;

	buf_add(b, "\x17\x08\x44tracing0.6\0", 10 + 4);
	buf_u8(b, m->l.swap ^ (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__));
	buf_u8(b, 8);
	put32(m, 4096);
	buf_add(b, "header_page", 12);
	put64(m, 3);
	buf_adds(b, "xyz");
	buf_add(b, "header_event", 13);
	put64(m, 0);
	put32(m, 1); /* one of ftrace's own events */
	put64(m, 4);
	buf_adds(b, "none");
	put32(m, 1);
	buf_add(b, "skb", 4);
	put32(m, 2);
	put64(m, sizeof(no_id) - 1);
	buf_adds(b, no_id);
	put64(m, sizeof(made_format) - 1);
	buf_adds(b, made_format);
	put32(m, 4); /* kallsyms: not wanted */
	buf_adds(b, "none");
	put32(m, sizeof(strings) - 1);
	buf_adds(b, strings);
	put64(m, 0); /* names of tasks: not wanted */
}

/* The raw data of skb:kfree_skb, as the format above has it. */
static inline void put_raw(struct made_perfdata *m, u64 x)
{
	u16 i;

	put16(m, 1234);
	put16(m, 0);
	put32(m, 7);
	put64(m, x);
	for (i = 0; i < 4; i++)
		put16(m, (u16)(0x100 + i));
	put32(m, 8 << 16 | 32);
	buf_add(&m->b, "abc", 4);
	put32(m, 0x11223344);
	put32(m, 0x55667788);
}

static inline void put_build_ids(struct made_perfdata *m, u32 type)
{
	size_t at = begin(m, type, PERF_RECORD_MISC_USER | 1 << 15);

	put32(m, UINT32_MAX);
	buf_add(&m->b, "sixteen bytes of\0\0\0\0\x10\0\0\0", 24);
	buf_add(&m->b, "/bin/cat\0\0\0\0\0\0\0", 16);
	end(m, at);
	at = begin(m, type, PERF_RECORD_MISC_KERNEL);
	put32(m, UINT32_MAX);
	buf_add(&m->b, "twenty bytes of one.\0\0\0\0", 24);
	buf_add(&m->b, "[kernel.kallsyms]\0\0\0\0\0\0", 24);
	end(m, at);
}

static inline void put_event_names(struct made_perfdata *m)
{
	put32(m, 2);
	put32(m, m->l.attr_size);
	buf_pad(&m->b, '\0', m->l.attr_size);
	put32(m, 2);
	put_string(m, "skb:kfree_skb");
	put64(m, 10);
	put64(m, 11);
	buf_pad(&m->b, '\0', m->l.attr_size);
	put32(m, 1);
	put_string(m, "cycles:u");
	put64(m, 20);
}

static inline void put_feature(struct made_perfdata *m, int feature)
{
	switch (feature) {
	case 1:
		put_tracing_data(m);
		break;
	case 2:
		put_build_ids(m, 0);
		break;
	case 3:
		put_string(m, "a-host");
		break;
	case 6:
		put_string(m, "x86_64");
		break;
	case 7:
		put32(m, 8);
		put32(m, 4);
		break;
	case 10:
		put64(m, 1234567);
		break;
	case 11:
		put32(m, 2);
		put_string(m, "perf");
		put_string(m, "record it");
		break;
	case 12:
		put_event_names(m);
		break;
	case 21:
		put64(m, 5);
		put64(m, 500);
		break;
	}
}

static const int features[] = {1, 2, 3, 6, 7, 10, 11, 12, 21, 200};

static inline void set_section(struct made_perfdata *m, size_t at, size_t from)
{
	set64(m, at, from);
	set64(m, at + 8, m->b.len - from);
}

static inline void put_round(struct made_perfdata *m)
{
	if (!m->l.no_rounds)
		end(m, begin(m, 68, 0));
}

static inline u64 made_perfdata_type(const struct layout *l)
{
	u64 type = MADE_TYPE | (l->raw ? MADE_RAW : 0);

	return l->no_ids ? type & ~(u64)PERF_SAMPLE_IDENTIFIER : type;
}

static inline void put_sample(struct made_perfdata *m, u64 id, u64 time)
{
	size_t at = begin(m, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER), raw;

	if (!m->l.no_ids)
		put64(m, id);
	put64(m, time); /* ip */
	put32(m, 1);
	put32(m, 2);
	put64(m, time);
	put32(m, 3);
	put32(m, 0);
	put64(m, 4); /* period */
	put64(m, 2); /* call chain */
	put64(m, PERF_CONTEXT_USER);
	put64(m, 0x1000);
	if (m->l.raw) {
		put32(m, 44);
		raw = m->b.len;
		put_raw(m, time);
		buf_pad(&m->b, '\0', 44 - (m->b.len - raw));
	}
	end(m, at);
}

static inline void put_comm(struct made_perfdata *m)
{
	size_t at = begin(m, PERF_RECORD_COMM, 0);

	put32(m, 1);
	put32(m, 2);
	buf_add(&m->b, "comm\0\0\0", 8);
	put32(m, 1);
	put32(m, 2);
	put64(m, 0); /* time */
	put32(m, 3);
	put32(m, 0);
	if (!m->l.no_ids)
		put64(m, 0);
	end(m, at);
}

/* Records of the kernel, and rounds: what perf compresses. */
static inline void put_records(struct made_perfdata *m, int part)
{
	if (!part) {
		put_comm(m);
		put_sample(m, 10, 30);
		put_sample(m, 20, 20);
		put_round(m);
		put_sample(m, 11, 40);
		return;
	}
	put_round(m);
	put_sample(m, 99, 35); /* of no event, if there are ids */
	put_sample(m, 20, 50);
	put_round(m);
}

static inline void put_compressed(struct made_perfdata *m, const struct made_perfdata *from)
{
	ZSTD_CStream *z = ZSTD_createCStream();
	size_t at = 0, piece = m->l.piece ? m->l.piece : from->b.len;
	size_t rec, told;
	char out[8192];

	while (at < from->b.len) {
		ZSTD_inBuffer in = {from->b.data + at, MIN(piece, from->b.len - at), 0};
		ZSTD_outBuffer to = {out, sizeof(out), 0};

		/* each piece is flushed, so that it can be read without the next one */
		if (ZSTD_compressStream2(z, &to, &in, ZSTD_e_flush))
			exit(2);
		at += in.size;
		rec = begin(m, m->l.compressed, 0);
		told = to.pos;
		if (m->l.compressed == 83)
			put64(m, told);
		buf_add(&m->b, out, to.pos);
		if (m->l.compressed == 83)
			buf_pad(&m->b, '\0', (8 - told % 8) % 8);
		end(m, rec);
	}
	ZSTD_freeCStream(z);
}

static inline void put_data(struct made_perfdata *m)
{
	struct made_perfdata records = {.l = m->l};
	size_t at;

	if (m->l.compressed) {
		put_records(&records, 0);
		put_records(&records, 1);
		put_compressed(m, &records);
		buf_free(&records.b);
		return;
	}
	put_records(m, 0);
	at = begin(m, 71, 0); /* AUXTRACE: its data follows the record */
	put64(m, 16);
	buf_pad(&m->b, '\0', 32);
	end(m, at);
	buf_pad(&m->b, '\xee', 16);
	at = begin(m, 79, 0); /* TIME_CONV: nothing that is needed */
	put64(m, 0);
	end(m, at);
	put_records(m, 1);
}

static inline u64 in_order(const struct made_perfdata *m, u64 v, u32 size)
{
	if (!m->l.swap)
		return v;
	return size == 8 ? __builtin_bswap64(v) : __builtin_bswap32((u32)v);
}

static inline void put_attr(struct made_perfdata *m, int i)
{
	struct perf_event_attr attr = made_attr(0);
	/* disabled, precise_ip 2, id_all, by their places: a big-endian machine begins with the highest */
	const u64 little = 1ull << 0 | 1ull << 16 | 1ull << 18;
	const u64 big = 1ull << 63 | 1ull << (63 - 15) | 1ull << (63 - 18);
	const bool is_big = m->l.swap ^ (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	const u64 flags = is_big ? htobe64(big) : htole64(little);

	attr.type = (u32)in_order(m, i ? PERF_TYPE_HARDWARE : PERF_TYPE_TRACEPOINT, 4);
	attr.config = in_order(m, i ? 0 : 1234, 8);
	attr.size = (u32)in_order(m, m->l.attr_size, 4);
	attr.sample_type = in_order(m, made_perfdata_type(&m->l), 8);
	attr.wakeup_events = (u32)in_order(m, 77, 4);
	memcpy((u8 *)&attr + 40, &flags, 8);
	buf_add(&m->b, &attr, MIN(m->l.attr_size, sizeof(attr)));
	if (m->l.attr_size > sizeof(attr))
		buf_pad(&m->b, '\xaa', m->l.attr_size - sizeof(attr));
}

static inline int nr_events(const struct made_perfdata *m)
{
	return m->l.no_ids ? 1 : 2;
}

static inline void put_attrs(struct made_perfdata *m)
{
	int i, nr = nr_events(m);
	size_t at = m->b.len, ids = at + (size_t)nr * (m->l.attr_size + 16);

	for (i = 0; i < nr; i++) {
		put_attr(m, i);
		put64(m, ids + (i ? 16 : 0));
		put64(m, m->l.no_ids ? 0 : i ? 8 : 16);
	}
	set_section(m, 24, at);
	if (m->l.no_ids)
		return;
	put64(m, 10);
	put64(m, 11);
	put64(m, 20);
}

static inline void make_stream(struct made_perfdata *m)
{
	size_t at, i;
	struct made_perfdata t = {.l = m->l};
	int e;

	buf_add(&m->b, m->l.swap ? PERFDATA_MAGIC_SWAPPED : PERFDATA_MAGIC, 8);
	put64(m, 16);
	for (e = 0; e < nr_events(m); e++) {
		at = begin(m, 64, 0);
		put_attr(m, e);
		if (!m->l.no_ids)
			put64(m, e ? 20 : 10);
		if (!m->l.no_ids && !e)
			put64(m, 11);
		end(m, at);
	}
	for (i = 2; i < ARRAY_SIZE(features); i++) {
		at = begin(m, 80, 0);
		put64(m, (u64)features[i]);
		put_feature(m, features[i]);
		end(m, at);
	}
	put_build_ids(m, 67);
	put_tracing_data(&t);
	buf_pad(&t.b, '\0', ALIGN_UP(t.b.len, (size_t)8) - t.b.len);
	at = begin(m, 66, 0);
	put32(m, (u32)t.b.len);
	put32(m, 0);
	end(m, at);
	buf_add(&m->b, t.b.data, t.b.len);
	buf_free(&t.b);
	if (!m->l.no_ids) {
		at = begin(m, 78, 0); /* EVENT_UPDATE of the name */
		put64(m, 2);
		put64(m, 20);
		buf_add(&m->b, "renamed", 8);
		end(m, at);
	}
	put_data(m);
}

static inline void make_all(struct made_perfdata *m)
{
	size_t table, at, i;
	u64 bits[4] = {0};

	if (m->l.stream) {
		make_stream(m);
		return;
	}
	buf_add(&m->b, m->l.swap ? PERFDATA_MAGIC_SWAPPED : PERFDATA_MAGIC, 8);
	put64(m, MADE_HEADER);
	put64(m, m->l.attr_size + 16);
	for (i = 0; i < 6; i++)
		put64(m, 0);
	for (i = 0; i < ARRAY_SIZE(features); i++)
		bits[features[i] / 64] |= 1ull << (features[i] % 64);
	for (i = 0; i < 4; i++)
		put64(m, bits[i]);
	put_attrs(m);
	at = m->b.len;
	put_data(m);
	set_section(m, 40, at);
	if (m->l.killed) {
		set64(m, 48, 0);
		return;
	}
	table = m->b.len;
	buf_pad(&m->b, '\0', 16 * ARRAY_SIZE(features));
	for (i = 0; i < ARRAY_SIZE(features); i++) {
		at = m->b.len;
		put_feature(m, features[i]);
		set_section(m, table + 16 * i, at);
	}
}

/* Append the file to an empty buffer. */
static inline void make_file(struct buf *b, const struct layout *l)
{
	struct made_perfdata m = {.l = *l, .b = *b};

	make_all(&m);
	*b = m.b;
	if (b->failed)
		exit(2);
}

struct result {
	int ret;
	u32 records, events;
	u32 event[16];
	u64 time[16], order[16];
	struct err err;
	struct recording_damage damage;
};

static inline struct result read_records(struct source *s)
{
	struct result r = {0};
	struct rec rec;
	u32 event;

	while ((r.ret = source_next(s, &rec, &r.err)) > 0) {
		const struct event_set *events = &s->recording->events;

		event = event_set_find(events, &rec);
		if (r.records < ARRAY_SIZE(r.time) && events->events.nr) {
			r.event[r.records] = event;
			r.time[r.records] = sample_layout_time(&events->events.v[0].layout, &rec);
			r.order[r.records] = s->order;
		}
		r.records++;
	}
	r.events = s->recording->events.events.nr;
	r.damage = s->recording->damage;
	return r;
}

/* NULL: they are no recording, err says why. */
static inline struct source *open_bytes(const struct buf *b, struct err *err)
{
	char path[32];
	int fd = made_file(b->data, b->len, path);
	struct source *s = source_open(path, err);

	close(fd);
	return s;
}

static inline struct result read_bytes(const struct buf *b)
{
	struct result r = {0};
	struct source *s = open_bytes(b, &r.err);

	if (s)
		r = read_records(s);
	else
		r.ret = -r.err.code;
	source_close(s);
	return r;
}

#endif
