// SPDX-License-Identifier: GPL-2.0
/* What verify finds in files that are whole, damaged, or lie; and what pack makes of them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/made.h"
#include "tests/unit/oom.h"
#include "util/base/hash.h"
#include "util/file/pack.h"
#include "util/file/reorder.h"
#include "util/file/verify.h"

static char folder[64];

static int enter(void **state)
{
	(void)state;
	made_folder(folder);
	return chdir(folder);
}

static int leave(void **state)
{
	(void)state;
	if (chdir("/"))
		return -1;
	made_folder_gone(folder);
	return 0;
}

/* A file as a recorder writes it: side-band and samples of two CPUs, and what can go wrong. */
struct file {
	struct writer w;
	struct event_set events;
	struct buf payload, records;
	u64 at[3]; /* how far each ring has been read */
	u64 time;
	u32 samples;
};

static const u64 ids[] = {7};

static void block(struct file *f, enum block_type type, struct buf *b)
{
	assert_int_equal(writer_block(&f->w, type, b->data, b->len, NULL), 0);
	buf_clear(b);
}

static void begin(struct file *f)
{
	struct perf_event_attr attr = made_attr(MADE_TYPE);
	static const u64 sideband_id = 6;
	struct buf b = {0};

	*f = (struct file){.time = 1000};
	assert_int_equal(writer_open(&f->w, "data", 1, NULL), 0);
	made_events(&f->events, MADE_TYPE, &sideband_id, 1);
	made_events(&f->events, MADE_TYPE, ids, 1);
	made_fact(&b, "hostname", "here");
	block(f, BLOCK_META, &b);
	made_event(&b, 1, &attr, "dummy:HG", &sideband_id, 1);
	block(f, BLOCK_ATTR, &b);
	made_event(&b, 0, &attr, "page-faults", ids, 1);
	block(f, BLOCK_ATTR, &b);
	buf_free(&b);
}

static void symbols(struct file *f, u64 start, const char *name)
{
	struct buf b = {0};

	made_functions(&b, 1, 5, "/bin/cat", "build-id of cat",
		       &(struct made_function){start, 0x20, name}, 1);
	block(f, BLOCK_SYMS, &b);
	buf_free(&b);
}

/* A block of `nr` samples read from ring 1 or 2, with a COMM from ring 0 of the side-band. */
static struct writer_data make_data(struct file *f, u32 ring, u32 nr)
{
	struct columns_ring r = {.number = ring, .cpu = ring - 1, .from = f->at[ring]};
	struct columns_ring side = {.number = 0, .cpu = 0, .sideband = true, .from = f->at[0]};
	struct columns_encoder *e = columns_encoder_new(&f->events, NULL);
	struct made_sample m = {.id = 7, .pid = 1, .tid = 1};
	struct rec_ids when = {.id = 6, .time = f->time + 1};
	struct writer_data d = {.samples = nr, .records = nr + 1, .time_min = f->time + 1};
	struct rec rec;
	size_t at;

	buf_clear(&f->records);
	rec_build_comm(&f->records, &f->events.events.v[0].layout, &when, 0, 1, 1, "a comm");
	for (; nr; nr--) {
		m.time = f->time += 10;
		m.ip = hash_u64(m.time);
		made_sample(&f->records, &m);
	}
	side.to = f->at[0] += 64;
	r.to = f->at[ring] += f->records.len - 64;
	columns_begin(e);
	for (at = 0; at < f->records.len; at += rec.size) {
		assert_true(rec_view(&rec, f->records.data + at, f->records.len - at));
		rec.event = rec.type == PERF_RECORD_SAMPLE;
		if (!rec.event || at < 100)
			columns_run(e, rec.event ? &r : &side);
		columns_add(e, &rec, NULL);
	}
	buf_clear(&f->payload);
	assert_int_equal(columns_end(e, 1, &f->payload, NULL), 0);
	columns_encoder_free(e);
	d.payload = f->payload.data;
	d.len = f->payload.len;
	d.raw_size = f->records.len;
	d.time_max = MAX(f->time, d.time_min);
	return d;
}

