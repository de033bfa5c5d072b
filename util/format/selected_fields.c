// SPDX-License-Identifier: GPL-2.0
#include "util/format/selected_fields.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/text.h"
#include "util/profile/frame_text.h"
#include "util/syscall/syscall.h"
#include "util/tracepoint/tp_field_format.h"
#include "util/tracepoint/tp_names.h"

/* Columns of comm/tid that most fit in. */
#define TASK_WIDTH 16

static const struct {
	const char *name;
	enum field what;
} general[] = {
	{"time", FIELD_TIME}, {"comm", FIELD_COMM},   {"pid", FIELD_PID}, {"tid", FIELD_TID},
	{"cpu", FIELD_CPU},   {"event", FIELD_EVENT}, {"ip", FIELD_IP},   {"sym", FIELD_SYM},
};

static enum field find_general(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(general); i++)
		if (strlen(general[i].name) == len && !memcmp(general[i].name, name, len))
			return general[i].what;
	return FIELD_COUNT;
}

bool selected_fields_want_ip(const char *list)
{
	enum field f;
	size_t len;

	for (; *list; list += len + (list[len] == ',')) {
		len = strcspn(list, ",");
		f = find_general(list, len);
		if (f == FIELD_IP || f == FIELD_SYM)
			return true;
	}
	return false;
}

static const struct event_desc *event_at(const struct selected_fields *f, u32 event)
{
	return &f->session->source->recording->events.events.v[event];
}

/* NULL: of any event. */
static bool is_wanted(const struct selected_fields *f, u32 event, const char *name)
{
	return !name || event_set_is_named(event_at(f, event)->name, name);
}

/* What there is, and what was probably meant. */
static int no_such_field(const struct selected_fields *f, const struct selected_field *wanted,
			 struct err *err)
{
	struct text_suggest suggest;
	struct buf names = {0};
	const struct tp_format *format;
	bool tracepoints = false;
	u32 e, i;

	text_suggest_init(&suggest, wanted->name);
	for (i = 0; !wanted->event && i < ARRAY_SIZE(general); i++) {
		text_suggest_add(&suggest, general[i].name);
		buf_addf(&names, "%s%s", i ? ", " : "", general[i].name);
	}
	for (e = 0; e < f->nr_events; e++) {
		format = f->session->formats[e];
		if (!format || !is_wanted(f, e, wanted->event))
			continue;
		buf_addf(&names, "%sof %s: ", names.len ? "; " : "", event_at(f, e)->name);
		tracepoints = true;
		for (i = 0; i < format->nr_fields; i++) {
			text_suggest_add(&suggest, format->fields[i].name);
			if (!format->fields[i].is_common)
				buf_addf(&names, "%s ", format->fields[i].name);
		}
	}
	if (f->calls && !wanted->event)
		buf_adds(&names,
			 "; of system calls: syscall, duration, ret, and arguments by name");
	if (wanted->event && !tracepoints)
		err_set(err, EINVAL, "--fields: '%s' is none of the events that have fields",
			wanted->event);
	else
		err_set(err, EINVAL, "--fields: %s has a field '%s'",
			wanted->event ? "the event does not" : "no event", wanted->name);
	if (suggest.best && suggest.distance)
		err_hint(err, "did you mean '%s'? fields: %s", suggest.best, buf_str(&names));
	else if (names.len)
		err_hint(err, "fields: %s", buf_str(&names));
	buf_free(&names);
	return -EINVAL;
}

/* Of system calls, which are two events. */
static bool is_of_calls(const char *name)
{
	return !strcmp(name, "syscall") || !strcmp(name, "duration") || !strcmp(name, "ret") ||
	       syscall_signatures_has_arg(name);
}

static bool is_raw_event(const struct selected_fields *f, u32 event)
{
	return !strncmp(event_at(f, event)->name, "raw_syscalls:", 13);
}

static bool is_syscall_event(const struct selected_fields *f, u32 event)
{
	return is_raw_event(f, event) || !strncmp(event_at(f, event)->name, "syscalls:", 9);
}

static int parse(struct selected_fields *f, const char *list, struct err *err)
{
	struct selected_field *wanted;
	const char *dot;
	size_t len, event;

	for (; *list; list += len + (list[len] == ',')) {
		len = strcspn(list, ",");
		if (!len)
			continue;
		wanted = vec_push(&f->v);
		if (!wanted)
			return err_nomem(err);
		wanted->what = find_general(list, len);
		dot = memchr(list, '.', len);
		event = dot ? (size_t)(dot - list) + 1 : 0;
		wanted->name = arena_strndup(&f->arena, list + event, len - event);
		if (event)
			wanted->event = arena_strndup(&f->arena, list, event - 1);
		if (!wanted->name || (event && !wanted->event))
			return err_nomem(err);
		if (wanted->what != FIELD_COUNT)
			f->general |= FIELD_BIT(wanted->what);
	}
	if (f->v.nr)
		return 0;
	err_set(err, EINVAL, "--fields: the list is empty");
	err_hint(err,
		 "for example --fields time,comm,FIELD; perf-lite list -v EVENT shows its fields");
	return -EINVAL;
}

