// SPDX-License-Identifier: GPL-2.0
#include "util/capture/block_writer.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "util/base/thread.h"

static void set_error(struct block_writer_thread *t, const struct err *err)
{
	pthread_mutex_lock(&t->queue);
	t->error = *err;
	pthread_mutex_unlock(&t->queue);
}

static void write_batch(struct block_writer_thread *t, u64 number)
{
	struct err err = {0};

	pthread_mutex_lock(&t->work);
	if (!t->error.code &&
	    block_writer_batch(t->block_writer, shared_batches_batch(t->shared_batches, number),
			       &err))
		set_error(t, &err);
	pthread_mutex_unlock(&t->work);
}

static void look_at_batch(struct block_writer_thread *t, u64 number, u32 nr_spans)
{
	pthread_mutex_lock(&t->work);
	if (!t->error.code)
		block_writer_look(t->block_writer, shared_batches_batch(t->shared_batches, number),
				  nr_spans);
	pthread_mutex_unlock(&t->work);
}

/* What is due although no batch came. When to look again: CLOCK_MONOTONIC, 0: when one comes. */
static u64 write_nothing(struct block_writer_thread *t)
{
	struct err err = {0};
	u64 again = 0;

	pthread_mutex_lock(&t->work);
	if (!t->error.code && block_writer_idle(t->block_writer, &again, &err))
		set_error(t, &err);
	pthread_mutex_unlock(&t->work);
	return again;
}

static bool has_nothing(const struct block_writer_thread *t)
{
	return t->written == t->handed && !t->look && !t->stop;
}

/* `queue` is held, but while something is done. */
static void wait_for_batch(struct block_writer_thread *t)
{
	struct timespec until;
	u64 again;
	u32 used;

	while (has_nothing(t)) {
		again = 0;
		used = t->used;
		if (t->served) {
			pthread_mutex_unlock(&t->queue);
			again = write_nothing(t);
			pthread_mutex_lock(&t->queue);
			if (!has_nothing(t) || used != t->used)
				continue;
		}
		until = (struct timespec){(time_t)(again / 1000000000), (long)(again % 1000000000)};
		if (again)
			pthread_cond_timedwait(&t->wake, &t->queue, &until);
		else
			pthread_cond_wait(&t->wake, &t->queue);
	}
}

static void *write_batches(void *arg)
{
	struct block_writer_thread *t = arg;
	u64 number;
	u32 look;

	pthread_mutex_lock(&t->queue);
	t->tid = (u32)gettid();
	pthread_cond_broadcast(&t->wake);
	for (;;) {
		wait_for_batch(t);
		number = t->written + 1;
		look = t->written == t->handed ? t->look : 0;
		if (t->written == t->handed && !look)
			break;
		if (look)
			t->look = 0;
		pthread_mutex_unlock(&t->queue);
		if (look)
			look_at_batch(t, number, look);
		else
			write_batch(t, number);
		pthread_mutex_lock(&t->queue);
		if (look)
			continue;
		t->written = number;
		pthread_cond_broadcast(&t->wake);
	}
	pthread_mutex_unlock(&t->queue);
	return NULL;
}

int block_writer_thread_start(struct block_writer_thread *t, struct err *err)
{
	int ret;

	*t = (struct block_writer_thread){0};
	pthread_mutex_init(&t->queue, NULL);
	pthread_mutex_init(&t->work, NULL);
	thread_condition_init(&t->wake);
	ret = thread_start(&t->thread, write_batches, t, err);
	if (ret)
		return ret;
	t->running = true;
	pthread_mutex_lock(&t->queue);
	while (!t->tid)
		pthread_cond_wait(&t->wake, &t->queue);
	pthread_mutex_unlock(&t->queue);
	return 0;
}

void block_writer_thread_serve(struct block_writer_thread *t, struct block_writer *s,
			       struct shared_batches *h)
{
	pthread_mutex_lock(&t->queue);
	t->block_writer = s;
	t->shared_batches = h;
	t->served = true;
	pthread_cond_broadcast(&t->wake);
	pthread_mutex_unlock(&t->queue);
}

struct batch *block_writer_thread_next(struct block_writer_thread *t)
{
	struct batch *b;

	pthread_mutex_lock(&t->queue);
	while (!(b = shared_batches_place(t->shared_batches, t->written)))
		pthread_cond_wait(&t->wake, &t->queue);
	pthread_mutex_unlock(&t->queue);
	batch_begin(b, t->handed + 1);
	return b;
}

void block_writer_thread_look(struct block_writer_thread *t)
{
	const struct batch *b = shared_batches_batch(t->shared_batches, t->handed + 1);

	pthread_mutex_lock(&t->queue);
	t->look = b->nr_spans;
	pthread_cond_broadcast(&t->wake);
	pthread_mutex_unlock(&t->queue);
}

void block_writer_thread_hand(struct block_writer_thread *t)
{
	pthread_mutex_lock(&t->queue);
	t->look = 0;
	t->handed++;
	pthread_cond_broadcast(&t->wake);
	pthread_mutex_unlock(&t->queue);
}

bool block_writer_thread_failed(struct block_writer_thread *t, struct err *err)
{
	bool failed;

	pthread_mutex_lock(&t->queue);
	failed = t->error.code;
	if (failed)
		*err = t->error;
	pthread_mutex_unlock(&t->queue);
	return failed;
}

void block_writer_thread_lock(struct block_writer_thread *t)
{
	pthread_mutex_lock(&t->work);
}

void block_writer_thread_unlock(struct block_writer_thread *t)
{
	pthread_mutex_unlock(&t->work);
	/* it may have left something to do later */
	pthread_mutex_lock(&t->queue);
	t->used++;
	pthread_cond_broadcast(&t->wake);
	pthread_mutex_unlock(&t->queue);
}

void block_writer_thread_stop(struct block_writer_thread *t)
{
	if (!t->running)
		return;
	pthread_mutex_lock(&t->queue);
	t->stop = true;
	pthread_cond_broadcast(&t->wake);
	pthread_mutex_unlock(&t->queue);
	pthread_join(t->thread, NULL);
	t->running = false;
}
