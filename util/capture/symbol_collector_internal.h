/* SPDX-License-Identifier: GPL-2.0 */
/* symbol_collector_internal.h - what the parts of symbol_collector.h share. */
#ifndef CAPTURE_SYMBOL_COLLECTOR_INTERNAL_H
#define CAPTURE_SYMBOL_COLLECTOR_INTERNAL_H

#include "util/base/hash.h"
#include "util/base/symtab.h"
#include "util/base/vec.h"
#include "util/capture/symbol_collector.h"
#include "util/debuginfo/debuginfo.h"
#include "util/file/functions.h"
#include "util/image/image.h"
#include "util/kernel/ksyms.h"
#include "util/process/jit.h"

struct address_layout;

/*
 * How much of the names of functions and files a recording keeps, and what it lacks.
 *
 * Whoever runs a program that is recorded chooses its names. Readers refuse what unpacks to far more
 * than the file has bytes, so that long names without end would make the recording of all others
 * unreadable: each is cut at SYM_NAME_MAX, and at SYMBOL_NAME_SHORT when there were many of them.
 */
#define SYMBOL_NAME_SHORT 256
#define SYMBOL_NAMES_LONG (16u << 20) /* bytes of all longer names of a file */

/* Zero-initialised, it is ready. */
struct symbol_names {
	u64 long_bytes; /* of names longer than SYMBOL_NAME_SHORT, in this file */
	u32 cut;        /* names that were cut */
	u32 nr_unread;
	struct buf unread; /* a line for each file that cannot be read: which, and why */
};

#define SYMBOL_UNREAD_MAX 32

/* How many bytes of a name to keep. */
size_t symbol_names_length(const struct symbol_names *n, const char *name);
/* A name of which `len` bytes were kept went into the recording. */
void symbol_names_add(struct symbol_names *n, const char *name, size_t len);
/* Names or lines are missing, since something of a file cannot be read. */
void symbol_names_cannot_read(struct symbol_names *n, const struct err *why);

/*
 * The addresses of a block's samples that are not known yet: of call chains, of samples without one,
 * and of raw data, whose pointers to functions are printed by name.
 *
 *	{ symbol_collector_sample(), _deferred(), _text_poke(), _change() ... symbol_addresses_sort() -> v, nr
 *	  -> symbol_addresses_clear() } ...
 *
 * Most samples have addresses that others had before: what is known is a cache by address space,
 * and one that fell out of it is found again.
 */
#define SYMBOL_WORDS 256

struct symbol_address {
	u64 time, ip;
	u32 pid, tid; /* pid ID_NONE: that of the thread, which only the process model knows */
	bool kernel, caller;
};

struct symbol_addresses {
	VEC(struct symbol_address) v; /* for the next flush */
	const struct event_set *events;
	bool (*is_code)(void *arg, u64 word); /* Is there kernel code at this address? */
	void *arg;
	u64 *known; /* (address space, ip) that was found: direct-mapped */
	u64 *pairs; /* (address space, user half) of this block, likewise */
	struct {
		u64 space;
		u32 user;
	} last;      /* address space and user half of the call chain that was looked at last */
	u32 *epochs; /* changes of an address space, by a hash of its pid */
	u64 words[SYMBOL_WORDS]; /* of raw data that were looked at in this block: direct-mapped */
	/* of this block's user halves: the address space that knows the way there */
	VEC(u64) nodes;
	VEC(struct address_layout) layouts; /* of the events' samples */
	bool failed;                        /* sticky: memory ran out */
};

/* `events` may grow; it must outlive. */
int symbol_addresses_init(struct symbol_addresses *f, const struct event_set *events,
			  struct err *err);
void symbol_addresses_free(struct symbol_addresses *f);

/* A record of that type, as symbol_collector_record(). Samples: symbol_collector_sample(). */
void symbol_addresses_deferred(struct symbol_addresses *f, const struct rec *rec, u32 event,
			       const struct columns_stacks *stacks);
void symbol_addresses_text_poke(struct symbol_addresses *f, const struct rec *rec, u32 event);

/* A record of side-band: what was known of an address space may not hold after it. */
void symbol_addresses_change(struct symbol_addresses *f, const struct rec *rec);

/* The addresses in order of time. */
void symbol_addresses_sort(struct symbol_addresses *f);

/* They were looked at, and the block is complete: its stacks are numbered anew. */
void symbol_addresses_clear(struct symbol_addresses *f);

/* All addresses are to be found once more. */
void symbol_addresses_forget(struct symbol_addresses *f);

/*
 * The inlined functions and lines of the addresses of one DSO, for FRAMES blocks (docs/FORMAT.md).
 * The DSO's file and its debug file stay open while a process maps it. Zero-initialised, it is
 * empty and ready.
 */
