/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ring_unwinder.h - the samples of some rings, unwound where they lie.
 *
 *	side-band records --+
 *	rings --------------+-> by time -> process model -> unwinder -> shorter records, per ring
 *
 *	{ ring_unwinder_sideband(), ring_unwinder_give() ... ring_unwinder_run(), take the records } ...
 *
 * One that has its chain of frame pointers, and the register of a leaf's caller beside it, comes out
 * with that caller in the chain (unwind/leaf_caller.h).
 *
 * A sample is unwound with the tasks and mappings as they were at its time, so records of several
 * rings are taken in order of time, and side-band records beside them. Only the records that come
 * out are copied; those that need no unwinding come out as they are.
 *
 * One owner, no locks: threads have one each.
 */
#ifndef CAPTURE_RING_UNWINDER_H
#define CAPTURE_RING_UNWINDER_H

#include "util/base/buf.h"
#include "util/capture/pinned_files.h"
#include "util/process/quality.h"
#include "util/record/event_set.h"
#include "util/ring/ring.h"
#include "util/unwind/unwind.h"

struct ring_unwinder_options {
	const struct arch *arch;   /* this machine's */
	int proc;                  /* descriptor of /proc */
	struct pinned_files *held; /* files that need not be there any more, NULL: none */
	u32 self;                  /* a process whose samples are not unwound, 0: none */
	bool keep_stacks;          /* in the samples that come out */
};

/* What is to be read of one ring, and what came of it. */
struct ring_stretch {
	u32 ring; /* the owner's number for it */
	const u8 *data;
	u64 size;        /* of the ring, a power of two */
	u64 from, to;    /* to be read */
	u64 pos;         /* read so far */
	u64 bad;         /* pieces that were no records */
	struct buf out;  /* the records made of from..pos */
	u8 *copy;        /* of a record that lies across the end of the ring */
	struct rec next; /* the record at pos, valid if `peeked` */
	u64 next_time;
	bool peeked;
};

struct ring_unwinder_sideband {
	u64 time;
	size_t at, size; /* in `bytes` */
};

struct ring_unwinder {
	struct ring_unwinder_options options;
	struct event_set events; /* as the kernel records them: filled in by the owner */
	struct process_model model;
	struct unwinder *unwinder;
	VEC(struct ring_stretch) rings;
	struct buf sideband; /* records that are not applied yet */
	VEC(struct ring_unwinder_sideband) queue;
	u32 queued;     /* of the queue: in order, the next first */
	u32 applied;    /* of these */
	u32 compact_at; /* parts of the model that call for making it anew */
	struct quality quality;
	u64 spliced; /* stacks that go on by frame pointers behind the copy of the stack */
	u64 *chain, *joined;
	bool failed; /* sticky: memory ran out */
};

int ring_unwinder_init(struct ring_unwinder *r, const struct ring_unwinder_options *o,
		       struct err *err);
void ring_unwinder_free(struct ring_unwinder *r);

/* Records of side-band rings, or made by synth.h, in any order. */
void ring_unwinder_sideband(struct ring_unwinder *r, const void *records, size_t len);

/*
 * The bytes of that ring from..to may be read; `from` is where it was read to. Their memory must
 * not change until they were.
 */
void ring_unwinder_give(struct ring_unwinder *r, u32 number, const struct ring *ring, u64 from,
			u64 to);

/*
 * Read them. False: much came out that should be taken, there is more to read. Records come out in
 * rings.v[i].out, for the bytes from..pos of that ring. No record that comes later is older than
 * `settled`: side-band records up to there are applied at the end.
 */
bool ring_unwinder_run(struct ring_unwinder *r, u64 settled);

/* Count what another one has counted as well. */
void ring_unwinder_add_quality(struct ring_unwinder *r, const struct ring_unwinder *other);

/* What came out of a stretch was taken. */
void ring_unwinder_taken(struct ring_stretch *s);

#endif
