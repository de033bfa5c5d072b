// SPDX-License-Identifier: GPL-2.0
#include "util/export/export_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/text.h"
#include "util/export/about.h"

/* Fields of the messages. */
enum { REQUEST_RESOURCE_PROFILES = 1, REQUEST_DICTIONARY };
enum { RESOURCE_PROFILES_RESOURCE = 1, RESOURCE_PROFILES_SCOPES, RESOURCE_PROFILES_SCHEMA };
enum { SCOPE_PROFILES_SCOPE = 1, SCOPE_PROFILES_PROFILES, SCOPE_PROFILES_SCHEMA };
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLES,
	PROFILE_TIME_UNIX_NANO,
	PROFILE_DURATION_NANO,
	PROFILE_PERIOD_TYPE,
	PROFILE_PERIOD,
	PROFILE_ID,
	PROFILE_ATTRIBUTES = 11
};
enum { TYPE_TYPE = 1, TYPE_UNIT };
enum { SAMPLE_STACK = 1, SAMPLE_ATTRIBUTES, SAMPLE_VALUES = 4, SAMPLE_TIMES };
enum { STACK_LOCATIONS = 1 };
enum { DICTIONARY_LINKS = 4, DICTIONARY_ATTRIBUTES = 6, DICTIONARY_STACKS };
enum { LINK_TRACE_ID = 1, LINK_SPAN_ID };

#define SCHEMA "https://opentelemetry.io/schemas/1.44.0"

/* Whose samples they are: numbers of attributes, 0: none. */
struct owner {
	u32 comm, pid, tid;
};

/* The samples of an event so far, as fields of its profile. */
struct profile {
	struct otlp_message samples;
	u64 nr, weight;
	u64 id[2]; /* of their contents */
};

/* Times of samples, 0: there is none. */
struct otlp_times {
	u64 first, last;         /* of day */
	u64 own_first, own_last; /* by the recording's clock, if the time of day is not known */
};

struct otlp {
	struct sink sink;
	struct session *session;
	u32 event;
	const char *service;
	struct pprof_locations locations; /* and all strings and attributes */
	struct stack_tree stacks;
	struct hmap stack_of; /* node -> stack */
	u32 nr_stacks;
	struct buf made_stacks;
	struct hmap owner_of; /* (command, thread) -> owner */
	VEC(struct owner) owners;
	struct hmap cpus; /* -> attribute */
	struct time_text time;
	struct profile *profiles; /* by event */
	u32 nr_profiles;
	struct otlp_times times;
	struct buf message, numbers;
	struct spool out;
};

/* ---- samples ---- */

static u32 number_attribute(struct otlp *k, const char *key, s64 number)
{
	export_otlp_number(&k->numbers, number);
	return pprof_locations_attribute(&k->locations, key, &k->numbers);
}

static u32 text_attribute(struct otlp *k, const char *key, const char *text)
{
	struct buf escaped = {0};
	u32 id;

	text_escape(&escaped, text, strlen(text));
	export_otlp_text(&k->numbers, buf_str(&escaped));
	k->locations.failed |= escaped.failed;
	id = pprof_locations_attribute(&k->locations, key, &k->numbers);
	buf_free(&escaped);
	return id;
}

static u32 owner_of(struct otlp *k, const struct session_sample *s)
{
	u32 thread = (u32)(s->thread - k->session->model.threads.v);
	u64 key = (u64)s->thread->comm << 32 | thread;
	u32 id = hmap_get(&k->owner_of, key);
	struct owner *o;

	if (id != ID_NONE)
		return id;
	id = k->owners.nr;
	o = vec_push(&k->owners);
	if (!o || !hmap_set(&k->owner_of, key, id))
		return ID_NONE;
	*o = (struct owner){0};
	if (s->sample->ids.tid != ID_NONE) {
		o->comm = text_attribute(k, "thread.name", s->comm);
		o->pid = number_attribute(k, "process.pid", (s32)s->sample->ids.pid);
		o->tid = number_attribute(k, "thread.id", (s32)s->sample->ids.tid);
	}
	return k->locations.failed ? ID_NONE : id;
}

/* 0: it is not known. */
static u32 cpu_of(struct otlp *k, u32 cpu)
{
	u32 id = cpu == ID_NONE ? 0 : hmap_get(&k->cpus, cpu);

	if (id == ID_NONE) {
		id = number_attribute(k, "cpu.logical_number", cpu);
		k->locations.failed |= !hmap_set(&k->cpus, cpu, id);
	}
	return id;
}

