/* SPDX-License-Identifier: GPL-2.0 */
/*
 * seen.h - the functions that a recording's samples stand in, so that it can name them anywhere.
 *
 *	{ seen_record() for every record of a block ... seen_flush() } ...
 *
 * Records are handed in as they go into a block. At each flush the addresses that are new are
 * looked up as of their own moment (side-band records are applied in order of time among them),
 * and what was found comes out as SYMS and DSO blocks, written before the block of records.
 * Nothing is read before an address asks for it: neither ELF files nor the kernel's symbols.
 *
 * What cannot be found is left out: the reader then looks itself, and says so.
 *
 * Memory is bounded by what is alive and by the distinct functions and files that were seen: which
 * addresses are known is a cache, and one that fell out of it is looked up again.
 */
#ifndef CAPTURE_SEEN_H
#define CAPTURE_SEEN_H

#include "util/capture/seen_fresh.h"
#include "util/capture/seen_made.h"
#include "util/capture/seen_names.h"
#include "util/file/writer.h"
#include "util/kernel/ksyms.h"
#include "util/process/process.h"
#include "util/record/event_set.h"

struct seen_sideband;
struct seen_dso;
struct pinned_files;
struct debuginfod;

struct seen {
	struct process_model model; /* as of the last flush */
	const struct event_set *events;
	int proc;                  /* descriptor of /proc */
	struct pinned_files *held; /* files of what was mapped lately; NULL: none */
	bool inlines; /* inlined functions and lines too; set it before the first record */
	bool fetches; /* seen_complete() will be called; likewise */
	struct ksyms ksyms;
	bool kernel_asked, kernel_told;     /* where it is; the record that says so was made */
	u64 kernel_start, kernel_len;       /* 0, 0: not to be told */
	u64 code_low, code_high;            /* bounds of all code in the kernel */
	struct seen_fresh fresh;            /* for the next flush */
	VEC(struct seen_sideband) sideband; /* likewise */
	VEC(struct seen_dso) dsos;          /* by DSO of the model */
	struct seen_made made;              /* code of processes that make theirs while they run */
	struct seen_names names;            /* how long they may be */
	u64 order;        /* no record of this block is older; the owner's, 0: not known */
	u32 compact_at;   /* parts of the model that call for making it anew */
	struct buf *head; /* records for the front of the block */
	u32 head_records;
	bool failed; /* sticky: memory ran out */
};

/* `events` may grow; it must outlive. */
int seen_init(struct seen *s, const struct event_set *events, int proc, struct err *err);

/* A record that is no sample, as seen_record(). */
void seen_other(struct seen *s, const struct rec *rec, u32 event,
		const struct columns_stacks *stacks);

/*
 * A record of the block, its event, and what columns_add() said of its call chain; NULL: nothing,
 * then every address is checked. The bytes of a record that is no sample must live until
 * seen_flush(). Those of a ring for side-band had better come before those of samples.
 */
static inline void seen_record(struct seen *s, const struct rec *rec, u32 event,
			       const struct columns_stacks *stacks)
{
	if (rec->type == PERF_RECORD_SAMPLE)
		seen_fresh_sample(&s->fresh, rec, event, stacks);
	else
		seen_other(s, rec, event, stacks);
}

/*
 * The block is complete: look up what is new and write it. Records that belong into this block or
 * one before it are appended to `head`, *head_records of them: where the kernel is, of time 0, and
 * what a process has made where other code of it stood, no older than s->order. Without a writer
 * (NULL) what was found waits for a flush that has one.
 */
int seen_flush(struct seen *s, struct buf *head, u32 *head_records, struct writer *w,
	       struct err *err);

/*
 * When nothing more is recorded: names and lines that only a debug file of the server has, for all
 * that was seen. The next flush writes them. How many files had none of their own, and of how many
 * of these something was found.
 */
void seen_complete(struct seen *s, struct debuginfod *server, u32 *wanted, u32 *found);

/* What is flushed next goes into another file, with blocks whose records come from now on. */
void seen_forget_written(struct seen *s);

/* Likewise, but with blocks of earlier records as well: all that was ever seen is written again. */
void seen_write_again(struct seen *s);

/* Why functions of the kernel have no names, if any was asked for; NULL: they have. */
const struct err *seen_kernel_error(const struct seen *s);

void seen_free(struct seen *s);

#endif
