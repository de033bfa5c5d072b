// SPDX-License-Identifier: GPL-2.0
#include "util/format/json_sink.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/json.h"
#include "util/base/text.h"
#include "util/profile/symboliser.h"
#include "util/profile/task_names.h"
#include "util/tracepoint/tp_prog.h"

static bool has(const struct json_sink *k, const struct event_desc *e, enum field f)
{
	return fields_has(&k->fields, &e->attr, f);
}

static void put_comm(struct json_sink *k, const struct session_sample *s, struct buf *out)
{
	u32 id = s->thread ? s->thread->comm : ID_NONE;

	/* most samples have the command of the one before */
	if (id == ID_NONE || id != k->comm_id) {
		buf_clear(&k->comm);
		json_name(&k->comm, s->comm, strlen(s->comm));
		k->comm_id = id;
		out->failed |= k->comm.failed;
	}
	json_key(out, "comm");
	buf_add(out, buf_str(&k->comm), k->comm.len);
}

static void put_time(struct json_sink *k, u64 time, struct buf *out)
{
	struct time_text *t = k->options.time;
	u64 ns = time_text_next(t, time);

	if (time_form_is_span(t->form))
		json_put_signed(out, "time", (s64)ns);
	else
		json_put_unsigned(out, "time", ns);
	if (!time_form_is_date(t->form))
		return;
	json_key(out, "date");
	buf_addc(out, '"');
	time_text_put_rfc3339(t, ns, out);
	buf_addc(out, '"');
}

static const char *mode_name(u16 misc)
{
	switch (misc & PERF_RECORD_MISC_CPUMODE_MASK) {
	case PERF_RECORD_MISC_KERNEL:
		return "kernel";
	case PERF_RECORD_MISC_USER:
		return "user";
	case PERF_RECORD_MISC_HYPERVISOR:
		return "hypervisor";
	case PERF_RECORD_MISC_GUEST_KERNEL:
		return "guest kernel";
	case PERF_RECORD_MISC_GUEST_USER:
		return "guest user";
	default:
		return "unknown";
	}
}

static void put_start(struct json_sink *k, const struct session_sample *s, struct buf *out)
{
	const struct rec_ids *ids = &s->sample->ids;
	const struct event_desc *e = s->desc;
	const char *mode;

	if (has(k, e, FIELD_EVENT)) {
		json_key(out, "event");
		buf_add(out, k->names[s->event].data, k->names[s->event].len);
	}
	if (has(k, e, FIELD_COMM) && ids->tid != ID_NONE)
		put_comm(k, s, out);
	if (has(k, e, FIELD_PID) && ids->pid != ID_NONE)
		json_put_unsigned(out, "pid", ids->pid);
	if (has(k, e, FIELD_TID) && ids->tid != ID_NONE)
		json_put_unsigned(out, "tid", ids->tid);
	if (has(k, e, FIELD_CPU) && ids->cpu != ID_NONE)
		json_put_unsigned(out, "cpu", ids->cpu);
	if (has(k, e, FIELD_TIME))
		put_time(k, ids->time, out);
	if (has(k, e, FIELD_TOD))
		json_put_unsigned(out, "wall_time", time_text_day(k->options.time, ids->time));
	if (has(k, e, FIELD_PERIOD))
		json_put_unsigned(out, "period", s->sample->period);
	if (has(k, e, FIELD_MISC)) {
		mode = mode_name(s->sample->misc);
		json_put_string(out, "mode", mode);
	}
}

static void put_source(struct json_sink *k, const struct place *p, struct buf *out)
{
	if (!p || !p->file)
		return;
	json_put_name(out, "file", k->options.full_paths ? p->file : text_base_name(p->file));
	if (p->line)
		json_put_unsigned(out, "line", p->line);
}

/* The members of a frame's object. `inlined`: the function that was inlined there, or NULL. */
static void put_frame(struct json_sink *k, const struct event_desc *e, const struct frame *f,
		      const struct place *inlined, const struct place *p, struct buf *out)
{
	const char *symbol = inlined ? inlined->function : f->symbol;

	json_put_address(out, "ip", f->ip);
	if (has(k, e, FIELD_SYM) && symbol) {
		json_put_name(out, "symbol", symbol);
		if (has(k, e, FIELD_SYMOFF) && !inlined)
			json_put_unsigned(out, "offset", f->offset);
	}
	if (f->dso != ID_NONE && (has(k, e, FIELD_DSO) || has(k, e, FIELD_DSOFF))) {
		json_put_name(out, "dso", k->trace.symboliser->model->dsos.v[f->dso].name);
		if (has(k, e, FIELD_DSOFF))
			json_put_address(out, "dso_offset", f->addr);
	}
	if (has(k, e, FIELD_SRCLINE))
		put_source(k, inlined ? inlined : p, out);
	if (inlined)
		json_put_bool(out, "inlined", true);
}

