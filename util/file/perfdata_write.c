// SPDX-License-Identifier: GPL-2.0
#include "util/file/perfdata_write.h"

#include <errno.h>
#include <stdlib.h>

#include "util/file/perfdata_write_internal.h"
#include "util/record/chain.h"
#include "util/record/deferred.h"

#define RECORD_MAX (UINT16_MAX & ~7u)
/* The fixed fields of a sample that may come on top of those recorded, and padding. */
#define SAMPLE_MORE 128

/* What every sample of ours says, and what is kept of the rest. */
#define SAMPLE_ALWAYS                                                                    \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | \
	 PERF_SAMPLE_PERIOD)
#define SAMPLE_KEPT                                                                      \
	(PERF_SAMPLE_ADDR | PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | \
	 PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_WEIGHT |         \
	 PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION |    \
	 PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP |            \
	 PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE)

static int no_room(struct err *err, const char *what)
{
	return err_set(err, EFBIG, "%s: more than a perf.data record can hold", what);
}

static u64 here(const struct perfdata_writer *w)
{
	return w->written + w->out.len;
}

/* How the samples of an event of ours are laid out. */
static void set_layout(struct perf_event_attr *a, u64 has)
{
	a->size = sizeof(*a);
	a->sample_type = SAMPLE_ALWAYS | (a->sample_type & SAMPLE_KEPT) | (has & PERF_SAMPLE_IP);
	a->sample_id_all = 1;
	a->sample_stack_user = 0;
	if (!(a->sample_type & PERF_SAMPLE_REGS_USER))
		a->sample_regs_user = 0;
}

static int add_event(struct perfdata_writer *w, const struct event_desc *from)
{
	struct perfdata_write_event *e = vec_push(&w->events);
	u32 event = w->events.nr - 1, i;

	if (!e)
		return -ENOMEM;
	e->attr = from->attr;
	e->name = from->name;
	e->ids = from->ids;
	e->nr_ids = from->nr_ids;
	if (!w->options.as_recorded) {
		set_layout(&e->attr, from->layout.has);
		deferred_forget(&e->attr);
		e->made_id = (u64)UINT32_MAX + 1 + event;
	}
	sample_layout_init(&e->layout, &e->attr);
	for (i = 0; i < e->nr_ids; i++)
		if (!hmap_set(&w->by_id, e->ids[i], event))
			return -ENOMEM;
	return 0;
}

/* An event without ids gets one; the events do not move any more. */
static void make_ids(struct perfdata_writer *w)
{
	struct perfdata_write_event *e;
	u32 i;

	for (i = 0; i < w->events.nr; i++) {
		e = &w->events.v[i];
		if (!e->nr_ids && e->made_id) {
			e->ids = &e->made_id;
			e->nr_ids = 1;
		}
		e->id = e->nr_ids ? e->ids[0] : 0;
	}
}

/*
 * How much of each attr is written. perf takes as many bytes as attr.size says and expects the ids
 * behind them, and in a pipe behind the whole of its own struct: so all attrs are of one size, that
 * of the recording where they fit.
 */
static void set_attr_size(struct perfdata_writer *w)
{
	const u32 whole = sizeof(struct perf_event_attr);
	u32 i, size = w->events.nr ? w->events.v[0].attr.size : whole;

	for (i = 0; i < w->events.nr; i++)
		if (w->events.v[i].attr.size != size)
			size = whole;
	if (w->options.pipe || size < PERF_ATTR_SIZE_VER0 || size > whole || size % 8)
		size = whole;
	for (i = 0; i < w->events.nr; i++)
		w->events.v[i].attr.size = size;
	w->attr_size = size;
}

static void put_section(struct buf *b, u64 offset, u64 size)
{
	buf_u64(b, offset);
	buf_u64(b, size);
}

void perfdata_writer_header(const struct perfdata_writer *w, struct buf *out)
{
	const u32 entry = w->attr_size + 16;
	u32 i;

	buf_add(out, PERFDATA_MAGIC, 8);
	buf_u64(out, PERFDATA_HEADER_SIZE);
	buf_u64(out, entry);
	put_section(out, w->attrs_at, (u64)entry * w->events.nr);
	put_section(out, w->data_at, w->data_end ? w->data_end - w->data_at : 0);
	put_section(out, 0, 0); /* names of events: no longer used */
	buf_u64(out, w->features);
	for (i = 1; i < PERFDATA_FEATURES / 64; i++)
		buf_u64(out, 0);
}

