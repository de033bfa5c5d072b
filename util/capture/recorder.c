// SPDX-License-Identifier: GPL-2.0
#include "util/capture/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "util/base/clock.h"
#include "util/base/io.h"
#include "util/capture/synth.h"
#include "util/event/ev_record.h"

#define ROUND_MS      250
#define FLUSH_NS      700000000ull /* with the round that it waits for, within a second */
#define SLOW_FLUSH_NS 5000000000ull
#define PIPE_FLUSH_NS 100000000ull
#define CHECK_NS      400000000ull /* between two looks at the CPUs */
#define SETTLE_NS     20000000ull  /* by then a record that was stamped is in its ring */
#define STALLED_NS    800000000ull /* nobody read the rings for so long: said as a loss */
/* What epoll tells of: a descriptor of no interest but for its end, or one of these. */
enum { WOKEN_BY_RING, WOKEN_BY_CHILD, WOKEN_BY_CONTROL, WOKEN_BY_TARGET, WOKEN_BY_CPUS };

/* Counters to come: CPUs that are offline now, threads that begin meanwhile. */
#define SPARE_COUNTERS 4096

int recorder_init(struct recorder *r, struct err *err)
{
	*r = (struct recorder){.proc = -1, .epoll = -1};
	r->child.go = r->child.result = r->child.pidfd = -1;
	r->control.ctl = r->control.ack = -1;
	r->online.fd = r->cpu_events = -1;
	return scribe_thread_start(&r->thread, err);
}

void recorder_threads(const struct recorder *r, u32 tids[static 2])
{
	tids[0] = (u32)getpid();
	tids[1] = r->thread.tid;
}

static int watch_fd(struct recorder *r, int fd, u32 events, u32 what, struct err *err)
{
	struct epoll_event e = {.events = events, .data.u64 = (u64)what << 32 | (u32)fd};

	if (!epoll_ctl(r->epoll, EPOLL_CTL_ADD, fd, &e))
		return 0;
	return err_set(err, errno, "cannot wait for events: %s", strerror(errno));
}

/* Wake up by these counters and rings; a counter hangs up when its thread has ended. */
static int watch_from(struct recorder *r, u32 counter, u32 ring, struct err *err)
{
	const struct counter *c;
	u32 i;
	int ret = 0;

	for (i = ring; i < r->rings.v.nr && !ret; i++)
		if (!r->rings.v.v[i].ring.overwrite)
			ret = watch_fd(r, r->rings.v.v[i].owner, EPOLLIN, WOKEN_BY_RING, err);
	for (i = counter; i < r->rings.counters.nr && !ret; i++) {
		c = &r->rings.counters.v[i];
		if (c->spec || c->tid == -1)
			continue;
		ret = watch_fd(r, c->fd, 0, WOKEN_BY_TARGET, err);
		r->alive++;
	}
	return ret;
}

static int watch_all(struct recorder *r, struct err *err)
{
	int ret;

	r->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (r->epoll < 0)
		return err_set(err, errno, "cannot wait for events: %s", strerror(errno));
	ret = watch_from(r, 0, 0, err);
	if (!ret && r->child.pidfd >= 0)
		ret = watch_fd(r, r->child.pidfd, EPOLLIN, WOKEN_BY_CHILD, err);
	if (!ret && r->controlled)
		ret = watch_fd(r, control_fd(&r->control), EPOLLIN, WOKEN_BY_CONTROL, err);
	return ret;
}

/* Tell the columns and the samples' readers what the raw data of a tracepoint holds. */
static int describe_raw(struct recorder *r, u32 event, struct err *err)
{
	const struct ev_spec *spec = &r->list->specs.v[event];
	struct plan_derive derive;
	struct raw_fields fields = {0};
	int ret = 0;

	if (!spec->tp_format)
		return 0;
	ev_record_derive(spec, &derive);
	event_set_derive(&r->events, event, &derive);
	if (!ev_record_fields(spec, &fields))
		ret = event_set_fields(&r->events, event, fields.v, fields.nr);
	vec_free(&fields);
	return ret ? err_nomem(err) : 0;
}

