// SPDX-License-Identifier: GPL-2.0
#include "util/capture/flight_tasks.h"

#include <string.h>
#include <sys/mman.h>

#include "util/base/shared_memory.h"
#include "util/process/process_dump.h"

/* Address space: some hundred thousand mappings. */
#define LOG_SIZE (64ull << 20)
#define PAGES    (64ull << 10) /* a multiple of all page sizes */
/* Where address space is counted, less of it will do. */
#define TRIES 4
/* A model that has so many mappings is made anew of what lives. */
#define MAPS_MAX (256ull << 10)

static u8 *log_at(const struct flight_tasks_memory *m, u32 which)
{
	return (u8 *)m + PAGES + which * m->log_size;
}

static struct flight_tasks_memory *map(u64 log_size)
{
	u64 size = PAGES + 2 * log_size;
	struct flight_tasks_memory *m = shared_memory_new(size);

	if (m)
		*m = (struct flight_tasks_memory){.size = size, .log_size = log_size};
	return m;
}

static int init(struct flight_tasks *t, const struct sample_layout *layout, struct err *err)
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
	int ret = init(t, layout, err), i;

	for (i = 0; !ret && i < TRIES && !t->memory; i++)
		t->memory = map(MAX(want >> i, PAGES) & ~(PAGES - 1));
	return ret || t->memory ? ret : err_nomem(err);
}

int flight_tasks_attach(struct flight_tasks *t, const struct sample_layout *layout,
			struct flight_tasks_memory *memory, struct err *err)
{
	u32 now = __atomic_load_n(&memory->current, __ATOMIC_ACQUIRE);
	u64 len = __atomic_load_n(&memory->len[now], __ATOMIC_ACQUIRE), at;
	const u8 *log = log_at(memory, now);
	struct rec rec;
	int ret = init(t, layout, err);

	t->memory = memory;
	for (at = 0; !ret && at < len && rec_view(&rec, log + at, (size_t)(len - at));
	     at += rec.size)
		process_apply(&t->model, &rec);
	return ret;
}

/* The model as it is now, instead of the records that it was made of. */
static void compact(struct flight_tasks *t)
{
	struct flight_tasks_memory *m = t->memory;
	u32 other = !m->current;
	struct buf dump = {0};

	t->failed |= process_compact(&t->model) != 0;
	t->failed |= process_dump(&t->model, t->layout, &dump, NULL) != 0 || dump.failed;
	/* one that has no room leaves those out that live longer: /proc tells them, too */
	m->len[other] = dump.len <= m->log_size ? dump.len : 0;
	if (m->len[other])
		memcpy(log_at(m, other), dump.data, dump.len);
	__atomic_store_n(&m->current, other, __ATOMIC_RELEASE);
	madvise(log_at(m, !other), (size_t)m->log_size, MADV_REMOVE);
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
		compact(t);
		return;
	}
	memcpy(log_at(m, m->current) + len, rec->data, rec->size);
	__atomic_store_n(&m->len[m->current], len + rec->size, __ATOMIC_RELEASE);
}

void flight_tasks_free(struct flight_tasks *t)
{
	process_free(&t->model);
	if (t->memory)
		shared_memory_free(t->memory, t->memory->size);
	*t = (struct flight_tasks){0};
}