struct symbol_lines {
	bool open;
	bool noted; /* why something is missing */
	struct debug_source source;
	struct hmap known;     /* addresses in `entries`, or without lines */
	struct strtab strings; /* functions and files */
	struct buf entries;    /* as in a FRAMES block, but with numbers of `strings`, plus one */
	size_t written;        /* bytes of them that are in the file */
};

/*
 * The addresses of an image whose names or lines are not on this machine, until the recording is
 * over and a server can be asked for its debug file. The image stays open: its file may be gone by
 * then. Zero-initialised, it wants nothing.
 */
struct symbol_fetch {
	bool wanted;         /* a debug file; then `image` is ours */
	bool symbols, lines; /* what of it */
	struct image image;
	struct hmap met;  /* in `offsets` */
	VEC(u64) offsets; /* in the image's file */
};

/* The functions of one DSO that a recording has samples in. Zero-initialised, it is empty and ready. */
struct symbol_dso {
	bool user;                 /* a mapped file, with a DSO block of its own */
	bool asked;                /* its file was looked for */
	bool written_head;         /* its DSO block is in the file */
	struct symtab symtab;      /* of its file, by file offset; empty for code that is made */
	bool dropped;              /* ... and where it took too much memory */
	u64 used;                  /* when it was asked for last: symbol_collector.uses */
	struct hmap known;         /* start of each function in `symbols` */
	struct buf symbols;        /* u64 start, u64 size, string name */
	size_t written;            /* bytes of them that are in the file */
	struct symbol_lines lines; /* if they were asked for */
	struct symbol_fetch fetch; /* what a debug file is to be fetched for */
	u8 build_id[BUILD_ID_MAX];
	u8 build_id_len;
};

/* Read the symbols of the file of a mapping of a process, once. `pinned` may be NULL. */
void symbol_dso_load(struct symbol_dso *sd, struct symbol_names *names,
		     const struct process_model *m, u32 map, u32 pid,
		     const struct symbol_collector_options *o, struct pinned_files *pinned);

/* Close the files of its lines: they are opened again when one is asked for. */
void symbol_dso_close(struct symbol_dso *sd);
/* ... and give back the memory of its symbols: they are read again. */
void symbol_dso_drop(struct symbol_dso *sd);

/* A sample has this file offset: its lines are wanted. False when memory is out. */
bool symbol_dso_add_place(struct symbol_dso *sd, struct symbol_names *names, u64 offset);

/* A sample is in this function. False when memory is out. */
bool symbol_dso_add(struct symbol_dso *sd, struct symbol_names *names, u64 start, u64 end,
		    const char *name);

/* Names and lines of all that was seen so far, from a debug file of the server. */
void symbol_dso_fetch(struct symbol_dso *sd, const struct dso *d, struct symbol_names *names,
		      struct debuginfod *server);

/*
 * Append what the file does not have yet: to the payload of a DSO block, and to its functions.
 * symbol_dso_written() when both were written. `image`: the vdso's goes there, too.
 */
void symbol_dso_put(const struct symbol_dso *sd, const struct dso *d, bool image, struct buf *dsos,
		    struct functions *functions);
void symbol_dso_written(struct symbol_dso *sd);

/* Write the FRAMES blocks of what the file does not have yet, if lines were asked for. */
int symbol_dso_write_lines(struct symbol_dso *sd, const struct dso *d, struct writer *w,
			   struct err *err);

/* Another file begins, which has nothing of what was seen. */
void symbol_dso_forget_written(struct symbol_dso *sd);

void symbol_dso_free(struct symbol_dso *sd);

/*
 * Which function was where, of code that one process makes and replaces.
 *
 * A recording has one name for an address of a DSO. So a function that replaces another one belongs
 * to another DSO, the layer above: layer 0 is the process's anonymous memory itself, and every
 * function is in a layer higher than all that were ever recorded at its addresses. Functions of one
 * layer never overlap.
 *
 * A zero-initialised struct is empty and ready. Addresses are absolute, times those of one clock.
 */
struct symbol_overlay {
	u64 start, end;        /* what is left of the function by those that were put over it */
	u64 first, last, from; /* the whole function, and the time since when it is there */
	u32 layer, name;       /* in names; ID_NONE: what is there is not known any more */
};

struct symbol_overlays {
	VEC(struct symbol_overlay) v; /* by address, none overlaps another */
	struct strtab names;
	bool failed; /* sticky: memory ran out */
};

enum symbol_overlay_state {
	OVERLAY_KNOWN, /* it was added before, in the layer that is named */
	OVERLAY_NEW,   /* it is new, in that layer */
	OVERLAY_OLD,   /* what was added there is newer */
};

