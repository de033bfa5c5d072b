// SPDX-License-Identifier: GPL-2.0
#include "util/record/attr_text.h"

struct put {
	struct buf *out;
	const char *is;
	bool any;
};

static void put_name(struct put *p, const char *name)
{
	buf_addf(p->out, "%s%s%s", p->any ? ", " : "", name, p->is);
	p->any = true;
}

static void put_dec(struct put *p, const char *name, u64 v)
{
	if (!v)
		return;
	put_name(p, name);
	buf_dec(p->out, v, 0);
}

static void put_hex(struct put *p, const char *name, u64 v)
{
	if (!v)
		return;
	put_name(p, name);
	buf_adds(p->out, "0x");
	buf_hex(p->out, v, 0);
}

/* A bit and its name, in the order in which they are shown. */
struct bit {
	u32 bit;
	const char *name;
};

/* The names of the bits that are set, as "IP|TID". */
static void put_named(struct put *p, const char *name, u64 v, const struct bit *bits, u32 nr)
{
	bool first = true;
	u32 i;

	if (!v)
		return;
	put_name(p, name);
	for (i = 0; i < nr; i++) {
		if (!(v >> bits[i].bit & 1))
			continue;
		buf_addf(p->out, "%s%s", first ? "" : "|", bits[i].name);
		first = false;
	}
}

/* Likewise, of bits in their own order. */
static void put_bits(struct put *p, const char *name, u64 v, const char *const *names, u32 nr)
{
	struct bit bits[32];
	u32 i;

	for (i = 0; i < nr && i < ARRAY_SIZE(bits); i++)
		bits[i] = (struct bit){i, names[i]};
	put_named(p, name, v, bits, i);
}

static const struct bit sample_bits[] = {
	{0, "IP"},
	{1, "TID"},
	{2, "TIME"},
	{3, "ADDR"},
	{4, "READ"},
	{5, "CALLCHAIN"},
	{6, "ID"},
	{7, "CPU"},
	{8, "PERIOD"},
	{9, "STREAM_ID"},
	{10, "RAW"},
	{11, "BRANCH_STACK"},
	{12, "REGS_USER"},
	{13, "STACK_USER"},
	{16, "IDENTIFIER"},
	{18, "REGS_INTR"},
	{15, "DATA_SRC"},
	{14, "WEIGHT"},
	{17, "TRANSACTION"},
	{19, "PHYS_ADDR"},
	{20, "AUX"},
	{21, "CGROUP"},
	{22, "DATA_PAGE_SIZE"},
	{23, "CODE_PAGE_SIZE"},
	{24, "WEIGHT_STRUCT"},
};

static const char *const read_bits[] = {
	"TOTAL_TIME_ENABLED", "TOTAL_TIME_RUNNING", "ID", "GROUP", "LOST",
};

static const char *const branch_bits[] = {
	"USER",     "KERNEL",    "HV",        "ANY",      "ANY_CALL",   "ANY_RETURN", "IND_CALL",
	"ABORT_TX", "IN_TX",     "NO_TX",     "COND",     "CALL_STACK", "IND_JUMP",   "CALL",
	"NO_FLAGS", "NO_CYCLES", "TYPE_SAVE", "HW_INDEX", "PRIV_SAVE",  "COUNTERS",
};

static void put_flags(struct put *p, const struct perf_event_attr *a)
{
	put_dec(p, "disabled", a->disabled);
	put_dec(p, "inherit", a->inherit);
	put_dec(p, "pinned", a->pinned);
	put_dec(p, "exclusive", a->exclusive);
	put_dec(p, "exclude_user", a->exclude_user);
	put_dec(p, "exclude_kernel", a->exclude_kernel);
	put_dec(p, "exclude_hv", a->exclude_hv);
	put_dec(p, "exclude_idle", a->exclude_idle);
	put_dec(p, "mmap", a->mmap);
	put_dec(p, "comm", a->comm);
	put_dec(p, "freq", a->freq);
	put_dec(p, "inherit_stat", a->inherit_stat);
	put_dec(p, "enable_on_exec", a->enable_on_exec);
	put_dec(p, "task", a->task);
	put_dec(p, "watermark", a->watermark);
	put_dec(p, "precise_ip", a->precise_ip);
	put_dec(p, "mmap_data", a->mmap_data);
	put_dec(p, "sample_id_all", a->sample_id_all);
	put_dec(p, "exclude_host", a->exclude_host);
	put_dec(p, "exclude_guest", a->exclude_guest);
	put_dec(p, "exclude_callchain_kernel", a->exclude_callchain_kernel);
	put_dec(p, "exclude_callchain_user", a->exclude_callchain_user);
	put_dec(p, "mmap2", a->mmap2);
	put_dec(p, "comm_exec", a->comm_exec);
	put_dec(p, "use_clockid", a->use_clockid);
	put_dec(p, "context_switch", a->context_switch);
	put_dec(p, "write_backward", a->write_backward);
	put_dec(p, "namespaces", a->namespaces);
	put_dec(p, "ksymbol", a->ksymbol);
	put_dec(p, "bpf_event", a->bpf_event);
	put_dec(p, "aux_output", a->aux_output);
	put_dec(p, "cgroup", a->cgroup);
	put_dec(p, "text_poke", a->text_poke);
	put_dec(p, "build_id", a->build_id);
	put_dec(p, "inherit_thread", a->inherit_thread);
	put_dec(p, "remove_on_exec", a->remove_on_exec);
	put_dec(p, "sigtrap", a->sigtrap);
}

void attr_text(const struct perf_event_attr *a, const char *is, struct buf *out)
{
	struct put p = {out, is, false};

	/* type and size are never left out */
	put_name(&p, "type");
	buf_dec(out, a->type, 0);
	put_dec(&p, "size", a->size);
	put_hex(&p, "config", a->config);
	put_dec(&p, "{ sample_period, sample_freq }", a->sample_period);
	put_named(&p, "sample_type", a->sample_type, sample_bits, ARRAY_SIZE(sample_bits));
	put_bits(&p, "read_format", a->read_format, read_bits, ARRAY_SIZE(read_bits));
	put_flags(&p, a);
	put_dec(&p, "{ wakeup_events, wakeup_watermark }", a->wakeup_events);
	put_dec(&p, "bp_type", a->bp_type);
	put_hex(&p, "{ bp_addr, config1 }", a->bp_addr);
	put_hex(&p, "{ bp_len, config2 }", a->bp_len);
	put_bits(&p, "branch_sample_type", a->branch_sample_type, branch_bits,
		 ARRAY_SIZE(branch_bits));
	put_hex(&p, "sample_regs_user", a->sample_regs_user);
	put_dec(&p, "sample_stack_user", a->sample_stack_user);
	if (a->clockid) {
		put_name(&p, "clockid");
		buf_sdec(out, a->clockid, 0);
	}
	put_hex(&p, "sample_regs_intr", a->sample_regs_intr);
	put_dec(&p, "aux_watermark", a->aux_watermark);
	put_dec(&p, "sample_max_stack", a->sample_max_stack);
	put_dec(&p, "aux_sample_size", a->aux_sample_size);
	put_dec(&p, "sig_data", a->sig_data);
}