/* What the file must say of the events so that records can be read back. */
static int describe_events(struct recorder *r, struct err *err)
{
	const struct counters *c = &r->rings.counters;
	VEC(u64) ids = {0};
	u64 *id;
	u32 i, j;
	int ret = 0;

	for (i = 0; i < r->list->specs.nr && ret >= 0; i++) {
		const struct ev_spec *spec = &r->list->specs.v[i];

		ids.nr = 0;
		for (j = 0; j < c->nr && ret >= 0; j++) {
			if (c->v[j].spec != i)
				continue;
			id = vec_push(&ids);
			if (id)
				*id = c->v[j].id;
			else
				ret = err_nomem(err);
		}
		if (ret >= 0)
			ret = event_set_add(&r->events, &spec->attr, sizeof(spec->attr), spec->name,
					    ids.v, ids.nr, err);
		if (ret >= 0) {
			r->events.events.v[ret].sideband = i == 0;
			ret = describe_raw(r, i, err);
		}
	}
	vec_free(&ids);
	return ret < 0 ? ret : 0;
}

/* Threads that began between the listing and the opening. */
static int open_new_threads(struct recorder *r, struct err *err)
{
	struct ev_target target = {.cpus = r->options.cpus->v, .nr_cpus = r->options.cpus->nr};
	u32 from;
	int ret = 0;

	for (;;) {
		from = r->targets.nr;
		ret = targets_new(r->proc, &r->targets, err);
		if (ret < 0 || r->targets.nr == from)
			return ret < 0 ? ret : 0;
		target.tids = r->targets.v + from;
		target.nr_tids = r->targets.nr - from;
		ret = rings_add(&r->rings, &target, err);
		if (ret)
			return ret;
	}
}

static int open_events(struct recorder *r, struct err *err)
{
	struct ev_target target = {
		.cpus = r->options.cpus->v,
		.nr_cpus = r->options.cpus->nr,
		.tids = r->targets.v,
		.nr_tids = r->targets.nr,
	};
	int ret;

	r->rings.options = r->options.rings;
	r->rings.options.stop = &r->options.signals->stop;
	/* one by one is how --control may want them */
	r->rings.options.gated = !r->options.control;
	r->rings.root = r->root;
	r->rings.list = r->list;
	r->rings.notes = &r->notes;
	ret = rings_open(&r->rings, &target, err);
	if (!ret && !r->options.targets.system_wide && !r->options.command)
		ret = open_new_threads(r, err);
	return ret;
}

static int open_handover(struct recorder *r, struct err *err)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	u32 rings = r->rings.v.nr + (u32)MAX(cpus, 1) * 16;
	u32 counters = r->rings.counters.nr * 2 + SPARE_COUNTERS;
	int ret = handover_new(&r->handover, rings, counters, r->events.events.nr, err);

	if (ret)
		return ret;
	rings_share(&r->rings, r->handover);
	return 0;
}

static int start_guardian(struct recorder *r, struct err *err)
{
	if (r->options.no_guardian)
		return 0;
	r->handover->go = r->child.go;
	r->work = (struct guardian_work){
		.handover = r->handover,
		.scribe = &r->options.scribe,
		.events = &r->events,
		.list = r->list,
		.temp = r->scribe.writer.temp,
		.report = r->options.guardian_report,
	};
	return guardian_start(&r->guardian, &r->work, err);
}

/*
 * What a batch may promise: a record is stamped a little before it stands in its ring, and rounds
 * can follow each other within microseconds. So the round before is one of some time ago.
 */
static void begin_round(struct recorder *r)
{
	u64 now = clock_ns(r->options.preamble.clockid);

	if (!r->round)
		r->round_mark = r->round_before = r->first_round = now;
	r->round = now;
	if (now - r->round_mark < SETTLE_NS)
		return;
	r->round_before = r->round_mark;
	r->round_mark = now;
	r->handover->round_before = r->round_before;
}

