// SPDX-License-Identifier: GPL-2.0
#include "util/file/foreign_order.h"

#include <errno.h>
#include <stdlib.h>

#include "util/record/deferred.h"

/* What is left of a record. As struct cur, reading past the end sets `bad` and changes nothing. */
struct span {
	u8 *p, *end;
	bool bad;
};

static u8 *bytes(struct span *s, u64 n)
{
	u8 *p = s->p;

	if (s->bad || n > (u64)(s->end - s->p)) {
		s->bad = true;
		return NULL;
	}
	s->p += n;
	return p;
}

static u64 word(struct span *s)
{
	u8 *p = bytes(s, sizeof(u64));
	u64 v;

	if (!p)
		return 0;
	memcpy(&v, p, sizeof(v));
	v = __builtin_bswap64(v);
	memcpy(p, &v, sizeof(v));
	return v;
}

static u32 half(struct span *s)
{
	u8 *p = bytes(s, sizeof(u32));
	u32 v;

	if (!p)
		return 0;
	memcpy(&v, p, sizeof(v));
	v = __builtin_bswap32(v);
	memcpy(p, &v, sizeof(v));
	return v;
}

static u16 quarter(struct span *s)
{
	u8 *p = bytes(s, sizeof(u16));
	u16 v;

	if (!p)
		return 0;
	memcpy(&v, p, sizeof(v));
	v = __builtin_bswap16(v);
	memcpy(p, &v, sizeof(v));
	return v;
}

static void words(struct span *s, u64 n)
{
	while (n-- && !s->bad)
		word(s);
}

static void halves(struct span *s, u32 n)
{
	while (n-- && !s->bad)
		half(s);
}

#define HOST_BIG_ENDIAN (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/* Bit-fields of one bit each: the first is the highest bit of the first byte instead of the lowest. */
static u64 reverse_bits_of_bytes(u64 v)
{
	v = (v >> 1 & 0x5555555555555555) | (v & 0x5555555555555555) << 1;
	v = (v >> 2 & 0x3333333333333333) | (v & 0x3333333333333333) << 2;
	return (v >> 4 & 0x0f0f0f0f0f0f0f0f) | (v & 0x0f0f0f0f0f0f0f0f) << 4;
}

/* The two bits of precise_ip, the only wider field of the attr, come out the wrong way round. */
static u64 attr_flags(u64 raw)
{
	const u32 at = HOST_BIG_ENDIAN ? 64 - 17 : 15;
	u64 v = reverse_bits_of_bytes(raw);
	u64 low = v >> at & 1, high = v >> (at + 1) & 1;

	v &= ~(3ull << at);
	return v | high << at | low << (at + 1);
}

void foreign_order_attr(struct perf_event_attr *a)
{
	struct span s = {.p = (u8 *)a, .end = (u8 *)a + sizeof(*a)};
	u64 flags;
	u8 *p;

	halves(&s, 2); /* type, size */
	words(&s, 4);  /* config, sample_period, sample_type, read_format */
	p = bytes(&s, sizeof(flags));
	memcpy(&flags, p, sizeof(flags));
	flags = attr_flags(flags);
	memcpy(p, &flags, sizeof(flags));
	halves(&s, 2); /* wakeup_events, bp_type */
	words(&s, 4);  /* config1, config2, branch_sample_type, sample_regs_user */
	halves(&s, 2); /* sample_stack_user, clockid */
	words(&s, 1);  /* sample_regs_intr */
	half(&s);      /* aux_watermark */
	quarter(&s);   /* sample_max_stack */
	quarter(&s);
	halves(&s, 2); /* aux_sample_size, aux_action */
	words(&s, (u64)(s.end - s.p) / 8);
}

struct perf_event_header foreign_order_header(struct perf_event_header h)
{
	return (struct perf_event_header){.type = __builtin_bswap32(h.type),
					  .misc = __builtin_bswap16(h.misc),
					  .size = __builtin_bswap16(h.size)};
}

static void swap_read(struct span *s, u64 format)
{
	u64 each = 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);
	u64 nr = format & PERF_FORMAT_GROUP ? word(s) : 1;

	words(s, !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
			 !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING));
	if (nr > (u64)(s->end - s->p) / 8)
		s->bad = true;
	else
		words(s, nr * each);
}

static void swap_regs(struct span *s, u64 mask)
{
	if (word(s) != PERF_SAMPLE_REGS_ABI_NONE)
		words(s, (u64)__builtin_popcountll(mask));
}

/* Fields of struct perf_branch_entry behind the addresses, by their widths from the first on. */
static u64 branch_flags(u64 raw)
{
	static const u8 widths[] = {1, 1, 1, 1, 16, 4, 2, 4, 3, 31};
	u64 v = __builtin_bswap64(raw), out = 0;
	u32 low = 0, i;

	for (i = 0; i < ARRAY_SIZE(widths); i++) {
		u32 high = 64 - low - widths[i];
		u32 from = HOST_BIG_ENDIAN ? low : high, to = HOST_BIG_ENDIAN ? high : low;

		out |= (v >> from & ((1ull << widths[i]) - 1)) << to;
		low += widths[i];
	}
	return out;
}

