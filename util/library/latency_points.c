// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "util/base/glob.h"
#include "util/base/text.h"
#include "util/event/ev_filter.h"
#include "util/library/latency_internal.h"

static const char *const options[] = {[LATENCY_UNTIL] = "--until",
				      [LATENCY_TO] = "--to",
				      [LATENCY_THEN] = "--then",
				      [LATENCY_FROM] = "--from"};

static const char *const record_names[] = {
	[LATENCY_SWITCH_OUT] = "switch-out", [LATENCY_SWITCH_IN] = "switch-in"};

bool latency_points_is_record(const char *event)
{
	return !strcmp(event, record_names[LATENCY_SWITCH_OUT]) ||
	       !strcmp(event, record_names[LATENCY_SWITCH_IN]);
}

const char *latency_points_option(enum latency_role role)
{
	return options[role];
}

const char *latency_points_record(enum latency_record record)
{
	return record_names[record];
}

bool latency_points_is_switches(const struct event_desc *d)
{
	return d->attr.type == PERF_TYPE_SOFTWARE &&
	       d->attr.config == PERF_COUNT_SW_CONTEXT_SWITCHES && !d->sideband;
}

void latency_points_between(const struct latency *l, struct buf *out)
{
	u32 i = 0;

	while (l->points.all.v[i].role != LATENCY_TO)
		i++;
	buf_addf(out, "%s to %s", l->points.all.v[0].event, l->points.all.v[i].event);
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
	struct latency_point *p = vec_push(&l->points.all);
	char *filter, *other, *rest, *key;

	if (!p)
		return err_nomem(err);
	*p = (struct latency_point){.role = role, .event = text};
	filter = strstr(text, " if ");
	if (filter) {
		*filter = '\0';
		p->filter = filter + strlen(" if ");
		other = strstr(p->filter, " else ");
		if (other) {
			*other = '\0';
			p->otherwise = other + strlen(" else ");
		}
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
	char *at = list ? arena_strdup(&l->points.arena, list) : NULL, *end;
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
	const char *on = l->asked.on                              ? l->asked.on
			 : l->asked.preset && l->asked.preset->on ? l->asked.preset->on
								  : "tid";
	char *text = arena_strdup(&l->points.arena, on), *word, *save = NULL, *other;

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

/* A probe of a program names no other process: where it reads nothing of that name, pid is of who hits it. */
static bool is_by_process(const struct latency_point *p)
{
	const char *fields = strchr(p->event, '(');

	return (!strcmp(p->keys[0], "pid") || !strcmp(p->keys[0], "tgid")) &&
	       (!strncmp(p->event, "uprobe:", 7) || !strncmp(p->event, "uretprobe:", 10) ||
		!strncmp(p->event, "usdt:", 5)) &&
	       !(fields && strstr(fields, p->keys[0]));
}

bool latency_points_of_others(const struct latency_point *p)
{
	return strcmp(p->keys[0], "tid") != 0 && strcmp(p->keys[0], "cpu") != 0 &&
	       !is_by_process(p);
}

static bool is_task(const char *key)
{
	static const char *const names[] = {"tid",      "pid",      "tgid",
					    "next_pid", "prev_pid", "child_pid"};
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

	l->points.keyless = !l->asked.preset && !l->asked.on;
	for (i = 0; i < l->points.all.nr; i++)
		l->points.keyless &= !l->points.all.v[i].nr_keys;
	for (i = 0; !ret && i < l->points.all.nr; i++) {
		p = &l->points.all.v[i];
		if (!p->nr_keys) {
			p->nr_keys = sides[0].nr_keys;
			memcpy(p->keys, sides[p->role == LATENCY_TO].keys, sizeof(p->keys));
		}
		if (!i)
			l->points.nr_keys = p->nr_keys;
		if (p->nr_keys == l->points.nr_keys)
			continue;
		err_set(err, EINVAL, "%s %s: its key has %u part%s, that of %s %u",
			options[p->role], p->event, p->nr_keys, TEXT_PLURAL(p->nr_keys),
			l->points.all.v[0].event, l->points.nr_keys);
		err_hint(err, "both ends of a span need the same number");
		ret = -EINVAL;
	}
	for (i = 0; !ret && i < l->points.all.nr; i++) {
		l->points.others |= latency_points_of_others(&l->points.all.v[i]);
		l->points.by_process |= is_by_process(&l->points.all.v[i]);
	}
	l->points.by_task = !ret && is_task(l->points.all.v[0].keys[0]);
	return ret;
}

/* Of a recording, which of them its events are for is not known yet. */
static int parse_own(struct latency *l, struct err *err)
{
	const struct span_preset *p = l->asked.preset;
	u32 first = l->points.all.nr;
	int ret = parse_points(l, LATENCY_FROM, p->own_from, err);

	if (!ret)
		ret = parse_points(l, LATENCY_TO, p->own_to, err);
	for (; first < l->points.all.nr && !ret; first++) {
		l->points.all.v[first].own = true;
		if (!latency_points_is_record(l->points.all.v[first].event) &&
		    strcmp(l->points.all.v[first].event, "context-switches") != 0)
			ret = err_set(
				err, EINVAL,
				"--own-from and --own-to take context-switches, switch-out and switch-in, not %s",
				l->points.all.v[first].event);
	}
	return ret;
}

const char *latency_points_text(const struct latency *l, enum latency_role role)
{
	const struct span_preset *p = l->asked.preset;

	switch (role) {
	case LATENCY_FROM:
		return !p ? l->asked.from : l->points.own ? p->own_from : p->from;
	case LATENCY_TO:
		return !p ? l->asked.to : l->points.own ? p->own_to : p->to;
	case LATENCY_UNTIL:
		return !p ? l->asked.until : l->points.own ? NULL : p->until;
	default:
		return NULL;
	}
}

int latency_points_parse(struct latency *l, struct err *err)
{
	const struct span_preset *p = l->asked.preset;
	u32 i, first;
	int ret = 0;

	l->points.own = p && p->own_from && !l->w->input && !l->states.on &&
			!limits_privileged(&l->w->what.limits);
	if (!l->points.own) {
		ret = parse_points(l, LATENCY_FROM, latency_points_text(l, LATENCY_FROM), err);
		if (!ret)
			ret = parse_points(l, LATENCY_TO, latency_points_text(l, LATENCY_TO), err);
		if (!ret)
			ret = parse_points(l, LATENCY_UNTIL, latency_points_text(l, LATENCY_UNTIL),
					   err);
	}
	if (!ret && p && p->own_from && (l->points.own || l->w->input))
		ret = parse_own(l, err);
	for (i = 0; i < l->points.all.nr; i++)
		l->points.has_records |= latency_points_is_record(l->points.all.v[i].event);
	for (i = 0; !ret && p && i < SPAN_PRESETS_THENS && p->thens[i]; i++)
		ret = latency_stages_then(l, p->thens[i], err);
	for (i = 0; !ret && i < l->stages.thens.nr; i++) {
		first = l->points.all.nr;
		ret = parse_points(l, LATENCY_THEN, l->stages.thens.v[i], err);
		for (; first < l->points.all.nr; first++)
			l->points.all.v[first].stage = i + 1;
	}
	if (!ret)
		ret = complete_keys(l, err);
	return ret ? ret : latency_stages_parsed(l, err);
}

/* --- events of this machine --- */

bool latency_points_is_first(const struct latency *l, u32 point)
{
	u32 i;

	for (i = 0; i < point; i++)
		if (!strcmp(l->points.all.v[i].event, l->points.all.v[point].event))
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
	for (i = 0; i < l->points.all.nr; i++) {
		p = &l->points.all.v[i];
		if (strcmp(p->event, event) != 0)
			continue;
		if (!p->filter)
			return NULL;
		any = tp_filter_join(&l->points.arena, any, "||", p->filter);
		if (!any)
			return NULL;
	}
	return any;
}

bool latency_points_do_without(struct latency_point *p, struct err *why)
{
	if (!p->otherwise || !why || !strstr(why->msg, "no field"))
		return false;
	p->filter = NULL;
	p->keys[0] = p->otherwise;
	*why = (struct err){0};
	return true;
}

/* The event has been added: are the filters of its points such, each by itself? */
static int check_filters(struct latency *l, const char *event, struct err *err)
{
	struct sampling *s = &l->w->what;
	struct latency_point *p;
	int ret = 0;
	u32 i;

	for (i = 0; !ret && i < l->points.all.nr; i++) {
		p = &l->points.all.v[i];
		if (p->filter && !strcmp(p->event, event))
			ret = ev_filter_check(&s->list, p->filter, &s->env, err);
		if (ret && latency_points_do_without(p, err))
			ret = 0;
	}
	return ret;
}

bool latency_points_skip_missing(const struct latency *l)
{
	const struct span_preset *p = l->asked.preset;

	return l->asked.skips_missing || (p && (!p->line || p->skips_missing));
}

/* Can spans begin and end without it? */
static bool is_dispensable(const struct latency *l, u32 point)
{
	const struct latency_point *p = &l->points.all.v[point];
	u32 i;

	if (p->role == LATENCY_UNTIL || p->role == LATENCY_THEN)
		return true;
	for (i = 0; i < l->points.all.nr; i++)
		if (l->points.all.v[i].role == p->role &&
		    strcmp(l->points.all.v[i].event, p->event) != 0)
			return true;
	return false;
}

int latency_points_open(struct latency *l, struct err *err)
{
	struct sampling *s = &l->w->what;
	const char *filter;
	struct err why;
	int ret;
	u32 i;

	/* each hit is a point */
	s->attrs.period = 1;
	for (i = 0; i < l->points.all.nr; i++) {
		if (!latency_points_is_first(l, i) ||
		    latency_points_is_record(l->points.all.v[i].event))
			continue;
		why = (struct err){0};
		ret = sampling_on_event(s, l->points.all.v[i].event, &why);
		if (ret == -ENOENT && latency_points_skip_missing(l) && is_dispensable(l, i))
			continue;
		if (!ret)
			ret = check_filters(l, l->points.all.v[i].event, &why);
		filter = filter_of_event(l, l->points.all.v[i].event);
		if (!ret && filter)
			ret = sampling_on_filter(s, filter, &why);
		if (ret) {
			if (err)
				*err = why;
			return ret;
		}
	}
	ret = l->points.has_records ? sampling_add_switches(s, false, NULL, err) : 0;
	return ret ? ret : latency_states_open(l, err);
}

void latency_points_free(struct latency *l)
{
	latency_bind_free(l);
	vec_free(&l->points.all);
	vec_free(&l->stages.thens);
	arena_free(&l->points.arena);
}
