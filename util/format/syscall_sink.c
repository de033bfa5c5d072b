// SPDX-License-Identifier: GPL-2.0
#include "util/format/syscall_sink_internal.h"

#include <errno.h>
#include <string.h>

#include "util/base/text.h"

/* Results are in this column of the text after the thread, as in perf trace. */
#define RESULT_COLUMN 70
#define LONG_CALL_NS  100000000u

static struct syscall_sink *sink_of(struct sink *sink)
{
	return (struct syscall_sink *)sink;
}

static struct syscall_call call_of_number(const struct syscall_sink *k, u64 nr)
{
	const char *name = k->table ? arch_syscalls_name(k->table, nr) : NULL;

	return (struct syscall_call){
		.nr = nr,
		.name = name,
		.what = name ? syscall_signatures_find(name) : NULL,
		.arm = k->arm,
	};
}

static struct syscall_call call_of_record(const struct syscall_sink *k,
					  const struct syscall_layout *l, u64 nr)
{
	struct syscall_call c = call_of_number(k, nr);

	if (l->call || l->own.name)
		c.what = l->call ? l->call : &l->own;
	return c;
}

/* The thread's, made if new; NULL: memory is out. */
static struct syscall_thread *thread_at(struct syscall_sink *k, u32 id)
{
	while (k->threads.nr <= id)
		if (!vec_push(&k->threads))
			return NULL;
	return &k->threads.v[id];
}

/* Does the program replace itself by what the call names, its memory too? */
static bool replaces_itself(const struct syscall *what)
{
	return !strncmp(what->name, "execve", 6);
}

/* The texts that the call names, of its record or read from the memory of the process. */
static void find_texts(struct syscall_sink *k, struct syscall_at *a)
{
	const struct syscall_layout *l = &a->event->layout;
	const struct sample *s = a->s->sample;
	struct syscall_call *c = &a->call;
	struct syscall_string *t;
	size_t len;
	u32 i;

	for (i = 0; c->what && i < SYSCALL_ARGS; i++) {
		t = &c->texts[i];
		if (l->texts[i] && tp_field_string(l->texts[i], s->raw, s->raw_size, &t->s, &len))
			t->len = (u32)MIN(len, (size_t)SYSCALL_STRING_MAX);
		else if (c->what->args[i].kind == SYSCALL_STR ||
			 c->what->args[i].kind == SYSCALL_SOCKADDR)
			*t = syscall_strings_get(&k->strings, s->ids.tid, s->ids.time, i);
	}
	if (c->what && l->path && syscall_is_descriptor(c->what->args[0].kind) &&
	    tp_field_string(l->path, s->raw, s->raw_size, &c->texts[0].s, &len))
		c->texts[0].len = (u32)MIN(len, (size_t)SYSCALL_STRING_MAX);
}

/* Keep the call until it ends. */
static bool keep(struct syscall_thread *t, const struct syscall_call *c)
{
	size_t at[SYSCALL_ARGS];
	u32 i;

	t->call = *c;
	buf_clear(&t->texts);
	for (i = 0; i < SYSCALL_ARGS; i++) {
		at[i] = t->texts.len;
		buf_add(&t->texts, c->texts[i].s, c->texts[i].s ? c->texts[i].len : 0);
	}
	for (i = 0; i < SYSCALL_ARGS && !t->texts.failed; i++)
		if (c->texts[i].s)
			t->call.texts[i].s = buf_str(&t->texts) + at[i];
	return !t->texts.failed;
}

struct syscall_call syscall_sink_call(const struct syscall_thread *t, enum syscall_end end)
{
	struct syscall_call c = t->call;
	u32 i;

	for (i = 0; c.what && replaces_itself(c.what) && end != SYSCALL_FAILED && i < SYSCALL_ARGS;
	     i++)
		if (c.texts[i].late)
			c.texts[i] = (struct syscall_string){0};
	return c;
}

void syscall_sink_program(struct syscall_sink *k, const struct syscall_at *a, s64 result,
			  struct syscall_call *c)
{
	const struct rec_ids *ids = &a->s->sample->ids;

	if (!result && c->what && replaces_itself(c->what) && !c->texts[0].s)
		c->texts[0] = syscall_strings_get(&k->strings, ids->tid, ids->time, 0);
}

