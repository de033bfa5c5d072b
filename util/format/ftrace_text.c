// SPDX-License-Identifier: GPL-2.0
#include "util/format/ftrace_text.h"

#include <stdlib.h>
#include <string.h>

#include "util/format/selected_fields.h"
#include "util/profile/frame_text.h"
#include "util/profile/printk_formats.h"
#include "util/tracepoint/tp_field.h"
#include "util/tracepoint/tp_prog.h"

/* common_flags, of Linux 6.13 and later. */
enum {
	FLAG_IRQS_OFF = 0x01,
	FLAG_RESCHED_LAZY = 0x02,
	FLAG_RESCHED = 0x04,
	FLAG_HARDIRQ = 0x08,
	FLAG_SOFTIRQ = 0x10,
	FLAG_PREEMPT_RESCHED = 0x20,
	FLAG_NMI = 0x40,
	FLAG_BH_OFF = 0x80,
};

static const char header[] =
	"# tracer: nop\n"
	"#\n"
	"#                                          _-----=> irqs-off/BH-disabled\n"
	"#                                         / _----=> need-resched\n"
	"#                                        | / _---=> hardirq/softirq\n"
	"#                                        || / _--=> preempt-depth\n"
	"#                                        ||| / _-=> migrate-disable\n"
	"#                                        |||| /     delay\n"
	"#           TASK-PID       TGID    CPU#  |||||  TIMESTAMP  FUNCTION\n"
	"#              | |           |       |   |||||     |         |\n";

static char irqs_letter(u32 flags)
{
	if (flags & FLAG_IRQS_OFF)
		return flags & FLAG_BH_OFF ? 'D' : 'd';
	return flags & FLAG_BH_OFF ? 'b' : '.';
}

static char resched_letter(u32 flags)
{
	switch (flags & (FLAG_RESCHED | FLAG_RESCHED_LAZY | FLAG_PREEMPT_RESCHED)) {
	case FLAG_RESCHED | FLAG_RESCHED_LAZY | FLAG_PREEMPT_RESCHED:
		return 'B';
	case FLAG_RESCHED | FLAG_PREEMPT_RESCHED:
		return 'N';
	case FLAG_RESCHED_LAZY | FLAG_PREEMPT_RESCHED:
		return 'L';
	case FLAG_RESCHED | FLAG_RESCHED_LAZY:
		return 'b';
	case FLAG_RESCHED:
		return 'n';
	case FLAG_RESCHED_LAZY:
		return 'l';
	case FLAG_PREEMPT_RESCHED:
		return 'p';
	default:
		return '.';
	}
}

static char interrupt_letter(u32 flags)
{
	if (flags & FLAG_NMI)
		return flags & FLAG_HARDIRQ ? 'Z' : 'z';
	if (flags & FLAG_HARDIRQ)
		return flags & FLAG_SOFTIRQ ? 'H' : 'h';
	return flags & FLAG_SOFTIRQ ? 's' : '.';
}

static void put_depth(u32 depth, struct buf *out)
{
	if (depth)
		buf_hex(out, depth, 0);
	else
		buf_addc(out, '.');
}

/* The five letters of common_flags and common_preempt_count. Appends them. */
static void ftrace_text_flags(u32 flags, u32 preempt_count, struct buf *out)
{
	buf_addc(out, irqs_letter(flags));
	buf_addc(out, resched_letter(flags));
	buf_addc(out, interrupt_letter(flags));
	put_depth(preempt_count & 0xf, out);
	put_depth(preempt_count >> 4 & 0xf, out);
}

/* A function as %pS has it: with the size of it, and the module that it is in. */
static bool put_symbol(void *arg, u64 addr, bool with_offset, struct buf *out)
{
	const struct ftrace_text *k = arg;
	struct symboliser *r = k->session->symboliser;
	const struct frame *f;
	u32 id;

	id = symboliser_address(r, NULL, PERF_RECORD_MISC_KERNEL, addr);
	if (id == ID_NONE || !r->frames.v[id].symbol)
		return false;
	f = &r->frames.v[id];
	frame_text_symbol(f, with_offset, out);
	if (with_offset) {
		buf_adds(out, "/0x");
		buf_hex(out, symboliser_function_size(r, id), 0);
	}
	if (f->dso != ID_NONE && r->model->dsos.v[f->dso].kind == DSO_MODULE) {
		buf_addc(out, ' ');
		frame_text_file(&r->model->dsos.v[f->dso], out);
	}
	return true;
}

