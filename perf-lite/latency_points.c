// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/latency.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/glob.h"
#include "util/base/hash.h"
#include "util/base/text.h"
#include "util/tracepoint/tp_filter.h"

static const char *const options[] = {[LATENCY_UNTIL] = "--until",
				      [LATENCY_TO] = "--to",
				      [LATENCY_THEN] = "--then",
				      [LATENCY_FROM] = "--from"};

static const char *const record_names[] = {
	[LATENCY_SWITCH_OUT] = "switch-out", [LATENCY_SWITCH_IN] = "switch-in"};

static bool is_record(const char *event)
{
	return !strcmp(event, record_names[LATENCY_SWITCH_OUT]) ||
	       !strcmp(event, record_names[LATENCY_SWITCH_IN]);
}

bool latency_points_is_switches(const struct event_desc *d)
{
	return d->attr.type == PERF_TYPE_SOFTWARE &&
	       d->attr.config == PERF_COUNT_SW_CONTEXT_SWITCHES && !d->sideband;
}

void latency_points_between(const struct latency *l, struct buf *out)
{
	u32 i = 0;

	while (l->points.v[i].role != LATENCY_TO)
		i++;
	buf_addf(out, "%s to %s", l->points.v[0].event, l->points.v[i].event);
}

/* --- text -> points --- */

/* "pid+cpu" */
static int split_keys(struct latency_point *p, char *text, struct err *err)
{
	char *save = NULL, *word;

	for (word = strtok_r(text, "+", &save); word; word = strtok_r(NULL, "+", &save)) {
		if (p->nr_keys == SPANS_KEYS_MAX)
			return err_set(err, EINVAL, "%s %s: a key has at most %d parts",
				       options[p->role], p->event, SPANS_KEYS_MAX);
		p->keys[p->nr_keys++] = word;
	}
	if (p->nr_keys)
		return 0;
	err_set(err, EINVAL, "%s %s: no key is behind the colon", options[p->role], p->event);
	err_hint(err, "name a field of the event, tid, pid or cpu, or leave out the colon");
	return -EINVAL;
}

/* Where the character is first that is not in parentheses, as expressions are; NULL: nowhere. */
static char *find_outside(char *text, char c)
{
	int depth = 0;

	for (; *text; text++) {
		if (*text == c && depth <= 0)
			return text;
		depth += (*text == '(') - (*text == ')');
	}
	return NULL;
}

/* The colon behind the event: records have none in their names, system:name one, probes of files more. NULL: no key follows. */
static char *event_end(char *text)
{
	static const struct {
		const char *begin;
		u32 colons;
	} events[] = {{"switch-out:", 0},
		      {"switch-in:", 0},
		      {"uprobe:", 2},
		      {"uretprobe:", 2},
		      {"usdt:", 3}};
	u32 colons = 1;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(events); i++)
		if (!strncmp(text, events[i].begin, strlen(events[i].begin)))
			colons = events[i].colons;
	/* a line of source has one more, and no key is a number */
	for (text = find_outside(text, ':'); text && colons; colons--) {
		text = find_outside(text + 1, ':');
		if (text && colons == 1 && isdigit((u8)text[1]))
			colons++;
	}
	return text;
}

/* In expressions, an asterisk has another meaning. */
static bool is_pattern(char *event)
{
	char *end = event + strcspn(event, "("), at = *end;
	bool is;

	*end = '\0';
	is = glob_is_pattern(event);
	*end = at;
	return is;
}

/* "sched:sched_switch:prev_pid if prev_state == 0" */
static int parse_point(struct latency *l, enum latency_role role, char *text, struct err *err)
{
	struct latency_point *p = vec_push(&l->points);
	char *filter, *rest, *key;

	if (!p)
		return err_nomem(err);
	*p = (struct latency_point){.role = role, .event = text};
	filter = strstr(text, " if ");
	if (filter) {
		*filter = '\0';
		p->filter = filter + strlen(" if ");
	}
	rest = find_outside(text, ' ');
	if (!rest)
		rest = text + strlen(text);
	if (rest[strspn(rest, " ")]) {
		err_set(err, EINVAL, "%s: '%s' is neither part of an event nor a filter",
			options[role], rest + strspn(rest, " "));
		err_hint(err, "a filter is behind if: 'EVENT:KEY if FILTER'");
		return -EINVAL;
	}
	*rest = '\0';
	key = event_end(text);
	if (key)
		*key++ = '\0';
	if (!*text) {
		err_set(err, EINVAL, "%s: an event is missing", options[role]);
		err_hint(err, "for example %s sched:sched_wakeup", options[role]);
		return -EINVAL;
	}
	if (is_pattern(text)) {
		err_set(err, EINVAL, "%s %s: a pattern cannot be a point", options[role], text);
		err_hint(err, "name each event, with commas between");
		return -EINVAL;
	}
	return key ? split_keys(p, key, err) : 0;
}