static void begin_file(struct perfdata_writer *w)
{
	u64 ids_at = PERFDATA_HEADER_SIZE;
	u32 i;

	w->attrs_at = ids_at;
	for (i = 0; i < w->events.nr; i++)
		w->attrs_at += (u64)w->events.v[i].nr_ids * 8;
	w->data_at = w->attrs_at + (u64)w->events.nr * (w->attr_size + 16);
	perfdata_writer_header(w, &w->out);
	for (i = 0; i < w->events.nr; i++)
		buf_add(&w->out, w->events.v[i].ids, (size_t)w->events.v[i].nr_ids * 8);
	for (i = 0; i < w->events.nr; i++) {
		const struct perfdata_write_event *e = &w->events.v[i];

		buf_add(&w->out, &e->attr, w->attr_size);
		put_section(&w->out, ids_at, (u64)e->nr_ids * 8);
		ids_at += (u64)e->nr_ids * 8;
	}
}

static size_t begin_record(struct buf *b, u32 type)
{
	struct perf_event_header h = {.type = type};
	size_t at = b->len;

	buf_add(b, &h, sizeof(h));
	return at;
}

/* False, and nothing is left of it: it is larger than a record may be. */
static bool end_unpadded(struct buf *b, size_t at)
{
	u16 size;

	if (b->failed)
		return true;
	if (b->len - at > RECORD_MAX) {
		b->len = at;
		return false;
	}
	size = (u16)(b->len - at);
	memcpy(b->data + at + offsetof(struct perf_event_header, size), &size, sizeof(size));
	return true;
}

static bool end_record(struct buf *b, size_t at)
{
	buf_pad(b, '\0', ALIGN_UP(b->len - at, (size_t)8) - (b->len - at));
	return end_unpadded(b, at);
}

/* The event, with as many ids as fit, and its name. */
static int put_pipe_event(struct perfdata_writer *w, const struct perfdata_write_event *e,
			  struct err *err)
{
	const u32 max = (RECORD_MAX - 8 - sizeof(e->attr)) / 8;
	size_t at;

	/* our samples name the first alone */
	if (w->options.as_recorded && e->nr_ids > max)
		return no_room(err, e->name);
	at = begin_record(&w->out, PERFDATA_HEADER_ATTR);
	buf_add(&w->out, &e->attr, sizeof(e->attr));
	buf_add(&w->out, e->ids, (size_t)MIN(e->nr_ids, max) * 8);
	end_record(&w->out, at);
	at = begin_record(&w->out, PERFDATA_EVENT_UPDATE);
	buf_u64(&w->out, PERFDATA_UPDATE_NAME);
	buf_u64(&w->out, e->id);
	buf_add(&w->out, e->name, strlen(e->name) + 1);
	return end_record(&w->out, at) ? 0 : no_room(err, "the name of an event");
}

/*
 * A feature in a record of its own; one that does not fit is left out. perf does not pad them: what follows the places of
 * the CPUs would be their dies.
 */
static void put_pipe_feature(struct perfdata_writer *w, enum perfdata_feature f)
{
	size_t at = begin_record(&w->out, PERFDATA_HEADER_FEATURE);

	buf_u64(&w->out, f);
	if (perfdata_write_features_put(w, f, &w->out))
		end_unpadded(&w->out, at);
	else if (!w->out.failed)
		w->out.len = at;
}

/* The trace data follow their record. */
static void put_pipe_tracing(struct perfdata_writer *w)
{
	size_t at = begin_record(&w->out, PERFDATA_HEADER_TRACING_DATA), start;
	u32 len;

	buf_u64(&w->out, 0);
	end_record(&w->out, at);
	start = w->out.len;
	if (!perfdata_write_features_put(w, PERFDATA_FEATURE_TRACING_DATA, &w->out)) {
		w->out.len = w->out.failed ? w->out.len : at;
		return;
	}
	len = (u32)ALIGN_UP(w->out.len - start, (size_t)8);
	buf_pad(&w->out, '\0', len - (w->out.len - start));
	if (!w->out.failed)
		memcpy(w->out.data + at + sizeof(struct perf_event_header), &len, sizeof(len));
}

