// SPDX-License-Identifier: GPL-2.0
#include "util/capture/shared_batches.h"

#include <errno.h>
#include <string.h>

#include "util/base/memory.h"
#include "util/record/rec.h"

int shared_batches_new(struct shared_batches **out, u32 max_rings, u32 max_counters, u32 nr_events,
		       struct err *err)
{
	size_t rings = ALIGN_UP(sizeof(struct shared_batches), (size_t)64);
	size_t counters = rings + max_rings * sizeof(struct shared_batches_ring);
	size_t counts, losses, batches, size;
	struct shared_batches *h;
	u8 *p;

	counts = ALIGN_UP(counters + max_counters * sizeof(struct shared_batches_counter),
			  (size_t)64);
	losses = counts + 2 * (size_t)nr_events * sizeof(struct counts);
	batches = ALIGN_UP(losses + 2 * COMMIT_LOSSES * sizeof(struct loss), (size_t)4096);
	size = batches + SHARED_BATCHES * sizeof(struct batch);
	p = memory_new_shared(size);
	if (!p)
		return err_nomem(err);
	h = (struct shared_batches *)p;
	h->rings = (struct shared_batches_ring *)(p + rings);
	h->counters = (struct shared_batches_counter *)(p + counters);
	h->counts[0] = (struct counts *)(p + counts);
	h->counts[1] = h->counts[0] + nr_events;
	h->losses[0] = (struct loss *)(p + losses);
	h->losses[1] = h->losses[0] + COMMIT_LOSSES;
	h->batches = (struct batch *)(p + batches);
	h->max_rings = max_rings;
	h->max_counters = max_counters;
	h->nr_events = nr_events;
	h->commits[0].file = h->go = -1;
	h->size = size;
	*out = h;
	return 0;
}

void shared_batches_free(struct shared_batches *h)
{
	if (h)
		memory_free_shared(h, h->size);
}

void shared_batches_set_commit(struct shared_batches *h, const struct commit *c,
			       const struct counts *counts, const struct loss *losses)
{
	u32 next = !h->current, nr = MIN(c->nr_losses, (u32)COMMIT_LOSSES);

	h->commits[next] = *c;
	h->commits[next].nr_losses = nr;
	memcpy(h->counts[next], counts, h->nr_events * sizeof(*counts));
	if (nr)
		memcpy(h->losses[next], losses, nr * sizeof(*losses));
	__atomic_store_n(&h->current, next, __ATOMIC_RELEASE);
}

static u64 number_of(const struct batch *b)
{
	return __atomic_load_n(&b->number, __ATOMIC_ACQUIRE);
}

struct batch *shared_batches_batch(struct shared_batches *h, u64 number)
{
	u32 i;

	for (i = 0; i < SHARED_BATCHES; i++)
		if (number_of(&h->batches[i]) == number)
			return &h->batches[i];
	return NULL;
}

struct batch *shared_batches_place(struct shared_batches *h, u64 written)
{
	struct batch *b, *last = NULL;
	u32 i;

	for (i = 0; i < SHARED_BATCHES; i++) {
		b = &h->batches[i];
		if (number_of(b) <= written && (!last || number_of(b) > number_of(last)))
			last = b;
	}
	return last;
}

void batch_begin(struct batch *b, u64 number)
{
	/* the spans of the batch before are void before the number says that they are this one's */
	__atomic_store_n(&b->nr_spans, 0, __ATOMIC_RELEASE);
	b->len = 0;
	b->order = 0;
	__atomic_store_n(&b->number, number, __ATOMIC_RELEASE);
}

size_t batch_room(const struct batch *b)
{
	return b->nr_spans == BATCH_SPANS ? 0 : BATCH_BYTES - b->len;
}

void batch_commit(struct batch *b, u32 ring, u64 from, u64 to, u32 len)
{
	b->spans[b->nr_spans] = (struct batch_span){ring, len, from, to, b->len};
	b->len += len;
	__atomic_store_n(&b->nr_spans, b->nr_spans + 1, __ATOMIC_RELEASE);
}

size_t batch_add(struct batch *b, u32 ring, const void *records, size_t len)
{
	const u8 *p = records;
	struct rec rec;
	size_t n;

	for (n = 0; rec_view(&rec, p + n, len - n) && n + rec.size <= batch_room(b);)
		n += rec.size;
	if (n) {
		memcpy(batch_end(b), p, n);
		batch_commit(b, ring, 0, 0, (u32)n);
	}
	return n;
}
