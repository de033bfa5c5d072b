// SPDX-License-Identifier: GPL-2.0
#include "util/format/script_text.h"

#include "util/base/text.h"
#include "util/format/sideband_text.h"
#include "util/profile/frame_text.h"

static bool has(const struct script_text *k, const struct event_desc *e, enum field f)
{
	return fields_has(&k->fields, &e->attr, f);
}

static bool with_chain(const struct script_text *k, const struct event_desc *e)
{
	return k->fields.use_chains && e->layout.has & PERF_SAMPLE_CALLCHAIN && has(k, e, FIELD_IP);
}

static void put_comm(const struct script_text *k, const struct session_sample *s, struct buf *out)
{
	size_t len = strlen(s->comm), width = with_chain(k, s->desc) ? 0 : 16, shown;

	/* perf cuts */
	if (k->options.latency && k->options.byte_widths) {
		width = 8;
		len = MIN(len, width);
	}
	shown = k->options.byte_widths ? len : text_width(s->comm, len);
	if (shown < width)
		buf_pad(out, ' ', width - shown);
	buf_add(out, s->comm, len);
	buf_addc(out, ' ');
}

static void put_ids(const struct script_text *k, const struct session_sample *s, struct buf *out)
{
	const struct rec_ids *ids = &s->sample->ids;
	unsigned int width = k->options.narrow_ids ? 5 : 7;
	bool pid = has(k, s->desc, FIELD_PID), tid = has(k, s->desc, FIELD_TID);
	size_t at;

	if (pid && tid) {
		buf_sdec(out, (s32)ids->pid, width);
		buf_addc(out, '/');
		at = out->len;
		buf_sdec(out, (s32)ids->tid, 0);
		if (out->len - at < width)
			buf_pad(out, ' ', width - (out->len - at));
		buf_addc(out, ' ');
	} else if (pid || tid) {
		buf_sdec(out, (s32)(pid ? ids->pid : ids->tid), width);
		buf_addc(out, ' ');
	}
}

static void put_misc(u16 misc, u32 type, struct buf *out)
{
	static const struct {
		u16 bits;
		char letter;
	} modes[] = {
		{PERF_RECORD_MISC_KERNEL, 'K'},     {PERF_RECORD_MISC_USER, 'U'},
		{PERF_RECORD_MISC_HYPERVISOR, 'H'}, {PERF_RECORD_MISC_GUEST_KERNEL, 'G'},
		{PERF_RECORD_MISC_GUEST_USER, 'g'},
	};
	size_t at = out->len, i;

	for (i = 0; i < ARRAY_SIZE(modes); i++)
		if ((misc & modes[i].bits) == modes[i].bits)
			buf_addc(out, modes[i].letter);
	if ((type == PERF_RECORD_MMAP || type == PERF_RECORD_MMAP2) &&
	    misc & PERF_RECORD_MISC_MMAP_DATA)
		buf_addc(out, 'M');
	if (type == PERF_RECORD_COMM && misc & PERF_RECORD_MISC_COMM_EXEC)
		buf_addc(out, 'E');
	if ((type == PERF_RECORD_SWITCH || type == PERF_RECORD_SWITCH_CPU_WIDE) &&
	    misc & PERF_RECORD_MISC_SWITCH_OUT)
		buf_adds(out, misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? "Sp" : "S");
	buf_pad(out, ' ', 6 - (out->len - at));
}

static void put_time(const struct script_text *k, u64 time, struct buf *out)
{
	struct time_text *t = k->options.time;

	time_text_put(t, time_text_next(t, time), out);
	buf_adds(out, ": ");
}

/* The time of day, of the zone that TZ names. */
static void put_wall_time(const struct script_text *k, u64 time, struct buf *out)
{
	struct time_text *t = k->options.time;

	time_text_put_day(t, time_text_day(t, time), ' ', out);
	buf_addc(out, ' ');
}