/* From 1 on; ID_NONE when memory is out. */
static u32 stack_of(struct otlp *k, u32 node)
{
	u32 id = node == ID_NONE ? ID_NONE : hmap_get(&k->stack_of, node), location, at = node;

	if (id != ID_NONE || node == ID_NONE)
		return id;
	do {
		location = pprof_locations_get(&k->locations, &k->stacks, at);
		if (location == ID_NONE)
			return ID_NONE;
		export_proto_varint(&k->numbers, location);
		at = at ? k->stacks.nodes.v[at].parent : 0;
	} while (at);
	export_proto_message(&k->message, STACK_LOCATIONS, &k->numbers);
	export_proto_message(&k->made_stacks, DICTIONARY_STACKS, &k->message);
	id = ++k->nr_stacks;
	return hmap_set(&k->stack_of, node, id) && !k->made_stacks.failed ? id : ID_NONE;
}

static void put_attributes(struct otlp *k, const struct owner *o, u32 cpu)
{
	const u32 attributes[] = {o->comm, o->pid, o->tid, cpu};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(attributes); i++)
		if (attributes[i])
			export_proto_varint(&k->numbers, attributes[i]);
	export_proto_message(&k->message, SAMPLE_ATTRIBUTES, &k->numbers);
}

static void put_time(struct otlp *k, u64 time)
{
	u64 day = time && time_text_knows_day(&k->time) ? time_text_day(&k->time, time) : 0;
	struct otlp_times *t = &k->times;

	if (!day && time) {
		t->own_first = t->own_first ? MIN(t->own_first, time) : time;
		t->own_last = MAX(t->own_last, time);
	}
	if (!day)
		return;
	buf_le64(&k->numbers, day);
	export_proto_message(&k->message, SAMPLE_TIMES, &k->numbers);
	t->first = t->first ? MIN(t->first, day) : day;
	t->last = MAX(t->last, day);
}

/* What is in `message` is a sample of the profile. */
static void add_sample(struct otlp *k, struct profile *p, u64 weight)
{
	u64 hash = hash_bytes(buf_str(&k->message), k->message.len);

	p->id[0] = hash_u64(p->id[0] ^ hash);
	p->id[1] = hash_u64((p->id[1] + 1) ^ hash);
	p->weight = MIN(p->weight + weight, (u64)INT64_MAX);
	p->nr++;
	export_proto_message(&k->numbers, PROFILE_SAMPLES, &k->message);
	otlp_message_add(&p->samples, &k->numbers);
}

/* Events may be announced while samples are read. */
static struct profile *profile_of(struct otlp *k, u32 event)
{
	struct profile *v;

	if (event >= k->nr_profiles) {
		v = realloc(k->profiles, ((size_t)event + 1) * sizeof(*v));
		if (!v)
			return NULL;
		memset(v + k->nr_profiles, 0, (event + 1 - k->nr_profiles) * sizeof(*v));
		k->profiles = v;
		k->nr_profiles = event + 1;
	}
	return &k->profiles[event];
}

static int otlp_sample(struct sink *sink, const struct session_sample *s, struct buf *out,
		       struct err *err)
{
	struct otlp *k = (struct otlp *)sink;
	u64 weight = MIN(session_sample_weight(s), (u64)INT64_MAX);
	struct profile *p = profile_of(k, s->event);
	u32 owner = owner_of(k, s), stack = stack_of(k, stack_tree_get(&k->stacks, s));

	(void)out;
	if (!p || owner == ID_NONE || stack == ID_NONE)
		return err_nomem(err);
	export_proto_integer(&k->message, SAMPLE_STACK, stack);
	put_attributes(k, &k->owners.v[owner], cpu_of(k, s->sample->ids.cpu));
	export_proto_varint(&k->numbers, weight);
	export_proto_message(&k->message, SAMPLE_VALUES, &k->numbers);
	put_time(k, s->sample->ids.time);
	add_sample(k, p, weight);
	return k->locations.failed || p->samples.bytes.failed ? err_nomem(err) : 0;
}

/* ---- profiles ---- */

static const struct event_desc *event_desc(const struct otlp *k, u32 event)
{
	return &k->session->source->recording->events.events.v[event];
}

