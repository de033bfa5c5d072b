/* SPDX-License-Identifier: GPL-2.0 */
/*
 * seen_made.h - the code that processes make while they run, for a recording: its functions, and
 * records that say since when another function stands at an address.
 *
 * A layer (jit_overlays.h) is a DSO like that of the process's anonymous memory, "/tmp/perf-PID.map",
 * with the number of the layer for its inode (docs/FORMAT.md).
 */
#ifndef CAPTURE_SEEN_MADE_H
#define CAPTURE_SEEN_MADE_H

#include "util/base/buf.h"
#include "util/capture/seen_jit.h"
#include "util/record/sample_layout.h"

/* Zero-initialised, it is empty and ready. */
struct seen_made {
	VEC(struct seen_jit) jits;
	struct hmap jit_by_pid;
	u64 bytes;          /* of memory, of all of them */
	u64 begun, took_ns; /* CLOCK_MONOTONIC at the first look; CPU time of looking */
	u32 nr_late;        /* addresses that there was no time for */
	bool failed;        /* sticky: memory ran out */
};

/* A sample stands at an address of a DSO_PERF_MAP, at a time. */
void seen_made_find(struct seen_made *sm, const struct seen_made_options *o, u32 dso, u64 addr,
		    u64 time);

/* Append lines that say which files were not read as a whole, and why: jit_limits.h. */
void seen_made_notes(const struct seen_made *sm, const struct process_model *m, struct buf *notes);

/* The process runs another program. */
void seen_made_exec(struct seen_made *sm, u32 pid);

/*
 * Hand in all functions that were found, and those that were put over them since the last call.
 * Records are appended to `head`, in order of time, and applied to the model; their number.
 */
u32 seen_made_put(struct seen_made *sm, const struct seen_made_options *o,
		  const struct sample_layout *layout, struct buf *head,
		  void (*function)(void *arg, u32 dso, const struct seen_code *code), void *arg);

void seen_made_free(struct seen_made *sm);

#endif
