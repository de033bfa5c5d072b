// SPDX-License-Identifier: GPL-2.0
/* Files of ours that were cut, overwritten, or made by something else: what is whole comes out. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/made.h"
#include "util/base/hash.h"
#include "util/base/io.h"
#include "util/file/block.h"
#include "util/file/late_names.h"
#include "util/file/source.h"

struct extent {
	size_t start, payload_end, end; /* payload_end: before the padding */
	u16 type;
	u32 samples;
};

/* A file in memory, and where its blocks are. */
struct made {
	struct buf b;
	struct extent blocks[256];
	u32 nr, samples, facts;
	u64 seq;
	u64 ring; /* bytes read of ring 3 */
};

static void add_block(struct made *m, struct block k, const void *payload, size_t len)
{
	struct extent *e = &m->blocks[m->nr++];

	e->start = m->b.len;
	k.session = 1;
	k.seq = m->seq++;
	k.samples_before = m->samples;
	k.stored_size = (u32)len;
	k.raw_size = k.raw_size ? k.raw_size : (u32)len;
	k.payload_hash = hash_bytes(payload, len);
	block_put_header(&m->b, &k);
	buf_add(&m->b, payload, len);
	e->payload_end = m->b.len;
	buf_pad(&m->b, '\0', ALIGN_UP(m->b.len, (size_t)8) - m->b.len);
	e->end = m->b.len;
	e->type = k.type;
	assert_false(m->b.failed);
}

static void add_file_header(struct made *m)
{
	struct file_header h = {.major = FILE_MAJOR, .minor = FILE_MINOR, .session = {1, 2}};

	block_put_file_header(&m->b, &h);
}

static void add_facts(struct made *m, enum block_type type)
{
	struct buf b = {0};

	made_fact(&b, "hostname", "a name");
	add_block(m, (struct block){.type = (u16)type}, b.data, b.len);
	buf_free(&b);
}

static void add_event(struct made *m)
{
	struct perf_event_attr attr = made_attr(MADE_TYPE);
	struct buf b = {0};
	u64 id = 7;

	made_event(&b, 0, &attr, "cycles", &id, 1);
	add_block(m, (struct block){.type = BLOCK_ATTR}, b.data, b.len);
	buf_free(&b);
}

/* Samples that do not compress, so that the payload is about as long as they are. */
static void make_samples(struct buf *b, u32 first, u32 nr)
{
	struct made_sample s = {.id = 7, .pid = 1, .tid = 1};
	u32 i;

	for (i = first; i < first + nr; i++) {
		s.time = 1000 + i;
		s.ip = hash_u64(i + 1);
		s.period = hash_u64(s.ip);
		made_sample(b, &s);
	}
}

/* A block as it comes from one ring, whose bytes are told to be [from, to). */
static void add_data_of(struct made *m, u32 first, u32 nr, u64 from, u64 to)
{
	struct columns_ring ring = {.number = 3, .cpu = 1, .from = from, .to = to};
	struct buf records = {0}, payload = {0};
	struct event_set events = {0};
	static const u64 id = 7;
	struct writer_data d;

	made_events(&events, MADE_TYPE, &id, 1);
	make_samples(&records, first, nr);
	d = made_data(&payload, &events, &ring, 0, records.data, records.len);
	add_block(m,
		  (struct block){.type = BLOCK_DATA,
				 .records = d.records,
				 .raw_size = (u32)d.raw_size,
				 .time_min = d.time_min,
				 .time_max = d.time_max},
		  d.payload, d.len);
	m->blocks[m->nr - 1].samples = nr;
	m->samples += nr;
	m->ring = to;
	event_set_free(&events);
	buf_free(&payload);
	buf_free(&records);
}

static void add_data(struct made *m, u32 nr)
{
	add_data_of(m, m->samples, nr, m->ring, m->ring + 100);
}

