// SPDX-License-Identifier: GPL-2.0
#include "util/capture/unwinding.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#define STOP_SECONDS 2

u32 unwinding_workers(u32 cpus)
{
	return MIN((MAX(cpus, 1u) + UNWINDING_CPUS - 1) / UNWINDING_CPUS, (u32)UNWINDING_MAX);
}

static void work(struct unwinding_worker *w)
{
	const u64 one = 1;

	w->leftover = !ring_unwinder_run(&w->unwinder, w->settled);
	pthread_mutex_lock(&w->of->lock);
	w->turn = w->turn == UNWINDING_STOP ? UNWINDING_STOP : UNWINDING_DONE;
	pthread_mutex_unlock(&w->of->lock);
	/* a counter that is full wakes as well */
	if (write(w->of->done, &one, sizeof(one)) < 0)
		return;
}

static void *serve(void *arg)
{
	struct unwinding_worker *w = arg;

	pthread_setname_np(pthread_self(), "perf-lite-stack");
	pthread_mutex_lock(&w->of->lock);
	w->tid = (u32)gettid();
	pthread_cond_broadcast(&w->of->wake);
	for (;;) {
		while (w->turn != UNWINDING_BUSY && w->turn != UNWINDING_STOP)
			pthread_cond_wait(&w->of->wake, &w->of->lock);
		if (w->turn == UNWINDING_STOP)
			break;
		pthread_mutex_unlock(&w->of->lock);
		work(w);
		pthread_mutex_lock(&w->of->lock);
	}
	pthread_mutex_unlock(&w->of->lock);
	return NULL;
}

static int start_worker(struct unwinding *u, struct unwinding_worker *w, struct err *err)
{
	sigset_t all, before;
	int ret;

	w->of = u;
	/* signals are for the thread that reads */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	ret = pthread_create(&w->thread, NULL, serve, w);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (ret)
		return err_set(err, ret, "cannot start a thread: %s", strerror(ret));
	u->nr++;
	pthread_mutex_lock(&u->lock);
	while (!w->tid)
		pthread_cond_wait(&u->wake, &u->lock);
	pthread_mutex_unlock(&u->lock);
	return 0;
}

int unwinding_start(struct unwinding *u, u32 nr, struct err *err)
{
	int ret = 0;

	pthread_mutex_init(&u->lock, NULL);
	pthread_cond_init(&u->wake, NULL);
	u->done = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (u->done < 0)
		return err_set(err, errno, "cannot wait for threads: %s", strerror(errno));
	u->v = calloc(nr, sizeof(*u->v));
	if (!u->v) {
		close(u->done);
		return err_nomem(err);
	}
	while (!ret && u->nr < nr)
		ret = start_worker(u, &u->v[u->nr], err);
	if (ret)
		unwinding_free(u);
	return ret;
}

enum unwinding_turn unwinding_turn(struct unwinding_worker *w)
{
	enum unwinding_turn turn;

	pthread_mutex_lock(&w->of->lock);
	turn = w->turn;
	pthread_mutex_unlock(&w->of->lock);
	return turn;
}

static void set_turn(struct unwinding_worker *w, enum unwinding_turn turn)
{
	pthread_mutex_lock(&w->of->lock);
	w->turn = turn;
	pthread_cond_broadcast(&w->of->wake);
	pthread_mutex_unlock(&w->of->lock);
}

void unwinding_sideband(struct unwinding *u, const void *records, size_t len)
{
	u32 i;

	for (i = 0; i < u->nr; i++)
		buf_add(&u->v[i].sideband, records, len);
}

void unwinding_event_id(struct unwinding *u, u64 id, u32 event)
{
	struct unwinding_id *slot;
	u32 i;

	for (i = 0; i < u->nr; i++) {
		slot = vec_push(&u->v[i].ids);
		if (slot)
			*slot = (struct unwinding_id){id, event};
		else
			u->v[i].sideband.failed = true;
	}
}

void unwinding_go(struct unwinding_worker *w, u64 round, u64 settled)
{
	struct ring_unwinder *r = &w->unwinder;
	u32 i;

	r->failed |= w->sideband.failed;
	ring_unwinder_sideband(r, w->sideband.data, w->sideband.len);
	buf_clear(&w->sideband);
	for (i = 0; i < w->ids.nr; i++)
		r->failed |= event_set_id(&r->events, w->ids.v[i].id, w->ids.v[i].event) != 0;
	w->ids.nr = 0;
	w->round = round;
	w->settled = settled;
	set_turn(w, UNWINDING_BUSY);
}

void unwinding_taken(struct unwinding_worker *w)
{
	if (w->leftover) {
		set_turn(w, UNWINDING_BUSY);
		return;
	}
	w->clean = w->round;
	set_turn(w, UNWINDING_IDLE);
}

u64 unwinding_clean(const struct unwinding *u)
{
	u64 clean = UINT64_MAX;
	u32 i;

	for (i = 0; i < u->nr; i++)
		clean = MIN(clean, u->v[i].clean);
	return clean;
}

bool unwinding_failed(struct unwinding *u)
{
	u32 i;

	for (i = 0; i < u->nr; i++)
		if (unwinding_turn(&u->v[i]) != UNWINDING_BUSY && u->v[i].unwinder.failed)
			return true;
	return false;
}

void unwinding_heard(struct unwinding *u)
{
	u64 times;

	if (read(u->done, &times, sizeof(times)) < 0)
		return; /* nothing was said */
}

void unwinding_wait(struct unwinding *u, u32 ms)
{
	struct pollfd p = {.fd = u->done, .events = POLLIN};

	poll(&p, 1, (int)ms);
}

void unwinding_free(struct unwinding *u)
{
	struct timespec until;
	bool all = true;
	u32 i;

	if (!u->v)
		return;
	for (i = 0; i < u->nr; i++)
		set_turn(&u->v[i], UNWINDING_STOP);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += STOP_SECONDS;
	for (i = 0; i < u->nr; i++) {
		if (!pthread_timedjoin_np(u->v[i].thread, NULL, &until))
			continue;
		/* it waits for a file that does not come; what it uses ends with the process */
		pthread_detach(u->v[i].thread);
		all = false;
	}
	for (i = 0; all && i < u->nr; i++) {
		if (u->v[i].ready)
			ring_unwinder_free(&u->v[i].unwinder);
		buf_free(&u->v[i].sideband);
		vec_free(&u->v[i].ids);
	}
	if (all) {
		close(u->done);
		free(u->v);
		pthread_cond_destroy(&u->wake);
		pthread_mutex_destroy(&u->lock);
	}
	u->v = NULL;
	u->nr = 0;
}
