// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>

#include "util/base/hash.h"
#include "util/base/text.h"
#include "util/library/latency_internal.h"
#include "util/tracepoint/tp_filter.h"

/* Behind the events are the records. */
static const char *event_name(const struct session *s, u32 event)
{
	const struct event_set *set = &s->source->recording->events;

	return event < set->events.nr ? set->events.v[event].name
				      : latency_points_record(event - set->events.nr);
}

static const struct tp_format *event_format(const struct session *s, u32 event)
{
	return event < s->nr_events ? s->formats[event] : NULL;
}

static int bind_key(const struct session *s, u32 event, const char *name, struct latency_key *key,
		    struct err *err)
{
	static const char *const values[] = {[LATENCY_TID] = "tid",
					     [LATENCY_PID] = "pid",
					     [LATENCY_TGID] = "tgid",
					     [LATENCY_CPU] = "cpu"};
	const struct tp_format *f = event_format(s, event);
	const struct tp_field *field = f ? tp_format_field(f, name) : NULL;
	struct text_suggest suggest;
	u32 i;

	if (field) {
		*key = (struct latency_key){LATENCY_FIELD, field_reader_of(field)};
		return 0;
	}
	text_suggest_init(&suggest, name);
	for (i = LATENCY_TID; i < ARRAY_SIZE(values); i++) {
		key->kind = i;
		if (!strcmp(name, values[i]))
			return 0;
		text_suggest_add(&suggest, values[i]);
	}
	for (i = 0; f && i < f->nr_fields; i++)
		text_suggest_add(&suggest, f->fields[i].name);
	err_set(err, EINVAL, "%s has no field '%s' to pair by", event_name(s, event), name);
	if (suggest.best)
		err_hint(err, "did you mean '%s'?", suggest.best);
	else
		err_hint(err,
			 "fields of the event, tid, pid, cpu; perf-lite list -v EVENT shows them");
	return -EINVAL;
}

static int bind_filter(struct session *s, struct latency_bound *b,
		       const struct reading_fields_names *names, struct err *err)
{
	if (!b->point->filter)
		return 0;
	if (!event_format(s, b->event))
		return err_set(err, EINVAL, "%s has no fields to filter by", b->point->event);
	b->filter = reading_fields_parse(s, b->event, b->point->filter, names, err);
	return b->filter ? 0 : -EINVAL;
}

static int bind_point(struct latency *l, struct latency_point *p, u32 event,
		      const struct reading_fields_names *names, struct err *err)
{
	struct session *s = l->w->in.s;
	struct latency_bound *b = vec_push(&l->points.bounds);
	int ret;
	u32 i;

	if (!b)
		return err_nomem(err);
	*b = (struct latency_bound){.point = p, .event = event};
	ret = bind_filter(s, b, names, err);
	if (ret && latency_points_do_without(p, err))
		ret = 0;
	for (i = 0; i < l->points.nr_keys && !ret; i++)
		ret = bind_key(s, event, p->keys[i], &b->keys[i], err);
	return ret;
}

/* The event of the recording that a point which was typed may be meant to be; NULL: none is like it. */
static const char *nearest_event(const struct latency *l, enum latency_role role)
{
	const struct event_set *set = &l->w->in.s->source->recording->events;
	struct text_suggest suggest = {0};
	u32 i, e;

	for (i = 0; i < l->points.all.nr && !l->asked.preset && !suggest.best; i++) {
		text_suggest_init(&suggest, l->points.all.v[i].event);
		for (e = 0; e < set->events.nr && l->points.all.v[i].role == role; e++)
			if (!set->events.v[e].sideband)
				text_suggest_add(&suggest, set->events.v[e].name);
	}
	/* what differs by more, as begin and end do, is likely meant */
	return suggest.distance <= 2 ? suggest.best : NULL;
}

static int not_recorded(struct latency *l, enum latency_role role, struct err *err)
{
	const char *near = nearest_event(l, role);
	struct buf events = {0};
	u32 i;

	for (i = 0; i < l->points.all.nr; i++)
		if (latency_points_is_first(l, i) &&
		    !latency_points_is_record(l->points.all.v[i].event))
			buf_addf(&events, "%s%s", events.len ? "," : "", l->points.all.v[i].event);
	err_set(err, EINVAL, "no span can %s: %s has none of the events of %s",
		role == LATENCY_FROM ? "begin" : "end",
		l->w->input ? l->w->input : "the running system", latency_points_option(role));
	if (l->w->input && near)
		err_hint(err, "did you mean %s?", near);
	else if (l->w->input && l->points.has_records)
		err_hint(err, "record them: perf-lite record --off-cpu");
	else if (l->w->input)
		err_hint(err, "record them: perf-lite record -a%s -e %s",
			 l->points.others ? " --include-self" : "", TEXT_SHELL(buf_str(&events)));
	buf_free(&events);
	return -EINVAL;
}

