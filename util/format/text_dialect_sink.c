// SPDX-License-Identifier: GPL-2.0
#include "util/format/text_dialect.h"

#include <stdlib.h>
#include <string.h>

#include "util/profile/symboliser.h"

#define NSEC 1000000000ull

static void put_comm(struct text_dialect_sink *k, const struct session_sample *s, struct buf *out)
{
	u32 id = s->thread ? s->thread->comm : ID_NONE;

	/* most samples have the command of the one before */
	if (id == ID_NONE || id != k->comm_id) {
		buf_clear(&k->comm);
		text_dialect_comm(&k->text_dialect, s->comm, &k->comm);
		k->comm_id = id;
		out->failed |= k->comm.failed;
	}
	buf_add(out, buf_str(&k->comm), k->comm.len);
}

static void put_id(u32 id, struct buf *out)
{
	/* of a task that has ended the kernel says -1, which is no number to those who read this */
	buf_dec(out, id == ID_NONE ? 0 : id, 0);
}

static void put_header(struct text_dialect_sink *k, const struct session_sample *s, struct buf *out)
{
	const struct rec_ids *ids = &s->sample->ids;

	put_comm(k, s, out);
	buf_addc(out, ' ');
	put_id(ids->pid, out);
	buf_addc(out, '/');
	put_id(ids->tid, out);
	buf_addc(out, ' ');
	if (ids->cpu != ID_NONE && s->desc->layout.has & PERF_SAMPLE_CPU) {
		buf_addc(out, '[');
		buf_dec0(out, ids->cpu, 3);
		buf_adds(out, "] ");
	}
	buf_dec(out, ids->time / NSEC, 5);
	buf_addc(out, '.');
	buf_dec0(out, ids->time % NSEC / 1000, 6);
	buf_adds(out, ": ");
	buf_dec(out, s->sample->period ? s->sample->period : 1, 10);
	buf_addc(out, ' ');
	buf_add(out, buf_str(&k->event), k->event.len);
	buf_adds(out, ": \n");
}

static void put_trace(struct text_dialect_sink *k, const struct session_sample *s, struct buf *out)
{
	size_t i;

	if (!k->text_dialect.trace_line || !trace_text_has(&k->trace, s))
		return;
	buf_adds(out, "# trace: ");
	i = out->len;
	trace_text_put(&k->trace, s, out);
	/* a dump of bytes has several lines */
	for (; i < out->len; i++)
		if (out->data[i] == '\n')
			out->data[i] = ' ';
	buf_addc(out, '\n');
}

static void put_dso(struct text_dialect_sink *k, u32 id, struct buf *out)
{
	const struct dso *d = id == ID_NONE ? NULL : &k->trace.symboliser->model->dsos.v[id];
	size_t at;

	buf_adds(out, " (");
	at = out->len;
	if (d)
		text_dialect_dso(d->name, out);
	else
		buf_adds(out, "[unknown]");
	if (d && d->kind == DSO_MODULE && k->text_dialect.modules_ko && !out->failed &&
	    out->len > at + 2 && out->data[at] == '[' && out->data[out->len - 1] == ']') {
		memmove(out->data + at, out->data + at + 1, out->len - at - 2);
		out->len -= 2;
		buf_adds(out, ".ko");
	}
	buf_adds(out, ")\n");
}

static void put_frame(struct text_dialect_sink *k, const struct frame *f, const char *symbol,
		      struct buf *out)
{
	buf_addc(out, '\t');
	buf_hex(out, f->ip, 16);
	buf_addc(out, ' ');
	text_dialect_symbol(&k->text_dialect, symbol ? symbol : "[unknown]", out);
	if (symbol && k->text_dialect.offsets) {
		buf_adds(out, "+0x");
		buf_hex(out, f->offset, 0);
	}
	put_dso(k, f->dso, out);
}

