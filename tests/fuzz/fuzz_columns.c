// SPDX-License-Identifier: GPL-2.0
/*
 * The payload of a DATA block. The first byte of the input says what the rest is: a payload, whose
 * records, whatever they are, must survive being written again; or records, cut by sizes that are
 * found in the input, of events with any layout.
 */
#include <errno.h>
#include <stdlib.h>

#include "util/base/vec.h"
#include "util/file/block.h"
#include "util/file/columns.h"
#include "util/file/data_block.h"

/* Bytes of records to look at: a few bytes can stand for very many. */
#define BYTES_MAX (1u << 20)
#define HEADER    sizeof(struct perf_event_header)

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

struct kept {
	size_t at;
	struct rec rec; /* but for its data */
};

struct records {
	struct buf bytes;
	VEC(struct kept) list;
};

static void check(bool ok)
{
	if (!ok)
		abort();
}

static void keep(struct records *r, const struct rec *rec)
{
	struct kept *k = vec_push(&r->list);

	check(k);
	*k = (struct kept){r->bytes.len, *rec};
	buf_add(&r->bytes, rec->data, rec->size);
	buf_pad(&r->bytes, '\0', (8 - rec->size % 8) % 8);
	check(!r->bytes.failed);
}

static struct rec get(const struct records *r, u32 i)
{
	const struct kept *k = &r->list.v[i];
	struct rec rec = k->rec;

	rec.data = (const u8 *)r->bytes.data + k->at;
	return rec;
}

static void free_records(struct records *r)
{
	buf_free(&r->bytes);
	vec_free(&r->list);
}

static void decode(struct columns_decoder *d, const void *p, size_t len,
		   const struct columns_want *want, struct records *to)
{
	const struct columns_ring *rings;
	struct buf copy = {0};
	struct rec rec;
	u32 nr;
	int ret;

	ret = columns_open(d, p, len, want);
	rings = columns_rings(d, &nr);
	buf_add(&copy, rings, nr * sizeof(*rings));
	buf_free(&copy);
	while (!ret && to->bytes.len < BYTES_MAX) {
		ret = columns_next(d, &rec);
		if (ret != 1)
			break;
		check(rec.size >= 8 && rec.size <= UINT16_MAX && (uintptr_t)rec.data % 8 == 0);
		keep(to, &rec);
		ret = 0;
	}
	check(ret == 0 || ret == -EBADMSG || ret == -ENOTSUP || ret == -ENOMEM);
}

static struct data_block decode_groups(const void *p, size_t len)
{
	const struct columns_want want = {.grouped = true};
	const struct block head = {
		.records = UINT32_MAX, .raw_size = UINT32_MAX, .stored_size = (u32)len};
	struct columns_decoder *d = columns_decoder_new(NULL);
	struct data_block b = {0};
	u32 i;

	check(d);
	data_block_decode(&b, d, &head, p, &want);
	check(b.groups.times.nr == b.groups.kind_of.nr);
	for (i = 0; i < b.groups.times.nr; i++)
		check(b.groups.kind_of.v[i] < b.groups.kinds.nr);
	columns_decoder_free(d);
	return b;
}

/* Is it the next of the samples that stand together, but for its time? */
static bool is_next_group(const struct event_set *events, const struct data_block *b, u32 at,
			  const struct rec *rec)
{
	const struct rec *kind;
	size_t time_at;
	u64 time;

	if (at == b->groups.times.nr || rec->type != PERF_RECORD_SAMPLE || rec->event == ID_NONE)
		return false;
	kind = &b->groups.kinds.v[b->groups.kind_of.v[at]];
	time = sample_layout_time(&events->events.v[rec->event].layout, rec);
	if (kind->event != rec->event || kind->cpu != rec->cpu || kind->misc != rec->misc ||
	    kind->size != rec->size || b->groups.times.v[at] != (time == UINT64_MAX ? 0 : time))
		return false;
	time_at = HEADER + (size_t)events->events.v[rec->event].layout.time_at;
	return !memcmp(rec->data + HEADER, kind->data + HEADER, time_at - HEADER) &&
	       !memcmp(rec->data + time_at + 8, kind->data + time_at + 8, rec->size - time_at - 8);
}

/* Samples that come together are those that come one by one. */
static void check_groups(const struct event_set *events, const struct records *r, const void *p,
			 size_t len)
{
	struct data_block b = decode_groups(p, len);
	u32 i, at = 0, plain = 0;

	check(!b.ret);
	for (i = 0; i < r->list.nr; i++) {
		struct rec rec = get(r, i), got;

		if (is_next_group(events, &b, at, &rec)) {
			at++;
			continue;
		}
		check(plain < b.records.nr);
		got = b.records.v[plain++];
		check(got.size == rec.size);
		check(!memcmp(rec.data + HEADER, got.data + HEADER, rec.size - HEADER));
	}
	check(at == b.groups.times.nr && plain == b.records.nr);
	data_block_free(&b);
}

