// SPDX-License-Identifier: GPL-2.0
#include "util/record/sample_layout.h"

/* The fields before the id, in their order in a sample; each is one u64. */
static const u64 before_id[] = {PERF_SAMPLE_IP, PERF_SAMPLE_TID, PERF_SAMPLE_TIME,
				PERF_SAMPLE_ADDR};
/* The fields before the counts, the call chain and the raw data, in their order: one u64 each. */
#define WORDS                                                                           \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |  \
	 PERF_SAMPLE_PERIOD)
/* The fields behind the raw data, all rare. */
#define RARE                                                                            \
	(PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER |    \
	 PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_DATA_SRC |        \
	 PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_PHYS_ADDR |      \
	 PERF_SAMPLE_CGROUP | PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE | \
	 PERF_SAMPLE_AUX)
/* The sample_id trailer, in its order. */
static const u64 trailer[] = {PERF_SAMPLE_TID,       PERF_SAMPLE_TIME, PERF_SAMPLE_ID,
			      PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU,  PERF_SAMPLE_IDENTIFIER};

void sample_layout_init(struct sample_layout *p, const struct perf_event_attr *attr)
{
	u64 type = attr->sample_type;
	size_t i;

	*p = (struct sample_layout){
		.sample_type = type,
		.has = type | PERF_SAMPLE_PERIOD,
		.derive = {.tid_at = -1, .period_at = -1},
		.read_format = attr->read_format,
		.regs_user = attr->sample_regs_user,
		.regs_intr = attr->sample_regs_intr,
		.branch_type = attr->branch_sample_type,
		.period = attr->sample_period,
		.id_all = attr->sample_id_all,
		.words_size = 8 * (u32)__builtin_popcountll(type & WORDS),
		.time_at = -1,
		.sample_id = -1,
		.other_id = -1,
	};
	if (type & PERF_SAMPLE_TIME)
		p->time_at = 8 * __builtin_popcountll(type & (PERF_SAMPLE_IDENTIFIER |
							      PERF_SAMPLE_IP | PERF_SAMPLE_TID));
	if (type & PERF_SAMPLE_CALLCHAIN)
		p->has |= PERF_SAMPLE_IP;
	if (type & PERF_SAMPLE_IDENTIFIER) {
		p->sample_id = 0;
		p->other_id = 8;
	} else if (type & PERF_SAMPLE_ID) {
		p->sample_id = 0;
		for (i = 0; i < ARRAY_SIZE(before_id); i++)
			p->sample_id += type & before_id[i] ? 8 : 0;
		p->other_id = 8;
		p->other_id += type & PERF_SAMPLE_STREAM_ID ? 8 : 0;
		p->other_id += type & PERF_SAMPLE_CPU ? 8 : 0;
	}
	if (!p->id_all)
		p->other_id = -1;
	for (i = 0; p->id_all && i < ARRAY_SIZE(trailer); i++)
		p->id_size += type & trailer[i] ? 8 : 0;
}

static void read_tid(struct cur *c, struct rec_ids *ids)
{
	ids->pid = cur_u32(c);
	ids->tid = cur_u32(c);
}

static void read_cpu(struct cur *c, struct rec_ids *ids)
{
	ids->cpu = cur_u32(c);
	cur_u32(c);
}

/*
 * The offset of the trailer in the body. Kernels let records of these types grow from one ring to the
 * next, by a trailer each time: what follows the true one is left over from older records.
 */
static size_t trailer_at(const struct rec *rec, size_t id_size)
{
	struct cur c = rec_body(rec);
	size_t size = cur_left(&c), at = size - id_size;

	if (rec->type == PERF_RECORD_BPF_EVENT) {
		at = 16;
	} else if (rec->type == PERF_RECORD_KSYMBOL && size > 16) {
		cur_skip(&c, 16);
		at = 16 + strnlen((const char *)cur_bytes(&c, size - 16), size - 16) + 1;
		at = ALIGN_UP(at, 8);
	} else if (rec->type == PERF_RECORD_TEXT_POKE && size > 12) {
		cur_skip(&c, 8);
		at = 12 + cur_u16(&c);
		at = ALIGN_UP(at + cur_u16(&c), 8);
	}
	return MIN(at, size - id_size);
}

bool sample_layout_ids(const struct sample_layout *p, const struct rec *rec, struct rec_ids *ids)
{
	struct cur c = rec_body(rec);
	u64 type = p->sample_type;

	*ids = (struct rec_ids){.cpu = ID_NONE};
	if (!p->id_size)
		return true;
	if (cur_left(&c) < p->id_size)
		return false;
	cur_skip(&c, trailer_at(rec, p->id_size));
	ids->has = (u32)(type & (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
				 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER));
	if (type & PERF_SAMPLE_TID)
		read_tid(&c, ids);
	if (type & PERF_SAMPLE_TIME)
		ids->time = cur_u64(&c);
	if (type & PERF_SAMPLE_ID)
		ids->id = cur_u64(&c);
	if (type & PERF_SAMPLE_STREAM_ID)
		ids->stream_id = cur_u64(&c);
	if (type & PERF_SAMPLE_CPU)
		read_cpu(&c, ids);
	if (type & PERF_SAMPLE_IDENTIFIER)
		ids->id = cur_u64(&c);
	return !c.bad;
}

