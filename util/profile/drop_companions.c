// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "util/profile/drop_companions_internal.h"
#include "util/tracepoint/tp_names.h"

#define RECORD_MAX (UINT16_MAX & ~7u)
/* Between a companion and its drop the kernel does little; a hypervisor may take the CPU away there. */
#define SOON_NS 100000000ull
/* Of a key, one of so many places. */
#define WAYS       4u
#define PACKETS    4096u
#define SOCKETS    16384u
#define CPUS_MAX   8192u
#define CLOSED     7u         /* TCP_CLOSE, a state of sockets */
#define QUEUE_FULL ((u64)-12) /* -ENOMEM, from who puts a datagram into a queue of a socket */

/* What is known of a packet or a socket, by its address. */
struct known {
	u64 key; /* 0: nothing */
	u64 time;
	u32 epoch; /* losses before it */
	u32 cpu, tid;
	enum drop_companion kind;
	u64 reason; /* that its drop has; DROP_ANY_REASON */
	struct drop_flow flow;
};

struct drop_companions {
	struct source source;
	struct drop_event *events; /* by event */
	u32 nr_events;
	const struct drop_event *drop; /* the first of those of the drops */
	struct drop_layout layout;
	struct known *packets, *sockets;
	VEC(struct known) full; /* by CPU: a full queue, whose drop comes next; key 0: none */
	u32 epoch;
	struct buf made; /* the drop given last */
};

/* ---- what is known ---- */

static struct known *ways_of(struct known *table, u32 size, u64 key)
{
	return table + (hash_u64(key) & (size / WAYS - 1)) * WAYS;
}

static struct known *find_known(struct known *table, u32 size, u64 key, u32 epoch)
{
	struct known *k = ways_of(table, size, key), *end = k + WAYS;

	for (; key && k < end; k++)
		if (k->key == key && k->epoch == epoch)
			return k;
	return NULL;
}

/* What it was before, else a free place, else the oldest. */
static void keep_known(struct known *table, u32 size, const struct known *new)
{
	struct known *k = ways_of(table, size, new->key), *end = k + WAYS, *to = k;

	for (; k < end; k++) {
		if (k->key == new->key) {
			to = k;
			break;
		}
		if (to->key && (!k->key || k->epoch != new->epoch || k->time < to->time))
			to = k;
	}
	*to = *new;
}

static void forget(struct known *k)
{
	if (k)
		k->key = 0;
}

/* The full queue of a CPU; NULL: the CPU is not known. */
static struct known *full_of(struct drop_companions *d, u32 cpu)
{
	if (cpu >= CPUS_MAX || !vec_reserve(&d->full, cpu + 1))
		return NULL;
	while (d->full.nr <= cpu)
		d->full.v[d->full.nr++] = (struct known){0};
	return &d->full.v[cpu];
}

/* ---- companions ---- */

static u64 reason_of(const struct drop_event *e, const u8 *raw, u32 len)
{
	u64 own;
	u32 i;

	if (!drop_event_number(e->reason, raw, len, &own))
		return DROP_ANY_REASON;
	if (e->kind == DROP_COMPANION_FAIL_QUEUE)
		return own == QUEUE_FULL ? e->only_reason : DROP_ANY_REASON;
	for (i = 0; i < e->reasons.nr; i++)
		if (e->reasons.v[i].own == own)
			return e->reasons.v[i].drop;
	return e->only_reason;
}

/* A socket is known until it is closed. */
static void note_socket(struct drop_companions *d, const struct drop_event *e,
			const struct sample *s)
{
	struct known new = {.time = s->ids.time, .epoch = d->epoch, .kind = e->kind};
	u64 state;

	if (!drop_event_number(e->sk, s->raw, s->raw_size, &new.key) || !new.key)
		return;
	if (drop_event_number(e->state, s->raw, s->raw_size, &state) && state != CLOSED &&
	    drop_event_flow(e, s->raw, s->raw_size, &new.flow))
		keep_known(d->sockets, SOCKETS, &new);
	else
		forget(find_known(d->sockets, SOCKETS, new.key, d->epoch));
}

