// SPDX-License-Identifier: GPL-2.0
#include "util/capture/event_session.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "util/base/clock.h"
#include "util/base/io.h"
#include "util/base/text.h"
#include "util/base/thread.h"
#include "util/capture/inheritance.h"
#include "util/kernel/limits.h"

/* By then a record that was stamped is in its ring. */
#define SETTLED_NS 20000000ull

#define CHECK_NS 400000000ull /* between two looks at the list */
/* Opening thousands of events in vain takes its time. */
#define AGAIN_NS     1000000000ull
#define AGAIN_MAX_NS 60000000000ull

int hotplug_open(struct hotplug *h, const struct sysroot *root, const struct cpus *known,
		 struct err *err)
{
	u32 *slot, i;

	*h = (struct hotplug){.events = -1};
	for (i = 0; i < known->nr; i++) {
		slot = vec_push(&h->known);
		if (!slot)
			return err_nomem(err);
		*slot = known->v[i];
	}
	h->open = !cpus_watch_open(&h->online, root, NULL);
	h->events = cpus_events_open();
	if (h->events < 0)
		h->events = -1;
	return 0;
}

void hotplug_close(struct hotplug *h)
{
	if (h->open)
		cpus_watch_close(&h->online);
	if (h->events >= 0)
		close(h->events);
	cpus_free(&h->known);
	vec_free(&h->away);
	*h = (struct hotplug){.events = -1};
}

static struct hotplug_away *away_slot(struct hotplug *h, u32 cpu)
{
	while (h->away.nr <= cpu)
		if (!vec_push(&h->away))
			return NULL;
	return &h->away.v[cpu];
}

static void note_offline(struct hotplug *h, u32 cpu, u64 now)
{
	struct hotplug_away *a = cpus_has(&h->known, cpu) ? away_slot(h, cpu) : NULL;

	if (a && !a->since)
		a->since = now;
}

/* The kernel reports its return when it runs already, and a busy machine reports late. */
static bool some_away(const struct hotplug *h)
{
	u32 cpu;

	for (cpu = 0; cpu < h->away.nr; cpu++)
		if (h->away.v[cpu].since)
			return true;
	return false;
}

/* Threads run again on a CPU that is away for us: one that could not be opened, or that came and went between two looks. */
static void note_unseen(struct hotplug *h, u64 now)
{
	struct hotplug_away *a;
	u32 cpu;

	for (cpu = 0; cpu < h->away.nr; cpu++) {
		a = &h->away.v[cpu];
		if (!a->since || (!a->back && !a->failed))
			continue;
		h->unseen = now;
		a->back = cpus_has(&h->online.online, cpu);
	}
}

bool hotplug_check(struct hotplug *h, u64 before, u64 now)
{
	u64 clock = clock_ns(CLOCK_MONOTONIC);
	bool changed = false, online;
	u32 i, cpu;

	while (h->events >= 0 && cpus_events_next(h->events, &cpu, &online)) {
		if (!online)
			note_offline(h, cpu, before);
		else if (hotplug_away(h, cpu))
			h->away.v[cpu].back = true;
		changed = true;
	}
	if (h->again && clock >= h->again) {
		h->again = 0;
		changed = true;
	}
	if (!h->open || (!changed && !some_away(h) && clock - h->checked < CHECK_NS))
		return false;
	h->checked = clock;
	h->next = 0;
	changed |= cpus_watch_read(&h->online) > 0;
	note_unseen(h, now);
	if (!changed)
		return false;
	for (i = 0; i < h->known.nr; i++)
		if (!cpus_has(&h->online.online, h->known.v[i]))
			note_offline(h, h->known.v[i], before);
	return true;
}

u64 hotplug_away(const struct hotplug *h, u32 cpu)
{
	return cpu < h->away.nr ? h->away.v[cpu].since : 0;
}

void hotplug_fail(struct hotplug *h, u32 cpu, u64 since)
{
	struct hotplug_away *a = away_slot(h, cpu);

	h->pause = h->pause ? MIN(h->pause * 2, AGAIN_MAX_NS) : AGAIN_NS;
	h->again = clock_ns(CLOCK_MONOTONIC) + h->pause;
	if (a)
		*a = (struct hotplug_away){.since = since, .failed = true};
}

