// SPDX-License-Identifier: GPL-2.0
#include "util/format/stack_field.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/tracepoint/tp_prog.h"

static int no_such_field(const struct stack_field *k, const struct event_set *events, u32 event,
			 struct err *err)
{
	struct buf names = {0};
	u32 e, i;

	if (event != ID_NONE)
		err_set(err, ENOENT, "%s has no field '%s'", events->events.v[event].name, k->name);
	else
		err_set(err, ENOENT, "no event of the recording has a field '%s'", k->name);
	for (e = 0; e < k->nr; e++)
		for (i = 0; i < k->events[e].nr; i++)
			buf_addf(&names, "%s%s", names.len ? ", " : "",
				 k->events[e].v[i].field->name);
	if (names.len)
		err_hint(err, "fields: %s", buf_str(&names));
	else
		err_hint(err, "only tracepoints have fields");
	buf_free(&names);
	return -ENOENT;
}

int stack_field_init(struct stack_field *k, const struct session *s, u32 event, const char *name,
		     const struct trace_text *text, struct err *err)
{
	const struct event_set *events = &s->source->recording->events;
	const struct tp_opts opts = session_tp_opts(s);
	bool any = false;
	u32 i;

	*k = (struct stack_field){.name = name, .text = text, .nr = events->events.nr};
	k->events = calloc(k->nr + 1, sizeof(*k->events));
	k->at = calloc(k->nr + 1, sizeof(*k->at));
	if (!k->events || !k->at)
		return err_nomem(err);
	for (i = 0; i < k->nr; i++) {
		k->at[i] = ID_NONE;
		if (event != ID_NONE && i != event)
			continue;
		if (trace_fields_init_shown(&k->events[i], s->formats[i], &opts, err))
			return -ENOMEM;
		k->at[i] = trace_fields_find(&k->events[i], name);
		any |= k->at[i] != ID_NONE;
	}
	return any ? 0 : no_such_field(k, events, event, err);
}

void stack_field_free(struct stack_field *k)
{
	u32 i;

	for (i = 0; k->events && i < k->nr; i++)
		trace_fields_free(&k->events[i]);
	free(k->events);
	free(k->at);
	*k = (struct stack_field){0};
}

bool stack_field_put(const struct stack_field *k, const struct session_sample *s, struct buf *out)
{
	u32 at = s->event < k->nr ? k->at[s->event] : ID_NONE;

	if (at == ID_NONE || !s->sample->raw)
		return false;
	buf_adds(out, k->name);
	buf_addc(out, '=');
	trace_fields_text(&k->events[s->event].v[at], k->text, s->sample, out);
	return true;
}
