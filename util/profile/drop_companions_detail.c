// SPDX-License-Identifier: GPL-2.0
#include <string.h>
#include <sys/socket.h>

#include "util/profile/drop_companions_internal.h"

#define LOOPBACK 1u /* interfaces from there on are those by which packets come in */

/* In an interrupt or not: TRACE_FLAG_HARDIRQ, TRACE_FLAG_SOFTIRQ of the kernel. */
#define INTERRUPT 0x18u

/* Names of reasons, or what they begin with. */
static const char *const inward[] = {
	"NO_SOCKET",       "PKT_TOO_SMALL",     "TCP_*",
	"UDP_CSUM",        "ICMP_CSUM",         "OTHERHOST",
	"IP_CSUM",         "IP_INHDR",          "IP_RPFILTER",
	"IP_NOPROTO",      "IP_INNOROUTES",     "IP_INADDRERRORS",
	"IP_LOCAL_SOURCE", "IP_INVALID_SOURCE", "IP_LOCALNET",
	"IP_INVALID_DEST", "SOCKET_RCVBUFF",    "UNHANDLED_PROTO",
	"TC_INGRESS",      "VXLAN_*",           "UNICAST_IN_L2_MULTICAST",
};
/* All packets of one destination have this fate, so what was looked up for the first of several is true of the last. */
static const char *const unrouted[] = {"IP_INNOROUTES", "IP_INADDRERRORS"};
static const char *const lies[] = {"IP_RPFILTER"};

static bool is_named(const struct tp_value_name *n, const char *name)
{
	const size_t len = strcspn(name, "*");

	return (name[len] ? n->len >= len : n->len == len) && !memcmp(n->name, name, len);
}

static bool any_named(const struct tp_value_name *n, const char *const *all, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		if (is_named(n, all[i]))
			return true;
	return false;
}

int drop_detail_init(struct drop_detail *d, const struct tp_name_list *drops, struct err *err)
{
	const struct tp_value_name *n = drops->v.v, *end = n + drops->v.nr;
	u64 *v;

	for (; n < end; n++) {
		if (!any_named(n, inward, ARRAY_SIZE(inward)))
			continue;
		v = vec_push(&d->inward);
		if (v)
			*v = n->value;
		else
			return err_nomem(err);
		v = any_named(n, unrouted, ARRAY_SIZE(unrouted)) ? vec_push(&d->unrouted)
		    : any_named(n, lies, ARRAY_SIZE(lies))       ? vec_push(&d->lies)
								 : v;
		if (!v)
			return err_nomem(err);
		*v = n->value;
	}
	return 0;
}

void drop_detail_free(struct drop_detail *d)
{
	vec_free(&d->inward);
	vec_free(&d->unrouted);
	vec_free(&d->lies);
}

static bool among(const u64 *v, u32 nr, const struct drop_event *drop, const struct sample *s)
{
	u64 reason;
	u32 i;

	if (!drop_event_number(drop->reason, s->raw, s->raw_size, &reason))
		return false;
	for (i = 0; i < nr; i++)
		if (v[i] == reason)
			return true;
	return false;
}

static void note_received(struct drop_received *r, const struct drop_event *e,
			  const struct sample *s, u32 epoch)
{
	const char *name;
	size_t len;

	*r = (struct drop_received){.time = s->ids.time, .epoch = epoch, .tid = s->ids.tid};
	if (!e->device || !tp_field_string(e->device, s->raw, s->raw_size, &name, &len) || !len ||
	    len >= sizeof(r->device) || !r->time ||
	    !drop_event_number(e->flags, s->raw, s->raw_size, &r->flags))
		return;
	memcpy(r->device, name, len);
	if (!drop_event_number(e->skb, s->raw, s->raw_size, &r->skb))
		r->skb = 0;
}

static bool read_address(const struct tp_field *f, const struct sample *s, u8 *to)
{
	const void *p;
	size_t n;

	if (!f || f->loc != TP_LOC_FIXED || f->size != 4 ||
	    !tp_field_bytes(f, s->raw, s->raw_size, &p, &n))
		return false;
	memcpy(to, p, 4);
	return true;
}

/* A packet that came in: where it goes, by the interface that it came in by; then where its sender is, the other way round. */
static void note_lookup(struct drop_received *r, const struct drop_event *e, const struct sample *s)
{
	struct drop_lookup new = {0};
	u64 iif, error;

	if (!drop_event_number(e->iif, s->raw, s->raw_size, &iif))
		return;
	new.failed = drop_event_number(e->error, s->raw, s->raw_size, &error) && error;
	new.there = read_address(e->source.address, s, new.from) &&
		    read_address(e->dest.address, s, new.to);
	r->sender = new;
	if (iif > LOOPBACK)
		r->route = new;
}

void drop_detail_note(struct drop_received *r, const struct drop_event *e, const struct sample *s,
		      u32 epoch)
{
	if (e->kind == DROP_COMPANION_RECEIVE)
		note_received(r, e, s, epoch);
	else if (r->skb)
		note_lookup(r, e, s);
}

bool drop_detail_is(const struct drop_detail *d, const struct drop_received *r,
		    const struct drop_event *drop, const struct sample *s, u32 epoch)
{
	u64 skb, flags;

	return r->skb && r->epoch == epoch && r->tid == s->ids.tid && s->ids.time >= r->time &&
	       s->ids.time - r->time <= DROP_SOON_NS &&
	       drop_event_number(drop->skb, s->raw, s->raw_size, &skb) && skb == r->skb &&
	       drop_event_number(drop->flags, s->raw, s->raw_size, &flags) &&
	       (flags & INTERRUPT) == (r->flags & INTERRUPT) &&
	       among(d->inward.v, d->inward.nr, drop, s);
}

static void set_address(struct drop_end *end, const u8 *address)
{
	end->family = AF_INET;
	memcpy(end->address, address, 4);
}

bool drop_detail_flow(const struct drop_detail *d, const struct drop_received *r,
		      const struct drop_event *drop, const struct sample *s, struct drop_flow *flow)
{
	const struct drop_lookup *to = &r->route, *back = &r->sender;
	u64 protocol;

	*flow = (struct drop_flow){0};
	if (!to->there || !drop_event_number(drop->protocol, s->raw, s->raw_size, &protocol) ||
	    protocol != 0x0800)
		return false;
	if (!(among(d->unrouted.v, d->unrouted.nr, drop, s) && to->failed) &&
	    !(among(d->lies.v, d->lies.nr, drop, s) && back->there &&
	      !memcmp(back->from, to->to, 4) && !memcmp(back->to, to->from, 4)))
		return false;
	set_address(&flow->from, to->from);
	set_address(&flow->to, to->to);
	return true;
}
