// SPDX-License-Identifier: GPL-2.0
#include "util/capture/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "util/base/clock.h"
#include "util/base/io.h"
#include "util/capture/synth.h"

#define BATCH_SIZE (4u << 20)
#define ROUND_MS   250
#define FLUSH_NS   1000000000ull
#define SPLIT_MIN  4096 /* smaller pieces of a batch are not tried on a full disk */

static int map_ring(struct recorder *r, int fd, u32 cpu, struct err *err)
{
	struct ring *ring = vec_push(&r->rings);
	int ret;

	if (!ring)
		return err_nomem(err);
	ret = ring_open(ring, fd, r->pages, cpu, err);
	if (ret)
		r->rings.nr--;
	return ret;
}

/* One ring per CPU: the first counter of a CPU owns it, the others write into it. */
static int attach(struct recorder *r, u32 from, struct err *err)
{
	const struct counter *c;
	u32 i, owner;
	int ret = 0;

	for (i = from; i < r->counters.nr && !ret; i++) {
		c = &r->counters.v[i];
		owner = hmap_get(&r->owners, c->cpu);
		if (owner == ID_NONE) {
			ret = map_ring(r, c->fd, c->cpu, err);
			if (!ret && !hmap_set(&r->owners, c->cpu, i))
				ret = err_nomem(err);
		} else if (ioctl(c->fd, PERF_EVENT_IOC_SET_OUTPUT, r->counters.v[owner].fd)) {
			ret = err_set(err, errno, "cannot direct %s on CPU %d into its buffer: %s",
				      r->list->specs.v[c->spec].name, (int)c->cpu, strerror(errno));
		}
	}
	return ret;
}

static void close_rings(struct recorder *r)
{
	u32 i;

	for (i = 0; i < r->rings.nr; i++)
		ring_close(&r->rings.v[i]);
	vec_free(&r->rings);
	hmap_free(&r->owners);
	ev_open_close(&r->counters);
}

/*
 * Open the side-band event: its counters, one for each CPU and thread, own the rings. While the
 * limit on locked memory refuses a ring, all of them are halved, lest one CPU keep what another
 * loses; the event is opened anew since the watermark is part of it.
 */
static int open_rings(struct recorder *r, const struct ev_target *target, struct err *err)
{
	u64 page = (u64)sysconf(_SC_PAGESIZE), asked = r->options->pages;
	int ret, why = 0;

	for (r->pages = (u32)asked;; r->pages /= 2) {
		r->list->specs.v[0].attr.wakeup_watermark = (u32)(r->pages * page / 4);
		ret = ev_open(&r->counters, r->list, 0, target, r->root, &r->notes, err);
		if (ret)
			return ret;
		ret = attach(r, 0, err);
		if ((ret != -EPERM && ret != -ENOMEM) || r->pages == 1)
			break;
		why = ret;
		close_rings(r);
	}
	if (ret == -EPERM)
		err_hint(
			err,
			"Permission error mapping pages: raise kernel.perf_event_mlock_kb, or run as root");
	if (ret || !why)
		return ret;
	*err = (struct err){0};
	buf_addf(&r->notes, "buffers of %llu KiB instead of %llu KiB: %s\n",
		 (unsigned long long)(r->pages * page / 1024),
		 (unsigned long long)(asked * page / 1024),
		 why == -EPERM
			 ? "the locked-memory limit (kernel.perf_event_mlock_kb) allows no more"
			 : "there is no memory for more");
	return 0;
}

static bool add_poll(struct recorder *r, int fd)
{
	struct pollfd *p = vec_push(&r->polls);

	if (p)
		*p = (struct pollfd){.fd = fd, .events = POLLIN};
	return p;
}

/*
 * What wakes the loop: the side-band counters, one for each CPU and thread, share the rings and
 * hang up when their thread has ended; the end of the command is the last one.
 */
static int watch(struct recorder *r, struct err *err)
{
	bool ok = true;
	u32 i;

	for (i = 0; i < r->counters.nr && ok; i++)
		if (r->counters.v[i].spec == 0)
			ok = add_poll(r, r->counters.v[i].fd);
	if (ok && r->child.pidfd >= 0)
		ok = add_poll(r, r->child.pidfd);
	return ok ? 0 : err_nomem(err);
}

