/* SPDX-License-Identifier: GPL-2.0 */
/*
 * seen_sample.h - of a sample, only what tells in which functions it stands; much faster than to
 * decode all of it, since most samples tell nothing new.
 */
#ifndef CAPTURE_SEEN_SAMPLE_H
#define CAPTURE_SEEN_SAMPLE_H

#include "util/base/bytes.h"
#include "util/record/sample_layout.h"

/* Where it is in the samples of one event: bytes from the header's begin on, -1: not there. */
struct seen_layout {
	bool made, plain; /* not plain: only sample_layout_sample() can tell */
	bool chain, raw;  /* there are, in this order */
	s32 ip, tid, time;
	u32 behind; /* what stands before those two ends there */
	s32 tid_in_raw;
};

struct seen_sample {
	u64 time, ip;     /* 0: none */
	u32 pid, tid;     /* pid ID_NONE: that of the thread, which only the process model knows */
	const u64 *chain; /* addresses and PERF_CONTEXT_* markers, leaf first */
	const u8 *raw;
	u32 chain_nr, raw_size;
};
#define SEEN_SAMPLE_NONE ((struct seen_sample){.pid = ID_NONE, .tid = ID_NONE})

void seen_layout_make(struct seen_layout *l, const struct sample_layout *layout);

/* False if the record is shorter than the layout says. */
bool seen_sample_read(const struct seen_layout *l, const struct sample_layout *layout,
		      const struct rec *rec, struct seen_sample *s);

static inline void seen_sample_derive(const struct seen_layout *l, struct seen_sample *s)
{
	if (l->tid_in_raw >= 0 && (u32)l->tid_in_raw + 4 <= s->raw_size)
		s->tid = bytes_u32(s->raw + l->tid_in_raw);
}

/* The same of a plain one, into what says that there is nothing. */
static inline bool seen_sample_read_plain(const struct seen_layout *l, const struct rec *rec,
					  struct seen_sample *s)
{
	const u8 *data = rec->data, *p = data + l->behind;
	u32 left = rec->size - l->behind;
	u64 nr;

	if (rec->size < l->behind)
		return false;
	if (l->ip >= 0)
		s->ip = bytes_u64(data + l->ip);
	if (l->time >= 0)
		s->time = bytes_u64(data + l->time);
	if (l->tid >= 0) {
		s->pid = bytes_u32(data + l->tid);
		s->tid = bytes_u32(data + l->tid + 4);
	}
	if (l->chain) {
		if (left < 8 || (nr = bytes_u64(p)) > (left - 8) / 8)
			return false;
		/* records are 8-byte aligned and so is every array in them */
		s->chain = (const u64 *)(const void *)(p + 8);
		s->chain_nr = (u32)nr;
		p += 8 + 8 * nr;
		left -= 8 + 8 * (u32)nr;
	}
	if (l->raw) {
		if (left < 4 || (s->raw_size = bytes_u32(p)) > left - 4)
			return false;
		s->raw = p + 4;
	}
	seen_sample_derive(l, s);
	return true;
}

#endif