int syscall_sink_stack(struct syscall_sink *k, const struct session_sample *s, struct buf *out,
		       struct err *err)
{
	struct sink *other = k->options.other;

	return other && other->ops->stack ? other->ops->stack(other, s, out, err) : 0;
}

void syscall_sink_lost(struct syscall_sink *k, u64 time)
{
	k->lost_at = MAX(k->lost_at, time);
}

bool syscall_sink_is_timed(const struct syscall_sink *k, const struct syscall_at *a)
{
	return a->thread->time >= k->lost_at;
}

static void put_head(struct syscall_sink *k, u64 time, bool timed, u64 duration, struct buf *out)
{
	time_text_put(k->options.time, time_text_next(k->options.time, time), out);
	if (timed) {
		duration = (duration + 500) / 1000;
		buf_adds(out, " (");
		buf_dec(out, duration / 1000, 2);
		buf_addc(out, '.');
		buf_dec0(out, duration % 1000, 3);
		buf_adds(out, " ms): ");
	} else {
		buf_adds(out, " (         ): ");
	}
}

static void put_thread(const struct session_sample *s, struct buf *out)
{
	buf_adds(out, s->comm);
	buf_addc(out, '/');
	buf_sdec(out, (s32)s->sample->ids.tid, 0);
	buf_addc(out, ' ');
}

/* Blanks up to the result of a call whose text begins at `from`. */
static void pad(size_t from, struct buf *out)
{
	size_t len = out->len - from;

	buf_pad(out, ' ', len < RESULT_COLUMN ? RESULT_COLUMN - len : 1);
}

static void put_call(const struct syscall_call *c, struct buf *out)
{
	size_t from = out->len;

	syscall_text_name(c, out);
	buf_addc(out, '(');
	syscall_text_args(c, out);
	buf_addc(out, ')');
	pad(from, out);
}

static bool returns(const struct syscall_call *c)
{
	return !c->what || c->what->result != SYSCALL_NONE;
}

/* In place of the result of a call of which nothing more will come. */
static void put_no_result(const struct syscall_at *a, const struct syscall_call *c, struct buf *out)
{
	if (!returns(c)) {
		buf_adds(out, "= ?");
	} else if (a->event && a->event->alone) {
		while (out->len && out->data[out->len - 1] == ' ')
			out->len--;
	} else {
		buf_adds(out, "...");
	}
}

/* The line that waits for the end of its call is printed without it: something else comes first. */
static void interrupt(struct syscall_sink *k, struct buf *out)
{
	const struct syscall_thread *t;
	struct syscall_call c;

	if (k->line_thread == ID_NONE)
		return;
	t = &k->threads.v[k->line_thread];
	c = syscall_sink_call(t, SYSCALL_NOT_YET);
	put_head(k, k->line_time, false, 0, out);
	buf_add(out, k->line.data, k->line.len);
	put_call(&c, out);
	buf_adds(out, "...\n");
	buf_add(out, t->stack.data, t->stack.len);
	k->line_thread = ID_NONE;
}

/* A line of chosen things of a call whose beginning is known, its end perhaps. */
static void fields_begun(struct syscall_sink *k, const struct syscall_at *a,
			 const struct syscall_thread *t, bool ended, s64 result, struct buf *out)
{
	struct syscall_call c =
		syscall_sink_call(t, ended ? syscall_end_of(result) : SYSCALL_NOT_YET);
	const bool timed = ended && syscall_sink_is_timed(k, a);
	const struct syscall_report report = {
		.s = a->s,
		.call = &c,
		.time = t->time,
		.cpu = t->cpu,
		.begun = true,
		.timed = timed,
		.ended = ended,
		.duration = timed ? a->s->sample->ids.time - t->time : 0,
		.result = result,
	};

	if (ended)
		syscall_sink_program(k, a, result, &c);
	syscall_fields_put(k->options.fields, k->options.time, &report, out);
}

static void fields_end(struct syscall_sink *k, const struct syscall_at *a, s64 result,
		       struct buf *out)
{
	struct syscall_call c = a->call;
	const struct syscall_report report = {
		.s = a->s,
		.call = &c,
		.time = a->s->sample->ids.time,
		.cpu = a->s->sample->ids.cpu,
		.ended = true,
		.result = result,
	};

	syscall_sink_program(k, a, result, &c);
	syscall_fields_put(k->options.fields, k->options.time, &report, out);
}

