// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/made.h"
#include "tests/unit/oom.h"
#include "util/file/block.h"
#include "util/file/data_block.h"
#include "util/file/reorder.h"
#include "util/file/reorder_internal.h"

#define TYPE                                                                           \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN | \
	 PERF_SAMPLE_PERIOD)
/* Of a record, behind the header: ip, pid and tid, time. */
#define TIME_AT 24

static u64 seed = 88172645463325252ull;

/* Numbers that are the same in every run. */
static u64 below(u64 n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % n;
}

/* What the outermost caller is one of. */
static u32 callers = 1;

static void put_sample(struct buf *b, u32 tid, u64 time, u64 period, u32 chain)
{
	/* rows of two classes, in turn */
	u16 misc = chain % 2 ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
	size_t at = made_begin(b, PERF_RECORD_SAMPLE, misc);
	u32 i;

	buf_u64(b, 0x1000 + chain);
	buf_u32(b, 10);
	buf_u32(b, tid);
	buf_u64(b, time);
	buf_u64(b, period);
	buf_u64(b, 3 + chain);
	buf_u64(b, (u64)PERF_CONTEXT_USER);
	for (i = 0; i < 1 + chain; i++)
		buf_u64(b, 0x1000 + chain + i * 16);
	buf_u64(b, 0x9000 + below(callers));
	made_end(b, at);
}

/* The payload of samples of so many kinds, of two rings, in `rounds` runs; its header. */
static struct block make_block(struct buf *payload, u32 rounds, u32 each, u32 tids, u32 chains)
{
	struct perf_event_attr attr = made_attr(TYPE);
	struct columns_encoder *e;
	struct event_set events = {0};
	struct block head = {.type = BLOCK_DATA};
	u64 id = 5, times[2] = {1000, 1500};
	struct buf b = {0};
	struct err err;
	struct rec rec;
	u32 i, j, ring;

	assert_true(event_set_add(&events, &attr, sizeof(attr), "e", &id, 1, NULL) >= 0);
	e = columns_encoder_new(&events, &err);
	assert_non_null(e);
	columns_begin(e);
	for (i = 0; i < rounds; i++) {
		ring = i % 2;
		columns_run(e, &(struct columns_ring){ring, ring, false, i * 100, i * 100 + 100});
		for (j = 0; j < each; j++) {
			buf_clear(&b);
			times[ring] += below(50);
			put_sample(&b, 20 + (u32)below(tids), times[ring], 7, (u32)below(chains));
			assert_true(rec_view(&rec, b.data, b.len));
			rec.event = 0;
			columns_add(e, &rec, NULL);
			head.records++;
			head.raw_size += rec.size;
		}
	}
	assert_int_equal(columns_end(e, 1, payload, &err), 0);
	head.stored_size = (u32)payload->len;
	columns_encoder_free(e);
	event_set_free(&events);
	buf_free(&b);
	return head;
}

/* Each sample is what its kind says, at its time. */
static void same_samples(const struct data_block *all, const struct data_block *folded)
{
	const struct sample_groups *a = &folded->groups;
	u8 bytes[4096];
	u32 i, runs = 0;

	assert_int_equal(all->records.nr, a->times.nr);
	for (i = 0; i < a->times.nr; i++) {
		const struct rec *want = &all->records.v[i], *kind;

		assert_in_range(a->kind_of.v[i], 0, a->kinds.nr - 1);
		kind = &a->kinds.v[a->kind_of.v[i]];
		assert_int_equal(kind->size, want->size);
		assert_int_equal(kind->cpu, want->cpu);
		assert_int_equal(kind->event, want->event);
		memcpy(bytes, kind->data, kind->size);
		memcpy(bytes + TIME_AT, &a->times.v[i], 8);
		assert_memory_equal(bytes, want->data, want->size);
		if (!i || a->times.v[i] < a->times.v[i - 1])
			assert_int_equal(a->runs.v[runs++], i);
	}
	assert_int_equal(runs, a->runs.nr);
}

static void folded_as_decoded(void **state)
{
	const struct columns_want want = {.grouped = true};
	struct columns_decoder *d = columns_decoder_new(NULL);
	struct data_block all = {0}, folded = {0};
	struct buf payload = {0};
	struct block head;

	(void)state;
	assert_non_null(d);
	head = make_block(&payload, 9, 500, 3, 4);
	data_block_decode(&all, d, &head, payload.data, NULL);
	assert_int_equal(all.ret, 0);
	assert_int_equal(all.groups.times.nr, 0);
	data_block_decode(&folded, d, &head, payload.data, &want);
	assert_int_equal(folded.ret, 0);
	assert_int_equal(folded.records.nr, 0);
	assert_int_equal(folded.samples, 9 * 500);
	/* threads, chains, CPUs */
	assert_int_equal(folded.groups.kinds.nr, 3 * 4 * 2);
	same_samples(&all, &folded);
	/* the same memory again, for what is not folded */
	data_block_decode(&folded, d, &head, payload.data, NULL);
	assert_int_equal(folded.records.nr, 9 * 500);
	assert_int_equal(folded.groups.times.nr, 0);
	data_block_free(&all);
	data_block_free(&folded);
	buf_free(&payload);
	columns_decoder_free(d);
}

