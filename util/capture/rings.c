// SPDX-License-Identifier: GPL-2.0
#include "util/capture/rings.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "util/base/thread.h"
#include "util/capture/shared_batches.h"
#include "util/event/ev_denied.h"
#include "util/event/ev_expr.h"
#include "util/event/ev_hidden.h"
#include "util/event/ev_record.h"
#include "util/kernel/cpus.h"
#include "util/kernel/limits.h"
#include "util/record/deferred.h"

/* Enough for thousands of processes to exec between two rounds. */
#define SIDEBAND_BYTES (128u << 10)
#define GROWN_BYTES    (16u << 20)
/* Each event that changes its ring waits for a grace period of RCU. */
#define GROW_EVENTS 8
/* Threads that are neither stopped nor asleep have gone back to user space by then. */
#define DEFERRED_NS 5000000
/* Counters that were closed: more than the batches that are not written yet can hold samples of. */
#define CLOSED_MAX 1024

static void share_ring(struct rings *r, u32 number)
{
	const struct ring_slot *s = &r->v.v[number];
	struct shared_batches_ring *h;

	if (!r->shared_batches || number >= r->shared_batches->max_rings)
		return;
	h = &r->shared_batches->rings[number];
	h->fd = (u32)s->owner;
	h->pages = s->pages;
	h->cpu = s->cpu;
	h->sideband = s->sideband;
	h->overwrite = s->ring.overwrite;
	h->taken = s->ring.pos;
	if (r->shared_batches->nr_rings <= number)
		__atomic_store_n(&r->shared_batches->nr_rings, number + 1, __ATOMIC_RELEASE);
}

static void share_counter(struct shared_batches *h, u32 *nr, const struct counter *c)
{
	if (*nr < h->max_counters)
		h->counters[(*nr)++] = (struct shared_batches_counter){
			.fd = c->fd, .spec = c->spec, .cpu = c->cpu, .id = c->id};
}

/* Open ones first, as the table may be full: but for the news that some of an event were closed. */
static void share_counters(struct rings *r)
{
	struct shared_batches *h = r->shared_batches;
	u32 nr = 0, i, closed;

	if (!h)
		return;
	__atomic_store_n(&h->sharing, 1, __ATOMIC_SEQ_CST);
	for (i = 0; i < r->list->specs.nr; i++)
		if (r->ended[i])
			share_counter(h, &nr, &(struct counter){.fd = -1, .spec = i});
	for (i = 0; i < r->gates.nr; i++)
		if (r->gates.v[i].fd >= 0)
			share_counter(h, &nr,
				      &(struct counter){.fd = r->gates.v[i].fd,
							.spec = ID_NONE,
							.cpu = r->gates.v[i].cpu});
	for (closed = 0; closed < 2; closed++)
		for (i = 0; i < r->counters.nr; i++)
			if ((r->counters.v[i].fd < 0) == closed)
				share_counter(h, &nr, &r->counters.v[i]);
	__atomic_store_n(&h->nr_counters, nr, __ATOMIC_RELEASE);
	__atomic_store_n(&h->sharing, 0, __ATOMIC_SEQ_CST);
}

void rings_share(struct rings *r, struct shared_batches *h)
{
	u32 i;

	r->shared_batches = h;
	for (i = 0; i < r->v.nr; i++)
		share_ring(r, i);
	share_counters(r);
}

static int owner_refused(const struct rings *r, u32 cpu, int code, struct err *err)
{
	const struct ev_spec owner = {.name = "dummy", .attr.exclude_kernel = 1};
	struct limits limits = {0};

	if (code == EACCES || code == EPERM) {
		limits_read(r->opener.root, &limits, NULL);
		return ev_denied(&owner, code, cpu, 0, &limits, err);
	}
	err_set(err, code, "cannot open a buffer on CPU %u: %s", cpu, strerror(code));
	if (code == EMFILE)
		limits_hint_files(r->opener.root, err, "record");
	return -code;
}

