/* SPDX-License-Identifier: GPL-2.0 */
/* unwind_internal.h - what the parts of our own engine share. */
#ifndef UNWIND_UNWIND_INTERNAL_H
#define UNWIND_UNWIND_INTERNAL_H

#include <string.h>

#include "arch/arch.h"
#include "util/record/chain.h"
#include "util/unwind/cfi.h"
#include "util/unwind/unwind.h"

/*
 * One sample being unwound: its copy of the stack, and the chain so far.
 */
struct unwind_walk {
	const struct arch_unwind *arch;
	const struct process_model *m;
	const struct thread *t;
	const struct unwind_input *in;
	u32 generation; /* of the process's mappings, and the kind of code */
	u64 base;       /* address of the first byte of the copy */
	u64 *chain;
	u32 nr, max;  /* words; one of max is kept for the end */
	bool guessed; /* CHAIN_GUESSED holds */
};

/* The registers that suffice for nearly every frame. */
struct unwind_frame {
	u64 ip, sp, fp;
	u64 link;    /* register of the return address, of machines that have one */
	u64 last;    /* a return address whose function has no caller; see unwind_guess() */
	bool exact;  /* ip is where the CPU was, not a return address */
	bool signal; /* a signal handler ran above it */
};

/* The address that the code of a frame is looked up at: in the call, not behind it. */
static inline u64 unwind_frame_pc(const struct unwind_frame *f)
{
	return f->exact ? f->ip : f->ip - 1;
}

/* Not 0, and not in the first or last page: the largest are marks (record/chain.h). */
static inline bool unwind_walk_is_address(u64 v)
{
	return v + 4096 >= 8192;
}

/* A register by DWARF's number, as the sample has it. */
bool unwind_walk_register(const struct unwind_walk *w, u32 reg, u64 *value);

/* `bytes` (1 to 8) of the stack at addr; false: the copy does not have them. */
static inline bool unwind_walk_load(const struct unwind_walk *w, u64 addr, u32 bytes, u64 *value)
{
	u64 at = addr - w->base, v = 0;

	if (at > w->in->size || bytes > w->in->size - at)
		return false;
	memcpy(&v, w->in->stack + at, bytes);
	*value = v;
	return true;
}

/* Why a read at that address failed. */
enum chain_end unwind_walk_why(const struct unwind_walk *w, u64 addr);

/* Append the address of a frame, with the marks that belong before it; false: no room. */
bool unwind_walk_add(struct unwind_walk *w, const struct unwind_frame *f, bool guessed);

/*
 * A row of unwind information in one word, for the frames that need no more than
 * instruction pointer, stack pointer and frame pointer: nearly all.
 *
 *	bits 0-2    kind
 *	bits 3-15   top: stack or frame pointer + so many words
 *	bits 16-23  the caller's frame pointer lies so many words below the top; 0: it is unchanged
 *	bits 24-31  the return address likewise; 0: it is in the link register
 *
 * The top is the end of what a function may save registers in: the CFA of most machines, and always
 * the caller's stack pointer + arch->save_words.
 */
enum unwind_rule_kind {
	UNWIND_RULE_SP,
	UNWIND_RULE_FP,
	UNWIND_RULE_SLOW, /* needs all registers */
	UNWIND_RULE_END,  /* the outermost frame */
	UNWIND_RULE_NONE, /* there is no row; bits 3-15: enum chain_end, why */
};

static inline u32 unwind_rule_kind(u32 rule)
{
	return rule & 7;
}

static inline u32 unwind_rule_top(u32 rule)
{
	return rule >> 3 & 0x1fff;
}

static inline u32 unwind_rule_fp(u32 rule)
{
	return rule >> 16 & 0xff;
}

static inline u32 unwind_rule_ra(u32 rule)
{
	return rule >> 24;
}

static inline u32 unwind_rule_none(enum chain_end why)
{
	return UNWIND_RULE_NONE | (u32)why << 3;
}

/* `vaddr` is the address that the row is of. */
u32 unwind_rule_make(const struct cfi_row *row, const struct arch_unwind *arch, u64 vaddr);

/*
 * The images behind the mappings, opened when they are first met, and what they say
 * about a frame at an address of theirs.
 *
 * Unwind information is taken from .eh_frame, else from .debug_frame (which may be in the separate
 * debug file), else from the instructions of code that never has any.
 */
struct unwind_dso {
	bool open;
	u64 used;      /* when it was asked for last: unwind_dsos.uses */
	u8 tries;      /* to open it that have failed */
	u32 tried_map; /* the last of them */
	bool nothing;  /* no code of this machine in an order of bytes that is read here */
	struct image img;
	struct unwind_bytes bytes;
	struct cfi_find eh;
	bool has_eh;
	const struct debug_file_options *where; /* its debug file is */
	struct unwind_debug_frame *debug;
	bool debug_sought;
};

struct unwind_dsos {
	const struct unwind_options *options;
	VEC(struct unwind_dso *) by_id; /* as the process model counts DSOs; may hold NULL */
	u64 uses;
	u64 closes;              /* of an image: what points into one is gone */
	u32 nr_files, max_files; /* that are open, and may be */
};

void unwind_dsos_init(struct unwind_dsos *s, const struct unwind_options *o);
void unwind_dsos_free(struct unwind_dsos *s);

/* As unwinder_close_unmapped(). */
void unwind_dsos_close_unmapped(struct unwind_dsos *s, const struct process_model *m);

/*
 * The image behind a mapping of the thread's process, or NULL: it cannot be had (now). It is open until the next one is asked for:
 * each holds a descriptor, and a file system that is to be unmounted.
 */
struct unwind_dso *unwind_dsos_get(struct unwind_dsos *s, const struct process_model *m, u32 map,
				   u32 pid);

