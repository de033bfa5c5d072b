// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "util/profile/drop_companions_internal.h"
#include "util/tracepoint/tp_names.h"

#define RECORD_MAX (UINT16_MAX & ~7u)
#define ANY_REASON UINT64_MAX
/* Between a companion and its drop the kernel does little; a hypervisor may take the CPU away there. */
#define SOON_NS  100000000ull
#define CPUS_MAX 8192u

/* What the last companion of a CPU said. */
struct known {
	const struct drop_event *event; /* NULL: nothing */
	u64 time;
	u64 skb;    /* 0: not known */
	u64 reason; /* that its drop has; ANY_REASON: one of event->drops */
	u32 epoch;  /* losses before it */
	u32 tid;
	struct drop_flow flow;
};

struct drop_companions {
	struct source source;
	struct drop_event *events; /* by event */
	u32 nr_events;
	const struct drop_event *drop; /* the first of those of the drops */
	struct drop_layout layout;
	VEC(struct known) known; /* by CPU */
	u32 epoch;
	struct buf made; /* the drop given last */
};

/* ---- companions ---- */

/* NULL: the CPU is not known, or memory is out. */
static struct known *known_of(struct drop_companions *d, u32 cpu)
{
	if (cpu >= CPUS_MAX || !vec_reserve(&d->known, cpu + 1))
		return NULL;
	while (d->known.nr <= cpu)
		d->known.v[d->known.nr++] = (struct known){0};
	return &d->known.v[cpu];
}

static u64 reason_of(const struct drop_event *e, const struct sample *s)
{
	u64 own;
	u32 i;

	if (!drop_event_number(e->reason, s->raw, s->raw_size, &own))
		return ANY_REASON;
	for (i = 0; i < e->pairs.nr; i++)
		if (e->pairs.v[i].own == own)
			return e->pairs.v[i].drop;
	return ANY_REASON;
}

static void note(struct known *k, const struct drop_event *e, const struct sample *s, u32 epoch)
{
	*k = (struct known){
		.time = s->ids.time,
		.reason = reason_of(e, s),
		.epoch = epoch,
		.tid = s->ids.tid,
	};
	drop_event_number(e->skb, s->raw, s->raw_size, &k->skb);
	if (k->time && k->tid != ID_NONE && drop_event_flow(e, s->raw, s->raw_size, &k->flow))
		k->event = e;
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

static bool fits_reason(const struct drop_event *drop, const struct known *k,
			const struct sample *s)
{
	u64 reason;
	u32 i;

	if (!drop_event_number(drop->reason, s->raw, s->raw_size, &reason))
		return false;
	if (k->reason != ANY_REASON)
		return reason == k->reason;
	for (i = 0; i < k->event->drops.nr; i++)
		if (reason == k->event->drops.v[i])
			return true;
	return false;
}

/* Is it the drop of the companion? */
static bool fits(const struct drop_event *drop, const struct known *k, const struct sample *s,
		 u32 epoch)
{
	u64 skb;

	if (!k->event || k->epoch != epoch || k->tid != s->ids.tid || s->ids.time < k->time ||
	    s->ids.time - k->time > SOON_NS)
		return false;
	if (k->event->skb && drop->skb &&
	    (!k->skb || !drop_event_number(drop->skb, s->raw, s->raw_size, &skb) || skb != k->skb))
		return false;
	return fits_reason(drop, k, s) && fits_protocol(drop, &k->flow, s);
}

/* The record with other raw data; without what is known of it, and without its own fields, if there is no room for that. */
static void put_drop(struct drop_companions *d, const struct sample *s, const struct known *k,
		     struct rec *rec)
{
	const size_t lead = (size_t)(s->raw - rec->data), old = ALIGN_UP(lead + s->raw_size, 8u);
	const size_t behind = rec->size - MIN(old, rec->size);
	const u32 cpu = rec->cpu, event = rec->event, more = rec->more;
	struct buf *b = &d->made;
	struct perf_event_header h;
	u32 size;

	buf_clear(b);
	buf_add(b, rec->data, lead);
	drop_layout_put(&d->layout, s->raw, s->raw_size, k ? &k->flow : NULL,
			k ? k->event->kind : DROP_COMPANION_NONE, b);
	buf_pad(b, '\0', ALIGN_UP(b->len, 8u) - b->len);
	if (!b->failed && b->len + behind > RECORD_MAX) {
		b->len = lead;
		drop_layout_put_nothing(&d->layout, s->raw, s->raw_size, b);
		buf_pad(b, '\0', ALIGN_UP(b->len, 8u) - b->len);
		b->len = MIN(b->len, old);
	}
	size = (u32)(b->len - lead);
	buf_add(b, rec->data + rec->size - behind, behind);
	if (b->failed)
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
	struct known *k;
	struct sample s;

	if (rec->event >= d->nr_events || !d->events[rec->event].format)
		return 0;
	e = &d->events[rec->event];
	if (!sample_layout_sample(&events->events.v[rec->event].layout, rec, &s) || !s.raw) {
		d->epoch++;
		return 0;
	}
	k = known_of(d, s.ids.cpu);
	if (e->kind != DROP_COMPANION_NONE) {
		if (k)
			note(k, e, &s, d->epoch);
		return 0;
	}
	put_drop(d, &s, k && fits(e, k, &s, d->epoch) ? k : NULL, rec);
	if (k)
		k->event = NULL;
	return d->made.failed ? err_nomem(err) : 0;
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
		vec_free(&d->events[i].drops);
		vec_free(&d->events[i].pairs);
	}
	free(d->events);
	vec_free(&d->known);
	buf_free(&d->made);
	*d = (struct drop_companions){.source = d->source};
}