/* How the field of that event is shown. */
static int find_in_event(struct selected_fields *f, const struct selected_field *wanted, u32 event,
			 struct trace_field *at, struct err *err)
{
	const struct tp_format *format = f->session->formats[event];
	const struct tp_opts opts = session_tp_opts(f->session);
	const struct tp_field *field;
	struct tp_field_format shown;

	if (!format || !is_wanted(f, event, wanted->event))
		return 0;
	field = tp_format_field(format, wanted->name);
	if (!field)
		return 0;
	if (!field->is_array && !field->is_pointer &&
	    tp_names_compile(format, field, &opts, &at->names, err))
		return -ENOMEM;
	if (!at->names) {
		if (tp_field_format_compile(format, field, &opts, &shown, err))
			return -ENOMEM;
		at->names = shown.prog;
	}
	at->field = field;
	return 0;
}

/* Do the samples of any event have an ip? */
static int check_ip(const struct selected_fields *f, struct err *err)
{
	u32 i;

	for (i = 0; i < f->nr_events; i++)
		if (event_at(f, i)->layout.has & PERF_SAMPLE_IP)
			return 0;
	err_set(err, EINVAL, "--fields: the samples do not say where they were taken");
	err_hint(err, "record with -g, or --sample-ip");
	return -EINVAL;
}

static int bind_fields(struct selected_fields *f, struct err *err)
{
	struct selected_field *wanted;
	struct trace_field *at;
	bool any, others, call;
	u32 i, e;

	for (i = 0; i < f->v.nr; i++) {
		wanted = &f->v.v[i];
		any = wanted->what != FIELD_COUNT;
		others = any && wanted->what != FIELD_IP && wanted->what != FIELD_SYM;
		for (e = 0; e < f->nr_events && !any; e++) {
			at = &f->at[e * f->v.nr + i];
			if (find_in_event(f, wanted, e, at, err))
				return -ENOMEM;
		}
		call = wanted->what == FIELD_COUNT && f->calls && !wanted->event &&
		       is_of_calls(wanted->name);
		any |= call;
		others |= call;
		for (e = 0; e < f->nr_events && wanted->what == FIELD_COUNT; e++) {
			if (!f->at[e * f->v.nr + i].field)
				continue;
			any = true;
			others |= !is_syscall_event(f, e);
			/* "id" and "args" are those of the events, whatever arguments are called */
			if (is_raw_event(f, e) && strcmp(wanted->name, "ret") != 0)
				f->of_calls = false;
		}
		f->of_calls &= others;
		if (!any)
			return no_such_field(f, wanted, err);
	}
	return f->general & (FIELD_BIT(FIELD_IP) | FIELD_BIT(FIELD_SYM)) ? check_ip(f, err) : 0;
}

int selected_fields_init(struct selected_fields *f, const char *list, const struct session *s,
			 bool calls, struct err *err)
{
	const struct event_set *events = &s->source->recording->events;
	u32 i, nr = 0;
	int ret;

	*f = (struct selected_fields){
		.session = s, .nr_events = events->events.nr, .calls = calls, .of_calls = calls};
	ret = parse(f, list, err);
	if (ret)
		return ret;
	f->at = calloc((size_t)f->nr_events * f->v.nr + 1, sizeof(*f->at));
	if (!f->at)
		return err_nomem(err);
	for (i = 0; i < f->nr_events; i++) {
		if (events->events.v[i].sideband)
			continue;
		nr++;
		f->name_width = MAX(f->name_width, (u32)strlen(events->events.v[i].name));
	}
	f->pads = nr > 1;
	return bind_fields(f, err);
}

void selected_fields_task(const struct session_sample *s, struct buf *out)
{
	size_t at = out->len, width;

	buf_adds(out, s->comm);
	buf_addc(out, '/');
	buf_sdec(out, (s32)s->sample->ids.tid, 0);
	width = out->failed ? TASK_WIDTH : text_width(out->data + at, out->len - at);
	if (width < TASK_WIDTH)
		buf_pad(out, ' ', TASK_WIDTH - width);
}

void selected_fields_cpu(u32 cpu, struct buf *out)
{
	buf_addc(out, '[');
	if (cpu == ID_NONE)
		buf_adds(out, "  -");
	else
		buf_dec0(out, cpu, 3);
	buf_addc(out, ']');
}

static void put_event(const struct selected_fields *f, const struct session_sample *s, bool more,
		      struct buf *out)
{
	size_t len = strlen(s->desc->name);

