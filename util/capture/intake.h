/* SPDX-License-Identifier: GPL-2.0 */
/*
 * intake.h - from a batch into the columns of one block: what is left out of the recording, what
 * is seen in it (seen.h), what it says of losses (ledger.h).
 *
 *	intake_take() ... intake_take(), up to the last span -> intake_end()
 *
 * A batch may be taken in parts, while its end is still being filled. Its bytes must live until
 * intake_end(). Afterwards parts of it may be taken once more, for smaller blocks:
 *
 *	intake_boundary() -> intake_again() -> intake_end()
 */
#ifndef CAPTURE_INTAKE_H
#define CAPTURE_INTAKE_H

#include "util/capture/handover.h"
#include "util/capture/ledger.h"
#include "util/capture/seen.h"
#include "util/event/ev_spec.h"
#include "util/file/columns.h"

/* What the records of a block are. */
struct intake_facts {
	u32 records, samples;
	size_t raw_size;
	u64 time_min, time_max; /* of those that have one */
};

struct intake {
	u32 self;                   /* process whose samples are left out, 0: none */
	const struct ev_list *list; /* with filters that are run here; NULL: without */
	const struct handover *handover;
	struct event_set *events;
	struct columns_encoder *encoder; /* its block is the intake's until intake_end() */
	struct seen *seen;
	struct ledger *ledger;
	VEC(u64) times; /* newest record of each ring */
	u64 bad;        /* spans that were no records */
	u64 batch;      /* that is being taken in, 0: none */
	u32 spans;      /* of it, so far */
	bool again;     /* what its records say is known already */
	struct intake_facts facts;
	u32 *in_block; /* samples of each event */
};

/* `k` has what stands before `times`. */
int intake_init(struct intake *k, struct err *err);
void intake_free(struct intake *k);

/* Take in the spans of a batch up to that one; its first part begins a block. */
void intake_take(struct intake *k, const struct batch *b, u32 nr_spans);

/* The first place at or behind byte `at` of a batch's data at which it can be cut. */
size_t intake_boundary(const struct batch *b, size_t at);
/* Make a block of what lies between two such places of a batch that was taken before. */
void intake_again(struct intake *k, const struct batch *b, size_t from, size_t to);

/* Append the payload of the block; as columns_end(). Facts and in_block are of this block until the next. */
int intake_end(struct intake *k, int level, struct buf *payload, struct err *err);

/* The newest record of the rings for samples of a CPU, ID_NONE: of all; 0: they had none. */
u64 intake_newest(const struct intake *k, u32 cpu);

#endif