static int open_events(struct recorder *r, struct err *err)
{
	struct ev_target target = {
		.cpus = r->options->cpus->v,
		.nr_cpus = r->options->cpus->nr,
		.tids = r->targets.v,
		.nr_tids = r->targets.nr,
	};
	u32 i, sideband;
	int ret;

	ev_open_raise_limit();
	ret = open_rings(r, &target, err);
	if (ret)
		return ret;
	sideband = r->counters.nr;
	for (i = 1; i < r->list->specs.nr; i++) {
		if (*r->options->stop)
			return err_set(err, EINTR, "interrupted");
		ret = ev_open(&r->counters, r->list, i, &target, r->root, &r->notes, err);
		if (!ret)
			ret = ev_open_filter(&r->counters, r->list, i, err);
		if (ret)
			return ret;
	}
	if (!r->counters.nr)
		return err_set(err, ESRCH, "nothing to record: every target has ended");
	ret = attach(r, sideband, err);
	return ret ? ret : watch(r, err);
}

/* What the file must say of the events so that records can be read back. */
static int describe_events(struct recorder *r, struct err *err)
{
	VEC(u64) ids = {0};
	u32 i, j;
	int ret = 0;

	for (i = 0; i < r->list->specs.nr && ret >= 0; i++) {
		const struct ev_spec *spec = &r->list->specs.v[i];

		ids.nr = 0;
		for (j = 0; j < r->counters.nr; j++) {
			u64 *id;

			if (r->counters.v[j].spec != i)
				continue;
			id = vec_push(&ids);
			if (!id) {
				ret = err_nomem(err);
				break;
			}
			*id = r->counters.v[j].id;
		}
		if (ret >= 0)
			ret = event_set_add(&r->events, &spec->attr, sizeof(spec->attr), spec->name,
					    ids.v, ids.nr, err);
		if (ret >= 0)
			r->events.events.v[ret].sideband = i == 0;
	}
	vec_free(&ids);
	return ret < 0 ? ret : 0;
}

static void note_time(struct recorder *r, u64 time)
{
	if (!time)
		return;
	if (!r->time_min || time < r->time_min)
		r->time_min = time;
	if (time > r->time_max)
		r->time_max = time;
}

static int flush(struct recorder *r, struct err *err);

/* Records made here, not by the kernel: what runs already. */
static int synthesise(struct recorder *r, struct err *err)
{
	const struct recorder_options *o = r->options;
	struct buf records = {0};
	struct synth s = {
		.proc = r->proc,
		.plan = &r->events.events.v[0].plan,
		.data_mappings = o->data_mappings,
		.out = &records,
	};
	struct rec rec;
	size_t at;
	int ret;

	synth_modules(&s);
	if (r->targets.nr == 1 && r->targets.v[0] == -1)
		ret = synth_all(&s, err);
	else
		ret = synth_threads(&s, (const u32 *)r->targets.v, r->targets.nr, err);
	for (at = 0; !ret && at < records.len; at += rec.size) {
		if (!rec_view(&rec, records.data + at, records.len - at))
			break;
		seen_record(&r->seen, &rec, 0, r->batch.len);
		buf_add(&r->batch, rec.data, rec.size);
		r->batch_records++;
		if (r->batch.len >= BATCH_SIZE)
			ret = flush(r, err);
	}
	buf_free(&records);
	return ret ? ret : flush(r, err);
}

static int enable(struct recorder *r, bool on, struct err *err)
{
	unsigned long request = on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;
	u32 i;

	for (i = 0; i < r->counters.nr; i++)
		if (ioctl(r->counters.v[i].fd, request, 0) && on)
			return err_set(err, errno, "cannot enable %s: %s",
				       r->list->specs.v[r->counters.v[i].spec].name,
				       strerror(errno));
	return 0;
}

/* From here on the kernel tells of new tasks and mappings: those that are there come from /proc. */
static void enable_sideband(struct recorder *r)
{
	u32 i;

	r->round = r->round_before = clock_ns(r->options->preamble.clockid);
	for (i = 0; i < r->counters.nr && r->counters.v[i].spec == 0; i++)
		ioctl(r->counters.v[i].fd, PERF_EVENT_IOC_ENABLE, 0);
}