/* A ring for that CPU, behind an owner of its own. */
static int add_ring(struct rings *r, u32 cpu, bool sideband, u32 pages, struct err *err)
{
	u32 watermark = (sideband ? r->options.early : r->options.prompt)
				? 1
				: (u32)((u64)pages * (u64)sysconf(_SC_PAGESIZE) / 4);
	const struct perf_event_attr *like = &r->list->specs.v[sideband ? 0 : 1].attr;
	bool overwrite = !sideband && r->options.overwrite;
	struct ring_slot *s = vec_push(&r->v);
	int ret;

	if (s && r->shared_batches && r->v.nr > r->shared_batches->max_rings) {
		r->v.nr--;
		return err_set(err, ENOSPC, "there are no more than %u buffers",
			       r->shared_batches->max_rings);
	}
	if (!s)
		return err_nomem(err);
	*s = (struct ring_slot){.cpu = cpu, .pages = pages, .sideband = sideband};
	r->no_memory = false;
	s->owner = ev_open_owner(like, watermark, cpu);
	if (s->owner < 0) {
		ret = s->owner;
		r->v.nr--;
		return owner_refused(r, cpu, -ret, err);
	}
	ret = ring_open(&s->ring, s->owner, pages, overwrite, err);
	r->no_memory = ret == -EPERM || ret == -ENOMEM;
	if (!ret && !hmap_set(sideband ? &r->sideband : &r->samples, cpu, r->v.nr - 1))
		ret = err_nomem(err);
	if (ret) {
		ring_close(&s->ring);
		close(s->owner);
		r->v.nr--;
		return ret;
	}
	share_ring(r, r->v.nr - 1);
	return 0;
}

static void drop_rings(struct rings *r)
{
	u32 i;

	for (i = 0; i < r->v.nr; i++) {
		ring_close(&r->v.v[i].ring);
		if (r->v.v[i].owner >= 0)
			close(r->v.v[i].owner);
	}
	r->v.nr = 0;
	hmap_clear(&r->sideband);
	hmap_clear(&r->samples);
}

/* The rings that those CPUs do not have yet. */
static int map_rings(struct rings *r, const struct ev_target *t, struct err *err)
{
	u32 page = (u32)sysconf(_SC_PAGESIZE), i, sideband = MAX(SIDEBAND_BYTES / page, 1u);
	const u32 *cpus = t->sideband_cpus ? t->sideband_cpus : t->cpus;
	u32 nr = t->sideband_cpus ? t->nr_sideband_cpus : t->nr_cpus;
	int ret = 0;

	/* of small memory the samples' rings give first */
	sideband = MIN(sideband, MAX(r->pages, 8u));
	for (i = 0; i < nr && !ret; i++)
		if (hmap_get(&r->sideband, cpus[i]) == ID_NONE)
			ret = add_ring(r, cpus[i], true, sideband, err);
	for (i = 0; i < t->nr_cpus && !ret; i++)
		if (hmap_get(&r->samples, t->cpus[i]) == ID_NONE)
			ret = add_ring(r, t->cpus[i], false, r->pages, err);
	return ret;
}

/* What allows the wanted buffers. Linux 6.18 counts what a guardian mapped until all processes of its user have ended. */
static void put_remedy(const struct rings *r, struct buf *b)
{
	u64 page = (u64)sysconf(_SC_PAGESIZE);

	buf_addf(
		b, "sudo sysctl kernel.perf_event_mlock_kb=%llu%s",
		(unsigned long long)((r->options.pages + 2) * page + SIDEBAND_BYTES) / 1024,
		r->options.guarded
			? ", or on Linux 6.18: end all processes of this user, then use --no-guardian"
			: "");
}