void hotplug_succeed(struct hotplug *h, u32 cpu)
{
	if (!hotplug_failed(h, cpu))
		return;
	h->away.v[cpu].failed = false;
	h->pause = 0;
}

bool hotplug_failed(const struct hotplug *h, u32 cpu)
{
	return cpu < h->away.nr && h->away.v[cpu].failed;
}

/* Keep the list sorted. */
static bool add_known_cpu(struct hotplug *h, u32 cpu)
{
	u32 *slot = vec_push(&h->known), i;

	if (!slot)
		return false;
	for (i = h->known.nr - 1; i && h->known.v[i - 1] > cpu; i--)
		h->known.v[i] = h->known.v[i - 1];
	h->known.v[i] = cpu;
	return true;
}

bool hotplug_next(struct hotplug *h, u32 *cpu, u64 *since)
{
	while (h->next < h->online.online.nr) {
		*cpu = h->online.online.v[h->next++];
		*since = hotplug_away(h, *cpu);
		if (*since)
			h->away.v[*cpu].since = h->away.v[*cpu].back = 0;
		else if (cpus_has(&h->known, *cpu) || !add_known_cpu(h, *cpu))
			continue;
		return true;
	}
	return false;
}

/* What epoll reports. A thread's counter hangs up when the thread has ended. */
enum { WOKEN, WOKEN_BY_CHILD, WOKEN_BY_TARGET, WOKEN_BY_SIDEBAND };

/* Thousands of processes a second wake the reader no more often than so. */
#define SIDEBAND_NS 10000000ull

void event_session_init(struct event_session *t)
{
	*t = (struct event_session){.proc = -1, .wake = {.epoll = -1, .sideband = -1}};
	t->child.go = t->child.result = t->child.pidfd = -1;
	t->hotplug.events = -1;
}

static int watch_in(int epoll, int fd, u32 events, u32 what, struct err *err)
{
	struct epoll_event e = {.events = events, .data.u64 = (u64)what << 32 | (u32)fd};

	if (!epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &e))
		return 0;
	return err_set(err, errno, "cannot wait for events: %s", strerror(errno));
}

static int watch(struct event_session *t, int fd, u32 events, u32 what, struct err *err)
{
	return watch_in(t->wake.epoll, fd, events, what, err);
}

int event_session_watch(struct event_session *t, int fd, struct err *err)
{
	return watch(t, fd, EPOLLIN, WOKEN, err);
}

/* Those that are not watched yet. */
static int watch_rings(struct event_session *t, struct err *err)
{
	const struct ring_slot *s;
	int ret = 0;

	for (; t->wake.watched < t->rings.v.nr && !ret; t->wake.watched++) {
		s = &t->rings.v.v[t->wake.watched];
		if (!s->ring.overwrite)
			ret = watch_in(s->sideband ? t->wake.sideband : t->wake.epoll, s->owner,
				       EPOLLIN, WOKEN, err);
	}
	return ret;
}

/* Watch those of the counters that report the end of a thread. */
static int watch_targets(struct event_session *t, u32 counter, struct err *err)
{
	const struct counter *c;
	int ret = 0;
	u32 i;

	for (i = counter; i < t->rings.counters.nr && !ret; i++) {
		c = &t->rings.counters.v[i];
		if (c->spec || c->tid == -1)
			continue;
		/* who asks whether it has ended takes the news of the ring's records from others */
		ret = watch_in(t->wake.sideband, c->fd, EPOLLIN, WOKEN_BY_TARGET, err);
		t->alive++;
	}
	return ret;
}

static int watch_ends(struct event_session *t, struct err *err)
{
	u32 i;
	int ret;

	if (!targets_named(&t->options.until))
		return 0;
	ret = ends_open(&t->ends, t->proc, &t->options.until, t->cpus.v[0], t->notes, err);
	for (i = 1; i < t->ends.counters.nr && !ret; i++, t->alive++)
		ret = watch(t, t->ends.counters.v[i], EPOLLIN, WOKEN_BY_TARGET, err);
	return ret;
}