/* The function [start, end) is there since `from`. */
enum symbol_overlay_state symbol_overlays_add(struct symbol_overlays *l, u64 start, u64 end,
					      const char *name, u64 from, u32 *layer);

/* Is anything recorded in [start, end)? */
bool symbol_overlays_any(const struct symbol_overlays *l, u64 start, u64 end);

/* The process runs another program: all functions are added anew, above all that were. */
void symbol_overlays_forget(struct symbol_overlays *l);

void symbol_overlays_free(struct symbol_overlays *l);

/* A function that the recording is to know. */
struct symbol_code {
	u64 start, end;
	u64 from; /* clock of the recording: a record has to say so; 0: the file knows already */
	u32 layer;
	const char *name; /* lives as long as the overlays of its process */
};

/*
 * The code that one process makes. What was put over a function of samples is recorded as well,
 * whether or not it has a sample yet: an address that was looked up once is not looked up again.
 * Zero-initialised but for jit.pid, it is empty and ready.
 */
struct symbol_jit_process {
	struct jit jit;
	struct symbol_overlays overlays;
	VEC(struct symbol_code) found; /* since they were taken */
	bool failed;                   /* sticky: memory ran out */
};

/*
 * The code that all processes make, and records that say since when another function is at an
 * address. A layer is a DSO like that of the process's anonymous memory, "/tmp/perf-PID.map", with the
 * number of the layer for its inode (docs/FORMAT.md). Zero-initialised, it is empty and ready.
 */
struct symbol_jit {
	VEC(struct symbol_jit_process) processes;
	struct hmap by_pid;
	u64 bytes;          /* of memory, of all of them */
	u64 begun, took_ns; /* CLOCK_MONOTONIC at the first look; CPU time of looking */
	u32 nr_late;        /* addresses that there was no time for */
	bool failed;        /* sticky: memory ran out */
};

struct symbol_jit_options {
	struct process_model *model;
	int proc; /* descriptor of /proc */
	struct pinned_files *pinned;
	u64 shift; /* time of the recording's clock less CLOCK_MONOTONIC */
	u64 order; /* no sample is older that was not handed in before */
};

/* A sample has an address of a DSO_PERF_MAP, at a time. */
void symbol_jit_find(struct symbol_jit *sj, const struct symbol_jit_options *o, u32 dso, u64 addr,
		     u64 time);

/* Append lines that say which files were not read as a whole, and why: jit_limits.h. */
void symbol_jit_notes(const struct symbol_jit *sj, const struct process_model *m,
		      struct buf *notes);

/* The process runs another program. */
void symbol_jit_exec(struct symbol_jit *sj, u32 pid);

/*
 * Hand in all functions that were found, and those that were put over them since the last call.
 * Records are appended to `head`, in order of time, and applied to the model; their number.
 */
u32 symbol_jit_put(struct symbol_jit *sj, const struct symbol_jit_options *o,
		   const struct sample_layout *layout, struct buf *head,
		   void (*function)(void *arg, u32 dso, const struct symbol_code *code), void *arg);

void symbol_jit_free(struct symbol_jit *sj);

/* A record that changes the model. */
struct symbol_sideband {
	u64 time;
	u32 order; /* of arrival */
	struct rec rec;
};

/* A process of the model that has ended, and when. */
struct symbol_ended {
	u32 process;
	u64 time;
};

/* Of symbols of files. */
struct symbol_uses {
	u64 nr, flushed; /* at the last flush */
	u32 loads;
};

/* Where the kernel is. */
struct symbol_kernel {
	bool asked, put;         /* that it is looked for; the record that says it was made */
	u64 start, len;          /* 0, 0: not known */
	u64 code_low, code_high; /* bounds of all code in the kernel */
};

struct symbol_collector {
	struct symbol_collector_options options;
	struct process_model model; /* as of the last flush */
	const struct event_set *events;
	struct pinned_files *pinned; /* files of what was mapped lately; NULL: none */
	struct ksyms ksyms;
	struct symbol_kernel kernel;
	struct symbol_addresses addresses;    /* for the next flush */
	VEC(struct symbol_sideband) sideband; /* likewise */
	VEC(struct symbol_ended) ended;       /* whose mappings are kept for a while */
	VEC(struct symbol_dso) dsos;          /* by DSO of the model */
	struct symbol_jit jit;
	struct symbol_names names;
	u64 order;      /* no record of this block is older; 0: not known */
	u32 compact_at; /* parts of the model that call for making it anew */
	struct symbol_uses uses;
	struct buf *head; /* records for the front of the block */
	u32 head_records;
	bool failed; /* sticky: memory ran out */
};

#endif
