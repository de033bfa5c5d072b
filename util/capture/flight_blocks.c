// SPDX-License-Identifier: GPL-2.0
#include "util/capture/flight_blocks.h"

#include <errno.h>
#include <stdlib.h>

#include "util/base/vec.h"

static int init(struct flight_blocks *k, struct err *err)
{
	*k = (struct flight_blocks){.decoder = columns_decoder_new(err)};
	return k->decoder ? 0 : -ENOMEM;
}

int flight_blocks_open(struct flight_blocks *k, const struct sample_layout *layout, u64 window_ns,
		       u64 max_bytes, struct flight_blocks_shared *shared, struct err *err)
{
	int ret = init(k, err);

	if (!ret)
		ret = keep_open(&k->keep, max_bytes, window_ns, err);
	if (!ret)
		ret = flight_tasks_open(&k->tasks, layout, 0, err);
	*shared = (struct flight_blocks_shared){k->keep.memory, k->tasks.memory};
	return ret;
}

int flight_blocks_attach(struct flight_blocks *k, const struct sample_layout *layout, u64 window_ns,
			 u64 max_bytes, const struct flight_blocks_shared *shared,
			 const struct keep_ends *ends, struct err *err)
{
	int ret = init(k, err);

	keep_attach(&k->keep, shared->blocks, ends, max_bytes, window_ns);
	return ret ? ret : flight_tasks_attach(&k->tasks, layout, shared->tasks, err);
}

struct sideband_at {
	u64 time;
	size_t at;
};

static int sideband_by_time(const void *x, const void *y)
{
	const struct sideband_at *a = x, *b = y;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

/* A block leaves: what it says of tasks holds from now on. */
static void apply_sideband(struct flight_blocks *k, const struct keep_block *b)
{
	const struct columns_want want = {.no_samples = true};
	VEC(struct sideband_at) order = {0};
	struct sideband_at *o;
	struct rec rec;
	u32 i;

	buf_clear(&k->records);
	if (b->head.type != BLOCK_DATA ||
	    columns_open(k->decoder, b->payload, b->head.stored_size, &want))
		return;
	while (columns_next(k->decoder, &rec) == 1) {
		if (rec.type == PERF_RECORD_SAMPLE)
			continue;
		o = vec_push(&order);
		if (!o)
			break;
		*o = (struct sideband_at){sample_layout_time(k->tasks.layout, &rec),
					  k->records.len};
		buf_add(&k->records, rec.data, rec.size);
		buf_pad(&k->records, '\0', ALIGN_UP(k->records.len, (size_t)8) - k->records.len);
	}
	if (order.nr)
		qsort(order.v, order.nr, sizeof(*order.v), sideband_by_time);
	for (i = 0; i < order.nr && !k->records.failed; i++)
		if (rec_view(&rec, k->records.data + order.v[i].at, k->records.len - order.v[i].at))
			flight_tasks_apply(&k->tasks, &rec);
	k->failed |= k->records.failed || k->tasks.failed;
	vec_free(&order);
}

void flight_blocks_drop_old(struct flight_blocks *k, u64 now)
{
	const struct keep_block *b;

	/* who goes on when this is killed in between hears of the tasks a moment too early */
	while ((b = keep_oldest(&k->keep, now))) {
		apply_sideband(k, b);
		keep_drop(&k->keep, now);
	}
}

void flight_blocks_drop_all(struct flight_blocks *k)
{
	u64 window = k->keep.window_ns;

	k->keep.window_ns = 1;
	flight_blocks_drop_old(k, UINT64_MAX);
	k->keep.window_ns = window;
}

void flight_blocks_free(struct flight_blocks *k)
{
	keep_free(&k->keep);
	flight_tasks_free(&k->tasks);
	columns_decoder_free(k->decoder);
	buf_free(&k->records);
	*k = (struct flight_blocks){0};
}