static void add_buf(struct made *m, enum block_type type, struct buf *b)
{
	add_block(m, (struct block){.type = (u16)type}, b->data, b->len);
	buf_clear(b);
}

static void add_tracepoint(struct made *m)
{
	struct buf b = {0};

	buf_le32(&b, 77);
	buf_lstr(&b, "skb", 3);
	buf_lstr(&b, "kfree_skb", 9);
	buf_lstr(&b, "name: kfree_skb\nID: 77\n", 23);
	add_buf(m, BLOCK_TPFMT, &b);
	buf_free(&b);
}

/* A block of each kind that is neither facts, an event nor records. */
static void add_others(struct made *m)
{
	struct buf b = {0};

	made_functions(&b, 0, 0, "[kernel.kallsyms]", "",
		       &(struct made_function){0x1000, 16, "a_function"}, 1);
	add_buf(m, BLOCK_SYMS, &b);
	made_dso(&b, 1, 12, "/bin/cat", "0123456789");
	buf_lstr(&b, "", 0);
	add_buf(m, BLOCK_DSO, &b);
	made_dso(&b, 1, 12, "/bin/cat", "0123456789");
	buf_le32(&b, 1);
	buf_lstr(&b, "main", 4);
	buf_le64(&b, 0x100);
	buf_le32(&b, 1);
	made_frame(&b, 1, 1, 7);
	add_buf(m, BLOCK_FRAMES, &b);
	buf_le32(&b, 0);
	buf_le32(&b, 1);
	buf_le64(&b, 8);
	add_buf(m, BLOCK_IDS, &b);
	loss_put(&b, &(struct loss){.cause = LOSS_RING, .cpu = 1, .count = 5});
	add_buf(m, BLOCK_LOSS, &b);
	loss_put_counts(&b, &(struct counts){.event = 0, .samples = m->samples});
	add_buf(m, BLOCK_COUNTS, &b);
	buf_free(&b);
}

/* Blocks of all kinds. */
static void make_file(struct made *m, u32 data_blocks, u32 samples)
{
	u32 i;

	*m = (struct made){0};
	add_file_header(m);
	add_facts(m, BLOCK_META);
	add_event(m);
	add_tracepoint(m);
	for (i = 0; i < data_blocks; i++)
		add_data(m, samples);
	add_others(m);
	add_facts(m, BLOCK_END);
}

/* Which kinds there are, a bit each. */
static u32 kinds(const struct made *m)
{
	u32 all = 0, i;

	for (i = 0; i < m->nr; i++)
		all |= 1u << m->blocks[i].type;
	return all;
}

struct result {
	u32 samples, events, facts, losses;
	u64 first_time, last_time;
	int ret;
	struct err err;
	struct recording_damage damage;
};

static struct result read_wanting(const void *p, size_t len, const struct source_want *want)
{
	struct result r = {0};
	char path[32];
	int fd = made_file(p, len, path);
	struct source *s = source_open(path, &r.err);
	struct rec rec;

	if (!s) {
		r.ret = -r.err.code;
		close(fd);
		return r;
	}
	s->want = *want;
	while ((r.ret = source_next(s, &rec, &r.err)) > 0) {
		struct sample_layout p7 = made_layout(MADE_TYPE);
		u64 time = sample_layout_time(&p7, &rec);

		assert_int_equal(rec.type, PERF_RECORD_SAMPLE);
		assert_int_equal(rec.cpu, 1);
		/* a lying block may give records again */
		r.first_time = r.first_time ? r.first_time : time;
		assert_true(time > r.last_time || r.samples >= 1);
		r.last_time = time;
		r.samples++;
	}
	r.events = s->recording->events.events.nr;
	r.facts = s->recording->facts.nr;
	r.losses = s->recording->losses.nr;
	r.damage = s->recording->damage;
	source_close(s);
	close(fd);
	return r;
}

static struct result read_bytes(const void *p, size_t len)
{
	return read_wanting(p, len, &(struct source_want){0});
}