/* Buffers are smaller than wanted: why, and what would help. */
static void note_smaller(const struct rings *r, int why)
{
	u64 page = (u64)sysconf(_SC_PAGESIZE);

	buf_addf(r->opener.notes, "buffers of %llu KiB instead of %llu KiB: ",
		 (unsigned long long)(r->pages * page / 1024),
		 (unsigned long long)(r->options.pages * page / 1024));
	if (why != -EPERM) {
		buf_adds(r->opener.notes, "there is no memory for more\n");
		return;
	}
	buf_adds(r->opener.notes, "the locked-memory limit allows no more (");
	put_remedy(r, r->opener.notes);
	buf_adds(r->opener.notes, ")\n");
}

static void hint_memory(const struct rings *r, struct err *err)
{
	struct buf remedy = {0};

	put_remedy(r, &remedy);
	limits_hint_at(r->opener.root, err, "IPC_LOCK", buf_str(&remedy));
	buf_free(&remedy);
}

/* While the limit on locked memory refuses a ring, all are halved: no CPU may keep what another loses. */
static int map_all(struct rings *r, const struct ev_target *t, struct err *err)
{
	int ret, why = 0;

	for (r->pages = r->options.pages;; r->pages /= 2) {
		ret = map_rings(r, t, err);
		if (!ret || !r->no_memory || r->pages == 1)
			break;
		why = ret;
		drop_rings(r);
	}
	if (ret == -EPERM && r->no_memory && !*err->hint)
		hint_memory(r, err);
	if (ret || !why)
		return ret;
	*err = (struct err){0};
	if (r->options.asked || r->pages < r->options.pages / 2)
		note_smaller(r, why);
	return 0;
}

/* Does a counter that was opened before still write into that ring? */
static bool is_used(const struct rings *r, const struct ring_slot *s, u32 before)
{
	const struct counter *c;
	u32 i;

	for (i = 0; i < before; i++) {
		c = &r->counters.v[i];
		if (c->fd >= 0 && c->cpu == s->cpu && !c->spec == s->sideband)
			return true;
	}
	return false;
}

/*
 * Let a counter write into the ring of its CPU. Of a CPU that was offline some kernels do not take the
 * ring that was there before: it gets another one, and the old one is read to its end.
 */
static int direct_one(struct rings *r, const struct counter *c, u32 from, struct err *err)
{
	u32 number = hmap_get(c->spec ? &r->samples : &r->sideband, c->cpu);
	int ret = 0;

	if (!ioctl(c->fd, PERF_EVENT_IOC_SET_OUTPUT, r->v.v[number].owner))
		return 0;
	if (errno == EINVAL && number < r->older) {
		ret = add_ring(r, c->cpu, !c->spec, r->v.v[number].pages, err);
		if (ret)
			return ret;
		r->v.v[number].replaced = !is_used(r, &r->v.v[number], from);
		if (!ioctl(c->fd, PERF_EVENT_IOC_SET_OUTPUT, r->v.v[r->v.nr - 1].owner))
			return 0;
	}
	return err_set(err, errno, "cannot direct %s on CPU %d into its buffer: %s",
		       r->list->specs.v[c->spec].name, (int)c->cpu, strerror(errno));
}

static int direct_counters(struct rings *r, u32 from, struct err *err)
{
	int ret = 0;
	u32 i;

	for (i = from; i < r->counters.nr && !ret; i++)
		ret = direct_one(r, &r->counters.v[i], from, err);
	return ret;
}

/* Those from number `first` to before `end`. */
static int open_specs(struct rings *r, const struct ev_target *t, u32 first, u32 end,
		      struct err *err)
{
	u32 i, from;
	int ret = 0;

	for (i = first; i < end && !ret; i++) {
		if (thread_flag(r->options.stop))
			return err_set(err, EINTR, "interrupted");
		from = r->counters.nr;
		ret = ev_open(&r->counters, r->list, i, t, &r->opener, err);
		if (!ret)
			ret = ev_open_filter(&r->counters, from, r->list, i, err);
	}
	return ret;
}