static void data(struct file *f, u32 ring, u32 nr)
{
	struct writer_data d = make_data(f, ring, nr);

	d.order = f->time;
	assert_int_equal(writer_data(&f->w, &d, NULL), 0);
	f->samples += nr;
}

static void loss(struct file *f, u32 cause, u64 count)
{
	struct loss l = {.cause = cause, .cpu = 1, .event = 1, .count = count};
	struct buf b = {0};

	loss_put(&b, &l);
	block(f, BLOCK_LOSS, &b);
	buf_free(&b);
}

static void counts(struct file *f, const struct counts *n)
{
	struct buf b = {0};

	loss_put_counts(&b, n);
	block(f, BLOCK_COUNTS, &b);
	buf_free(&b);
}

static void close_file(struct file *f)
{
	writer_publish(&f->w, NULL);
	writer_close(&f->w, NULL);
	event_set_free(&f->events);
	buf_free(&f->payload);
	buf_free(&f->records);
	unlink("data.old");
}

static void end(struct file *f)
{
	struct buf b = {0};

	made_fact(&b, "exit_code", "0");
	block(f, BLOCK_END, &b);
	buf_free(&b);
	close_file(f);
}

/* Everything that a recorder may have to tell, and all of it right. */
static void whole_file(struct file *f)
{
	struct counts n = {
		.event = 1, .flags = COUNTS_HITS, .lost = 5, .excluded = 2, .unwritten = 7};
	u32 i;

	begin(f);
	for (i = 0; i < 8; i++) {
		symbols(f, 0x100 * i, i % 2 ? "odd" : "even");
		data(f, 1 + i % 2, 10 + i);
	}
	writer_skip(&f->w, 7);
	data(f, 1, 3);
	loss(f, LOSS_RING, 5);
	loss(f, LOSS_DISK, 7);
	n.samples = f->samples;
	n.count = n.samples + 14;
	counts(f, &n);
	end(f);
}

struct verdict {
	u64 problems, samples, missing, repeated;
	u32 losses;
	bool ended;
	char text[200]; /* the first problem */
};

static struct verdict verify(const char *path)
{
	struct blocks_item it;
	struct err err = {0};
	struct verdict r = {0};
	struct verify v;
	int ret;

	assert_int_equal(verify_open(&v, path, &err), 0);
	while ((ret = verify_next(&v, &it, &err)) > 0)
		;
	assert_int_equal(ret, 0);
	assert_int_equal(verify_end(&v, &err), 0);
	r = (struct verdict){v.nr_problems,
			     v.samples,
			     v.recording.damage.samples,
			     v.recording.damage.repeated,
			     v.recording.losses.nr,
			     v.state.account.ended,
			     ""};
	if (v.problems.nr)
		snprintf(r.text, sizeof(r.text), "%s", v.problems.v[0].text);
	verify_free(&v);
	return r;
}

static void whole(void **state)
{
	struct verdict r;
	struct file f;

	(void)state;
	whole_file(&f);
	r = verify("data");
	assert_string_equal(r.text, "");
	assert_int_equal(r.problems, 0);
	assert_int_equal(r.samples, f.samples);
	assert_int_equal(r.missing, 7);
	assert_int_equal(r.losses, 2);
	assert_true(r.ended);
}

static void load(struct buf *b, const char *path)
{
	buf_clear(b);
	assert_int_equal(io_read_file(AT_FDCWD, path, b, 1 << 24), 0);
}

static struct verdict verify_bytes(const void *p, size_t len)
{
	char path[32];
	int fd = made_file(p, len, path);
	struct verdict r = verify(path);

	close(fd);
	return r;
}