/* Addresses in the kernel are sure to come: a tracepoint's own is one. */
static bool samples_kernel(const struct recorder *r)
{
	u32 i;

	for (i = 1; i < r->list->specs.nr; i++)
		if (!r->list->specs.v[i].attr.exclude_kernel)
			return true;
	return false;
}

static int prepare(struct recorder *r, struct err *err)
{
	const struct recorder_options *o = r->options;
	struct targets_wanted wanted = o->targets;
	int ret;

	r->proc = io_open(r->root->fd, "proc", O_RDONLY | O_DIRECTORY);
	if (r->proc < 0)
		return err_set(err, -r->proc, "cannot open /proc: %s", strerror(-r->proc));
	if (o->command) {
		ret = child_fork(&r->child, o->command, err);
		if (ret)
			return ret;
	}
	wanted.command = (u32)r->child.pid;
	ret = targets_find(r->proc, &wanted, &r->targets, err);
	if (!ret)
		ret = open_events(r, err);
	if (!ret)
		ret = describe_events(r, err);
	if (!ret)
		ret = seen_init(&r->seen, &r->events, r->proc, err);
	if (ret)
		return ret;
	r->seen_ready = true;
	if (samples_kernel(r))
		seen_load_kernel(&r->seen);
	ret = writer_open(&r->writer, o->output, o->level, err);
	if (ret)
		return ret;
	r->writer_open = true;
	r->flushed = clock_ns(CLOCK_MONOTONIC);
	enable_sideband(r);
	ret = preamble_write(&r->writer, &o->preamble, r->list, &r->events, r->root, err);
	return ret ? ret : synthesise(r, err);
}

int recorder_prepare(struct recorder *r, const struct recorder_options *o, struct ev_list *list,
		     const struct sysroot *root, struct err *err)
{
	int ret;

	*r = (struct recorder){.prepared = true,
			       .options = o,
			       .root = root,
			       .list = list,
			       .proc = -1,
			       .self = (u32)getpid()};
	r->child.go = r->child.result = r->child.pidfd = -1;
	ret = prepare(r, err);
	if (ret == -EMFILE && !err->hint[0])
		err_hint(err, "raise the limit with: ulimit -n 65536");
	return ret;
}

int recorder_start(struct recorder *r, struct err *err)
{
	const struct recorder_options *o = r->options;
	bool on_exec = o->command && !o->targets.system_wide;
	int ret = 0;

	r->started = clock_ns(CLOCK_MONOTONIC);
	r->delayed = o->delay_ns != 0;
	/* events of the command alone wait for its exec (enable_on_exec) */
	if (!on_exec && !r->delayed)
		ret = enable(r, true, err);
	if (!ret && o->command)
		ret = child_start(&r->child, o->command[0], err);
	if (!ret)
		ret = writer_publish(&r->writer, err);
	return ret;
}

/* Is the record of the recorder itself, and not wanted? */
static bool is_own(const struct recorder *r, const struct rec *rec, const struct plan *plan)
{
	struct cur c = rec_body(rec);

	if (r->options->include_self || rec->type != PERF_RECORD_SAMPLE)
		return false;
	/* our events all begin with identifier, ip, pid */
	cur_skip(&c, plan->sample_type & PERF_SAMPLE_IP ? 16 : 8);
	return cur_u32(&c) == r->self;
}

static void count_loss(struct recorder *r, const struct rec *rec)
{
	struct cur c = rec_body(rec);

	switch (rec->type) {
	case PERF_RECORD_LOST:
		cur_u64(&c);
		r->totals.lost += cur_u64(&c);
		break;
	case PERF_RECORD_LOST_SAMPLES:
		r->totals.lost += cur_u64(&c);
		break;
	case PERF_RECORD_THROTTLE:
		r->totals.throttled++;
		break;
	}
}