/* The end of the point at text: a comma that is in no quotes and in no parentheses. */
static char *point_end(char *text)
{
	char quote = '\0';
	int depth = 0;

	for (; *text; text++) {
		if (quote)
			quote = *text == quote ? '\0' : quote;
		else if (*text == '"' || *text == '\'')
			quote = *text;
		else if (*text == '(' || *text == ')')
			depth += *text == '(' ? 1 : -1;
		else if (*text == ',' && depth <= 0)
			break;
	}
	return text;
}

static int parse_points(struct latency *l, enum latency_role role, const char *list,
			struct err *err)
{
	char *at = list ? arena_strdup(&l->arena, list) : NULL, *end;
	int ret = 0;
	bool more;

	if (!at)
		return list ? err_nomem(err) : 0;
	for (more = true; !ret && more; at = end + 1) {
		at += strspn(at, " ");
		end = point_end(at);
		more = *end;
		*end = '\0';
		ret = parse_point(l, role, at, err);
	}
	return ret;
}

/* --on pid=next_pid,cpu: the names of both sides. */
static int parse_on(struct latency *l, struct latency_point *from, struct latency_point *to,
		    struct err *err)
{
	const char *on = l->on ? l->on : l->preset && l->preset->on ? l->preset->on : "tid";
	char *text = arena_strdup(&l->arena, on), *word, *save = NULL, *other;

	if (!text)
		return err_nomem(err);
	for (word = strtok_r(text, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		if (from->nr_keys == SPANS_KEYS_MAX)
			return err_set(err, EINVAL, "--on: a key has at most %d parts",
				       SPANS_KEYS_MAX);
		other = strchr(word, '=');
		if (other)
			*other++ = '\0';
		from->keys[from->nr_keys++] = word;
		to->keys[to->nr_keys++] = other ? other : word;
	}
	if (from->nr_keys)
		return 0;
	err_set(err, EINVAL, "--on: no key is named");
	err_hint(err,
		 "a field of both events, as --on tid; other names by =, as --on pid=next_pid");
	return -EINVAL;
}

static bool is_task(const char *key)
{
	static const char *const names[] = {"tid", "pid", "next_pid", "prev_pid", "child_pid"};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(key, names[i]))
			return true;
	return false;
}

/* Points without a key of their own have that of --on; all have as many parts. */
static int complete_keys(struct latency *l, struct err *err)
{
	struct latency_point sides[2] = {0}, *p;
	int ret = parse_on(l, &sides[0], &sides[1], err);
	u32 i;

	for (i = 0; !ret && i < l->points.nr; i++) {
		p = &l->points.v[i];
		if (!p->nr_keys) {
			p->nr_keys = sides[0].nr_keys;
			memcpy(p->keys, sides[p->role == LATENCY_TO].keys, sizeof(p->keys));
		}
		if (!i)
			l->nr_keys = p->nr_keys;
		if (p->nr_keys == l->nr_keys)
			continue;
		err_set(err, EINVAL, "%s %s: its key has %u part%s, that of %s %u",
			options[p->role], p->event, p->nr_keys, TEXT_PLURAL(p->nr_keys),
			l->points.v[0].event, l->nr_keys);
		err_hint(err, "both ends of a span need the same number");
		ret = -EINVAL;
	}
	for (i = 0; !ret && i < l->points.nr; i++)
		l->others |= strcmp(l->points.v[i].keys[0], "tid") != 0 &&
			     strcmp(l->points.v[i].keys[0], "cpu") != 0;
	l->by_task = !ret && is_task(l->points.v[0].keys[0]);
	return ret;
}

