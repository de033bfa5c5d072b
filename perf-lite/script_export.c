// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/script.h"

#include <errno.h>
#include <string.h>


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
