/* SPDX-License-Identifier: GPL-2.0 */
/*
 * symboliser.h - from the addresses of a sample to frames with names.
 *
 * A frame is made once for each (mapping, address, way of looking up) and named by a dense u32
 * from then on, so that whoever prints or counts keeps its own table beside it. Mappings are
 * append-only (process.h), so a frame once made stays right; where they are numbered anew, frames are, too:
 * symboliser_forget().
 *
 * A return address is looked up at ip - 1: the call is the instruction before it, and a function
 * that ends in a call must not be taken for its neighbour. Where the frame below is that of an
 * interrupt or a signal, the address is the interrupted instruction and is looked up as it is.
 *
 * The source line of a frame is looked up once, when somebody asks for it. A place is named
 * by a dense u32, too.
 */
#ifndef PROFILE_SYMBOLISER_H
#define PROFILE_SYMBOLISER_H

#include "arch/arch.h"
#include "util/base/hash.h"
#include "util/base/vec.h"
#include "util/debuginfo/debuginfo.h"
#include "util/profile/bind.h"
#include "util/profile/frame.h"
#include "util/record/sample_layout.h"
#include "util/symbol/symbols.h"

/*
 * symboliser_addr2line.c: which functions addr2line(1) calls as the symbol table does, by what it was
 * asked before: perf 6.1 has the names of inlined functions from it, one process for each file, and
 * asks for each address once.
 *
 * A function without a linkage name, of a language whose functions have one (extern "C" and what is
 * local to a file or a function, in C++), is called as the symbol at the address the first time that
 * an address is in it and in nothing that was inlined into it; so an inlined one looks like the
 * function around it. From then on it has its own name; but where the symbol begins with it, that of
 * the symbol for good.
 *
 * Source: binutils 2.40, bfd/dwarf2.c, _bfd_dwarf2_find_nearest_line_with_alt().
 */

/* Zero-initialised it is ready. */
struct addr2line_names {
	struct hmap answers; /* addresses that were asked for -> functions by symbols */
	struct hmap
		functions; /* that were asked for themselves -> is it the symbol's name for good? */
};

/*
 * The functions at a byte of a DSO's file, innermost first, as debuginfo_find() gave them. In the
 * result, bit i means: function i has the name of the symbol, which begins `into` bytes before.
 */
u32 addr2line_names_ask(struct addr2line_names *a, u32 dso, u64 addr, const struct debug_frame *f,
			u32 nr, u64 into);

void addr2line_names_free(struct addr2line_names *a);

/*
 * symboliser_chain_ids.c: call chains that were seen before are known by a number.
 *
 * One number is one sequence of words among the same mappings: what was found out of it, its
 * frames, its text, holds for all samples that have the number. Numbers begin at 1 and are never
 * given twice. Memory is bounded: when there are too many stacks all are forgotten, and a stack
 * that comes again gets another number.
 *
 * Zero-initialised, it is empty and ready.
 */

/* Where a stack was seen: process.h, maps_state. */
struct stack_place {
	u32 user, kernel;
};

struct known_stack {
	u64 hash;
	struct stack_place place;
	u32 at, nr; /* its words */
};

struct call_chain_ids {
	VEC(u64) words;
	VEC(struct known_stack) stacks;
	u32 *slots; /* index in stacks + 1, 0: free */
	u32 first;  /* the number of stacks.v[0] */
};

/* The number of a stack of `nr` words; 0: it has none, since it is too long or memory is out. */
u32 call_chain_ids_get(struct call_chain_ids *s, const u64 *words, u32 nr,
		       struct stack_place place);
/* Forget all of them now. */
void call_chain_ids_forget(struct call_chain_ids *s);
void call_chain_ids_free(struct call_chain_ids *s);

/* symboliser.c: frames and their places. */

/* Frames by what they were made of. */
struct frame_slot {
	u32 hash, frame;
};

/* Frames by address and what was mapped. */
struct recent_frame {
	u64 ip, where;
	u32 frame; /* + 1, 0: none */
};

struct dso_lines {
	VEC(struct dso_lines_file *) files; /* by DSO of the model, NULL: not asked for yet */
};

struct symboliser {
	const struct process_model *model;
	struct bind *bind;         /* symbols that the recording holds come first */
	struct symbols *symbols;   /* those of files second */
	const struct arch *arch;   /* NULL: not known */
	struct arena names;        /* demangled names of the recording's symbols, and of places */
	struct hmap plain_by_name; /* names, which stay where they are -> index in plain */
	VEC(const char *) plain;
	struct resolve_options options;
	VEC(struct frame) frames;
	VEC(struct place) places;
	struct dso_lines lines;
	struct addr2line_names addr2line;
	struct call_chain_ids stacks;
	struct frame_slot *slots;
	u32 mask;
	struct recent_frame *recent;
	u32 forgets; /* how often frames got other numbers: caches by frame are empty when it has changed */
};

/*
 * process_compact() has given mappings new ids, `maps` by the old one. Frames get new numbers, too: of `kept`, by
 * number, those that are not 0 stay, and it has their new ones after it, ID_NONE of the others. Their mappings must
 * have stayed. Numbers of places and stacks hold no more.
 */
void symboliser_forget(struct symboliser *r, u32 *kept, const u32 *maps);

/* All that is pointed at stays the caller's. The arch is set when it is known. */
void symboliser_init(struct symboliser *r, const struct process_model *model, struct bind *bind,
		     struct symbols *symbols, const struct resolve_options *options);
void symboliser_free(struct symboliser *r);

/* One address, looked up as it is. cpumode: PERF_RECORD_MISC_*. ID_NONE: out of memory. */
u32 symboliser_address(struct symboliser *r, const struct thread *t, u16 cpumode, u64 ip);

/* Where a frame without a name is in its file; in a module of the kernel, how far from its first byte. */
u64 symboliser_file_address(const struct symboliser *r, const struct frame *f);

/* Bytes of the function that a frame is in; 0: not known. */
u64 symboliser_function_size(struct symboliser *r, u32 frame);

/* A return address of user code, looked up at the call before it. Likewise. */
u32 symboliser_caller(struct symboliser *r, const struct thread *t, u64 ip);

/* The frames of a sample's call chain, leaf first. False when memory is out. */
bool symboliser_chain(struct symboliser *r, const struct thread *t, const struct sample *s,
		      struct frame_list *out);

/*
 * Of a sample that a BPF program made (sample.by_program): take the program, and what ran it, off its call chain. This then
 * begins with the traced function, whose address is the ip. The chain stays the record's.
 */
void symboliser_drop_program(struct symboliser *r, struct sample *s);

/* A number that only samples with the same frames have (symboliser_chain_ids.c); 0: it has none. */
u32 symboliser_stack(struct symboliser *r, const struct thread *t, const struct sample *s);

/*
 * Find the places of a frame and set its `place` and `nr_places` (0: nothing is known). False when
 * memory is out.
 */
bool symboliser_places(struct symboliser *r, u32 frame);

#endif
