// SPDX-License-Identifier: GPL-2.0
#include "util/format/syscall_sink_internal.h"

#include <string.h>

bool syscall_fields_wants(const struct selected_fields *f, const char *name)
{
	u32 i;

	for (i = 0; f && i < f->v.nr; i++)
		if (f->v.v[i].what == FIELD_COUNT && !strcmp(f->v.v[i].name, name))
			return true;
	return !f;
}

bool syscall_fields_wants_general(const struct selected_fields *f, enum field what)
{
	return !f || f->general & FIELD_BIT(what);
}

static const char *arg_name(const struct syscall_call *c, u32 arg)
{
	return syscall_text_args_of(c)[arg].name;
}

void syscall_fields_hide(const struct selected_fields *f, struct syscall_call *c)
{
	u32 i;

	for (i = 0; i < SYSCALL_ARGS && arg_name(c, i); i++)
		if (!syscall_fields_wants(f, arg_name(c, i)))
			c->hidden |= 1u << i;
}

static void put_general(const struct selected_field *wanted, struct time_text *time,
			const struct syscall_report *t, struct buf *out)
{
	const struct rec_ids *ids = &t->s->sample->ids;

	switch (wanted->what) {
	case FIELD_TIME:
		time_text_put(time, time_text_next(time, t->time), out);
		break;
	case FIELD_COMM:
		buf_adds(out, t->s->comm);
		break;
	case FIELD_CPU:
		selected_fields_cpu(t->cpu, out);
		break;
	case FIELD_EVENT:
		syscall_text_name(t->call, out);
		buf_addc(out, ':');
		break;
	default:
		buf_adds(out, wanted->name);
		buf_addc(out, '=');
		buf_sdec(out, (s32)(wanted->what == FIELD_PID ? ids->pid : ids->tid), 0);
	}
}

/* The argument of that name, SYSCALL_ARGS: the call does not look at one. */
static u32 find_arg(const struct syscall_report *t, const char *name)
{
	/* of an end alone there may be what a new program says of itself */
	u32 i, nr = t->begun ? syscall_text_nr_args(t->call) : t->call->texts[0].s != NULL;

	for (i = 0; i < nr && strcmp(arg_name(t->call, i), name) != 0; i++)
		;
	return i < nr ? i : SYSCALL_ARGS;
}

/* What is chosen of calls alone. */
static void put_own(const char *name, const struct syscall_report *t, struct buf *out)
{
	bool result = !strcmp(name, "ret"), duration = !strcmp(name, "duration");
	u32 arg = find_arg(t, name);

	if (arg == SYSCALL_ARGS && strcmp(name, "syscall") != 0 && !(result && t->ended) &&
	    !(duration && t->timed))
		return;
	if (out->len && out->data[out->len - 1] != '\n')
		buf_addc(out, ' ');
	buf_adds(out, name);
	buf_addc(out, '=');
	if (arg < SYSCALL_ARGS)
		syscall_text_value(t->call, arg, out);
	else if (result)
		syscall_text_outcome(t->call, t->result, out);
	else if (duration)
		buf_addf(out, "%.3fms", (double)t->duration / 1e6);
	else
		syscall_text_name(t->call, out);
}

void syscall_fields_put(const struct selected_fields *f, struct time_text *time,
			const struct syscall_report *t, struct buf *out)
{
	size_t start = out->len;
	u32 i;

	if (!(f->general & SELECTED_FIELDS_HEAD)) {
		time_text_put(time, time_text_next(time, t->time), out);
		buf_addc(out, ' ');
		selected_fields_task(t->s, out);
		buf_addc(out, ' ');
		selected_fields_cpu(t->cpu, out);
		buf_addc(out, ' ');
		syscall_text_name(t->call, out);
		buf_addc(out, ':');
	}
	for (i = 0; i < f->v.nr; i++) {
		const struct selected_field *wanted = &f->v.v[i];

		if (wanted->what == FIELD_COUNT) {
			if (!wanted->event)
				put_own(wanted->name, t, out);
			continue;
		}
		if (out->len > start)
			buf_addc(out, ' ');
		put_general(wanted, time, t, out);
	}
	buf_addc(out, '\n');
}