enum unwind_dso_result {
	UNWIND_DSO_ROW,
	UNWIND_DSO_NO_FILE,
	UNWIND_DSO_NO_CFI,
	UNWIND_DSO_BAD_CFI,
	UNWIND_DSO_NO_MEMORY,
	UNWIND_DSO_TOO_LONG, /* this chain has cost enough */
};

/* The row at the virtual address `vaddr`, which lies at `offset` in the file `path`. */
enum unwind_dso_result unwind_dso_row(struct unwind_dso *d, const char *path, u64 vaddr, u64 offset,
				      const struct arch_unwind *arch, struct cfi_row *row);

/*
 * The rule or the row for an address of a process, through caches.
 *
 * The first is by address and generation of the process's mappings, and is overwritten where two
 * fall together; the others by file and offset, for all processes that have the file mapped: of
 * stretches of code that one rule holds for, since the addresses that samples are taken at are
 * mostly new and yet lie close together, and of single addresses.
 */
#define UNWIND_LOOKUP_BITS      14
#define UNWIND_LOOKUP_SPAN_BITS 13

struct unwind_lookup_entry {
	u64 pc;
	u32 generation; /* 0: free */
	u32 rule;
};

/* The bytes first..last of a block of the file. */
struct unwind_lookup_span {
	u64 block; /* 0: free */
	u8 first, last;
	u32 rule;
};

struct unwind_lookup_row {
	u64 key;    /* 0: free */
	u64 closes; /* of the images, when it was made: expressions lie in an image */
	struct cfi_row row;
};

struct unwind_lookup {
	struct unwind_dsos dsos;
	struct unwind_lookup_entry *rules;
	struct unwind_lookup_span *spans;
	struct hmap by_offset;
	struct unwind_lookup_row *rows; /* NULL until one is needed */
	u32 steps; /* instructions run for rows of this chain: who begins one sets it to 0 */
};

int unwind_lookup_init(struct unwind_lookup *k, const struct unwind_options *o, struct err *err);
void unwind_lookup_free(struct unwind_lookup *k);

u32 unwind_lookup_rule_slow(struct unwind_lookup *k, const struct unwind_walk *w, u64 pc);

static inline u32 unwind_lookup_slot(u64 pc)
{
	return (u32)((pc * 0x9e3779b97f4a7c15ull) >> (64 - UNWIND_LOOKUP_BITS));
}

static inline u32 unwind_lookup_rule(struct unwind_lookup *k, const struct unwind_walk *w, u64 pc)
{
	const struct unwind_lookup_entry *e = &k->rules[unwind_lookup_slot(pc)];

	if (e->pc == pc && e->generation == w->generation)
		return e->rule;
	return unwind_lookup_rule_slow(k, w, pc);
}

/* The row in *row, which holds until the next call; false: there is none, *why says why. */
bool unwind_lookup_row(struct unwind_lookup *k, const struct unwind_walk *w, u64 pc,
		       const struct cfi_row **row, enum chain_end *why);

/* What an address looks like that may be a return address. */
enum unwind_lookup_code {
	UNWIND_LOOKUP_NO_CODE,
	UNWIND_LOOKUP_UNREADABLE, /* code, made by a JIT or in a file that cannot be had */
	UNWIND_LOOKUP_NO_CALL,    /* code, but no call lies before the address */
	UNWIND_LOOKUP_CALL,
};

enum unwind_lookup_code unwind_lookup_code(struct unwind_lookup *k, const struct unwind_walk *w,
					   u64 addr);

/*
 * A chain by all registers: for samples with a frame that one word does not
 * describe, such as a signal's or one of a realigned stack.
 */
/* From the first frame on, which `f` is; *w is as new. Why the chain ended. */
enum chain_end unwind_full(struct unwind_lookup *k, struct unwind_walk *w, struct unwind_frame *f);

/*
 * The caller where there is no unwind information: code of a JIT, hand-written
 * assembly, a file that is gone.
 *
 * Tried in this order: what a call has just left (on top of the stack, or in the link register), in
 * the first frame only; the frame record that the frame pointer points to; the first address on the
 * stack that lies behind a call. Where unwind information is damaged the last two change places: code
 * that has it often keeps no frame pointer.
 *
 * A frame record with a frame pointer of 0 is the last one (psABIs). If no call lies before the return address in it, as in Go's
 * runtime.goexit, nothing has called that function. A pointer to a function, which begins at a multiple of 16, is none.
 *
 * *f becomes the caller's frame. False: there is none to be found; *end, which says why there is no
 * unwind information, then says why the chain ends. An address that unwind information has led to
 * where nothing is mapped is taken back: hand-written assembly pushes without saying so, and the
 * return address lies a little above. The trampoline of a return probe stays, in the place of the caller that it hides.
 */
bool unwind_guess(struct unwind_lookup *k, struct unwind_walk *w, struct unwind_frame *f,
		  enum chain_end *end);

/* Likewise where it has led to what is no address at all, in the first frame, and to that CFA. */
bool unwind_guess_above(struct unwind_lookup *k, const struct unwind_walk *w,
			struct unwind_frame *f, u64 cfa);

/*
 * The engine that is used: one-word rules from a cache, and all registers for the few
 * samples that need them.
 */
u32 unwind_fast_chain(struct unwind_lookup *k, const struct process_model *m,
		      const struct thread *t, const struct unwind_input *in, u64 *chain, u32 max);

struct unwinder {
	struct unwind_options options;
	struct unwind_lookup lookup; /* of our own engine */
	struct unwind_libdw *libdw;  /* or a reference */
	struct unwind_libunwind *libunwind;
};

#endif