static int begin_pipe(struct perfdata_writer *w, struct err *err)
{
	u32 i;
	int ret = 0;

	buf_add(&w->out, PERFDATA_MAGIC, 8);
	buf_u64(&w->out, PERFDATA_PIPE_HEADER_SIZE);
	for (i = 0; i < w->events.nr && !ret; i++)
		ret = put_pipe_event(w, &w->events.v[i], err);
	for (i = PERFDATA_FEATURE_HOSTNAME; i <= PERFDATA_FEATURE_PMU_CAPS && !ret; i++)
		if (i != PERFDATA_FEATURE_SAMPLE_TIME)
			put_pipe_feature(w, i);
	if (!ret)
		put_pipe_tracing(w);
	return ret;
}

int perfdata_writer_begin(struct perfdata_writer *w, const struct recording *r,
			  const struct perfdata_write_options *o, struct err *err)
{
	int ret = 0;
	u32 i;

	*w = (struct perfdata_writer){.recording = r, .options = *o};
	for (i = 0; i < r->events.events.nr && !ret; i++)
		ret = add_event(w, &r->events.events.v[i]);
	if (ret)
		return err_nomem(err);
	make_ids(w);
	set_attr_size(w);
	if (o->pipe)
		ret = begin_pipe(w, err);
	else
		begin_file(w);
	return !ret && w->out.failed ? err_nomem(err) : ret;
}

static int put_bytes(struct perfdata_writer *w, const void *p, size_t len, struct err *err)
{
	buf_add(&w->out, p, len);
	w->records++;
	return w->out.failed ? err_nomem(err) : 0;
}

static bool known_id(const struct perfdata_writer *w, u64 id)
{
	return hmap_get(&w->by_id, id) != ID_NONE;
}

/* The trailer of a record of ours: that of all events. */
static void put_trailer(struct buf *b, const struct rec_ids *ids, u64 id)
{
	buf_u32(b, ids->pid);
	buf_u32(b, ids->tid);
	buf_u64(b, ids->time);
	buf_u32(b, ids->cpu);
	buf_u32(b, 0);
	buf_u64(b, id);
}

int perfdata_writer_record(struct perfdata_writer *w, const struct rec *rec, u32 event,
			   struct err *err)
{
	const struct perfdata_write_event *e;
	const struct sample_layout *from;
	struct rec_ids ids;
	size_t at;

	if (event >= w->events.nr) {
		w->unfit++;
		return 0;
	}
	e = &w->events.v[event];
	from = &w->recording->events.events.v[event].layout;
	if (!sample_layout_ids(from, rec, &ids)) {
		w->unfit++;
		return 0;
	}
	w->time_newest = MAX(w->time_newest, ids.time);
	if (w->options.as_recorded)
		return put_bytes(w, rec->data, rec->size, err);
	/* samples are whole, and no perf before 6.19 goes on behind such a record */
	if (rec->type == DEFERRED_RECORD)
		return 0;
	/* what the recorder made itself has no id: for perf, it is of the first event */
	if (!(ids.has & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID)) ||
	    (ids.id && !known_id(w, ids.id)))
		ids.id = e->id;
	if (!(ids.has & PERF_SAMPLE_TID))
		ids.pid = ids.tid = 0;
	if (!(ids.has & PERF_SAMPLE_CPU))
		ids.cpu = rec->cpu;
	at = w->out.len;
	buf_add(&w->out, rec->data, rec->size - from->id_size);
	put_trailer(&w->out, &ids, ids.id);
	if (!end_record(&w->out, at))
		w->unfit++;
	w->records++;
	return w->out.failed ? err_nomem(err) : 0;
}

static u8 *put32(u8 *p, u32 v)
{
	memcpy(p, &v, sizeof(v));
	return p + sizeof(v);
}

static u8 *put64(u8 *p, u64 v)
{
	memcpy(p, &v, sizeof(v));
	return p + sizeof(v);
}

static u8 *put_all(u8 *p, const void *from, size_t len)
{
	if (len)
		memcpy(p, from, len);
	return p + len;
}

/*
 * The addresses and the kernel's own markers, `max` words at most. Of what was unwound perf shows
 * where the call is, not where it returns to, and it does not look at the addresses of a chain any
 * more: so they are written as it would have found them.
 */