static const char *find_string(void *arg, u64 addr)
{
	const struct ftrace_text *k = arg;

	return printk_formats_find(k->session->strings, addr);
}

static u32 number_of(const struct tp_field *f, const struct sample *s)
{
	u64 v;

	return f && s->raw && tp_field_int(f, s->raw, s->raw_size, &v) ? (u32)v : 0;
}

static void put_flags(const struct ftrace_text *k, const struct ftrace_event *e,
		      const struct sample *s, struct buf *out)
{
	u32 count = number_of(e->preempt_count, s);

	/* a sample is taken within the tracepoint, which the trace file does not count */
	if (k->preemptible && count & 0xf)
		count--;
	ftrace_text_flags(number_of(e->flags, s), count, out);
}

static void put_task(const struct session_sample *s, struct buf *out)
{
	u32 tid = s->sample->ids.tid, pid = s->sample->ids.pid;
	const char *comm = s->comm;
	size_t len, at;

	if (!tid)
		comm = "<idle>";
	else if (!s->thread || s->thread->comm == ID_NONE)
		comm = "<...>";
	len = strlen(comm);
	if (len < 16)
		buf_pad(out, ' ', 16 - len);
	buf_add(out, comm, len);
	buf_addc(out, '-');
	at = out->len;
	buf_sdec(out, (s32)tid, 0);
	if (out->len - at < 7)
		buf_pad(out, ' ', 7 - (out->len - at));
	if (tid && pid) {
		buf_adds(out, " (");
		buf_sdec(out, (s32)pid, 7);
		buf_adds(out, ") ");
	} else {
		buf_adds(out, " (-------) ");
	}
}

/* All before the text. */
static void put_start(const struct ftrace_text *k, const struct session_sample *s, struct buf *out)
{
	/* the kernel rounds to microseconds, and does not cut */
	u64 us = (time_text_next(k->time, s->sample->ids.time) + 500) / 1000;

	put_task(s, out);
	selected_fields_cpu(s->sample->ids.cpu, out);
	buf_addc(out, ' ');
	put_flags(k, &k->events[s->event], s->sample, out);
	buf_addc(out, ' ');
	buf_dec(out, us / 1000000, 5);
	buf_addc(out, '.');
	buf_dec0(out, us % 1000000, 6);
	buf_adds(out, ": ");
}

/* "sys_openat(dfd: 0xffffff9c, filename: 0x55ad1d458870, flags: 0)", whatever the print fmt says. */
static void put_call(const struct ftrace_text *k, u32 event, const struct sample *s,
		     struct buf *out)
{
	const struct ftrace_event *e = &k->events[event];
	const struct tp_format *format = k->session->formats[event];
	const struct tp_field *f = e->number, *end = format->fields + format->nr_fields;
	const char *separator = "";
	u64 v;

	buf_addf(out, "sys_%s(", e->name);
	for (; f && f < end; f++) {
		if (!tp_field_int(f, s->raw, s->raw_size, &v))
			break;
		buf_addf(out, v < 10 ? "%s%s: %llu" : "%s%s: 0x%llx", separator, f->name,
			 (unsigned long long)v);
		separator = ", ";
	}
	buf_addc(out, ')');
}

static void put_text(const struct ftrace_text *k, const struct session_sample *s, struct buf *out)
{
	const struct ftrace_event *e = &k->events[s->event];
	const struct tp_run run = {
		.raw = s->sample->raw,
		.len = s->sample->raw_size,
		.arg = (void *)k,
		.symbol = put_symbol,
		.string = find_string,
		.bare_pointers = true,
	};
	u64 v;

	if (s->sample->raw && e->kind == FTRACE_ENTER) {
		put_call(k, s->event, s->sample, out);
		return;
	}
	if (s->sample->raw && e->kind == FTRACE_EXIT) {
		if (!tp_field_int(e->number, s->sample->raw, s->sample->raw_size, &v))
			v = 0;
		buf_addf(out, "sys_%s -> 0x%llx", e->name, (unsigned long long)v);
		return;
	}
	buf_adds(out, e->name);
	buf_adds(out, ": ");
	if (trace_text_has(&k->trace, s))
		tp_prog_run(k->trace.programs[s->event], &run, out);
}