static void cut_at_every(struct made *m, size_t step)
{
	size_t len, cut_at;
	u32 i, samples;
	bool at_boundary, ended;

	for (len = 0; len <= m->b.len; len += step) {
		struct result r = read_bytes(m->b.data, len);

		samples = 0;
		ended = false;
		at_boundary = len <= FILE_HEADER_SIZE;
		for (i = 0, cut_at = 0; i < m->nr; i++) {
			if (len >= m->blocks[i].payload_end) {
				samples += m->blocks[i].samples;
				ended |= m->blocks[i].type == BLOCK_END;
				at_boundary |= len <= m->blocks[i].end;
			} else if (len > m->blocks[i].start) {
				cut_at = m->blocks[i].start;
			}
		}
		assert_int_equal(r.samples, samples);
		if (len < 8) {
			assert_int_equal(r.ret, -EINVAL);
			continue;
		}
		assert_int_equal(r.ret, 0);
		assert_int_equal(r.damage.no_end, !ended);
		assert_int_equal(r.damage.cut_at, at_boundary ? 0 : cut_at);
		assert_int_equal(r.damage.blocks, len < FILE_HEADER_SIZE ? 1 : 0);
	}
	buf_free(&m->b);
}

static void cut_anywhere(void **state)
{
	struct made m;

	(void)state;
	make_file(&m, 3, 2);
	/* what the file has of each kind, and nothing else of it is told */
	assert_int_equal(kinds(&m), (2u << BLOCK_FRAMES) - 2);
	cut_at_every(&m, 1);
	/* many blocks; the step has no divisor in common with the alignment of blocks */
	make_file(&m, 150, 16);
	assert_in_range(m.b.len, 60000, 90000);
	cut_at_every(&m, 61);
}

/* The block that holds byte `at`, NULL: none does. `padding`: as such. */
static const struct extent *block_at(const struct made *m, size_t at, bool *padding)
{
	u32 i;

	for (i = 0; i < m->nr && at >= m->blocks[i].end; i++)
		;
	*padding = at >= m->blocks[i].payload_end;
	return *padding || at < FILE_HEADER_SIZE ? NULL : &m->blocks[i];
}

static void any_byte_changed(void **state)
{
	static const u8 changes[] = {0x01, 0x80, 0xff};
	const struct extent *hit;
	struct made m;
	size_t at, i;
	bool padding;

	(void)state;
	make_file(&m, 3, 2);
	for (at = 0; at < m.b.len; at++) {
		hit = block_at(&m, at, &padding);
		for (i = 0; i < ARRAY_SIZE(changes); i++) {
			u32 lost = hit ? hit->samples : 0,
			    blocks = hit || padding || at < FILE_HEADER_SIZE;
			struct result r;

			/* more ids of an event are of no use without it */
			blocks += hit && hit->type == BLOCK_ATTR;

			m.b.data[at] ^= changes[i];
			r = read_bytes(m.b.data, m.b.len);
			m.b.data[at] ^= changes[i];
			assert_int_equal(r.ret, 0);
			assert_int_equal(r.samples, m.samples - lost);
			/* the blocks after the hole tell what was in it, the last one too */
			assert_int_equal(r.damage.samples, lost);
			assert_int_equal(r.damage.blocks, blocks);
			if (hit)
				assert_int_equal(r.damage.first_at, hit->start);
			assert_int_equal(r.events, hit && hit->type == BLOCK_ATTR ? 0 : 1);
			assert_int_equal(r.damage.no_end, hit && hit->type == BLOCK_END);
			assert_int_equal(r.damage.cut_at, 0);
		}
	}
	buf_free(&m.b);
}