static void put_cpu(const struct script_text *k, u32 cpu, struct buf *out)
{
	if (cpu == ID_NONE && k->options.minus_cpu)
		buf_adds(out, k->options.latency ? " -1" : "[-01]");
	else if (!k->options.latency)
		selected_fields_cpu(cpu, out);
	else if (cpu == ID_NONE)
		buf_adds(out, "  -");
	else
		buf_dec(out, cpu, 3);
	buf_addc(out, ' ');
}

/* The columns that all samples of a thread have. */
static void put_thread(struct script_text *k, const struct session_sample *s, struct buf *out)
{
	const struct rec_ids *ids = &s->sample->ids;
	u32 comm = s->thread ? s->thread->comm : ID_NONE;
	u64 who = (u64)ids->pid << 32 | ids->tid;
	u64 how = (u64)comm << 32 | (u32)field_type(&s->desc->attr) << 1 | with_chain(k, s->desc);
	size_t at = out->len;

	if (comm != ID_NONE && short_text_put(&k->threads, who, how, out))
		return;
	if (has(k, s->desc, FIELD_COMM))
		put_comm(k, s, out);
	put_ids(k, s, out);
	if (comm != ID_NONE && !out->failed)
		short_text_keep(&k->threads, who, how, out->data + at, out->len - at);
}

/* Make the columns of the events up to this one. */
static bool make_event_columns(struct script_text *k, u32 event)
{
	const char *name;
	size_t len;
	u32 *end;

	while (k->name_ends.nr <= event) {
		name = k->events->events.v[k->name_ends.nr].name;
		len = strlen(name);
		if (len < k->name_width)
			buf_pad(&k->names, ' ', k->name_width - len);
		text_escape(&k->names, name, len);
		buf_adds(&k->names, ": ");
		end = k->names.failed ? NULL : vec_push(&k->name_ends);
		if (!end)
			return false;
		*end = (u32)k->names.len;
	}
	return true;
}

static void put_event(struct script_text *k, u32 event, struct buf *out)
{
	u32 at;

	if (event >= k->name_ends.nr && !make_event_columns(k, event)) {
		out->failed = true;
		return;
	}
	at = event ? k->name_ends.v[event - 1] : 0;
	buf_add(out, k->names.data + at, k->name_ends.v[event] - at);
}

/* Who and when, which all records have. */
static void put_who(struct script_text *k, const struct session_sample *s, u32 type,
		    struct buf *out)
{
	const struct event_desc *e = s->desc;

	put_thread(k, s, out);
	if (has(k, e, FIELD_CPU))
		put_cpu(k, s->sample->ids.cpu, out);
	if (has(k, e, FIELD_MISC))
		put_misc(s->sample->misc, type, out);
	if (has(k, e, FIELD_TOD))
		put_wall_time(k, s->sample->ids.time, out);
	if (has(k, e, FIELD_TIME))
		put_time(k, s->sample->ids.time, out);
}

static void put_start(struct script_text *k, const struct session_sample *s, struct buf *out)
{
	const struct event_desc *e = s->desc;

	put_who(k, s, PERF_RECORD_SAMPLE, out);
	if (has(k, e, FIELD_PERIOD)) {
		buf_dec(out, s->sample->period, 10);
		buf_addc(out, ' ');
	}
	if (has(k, e, FIELD_EVENT))
		put_event(k, s->event, out);
	if (has(k, e, FIELD_FLAGS)) /* only samples that are made of hardware traces have any */
		buf_pad(out, ' ', 24);
}

/* What follows an address. */
static void put_frame_names(const struct script_text *k, const struct event_desc *e,
			    const struct frame *f, struct buf *out)
{
	if (has(k, e, FIELD_SYM)) {
		buf_addc(out, ' ');
		frame_text_symbol(f, has(k, e, FIELD_SYMOFF), out);
	}
	if (has(k, e, FIELD_DSO) || has(k, e, FIELD_DSOFF)) {
		buf_adds(out, " (");
		frame_text_dso(k->symboliser->model, f, has(k, e, FIELD_DSOFF), out);
		buf_addc(out, ')');
	}
}