/* The CPUs of a target; its threads are the caller's. */
static struct ev_target on_cpus(const struct event_session *t)
{
	struct ev_target target = {.cpus = t->cpus.v, .nr_cpus = t->cpus.nr};

	if (t->options.sideband_cpus) {
		target.sideband_cpus = t->sideband_cpus.v;
		target.nr_sideband_cpus = t->sideband_cpus.nr;
	}
	return target;
}

/* Are the threads that the targets make recorded, too? */
static bool inherits(const struct event_session *t)
{
	u32 i;

	for (i = 0; i < t->list->specs.nr; i++)
		if (t->list->specs.v[i].attr.inherit)
			return true;
	return false;
}

/* Threads that began between the listing and the opening, but for what they have inherited. */
static int open_new_threads(struct event_session *t, struct inheritance *inherited, struct err *err)
{
	struct ev_target target = on_cpus(t);
	u32 from;
	int ret = 0;

	target.has = inherited ? inheritance_has : NULL;
	target.has_arg = inherited;
	for (;;) {
		from = t->targets.nr;
		ret = targets_new(t->proc, &t->targets, err);
		if (ret < 0 || t->targets.nr == from)
			return ret < 0 ? ret : 0;
		target.tids = t->targets.v + from;
		target.nr_tids = t->targets.nr - from;
		if (inherited) {
			inheritance_look(inherited);
			inheritance_late(inherited);
		}
		ret = rings_add(&t->rings, &target, err);
		if (ret)
			return ret;
	}
}

/* Is the command what is recorded, or does it say how long? */
static bool of_command(const struct event_session_options *o)
{
	return o->command && !o->targets.system_wide && !targets_named(&o->targets);
}

/* Those of `from` that are in `online`; NULL: all. -ENOMEM. */
static int choose_cpus(struct cpus *to, const struct cpus *from, const struct cpus *online,
		       struct err *err)
{
	u32 i, *slot;

	to->nr = 0;
	for (i = 0; i < from->nr; i++) {
		if (online && !cpus_has(online, from->v[i]))
			continue;
		slot = vec_push(to);
		if (!slot)
			return err_nomem(err);
		*slot = from->v[i];
	}
	return 0;
}

/* Leave out CPUs that went offline since they were listed; false: none did. */
static bool leave_out_offline(struct event_session *t)
{
	const struct event_session_options *o = &t->options;
	const u32 nr = t->cpus.nr + t->sideband_cpus.nr;
	struct cpus online = {0};
	bool left_out = false;

	if (!cpus_online(t->root, &online, NULL))
		left_out = (o->cpus_named || !choose_cpus(&t->cpus, o->cpus, &online, NULL)) &&
			   (!o->sideband_cpus ||
			    !choose_cpus(&t->sideband_cpus, o->sideband_cpus, &online, NULL)) &&
			   t->cpus.nr + t->sideband_cpus.nr < nr && t->cpus.nr;
	cpus_free(&online);
	return left_out;
}

static int open_rings(struct event_session *t, struct inheritance *inherited, struct err *err)
{
	struct ev_target target = on_cpus(t);

	target.has = inherited ? inheritance_has : NULL;
	target.has_arg = inherited;
	target.tids = t->targets.v;
	target.nr_tids = t->targets.nr;

	t->rings.options = t->options.rings;
	t->rings.options.stop = t->options.stop;
	t->rings.options.sideband_first = inherited != NULL;
	t->rings.opener.root = t->root;
	t->rings.list = t->list;
	t->rings.opener.notes = t->notes;
	return rings_open(&t->rings, &target, err);
}

/* Records so far were read for what they say of threads. Those that come are not older than the first round. */
static void end_inheritance(struct event_session *t, struct inheritance *h)
{
	u64 now = clock_ns(t->options.clockid) - SETTLED_NS;

	inheritance_look(h);
	t->round = (struct event_session_round){now, now, now, now};
	t->rings.options.sideband_first = false;
	if (h->doubtful.nr)
		buf_addf(
			t->notes,
			"%u thread%s began while events were opened: some samples of %s may be there twice\n",
			h->doubtful.nr, TEXT_PLURAL(h->doubtful.nr),
			h->doubtful.nr == 1 ? "it" : "them");
}

