// SPDX-License-Identifier: GPL-2.0
#include "util/format/script_text.h"

#include "util/base/text.h"
#include "util/profile/frame_text.h"
#include "util/profile/session.h"
#include "util/profile/task_names.h"
#include "util/record/data_src_text.h"
#include "util/record/sample_weight.h"

/*
 * the branches that the CPU took before a sample, newest first:
 * " 0x4005c8(/tmp/a)/0x4005dc(/tmp/a)/P/-/-/5/CALL ", from, to, predicted, transaction, abort, cycles, kind.
 *
 * Source: <linux/perf_event.h>, struct perf_branch_entry; the layout is perf's, which profile-guided
 * optimizers read.
 */

enum branch_ends {
	BRANCH_ADDRESSES,
	BRANCH_SYMBOLS,
	BRANCH_OFFSETS, /* in the files that are mapped there */
};

struct branch_options {
	enum branch_ends ends;
	bool dso;   /* the file behind each end */
	bool newer; /* 6.12: a blank before the file; one more part, how the branch was speculated */
};

/* The kind of branch: `type`, and `new_type` where that says so. */
static const char *kind(const struct perf_branch_entry *b)
{
	static const char *const kinds[] = {
		"",       "COND",      "UNCOND",   "IND",  "CALL", "IND_CALL", "RET",   "SYSCALL",
		"SYSRET", "COND_CALL", "COND_RET", "ERET", "IRQ",  "SERROR",   "NO_TX",
	};
	static const char *const more[] = {
		"FAULT_ALGN", "FAULT_DATA", "FAULT_INST", "ARCH_1",
		"ARCH_2",     "ARCH_3",     "ARCH_4",     "ARCH_5",
	};

	if (b->type < ARRAY_SIZE(kinds))
		return kinds[b->type];
	return b->new_type < ARRAY_SIZE(more) ? more[b->new_type] : "";
}

static const char *speculation(const struct perf_branch_entry *b)
{
	static const char *const names[] = {"-", "SPEC_WRONG_PATH", "NON_SPEC_CORRECT_PATH",
					    "SPEC_CORRECT_PATH"};

	return names[b->spec];
}

static int put_end(struct symboliser *r, const struct session_sample *s, u64 addr,
		   const struct branch_options *o, struct buf *out, struct err *err)
{
	u16 cpumode = addr >> 63 ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
	const struct frame *f = NULL;
	u32 id;

	if (o->ends != BRANCH_ADDRESSES || o->dso) {
		id = symboliser_address(r, s->thread, cpumode, addr);
		if (id == ID_NONE)
			return err_nomem(err);
		f = &r->frames.v[id];
	}
	if (o->ends == BRANCH_SYMBOLS) {
		frame_text_symbol(f, true, out);
	} else {
		buf_adds(out, "0x");
		buf_hex(out, o->ends == BRANCH_OFFSETS ? f->addr : addr, 0);
	}
	if (o->dso) {
		buf_adds(out, o->newer ? " (" : "(");
		frame_text_dso(r->model, f, false, out);
		buf_addc(out, ')');
	}
	return 0;
}

static void put_flags(const struct perf_branch_entry *b, bool with_speculation, struct buf *out)
{
	buf_addf(out, "/%c/%c/%c/%u/%s",
		 b->predicted ? 'P'
		 : b->mispred ? 'M'
			      : '-',
		 b->in_tx ? 'X' : '-', b->abort ? 'A' : '-', (unsigned int)b->cycles, kind(b));
	if (with_speculation)
		buf_addf(out, "/%s", speculation(b));
	buf_addc(out, ' ');
}

static int branch_text(struct symboliser *r, const struct session_sample *s,
		       const struct branch_options *o, struct buf *out, struct err *err)
{
	const struct perf_branch_entry *b = s->sample->branch;
	u64 i;
	int ret;

	for (i = 0; i < s->sample->branch_nr; i++, b++) {
		if (o->ends != BRANCH_SYMBOLS)
			buf_addc(out, ' ');
		ret = put_end(r, s, b->from, o, out, err);
		if (ret)
			return ret;
		buf_addc(out, '/');
		ret = put_end(r, s, b->to, o, out, err);
		if (ret)
			return ret;
		put_flags(b, o->newer, out);
	}
	return 0;
}