static void note_packet(struct drop_companions *d, const struct drop_event *e,
			const struct sample *s)
{
	const bool adjacent = e->kind == DROP_COMPANION_FAIL_QUEUE;
	struct known new = {
		.key = 1,
		.time = s->ids.time,
		.epoch = d->epoch,
		.cpu = s->ids.cpu,
		.tid = s->ids.tid,
		.kind = e->kind,
		.reason = reason_of(e, s->raw, s->raw_size),
	};
	struct known *full = adjacent ? full_of(d, s->ids.cpu) : NULL;
	bool known =
		drop_event_flow(e, s->raw, s->raw_size, &new.flow) && new.time &&new.cpu != ID_NONE;

	if (full && known)
		*full = new;
	if (adjacent || !drop_event_number(e->skb, s->raw, s->raw_size, &new.key) || !new.key)
		return;
	if (known)
		keep_known(d->packets, PACKETS, &new);
	else
		forget(find_known(d->packets, PACKETS, new.key, d->epoch));
}

/* ---- drops ---- */

static bool fits_protocol(const struct drop_event *drop, const struct drop_flow *flow,
			  const struct sample *s)
{
	const u16 family = flow->from.family ? flow->from.family : flow->to.family;
	u64 protocol;

	if (!family || !drop_event_number(drop->protocol, s->raw, s->raw_size, &protocol))
		return true;
	return protocol == (family == AF_INET ? 0x0800 : 0x86dd);
}

/* Is the drop that of the companion, as far as that is known? */
static bool fits(const struct drop_event *drop, const struct known *k, const struct sample *s)
{
	u64 reason;

	if (!k || k->cpu != s->ids.cpu || k->tid != s->ids.tid || s->ids.time < k->time ||
	    s->ids.time - k->time > SOON_NS)
		return false;
	if (k->reason != DROP_ANY_REASON &&
	    drop_event_number(drop->reason, s->raw, s->raw_size, &reason) && reason != k->reason)
		return false;
	return fits_protocol(drop, &k->flow, s);
}

/* NULL: nothing is known of it. What its packet was known by ends. */
static const struct known *find_companion(struct drop_companions *d, const struct drop_event *drop,
					  const struct sample *s)
{
	struct known *k = NULL, *full = s->ids.cpu < d->full.nr ? &d->full.v[s->ids.cpu] : NULL;
	u64 skb = 0, sk = 0;

	if (drop_event_number(drop->skb, s->raw, s->raw_size, &skb))
		k = find_known(d->packets, PACKETS, skb, d->epoch);
	forget(k);
	if (k && fits(drop, k, s))
		return k;
	if (full && full->key && full->epoch == d->epoch && fits(drop, full, s))
		return full;
	if (!drop_event_number(drop->sk, s->raw, s->raw_size, &sk))
		return NULL;
	k = find_known(d->sockets, SOCKETS, sk, d->epoch);
	return k && fits_protocol(drop, &k->flow, s) ? k : NULL;
}

/* The record with other raw data; as it is, if that has no room or memory is out. */
static void put_drop(struct drop_companions *d, const struct sample *s, const struct known *k,
		     struct rec *rec)
{
	const size_t lead = (size_t)(s->raw - rec->data), old = ALIGN_UP(lead + s->raw_size, 8u);
	const u32 cpu = rec->cpu, event = rec->event, more = rec->more;
	struct buf *b = &d->made;
	struct perf_event_header h;
	u32 size;

	buf_clear(b);
	buf_add(b, rec->data, lead);
	drop_layout_put(&d->layout, s->raw, s->raw_size, k ? &k->flow : NULL,
			k ? k->kind : DROP_COMPANION_NONE, b);
	buf_pad(b, '\0', ALIGN_UP(b->len, 8u) - b->len);
	size = (u32)(b->len - lead);
	if (old < rec->size)
		buf_add(b, rec->data + old, rec->size - old);
	if (b->failed || b->len > RECORD_MAX)
		return;
	memcpy(b->data + lead - sizeof(size), &size, sizeof(size));
	memcpy(&h, b->data, sizeof(h));
	h.size = (u16)b->len;
	memcpy(b->data, &h, sizeof(h));
	rec_view(rec, b->data, b->len);
	rec->cpu = cpu;
	rec->event = event;
	rec->more = more;
}