static int open_events(struct event_session *t, struct err *err)
{
	const struct event_session_options *o = &t->options;
	const bool named = targets_named(&o->targets);
	struct inheritance own = {.rings = &t->rings};
	struct inheritance *inherited = named && inherits(t) ? &own : NULL;
	size_t notes = t->notes->len;
	int ret = choose_cpus(&t->cpus, o->cpus, NULL, err);

	if (!ret && o->sideband_cpus)
		ret = choose_cpus(&t->sideband_cpus, o->sideband_cpus, NULL, err);
	if (!ret)
		ret = open_rings(t, inherited, err);
	while (ret == -ENODEV && leave_out_offline(t)) {
		rings_close(&t->rings);
		t->rings = (struct rings){0};
		inheritance_free(&own);
		t->notes->len = notes;
		*err = (struct err){0};
		ret = open_rings(t, inherited, err);
	}
	if (!ret && named)
		ret = open_new_threads(t, inherited, err);
	if (!ret && inherited)
		end_inheritance(t, inherited);
	inheritance_free(&own);
	return ret;
}

static int watch_all(struct event_session *t, struct err *err)
{
	int ret;

	t->wake.epoll = epoll_create1(EPOLL_CLOEXEC);
	if (t->wake.epoll < 0)
		return err_set(err, errno, "cannot wait for events: %s", strerror(errno));
	t->wake.sideband = epoll_create1(EPOLL_CLOEXEC);
	if (t->wake.sideband < 0)
		return err_set(err, errno, "cannot wait for events: %s", strerror(errno));
	ret = watch(t, t->wake.sideband, EPOLLIN | EPOLLONESHOT, WOKEN_BY_SIDEBAND, err);
	if (!ret)
		ret = watch_rings(t, err);
	if (!ret)
		ret = watch_targets(t, 0, err);
	if (!ret)
		ret = watch_ends(t, err);
	if (!ret && t->child.pidfd >= 0)
		ret = watch(t, t->child.pidfd, EPOLLIN, WOKEN_BY_CHILD, err);
	return ret;
}

static int open_all(struct event_session *t, struct err *err)
{
	struct event_session_options *o = &t->options;
	int ret = 0;

	t->proc = io_open(t->root->fd, "proc", O_RDONLY | O_DIRECTORY);
	if (t->proc < 0)
		return err_set(err, -t->proc, "cannot open /proc: %s", strerror(-t->proc));
	if (o->command)
		ret = child_fork(&t->child, o->command, o->own_output, err);
	if (of_command(o))
		o->targets.command = (u32)t->child.pid;
	if (!ret)
		ret = targets_find(t->proc, &o->targets, &t->targets, t->notes, err);
	if (!ret)
		ret = open_events(t, err);
	return ret ? ret : watch_all(t, err);
}

int event_session_open(struct event_session *t, const struct event_session_options *o,
		       struct ev_list *list, const struct sysroot *root, struct buf *notes,
		       struct err *err)
{
	int ret;

	t->options = *o;
	t->root = root;
	t->list = list;
	t->notes = notes;
	t->enabled = calloc(list->specs.nr, sizeof(*t->enabled));
	if (!t->enabled)
		return err_nomem(err);
	ret = open_all(t, err);
	if (ret == -EMFILE && !err->hint[0])
		limits_hint_files(root, err, "record");
	return ret;
}

void event_session_enable_sideband(struct event_session *t)
{
	u64 now = clock_ns(t->options.clockid);

	if (!t->round.first)
		t->round = (struct event_session_round){now, now, now, now};
	rings_enable_sideband(&t->rings);
}

/* Granted where that is allowed. */
static void set_realtime(u32 priority)
{
	const struct sched_param p = {.sched_priority = (int)priority};

	sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &p);
}

static void set_enabled(struct event_session *t, bool on)
{
	u32 i;

	for (i = 0; i < t->list->specs.nr; i++)
		t->enabled[i] = on;
}

