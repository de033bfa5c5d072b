// SPDX-License-Identifier: GPL-2.0
#include "util/library/reading.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/text.h"
#include "util/process/quality.h"
#include "util/profile/stack_quality.h"

/* Samples between two looks at the clock. */
#define PROGRESS_STEP 16384

void reading_init(struct reading *r)
{
	*r = (struct reading){
		.session.path = "perf-lite.data", .max_stack = UINT64_MAX, .only_event = ID_NONE};
}

/* perf's cache of binaries; with --symfs, nothing of this machine counts. */
static void find_cache(struct reading *r)
{
	const char *home = getenv("HOME");

	if (r->session.symfs || !home || !*home)
		return;
	buf_addf(&r->cache, "%s/.debug", home);
	if (!r->cache.failed)
		r->session.cache = r->cache.data;
}

/* What depends on several options. */
static void settle(struct reading *r)
{
	find_cache(r);
	r->session.filter = &r->filter;
	if (r->select.fields.asked.nr)
		r->session.want.no_raw = false;
	if (r->select.fields.asked.nr || r->select.switch_on || r->select.switch_off ||
	    r->select.limit)
		r->session.want.grouped = false;
	r->session.resolve.max_stack = (u32)MIN(r->max_stack, (u64)UINT32_MAX);
	if (r->no_inlines)
		r->session.resolve.inlines = INLINES_NONE;
	else if (r->inlines && !r->as_perf_inlines)
		r->session.resolve.inlines = INLINES_ALL;
}

static void find_size(struct reading *r)
{
	struct stat st;
	bool from_stdin = !strcmp(r->session.path, "-");

	r->live = from_stdin && lseek(STDIN_FILENO, 0, SEEK_CUR) < 0;
	if (!(from_stdin ? fstat(STDIN_FILENO, &st) : stat(r->session.path, &st)) &&
	    S_ISREG(st.st_mode))
		r->size = (u64)st.st_size;
}

int reading_begin(struct reading *r, struct err *err)
{
	int ret;

	settle(r);
	r->s = session_open(&r->session, err);
	if (!r->s)
		return -EINVAL;
	r->stacks = calloc(1, sizeof(*r->stacks));
	if (!r->stacks)
		return err_nomem(err);
	find_size(r);
	if (r->what)
		progress_start(&r->progress, r->what, STDERR_FILENO);
	ret = reading_select_span(&r->filter, r->s, err);
	if (!ret)
		ret = session_prepare(r->s, err);
	if (!ret)
		ret = reading_select_start(&r->select, r->s, err);
	return ret;
}

static bool is_dummy(const struct event_desc *e)
{
	return e->sideband || !strncmp(e->name, "dummy:", 6);
}

u32 reading_nr_events(const struct reading *r)
{
	const struct event_set *events = &r->s->source->recording->events;
	u32 i, nr = 0;

	for (i = 0; i < events->events.nr; i++)
		nr += !is_dummy(&events->events.v[i]);
	return nr;
}

/* Append how to choose the event, after those before it. */
static void put_name(const struct reading *r, u32 event, struct buf *names)
{
	const char *name = r->s->source->recording->events.events.v[event].name;
	const char *quote = !*name || strpbrk(name, " \t") ? "'" : "";

	buf_addf(names, "%s%s", names->len ? ", " : "", quote);
	session_put_event(r->s, event, names);
	buf_adds(names, quote);
}

/* Does the name of one before it choose this one, too? */
static bool is_repeated(const struct reading *r, u32 event)
{
	u32 i;

	if (session_event_number(r->s, event))
		return false;
	for (i = 0; i < event; i++)
		if (session_is_another(r->s, event, i))
			return true;
	return false;
}

