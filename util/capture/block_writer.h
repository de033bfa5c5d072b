/* SPDX-License-Identifier: GPL-2.0 */
/*
 * block_writer.h - writes batches into the file: records as columns, symbols of their addresses,
 * the account of samples and losses.
 *
 *	batch -> columns --------------------------> DATA
 *	      -> symbol collector (functions) -----> SYMS, DSO   before it
 *	      -> loss_account (samples, lost, throttled) -> LOSS       after it
 *
 * One thread owns it; the recorder hands it batches (recorder.c), and so does a guardian that has
 * taken over. With a window of time to keep, blocks stay in memory until block_writer_snapshot().
 */
#ifndef CAPTURE_BLOCK_WRITER_H
#define CAPTURE_BLOCK_WRITER_H

#include <pthread.h>
#include <sys/stat.h>

#include "util/capture/flight_recorder.h"
#include "util/capture/loss_account.h"
#include "util/capture/preamble.h"
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

/*
 * From a batch into the columns of one block: what is left out of the recording, its addresses
 * (symbol_collector.h), what it says of losses (loss_account.h). A batch may be taken in parts, while
 * its end is still being filled; its bytes must live until the block ends. Parts of it may then be
 * taken once more, for smaller blocks.
 */
struct batch_encoder {
	u32 self;                   /* process whose samples are left out, 0: none */
	const struct ev_list *list; /* with filters that are run here; NULL: without */
	const struct shared_batches *shared_batches;
	struct event_set *events;
	struct columns_encoder *columns;
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

struct block_writer_options {
	const char *output; /* "-": standard output */
	bool perfdata;      /* the file is perf.data, not ours */
	int level;          /* of zstd, 0: none, COLUMNS_BY_RATE */
	u32 self;           /* process whose samples are left out, 0: none */
	const struct preamble *preamble;
	const struct ev_list *list;
	const struct sysroot *root;
	int proc;     /* descriptor of /proc */
	bool inlines; /* inlined functions and lines of what was seen go into the file */
	struct debuginfod *debuginfod; /* asked at the end for what is not here; NULL: nobody is */
	/* A flight recorder: */
	bool keep;   /* in memory, until a snapshot */
	u64 keep_ns; /* the latest so much; 0: as much as the rings held */
	u64 keep_bytes;
	bool keep_once; /* what was in a snapshot is not in the next: the rings are read anew */
	/* A new file when the present one is so large or so old; 0: never. */
	u64 switch_bytes, switch_ns;
	u32 max_files; /* of those switched from, the latest so many stay; 0: all */
	u64 max_bytes; /* no file gets larger: the recording ends; 0: no limit */
	struct writer_patience patience; /* of the writer */
};

/* Who uses files that were finished. Called by the thread that writes. */
struct block_writer_listener {
	void (*finished)(void *arg, const char *path);
	/* There are too many. False: it is in use, and stays for now. True: it is used no more. */
	bool (*may_delete)(void *arg, const char *path);
	void *arg;
};

/* An id of an event that is not in its ATTR block: its counter was opened later. */
struct block_writer_id {
	u64 id;
	u32 event;
};

/* The files that were finished beside the one that is written: FILE.DATE, of which the latest may be all that is kept. */
struct block_writer_files {
	VEC(char *) v;    /* names of those that are kept, oldest first */
	u32 total, moved; /* moved: by others, before they had got their name */
	bool unnamed;     /* the file in use has not got its name, ... */
	char *aside;      /* ... since the one before it is to have this one first; NULL: it has */
	u64 bytes;        /* of all of them that were switched from */
	struct stat finished; /* the one that waits for `aside`; st_ino 0: not known */
	char *elsewhere; /* at the end: where the last one is that somebody has moved; NULL: it was not */
	const struct block_writer_listener *listener; /* NULL: none; a guardian has none */
};

/* The first of its kind. `failed` is set last, once: from then on other threads may read the error. */
struct block_writer_failure {
	struct err err;
	bool failed;
};

struct block_writer {
	const struct block_writer_options *options;
	struct event_set *events;
	struct shared_batches *shared_batches; /* every batch that is written is noted there */
	struct writer writer;
	struct flight_recorder kept; /* of the flight recorder */
	struct loss_account loss_account;
	struct batch_encoder batch_encoder;
	struct block_writer_files files;
	struct buf payload, scratch, head; /* head: records that come before the next block's */
	u32 head_records;
	u64 batch;                         /* number of the last one written */
	u64 newest_written, order_written; /* of all blocks so far */
	u64 opened, looked; /* when the file was begun, functions looked up: CLOCK_MONOTONIC */
	struct clock_pair clocks; /* as last written to the file */
	VEC(struct block_writer_id) late;
	bool open, full;                   /* full: max_bytes is reached */
	struct block_writer_failure write; /* the first failed write; the recording went on */
	struct block_writer_failure
		switching; /* of a file that could not be begun; the one before stayed in use */
};

/* Make the file, and write what precedes the data. `s` is zero-initialised. */
int block_writer_open(struct block_writer *s, const struct block_writer_options *o,
		      struct event_set *events, struct shared_batches *h, struct err *err);

/* Go on with the file that another process was writing. block_writer_publish() gives it its name, if it has none yet. */
int block_writer_resume(struct block_writer *s, const struct block_writer_options *o,
			struct event_set *events, struct shared_batches *h, struct err *err);

/* Give the file its name. What fails is tried again with each block and at the end, where it is an error of it. */
int block_writer_publish(struct block_writer *s, struct err *err);

/*
 * Take in the first spans of the batch that is being filled, so that the functions of a process that
 * ends soon are found although the block is written later. block_writer_batch() of that batch is next: till
 * then nothing is committed, since what was taken in is neither in the file nor in the account.
 */
void block_writer_look(struct block_writer *s, const struct batch *b, u32 nr_spans);

/*
 * Write a batch. A full disk is no failure: what could not be written is counted. <0: nothing more
 * can be written (the reader of the pipe has ended, memory ran out).
 */
int block_writer_batch(struct block_writer *s, const struct batch *b, struct err *err);

/*
 * Between two batches: begin another file if it is time to. *again: call this again at that time of CLOCK_MONOTONIC, 0: never.
 * Fails as block_writer_batch().
 */
int block_writer_idle(struct block_writer *s, u64 *again, struct err *err);

/* More ids of events: counters were opened for them. The file has them, and so does each that is begun later. */
int block_writer_ids(struct block_writer *s, const struct block_writer_id *ids, u32 nr,
		     struct err *err);

/*
 * Begin another file, end the present one and rename it to a name with the time of now. If no file can be begun (disk full, no
 * inode left), the present one stays in use and `switching` says why. If it cannot be renamed, that is tried again later.
 */
int block_writer_switch(struct block_writer *s, struct err *err);
/* Write what is kept to a file with the time of now in its name. */
int block_writer_snapshot(struct block_writer *s, struct err *err);

/* What is known only now. counts: as the kernel has them, by event; flags 0 where it does not. */
struct block_writer_end {
	const struct counts *kernel;   /* .lost, .count and .flags of each event */
	const struct lost_on *lost_on; /* of that, by CPU: of all samples */
	u64 time;
	bool read_to_end;  /* nothing was left in a ring */
	int exit_code;     /* of the command, -1: none or not known */
	const char *notes; /* messages to the user meanwhile, NULL: none */
};

/*
 * Before the end, when nothing more is recorded: fetch the names that are not on this machine, from
 * options->debuginfod. *wanted, *found: of how many files.
 */
int block_writer_fetch_names(struct block_writer *s, u32 *wanted, u32 *found, struct err *err);
int block_writer_finish(struct block_writer *s, const struct block_writer_end *e, struct err *err);
void block_writer_free(struct block_writer *s);

/*
 * The thread that writes: the reader of the rings fills batches and hands them
 * over; neither a slow disk nor the reading of symbols keeps it from the rings.
 *
 *	block_writer_thread_start()                 made first, for its thread id; it sleeps
 *	block_writer_thread_next()                  an empty batch, waits while all are in use
 *	block_writer_thread_look()                  it has records that are to be looked at
 *	block_writer_thread_hand()                  it is full
 *	block_writer_thread_lock() ... _unlock()    do something to the block writer between two batches
 *	block_writer_thread_stop()                  write what was handed, end
 */
struct block_writer_thread {
	pthread_t thread;
	pthread_mutex_t queue; /* guards the next eight */
	pthread_cond_t wake;
	u64 handed, written; /* numbers of batches */
	u32 look;            /* at so many spans of the one behind those that were handed */
	u32 tid;
	bool running, stop;
	bool served;          /* there is a block writer to use */
	u32 used;             /* so often by others */
	struct err error;     /* why nothing more can be written; code 0: all is well */
	pthread_mutex_t work; /* held while the block writer is used */
	struct block_writer *block_writer;
	struct shared_batches *shared_batches;
};

int block_writer_thread_start(struct block_writer_thread *t, struct err *err);
/* Before the first batch. */
void block_writer_thread_serve(struct block_writer_thread *t, struct block_writer *s,
			       struct shared_batches *h);

/* The batch behind those that were handed; emptied. */
struct batch *block_writer_thread_next(struct block_writer_thread *t);
/* What it holds so far is taken in; more may be added to it meanwhile. */
void block_writer_thread_look(struct block_writer_thread *t);
void block_writer_thread_hand(struct block_writer_thread *t);
/* Has writing failed for good? */
bool block_writer_thread_failed(struct block_writer_thread *t, struct err *err);

void block_writer_thread_lock(struct block_writer_thread *t);
void block_writer_thread_unlock(struct block_writer_thread *t);

void block_writer_thread_stop(struct block_writer_thread *t);

#endif
