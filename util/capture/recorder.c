// SPDX-License-Identifier: GPL-2.0
#include "util/capture/recorder_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "arch/arch.h"
#include "util/base/clock.h"
#include "util/base/text.h"
#include "util/base/thread.h"
#include "util/capture/recorded_events.h"
#include "util/capture/synth.h"
#include "util/image/debuginfod.h"
#include "util/process/quality.h"

#define ROUND_MS 250
/* What is printed meanwhile goes into the file, too, but not without end. */
#define PRINTED_MAX (64u << 10)
/* Counters to come: CPUs that are offline now, threads that begin meanwhile. */
#define SPARE_COUNTERS 4096

/* Now, whatever becomes of the notes. */
static void tell(const struct recorder *r, const char *lines, bool note)
{
	if (r->options.tell)
		r->options.tell(r->options.tell_arg, lines, note);
}

static void tell_failure(const struct recorder *r, const char *what, const struct err *err)
{
	struct buf line = {0};

	buf_addf(&line, "%s%s\n", what, err->msg);
	if (err->hint[0])
		buf_addf(&line, "hint: %s\n", err->hint);
	tell(r, buf_str(&line), false);
	buf_free(&line);
}

/* What came up since; the file's END gets it as well. */
static void tell_notes(struct recorder *r)
{
	if (!r->options.tell || !r->notes.len)
		return;
	tell(r, buf_str(&r->notes), true);
	if (r->printed.notes.len + r->notes.len <= PRINTED_MAX)
		buf_add(&r->printed.notes, r->notes.data, r->notes.len);
	buf_clear(&r->notes);
}

int recorder_init(struct recorder *r, u32 unwinders, struct err *err)
{
	int ret;

	*r = (struct recorder){0};
	event_session_init(&r->event_session);
	r->control.ctl = r->control.ack = -1;
	ret = block_writer_thread_start(&r->thread, err);
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
		.proc = r->event_session.proc,
		.held = &r->held,
		.self = r->options.block_writer.self,
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
			ret = recorded_events_live(r->list, &r->event_session.rings.counters,
						   &w->unwinder.events, err);
	}
	return ret;
}

static int open_shared_batches(struct recorder *r, struct err *err)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	u32 rings = r->event_session.rings.v.nr + (u32)MAX(cpus, 1) * 16;
	u32 counters = r->event_session.rings.counters.nr * 2 + SPARE_COUNTERS;
	int ret = shared_batches_new(&r->shared_batches, rings, counters, r->events.events.nr, err);

	if (ret)
		return ret;
	rings_share(&r->event_session.rings, r->shared_batches);
	return 0;
}

static int start_guardian(struct recorder *r, struct err *err)
{
	if (r->options.no_guardian)
		return 0;
	r->shared_batches->go = r->event_session.child.go;
	r->work = (struct guardian_work){
		.shared_batches = r->shared_batches,
		.block_writer = &r->options.block_writer,
		.events = &r->events,
		.list = r->list,
		.temp = r->block_writer.writer.temp,
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
		.proc = r->event_session.proc,
		.layout = &r->events.events.v[0].layout,
		.data_mappings = r->options.data_mappings,
		.namespaces = r->events.events.v[0].attr.namespaces,
		.out = &records,
	};
	int ret;

	if (r->events.events.v[0].attr.cgroup)
		synth_cgroups(&s, r->options.block_writer.root);
	ret = synth_targets(&s, r->event_session.targets.v, r->event_session.targets.nr, err);
	if (!ret)
		recorder_reader_add(&r->reader, ID_NONE, records.data, records.len);
	buf_free(&records);
	recorder_reader_flush(&r->reader, false);
	return ret;
}

static void begin_reading(struct recorder *r)
{
	const struct block_writer_options *o = &r->options.block_writer;

	r->reader = (struct recorder_reader){
		.session = &r->event_session,
		.rings = &r->event_session.rings,
		.shared_batches = r->shared_batches,
		.thread = &r->thread,
		.held = &r->held,
		.unwinding = r->unwinding.nr ? &r->unwinding : NULL,
		.piped = !r->block_writer.writer.seekable && !o->keep,
		/* what is cut by size or time is cut between blocks */
		.may_wait = r->guardian.pid && !o->keep && !o->switch_ns && !o->switch_bytes &&
			    !o->max_bytes,
	};
	recorder_reader_begin(&r->reader);
}