static void take(struct recorder *r, const struct rec *rec)
{
	u32 event = event_set_find(&r->events, rec);
	const struct plan *plan;

	if (event == ID_NONE)
		event = 0;
	plan = &r->events.events.v[event].plan;
	if (is_own(r, rec, plan)) {
		r->totals.excluded++;
		return;
	}
	if (rec->type == PERF_RECORD_SAMPLE)
		r->batch_samples++;
	else
		count_loss(r, rec);
	note_time(r, plan_time(plan, rec));
	seen_record(&r->seen, rec, event, r->batch.len);
	buf_add(&r->batch, rec->data, rec->size);
	r->batch_records++;
}

/* What a failed write leaves to hope for: room on the disk may come back. */
static bool no_room(int ret)
{
	return ret == -ENOSPC || ret == -EDQUOT || ret == -EFBIG;
}

/* Cut the front off a span of records, at a record's end, of about half its bytes. */
static struct writer_data front_half(const struct writer_data *d)
{
	struct writer_data half = *d;
	struct rec rec;
	size_t at = 0;

	half.nr = half.samples = 0;
	while (at < d->len / 2 && rec_view(&rec, (const u8 *)d->records + at, d->len - at)) {
		at += rec.size;
		half.nr++;
		half.samples += rec.type == PERF_RECORD_SAMPLE;
	}
	half.len = at;
	return half;
}

/* Write records as one block; where there is no room for it, as much of it as there is room for. */
static int write_records(struct recorder *r, const struct writer_data *d, struct err *err)
{
	int ret = writer_data(&r->writer, d, err);
	struct writer_data front, rest = *d;

	if (!no_room(ret))
		return ret;
	if (d->len <= SPLIT_MIN) {
		writer_skip(&r->writer, d->samples);
		return ret;
	}
	front = front_half(d);
	rest.records = (const u8 *)d->records + front.len;
	rest.len -= front.len;
	rest.nr -= front.nr;
	rest.samples -= front.samples;
	ret = front.nr ? write_records(r, &front, err) : 0;
	if (!ret && rest.nr)
		return write_records(r, &rest, err);
	writer_skip(&r->writer, rest.samples);
	return ret;
}

static int write_batch(struct recorder *r, struct err *err)
{
	struct buf head = {0};
	struct writer_data d = {
		.records = r->batch.data,
		.len = r->batch.len,
		.nr = r->batch_records,
		.samples = r->batch_samples,
		.time_min = r->time_min,
		.time_max = r->time_max,
		.order = r->round_before,
	};
	struct writer_data h = {0};
	int ret, ret_data;

	ret = seen_flush(&r->seen, &r->batch, &head, &h.nr, &r->writer, err);
	if ((!ret || no_room(ret)) && head.len) {
		h.records = head.data;
		h.len = head.len;
		ret = write_records(r, &h, err);
	}
	buf_free(&head);
	if (ret && !no_room(ret))
		return ret;
	ret_data = write_records(r, &d, err);
	r->newest_written = MAX(r->newest_written, d.time_max);
	r->order_written = d.order;
	return ret_data ? ret_data : ret;
}

static int flush(struct recorder *r, struct err *err)
{
	struct err why = {0};
	int ret = 0;

	if (r->batch.failed)
		return err_nomem(err);
	/* an empty block tells the reader of a pipe that nothing older comes any more */
	if (r->batch.len || (!r->writer.seekable && r->order_written <= r->newest_written))
		ret = write_batch(r, &why);
	r->totals.samples += r->batch_samples;
	buf_clear(&r->batch);
	r->batch_records = r->batch_samples = 0;
	r->time_min = r->time_max = 0;
	r->flushed = clock_ns(CLOCK_MONOTONIC);
	if (!ret)
		return 0;
	if (!r->write_error.code)
		r->write_error = why;
	/* a full disk may have room again later; a reader that has gone away does not come back */
	if (no_room(ret))
		return 0;
	*err = why;
	return ret;
}

