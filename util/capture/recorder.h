/* SPDX-License-Identifier: GPL-2.0 */
/*
 * recorder.h - a recording from its start to its end: events, rings, batches, the file.
 *
 *	recorder_init()     starts the thread that writes: its id is known before events are made
 *	recorder_prepare()  opens every event, maps the rings, writes what precedes the data
 *	recorder_start()    enables the events and lets the command go; the file takes its name
 *	recorder_run()      until the command or the targets end, the time is up, or a stop
 *	recorder_finish()   drains the rings, writes the end
 *
 * Samples that carry registers and a copy of the stack are unwound by threads of their own
 * (ring_unwinder.h); the file's ATTR blocks describe the resulting shorter samples.
 *
 * The rings are read at their watermark, soon after a mapping or another record of side-band was
 * made, and at least every 250 ms (recorder_reader.c), into batches in memory that is shared with a
 * guardian process (shared_batches.h). A batch is written at 4 MiB or after a second; where there
 * is a guardian, after half a minute.
 */
#ifndef CAPTURE_RECORDER_H
#define CAPTURE_RECORDER_H

#include <signal.h>

#include "util/capture/block_writer.h"
#include "util/capture/control.h"
#include "util/capture/event_session.h"
#include "util/capture/guardian.h"
#include "util/capture/pinned_files.h"
#include "util/capture/ring_unwinder.h"
#include "util/capture/rings.h"

/* What signal handlers may set. */
struct recorder_signals {
	volatile sig_atomic_t stop, snapshot;
	volatile sig_atomic_t
		again; /* stop was set once more: wait no longer for who does not read the output */
};

struct recorder_options {
	struct event_session_options
		event_session; /* but for what the others say of it: stop, clockid, gated */
	bool data_mappings;
	bool no_guardian;
	bool dry;            /* recorder_prepare() opens the events, and nothing is written */
	const char *control; /* of --control, NULL: none */
	bool snapshots;      /* may be asked for: a flight recorder, or several files */
	struct block_writer_options block_writer;
	struct preamble preamble;
	bool keep_stacks; /* also in the samples that were unwound */
	struct recorder_signals *signals;
	const struct block_writer_listener *listener; /* of files but the last, NULL: none */
	/*
	 * Lines for the user while the recording runs, which may be for weeks; called by the thread that reads the
	 * rings, so it must not wait. `note`: a remark; else an answer to --control, or what failed. NULL: nobody
	 * is told before the end.
	 */
	void (*tell)(void *arg, const char *lines, bool note);
	void *tell_arg;
	/* Once, if the recording was told to end, and waits for who does not read its pipe; by the thread that writes. */
	void (*tell_unread)(void *arg);
	void (*guardian_report)(const struct guardian_report *r);
};

struct recorder_totals {
	u64 samples, lost, throttled;
	u64 lost_chains;      /* records of deferred call chains that were lost beside samples */
	u64 excluded;         /* of the recorder itself, or by a filter */
	u64 filtered, passed; /* of events whose samples a filter here is run on */
	u64 bytes, unwritten;
	u64 dropped; /* left the memory of a flight recorder before their time */
	u64 kept;    /* of a flight recorder: those in the file that is named */
	u64 duration_ns;
	u32 files;     /* written beside the one that is named */
	u64 counted;   /* by the kernel, of all events; 0: not every event's hits are samples */
	u64 unsampled; /* of those: neither sampled nor reported lost by the kernel */
	bool open;     /* samples and losses do not add up to that */
	bool finished; /* the file that is named has its end */
};

/*
 * From the rings into batches: whole spans are copied, a ring's space is given back, and
 * a batch is handed to the thread that writes when it is full or old enough. Samples that are to be
 * unwound come from other threads instead, for spans of their rings (struct unwinding).
 *
 * A round reads every ring once. Its time is what blocks promise (`order`).
 */
struct recorder_reader {
	struct event_session *session;
	struct rings *rings; /* of it */
	struct shared_batches *shared_batches;
	struct block_writer_thread *thread;
	struct pinned_files *held;   /* files of what is mapped */
	struct unwinding *unwinding; /* what reads the sample rings, NULL: they are copied */
	bool piped;                  /* the output is read while it is written */
	bool may_wait; /* a guardian holds what is not written: it may wait for more */
	struct batch *batch;
	/* when the rings were read, a batch handed over, the whole of it or in part: CLOCK_MONOTONIC */
	u64 looked, flushed, handed;
};

/* What the user has read of while the recording ran. */
struct recorder_printed {
	struct buf notes;          /* the file's END has them, too */
	struct err snapshot_error; /* the first that could not be written */
	u32 snapshots_failed;
	/* that a write failed; that a file stays in use although it is time for another */
	bool write_failed, switch_failed;
	bool unread; /* that nobody reads the pipe; of the thread that writes */
};

struct recorder {
	struct recorder_options options;
	const struct sysroot *root;
	struct ev_list *list;
	struct event_session event_session;
	struct event_set events; /* the first is the side-band event */
	struct shared_batches *shared_batches;
	struct pinned_files held; /* for the block writer: files of what is mapped */
	struct block_writer block_writer;
	struct block_writer_thread thread;
	struct unwinding unwinding; /* no workers: no sample carries a stack */
	struct guardian guardian;
	struct guardian_work work;
	struct control control;
	struct recorder_reader reader;
	bool prepared, controlled, poor_stacks; /* the last one: quality_is_poor() */
	struct recorder_totals totals;
	struct buf notes; /* lines for the user that were not printed yet */
	struct recorder_printed printed;
	struct buf stacks; /* a line on how complete they are; empty: none were unwound */
};

/* `unwinders`: threads that unwind samples, 0: none carry a stack; at most UNWINDING_MAX. */
int recorder_init(struct recorder *r, u32 unwinders, struct err *err);
#define RECORDER_THREADS (2 + UNWINDING_MAX)
/* Thread ids of the recorder: how many. */
u32 recorder_threads(const struct recorder *r, u32 tids[static RECORDER_THREADS]);

int recorder_prepare(struct recorder *r, const struct recorder_options *o, struct ev_list *list,
		     const struct sysroot *root, struct err *err);
int recorder_start(struct recorder *r, struct err *err);
int recorder_run(struct recorder *r, struct err *err);
/* 0, or the first failure to write. */
int recorder_finish(struct recorder *r, struct err *err);
void recorder_free(struct recorder *r);

#endif
