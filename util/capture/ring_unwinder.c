// SPDX-License-Identifier: GPL-2.0
#include "util/capture/ring_unwinder.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "util/base/clock.h"
#include "util/base/thread.h"
#include "util/capture/recorded_events.h"

/* So much is read, or comes out, before it is taken. */
#define READ_BYTES  (16u << 20)
#define OUT_BYTES   (512u << 10)
#define COMPACT_MIN (64u << 10)
#define TIDY_NS     2000000000ull /* files that nobody maps are closed so often */
/* Of a record with a copy of a stack. */
#define LONG_RECORD 4096
#define HEAD_BYTES  512
#define LINE        64

static int open_mapping(void *ctx, const struct process_model *m, u32 map, u32 pid,
			struct image *img)
{
	const struct ring_unwinder *r = ctx;

	return pinned_files_open_image(r->options.held, m, map, pid, r->options.proc, img);
}

static int make_unwinder(struct ring_unwinder *r, struct err *err)
{
	const struct unwind_options o = {
		.engine = UNWIND_FAST,
		.arch = r->options.arch,
		.open = open_mapping,
		.ctx = r,
	};

	unwinder_free(r->unwinder);
	r->unwinder = unwinder_new(&o, err);
	return r->unwinder ? 0 : -ENOMEM;
}

int ring_unwinder_init(struct ring_unwinder *r, const struct ring_unwinder_options *o,
		       struct err *err)
{
	int ret;

	*r = (struct ring_unwinder){.options = *o, .compact_at = COMPACT_MIN};
	r->chain = malloc(UNWIND_MAX * sizeof(u64));
	r->joined = malloc(UNWIND_MAX * sizeof(u64));
	ret = r->chain && r->joined ? process_init(&r->model, err) : err_nomem(err);
	r->model.forget_exited = true;
	if (!ret)
		ret = make_unwinder(r, err);
	if (ret)
		ring_unwinder_free(r);
	return ret;
}

void ring_unwinder_free(struct ring_unwinder *r)
{
	u32 i;

	unwinder_free(r->unwinder);
	process_free(&r->model);
	event_set_free(&r->events);
	for (i = 0; i < r->rings.nr; i++) {
		buf_free(&r->rings.v[i].out);
		free(r->rings.v[i].copy);
	}
	vec_free(&r->rings);
	vec_free(&r->queue);
	buf_free(&r->sideband);
	quality_free(&r->quality);
	free(r->chain);
	free(r->joined);
	*r = (struct ring_unwinder){0};
}

/* The side-band */

void ring_unwinder_sideband(struct ring_unwinder *r, const void *records, size_t len)
{
	const struct sample_layout *layout = &r->events.events.v[0].layout;
	const u8 *p = records;
	struct ring_unwinder_sideband *s;
	struct rec rec;
	size_t at;

	for (at = 0; at < len; at += rec.size) {
		if (!rec_view(&rec, p + at, len - at))
			break;
		s = vec_push(&r->queue);
		if (!s) {
			r->failed = true;
			break;
		}
		*s = (struct ring_unwinder_sideband){sample_layout_time(layout, &rec),
						     r->sideband.len, rec.size};
		buf_add(&r->sideband, rec.data, rec.size);
	}
	r->failed |= r->sideband.failed;
}

