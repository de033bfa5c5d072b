// SPDX-License-Identifier: GPL-2.0
#include "util/report/sample_values_internal.h"

#include <linux/perf_event.h>
#include <stdlib.h>

#include "util/base/text.h"
#include "util/profile/symboliser.h"
#include "util/record/data_src_text.h"
#include "util/record/sample_weight.h"
#include "util/report/report_places.h"

#define CACHE_LINE 64u

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

static char level_of(const struct frame *f)
{
	return f->kind == FRAME_KERNEL ? 'k' : '.';
}

static char branch_level(const struct symboliser *r, const struct frame *f)
{
	return r->options.unmapped_hv && f->map == ID_NONE ? 'H' : level_of(f);
}

/* Without a name it is `nameless`. */
static void put_name(char level, const struct frame *f, u64 nameless, struct buf *out)
{
	buf_addf(out, "[%c] ", level);
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
		put_name(branch_level(r, f), f, symboliser_file_address(r, f), out);
	return f != NULL;
}

/* "[.] main+0x1e", "[.] main" */
static bool put_end(struct symboliser *r, const struct session_sample *s, u64 addr, struct buf *out)
{
	const struct frame *f = frame_at(r, s, addr);

	if (!f)
		return false;
	put_name(branch_level(r, f), f, symboliser_file_address(r, f), out);
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
	put_name(level_of(f), f, addr, out);
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
	put_name(level_of(f), f, f->addr, out);
	put_offset(f, out);
	if (!f->symbol && f->dso != ID_NONE && f->addr != line) {
		buf_adds(out, " (");
		report_places_short_name(&r->model->dsos.v[f->dso], out);
		buf_addc(out, ')');
	}
	return true;
}