/* Is a call reported when it has ended, and not before? */
static bool reports_ended(const struct syscall_sink *k)
{
	return k->options.lines &&
	       (k->options.json || k->options.fields || syscall_sink_is_filtered(k));
}

/* A line of a call whose beginning is known, its end perhaps. */
static void text_begun(struct syscall_sink *k, const struct syscall_at *a,
		       const struct syscall_thread *t, bool ended, s64 result, struct buf *out)
{
	struct syscall_call c =
		syscall_sink_call(t, ended ? syscall_end_of(result) : SYSCALL_NOT_YET);
	const bool timed = ended && syscall_sink_is_timed(k, a);

	if (ended)
		syscall_sink_program(k, a, result, &c);
	put_head(k, t->time, timed, timed ? a->s->sample->ids.time - t->time : 0, out);
	put_thread(a->s, out);
	put_call(&c, out);
	if (ended) {
		buf_adds(out, "= ");
		syscall_text_result(&c, result, out);
	} else {
		put_no_result(a, &c, out);
	}
	buf_addc(out, '\n');
}

static void tell_begun(struct syscall_sink *k, const struct syscall_at *a, bool ended, s64 result,
		       struct buf *out)
{
	if (k->options.json)
		syscall_json_begun(k, a, a->thread, ended, result, out);
	else if (k->options.fields)
		fields_begun(k, a, a->thread, ended, result, out);
	else
		text_begun(k, a, a->thread, ended, result, out);
	if (!k->options.json && a->thread->stack.len)
		buf_add(out, a->thread->stack.data, a->thread->stack.len);
}

/* `begun`: the call that the thread is in, else that of the sample, of which nothing more will come. */
static struct syscall_call call_made(struct syscall_sink *k, const struct syscall_at *a, bool begun,
				     bool ended, s64 result)
{
	enum syscall_end end = ended ? syscall_end_of(result) : SYSCALL_NOT_YET;
	struct syscall_call c =
		begun && k->takes_args ? syscall_sink_call(a->thread, end) : a->call;

	if (ended)
		syscall_sink_program(k, a, result, &c);
	return c;
}

/* Is a call wanted? As call_made(). 1, 0 or -ENOMEM. */
static int is_wanted(struct syscall_sink *k, const struct syscall_at *a, bool begun, bool ended,
		     s64 result, struct err *err)
{
	const struct rec_ids *ids = &a->s->sample->ids;
	const struct syscall_call c = call_made(k, a, begun, ended, result);
	const bool timed = begun && ended && syscall_sink_is_timed(k, a);
	const struct syscall_tested tested = {
		.call = &c,
		.begun = begun,
		.ended = ended,
		.timed = timed,
		.duration = timed ? ids->time - a->thread->time : 0,
		.result = result,
		.cpu = begun ? a->thread->cpu : ids->cpu,
		.tid = (s32)ids->tid,
		.comm = a->s->comm,
	};
	int ret = 1;

	if (k->filter)
		ret = syscall_filter_pass(k->filter, &tested, err);
	if (ret > 0 && k->options.min_ns)
		ret = timed && tested.duration >= k->options.min_ns;
	return ret;
}

/* As call_made(). */
static int count(struct syscall_sink *k, const struct syscall_at *a, bool begun, bool ended,
		 s64 result, struct err *err)
{
	const bool timed = begun && ended && syscall_sink_is_timed(k, a);
	struct syscall_call c;
	const struct syscall_made made = {
		.call = &c,
		.begun = begun,
		.ended = ended,
		.timed = timed,
		.duration = timed ? a->s->sample->ids.time - a->thread->time : 0,
		.result = result,
	};

	k->account.calls++;
	if (!k->options.summary)
		return 0;
	c = call_made(k, a, begun, ended, result);
	return syscall_summary_add(k->options.summary, a->s, &made, err);
}

/* The call that the thread is in has ended, and its end is not there. */
static int end_is_missing(struct syscall_sink *k, const struct syscall_at *a, struct buf *out,
			  struct err *err)
{
	struct syscall_thread *t = a->thread;
	struct syscall_at of = *a;
	int wanted = is_wanted(k, a, true, false, 0, err);

	t->inside = false;
	k->account.no_exit++;
	if (wanted <= 0)
		return wanted;
	of.call = call_of_number(k, t->nr);
	if (reports_ended(k))
		tell_begun(k, &of, false, 0, out);
	else if (k->options.lines && k->line_thread == a->id)
		interrupt(k, out);
	return count(k, &of, true, false, 0, err);
}

