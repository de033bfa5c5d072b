// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/watching_run.h"

#include <errno.h>
#include <string.h>
#include <sys/utsname.h>

#include "util/base/buf.h"
#include "util/base/glob.h"
#include "util/base/text.h"
#include "util/event/ev_tracepoint.h"
#include "util/syscall/syscall.h"
#include "util/tracepoint/tp_filter.h"

/* An event that an -e chose, and which of its samples. */
struct choice {
	u32 event;
	const char *filter; /* NULL: all */
	bool of_calls;      /* its events are system calls that were named */
};

struct choosing {
	struct watching *w;
	const struct event_set *events;
	VEC(struct choice) choices;
	u32 last; /* the first choice of the last -e */
	struct arena *arena;
	struct err *err;
};

static int choose(struct choosing *c, u32 event, const char *filter)
{
	struct choice *new = vec_push(&c->choices);

	if (!new)
		return err_nomem(c->err);
	*new = (struct choice){event, filter, false};
	return 0;
}

static bool is_of_calls(const char *name)
{
	return !strncmp(name, "syscalls:sys_", 13) || !strncmp(name, "raw_syscalls:sys_", 17);
}

/* The choices from there on are system calls, where they can be. */
static void are_calls(struct choosing *c, u32 from)
{
	const char *name;

	for (; from < c->choices.nr && !c->w->what.calls_off; from++) {
		name = c->events->events.v[c->choices.v[from].event].name;
		c->choices.v[from].of_calls = is_of_calls(name);
	}
}

/* Are choices of the last -e such, or others? */
static bool last_are(const struct choosing *c, bool calls)
{
	u32 i;

	for (i = c->last; i < c->choices.nr; i++)
		if (c->choices.v[i].of_calls == calls)
			return true;
	return false;
}

/* All events of that name or pattern, or the one that NAME#2 means. Their number, <0: err. */
static int choose_named(struct choosing *c, const char *term)
{
	u32 i, nr = c->choices.nr, numbered;

	for (i = 0; i < c->events->events.nr; i++)
		if (!c->events->events.v[i].sideband &&
		    watching_is_named(c->events->events.v[i].name, term) && choose(c, i, NULL))
			return -ENOMEM;
	numbered = c->choices.nr == nr ? session_event(c->w->in.s, term) : ID_NONE;
	if (numbered != ID_NONE && choose(c, numbered, NULL))
		return -ENOMEM;
	return (int)(c->choices.nr - nr);
}

/* In trace, a word is a system call. */
static int choose_calls(struct choosing *c, const char *term)
{
	static const char *const sides[] = {"enter", "exit"};
	const char *name;
	int ret, nr = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sides); i++) {
		name = arena_printf(c->arena, "syscalls:sys_%s_%s", sides[i], term);
		ret = name ? choose_named(c, name) : err_nomem(c->err);
		if (ret < 0)
			return ret;
		nr += ret;
	}
	return nr;
}

static int choose_sides(struct choosing *c, const char *name, const u8 *calls, const char *machine)
{
	struct buf filter = {0};
	char *text = NULL;
	u32 i, nr = c->choices.nr;
	int ret = 0;

	if (calls && !strcmp(name, "raw_syscalls:sys_exit"))
		ev_syscalls_filter_ends(calls, machine, &filter);
	else if (calls)
		ev_syscalls_filter(calls, &filter);
	if (calls && !filter.failed)
		text = arena_strdup(c->arena, buf_str(&filter));
	if (calls && !text)
		ret = err_nomem(c->err);
	for (i = 0; !ret && i < c->events->events.nr; i++)
		if (!strcmp(c->events->events.v[i].name, name))
			ret = choose(c, i, text);
	buf_free(&filter);
	return ret ? ret : (int)(c->choices.nr - nr);
}

/* Names of system calls, where all are recorded by their numbers on the recording's machine: "openat", "!futex,poll". */
static int choose_numbers(struct choosing *c, const char *text)
{
	struct ev_lex l = {.text = text, .p = text};
	struct ev_syscalls calls;
	struct utsname here;
	const char *machine = session_machine(c->w->in.s, &here);
	int enter, exits;

	if (!machine || ev_syscalls_read(&calls, machine, &l) <= 0 || *l.p)
		return 0;
	enter = choose_sides(c, "raw_syscalls:sys_enter",
			     ev_syscalls_all(&calls, calls.nr_enter) ? NULL : calls.enter, machine);
	if (enter < 0)
		return enter;
	exits = choose_sides(c, "raw_syscalls:sys_exit",
			     ev_syscalls_all(&calls, calls.nr_exit) ? NULL : calls.exit, machine);
	return exits < 0 ? exits : enter + exits;
}