/* False when memory is out. */
static bool make_frame(struct json_sink *k, const struct event_desc *e, u32 frame, bool inlines)
{
	bool srcline = has(k, e, FIELD_SRCLINE);
	const struct place *p = NULL;
	struct buf *b = &k->lines;
	const struct frame *f;
	u32 i, nr = 0;

	if ((inlines || srcline) && !symboliser_places(k->trace.symboliser, frame))
		return false;
	f = &k->trace.symboliser->frames.v[frame];
	if (f->place != ID_NONE && f->nr_places) {
		p = &k->trace.symboliser->places.v[f->place];
		/* what has no name shows none of what is in it */
		nr = inlines && f->symbol ? f->nr_places - 1 : 0;
	}
	for (i = 0; i < nr; i++) {
		buf_addc(b, '{');
		put_frame(k, e, f, p++, NULL, b);
		buf_adds(b, "},");
	}
	buf_addc(b, '{');
	put_frame(k, e, f, NULL, p, b);
	buf_addc(b, '}');
	return !b->failed;
}

/* The object of a frame, with those of what was inlined before it; from the table. */
static const struct json_frame *find_frame(struct json_sink *k, const struct event_desc *e,
					   u32 frame, bool inlines)
{
	u64 at = ((u64)frame * FIELD_TYPE_COUNT + field_type(&e->attr)) * 2 + inlines;
	struct json_frame *ref;
	size_t from;

	if (k->forgets != k->trace.symboliser->forgets) {
		k->forgets = k->trace.symboliser->forgets;
		k->frames.nr = 0;
		buf_clear(&k->lines);
	}
	while (k->frames.nr <= at)
		if (!vec_push(&k->frames))
			return NULL;
	ref = &k->frames.v[at];
	if (!ref->len) {
		from = k->lines.len;
		if (!make_frame(k, e, frame, inlines))
			return NULL;
		ref->at = from;
		ref->len = (u32)(k->lines.len - from);
	}
	return ref;
}

/* "ip" and what is known of it, as members of the sample. */
static bool put_ip(struct json_sink *k, const struct session_sample *s, struct buf *out)
{
	u16 cpumode = s->sample->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	const struct json_frame *f;
	u32 id;

	if (!(s->sample->ids.has & PERF_SAMPLE_IP) && !s->sample->ip)
		return true;
	id = symboliser_address(k->trace.symboliser, s->thread, cpumode, s->sample->ip);
	f = id == ID_NONE ? NULL : find_frame(k, s->desc, id, false);
	if (!f)
		return false;
	json_item(out);
	buf_add(out, k->lines.data + f->at + 1, f->len - 2);
	return true;
}

static void put_field(struct json_sink *k, const struct session_sample *s, struct buf *out)
{
	buf_clear(&k->scratch);
	if (!stack_field_put(k->field, s, &k->scratch))
		return;
	out->failed |= k->scratch.failed;
	buf_adds(out, "{\"symbol\":");
	json_string(out, buf_str(&k->scratch), k->scratch.len);
	buf_clear(&k->scratch);
	buf_addf(&k->scratch, "[%s]", s->desc->name);
	json_put_buf(out, "dso", &k->scratch);
	buf_addc(out, '}');
}

static bool with_chain(const struct json_sink *k, const struct event_desc *e)
{
	return k->fields.use_chains && e->layout.has & PERF_SAMPLE_CALLCHAIN;
}

static bool put_chain(struct json_sink *k, const struct session_sample *s, struct buf *out)
{
	const struct json_frame *f;
	u32 i;

	json_put_open(out, "callchain", '[');
	if (k->field)
		put_field(k, s, out);
	if (!symboliser_chain(k->trace.symboliser, s->thread, s->sample, &k->chain))
		return false;
	for (i = 0; i < k->chain.nr; i++) {
		f = find_frame(k, s->desc, k->chain.v[i], k->chain.inlines);
		if (!f)
			return false;
		json_item(out);
		buf_add(out, k->lines.data + f->at, f->len);
	}
	buf_addc(out, ']');
	return true;
}

static void put_trace(struct json_sink *k, const struct session_sample *s, struct buf *out)
{
	if (!k->options.only && trace_text_has(&k->trace, s)) {
		buf_clear(&k->scratch);
		trace_text_put(&k->trace, s, &k->scratch);
		json_put_buf(out, "trace", &k->scratch);
	}
	if (k->events[s->event].nr && s->sample->raw) {
		json_key(out, "fields");
		trace_fields_json(&k->events[s->event], &k->trace, s->sample, out);
	}
}