/* Hand the batch over, if there is something in it or `anyway`, and begin another. */
static void flush(struct recorder *r, bool anyway)
{
	r->flushed = clock_ns(CLOCK_MONOTONIC);
	if (!r->batch->nr_spans && !anyway)
		return;
	/* an overwriting ring gives its records late */
	r->batch->order = r->options.rings.overwrite ? 0 : r->round_before;
	scribe_thread_hand(&r->thread);
	r->batch = scribe_thread_next(&r->thread);
}

/* Put whole records into batches, as spans of that ring that no position in it is known of. */
static void add_records(struct recorder *r, u32 ring, const void *records, size_t len)
{
	const u8 *p = records;
	struct rec rec;
	size_t at, n;

	for (at = 0; at < len; at += n) {
		if (batch_room(r->batch) <= UINT16_MAX)
			flush(r, false);
		for (n = 0; rec_view(&rec, p + at + n, len - at - n) &&
			    n + rec.size <= batch_room(r->batch);)
			n += rec.size;
		if (!n)
			break;
		memcpy(batch_end(r->batch), p + at, n);
		batch_commit(r->batch, ring, 0, 0, (u32)n);
	}
}

/* Records made here, not by the kernel: what runs already. */
static int synthesise(struct recorder *r, struct err *err)
{
	struct buf records = {0};
	struct synth s = {
		.proc = r->proc,
		.plan = &r->events.events.v[0].plan,
		.data_mappings = r->options.data_mappings,
		.out = &records,
	};
	int ret;

	synth_modules(&s);
	if (r->targets.nr == 1 && r->targets.v[0] == -1)
		ret = synth_all(&s, err);
	else
		ret = synth_threads(&s, (const u32 *)r->targets.v, r->targets.nr, err);
	if (!ret)
		add_records(r, ID_NONE, records.data, records.len);
	buf_free(&records);
	flush(r, false);
	return ret;
}

static int prepare(struct recorder *r, struct err *err)
{
	struct recorder_options *o = &r->options;
	int ret = 0;

	r->proc = io_open(r->root->fd, "proc", O_RDONLY | O_DIRECTORY);
	if (r->proc < 0)
		return err_set(err, -r->proc, "cannot open /proc: %s", strerror(-r->proc));
	if (o->control) {
		ret = control_open(o->control, &r->control, err);
		r->controlled = !ret;
	}
	if (!ret && o->command)
		ret = child_fork(&r->child, o->command, err);
	o->targets.command = (u32)r->child.pid;
	if (!ret)
		ret = targets_find(r->proc, &o->targets, &r->targets, &r->notes, err);
	if (!ret)
		ret = open_events(r, err);
	if (!ret)
		ret = describe_events(r, err);
	if (!ret)
		ret = open_handover(r, err);
	if (!ret)
		ret = watch_all(r, err);
	if (ret)
		return ret;
	o->scribe.preamble = &o->preamble;
	o->scribe.list = r->list;
	o->scribe.root = r->root;
	o->scribe.proc = r->proc;
	ret = scribe_open(&r->scribe, &o->scribe, &r->events, r->handover, err);
	r->piped = !r->scribe.writer.seekable && !o->scribe.keep;
	if (!ret)
		ret = start_guardian(r, err);
	if (ret)
		return ret;
	scribe_thread_serve(&r->thread, &r->scribe, r->handover);
	r->batch = scribe_thread_next(&r->thread);
	r->flushed = r->looked = clock_ns(CLOCK_MONOTONIC);
	begin_round(r);
	/* from here on the kernel tells of new tasks and mappings: those that are there are in /proc */
	rings_enable_sideband(&r->rings);
	return synthesise(r, err);
}

int recorder_prepare(struct recorder *r, const struct recorder_options *o, struct ev_list *list,
		     const struct sysroot *root, struct err *err)
{
	int ret;

	r->prepared = true;
	r->options = *o;
	r->root = root;
	r->list = list;
	ret = prepare(r, err);
	if (ret == -EMFILE && !err->hint[0])
		err_hint(err, "raise the limit with: ulimit -n 65536");
	return ret;
}

/* Reading the rings is little work that must not wait; it is granted where that is allowed. */
static void hurry(void)
{
	const struct sched_param p = {.sched_priority = 1};

	sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &p);
}

