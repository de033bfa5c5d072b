// SPDX-License-Identifier: GPL-2.0
/*
 * columns FILE [LEVEL [MIB]] - what the coding of DATA blocks costs: the records of a recording,
 * ours or perf's, in memory and then in blocks of MIB (4) through the encoder, with zstd LEVEL (1),
 * and back. Every record is compared with the one that went in.
 *
 * Prints the records, their bytes each, the bytes of payload each, and CPU time in ns per record
 * (the best of five rounds): adding, ending a block, decoding all, decoding without call chains
 * and raw data, and decoding the samples of CPU 0 alone.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "util/file/columns.h"
#include "util/file/source.h"
#include "util/record/raw_layout.h"

enum { ADD, END, DECODE, BARE, ONE, PHASES, ROUNDS = 5 };
/* Enough for a figure, and little enough for any machine. */
#define BYTES_MAX (128u << 20)

struct kept {
	size_t at;
	u32 event, cpu;
	bool sideband;
};

static VEC(struct kept) list;
static struct buf bytes, payload;
static u8 *batch;

static void die(const char *what)
{
	fprintf(stderr, "columns: %s\n", what);
	exit(1);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void tell_fields(struct recording *r)
{
	u32 i;

	for (i = 0; i < r->events.events.nr; i++) {
		const struct perf_event_attr *attr = &r->events.events.v[i].attr;
		const struct tp_text *text = recording_tracepoint(r, attr->config);
		struct raw_fields fields = {0};
		struct tp_format *f = NULL;

		if (attr->type == PERF_TYPE_TRACEPOINT && text)
			f = tp_format_parse(text->format, text->format_len, NULL);
		if (f && (raw_layout_fields(f, &fields) ||
			  event_set_fields(&r->events, i, fields.v, fields.nr)))
			die("out of memory");
		vec_free(&fields);
		tp_format_free(f);
	}
}

static void keep(const struct event_set *events, const struct rec *rec)
{
	struct kept *k = vec_push(&list);
	u32 event = event_set_find(events, rec);
	struct rec_ids ids = {.cpu = ID_NONE};
	struct sample s;

	if (!k)
		die("out of memory");
	*k = (struct kept){bytes.len, event, rec->cpu, rec->type != PERF_RECORD_SAMPLE};
	if (rec->cpu == ID_NONE && event != ID_NONE) {
		const struct sample_layout *p = &events->events.v[event].layout;

		if (rec->type != PERF_RECORD_SAMPLE)
			sample_layout_ids(p, rec, &ids);
		else if (sample_layout_sample(p, rec, &s))
			ids = s.ids;
		k->cpu = ids.cpu;
	}
	buf_add(&bytes, rec->data, rec->size);
	buf_pad(&bytes, '\0', (8 - rec->size % 8) % 8);
}

static struct rec get(u32 i, const u8 *from, size_t base)
{
	struct rec rec;

	if (!rec_view(&rec, from + list.v[i].at - base, bytes.len - list.v[i].at))
		die("no record");
	rec.event = list.v[i].event;
	rec.cpu = list.v[i].cpu;
	return rec;
}

/* Records first..last, not included, from memory that was just written, as those of a ring are. */
static void encode(struct columns_encoder *e, u32 first, u32 last, int level, double *ns)
{
	size_t base = list.v[first].at;
	struct columns_stacks stacks;
	struct columns_ring ring = {.number = ID_NONE};
	struct err err = {0};
	double start;
	u32 i;

	memcpy(batch, bytes.data + base, (last < list.nr ? list.v[last].at : bytes.len) - base);
	start = now();
	columns_begin(e);
	for (i = first; i < last; i++) {
		struct rec rec = get(i, batch, base);

		if (i == first || ring.cpu != rec.cpu || ring.sideband != list.v[i].sideband) {
			ring.sideband = list.v[i].sideband;
			ring.cpu = rec.cpu;
			ring.number = rec.cpu * 2 + ring.sideband;
			columns_run(e, &ring);
		}
		columns_add(e, &rec, &stacks);
	}
	ns[ADD] += now() - start;
	start = now();
	buf_clear(&payload);
	if (columns_end(e, level, &payload, &err))
		die(err.msg);
	ns[END] += now() - start;
}

static double decode(struct columns_decoder *d, const struct columns_want *want, u32 *nr)
{
	double start = now();
	struct rec rec;
	u64 sum = 0;
	u32 n = 0;

	if (columns_open(d, payload.data, payload.len, want))
		die("what was encoded cannot be opened");
	for (; columns_next(d, &rec) == 1; n++)
		sum += rec.data[8];
	*nr = n + (sum == UINT64_MAX);
	return now() - start;
}

static void compare(struct columns_decoder *d, u32 first, u32 last)
{
	u32 side, i;
	struct rec rec;

	if (columns_open(d, payload.data, payload.len, NULL))
		die("what was encoded cannot be opened");
	for (side = 2; side--;) {
		for (i = first; i < last; i++) {
			struct rec old = get(i, (const u8 *)bytes.data, 0);

			if (list.v[i].sideband != side)
				continue;
			if (columns_next(d, &rec) != 1 || rec.size != old.size ||
			    rec.event != old.event || rec.cpu != old.cpu ||
			    memcmp(rec.data, old.data, rec.size))
				die("a record came out another one");
		}
	}
	if (columns_next(d, &rec))
		die("there are more records than before");
}

static bool is_first(const void *filter, u32 cpu)
{
	(void)filter;
	return !cpu;
}

static size_t one_round(struct columns_encoder *e, struct columns_decoder *d, size_t block,
			int level, bool verify, double *ns)
{
	const struct columns_want bare = {.no_chains = true, .no_raw = true};
	const struct columns_want one = {.cpu = is_first};
	u32 first, last, nr;
	size_t out = 0;

	for (first = 0; first < list.nr; first = last) {
		for (last = first; last < list.nr && list.v[last].at - list.v[first].at < block;)
			last++;
		encode(e, first, last, level, ns);
		out += payload.len;
		if (verify)
			compare(d, first, last);
		ns[DECODE] += decode(d, NULL, &nr);
		if (nr != last - first)
			die("there are fewer records than before");
		ns[BARE] += decode(d, &bare, &nr);
		ns[ONE] += decode(d, &one, &nr);
	}
	return out;
}

int main(int argc, char **argv)
{
	double best[PHASES], ns[PHASES];
	int level = argc > 2 ? atoi(argv[2]) : 1, round, i;
	size_t block = (size_t)(argc > 3 ? atoi(argv[3]) : 4) << 20, out = 0, raw = 0;
	struct columns_encoder *e;
	struct columns_decoder *d = columns_decoder_new(NULL);
	struct err err = {0};
	struct source *s;
	struct rec rec;
	u32 n;

	s = argc > 1 ? source_open(argv[1], &err) : NULL;
	if (!s)
		die(argc > 1 ? err.msg : "no file");
	while (bytes.len < BYTES_MAX && source_next(s, &rec, &err) == 1)
		keep(&s->recording->events, &rec);
	tell_fields(s->recording);
	e = columns_encoder_new(&s->recording->events, &err);
	batch = malloc(block + (2u << 16));
	if (!e || !d || !batch || bytes.failed || !list.nr)
		die(list.nr ? "out of memory" : "no records");
	for (n = 0; n < list.nr; n++)
		raw += get(n, (const u8 *)bytes.data, 0).size;
	for (round = 0; round < ROUNDS; round++) {
		memset(ns, 0, sizeof(ns));
		out = one_round(e, d, block, level, !round, ns);
		for (i = 0; i < PHASES; i++)
			best[i] = round && best[i] < ns[i] ? best[i] : ns[i];
	}
	printf("%9u %8.1f %8.3f", n, (double)raw / n, (double)out / n);
	for (i = 0; i < PHASES; i++)
		printf(" %7.1f", best[i] / n);
	printf("\n");
	columns_encoder_free(e);
	columns_decoder_free(d);
	source_close(s);
	free(batch);
	vec_free(&list);
	buf_free(&bytes);
	buf_free(&payload);
	return 0;
}