static u8 *put_chain(u8 *p, const struct sample *s, u64 max)
{
	const bool unwound = sample_is_unwound(s);
	bool user = false, caller = false;
	u8 *at = p;
	u64 nr = 0, ip;
	u32 i;

	p += sizeof(u64);
	for (i = 0; i < s->chain_nr && nr < max; i++) {
		ip = s->chain[i];
		if (!s->kernel_chain && chain_is_mark(ip)) {
			caller = caller && ip != CHAIN_SIGNAL;
			continue;
		}
		if (ip >= (u64)PERF_CONTEXT_MAX) {
			user = unwound && ip == (u64)PERF_CONTEXT_USER;
			caller = false;
		} else {
			ip -= user && caller && ip;
			caller = true;
		}
		p = put64(p, ip);
		nr++;
	}
	put64(at, nr);
	return p;
}

static u64 chain_words(const struct sample *s)
{
	u64 nr = 0;
	u32 i;

	for (i = 0; i < s->chain_nr; i++)
		nr += s->kernel_chain || !chain_is_mark(s->chain[i]);
	return nr;
}

static u8 *put_raw(u8 *p, const struct sample *s)
{
	/* the size with the padding, as the kernel writes it */
	u32 size = ALIGN_UP(s->raw_size + (u32)sizeof(u32), 8u) - (u32)sizeof(u32);

	p = put32(p, size);
	p = put_all(p, s->raw, s->raw_size);
	memset(p, 0, size - s->raw_size);
	return p + (size - s->raw_size);
}

static u8 *put_regs(u8 *p, const struct sample_regs *r)
{
	p = put64(p, r->reg ? r->abi : PERF_SAMPLE_REGS_ABI_NONE);
	return r->reg ? put_all(p, r->reg, 8 * (size_t)__builtin_popcountll(r->mask)) : p;
}

static u8 *put_branches(u8 *p, const struct sample_layout *layout, const struct sample *s)
{
	p = put64(p, s->branch_nr);
	if (layout->branch_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		p = put64(p, s->branch_hw_idx);
	p = put_all(p, s->branch, s->branch_nr * sizeof(*s->branch));
	if (layout->branch_type & SAMPLE_BRANCH_COUNTERS)
		p = put_all(p, sample_branch_counters(s), s->branch_nr * sizeof(u64));
	return p;
}

/* The fields up to the period, which are of one size. */
static u8 *put_fixed(u8 *p, u64 type, u64 id, const struct sample *s)
{
	p = put64(p, id);
	if (type & PERF_SAMPLE_IP)
		p = put64(p, s->ip);
	p = put32(p, s->ids.pid);
	p = put32(p, s->ids.tid);
	p = put64(p, s->ids.time);
	if (type & PERF_SAMPLE_ADDR)
		p = put64(p, s->addr);
	p = put32(p, s->ids.cpu);
	p = put32(p, 0);
	return put64(p, s->period);
}

/* The fields behind the stack. */
static u8 *put_rest(u8 *p, const struct sample_layout *layout, const struct sample *s)
{
	const u64 type = layout->sample_type;

	if (type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))
		p = put64(p, s->weight);
	if (type & PERF_SAMPLE_DATA_SRC)
		p = put64(p, s->data_src);
	if (type & PERF_SAMPLE_TRANSACTION)
		p = put64(p, s->transaction);
	if (type & PERF_SAMPLE_REGS_INTR)
		p = put_regs(p, &s->regs_intr);
	if (type & PERF_SAMPLE_PHYS_ADDR)
		p = put64(p, s->phys_addr);
	if (type & PERF_SAMPLE_CGROUP)
		p = put64(p, s->cgroup);
	if (type & PERF_SAMPLE_DATA_PAGE_SIZE)
		p = put64(p, s->data_page_size);
	if (type & PERF_SAMPLE_CODE_PAGE_SIZE)
		p = put64(p, s->code_page_size);
	return p;
}

/* A sample of ours, with at most so many words of its call chain: its size. */
static size_t put_sample(u8 *at, u16 misc, const struct perfdata_write_event *e, u64 id,
			 const struct sample *s, u64 max_chain)
{
	const u64 type = e->layout.sample_type;
	struct perf_event_header h = {.type = PERF_RECORD_SAMPLE, .misc = misc};
	u8 *p = put_fixed(at + sizeof(h), type, id, s);

	if (type & PERF_SAMPLE_READ)
		p = put_all(p, s->read.p, cur_left(&s->read));
	if (type & PERF_SAMPLE_CALLCHAIN)
		p = put_chain(p, s, max_chain);
	if (type & PERF_SAMPLE_RAW)
		p = put_raw(p, s);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		p = put_branches(p, &e->layout, s);
	if (type & PERF_SAMPLE_REGS_USER)
		p = put_regs(p, &s->regs_user);
	p = put_rest(p, &e->layout, s);
	h.size = (u16)(p - at);
	memcpy(at, &h, sizeof(h));
	return (size_t)(p - at);
}