static int index_bounds(struct latency *l, u32 nr_events, struct err *err)
{
	u32 i, e, at = 0;

	if (nr_events && !vec_grow((void **)&l->points.by_event.v, &l->points.by_event.cap,
				   nr_events, sizeof(*l->points.by_event.v)))
		return err_nomem(err);
	for (e = 0; e < nr_events; e++) {
		for (i = at; i < l->points.bounds.nr && l->points.bounds.v[i].event == e; i++)
			;
		l->points.by_event.v[e] = i > at ? &l->points.bounds.v[at] : NULL;
		at = i;
	}
	l->points.by_event.nr = nr_events;
	return 0;
}

static bool is_bound(const struct latency *l, const struct latency_point *p)
{
	u32 i;

	for (i = 0; i < l->points.bounds.nr; i++)
		if (l->points.bounds.v[i].point == p)
			return true;
	return false;
}

void latency_missing_begins(const struct latency *l, struct buf *out)
{
	const struct latency_point *p;
	const size_t from = out->len;

	for (p = l->points.all.v; p < l->points.all.v + l->points.all.nr; p++)
		if (p->role == LATENCY_FROM && !p->own && !l->points.own && !is_bound(l, p))
			buf_addf(out, "%s%s", out->len > from ? "," : "", p->event);
}

const char *latency_lacks_others(const struct latency *l)
{
	const struct event_set *set = &l->w->in.s->source->recording->events;
	const struct latency_bound *b;

	for (b = l->points.bounds.v; b < l->points.bounds.v + l->points.bounds.nr; b++)
		if (!b->point->own && latency_points_of_others(b->point) &&
		    b->event < set->events.nr && set->events.v[b->event].attr.inherit)
			return set->events.v[b->event].name;
	return NULL;
}

/* The field of another thread than the one that hits the event; NULL: it names none. */
static const char *named_thread(const struct latency *l, const struct latency_bound *b)
{
	static const char *const fields[] = {"next_pid", "pid"};
	const struct tp_format *f = event_format(l->w->in.s, b->event);
	size_t i;

	/* a thread that ends, or runs another program, does it itself */
	if (!f || !strcmp(b->point->event, "sched:sched_process_exit") ||
	    !strcmp(b->point->event, "sched:sched_process_exec"))
		return NULL;
	for (i = 0; i < ARRAY_SIZE(fields); i++)
		if (tp_format_field(f, fields[i]))
			return fields[i];
	return NULL;
}

void latency_named_threads(const struct latency *l, struct buf *out)
{
	const struct latency_bound *b;
	const size_t from = out->len;
	const char *field;

	if (!l->points.keyless)
		return;
	for (b = l->points.bounds.v; b < l->points.bounds.v + l->points.bounds.nr; b++) {
		field = named_thread(l, b);
		if (field)
			buf_addf(out, "%s%s:%s", out->len > from ? ", " : "", b->point->event,
				 field);
	}
}

/* Points of --then and --until that were typed are meant to be there: without them the spans are others. */
static int check_typed(const struct latency *l, struct err *err)
{
	const struct latency_point *p;

	if (latency_points_skip_missing(l))
		return 0;
	for (p = l->points.all.v; p < l->points.all.v + l->points.all.nr; p++) {
		if ((p->role != LATENCY_THEN && p->role != LATENCY_UNTIL) || l->points.own ||
		    is_bound(l, p))
			continue;
		err_set(err, EINVAL, "%s %s: %s has no such event", latency_points_option(p->role),
			p->event, l->w->input ? l->w->input : "the running system");
		if (l->w->input)
			err_hint(err, "perf-lite evlist -i %s lists its events",
				 TEXT_SHELL(l->w->input));
		return -EINVAL;
	}
	return 0;
}

/* Is every switch of a thread from a CPU a sample? */
static bool has_each_switch(const struct event_desc *d)
{
	return latency_points_is_switches(d) && !d->attr.exclude_kernel && !d->attr.freq &&
	       d->attr.sample_period == 1;
}

/* What the recording, or the running system, has of switches. */
struct switches {
	bool records, tracepoint;
	u32 samples; /* the event that is each of them, with call chains if there is such a one; ID_NONE: none */
};

static struct switches find_switches(const struct event_set *set)
{
	struct switches has = {.samples = ID_NONE};
	const struct event_desc *d;
	bool chains = false;
	u32 e;

	for (e = 0; e < set->events.nr; e++) {
		d = &set->events.v[e];
		has.records |= d->attr.context_switch;
		has.tracepoint |= !strcmp(d->name, "sched:sched_switch");
		if (!has_each_switch(d) || chains)
			continue;
		chains = d->attr.sample_type & PERF_SAMPLE_CALLCHAIN;
		if (chains || has.samples == ID_NONE)
			has.samples = e;
	}
	return has;
}

static bool has_event(const struct event_set *set, const char *name)
{
	u32 e;

	for (e = 0; e < set->events.nr; e++)
		if (!set->events.v[e].sideband && !strcmp(set->events.v[e].name, name))
			return true;
	return false;
}

