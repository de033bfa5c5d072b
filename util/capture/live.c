// SPDX-License-Identifier: GPL-2.0
#include "util/capture/live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "util/base/clock.h"
#include "util/capture/background_close.h"
#include "util/capture/recorded_events.h"
#include "util/capture/synth.h"
#include "util/event/ev_expr.h"
#include "util/kernel/ksyms.h"

/* By then a record that was stamped is in its ring. */
#define SETTLE_NS 5000000ull
/* A ring's space is given back after so much, while the rest of it is being read. */
#define RELEASE_BYTES (64u << 10)

/* The source is its first member, which source_close() frees. */
static struct live *live_of(struct source *s)
{
	return (struct live *)s;
}

static int add_facts(struct live *l, struct err *err)
{
	struct recording *r = &l->recording;
	struct buf facts = {0};
	const char *key, *value;
	size_t key_len, value_len;
	struct cur c;
	char name[64];
	int ret = 0;

	preamble_facts(&l->options.preamble, l->event_session.list, l->event_session.root, &facts);
	c = cur_init_le(facts.data, facts.len);
	while (!ret && cur_left(&c)) {
		key = cur_lstr(&c, &key_len);
		value = cur_lstr(&c, &value_len);
		snprintf(name, sizeof(name), "%.*s", (int)key_len, key);
		ret = recording_add_fact(r, name, value, value_len);
	}
	ret = ret || facts.failed ? err_nomem(err) : 0;
	buf_free(&facts);
	return ret;
}

static int add_tracepoints(struct live *l, struct err *err)
{
	struct recording *r = &l->recording;
	const struct ev_spec *s;
	u32 i;

	for (i = 0; i < l->event_session.list->specs.nr; i++) {
		s = &l->event_session.list->specs.v[i];
		if (s->tp.format && !recording_tracepoint(r, ev_expr_number(s)) &&
		    recording_add_tracepoint(r, ev_expr_number(s), s->tp.system,
					     strlen(s->tp.system), s->tp.name, strlen(s->tp.name),
					     s->tp.format, strlen(s->tp.format)))
			return err_nomem(err);
	}
	return 0;
}

/* What a file would contain about itself. */
static int describe(struct live *l, struct err *err)
{
	struct recording *r = &l->recording;
	int ret;

	ret = recorded_events_live(l->event_session.list, &l->event_session.rings.counters,
				   &r->events, err);
	if (!ret)
		ret = add_facts(l, err);
	if (!ret)
		ret = add_tracepoints(l, err);
	return ret ? ret : loss_account_init(&l->loss_account, &r->events, err);
}

static void put_kernel(struct synth *s)
{
	struct ksyms k = {0};
	u64 start, len;

	ksyms_open(&k, s->proc);
	if (ksyms_range(&k, &start, &len))
		synth_kernel(s, start, len);
	ksyms_close(&k);
}

/* Records made here, not by the kernel: what runs already. */
static int put_running_tasks(struct live *l, struct err *err)
{
	const struct event_desc *sideband = &l->recording.events.events.v[0];
	struct synth s = {
		.proc = l->event_session.proc,
		.layout = &sideband->layout,
		.no_mappings = !l->options.mappings,
		.data_mappings = l->options.data_mappings,
		.namespaces = sideband->attr.namespaces,
		.kernel_names = true,
		.out = &l->running,
	};
	int ret = 0;

	put_kernel(&s);
	if (sideband->attr.cgroup)
		synth_cgroups(&s, l->event_session.root);
	if (l->options.tasks)
		ret = synth_targets(&s, l->event_session.targets.v, l->event_session.targets.nr,
				    err);
	return !ret && l->running.failed ? err_nomem(err) : ret;
}

static int next_live_record(struct source *s, struct rec *rec, struct err *err);
static void close_live(struct source *s);

static const struct source_ops live_ops = {.next = next_live_record, .close = close_live};

int live_open(struct live **out, const struct live_options *o, struct ev_list *list,
	      const struct sysroot *root, struct err *err)
{
	struct live *l = calloc(1, sizeof(*l));
	int ret;

	*out = l;
	if (!l)
		return err_nomem(err);
	l->options = *o;
	l->source.ops = &live_ops;
	l->source.recording = &l->recording;
	l->recording.path = "the running system";
	l->recording.live = true;
	event_set_ring_cpus(&l->recording.events);
	event_session_init(&l->event_session);
	l->bounce = malloc(UINT16_MAX + 1);
	if (!l->bounce)
		return err_nomem(err);
	l->options.event_session.clockid = o->preamble.clockid;
	ret = event_session_open(&l->event_session, &l->options.event_session, list, root,
				 &l->notes, err);
	if (!ret)
		ret = describe(l, err);
	if (ret)
		return ret;
	clock_pair_read(&l->clocks, o->preamble.clockid);
	event_session_enable_sideband(&l->event_session);
	return put_running_tasks(l, err);
}

