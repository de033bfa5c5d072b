// SPDX-License-Identifier: GPL-2.0
#include "util/format/branch_text.h"

#include "util/format/frame_text.h"

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

int branch_text(struct symboliser *r, const struct session_sample *s,
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
