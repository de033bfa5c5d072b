// SPDX-License-Identifier: GPL-2.0
#include "util/capture/recorder.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "arch/arch.h"
#include "util/base/clock.h"
#include "util/capture/recorded_events.h"
#include "util/capture/synth.h"
#include "util/image/debuginfod.h"
#include "util/process/quality_text.h"
#include "util/record/deferred.h"

#define ROUND_MS 250
/* Counters to come: CPUs that are offline now, threads that begin meanwhile. */
#define SPARE_COUNTERS 4096

int recorder_init(struct recorder *r, u32 unwinders, struct err *err)
{
	int ret;

	*r = (struct recorder){0};
	tap_init(&r->tap);
	r->control.ctl = r->control.ack = -1;
	ret = scribe_thread_start(&r->thread, err);
	return ret || !unwinders ? ret : unwinding_start(&r->unwinding, unwinders, err);
}

u32 recorder_threads(const struct recorder *r, u32 tids[static RECORDER_THREADS])
{
	u32 i;

	tids[0] = (u32)getpid();
	tids[1] = r->thread.tid;
	for (i = 0; i < r->unwinding.nr; i++)
		tids[2 + i] = r->unwinding.v[i].tid;
	return 2 + r->unwinding.nr;
}

/* Make what the threads that unwind need, before the guardian is: it has copies of theirs. */
static int make_unwinders(struct recorder *r, struct err *err)
{
	struct ring_unwinder_options o = {
		.proc = r->tap.proc,
		.held = &r->held,
		.self = r->options.scribe.self,
		.keep_stacks = r->options.keep_stacks,
	};
	struct unwinding_worker *w;
	struct utsname un;
	int ret = 0;
	u32 i;

	if (!uname(&un))
		o.arch = arch_find(un.machine);
	for (i = 0; i < r->unwinding.nr && !ret; i++) {
		w = &r->unwinding.v[i];
		ret = ring_unwinder_init(&w->unwinder, &o, err);
		w->ready = !ret;
		if (!ret)
			ret = recorded_events_live(r->list, &r->tap.rings.counters,
						   &w->unwinder.events, err);
	}
	return ret;
}

static int open_handover(struct recorder *r, struct err *err)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	u32 rings = r->tap.rings.v.nr + (u32)MAX(cpus, 1) * 16;
	u32 counters = r->tap.rings.counters.nr * 2 + SPARE_COUNTERS;
	int ret = handover_new(&r->handover, rings, counters, r->events.events.nr, err);

	if (ret)
		return ret;
	rings_share(&r->tap.rings, r->handover);
	return 0;
}

static int start_guardian(struct recorder *r, struct err *err)
{
	if (r->options.no_guardian)
		return 0;
	r->handover->go = r->tap.child.go;
	r->work = (struct guardian_work){
		.handover = r->handover,
		.scribe = &r->options.scribe,
		.events = &r->events,
		.list = r->list,
		.temp = r->scribe.writer.temp,
		.unwinder = r->unwinding.nr ? &r->unwinding.v[0].unwinder : NULL,
		.report = r->options.guardian_report,
	};
	return guardian_start(&r->guardian, &r->work, err);
}

/* Records made here, not by the kernel: what runs already. */
static int synthesise(struct recorder *r, struct err *err)
{
	struct buf records = {0};
	struct synth s = {
		.proc = r->tap.proc,
		.plan = &r->events.events.v[0].plan,
		.data_mappings = r->options.data_mappings,
		.namespaces = r->events.events.v[0].attr.namespaces,
		.out = &records,
	};
	int ret;

	if (r->events.events.v[0].attr.cgroup)
		synth_cgroups(&s, r->options.scribe.root);
	ret = synth_targets(&s, r->tap.targets.v, r->tap.targets.nr, err);
	if (!ret)
		reader_add(&r->reader, ID_NONE, records.data, records.len);
	buf_free(&records);
	reader_flush(&r->reader, false);
	return ret;
}

static void begin_reading(struct recorder *r)
{
	const struct scribe_options *o = &r->options.scribe;

	r->reader = (struct reader){
		.rings = &r->tap.rings,
		.handover = r->handover,
		.thread = &r->thread,
		.held = &r->held,
		.unwinding = r->unwinding.nr ? &r->unwinding : NULL,
		.clockid = r->options.preamble.clockid,
		.piped = !r->scribe.writer.seekable && !o->keep,
		/* what is cut by size or time is cut between blocks */
		.may_wait = r->guardian.pid && !o->keep && !o->switch_ns && !o->switch_bytes &&
			    !o->max_bytes,
	};
	reader_begin(&r->reader);
}