/* A gate for each of the CPUs; where one cannot be had the events do without. */
static s32 *open_gates(struct rings *r, const struct ev_target *t)
{
	s32 *fds = calloc(t->nr_cpus, sizeof(*fds));
	struct rings_gate *g;
	u32 i;

	for (i = 0; fds && i < t->nr_cpus; i++) {
		fds[i] = ev_open_gate(&r->list->specs.v[1].attr, t->cpus[i]);
		g = vec_push(&r->gates);
		if (g)
			*g = (struct rings_gate){MAX(fds[i], -1), t->cpus[i]};
		else if (fds[i] >= 0)
			close(fds[i]);
		if (!g)
			fds[i] = -1;
	}
	return fds;
}

/*
 * Side-band alone, which begins at once. Enabled later, it would miss threads that begin at that moment: the kernel reads the
 * state of a maker's event before it takes the lock under which the copy is added to those that are enabled. And threads
 * that take turns on a CPU may exchange their events (inherit_event(), perf_event_context_sched_out()).
 */
static int open_sideband(struct rings *r, const struct ev_target *t, struct err *err)
{
	struct perf_event_attr *a = &r->list->specs.v[0].attr;
	const bool disabled = a->disabled;
	u32 from = r->counters.nr;
	int ret;

	a->disabled = 0;
	ret = open_specs(r, t, 0, 1, err);
	a->disabled = disabled;
	return ret ? ret : direct_counters(r, from, err);
}

static int open_counters(struct rings *r, const struct ev_target *t, struct err *err)
{
	struct ev_target gated = *t;
	u32 first = r->options.sideband_first ? 1 : 0, from;
	int ret = first ? open_sideband(r, t, err) : 0;
	s32 *gates = NULL;

	if (ret)
		return ret;
	from = r->counters.nr;
	if (r->options.gated && t->nr_tids == 1 && t->tids[0] == -1)
		gated.gates = gates = open_gates(r, t);
	ret = open_specs(r, &gated, first, r->list->specs.nr, err);
	free(gates);
	return ret ? ret : direct_counters(r, from, err);
}

/* Each event is asked for on one CPU. */
static void note_hidden(struct rings *r)
{
	struct ev_hidden h = {0};
	u32 i, last = ID_NONE;

	for (i = 0; i < r->counters.nr; i++) {
		if (r->counters.v[i].spec == last)
			continue;
		last = r->counters.v[i].spec;
		ev_hidden_look(&h, r->list, last, r->counters.v[i].fd, r->opener.notes);
	}
	ev_hidden_end(&h, r->opener.notes);
}

/* Besides events: owners of rings and gates of each CPU, files that are held open, the rest. */
static u64 descriptors_of(const struct rings *r, const struct ev_target *t)
{
	u64 cpus = MAX(t->nr_cpus, t->nr_sideband_cpus);

	return cpus * ((u64)r->list->specs.nr * t->nr_tids + 4) + 512;
}

int rings_open(struct rings *r, const struct ev_target *target, struct err *err)
{
	u32 i;
	int ret;

	r->closed = calloc(r->list->specs.nr, sizeof(*r->closed));
	r->ended = calloc(r->list->specs.nr, sizeof(*r->ended));
	if (!r->closed || !r->ended)
		return err_nomem(err);
	for (i = 0; i < r->list->specs.nr; i++)
		r->closed[i].flags = COUNTS_HITS | COUNTS_LOST;
	r->opener.arena = &r->list->arena;
	r->opener.keep_limits = r->options.keep_limits;
	if (!r->options.keep_limits)
		limits_raise_files(r->opener.root, descriptors_of(r, target));
	ret = map_all(r, target, err);
	if (!ret)
		ret = open_counters(r, target, err);
	if (!ret)
		note_hidden(r);
	if (!ret && !r->counters.nr)
		ret = err_set(err, ESRCH, "nothing to record: every target has ended");
	return ret;
}

int rings_add(struct rings *r, const struct ev_target *target, struct err *err)
{
	int ret;

	r->older = r->v.nr;
	ret = map_rings(r, target, err);

	if (!ret)
		ret = open_counters(r, target, err);
	share_counters(r);
	return ret;
}

