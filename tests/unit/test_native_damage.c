// SPDX-License-Identifier: GPL-2.0
/* Files of ours that were cut, overwritten, or made by something else: what is whole comes out. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/made.h"
#include "util/base/hash.h"
#include "util/file/block.h"
#include "util/file/source.h"

struct extent {
	size_t start, payload_end, end; /* payload_end: before the padding */
	u16 type;
	u32 samples;
};

/* A file in memory, and where its blocks are. */
struct made {
	struct buf b;
	struct extent blocks[64];
	u32 nr, samples, facts;
	u64 seq;
};

static void add_block(struct made *m, struct block k, const void *payload, size_t len)
{
	struct extent *e = &m->blocks[m->nr++];

	e->start = m->b.len;
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

static void add_data(struct made *m, u32 nr)
{
	struct made_sample s = {.id = 7, .ip = 1, .pid = 1, .tid = 1};
	struct buf b = {0};
	u32 i;

	buf_u32(&b, 0);
	for (i = 0; i < nr; i++) {
		s.time = 1000 + m->samples + i;
		made_sample(&b, &s);
	}
	add_block(m, (struct block){.type = BLOCK_DATA, .raw_size = (u32)b.len - 4}, b.data, b.len);
	m->blocks[m->nr - 1].samples = nr;
	m->samples += nr;
	buf_free(&b);
}

static void make_file(struct made *m, u32 data_blocks, u32 samples)
{
	u32 i;

	*m = (struct made){0};
	add_file_header(m);
	add_facts(m, BLOCK_META);
	add_event(m);
	for (i = 0; i < data_blocks; i++)
		add_data(m, samples);
	add_facts(m, BLOCK_END);
}

struct result {
	u32 samples, events, facts;
	u64 last_time;
	int ret;
	struct err err;
	struct source_damage damage;
};

static struct result read_bytes(const void *p, size_t len)
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
	while ((r.ret = source_next(s, &rec, &r.err)) > 0) {
		struct plan p7 = made_plan(MADE_TYPE);
		u64 time = plan_time(&p7, &rec);

		assert_int_equal(rec.type, PERF_RECORD_SAMPLE);
		assert_true(time > r.last_time);
		r.last_time = time;
		r.samples++;
	}
	r.events = s->recording.events.events.nr;
	r.facts = s->recording.facts.nr;
	r.damage = s->damage;
	source_close(s);
	close(fd);
	return r;
}

