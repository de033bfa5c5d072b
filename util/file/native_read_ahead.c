// SPDX-License-Identifier: GPL-2.0
#include "util/file/native_internal.h"

#include <errno.h>
#include <stdlib.h>

#include "util/base/thread.h"

enum state { WAITS, IN_WORK, DONE };

struct slot {
	struct read_ahead_block b;
	enum state state;
	struct buf payload;
};

struct read_ahead {
	pthread_mutex_t lock;
	pthread_cond_t work, done; /* something waits; something is done */
	struct slot *slots;
	u32 nr_slots;
	u64 first,
		next; /* slots [first, next) are taken, modulo nr_slots; the popped one is before */
	u64 begun;    /* [first, begun) are in work or done */
	bool stop;
	pthread_t *threads;
	u32 nr_threads;
	struct columns_decoder *decoder; /* the caller's */
};

static struct slot *slot_at(const struct read_ahead *a, u64 n)
{
	return &a->slots[n % a->nr_slots];
}

static void decode(struct slot *s, struct columns_decoder *d)
{
	if (d)
		data_block_decode(&s->b.data, d, &s->b.item.head, s->b.item.payload, &s->b.want);
	else
		s->b.data.ret = -ENOMEM;
}

static void *worker(void *arg)
{
	struct columns_decoder *d = columns_decoder_new(NULL);
	struct read_ahead *a = arg;
	struct slot *s;

	pthread_mutex_lock(&a->lock);
	for (;;) {
		while (!a->stop && a->begun == a->next)
			pthread_cond_wait(&a->work, &a->lock);
		if (a->stop)
			break;
		s = slot_at(a, a->begun++);
		if (s->state == DONE)
			continue;
		s->state = IN_WORK;
		pthread_mutex_unlock(&a->lock);
		decode(s, d);
		pthread_mutex_lock(&a->lock);
		s->state = DONE;
		pthread_cond_signal(&a->done);
	}
	pthread_mutex_unlock(&a->lock);
	columns_decoder_free(d);
	return NULL;
}

static void start_threads(struct read_ahead *a, u32 nr)
{
	while (a->nr_threads < nr && !thread_start(&a->threads[a->nr_threads], worker, a, NULL))
		a->nr_threads++;
}

struct read_ahead *native_read_ahead_new(u32 threads)
{
	struct read_ahead *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->work, NULL);
	pthread_cond_init(&a->done, NULL);
	/* the one that is popped, and those that are decoded meanwhile */
	a->nr_slots = threads + 2;
	a->slots = calloc(a->nr_slots, sizeof(*a->slots));
	a->threads = calloc(threads + 1, sizeof(*a->threads));
	a->decoder = columns_decoder_new(NULL);
	if (!a->slots || !a->threads || !a->decoder) {
		native_read_ahead_free(a);
		return NULL;
	}
	start_threads(a, threads);
	return a;
}

bool native_read_ahead_room(const struct read_ahead *a)
{
	return a->next - a->first < a->nr_slots - 1;
}

bool native_read_ahead_push(struct read_ahead *a, const struct blocks_item *it,
			    const struct columns_want *want, struct buf bytes)
{
	struct slot *s = slot_at(a, a->next);
	bool decodes = it->kind == BLOCKS_WHOLE && it->head.type == BLOCK_DATA;

	buf_free(&s->b.data.bytes);
	s->b.data.bytes = bytes;
	buf_reset(&s->payload);
	if (it->kind == BLOCKS_WHOLE)
		buf_add(&s->payload, it->payload, it->head.stored_size);
	if (s->payload.failed) {
		buf_free(&s->payload);
		return false;
	}
	s->b.item = *it;
	s->b.item.payload = (const u8 *)s->payload.data;
	s->b.want = *want;
	pthread_mutex_lock(&a->lock);
	s->state = decodes ? WAITS : DONE;
	a->next++;
	pthread_cond_signal(&a->work);
	pthread_mutex_unlock(&a->lock);
	return true;
}

struct read_ahead_block *native_read_ahead_pop(struct read_ahead *a)
{
	struct slot *s;

	if (a->first == a->next)
		return NULL;
	s = slot_at(a, a->first);
	pthread_mutex_lock(&a->lock);
	if (!a->nr_threads && s->state == WAITS) {
		decode(s, a->decoder);
		s->state = DONE;
	}
	while (s->state != DONE)
		pthread_cond_wait(&a->done, &a->lock);
	a->first++;
	/* what needs no decoding may be popped before a worker passed over it */
	if (a->begun < a->first)
		a->begun = a->first;
	pthread_mutex_unlock(&a->lock);
	return &s->b;
}

void native_read_ahead_again(struct read_ahead *a, struct read_ahead_block *b,
			     const struct columns_want *want)
{
	b->want = *want;
	data_block_decode(&b->data, a->decoder, &b->item.head, b->item.payload, want);
}

void native_read_ahead_free(struct read_ahead *a)
{
	u32 i;

	if (!a)
		return;
	pthread_mutex_lock(&a->lock);
	a->stop = true;
	pthread_cond_broadcast(&a->work);
	pthread_mutex_unlock(&a->lock);
	for (i = 0; i < a->nr_threads; i++)
		pthread_join(a->threads[i], NULL);
	for (i = 0; a->slots && i < a->nr_slots; i++) {
		data_block_free(&a->slots[i].b.data);
		buf_free(&a->slots[i].payload);
	}
	columns_decoder_free(a->decoder);
	free(a->slots);
	free(a->threads);
	pthread_cond_destroy(&a->done);
	pthread_cond_destroy(&a->work);
	pthread_mutex_destroy(&a->lock);
	free(a);
}