/* Ctrl-C is for a command that waits to start, too: one that it has ended cannot be started. */
static int start_command(struct event_session *t, struct err *err)
{
	const volatile sig_atomic_t *stop = t->options.stop;
	int ret = thread_flag(stop) ? -EINTR : child_start(&t->child, t->options.command[0], err);

	return ret && thread_flag(stop)
		       ? err_set(err, EINTR, "interrupted before the command was started")
		       : ret;
}

int event_session_start(struct event_session *t, struct err *err)
{
	const struct event_session_options *o = &t->options;
	bool on_exec = of_command(o) && !o->disabled, now;
	int ret = hotplug_open(&t->hotplug, t->root,
			       o->sideband_cpus ? &t->sideband_cpus : &t->cpus, err);

	if (ret)
		return ret;
	if (t->hotplug.events >= 0)
		watch(t, t->hotplug.events, EPOLLIN, WOKEN, NULL);
	if (o->realtime)
		set_realtime(o->realtime);
	t->times.begun = clock_ns(CLOCK_MONOTONIC);
	t->delayed = o->delay_ns != 0;
	now = !t->delayed && !o->disabled;
	set_enabled(t, now);
	/* events of the command alone wait for its exec (enable_on_exec) */
	if (!on_exec && now)
		ret = rings_enable(&t->rings, true, ID_NONE, err);
	if (!ret && now && o->at_edge)
		o->at_edge(o->edge_arg);
	/* the last that may fail: nobody would end the command */
	if (!ret && o->command)
		ret = start_command(t, err);
	t->times.begun = clock_ns(CLOCK_MONOTONIC);
	/* a duration is of events that are enabled, which on a busy machine may take as long as it */
	t->times.first_enabled = now ? t->times.begun : 0;
	return ret;
}

int event_session_tick(struct event_session *t, struct err *err)
{
	if (!t->delayed || clock_ns(CLOCK_MONOTONIC) - t->times.begun < t->options.delay_ns)
		return 0;
	return event_session_enable(t, true, ID_NONE, err);
}

/* A duration begins when events are enabled first; UINT64_MAX: not yet, or there is none. */
static u64 ends_at(const struct event_session *t)
{
	return t->options.duration_ns && t->times.first_enabled
		       ? t->times.first_enabled + t->options.duration_ns
		       : UINT64_MAX;
}

bool event_session_is_over(struct event_session *t)
{
	const struct event_session_options *o = &t->options;
	u64 now = clock_ns(CLOCK_MONOTONIC);

	return thread_flag(o->stop) || now >= ends_at(t) || (o->command && child_poll(&t->child)) ||
	       ((targets_named(&o->targets) || targets_named(&o->until)) && !t->alive);
}

/* How long to sleep at most, in ms. */
static int timeout(const struct event_session *t, u64 left)
{
	u64 next = t->delayed ? t->times.begun + t->options.delay_ns : ends_at(t);
	u64 now = clock_ns(CLOCK_MONOTONIC);

	return (int)MIN(left, next > now ? (next - now) / 1000000 + 1 : 0);
}

static bool has_unread_sideband(struct event_session *t)
{
	struct ring_slot *s;
	u32 i;

	for (i = 0; i < t->rings.v.nr; i++) {
		s = &t->rings.v.v[i];
		if (s->sideband && s->ring.size && ring_begin(&s->ring))
			return true;
	}
	return false;
}

/*
 * Let side-band wake again, if it may by now: how long to sleep at most, in ms. A ring reports a record to one poll alone, and
 * EPOLL_CTL_MOD is one: what came since the last round would wake nobody.
 */
static u32 wait_for_sideband(struct event_session *t, u32 ms)
{
	struct epoll_event e = {.events = EPOLLIN | EPOLLONESHOT,
				.data.u64 = (u64)WOKEN_BY_SIDEBAND << 32 | (u32)t->wake.sideband};
	u64 since = t->wake.woken ? clock_ns(CLOCK_MONOTONIC) - t->wake.woken : 0;

	if (!t->wake.woken)
		return ms;
	if (since < SIDEBAND_NS)
		return (u32)MIN((u64)ms, (SIDEBAND_NS - since) / 1000000 + 1);
	t->wake.woken = 0;
	epoll_ctl(t->wake.epoll, EPOLL_CTL_MOD, t->wake.sideband, &e);
	return has_unread_sideband(t) ? 0 : ms;
}