static void cut_anywhere(void **state)
{
	struct made m;
	size_t len, cut_at;
	u32 i, samples;
	bool at_boundary, ended;

	(void)state;
	make_file(&m, 3, 2);
	for (len = 0; len <= m.b.len; len++) {
		struct result r = read_bytes(m.b.data, len);

		samples = 0;
		ended = false;
		at_boundary = len <= FILE_HEADER_SIZE;
		for (i = 0, cut_at = 0; i < m.nr; i++) {
			if (len >= m.blocks[i].payload_end) {
				samples += m.blocks[i].samples;
				ended |= m.blocks[i].type == BLOCK_END;
				at_boundary |= len <= m.blocks[i].end;
			} else if (len > m.blocks[i].start) {
				cut_at = m.blocks[i].start;
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
	buf_free(&m.b);
}

/* The block that holds byte `at`, or NULL for padding and the file header. */
static const struct extent *block_at(const struct made *m, size_t at)
{
	u32 i;

	for (i = 0; i < m->nr; i++)
		if (at >= m->blocks[i].start && at < m->blocks[i].payload_end)
			return &m->blocks[i];
	return NULL;
}

static void any_byte_changed(void **state)
{
	static const u8 changes[] = {0x01, 0x80, 0xff};
	const struct extent *hit;
	struct made m;
	size_t at, i;

	(void)state;
	make_file(&m, 3, 2);
	for (at = 0; at < m.b.len; at++) {
		hit = block_at(&m, at);
		for (i = 0; i < ARRAY_SIZE(changes); i++) {
			u32 lost = hit ? hit->samples : 0;
			struct result r;

			m.b.data[at] ^= changes[i];
			r = read_bytes(m.b.data, m.b.len);
			m.b.data[at] ^= changes[i];
			assert_int_equal(r.ret, 0);
			assert_int_equal(r.samples, m.samples - lost);
			/* the blocks after the hole tell what was in it, the last one too */
			assert_int_equal(r.damage.samples, lost);
			assert_int_equal(r.damage.blocks, hit || at < FILE_HEADER_SIZE ? 1 : 0);
			if (hit && r.damage.blocks)
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
	size_t page, at;
	u32 i, lost;

	(void)state;
	make_file(&m, 40, 12);
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
			if (at < m.blocks[i].payload_end && at < page + 4096)
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
	for (len = 8; len <= 200; len += 8) {
		from = m.blocks[3].start + 16;
		buf_clear(&b);
		buf_add(&b, m.b.data, from);
		buf_add(&b, m.b.data + from + len, m.b.len - from - len);
		r = read_bytes(b.data, b.len);
		assert_int_equal(r.ret, 0);
		assert_true(r.samples >= m.samples - 4);
		assert_int_equal(r.damage.samples, m.samples - r.samples);
	}
	buf_clear(&b);
	buf_add(&b, m.b.data, m.blocks[3].start);
	buf_add(&b, "and some text of a log.\n", 24);
	buf_add(&b, m.b.data + m.blocks[3].start, m.b.len - m.blocks[3].start);
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

/* Whole blocks whose content is wrong: a hash proves nothing but itself. */
static void lying_blocks(void **state)
{
	static const char zstd[] = "\1\0\0\0\x28\xb5\x2f\xfd and no frame";
	struct block data = {.type = BLOCK_DATA};
	struct buf b = {0};
	struct result r;
	struct made m;

	(void)state;
	start(&m);
	data.raw_size = BLOCK_SIZE_MAX;
	add_block(&m, data, "\0\0\0\0too short", 13);
	add_block(&m, data, zstd, sizeof(zstd) - 1);
	data.raw_size = 8;
	add_block(&m, data, zstd, 2);
	add_block(&m, data, "\0\0\0\0\1\0\0\0\0\0\0\0", 12); /* a record of size 0 */
	add_block(&m, data, "\0\0\0\0\1\0\0\0\0\0\xff\xff", 12);
	add_block(&m, (struct block){.type = BLOCK_META, .flags = BLOCK_ZSTD, .raw_size = 99}, "x",
		  1);
	add_block(&m, (struct block){.type = BLOCK_META}, "\xff\xff\xff\xff", 4);
	add_block(&m, (struct block){.type = BLOCK_ATTR}, "\0\0\0\0\0\0\0\0", 8);
	add_block(&m, (struct block){.type = BLOCK_TPFMT}, "\0\0\0\0\1", 5);
	add_block(&m, (struct block){.type = BLOCK_SYMS}, "\7\0\0\0", 4);
	made_dso(&b, 9, 0, "no such class", "");
	add_block(&m, (struct block){.type = BLOCK_SYMS}, b.data, b.len);
	buf_clear(&b);
	made_dso(&b, 0, 0, "[kernel.kallsyms]", "a build-id of more than 20 bytes");
	add_block(&m, (struct block){.type = BLOCK_SYMS}, b.data, b.len);
	buf_clear(&b);
	made_dso(&b, 0, 0, "[kernel.kallsyms]", "");
	made_symbol(&b, UINT64_MAX, 2, "wraps");
	add_block(&m, (struct block){.type = BLOCK_SYMS}, b.data, b.len);
	add_data(&m, 1);
	r = read_bytes(m.b.data, m.b.len);
	assert_int_equal(r.ret, 0);
	assert_int_equal(r.samples, 1);
	assert_int_equal(r.events, 1);
	assert_int_equal(r.damage.blocks, 13);
	buf_free(&b);
	buf_free(&m.b);
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

	start(&m);
	add_block(&m, (struct block){.type = BLOCK_DATA}, "\2\0\0\0", 4);
	r = read_bytes(m.b.data, m.b.len);
	assert_int_equal(r.ret, -ENOTSUP);
	buf_free(&m.b);

	m = (struct made){0};
	block_put_file_header(&m.b, &h);
	r = read_bytes(m.b.data, m.b.len);
	assert_int_equal(r.ret, -ENOTSUP);
	assert_non_null(strstr(r.err.msg, "version 2.0"));
	buf_free(&m.b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cut_anywhere), cmocka_unit_test(any_byte_changed),
		cmocka_unit_test(zeroed_page),  cmocka_unit_test(bytes_missing),
		cmocka_unit_test(lying_blocks), cmocka_unit_test(newer_formats),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("native_damage", tests, NULL, NULL);
}
