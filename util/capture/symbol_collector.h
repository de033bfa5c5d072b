/* SPDX-License-Identifier: GPL-2.0 */
/*
 * symbol_collector.h - collects the functions that a recording has samples in, so that they have
 * names on any machine.
 *
 *	{ symbol_collector_record() for every record of a block ... symbol_collector_flush() } ...
 *
 * Records are handed in as they go into a block. At each flush the addresses that are new are
 * looked up as of their own moment (side-band records are applied in order of time among them),
 * and what was found is written as SYMS, DSO and FRAMES blocks before the block of records.
 * Nothing is read before an address asks for it: neither ELF files nor the kernel's symbols.
 *
 * What cannot be found is left out: the reader then looks itself, and reports it.
 *
 * Memory is bounded by what is alive and by the distinct functions and files of the samples: which
 * addresses are known is a cache, and one that fell out of it is looked up again. So are the symbols of
 * files: those that no process maps go first, then those that nobody asked for lately.
 *
 *	symbol_collector_addresses.c   samples -> addresses that are new
 *	symbol_collector.c             addresses -> mappings -> functions, as of their moment
 *	symbol_collector_dso.c         functions, lines and build-id of one DSO
 *	symbol_collector_jit.c         functions that processes make while they run
 */
#ifndef CAPTURE_SYMBOL_COLLECTOR_H
#define CAPTURE_SYMBOL_COLLECTOR_H

#include "util/file/columns.h"
#include "util/file/writer.h"
#include "util/process/process.h"
#include "util/record/event_set.h"

struct symbol_collector;
struct pinned_files;
struct debuginfod;

struct symbol_collector_options {
	int proc;        /* descriptor of /proc */
	bool inlines;    /* inlined functions and lines too */
	bool fetches;    /* symbol_collector_complete() will be called */
	u64 table_bytes; /* memory for symbols of files that no process maps any more, and thrice of all; 0: as much as is sensible */
};

/* NULL: memory ran out. `events` may grow; it must outlive. */
struct symbol_collector *symbol_collector_new(const struct event_set *events,
					      const struct symbol_collector_options *o,
					      struct err *err);
void symbol_collector_free(struct symbol_collector *s);

/* Files that need not be there any more when a sample asks for them. */
void symbol_collector_set_pinned(struct symbol_collector *s, struct pinned_files *pinned);

/*
 * A record of the block, its event, and what columns_add() said of its call chain; NULL: nothing,
 * then every address is checked. The bytes of a record that is no sample must live until
 * symbol_collector_flush(). Those of a side-band ring had better come before those of samples.
 */
void symbol_collector_sample(struct symbol_collector *s, const struct rec *rec, u32 event,
			     const struct columns_stacks *stacks);
void symbol_collector_other(struct symbol_collector *s, const struct rec *rec, u32 event,
			    const struct columns_stacks *stacks);

static inline void symbol_collector_record(struct symbol_collector *s, const struct rec *rec,
					   u32 event, const struct columns_stacks *stacks)
{
	if (rec->type == PERF_RECORD_SAMPLE)
		symbol_collector_sample(s, rec, event, stacks);
	else
		symbol_collector_other(s, rec, event, stacks);
}

/*
 * The block is complete: look up what is new and write it. Records that belong into this block or
 * one before it are appended to `head`, *head_records of them: where the kernel is, of time 0, and
 * which code of a process replaced other code, no older than `order` (no record of this block is
 * older; 0: not known). Without a writer (NULL) what was found waits for a flush that has one.
 */
int symbol_collector_flush(struct symbol_collector *s, u64 order, struct buf *head,
			   u32 *head_records, struct writer *w, struct err *err);

/*
 * When nothing more is recorded: names and lines that only a debug file of the server has, for all
 * that was seen. The next flush writes them. How many files had none of their own, and of how many
 * of these something was found.
 */
void symbol_collector_complete(struct symbol_collector *s, struct debuginfod *server, u32 *wanted,
			       u32 *found);

/* What is flushed next goes into another file, with blocks whose records come from now on. */
void symbol_collector_forget_written(struct symbol_collector *s);

/* Memory ran out since it was made. */
bool symbol_collector_failed(const struct symbol_collector *s);

/* Tasks and mappings as of the last flush. */
const struct process_model *symbol_collector_model(const struct symbol_collector *s);

/* Append a line for each reason why functions lack names or have short ones. */
void symbol_collector_notes(const struct symbol_collector *s, struct buf *notes);

#endif
