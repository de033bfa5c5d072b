/* SPDX-License-Identifier: GPL-2.0 */
/*
 * columns.h - the payload of a DATA block: records taken apart into columns (docs/FORMAT.md).
 *
 *	encode:  columns_begin() -> { columns_run() -> columns_add() ... } ... -> columns_end()
 *	decode:  columns_open()  -> columns_next() ... -> 0
 *
 * Lossless: decoding gives back every record, byte for byte and in order, of every type, also of
 * types that this program does not know. A payload depends on nothing outside of it, neither on
 * other blocks nor on the events' attrs: what the encoder knew of the records' layout is in it.
 *
 * Records come in runs, each read from one ring at one time. The run says what its records do
 * not: the CPU, and how far the ring has been read. Runs of side-band rings are coded apart from
 * those of samples, so that a reader that wants the former need not decode the latter.
 */
#ifndef FILE_COLUMNS_H
#define FILE_COLUMNS_H

#include "util/base/buf.h"
#include "util/base/err.h"
#include "util/file/sample_groups.h"
#include "util/record/event_set.h"

struct columns_ring {
	u32 number; /* of the ring: every ring of a recording has its own */
	u32 cpu;    /* whose records it holds; ID_NONE: of several */
	bool sideband;
	u64 from,
		to; /* the bytes of the ring that the run is made of; 0, 0: made by the recorder */
};

struct columns_encoder;

/* `events` has the layout of the records; it may grow between blocks, and must outlive the encoder. */
struct columns_encoder *columns_encoder_new(const struct event_set *events, struct err *err);
void columns_encoder_free(struct columns_encoder *e);

/*
 * Are the records of a machine of the other byte order? Not at first. It holds from the next
 * columns_begin() on.
 */
void columns_set_foreign(struct columns_encoder *e, bool foreign);
void columns_begin(struct columns_encoder *e);
/* What follows, up to the next call, comes from that ring. Without a run there are no records. */
void columns_run(struct columns_encoder *e, const struct columns_ring *r);

/* The halves of the call chain of the record added last, split before PERF_CONTEXT_USER. */
struct columns_stacks {
	u32 kernel, user;          /* numbers in this section of the block; ID_NONE: no such half */
	bool kernel_new, user_new; /* first seen in this block */
	/*
	 * Of a user half that is new: halves share nodes, numbered from 1, as far as their outer
	 * ends agree. So many of its words, the inner ones, are nodes of its own, numbered from
	 * user_first on; the others are the path to user_from, 0: there are none.
	 */
	u32 user_from, user_first, user_nodes;
};

/* Append a record; rec->event is its event, ID_NONE where that is not known. */
void columns_add(struct columns_encoder *e, const struct rec *rec, struct columns_stacks *stacks);

/* The level for records that come so fast: the slower, the higher, as long as that costs next to nothing. */
#define COLUMNS_BY_RATE (-1)

/*
 * Append the payload to `payload`: each column compressed at zstd's `level`, 0: not at all. Returns
 * 0; -ENOMEM if memory ran out here or in one of the calls before; -E2BIG if the records have more
 * than BLOCK_SIZE_MAX bytes. Behind it, only columns_begin() may follow.
 */
int columns_end(struct columns_encoder *e, int level, struct buf *payload, struct err *err);

/* What of the records is wanted. The rest may be skipped, which is much faster. */
struct columns_want {
	bool no_samples; /* side-band only */
	bool no_chains;  /* call chains come out empty */
	bool no_raw; /* raw data may come out as zeros behind its first 8 bytes, the common fields */
	bool grouped; /* columns_sample_groups() is asked before each record, and gives what it can */
	bool runs_only; /* no records at all: columns_rings() */
	/* Samples of which CPUs are wanted; asked by any thread. NULL: of all. */
	bool (*cpu)(const void *filter, u32 cpu);
	const void *filter;
};

struct columns_decoder;

struct columns_decoder *columns_decoder_new(struct err *err);
void columns_decoder_free(struct columns_decoder *d);
/* The payload has been read: give back what memory it took. */
void columns_decoder_trim(struct columns_decoder *d);