static void look_at_ends(struct event_session *t, int epoll, const struct epoll_event *e, int nr)
{
	int i;

	for (i = 0; i < nr; i++) {
		u32 what = (u32)(e[i].data.u64 >> 32);

		if (!(e[i].events & (EPOLLHUP | EPOLLERR)) || what == WOKEN_BY_CHILD)
			continue;
		epoll_ctl(epoll, EPOLL_CTL_DEL, (int)(u32)e[i].data.u64, NULL);
		t->alive -= what == WOKEN_BY_TARGET;
	}
}

void event_session_sleep(struct event_session *t, u32 ms)
{
	struct epoll_event e[64];
	bool sideband = false;
	int i, nr;

	ms = wait_for_sideband(t, ms);
	nr = epoll_wait(t->wake.epoll, e, ARRAY_SIZE(e), timeout(t, ms));
	for (i = 0; i < nr; i++)
		sideband |= (u32)(e[i].data.u64 >> 32) == WOKEN_BY_SIDEBAND;
	look_at_ends(t, t->wake.epoll, e, nr);
	if (!sideband)
		return;
	t->wake.woken = clock_ns(CLOCK_MONOTONIC);
	nr = epoll_wait(t->wake.sideband, e, ARRAY_SIZE(e), 0);
	look_at_ends(t, t->wake.sideband, e, nr);
}

int event_session_enable(struct event_session *t, bool on, u32 spec, struct err *err)
{
	int ret = rings_enable(&t->rings, on, spec, err);

	if (on && !t->times.first_enabled && (spec == ID_NONE || !t->delayed))
		t->times.first_enabled = clock_ns(CLOCK_MONOTONIC);
	if (spec != ID_NONE) {
		t->enabled[spec] = on;
		return ret;
	}
	set_enabled(t, on);
	t->delayed = false;
	return ret;
}

void event_session_stop(struct event_session *t)
{
	if (!t->stopped && t->options.at_edge)
		t->options.at_edge(t->options.edge_arg);
	t->stopped = true;
	rings_enable(&t->rings, false, ID_NONE, NULL);
	if (!t->disabled)
		t->disabled = clock_ns(CLOCK_MONOTONIC);
	rings_end_deferred(&t->rings);
}

u32 event_session_tracepoints(const struct event_session *t)
{
	u32 i, nr = 0;

	for (i = 0; t->list && i < t->list->specs.nr; i++)
		nr += t->list->specs.v[i].tp.system != NULL;
	return nr;
}

bool event_session_begin_round(struct event_session *t, u64 settle)
{
	struct event_session_round *r = &t->round;

	r->now = clock_ns(t->options.clockid);
	if (r->now - r->mark < settle)
		return false;
	r->before = r->mark;
	r->mark = r->now;
	return true;
}

int event_session_leave_ring(struct event_session *t, u32 ring, u64 waiting, struct err *err)
{
	rings_leave(&t->rings, ring, waiting);
	return watch_rings(t, err);
}

/* Or side-band alone? */
static bool takes_samples(const struct event_session_options *o, u32 cpu)
{
	return !o->cpus_named || cpus_has(o->cpus, cpu);
}

bool event_session_next_cpu(struct event_session *t, struct loss *loss)
{
	const struct event_session_options *o = &t->options;
	u64 since;
	u32 cpu;

	/* those that were found before come first; one may have gone since the rings were read before */
	if (!t->hotplug.looking && !hotplug_check(&t->hotplug, t->round.before, t->round.now))
		return false;
	t->hotplug.looking = true;
	while (hotplug_next(&t->hotplug, &cpu, &since)) {
		/* of a task that went elsewhere the events are there when it comes back */
		if ((!takes_samples(o, cpu) && !o->sideband_cpus) ||
		    (since && !o->targets.system_wide && !t->list->exprs.nr &&
		     !hotplug_failed(&t->hotplug, cpu)))
			continue;
		*loss = loss_between(LOSS_OFFLINE, cpu, since ? since : t->round.first,
				     clock_ns(o->clockid));
		if (!takes_samples(o, cpu))
			loss->cause = 0;
		return true;
	}
	t->hotplug.looking = false;
	return false;
}