/* The halves of a call chain are stack traces of their own, each with a line as events have. */
static bool put_chain(struct ftrace_text *k, const struct session_sample *s, struct buf *out)
{
	static const char *const titles[] = {
		[FRAME_USER] = "<user stack trace>\n", [FRAME_KERNEL] = "<stack trace>\n"};
	const struct symboliser *r = k->session->symboliser;
	const struct frame *f;
	u8 kind = FRAME_OTHER;
	u32 i;

	if (!symboliser_chain(k->session->symboliser, s->thread, s->sample, &k->chain))
		return false;
	for (i = 0; i < k->chain.nr; i++) {
		f = &r->frames.v[k->chain.v[i]];
		if (f->kind != kind && f->kind != FRAME_OTHER) {
			kind = f->kind;
			put_start(k, s, out);
			buf_adds(out, titles[kind]);
		}
		buf_adds(out, " => ");
		if (f->kind == FRAME_USER && f->dso != ID_NONE) {
			frame_text_dso(r->model, f, true, out);
		} else if (f->kind == FRAME_KERNEL && f->symbol) {
			frame_text_symbol(f, false, out);
		} else {
			buf_addf(out, "<%016llx>", (unsigned long long)f->ip);
		}
		buf_addc(out, '\n');
	}
	return true;
}

static int ftrace_sample(struct sink *sink, const struct session_sample *s, struct buf *out,
			 struct err *err)
{
	struct ftrace_text *k = (struct ftrace_text *)sink;

	if (!k->begun)
		buf_adds(out, header);
	k->begun = true;
	put_start(k, s, out);
	put_text(k, s, out);
	buf_addc(out, '\n');
	if (s->desc->layout.has & PERF_SAMPLE_CALLCHAIN && s->sample->chain_nr &&
	    !put_chain(k, s, out))
		return err_nomem(err);
	return out->failed ? err_nomem(err) : 0;
}

static int ftrace_end(struct sink *sink, struct buf *out, struct err *err)
{
	struct ftrace_text *k = (struct ftrace_text *)sink;

	if (!k->begun)
		buf_adds(out, header);
	k->begun = true;
	return out->failed ? err_nomem(err) : 0;
}

static void ftrace_free(struct sink *sink)
{
	struct ftrace_text *k = (struct ftrace_text *)sink;

	free(k->events);
	vec_free(&k->chain);
}

/* What follows the number of a system call. */
static const struct tp_field *behind_number(const struct tp_format *f)
{
	const struct tp_field *nr = tp_format_field(f, "__syscall_nr");

	return nr && nr + 1 < f->fields + f->nr_fields ? nr + 1 : NULL;
}

static void look_at_event(struct ftrace_event *e, const char *name, const struct tp_format *f)
{
	const char *colon = strchr(name, ':');

	e->name = name;
	if (!f)
		return;
	e->name = colon ? colon + 1 : name;
	e->flags = tp_format_field(f, "common_flags");
	e->preempt_count = tp_format_field(f, "common_preempt_count");
	if (!tp_format_field(f, "__syscall_nr") || tp_format_field(f, "common_unread"))
		return;
	e->number = behind_number(f);
	if (!strncmp(e->name, "sys_enter_", 10)) {
		e->kind = FTRACE_ENTER;
		e->name += strlen("sys_enter_");
	} else if (!strncmp(e->name, "sys_exit_", 9) && e->number) {
		e->kind = FTRACE_EXIT;
		e->name += strlen("sys_exit_");
	}
}

/* Of an unknown kernel: those of distributions have been so for years. */
static bool is_preemptible(const struct recording *r)
{
	const char *version = recording_fact(r, "kernel_version");

	return !version || strstr(version, "PREEMPT");
}

int ftrace_text_init(struct ftrace_text *k, struct session *s, struct time_text *time,
		     struct err *err)
{
	static const struct sink_ops ops = {
		.sample = ftrace_sample, .end = ftrace_end, .free = ftrace_free};
	const struct event_set *events = &s->source->recording->events;
	u32 i;

	*k = (struct ftrace_text){
		.sink.ops = &ops,
		.session = s,
		.time = time,
		.trace = {.symboliser = s->symboliser,
			  .programs = s->programs,
			  .strings = s->strings},
		.preemptible = is_preemptible(s->source->recording),
	};
	k->events = calloc(events->events.nr + 1, sizeof(*k->events));
	if (!k->events)
		return err_nomem(err);
	for (i = 0; i < events->events.nr; i++)
		look_at_event(&k->events[i], events->events.v[i].name, s->formats[i]);
	return 0;
}
