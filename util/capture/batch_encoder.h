/* SPDX-License-Identifier: GPL-2.0 */
/*
 * batch_encoder.h - from a batch into the columns of one block: what is left out of the recording, its
 * addresses (symbol_collector.h), what it says of losses (loss_account.h).
 *
 *	batch_encoder_take() ... batch_encoder_take(), up to the last span -> batch_encoder_end()
 *
 * A batch may be taken in parts, while its end is still being filled. Its bytes must live until
 * batch_encoder_end(). Afterwards parts of it may be taken once more, for smaller blocks:
 *
 *	batch_encoder_boundary() -> batch_encoder_again() -> batch_encoder_end()
 */
#ifndef CAPTURE_BATCH_ENCODER_H
#define CAPTURE_BATCH_ENCODER_H

#include "util/capture/loss_account.h"
#include "util/capture/shared_batches.h"
#include "util/capture/symbol_collector.h"
#include "util/event/ev_spec.h"
#include "util/file/columns.h"

/* What the records of a block are. */
struct batch_encoder_facts {
	u32 records, samples;
	size_t raw_size;
	u64 time_min, time_max; /* of those that have one */
};

struct batch_encoder {
	u32 self;                   /* process whose samples are left out, 0: none */
	const struct ev_list *list; /* with filters that are run here; NULL: without */
	const struct shared_batches *shared_batches;
	struct event_set *events;
	struct columns_encoder
		*encoder; /* its block is the batch encoder's until batch_encoder_end() */
	struct symbol_collector *symbols;
	struct loss_account *loss_account;
	VEC(u64) times; /* newest record of each ring */
	u64 bad;        /* spans that were no records */
	u64 batch;      /* that is being taken in, 0: none */
	u32 spans;      /* of it, so far */
	bool again;     /* what its records say is known already */
	struct batch_encoder_facts facts;
	u32 *in_block; /* samples of each event */
};

/* `k` has what stands before `times`. */
int batch_encoder_init(struct batch_encoder *k, struct err *err);
void batch_encoder_free(struct batch_encoder *k);

/* Take in the spans of a batch up to that one; its first part begins a block. */
void batch_encoder_take(struct batch_encoder *k, const struct batch *b, u32 nr_spans);

/* The first place at or behind byte `at` of a batch's data at which it can be cut. */
size_t batch_encoder_boundary(const struct batch *b, size_t at);
/* Make a block of what lies between two such places of a batch that was taken before. */
void batch_encoder_again(struct batch_encoder *k, const struct batch *b, size_t from, size_t to);

/* Append the payload of the block; as columns_end(). Facts and in_block are of this block until the next. */
int batch_encoder_end(struct batch_encoder *k, int level, struct buf *payload, struct err *err);

/* The newest record of the rings for samples of a CPU, ID_NONE: of all; 0: they had none. */
u64 batch_encoder_newest(const struct batch_encoder *k, u32 cpu);

#endif