/* "\n  hot.c:5"; where no file is known, "\n  libc.so.6[1bccb]". `place`: NULL: not known. */
static void put_line(const struct script_text *k, const struct frame *f, const struct place *place,
		     struct buf *out)
{
	const char *name;

	if (place && place->file) {
		name = k->options.full_paths ? place->file : text_base_name(place->file);
		buf_adds(out, "\n  ");
		text_escape(out, name, strlen(name));
		buf_addc(out, ':');
		buf_dec(out, place->line, 0);
	} else if (f->dso != ID_NONE) {
		name = text_base_name(k->symboliser->model->dsos.v[f->dso].name);
		buf_adds(out, "\n  ");
		text_escape(out, name, strlen(name));
		buf_addc(out, '[');
		buf_hex(out, f->addr, 0);
		buf_addc(out, ']');
	}
}

static void put_address_column(const struct script_text *k, const struct frame *f, struct buf *out)
{
	bool relative = k->options.map_relative && f->kind != FRAME_KERNEL;

	buf_addc(out, '\t');
	buf_hex(out, relative ? f->addr : f->ip, 16);
}

/* What was inlined has no address of its own: it shows that of the function that it is in. */
static void put_inlined(const struct script_text *k, const struct event_desc *e,
			const struct frame *f, const struct place *p, struct buf *out)
{
	struct frame inlined = *f;

	inlined.symbol = p->function;
	put_address_column(k, f, out);
	if (has(k, e, FIELD_SYM)) {
		buf_addc(out, ' ');
		frame_text_symbol(&inlined, has(k, e, FIELD_SYMOFF), out);
	}
	if (has(k, e, FIELD_SRCLINE))
		put_line(k, f, p, out);
	buf_adds(out, " (inlined)\n");
}

/* `p`: NULL: nothing is known of the line. */
static void put_own(const struct script_text *k, const struct event_desc *e, const struct frame *f,
		    const struct place *p, struct buf *out)
{
	put_address_column(k, f, out);
	put_frame_names(k, e, f, out);
	if (has(k, e, FIELD_SRCLINE))
		put_line(k, f, p, out);
	buf_addc(out, '\n');
}

/* Is it the symbol of the frame that this place is in? perf compares names only. */
static bool is_own(const struct script_text *k, const struct frame *f, const struct place *p,
		   bool last)
{
	if (!k->symboliser->options.dwarf_names)
		return last;
	return p->function && !strcmp(p->function, f->symbol);
}

/* False when memory is out. */
static bool make_lines(const struct script_text *k, const struct event_desc *e, u32 frame,
		       bool inlines, struct buf *out)
{
	const struct place *p = NULL;
	const struct frame *f;
	u32 nr = 0, i;

	if ((inlines || has(k, e, FIELD_SRCLINE)) && !symboliser_places(k->symboliser, frame))
		return false;
	f = &k->symboliser->frames.v[frame];
	if (f->place != ID_NONE && f->nr_places) {
		p = &k->symboliser->places.v[f->place];
		/* what has no name shows none of what is in it */
		nr = inlines && f->symbol ? f->nr_places : 0;
	}
	if (!nr)
		put_own(k, e, f, p, out);
	for (i = 0; i < nr; i++, p++) {
		if (is_own(k, f, p, i + 1 == nr))
			put_own(k, e, f, p, out);
		else
			put_inlined(k, e, f, p, out);
	}
	return !out->failed;
}

/*
 * The lines of a frame. They depend on the fields of the event's type and on whether inlined
 * functions are shown.
 */
