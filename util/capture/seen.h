/* SPDX-License-Identifier: GPL-2.0 */
/*
 * seen.h - the functions that a recording's samples stand in, so that it can name them anywhere.
 *
 * The recorder hands in every record that it keeps. At each flush the addresses that are new are
 * looked up as of their own moment (side-band records are applied in order of time among them),
 * and what was found comes out as SYMS and DSO blocks, written before the block of records.
 * No ELF file is read before an address asks for it, nor is kallsyms unless seen_load_kernel() was
 * called.
 *
 * What cannot be found is left out: the reader then looks itself, and says so.
 */
#ifndef CAPTURE_SEEN_H
#define CAPTURE_SEEN_H

#include "util/base/symtab.h"
#include "util/file/writer.h"
#include "util/process/process.h"
#include "util/record/event_set.h"

struct seen_address {
	u64 time, ip;
	u32 pid, tid;
	bool kernel, caller;
};

struct seen_sideband {
	u64 time;
	size_t at; /* of the record, in the batch */
};

struct seen_dso {
	bool asked; /* its file was looked for */
	struct symtab symtab;
	struct hmap known;  /* start of each symbol that is in the recording */
	struct buf pending; /* symbols for the next SYMS block */
	struct dso_head {
		u32 class, maj, min;
		u64 ino;
		u8 build_id[20];
		u8 build_id_len;
	} head;
};

struct seen {
	struct process_model model;
	const struct event_set *events;
	int proc;              /* descriptor of /proc */
	struct hmap addresses; /* (pid, ip) that were looked up */
	u64 chains[1024]; /* hashes of call chains whose addresses were noted; the latest stay */
	VEC(struct seen_address) fresh;
	VEC(struct seen_sideband) sideband;
	VEC(struct seen_dso) dsos; /* by DSO of the model */
	struct symtab kallsyms;
	bool kallsyms_asked, kernel_told;
	u64 kernel_start, kernel_len;
	struct err kallsyms_error; /* why the kernel's functions have no names, code 0: they have */
	struct hmap modules;       /* name id -> dso */
	struct buf *head;        /* records for the front of the batch: the kernel's own mapping */
	const struct plan *plan; /* shape of those records' trailers */
	u32 head_records;
	bool failed; /* sticky: memory ran out */
};

int seen_init(struct seen *s, const struct event_set *events, int proc, struct err *err);

/*
 * Read the kernel's functions now rather than at the first address in the kernel: it takes some
 * 50 ms, in which a busy ring overflows.
 */
void seen_load_kernel(struct seen *s);

/* A record that was appended to the batch at byte `at`. */
void seen_record(struct seen *s, const struct rec *rec, u32 event, size_t at);

/*
 * Look up what is new in the batch and write SYMS and DSO blocks. Records that must come before
 * the batch's are appended to `head`.
 */
int seen_flush(struct seen *s, const struct buf *batch, struct buf *head, u32 *head_records,
	       struct writer *w, struct err *err);

void seen_free(struct seen *s);

#endif