static void note_sample(struct perfdata_writer *w, u64 time)
{
	if (!w->samples++)
		w->time_first = time;
	w->time_first = MIN(w->time_first, time);
	w->time_last = MAX(w->time_last, time);
	w->time_newest = MAX(w->time_newest, time);
}

int perfdata_writer_sample(struct perfdata_writer *w, const struct rec *rec, u32 event,
			   const struct sample *s, struct err *err)
{
	const struct perfdata_write_event *e;
	size_t size;
	u64 id, over, words;
	u8 *at;

	if (event >= w->events.nr) {
		w->unfit++;
		return 0;
	}
	e = &w->events.v[event];
	if (w->options.as_recorded) {
		note_sample(w, s->ids.time);
		return put_bytes(w, rec->data, rec->size, err);
	}
	/* the id of a counter that was opened late, or of another program's event, is not there */
	id = hmap_get(&w->by_id, s->ids.id) == event ? s->ids.id : e->id;
	at = (u8 *)buf_room(&w->out, rec->size + (size_t)s->chain_nr * 8 + SAMPLE_MORE);
	if (!at)
		return err_nomem(err);
	size = put_sample(at, rec->misc, e, id, s, UINT64_MAX);
	if (size > RECORD_MAX) {
		over = ALIGN_UP(size - RECORD_MAX, (size_t)8) / 8;
		words = chain_words(s);
		if (over >= words) {
			w->unfit++;
			return 0;
		}
		w->shortened++;
		size = put_sample(at, rec->misc, e, id, s, words - over);
	}
	w->out.len += size;
	w->records++;
	note_sample(w, s->ids.time);
	return 0;
}

int perfdata_writer_round(struct perfdata_writer *w, u64 order, struct err *err)
{
	const u32 dsos = w->recording->dsos.nr;

	for (; w->options.pipe && w->dsos_told < dsos; w->dsos_told++)
		perfdata_write_features_build_id(&w->out, &w->recording->dsos.v[w->dsos_told],
						 PERFDATA_HEADER_BUILD_ID);
	/* readers give out all that was written before the round before */
	if (w->records && order >= w->time_round) {
		end_record(&w->out, begin_record(&w->out, PERFDATA_FINISHED_ROUND));
		w->time_round = w->time_newest;
		w->records = 0;
	}
	return w->out.failed ? err_nomem(err) : 0;
}

static int end_file(struct perfdata_writer *w, struct err *err)
{
	struct buf sections = {0}, table = {0};
	u64 sizes[64];
	size_t at;
	u32 f, nr = 0;
	u64 offset;

	/* without a record the file would look like one that was never ended */
	if (here(w) == w->data_at)
		end_record(&w->out, begin_record(&w->out, PERFDATA_FINISHED_ROUND));
	w->data_end = here(w);
	for (f = 0; f < 64; f++) {
		at = sections.len;
		if (!perfdata_write_features_put(w, f, &sections))
			continue;
		w->features |= 1ull << f;
		sizes[nr++] = sections.len - at;
	}
	offset = w->data_end + (u64)nr * 16;
	for (f = 0; f < nr; f++) {
		put_section(&table, offset, sizes[f]);
		offset += sizes[f];
	}
	buf_add(&w->out, table.data, table.len);
	buf_add(&w->out, sections.data, sections.len);
	w->out.failed |= sections.failed || table.failed;
	buf_free(&sections);
	buf_free(&table);
	return w->out.failed ? err_nomem(err) : 0;
}

int perfdata_writer_end(struct perfdata_writer *w, struct err *err)
{
	int ret = perfdata_writer_round(w, UINT64_MAX, err);

	if (ret)
		return ret;
	if (!w->options.pipe)
		return end_file(w, err);
	put_pipe_feature(w, PERFDATA_FEATURE_SAMPLE_TIME);
	return w->out.failed ? err_nomem(err) : 0;
}

void perfdata_writer_written(struct perfdata_writer *w)
{
	w->written += w->out.len;
	buf_reset(&w->out);
}

void perfdata_writer_free(struct perfdata_writer *w)
{
	vec_free(&w->events);
	hmap_free(&w->by_id);
	buf_free(&w->out);
}