/* All of them in one section, a run for each CPU that they come from. */
static void there_and_back(const struct event_set *events, const struct records *r, int level,
			   bool foreign)
{
	struct columns_encoder *e = columns_encoder_new(events, NULL);
	struct columns_decoder *d = columns_decoder_new(NULL);
	struct columns_ring ring = {.number = ID_NONE, .cpu = ID_NONE};
	struct records got = {0};
	struct buf payload = {0};
	u32 i;

	check(e && d);
	columns_set_foreign(e, foreign);
	columns_begin(e);
	columns_run(e, &ring);
	for (i = 0; i < r->list.nr; i++) {
		struct rec rec = get(r, i);

		if (ring.number != rec.cpu) {
			ring.number = ring.cpu = rec.cpu;
			columns_run(e, &ring);
		}
		columns_add(e, &rec, NULL);
	}
	check(columns_end(e, level, &payload, NULL) == 0);
	decode(d, payload.data, payload.len, NULL, &got);
	check(columns_foreign(d) == foreign);
	check(got.list.nr <= r->list.nr &&
	      (got.list.nr == r->list.nr || got.bytes.len >= BYTES_MAX));
	for (i = 0; i < got.list.nr; i++) {
		struct rec a = get(r, i), b = get(&got, i);

		check(a.size == b.size && a.event == b.event && a.cpu == b.cpu);
		check(a.type == b.type && a.misc == b.misc);
		check(!memcmp(a.data + HEADER, b.data + HEADER, a.size - HEADER));
	}
	if (!foreign && events->events.nr && got.list.nr == r->list.nr)
		check_groups(events, r, payload.data, payload.len);
	buf_free(&payload);
	free_records(&got);
	columns_encoder_free(e);
	columns_decoder_free(d);
}

static void fuzz_payload(const u8 *data, size_t size)
{
	static const struct columns_want wants[] = {{0},
						    {.no_chains = true, .no_raw = true},
						    {.no_samples = true},
						    {.runs_only = true}};
	struct columns_decoder *d = columns_decoder_new(NULL);
	struct event_set events = {0};
	struct data_block b;
	size_t i;

	check(d);
	for (i = 0; i < ARRAY_SIZE(wants); i++) {
		struct records r = {0};

		decode(d, data, size, &wants[i], &r);
		if (!i)
			there_and_back(&events, &r, 0, columns_foreign(d));
		free_records(&r);
	}
	b = decode_groups(data, size);
	data_block_free(&b);
	columns_decoder_free(d);
}

static void fuzz_records(struct cur c)
{
	static const struct raw_field fields[] = {{0, 2}, {2, 1}, {3, 1}, {4, 4}, {8, 8}, {16, 16}};
	struct event_set events = {0};
	struct records r = {0};
	u32 i;

	for (i = 0; i < 3; i++) {
		struct perf_event_attr attr = {.sample_type = cur_u32(&c),
					       .read_format = cur_u8(&c),
					       .sample_id_all = i != 1};

		check(event_set_add(&events, &attr, sizeof(attr), "", NULL, 0, NULL) >= 0);
	}
	events.events.v[2].fields = (struct raw_field *)fields;
	events.events.v[2].nr_fields = ARRAY_SIZE(fields);
	while (!c.bad && cur_left(&c) && r.bytes.len < BYTES_MAX / 2) {
		u8 what = cur_u8(&c), n = cur_u8(&c), times = cur_u8(&c);
		u64 record[520] = {what & 8 ? PERF_RECORD_SAMPLE : (u32)what >> 4};
		u16 size = (u16)(8 + 2 * MIN((size_t)n, cur_left(&c)));
		struct rec rec;

		/* the same bytes again and again, with some of them changing */
		cur_copy(&c, &record[1], (size - 8u) / 2);
		memcpy((u8 *)&record[1] + (size - 8) / 2, &record[1], (size - 8u) / 2);
		memcpy((u8 *)record + 6, &size, sizeof(size));
		for (i = 0; i <= times % 32u; i++) {
			record[1 + i % 3] += i * what;
			check(rec_view(&rec, record, sizeof(record)));
			rec.event = what & 3 ? (u32)(what & 3) - 1 : ID_NONE;
			rec.cpu = what & 4 ? 1 : ID_NONE;
			keep(&r, &rec);
		}
	}
	there_and_back(&events, &r, 1, false);
	there_and_back(&events, &r, 1, true);
	free_records(&r);
	event_set_free(&events);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	if (!size)
		return 0;
	if (data[0] & 1)
		fuzz_records(cur_init(data + 1, size - 1));
	else
		fuzz_payload(data + 1, size - 1);
	return 0;
}