/* A call of which nothing more will come. */
static int enter_alone(struct syscall_sink *k, struct syscall_at *a, struct buf *out,
		       struct err *err)
{
	int wanted = is_wanted(k, a, true, false, 0, err);

	k->account.only_enter += a->event->alone;
	if (wanted <= 0)
		return wanted;
	if (reports_ended(k)) {
		tell_begun(k, a, false, 0, out);
	} else if (k->options.lines) {
		put_head(k, a->thread->time, false, 0, out);
		put_thread(a->s, out);
		put_call(&a->call, out);
		put_no_result(a, &a->call, out);
		buf_addc(out, '\n');
		buf_add(out, a->thread->stack.data, a->thread->stack.len);
	}
	return count(k, a, true, false, 0, err);
}

static int enter(struct syscall_sink *k, struct syscall_at *a, struct buf *out, struct err *err)
{
	const struct sample *s = a->s->sample;
	struct syscall_thread *t = a->thread;
	int ret;

	if (t->inside) {
		ret = end_is_missing(k, a, out, err);
		if (ret)
			return ret;
	}
	t->seen = true;
	t->nr = a->call.nr;
	t->time = s->ids.time;
	t->cpu = s->ids.cpu;
	if (k->takes_args) {
		if (!syscall_layout_args(&a->event->layout, s->raw, s->raw_size, a->call.args))
			return 0;
		find_texts(k, a);
		if (k->options.lines && !reports_ended(k))
			interrupt(k, out);
		buf_clear(&t->stack);
		ret = k->options.lines ? syscall_sink_stack(k, a->s, &t->stack, err) : 0;
		if (ret || t->stack.failed)
			return ret ? ret : err_nomem(err);
		if (!keep(t, &a->call))
			return err_nomem(err);
	}
	if (a->event->alone || !returns(&a->call))
		return enter_alone(k, a, out, err);
	t->inside = true;
	if (k->options.lines && !reports_ended(k)) {
		buf_clear(&k->line);
		put_thread(a->s, &k->line);
		k->line_thread = a->id;
		k->line_time = t->time;
	}
	return k->line.failed ? err_nomem(err) : 0;
}

/* The kernel forgets the number of some calls on their way: rt_sigreturn(2), those that are refused. */
static void find_number(struct syscall_at *a, const struct syscall_sink *k)
{
	if ((s64)a->call.nr != -1 || !a->thread->inside)
		return;
	a->call = call_of_number(k, a->thread->nr);
}

/* The end of a call whose line is printed already, or that has none. */
static void put_end(struct syscall_sink *k, struct syscall_at *a, bool timed, s64 result,
		    struct buf *out)
{
	struct syscall_call c = {.what = a->call.what};
	u64 time = a->s->sample->ids.time;

	interrupt(k, out);
	put_head(k, time, timed, timed ? time - a->thread->time : 0, out);
	put_thread(a->s, out);
	if (!a->event->alone)
		buf_adds(out, " ... [continued]: ");
	syscall_text_name(&a->call, out);
	buf_addc(out, '(');
	syscall_sink_program(k, a, result, &c);
	if (c.texts[0].s)
		syscall_text_arg(&c, 0, out);
	buf_adds(out, ") ");
}

/* A new thread's first sample is the end of what made it. */
static bool is_born(const struct syscall_at *a, s64 result)
{
	const char *name = a->call.what ? a->call.what->name : "";

	return !a->thread->seen && !result &&
	       (!strncmp(name, "clone", 5) || !strcmp(name, "fork") || !strcmp(name, "vfork"));
}

static int exit_alone(struct syscall_sink *k, struct syscall_at *a, s64 result, struct buf *out,
		      struct err *err)
{
	bool born = is_born(a, result);
	int ret = 0, wanted = is_wanted(k, a, false, true, result, err);