/* Read every ring once. */
static int drain(struct recorder *r, struct err *err)
{
	struct rec rec;
	u32 i;
	int ret;

	r->round_before = r->round;
	r->round = clock_ns(r->options->preamble.clockid);
	for (i = 0; i < r->rings.nr; i++) {
		struct ring *ring = &r->rings.v[i];

		if (!ring_begin(ring))
			continue;
		while (ring_next(ring, &rec))
			take(r, &rec);
		ring_release(ring);
		if (r->batch.len >= BATCH_SIZE) {
			ret = flush(r, err);
			if (ret)
				return ret;
		}
	}
	/* whoever reads a pipe is waiting */
	if (!r->writer.seekable || clock_ns(CLOCK_MONOTONIC) - r->flushed >= FLUSH_NS)
		return flush(r, err);
	return 0;
}

/* How long to sleep at most, in ms. */
static int timeout(const struct recorder *r)
{
	u64 now = clock_ns(CLOCK_MONOTONIC) - r->started, left = ROUND_MS;
	u64 delay = r->options->delay_ns, end = delay + r->options->duration_ns;

	if (r->options->duration_ns)
		left = MIN(left, end > now ? (end - now) / 1000000 + 1 : 0);
	if (r->delayed)
		left = MIN(left, delay > now ? (delay - now) / 1000000 + 1 : 0);
	return (int)left;
}

/* Are all the targets gone? The kernel says so by POLLHUP. */
static void drop_dead(struct recorder *r)
{
	u32 i;

	for (i = 0; i < r->polls.nr; i++)
		if (r->polls.v[i].revents & (POLLHUP | POLLERR | POLLNVAL))
			r->polls.v[i].fd = -1;
}

static bool all_dead(const struct recorder *r)
{
	u32 i;

	for (i = 0; i < r->polls.nr; i++)
		if (r->polls.v[i].fd >= 0)
			return false;
	return true;
}

int recorder_run(struct recorder *r, struct err *err)
{
	const struct recorder_options *o = r->options;
	bool last = false;
	int ret, ready;
	u64 now;

	for (;;) {
		now = clock_ns(CLOCK_MONOTONIC) - r->started;
		if (r->delayed && now >= o->delay_ns) {
			r->delayed = false;
			ret = enable(r, true, err);
			if (ret)
				return ret;
		}
		last = *o->stop || (o->duration_ns && now >= o->delay_ns + o->duration_ns) ||
		       (o->command && child_poll(&r->child)) || (!o->command && all_dead(r));
		if (last)
			enable(r, false, NULL);
		ret = drain(r, err);
		if (ret || last)
			break;
		ready = poll(r->polls.v, r->polls.nr, timeout(r));
		if (ready > 0)
			drop_dead(r);
	}
	r->totals.duration_ns = clock_ns(CLOCK_MONOTONIC) - r->started;
	return ret;
}

int recorder_finish(struct recorder *r, struct err *err)
{
	struct preamble_totals t = {.exit_code = -1};
	int ret = flush(r, err);

	/* a command that still runs when the time is up goes on: it is not ours to end */
	if (child_poll(&r->child))
		t.exit_code = child_exit_code(&r->child);
	t.samples = r->totals.samples;
	t.lost = r->totals.lost;
	t.time_end_ns = clock_ns(r->options->preamble.clockid);
	if (!ret)
		ret = preamble_end(&r->writer, &t, err);
	if (r->seen.kernel_told && r->seen.kallsyms_error.code)
		buf_addf(&r->notes, "kernel functions have no names: %s; %s\n",
			 r->seen.kallsyms_error.msg, r->seen.kallsyms_error.hint);
	r->totals.bytes = r->writer.bytes;
	r->totals.unwritten = r->writer.samples_skipped;
	if (!ret && r->write_error.code) {
		*err = r->write_error;
		ret = -err->code;
	}
	r->writer_open = false;
	return writer_close(&r->writer, ret ? NULL : err) && !ret ? -EIO : ret;
}

void recorder_free(struct recorder *r)
{
	if (!r->prepared)
		return;
	close_rings(r);
	vec_free(&r->polls);
	vec_free(&r->targets);
	child_finish(&r->child, false);
	if (r->writer_open)
		writer_close(&r->writer, NULL);
	if (r->seen_ready)
		seen_free(&r->seen);
	event_set_free(&r->events);
	buf_free(&r->batch);
	buf_free(&r->notes);
	if (r->proc >= 0)
		close(r->proc);
}
