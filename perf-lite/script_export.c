// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/script.h"

#include <errno.h>
#include <string.h>

#include "util/base/json.h"

const struct stack_field *script_export_field(struct script_export *x, struct session *s, u32 event,
					      struct err *err)
{
	if (!x->stack_field)
		return NULL;
	x->trace = (struct trace_text){
		.symboliser = s->symboliser, .programs = s->programs, .strings = s->strings};
	return stack_field_init(&x->field, s, event, x->stack_field, &x->trace, err) ? NULL
										     : &x->field;
}

int script_export_sink(struct script_export *x, struct session *s, u32 event,
		       const struct fields *fields, struct sink **sink, struct err *err)
{
	const struct event_set *events = &s->source->recording->events;
	const struct stack_field *field = script_export_field(x, s, event, err);

	if (x->stack_field && !field)
		return -EINVAL;
	x->trace = (struct trace_text){
		.symboliser = s->symboliser, .programs = s->programs, .strings = s->strings};
	if (x->json) {
		*sink = &x->sinks.json.sink;
		return json_sink_init(&x->sinks.json, &x->options, fields, s, &x->trace, field,
				      err);
	}
	*sink = &x->sinks.text.sink;
	return text_dialect_sink_init(&x->sinks.text, x->text_dialect, &x->trace, field,
				      event < events->events.nr ? events->events.v[event].name : "",
				      err);
}

int script_export_fields(const struct script_export *x, const struct event_set *events, u32 event,
			 struct fields_options *o, struct err *err)
{
	const char **text;
	bool branches;

	if (!x->text_dialect || !x->text_dialect->perf_fields || event >= events->events.nr)
		return 0;
	text = vec_push(&o->texts);
	if (!text)
		return err_nomem(err);
	branches = events->events.v[event].layout.has & PERF_SAMPLE_BRANCH_STACK;
	*text = branches ? "pid,brstack" : "pid,event,ip";
	o->hide_call_graph = true;
	return 0;
}

static void put_loss(const struct session *s, const struct loss *l, struct buf *out)
{
	const struct event_set *events = &s->source->recording->events;
	const struct {
		const char *key;
		u64 value;
		bool known;
	} numbers[] = {
		{"cpu", l->cpu, l->cpu != ID_NONE},
		{"from", l->from, l->from},
		{"to", l->to, l->to},
	};
	const char *cause = loss_cause_name(l->cause);
	size_t i;

	json_open(out, '{');
	json_key(out, "lost");
	if (l->count)
		json_unsigned(out, l->count);
	else
		buf_adds(out, "null");
	if (cause)
		json_put_string(out, "cause", cause);
	if (l->event < events->events.nr)
		json_put_string(out, "event", events->events.v[l->event].name);
	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		if (!numbers[i].known)
			continue;
		json_put_unsigned(out, numbers[i].key, numbers[i].value);
	}
	buf_adds(out, "}\n");
}

void script_export_losses(const struct script_export *x, const struct session *s, u32 event,
			  struct buf *out)
{
	const struct recording *r = s->source->recording;
	struct loss rest = {.cause = LOSS_RING, .cpu = ID_NONE, .event = ID_NONE};
	const struct loss *l;
	u32 i;

	if (!x->json)
		return;
	for (i = 0; i < r->losses.nr; i++) {
		l = &r->losses.v[i];
		if (event == ID_NONE || l->event == ID_NONE || l->event == event)
			put_loss(s, l, out);
	}
	/* of what else is missing only the number is known */
	rest.count = session_lost_unlisted(s);
	if (rest.count)
		put_loss(s, &rest, out);
}

const char *script_export_comm(struct script_export *x, const char *comm)
{
	static const struct text_dialect any; /* nothing that only some need */

	if (!x->safe_comm)
		return comm;
	buf_clear(&x->comm);
	text_dialect_comm(&any, comm, &x->comm);
	return buf_str(&x->comm);
}

void script_export_free(struct script_export *x)
{
	stack_field_free(&x->field);
	buf_free(&x->comm);
}