/*
 * Is a hit counted once more, without a sample, for the task that it is about, where that is one of the targets? Source:
 * __perf_task() in include/trace/events/sched.h, perf_tp_event() in kernel/events/core.c.
 */
static bool counts_twice(const struct ev_spec *s)
{
	static const char *const names[] = {"sched_waking", "sched_wakeup", "sched_wakeup_new"};
	size_t i;

	if (!s->attr.inherit || !s->tp.system || strcmp(s->tp.system, "sched") != 0)
		return false;
	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(s->tp.name, names[i]))
			return true;
	return !strncmp(s->tp.name, "sched_stat_", 11);
}

/*
 * Does each hit of the event make one sample? Then samples and counts can be held together. What is lost of an event
 * with records of switches may be either.
 */
static bool counts_hits(const struct ev_spec *s)
{
	struct sample_layout_derive d;

	if (s->tp.expr || s->attr.context_switch || s->attr.freq || s->attr.sample_period != 1 ||
	    s->attr.sample_type & PERF_SAMPLE_READ || deferred_is_told(&s->attr) ||
	    event_set_is_clock(&s->attr) || counts_twice(s))
		return false;
	ev_record_derive(s, &d);
	return d.period_at < 0; /* else it counts by a field */
}

void rings_begin_account(const struct ev_spec *spec, struct counts *n)
{
	n->flags = 0;
	if (spec->attr.read_format & PERF_FORMAT_LOST)
		n->flags |= COUNTS_LOST | (counts_hits(spec) ? COUNTS_HITS : 0);
	n->missed = ev_expr_missed(spec);
	n->lost += n->missed;
}

u64 rings_account(const struct ev_spec *spec, int fd, struct counts *n)
{
	u64 format = spec->attr.read_format, v[5], lost;
	size_t words = 1 + (size_t) !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
		       !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING) + !!(format & PERF_FORMAT_ID) +
		       !!(format & PERF_FORMAT_LOST);

	if (format & PERF_FORMAT_GROUP ||
	    read(fd, v, words * sizeof(*v)) != (ssize_t)(words * sizeof(*v))) {
		n->flags = 0;
		return 0;
	}
	lost = format & PERF_FORMAT_LOST ? v[words - 1] : 0;
	n->count += v[0];
	n->lost += lost;
	return lost;
}

struct counts *rings_counts(const struct rings *r, struct lost_on *on)
{
	struct counts *n = calloc(r->list->specs.nr, sizeof(*n));
	const struct counter *c;
	u64 lost;
	u32 i;

	for (i = 0; n && i < r->list->specs.nr; i++) {
		n[i] = r->closed[i];
		rings_begin_account(&r->list->specs.v[i], &n[i]);
		n[i].flags &= r->closed[i].flags;
	}
	for (i = 0; n && i < r->counters.nr; i++) {
		c = &r->counters.v[i];
		if (c->fd < 0)
			continue;
		lost = rings_account(&r->list->specs.v[c->spec], c->fd, &n[c->spec]);
		/* the first is of side-band */
		if (on && c->spec)
			lost_on_add(on, c->cpu, lost);
	}
	return n;
}

static void forget_closed(struct rings *r)
{
	u32 i, nr = 0;

	for (i = 0; i < r->counters.nr; i++)
		if (r->counters.v[i].fd >= 0)
			r->counters.v[nr++] = r->counters.v[i];
	r->counters.nr = nr;
	nr = 0;
	for (i = 0; i < r->gates.nr; i++)
		if (r->gates.v[i].fd >= 0)
			r->gates.v[nr++] = r->gates.v[i];
	r->gates.nr = nr;
	r->nr_closed = 0;
}

/* What it has counted counts on. */
static void close_counter(struct rings *r, struct counter *c)
{
	u64 lost = rings_account(&r->list->specs.v[c->spec], c->fd, &r->closed[c->spec]);

	if (c->spec)
		lost_on_add(&r->closed_lost, c->cpu, lost);
	close(c->fd);
	c->fd = -1;
	r->ended[c->spec] = true;
	r->nr_closed++;
}

