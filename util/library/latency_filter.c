// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>

#include "util/base/text.h"

#include "util/library/latency_internal.h"

/* Words that trace --filter knows of system calls: an event that begins a span does not know its end. */
static void hint_of(const char *filter, struct err *err)
{
	if (err && strstr(err->msg, "no field 'duration'"))
		err_hint(err, "spans of some length: --min 10ms");
	else if (err && strstr(err->msg, "no field 'syscall'"))
		err_hint(err, "the number of a call has its name: id == read");
	else if (err && strstr(err->msg, "no field 'ret'"))
		err_hint(err, "the result comes with the end: perf-lite trace -s --filter %s",
			 TEXT_SHELL(filter));
}

static int bind_filter(struct latency *l, const struct latency_bound *b,
		       const struct reading_fields_names *names, struct err *err)
{
	struct session *s = l->w->in.s;
	struct tp_filter **slot = &l->wanted.filters.v[b->event];

	if (b->point->role != LATENCY_FROM || *slot)
		return 0;
	if (b->event >= s->source->recording->events.events.nr || !s->formats ||
	    !s->formats[b->event])
		return err_set(err, EINVAL, "--filter: %s has no fields", b->point->event);
	*slot = reading_fields_parse(s, b->event, l->wanted.filter, names, err);
	if (!*slot)
		hint_of(l->wanted.filter, err);
	return *slot ? 0 : -EINVAL;
}

int latency_filter_bind(struct latency *l, const struct reading_fields_names *names,
			struct err *err)
{
	struct latency_wanted *w = &l->wanted;
	u32 i, nr = 0;
	int ret = 0;

	if (!w->filter)
		return 0;
	for (i = 0; i < l->points.bounds.nr; i++)
		nr = MAX(nr, l->points.bounds.v[i].event + 1);
	for (i = 0; i < nr; i++)
		if (!vec_push(&w->filters))
			return err_nomem(err);
	for (i = 0; i < l->points.bounds.nr && !ret; i++)
		ret = bind_filter(l, &l->points.bounds.v[i], names, err);
	return ret;
}

bool latency_filter_passes(struct latency *l, const struct session_sample *s)
{
	struct tp_filter *f =
		s->event < l->wanted.filters.nr ? l->wanted.filters.v[s->event] : NULL;

	return !f || reading_fields_sample(f, l->w->in.s, s);
}

void latency_filter_free(struct latency *l)
{
	u32 i;

	for (i = 0; i < l->wanted.filters.nr; i++)
		tp_filter_free(l->wanted.filters.v[i]);
	vec_free(&l->wanted.filters);
}