/* What a file system leaves of a page that never reached the disk. */
static void zeroed_page(void **state)
{
	struct made m;
	size_t page, at, end;
	u32 i, lost;

	(void)state;
	make_file(&m, 60, 12);
	assert_true(m.b.len > 5 * 4096);
	for (page = 0; page + 4096 <= m.b.len; page += 4096) {
		struct result r;
		u8 keep[4096];

		memcpy(keep, m.b.data + page, 4096);
		memset(m.b.data + page, 0, 4096);
		r = read_bytes(m.b.data, m.b.len);
		memcpy(m.b.data + page, keep, 4096);
		if (page == 0) { /* no magic and no first block: not to be told from anything */
			assert_int_equal(r.ret, -EINVAL);
			continue;
		}
		lost = 0;
		for (i = 0; i < m.nr; i++) {
			at = MAX(m.blocks[i].start, page);
			end = MIN(m.blocks[i].payload_end, page + 4096);
			/* what was zero before has not changed */
			while (at < end && !m.b.data[at])
				at++;
			if (at < end)
				lost += m.blocks[i].samples;
		}
		assert_true(lost);
		assert_int_equal(r.ret, 0);
		assert_int_equal(r.samples, m.samples - lost);
		assert_int_equal(r.damage.samples, lost);
		assert_true(r.damage.blocks >= 1);
		assert_in_range(r.damage.bytes, 4096 - 64, 2 * 4096);
	}
	buf_free(&m.b);
}

/* A piece that is missing or stands twice, so that nothing is where it was. */
static void bytes_missing(void **state)
{
	struct made m;
	struct buf b = {0};
	struct result r;
	size_t from, len;

	(void)state;
	make_file(&m, 3, 2);
	for (len = 1; len <= 200; len++) {
		from = m.blocks[4].start + 16;
		buf_clear(&b);
		buf_add(&b, m.b.data, from);
		buf_add(&b, m.b.data + from + len, m.b.len - from - len);
		r = read_bytes(b.data, b.len);
		assert_int_equal(r.ret, 0);
		assert_true(r.samples >= m.samples - 4);
		assert_int_equal(r.damage.samples, m.samples - r.samples);
	}
	buf_clear(&b);
	buf_add(&b, m.b.data, m.blocks[4].start);
	buf_add(&b, "and some text of a log.\n", 24);
	buf_add(&b, m.b.data + m.blocks[4].start, m.b.len - m.blocks[4].start);
	r = read_bytes(b.data, b.len);
	assert_int_equal(r.ret, 0);
	assert_int_equal(r.samples, m.samples);
	assert_int_equal(r.damage.bytes, 24);
	buf_free(&b);
	buf_free(&m.b);
}

static void start(struct made *m)
{
	*m = (struct made){0};
	add_file_header(m);
	add_event(m);
}

/* A block is torn anywhere, its header is right, and the next follows at once. */
static void torn_block(void **state)
{
	struct made m;
	struct buf b = {0};
	struct result r;
	size_t keep;

	(void)state;
	make_file(&m, 4, 3);
	for (keep = 1; keep < m.blocks[4].payload_end - m.blocks[4].start; keep++) {
		buf_clear(&b);
		buf_add(&b, m.b.data, m.blocks[4].start + keep);
		buf_add(&b, m.b.data + m.blocks[5].start, m.b.len - m.blocks[5].start);
		r = read_bytes(b.data, b.len);
		assert_int_equal(r.ret, 0);
		assert_int_equal(r.samples, 9);
		assert_int_equal(r.damage.samples, 3);
		assert_int_equal(r.damage.blocks, 1);
		assert_int_equal(r.damage.bytes, keep);
		assert_int_equal(r.damage.first_at, m.blocks[4].start);
		assert_false(r.damage.no_end);
	}
	/* the torn one claims more than what is left of the file */
	buf_clear(&b);
	buf_add(&b, m.b.data, m.blocks[6].start + BLOCK_HEADER_SIZE + 1);
	buf_add(&b, m.b.data + m.blocks[7].start, m.b.len - m.blocks[7].start);
	r = read_bytes(b.data, b.len);
	assert_int_equal(r.samples, 9);
	assert_int_equal(r.damage.blocks, 1);
	assert_int_equal(r.damage.cut_at, 0);
	assert_false(r.damage.no_end);
	buf_free(&b);
	buf_free(&m.b);
}