/* False when memory is out. */
static bool make_lines(struct text_dialect_sink *k, u32 frame, bool inlines)
{
	struct symboliser *r = k->trace.symboliser;
	const struct place *p;
	const struct frame *f;
	u32 i;

	if (inlines && !symboliser_places(r, frame))
		return false;
	f = &r->frames.v[frame];
	for (i = 0; inlines && f->symbol && i + 1 < f->nr_places; i++) {
		p = &r->places.v[f->place + i];
		put_frame(k, f, p->function ? p->function : "[unknown]", &k->lines);
	}
	put_frame(k, f, f->symbol, &k->lines);
	return !k->lines.failed;
}

/* False when memory is out. */
static bool put_lines(struct text_dialect_sink *k, u32 frame, bool inlines, struct buf *out)
{
	u32 at = frame * 2 + inlines;
	struct text_dialect_lines *ref;
	size_t from;

	while (k->refs.nr <= at)
		if (!vec_push(&k->refs))
			return false;
	ref = &k->refs.v[at];
	if (!ref->len) {
		from = k->lines.len;
		if (!make_lines(k, frame, inlines))
			return false;
		ref->at = from;
		ref->len = (u32)(k->lines.len - from);
	}
	buf_add(out, k->lines.data + ref->at, ref->len);
	return true;
}

static void put_field(struct text_dialect_sink *k, const struct session_sample *s, struct buf *out)
{
	buf_clear(&k->scratch);
	if (!stack_field_put(k->field, s, &k->scratch))
		return;
	buf_adds(out, "\t               0 ");
	text_dialect_symbol(&k->text_dialect, buf_str(&k->scratch), out);
	buf_adds(out, " ([");
	buf_add(out, buf_str(&k->event), k->event.len);
	buf_adds(out, "])\n");
	out->failed |= k->scratch.failed;
}

/* A sample without a call chain shows where it was, so that its stack is not empty. */
static bool put_place(struct text_dialect_sink *k, const struct session_sample *s, struct buf *out)
{
	u16 cpumode = s->sample->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	u32 id;

	if (!(s->sample->ids.has & PERF_SAMPLE_IP)) {
		buf_adds(out, "\t               0 [unknown] ([unknown])\n");
		return true;
	}
	id = symboliser_address(k->trace.symboliser, s->thread, cpumode, s->sample->ip);
	return id != ID_NONE && put_lines(k, id, k->chain.inlines, out);
}

static int text_dialect_sink_sample(struct sink *sink, const struct session_sample *s,
				    struct buf *out, struct err *err)
{
	struct text_dialect_sink *k = (struct text_dialect_sink *)sink;
	bool ok;
	u32 i;

	put_header(k, s, out);
	put_trace(k, s, out);
	if (k->field)
		put_field(k, s, out);
	ok = symboliser_chain(k->trace.symboliser, s->thread, s->sample, &k->chain);
	for (i = 0; ok && i < k->chain.nr; i++)
		ok = put_lines(k, k->chain.v[i], k->chain.inlines, out);
	if (ok && !k->chain.nr)
		ok = put_place(k, s, out);
	buf_addc(out, '\n');
	return ok && !out->failed ? 0 : err_nomem(err);
}

static int text_dialect_sink_end(struct sink *sink, struct buf *out, struct err *err)
{
	(void)sink;
	(void)out;
	(void)err;
	return 0;
}

static void text_dialect_sink_free(struct sink *sink)
{
	struct text_dialect_sink *k = (struct text_dialect_sink *)sink;

	vec_free(&k->chain);
	vec_free(&k->refs);
	buf_free(&k->event);
	buf_free(&k->comm);
	buf_free(&k->lines);
	buf_free(&k->scratch);
}

int text_dialect_sink_init(struct text_dialect_sink *k, const struct text_dialect *text_dialect,
			   const struct trace_text *trace, const struct stack_field *field,
			   const char *event, struct err *err)
{
	static const struct sink_ops ops = {
		.sample = text_dialect_sink_sample,
		.end = text_dialect_sink_end,
		.free = text_dialect_sink_free,
	};

	*k = (struct text_dialect_sink){
		.sink.ops = &ops,
		.text_dialect = *text_dialect,
		.trace = *trace,
		.field = field,
		.comm_id = ID_NONE,
	};
	text_dialect_event(event, &k->event);
	return k->event.failed ? err_nomem(err) : 0;
}