/* The end waits for a slow reader, since what was recorded cannot be had again, but for as long as the user wants. */
static bool is_patience_over(void *arg)
{
	struct recorder *r = arg;
	const struct recorder_signals *signals = r->options.signals;

	if (thread_flag(&signals->again))
		return true;
	if (thread_flag(&signals->stop) && !r->printed.unread && r->options.tell_unread) {
		r->printed.unread = true;
		r->options.tell_unread(r->options.tell_arg);
	}
	return false;
}

/* The output, and who writes it. */
static int open_output(struct recorder *r, struct err *err)
{
	struct recorder_options *o = &r->options;
	int ret;

	o->block_writer.preamble = &o->preamble;
	o->block_writer.list = r->list;
	o->block_writer.root = r->root;
	o->block_writer.proc = r->event_session.proc;
	o->block_writer.patience = (struct writer_patience){is_patience_over, r};
	ret = block_writer_open(&r->block_writer, &o->block_writer, &r->events, r->shared_batches,
				err);
	r->block_writer.files.listener = o->listener;
	if (!ret)
		ret = start_guardian(r, err);
	if (ret)
		return ret;
	symbol_collector_set_pinned(r->block_writer.batch_encoder.symbols, &r->held);
	block_writer_thread_serve(&r->thread, &r->block_writer, r->shared_batches);
	return 0;
}

/* Wake up by what the event session does not know. */
static int watch_more(struct recorder *r, struct err *err)
{
	int ret = 0;

	if (r->controlled)
		ret = event_session_watch(&r->event_session, control_fd(&r->control), err);
	if (!ret && r->unwinding.nr)
		ret = event_session_watch(&r->event_session, r->unwinding.done, err);
	return ret;
}

static int open_recording(struct recorder *r, struct err *err)
{
	struct recorder_options *o = &r->options;
	int ret = 0;

	if (o->control) {
		ret = control_open(o->control, &r->control, err);
		r->controlled = !ret;
	}
	/* one by one is how --control may want the events */
	o->event_session.rings.gated = !o->control;
	/* a program that is deleted is held from the moment on at which its mapping is read */
	o->event_session.rings.early = true;
	o->event_session.rings.guarded = !o->no_guardian;
	o->event_session.stop = &o->signals->stop;
	o->event_session.clockid = o->preamble.clockid;
	if (!ret)
		ret = event_session_open(&r->event_session, &o->event_session, r->list, r->root,
					 &r->notes, err);
	if (ret)
		return ret;
	pinned_files_init(&r->held, r->event_session.proc);
	ret = recorded_events_stored(r->list, &r->event_session.rings.counters, o->keep_stacks,
				     &r->events, err);
	if (!ret)
		ret = make_unwinders(r, err);
	if (!ret)
		ret = open_shared_batches(r, err);
	if (!ret)
		ret = watch_more(r, err);
	if (ret || o->dry)
		return ret;
	ret = open_output(r, err);
	if (ret)
		return ret;
	event_session_enable_sideband(&r->event_session);
	begin_reading(r);
	return synthesise(r, err);
}

int recorder_prepare(struct recorder *r, const struct recorder_options *o, struct ev_list *list,
		     const struct sysroot *root, struct err *err)
{
	r->prepared = true;
	r->options = *o;
	r->root = root;
	r->list = list;
	return open_recording(r, err);
}

/* The command runs: it is recorded, whether or not the file can have its name by now. */
static void publish(struct recorder *r)
{
	struct err why = {0};
	struct buf line = {0};

	block_writer_thread_lock(&r->thread);
	if (block_writer_publish(&r->block_writer, &why))
		buf_addf(&line, "the recording goes on in %s: ", r->block_writer.writer.temp);
	block_writer_thread_unlock(&r->thread);
	if (line.len)
		tell_failure(r, buf_str(&line), &why);
	buf_free(&line);
	__atomic_store_n(&r->shared_batches->published, 1, __ATOMIC_RELEASE);
}