static void put_regs(const struct json_sink *k, const char *key, const struct sample_regs *r,
		     struct buf *out)
{
	const struct arch *a = k->trace.symboliser->arch;
	const u64 *v = r->reg;
	const char *name;
	char number[8] = "r";
	u32 i;

	if (!v)
		return;
	json_put_open(out, key, '{');
	json_put_unsigned(out, "abi", r->abi);
	for (i = 0; i < 64; i++) {
		if (!(r->mask >> i & 1))
			continue;
		name = a && i < a->nr_regs ? a->regs[i] : NULL;
		number[1] = (char)('0' + i / 10);
		number[2] = (char)('0' + i % 10);
		json_put_address(out, name ? name : number, *v++);
	}
	buf_addc(out, '}');
}

static void put_branches(const struct sample *s, struct buf *out)
{
	const struct perf_branch_entry *b;
	u64 i;

	json_put_open(out, "branches", '[');
	for (i = 0; i < s->branch_nr; i++) {
		b = &s->branch[i];
		json_open_item(out, '{');
		json_put_address(out, "from", b->from);
		json_put_address(out, "to", b->to);
		if (b->predicted || b->mispred)
			json_put_bool(out, "predicted", b->predicted);
		json_put_bool(out, "in_transaction", b->in_tx);
		json_put_bool(out, "abort", b->abort);
		json_put_unsigned(out, "cycles", b->cycles);
		buf_addc(out, '}');
	}
	buf_addc(out, ']');
}

static void put_bpf_output(const struct sample *s, struct buf *out)
{
	u32 i;

	json_put_open(out, "data", '[');
	for (i = 0; i < s->raw_size; i++) {
		json_item(out);
		json_unsigned(out, s->raw[i]);
	}
	buf_addc(out, ']');
}

/* The number of a control group, and its path where it is known. */
static void put_cgroup(struct json_sink *k, u64 id, struct buf *out)
{
	const char *path;
	size_t len;

	json_put_unsigned(out, "cgroup_id", id);
	path = cgroup_names_find(k->session->cgroups, id, &len);
	if (!path)
		return;
	json_key(out, "cgroup");
	json_name(out, path, len);
}

static bool has_branches(const struct json_sink *k, const struct event_desc *e)
{
	return e->layout.has & PERF_SAMPLE_BRANCH_STACK &&
	       (has(k, e, FIELD_BRSTACK) || has(k, e, FIELD_BRSTACKSYM) ||
		has(k, e, FIELD_BRSTACKOFF));
}

/* The fields that are rare. */
static void put_rest(struct json_sink *k, const struct session_sample *s, struct buf *out)
{
	const struct event_desc *e = s->desc;
	const struct sample *v = s->sample;
	bool parts = e->layout.has & PERF_SAMPLE_WEIGHT_STRUCT;

	if (has(k, e, FIELD_ADDR))
		json_put_address(out, "addr", v->addr);
	if (has(k, e, FIELD_DATA_SRC))
		json_put_address(out, "data_src", v->data_src);
	if (has(k, e, FIELD_WEIGHT))
		json_put_unsigned(out, "weight", parts ? (u32)v->weight : v->weight);
	if (has(k, e, FIELD_INS_LAT))
		json_put_unsigned(out, "ins_lat", (u16)(v->weight >> 32));
	if (has(k, e, FIELD_RETIRE_LAT))
		json_put_unsigned(out, "retire_lat", (u16)(v->weight >> 48));
	if (has(k, e, FIELD_PHYS_ADDR))
		json_put_address(out, "phys_addr", v->phys_addr);
	if (has(k, e, FIELD_DATA_PAGE_SIZE))
		json_put_unsigned(out, "data_page_size", v->data_page_size);
	if (has(k, e, FIELD_CODE_PAGE_SIZE))
		json_put_unsigned(out, "code_page_size", v->code_page_size);
	if (has(k, e, FIELD_CGROUP) && e->layout.has & PERF_SAMPLE_CGROUP)
		put_cgroup(k, v->cgroup, out);
	if (has(k, e, FIELD_IREGS))
		put_regs(k, "iregs", &v->regs_intr, out);
	if (has(k, e, FIELD_UREGS))
		put_regs(k, "uregs", &v->regs_user, out);
	if (has_branches(k, e))
		put_branches(v, out);
	if (has(k, e, FIELD_BPF_OUTPUT) && e->attr.type == PERF_TYPE_SOFTWARE &&
	    e->attr.config == PERF_COUNT_SW_BPF_OUTPUT)
		put_bpf_output(v, out);
}

