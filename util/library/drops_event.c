// SPDX-License-Identifier: GPL-2.0
#include "util/library/drops.h"

#include <string.h>

#include "util/profile/symboliser.h"
#include "util/tracepoint/tp_names.h"

/* A packet whose reason field says this was not dropped: its owner is done with it. */
static const char *const no_drop[] = {"CONSUMED", "SKB_CONSUMED", "NOT_DROPPED_YET",
				      "SKB_NOT_DROPPED_YET"};
static const char *const purged[] = {"QUEUE_PURGE"};
/* Where a TCP socket ends. */
static const char socket_end[] = "sk_stream_kill_queues";
static const char *const unspecified[] = {"NOT_SPECIFIED"};

/* Groups of traps that bring packets to the CPU: those of drops end in _drops or _exceptions. */
static const char *const control_groups[] = {
	"acl_sample",
	"acl_trap",
	"bfd",
	"bgp",
	"dhcp",
	"eapol",
	"ipv6",
	"external_delivery",
	"lacp",
	"lldp",
	"local_delivery",
	"mc_snooping",
	"neigh_discovery",
	"ospf",
	"pim",
	"ptp_event",
	"ptp_general",
	"stp",
	"uc_loopback",
	"vrrp",
};

static enum drops_part part_of(const char *name, const struct tp_format *f, const char *software,
			       bool only)
{
	enum drops_part part;

	if (!f)
		return DROPS_NEITHER;
	part = strcmp(f->name, "devlink_trap_report") ? DROPS_SOFTWARE : DROPS_HARDWARE;
	if (part == DROPS_HARDWARE && !only)
		return part;
	return event_set_is_named(name, software) ? part : DROPS_NEITHER;
}

static bool is_one_of(const struct tp_value_name *n, const char *const *all, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		if (strlen(all[i]) == n->len && !memcmp(all[i], n->name, n->len))
			return true;
	return false;
}

static bool add_value(struct drops_event *e, const struct tp_value_name *n)
{
	u64 *v;

	if (is_one_of(n, unspecified, ARRAY_SIZE(unspecified)))
		v = vec_push(&e->unspecified);
	else if (is_one_of(n, no_drop, ARRAY_SIZE(no_drop)))
		v = vec_push(&e->no_drop);
	else if (is_one_of(n, purged, ARRAY_SIZE(purged)))
		v = vec_push(&e->purged);
	else
		return true;
	if (v)
		*v = n->value;
	return v != NULL;
}

static bool add_typed_values(struct drops_event *e, struct drops_names *names)
{
	const struct drop_reason *r;
	u32 i;

	drops_names_reason(names, 0);
	for (i = 0; i < names->reasons.v.nr; i++) {
		r = &names->reasons.v.v[i];
		if (!add_value(e, &(struct tp_value_name){r->value, r->name, strlen(r->name)}))
			return false;
	}
	return true;
}

/* Which values of the reason say nothing: by name, since each kernel numbers them anew. */
static int find_values(struct drops_event *e, const struct session *s, const struct tp_format *f,
		       const struct tp_field *reason, struct drops_names *names, struct err *err)
{
	const struct tp_opts opts = session_tp_opts(s);
	struct tp_name_list list = {0};
	int ret = tp_names_list(f, reason, &opts, &list, err);
	bool ok = true;
	u32 i;

	e->names_reasons = list.v.nr > 0;
	for (i = 0; i < list.v.nr && ok; i++)
		ok = add_value(e, &list.v.v[i]);
	if (!ret && !e->names_reasons)
		ok = add_typed_values(e, names);
	tp_names_list_free(&list);
	return ret ? ret : ok ? 0 : err_nomem(err);
}

int drops_event_init(struct drops_event *e, const struct session *s, u32 event,
		     const char *software, bool only, struct drops_names *names, struct err *err)
{
	const struct tp_format *f = s->formats[event];
	const char *name = s->source->recording->events.events.v[event].name;
	const struct tp_field *field;

	e->part = part_of(name, f, software, only);
	if (e->part == DROPS_HARDWARE)
		e->group = tp_format_field(f, "trap_group_name");
	if (e->part != DROPS_SOFTWARE)
		return 0;
	field = tp_format_field(f, "protocol");
	if (field)
		e->protocol = field_reader_of(field);
	/* integers of the other byte order have been turned round: what they were is up to the machine that recorded */
	e->swapped = tp_format_field(f, "__probe_ip") &&
		     (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) != s->source->recording->foreign;
	field = tp_format_field(f, "location");
	if (!field)
		field = tp_format_field(f, "loc");
	if (field)
		e->place = field_reader_of(field);
	field = tp_format_field(f, "reason");
	if (!field)
		return 0;
	e->reason = field_reader_of(field);
	return find_values(e, s, f, field, names, err);
}

static bool among(const u64 *v, u32 nr, u64 value)
{
	u32 i;

	for (i = 0; i < nr; i++)
		if (v[i] == value)
			return true;
	return false;
}

static bool is_control(const struct tp_field *group, const struct sample *s)
{
	const char *name;
	size_t len;
	u32 i;

	if (!tp_field_string(group, s->raw, s->raw_size, &name, &len))
		return false;
	for (i = 0; i < ARRAY_SIZE(control_groups); i++)
		if (strlen(control_groups[i]) == len && !memcmp(name, control_groups[i], len))
			return true;
	return false;
}

/* Does the socket end whose packet it is? */
static bool socket_ends(const struct drops_event *e, struct session *session,
			const struct session_sample *sample)
{
	const struct sample *s = sample->sample;
	const struct frame *frame;
	u64 place;
	u32 id;

	if (e->place.kind != FIELD_READER_INT ||
	    !field_reader_int(&e->place, s->raw, s->raw_size, &place))
		return false;
	id = symboliser_address(session->symboliser, sample->thread, PERF_RECORD_MISC_KERNEL,
				place);
	frame = id == ID_NONE ? NULL : &session->symboliser->frames.v[id];
	return frame && frame->symbol &&
	       !strncmp(frame->symbol, socket_end, sizeof(socket_end) - 1);
}

bool drops_event_is_noise(const struct drops_event *e, struct session *session,
			  const struct session_sample *sample)
{
	const struct sample *s = sample->sample;
	bool has_reason = e->reason.kind == FIELD_READER_INT,
	     has_protocol = e->protocol.kind == FIELD_READER_INT;
	u64 reason = 0, protocol = 1;

	if (e->group)
		return is_control(e->group, s);
	if (has_reason && !field_reader_int(&e->reason, s->raw, s->raw_size, &reason))
		return false;
	if (has_reason && among(e->no_drop.v, e->no_drop.nr, reason))
		return true;
	if (has_reason && among(e->purged.v, e->purged.nr, reason) &&
	    socket_ends(e, session, sample))
		return true;
	if (!has_protocol || !field_reader_int(&e->protocol, s->raw, s->raw_size, &protocol))
		return false;
	return !protocol && (!has_reason || among(e->unspecified.v, e->unspecified.nr, reason));
}

void drops_event_free(struct drops_event *e)
{
	vec_free(&e->unspecified);
	vec_free(&e->no_drop);
	vec_free(&e->purged);
}