/* Where nearly all differ, the rest comes as records. */
static void not_in_vain(void **state)
{
	const struct columns_want want = {.grouped = true};
	struct columns_decoder *d = columns_decoder_new(NULL);
	struct data_block all = {0}, b = {0};
	struct buf payload = {0};
	struct block head;
	u32 i;

	(void)state;
	assert_non_null(d);
	head = make_block(&payload, 6, 1400, 1u << 30, 20);
	data_block_decode(&all, d, &head, payload.data, NULL);
	data_block_decode(&b, d, &head, payload.data, &want);
	assert_int_equal(b.ret, 0);
	assert_in_range(b.groups.times.nr, 1, 4000);
	assert_int_equal(b.groups.times.nr + b.records.nr, 6 * 1400);
	for (i = 0; i < b.records.nr; i++)
		assert_memory_equal(b.records.v[i].data, all.records.v[b.groups.times.nr + i].data,
				    b.records.v[i].size);
	all.records.nr = b.groups.times.nr;
	same_samples(&all, &b);
	data_block_free(&all);
	data_block_free(&b);
	buf_free(&payload);
	columns_decoder_free(d);
}

/* Most of the first are new, and all are seen again. */
static void worth_it_later(void **state)
{
	const struct columns_want want = {.grouped = true};
	struct columns_decoder *d = columns_decoder_new(NULL);
	struct data_block all = {0}, b = {0};
	struct buf payload = {0};
	struct block head;

	(void)state;
	assert_non_null(d);
	head = make_block(&payload, 6, 1500, 1000, 1);
	data_block_decode(&all, d, &head, payload.data, NULL);
	data_block_decode(&b, d, &head, payload.data, &want);
	assert_int_equal(b.ret, 0);
	assert_int_equal(b.records.nr, 0);
	assert_in_range(b.groups.kinds.nr, 1000, 2000);
	same_samples(&all, &b);
	data_block_free(&all);
	data_block_free(&b);
	buf_free(&payload);
	columns_decoder_free(d);
}

/* As it comes without the words of its call chain. */
static u32 without_chain(u8 *to, const struct rec *rec)
{
	const u64 none = 0;
	u16 size = TIME_AT + 8 + 8 + 8;

	memcpy(to, rec->data, size);
	memcpy(to + size - 8, &none, 8);
	memcpy(to + offsetof(struct perf_event_header, size), &size, sizeof(size));
	return size;
}

/*
 * Sampled addresses stand there as differences to call chains: they are the same without them, and samples that
 * differ in no more than those are alike.
 */
static void without_chains(void **state)
{
	const struct columns_want bare = {.no_chains = true};
	const struct columns_want folds = {.no_chains = true, .grouped = true};
	struct columns_decoder *d = columns_decoder_new(NULL);
	struct data_block all = {0}, b = {0}, folded = {0};
	struct buf payload = {0};
	struct block head;
	u8 bytes[4096];
	u32 i, size;

	(void)state;
	assert_non_null(d);
	callers = 500;
	head = make_block(&payload, 9, 500, 3, 4);
	callers = 1;
	data_block_decode(&all, d, &head, payload.data, NULL);
	data_block_decode(&b, d, &head, payload.data, &bare);
	data_block_decode(&folded, d, &head, payload.data, &folds);
	assert_int_equal(all.ret | b.ret | folded.ret, 0);
	assert_int_equal(b.records.nr, 9 * 500);
	for (i = 0; i < b.records.nr; i++) {
		size = without_chain(bytes, &all.records.v[i]);
		assert_int_equal(b.records.v[i].size, size);
		assert_memory_equal(b.records.v[i].data, bytes, size);
	}
	assert_int_equal(folded.groups.kinds.nr, 3 * 4 * 2);
	same_samples(&b, &folded);
	data_block_free(&all);
	data_block_free(&b);
	data_block_free(&folded);
	buf_free(&payload);
	columns_decoder_free(d);
}