/* What this machine understands by the text: another name of an event. */
static int choose_as_here(struct choosing *c, const char *text)
{
	struct sampling *s = &c->w->what;
	const struct ev_spec *spec;
	u32 first = s->list.specs.nr, i, j, nr = c->choices.nr;

	if (ev_parse(&s->list, text, &s->env, NULL))
		return 0;
	for (j = first; j < s->list.specs.nr; j++) {
		spec = &s->list.specs.v[j];
		for (i = 0; i < c->events->events.nr; i++)
			if (!strcmp(c->events->events.v[i].name, spec->name) &&
			    choose(c, i,
				   spec->tp.typed_filter ? spec->tp.typed_filter : spec->tp.filter))
				return -ENOMEM;
	}
	return (int)(c->choices.nr - nr);
}

static bool find_call(struct choosing *c, const char *call)
{
	return choose_calls(c, call) > 0 || choose_numbers(c, call) > 0;
}

static int no_such_event(struct choosing *c, const char *term)
{
	const char *call = strncmp(term, "sys_enter_", 10) == 0 ? term + 10
			   : strncmp(term, "sys_exit_", 9) == 0 ? term + 9
								: "";
	const char *name, *before, *meant = NULL;
	struct text_suggest suggest;
	u32 i;

	text_suggest_init(&suggest, term);
	for (i = 0; i < c->events->events.nr; i++) {
		name = c->events->events.v[i].name;
		before = suggest.best;
		text_suggest_add(&suggest, name);
		/* without its system */
		if (!strchr(term, ':') && strchr(name, ':'))
			text_suggest_add(&suggest, strchr(name, ':') + 1);
		meant = suggest.best != before ? name : meant;
	}
	err_set(c->err, EINVAL, "%s has no event '%s'", c->w->input, term);
	if (*call && c->w->what.env.raw_syscalls && find_call(c, call))
		err_hint(c->err, "did you mean '%s'?", call);
	else if (meant)
		err_hint(c->err, "did you mean '%s'?", meant);
	else
		err_hint(c->err, "perf-lite evlist -i %s lists its events",
			 TEXT_SHELL(c->w->input));
	return -EINVAL;
}

/*
 * The length of the term at the beginning. Commas are its own in the expressions of a probe, and between the slashes of a PMU,
 * which has no colon before them: a file has.
 */
static size_t term_len(const char *s)
{
	bool slashes = false, file = false;
	u32 parens = 0;
	size_t i;

	for (i = 0; s[i] && (slashes || parens || s[i] != ','); i++) {
		parens += s[i] == '(';
		parens -= parens && s[i] == ')';
		file |= !slashes && s[i] == ':';
		slashes ^= !file && !parens && s[i] == '/';
	}
	return i;
}

/* Their number, <0: err. */
static int choose_term(struct choosing *c, const char *term)
{
	bool calls = c->w->what.env.raw_syscalls;
	u32 from = c->choices.nr;
	int ret = choose_named(c, term);

	/* an event that is named in full stays itself */
	calls &= !ret || glob_is_pattern(term);
	/* and so do both events of all calls */
	calls &= !strchr(term, ':') || !strncmp(term, "syscalls:", strlen("syscalls:"));
	if (!ret && calls && !strchr(term, ':'))
		ret = choose_calls(c, term);
	if (!ret && calls && !strchr(term, ':'))
		ret = choose_numbers(c, term);
	if (!ret)
		ret = choose_as_here(c, term);
	if (ret > 0 && calls)
		are_calls(c, from);
	return ret ? ret : no_such_event(c, term);
}

static int choose_terms(struct choosing *c, const char *text)
{
	const char *end, *term;
	size_t len;
	int ret = 0;

	for (end = text; ret >= 0 && *end; end += len + (end[len] == ',')) {
		len = term_len(end);
		term = arena_strndup(c->arena, end, len);
		ret = term ? choose_term(c, term) : err_nomem(c->err);
	}
	return MIN(ret, 0);
}

/* {a,b}:S is a and b: groups have no meaning here. */
static int choose_event(struct choosing *c, const char *text)
{
	const char *close = *text == '{' ? strchr(text, '}') : NULL;
	const char *inner =
		close ? arena_strndup(c->arena, text + 1, (size_t)(close - text - 1)) : text;
	int ret;

	c->last = c->choices.nr;
	/* all calls but these: the numbers say which */
	if (*text == '!') {
		ret = choose_numbers(c, text);
		are_calls(c, c->last);
		ret = ret ? MIN(ret, 0) : no_such_event(c, text);
	} else {
		ret = inner ? choose_terms(c, inner) : err_nomem(c->err);
	}
	return !ret && last_are(c, true) ? sampling_check_calls(&c->w->what, text, c->err) : ret;
}