/* Another process went on with the file, and wrote again what it did not know to be written. */
static void repeated_blocks(void **state)
{
	struct made m = {0};
	struct result r;
	struct loss l = {.cause = LOSS_RING, .count = 5};
	struct buf loss = {0};
	u32 samples;
	u64 seq;

	(void)state;
	loss_put(&loss, &l);
	add_file_header(&m);
	add_event(&m);
	add_data(&m, 4);
	samples = m.samples;
	seq = m.seq;
	add_data_of(&m, 4, 3, 100, 200);
	add_block(&m, (struct block){.type = BLOCK_LOSS}, loss.data, loss.len);
	m.samples = samples;
	m.seq = seq;
	add_data_of(&m, 4, 3, 100, 200);
	add_block(&m, (struct block){.type = BLOCK_LOSS}, loss.data, loss.len);
	/* the same loss once more, by a block of its own */
	add_block(&m, (struct block){.type = BLOCK_LOSS}, loss.data, loss.len);
	add_data_of(&m, 7, 2, 200, 300);
	/* the recorder's own records are of no ring: never repeated */
	add_data_of(&m, 9, 1, 0, 0);
	add_data_of(&m, 10, 1, 0, 0);
	add_facts(&m, BLOCK_END);
	r = read_bytes(m.b.data, m.b.len);
	assert_int_equal(r.ret, 0);
	assert_int_equal(r.samples, 11);
	assert_int_equal(r.damage.repeated, 2);
	assert_int_equal(r.damage.samples + r.damage.blocks, 0);
	assert_int_equal(r.losses, 2);
	buf_free(&loss);
	buf_free(&m.b);
}

/* Threads, time and what is wanted: as told, the same records or fewer. */
static void wanted(void **state)
{
	struct source_want want = {0};
	struct result r;
	struct made m;
	u32 threads;

	(void)state;
	make_file(&m, 50, 10);
	m.b.data[m.blocks[20].start + BLOCK_HEADER_SIZE] ^= 1;
	for (threads = 1; threads <= 9; threads += 2) {
		want.threads = threads;
		r = read_wanting(m.b.data, m.b.len, &want);
		assert_int_equal(r.ret, 0);
		assert_int_equal(r.samples, 490);
		assert_int_equal(r.damage.samples, 10);
		assert_int_equal(r.damage.first_at, m.blocks[20].start);
		assert_int_equal(r.facts, 2);
	}
	want = (struct source_want){.no_samples = true};
	r = read_wanting(m.b.data, m.b.len, &want);
	assert_int_equal(r.ret, 0);
	assert_int_equal(r.samples, 0);
	assert_int_equal(r.damage.blocks, 1);
	assert_int_equal(r.facts, 2);
	/* blocks of 10 ns each: those that the time touches come whole */
	want = (struct source_want){.time_from = 1015, .time_to = 1035};
	r = read_wanting(m.b.data, m.b.len, &want);
	assert_int_equal(r.samples, 30);
	assert_int_equal(r.first_time, 1010);
	assert_int_equal(r.last_time, 1039);
	want = (struct source_want){.time_from = 1480};
	r = read_wanting(m.b.data, m.b.len, &want);
	assert_int_equal(r.samples, 20);
	buf_free(&m.b);
}

static const char *payload_of(const struct made *m, u32 block, size_t *len)
{
	const struct extent *e = &m->blocks[block];

	*len = e->payload_end - e->start - BLOCK_HEADER_SIZE;
	return m->b.data + e->start + BLOCK_HEADER_SIZE;
}

static void add_meta(struct made *m, enum block_type type, const void *payload, size_t len)
{
	add_block(m, (struct block){.type = (u16)type}, payload, len);
}