int live_start(struct live *l, struct err *err)
{
	int ret = event_session_start(&l->event_session, err);

	l->started = !ret;
	return ret;
}

/* The ids of counters that were opened since. */
static int know_ids(void *arg, u32 from, struct err *err)
{
	struct live *l = arg;
	const struct counters *c = &l->event_session.rings.counters;
	u32 i;

	for (i = from; i < c->nr; i++)
		if (event_set_id(&l->recording.events, c->v[i].id, c->v[i].spec))
			return err_nomem(err);
	return 0;
}

/* Which CPUs went, which came? */
static void check_cpus(struct live *l)
{
	struct event_session *t = &l->event_session;
	struct err err = {0};
	struct loss loss;
	bool told;

	while (event_session_next_cpu(t, &loss)) {
		told = hotplug_failed(&t->hotplug, loss.cpu);
		if (event_session_return_cpu(t, &loss, know_ids, l, &err)) {
			if (!told)
				buf_addf(&l->notes, "CPU %u came online and is not seen: %s\n",
					 loss.cpu, err.msg);
		} else if (loss.cause) {
			loss_account_loss(&l->loss_account, &loss);
		}
	}
}

/* The kernel's own account, once all its events are disabled and all rings are empty. */
static int close_account(struct live *l, struct err *err)
{
	struct recording *r = &l->recording;
	u32 nr = r->events.events.nr, i;
	struct counts *kernel = rings_counts(&l->event_session.rings, NULL), *n;
	struct loss loss;

	if (!kernel)
		return err_nomem(err);
	for (i = 0; event_session_away(&l->event_session, &i, &loss); i++)
		loss_account_loss(&l->loss_account, &loss);
	loss_account_close(&l->loss_account, kernel, !l->malformed);
	loss_account_end(&l->loss_account, &r->events, l->event_session.round.now);
	free(kernel);
	for (i = 1; i < nr; i++) {
		if (r->events.events.v[i].sideband)
			continue;
		n = vec_push(&r->counts);
		if (!n)
			return err_nomem(err);
		*n = l->loss_account.counts[i];
	}
	return 0;
}

/* Losses become known with the records that report them. */
static int update_losses(struct live *l, struct err *err)
{
	struct recording *r = &l->recording;
	struct loss *loss;
	u32 i;

	/* those of one cause on one CPU are one entry of the loss account, which grows */
	r->losses.nr = 0;
	for (i = 0; i < l->loss_account.losses.nr; i++) {
		loss = vec_push(&r->losses);
		if (!loss)
			return err_nomem(err);
		*loss = l->loss_account.losses.v[i];
	}
	return l->loss_account.failed ? err_nomem(err) : 0;
}

/* All clocks once more, if it is time or one of them was set. */
static int update_clocks(struct live *l, struct err *err)
{
	struct clock_pair now;
	struct buf text = {0};
	int ret;

	clock_pair_read(&now, l->options.preamble.clockid);
	if (!clock_pair_is_news(&l->clocks, &now))
		return 0;
	l->clocks = now;
	clock_pair_text(&now, &text);
	ret = text.failed ||
	      recording_add_fact(&l->recording, CLOCK_PAIR_KEY, buf_str(&text), text.len);
	buf_free(&text);
	return ret ? err_nomem(err) : 0;
}

/* All rings were read: what is older than `order` has been given. */
static int end_round(struct live *l, struct err *err)
{
	int ret;

	if (l->last) {
		ret = close_account(l, err);
		l->ended = true;
		if (!ret)
			ret = update_losses(l, err);
		return ret ? ret : SOURCE_END;
	}
	ret = update_losses(l, err);
	if (!ret)
		ret = update_clocks(l, err);
	l->source.order = l->event_session.round.before;
	return ret ? ret : SOURCE_WAIT;
}

static int begin_round(struct live *l, struct err *err)
{
	int ret = event_session_tick(&l->event_session, err);

	if (ret)
		return ret;
	l->last = event_session_is_over(&l->event_session);
	if (l->last)
		event_session_stop(&l->event_session);
	event_session_begin_round(&l->event_session, SETTLE_NS);
	check_cpus(l);
	l->ring = 0;
	l->waiting = 0;
	return 0;
}

