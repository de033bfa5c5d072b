// SPDX-License-Identifier: GPL-2.0
#include "util/format/script_text.h"

#include <stdlib.h>

#include "util/base/text.h"
#include "util/tracepoint/tp_run.h"

#define NSEC 1000000000ull

static bool has(const struct script_text *k, const struct event_desc *e, enum field f)
{
	return fields_has(&k->fields, &e->attr, f);
}

static bool with_chain(const struct script_text *k, const struct event_desc *e)
{
	return k->fields.use_chains && e->plan.has & PERF_SAMPLE_CALLCHAIN && has(k, e, FIELD_IP);
}

static void put_comm(const struct script_text *k, const struct session_sample *s, struct buf *out)
{
	size_t len = strlen(s->comm);

	if (!with_chain(k, s->desc) && len < 16)
		buf_pad(out, ' ', 16 - len);
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

static void put_misc(u16 misc, struct buf *out)
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
	buf_pad(out, ' ', 6 - (out->len - at));
}

static void put_time(struct script_text *k, u64 time, struct buf *out)
{
	size_t at = out->len;
	u64 t = time;

	if (!k->any)
		k->first_time = k->last_time = time;
	k->any = true;
	if (k->options.relative_time)
		t = time - k->first_time;
	else if (k->options.delta_time)
		t = time - k->last_time;
	k->last_time = time;
	if (k->options.nanoseconds) {
		buf_dec(out, t / NSEC, 5);
		buf_addc(out, '.');
		buf_dec0(out, t % NSEC, 9);
	} else {
		buf_dec(out, t / NSEC, 5); /* 12 columns with point and 6 digits */
		buf_addc(out, '.');
		buf_dec0(out, t % NSEC / 1000, 6);
	}
	if (out->len > at)
		buf_adds(out, ": ");
}

static void put_start(struct script_text *k, const struct session_sample *s, struct buf *out)
{
	const struct event_desc *e = s->desc;

	if (has(k, e, FIELD_COMM))
		put_comm(k, s, out);
	put_ids(k, s, out);
	if (has(k, e, FIELD_CPU)) {
		buf_addc(out, '[');
		if (s->sample->ids.cpu == ID_NONE)
			buf_adds(out, "-01");
		else
			buf_dec0(out, s->sample->ids.cpu, 3);
		buf_adds(out, "] ");
	}
	if (has(k, e, FIELD_MISC))
		put_misc(s->sample->misc, out);
	if (has(k, e, FIELD_TIME))
		put_time(k, s->sample->ids.time, out);
	if (has(k, e, FIELD_PERIOD)) {
		buf_dec(out, s->sample->period, 10);
		buf_addc(out, ' ');
	}
	if (has(k, e, FIELD_EVENT)) {
		size_t len = strlen(e->name);

		if (len < k->name_width)
			buf_pad(out, ' ', k->name_width - len);
		text_escape(out, e->name, len);
		buf_adds(out, ": ");
	}
}

/* "sym+0x1f" or "[unknown]". */
static void put_symbol(const struct frame *f, bool with_offset, struct buf *out)
{
	if (!f->symbol) {
		buf_adds(out, "[unknown]");
		return;
	}
	text_escape(out, f->symbol, strlen(f->symbol));
	if (with_offset) {
		buf_adds(out, "+0x");
		buf_hex(out, f->offset, 0);
	}
}

static void put_dso(const struct script_text *k, const struct frame *f, bool with_offset,
		    struct buf *out)
{
	const struct dso *d;

	buf_adds(out, " (");
	if (f->dso == ID_NONE) {
		buf_adds(out, "[unknown]");
	} else {
		d = &k->resolver->model->dsos.v[f->dso];
		text_escape(out, d->name, strlen(d->name));
		if (with_offset) {
			buf_adds(out, "+0x");
			buf_hex(out, f->addr, 0);
		}
	}
	buf_addc(out, ')');
}