/* FRAMES blocks: a DSO, strings, then addresses with their frames. */
static void add_frames(struct made *m, u32 nr_strings, u32 nr_frames, u32 function, size_t cut)
{
	struct buf b = {0};

	made_dso(&b, 1, 0, "/bin/cat", "");
	buf_le32(&b, nr_strings);
	buf_lstr(&b, "main", 4);
	buf_le64(&b, 0x100);
	buf_le32(&b, nr_frames);
	made_frame(&b, function, 1, 7);
	add_meta(m, BLOCK_FRAMES, b.data, b.len - cut);
	buf_free(&b);
}

static void add_bad_frames(struct made *m)
{
	add_meta(m, BLOCK_FRAMES, "\7\0\0\0", 4);
	add_frames(m, 1, 1, 2, 0);          /* no such string */
	add_frames(m, 1, 1, UINT32_MAX, 0); /* likewise */
	add_frames(m, 1, UINT32_MAX, 1, 0); /* so many frames */
	add_frames(m, UINT32_MAX, 1, 1, 0); /* so many strings */
	add_frames(m, 1, 1, 1, 2);          /* cut */
}

/* Whole blocks whose content is wrong: a hash proves nothing but itself. */
static void lying_blocks(void **state)
{
	struct block data = {.type = BLOCK_DATA, .raw_size = BLOCK_SIZE_MAX};
	struct buf b = {0};
	struct result r;
	struct made m, other;
	size_t len;
	const char *good;

	(void)state;
	make_file(&other, 3, 4);
	start(&m);
	add_block(&m, data, "\0\0\0\0too short", 13);
	data.records = 4;
	good = payload_of(&other, 3, &len);
	add_block(&m, data, good, len / 2);
	good = payload_of(&other, 4, &len);
	data.raw_size = 8; /* less than the records are */
	add_block(&m, data, good, len);
	good = payload_of(&other, 5, &len);
	data.raw_size = BLOCK_SIZE_MAX;
	data.records = 0;
	add_block(&m, data, good, len);
	add_block(&m, (struct block){.type = BLOCK_META, .flags = BLOCK_ZSTD, .raw_size = 99}, "x",
		  1);
	add_meta(&m, BLOCK_META, "\xff\xff\xff\xff", 4);
	add_meta(&m, BLOCK_ATTR, "\0\0\0\0\0\0\0\0", 8);
	add_meta(&m, BLOCK_TPFMT, "\0\0\0\0\1", 5);
	add_meta(&m, BLOCK_SYMS, "\7\0\0\0", 4);
	made_functions(&b, 9, 0, "no such class", "", NULL, 0);
	add_meta(&m, BLOCK_SYMS, b.data, b.len);
	buf_clear(&b);
	made_functions(&b, 0, 0, "[kernel.kallsyms]", "a build-id of more than 20 bytes", NULL, 0);
	add_meta(&m, BLOCK_SYMS, b.data, b.len);
	buf_clear(&b);
	made_functions(&b, 0, 0, "[kernel.kallsyms]", "",
		       &(struct made_function){UINT64_MAX, 2, "wraps"}, 1);
	add_meta(&m, BLOCK_SYMS, b.data, b.len);
	add_meta(&m, BLOCK_SYMS, b.data, b.len - 1);
	add_bad_frames(&m);
	add_meta(&m, BLOCK_IDS, "\1\0\0\0\0\0\0\0", 8);         /* no such event */
	add_meta(&m, BLOCK_IDS, "\0\0\0\0\xff\xff\xff\xff", 8); /* so many ids */
	add_meta(&m, BLOCK_LOSS, "\1\0\0\0", 4);
	add_meta(&m, BLOCK_COUNTS, "\1\0\0\0", 4);
	add_data_of(&m, 0, 1, 1000, 1100);
	r = read_bytes(m.b.data, m.b.len);
	assert_int_equal(r.ret, 0);
	/* what came before the lie may come out */
	assert_true(r.samples >= 1);
	assert_int_equal(r.events, 1);
	assert_int_equal(r.damage.blocks, 23);
	buf_free(&b);
	buf_free(&m.b);
	buf_free(&other.b);
}