/* Of branches, which a row that is none does not have. */
static bool put_branch(const struct perf_branch_entry *b, enum sample_key_kind kind,
		       struct symboliser *r, const struct session_sample *s, struct buf *out)
{
	if (!b) {
		buf_adds(out, "N/A");
		return true;
	}
	switch (kind) {
	case KEY_DSO_FROM:
		return put_dso(r, s, b->from, out);
	case KEY_DSO_TO:
		return put_dso(r, s, b->to, out);
	case KEY_SYMBOL_FROM:
		return put_function(r, s, b->from, out);
	case KEY_SYMBOL_TO:
		return put_function(r, s, b->to, out);
	case KEY_SRCLINE_FROM:
		return put_srcline(r, s, b->from, out);
	case KEY_SRCLINE_TO:
		return put_srcline(r, s, b->to, out);
	case KEY_ADDR_FROM:
		return put_end(r, s, b->from, out);
	case KEY_ADDR_TO:
		return put_end(r, s, b->to, out);
	case KEY_MISPREDICT:
		buf_adds(out, b->predicted ? "N" : b->mispred ? "Y" : "N/A");
		return true;
	case KEY_ABORT:
		buf_addc(out, b->abort ? 'A' : '.');
		return true;
	case KEY_IN_TX:
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

static bool put_memory(enum sample_key_kind kind, struct symboliser *r,
		       const struct session_sample *s, struct buf *out)
{
	const struct sample *v = s->sample;

	switch (kind) {
	case KEY_SYMBOL_DADDR:
		return put_access(r, s, v->addr, true, out);
	case KEY_DSO_DADDR:
		return put_dso(r, s, v->addr, out);
	case KEY_SYMBOL_IADDR:
		return put_access(r, s, v->ip, false, out);
	case KEY_DCACHELINE:
		return put_cacheline(r, s, out);
	case KEY_LOCKED:
		data_src_text_lock(v->data_src, out);
		return true;
	case KEY_TLB:
		data_src_text_tlb(v->data_src, out);
		return true;
	case KEY_MEM:
		data_src_text_level(v->data_src, out);
		return true;
	case KEY_SNOOP:
		data_src_text_snoop(v->data_src, out);
		return true;
	case KEY_BLOCKED:
		data_src_text_blocks(v->data_src, out);
		return true;
	case KEY_PHYS_DADDR:
		buf_adds(out, "[.] ");
		put_address(v->phys_addr, out);
		return true;
	default:
		data_src_text_page_size(v->data_page_size, out);
		return true;
	}
}

static bool is_parent(const struct sample_values *v, u32 i)
{
	const char *name = v->session->symboliser->frames.v[v->frames.v[i]].symbol;

	return name && !regexec(v->options.parent, name, 0, NULL, 0);
}

/* Where on the stack it is; ID_NONE: nowhere. False when memory is out. */
static bool find_parent(struct sample_values *v, const struct session_sample *s, u32 *at)
{
	u32 i;

	*at = ID_NONE;
	v->frames.nr = 0;
	if (!v->options.parent)
		return true;
	if (!symboliser_chain(v->session->symboliser, s->thread, s->sample, &v->frames))
		return false;
	for (i = 0; i < v->frames.nr && (*at == ID_NONE || v->options.outermost); i++)
		if (is_parent(v, i))
			*at = i;
	return true;
}

int sample_values_has_parent(struct sample_values *v, const struct session_sample *s,
			     struct err *err)
{
	u32 at;

	return find_parent(v, s, &at) ? at != ID_NONE : err_nomem(err);
}

static bool put_parent(struct sample_values *v, const struct session_sample *s, struct buf *out)
{
	const char *name = "[other]";
	u32 at;

	if (!find_parent(v, s, &at))
		return false;
	if (at != ID_NONE)
		name = v->session->symboliser->frames.v[v->frames.v[at]].symbol;
	text_escape(out, name, strlen(name));
	return true;
}

bool sample_values_rare_put(struct sample_values *v, enum sample_key_kind kind,
			    const struct session_sample *s, struct buf *out)
{
	struct symboliser *symboliser = v->session->symboliser;

	if (sample_key_is_of_branch(kind))
		return put_branch(v->branch, kind, symboliser, s, out);
	if (sample_key_is_of_memory(kind))
		return put_memory(kind, symboliser, s, out);
	switch (kind) {
	case KEY_PARENT:
		return put_parent(v, s, out);
	case KEY_CODE_PAGE_SIZE:
		data_src_text_page_size(s->sample->code_page_size, out);
		return true;
	default:
		buf_addf(out, "0x%llx", (unsigned long long)s->sample->ip);
		return true;
	}
}

u64 sample_values_cost(enum sample_key_kind kind, const struct session_sample *s)
{
	switch (kind) {
	case KEY_LOCAL_WEIGHT:
	case KEY_WEIGHT:
		return sample_weight(&s->desc->layout, s->sample);
	case KEY_LOCAL_INS_LAT:
	case KEY_INS_LAT:
		return sample_weight_instruction(&s->desc->layout, s->sample);
	case KEY_LOCAL_P_STAGE_CYC:
	case KEY_P_STAGE_CYC:
		return sample_weight_stage(&s->desc->layout, s->sample);
	default:
		return s->sample->transaction;
	}
}

/* "TX SYNC CON :12": the number is the code of an abort. */
void sample_values_put_transaction(u64 value, struct buf *out)
{
	static const struct {
		u64 flag;
		const char *word;
	} words[] = {
		{PERF_TXN_ELISION, "EL "},
		{PERF_TXN_TRANSACTION, "TX "},
		{PERF_TXN_SYNC, "SYNC "},
		{PERF_TXN_ASYNC, "ASYNC "},
		{PERF_TXN_RETRY, "RETRY "},
		{PERF_TXN_CONFLICT, "CON "},
		{PERF_TXN_CAPACITY_WRITE, "CAP-WRITE "},
		{PERF_TXN_CAPACITY_READ, "CAP-READ "},
	};
	u64 code = (value & PERF_TXN_ABORT_MASK) >> PERF_TXN_ABORT_SHIFT;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (value & words[i].flag)
			buf_adds(out, words[i].word);
	if (value && !(value & (PERF_TXN_SYNC | PERF_TXN_ASYNC)))
		buf_adds(out, "NEITHER ");
	if (code)
		buf_addf(out, ":%llx", (unsigned long long)code);
}
