/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sample_layout.h - how to read the records of one event: made once from its attr, used for every record.
 *
 * Decoding copies the scalars and points into the record for the rest (call chain, raw data,
 * registers, stack), so a struct sample lives as long as its record.
 *
 * What a sample does not carry is derived where that is sure: its CPU from the ring (rec.cpu), its
 * ip from the first address of its call chain, its tid from raw data (sample_layout_derive), its period from
 * the attr. The pid of a derived tid is not known here: ids.pid is ID_NONE, and the process model
 * has it.
 *
 * Source: <linux/perf_event.h>, the comments at PERF_RECORD_SAMPLE and struct sample_id.
 */
#ifndef RECORD_SAMPLE_LAYOUT_H
#define RECORD_SAMPLE_LAYOUT_H

#include "util/base/err.h"
#include "util/record/chain.h"
#include "util/record/rec.h"

/*
 * What the raw data of a tracepoint says that its samples need not: common_pid is the tid (outside
 * of pid namespaces). A few tracepoints count one of their fields up, not their hits. Samples of
 * these have to carry their period: without it the kernel makes one sample of each period that
 * fits into the field, hundreds of thousands of one hit.
 */
struct sample_layout_derive {
	s32 tid_at;    /* byte of common_pid in the raw data, -1: none */
	s32 period_at; /* byte of the field that is counted, -1: hits are */
	bool by_program; /* a BPF program made the samples: call chains begin with it, and what ran it */
};

struct sample_layout {
	u64 sample_type;
	u64 has; /* what decoded samples have, recorded or derived: PERF_SAMPLE_* */
	struct sample_layout_derive derive;
	u64 read_format;
	u64 regs_user, regs_intr; /* register masks */
	u64 branch_type;
	u64 period;     /* of every sample, where samples have none of their own */
	u32 words_size; /* bytes of the fields before the counts, the call chain and the raw data */
	s32 time_at;    /* byte of the time in a sample's body, -1: not recorded */
	bool kernel_chains; /* call chains are the kernel's: what looks like a mark (chain.h) is none */
	bool id_all;        /* non-sample records carry a sample_id trailer */
	u32 id_size;        /* bytes of that trailer, 0 if there is none */
	s32 sample_id;      /* byte of the event's id in a sample's body, -1: not recorded */
	s32 other_id; /* bytes from the end of another record back to the id, -1: not recorded */
};

struct sample_regs {
	u64 abi;        /* PERF_SAMPLE_REGS_ABI_* */
	u64 mask;       /* which registers, in rising order */
	const u64 *reg; /* one per bit of mask; NULL if abi is NONE */
};

struct sample_value {
	u64 value, id, lost;
};

/* Of attr.branch_sample_type, for headers older than Linux 6.8: behind the entries, a u64 for each says what occurred before it. */
#define SAMPLE_BRANCH_COUNTERS (1ull << 19)

struct sample {
	struct rec_ids ids;
	u16 misc;
	u64 ip, addr, period;
	const u64 *chain; /* addresses and PERF_CONTEXT_* markers, leaf first */
	u32 chain_nr;
	u32 calls_from; /* from chain[calls_from] on they are of calls, no return addresses; 0: none are */
	bool kernel_chain; /* as of struct sample_layout */
	bool by_program;   /* as of struct sample_layout_derive */
	bool in_kernel; /* the call chain begins in the kernel, without a mark (symboliser_drop_program()) */
	u32 raw_size;
	const u8 *raw;
	struct cur read; /* the read_format values as they are */
	u64 branch_nr, branch_hw_idx;
	const struct perf_branch_entry
		*branch; /* of SAMPLE_BRANCH_COUNTERS, with their counters behind them */
	struct sample_regs regs_user, regs_intr;
	const u8 *stack;
	u64 stack_size, stack_dyn_size; /* bytes copied, bytes of them that are valid */
	u64 weight, data_src, transaction, phys_addr, cgroup;
	u64 data_page_size, code_page_size;
};

static inline const u64 *sample_branch_counters(const struct sample *s)
{
	return (const u64 *)(s->branch + s->branch_nr);
}

void sample_layout_init(struct sample_layout *p, const struct perf_event_attr *attr);

/* Was the user half of its chain unwound, up to an end that is known? */
static inline bool sample_is_unwound(const struct sample *s)
{
	return !s->kernel_chain && s->chain_nr && chain_is_end(s->chain[s->chain_nr - 1]);
}

/* False if the record is shorter than the layout says. */
bool sample_layout_sample(const struct sample_layout *p, const struct rec *rec, struct sample *s);

/* The trailer of a record that is not a sample. False (and zeros) if it does not fit. */
bool sample_layout_ids(const struct sample_layout *p, const struct rec *rec, struct rec_ids *ids);

u64 sample_layout_time_other(const struct sample_layout *p, const struct rec *rec);

/*
 * Is the sample of that process? Of 0 none is. Samples that do not hold their process have passed a
 * filter in the kernel instead.
 */
static inline bool sample_layout_is_of(const struct sample_layout *p, const struct rec *rec,
				       u32 pid)
{
	struct cur c = rec_body(rec);

	if (!pid || !(p->sample_type & PERF_SAMPLE_TID))
		return false;
	cur_skip(&c, p->sample_type & PERF_SAMPLE_IDENTIFIER ? 8 : 0);
	cur_skip(&c, p->sample_type & PERF_SAMPLE_IP ? 8 : 0);
	return cur_u32(&c) == pid;
}

/* The process of a record of a context switch; ID_NONE: the record is none, or says none. */
u32 sample_layout_switch_pid(const struct sample_layout *p, const struct rec *rec);

/* Time alone, of any record, for sorting; 0 if it has none. */
static inline u64 sample_layout_time(const struct sample_layout *p, const struct rec *rec)
{
	size_t at = sizeof(struct perf_event_header) + (size_t)p->time_at;
	u64 time;

	if (rec->type != PERF_RECORD_SAMPLE)
		return sample_layout_time_other(p, rec);
	if (p->time_at < 0 || at + sizeof(time) > rec->size)
		return 0;
	memcpy(&time, rec->data + at, sizeof(time));
	return time;
}

#endif