	text_escape(out, s->desc->name, len);
	buf_addc(out, ':');
	if (more && f->pads && len < f->name_width)
		buf_pad(out, ' ', f->name_width - len);
}

static bool put_address(const struct trace_text *trace, const struct session_sample *s, bool symbol,
			struct buf *out)
{
	u16 cpumode = s->sample->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	u32 id;

	if (!symbol) {
		buf_adds(out, "0x");
		buf_hex(out, s->sample->ip, 0);
		return true;
	}
	id = symboliser_address(trace->symboliser, s->thread, cpumode, s->sample->ip);
	if (id == ID_NONE)
		return false;
	frame_text_symbol(&trace->symboliser->frames.v[id], true, out);
	return true;
}

static bool put_general(struct selected_fields *f, const struct selected_field *wanted,
			const struct trace_text *trace, struct time_text *time,
			const struct session_sample *s, struct buf *out)
{
	switch (wanted->what) {
	case FIELD_TIME:
		time_text_put(time, time_text_next(time, s->sample->ids.time), out);
		return true;
	case FIELD_COMM:
		buf_adds(out, s->comm);
		return true;
	case FIELD_CPU:
		selected_fields_cpu(s->sample->ids.cpu, out);
		return true;
	case FIELD_EVENT:
		put_event(f, s, false, out);
		return true;
	case FIELD_PID:
	case FIELD_TID:
		buf_adds(out, wanted->name);
		buf_addc(out, '=');
		buf_sdec(out,
			 (s32)(wanted->what == FIELD_PID ? s->sample->ids.pid : s->sample->ids.tid),
			 0);
		return true;
	default:
		buf_adds(out, wanted->name);
		buf_addc(out, '=');
		return put_address(trace, s, wanted->what == FIELD_SYM, out);
	}
}

/* Quote a value that has blanks, or is empty. */
static void put_value(struct selected_fields *f, const struct trace_field *at,
		      const struct trace_text *trace, const struct session_sample *s,
		      struct buf *out)
{
	const char *text;
	size_t i;

	buf_clear(&f->scratch);
	trace_fields_text(at, trace, s->sample, &f->scratch);
	out->failed |= f->scratch.failed;
	text = buf_str(&f->scratch);
	if (!at->field->is_string || (f->scratch.len && !strpbrk(text, " \"="))) {
		buf_add(out, text, f->scratch.len);
		return;
	}
	buf_addc(out, '"');
	for (i = 0; i < f->scratch.len; i++) {
		if (text[i] == '"')
			buf_addc(out, '\\');
		buf_addc(out, text[i]);
	}
	buf_addc(out, '"');
}

bool selected_fields_put(struct selected_fields *f, const struct trace_text *trace,
			 struct time_text *time, const struct session_sample *s, struct buf *out)
{
	const struct trace_field *at = &f->at[s->event * f->v.nr];
	size_t start = out->len;
	u32 i;

	if (!(f->general & SELECTED_FIELDS_HEAD)) {
		time_text_put(time, time_text_next(time, s->sample->ids.time), out);
		buf_addc(out, ' ');
		selected_fields_task(s, out);
		buf_addc(out, ' ');
		selected_fields_cpu(s->sample->ids.cpu, out);
		buf_addc(out, ' ');
		put_event(f, s, true, out);
	}
	for (i = 0; i < f->v.nr; i++) {
		const struct selected_field *wanted = &f->v.v[i];

		if (wanted->what == FIELD_COUNT && (!at[i].field || !s->sample->raw))
			continue;
		if (out->len > start)
			buf_addc(out, ' ');
		if (wanted->what != FIELD_COUNT) {
			if (!put_general(f, wanted, trace, time, s, out))
				return false;
			continue;
		}
		buf_adds(out, wanted->name);
		buf_addc(out, '=');
		put_value(f, &at[i], trace, s, out);
	}
	return !out->failed;
}

int selected_fields_add(const struct selected_fields *f, u32 event, struct trace_fields *fields,
			struct err *err)
{
	const struct tp_opts opts = session_tp_opts(f->session);
	const struct trace_field *at = &f->at[event * f->v.nr];
	u32 i;

	for (i = 0; i < f->v.nr; i++)
		if (at[i].field &&
		    trace_fields_add(fields, f->session->formats[event], at[i].field, &opts, err))
			return -ENOMEM;
	return 0;
}

void selected_fields_free(struct selected_fields *f)
{
	size_t i;

	for (i = 0; f->at && i < (size_t)f->nr_events * f->v.nr; i++)
		tp_prog_free(f->at[i].names);
	free(f->at);
	vec_free(&f->v);
	buf_free(&f->scratch);
	arena_free(&f->arena);
	*f = (struct selected_fields){0};
}