	if (!born && a->thread->seen && !a->event->alone)
		k->account.no_enter++;
	k->account.only_exit += !born && a->event->alone;
	if (wanted <= 0)
		return wanted;
	if (k->options.lines && k->options.json) {
		ret = syscall_json_end(k, a, born, result, out, err);
	} else if (k->options.lines && k->options.fields) {
		fields_end(k, a, result, out);
	} else if (k->options.lines) {
		put_end(k, a, false, result, out);
		buf_adds(out, "= ");
		syscall_text_result(&a->call, result, out);
		buf_addc(out, '\n');
		ret = syscall_sink_stack(k, a->s, out, err);
	}
	k->births += born;
	if (born || ret)
		return ret;
	k->account.before += !a->thread->seen && !a->event->alone;
	return count(k, a, false, true, result, err);
}

static int leave(struct syscall_sink *k, struct syscall_at *a, struct buf *out, struct err *err)
{
	const struct sample *s = a->s->sample;
	struct syscall_thread *t = a->thread;
	struct syscall_call c;
	bool whole, timed;
	s64 result;
	int ret = 0;

	if (!syscall_layout_result(&a->event->layout, s->raw, s->raw_size, &result))
		return 0;
	find_number(a, k);
	/* of a call that was not asked for, or began before the first sample */
	if ((s64)a->call.nr == -1 && !t->inside) {
		t->seen = true;
		return 0;
	}
	if (t->inside && t->nr != a->call.nr)
		ret = end_is_missing(k, a, out, err);
	if (ret)
		return ret;
	if (!t->inside) {
		ret = exit_alone(k, a, result, out, err);
		t->seen = true;
		return ret;
	}
	t->inside = false;
	timed = syscall_sink_is_timed(k, a);
	k->account.across += !timed;
	ret = is_wanted(k, a, true, true, result, err);
	if (ret <= 0)
		return ret;
	if (reports_ended(k)) {
		tell_begun(k, a, true, result, out);
	} else if (k->options.lines) {
		whole = k->line_thread == a->id;
		if (whole) {
			put_head(k, t->time, timed, timed ? s->ids.time - t->time : 0, out);
			buf_add(out, k->line.data, k->line.len);
			c = syscall_sink_call(t, syscall_end_of(result));
			syscall_sink_program(k, a, result, &c);
			put_call(&c, out);
			k->line_thread = ID_NONE;
		} else {
			put_end(k, a, timed, result, out);
		}
		buf_adds(out, "= ");
		syscall_text_result(&a->call, result, out);
		buf_addc(out, '\n');
		if (whole)
			buf_add(out, t->stack.data, t->stack.len);
	}
	return count(k, a, true, true, result, err);
}

void syscall_sink_look(struct syscall_sink *k, const struct rec *rec,
		       const struct sample_layout *layout)
{
	const struct syscall_layout *l;
	const struct syscall *what;
	struct sample s;
	u64 nr, args[SYSCALL_ARGS];
	s64 result;
	u32 i;

	if (!k->takes_args || rec->event >= k->events.nr)
		return;
	l = &k->events.v[rec->event].layout;
	if (l->side == SYSCALL_NEITHER || !sample_layout_sample(layout, rec, &s) || !s.raw ||
	    !syscall_layout_nr(l, s.raw, s.raw_size, &nr))
		return;
	what = call_of_record(k, l, nr).what;
	if (!what)
		return;
	if (l->side == SYSCALL_EXIT) {
		if (!strcmp(what->name, "execve") &&
		    syscall_layout_result(l, s.raw, s.raw_size, &result) && !result)
			syscall_strings_read_program(&k->strings, s.ids.tid, s.ids.time, 0);
		return;
	}
	if (!syscall_layout_args(l, s.raw, s.raw_size, args))
		return;
	for (i = 0; i < SYSCALL_ARGS && what->args[i].name; i++) {
		if (what->args[i].kind == SYSCALL_STR && args[i] && !l->texts[i])
			syscall_strings_read(&k->strings, s.ids.tid, s.ids.time, i, args[i]);
		if (what->args[i].kind == SYSCALL_SOCKADDR && args[i] && i + 1 < SYSCALL_ARGS)
			syscall_strings_read_bytes(&k->strings, s.ids.tid, s.ids.time, i, args[i],
						   (u32)args[i + 1]);
	}
}

static int other_sample(struct syscall_sink *k, const struct session_sample *s, struct buf *out,
			struct err *err)
{
	if (!k->options.other || !k->options.lines)
		return 0;
	interrupt(k, out);
	return k->options.other->ops->sample(k->options.other, s, out, err);
}