int recorder_start(struct recorder *r, struct err *err)
{
	int ret = event_session_start(&r->event_session, err);

	/* its number will be another descriptor's */
	r->shared_batches->go = -1;
	if (ret)
		return ret;
	publish(r);
	return 0;
}

/* Read the rings; of those that were added, because one was nearly full, others must know. */
static void drain_rings(struct recorder *r, bool all)
{
	u32 from = r->event_session.rings.v.nr, i;

	if (!all)
		recorder_reader_drain(&r->reader);
	else if (!recorder_reader_drain_all(&r->reader))
		buf_adds(&r->notes, "samples that were not unwound in time are not in the file\n");
	if (r->event_session.rings.v.nr == from)
		return;
	guardian_tell(&r->guardian);
	for (i = from; i < r->event_session.rings.v.nr; i++)
		buf_addf(&r->notes, "CPU %u: its buffer was nearly full, now it has %llu KiB\n",
			 r->event_session.rings.v.v[i].cpu,
			 (unsigned long long)(r->event_session.rings.v.v[i].ring.size / 1024));
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
static int write_ids(struct recorder *r, u32 from, struct err *err)
{
	const struct counters *c = &r->event_session.rings.counters;
	VEC(struct block_writer_id) ids = {0};
	struct block_writer_id *id;
	int ret = 0;
	u32 i;

	block_writer_thread_lock(&r->thread);
	for (i = from; i < c->nr && !ret; i++) {
		id = vec_push(&ids);
		if (id)
			*id = (struct block_writer_id){c->v[i].id, c->v[i].spec};
		else
			ret = err_nomem(err);
	}
	if (!ret)
		ret = block_writer_ids(&r->block_writer, ids.v, ids.nr, err);
	for (i = 0; i < ids.nr; i++)
		unwinding_event_id(&r->unwinding, ids.v[i].id, ids.v[i].event);
	block_writer_thread_unlock(&r->thread);
	vec_free(&ids);
	return ret;
}

/* Counters of a CPU that came online. The guardian knows their rings before anything can be in them. */
static int counters_added(void *arg, u32 from, struct err *err)
{
	struct recorder *r = arg;
	int ret = write_ids(r, from, err);

	guardian_tell(&r->guardian);
	return ret;
}

/* Which CPUs went, which came? */
static void check_cpus(struct recorder *r)
{
	struct event_session *t = &r->event_session;
	struct err err = {0};
	struct loss loss;
	bool told;

	while (event_session_next_cpu(t, &loss)) {
		told = hotplug_failed(&t->hotplug, loss.cpu);
		if (event_session_return_cpu(t, &loss, counters_added, r, &err)) {
			if (!told)
				buf_addf(&r->notes, "CPU %u came online and %s not recorded: %s\n",
					 loss.cpu,
					 loss.cause ? "is"
						    : "names and mappings of its processes are",
					 err.msg);
			continue;
		}
		if (loss.cause && !t->stopped)
			buf_addf(&r->notes, "CPU %u came online and is recorded\n", loss.cpu);
		if (loss.cause)
			recorder_reader_lose(&r->reader, loss);
	}
}

static int take_snapshot(struct recorder *r, struct err *err)
{
	u64 handed;
	int ret;

	drain_rings(r, true);
	recorder_reader_take_overwritten(&r->reader);
	recorder_reader_flush(&r->reader, false);
	/* what was handed so far belongs to it */
	handed = r->thread.handed;
	pthread_mutex_lock(&r->thread.queue);
	while (r->thread.written < handed)
		pthread_cond_wait(&r->thread.wake, &r->thread.queue);
	pthread_mutex_unlock(&r->thread.queue);
	block_writer_thread_lock(&r->thread);
	ret = block_writer_snapshot(&r->block_writer, err);
	block_writer_thread_unlock(&r->thread);
	return ret;
}

/* A file that cannot be written is no reason to lose what comes after it. */
static void obey_snapshot(struct recorder *r)
{
	struct err err = {0};

	if (!take_snapshot(r, &err))
		return;
	tell_failure(r, "a snapshot was not written: ", &err);
	if (!r->printed.snapshots_failed++)
		r->printed.snapshot_error = err;
}

/* Has the thread that writes failed so, which is not printed yet? Now it is. */
static bool is_news(const struct block_writer_failure *f, bool *printed)
{
	if (*printed || !__atomic_load_n(&f->failed, __ATOMIC_ACQUIRE))
		return false;
	*printed = true;
	return true;
}

/* A file that could not be begun when it was time to. */
static void tell_switch(struct recorder *r)
{
	struct buf line = {0};

	if (!is_news(&r->block_writer.switching, &r->printed.switch_failed))
		return;
	buf_addf(&line, "%s stayed in use although it was time to switch: ",
		 r->options.block_writer.output);
	tell_failure(r, buf_str(&line), &r->block_writer.switching.err);
	buf_free(&line);
}

/* A write that failed, and the recording goes on; at its end it is what recorder_finish() returns. */
static void tell_write(struct recorder *r)
{
	if (is_news(&r->block_writer.write, &r->printed.write_failed))
		tell_failure(r, "samples are lost until the file can be written again: ",
			     &r->block_writer.write.err);
}

/* Is the event called that: as it is listed, or as it was typed? `any`: with modifiers or without. */
static bool is_named(const struct ev_spec *s, const char *name, bool any)
{
	struct buf typed = {0};
	bool is;

	if (s->sideband)
		return false;
	if (s->text)
		buf_add(&typed, s->text + s->at, s->len);
	if (any)
		is = event_set_is_named(s->name, name) || event_set_is_named(buf_str(&typed), name);
	else
		is = !strcmp(s->name, name) || !strcmp(buf_str(&typed), name);
	buf_free(&typed);
	return is;
}

/* All that have the name, "": all; where none has exactly that, those that have it without their modifiers. */
static int set_enabled(struct recorder *r, bool on, const char *name, struct err *err)
{
	u32 any, i, found = 0;
	int ret = 0;

	if (!*name)
		return event_session_enable(&r->event_session, on, ID_NONE, err);
	for (any = 0; any < 2 && !found; any++) {
		for (i = 1; i < r->list->specs.nr && !ret; i++) {
			if (!is_named(&r->list->specs.v[i], name, any))
				continue;
			found++;
			ret = event_session_enable(&r->event_session, on, i, err);
		}
	}
	if (found)
		return ret;
	err_set(err, ENOENT, "--control: no event '%s' is recorded", name);
	err_hint(err, "the command evlist lists those that are");
	return -ENOENT;
}

static void list_events(const struct recorder *r, const struct control_command *c)
{
	const struct ev_spec *s;
	struct buf b = {0};
	u32 i;

	for (i = 1; i < r->list->specs.nr; i++) {
		s = &r->list->specs.v[i];
		if (s->sideband)
			continue;
		buf_addf(&b, "%s", s->name);
		if (c->frequency || c->verbose)
			buf_addf(&b, ": sample_%s=%llu", s->attr.freq ? "freq" : "period",
				 (unsigned long long)s->attr.sample_period);
		if (c->verbose)
			buf_addf(&b, ", type: %u, config: 0x%llx, sample_type: 0x%llx",
				 s->attr.type, (unsigned long long)s->attr.config,
				 (unsigned long long)s->attr.sample_type);
		buf_addc(&b, '\n');
	}
	tell(r, buf_str(&b), false);
	buf_free(&b);
}

static int control_snapshot(struct recorder *r, struct err *err)
{
	if (!r->options.snapshots)
		return err_set(
			err, EINVAL,
			"--control: a snapshot needs --keep-last, --overwrite or --switch-output");
	obey_snapshot(r);
	return 0;
}

static void refuse_command(const struct recorder *r, const struct control_command *c)
{
	struct err err = {0};

	err_set(&err, EINVAL, "there is no command '%s'", c->text);
	tell_failure(r, "--control: ", &err);
}

/* Carry out what --control says. True: it says stop. */
static bool obey_control(struct recorder *r)
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
			ret = control_snapshot(r, &err);
			break;
		case CONTROL_EVLIST:
			list_events(r, &c);
			break;
		case CONTROL_PING:
			break;
		case CONTROL_UNKNOWN:
			refuse_command(r, &c);
			continue;
		}
		/* as perf: a controller that waits must not hang where something failed */
		if (ret)
			tell_failure(r, "", &err);
		control_ack(&r->control);
	}
	return stop;
}