/* Events and formats after the first samples: readers have sized their tables by those before. */
static void late_events(void **state)
{
	struct result r;
	struct made m;

	(void)state;
	make_file(&m, 1, 4);
	m.nr--; /* the END block */
	m.b.len = m.blocks[m.nr].start;
	add_event(&m);
	add_tracepoint(&m);
	add_data(&m, 4);
	add_facts(&m, BLOCK_END);
	r = read_bytes(m.b.data, m.b.len);
	assert_int_equal(r.ret, 0);
	assert_int_equal(r.samples, 8);
	assert_int_equal(r.events, 1);
	assert_int_equal(r.damage.blocks, 2);
	buf_free(&m.b);
}

static u64 system_calls(void)
{
	struct buf b = {0};
	u64 nr = 0;

	if (!io_read_file(AT_FDCWD, "/proc/self/io", &b, 1 << 12) && strstr(buf_str(&b), "syscr: "))
		nr = strtoull(strstr(buf_str(&b), "syscr: ") + 7, NULL, 10);
	buf_free(&b);
	return nr;
}

/* However many blocks of facts there are, the file is searched once for names behind its records. */
static void many_facts(void **state)
{
	struct buf b = {0};
	struct result r;
	struct made m;
	u64 before;
	u32 i;

	(void)state;
	start(&m);
	made_fact(&b, LATE_NAMES, "1");
	for (i = 0; i < 200; i++)
		add_block(&m, (struct block){.type = BLOCK_META}, b.data, b.len);
	add_data(&m, 1);
	add_facts(&m, BLOCK_END);
	before = system_calls();
	r = read_bytes(m.b.data, m.b.len);
	assert_int_equal(r.samples, 1);
	assert_true(system_calls() - before < 200 * 10);
	buf_free(&b);
	buf_free(&m.b);
	if (!before) /* this kernel counts none */
		skip();
}

static void newer_formats(void **state)
{
	struct file_header h = {.major = FILE_MAJOR + 1};
	struct result r;
	struct made m;

	(void)state;
	start(&m);
	add_block(&m, (struct block){.type = 99}, "what a later version adds", 25);
	add_data(&m, 1);
	r = read_bytes(m.b.data, m.b.len);
	assert_int_equal(r.ret, 0);
	assert_int_equal(r.samples, 1);
	assert_int_equal(r.damage.blocks, 0);
	add_block(&m, (struct block){.type = 99, .flags = BLOCK_CRITICAL}, "", 0);
	add_data(&m, 1);
	r = read_bytes(m.b.data, m.b.len);
	assert_int_equal(r.ret, -ENOTSUP);
	assert_int_equal(r.samples, 1);
	assert_non_null(strstr(r.err.msg, "newer format"));
	assert_non_null(strstr(r.err.hint, "newer one"));
	buf_free(&m.b);

	m = (struct made){0};
	block_put_file_header(&m.b, &h);
	r = read_bytes(m.b.data, m.b.len);
	assert_int_equal(r.ret, -ENOTSUP);
	assert_non_null(strstr(r.err.msg, "version 4.0"));
	buf_free(&m.b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cut_anywhere),  cmocka_unit_test(any_byte_changed),
		cmocka_unit_test(zeroed_page),   cmocka_unit_test(bytes_missing),
		cmocka_unit_test(torn_block),    cmocka_unit_test(repeated_blocks),
		cmocka_unit_test(wanted),        cmocka_unit_test(lying_blocks),
		cmocka_unit_test(newer_formats), cmocka_unit_test(late_events),
		cmocka_unit_test(many_facts),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("native_damage", tests, NULL, NULL);
}