static void put_type(struct otlp *k, struct buf *fields, u32 field, const struct event_desc *e)
{
	const char *unit = about_weight_is_time(e) ? "nanoseconds" : "count";

	export_proto_integer(&k->message, TYPE_TYPE,
			     pprof_locations_string(&k->locations, e->name));
	export_proto_integer(&k->message, TYPE_UNIT, pprof_locations_string(&k->locations, unit));
	export_proto_message(fields, field, &k->message);
}

static void hash_text(u64 id[2], const char *text)
{
	u64 hash = hash_bytes(text, strlen(text));

	id[0] = hash_u64(id[0] ^ hash);
	id[1] = hash_u64((id[1] + 1) ^ hash);
}

/* Numbers of names mean something in one recording alone: those of two differ in what these say. */
static void put_id(struct otlp *k, struct buf *fields, const struct event_desc *e,
		   const struct profile *p)
{
	u64 id[2] = {p->id[0], p->id[1]};
	struct buf text = {0};

	about_fact(k->session, "hostname", &text);
	about_fact(k->session, "boot_id", &text);
	buf_addf(&text, " %s ", e->name);
	about_command(k->session, &text);
	hash_text(id, buf_str(&text));
	export_proto_bytes(fields, PROFILE_ID, id, sizeof(id));
	fields->failed |= text.failed;
	buf_free(&text);
}

static void put_losses(struct otlp *k, struct buf *fields, u32 event)
{
	struct buf text = {0}, numbers = {0};
	s64 lost = (s64)about_lost(k->session);

	export_proto_varint(&numbers, number_attribute(k, "perf_lite.samples.lost", lost));
	about_notes(k->session, &text);
	about_losses(k->session, event, &text);
	if (text.len) {
		export_otlp_lines(&k->numbers, buf_str(&text));
		export_proto_varint(&numbers, pprof_locations_attribute(&k->locations,
									"pprof.profile.comment",
									&k->numbers));
	}
	export_proto_message(fields, PROFILE_ATTRIBUTES, &numbers);
	fields->failed |= text.failed;
	buf_free(&text);
	buf_free(&numbers);
}

/* Receivers take what has no time for now: the end of the file is closer, and samples keep none. */
static void put_span(struct otlp *k, struct buf *fields)
{
	const struct otlp_times *t = &k->times;
	u64 until = t->first ? t->last : about_day_by_file(k->session);
	u64 ns = t->first ? t->last - t->first : t->own_last - t->own_first;

	export_proto_fixed64(fields, PROFILE_TIME_UNIX_NANO, until - MIN(ns, until));
	export_proto_integer(fields, PROFILE_DURATION_NANO, t->first || t->own_first ? ns + 1 : 0);
}

static void put_profile(struct otlp *k, u32 event, struct otlp_message *scope)
{
	const struct event_desc *e = event_desc(k, event);
	struct profile *p = profile_of(k, event);
	u64 period = about_weight_period(e);
	struct otlp_message profile = {0};
	struct buf fields = {0};

	if (!p) {
		scope->bytes.failed = true;
		return;
	}
	if (!period && p->nr)
		period = p->weight / p->nr + (p->weight % p->nr * 2 >= p->nr);
	put_type(k, &fields, PROFILE_SAMPLE_TYPE, e);
	put_span(k, &fields);
	if (period)
		put_type(k, &fields, PROFILE_PERIOD_TYPE, e);
	export_proto_integer(&fields, PROFILE_PERIOD, period);
	put_id(k, &fields, e, p);
	put_losses(k, &fields, event);
	otlp_message_add(&profile, &fields);
	spool_join(&profile.bytes, &p->samples.bytes);
	profile.len += p->samples.len;
	otlp_message_nest(scope, SCOPE_PROFILES_PROFILES, &profile);
	buf_free(&fields);
}

/* ---- the request ---- */

static void put_dictionary(struct otlp *k, struct otlp_message *request)
{
	static const u8 none[16];
	struct otlp_message dictionary = {0};
	struct buf fields = {0};
	u32 i;

	pprof_locations_put(&k->locations, &fields);
	export_proto_bytes(&k->message, LINK_TRACE_ID, none, 16);
	export_proto_bytes(&k->message, LINK_SPAN_ID, none, 8);
	export_proto_message(&fields, DICTIONARY_LINKS, &k->message);
	export_proto_bytes(&fields, DICTIONARY_ATTRIBUTES, "", 0);
	for (i = 0; i < k->locations.attributes.nr; i++)
		export_proto_bytes(&fields, DICTIONARY_ATTRIBUTES,
				   k->locations.attributes.entries[i].s,
				   k->locations.attributes.entries[i].len);
	export_proto_bytes(&fields, DICTIONARY_STACKS, "", 0);
	otlp_message_add(&dictionary, &fields);
	otlp_message_add(&dictionary, &k->made_stacks);
	otlp_message_nest(request, REQUEST_DICTIONARY, &dictionary);
	buf_free(&fields);
}