static int by_time(const void *x, const void *y)
{
	const struct ring_unwinder_sideband *a = x, *b = y;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

static void order_sideband(struct ring_unwinder *r)
{
	if (r->queued == r->queue.nr)
		return;
	qsort(r->queue.v + r->applied, r->queue.nr - r->applied, sizeof(*r->queue.v), by_time);
	r->queued = r->queue.nr;
}

static void apply_sideband(struct ring_unwinder *r, u64 until)
{
	const struct ring_unwinder_sideband *s;
	struct rec rec;

	if (r->sideband.failed)
		return;
	for (; r->applied < r->queued && r->queue.v[r->applied].time <= until; r->applied++) {
		s = &r->queue.v[r->applied];
		if (rec_view(&rec, r->sideband.data + s->at, s->size))
			process_apply(&r->model, &rec);
	}
	r->failed |= r->model.failed;
}

/* Drop what was applied. */
static void forget_applied(struct ring_unwinder *r)
{
	struct buf rest = {0};
	u32 i;

	if (!r->applied)
		return;
	r->untidy = true;
	for (i = r->applied; i < r->queue.nr; i++) {
		struct ring_unwinder_sideband *s = &r->queue.v[i];
		size_t at = rest.len;

		buf_add(&rest, r->sideband.data + s->at, s->size);
		r->queue.v[i - r->applied] = *s;
		r->queue.v[i - r->applied].at = at;
	}
	r->queue.nr -= r->applied;
	r->queued = r->queue.nr;
	r->applied = 0;
	buf_free(&r->sideband);
	r->sideband = rest;
	r->failed |= rest.failed;
}

/* Dead tasks and mappings that were replaced take room in the model; what is kept of them, too. */
static void compact_model(struct ring_unwinder *r)
{
	const struct process_model *m = &r->model;

	if ((u64)m->maps.nr + m->threads.nr < r->compact_at)
		return;
	/* what the unwinder keeps of the dead goes, too */
	if (!process_compact(&r->model, NULL))
		r->failed |= make_unwinder(r, NULL) != 0;
	r->compact_at = MAX(COMPACT_MIN, 2 * (m->maps.nr + m->threads.nr));
}

/* The rings */

void ring_unwinder_give(struct ring_unwinder *r, u32 number, const struct ring *ring, u64 from,
			u64 to)
{
	struct ring_stretch *s = NULL;
	u32 i;

	for (i = 0; i < r->rings.nr && !s; i++)
		if (r->rings.v[i].ring == number)
			s = &r->rings.v[i];
	if (!s)
		s = vec_push(&r->rings);
	if (!s) {
		r->failed = true;
		return;
	}
	s->ring = number;
	s->data = ring->data;
	s->size = ring->size;
	s->from = s->pos = from;
	s->to = to;
	s->peeked = false;
	if (to - from <= ring->size)
		return;
	s->bad++;
	s->pos = to;
}

void ring_unwinder_taken(struct ring_stretch *s)
{
	buf_reset(&s->out);
	s->from = s->pos;
	s->bad = 0;
}

/* The bytes of the record at the position; NULL: that is none. */
static const u8 *record_at(struct ring_unwinder *r, struct ring_stretch *s, size_t *size)
{
	u64 at = s->pos & (s->size - 1), left = s->to - s->pos, first;
	struct perf_event_header h;

	/* records are multiples of 8 bytes, so a header never wraps */
	if (left < sizeof(h))
		return NULL;
	memcpy(&h, s->data + at, sizeof(h));
	if (h.size < sizeof(h) || h.size % 8 || h.size > left)
		return NULL;
	*size = h.size;
	if (at + h.size <= s->size)
		return s->data + at;
	if (!s->copy)
		s->copy = malloc(UINT16_MAX);
	if (!s->copy) {
		r->failed = true;
		return NULL;
	}
	first = s->size - at;
	memcpy(s->copy, s->data + at, first);
	memcpy(s->copy + first, s->data, h.size - first);
	return s->copy;
}

/*
 * A record is in memory and only parts of it are read, once. So those of the next one are prefetched
 * while this one is unwound: its head, the top of its stack, and the length of the stack, which is at
 * its end. Most have the same length; where they differ, only the prefetch is wasted. Inlined: gcc
 * drops calls of a function that only prefetches, as it has no effect.
 */
static inline __attribute__((always_inline)) void ask_for_next(const struct ring_stretch *s,
							       u64 size)
{
	u64 next = s->pos + size, at;

	if (size < LONG_RECORD || s->to - next < size)
		return;
	for (at = next; at < next + HEAD_BYTES; at += LINE)
		__builtin_prefetch(s->data + (at & (s->size - 1)));
	__builtin_prefetch(s->data + ((next + size - sizeof(u64)) & (s->size - 1)));
}

/* Look at the record at the position; a ring that holds no records is left to its end. */
static bool peek_record(struct ring_unwinder *r, struct ring_stretch *s)
{
	const struct event_desc *e = r->events.events.v;
	const u8 *p;
	size_t size;

	if (s->peeked || s->pos == s->to)
		return s->peeked;
	p = record_at(r, s, &size);
	if (!p || !rec_view(&s->next, p, size)) {
		s->bad++;
		s->pos = s->to;
		return false;
	}
	s->next.event = r->events.events.nr == 2 ? 1 : event_set_find_in(&r->events, &s->next, 1);
	s->next_time = sample_layout_time(&e[s->next.event == ID_NONE ? 0 : s->next.event].layout,
					  &s->next);
	s->peeked = true;
	ask_for_next(s, size);
	return true;
}

static struct ring_stretch *oldest_record(struct ring_unwinder *r)
{
	struct ring_stretch *found = NULL, *s;
	u32 i;

	for (i = 0; i < r->rings.nr; i++) {
		s = &r->rings.v[i];
		if (peek_record(r, s) && (!found || s->next_time < found->next_time))
			found = s;
	}
	return found;
}

/* The samples */

static const struct thread *find_thread(struct ring_unwinder *r, const struct sample *s)
{
	const struct thread *t;

	if (s->ids.pid != ID_NONE)
		return process_thread(&r->model, s->ids.pid, s->ids.tid);
	/* a tracepoint's sample has only the thread */
	t = process_find_thread(&r->model, s->ids.tid);
	return t ? t : process_thread(&r->model, s->ids.tid, s->ids.tid);
}

/* The DSO of the outermost address that something is mapped at. */
static u32 last_dso(const struct ring_unwinder *r, const struct thread *t, const u64 *user, u32 nr)
{
	u32 map = ID_NONE;

	while (nr-- > 0 && map == ID_NONE)
		if (user[nr] < (u64)PERF_CONTEXT_MAX)
			map = process_find_map(&r->model, t, user[nr]);
	return map == ID_NONE ? ID_NONE : r->model.maps.v[map].dso;
}

static void count_quality(struct ring_unwinder *r, const struct thread *t, const u64 *user, u32 nr)
{
	u32 end = QUALITY_UNTOLD;

	if (nr && chain_is_end(user[nr - 1]))
		end = quality_unwound_end(&r->model, t, user, nr);
	quality_stacks(&r->quality, end == CHAIN_ROOT ? ID_NONE : last_dso(r, t, user, nr), end, 1);
}

/* The user half of the sample, in r->chain or r->joined. */
static const u64 *user_half(struct ring_unwinder *r, const struct sample *s, u32 max, u32 *nr)
{
	const struct thread *t = find_thread(r, s);
	const struct unwind_input in = unwind_input_of(s, s->stack_dyn_size == s->stack_size);
	u32 kernel = chain_kernel_half(s->chain, s->chain_nr), frames;
	const u64 *user = r->chain;

	if (!t) {
		r->failed = true;
		*nr = 0;
		return user;
	}
	*nr = unwind_chain(r->unwinder, &r->model, t, &in, r->chain, max);
	if (kernel < s->chain_nr) {
		frames = s->chain_nr - kernel - 1;
		*nr = unwind_merge_chains(r->chain, *nr, s->chain + kernel + 1, frames, r->joined,
					  max);
		user = r->joined;
	}
	count_quality(r, t, user, *nr);
	return user;
}

/* Likewise of one that has frame pointers, and may lack its leaf's caller: `max` frames at most. */
static const u64 *with_caller(struct ring_unwinder *r, const struct sample *s, u32 max, u32 *nr)
{
	const u32 kernel = chain_kernel_half(s->chain, s->chain_nr);
	const u64 *user = s->chain + kernel + 1;
	const struct thread *t = find_thread(r, s);
	u64 caller = 0;
	u32 at;

	*nr = kernel < s->chain_nr ? s->chain_nr - kernel - 1 : 0;
	r->failed |= !t;
	if (t && *nr && *nr < UNWIND_MAX)
		caller = unwind_leaf_caller(r->unwinder, &r->model, t, s, &at);
	if (!caller)
		return user;
	at -= kernel + 1;
	memcpy(r->chain, user, at * sizeof(*user));
	r->chain[at] = caller;
	memcpy(r->chain + at + 1, user + at, (*nr - at) * sizeof(*user));
	*nr = MIN(*nr + 1, max);
	return r->chain;
}

static bool shorten(struct ring_unwinder *r, const struct rec *rec, const struct event_desc *e,
		    struct buf *out)
{
	bool keep = r->options.keep_stacks;
	u64 leaf[2] = {0, CHAIN_END + CHAIN_LIMIT};
	const u64 *user = NULL;
	u32 max, nr = 0;
	struct sample s;

	if (!sample_layout_sample(&e->layout, rec, &s))
		return false;
	max = e->attr.sample_max_stack ? MIN(e->attr.sample_max_stack + 1u, (u32)UNWIND_MAX)
				       : UNWIND_MAX;
	if (recorded_has_caller(&e->attr))
		user = with_caller(r, &s, max - 1, &nr);
	else if (s.regs_user.abi != PERF_SAMPLE_REGS_ABI_NONE && s.regs_user.reg &&
		 (!r->options.self || s.ids.pid != r->options.self))
		user = user_half(r, &s, MAX(max, 2u), &nr);
	if (recorded_sample_put(out, rec, &s, user, nr, keep) || !nr)
		return true;
	leaf[0] = user[0];
	/* raw data leaves no room for so long a chain */
	return recorded_sample_put(out, rec, &s, leaf, 2, keep);
}

/* Has the sample the register that a leaf's caller may be in? */
static bool has_link(const struct ring_unwinder *r, const struct sample_layout *p)
{
	return p->sample_type & PERF_SAMPLE_REGS_USER && r->options.arch &&
	       r->options.arch->link_reg && p->regs_user == r->options.arch->link_reg;
}

/* The sample as it is, or with the caller of a leaf in its chain. */
static bool lengthen(struct ring_unwinder *r, const struct rec *rec,
		     const struct sample_layout *layout, struct buf *out)
{
	struct perf_event_header h;
	const struct thread *t;
	size_t count, before;
	struct sample s;
	u64 caller = 0;
	u32 at;

	if (!sample_layout_sample(layout, rec, &s))
		return false;
	t = find_thread(r, &s);
	r->failed |= !t;
	if (t && rec->size + sizeof(caller) <= UINT16_MAX)
		caller = unwind_leaf_caller(r->unwinder, &r->model, t, &s, &at);
	if (!caller) {
		buf_add(out, rec->data, rec->size);
		return true;
	}
	memcpy(&h, rec->data, sizeof(h));
	h.size += sizeof(caller);
	count = (size_t)((const u8 *)s.chain - rec->data) - sizeof(u64);
	before = count + sizeof(u64) * (1 + at);
	buf_add(out, &h, sizeof(h));
	buf_add(out, rec->data + sizeof(h), count - sizeof(h));
	buf_u64(out, s.chain_nr + 1);
	buf_add(out, s.chain, at * sizeof(u64));
	buf_u64(out, caller);
	buf_add(out, rec->data + before, rec->size - before);
	return true;
}

static void unwind_record(struct ring_unwinder *r, struct ring_stretch *s)
{
	const struct event_desc *e =
		s->next.event == ID_NONE ? NULL : &r->events.events.v[s->next.event];

	if (s->next.type == PERF_RECORD_SAMPLE && e && recorded_has_stack(&e->attr)) {
		if (!shorten(r, &s->next, e, &s->out))
			s->bad++;
	} else if (s->next.type == PERF_RECORD_SAMPLE && e && has_link(r, &e->layout)) {
		if (!lengthen(r, &s->next, &e->layout, &s->out))
			s->bad++;
	} else {
		buf_add(&s->out, s->next.data, s->next.size);
	}
	s->peeked = false;
	s->pos += s->next.size;
	r->failed |= s->out.failed;
}

/* What held a file may have ended. */
static void close_unmapped(struct ring_unwinder *r)
{
	u64 now = clock_ns(CLOCK_MONOTONIC);

	if (!r->untidy || now - r->tidied < TIDY_NS)
		return;
	r->tidied = now;
	r->untidy = false;
	unwinder_close_unmapped(r->unwinder, &r->model);
}

bool ring_unwinder_is_untidy(const struct ring_unwinder *r, bool sideband, u64 now)
{
	return (sideband || r->untidy || r->queue.nr) && now - r->tidied >= TIDY_NS;
}

bool ring_unwinder_run(struct ring_unwinder *r, u64 settled)
{
	struct ring_stretch *s;
	u64 read = 0, out = 0, before;

	order_sideband(r);
	while ((s = oldest_record(r))) {
		if (r->failed || read >= READ_BYTES || out >= OUT_BYTES)
			return false;
		apply_sideband(r, s->next_time);
		before = s->out.len;
		read += s->next.size;
		unwind_record(r, s);
		out += s->out.len - before;
	}
	apply_sideband(r, settled);
	forget_applied(r);
	compact_model(r);
	close_unmapped(r);
	return true;
}

void ring_unwinder_add_quality(struct ring_unwinder *r, const struct ring_unwinder *other)
{
	const struct quality *q = &other->quality;
	const struct dso *d;
	u32 i, end, id;

	for (i = 0; i < q->dsos.nr; i++) {
		d = &other->model.dsos.v[i];
		id = process_dso(&r->model, d->name, strlen(d->name), d->kind, d->maj, d->min,
				 d->ino);
		for (end = 0; end < QUALITY_ENDS; end++)
			quality_stacks(&r->quality, id, end, q->dsos.v[i].stacks[end]);
	}
	for (end = 0; end < QUALITY_ENDS; end++)
		quality_stacks(&r->quality, ID_NONE, end, q->nowhere.stacks[end]);
}

#define STOP_SECONDS 2

u32 unwinding_workers(u32 cpus)
{
	return MIN((MAX(cpus, 1u) + UNWINDING_CPUS - 1) / UNWINDING_CPUS, (u32)UNWINDING_MAX);
}

static void take_turn(struct unwinding_worker *w)
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

static void *unwind_turns(void *arg)
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
		take_turn(w);
		pthread_mutex_lock(&w->of->lock);
	}
	pthread_mutex_unlock(&w->of->lock);
	return NULL;
}

static int start_worker(struct unwinding *u, struct unwinding_worker *w, struct err *err)
{
	int ret;

	w->of = u;
	ret = thread_start(&w->thread, unwind_turns, w, err);
	if (ret)
		return ret;
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
	buf_reset(&w->sideband);
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

struct ring_unwinder *unwinding_quality(struct unwinding *u)
{
	struct ring_unwinder *first = NULL;
	u32 i;

	for (i = 0; i < u->nr; i++) {
		if (unwinding_turn(&u->v[i]) == UNWINDING_BUSY)
			continue;
		if (first)
			ring_unwinder_add_quality(first, &u->v[i].unwinder);
		else
			first = &u->v[i].unwinder;
	}
	return first;
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

bool unwinding_free(struct unwinding *u)
{
	struct timespec until;
	bool all = true;
	u32 i;

	if (!u->v)
		return true;
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
	return all;
}