/* Of a recording, which of them its events are for is not known yet. */
static int parse_own(struct latency *l, struct err *err)
{
	const struct span_preset *p = l->preset;
	u32 first = l->points.nr;
	int ret = parse_points(l, LATENCY_FROM, p->own_from, err);

	if (!ret)
		ret = parse_points(l, LATENCY_TO, p->own_to, err);
	for (; first < l->points.nr && !ret; first++) {
		l->points.v[first].own = true;
		if (!is_record(l->points.v[first].event) &&
		    strcmp(l->points.v[first].event, "context-switches") != 0)
			ret = err_set(
				err, EINVAL,
				"--own-from and --own-to take context-switches, switch-out and switch-in, not %s",
				l->points.v[first].event);
	}
	return ret;
}

const char *latency_points_text(const struct latency *l, enum latency_role role)
{
	const struct span_preset *p = l->preset;

	switch (role) {
	case LATENCY_FROM:
		return !p ? l->from : l->own ? p->own_from : p->from;
	case LATENCY_TO:
		return !p ? l->to : l->own ? p->own_to : p->to;
	case LATENCY_UNTIL:
		return !p ? l->until : l->own ? NULL : p->until;
	default:
		return NULL;
	}
}

int latency_points_parse(struct latency *l, struct err *err)
{
	const struct span_preset *p = l->preset;
	u32 i, first;
	int ret = 0;

	l->own = p && p->own_from && !l->q.w.input && !l->states.on &&
		 !limits_privileged(&l->q.w.what.limits);
	if (!l->own) {
		ret = parse_points(l, LATENCY_FROM, latency_points_text(l, LATENCY_FROM), err);
		if (!ret)
			ret = parse_points(l, LATENCY_TO, latency_points_text(l, LATENCY_TO), err);
		if (!ret)
			ret = parse_points(l, LATENCY_UNTIL, latency_points_text(l, LATENCY_UNTIL),
					   err);
	}
	if (!ret && p && p->own_from && (l->own || l->q.w.input))
		ret = parse_own(l, err);
	for (i = 0; i < l->points.nr; i++)
		l->has_records |= is_record(l->points.v[i].event);
	for (i = 0; !ret && p && i < SPAN_PRESETS_THENS && p->thens[i]; i++)
		ret = latency_stages_then(l, p->thens[i], err);
	for (i = 0; !ret && i < l->stages.thens.nr; i++) {
		first = l->points.nr;
		ret = parse_points(l, LATENCY_THEN, l->stages.thens.v[i], err);
		for (; first < l->points.nr; first++)
			l->points.v[first].stage = i + 1;
	}
	if (!ret)
		ret = complete_keys(l, err);
	return ret ? ret : latency_stages_parsed(l, err);
}

/* --- events of this machine --- */

static bool is_first_of_event(const struct latency *l, u32 point)
{
	u32 i;

	for (i = 0; i < point; i++)
		if (!strcmp(l->points.v[i].event, l->points.v[point].event))
			return false;
	return true;
}

/* What any of the points at an event wants of it: NULL is all. */
static const char *filter_of_event(struct latency *l, const char *event)
{
	const struct latency_point *p;
	const char *any = NULL;
	u32 i;

	if (latency_states_want(l, event))
		return NULL;
	for (i = 0; i < l->points.nr; i++) {
		p = &l->points.v[i];
		if (strcmp(p->event, event) != 0)
			continue;
		if (!p->filter)
			return NULL;
		any = any ? arena_printf(&l->arena, "(%s) || (%s)", any, p->filter) : p->filter;
		if (!any)
			return NULL;
	}
	return any;
}

/* Can spans begin and end without it? */
static bool is_dispensable(const struct latency *l, u32 point)
{
	const struct latency_point *p = &l->points.v[point];
	u32 i;

	if (p->role == LATENCY_UNTIL || p->role == LATENCY_THEN)
		return true;
	for (i = 0; i < l->points.nr; i++)
		if (l->points.v[i].role == p->role && strcmp(l->points.v[i].event, p->event) != 0)
			return true;
	return false;
}

