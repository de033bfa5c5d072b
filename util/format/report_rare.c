// SPDX-License-Identifier: GPL-2.0
#include "util/format/report_rare.h"

#include <linux/perf_event.h>
#include <stdlib.h>

#include "util/base/text.h"
#include "util/record/data_src_text.h"
#include "util/report/report_places.h"

#define CACHE_LINE 64u

bool report_rare_knows(enum report_kind kind)
{
	return kind >= REPORT_PARENT && kind < REPORT_TRACE;
}

/* Kernel addresses are negative. */
static const struct frame *frame_at(struct symboliser *r, const struct session_sample *s, u64 addr)
{
	u16 cpumode = addr >> 63 ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
	u32 id = symboliser_address(r, s->thread, cpumode, addr);

	return id == ID_NONE ? NULL : &r->frames.v[id];
}

static bool put_dso(struct symboliser *r, const struct session_sample *s, u64 addr, struct buf *out)
{
	const struct frame *f = frame_at(r, s, addr);

	if (!f)
		return false;
	if (f->dso == ID_NONE)
		buf_adds(out, "[unknown]");
	else
		report_places_short_name(&r->model->dsos.v[f->dso], out);
	return true;
}

static void put_address(u64 addr, struct buf *out)
{
	buf_adds(out, addr ? "0x" : "");
	buf_hex0(out, addr, 16);
}

/* Without a name it is `nameless`. */
static void put_name(const struct frame *f, u64 nameless, struct buf *out)
{
	buf_addf(out, "[%c] ", f->kind == FRAME_KERNEL ? 'k' : '.');
	if (f->symbol)
		text_escape(out, f->symbol, strlen(f->symbol));
	else
		put_address(nameless, out);
}

static void put_offset(const struct frame *f, struct buf *out)
{
	if (f->symbol)
		buf_addf(out, "+0x%llx", (unsigned long long)f->offset);
}

static bool put_function(struct symboliser *r, const struct session_sample *s, u64 addr,
			 struct buf *out)
{
	const struct frame *f = frame_at(r, s, addr);

	if (f)
		put_name(f, f->addr, out);
	return f != NULL;
}

/* "[.] main+0x1e", "[.] main" */
static bool put_end(struct symboliser *r, const struct session_sample *s, u64 addr, struct buf *out)
{
	const struct frame *f = frame_at(r, s, addr);

	if (!f)
		return false;
	put_name(f, f->addr, out);
	if (f->offset)
		put_offset(f, out);
	return true;
}

static bool put_srcline(struct symboliser *r, const struct session_sample *s, u64 addr,
			struct buf *out)
{
	const struct frame *f = frame_at(r, s, addr);
	const struct place *place = NULL;
	struct buf dso = {0};

	if (!f || !symboliser_places(r, (u32)(f - r->frames.v)))
		return false;
	f = frame_at(r, s, addr);
	if (!f)
		return false;
	if (f->nr_places)
		place = &r->places.v[f->place];
	if (f->dso != ID_NONE)
		report_places_short_name(&r->model->dsos.v[f->dso], &dso);
	report_places_line(f, place, dso.len ? buf_str(&dso) : NULL, out);
	out->failed |= dso.failed;
	buf_free(&dso);
	return true;
}

/* "[.] 0x00007ffc12345678", "[.] environ", with its offset "[.] environ+0x0" */
static bool put_access(struct symboliser *r, const struct session_sample *s, u64 addr, bool offset,
		       struct buf *out)
{
	const struct frame *f = frame_at(r, s, addr);

	if (!f)
		return false;
	put_name(f, addr, out);
	if (offset)
		put_offset(f, out);
	return true;
}

/* "[.] environ+0x0", in a file "[.] 0x0000000000004040 (libc.so.6)", else "[.] 0x00007ffc12345640" */
static bool put_cacheline(struct symboliser *r, const struct session_sample *s, struct buf *out)
{
	u64 line = s->sample->addr & ~(u64)(CACHE_LINE - 1);
	const struct frame *f = frame_at(r, s, line);

	if (!f)
		return false;
	put_name(f, f->addr, out);
	put_offset(f, out);
	if (!f->symbol && f->dso != ID_NONE && f->addr != line) {
		buf_adds(out, " (");
		report_places_short_name(&r->model->dsos.v[f->dso], out);
		buf_addc(out, ')');
	}
	return true;
}