u32 sample_layout_switch_pid(const struct sample_layout *p, const struct rec *rec)
{
	struct rec_ids ids;

	if (rec->type != PERF_RECORD_SWITCH && rec->type != PERF_RECORD_SWITCH_CPU_WIDE)
		return ID_NONE;
	return sample_layout_ids(p, rec, &ids) && ids.has & PERF_SAMPLE_TID ? ids.pid : ID_NONE;
}

u64 sample_layout_time_other(const struct sample_layout *p, const struct rec *rec)
{
	struct rec_ids ids;

	return sample_layout_ids(p, rec, &ids) ? ids.time : 0;
}

/* `n` u64 in place: records are 8-byte aligned and so is every array in them. */
static const u64 *read_u64s(struct cur *c, u64 n)
{
	if (n > cur_left(c) / 8) {
		c->bad = true;
		return NULL;
	}
	return cur_bytes(c, n * 8);
}

static void read_counts(const struct sample_layout *p, struct cur *c, struct sample *s)
{
	u64 f = p->read_format;
	struct cur start = *c;
	u64 nr = 1, each;

	each = 1 + !!(f & PERF_FORMAT_ID) + !!(f & PERF_FORMAT_LOST);
	if (f & PERF_FORMAT_GROUP)
		nr = cur_u64(c);
	cur_skip(c, (size_t)8 * (!!(f & PERF_FORMAT_TOTAL_TIME_ENABLED) +
				 !!(f & PERF_FORMAT_TOTAL_TIME_RUNNING)));
	if (nr > cur_left(c) / 8)
		c->bad = true;
	else
		read_u64s(c, nr * each);
	start.end = c->p;
	s->read = start;
}

static void read_regs(struct cur *c, u64 mask, struct sample_regs *r)
{
	r->abi = cur_u64(c);
	r->mask = mask;
	if (r->abi != PERF_SAMPLE_REGS_ABI_NONE)
		r->reg = read_u64s(c, (u64)__builtin_popcountll(mask));
}

static void read_branches(const struct sample_layout *p, struct cur *c, struct sample *s)
{
	s->branch_nr = cur_u64(c);
	if (p->branch_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		s->branch_hw_idx = cur_u64(c);
	if (s->branch_nr > cur_left(c) / sizeof(*s->branch))
		c->bad = true;
	else
		s->branch = cur_bytes(c, s->branch_nr * sizeof(*s->branch));
	if (p->branch_type & SAMPLE_BRANCH_COUNTERS)
		cur_bytes(c, s->branch_nr * sizeof(u64));
	if (!s->branch)
		s->branch_nr = 0;
}

static void read_raw(struct cur *c, struct sample *s)
{
	s->raw_size = cur_u32(c);
	s->raw = cur_bytes(c, s->raw_size);
	/* size + 4 is a multiple of 8 in every kernel's record; be safe with others' files */
	cur_skip(c, (8 - (s->raw_size + 4) % 8) % 8);
}

static void read_stack(struct cur *c, struct sample *s)
{
	u64 valid;

	s->stack_size = cur_u64(c);
	s->stack = cur_bytes(c, s->stack_size);
	if (!s->stack_size)
		return;
	valid = cur_u64(c);
	s->stack_dyn_size = MIN(valid, s->stack_size);
}

static void read_rare(const struct sample_layout *p, struct cur *c, struct sample *s)
{
	u64 type = p->sample_type;

	if (type & PERF_SAMPLE_BRANCH_STACK)
		read_branches(p, c, s);
	if (type & PERF_SAMPLE_REGS_USER)
		read_regs(c, p->regs_user, &s->regs_user);
	if (type & PERF_SAMPLE_STACK_USER)
		read_stack(c, s);
	if (type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))
		s->weight = cur_u64(c);
	if (type & PERF_SAMPLE_DATA_SRC)
		s->data_src = cur_u64(c);
	if (type & PERF_SAMPLE_TRANSACTION)
		s->transaction = cur_u64(c);
	if (type & PERF_SAMPLE_REGS_INTR)
		read_regs(c, p->regs_intr, &s->regs_intr);
	if (type & PERF_SAMPLE_PHYS_ADDR)
		s->phys_addr = cur_u64(c);
	if (type & PERF_SAMPLE_CGROUP)
		s->cgroup = cur_u64(c);
	if (type & PERF_SAMPLE_DATA_PAGE_SIZE)
		s->data_page_size = cur_u64(c);
	if (type & PERF_SAMPLE_CODE_PAGE_SIZE)
		s->code_page_size = cur_u64(c);
	if (type & PERF_SAMPLE_AUX)
		cur_skip(c, cur_u64(c));
}

