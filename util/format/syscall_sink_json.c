// SPDX-License-Identifier: GPL-2.0
#include "util/base/errno_names.h"
#include "util/base/json.h"
#include "util/format/syscall_sink_internal.h"

static void json_head(const struct syscall_sink *k, const struct syscall_at *a, u64 time, u32 cpu,
		      struct buf *out)
{
	const struct rec_ids *ids = &a->s->sample->ids;
	const struct selected_fields *f = k->options.fields;
	u64 ns = time_text_next(k->options.time, time);
	bool timed = syscall_fields_wants_general(f, FIELD_TIME);

	json_open(out, '{');
	if (timed) {
		json_key(out, "time");
		/* a call that ended later may have begun earlier */
		json_signed(out, (s64)ns);
	}
	if (timed && time_form_is_date(k->options.time->form)) {
		json_key(out, "date");
		buf_addc(out, '"');
		time_text_put_rfc3339(k->options.time, ns, out);
		buf_addc(out, '"');
	}
	if (ids->tid != ID_NONE && syscall_fields_wants_general(f, FIELD_COMM))
		json_put_string(out, "comm", a->s->comm);
	if (ids->pid != ID_NONE && syscall_fields_wants_general(f, FIELD_PID))
		json_put_unsigned(out, "pid", ids->pid);
	if (ids->tid != ID_NONE && syscall_fields_wants_general(f, FIELD_TID))
		json_put_unsigned(out, "tid", ids->tid);
	if (cpu != ID_NONE && syscall_fields_wants_general(f, FIELD_CPU))
		json_put_unsigned(out, "cpu", cpu);
}

static void json_call(const struct syscall_sink *k, const struct syscall_call *c, struct buf *out)
{
	const struct selected_fields *f = k->options.fields;

	if (syscall_fields_wants_general(f, FIELD_EVENT) || syscall_fields_wants(f, "syscall")) {
		json_key(out, "syscall");
		buf_addc(out, '"');
		syscall_text_name(c, out);
		buf_addc(out, '"');
	}
	if (f)
		return;
	json_put_signed(out, "nr", (s64)c->nr);
}

static void json_result(const struct syscall_sink *k, s64 result, struct buf *out)
{
	u32 error = syscall_errno(result);
	const char *name = error ? errno_name(error) : NULL;

	if (!syscall_fields_wants(k->options.fields, "ret"))
		return;
	json_put_signed(out, "ret", result);
	if (!name)
		return;
	json_put_string(out, "error", name);
}

void syscall_json_begun(struct syscall_sink *k, const struct syscall_at *a,
			const struct syscall_thread *t, bool ended, s64 result, struct buf *out)
{
	struct syscall_call c =
		syscall_sink_call(t, ended ? syscall_end_of(result) : SYSCALL_NOT_YET);
	const struct selected_fields *f = k->options.fields;

	if (ended)
		syscall_sink_program(k, a, result, &c);
	if (f)
		syscall_fields_hide(f, &c);
	json_head(k, a, t->time, t->cpu, out);
	if (ended && syscall_sink_is_timed(k, a) && syscall_fields_wants(f, "duration"))
		json_put_unsigned(out, "duration", a->s->sample->ids.time - t->time);
	json_call(k, &c, out);
	json_key(out, "args");
	syscall_text_json(&c, out);
	if (t->stack.len) {
		buf_addc(out, ',');
		buf_add(out, t->stack.data, t->stack.len);
	}
	if (ended)
		json_result(k, result, out);
	buf_adds(out, "}\n");
}

int syscall_json_end(struct syscall_sink *k, const struct syscall_at *a, bool born, s64 result,
		     struct buf *out, struct err *err)
{
	int ret;

	json_head(k, a, a->s->sample->ids.time, a->s->sample->ids.cpu, out);
	json_call(k, &a->call, out);
	json_result(k, result, out);
	if (born && !k->options.fields)
		json_put_bool(out, "continued", true);
	ret = syscall_sink_stack(k, a->s, out, err);
	buf_adds(out, "}\n");
	return ret;
}