static int sink_sample(struct sink *sink, const struct session_sample *s, struct buf *out,
		       struct err *err)
{
	struct syscall_sink *k = sink_of(sink);
	const struct sample *sample = s->sample;
	struct syscall_at a = {.s = s};
	const struct syscall_layout *l;
	u64 nr;
	int ret;

	if (s->event >= k->events.nr || k->events.v[s->event].layout.side == SYSCALL_NEITHER)
		return other_sample(k, s, out, err);
	a.event = &k->events.v[s->event];
	l = &a.event->layout;
	if (!sample->raw || !syscall_layout_nr(l, sample->raw, sample->raw_size, &nr))
		return 0;
	if (!s->thread)
		return err_nomem(err);
	a.id = (u32)(s->thread - k->session->model.threads.v);
	a.thread = thread_at(k, a.id);
	if (!a.thread)
		return err_nomem(err);
	a.call = call_of_record(k, l, nr);
	ret = l->side == SYSCALL_ENTER ? enter(k, &a, out, err) : leave(k, &a, out, err);
	return !ret && out->failed ? err_nomem(err) : ret;
}

static int sink_record(struct sink *sink, const struct session_record *r, struct buf *out,
		       struct err *err)
{
	struct sink *other = sink_of(sink)->options.other;

	if (!other || !other->ops->record || !sink_of(sink)->options.lines)
		return 0;
	interrupt(sink_of(sink), out);
	return other->ops->record(other, r, out, err);
}

void syscall_sink_comm(const struct process_model *m, u32 thread, struct buf *out)
{
	const struct thread *t = &m->threads.v[thread];
	size_t len = 0;
	const char *comm = process_comm(m, t, &len);

	if (comm)
		text_escape(out, comm, len);
	else
		buf_addf(out, ":%d", (int)t->tid);
}

/* The call that the thread is in has not ended. */
static int finish_call(struct syscall_sink *k, u32 id, struct buf *out, struct err *err)
{
	const struct process_model *m = &k->session->model;
	struct sample sample;
	struct session_sample s = {.sample = &sample, .thread = &m->threads.v[id]};
	struct syscall_at a = {.s = &s, .id = id, .thread = &k->threads.v[id]};
	struct buf comm = {0};
	int ret;

	a.thread->inside = false;
	k->account.unfinished++;
	sample = (struct sample){
		.ids = {.pid = s.thread->pid, .tid = s.thread->tid, .cpu = a.thread->cpu}};
	syscall_sink_comm(m, id, &comm);
	out->failed |= comm.failed;
	s.comm = buf_str(&comm);
	a.call = call_of_number(k, a.thread->nr);
	ret = is_wanted(k, &a, true, false, 0, err);
	if (ret > 0) {
		if (reports_ended(k) && !k->cut)
			tell_begun(k, &a, false, 0, out);
		ret = count(k, &a, true, false, 0, err);
	}
	buf_free(&comm);
	return ret;
}

/* Those calls. `ended`: of threads that ended so long ago that their samples have come. */
static int finish(struct syscall_sink *k, bool ended, struct buf *out, struct err *err)
{
	const struct thread *t = k->session->model.threads.v;
	int ret = 0;
	u32 i;

	for (i = 0; !ret && i < k->threads.nr; i++)
		if (k->threads.v[i].inside && (!ended || (t[i].exited && t[i].compacted)))
			ret = finish_call(k, i, out, err);
	return !ret && out->failed ? err_nomem(err) : ret;
}

static int sink_end(struct sink *sink, struct buf *out, struct err *err)
{
	struct syscall_sink *k = sink_of(sink);
	int ret;

	interrupt(k, out);
	ret = finish(k, false, out, err);

	return ret || !k->options.other ? ret
					: k->options.other->ops->end(k->options.other, out, err);
}

static void sink_free(struct sink *sink)
{
	struct syscall_sink *k = sink_of(sink);

	syscall_sink_free_threads(k);
	vec_free(&k->events);
	buf_free(&k->line);
	syscall_strings_free(&k->strings);
	syscall_filter_free(k->filter);
}

int syscall_sink_wait(struct syscall_sink *k, u64 now, struct buf *out, struct err *err)
{
	const bool ends = k->ends;

	k->ends = false;
	if (k->line_thread != ID_NONE && now > k->line_time && now - k->line_time > LONG_CALL_NS)
		interrupt(k, out);
	return ends ? finish(k, true, out, err) : 0;
}

