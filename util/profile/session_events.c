// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/num.h"
#include "util/profile/session.h"

static const struct event_desc *event_at(const struct session *s, u32 event)
{
	return &s->source->recording->events.events.v[event];
}

static u32 nr_of_events(const struct session *s)
{
	return s->source->recording->events.events.nr;
}

/* NAME#2: the second of them; a name may have a '#' of its own. */
static u32 numbered_event(const struct session *s, const char *name)
{
	const char *mark = strrchr(name, '#');
	u64 number;
	u32 i;

	if (!mark || !num_u64(mark + 1, &number) || !number)
		return ID_NONE;
	for (i = 0; i < nr_of_events(s); i++)
		if (strlen(event_at(s, i)->name) == (size_t)(mark - name) &&
		    !memcmp(event_at(s, i)->name, name, (size_t)(mark - name)) && !--number)
			return i;
	return ID_NONE;
}

u32 session_event_from(const struct session *s, const char *name, u32 from)
{
	bool any = false;
	u32 i;

	for (i = 0; i < nr_of_events(s); i++) {
		if (strcmp(event_at(s, i)->name, name) != 0)
			continue;
		if (i >= from)
			return i;
		any = true;
	}
	i = any ? ID_NONE : numbered_event(s, name);
	return i >= from ? i : ID_NONE;
}

u32 session_event(const struct session *s, const char *name)
{
	return session_event_from(s, name, 0);
}

/* Behind the name and the number of the tracepoint. */
static const char *fields_of(const struct tp_text *t, size_t *len)
{
	const char *at = memmem(t->format, t->format_len, "\nformat:", 8);

	*len = at ? t->format_len - (size_t)(at - t->format) : 0;
	return at;
}

/* Each probe with expressions is a tracepoint of its own. */
static bool have_same_fields(const struct session *s, u32 event, u32 other)
{
	const struct tp_text *t = recording_event_text(s->source->recording, event),
			     *u = recording_event_text(s->source->recording, other);
	const char *fields, *others;
	size_t len, others_len;

	if (!t || !u)
		return false;
	fields = fields_of(t, &len);
	others = fields_of(u, &others_len);
	return fields && others && len == others_len && !memcmp(fields, others, len);
}

bool session_is_another(const struct session *s, u32 event, u32 first)
{
	const struct event_desc *e = event_at(s, event), *f = event_at(s, first);

	return e->attr.type == f->attr.type && !strcmp(e->name, f->name) &&
	       (e->attr.config == f->attr.config || have_same_fields(s, event, first));
}

u32 session_event_number(const struct session *s, u32 event)
{
	const char *name = event_at(s, event)->name;
	u32 i, number = 0;
	bool same = true;

	for (i = 0; i < nr_of_events(s); i++) {
		if (strcmp(event_at(s, i)->name, name) != 0)
			continue;
		number += i <= event;
		same &= session_is_another(s, i, event);
	}
	return same ? 0 : number;
}

void session_put_event(const struct session *s, u32 event, struct buf *out)
{
	u32 number = session_event_number(s, event);

	buf_adds(out, event_at(s, event)->name);
	if (number)
		buf_addf(out, "#%u", number);
}

/* The first chosen event that this one is another of; itself if there is none. */
static u32 first_of_kind(const struct session *s, u32 event)
{
	u32 i;

	for (i = 0; i < event; i++)
		if (s->given_as[i] == i && session_is_another(s, event, i))
			return i;
	return event;
}

int session_choose_event(struct session *s, const char *name, u32 *nr, struct err *err)
{
	const u32 events = nr_of_events(s);
	u32 i, next = session_event(s, name);

	*nr = 0;
	if (next == ID_NONE)
		return err_set(err, ENOENT, "the recording has no event '%s'", name);
	free(s->given_as);
	s->given_as = calloc((size_t)events + 1, sizeof(*s->given_as));
	if (!s->given_as)
		return err_nomem(err);
	for (i = 0; i < events; i++) {
		s->given_as[i] = ID_NONE;
		if (i != next)
			continue;
		s->given_as[i] = first_of_kind(s, i);
		*nr += s->given_as[i] == i;
		next = session_event_from(s, name, i + 1);
	}
	return 0;
}

bool session_wants_loss(const struct session *s, u32 event, const struct loss *l)
{
	u32 as;

	if (l->event >= nr_of_events(s))
		return true;
	as = session_event_as(s, l->event);
	return event == ID_NONE ? as != ID_NONE : as == event;
}