int latency_points_open(struct latency *l, struct err *err)
{
	struct sampling *s = &l->q.w.what;
	const char *filter;
	struct err why;
	int ret;
	u32 i;

	/* each hit is a point */
	s->attrs.period = 1;
	for (i = 0; i < l->points.nr; i++) {
		if (!is_first_of_event(l, i) || is_record(l->points.v[i].event))
			continue;
		why = (struct err){0};
		ret = sampling_on_event(s, l->points.v[i].event, &why);
		if (ret == -ENOENT && l->preset && span_preset_skips_missing(l->preset) &&
		    is_dispensable(l, i))
			continue;
		filter = filter_of_event(l, l->points.v[i].event);
		if (!ret && filter)
			ret = sampling_on_filter(s, filter, &why);
		if (ret) {
			if (err)
				*err = why;
			return ret;
		}
	}
	ret = l->has_records ? sampling_add_switches(s, false, NULL, err) : 0;
	return ret ? ret : latency_states_open(l, err);
}

/* --- points -> events of the session --- */

/* Behind the events are the records. */
static const char *event_name(const struct session *s, u32 event)
{
	const struct event_set *set = &s->source->recording->events;

	return event < set->events.nr ? set->events.v[event].name
				      : record_names[event - set->events.nr];
}

static const struct tp_format *event_format(const struct session *s, u32 event)
{
	return event < s->nr_events ? s->formats[event] : NULL;
}

