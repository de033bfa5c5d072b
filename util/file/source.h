/* SPDX-License-Identifier: GPL-2.0 */
/*
 * source.h - where records come from: one interface for our file, perf's file, a pipe, the rings of the
 * running system, and for each stage that makes something of the records of another source.
 *
 *	source_open() -> reorder_wrap() -> source_step() ... -> SOURCE_END -> source_close()
 *
 *	native, perf.data, live  ->  reorder  ->  deferred chains  ->  session
 *
 * A stage wraps the source that it reads from, shares its recording and closes it. It is there only
 * where it is needed. Records of a file come in its order: nearly, not wholly, in order of time;
 * reorder.h makes order of it. The recording may grow with every call of source_step().
 */
#ifndef FILE_SOURCE_H
#define FILE_SOURCE_H

#include "util/file/recording.h"
#include "util/file/sample_groups.h"

struct stream;

struct source;

/*
 * SOURCE_RECORD: *rec is the next record, with `event` set if it is known. SOURCE_WAIT: there is none
 * now, and the next call may wait for input: a good moment to write out what there is. Everything older
 * than `order` has been given, and a live source says so each round. SOURCE_GROUPS, only where these are
 * wanted: samples that differ in their time alone, in `groups`, which stay with `record_buffer`.
 * SOURCE_END. <0: no more can be read, err says why.
 */
enum source_result { SOURCE_END, SOURCE_RECORD, SOURCE_WAIT, SOURCE_GROUPS };

struct source_ops {
	int (*next)(struct source *s, struct rec *rec, struct err *err);
	/* Free what it holds, but not the struct. */
	void (*close)(struct source *s);
	/* As source_finish() says; NULL: there is nothing to do. */
	void (*finish)(struct source *s);
};

/*
 * What the consumer wants: hints that source_want() passes down the chain, before the first step;
 * `time_from` may be raised later. What is not wanted may come all the same; side-band always comes.
 */
struct source_want {
	bool no_samples;
	bool no_chains; /* call chains may come out empty */
	bool addresses; /* likewise, as long as all samples hold the address that they are of */
	bool no_raw;    /* raw data may come out as zeros behind its first 8 bytes */
	bool traces;    /* but not in perf.data that has nothing but tracepoints */
	const char *raw_event;  /* nor where this tracepoint was recorded; NULL: none */
	bool whole_time;        /* none are passed over for their times or CPUs */
	bool grouped;           /* samples that differ in their time alone may come together */
	bool brief_waits;       /* of a pipe: SOURCE_WAIT comes also when stream_wait() ends */
	u64 time_from, time_to; /* samples from .. to, both included; 0: no bound */
	/* samples of which CPUs, asked by any thread until the source is closed; NULL: of all */
	bool (*cpu)(const void *filter, u32 cpu);
	const void *filter;
	u64 threads; /* to decode with, the caller's among them; 0: as many as are useful */
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

struct source {
	const struct source_ops *ops;
	struct source *from;         /* the one that it wraps; NULL: it reads a file, or rings */
	struct recording *recording; /* of the whole chain */
	struct source_want want;
	u64 order; /* all that is older has been given, once SOURCE_WAIT comes */
	u64 last;  /* time of the last sample that the record represents (rec.more); 0: its own */
	struct record_buffer
		*record_buffer; /* where the last record lies; NULL: it is gone with the next */
	struct sample_groups *groups; /* writable: what is taken of it may be noted in it */
};

/*
 * Open a recording of any kind; "-" is standard input. The kind is read off its first bytes; a
 * directory is what perf record --threads writes.
 */
struct source *source_open(const char *path, struct err *err);
/*
 * Likewise for a stream that is open and at its beginning, so that a caller who has looked at its
 * first bytes need not read them again. It is taken over in any case; `path` names it.
 */
struct source *source_open_stream(struct stream *in, const char *path, struct err *err);

/* What a stream's first bytes say that it is; nothing is passed over. Look at in->error too. */
enum source_kind {
	SOURCE_EMPTY,
	SOURCE_NATIVE,
	SOURCE_PERFDATA,
	SOURCE_OTHER,
	SOURCE_GZIP, /* compressed, whatever it is */
	SOURCE_BZIP2,
	SOURCE_XZ,
	SOURCE_ZSTD,
};
enum source_kind source_kind(struct stream *in);
/* Open a stream of an own file; "FILE is a perf.data file, `why`", if it is one. 0; <0: nothing is open. */
int source_open_native(struct stream *in, const char *path, const char *why, struct err *err);
/* The error for all but SOURCE_NATIVE and SOURCE_PERFDATA. */
int source_unknown(enum source_kind kind, const char *path, struct err *err);

/* Say what is wanted, to all sources of the chain. */
void source_want(struct source *s, const struct source_want *want);
/* Put a stage in front of *s. */
void source_wrap(struct source **s, struct source *stage, const struct source_ops *ops);

/* One step: enum source_result, <0. */
static inline int source_step(struct source *s, struct rec *rec, struct err *err)
{
	return s->ops->next(s, rec, err);
}

/* The next record, for those who do not wait: 1, 0 at the end, <0. */
static inline int source_next(struct source *s, struct rec *rec, struct err *err)
{
	int ret;

	do
		ret = source_step(s, rec, err);
	while (ret == SOURCE_WAIT);
	return ret;
}

/* No more is read: memory that only reading took goes back. The recording stays. */
void source_finish(struct source *s);
/* With all that it wraps, and the recording. NULL: nothing to do. */
void source_close(struct source *s);

#endif
