// SPDX-License-Identifier: GPL-2.0
#include "util/library/reading_select.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/event/ev_filter.h"
#include "util/profile/trace_text.h"

struct reading_fields_asked {
	const char *event; /* NULL: all */
	const char *text;
	bool check_only; /* another has it in it */
};

struct reading_fields_rule {
	u32 event;
	const struct tp_filter *filter; /* NULL: nothing of the event passes */
};

static bool ask(struct reading_fields *f, const struct reading_fields_asked *asked)
{
	struct reading_fields_asked *a = vec_push(&f->asked);

	if (a)
		*a = *asked;
	return a;
}

bool reading_fields_add(struct reading_fields *f, const char *event, const char *text)
{
	return ask(f, &(struct reading_fields_asked){event, text, false});
}

const char *reading_fields_text(const struct reading_fields *f, u32 i)
{
	return f->asked.v[i].event ? NULL : f->asked.v[i].text;
}

bool reading_fields_check(struct reading_fields *f, const char *event, const char *text)
{
	return ask(f, &(struct reading_fields_asked){event, text, true});
}

bool reading_fields_rule(struct reading_fields *f, u32 event, const struct tp_filter *filter)
{
	struct reading_fields_rule *r = vec_push(&f->rules);

	if (r)
		*r = (struct reading_fields_rule){event, filter};
	return r;
}

struct reading_fields_names {
	struct sysroot root;
	struct ev_env env;
	struct ev_filter_names names;
	bool here; /* the running kernel was recorded */
};

struct reading_fields_names *reading_fields_open_names(const struct session *s, struct err *err)
{
	struct reading_fields_names *n = calloc(1, sizeof(*n));

	if (!n) {
		err_nomem(err);
		return NULL;
	}
	n->here = session_is_running_kernel(s->source->recording) &&
		  !sysroot_open(&n->root, "/", NULL);
	if (!n->here)
		return n;
	n->env.root = &n->root;
	ev_filter_names_init(&n->names, &n->env);
	/* functions are found by the symbols of the recording */
	n->names.names.function = NULL;
	return n;
}

void reading_fields_close_names(struct reading_fields_names *n)
{
	if (n && n->here) {
		ev_filter_names_free(&n->names);
		ev_env_close(&n->env);
		sysroot_close(&n->root);
	}
	free(n);
}

struct tp_filter *reading_fields_parse(const struct session *s, u32 event, const char *text,
				       const struct reading_fields_names *n, struct err *err)
{
	const char *name = s->source->recording->events.events.v[event].name;
	const char *colon = strchr(name, ':');
	struct tp_filter_opts o = {
		.print = session_tp_opts(s),
		.names = n && n->here ? &n->names.names : NULL,
		.here_only = true,
		.comm_known = !s->options.bare,
	};
	struct buf system = {0};
	struct tp_filter *f = NULL;

	if (colon) {
		buf_add(&system, name, (size_t)(colon - name));
		o.system = buf_str(&system);
	}
	if (system.failed)
		err_nomem(err);
	else
		f = tp_filter_parse(s->formats[event], text, &o, err);
	buf_free(&system);
	return f;
}

int reading_fields_suits(const struct session *s, u32 event, const char *text)
{
	struct err why = {0};

	if (!s->formats[event])
		return 0;
	tp_filter_free(reading_fields_parse(s, event, text, NULL, &why));
	return why.code == ENOMEM ? -ENOMEM : why.code != ENOENT;
}

/* One filter for one event. 1; 0: the event has no such fields, and `why` says which; <0. */
static int parse(struct reading_fields *f, const struct session *s, u32 event,
		 const struct reading_fields_asked *asked, const struct reading_fields_names *names,
		 struct err *why)
{
	struct tp_filter **slot;
	bool ok = false;

	if (s->formats[event]) {
		slot = vec_push(&f->filters);
		if (!slot)
			return err_nomem(why);
		*slot = reading_fields_parse(s, event, asked->text, names, why);
		ok = *slot;
		if (!ok && why->code == ENOMEM)
			return -ENOMEM;
	}
	if (!asked->check_only &&
	    !reading_fields_rule(f, event, ok ? f->filters.v[f->filters.nr - 1] : NULL))
		return err_nomem(why);
	return ok;
}

/* One filter for all events that it is meant for. */
static int start_one(struct reading_fields *f, const struct session *s,
		     const struct reading_fields_asked *asked,
		     const struct reading_fields_names *names, struct err *err)
{
	const struct event_set *events = &s->source->recording->events;
	struct err first = {0}, why;
	u32 i, passing = 0;
	int ret;

	for (i = 0; i < events->events.nr; i++) {
		if (events->events.v[i].sideband ||
		    (asked->event && !event_set_is_named(events->events.v[i].name, asked->event)))
			continue;
		why = (struct err){0};
		ret = parse(f, s, i, asked, names, &why);
		if (ret < 0)
			return err_nomem(err);
		passing += ret > 0;
		/* any other error says more than a missing field */
		if (why.code && (!first.code || (first.code == ENOENT && why.code != ENOENT)))
			first = why;
	}
	if (passing)
		return 0;
	if (first.code) {
		if (err)
			*err = first;
	} else {
		err_set(err, EINVAL,
			"no event of the recording has fields: nothing passes '%.256s'",
			asked->text);
		err_hint(err, "only tracepoints have fields; perf-lite evlist shows the events");
	}
	return -EINVAL;
}

int reading_fields_start(struct reading_fields *f, const struct session *s, struct err *err)
{
	struct reading_fields_names *names;
	int ret = 0;
	u32 i;

	if (!f->asked.nr)
		return 0;
	names = reading_fields_open_names(s, err);
	if (!names)
		return -ENOMEM;
	for (i = 0; !ret && i < f->asked.nr; i++)
		ret = start_one(f, s, &f->asked.v[i], names, err);
	reading_fields_close_names(names);
	return ret;
}

bool reading_fields_sample(const struct tp_filter *filter, struct session *s,
			   const struct session_sample *sample)
{
	const struct trace_text text = {
		.symboliser = s->symboliser, .programs = s->programs, .strings = s->strings};
	const struct tp_filter_sample t = {
		.raw = sample->sample->raw,
		.len = sample->sample->raw_size,
		.cpu = sample->sample->ids.cpu,
		.tid = (s32)sample->sample->ids.tid,
		.comm = sample->comm,
		.symbol = trace_text_symbol,
		.arg = (void *)&text,
	};

	return tp_filter_pass(filter, &t);
}

bool reading_fields_pass(const struct reading_fields *f, struct session *s,
			 const struct session_sample *sample)
{
	const struct reading_fields_rule *r;
	u32 i;

	for (i = 0; i < f->rules.nr; i++) {
		r = &f->rules.v[i];
		if (r->event == sample->event &&
		    (!r->filter || !reading_fields_sample(r->filter, s, sample)))
			return false;
	}
	return true;
}

void reading_fields_free(struct reading_fields *f)
{
	u32 i;

	for (i = 0; i < f->filters.nr; i++)
		tp_filter_free(f->filters.v[i]);
	vec_free(&f->filters);
	vec_free(&f->rules);
	vec_free(&f->asked);
	arena_free(&f->arena);
}