int recorder_start(struct recorder *r, struct err *err)
{
	const struct recorder_options *o = &r->options;
	bool on_exec = o->command && !o->targets.system_wide && !o->disabled;
	int ret = 0;

	hurry();
	r->begun = clock_ns(CLOCK_MONOTONIC);
	r->delayed = o->delay_ns != 0;
	r->enabled = !r->delayed && !o->disabled;
	/* events of the command alone wait for its exec (enable_on_exec) */
	if (!on_exec && r->enabled)
		ret = rings_enable(&r->rings, true, ID_NONE, err);
	if (!ret && o->command)
		ret = child_start(&r->child, o->command[0], err);
	/* its number will be another descriptor's */
	r->handover->go = -1;
	if (ret)
		return ret;
	scribe_thread_lock(&r->thread);
	ret = scribe_publish(&r->scribe, err);
	scribe_thread_unlock(&r->thread);
	if (!ret)
		__atomic_store_n(&r->handover->published, 1, __ATOMIC_RELEASE);
	/* a machine without hotplug is one whose CPUs stay */
	r->watching = !ret && !cpus_watch_open(&r->online, r->root, NULL);
	r->cpu_events = ret ? -1 : cpu_events_open();
	if (r->cpu_events >= 0)
		watch_fd(r, r->cpu_events, EPOLLIN, WOKEN_BY_CPUS, NULL);
	return ret;
}

static void lose(struct recorder *r, enum loss_cause cause, u32 cpu, u64 from, u64 to)
{
	struct loss loss = {.cause = cause, .cpu = cpu, .event = ID_NONE, .from = from, .to = to};

	scribe_thread_lock(&r->thread);
	ledger_loss(&r->scribe.ledger, &loss);
	scribe_thread_unlock(&r->thread);
}

/* Copy what is in a ring. */
static void drain_ring(struct recorder *r, u32 number)
{
	struct ring *ring = &r->rings.v.v[number].ring;
	u64 from, size = ring->size, waiting;
	bool got = false;
	size_t n;

	if (ring->overwrite || !ring->size)
		return;
	while ((waiting = ring_begin(ring))) {
		got = true;
		if (batch_room(r->batch) <= UINT16_MAX)
			flush(r, false);
		from = ring->pos;
		n = ring_copy(ring, batch_end(r->batch), batch_room(r->batch));
		if (n)
			batch_commit(r->batch, number, from, ring->pos, (u32)n);
		r->handover->rings[number].taken = ring->pos;
		ring_release(ring);
		/* what comes while it is read is for the next round, or one CPU would keep us */
		if (ring->pos == ring->head && waiting < size / 2)
			break;
	}
	if (!got && r->rings.v.v[number].replaced)
		ring_close(ring);
}

/* A ring that was nearly full when it was looked at will be too small the next time. */
static void grow(struct recorder *r, u32 number, u64 waiting)
{
	u32 nr = r->rings.v.nr;
	const struct ring_slot *s;

	if (waiting < r->rings.v.v[number].ring.size / 4 * 3 || !rings_grow(&r->rings, number))
		return;
	s = &r->rings.v.v[nr];
	watch_from(r, r->rings.counters.nr, nr, NULL);
	guardian_tell(&r->guardian);
	buf_addf(&r->notes, "CPU %u: its buffer was nearly full, now it has %llu KiB\n", s->cpu,
		 (unsigned long long)(s->ring.size / 1024));
}

/*
 * How long records wait for their block. Small blocks compress badly, and what a guardian holds is
 * not lost with the recorder: so few of them wait longer.
 */
static u64 flush_after(const struct recorder *r)
{
	const struct scribe_options *o = &r->options.scribe;

	if (r->piped) /* whoever reads it is waiting */
		return PIPE_FLUSH_NS;
	/* what is cut by size or time is cut between blocks */
	if (!r->guardian.pid || o->keep || o->switch_ns || o->switch_bytes || o->max_bytes ||
	    r->batch->len >= BATCH_BYTES / 4)
		return FLUSH_NS;
	return SLOW_FLUSH_NS;
}