/* One changed byte anywhere is found. */
static void any_byte(void **state)
{
	struct buf b = {0};
	struct file f;
	size_t at;

	(void)state;
	whole_file(&f);
	load(&b, "data");
	for (at = 8; at < b.len; at++) {
		b.data[at] ^= 0x10;
		assert_true(verify_bytes(b.data, b.len).problems);
		b.data[at] ^= 0x10;
	}
	for (at = 8; at < b.len - 7; at += 7)
		assert_true(verify_bytes(b.data, at).problems);
	buf_addc(&b, '\0');
	assert_true(verify_bytes(b.data, b.len).problems);
	buf_free(&b);
}

static void expect(struct file *f, const char *text, u64 problems)
{
	struct verdict r;

	end(f);
	r = verify("data");
	if (!strstr(r.text, text))
		print_message("# %s\n", r.text);
	assert_non_null(strstr(r.text, text));
	assert_int_equal(r.problems, problems);
}

/* Whole blocks that contradict each other or themselves. */
static void lies(void **state)
{
	struct counts n = {.event = 1, .flags = COUNTS_HITS};
	struct writer_data d;
	struct file f;

	(void)state;
	begin(&f);
	d = make_data(&f, 1, 5);
	d.records++;
	writer_data(&f.w, &d, NULL);
	expect(&f, "does not decode", 1);

	begin(&f);
	d = make_data(&f, 1, 5);
	d.raw_size += 8;
	writer_data(&f.w, &d, NULL);
	expect(&f, "does not decode", 1);

	begin(&f);
	d = make_data(&f, 1, 5);
	d.samples--;
	writer_data(&f.w, &d, NULL);
	expect(&f, "4 samples came before it, not 5", 1);

	begin(&f);
	data(&f, 1, 5);
	f.w.seq += 2;
	data(&f, 1, 5);
	expect(&f, "2 blocks are missing", 1);

	begin(&f);
	f.w.session++;
	symbols(&f, 0x100, "elsewhere");
	f.w.session--;
	f.w.seq--;
	data(&f, 1, 5);
	expect(&f, "block 3 is of another recording", 1);

	begin(&f);
	data(&f, 1, 5);
	f.at[1] += 24;
	data(&f, 1, 5);
	expect(&f, "24 bytes of ring 1 are missing", 1);

	begin(&f);
	data(&f, 1, 5);
	f.at[1] -= 24;
	data(&f, 1, 5);
	expect(&f, "24 bytes of ring 1 are in block", 1);

	begin(&f);
	d = make_data(&f, 1, 5);
	d.time_max--;
	writer_data(&f.w, &d, NULL);
	expect(&f, "1 record of block 3 lies outside", 1);

	begin(&f);
	d = make_data(&f, 1, 5);
	d.order = f.time + 2000000000;
	writer_data(&f.w, &d, NULL);
	f.time -= 20;
	data(&f, 1, 5);
	expect(&f, "6 records of block 4 are older", 1);

	begin(&f);
	data(&f, 1, 5);
	writer_skip(&f.w, 4);
	expect(&f, "4 samples are missing", 1);

	begin(&f);
	data(&f, 1, 5);
	n.samples = n.count = 6;
	counts(&f, &n);
	expect(&f, "5 samples of event 1 are here, 6 were written", 1);

	begin(&f);
	data(&f, 1, 5);
	n.samples = 5;
	n.lost = 2;
	n.count = 8;
	counts(&f, &n);
	expect(&f, "are 7, the kernel counted 8", 1);

	begin(&f);
	data(&f, 1, 5);
	n.flags = 0; /* not a number of samples: it need not fit */
	counts(&f, &n);
	end(&f);
	assert_int_equal(verify("data").problems, 0);

	begin(&f);
	data(&f, 1, 5);
	n.event = 9;
	counts(&f, &n);
	expect(&f, "is of none that is here", 1);

	begin(&f);
	data(&f, 1, 5);
	close_file(&f);
	assert_non_null(strstr(verify("data").text, "did not finish"));
	assert_int_equal(verify("data").problems, 1);
}