/* The output, and who writes it. */
static int open_output(struct recorder *r, struct err *err)
{
	struct recorder_options *o = &r->options;
	int ret;

	o->scribe.preamble = &o->preamble;
	o->scribe.list = r->list;
	o->scribe.root = r->root;
	o->scribe.proc = r->tap.proc;
	ret = scribe_open(&r->scribe, &o->scribe, &r->events, r->handover, err);
	if (!ret)
		ret = start_guardian(r, err);
	if (ret)
		return ret;
	r->scribe.seen.held = &r->held;
	scribe_thread_serve(&r->thread, &r->scribe, r->handover);
	return 0;
}

/* Wake up by what the tap does not know. */
static int watch_more(struct recorder *r, struct err *err)
{
	int ret = 0;

	if (r->controlled)
		ret = tap_watch(&r->tap, control_fd(&r->control), err);
	if (!ret && r->unwinding.nr)
		ret = tap_watch(&r->tap, r->unwinding.done, err);
	return ret;
}

static int prepare(struct recorder *r, struct err *err)
{
	struct recorder_options *o = &r->options;
	int ret = 0;

	if (o->control) {
		ret = control_open(o->control, &r->control, err);
		r->controlled = !ret;
	}
	/* one by one is how --control may want the events */
	o->tap.rings.gated = !o->control;
	/* a program that is deleted is held from the moment on at which its mapping is read */
	o->tap.rings.early = true;
	o->tap.hurry = true;
	o->tap.stop = &o->signals->stop;
	if (!ret)
		ret = tap_open(&r->tap, &o->tap, r->list, r->root, &r->notes, err);
	if (ret)
		return ret;
	held_files_init(&r->held, r->tap.proc);
	ret = recorded_events_stored(r->list, &r->tap.rings.counters, o->keep_stacks, &r->events,
				     err);
	if (!ret)
		ret = make_unwinders(r, err);
	if (!ret)
		ret = open_handover(r, err);
	if (!ret)
		ret = watch_more(r, err);
	if (!ret)
		ret = open_output(r, err);
	if (ret)
		return ret;
	begin_reading(r);
	/* from here on the kernel tells of new tasks and mappings: those that are there are in /proc */
	rings_enable_sideband(&r->tap.rings);
	return synthesise(r, err);
}

int recorder_prepare(struct recorder *r, const struct recorder_options *o, struct ev_list *list,
		     const struct sysroot *root, struct err *err)
{
	r->prepared = true;
	r->options = *o;
	r->root = root;
	r->list = list;
	return prepare(r, err);
}

int recorder_start(struct recorder *r, struct err *err)
{
	int ret = tap_start(&r->tap, err);

	/* its number will be another descriptor's */
	r->handover->go = -1;
	if (ret)
		return ret;
	scribe_thread_lock(&r->thread);
	ret = scribe_publish(&r->scribe, err);
	scribe_thread_unlock(&r->thread);
	if (!ret)
		__atomic_store_n(&r->handover->published, 1, __ATOMIC_RELEASE);
	return ret;
}

/* Read the rings; those that were added, because one was nearly full, are to be watched as well. */
static void drain(struct recorder *r, bool all)
{
	u32 from = r->tap.rings.v.nr, i;

	if (!all)
		reader_drain(&r->reader);
	else if (!reader_drain_all(&r->reader))
		buf_adds(&r->notes, "samples that were not unwound in time are not in the file\n");
	if (r->tap.rings.v.nr == from)
		return;
	tap_watch_rings(&r->tap, from, NULL);
	guardian_tell(&r->guardian);
	for (i = from; i < r->tap.rings.v.nr; i++)
		buf_addf(&r->notes, "CPU %u: its buffer was nearly full, now it has %llu KiB\n",
			 r->tap.rings.v.v[i].cpu,
			 (unsigned long long)(r->tap.rings.v.v[i].ring.size / 1024));
}

/* What nobody would write in our place must not wait. */
static void watch_guardian(struct recorder *r)
{
	if (!guardian_is_dead(&r->guardian))
		return;
	r->reader.may_wait = false;
	buf_adds(&r->notes, "the guardian was killed: the recording goes on without one\n");
}

/* The ids of counters that were opened after the ATTR blocks were written. */
static int tell_ids(struct recorder *r, u32 from, struct err *err)
{
	const struct counters *c = &r->tap.rings.counters;
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
		for (i = 0; i < ids.nr; i++)
			unwinding_event_id(&r->unwinding, ids.v[i], spec);
	}
	scribe_thread_unlock(&r->thread);
	vec_free(&ids);
	return ret;
}