static void swap_branches(struct span *s, u64 branch_type)
{
	u64 nr = word(s), left = nr, flags;
	u8 *p;

	if (branch_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		word(s);
	while (left-- && !s->bad) {
		words(s, 2);
		p = bytes(s, sizeof(flags));
		if (!p)
			return;
		memcpy(&flags, p, sizeof(flags));
		flags = branch_flags(flags);
		memcpy(p, &flags, sizeof(flags));
	}
	if (branch_type & SAMPLE_BRANCH_COUNTERS)
		words(s, nr);
}

static void swap_raw(struct span *s, const struct raw_swap *raw)
{
	u32 size = half(s);
	u8 *p = bytes(s, size);

	if (p && raw)
		raw_swap(raw, p, size);
	bytes(s, (8 - (size + 4) % 8) % 8);
}

static void swap_stack(struct span *s)
{
	u64 size = word(s);

	bytes(s, size);
	if (size)
		word(s);
}

static void swap_ids(struct span *s, u64 type)
{
	if (type & PERF_SAMPLE_TID)
		halves(s, 2);
	words(s, (u64)__builtin_popcountll(type & (PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |
						   PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID)));
	if (type & PERF_SAMPLE_CPU)
		halves(s, 2);
}

static void swap_sample(struct span *s, const struct sample_layout *p, const struct raw_swap *raw)
{
	u64 type = p->sample_type;

	words(s, (u64)__builtin_popcountll(type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP)));
	swap_ids(s, type);
	if (type & PERF_SAMPLE_PERIOD)
		word(s);
	if (type & PERF_SAMPLE_READ)
		swap_read(s, p->read_format);
	if (type & PERF_SAMPLE_CALLCHAIN)
		words(s, word(s));
	if (type & PERF_SAMPLE_RAW)
		swap_raw(s, raw);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		swap_branches(s, p->branch_type);
	if (type & PERF_SAMPLE_REGS_USER)
		swap_regs(s, p->regs_user);
	if (type & PERF_SAMPLE_STACK_USER)
		swap_stack(s);
	/* the parts of WEIGHT_STRUCT and of data_src are declared so that the whole is one number */
	words(s, !!(type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT)) +
			 !!(type & PERF_SAMPLE_DATA_SRC) + !!(type & PERF_SAMPLE_TRANSACTION));
	if (type & PERF_SAMPLE_REGS_INTR)
		swap_regs(s, p->regs_intr);
	words(s, (u64)__builtin_popcountll(type & (PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP |
						   PERF_SAMPLE_DATA_PAGE_SIZE |
						   PERF_SAMPLE_CODE_PAGE_SIZE)));
	if (type & PERF_SAMPLE_AUX)
		bytes(s, word(s));
}

static void swap_mmap2(struct span *s, u16 misc)
{
	halves(s, 2); /* pid, tid */
	words(s, 3);  /* addr, len, pgoff */
	if (misc & PERF_RECORD_MISC_MMAP_BUILD_ID && s->end - s->p >= 24 && rec_is_build_id(s->p)) {
		bytes(s, 24);
	} else {
		halves(s, 2); /* maj, min */
		words(s, 2);  /* ino, ino_generation */
	}
	halves(s, 2); /* prot, flags */
}

static void swap_namespaces(struct span *s)
{
	halves(s, 2); /* pid, tid */
	words(s, 2 * MIN(word(s), (u64)UINT16_MAX));
}

static void swap_ksymbol(struct span *s)
{
	word(s); /* addr */
	half(s); /* len */
	quarter(s);
	quarter(s); /* ksym_type, flags */
}

/* The fixed part of all other records; false: their layout is not known. */
static bool swap_body(struct span *s, u32 type, u16 misc, const struct sample_layout *p)
{
	switch (type) {
	case PERF_RECORD_MMAP:
		halves(s, 2);
		words(s, 3);
		break;
	case PERF_RECORD_MMAP2:
		swap_mmap2(s, misc);
		break;
	case PERF_RECORD_COMM:
	case PERF_RECORD_ITRACE_START:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		halves(s, 2);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		halves(s, 4);
		word(s);
		break;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
	case PERF_RECORD_AUX:
		words(s, 3);
		break;
	case PERF_RECORD_LOST:
		words(s, 2);
		break;
	case PERF_RECORD_LOST_SAMPLES:
	case PERF_RECORD_CGROUP:
	case PERF_RECORD_AUX_OUTPUT_HW_ID:
		word(s);
		break;
	case PERF_RECORD_READ:
		halves(s, 2);
		swap_read(s, p->read_format);
		break;
	case PERF_RECORD_SWITCH:
		break;
	case PERF_RECORD_NAMESPACES:
		swap_namespaces(s);
		break;
	case PERF_RECORD_KSYMBOL:
		swap_ksymbol(s);
		break;
	case PERF_RECORD_BPF_EVENT:
		quarter(s);
		quarter(s);
		half(s);
		break;
	case PERF_RECORD_TEXT_POKE:
		word(s);
		quarter(s);
		quarter(s);
		break;
	case DEFERRED_RECORD:
		word(s); /* its cookie */
		words(s, MIN(word(s), (u64)UINT16_MAX));
		break;
	default:
		return false;
	}
	return !s->bad;
}