/* Memory that a large block was decoded with goes back; the next one is read all the same. */
static void many_kinds(void **state)
{
	const struct columns_want want = {.grouped = true};
	struct columns_decoder *d = columns_decoder_new(NULL);
	struct data_block all = {0}, b = {0};
	struct buf payload = {0};
	struct block head;
	u32 i;

	(void)state;
	assert_non_null(d);
	head = make_block(&payload, 4, 4000, 4000, 1);
	for (i = 0; i < 2; i++) {
		data_block_decode(&b, d, &head, payload.data, &want);
		assert_int_equal(b.ret, 0);
		assert_true(b.groups.bytes.len > 256u << 10);
	}
	data_block_decode(&all, d, &head, payload.data, NULL);
	same_samples(&all, &b);
	data_block_free(&all);
	data_block_free(&b);
	buf_free(&payload);
	columns_decoder_free(d);
}

/* What is cut off or changed is told, and nothing is read beyond it. */
static void damaged(void **state)
{
	const struct columns_want want = {.grouped = true};
	struct columns_decoder *d = columns_decoder_new(NULL);
	struct data_block b = {0};
	struct buf payload = {0};
	struct block head;
	u32 i;

	(void)state;
	assert_non_null(d);
	head = make_block(&payload, 3, 60, 3, 3);
	for (i = 0; i < payload.len; i++) {
		payload.data[i] ^= 0x10;
		data_block_decode(&b, d, &head, payload.data, &want);
		assert_true(b.groups.times.nr + b.records.nr <= 3 * 60 || b.ret == -EBADMSG);
		assert_int_equal(b.groups.times.nr, b.groups.kind_of.nr);
		payload.data[i] ^= 0x10;
	}
	head.records -= 1;
	data_block_decode(&b, d, &head, payload.data, &want);
	assert_int_equal(b.ret, -EBADMSG);
	data_block_free(&b);
	buf_free(&payload);
	columns_decoder_free(d);
}

static void out_of_memory(void **state)
{
	const struct columns_want want = {.grouped = true};
	struct data_block b = {0};
	struct columns_decoder *d;
	struct buf payload = {0};
	struct block head;
	bool refused;
	u32 n;

	(void)state;
	head = make_block(&payload, 4, 50, 3, 3);
	for (n = 0, refused = true; refused; n++) {
		d = columns_decoder_new(NULL);
		assert_non_null(d);
		oom_after(n);
		data_block_decode(&b, d, &head, payload.data, &want);
		refused = oom_stop();
		assert_int_equal(b.ret, refused ? -ENOMEM : 0);
		data_block_free(&b);
		b = (struct data_block){0};
		columns_decoder_free(d);
	}
	buf_free(&payload);
}

/* ---- in order ---- */

/* Samples "1a 3b ...": one-digit times, kinds. */
static void make_groups(struct sample_groups *a, const char *text)
{
	u32 kind;

	assert_true(vec_reserve(&a->times, strlen(text)) && vec_reserve(&a->kind_of, strlen(text)));
	for (; *text; text += text[2] ? 3 : 2) {
		kind = (u32)(text[1] - 'a');
		while (a->kinds.nr <= kind)
			assert_non_null(vec_push(&a->kinds));
		assert_true(sample_groups_add_time(a, (u64)(text[0] - '0')));
		a->kind_of.v[a->kind_of.nr++] = kind;
	}
}

static void not_back(struct record_buffer *l)
{
	l->back = NULL;
}

/* "FIRST-LAST KIND*SAMPLES, ..." */
static const char *gathered(struct reorder_groups *q, u64 before, struct buf *out)
{
	const struct sample_group *g;

	buf_clear(out);
	assert_true(reorder_groups_gather(q, before));
	while ((g = reorder_groups_next(q)))
		buf_addf(out, "%llu-%llu %u%c*%u, ", (unsigned long long)g->first,
			 (unsigned long long)g->last, g->block, 'a' + (int)g->kind, g->samples);
	return buf_str(out);
}

static void in_order(void **state)
{
	struct sample_groups one = {0}, two = {0};
	struct record_buffer record_buffer[2] = {{1, not_back}, {1, not_back}};
	struct reorder_groups q;
	struct buf out = {0};

	(void)state;
	make_groups(&one, "1a 3b 5a 9a 2a 4b 6c");
	make_groups(&two, "0b 2b 7a");
	reorder_groups_init(&q);
	assert_int_equal(q.earliest, UINT64_MAX);
	assert_true(reorder_groups_add(&q, &one, &record_buffer[0]));
	assert_true(reorder_groups_add(&q, &two, &record_buffer[1]));
	assert_int_equal(q.earliest, 0);
	/* what is at the bound comes after it */
	assert_string_equal(gathered(&q, 3, &out), "0-2 1b*2, 1-2 0a*2, ");
	assert_int_equal(q.earliest, 3);
	assert_string_equal(gathered(&q, 7, &out), "3-4 0b*2, 5-5 0a*1, 6-6 0c*1, ");
	assert_string_equal(gathered(&q, 8, &out), "7-7 1a*1, ");
	assert_non_null(record_buffer[1].back);
	assert_string_equal(gathered(&q, 9, &out), "");
	/* the block whose samples have all been given is let go */
	assert_int_equal(record_buffer[1].refs, 1);
	assert_int_equal(record_buffer[0].refs, 2);
	assert_string_equal(gathered(&q, UINT64_MAX, &out), "9-9 0a*1, ");
	assert_int_equal(q.earliest, UINT64_MAX);
	reorder_groups_free(&q);
	assert_int_equal(record_buffer[0].refs, 1);
	sample_groups_free(&one);
	sample_groups_free(&two);
	buf_free(&out);
}

