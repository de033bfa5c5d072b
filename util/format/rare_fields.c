// SPDX-License-Identifier: GPL-2.0
#include "util/format/rare_fields.h"

#include "util/base/text.h"
#include "util/format/branch_text.h"
#include "util/format/data_src_text.h"
#include "util/record/sample_weight.h"

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

void rare_fields_page_size(u64 size, struct buf *out)
{
	if (!size)
		buf_adds(out, "N/A");
	else if (size >= 1 << 20)
		buf_addf(out, "%lluM", (unsigned long long)size >> 20);
	else if (size >= 1 << 10)
		buf_addf(out, "%lluK", (unsigned long long)size >> 10);
	else
		buf_addf(out, "%lluB", (unsigned long long)size);
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
		rare_fields_page_size(v->data_page_size, out);
	}
	if (has(on, FIELD_CODE_PAGE_SIZE)) {
		buf_addc(out, ' ');
		rare_fields_page_size(v->code_page_size, out);
	}
	if (has(on, FIELD_CGROUP))
		put_cgroup(r, v->cgroup, out);
	return 0;
}