static bool put_frame(struct script_text *k, const struct event_desc *e, u32 frame, bool inlines,
		      struct buf *out)
{
	u64 key = (((u64)frame + 1) << 4 | (u64)field_type(&e->attr) << 1 | inlines) ^
		  (u64)k->symboliser->forgets << 40;
	size_t at = out->len;
	const char *known;
	u32 len;

	known = text_cache_find(&k->lines, key, &len);
	if (known) {
		buf_add(out, known, len);
		return true;
	}
	if (!make_lines(k, e, frame, inlines, out))
		return false;
	text_cache_keep(&k->lines, key, out->data + at, out->len - at);
	return true;
}

static int put_frames(struct script_text *k, const struct session_sample *s, struct buf *out,
		      struct err *err)
{
	u64 key = s->stack ? (u64)field_type(&s->desc->attr) << 32 | s->stack : 0;
	const char *known;
	size_t at;
	u32 len, i;

	known = text_cache_find(&k->stacks, key, &len);
	if (known) {
		buf_add(out, known, len);
		return 0;
	}
	at = out->len;
	if (!symboliser_chain(k->symboliser, s->thread, s->sample, &k->chain))
		return err_nomem(err);
	for (i = 0; i < k->chain.nr; i++)
		if (!put_frame(k, s->desc, k->chain.v[i], k->chain.inlines, out))
			return err_nomem(err);
	if (!out->failed)
		text_cache_keep(&k->stacks, key, out->data + at, out->len - at);
	return 0;
}

static int put_chain(struct script_text *k, const struct session_sample *s, struct buf *out,
		     struct err *err)
{
	buf_addc(out, '\n');
	return put_frames(k, s, out, err);
}

static int put_ip(struct script_text *k, const struct session_sample *s, struct buf *out,
		  struct err *err)
{
	u16 cpumode = s->sample->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	const struct frame *f;
	u32 id;

	/* a sample without any frame still shows where it was, as one frame or in the line */
	if (with_chain(k, s->desc))
		return put_chain(k, s, out, err);
	buf_addc(out, ' ');
	buf_hex(out, s->sample->ip, 16);
	id = symboliser_address(k->symboliser, s->thread, cpumode, s->sample->ip);
	if (id == ID_NONE)
		return err_nomem(err);
	put_frame_names(k, s->desc, &k->symboliser->frames.v[id], out);
	if (!has(k, s->desc, FIELD_SRCLINE))
		return 0;
	if (!symboliser_places(k->symboliser, id))
		return err_nomem(err);
	f = &k->symboliser->frames.v[id];
	put_line(k, f, f->nr_places ? &k->symboliser->places.v[f->place] : NULL, out);
	return 0;
}

/* Does the address of such samples point at what symbols can name? */
static bool address_has_symbol(const struct script_text *k, const struct perf_event_attr *attr)
{
	if (attr->type == PERF_TYPE_BREAKPOINT)
		return !k->options.bare_watch;
	return attr->type == PERF_TYPE_SOFTWARE && (attr->config == PERF_COUNT_SW_PAGE_FAULTS ||
						    attr->config == PERF_COUNT_SW_PAGE_FAULTS_MIN ||
						    attr->config == PERF_COUNT_SW_PAGE_FAULTS_MAJ);
}

static int put_address(struct script_text *k, const struct session_sample *s, struct buf *out,
		       struct err *err)
{
	/* where the data is, is not where the code is */
	u16 cpumode = s->sample->addr >> 63 ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
	u32 id;

	buf_hex(out, s->sample->addr, 16);
	if (!address_has_symbol(k, &s->desc->attr))
		return 0;
	id = symboliser_address(k->symboliser, s->thread, cpumode, s->sample->addr);
	if (id == ID_NONE)
		return err_nomem(err);
	put_frame_names(k, s->desc, &k->symboliser->frames.v[id], out);
	return 0;
}

/* The line that was chosen, and the frames below it. */
static int put_selected(struct script_text *k, const struct session_sample *s, struct buf *out,
			struct err *err)
{
	int ret;

