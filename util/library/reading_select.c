// SPDX-License-Identifier: GPL-2.0
#include "util/library/reading_select.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/num.h"
#include "util/profile/sample_filter.h"

/* Read all records for the times of the first sample and of the last. */
static int scan_span(const char *path, u64 *first, u64 *last, struct err *err)
{
	struct source *s = source_open(path, err);
	const struct event_desc *e;
	struct rec rec;
	u32 event;
	u64 time;
	int ret;

	if (!s)
		return -EINVAL;
	s->want.no_chains = s->want.no_raw = true;
	*first = UINT64_MAX;
	*last = 0;
	while ((ret = source_next(s, &rec, err)) > 0) {
		event = event_set_find(&s->recording->events, &rec);
		if (rec.type != PERF_RECORD_SAMPLE || event == ID_NONE)
			continue;
		e = &s->recording->events.events.v[event];
		time = sample_layout_time(&e->layout, &rec);
		/* of an event without times */
		if (!time)
			continue;
		*first = MIN(*first, time);
		*last = MAX(*last, time);
	}
	source_close(s);
	if (!ret && *first > *last)
		*first = *last;
	return ret;
}

int reading_select_span(struct sample_filter *f, struct session *s, struct err *err)
{
	const struct recording *r = s->source->recording;
	const char *from = recording_fact(r, "time_first"), *to = recording_fact(r, "time_last");
	u64 first, last;
	int ret;

	if (!f->times.parts)
		return 0;
	if (!from || !to || !num_u64(from, &first) || !num_u64(to, &last) || last < first) {
		if (!strcmp(s->options.path, "-")) {
			err_set(err, EINVAL,
				"a part of the time of a pipe is known when it has ended");
			err_hint(err, "give --time in seconds, or the recording as a file");
			return -EINVAL;
		}
		ret = scan_span(s->options.path, &first, &last, err);
		if (ret)
			return ret;
	}
	sample_filter_span(f, first, last);
	return 0;
}

static int find_event(const struct session *s, const char *name, const char *option, u32 *event,
		      struct err *err)
{
	*event = name ? session_event(s, name) : ID_NONE;
	if (!name || *event != ID_NONE)
		return 0;
	err_set(err, ENOENT, "%s event not found (%s)", option, name);
	err_hint(err, "perf-lite evlist shows the events");
	return -EINVAL;
}

int reading_select_start(struct reading_select *l, const struct session *s, struct err *err)
{
	int ret = find_event(s, l->switch_on, "switch-on", &l->on_event, err);

	if (!ret)
		ret = find_event(s, l->switch_off, "switch-off", &l->off_event, err);
	if (!ret)
		ret = reading_fields_start(&l->fields, s, err);
	l->off = l->on_event != ID_NONE;
	return ret;
}

/* Is it the first event that the name means, or a later one? */
static bool is_named(const struct session *s, u32 event, u32 first, const char *name)
{
	return event == first ||
	       (first != ID_NONE && event > first && session_event_from(s, name, event) == event);
}

bool reading_select_is_on(struct reading_select *l, const struct session *s, u32 event)
{
	if (!l->switch_on && !l->switch_off)
		return true;
	if (l->off && is_named(s, event, l->on_event, l->switch_on)) {
		l->off = false;
		return l->show_switches;
	}
	if (!l->off && is_named(s, event, l->off_event, l->switch_off)) {
		l->off = true;
		return l->show_switches;
	}
	return !l->off;
}

int reading_select_event(struct reading_select *l, const struct session *s, u32 event,
			 struct err *err)
{
	if (!l->events)
		l->events = calloc(s->source->recording->events.events.nr, sizeof(*l->events));
	if (!l->events)
		return err_nomem(err);
	l->events[event] = true;
	return 0;
}

int reading_select_sample(struct reading_select *l, struct session *s,
			  const struct session_sample *sample, struct err *err)
{
	int ret;

	if (l->events && !l->events[sample->event])
		return 0;
	if (l->fields.rules.nr && !reading_fields_pass(&l->fields, s, sample))
		return 0;
	ret = place_filter_pass(&l->places, s->symboliser, sample, err);
	if (ret > 0)
		l->given++;
	return ret;
}

void reading_select_free(struct reading_select *l)
{
	place_filter_free(&l->places);
	reading_fields_free(&l->fields);
	free(l->events);
}