/* Threads have events on that CPU, which go on when it comes back. */
static bool had_cpu(const struct event_session *t, u32 cpu)
{
	return hmap_get(&t->rings.samples, cpu) != ID_NONE;
}

/* *from: its first new counter. */
static int add_cpu(struct event_session *t, u32 cpu, u32 *from, struct err *err)
{
	struct ev_target target = {
		.cpus = &cpu,
		.nr_cpus = 1,
		.tids = t->targets.v,
		.nr_tids = t->targets.nr,
		.programs_alone = !t->options.targets.system_wide && had_cpu(t, cpu),
	};
	int ret;

	if (!takes_samples(&t->options, cpu)) {
		target.cpus = NULL;
		target.nr_cpus = 0;
		target.sideband_cpus = &cpu;
		target.nr_sideband_cpus = 1;
	}
	/* what it had is dead */
	rings_close_cpu(&t->rings, cpu);
	*from = t->rings.counters.nr;
	if (!t->options.targets.system_wide && !target.programs_alone) {
		/* a thread that was named is recorded alone, as is everything with -i */
		if (!t->options.targets.nr_tids && inherits(t))
			targets_family(t->proc, &t->targets, NULL);
		target.tids = t->targets.v;
		target.nr_tids = t->targets.nr;
	}
	ret = rings_add(&t->rings, &target, err);
	if (!ret)
		ret = watch_rings(t, err);
	return ret ? ret : watch_targets(t, *from, err);
}

/* As those of the other CPUs are, of which --control may have enabled some. */
static int enable_cpu(struct event_session *t, u32 cpu, struct err *err)
{
	u32 i, nr = t->list->specs.nr, on = 0;
	int ret = 0;

	for (i = 1; i < nr; i++)
		on += t->enabled[i];
	/* one by one they do not go through their gate */
	if (on == nr - 1)
		return rings_enable_cpu(&t->rings, cpu, ID_NONE, err);
	for (i = 1; i < nr && !ret; i++)
		if (t->enabled[i])
			ret = rings_enable_cpu(&t->rings, cpu, i, err);
	return ret;
}

int event_session_return_cpu(struct event_session *t, struct loss *loss,
			     int (*added)(void *arg, u32 from, struct err *err), void *arg,
			     struct err *err)
{
	u32 from, alive = t->alive;
	int ret = 0;

	/* nobody would read its rings */
	if (!t->stopped) {
		ret = add_cpu(t, loss->cpu, &from, err);
		if (!ret)
			ret = added(arg, from, err);
		rings_enable_sideband(&t->rings);
		if (!ret)
			ret = enable_cpu(t, loss->cpu, err);
		if (ret) {
			rings_drop(&t->rings, from);
			t->alive = alive;
			hotplug_fail(&t->hotplug, loss->cpu, loss->from);
			return ret;
		}
		hotplug_succeed(&t->hotplug, loss->cpu);
	}
	loss->to = clock_ns(t->options.clockid);
	return 0;
}

bool event_session_away(const struct event_session *t, u32 *cpu, struct loss *loss)
{
	const struct hotplug *h = &t->hotplug;

	for (; *cpu < h->away.nr; ++*cpu) {
		if (!h->away.v[*cpu].since || !takes_samples(&t->options, *cpu) ||
		    (!t->options.targets.system_wide && !h->away.v[*cpu].failed))
			continue;
		*loss = loss_between(LOSS_OFFLINE, *cpu, h->away.v[*cpu].since, t->round.now);
		return true;
	}
	return false;
}

void event_session_close(struct event_session *t, bool keep)
{
	if (!keep)
		rings_close(&t->rings);
	ends_close(&t->ends);
	cpus_free(&t->cpus);
	cpus_free(&t->sideband_cpus);
	targets_free(&t->targets);
	free(t->enabled);
	child_finish(&t->child, false);
	hotplug_close(&t->hotplug);
	if (t->wake.epoll >= 0)
		close(t->wake.epoll);
	if (t->wake.sideband >= 0)
		close(t->wake.sideband);
	if (t->proc >= 0)
		close(t->proc);
	event_session_init(t);
}