static struct ring *ring_at(struct live *l, u32 number)
{
	struct ring *ring = &l->event_session.rings.v.v[number].ring;

	return ring->size && !ring->overwrite ? ring : NULL;
}

/* Done with a ring: its space is given back, and one that was nearly full is replaced. */
static int leave_ring(struct live *l, struct err *err)
{
	struct ring *ring = ring_at(l, l->ring);

	if (!ring)
		return 0;
	ring_release(ring);
	return event_session_leave_ring(&l->event_session, l->ring, l->waiting, err);
}

/* What is to be known of a record before others see it. False: they need not. */
static bool account_record(struct live *l, struct rec *rec)
{
	const struct event_set *events = &l->recording.events;
	const struct ring_slot *slot = &l->event_session.rings.v.v[l->ring];
	const struct sample_layout *layout;
	u32 event;
	u64 time;

	rec->cpu = slot->cpu;
	rec->event = event_set_find_in_ring(events, rec, slot->sideband);
	event = rec->event == ID_NONE ? 0 : rec->event;
	layout = &events->events.v[event].layout;
	time = sample_layout_time(layout, rec);
	if (l->options.self && sample_layout_switch_pid(layout, rec) == l->options.self)
		return false;
	if (rec->type != PERF_RECORD_SAMPLE) {
		loss_account_record(&l->loss_account, events, rec, l->newest.v[l->ring], time);
	} else if (sample_layout_is_of(layout, rec, l->options.self)) {
		l->loss_account.counts[event].excluded++;
		return false;
	} else {
		l->loss_account.counts[event].samples++;
		l->samples++;
		if (l->options.look)
			l->options.look(l->options.look_arg, rec, layout);
	}
	l->newest.v[l->ring] = MAX(l->newest.v[l->ring], time);
	return true;
}

/* The next record of a ring; false: there is none left of this round. */
static bool next_in_ring(struct live *l, struct ring *ring, struct rec *rec)
{
	if (!l->waiting) {
		l->waiting = ring_begin(ring);
		l->released = ring->pos;
	}
	if (ring->pos - l->released >= RELEASE_BYTES) {
		ring_release(ring);
		l->released = ring->pos;
	}
	if (ring_view(ring, rec, l->bounce))
		return true;
	l->malformed += ring->bad;
	ring->bad = 0;
	return false;
}

static bool track_rings(struct live *l)
{
	while (l->newest.nr < l->event_session.rings.v.nr)
		if (!vec_push(&l->newest))
			return false;
	return true;
}

/* Records of what ran before the start: without a time, thus first. */
static bool next_running(struct live *l, struct rec *rec)
{
	if (!rec_view(rec, l->running.data + l->running_pos, l->running.len - l->running_pos)) {
		buf_free(&l->running);
		l->running_pos = 0;
		return false;
	}
	rec->event = 0;
	l->running_pos += rec->size;
	return true;
}

static int next_live_record(struct source *s, struct rec *rec, struct err *err)
{
	struct live *l = live_of(s);
	struct rings *rings = &l->event_session.rings;
	struct ring *ring;
	int ret;

	if (l->ended)
		return SOURCE_END;
	if (l->running.len && next_running(l, rec))
		return SOURCE_RECORD;
	/* a reader looks before the start, for what there is to know */
	if (!l->started) {
		s->order = l->event_session.round.before;
		return SOURCE_WAIT;
	}
	if (l->ring >= rings->v.nr) {
		event_session_sleep(&l->event_session, (u32)(l->options.round_ns / 1000000));
		ret = begin_round(l, err);
		if (ret)
			return ret;
	}
	if (!track_rings(l))
		return err_nomem(err);
	while (l->ring < rings->v.nr) {
		ring = ring_at(l, l->ring);
		while (ring && next_in_ring(l, ring, rec))
			if (account_record(l, rec))
				return SOURCE_RECORD;
		ret = leave_ring(l, err);
		if (ret)
			return ret;
		l->ring++;
		l->waiting = 0;
		if (!track_rings(l))
			return err_nomem(err);
	}
	return end_round(l, err);
}

u64 live_lost(const struct live *l)
{
	return recording_lost(&l->recording, l->loss_account.lost);
}

static void close_live(struct source *s)
{
	struct live *l = live_of(s);

	if (l->event_session.rings.v.nr) {
		event_session_stop(&l->event_session);
		if (!l->options.embedded)
			background_close(event_session_tracepoints(&l->event_session));
	}
	event_session_close(&l->event_session, false);
	loss_account_free(&l->loss_account);
	vec_free(&l->newest);
	buf_free(&l->notes);
	buf_free(&l->running);
	free(l->bounce);
}