/* A CPU came online, for the first time or again: its events are made anew. */
static void cpu_returned(struct recorder *r, u32 cpu)
{
	struct err err = {0};
	u32 from;
	int ret = tap_add_cpu(&r->tap, cpu, &from, &err);

	if (!ret)
		ret = tell_ids(r, from, &err);
	guardian_tell(&r->guardian);
	rings_enable_sideband(&r->tap.rings);
	if (!ret && r->tap.enabled)
		ret = rings_enable(&r->tap.rings, true, ID_NONE, &err);
	if (ret)
		buf_addf(&r->notes, "CPU %u came online and is not recorded: %s\n", cpu, err.msg);
	else
		buf_addf(&r->notes, "CPU %u came online and is recorded\n", cpu);
}

/* Which CPUs went, which came? */
static void check_cpus(struct recorder *r)
{
	u64 since, now;
	u32 cpu;

	/* one may have gone at any time since the rings were read before */
	while (tap_next_cpu(&r->tap, r->reader.round_before, &cpu, &since)) {
		now = clock_ns(r->options.preamble.clockid);
		reader_lose(&r->reader, LOSS_OFFLINE, cpu, since ? since : r->reader.first_round,
			    now);
		cpu_returned(r, cpu);
	}
}

static int snapshot(struct recorder *r, struct err *err)
{
	u64 handed;
	int ret;

	drain(r, true);
	reader_take_overwritten(&r->reader);
	reader_flush(&r->reader, false);
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
		if (!r->list->specs.v[i].sideband && !strcmp(r->list->specs.v[i].name, name))
			spec = i;
	if (*name && spec == ID_NONE)
		return err_set(err, ENOENT, "--control: no event '%s' is recorded", name);
	return tap_enable(&r->tap, on, spec, err);
}