/* perf gives the words for a data source what the number leaves of 99 characters. */
#define DATA_SRC_MAX 82

static bool has(u64 on, enum field f)
{
	return on & FIELD_BIT(f);
}

static void put_data_src(struct rare_fields *r, u64 data_src, struct buf *out)
{
	size_t at;

	buf_hex(out, data_src, 16);
	buf_addc(out, ' ');
	at = out->len;
	data_src_text(data_src, out);
	if (out->failed)
		return;
	out->len = MIN(out->len, at + DATA_SRC_MAX);
	r->data_src_width = MAX(r->data_src_width, (u32)(out->len - at));
	buf_pad(out, ' ', r->data_src_width - (out->len - at));
}

void rare_fields_before_ip(struct rare_fields *r, u64 on, const struct session_sample *s,
			   struct buf *out)
{
	u64 weight = s->sample->weight;

	if (has(on, FIELD_DATA_SRC))
		put_data_src(r, s->sample->data_src, out);
	if (has(on, FIELD_WEIGHT))
		buf_dec(out, sample_weight(&s->desc->layout, s->sample), 16);
	if (has(on, FIELD_INS_LAT))
		buf_dec(out, (u16)(weight >> 32), 16);
	if (has(on, FIELD_RETIRE_LAT))
		buf_dec(out, (u16)(weight >> 48), 16);
}

static void put_regs(const struct arch *a, const struct sample_regs *r, struct buf *out)
{
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

static int put_branches(const struct rare_fields *r, u64 on, const struct session_sample *s,
			struct buf *out, struct err *err)
{
	const struct branch_options o = {
		.ends = has(on, FIELD_BRSTACK)      ? BRANCH_ADDRESSES
			: has(on, FIELD_BRSTACKSYM) ? BRANCH_SYMBOLS
			: r->six_one ? BRANCH_ADDRESSES /* its offsets are addresses */
				     : BRANCH_OFFSETS,
		.dso = has(on, FIELD_DSO),
		.newer = !r->six_one,
	};

	return branch_text(r->symboliser, s, &o, out, err);
}

static void put_bpf_output(const struct sample *s, struct buf *out)
{
	u32 i, j, n;

	for (i = 0; i < s->raw_size; i += 8) {
		n = MIN(8u, s->raw_size - i);
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

static void put_cgroup(const struct rare_fields *r, u64 id, struct buf *out)
{
	size_t len;
	const char *path = r->cgroups ? cgroup_names_find(r->cgroups, id, &len) : NULL;

	buf_addc(out, ' ');
	if (path)
		text_escape(out, path, len);
	else
		buf_adds(out, "unknown");
}

int rare_fields_behind_ip(struct rare_fields *r, u64 on, const struct session_sample *s,
			  struct buf *out, struct err *err)
{
	const struct sample *v = s->sample;
	int ret;

	if (has(on, FIELD_IREGS))
		put_regs(r->symboliser->arch, &v->regs_intr, out);
	if (has(on, FIELD_UREGS))
		put_regs(r->symboliser->arch, &v->regs_user, out);
	if (has(on, FIELD_BRSTACK) || has(on, FIELD_BRSTACKSYM) || has(on, FIELD_BRSTACKOFF)) {
		ret = put_branches(r, on, s, out, err);
		if (ret)
			return ret;
	}
	if (has(on, FIELD_BPF_OUTPUT) && s->desc->attr.type == PERF_TYPE_SOFTWARE &&
	    s->desc->attr.config == PERF_COUNT_SW_BPF_OUTPUT)
		put_bpf_output(v, out);
	if (has(on, FIELD_PHYS_ADDR))
		buf_hex(out, v->phys_addr, 16);
	if (has(on, FIELD_DATA_PAGE_SIZE)) {
		buf_addc(out, ' ');
		data_src_text_page_size(v->data_page_size, out);
	}
	if (has(on, FIELD_CODE_PAGE_SIZE)) {
		buf_addc(out, ' ');
		data_src_text_page_size(v->code_page_size, out);
	}
	if (has(on, FIELD_CGROUP))
		put_cgroup(r, v->cgroup, out);
	return 0;
}