static int no_event(const struct reading *r, struct err *err)
{
	const struct event_set *events = &r->s->source->recording->events;
	struct text_suggest suggest;
	struct buf names = {0};
	u32 i;

	text_suggest_init(&suggest, r->event);
	for (i = 0; i < events->events.nr; i++) {
		text_suggest_add(&suggest, events->events.v[i].name);
		if (!is_dummy(&events->events.v[i]) && !is_repeated(r, i))
			put_name(r, i, &names);
	}
	err_hint(err, suggest.best ? "did you mean '%s'?" : "it has: %s",
		 suggest.best ? suggest.best : buf_str(&names));
	buf_free(&names);
	return -ENOENT;
}

/* `nr` events are asked for, and none of them alone. */
static int several_events(const struct reading *r, u32 nr, const char *option, struct err *err)
{
	const struct event_set *events = &r->s->source->recording->events;
	struct buf names = {0};
	u32 i;

	for (i = 0; i < events->events.nr; i++)
		if (session_wants_event(r->s, i) && !is_dummy(&events->events.v[i]) &&
		    !is_repeated(r, i))
			put_name(r, i, &names);
	if (r->event)
		err_set(err, EINVAL,
			"the recording holds several events '%s', which do not belong in one graph",
			r->event);
	else
		err_set(err, EINVAL,
			"the recording holds %u events, which do not belong in one graph", nr);
	err_hint(err, "choose one with %s=NAME: %s", option, buf_str(&names));
	buf_free(&names);
	return -EINVAL;
}

int reading_choose_event(struct reading *r, bool one, const char *option, struct err *err)
{
	const struct event_set *events = &r->s->source->recording->events;
	u32 i, nr = 0, last = 0;
	int ret;

	r->only_event = ID_NONE;
	if (r->event) {
		ret = session_choose_event(r->s, r->event, &nr, err);
		if (ret)
			return ret == -ENOENT ? no_event(r, err) : ret;
		last = session_event(r->s, r->event);
	} else {
		for (i = 0; i < events->events.nr; i++) {
			if (is_dummy(&events->events.v[i]))
				continue;
			nr++;
			last = i;
		}
	}
	if (one && nr > 1)
		return several_events(r, nr, option, err);
	if (one || (r->event && nr == 1))
		r->only_event = last;
	return 0;
}

static bool judge(struct reading *r, const struct session_sample *s)
{
	const struct session_options *o = &r->s->options;

	return !r->judges || o->want.no_chains || o->want.addresses || o->no_stacks ||
	       stack_quality_sample(r->stacks, r->s, s);
}

int reading_next(struct reading *r, struct session_sample *s, struct err *err)
{
	u32 event;
	int ret;

	while (!reading_select_done(&r->select)) {
		ret = session_next(r->s, s, err);
		if (ret != SESSION_SAMPLE)
			return ret;
		if (r->what && ++r->seen == PROGRESS_STEP) {
			r->seen = 0;
			progress_update(&r->progress, r->s->source->recording->at, r->size);
		}
		if (!reading_select_is_on(&r->select, r->s, s->event))
			continue;
		event = session_event_as(r->s, s->event);
		if (event == ID_NONE || (r->only_event != ID_NONE && event != r->only_event))
			continue;
		s->event = event;
		ret = reading_select_sample(&r->select, r->s, s, err);
		if (ret > 0 && !judge(r, s))
			return err_nomem(err);
		if (ret)
			return ret < 0 ? ret : SESSION_SAMPLE;
	}
	return SESSION_END;
}

int reading_sample(struct reading *r, struct session_sample *s, struct err *err)
{
	int ret;

	do
		ret = reading_next(r, s, err);
	while (ret == SESSION_WAIT || ret == SESSION_RECORD);
	return ret == SESSION_SAMPLE ? 1 : ret;
}

void reading_end(struct reading *r)
{
	if (r->what)
		progress_end(&r->progress);
	session_close(r->s);
	sample_filter_free(&r->filter);
	reading_select_free(&r->select);
	if (r->stacks)
		quality_free(&r->stacks->counts);
	free(r->stacks);
	buf_free(&r->cache);
}