static void list_events(struct recorder *r, const struct control_command *c)
{
	const struct ev_spec *s;
	u32 i;

	for (i = 1; i < r->list->specs.nr; i++) {
		s = &r->list->specs.v[i];
		if (s->sideband)
			continue;
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

static bool is_over(struct recorder *r)
{
	return __atomic_load_n(&r->scribe.full, __ATOMIC_RELAXED) || tap_is_over(&r->tap);
}

int recorder_run(struct recorder *r, struct err *err)
{
	const struct recorder_options *o = &r->options;
	bool last = false;
	int ret = 0;

	while (!last && !ret) {
		ret = tap_tick(&r->tap, err);
		if (ret)
			break;
		last = obey(r) || is_over(r);
		if (last)
			tap_stop(&r->tap);
		if (o->signals->snapshot) {
			o->signals->snapshot = 0;
			ret = snapshot(r, err);
		}
		watch_guardian(r);
		drain(r, last);
		check_cpus(r);
		if (!ret && scribe_thread_failed(&r->thread, err))
			ret = -err->code;
		if (!ret && unwinding_failed(&r->unwinding))
			ret = err_nomem(err);
		if (!last && !ret)
			tap_sleep(&r->tap, ROUND_MS);
	}
	if (!last)
		tap_stop(&r->tap);
	r->totals.duration_ns = clock_ns(CLOCK_MONOTONIC) - r->tap.begun;
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
		if (r->events.events.v[i].sideband)
			continue;
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

/* How complete the stacks are: of all workers, by the first one's ids of DSOs. */
static void describe_stacks(struct recorder *r)
{
	struct ring_unwinder *first;
	u32 i;

	if (!r->unwinding.nr)
		return;
	first = &r->unwinding.v[0].unwinder;
	for (i = 1; i < r->unwinding.nr; i++)
		if (unwinding_turn(&r->unwinding.v[i]) != UNWINDING_BUSY)
			ring_unwinder_add_quality(first, &r->unwinding.v[i].unwinder);
	if (unwinding_turn(&r->unwinding.v[0]) == UNWINDING_BUSY)
		return;
	quality_text_line(&first->quality, &first->model, &r->stacks);
	r->poor_stacks = quality_is_poor(&first->quality);
}

static void total(struct recorder *r)
{
	const struct scribe *s = &r->scribe;
	struct recorder_totals *t = &r->totals;
	u32 i;

	t->samples = s->ledger.samples - kept_blocks_dropped(&s->kept);
	/* the kernel's records of losses tell of both */
	t->lost = s->ledger.lost - MIN(t->lost_chains, s->ledger.lost);
	t->throttled = s->ledger.throttles;
	t->excluded = s->ledger.excluded;
	t->filtered = s->ledger.filtered;
	for (i = 0; i < s->ledger.nr && i < r->list->specs.nr; i++)
		if (r->list->specs.v[i].here)
			t->passed += s->ledger.counts[i].samples + s->ledger.counts[i].unwritten;
	t->unwritten = s->ledger.unwritten;
	t->bytes = s->writer.bytes;
	t->dropped = kept_blocks_dropped(&s->kept);
	t->files = s->switched;
	if (!r->options.scribe.keep)
		close_account(r);
}

/* What only a server of debug files knows. A signal ends the waiting for it, and nothing else. */
static void fetch_names(struct recorder *r)
{
	struct debuginfod *server = r->options.scribe.debuginfod;
	struct recorder_signals *signals = r->options.signals;
	sig_atomic_t why = signals->stop;
	struct err err = {0};
	u32 wanted, found;
	int ret;

	signals->stop = 0;
	debuginfod_watch(server, &signals->stop);
	ret = scribe_fetch_names(&r->scribe, &wanted, &found, &err);
	if (ret)
		buf_addf(&r->notes, "names that were fetched are not in the recording: %s\n",
			 err.msg);
	else if (found < wanted)
		buf_addf(&r->notes, "debuginfod: %s for %u of %u files without names\n",
			 signals->stop ? "interrupted; nothing" : "nothing", wanted - found,
			 wanted);
	debuginfod_watch(server, NULL);
	signals->stop = why;
}

int recorder_finish(struct recorder *r, struct err *err)
{
	u32 nr = r->events.events.nr, i;
	struct counts *kernel = calloc(nr, sizeof(*kernel));
	/* what CPUs had lost when they went offline is the beginning */
	struct lost_on *on = &r->tap.rings.closed_lost;
	struct scribe_end end = {.kernel = kernel, .lost_on = on, .exit_code = -1};
	const struct err *why;
	int ret;

	if (!kernel)
		return err_nomem(err);
	for (i = 0; r->options.tap.targets.system_wide && i < r->tap.hotplug.away.nr; i++)
		if (hotplug_away(&r->tap.hotplug, i))
			reader_lose(&r->reader, LOSS_OFFLINE, i, hotplug_away(&r->tap.hotplug, i),
				    r->reader.round);
	reader_take_overwritten(&r->reader);
	reader_flush(&r->reader, false);
	scribe_thread_stop(&r->thread);
	for (i = 0; i < nr; i++) {
		/* the first is of side-band */
		rings_counts(&r->tap.rings, i, &kernel[i], i ? on : NULL);
		if (deferred_is_told(&r->list->specs.v[i].attr))
			r->totals.lost_chains = kernel[i].lost;
	}
	/* a command that still runs when the time is up goes on: it is not ours to end */
	if (child_poll(&r->tap.child))
		end.exit_code = child_exit_code(&r->tap.child);
	end.read_to_end = reader_is_at_end(&r->reader);
	end.time = clock_ns(r->options.preamble.clockid);
	if (r->options.scribe.debuginfod)
		fetch_names(r);
	end.notes = buf_str(&r->notes);
	ret = scribe_finish(&r->scribe, &end, err);
	total(r);
	describe_stacks(r);
	free(kernel);
	seen_made_notes(&r->scribe.seen.made, &r->scribe.seen.model, &r->notes);
	if (r->scribe.seen.names.cut)
		buf_addf(&r->notes, "%u names of functions or files were too long and are cut\n",
			 r->scribe.seen.names.cut);
	why = r->scribe.seen.kernel_told ? seen_kernel_error(&r->scribe.seen) : NULL;
	if (why)
		buf_addf(&r->notes, "kernel functions have no names: %s%s%s\n", why->msg,
			 why->hint[0] ? "; " : "", why->hint);
	if (!ret && r->scribe.write_error.code) {
		*err = r->scribe.write_error;
		ret = -err->code;
	}
	return ret;
}

void recorder_free(struct recorder *r)
{
	scribe_thread_stop(&r->thread);
	unwinding_free(&r->unwinding);
	if (!r->prepared)
		return;
	/* a start that failed leaves nothing to take over */
	if (r->handover)
		r->handover->done = 1;
	guardian_leave(&r->guardian, tap_tracepoints(&r->tap));
	if (r->tap.proc >= 0)
		held_files_free(&r->held);
	tap_close(&r->tap, r->guardian.pid);
	if (r->controlled)
		control_close(&r->control);
	if (r->scribe.options)
		scribe_free(&r->scribe);
	event_set_free(&r->events);
	buf_free(&r->notes);
	buf_free(&r->stacks);
	handover_free(r->handover);
}
