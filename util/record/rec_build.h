/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rec_build.h - make side-band records as the kernel would: what already ran when the recording
 * began, and what tests need. Each appends one whole record to `b`, with a trailer of `layout`'s
 * shape that holds `ids` (zeros where NULL).
 *
 * Source: <linux/perf_event.h>.
 */
#ifndef RECORD_REC_BUILD_H
#define RECORD_REC_BUILD_H

#include "util/base/buf.h"
#include "util/record/sample_layout.h"

struct rec_mmap2 {
	u32 pid, tid;
	u64 start, len, pgoff;
	u32 maj, min;
	u64 ino, ino_generation;
	u32 prot, flags;
	const char *name;
};

void rec_build_comm(struct buf *b, const struct sample_layout *layout, const struct rec_ids *ids,
		    u16 misc, u32 pid, u32 tid, const char *comm);
void rec_build_mmap2(struct buf *b, const struct sample_layout *layout, const struct rec_ids *ids,
		     u16 misc, const struct rec_mmap2 *m);
void rec_build_mmap(struct buf *b, const struct sample_layout *layout, const struct rec_ids *ids,
		    u16 misc, const struct rec_mmap2 *m);
/* type: PERF_RECORD_FORK or PERF_RECORD_EXIT */
void rec_build_task(struct buf *b, const struct sample_layout *layout, const struct rec_ids *ids,
		    u32 type, u32 pid, u32 ppid, u32 tid, u32 ptid, u64 time);

/* A BPF program's function begins; what does not fit into a record is left out. */
void rec_build_program(struct buf *b, const struct sample_layout *layout, const struct rec_ids *ids,
		       u64 start, u32 len, const char *name);

void rec_build_cgroup(struct buf *b, const struct sample_layout *layout, const struct rec_ids *ids,
		      u64 id, const char *path);
/* What /proc/PID/ns leads to, in the order of NET_NS_INDEX to CGROUP_NS_INDEX. */
struct rec_namespace {
	u64 dev, ino;
};

void rec_build_namespaces(struct buf *b, const struct sample_layout *layout,
			  const struct rec_ids *ids, u32 pid, u32 tid,
			  const struct rec_namespace ns[static NR_NAMESPACES]);

#endif