/* Of branches, which a row that is none does not have. */
static bool put_branch(const struct perf_branch_entry *b, enum report_kind kind,
		       struct symboliser *r, const struct session_sample *s, struct buf *out)
{
	if (!b) {
		buf_adds(out, "N/A");
		return true;
	}
	switch (kind) {
	case REPORT_DSO_FROM:
		return put_dso(r, s, b->from, out);
	case REPORT_DSO_TO:
		return put_dso(r, s, b->to, out);
	case REPORT_SYMBOL_FROM:
		return put_function(r, s, b->from, out);
	case REPORT_SYMBOL_TO:
		return put_function(r, s, b->to, out);
	case REPORT_SRCLINE_FROM:
		return put_srcline(r, s, b->from, out);
	case REPORT_SRCLINE_TO:
		return put_srcline(r, s, b->to, out);
	case REPORT_ADDR_FROM:
		return put_end(r, s, b->from, out);
	case REPORT_ADDR_TO:
		return put_end(r, s, b->to, out);
	case REPORT_MISPREDICT:
		buf_adds(out, b->predicted ? "N" : b->mispred ? "Y" : "N/A");
		return true;
	case REPORT_ABORT:
		buf_addc(out, b->abort ? 'A' : '.');
		return true;
	case REPORT_IN_TX:
		buf_addc(out, b->in_tx ? 'T' : '.');
		return true;
	default:
		if (b->cycles)
			buf_dec(out, b->cycles, 0);
		else
			buf_addc(out, '-');
		return true;
	}
}

static bool put_memory(enum report_kind kind, struct symboliser *r, const struct session_sample *s,
		       struct buf *out)
{
	const struct sample *v = s->sample;

	switch (kind) {
	case REPORT_SYMBOL_DADDR:
		return put_access(r, s, v->addr, true, out);
	case REPORT_DSO_DADDR:
		return put_dso(r, s, v->addr, out);
	case REPORT_SYMBOL_IADDR:
		return put_access(r, s, v->ip, false, out);
	case REPORT_DCACHELINE:
		return put_cacheline(r, s, out);
	case REPORT_LOCKED:
		data_src_text_lock(v->data_src, out);
		return true;
	case REPORT_TLB:
		data_src_text_tlb(v->data_src, out);
		return true;
	case REPORT_MEM:
		data_src_text_level(v->data_src, out);
		return true;
	case REPORT_SNOOP:
		data_src_text_snoop(v->data_src, out);
		return true;
	case REPORT_BLOCKED:
		data_src_text_blocks(v->data_src, out);
		return true;
	case REPORT_PHYS_DADDR:
		buf_adds(out, "[.] ");
		put_address(v->phys_addr, out);
		return true;
	default:
		data_src_text_page_size(v->data_page_size, out);
		return true;
	}
}

static bool is_parent(const struct report_rare *r, const struct symboliser *symboliser, u32 i)
{
	const char *name = symboliser->frames.v[r->frames.v[i]].symbol;

	return name && !regexec(r->parent, name, 0, NULL, 0);
}

/* Where on the stack it is; ID_NONE: nowhere. False when memory is out. */
static bool find_parent(struct report_rare *r, struct symboliser *symboliser,
			const struct session_sample *s, u32 *at)
{
	u32 i;

	*at = ID_NONE;
	r->frames.nr = 0;
	if (!r->parent)
		return true;
	if (!symboliser_chain(symboliser, s->thread, s->sample, &r->frames))
		return false;
	for (i = 0; i < r->frames.nr && (*at == ID_NONE || r->outermost); i++)
		if (is_parent(r, symboliser, i))
			*at = i;
	return true;
}

int report_rare_has_parent(struct report_rare *r, struct symboliser *symboliser,
			   const struct session_sample *s, struct err *err)
{
	u32 at;

	return find_parent(r, symboliser, s, &at) ? at != ID_NONE : err_nomem(err);
}

static bool put_parent(struct report_rare *r, struct symboliser *symboliser,
		       const struct session_sample *s, struct buf *out)
{
	const char *name = "[other]";
	u32 at;

	if (!find_parent(r, symboliser, s, &at))
		return false;
	if (at != ID_NONE)
		name = symboliser->frames.v[r->frames.v[at]].symbol;
	text_escape(out, name, strlen(name));
	return true;
}

bool report_rare_put(struct report_rare *r, enum report_kind kind, struct symboliser *symboliser,
		     const struct session_sample *s, struct buf *out)
{
	const struct sample *v = s->sample;

	if (report_kind_is_of_branch(kind))
		return put_branch(r->branch, kind, symboliser, s, out);
	if (report_kind_is_of_memory(kind))
		return put_memory(kind, symboliser, s, out);
	switch (kind) {
	case REPORT_PARENT:
		return put_parent(r, symboliser, s, out);
	case REPORT_CODE_PAGE_SIZE:
		data_src_text_page_size(v->code_page_size, out);
		return true;
	default:
		buf_addf(out, "0x%llx", (unsigned long long)v->ip);
		return true;
	}
}

void report_rare_free(struct report_rare *r)
{
	vec_free(&r->frames);
}