void rings_drop(struct rings *r, u32 from)
{
	struct counter *c;
	u32 i;

	for (i = from; i < r->counters.nr; i++) {
		c = &r->counters.v[i];
		if (c->fd >= 0 && (c->spec || c->tid != -1))
			close_counter(r, c);
	}
	share_counters(r);
}

void rings_close_cpu(struct rings *r, u32 cpu)
{
	struct counter *c;
	u32 i;

	if (r->nr_closed > CLOSED_MAX)
		forget_closed(r);
	for (i = 0; i < r->counters.nr; i++) {
		c = &r->counters.v[i];
		/* those of a task go on when the CPU returns */
		if (c->cpu != cpu || c->fd < 0 || c->tid != -1)
			continue;
		close_counter(r, c);
	}
	for (i = 0; i < r->gates.nr; i++) {
		if (r->gates.v[i].cpu != cpu || r->gates.v[i].fd < 0)
			continue;
		close(r->gates.v[i].fd);
		r->gates.v[i].fd = -1;
		r->nr_closed++;
	}
	share_counters(r);
}

static int enable_on(struct rings *r, unsigned long request, u32 cpu, u32 spec)
{
	const struct counter *c;
	int failed = 0;
	u32 i;

	for (i = 0; i < r->gates.nr; i++)
		if (r->gates.v[i].fd >= 0 && r->gates.v[i].cpu == cpu &&
		    ioctl(r->gates.v[i].fd, request, 0))
			failed = errno;
	for (i = 0; i < r->counters.nr; i++) {
		c = &r->counters.v[i];
		if (c->fd < 0 || r->list->specs.v[c->spec].sideband || c->cpu != cpu ||
		    (c->gated ? spec != c->spec : spec != ID_NONE && spec != c->spec))
			continue;
		if (ioctl(c->fd, request, 0))
			failed = errno;
	}
	return failed;
}

/* What programs do themselves. */
static int enable_programs(struct rings *r, bool on, u32 spec, struct err *err)
{
	struct ev_spec *s;
	int ret = 0;
	u32 i;

	for (i = 0; i < r->list->specs.nr && !ret; i++) {
		s = &r->list->specs.v[i];
		if (spec == ID_NONE || spec == i)
			ret = ev_expr_enable(s, on, err);
	}
	return ret;
}

int rings_enable(struct rings *r, bool on, u32 spec, struct err *err)
{
	unsigned long request = on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;
	struct rings_visit visit = rings_visit_begin();
	int failed = 0, ret;
	u32 i;

	/* while it counts, its rings are open */
	if (!on)
		enable_programs(r, false, spec, NULL);
	for (i = 0; i < r->v.nr; i++) {
		if (!r->v.v[i].sideband)
			continue;
		rings_visit(&visit, r->v.v[i].cpu);
		ret = enable_on(r, request, r->v.v[i].cpu, spec);
		failed = failed ? failed : ret;
	}
	rings_visit_end(&visit);
	if (failed && on)
		return err_set(err, failed, "cannot enable the events: %s", strerror(failed));
	return on ? enable_programs(r, true, spec, err) : 0;
}

int rings_enable_cpu(struct rings *r, u32 cpu, u32 spec, struct err *err)
{
	struct rings_visit visit = rings_visit_begin();
	int failed;

	rings_visit(&visit, cpu);
	failed = enable_on(r, PERF_EVENT_IOC_ENABLE, cpu, spec);
	rings_visit_end(&visit);
	if (failed)
		return err_set(err, failed, "cannot enable the events: %s", strerror(failed));
	return enable_programs(r, true, spec, err);
}

struct rings_visit rings_visit_begin(void)
{
	size_t size = CPU_ALLOC_SIZE(CPUS_MAX);
	struct rings_visit v = {.home = malloc(size), .there = malloc(size)};