static bool first_address(const struct sample *s, u64 *ip)
{
	u32 i;

	for (i = 0; i < s->chain_nr; i++) {
		if (s->chain[i] >= (u64)PERF_CONTEXT_MAX)
			continue;
		*ip = s->chain[i];
		return true;
	}
	return false;
}

/* Derive what the sample does not carry from other parts of it, or from its ring. */
static void derive(const struct sample_layout *p, const struct rec *rec, struct sample *s)
{
	u64 missing = ~p->sample_type;
	u32 at = (u32)p->derive.tid_at;

	s->ids.has |= PERF_SAMPLE_PERIOD;
	if (missing & PERF_SAMPLE_CPU && rec->cpu != ID_NONE) {
		s->ids.cpu = rec->cpu;
		s->ids.has |= PERF_SAMPLE_CPU;
	}
	if (missing & PERF_SAMPLE_IP && first_address(s, &s->ip))
		s->ids.has |= PERF_SAMPLE_IP;
	if (missing & PERF_SAMPLE_TID && p->derive.tid_at >= 0) {
		if (s->raw_size < sizeof(u32) || at > s->raw_size - sizeof(u32))
			return;
		memcpy(&s->ids.tid, s->raw + at, sizeof(u32));
		s->ids.has |= PERF_SAMPLE_TID;
	}
}

/* One by one: a loop, or the instruction that the compiler takes for so many bytes, costs more than all the rest. */
static void clear(struct sample *s)
{
	s->ids.pid = s->ids.tid = ID_NONE;
	s->ids.time = s->ids.id = s->ids.stream_id = 0;
	s->ids.cpu = ID_NONE;
	s->ip = s->addr = 0;
	s->chain = NULL;
	s->chain_nr = s->raw_size = s->calls_from = 0;
	s->kernel_chain = s->by_program = s->in_kernel = false;
	s->raw = NULL;
	s->read = (struct cur){0};
	s->branch_nr = s->branch_hw_idx = 0;
	s->branch = NULL;
	s->regs_user = s->regs_intr = (struct sample_regs){0};
	s->stack = NULL;
	s->stack_size = s->stack_dyn_size = 0;
	s->weight = s->data_src = s->transaction = s->phys_addr = s->cgroup = 0;
	s->data_page_size = s->code_page_size = 0;
}

/* What WORDS has: all of them are there. */
static void read_words(u64 type, const u64 *w, struct sample *s)
{
	if (type & PERF_SAMPLE_IDENTIFIER)
		s->ids.id = *w++;
	if (type & PERF_SAMPLE_IP)
		s->ip = *w++;
	if (type & PERF_SAMPLE_TID) {
		memcpy(&s->ids.pid, w, sizeof(u32));
		memcpy(&s->ids.tid, (const u8 *)w++ + sizeof(u32), sizeof(u32));
	}
	if (type & PERF_SAMPLE_TIME)
		s->ids.time = *w++;
	if (type & PERF_SAMPLE_ADDR)
		s->addr = *w++;
	if (type & PERF_SAMPLE_ID)
		s->ids.id = *w++;
	if (type & PERF_SAMPLE_STREAM_ID)
		s->ids.stream_id = *w++;
	if (type & PERF_SAMPLE_CPU)
		memcpy(&s->ids.cpu, w++, sizeof(u32));
	if (type & PERF_SAMPLE_PERIOD)
		s->period = *w;
}

bool sample_layout_sample(const struct sample_layout *p, const struct rec *rec, struct sample *s)
{
	struct cur c = rec_body(rec);
	u64 type = p->sample_type, nr;
	const u64 *words = cur_bytes(&c, p->words_size);

	clear(s);
	s->misc = rec->misc;
	s->period = p->period;
	s->ids.has = (u32)type;
	if (!words)
		return false;
	read_words(type, words, s);
	if (type & PERF_SAMPLE_READ)
		read_counts(p, &c, s);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		nr = cur_u64(&c);
		s->chain = read_u64s(&c, nr);
		s->chain_nr = s->chain ? (u32)nr : 0;
		s->kernel_chain = p->kernel_chains;
		s->by_program = p->derive.by_program;
	}
	if (type & PERF_SAMPLE_RAW)
		read_raw(&c, s);
	if (type & RARE)
		read_rare(p, &c, s);
	if (p->has & ~type && !c.bad)
		derive(p, rec, s);
	return !c.bad;
}