/* Read every ring once. */
static void drain(struct recorder *r)
{
	u64 now = clock_ns(CLOCK_MONOTONIC), waiting;
	u32 i;

	if (now - r->looked >= STALLED_NS)
		lose(r, LOSS_STOPPED, ID_NONE, r->round, r->round + (now - r->looked));
	r->looked = now;
	begin_round(r);
	for (i = 0; i < r->rings.v.nr; i++) {
		waiting = r->rings.v.v[i].ring.size && !r->rings.v.v[i].ring.overwrite
				  ? ring_begin(&r->rings.v.v[i].ring)
				  : 0;
		drain_ring(r, i);
		if (r->rings.options.growing)
			grow(r, i, waiting);
	}
	if (now - r->flushed >= flush_after(r))
		flush(r, r->piped);
}

/* The ids of counters that were opened after the ATTR blocks were written. */
static int tell_ids(struct recorder *r, u32 from, struct err *err)
{
	const struct counters *c = &r->rings.counters;
	VEC(u64) ids = {0};
	u64 *id;
	u32 i, spec;
	int ret = 0;

	scribe_thread_lock(&r->thread);
	for (spec = 0; spec < r->list->specs.nr && !ret; spec++) {
		ids.nr = 0;
		for (i = from; i < c->nr; i++) {
			if (c->v[i].spec != spec)
				continue;
			id = vec_push(&ids);
			if (id)
				*id = c->v[i].id;
			else
				ret = err_nomem(err);
		}
		if (!ret && ids.nr)
			ret = scribe_ids(&r->scribe, spec, ids.v, ids.nr, err);
	}
	scribe_thread_unlock(&r->thread);
	vec_free(&ids);
	return ret;
}

/* A CPU came online, for the first time or again. What it had is dead: its events are made anew. */
static void cpu_returned(struct recorder *r, u32 cpu)
{
	struct ev_target target = {
		.cpus = &cpu, .nr_cpus = 1, .tids = r->targets.v, .nr_tids = r->targets.nr};
	u32 counters = r->rings.counters.nr, rings = r->rings.v.nr;
	struct err err = {0};
	int ret;

	rings_close_cpu(&r->rings, cpu);
	if (!r->options.targets.system_wide) {
		/* a thread that was named is recorded alone */
		if (!r->options.targets.nr_tids)
			targets_family(r->proc, &r->targets, NULL);
		target.tids = r->targets.v;
		target.nr_tids = r->targets.nr;
	}
	ret = rings_add(&r->rings, &target, &err);
	if (!ret)
		ret = watch_from(r, counters, rings, &err);
	if (!ret)
		ret = tell_ids(r, counters, &err);
	guardian_tell(&r->guardian);
	rings_enable_sideband(&r->rings);
	if (!ret && r->enabled)
		ret = rings_enable(&r->rings, true, ID_NONE, &err);
	if (ret)
		buf_addf(&r->notes, "CPU %u came online and is not recorded: %s\n", cpu, err.msg);
	else
		buf_addf(&r->notes, "CPU %u came online and is recorded\n", cpu);
}

static u64 *offline_since(struct recorder *r, u32 cpu)
{
	while (r->offline.nr <= cpu)
		if (!vec_push(&r->offline))
			return NULL;
	return &r->offline.v[cpu];
}

/* A CPU that has rings is gone, or was for a moment. */
static void cpu_left(struct recorder *r, u32 cpu)
{
	u64 *since = offline_since(r, cpu);

	/* tasks go elsewhere, and their events are there when they come back */
	if (!r->options.targets.system_wide)
		return;
	/* it may have gone at any time since it was last looked at */
	if (since && !*since && hmap_get(&r->rings.samples, cpu) != ID_NONE)
		*since = r->round_before;
}

