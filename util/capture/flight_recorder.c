// SPDX-License-Identifier: GPL-2.0
#include "util/capture/flight_recorder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "util/base/memory.h"
#include "util/base/vec.h"
#include "util/process/process_dump.h"

/* Address space: some hundred thousand mappings. */
#define LOG_SIZE (64ull << 20)
#define PAGES    (64ull << 10) /* a multiple of all page sizes */
/* Where address space is counted, less of it will do. */
#define TRIES 4
/* A model that has so many mappings is made anew of what lives. */
#define MAPS_MAX (256ull << 10)

static u8 *task_log_at(const struct flight_tasks_memory *m, u32 which)
{
	return (u8 *)m + PAGES + which * m->log_size;
}

static struct flight_tasks_memory *map_tasks(u64 log_size)
{
	u64 size = PAGES + 2 * log_size;
	struct flight_tasks_memory *m = memory_new_shared(size);

	if (m)
		*m = (struct flight_tasks_memory){.size = size, .log_size = log_size};
	return m;
}

static int init_tasks(struct flight_tasks *t, const struct sample_layout *layout, struct err *err)
{
	int ret;

	*t = (struct flight_tasks){.layout = layout};
	ret = process_init(&t->model, err);
	t->model.forget_exited = true;
	return ret;
}

int flight_tasks_open(struct flight_tasks *t, const struct sample_layout *layout, u64 log_size,
		      struct err *err)
{
	u64 want = log_size ? ALIGN_UP(log_size, PAGES) : LOG_SIZE;
	int ret = init_tasks(t, layout, err), i;

	for (i = 0; !ret && i < TRIES && !t->memory; i++)
		t->memory = map_tasks(MAX(want >> i, PAGES) & ~(PAGES - 1));
	return ret || t->memory ? ret : err_nomem(err);
}

int flight_tasks_attach(struct flight_tasks *t, const struct sample_layout *layout,
			struct flight_tasks_memory *memory, struct err *err)
{
	u32 now = __atomic_load_n(&memory->current, __ATOMIC_ACQUIRE);
	u64 len = __atomic_load_n(&memory->len[now], __ATOMIC_ACQUIRE), at;
	const u8 *log = task_log_at(memory, now);
	struct rec rec;
	int ret = init_tasks(t, layout, err);

	t->memory = memory;
	for (at = 0; !ret && at < len && rec_view(&rec, log + at, (size_t)(len - at));
	     at += rec.size)
		process_apply(&t->model, &rec);
	return ret;
}

/* The model as it is now, instead of the records that it was made of. */
static void compact_tasks(struct flight_tasks *t)
{
	struct flight_tasks_memory *m = t->memory;
	u32 other = !m->current;
	struct buf dump = {0};

	t->failed |= process_compact(&t->model, NULL) != 0;
	t->failed |= process_dump(&t->model, t->layout, &dump, NULL) != 0 || dump.failed;
	/* if it does not fit, tasks that live on are left out: /proc has them, too */
	m->len[other] = dump.len <= m->log_size ? dump.len : 0;
	if (m->len[other])
		memcpy(task_log_at(m, other), dump.data, dump.len);
	__atomic_store_n(&m->current, other, __ATOMIC_RELEASE);
	madvise(task_log_at(m, !other), (size_t)m->log_size, MADV_REMOVE);
	t->maps_before = t->model.maps.nr;
	buf_free(&dump);
}

void flight_tasks_apply(struct flight_tasks *t, const struct rec *rec)
{
	struct flight_tasks_memory *m = t->memory;
	u64 len = m->len[m->current];

	process_apply(&t->model, rec);
	/* the dead and what was mapped over need not be kept for days */
	if (rec->size > m->log_size - len ||
	    t->model.maps.nr > MAX(MAPS_MAX, (u64)t->maps_before * 2)) {
		compact_tasks(t);
		return;
	}
	memcpy(task_log_at(m, m->current) + len, rec->data, rec->size);
	__atomic_store_n(&m->len[m->current], len + rec->size, __ATOMIC_RELEASE);
}

void flight_tasks_free(struct flight_tasks *t)
{
	process_free(&t->model);
	if (t->memory)
		memory_free_shared(t->memory, t->memory->size);
	*t = (struct flight_tasks){0};
}

static int init_recorder(struct flight_recorder *k, struct err *err)
{
	*k = (struct flight_recorder){.decoder = columns_decoder_new(err)};
	return k->decoder ? 0 : -ENOMEM;
}

int flight_recorder_open(struct flight_recorder *k, const struct sample_layout *layout,
			 u64 window_ns, u64 max_bytes, struct flight_recorder_shared *shared,
			 struct err *err)
{
	int ret = init_recorder(k, err);

	if (!ret)
		ret = keep_open(&k->keep, max_bytes, window_ns, err);
	if (!ret)
		ret = flight_tasks_open(&k->tasks, layout, 0, err);
	*shared = (struct flight_recorder_shared){k->keep.memory, k->tasks.memory};
	return ret;
}

int flight_recorder_attach(struct flight_recorder *k, const struct sample_layout *layout,
			   u64 window_ns, u64 max_bytes,
			   const struct flight_recorder_shared *shared,
			   const struct keep_ends *ends, struct err *err)
{
	int ret = init_recorder(k, err);

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
static void apply_sideband(struct flight_recorder *k, const struct keep_block *b)
{
	const struct columns_want want = {.no_samples = true};
	VEC(struct sideband_at) order = {0};
	struct sideband_at *o;
	struct rec rec;
	u32 i;

	buf_reset(&k->records);
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

void flight_recorder_drop_old(struct flight_recorder *k, u64 now)
{
	const struct keep_block *b;

	/* who goes on when this is killed in between hears of the tasks a moment too early */
	while ((b = keep_oldest(&k->keep, now))) {
		apply_sideband(k, b);
		keep_drop(&k->keep, now);
	}
}

void flight_recorder_drop_all(struct flight_recorder *k)
{
	u64 window = k->keep.window_ns;

	k->keep.window_ns = 1;
	flight_recorder_drop_old(k, UINT64_MAX);
	k->keep.window_ns = window;
}

void flight_recorder_drop_names(struct flight_recorder *k, u64 now)
{
	const struct keep_block *b;

	while ((b = keep_oldest_name_user(&k->keep))) {
		apply_sideband(k, b);
		keep_drop(&k->keep, now);
	}
	keep_drop_names(&k->keep);
}

void flight_recorder_renew_names(struct flight_recorder *k, u64 now)
{
	flight_recorder_drop_names(k, now);
	keep_begin_names(&k->keep);
}

void flight_recorder_free(struct flight_recorder *k)
{
	keep_free(&k->keep);
	flight_tasks_free(&k->tasks);
	columns_decoder_free(k->decoder);
	buf_free(&k->records);
	*k = (struct flight_recorder){0};
}