static bool is_over(struct recorder *r)
{
	return __atomic_load_n(&r->block_writer.full, __ATOMIC_RELAXED) ||
	       event_session_is_over(&r->event_session);
}

int recorder_run(struct recorder *r, struct err *err)
{
	const struct recorder_options *o = &r->options;
	bool last = false;
	int ret = 0;

	while (!last && !ret) {
		ret = event_session_tick(&r->event_session, err);
		if (ret)
			break;
		last = obey_control(r) || is_over(r);
		if (last)
			event_session_stop(&r->event_session);
		if (o->signals->snapshot) {
			o->signals->snapshot = 0;
			obey_snapshot(r);
		}
		watch_guardian(r);
		drain_rings(r, last);
		check_cpus(r);
		tell_switch(r);
		tell_write(r);
		tell_notes(r);
		if (!ret && block_writer_thread_failed(&r->thread, err))
			ret = -err->code;
		if (!ret && unwinding_failed(&r->unwinding))
			ret = err_nomem(err);
		if (!last && !ret)
			event_session_sleep(&r->event_session, ROUND_MS);
	}
	if (!last)
		event_session_stop(&r->event_session);
	r->totals.duration_ns = clock_ns(CLOCK_MONOTONIC) - r->event_session.times.begun;
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
		n = &r->block_writer.loss_account.counts[i];
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

/* How complete the stacks are. */
static void describe_stacks(struct recorder *r)
{
	const struct ring_unwinder *all = unwinding_quality(&r->unwinding);

	if (!all)
		return;
	quality_text_line(&all->quality, &all->model, &r->stacks);
	r->poor_stacks = quality_is_poor(&all->quality);
}

static void sum_totals(struct recorder *r)
{
	const struct block_writer *s = &r->block_writer;
	struct recorder_totals *t = &r->totals;
	u32 i;

	t->samples = s->loss_account.samples - flight_recorder_dropped(&s->kept);
	/* the kernel's records of losses count both */
	t->lost = s->loss_account.lost - MIN(t->lost_chains, s->loss_account.lost);
	t->throttled = s->loss_account.throttles;
	t->excluded = s->loss_account.excluded;
	t->filtered = s->loss_account.filtered;
	for (i = 0; i < s->loss_account.nr && i < r->list->specs.nr; i++)
		if (r->list->specs.v[i].tp.here)
			t->passed += s->loss_account.counts[i].samples +
				     s->loss_account.counts[i].unwritten;
	t->unwritten = s->loss_account.unwritten;
	t->bytes = s->files.bytes + s->writer.bytes;
	t->dropped = flight_recorder_dropped(&s->kept);
	t->kept = s->loss_account.samples - flight_recorder_evicted(&s->kept);
	t->files = s->files.total;
	if (!r->options.block_writer.keep)
		close_account(r);
}

/* What only a server of debug files knows. A signal ends the waiting for it, and nothing else. */
static void fetch_names(struct recorder *r)
{
	struct debuginfod *server = r->options.block_writer.debuginfod;
	struct recorder_signals *signals = r->options.signals;
	sig_atomic_t why = signals->stop;
	struct err err = {0};
	u32 wanted, found;
	int ret;

	signals->stop = 0;
	debuginfod_watch(server, &signals->stop);
	ret = block_writer_fetch_names(&r->block_writer, &wanted, &found, &err);
	if (ret)
		buf_addf(&r->notes, "names that were fetched are not in the recording: %s\n",
			 err.msg);
	else if (found < wanted)
		buf_addf(&r->notes, "debuginfod: %s for %u of %u file%s without names\n",
			 signals->stop ? "interrupted; nothing" : "nothing", wanted - found, wanted,
			 TEXT_PLURAL(wanted));
	debuginfod_watch(server, NULL);
	signals->stop = why;
}

int recorder_finish(struct recorder *r, struct err *err)
{
	/* what CPUs had lost when they went offline is the beginning */
	struct lost_on *on = &r->event_session.rings.closed_lost;
	struct block_writer_end end = {.lost_on = on, .exit_code = -1};
	struct counts *kernel;
	struct loss loss;
	int ret;
	u32 i;

	for (i = 0; event_session_away(&r->event_session, &i, &loss); i++)
		recorder_reader_lose(&r->reader, loss);
	recorder_reader_take_overwritten(&r->reader);
	recorder_reader_flush(&r->reader, false);
	block_writer_thread_stop(&r->thread);
	end.kernel = kernel = rings_counts(&r->event_session.rings, on);
	if (!kernel)
		return err_nomem(err);
	if (r->events.deferred)
		r->totals.lost_chains = kernel[r->events.deferred - 1].lost;
	/* a command that still runs when the time is up goes on: it is not ours to end */
	if (child_poll(&r->event_session.child))
		end.exit_code = child_exit_code(&r->event_session.child);
	end.read_to_end = recorder_reader_is_at_end(&r->reader);
	end.time = clock_ns(r->options.preamble.clockid);
	if (r->options.block_writer.debuginfod)
		fetch_names(r);
	buf_add(&r->printed.notes, r->notes.data, r->notes.len);
	end.notes = buf_str(&r->printed.notes);
	ret = block_writer_finish(&r->block_writer, &end, err);
	r->totals.finished = !ret;
	sum_totals(r);
	describe_stacks(r);
	free(kernel);
	tell_switch(r);
	if (r->block_writer.files.moved)
		buf_addf(&r->notes,
			 "%u file%s of the recording %s moved away while it was written\n",
			 r->block_writer.files.moved, TEXT_PLURAL(r->block_writer.files.moved),
			 TEXT_WERE(r->block_writer.files.moved));
	if (r->block_writer.files.elsewhere)
		buf_addf(&r->notes, "%s was moved or replaced while it was written\n",
			 r->options.block_writer.output);
	symbol_collector_notes(r->block_writer.batch_encoder.symbols, &r->notes);
	if (!ret && r->block_writer.write.failed) {
		*err = r->block_writer.write.err;
		ret = -err->code;
	}
	if (!ret && r->block_writer.switching.failed) {
		*err = r->block_writer.switching.err;
		err_prefix(err, "a file of --switch-output was not begun");
		ret = -err->code;
	}
	if (!ret && r->printed.snapshots_failed) {
		*err = r->printed.snapshot_error;
		err_prefix(err, "%u snapshot%s %s not written", r->printed.snapshots_failed,
			   TEXT_PLURAL(r->printed.snapshots_failed),
			   TEXT_WERE(r->printed.snapshots_failed));
		ret = -err->code;
	}
	return ret;
}

void recorder_free(struct recorder *r)
{
	bool ended;

	block_writer_thread_stop(&r->thread);
	ended = unwinding_free(&r->unwinding);
	if (!r->prepared)
		return;
	/* a start that failed leaves nothing to take over */
	if (r->shared_batches)
		r->shared_batches->done = 1;
	guardian_leave(&r->guardian, event_session_tracepoints(&r->event_session));
	if (ended && r->event_session.proc >= 0)
		pinned_files_free(&r->held);
	event_session_close(&r->event_session, r->guardian.pid || !ended);
	if (r->controlled)
		control_close(&r->control);
	if (r->block_writer.options)
		block_writer_free(&r->block_writer);
	buf_free(&r->notes);
	buf_free(&r->printed.notes);
	buf_free(&r->stacks);
	if (!ended)
		return;
	event_set_free(&r->events);
	shared_batches_free(r->shared_batches);
}