/* ---- the events ---- */

/*
 * Reasons that packets are dropped for right after a companion, as the kernel calls it; "TCP_*": all that begin so. UDP answers by
 * ICMP where there is no socket; the others of icmp_send are of IPv4: routes, headers, and neighbours.
 */
static const char *const reasons[DROP_COMPANIONS][12] = {
	[DROP_COMPANION_SEND_RESET] = {"NO_SOCKET", "NOT_SPECIFIED", "TCP_*"},
	[DROP_COMPANION_BAD_CSUM] = {"TCP_CSUM"},
	[DROP_COMPANION_FAIL_QUEUE] = {"SOCKET_RCVBUFF", "PROTO_MEM"},
	[DROP_COMPANION_ICMP_SEND] = {"NO_SOCKET", "IP_INNOROUTES", "IP_OUTNOROUTES",
				      "IP_INADDRERRORS", "IP_NOPROTO", "IP_INHDR", "PKT_TOO_BIG",
				      "NEIGH_FAILED", "FRAG_REASM_TIMEOUT"},
};

static bool is_named(const struct tp_value_name *v, const char *name)
{
	const size_t len = strcspn(name, "*");

	return name[len] ? v->len >= len && !memcmp(v->name, name, len)
			 : v->len == len && !memcmp(v->name, name, len);
}

static int list_reasons(struct drop_event *e, const struct tp_name_list *drops, struct err *err)
{
	const char *const *name;
	u64 *reason;
	u32 i;

	for (i = 0; i < drops->v.nr; i++)
		for (name = reasons[e->kind]; *name; name++) {
			if (!is_named(&drops->v.v[i], *name))
				continue;
			reason = vec_push(&e->drops);
			if (!reason)
				return err_nomem(err);
			*reason = drops->v.v[i].value;
		}
	return 0;
}

/* A reset says why, in words of its own; where the drop has the same ones, it must say the same. */
static int pair_reasons(struct drop_event *e, const struct tp_name_list *drops,
			const struct tp_opts *opts, struct err *err)
{
	struct tp_name_list own = {0};
	struct drop_reason_pair *pair;
	int ret = tp_names_list(e->format, e->reason, opts, &own, err);
	u32 i, k;

	for (i = 0; i < own.v.nr && !ret; i++) {
		/* 0 is the least that a reset may say */
		for (k = 0; k < drops->v.nr && own.v.v[i].value; k++)
			if (own.v.v[i].len == drops->v.v[k].len &&
			    !memcmp(own.v.v[i].name, drops->v.v[k].name, own.v.v[i].len))
				break;
		if (!own.v.v[i].value || k == drops->v.nr)
			continue;
		pair = vec_push(&e->pairs);
		if (pair)
			*pair = (struct drop_reason_pair){own.v.v[i].value, drops->v.v[k].value};
		else
			ret = err_nomem(err);
	}
	tp_names_list_free(&own);
	return ret;
}

