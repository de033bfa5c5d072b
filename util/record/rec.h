/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rec.h - a view of one perf_event record, as the kernel wrote it.
 *
 * `data` is 8-byte aligned, host-endian and begins with the struct perf_event_header; `size` bytes
 * are there. The bytes belong to the source that gave the record and live until its next record.
 *
 * A record says little of where it comes from, lest every sample carry it: the CPU is that of its
 * ring, the event often the only one that it can be. A source that knows sets `cpu` and `event`.
 *
 * Source: <linux/perf_event.h>, perf_event_open(2).
 */
#ifndef RECORD_REC_H
#define RECORD_REC_H

#include <linux/perf_event.h>

#include "util/base/cur.h"

struct rec {
	const u8 *data;
	u32 size; /* == header.size, at least 8 */
	u32 type; /* PERF_RECORD_* */
	u16 misc;
	bool ahead; /* a mapping that a later sample needs: it comes once more at its time */
	u32 cpu;    /* whose ring it came from; ID_NONE: not known */
	u32 event;  /* its index in the event_set; ID_NONE: event_set_find() finds it */
	u32 more;   /* records that are left out, being the same except for their time */
};

/* What the sample_id trailer of a record (or a sample) says; fields not recorded are 0 / -1. */
struct rec_ids {
	u32 pid, tid;
	u64 time; /* 0: no time (synthesised records) */
	u64 id;
	u64 stream_id;
	u32 cpu; /* ID_NONE: not recorded */
	u32 has; /* PERF_SAMPLE_* bits that are valid */
};

/* A cursor over the body, behind the header. */
static inline struct cur rec_body(const struct rec *r)
{
	return cur_init(r->data + sizeof(struct perf_event_header),
			r->size - sizeof(struct perf_event_header));
}

#ifndef PERF_RECORD_MISC_MMAP_BUILD_ID
#define PERF_RECORD_MISC_MMAP_BUILD_ID (1 << 14)
#endif

/* The 24 bytes of an MMAP2 record that are a build-id, or device, inode and its generation. */
#define REC_MMAP2_FILE 40

/*
 * Can these 24 bytes be a build-id (u8 size, three zeros, the id)? PERF_RECORD_MISC_MMAP_BUILD_ID alone does not say so: once one
 * session asks for build-ids, Linux sets it in the records of the others as well (perf_event_mmap_output() in
 * kernel/events/core.c restores size and type of the header, but not misc). The major number of a disk can look like a size, but
 * its minor number, unlike a hash, has a zero in the highest byte.
 */
static inline bool rec_is_build_id(const u8 *at)
{
	const u8 size = at[0];
	u32 i;

	if (!size || size > 20 || at[1] || at[2] || at[3] || (size < 20 && !at[7]))
		return false;
	for (i = 4u + size; i < 24; i++)
		if (at[i])
			return false;
	return true;
}

/* header.misc of a record with that header, without a flag that is not true. */
static inline u16 rec_misc(const struct perf_event_header *h, const void *p)
{
	if (h->type == PERF_RECORD_MMAP2 && h->misc & PERF_RECORD_MISC_MMAP_BUILD_ID &&
	    h->size >= REC_MMAP2_FILE + 24 && !rec_is_build_id((const u8 *)p + REC_MMAP2_FILE))
		return h->misc & (u16)~PERF_RECORD_MISC_MMAP_BUILD_ID;
	return h->misc;
}

/* View `len` bytes at p as a record; false if header.size does not fit. cpu and event: ID_NONE. */
static inline bool rec_view(struct rec *r, const void *p, size_t len)
{
	struct perf_event_header h;

	if (len < sizeof(h))
		return false;
	memcpy(&h, p, sizeof(h));
	if (h.size < sizeof(h) || h.size > len)
		return false;
	*r = (struct rec){.data = p,
			  .size = h.size,
			  .type = h.type,
			  .misc = rec_misc(&h, p),
			  .cpu = ID_NONE,
			  .event = ID_NONE};
	return true;
}

/* "SAMPLE", "MMAP2", ...; NULL for a type that is not known. */
const char *rec_type_name(u32 type);

#endif
