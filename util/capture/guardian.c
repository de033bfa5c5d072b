// SPDX-License-Identifier: GPL-2.0
#include "util/capture/guardian.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/base/clock.h"
#include "util/base/io.h"
#include "util/capture/background_close.h"
#include "util/capture/synth.h"

#define STACK_BYTES  (1u << 20)
#define ASLEEP_TRIES 100
#define POLL_MS      100 /* how often a kernel without pidfds is asked for the parent */

struct watch {
	const struct guardian_work *work;
	int pidfd, wake;
	pid_t recorder;
	VEC(struct ring) rings; /* by number; not mapped where size is 0 */
};

static void map_rings(struct watch *w)
{
	struct shared_batches *h = w->work->shared_batches;
	u32 nr = __atomic_load_n(&h->nr_rings, __ATOMIC_ACQUIRE);

	while (w->rings.nr < nr) {
		const struct shared_batches_ring *r = &h->rings[w->rings.nr];
		struct ring *ring = vec_push(&w->rings);

		if (!ring)
			break;
		if (ring_open(ring, (int)r->fd, r->pages, r->overwrite, NULL))
			*ring = (struct ring){0};
	}
	__atomic_store_n(&h->ready, nr, __ATOMIC_RELEASE);
	syscall(SYS_futex, &h->ready, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void stop_events(const struct watch *w)
{
	const struct shared_batches *h = w->work->shared_batches;
	struct rings_visit visit = rings_visit_begin();
	const struct shared_batches_counter *c;
	u32 ring, i;

	for (ring = 0; ring < w->rings.nr; ring++) {
		if (!h->rings[ring].sideband)
			continue;
		rings_visit(&visit, h->rings[ring].cpu);
		for (i = 0; i < h->nr_counters; i++) {
			c = &h->counters[i];
			if (c->fd >= 0 && c->cpu == h->rings[ring].cpu)
				ioctl(c->fd, PERF_EVENT_IOC_DISABLE, 0);
		}
	}
	rings_visit_end(&visit);
}

/* Where reading goes on: behind the last span of the ring that was committed. */
static u64 taken(const struct shared_batches *h, u32 number)
{
	u64 at = h->rings[number].taken;
	u32 i, j;

	for (i = 0; i < SHARED_BATCHES; i++) {
		const struct batch *b = &h->batches[i];

		if (b->number <= shared_batches_commit(h)->batch)
			continue;
		for (j = 0; j < b->nr_spans; j++)
			if (b->spans[j].ring == number)
				at = MAX(at, b->spans[j].to);
	}
	return at;
}

/* The batch is full: write it, and make it the next. */
static int next_batch(struct block_writer *s, struct batch *b, struct err *err)
{
	int ret = block_writer_batch(s, b, err);

	if (!ret)
		batch_begin(b, b->number + 1);
	return ret;
}

/* What an overwriting ring holds, whose events are stopped. */
static int take_overwritten(struct watch *w, struct block_writer *s, u32 number, struct batch *b,
			    struct err *err)
{
	struct ring *ring = &w->rings.v[number];
	u8 *all = malloc(ring->size);
	size_t len, at, n;
	int ret = 0;

	if (!all)
		return err_nomem(err);
	len = ring_copy_newest(ring, all);
	for (at = 0; at < len && !ret; at += n) {
		n = batch_add(b, number, all + at, len - at);
		if (n)
			continue;
		if (!b->nr_spans) /* an empty batch has room for any record: this is none */
			break;
		ret = next_batch(s, b, err);
	}
	free(all);
	return ret;
}

/* What is in one ring, in as many batches as it takes; b is left with the last of them. */
static int drain_ring(struct watch *w, struct block_writer *s, u32 number, struct batch *b,
		      struct err *err)
{
	struct ring_unwinder *unwinder = w->work->unwinder;
	struct ring *ring = &w->rings.v[number];
	size_t n;
	u64 from;
	int ret;

	if (ring->size && ring->overwrite)
		return take_overwritten(w, s, number, b, err);
	if (!ring->size || !ring_begin(ring))
		return 0;
	for (;;) {
		from = ring->pos;
		n = batch_room(b) > UINT16_MAX ? ring_copy(ring, batch_end(b), batch_room(b)) : 0;
		if (n) {
			if (unwinder)
				ring_unwinder_sideband(unwinder, batch_end(b), n);
			batch_commit(b, number, from, ring->pos, (u32)n);
		} else if (ring->pos == ring->head) {
			return 0;
		} else {
			ret = next_batch(s, b, err);
			if (ret)
				return ret;
		}
	}
}

/* What is in the rings of samples, unwound with the tasks that live now and those just added. */
static int unwind_rest(struct watch *w, struct block_writer *s, struct batch *b, struct err *err)
{
	const struct shared_batches *h = w->work->shared_batches;
	struct ring_unwinder *u = w->work->unwinder;
	struct ring_stretch *stretch;
	bool all = false;
	int ret = 0;
	u32 i;

	for (i = 0; i < w->rings.nr; i++) {
		struct ring *ring = &w->rings.v[i];

		if (ring->size && !h->rings[i].sideband && ring_begin(ring))
			ring_unwinder_give(u, i, ring, ring->pos, ring->head);
	}
	while (!all && !ret) {
		all = ring_unwinder_run(u, UINT64_MAX);
		for (i = 0; i < u->rings.nr && !ret; i++) {
			stretch = &u->rings.v[i];
			if (u->failed || stretch->out.failed)
				return err_nomem(err);
			if (batch_room(b) < stretch->out.len)
				ret = next_batch(s, b, err);
			if (ret || !stretch->out.len)
				continue;
			memcpy(batch_end(b), stretch->out.data, stretch->out.len);
			batch_commit(b, stretch->ring, stretch->from, stretch->pos,
				     (u32)stretch->out.len);
			ring_unwinder_taken(stretch);
		}
	}
	return ret;
}

/* Unwinding needs the tasks of the time before: those that live, and the side-band of a batch. */
static void give_unwinder_sideband(struct watch *w, const struct batch *b)
{
	const struct shared_batches *h = w->work->shared_batches;
	const struct batch_span *span;
	u32 i;

	for (i = 0; i < b->nr_spans; i++) {
		span = &b->spans[i];
		if (span->ring == ID_NONE || h->rings[span->ring].sideband)
			ring_unwinder_sideband(w->work->unwinder, b->data + span->at, span->len);
	}
}

static int give_unwinder_living_tasks(struct watch *w, struct err *err)
{
	const struct event_set *events = w->work->events;
	struct buf records = {0};
	struct synth synth = {
		.proc = w->work->block_writer->proc,
		.layout = &events->events.v[0].layout,
		.out = &records,
	};
	int ret = synth_all(&synth, err);

	ring_unwinder_sideband(w->work->unwinder, records.data, records.len);
	buf_free(&records);
	return ret;
}

static int drain_rings(struct watch *w, struct block_writer *s, struct batch *b, struct err *err)
{
	const struct shared_batches *h = w->work->shared_batches;
	int ret = 0;
	u32 i;

	for (i = 0; i < w->rings.nr && !ret; i++)
		if (!w->work->unwinder || h->rings[i].sideband)
			ret = drain_ring(w, s, i, b, err);
	return !ret && w->work->unwinder ? unwind_rest(w, s, b, err) : ret;
}

/* Overwriting rings give their records late. */
static bool overwrites(const struct watch *w)
{
	u32 i;

	for (i = 0; i < w->rings.nr; i++)
		if (w->rings.v[i].overwrite)
			return true;
	return false;
}

static int write_rest(struct watch *w, struct block_writer *s, struct err *err)
{
	struct shared_batches *h = w->work->shared_batches;
	struct batch *b;
	u64 number;
	int ret = 0;
	u32 i;

	for (i = 0; i < w->rings.nr; i++)
		w->rings.v[i].pos = taken(h, i);
	if (w->work->unwinder)
		ret = give_unwinder_living_tasks(w, err);
	for (number = s->batch + 1; !ret && (b = shared_batches_batch(h, number)); number++) {
		/* one that was handed over has its own, since others came after it; 0 is that of late records, too */
		if (!b->order && !overwrites(w))
			b->order = h->round_before;
		if (w->work->unwinder)
			give_unwinder_sideband(w, b);
		ret = block_writer_batch(s, b, err);
	}
	/* the shared batches may be read by nobody else any more */
	b = &h->batches[0];
	batch_begin(b, number);
	b->order = overwrites(w) ? 0 : h->round_before;
	if (!ret)
		ret = drain_rings(w, s, b, err);
	return ret ? ret : block_writer_batch(s, b, err);
}

/* The kernel's counts of each event; counters that were closed meanwhile leave them open. */
static struct counts *read_counts(const struct guardian_work *work, struct lost_on *on)
{
	const struct shared_batches *h = work->shared_batches;
	const struct shared_batches_counter *c;
	struct counts *n = calloc(h->nr_events, sizeof(*n));
	u64 lost;
	u32 i;

	for (i = 0; n && i < h->nr_events; i++)
		rings_begin_account(&work->list->specs.v[i], &n[i]);
	for (i = 0; n && i < h->nr_counters; i++) {
		c = &h->counters[i];
		if (c->spec == ID_NONE)
			continue;
		lost = rings_account(&work->list->specs.v[c->spec], c->fd, &n[c->spec]);
		if (c->spec)
			lost_on_add(on, c->cpu, lost);
	}
	for (i = 0; n && h->sharing && i < h->nr_events; i++)
		n[i].flags = 0;
	return n;
}

/*
 * A recorder that was killed before it knew whether its command runs leaves a file if that has samples. What fails
 * here fails again, and is said, when the file ends.
 */
static void publish(struct block_writer *s, bool published)
{
	const u64 samples = s->writer.samples - s->writer.samples_skipped;

	if (s->open && (published || samples))
		block_writer_publish(s, NULL);
}

/* The ids of counters that were opened since this process was made, in its copies of the events. */
static int know_ids(const struct guardian_work *work, struct block_writer *s, struct err *err)
{
	const struct shared_batches *h = work->shared_batches;
	VEC(struct block_writer_id) ids = {0};
	struct block_writer_id *slot;
	u32 i, event;
	int ret = 0;
	u64 id;

	for (i = 0; i < h->nr_counters && !ret; i++) {
		id = h->counters[i].id;
		event = h->counters[i].spec;
		if (event >= h->nr_events || !id || hmap_get(&work->events->by_id, id) != ID_NONE)
			continue;
		slot = vec_push(&ids);
		if (slot)
			*slot = (struct block_writer_id){id, event};
		if (!slot || (work->unwinder && event_set_id(&work->unwinder->events, id, event)))
			ret = err_nomem(err);
	}
	/* the file may lack them, too: what was written last is cut off */
	if (!ret && block_writer_ids(s, ids.v, ids.nr, err) == -ENOMEM)
		ret = -ENOMEM;
	vec_free(&ids);
	return ret;
}

static int finish_recording(struct watch *w, struct guardian_report *report, struct err *err)
{
	const struct guardian_work *work = w->work;
	struct lost_on on = {0};
	struct block_writer_end end = {.lost_on = &on, .exit_code = -1};
	struct block_writer s = {0};
	struct counts *counts;
	u64 before;
	int ret;

	stop_events(w);
	ret = block_writer_resume(&s, work->block_writer, work->events, work->shared_batches, err);
	if (!ret)
		ret = know_ids(work, &s, err);
	before = s.writer.samples - s.writer.samples_skipped;
	if (!ret)
		ret = write_rest(w, &s, err);
	publish(&s, work->shared_batches->published);
	counts = read_counts(work, &on);
	end.kernel = counts;
	end.time = clock_ns(work->block_writer->preamble->clockid);
	end.read_to_end = !ret;
	if (!counts)
		ret = err_nomem(err);
	else if (!ret)
		ret = block_writer_finish(&s, &end, err);
	report->samples = s.writer.samples - s.writer.samples_skipped;
	report->rescued = report->samples - before;
	if (!ret && s.write.failed) {
		*err = s.write.err;
		ret = -err->code;
	}
	free(counts);
	vec_free(&on);
	block_writer_free(&s);
	return ret;
}

static void take_over(struct watch *w)
{
	const struct guardian_work *work = w->work;
	struct guardian_report report = {.file = work->block_writer->output};
	struct err err = {0};

	if (work->shared_batches->go >= 0)
		close(work->shared_batches->go);
	if (!work->shared_batches->published && !work->temp)
		return;
	if (finish_recording(w, &report, &err))
		report.error = &err;
	if (work->report && (work->shared_batches->published || report.samples))
		work->report(&report);
}

static bool recorder_lives(const struct watch *w)
{
	struct pollfd p = {.fd = w->pidfd, .events = POLLIN};

	/* only a pidfd that is readable says so; a poll that fails says nothing */
	return w->pidfd >= 0 ? poll(&p, 1, 0) <= 0 : getppid() == w->recorder;
}

static void wait_for_end(struct watch *w)
{
	struct pollfd p[2] = {{.fd = w->pidfd, .events = POLLIN},
			      {.fd = w->wake, .events = POLLIN}};
	u64 times;

	while (recorder_lives(w)) {
		poll(p, 2, w->pidfd >= 0 ? -1 : POLL_MS);
		if (p[1].revents & POLLIN && read(w->wake, &times, sizeof(times)) > 0)
			map_rings(w);
	}
}

static int guard(void *arg)
{
	struct watch *w = arg;
	struct shared_batches *h = w->work->shared_batches;
	sigset_t all;

	/* what ends the recorder, its terminal or its process group must not end the guardian */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	setsid();
	prctl(PR_SET_NAME, "perf-lite-guard");
	map_rings(w);
	wait_for_end(w);
	if (!h->done)
		take_over(w);
	background_close_others(-1);
	_exit(0);
}

static int wait_until_ready(struct shared_batches *h, u32 nr)
{
	const struct timespec limit = {.tv_sec = 10};
	u32 seen;

	while ((seen = __atomic_load_n(&h->ready, __ATOMIC_ACQUIRE)) < nr)
		if (syscall(SYS_futex, &h->ready, FUTEX_WAIT, seen, &limit, NULL, 0) &&
		    errno == ETIMEDOUT)
			return -ETIMEDOUT;
	return 0;
}

/* What it does before it sleeps is not to be recorded. */
static void wait_until_asleep(pid_t pid)
{
	struct buf stat = {0};
	const char *state;
	char path[32];
	int tries;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	for (tries = 0; tries < ASLEEP_TRIES; tries++) {
		buf_reset(&stat);
		if (io_read_file(AT_FDCWD, path, &stat, 4096))
			break;
		/* after its name, which is in brackets and may contain others */
		state = strrchr(buf_str(&stat), ')');
		if (state && !strncmp(state, ") S", 3))
			break;
		usleep(100);
	}
	buf_free(&stat);
}

int guardian_start(struct guardian *g, const struct guardian_work *work, struct err *err)
{
	struct watch w = {.work = work, .recorder = getpid()};
	void *stack;

	w.pidfd = (int)syscall(SYS_pidfd_open, w.recorder, 0);
	w.wake = g->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
	if (stack == MAP_FAILED || g->wake < 0)
		return err_set(err, errno, "cannot start the guardian: %s", strerror(errno));
	g->pid = clone(guard, (u8 *)stack + STACK_BYTES, CLONE_FILES | SIGCHLD, &w);
	if (g->pid < 0) {
		g->pid = 0;
		err_set(err, errno, "cannot start the guardian: %s", strerror(errno));
	}
	munmap(stack, STACK_BYTES);
	if (!g->pid)
		return -err->code;
	if (wait_until_ready(work->shared_batches, work->shared_batches->nr_rings))
		return err_set(err, ETIMEDOUT, "the guardian does not come up");
	wait_until_asleep(g->pid);
	return 0;
}

void guardian_tell(struct guardian *g)
{
	u64 one = 1;
	ssize_t n;

	/* one that does not hear of a ring loses what is in it when the recorder is killed */
	if (!g->pid)
		return;
	do
		n = write(g->wake, &one, sizeof(one));
	while (n < 0 && errno == EINTR);
}

bool guardian_is_dead(struct guardian *g)
{
	if (!g->pid || waitpid(g->pid, NULL, WNOHANG) != g->pid)
		return false;
	g->pid = 0;
	return true;
}

void guardian_leave(struct guardian *g, u32 nr_tracepoints)
{
	if (g->pid && nr_tracepoints > QUICK_TRACEPOINTS)
		return;
	if (g->pid) {
		/* it has nothing to do any more, and may be stopped: then it would not hear of it */
		if (!kill(g->pid, SIGKILL))
			waitpid(g->pid, NULL, 0);
		g->pid = 0;
		return;
	}
	background_close(nr_tracepoints);
}