/* Which CPUs went, which came? */
static void check_cpus(struct recorder *r)
{
	u64 now = clock_ns(CLOCK_MONOTONIC), *since;
	struct cpus *all = &r->online.online;
	bool told = false, online;
	u32 i, cpu;

	while (r->cpu_events >= 0 && cpu_events_next(r->cpu_events, &cpu, &online)) {
		if (!online)
			cpu_left(r, cpu);
		told = true;
	}
	if (!r->watching || (!told && now - r->checked < CHECK_NS))
		return;
	r->checked = now;
	if (cpus_watch_read(&r->online) <= 0 && !told)
		return;
	for (i = 0; i < r->rings.v.nr; i++)
		if (!cpus_has(all, r->rings.v.v[i].cpu))
			cpu_left(r, r->rings.v.v[i].cpu);
	for (i = 0; i < all->nr; i++) {
		cpu = all->v[i];
		if (r->options.cpus_named && !cpus_has(r->options.cpus, cpu))
			continue;
		since = offline_since(r, cpu);
		if (since && *since)
			lose(r, LOSS_OFFLINE, cpu, *since, clock_ns(r->options.preamble.clockid));
		else if (hmap_get(&r->rings.samples, cpu) != ID_NONE)
			continue;
		else
			lose(r, LOSS_OFFLINE, cpu, r->first_round,
			     clock_ns(r->options.preamble.clockid));
		if (since)
			*since = 0;
		cpu_returned(r, cpu);
	}
}

/* What an overwriting ring holds, into batches. Its output is paused meanwhile. */
static void take_overwritten(struct recorder *r)
{
	struct ring_slot *s;
	size_t len;
	u8 *all;
	u32 i;

	for (i = 0; i < r->rings.v.nr; i++) {
		s = &r->rings.v.v[i];
		all = s->ring.overwrite ? malloc(s->ring.size) : NULL;
		if (!all)
			continue;
		ioctl(s->owner, PERF_EVENT_IOC_PAUSE_OUTPUT, 1);
		len = ring_copy_newest(&s->ring, all);
		ioctl(s->owner, PERF_EVENT_IOC_PAUSE_OUTPUT, 0);
		add_records(r, i, all, len);
		free(all);
	}
}

static int snapshot(struct recorder *r, struct err *err)
{
	u64 handed;
	int ret;

	drain(r);
	take_overwritten(r);
	flush(r, false);
	/* what was handed so far belongs to it */
	handed = r->thread.handed;
	pthread_mutex_lock(&r->thread.queue);
	while (r->thread.written < handed)
		pthread_cond_wait(&r->thread.wake, &r->thread.queue);
	pthread_mutex_unlock(&r->thread.queue);
	scribe_thread_lock(&r->thread);
	ret = scribe_snapshot(&r->scribe, err);
	scribe_thread_unlock(&r->thread);
	return ret;
}

static int set_enabled(struct recorder *r, bool on, const char *name, struct err *err)
{
	u32 i, spec = ID_NONE;

	for (i = 1; *name && i < r->list->specs.nr; i++)
		if (!strcmp(r->list->specs.v[i].name, name))
			spec = i;
	if (*name && spec == ID_NONE)
		return err_set(err, ENOENT, "--control: no event '%s' is recorded", name);
	if (!*name) {
		r->enabled = on;
		r->delayed = false;
	}
	return rings_enable(&r->rings, on, spec, err);
}

static void list_events(struct recorder *r, const struct control_command *c)
{
	const struct ev_spec *s;
	u32 i;

	for (i = 1; i < r->list->specs.nr; i++) {
		s = &r->list->specs.v[i];
		buf_addf(&r->notes, "%s", s->name);
		if (c->frequency || c->verbose)
			buf_addf(&r->notes, ": sample_%s=%llu", s->attr.freq ? "freq" : "period",
				 (unsigned long long)s->attr.sample_period);
		if (c->verbose)
			buf_addf(&r->notes, ", type: %u, config: 0x%llx, sample_type: 0x%llx",
				 s->attr.type, (unsigned long long)s->attr.config,
				 (unsigned long long)s->attr.sample_type);
		buf_addc(&r->notes, '\n');
	}
}

