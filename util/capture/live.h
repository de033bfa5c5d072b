/* SPDX-License-Identifier: GPL-2.0 */
/*
 * live.h - the running system as a source of records (source.h): straight from the rings to whoever
 * reads them, without a file.
 *
 *	live_open()    every event is open, every ring mapped; all disabled. Its source is for a
 *	               session, which closes it: its events and formats are known
 *	live_start()   the events are enabled, the command goes
 *	source_step()  the records that the rings hold, in rounds; SOURCE_WAIT after each round; SOURCE_END
 *	               once it is over (event_session.h) and the rings are empty
 *
 * Each call of source_step() gives the next record in place, valid until the call after it. With the
 * first one of a round it sleeps until a ring is a quarter full, or the round's time has come. What was
 * stamped some milliseconds before a round began has been read when that round is over, so whoever
 * sorts (reorder.h) is late by two rounds at most. Losses are in the recording as they are known.
 */
#ifndef CAPTURE_LIVE_H
#define CAPTURE_LIVE_H

#include "util/capture/event_session.h"
#include "util/capture/loss_account.h"
#include "util/capture/preamble.h"
#include "util/file/source.h"

struct live_options {
	struct event_session_options event_session;
	struct preamble preamble; /* facts for readers: its clockid is that of the records */
	u64 round_ns;
	u32 self;      /* process whose samples are left out; 0: none */
	bool tasks;    /* include what runs already: a reader of samples needs names of threads */
	bool mappings; /* ... and its mappings: a reader of call chains needs those, too */
	bool embedded; /* in a program of somebody else: it gets no processes in the background */
	bool data_mappings; /* those that are not executable as well */
	/* each sample as it comes out of its ring, before it is put in order; NULL: nobody looks */
	void (*look)(void *arg, const struct rec *rec, const struct sample_layout *layout);
	void *look_arg;
};

struct live {
	struct source source; /* the first member */
	struct recording recording;
	struct live_options options;
	struct event_session event_session;
	struct loss_account loss_account;
	struct buf notes;         /* lines for the user */
	struct buf running;       /* records of what ran before */
	size_t running_pos;       /* bytes of these that were returned */
	struct clock_pair clocks; /* as last reported by the recording */
	u32 ring;                 /* the ring that is being read; all of them: the round is over */
	u64 waiting;     /* bytes that it held; 0: it was not looked at yet, or was empty */
	u64 released;    /* its position when space was given back */
	u8 *bounce;      /* a record that wraps round the end of its ring */
	VEC(u64) newest; /* by ring */
	u64 malformed;
	u64 samples; /* given out */
	bool started, last, ended;
};

/*
 * *out, if it is not NULL, is to be closed by source_close() in any case; its notes may say something even then.
 */
int live_open(struct live **out, const struct live_options *o, struct ev_list *list,
	      const struct sysroot *root, struct err *err);
int live_start(struct live *l, struct err *err);
/* Samples lost so far, as reported by records; after SOURCE_END, by the kernel's own account. */
u64 live_lost(const struct live *l);

#endif