/* An event of just that name, else those of other names and modifiers for the same. */
static bool is_meant(const struct event_set *set, const char *name, const char *event)
{
	return !strcmp(name, event) || (!has_event(set, event) && watching_is_named(name, event));
}

/* perf sched record has no wake-ups, but what comes right before them. */
static bool stands_in(const struct latency *l, const struct event_set *set, const char *name,
		      const char *event)
{
	return latency_points_skip_missing(l) && !strcmp(name, "sched:sched_waking") &&
	       !strcmp(event, "sched:sched_wakeup") && !has_event(set, event);
}

/* Is the event, or record, of that number one of the point? */
static bool is_point(const struct latency *l, const struct latency_point *p, u32 event,
		     const struct switches *has)
{
	const struct session *s = l->w->in.s;
	const struct event_set *set = &s->source->recording->events;
	const struct event_desc *d;

	if (l->asked.preset && p->own != l->points.own)
		return false;
	if (event >= s->nr_events) {
		return has->records && !strcmp(p->event, event_name(s, event));
	}
	d = &set->events.v[event];
	if (d->sideband)
		return false;
	if (p->own && !latency_points_is_record(p->event))
		return event == has->samples;
	return is_meant(set, d->name, p->event) || stands_in(l, set, d->name, p->event);
}

static int bind_events(struct latency *l, const struct reading_fields_names *names, struct err *err)
{
	const struct event_set *events = &l->w->in.s->source->recording->events;
	const struct switches has = find_switches(events);
	const u32 nr = events->events.nr + LATENCY_RECORDS;
	bool found[LATENCY_ROLES] = {false};
	enum latency_role role;
	int ret = 0;
	u32 e, i;

	if (l->asked.preset && l->asked.preset->own_from && l->w->input)
		l->points.own = has.records &&
				(!has.tracepoint || (has.samples != ID_NONE && !l->states.on));
	l->points.no_places = l->points.own && has.samples == ID_NONE;
	for (e = 0; e < nr; e++) {
		for (role = 0; role < LATENCY_ROLES; role++) {
			for (i = 0; !ret && i < l->points.all.nr; i++) {
				struct latency_point *p = &l->points.all.v[i];

				if (p->role != role || !is_point(l, p, e, &has))
					continue;
				l->points.by_waking |=
					e < events->events.nr &&
					stands_in(l, events, events->events.v[e].name, p->event);
				found[role] = true;
				ret = bind_point(l, p, e, names, err);
			}
		}
	}
	if (!ret && (!found[LATENCY_FROM] || !found[LATENCY_TO]))
		ret = not_recorded(l, found[LATENCY_FROM] ? LATENCY_TO : LATENCY_FROM, err);
	if (!ret)
		ret = check_typed(l, err);
	/* of an event without such a field, pid is a process */
	for (i = 0; i < l->points.bounds.nr; i++)
		l->points.by_task &= l->points.bounds.v[i].keys[0].kind != LATENCY_PID;
	if (!ret)
		ret = index_bounds(l, nr, err);
	latency_numbers_bind(l);
	return ret ? ret : latency_filter_bind(l, names, err);
}

int latency_bind_points(struct latency *l, struct err *err)
{
	struct reading_fields_names *names = reading_fields_open_names(l->w->in.s, err);
	int ret = names ? bind_events(l, names, err) : -ENOMEM;

	reading_fields_close_names(names);
	return ret ? ret : latency_states_bind(l, err);
}

/* A text or an array is its hash. */
static bool read_field(const struct field_reader *f, const struct sample *s, u64 *v)
{
	const void *bytes;
	size_t len;

	if (!s->raw)
		return false;
	if (f->kind == FIELD_READER_INT)
		return field_reader_int(f, s->raw, s->raw_size, v);
	if (!tp_field_bytes(f->field, s->raw, s->raw_size, &bytes, &len))
		return false;
	*v = hash_bytes(bytes, f->field->is_string ? strnlen(bytes, len) : len);
	return true;
}

bool latency_bind_key(const struct latency_bound *b, struct session *s,
		      const struct session_sample *sample, u64 *key)
{
	const struct rec_ids *ids = &sample->sample->ids;
	u32 i;

	for (i = 0; i < b->point->nr_keys; i++) {
		switch (b->keys[i].kind) {
		case LATENCY_FIELD:
			if (!read_field(&b->keys[i].field, sample->sample, &key[i]))
				return false;
			break;
		case LATENCY_TID:
			key[i] = ids->tid;
			break;
		case LATENCY_PID:
		case LATENCY_TGID:
			key[i] = ids->pid;
			break;
		case LATENCY_CPU:
			key[i] = ids->cpu;
			break;
		}
	}
	return !b->filter || reading_fields_sample(b->filter, s, sample);
}

void latency_bind_free(struct latency *l)
{
	u32 i;

	for (i = 0; i < l->points.bounds.nr; i++)
		tp_filter_free(l->points.bounds.v[i].filter);
	vec_free(&l->points.bounds);
	vec_free(&l->points.by_event);
	latency_filter_free(l);
}