/* The first and the last of a kind may stand in any run. */
static void runs_overlap(void **state)
{
	struct sample_groups one = {0};
	struct record_buffer record_buffer = {1, not_back};
	struct reorder_groups q;
	struct buf out = {0};

	(void)state;
	make_groups(&one, "5a 9b 2b 3a 3c 4b");
	reorder_groups_init(&q);
	assert_true(reorder_groups_add(&q, &one, &record_buffer));
	assert_string_equal(gathered(&q, UINT64_MAX, &out), "2-9 0b*3, 3-5 0a*2, 3-3 0c*1, ");
	reorder_groups_free(&q);
	assert_int_equal(record_buffer.refs, 1);
	sample_groups_free(&one);
	buf_free(&out);
}

/* A source that gives samples together, a record among them in time, and the end. */
struct made_source {
	struct source source;
	struct record_buffer record_buffer;
	struct sample_groups groups;
	struct buf b;
	u32 at;
};

static int made_next(struct source *s, struct rec *rec, struct err *err)
{
	struct made_source *m = (struct made_source *)s;

	(void)err;
	switch (m->at++) {
	case 0:
		s->record_buffer = &m->record_buffer;
		s->groups = &m->groups;
		return SOURCE_GROUPS;
	case 1:
		s->record_buffer = NULL;
		put_sample(&m->b, 1, 4, 1, 0);
		assert_true(rec_view(rec, m->b.data, m->b.len));
		return SOURCE_RECORD;
	case 2:
		s->order = 6;
		return SOURCE_WAIT;
	default:
		return SOURCE_END;
	}
}

static void between_records(void **state)
{
	static const struct source_ops ops = {.next = made_next};
	struct perf_event_attr attr = made_attr(TYPE);
	struct recording recording = {0};
	struct made_source m = {.source = {.ops = &ops, .recording = &recording},
				.record_buffer = {1, not_back}};
	struct sample_layout layout = made_layout(TYPE);
	struct buf out = {0};
	struct source *s = &m.source;
	struct err err;
	struct rec rec;
	u32 i;
	u64 id = 5;

	(void)state;
	assert_true(event_set_add(&recording.events, &attr, sizeof(attr), "e", &id, 1, NULL) >= 0);
	make_groups(&m.groups, "1a 2b 3a 4a 5b 5b 7a");
	for (i = 0; i < 2; i++) {
		size_t at = m.groups.bytes.len;

		put_sample(&m.groups.bytes, 20 + i, 99, 1, 1);
		assert_true(rec_view(&m.groups.kinds.v[i], m.groups.bytes.data + at,
				     m.groups.bytes.len - at));
	}
	for (i = 0; i < 2; i++)
		m.groups.kinds.v[i].data = (u8 *)m.groups.bytes.data + i * m.groups.kinds.v[i].size;
	assert_int_equal(reorder_wrap(&s, &err), 0);
	while (source_next(s, &rec, &err) > 0) {
		u32 tid;

		assert_int_equal(rec.event, 0);
		memcpy(&tid, rec.data + 20, 4);
		buf_addf(&out, "%llu-%llu %u*%u ",
			 (unsigned long long)sample_layout_time(&layout, &rec),
			 (unsigned long long)s->last, tid, rec.more + 1);
	}
	assert_string_equal(buf_str(&out), "1-3 20*2 2-2 21*1 4-0 1*1 4-4 20*1 5-5 21*2 7-7 20*1 ");
	made_unwrap(&s);
	assert_int_equal(m.record_buffer.refs, 1);
	recording_free(&recording);
	sample_groups_free(&m.groups);
	buf_free(&m.b);
	buf_free(&out);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(folded_as_decoded), cmocka_unit_test(not_in_vain),
		cmocka_unit_test(worth_it_later),    cmocka_unit_test(without_chains),
		cmocka_unit_test(many_kinds),        cmocka_unit_test(damaged),
		cmocka_unit_test(out_of_memory),     cmocka_unit_test(in_order),
		cmocka_unit_test(runs_overlap),      cmocka_unit_test(between_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