/* Carry out what --control says. True: it says stop. */
static bool obey(struct recorder *r)
{
	struct control_command c;
	struct err err = {0};
	bool stop = false;

	while (r->controlled && control_next(&r->control, &c)) {
		int ret = 0;

		switch (c.kind) {
		case CONTROL_ENABLE:
		case CONTROL_DISABLE:
			ret = set_enabled(r, c.kind == CONTROL_ENABLE, c.text, &err);
			break;
		case CONTROL_STOP:
			stop = true;
			break;
		case CONTROL_SNAPSHOT:
			ret = snapshot(r, &err);
			break;
		case CONTROL_EVLIST:
			list_events(r, &c);
			break;
		case CONTROL_PING:
			break;
		case CONTROL_UNKNOWN:
			buf_addf(&r->notes, "--control: there is no command '%s'\n", c.text);
			continue;
		}
		/* as perf: a controller that waits must not hang where something failed */
		if (ret)
			buf_addf(&r->notes, "%s\n", err.msg);
		control_ack(&r->control);
	}
	return stop;
}

/* How long to sleep at most, in ms. */
static int timeout(const struct recorder *r)
{
	u64 now = clock_ns(CLOCK_MONOTONIC) - r->begun, left = ROUND_MS;
	u64 delay = r->options.delay_ns, end = delay + r->options.duration_ns;

	if (r->options.duration_ns)
		left = MIN(left, end > now ? (end - now) / 1000000 + 1 : 0);
	if (r->delayed)
		left = MIN(left, delay > now ? (delay - now) / 1000000 + 1 : 0);
	return (int)left;
}

static void sleep_until_woken(struct recorder *r)
{
	struct epoll_event e[64];
	int i, nr = epoll_wait(r->epoll, e, ARRAY_SIZE(e), timeout(r));

	for (i = 0; i < nr; i++) {
		u32 what = (u32)(e[i].data.u64 >> 32);

		if (!(e[i].events & (EPOLLHUP | EPOLLERR)) || what == WOKEN_BY_CHILD)
			continue;
		epoll_ctl(r->epoll, EPOLL_CTL_DEL, (int)(u32)e[i].data.u64, NULL);
		if (what == WOKEN_BY_TARGET)
			r->alive--;
		else if (what == WOKEN_BY_CONTROL && control_fd(&r->control) < 0)
			r->controlled = false;
	}
}

static bool is_over(struct recorder *r)
{
	const struct recorder_options *o = &r->options;
	u64 now = clock_ns(CLOCK_MONOTONIC) - r->begun;

	return o->signals->stop || __atomic_load_n(&r->scribe.full, __ATOMIC_RELAXED) ||
	       (o->duration_ns && now >= o->delay_ns + o->duration_ns) ||
	       (o->command && child_poll(&r->child)) ||
	       (!o->command && !o->targets.system_wide && !r->alive);
}

int recorder_run(struct recorder *r, struct err *err)
{
	const struct recorder_options *o = &r->options;
	bool last = false;
	int ret = 0;

	while (!last && !ret) {
		if (r->delayed && clock_ns(CLOCK_MONOTONIC) - r->begun >= o->delay_ns) {
			r->delayed = false;
			r->enabled = true;
			ret = rings_enable(&r->rings, true, ID_NONE, err);
			if (ret)
				break;
		}
		last = obey(r) || is_over(r);
		if (last)
			rings_enable(&r->rings, false, ID_NONE, NULL);
		if (o->signals->snapshot) {
			o->signals->snapshot = 0;
			ret = snapshot(r, err);
		}
		drain(r);
		check_cpus(r);
		if (!ret && scribe_thread_failed(&r->thread, err))
			ret = -err->code;
		if (!last && !ret)
			sleep_until_woken(r);
	}
	if (!last)
		rings_enable(&r->rings, false, ID_NONE, NULL);
	r->totals.duration_ns = clock_ns(CLOCK_MONOTONIC) - r->begun;
	return ret;
}