static int bind_key(const struct session *s, u32 event, const char *name, struct latency_key *key,
		    struct err *err)
{
	static const char *const values[] = {
		[LATENCY_TID] = "tid", [LATENCY_PID] = "pid", [LATENCY_CPU] = "cpu"};
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

static int bind_filter(struct session *s, struct latency_bound *b, struct err *err)
{
	const struct tp_filter_opts o = {
		.print = session_tp_opts(s),
		.here_only = true,
		.comm_known = true,
	};

	if (!b->point->filter)
		return 0;
	if (!event_format(s, b->event))
		return err_set(err, EINVAL, "%s has no fields to filter by", b->point->event);
	b->filter = tp_filter_parse(s->formats[b->event], b->point->filter, &o, err);
	return b->filter ? 0 : -EINVAL;
}

static int bind_point(struct latency *l, const struct latency_point *p, u32 event, struct err *err)
{
	struct session *s = l->q.w.in.s;
	struct latency_bound *b = vec_push(&l->bounds);
	int ret = 0;
	u32 i;

	if (!b)
		return err_nomem(err);
	*b = (struct latency_bound){.point = p, .event = event};
	for (i = 0; i < l->nr_keys && !ret; i++)
		ret = bind_key(s, event, p->keys[i], &b->keys[i], err);
	return ret ? ret : bind_filter(s, b, err);
}

/* The event of the recording that a point which was typed may be meant to be; NULL: none is like it. */
static const char *nearest_event(const struct latency *l, enum latency_role role)
{
	const struct event_set *set = &l->q.w.in.s->source->recording->events;
	struct text_suggest suggest = {0};
	u32 i, e;

	for (i = 0; i < l->points.nr && !l->preset && !suggest.best; i++) {
		text_suggest_init(&suggest, l->points.v[i].event);
		for (e = 0; e < set->events.nr && l->points.v[i].role == role; e++)
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

	for (i = 0; i < l->points.nr; i++)
		if (is_first_of_event(l, i) && !is_record(l->points.v[i].event))
			buf_addf(&events, "%s%s", events.len ? "," : "", l->points.v[i].event);
	err_set(err, EINVAL, "no span can %s: %s has none of the events of %s",
		role == LATENCY_FROM ? "begin" : "end",
		l->q.w.input ? l->q.w.input : "the running system", options[role]);
	if (l->q.w.input && near)
		err_hint(err, "did you mean %s?", near);
	else if (l->q.w.input && l->has_records)
		err_hint(err, "record them: perf-lite record --off-cpu");
	else if (l->q.w.input)
		err_hint(err, "record them: perf-lite record -a%s -e %s",
			 l->others ? " --include-self" : "", TEXT_SHELL(buf_str(&events)));
	buf_free(&events);
	return -EINVAL;
}

static int index_bounds(struct latency *l, u32 nr_events, struct err *err)
{
	u32 i, e, at = 0;

	if (nr_events &&
	    !vec_grow((void **)&l->by_event.v, &l->by_event.cap, nr_events, sizeof(*l->by_event.v)))
		return err_nomem(err);
	for (e = 0; e < nr_events; e++) {
		for (i = at; i < l->bounds.nr && l->bounds.v[i].event == e; i++)
			;
		l->by_event.v[e] = i > at ? &l->bounds.v[at] : NULL;
		at = i;
	}
	l->by_event.nr = nr_events;
	return 0;
}

/* Points of --then and --until that were typed are meant to be there: without them the spans are others. */
static int check_typed(const struct latency *l, struct err *err)
{
	const struct latency_point *p;
	u32 i;

	if (l->preset && span_preset_skips_missing(l->preset))
		return 0;
	for (p = l->points.v; p < l->points.v + l->points.nr; p++) {
		if ((p->role != LATENCY_THEN && p->role != LATENCY_UNTIL) || l->own)
			continue;
		for (i = 0; i < l->bounds.nr && l->bounds.v[i].point != p; i++)
			;
		if (i < l->bounds.nr)
			continue;
		err_set(err, EINVAL, "%s %s: %s has no such event", options[p->role], p->event,
			l->q.w.input ? l->q.w.input : "the running system");
		if (l->q.w.input)
			err_hint(err, "perf-lite evlist -i %s lists its events",
				 TEXT_SHELL(l->q.w.input));
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

/* An event of just that name, else those of other names and modifiers for the same. */
static bool is_meant(const struct event_set *set, const char *name, const char *event)
{
	u32 e;

	if (!strcmp(name, event))
		return true;
	for (e = 0; e < set->events.nr; e++)
		if (!set->events.v[e].sideband && !strcmp(set->events.v[e].name, event))
			return false;
	return watching_is_named(name, event);
}

/* Is the event, or record, of that number one of the point? */
static bool is_point(const struct latency *l, const struct latency_point *p, u32 event,
		     const struct switches *has)
{
	const struct session *s = l->q.w.in.s;
	const struct event_desc *d;

	if (l->preset && p->own != l->own)
		return false;
	if (event >= s->nr_events) {
		return has->records && !strcmp(p->event, event_name(s, event));
	}
	d = &s->source->recording->events.events.v[event];
	if (d->sideband)
		return false;
	return p->own && !is_record(p->event)
		       ? event == has->samples
		       : is_meant(&s->source->recording->events, d->name, p->event);
}

int latency_points_bind(struct latency *l, struct err *err)
{
	const struct event_set *events = &l->q.w.in.s->source->recording->events;
	const struct switches has = find_switches(events);
	const u32 nr = events->events.nr + LATENCY_RECORDS;
	bool found[LATENCY_ROLES] = {false};
	enum latency_role role;
	int ret = 0;
	u32 e, i;

	if (l->preset && l->preset->own_from && l->q.w.input)
		l->own = has.records &&
			 (!has.tracepoint || (has.samples != ID_NONE && !l->states.on));
	l->no_places = l->own && has.samples == ID_NONE;
	for (e = 0; e < nr; e++) {
		for (role = 0; role < LATENCY_ROLES; role++) {
			for (i = 0; !ret && i < l->points.nr; i++) {
				const struct latency_point *p = &l->points.v[i];

				if (p->role != role || !is_point(l, p, e, &has))
					continue;
				found[role] = true;
				ret = bind_point(l, p, e, err);
			}
		}
	}
	if (!ret && (!found[LATENCY_FROM] || !found[LATENCY_TO]))
		ret = not_recorded(l, found[LATENCY_FROM] ? LATENCY_TO : LATENCY_FROM, err);
	if (!ret)
		ret = check_typed(l, err);
	/* of an event without such a field, pid is a process */
	for (i = 0; i < l->bounds.nr; i++)
		l->by_task &= l->bounds.v[i].keys[0].kind != LATENCY_PID;
	if (!ret)
		ret = index_bounds(l, nr, err);
	if (!ret)
		ret = latency_filter_bind(l, err);
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

bool latency_points_key(const struct latency_bound *b, struct session *s,
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
			key[i] = ids->pid;
			break;
		case LATENCY_CPU:
			key[i] = ids->cpu;
			break;
		}
	}
	return !b->filter || reading_fields_sample(b->filter, s, sample);
}

void latency_points_free(struct latency *l)
{
	u32 i;

	for (i = 0; i < l->bounds.nr; i++)
		tp_filter_free(l->bounds.v[i].filter);
	vec_free(&l->bounds);
	latency_filter_free(l);
	vec_free(&l->by_event);
	vec_free(&l->points);
	vec_free(&l->stages.thens);
	arena_free(&l->arena);
}