static void swap_trailer(struct span *s, u64 type)
{
	swap_ids(s, type & ~PERF_SAMPLE_ADDR);
	if (type & PERF_SAMPLE_IDENTIFIER)
		word(s);
}

/* As event_set_find(), for a sample that is not swapped yet; *id_at: its id. */
static u32 sample_event(const struct event_set *e, const struct span *body, u8 **id_at)
{
	s32 at = e->events.v[0].layout.sample_id;
	u64 id;

	*id_at = NULL;
	if (at < 0)
		return 0;
	if ((size_t)(body->end - body->p) < (size_t)at + sizeof(id))
		return ID_NONE;
	*id_at = body->p + at;
	memcpy(&id, *id_at, sizeof(id));
	return e->events.nr == 1 ? 0 : hmap_get(&e->by_id, __builtin_bswap64(id));
}

/* Where the integers of an event's raw data lie, found out with its first sample. */
static int know_raw(struct foreign_order *s, const struct recording *r, u32 event)
{
	struct err why = {0};
	struct tp_format *f;
	struct raw_swap *raw;
	int ret;

	if (event >= s->nr) {
		raw = realloc(s->raw, r->events.events.nr * sizeof(*raw));
		if (!raw)
			return -ENOMEM;
		memset(raw + s->nr, 0, (r->events.events.nr - s->nr) * sizeof(*raw));
		s->raw = raw;
		s->nr = r->events.events.nr;
	}
	raw = &s->raw[event];
	if (raw->known)
		return 0;
	raw->known = true;
	f = recording_event_format(r, event, &why);
	if (!f)
		return why.code == ENOMEM ? -ENOMEM : 0;
	ret = raw_swap_init(raw, f);
	tp_format_free(f);
	return ret;
}

static int record_sample(struct foreign_order *s, const struct recording *r, struct span body,
			 u32 event)
{
	struct span one;
	u8 *id;

	if (event >= r->events.events.nr)
		event = sample_event(&r->events, &body, &id);
	if (event == ID_NONE) {
		one = (struct span){.p = id, .end = id ? id + sizeof(u64) : NULL};
		word(&one);
		return 1;
	}
	if (know_raw(s, r, event))
		return -ENOMEM;
	swap_sample(&body, &r->events.events.v[event].layout, &s->raw[event]);
	return !body.bad;
}

int foreign_order_record(struct foreign_order *s, const struct recording *r, u8 *data, u32 size,
			 u32 event)
{
	struct span body = {.p = data + sizeof(struct perf_event_header), .end = data + size};
	struct perf_event_header h;
	const struct sample_layout *p;
	struct span trailer;

	memcpy(&h, data, sizeof(h));
	if (!r->events.events.nr)
		return 0;
	if (h.type == PERF_RECORD_SAMPLE)
		return record_sample(s, r, body, event);
	/* where the event is not known, the trailer is that of all, or no reader could begin */
	p = &r->events.events.v[event < r->events.events.nr ? event : 0].layout;
	if (p->id_size > (size_t)(body.end - body.p))
		return 0;
	trailer = (struct span){.p = body.end - p->id_size, .end = body.end};
	body.end = trailer.p;
	if (p->id_all)
		swap_trailer(&trailer, p->sample_type);
	return swap_body(&body, h.type, h.misc, p);
}

int foreign_order_block(struct foreign_order *s, const struct recording *r, struct data_block *b)
{
	struct perf_event_header h;
	u32 i, kept = 0;
	u8 *data;
	int ret;

	for (i = 0; i < b->records.nr; i++) {
		const struct rec *rec = &b->records.v[i];

		data = (u8 *)b->bytes.data + (rec->data - (const u8 *)b->bytes.data);
		h = (struct perf_event_header){rec->type, rec->misc, (u16)rec->size};
		memcpy(data, &h, sizeof(h));
		ret = foreign_order_record(s, r, data, rec->size, rec->event);
		if (ret < 0)
			return ret;
		if (ret)
			b->records.v[kept++] = *rec;
	}
	b->records.nr = kept;
	b->foreign = false;
	return 0;
}

void foreign_order_free(struct foreign_order *s)
{
	u32 i;

	for (i = 0; i < s->nr; i++)
		raw_swap_free(&s->raw[i]);
	free(s->raw);
	*s = (struct foreign_order){0};
}