/* Has one of the last -e that is no call what the filter names? -ENOMEM. */
static int suits_last(const struct choosing *c, const char *filter)
{
	const struct choice *one;
	int suits = 0;
	u32 i;

	for (i = c->last; !suits && i < c->choices.nr; i++) {
		one = &c->choices.v[i];
		if (!one->of_calls)
			suits = reading_fields_suits(c->w->in.s, one->event, filter);
	}
	return suits;
}

/* Where an -e names calls and other events, it is for those that have what it names. */
static int add_filter(struct choosing *c, const char *filter)
{
	int suits = suits_last(c, filter), calls = last_are(c, true), ret;
	struct choice *one;
	u32 i;

	if (calls && last_are(c, false) && suits >= 0)
		calls = syscall_filter_suits(filter, suits);
	if (suits < 0 || calls < 0)
		return err_nomem(c->err);
	if (calls) {
		ret = sampling_filter_calls(&c->w->what, filter, true, c->err);
		if (ret || !suits)
			return ret;
	}
	for (i = c->last; i < c->choices.nr; i++) {
		one = &c->choices.v[i];
		if (one->of_calls)
			continue;
		one->filter = tp_filter_join(c->arena, one->filter, "&&", filter);
		if (!one->filter ||
		    !reading_fields_check(&c->w->in.select.fields,
					  c->events->events.v[one->event].name, filter))
			return err_nomem(c->err);
	}
	return 0;
}

/*
 * A filter without -e is for all there is: calls, and events that have what it names; where there are no calls, or it is none of
 * them, for events alone.
 */
static int filter_all(struct choosing *c, const char *filter)
{
	struct reading_fields *f = &c->w->in.select.fields;
	const struct event_desc *e = c->events->events.v, *end = e + c->events->events.nr;
	bool of_calls, suits = false, ok = true;
	int calls = 0, one;
	u32 i;

	for (i = 0; e + i < end; i++) {
		of_calls = !c->w->what.calls_off && is_of_calls(e[i].name);
		calls |= of_calls;
		one = e[i].sideband || of_calls ? 0 : reading_fields_suits(c->w->in.s, i, filter);
		if (one < 0)
			return err_nomem(c->err);
		suits |= one;
	}
	if (calls && suits)
		calls = syscall_filter_suits(filter, false);
	if (calls < 0)
		return err_nomem(c->err);
	if (calls) {
		for (i = 0; ok && e + i < end; i++) {
			if (e[i].sideband || is_of_calls(e[i].name))
				continue;
			one = reading_fields_suits(c->w->in.s, i, filter);
			ok = one < 0   ? false
			     : one > 0 ? reading_fields_add(f, e[i].name, filter)
				       : reading_fields_rule(f, i, NULL);
		}
	} else {
		c->w->what.call_filter = NULL;
		ok = reading_fields_add(f, NULL, filter);
	}
	return ok ? 0 : err_nomem(c->err);
}

/* What passes any of the filters that an event was chosen with. */
static int select_event(struct choosing *c, u32 event)
{
	struct watching *w = c->w;
	const char *any = NULL;
	bool all = false, chosen = false;
	u32 i;

	for (i = 0; i < c->choices.nr; i++) {
		const struct choice *one = &c->choices.v[i];

		if (one->event != event)
			continue;
		chosen = true;
		all |= !one->filter;
		if (all)
			continue;
		any = tp_filter_join(c->arena, any, "||", one->filter);
		if (!any)
			return err_nomem(c->err);
	}
	if (chosen && reading_select_event(&w->in.select, w->in.s, event, c->err))
		return -ENOMEM;
	if (any && !all &&
	    !reading_fields_add(&w->in.select.fields, c->events->events.v[event].name, any))
		return err_nomem(c->err);
	return 0;
}

int watching_choose_recorded(struct watching *w, struct err *err)
{
	struct choosing c = {
		.w = w,
		.events = &w->in.s->source->recording->events,
		.arena = &w->in.select.fields.arena,
		.err = err,
	};
	const struct sampling_asked *a;
	int ret = 0;
	u32 i;

	for (i = 0; !ret && i < w->what.asked.nr; i++) {
		a = &w->what.asked.v[i];
		ret = a->what == SAMPLING_EVENT ? choose_event(&c, a->text)
						: add_filter(&c, a->text);
	}
	for (i = 0; !ret && i < c.events->events.nr; i++)
		ret = select_event(&c, i);
	if (!ret && w->what.call_filter && !w->what.any_event)
		ret = filter_all(&c, w->what.call_filter);
	if (!ret)
		ret = reading_fields_start(&w->in.select.fields, w->in.s, err);
	vec_free(&c.choices);
	return ret;
}
