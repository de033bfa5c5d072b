/* SPDX-License-Identifier: GPL-2.0 */
/*
 * guardian.h - a second process that finishes the recording if the recorder is killed.
 *
 *	recorder --+-- descriptors (one table for both) --+-- guardian
 *	           +-- shared_batches: batches, commits --------+
 *	           +-- rings: each maps them itself ------+
 *
 * It sleeps until the recorder is gone. If that ended by itself, the guardian closes the event
 * descriptors, which can take minutes (each tracepoint's last one waits for a grace period of RCU)
 * and which nobody then has to wait for. If it was killed or crashed, the guardian stops the
 * events, writes the batches that were not committed and what is in the rings, and ends the file;
 * that of a flight recorder, whose memory it shares, it makes.
 *
 * The rings live as long as somebody maps them, and mappings are not inherited: hence its own.
 */
#ifndef CAPTURE_GUARDIAN_H
#define CAPTURE_GUARDIAN_H

#include "util/capture/block_writer.h"
#include "util/capture/ring_unwinder.h"
#include "util/capture/rings.h"
#include "util/capture/shared_batches.h"

struct guardian_report {
	u64 samples, rescued; /* in the file; of them by the guardian */
	const char *file;
	const struct err *error; /* NULL: the file is whole */
};

struct guardian_work {
	struct shared_batches *shared_batches;
	const struct block_writer_options *block_writer;
	struct event_set *events;
	const struct ev_list *list;
	const char *temp; /* the file's name until it is published, NULL: it has none */
	/* What unwinds samples, unused so far: the guardian's copy of it. NULL: none carry a stack. */
	struct ring_unwinder *unwinder;
	/* called in the guardian when it has taken over; may print */
	void (*report)(const struct guardian_report *r);
};

struct guardian {
	s32 pid;  /* 0: none */
	int wake; /* eventfd: look for new rings */
};

/* The calling process is the one to be watched. Waits until the guardian is ready. */
int guardian_start(struct guardian *g, const struct guardian_work *work, struct err *err);
/* A ring was added to the shared batches. */
void guardian_tell(struct guardian *g);

/* Was it killed? Then there is none any more; true only once. */
bool guardian_is_dead(struct guardian *g);

/*
 * The recording is done, or was not begun. Where the events can be closed at once the guardian is
 * sent away, and g->pid is 0: the caller closes them. Else it stays behind to close them; where
 * there is none, a process that does so is made.
 */
void guardian_leave(struct guardian *g, u32 nr_tracepoints);

#endif