static void put_schema(struct otlp *k, struct otlp_message *m, u32 field)
{
	export_proto_bytes(&k->message, field, SCHEMA, strlen(SCHEMA));
	otlp_message_add(m, &k->message);
}

static void put_profiles(struct otlp *k, struct otlp_message *scope)
{
	u32 nr = k->session->source->recording->events.events.nr, i;

	for (i = 0; i < nr; i++)
		if (i == k->event || (i < k->nr_profiles && k->profiles[i].nr))
			put_profile(k, i, scope);
}

/* False when memory is out. */
static bool put_request(struct otlp *k, struct otlp_message *request)
{
	struct otlp_message resource = {0}, scope = {0};

	export_otlp_resource(k->session, k->service, &k->numbers);
	export_proto_message(&k->message, RESOURCE_PROFILES_RESOURCE, &k->numbers);
	otlp_message_add(&resource, &k->message);
	export_otlp_scope(k->session, &k->numbers);
	export_proto_message(&k->message, SCOPE_PROFILES_SCOPE, &k->numbers);
	otlp_message_add(&scope, &k->message);
	put_profiles(k, &scope);
	put_schema(k, &scope, SCOPE_PROFILES_SCHEMA);
	otlp_message_nest(&resource, RESOURCE_PROFILES_SCOPES, &scope);
	put_schema(k, &resource, RESOURCE_PROFILES_SCHEMA);
	otlp_message_nest(request, REQUEST_RESOURCE_PROFILES, &resource);
	put_dictionary(k, request);
	return !k->locations.failed && !request->bytes.failed;
}

static int otlp_end(struct sink *sink, struct buf *out, struct err *err)
{
	struct otlp *k = (struct otlp *)sink;
	struct otlp_message request = {0};
	bool made;
	int ret;

	if (!k->out.ended) {
		made = put_request(k, &request);
		k->out = request.bytes;
		k->out.ended = true;
		if (!made)
			return err_nomem(err);
		if (request.len > INT32_MAX) {
			err_set(err, EFBIG, "%llu MiB are too much for one message of OTLP",
				(unsigned long long)(request.len >> 20));
			err_hint(err, "choose a part of the recording: --time 0%%-10%%");
			return -EFBIG;
		}
	}
	ret = spool_read(&k->out, out);
	return ret < 0 ? err_nomem(err) : ret;
}

static void otlp_free(struct sink *sink)
{
	struct otlp *k = (struct otlp *)sink;
	u32 i;

	for (i = 0; i < k->nr_profiles; i++)
		otlp_message_free(&k->profiles[i].samples);
	free(k->profiles);
	pprof_locations_free(&k->locations);
	stack_tree_free(&k->stacks);
	hmap_free(&k->stack_of);
	hmap_free(&k->owner_of);
	hmap_free(&k->cpus);
	vec_free(&k->owners);
	time_text_free(&k->time);
	buf_free(&k->made_stacks);
	buf_free(&k->message);
	buf_free(&k->numbers);
	spool_free(&k->out);
	free(k);
}

void export_otlp_service(struct sink *sink, const char *service)
{
	((struct otlp *)sink)->service = service;
}

int export_otlp(struct session *s, u32 event, struct sink **sink, struct err *err)
{
	static const struct sink_ops ops = {
		.sample = otlp_sample, .end = otlp_end, .free = otlp_free};
	struct otlp *k = calloc(1, sizeof(*k));
	int ret;

	if (!k)
		return err_nomem(err);
	k->sink.ops = &ops;
	k->session = s;
	k->event = event;
	k->service = "perf-lite";
	*sink = &k->sink;
	ret = time_text_init(&k->time, TIME_FORM_RAW, false, s->source->recording, err);
	if (!ret)
		ret = stack_tree_init(&k->stacks, s->symboliser, err);
	return ret ? ret : pprof_locations_init(&k->locations, PPROF_OTLP, s->symboliser, err);
}