/*
 * Take up a payload, whose bytes must live until the last columns_next(). `want` may be NULL: all.
 * Returns 0, -EBADMSG if it is none, -ENOTSUP if it needs a newer reader, -ENOMEM.
 */
int columns_open(struct columns_decoder *d, const void *payload, size_t len,
		 const struct columns_want *want);

/* The rings that the block was read from, one entry each: [from, to) of all runs together. */
const struct columns_ring *columns_rings(const struct columns_decoder *d, u32 *nr);

/* Bytes of the payload before its two sections, each of which has its length before it. */
size_t columns_head(const struct columns_decoder *d);

/*
 * Are the records of a machine of the other byte order? Then they come out in that, with their
 * headers; type, misc and size of a struct rec are ours.
 */
bool columns_foreign(const struct columns_decoder *d);

/*
 * 1: *rec is the next record, with cpu and event set, valid until the next call; 0: there are no
 * more; -EBADMSG: the payload is damaged, and no more can be had of it; -ENOMEM.
 */
int columns_next(struct columns_decoder *d, struct rec *rec);

/*
 * Append the next samples to `to`, which is empty before the first call of a payload, as long as
 * they are of kinds that it has. True: the last one is the first of a new kind, whose record comes
 * next and is to be added to the kinds.
 */
bool columns_sample_groups(struct columns_decoder *d, struct sample_groups *to);

/* What columns_next_to() may write: a record, and some bytes that mean nothing. */
#define COLUMNS_ROOM (64u * 1024 + 64)
/* The same, of a record that is made at `to`, 8-byte aligned, with COLUMNS_ROOM bytes. */
int columns_next_to(struct columns_decoder *d, void *to, struct rec *rec);

enum columns_kind {
	COLUMN_INT,        /* 1, 2, 4 or 8 bytes */
	COLUMN_TIME,       /* 8: less the time of the ring's record before */
	COLUMN_TIME2,      /* 8: less the record's own time */
	COLUMN_CPU,        /* 4: xor the run's */
	COLUMN_IP,         /* 8: less the second word of the call chain */
	COLUMN_WIDE,       /* any number of bytes, of few different contents */
	COLUMN_BLOB,       /* the same of differing length; in the row: its number */
	COLUMN_REST,       /* bytes as they are; in the row: how many */
	COLUMN_CHAIN,      /* u64 count and so many words; in the row: the numbers of its halves */
	COLUMN_OPEN_CHAIN, /* the same, but for its last word, which is a column of its own */
	COLUMN_KINDS,
};

enum columns_part {
	COLUMNS_PART_FRAME, /* rings, lengths, numbers of things */
	COLUMNS_PART_RUNS,
	COLUMNS_PART_CLASSES,
	COLUMNS_PART_ORDER,        /* the class of each record */
	COLUMNS_PART_KERNEL_CHAIN, /* how the halves of call chains hang together */
	COLUMNS_PART_KERNEL_REFERENCES,
	COLUMNS_PART_KERNEL_ADDRESSES,
	COLUMNS_PART_USER_CHAIN,
	COLUMNS_PART_USER_REFERENCES,
	COLUMNS_PART_USER_ADDRESSES,
	COLUMNS_PART_BLOBS,
	COLUMNS_PART_COLUMN, /* one column of one class */
	COLUMNS_PARTS,
};

/* A column of the records of one type and event. */
struct columns_column {
	u32 type, event;
	enum columns_kind kind;
	s32 raw_at; /* where in the raw data it begins, -1: it is no part of that */
};

/* Gets each part; `column` is NULL unless the part is a column. */
typedef void columns_account_fn(void *ctx, enum columns_part part, u64 bytes,
				const struct columns_column *column);

/*
 * What the bytes of a payload are: a walk over its parts, which adds up to its length. No record is
 * made. 0; -EBADMSG if it is no payload, -ENOTSUP if it needs a newer reader, -ENOMEM. The decoder is
 * used for the payload, which may be opened with it again.
 */
int columns_account(struct columns_decoder *d, const void *payload, size_t len,
		    columns_account_fn *report, void *ctx);

#endif