static void sample_layout_of(const struct session *s, u32 event, struct syscall_layout *l)
{
	const struct tp_text *t = recording_event_text(s->source->recording, event);

	*l = (struct syscall_layout){0};
	if (t && s->formats && s->formats[event])
		syscall_layout_init(l, t->system, t->name, s->formats[event]);
}

bool syscall_sink_is_filtered(const struct syscall_sink *k)
{
	return k->filter || k->options.min_ns;
}

bool syscall_sink_is_wanted(const struct session *s)
{
	struct syscall_layout l;
	u32 i;

	for (i = 0; i < s->source->recording->events.events.nr; i++) {
		sample_layout_of(s, i, &l);
		if (l.side != SYSCALL_NEITHER)
			return true;
	}
	return false;
}

enum syscall_side syscall_sink_side(const struct syscall_sink *k, u32 event)
{
	return event < k->events.nr ? k->events.v[event].layout.side : SYSCALL_NEITHER;
}

bool syscall_sink_has_texts(const struct syscall_sink *k)
{
	const struct syscall_layout *l;
	u32 i, arg;

	for (i = 0; i < k->events.nr; i++) {
		l = &k->events.v[i].layout;
		for (arg = 0; arg < SYSCALL_ARGS && !l->texts[arg]; arg++)
			;
		if (l->path || arg < SYSCALL_ARGS)
			return true;
	}
	return false;
}

/* Can the event, of all calls, be of those of the other? */
static bool has_calls_of(const struct syscall_sink *k, u32 event, const struct syscall_layout *l)
{
	const u32 number =
		k->table && l->own.name ? arch_syscalls_number(k->table, l->own.name) : ID_NONE;

	return number == ID_NONE || !k->options.has_call ||
	       k->options.has_call(k->options.has_call_arg, event, number);
}

/* Is there an event of the other side for the same calls? */
static bool has_partner(const struct syscall_sink *k, const struct syscall_layout *l)
{
	const struct syscall_layout *o;
	u32 i;

	for (i = 0; i < k->events.nr; i++) {
		o = &k->events.v[i].layout;
		if (o->side == SYSCALL_NEITHER || o->side == l->side)
			continue;
		if (!o->own.name ? has_calls_of(k, i, l)
				 : !l->own.name || !strcmp(o->own.name, l->own.name))
			return true;
	}
	return false;
}

static int make_filter(struct syscall_sink *k, struct err *err)
{
	struct syscall_names names = {.table = k->table, .arm = k->arm};
	VEC(const char *) more = {0};
	const char **name;
	u32 i;

	for (i = 0; i < k->events.nr; i++) {
		names.has_files |= k->events.v[i].layout.path != NULL;
		if (!k->events.v[i].layout.own.name)
			continue;
		name = vec_push(&more);
		if (!name) {
			vec_free(&more);
			return err_nomem(err);
		}
		*name = k->events.v[i].layout.own.name;
	}
	names.more = more.v;
	names.nr = more.nr;
	k->filter = syscall_filter_parse(k->options.filter, &names, err);
	vec_free(&more);
	return k->filter ? 0 : -EINVAL;
}

static const struct sink_ops ops = {
	.sample = sink_sample, .record = sink_record, .end = sink_end, .free = sink_free};

int syscall_sink_init(struct syscall_sink *k, const struct syscall_sink_options *o,
		      struct session *s, struct err *err)
{
	struct utsname here;
	const char *machine = session_machine(s, &here);
	struct syscall_event *e;
	u32 i;

	*k = (struct syscall_sink){
		.sink.ops = &ops, .options = *o, .session = s, .line_thread = ID_NONE};
	syscall_sink_hold_threads(k);
	k->options.json &= o->lines;
	k->takes_args = o->lines || o->filter || (o->summary && o->summary->by_args);
	k->table = machine ? arch_syscalls_find(machine) : NULL;
	k->arm = machine && (!strcmp(machine, "aarch64") || !strcmp(machine, "arm64"));
	for (i = 0; i < s->source->recording->events.events.nr; i++) {
		e = vec_push(&k->events);
		if (!e)
			return err_nomem(err);
		sample_layout_of(s, i, &e->layout);
	}
	for (i = 0; i < k->events.nr; i++)
		k->events.v[i].alone = !has_partner(k, &k->events.v[i].layout);
	return k->options.filter ? make_filter(k, err) : 0;
}