/* The last block may lack its padding (docs/FORMAT.md). */
static void no_padding(void **state)
{
	struct buf b = {0};
	struct block k;
	struct file f;
	size_t at;

	(void)state;
	whole_file(&f);
	load(&b, "data");
	for (at = b.len - BLOCK_HEADER_SIZE; !block_get_header((const u8 *)b.data + at, &k); at--)
		;
	at += BLOCK_HEADER_SIZE + k.stored_size;
	assert_true(at < b.len);
	assert_int_equal(verify_bytes(b.data, at).problems, 0);
	buf_free(&b);
}

/* What follows the end is not read, whatever it is. */
static void behind_the_end(void **state)
{
	struct block k = {
		.type = 99, .flags = BLOCK_CRITICAL, .seq = 99, .payload_hash = hash_bytes("", 0)};
	struct file_header h;
	struct buf b = {0};
	struct verdict r;
	struct file f;

	(void)state;
	begin(&f);
	data(&f, 1, 5);
	end(&f);
	load(&b, "data");
	assert_int_equal(block_get_file_header((const u8 *)b.data, &h), 0);
	k.session = block_session(&h);
	block_put_header(&b, &k);
	r = verify_bytes(b.data, b.len);
	assert_string_equal(r.text, "block 99 follows the end of the recording");
	assert_int_equal(r.problems, 1);
	buf_free(&b);
}

/* All records and what is known beside them, as text, to compare. */
static void dump(const char *path, struct buf *out)
{
	struct err err = {0};
	struct source *s = source_open(path, &err), *file = s;
	const struct recording *r;
	struct rec rec;
	u32 i;

	buf_clear(out);
	assert_non_null(s);
	assert_int_equal(reorder_wrap(&s, &err), 0);
	while (source_next(s, &rec, &err) > 0) {
		buf_addf(out, "%u %u ", rec.cpu, rec.event);
		buf_add(out, rec.data, rec.size);
	}
	r = s->recording;
	for (i = 0; i < r->events.events.nr; i++)
		buf_addf(out, "event %s\n", r->events.events.v[i].name);
	for (i = 0; i < r->facts.nr; i++)
		buf_addf(out, "fact %s %s\n", r->facts.v[i].key, r->facts.v[i].value);
	for (i = 0; i < r->syms.nr; i++)
		buf_addf(out, "symbol %s %s %llx\n", r->dsos.v[r->syms.v[i].dso].name,
			 r->syms.v[i].name, (unsigned long long)r->syms.v[i].start);
	for (i = 0; i < r->losses.nr; i++)
		loss_put(out, &r->losses.v[i]);
	for (i = 0; i < r->counts.nr; i++)
		loss_put_counts(out, &r->counts.v[i]);
	buf_addf(out, "missing %llu order %llu\n", (unsigned long long)r->damage.samples,
		 (unsigned long long)file->order);
	source_close(s);
}

static int pack(const char *from, const char *to, bool force, struct pack_result *result)
{
	struct pack_options o = {.level = 9, .force = force};
	struct err err = {0};
	struct stream in;
	struct writer w;
	int ret;

	assert_int_equal(stream_open(&in, from, &err), 0);
	ret = writer_open(&w, to, 9, &err);
	if (!ret)
		ret = pack_stream(&in, &w, &o, result, &err);
	if (!ret)
		ret = writer_publish(&w, &err);
	writer_close(&w, &err);
	stream_close(&in);
	return ret;
}

/* What cannot be opened is freed once. */
static void newer_format(void **state)
{
	struct file_header h = {.major = FILE_MAJOR + 1};
	struct pack_result result;
	struct err err = {0};
	struct buf b = {0};
	struct verify v;
	char path[32];
	int fd;

	(void)state;
	block_put_file_header(&b, &h);
	fd = made_file(b.data, b.len, path);
	assert_int_equal(verify_open(&v, path, &err), -ENOTSUP);
	assert_non_null(strstr(err.msg, "version 4.0"));
	verify_free(&v);
	assert_int_equal(pack(path, "packed", false, &result), -ENOTSUP);
	assert_int_equal(verify_open(&v, "no-such-file", &err), -ENOENT);
	verify_free(&v);
	close(fd);
	buf_free(&b);
}