static int take_sample(struct drop_companions *d, struct rec *rec, struct err *err)
{
	const struct event_set *events = &d->source.recording->events;
	const struct drop_event *e;
	struct known *full;
	struct sample s;

	if (rec->event >= d->nr_events ||
	    !sample_layout_sample(&events->events.v[rec->event].layout, rec, &s))
		return 0;
	e = &d->events[rec->event];
	full = s.ids.cpu < d->full.nr ? &d->full.v[s.ids.cpu] : NULL;
	if (e->format && s.raw && e->kind == DROP_COMPANION_NONE) {
		put_drop(d, &s, find_companion(d, e, &s), rec);
		if (d->made.failed)
			return err_nomem(err);
	}
	/* what comes next on this CPU is no longer the next */
	forget(full);
	if (!e->format || !s.raw)
		return 0;
	if (e->kind == DROP_COMPANION_SET_STATE)
		note_socket(d, e, &s);
	else if (e->kind != DROP_COMPANION_NONE)
		note_packet(d, e, &s);
	return 0;
}

static int next_joined(struct source *source, struct rec *rec, struct err *err)
{
	struct drop_companions *d = (struct drop_companions *)source;
	int ret = source_step(source->from, rec, err);

	source->order = source->from->order;
	source->last = source->from->last;
	if (ret != SOURCE_RECORD)
		return ret;
	if (rec->type == PERF_RECORD_LOST || rec->type == PERF_RECORD_LOST_SAMPLES)
		d->epoch++;
	if (rec->type != PERF_RECORD_SAMPLE)
		return ret;
	return take_sample(d, rec, err) ? -ENOMEM : ret;
}

static void finish_companions(struct source *source)
{
	struct drop_companions *d = (struct drop_companions *)source;
	u32 i;

	for (i = 0; i < d->nr_events; i++) {
		tp_format_free(d->events[i].format);
		vec_free(&d->events[i].reasons);
	}
	free(d->events);
	free(d->packets);
	free(d->sockets);
	vec_free(&d->full);
	buf_free(&d->made);
	*d = (struct drop_companions){.source = d->source};
}

/* ---- the events ---- */

static u64 value_named(const struct tp_name_list *list, const char *name, size_t len)
{
	u32 i;

	for (i = 0; i < list->v.nr; i++)
		if (list->v.v[i].len == len && !memcmp(list->v.v[i].name, name, len))
			return list->v.v[i].value;
	return DROP_ANY_REASON;
}

/* A reset says why, in words of its own; where the drop has the same ones, it must say the same. */
static int pair_reasons(struct drop_event *e, const struct tp_name_list *drops,
			const struct tp_opts *opts, struct err *err)
{
	struct tp_name_list own = {0};
	struct drop_reason_pair *pair;
	int ret = e->reason ? tp_names_list(e->format, e->reason, opts, &own, err) : 0;
	u64 drop;
	u32 i;

	for (i = 0; i < own.v.nr && !ret; i++) {
		drop = value_named(drops, own.v.v[i].name, own.v.v[i].len);
		/* the least that a reset may say */
		if (drop == DROP_ANY_REASON || !own.v.v[i].value)
			continue;
		pair = vec_push(&e->reasons);
		if (pair)
			*pair = (struct drop_reason_pair){own.v.v[i].value, drop};
		else
			ret = err_nomem(err);
	}
	tp_names_list_free(&own);
	return ret;
}

static int find_reasons(struct drop_companions *d, const struct tp_opts *opts, struct err *err)
{
	static const char *const only[DROP_COMPANIONS] = {
		[DROP_COMPANION_BAD_CSUM] = "TCP_CSUM",
		[DROP_COMPANION_FAIL_QUEUE] = "SOCKET_RCVBUFF",
	};
	struct tp_name_list drops = {0};
	struct drop_event *e = d->events, *end = e + d->nr_events;
	int ret = d->drop->reason
			  ? tp_names_list(d->drop->format, d->drop->reason, opts, &drops, err)
			  : 0;

	for (; e < end && !ret; e++) {
		if (e->format && only[e->kind])
			e->only_reason = value_named(&drops, only[e->kind], strlen(only[e->kind]));
		if (e->format && e->kind == DROP_COMPANION_SEND_RESET)
			ret = pair_reasons(e, &drops, opts, err);
	}
	tp_names_list_free(&drops);
	return ret;
}