	if (!selected_fields_put(k->options.only, &k->trace, k->options.time, s, out))
		return err_nomem(err);
	if (with_chain(k, s->desc)) {
		ret = put_chain(k, s, out, err);
		if (ret)
			return ret;
	}
	buf_addc(out, '\n');
	return out->failed ? err_nomem(err) : 0;
}

static int script_text_sample(struct sink *sink, const struct session_sample *s, struct buf *out,
			      struct err *err)
{
	struct script_text *k = (struct script_text *)sink;
	const struct event_desc *e = s->desc;
	u64 on = k->fields.on[field_type(&e->attr)];
	int ret;

	if (k->options.only)
		return put_selected(k, s, out, err);
	if (!on)
		return 0;
	put_start(k, s, out);
	if (has(k, e, FIELD_TRACE))
		trace_text_put(&k->trace, s, out);
	if (has(k, e, FIELD_ADDR)) {
		ret = put_address(k, s, out, err);
		if (ret)
			return ret;
	}
	if (on & RARE_BEFORE_IP)
		rare_fields_before_ip(&k->rare, on, s, out);
	if (has(k, e, FIELD_IP)) {
		ret = put_ip(k, s, out, err);
		if (ret)
			return ret;
	}
	if (on & RARE_BEHIND_IP) {
		ret = rare_fields_behind_ip(&k->rare, on, s, out, err);
		if (ret)
			return ret;
	}
	buf_addc(out, '\n');
	return out->failed ? err_nomem(err) : 0;
}

static int script_text_record(struct sink *sink, const struct session_record *r, struct buf *out,
			      struct err *err)
{
	struct script_text *k = (struct script_text *)sink;
	const struct sideband_symbols symbols = {trace_text_symbol, &k->trace};
	const struct sample sample = {.ids = r->ids, .misc = r->rec->misc};
	const struct session_sample s = {.sample = &sample, .desc = r->desc, .comm = r->comm};

	if (r->desc)
		put_who(k, &s, r->rec->type, out);
	sideband_text(r->rec, &symbols, out);
	return out->failed ? err_nomem(err) : 0;
}

static int script_text_end(struct sink *sink, struct buf *out, struct err *err)
{
	(void)sink;
	(void)out;
	(void)err;
	return 0;
}

static int script_text_stack(struct sink *sink, const struct session_sample *s, struct buf *out,
			     struct err *err)
{
	struct script_text *k = (struct script_text *)sink;

	return with_chain(k, s->desc) ? put_frames(k, s, out, err) : 0;
}

static void script_text_free(struct sink *sink)
{
	struct script_text *k = (struct script_text *)sink;

	vec_free(&k->chain);
	text_cache_free(&k->stacks);
	buf_free(&k->names);
	vec_free(&k->name_ends);
	text_cache_free(&k->lines);
}

void script_text_init(struct script_text *k, const struct script_text_options *o,
		      const struct fields *fields, struct symboliser *symboliser,
		      const struct event_set *events, struct tp_prog *const *programs,
		      const struct printk_formats *strings, const struct cgroup_names *cgroups)
{
	static const struct sink_ops ops = {script_text_sample, script_text_record, script_text_end,
					    script_text_free, script_text_stack};
	const struct event_desc *e;
	u32 i;

	*k = (struct script_text){
		.sink.ops = &ops,
		.options = *o,
		.fields = *fields,
		.symboliser = symboliser,
		.events = events,
		.trace = {symboliser, programs, strings, &k->symbols, o->trace_numbers},
		.rare = {.symboliser = symboliser, .six_one = o->narrow_ids, .cgroups = cgroups},
	};
	for (i = 0; i < events->events.nr; i++) {
		e = &events->events.v[i];
		if (!e->sideband || o->sideband_width)
			k->name_width = MAX(k->name_width, (u32)strlen(e->name));
	}
}
