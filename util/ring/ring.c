// SPDX-License-Identifier: GPL-2.0
#include "util/ring/ring.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int ring_open(struct ring *r, int fd, u32 pages, u32 cpu, struct err *err)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *base;

	*r = (struct ring){.cpu = cpu, .mapped = page * ((size_t)pages + 1)};
	r->wrapped = malloc(UINT16_MAX + 1);
	if (!r->wrapped)
		return err_nomem(err);
	base = mmap(NULL, r->mapped, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (base == MAP_FAILED) {
		int code = errno;

		free(r->wrapped);
		r->wrapped = NULL;
		return err_set(err, code, "cannot map an event buffer of %u pages: %s", pages,
			       strerror(code));
	}
	r->meta = base;
	/* the kernel says where the data is and how long; pages are not 4 KiB everywhere */
	r->size = r->meta->data_size ? r->meta->data_size : page * pages;
	r->data = (const u8 *)base + (r->meta->data_offset ? r->meta->data_offset : page);
	r->pos = r->head = r->meta->data_tail;
	return 0;
}

void ring_close(struct ring *r)
{
	if (r->meta)
		munmap(r->meta, r->mapped);
	free(r->wrapped);
	*r = (struct ring){0};
}

u64 ring_begin(struct ring *r)
{
	r->head = __atomic_load_n(&r->meta->data_head, __ATOMIC_ACQUIRE);
	return r->head - r->pos;
}

bool ring_next(struct ring *r, struct rec *rec)
{
	u64 at = r->pos & (r->size - 1), left = r->head - r->pos, first;
	struct perf_event_header h;

	if (!left)
		return false;
	/* records are multiples of 8 bytes, so a header never wraps */
	memcpy(&h, r->data + at, sizeof(h));
	if (left < sizeof(h) || h.size < sizeof(h) || h.size > left) {
		r->bad++;
		r->pos = r->head;
		return false;
	}
	first = r->size - at;
	if (h.size <= first) {
		rec_view(rec, r->data + at, h.size);
	} else {
		memcpy(r->wrapped, r->data + at, first);
		memcpy(r->wrapped + first, r->data, h.size - first);
		rec_view(rec, r->wrapped, h.size);
	}
	r->pos += h.size;
	return true;
}

void ring_release(struct ring *r)
{
	__atomic_store_n(&r->meta->data_tail, r->pos, __ATOMIC_RELEASE);
}
