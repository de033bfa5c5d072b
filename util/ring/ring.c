// SPDX-License-Identifier: GPL-2.0
#include "util/ring/ring.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

int ring_open(struct ring *r, int fd, u32 pages, bool overwrite, struct err *err)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *base;

	*r = (struct ring){.mapped = page * ((size_t)pages + 1), .overwrite = overwrite};
	/* the kernel overwrites what nobody can say they have read */
	base = mmap(NULL, r->mapped, overwrite ? PROT_READ : PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		    0);
	if (base == MAP_FAILED)
		return err_set(err, errno, "cannot map an event buffer of %u pages: %s", pages,
			       strerror(errno));
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
	*r = (struct ring){0};
}

u64 ring_begin(struct ring *r)
{
	r->head = __atomic_load_n(&r->meta->data_head, __ATOMIC_ACQUIRE);
	return r->head - r->pos;
}

/* Copy `len` bytes from position `pos` on, which may wrap around the end of the ring. */
static void copy_out(const struct ring *r, u64 pos, u8 *to, size_t len)
{
	u64 at = pos & (r->size - 1), first = MIN(r->size - at, (u64)len);

	memcpy(to, r->data + at, first);
	memcpy(to + first, r->data, len - first);
}

/* The size of the record whose header that is, of which `left` bytes can be there; 0: that is no record. */
static u32 size_of(const u8 *header, u64 left)
{
	struct perf_event_header h;

	memcpy(&h, header, sizeof(h));
	return left < sizeof(h) || h.size < sizeof(h) || h.size % 8 || h.size > left ? 0 : h.size;
}

static u32 record_size(const struct ring *r, u64 pos, u64 left)
{
	/* records are multiples of 8 bytes, so a header never wraps */
	return size_of(r->data + (pos & (r->size - 1)), left);
}

/* Of a copy of the first `max` bytes of `left`: those of whole records. False: there is one that is none. */
static bool whole_records(const u8 *copy, size_t max, u64 left, u64 *len)
{
	u32 size;

	for (*len = 0; max - *len >= sizeof(struct perf_event_header); *len += size) {
		size = size_of(copy + *len, left - *len);
		if (!size)
			return false;
		if (size > max - *len)
			break;
	}
	return true;
}

size_t ring_copy(struct ring *r, void *to, size_t max)
{
	u64 left = r->head - r->pos, len = left;
	bool good = left <= r->size;

	if (good)
		copy_out(r, r->pos, to, MIN(left, (u64)max));
	/* not all of it fits: cut between two records, which are sooner found in the copy */
	if (good && left > max)
		good = whole_records(to, max, left, &len);
	if (!good) {
		r->bad++;
		r->pos = r->head;
		return 0;
	}
	r->pos += len;
	return len;
}

bool ring_view(struct ring *r, struct rec *rec, u8 *bounce)
{
	u64 left = r->head - r->pos, at = r->pos & (r->size - 1);
	u32 size = left && left <= r->size ? record_size(r, r->pos, left) : 0;
	const u8 *p = r->data + at;

	if (!size) {
		r->bad += left != 0;
		r->pos = r->head;
		return false;
	}
	if (at + size > r->size) {
		copy_out(r, r->pos, bounce, size);
		p = bounce;
	}
	r->pos += size;
	return rec_view(rec, p, size);
}

void ring_release(struct ring *r)
{
	__atomic_store_n(&r->meta->data_tail, r->pos, __ATOMIC_RELEASE);
}

size_t ring_copy_newest(struct ring *r, u8 *to)
{
	u64 head = __atomic_load_n(&r->meta->data_head, __ATOMIC_ACQUIRE), len = 0, back;
	u32 size;

	/* the oldest record may have been overwritten in part: it does not fit into the ring */
	for (;;) {
		size = record_size(r, head + len, r->size - len);
		if (!size)
			break;
		len += size;
	}
	/* the newest is first: reverse them, record by record */
	for (back = 0; back < len; back += size) {
		size = record_size(r, head + back, r->size - back);
		copy_out(r, head + back, to + (len - back - size), size);
	}
	return len;
}