/* What stands behind an address. */
static void put_frame_names(const struct script_text *k, const struct event_desc *e,
			    const struct frame *f, struct buf *out)
{
	if (has(k, e, FIELD_SYM)) {
		buf_addc(out, ' ');
		put_symbol(f, has(k, e, FIELD_SYMOFF), out);
	}
	if (has(k, e, FIELD_DSO) || has(k, e, FIELD_DSOFF))
		put_dso(k, f, has(k, e, FIELD_DSOFF), out);
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* "\n  hot.c:5"; where no file is known, "\n  libc.so.6[1bccb]". `place`: NULL: not known. */
static void put_line(const struct script_text *k, const struct frame *f, const struct place *place,
		     struct buf *out)
{
	const char *name;

	if (place && place->file) {
		name = k->options.full_paths ? place->file : last_part(place->file);
		buf_adds(out, "\n  ");
		text_escape(out, name, strlen(name));
		buf_addc(out, ':');
		buf_dec(out, place->line, 0);
	} else if (f->dso != ID_NONE) {
		name = last_part(k->resolver->model->dsos.v[f->dso].name);
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
		put_symbol(&inlined, has(k, e, FIELD_SYMOFF), out);
	}
	if (has(k, e, FIELD_SRCLINE))
		put_line(k, f, p, out);
	buf_adds(out, " (inlined)\n");
}

/* The lines of a frame. False when memory is out. */
static bool make_lines(struct script_text *k, const struct event_desc *e, u32 frame, bool inlines)
{
	bool srcline = has(k, e, FIELD_SRCLINE);
	const struct place *p = NULL;
	struct buf *b = &k->lines;
	const struct frame *f;
	u32 nr = 0, i;

	if ((inlines || srcline) && !resolver_places(k->resolver, frame))
		return false;
	f = &k->resolver->frames.v[frame];
	if (f->place != ID_NONE && f->nr_places) {
		p = &k->resolver->places.v[f->place];
		/* what has no name shows none of what is in it */
		nr = inlines && f->symbol ? f->nr_places - 1 : 0;
	}
	for (i = 0; i < nr; i++)
		put_inlined(k, e, f, p++, b);
	put_address_column(k, f, b);
	put_frame_names(k, e, f, b);
	if (srcline)
		put_line(k, f, p, b);
	buf_addc(b, '\n');
	return !b->failed;
}

/*
 * The lines of a frame, from the table. They depend on the fields of the event's type and on whether
 * inlined functions are shown: there is a place for each.
 */
static bool put_frame(struct script_text *k, const struct event_desc *e, u32 frame, bool inlines,
		      struct buf *out)
{
	u32 at = (frame * FIELD_TYPE_COUNT + field_type(&e->attr)) * 2 + inlines;
	struct line_ref *ref;
	size_t from;

	if (at >= k->nr_refs) {
		u32 nr = MAX(at + 1, k->nr_refs * 2);
		struct line_ref *refs = realloc(k->refs, nr * sizeof(*refs));

		if (!refs)
			return false;
		memset(refs + k->nr_refs, 0, (nr - k->nr_refs) * sizeof(*refs));
		k->refs = refs;
		k->nr_refs = nr;
	}
	ref = &k->refs[at];
	if (!ref->len) {
		from = k->lines.len;
		if (!make_lines(k, e, frame, inlines))
			return false;
		ref->at = from;
		ref->len = (u32)(k->lines.len - from);
	}
	buf_add(out, k->lines.data + ref->at, ref->len);
	return true;
}

static int put_chain(struct script_text *k, const struct session_sample *s, struct buf *out,
		     struct err *err)
{
	u32 i;

	buf_addc(out, '\n');
	if (!resolver_chain(k->resolver, s->thread, s->sample, &k->chain))
		return err_nomem(err);
	for (i = 0; i < k->chain.nr; i++)
		if (!put_frame(k, s->desc, k->chain.v[i], k->chain.inlines, out))
			return err_nomem(err);
	return 0;
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
	id = resolver_address(k->resolver, s->thread, cpumode, s->sample->ip);
	if (id == ID_NONE)
		return err_nomem(err);
	put_frame_names(k, s->desc, &k->resolver->frames.v[id], out);
	if (!has(k, s->desc, FIELD_SRCLINE))
		return 0;
	if (!resolver_places(k->resolver, id))
		return err_nomem(err);
	f = &k->resolver->frames.v[id];
	put_line(k, f, f->nr_places ? &k->resolver->places.v[f->place] : NULL, out);
	return 0;
}

/* Does the address of such samples point at what symbols can name? */
static bool address_has_symbol(const struct perf_event_attr *attr)
{
	if (attr->type == PERF_TYPE_BREAKPOINT)
		return true;
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
	if (!address_has_symbol(&s->desc->attr))
		return 0;
	id = resolver_address(k->resolver, s->thread, cpumode, s->sample->addr);
	if (id == ID_NONE)
		return err_nomem(err);
	put_frame_names(k, s->desc, &k->resolver->frames.v[id], out);
	return 0;
}

static bool trace_symbol(void *arg, u64 addr, bool with_offset, struct buf *out)
{
	struct script_text *k = arg;
	u32 id = resolver_address(k->resolver, NULL, PERF_RECORD_MISC_KERNEL, addr);

	if (id == ID_NONE || !k->resolver->frames.v[id].symbol)
		return false;
	put_symbol(&k->resolver->frames.v[id], with_offset, out);
	return true;
}

static const char *trace_string(void *arg, u64 addr)
{
	const struct script_text *k = arg;

	return printk_formats_find(k->strings, addr);
}

static void put_trace(struct script_text *k, const struct session_sample *s, struct buf *out)
{
	struct tp_run run = {
		.raw = s->sample->raw,
		.len = s->sample->raw_size,
		.symbol = trace_symbol,
		.string = trace_string,
		.arg = k,
	};

	if (k->programs[s->event])
		tp_prog_run(k->programs[s->event], &run, out);
}

static void put_regs(const struct script_text *k, const struct sample_regs *r, struct buf *out)
{
	const struct arch *a = k->resolver->arch;
	const u64 *v = r->reg;
	const char *name;
	u32 i;

	if (!v)
		return;
	buf_addf(out, " ABI:%llu ", (unsigned long long)r->abi);
	for (i = 0; i < 64; i++) {
		if (!(r->mask >> i & 1))
			continue;
		name = a && i < a->nr_regs ? a->regs[i] : NULL;
		buf_addf(out, "%5s:0x%llx ", name ? name : "unknown", (unsigned long long)*v++);
	}
}

static void put_branches(const struct sample *s, bool six_one, struct buf *out)
{
	const struct perf_branch_entry *b;
	u64 i;

	for (i = 0; i < s->branch_nr; i++) {
		b = &s->branch[i];
		buf_addf(out, " 0x%llx/0x%llx/%c/%c/%c/%u/%s", (unsigned long long)b->from,
			 (unsigned long long)b->to,
			 b->predicted ? 'P'
			 : b->mispred ? 'M'
				      : '-',
			 b->in_tx ? 'X' : '-', b->abort ? 'A' : '-', b->cycles,
			 six_one ? "" : "/-");
		buf_addc(out, ' ');
	}
}

static void put_bpf_output(const struct sample *s, struct buf *out)
{
	u32 i;

	for (i = 0; i < s->raw_size; i += 8) {
		u32 j, n = MIN(8u, s->raw_size - i);

		buf_addf(out, "%s%04x: ", i ? "                      " : "\n      BPF output: ", i);
		for (j = 0; j < n; j++)
			buf_addf(out, "%02x ", s->raw[i + j]);
		buf_pad(out, ' ', 3 * (8 - n) + 2);
		for (j = 0; j < n; j++)
			buf_addc(out, s->raw[i + j] >= 0x20 && s->raw[i + j] < 0x7f
					      ? (char)s->raw[i + j]
					      : '.');
		buf_addc(out, '\n');
	}
}

/* The fields behind the addresses, all rare. */
static void put_rest(struct script_text *k, const struct session_sample *s, struct buf *out)
{
	const struct event_desc *e = s->desc;
	const struct sample *v = s->sample;

	if (has(k, e, FIELD_IREGS))
		put_regs(k, &v->regs_intr, out);
	if (has(k, e, FIELD_UREGS))
		put_regs(k, &v->regs_user, out);
	if (has(k, e, FIELD_BRSTACK))
		put_branches(v, k->options.narrow_ids, out);
	if (has(k, e, FIELD_BPF_OUTPUT) && e->attr.type == PERF_TYPE_SOFTWARE &&
	    e->attr.config == PERF_COUNT_SW_BPF_OUTPUT)
		put_bpf_output(v, out);
	if (has(k, e, FIELD_PHYS_ADDR))
		buf_hex(out, v->phys_addr, 16);
	if (has(k, e, FIELD_DATA_PAGE_SIZE))
		buf_addf(out, " %llu", (unsigned long long)v->data_page_size);
	if (has(k, e, FIELD_CODE_PAGE_SIZE))
		buf_addf(out, " %llu", (unsigned long long)v->code_page_size);
}

static int script_text_sample(struct sink *sink, const struct session_sample *s, struct buf *out,
			      struct err *err)
{
	struct script_text *k = (struct script_text *)sink;
	const struct event_desc *e = s->desc;
	int ret;

	if (!k->fields.on[field_type(&e->attr)])
		return 0;
	put_start(k, s, out);
	if (has(k, e, FIELD_TRACE))
		put_trace(k, s, out);
	if (has(k, e, FIELD_ADDR)) {
		ret = put_address(k, s, out, err);
		if (ret)
			return ret;
	}
	if (has(k, e, FIELD_DATA_SRC))
		buf_hex(out, s->sample->data_src, 16);
	if (has(k, e, FIELD_WEIGHT))
		buf_dec(out,
			e->plan.has & PERF_SAMPLE_WEIGHT_STRUCT ? (u32)s->sample->weight
								: s->sample->weight,
			16);
	if (has(k, e, FIELD_INS_LAT))
		buf_dec(out, (u16)(s->sample->weight >> 32), 16);
	if (has(k, e, FIELD_IP)) {
		ret = put_ip(k, s, out, err);
		if (ret)
			return ret;
	}
	put_rest(k, s, out);
	buf_addc(out, '\n');
	return out->failed ? err_nomem(err) : 0;
}

static int script_text_end(struct sink *sink, struct buf *out, struct err *err)
{
	(void)sink;
	(void)out;
	(void)err;
	return 0;
}

static void script_text_free(struct sink *sink)
{
	struct script_text *k = (struct script_text *)sink;

	vec_free(&k->chain);
	buf_free(&k->lines);
	free(k->refs);
}

void script_text_init(struct script_text *k, const struct script_text_options *o,
		      const struct fields *fields, struct resolver *resolver,
		      const struct event_set *events, struct tp_prog *const *programs,
		      const struct printk_formats *strings)
{
	static const struct sink_ops ops = {script_text_sample, script_text_end, script_text_free};
	const struct event_desc *e;
	u32 i;

	*k = (struct script_text){
		.sink.ops = &ops,
		.options = *o,
		.fields = *fields,
		.resolver = resolver,
		.events = events,
		.programs = programs,
		.strings = strings,
	};
	for (i = 0; i < events->events.nr; i++) {
		e = &events->events.v[i];
		if (!e->sideband || o->sideband_width)
			k->name_width = MAX(k->name_width, (u32)strlen(e->name));
	}
}