	if (v.home && v.there && sched_getaffinity(0, size, v.home) >= 0)
		return v;
	free(v.home);
	free(v.there);
	return (struct rings_visit){0};
}

void rings_visit(struct rings_visit *v, u32 cpu)
{
	size_t size = CPU_ALLOC_SIZE(CPUS_MAX);

	if (!v->home || cpu >= CPUS_MAX)
		return;
	CPU_ZERO_S(size, (cpu_set_t *)v->there);
	CPU_SET_S(cpu, size, (cpu_set_t *)v->there);
	/* where we may not go it is done from here */
	sched_setaffinity(0, size, v->there);
}

void rings_visit_end(struct rings_visit *v)
{
	if (v->home)
		sched_setaffinity(0, CPU_ALLOC_SIZE(CPUS_MAX), v->home);
	free(v->home);
	free(v->there);
}

void rings_enable_sideband(struct rings *r)
{
	u32 i;

	for (i = 0; i < r->counters.nr; i++)
		if (r->list->specs.v[r->counters.v[i].spec].sideband && r->counters.v[i].fd >= 0)
			ioctl(r->counters.v[i].fd, PERF_EVENT_IOC_ENABLE, 0);
}

void rings_end_deferred(struct rings *r)
{
	const struct timespec return_time = {.tv_nsec = DEFERRED_NS};
	u32 i, last = r->list->specs.nr - 1;

	if (!deferred_is_told(&r->list->specs.v[last].attr))
		return;
	nanosleep(&return_time, NULL);
	for (i = 0; i < r->counters.nr; i++)
		if (r->counters.v[i].spec == last && r->counters.v[i].fd >= 0)
			ioctl(r->counters.v[i].fd, PERF_EVENT_IOC_DISABLE, 0);
}

/*
 * Give the CPU of that sample ring one of twice its size: true if its events now write into a new
 * ring. Takes a grace period of RCU for each event of the CPU.
 */
static bool rings_grow(struct rings *r, u32 number)
{
	u32 cpu = r->v.v[number].cpu, pages = r->v.v[number].pages * 2, i, nr = 0;
	u64 page = (u64)sysconf(_SC_PAGESIZE);
	bool moved = true;

	if (!r->options.growing || r->v.v[number].sideband || r->v.v[number].replaced ||
	    pages * page > GROWN_BYTES)
		return false;
	for (i = 0; i < r->counters.nr; i++)
		nr += r->counters.v[i].cpu == cpu && r->counters.v[i].spec &&
		      r->counters.v[i].fd >= 0;
	if (nr > GROW_EVENTS || add_ring(r, cpu, false, pages, NULL))
		return false;
	for (i = 0; i < r->counters.nr; i++)
		if (r->counters.v[i].cpu == cpu && r->counters.v[i].spec &&
		    r->counters.v[i].fd >= 0 &&
		    ioctl(r->counters.v[i].fd, PERF_EVENT_IOC_SET_OUTPUT,
			  r->v.v[r->v.nr - 1].owner))
			moved = false;
	/* one event that stays behind keeps the old ring in use */
	r->v.v[number].replaced = moved;
	return true;
}

void rings_leave(struct rings *r, u32 number, u64 waiting)
{
	struct ring_slot *s = &r->v.v[number];

	if (!waiting && s->replaced)
		ring_close(&s->ring);
	/* it will be too small the next time */
	else if (waiting && waiting >= s->ring.size / 4 * 3)
		rings_grow(r, number);
}

void rings_close(struct rings *r)
{
	u32 i;

	drop_rings(r);
	vec_free(&r->v);
	hmap_free(&r->sideband);
	hmap_free(&r->samples);
	ev_open_close(&r->counters);
	for (i = 0; i < r->gates.nr; i++)
		if (r->gates.v[i].fd >= 0)
			close(r->gates.v[i].fd);
	vec_free(&r->gates);
	free(r->closed);
	free(r->ended);
	vec_free(&r->closed_lost);
	r->closed = NULL;
	r->ended = NULL;
}
