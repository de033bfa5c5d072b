/* SPDX-License-Identifier: GPL-2.0 */
/*
 * source.h - where records come from: one interface for our file, perf's file and a pipe.
 *
 *	source_open() -> source_next() ... -> SOURCE_END -> source_close()
 *
 * Records come in the order of the file: nearly, not wholly, in order of time. `order` tells how
 * far it goes: every record older than `order` has been given (reorder.h makes order of it).
 * `recording` may grow with every call of source_next().
 */
#ifndef FILE_SOURCE_H
#define FILE_SOURCE_H

#include "util/file/recording.h"
#include "util/file/sample_groups.h"
#include "util/file/stream.h"

struct source;

enum source_result { SOURCE_END, SOURCE_RECORD, SOURCE_ORDER, SOURCE_GROUPS };

struct source_ops {
	const char *name; /* "perf-lite", "perf.data" */
	/*
	 * SOURCE_RECORD: *rec is the next record. SOURCE_ORDER: no record, but `order` has risen,
	 * and the next call may wait for input. SOURCE_GROUPS, only where these are wanted: samples of
	 * one kind and another, in `groups`, which stay with `record_buffer`. SOURCE_END. <0: no more can be
	 * read, err says why.
	 */
	int (*next)(struct source *s, struct rec *rec, struct err *err);
	void (*close)(struct source *s);
	/* As source_finish() says; NULL: there is nothing to do. */
	void (*finish)(struct source *s);
};

/* What was in the file and could not be read. */
struct source_damage {
	u64 blocks;  /* bad blocks passed over */
	u64 samples; /* samples known to have been in them */
	u64 bytes;
	u64 first_at; /* file offset of the first of them */
	u64 cut_at;   /* file offset where the file ends in the middle of a block, 0: it does not */
	bool no_end;  /* the recorder never finished the file */
	u64 repeated; /* blocks dropped because they were read before: no damage */
	u64 gaps;     /* times that a ring goes on behind where its last block ended */
	u64 gap_bytes; /* of the rings, in all these gaps */
	/* of perf.data */
	u64 sections;     /* of the header, and records that stand for them, that cannot be read */
	u64 section_at;   /* file offset of the first of them, or of what leads to it */
	bool cut;         /* it ends in the middle of a record, at cut_at, which may be 0 */
	bool no_tables;   /* what stands behind the records is missing: names, formats, facts */
	const char *part; /* in a directory: the file that the offsets are of, NULL: not one */
};

/*
 * What the consumer wants, set before the first source_step(); `time_from` may be raised later. A
 * hint: what is not wanted may come all the same. Side-band records always come.
 */
struct source_want {
	bool no_samples;
	bool no_chains; /* call chains may come out empty */
	bool addresses; /* likewise, as long as all samples hold the address that they are of */
	bool no_raw;    /* raw data may come out as zeros behind its first 8 bytes */
	bool traces;    /* but not in perf.data that has nothing but tracepoints */
	const char *raw_event;  /* nor where this tracepoint was recorded; NULL: none */
	bool grouped;           /* samples that differ in their time alone may come together */
	u64 time_from, time_to; /* samples from .. to, both included; 0: no bound */
	/* samples of which CPUs, asked by any thread until the source is closed; NULL: of all */
	bool (*cpu)(const void *filter, u32 cpu);
	const void *filter;
	u32 threads; /* to decode with, the caller's among them; 0: as many as help */
};

/*
 * Memory that records lie in. Who keeps such a record beyond the next counts himself in `refs`
 * meanwhile; with the last of them the memory goes back, before the source is closed.
 */
struct record_buffer {
	u32 refs;
	void (*back)(struct record_buffer *l);
};

static inline void record_buffer_put(struct record_buffer *l)
{
	if (l && !--l->refs)
		l->back(l);
}

#define SOURCE_TOLD 32

struct source {
	const struct source_ops *ops;
	struct recording recording;
	struct source_want want;
	struct source_damage damage;
	u64 traces,
		trace_bytes;   /* of processors (AUX), which are passed over: how many, how long */
	u64 told[SOURCE_TOLD]; /* records that perf made, by type from 64 on */
	u64 order;
	struct sample_groups *groups; /* writable: what is taken of it may be noted in it */
	struct record_buffer
		*record_buffer; /* where the last record lies; NULL: it is gone with the next */
	u64 at; /* byte of the file where the last record stood, or the block that it came in */
	bool live; /* SOURCE_ORDER comes each round, with or without records: whoever waits should know */
	bool perf_stream; /* what perf record writes to a pipe, wherever it was read from */
	const char *path;
};

/*
 * Open a recording of any kind; "-" is standard input. The kind is read off its first bytes; a
 * directory is what perf record --threads writes.
 */
struct source *source_open(const char *path, struct err *err);
/*
 * Likewise of a stream that is open and stands at its beginning, so that who has looked at its
 * first bytes need not read them again. It is taken over in any case; `path` names it.
 */
struct source *source_open_stream(struct stream *in, const char *path, struct err *err);

/* What a stream's first bytes say that it is; nothing is passed over. Look at in->error too. */
enum source_kind { SOURCE_EMPTY, SOURCE_NATIVE, SOURCE_PERFDATA, SOURCE_OTHER };
enum source_kind source_kind(struct stream *in);
/* The error for SOURCE_EMPTY and SOURCE_OTHER. */
int source_unknown(enum source_kind kind, const char *path, struct err *err);

/* One step of the source, as its ops have it. */
static inline int source_step(struct source *s, struct rec *rec, struct err *err)
{
	return s->ops->next(s, rec, err);
}

/* The next record, for those who do not care for order: 1, 0 at the end, <0. */
static inline int source_next(struct source *s, struct rec *rec, struct err *err)
{
	int ret;

	do {
		ret = source_step(s, rec, err);
	} while (ret == SOURCE_ORDER);
	return ret;
}

/* No more is read: memory that only reading took goes back. What has been learnt stays. */
void source_finish(struct source *s);
void source_close(struct source *s);

#endif