/* Do the samples and losses of each event add up to what the kernel has counted? */
static void close_account(struct recorder *r)
{
	struct recorder_totals *t = &r->totals;
	const struct counts *n;
	bool all = true;
	u32 i;

	for (i = 1; i < r->events.events.nr; i++) {
		n = &r->scribe.ledger.counts[i];
		t->counted += n->count;
		t->unsampled += n->unsampled;
		if (!(n->flags & COUNTS_HITS))
			all = false;
		else
			t->open = t->open || counts_sum(n) != n->count;
	}
	if (!all)
		t->counted = 0;
}

/* Nothing that the kernel wrote is left in a ring, and nothing there was no record. */
static bool rings_are_empty(struct recorder *r)
{
	struct ring_slot *s;
	u32 i;

	for (i = 0; i < r->rings.v.nr; i++) {
		s = &r->rings.v.v[i];
		if (!s->sideband && s->ring.size && (s->ring.bad || ring_begin(&s->ring)))
			return false;
	}
	return !r->options.rings.overwrite;
}

static void total(struct recorder *r)
{
	const struct scribe *s = &r->scribe;
	struct recorder_totals *t = &r->totals;

	t->samples = s->ledger.samples - s->keep.dropped;
	t->lost = s->ledger.lost;
	t->throttled = s->ledger.throttles;
	t->excluded = s->ledger.excluded;
	t->unwritten = s->ledger.unwritten;
	t->bytes = s->writer.bytes;
	t->dropped = s->keep.dropped;
	t->files = s->switched;
	if (!r->options.scribe.keep)
		close_account(r);
}

int recorder_finish(struct recorder *r, struct err *err)
{
	u32 nr = r->events.events.nr, i;
	struct counts *kernel = calloc(nr, sizeof(*kernel));
	struct scribe_end end = {.kernel = kernel, .exit_code = -1};
	const struct err *why;
	int ret;

	if (!kernel)
		return err_nomem(err);
	for (i = 0; i < r->offline.nr; i++)
		if (r->offline.v[i])
			lose(r, LOSS_OFFLINE, i, r->offline.v[i], r->round);
	take_overwritten(r);
	flush(r, false);
	scribe_thread_stop(&r->thread);
	for (i = 0; i < nr; i++)
		rings_counts(&r->rings, i, &kernel[i]);
	/* a command that still runs when the time is up goes on: it is not ours to end */
	if (child_poll(&r->child))
		end.exit_code = child_exit_code(&r->child);
	end.read_to_end = rings_are_empty(r);
	end.time = clock_ns(r->options.preamble.clockid);
	ret = scribe_finish(&r->scribe, &end, err);
	total(r);
	free(kernel);
	why = r->scribe.seen.kernel_told ? seen_kernel_error(&r->scribe.seen) : NULL;
	if (why)
		buf_addf(&r->notes, "kernel functions have no names: %s; %s\n", why->msg,
			 why->hint);
	buf_add(&r->notes, buf_str(&r->scribe.notes), r->scribe.notes.len);
	if (!ret && r->scribe.write_error.code) {
		*err = r->scribe.write_error;
		ret = -err->code;
	}
	return ret;
}

static u32 count_tracepoints(const struct recorder *r)
{
	u32 i, nr = 0;

	for (i = 0; r->list && i < r->list->specs.nr; i++)
		nr += r->list->specs.v[i].tp_system != NULL;
	return nr;
}

void recorder_free(struct recorder *r)
{
	scribe_thread_stop(&r->thread);
	if (!r->prepared)
		return;
	/* a start that failed leaves nothing to take over */
	if (r->handover)
		r->handover->done = 1;
	guardian_leave(&r->guardian, count_tracepoints(r));
	if (!r->guardian.pid)
		rings_close(&r->rings);
	targets_free(&r->targets);
	child_finish(&r->child, false);
	if (r->controlled)
		control_close(&r->control);
	if (r->watching)
		cpus_watch_close(&r->online);
	vec_free(&r->offline);
	if (r->scribe.options)
		scribe_free(&r->scribe);
	event_set_free(&r->events);
	buf_free(&r->notes);
	if (r->cpu_events >= 0)
		close(r->cpu_events);
	if (r->epoll >= 0)
		close(r->epoll);
	if (r->proc >= 0)
		close(r->proc);
	handover_free(r->handover);
}