static void packed(void **state)
{
	struct buf before = {0}, after = {0}, bytes = {0};
	struct pack_result result, again;
	struct verdict r;
	struct file f;

	(void)state;
	whole_file(&f);
	dump("data", &before);
	assert_int_equal(pack("data", "packed", false, &result), 0);
	assert_false(result.damaged);
	assert_int_equal(result.samples, f.samples);
	assert_true(result.bytes_after < result.bytes_before);
	dump("packed", &after);
	assert_int_equal(before.len, after.len);
	assert_memory_equal(before.data, after.data, before.len);
	r = verify("packed");
	assert_string_equal(r.text, "");
	assert_int_equal(r.problems, 0);
	assert_int_equal(r.missing, 7);
	assert_int_equal(pack("packed", "again", false, &again), 0);
	assert_true(again.bytes_after <= result.bytes_after);

	/* one that lacks samples is refused */
	begin(&f);
	data(&f, 1, 5);
	writer_skip(&f.w, 4);
	end(&f);
	assert_int_equal(pack("data", "packed", false, &result), -EBADMSG);
	assert_int_equal(pack("data", "packed", true, &result), 0);
	assert_true(result.damaged);

	/* a damaged one is refused, or packed without what is damaged */
	whole_file(&f);
	load(&bytes, "data");
	bytes.data[bytes.len / 2] ^= 1;
	unlink("bad");
	close(io_open(AT_FDCWD, "bad", O_WRONLY | O_CREAT));
	assert_int_equal(io_write(io_open(AT_FDCWD, "bad", O_WRONLY), bytes.data, bytes.len), 0);
	assert_int_equal(pack("bad", "packed", false, &result), -EBADMSG);
	assert_int_equal(pack("bad", "packed", true, &result), 0);
	assert_true(result.damaged);
	r = verify("packed");
	assert_true(r.missing > 7);
	assert_int_equal(r.samples + r.missing, f.samples + 7);
	buf_free(&before);
	buf_free(&after);
	buf_free(&bytes);
}

static int verify_all(struct err *err)
{
	struct blocks_item it;
	struct verify v;
	int ret = verify_open(&v, "data", err);

	while (!ret && (ret = verify_next(&v, &it, err)) > 0)
		ret = 0;
	if (!ret)
		ret = verify_end(&v, err);
	verify_free(&v);
	return ret;
}

static void out_of_memory(void **state)
{
	struct pack_result result;
	struct file f;
	unsigned int n;
	int ret;

	(void)state;
	whole_file(&f);
	for (n = 0;; n++) {
		struct err err = {0};

		oom_after(n);
		ret = verify_all(&err);
		if (!oom_stop())
			break;
		assert_int_equal(ret, -ENOMEM);
		assert_int_equal(err.code, ENOMEM);
	}
	assert_int_equal(ret, 0);
	assert_true(n > 10);
	for (n = 0;; n++) {
		struct err err = {0};
		struct pack_options o = {.level = 1};
		struct stream in;
		struct writer w;
		bool refused;

		assert_int_equal(stream_open(&in, "data", &err), 0);
		assert_int_equal(writer_open(&w, "packed", 1, &err), 0);
		oom_after(n);
		ret = pack_stream(&in, &w, &o, &result, &err);
		refused = oom_stop();
		writer_close(&w, NULL);
		stream_close(&in);
		if (!refused)
			break;
		assert_true(ret < 0);
		assert_true(err.code);
	}
	assert_int_equal(ret, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole),          cmocka_unit_test(any_byte),
		cmocka_unit_test(lies),           cmocka_unit_test(newer_format),
		cmocka_unit_test(packed),         cmocka_unit_test(out_of_memory),
		cmocka_unit_test(behind_the_end), cmocka_unit_test(no_padding),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("verify", tests, enter, leave);
}