static int find_reasons(struct drop_companions *d, const struct tp_opts *opts, struct err *err)
{
	struct tp_name_list drops = {0};
	struct drop_event *e = d->events, *end = e + d->nr_events;
	int ret = d->drop->reason
			  ? tp_names_list(d->drop->format, d->drop->reason, opts, &drops, err)
			  : 0;

	for (; e < end && !ret; e++) {
		if (!e->format || e->kind == DROP_COMPANION_NONE)
			continue;
		ret = list_reasons(e, &drops, err);
		if (!ret && e->kind == DROP_COMPANION_SEND_RESET && e->reason)
			ret = pair_reasons(e, &drops, opts, err);
	}
	tp_names_list_free(&drops);
	return ret;
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

/* Then it has fields of its own, and comes beside the plain event. */
static bool has_expressions(const struct tp_format *f)
{
	u32 i;

	for (i = 0; i < f->nr_fields; i++)
		if (f->fields[i].unread)
			return true;
	return false;
}

/* Have they one format? */
static bool is_same(const struct recording *r, ptrdiff_t a, u32 b)
{
	return r->events.events.v[a].attr.config == r->events.events.v[b].attr.config;
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
		t = recording_event_text(r, i);
		k = t ? kind_of(t) : DROP_COMPANIONS;
		if (k == DROP_COMPANIONS)
			continue;
		f = tp_format_parse(t->format, t->format_len, &why);
		if (!f && why.code == ENOMEM)
			return err_nomem(err);
		if (!f)
			continue;
		if (has_expressions(f) ||
		    (k == DROP_COMPANION_NONE && d->drop && !is_same(r, d->drop - d->events, i))) {
			tp_format_free(f);
			continue;
		}
		drop_event_bind(&d->events[i], k, f);
		if (k == DROP_COMPANION_NONE && !d->drop)
			d->drop = &d->events[i];
		nr += k != DROP_COMPANION_NONE;
	}
	return nr;
}

/* Was a filter given when it was recorded, to whichever event? */
static bool has_filter(const struct recording *r)
{
	const char *arg;
	size_t len;

	for (arg = NULL; (arg = recording_argument(r, arg));) {
		len = strcspn(arg, "=");
		/* options may be shortened */
		if (len > 2 && len <= strlen("--filter") && !memcmp(arg, "--filter", len))
			return true;
	}
	return false;
}

/* Are all drops there, in our byte order, and with room for more fields? */
static bool has_drops(const struct drop_companions *d, const struct recording *r)
{
	const struct perf_event_attr *attr;
	u32 i;

	if (!d->drop || r->foreign || has_filter(r))
		return false;
	for (i = 0; i < d->nr_events; i++) {
		attr = &r->events.events.v[i].attr;
		if (!d->events[i].format || d->events[i].kind != DROP_COMPANION_NONE)
			continue;
		if (attr->sample_type & PERF_SAMPLE_STACK_USER || attr->freq ||
		    attr->sample_period > 1)
			return false;
	}
	return true;
}

/* Drops get more fields, for all who read the recording. 1; 0: they cannot; <0: err. */
static int change_format(struct drop_companions *d, struct recording *r, struct err *err)
{
	const u64 id = r->events.events.v[d->drop - d->events].attr.config;
	struct tp_text *t = &r->tracepoints.v[hmap_get(&r->index.tracepoints, id)];
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
	if (!d->events)
		return err_nomem(err);
	d->nr_events = r->events.events.nr;
	ret = bind_events(d, r, err);
	if (ret <= 0 || !has_drops(d, r))
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
