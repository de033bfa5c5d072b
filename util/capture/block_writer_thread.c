// SPDX-License-Identifier: GPL-2.0
#include "util/capture/block_writer.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

static void write_batch(struct block_writer_thread *t, u64 number)
{
	struct err err = {0};

	pthread_mutex_lock(&t->work);
	if (!t->error.code &&
	    block_writer_batch(t->block_writer, shared_batches_batch(t->shared_batches, number),
			       &err)) {
		pthread_mutex_lock(&t->queue);
		t->error = err;
		pthread_mutex_unlock(&t->queue);
	}
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

static void *write_batches(void *arg)
{
	struct block_writer_thread *t = arg;
	u64 number;
	u32 look;

	pthread_mutex_lock(&t->queue);
	t->tid = (u32)gettid();
	pthread_cond_broadcast(&t->wake);
	for (;;) {
		while (t->written == t->handed && !t->look && !t->stop)
			pthread_cond_wait(&t->wake, &t->queue);
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
	sigset_t all, before;
	int ret;

	*t = (struct block_writer_thread){0};
	pthread_mutex_init(&t->queue, NULL);
	pthread_mutex_init(&t->work, NULL);
	pthread_cond_init(&t->wake, NULL);
	/* signals are for the thread that reads */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	ret = pthread_create(&t->thread, NULL, write_batches, t);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (ret)
		return err_set(err, ret, "cannot start a thread: %s", strerror(ret));
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
	t->block_writer = s;
	t->shared_batches = h;
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