static const struct tp_text *text_of(const struct recording *r, u32 event)
{
	const struct event_desc *e = &r->events.events.v[event];

	return e->attr.type == PERF_TYPE_TRACEPOINT ? recording_tracepoint(r, e->attr.config)
						    : NULL;
}

/* DROP_COMPANION_NONE: it is that of drops; DROP_COMPANIONS: another event. */
static enum drop_companion kind_of(const struct tp_text *t)
{
	const struct drop_companion_name *name;
	u32 i;

	if (!strcmp(t->system, "skb") && !strcmp(t->name, "kfree_skb"))
		return DROP_COMPANION_NONE;
	for (i = 0; (name = drop_companions_name(i)); i++)
		if (!strcmp(t->system, name->system) && !strcmp(t->name, name->name))
			return (enum drop_companion)(i + 1);
	return DROP_COMPANIONS;
}

/* Which of the events are drops or companions? Returns how many companions. <0: err. */
static int bind_events(struct drop_companions *d, const struct recording *r, struct err *err)
{
	const struct tp_text *t;
	struct tp_format *f;
	struct err why = {0};
	enum drop_companion k;
	int nr = 0;
	u32 i;

	for (i = 0; i < d->nr_events; i++) {
		t = text_of(r, i);
		k = t ? kind_of(t) : DROP_COMPANIONS;
		if (k == DROP_COMPANIONS)
			continue;
		f = tp_format_parse(t->format, t->format_len, &why);
		if (!f && why.code == ENOMEM)
			return err_nomem(err);
		if (!f)
			continue;
		drop_event_bind(&d->events[i], k, f);
		if (k == DROP_COMPANION_NONE && !d->drop)
			d->drop = &d->events[i];
		nr += k != DROP_COMPANION_NONE;
	}
	return nr;
}

/* Drops get more fields, for all who read the recording. 1; 0: they cannot; <0: err. */
static int change_format(struct drop_companions *d, struct recording *r, struct err *err)
{
	const u64 id = r->events.events.v[d->drop - d->events].attr.config;
	struct tp_text *t = &r->tracepoints.v[hmap_get(&r->tracepoint_ids, id)];
	struct buf text = {0};
	bool ok = drop_layout_format(&d->layout, d->drop->format, t->format, t->format_len, &text);
	const char *copy =
		ok && !text.failed ? arena_strndup(&r->arena, text.data, text.len) : NULL;
	const size_t len = text.len;

	buf_free(&text);
	if (!ok)
		return 0;
	if (!copy)
		return err_nomem(err);
	t->format = copy;
	t->format_len = len;
	return 1;
}

static int prepare(struct drop_companions *d, struct recording *r, const struct tp_opts *opts,
		   struct err *err)
{
	int ret;

	d->events = calloc(r->events.events.nr + 1, sizeof(*d->events));
	d->packets = calloc(PACKETS, sizeof(*d->packets));
	d->sockets = calloc(SOCKETS, sizeof(*d->sockets));
	if (!d->events || !d->packets || !d->sockets)
		return err_nomem(err);
	d->nr_events = r->events.events.nr;
	ret = bind_events(d, r, err);
	if (ret <= 0 || !d->drop)
		return MIN(ret, 0);
	ret = find_reasons(d, opts, err);
	return ret ? ret : change_format(d, r, err);
}

int drop_companions_wrap(struct source **from, const struct tp_opts *opts, struct err *err)
{
	static const struct source_ops ops = {
		.next = next_joined, .close = finish_companions, .finish = finish_companions};
	struct drop_companions *d = calloc(1, sizeof(*d));
	int ret;

	if (!d)
		return err_nomem(err);
	ret = prepare(d, (*from)->recording, opts, err);
	if (ret > 0) {
		source_wrap(from, &d->source, &ops);
		return 0;
	}
	finish_companions(&d->source);
	free(d);
	return ret;
}
