/* SPDX-License-Identifier: GPL-2.0 */
/*
 * recorder.h - the record loop: events, rings, the file.
 *
 *	recorder_prepare()  opens every event, maps the rings, writes what stands before the data
 *	recorder_start()    enables the events and lets the command go; the file takes its name
 *	recorder_run()      until the command or the targets end, the time is up, or a stop
 *	recorder_finish()   drains the rings, writes the end
 *
 * Rings are read at their watermark and at least every 250 ms; a block is written at 4 MiB or
 * after a second. A ring's space is given back once its records stand in the batch.
 */
#ifndef CAPTURE_RECORDER_H
#define CAPTURE_RECORDER_H

#include <poll.h>
#include <signal.h>

#include "util/capture/child.h"
#include "util/capture/preamble.h"
#include "util/capture/seen.h"
#include "util/capture/targets.h"
#include "util/event/ev_open.h"
#include "util/kernel/cpus.h"
#include "util/ring/ring.h"

#define RECORDER_RING_BYTES (512u << 10) /* what an unprivileged user may have by default */

struct recorder_options {
	const char *output;   /* "-": standard output */
	char *const *command; /* NULL: none */
	const struct cpus *cpus;
	struct targets_wanted targets; /* .command is filled in here */
	bool include_self;
	bool data_mappings;
	u32 pages;       /* of each ring, a power of two; fewer where the limit says so */
	u64 duration_ns; /* 0: no end */
	u64 delay_ns;    /* enable so long after the start; the duration begins then */
	int level;       /* of zstd, 0: none */
	struct preamble preamble;
	const volatile sig_atomic_t *stop; /* set by a signal handler */
};

struct recorder_totals {
	u64 samples, lost, throttled, excluded; /* excluded: of the recorder itself */
	u64 bytes, unwritten;
	u64 duration_ns;
};

struct recorder {
	const struct recorder_options *options;
	const struct sysroot *root;
	struct ev_list *list;
	int proc;
	struct event_set events; /* the first is the side-band event */
	struct counters counters;
	VEC(struct ring) rings;
	struct hmap owners; /* CPU -> number of the counter that its ring belongs to */
	u32 pages;          /* of each ring */
	VEC(struct pollfd) polls;
	struct targets targets;
	struct child child;
	struct writer writer;
	struct seen seen;
	bool prepared, writer_open, seen_ready, delayed;
	struct buf batch;
	u32 batch_records, batch_samples;
	u64 time_min, time_max;
	u64 newest_written, order_written; /* of all blocks so far */
	u64 round, round_before; /* when this round of draining began, and the one before */
	u64 started, flushed;    /* CLOCK_MONOTONIC */
	u32 self;
	struct recorder_totals totals;
	struct buf notes;       /* lines for the user */
	struct err write_error; /* the first failed write; recording went on */
};

int recorder_prepare(struct recorder *r, const struct recorder_options *o, struct ev_list *list,
		     const struct sysroot *root, struct err *err);
int recorder_start(struct recorder *r, struct err *err);
int recorder_run(struct recorder *r, struct err *err);
/* 0, or the first failure to write. */
int recorder_finish(struct recorder *r, struct err *err);
void recorder_free(struct recorder *r);

#endif