static int json_sample(struct sink *sink, const struct session_sample *s, struct buf *out,
		       struct err *err)
{
	struct json_sink *k = (struct json_sink *)sink;
	const struct event_desc *e = s->desc;

	if (!k->fields.on[field_type(&e->attr)])
		return 0;
	json_open(out, '{');
	put_start(k, s, out);
	if (has(k, e, FIELD_IP)) {
		if (!put_ip(k, s, out))
			return err_nomem(err);
		if ((with_chain(k, e) || k->field) && !put_chain(k, s, out))
			return err_nomem(err);
	}
	if (has(k, e, FIELD_TRACE))
		put_trace(k, s, out);
	put_rest(k, s, out);
	buf_adds(out, "}\n");
	return out->failed ? err_nomem(err) : 0;
}

static int json_end(struct sink *sink, struct buf *out, struct err *err)
{
	(void)sink;
	(void)out;
	(void)err;
	return 0;
}

static void json_free(struct sink *sink)
{
	struct json_sink *k = (struct json_sink *)sink;
	u32 i;

	for (i = 0; i < k->nr_events; i++) {
		if (k->events)
			trace_fields_free(&k->events[i]);
		if (k->names)
			buf_free(&k->names[i]);
	}
	free(k->events);
	free(k->names);
	vec_free(&k->chain);
	vec_free(&k->frames);
	buf_free(&k->comm);
	buf_free(&k->lines);
	buf_free(&k->scratch);
}

/* A member of an object. */
static int json_stack(struct sink *sink, const struct session_sample *s, struct buf *out,
		      struct err *err)
{
	struct json_sink *k = (struct json_sink *)sink;

	if (with_chain(k, s->desc) && !put_chain(k, s, out))
		return err_nomem(err);
	return 0;
}

u64 json_sink_fields(void)
{
	return FIELD_BIT(FIELD_PID) | FIELD_BIT(FIELD_PERIOD) | FIELD_BIT(FIELD_IP) |
	       FIELD_BIT(FIELD_SYM) | FIELD_BIT(FIELD_SYMOFF) | FIELD_BIT(FIELD_DSO) |
	       FIELD_BIT(FIELD_ADDR) | FIELD_BIT(FIELD_DATA_SRC) | FIELD_BIT(FIELD_WEIGHT) |
	       FIELD_BIT(FIELD_INS_LAT) | FIELD_BIT(FIELD_PHYS_ADDR) |
	       FIELD_BIT(FIELD_DATA_PAGE_SIZE) | FIELD_BIT(FIELD_CODE_PAGE_SIZE) |
	       FIELD_BIT(FIELD_BRSTACK);
}

int json_sink_init(struct json_sink *k, const struct json_options *o, const struct fields *fields,
		   const struct session *s, const struct trace_text *trace,
		   const struct stack_field *field, struct err *err)
{
	static const struct sink_ops ops = {
		.sample = json_sample,
		.end = json_end,
		.free = json_free,
		.stack = json_stack,
	};
	const struct event_set *events = &s->source->recording->events;
	const struct tp_opts opts = session_tp_opts(s);
	u32 i;

	*k = (struct json_sink){
		.sink.ops = &ops,
		.options = *o,
		.fields = *fields,
		.session = s,
		.trace = *trace,
		.field = field,
		.nr_events = events->events.nr,
		.comm_id = ID_NONE,
	};
	k->events = calloc(k->nr_events + 1, sizeof(*k->events));
	k->names = calloc(k->nr_events + 1, sizeof(*k->names));
	if (!k->events || !k->names)
		return err_nomem(err);
	for (i = 0; i < k->nr_events; i++) {
		json_name(&k->names[i], events->events.v[i].name, strlen(events->events.v[i].name));
		if (k->names[i].failed)
			return err_nomem(err);
		if (o->only ? selected_fields_add(o->only, i, &k->events[i], err)
			    : trace_fields_init(&k->events[i], s->formats[i], &opts, err))
			return -ENOMEM;
	}
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

void json_sink_losses(const struct session *s, struct buf *out)
{
	const struct recording *r = s->source->recording;
	struct loss rest = {.cause = LOSS_RING, .cpu = ID_NONE, .event = ID_NONE};
	u32 i;

	for (i = 0; i < r->losses.nr; i++)
		if (session_wants_loss(s, ID_NONE, &r->losses.v[i]))
			put_loss(s, &r->losses.v[i], out);
	/* of what else is missing only the number is known */
	rest.count = session_lost_unlisted(s);
	if (rest.count)
		put_loss(s, &rest, out);
}
