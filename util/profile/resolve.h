/* SPDX-License-Identifier: GPL-2.0 */
/*
 * resolve.h - from the addresses of a sample to frames with names.
 *
 * A frame is made once for each (mapping, address, way of looking up) and named by a dense u32
 * from then on, so that whoever prints or counts keeps its own table beside it. Mappings are
 * append-only (process.h), so a frame once made stays right.
 *
 * A return address is looked up at ip - 1: the call is the instruction before it, and a function
 * that ends in a call must not lend its frame to its neighbour. Where the frame below is that of
 * an interrupt or a signal, the address is where the CPU stood and is looked up as it is.
 */
#ifndef PROFILE_RESOLVE_H
#define PROFILE_RESOLVE_H

#include "arch/arch.h"
#include "util/profile/bind.h"
#include "util/record/plan.h"
#include "util/symbol/symbols.h"

enum frame_kind {
	FRAME_USER,
	FRAME_KERNEL,
	FRAME_OTHER, /* hypervisor or guest: no process model of it */
};

struct frame {
	u64 ip;       /* as the kernel gave it */
	u64 addr;     /* in the DSO's file; ip itself for kernel and unmapped addresses */
	u32 map, dso; /* ID_NONE: nothing known there */
	enum frame_kind kind;
	const char *symbol; /* NULL: not known */
	u64 offset;         /* of addr in the symbol */
	bool boundary;      /* of an interrupt or a signal: the frame above is no return address */
};

/* How perf reads chains, where it differs: see docs/perf-lite-script.1, --compat. */
struct resolve_options {
	bool ip_as_is; /* return addresses are looked up as they are */
	bool no_demangle;
	bool keep_zeros; /* a 0 where a frame pointer chain broke is a frame */
	u32 max_stack;   /* addresses of a chain to look at */
};

struct resolver {
	const struct process_model *model;
	struct bind *bind;       /* symbols that the recording holds come first */
	struct symbols *symbols; /* those of files second */
	const struct arch *arch; /* NULL: not known */
	struct arena names;      /* demangled names of the recording's symbols */
	struct resolve_options options;
	VEC(struct frame) frames;
	u32 *slots; /* frame id + 1 by hash, 0 = free */
	u32 mask;
};

/* All that is pointed at stays the caller's. The arch is set when it is known. */
void resolver_init(struct resolver *r, const struct process_model *model, struct bind *bind,
		   struct symbols *symbols, const struct resolve_options *options);
void resolver_free(struct resolver *r);

/* One address, looked up as it is. cpumode: PERF_RECORD_MISC_*. ID_NONE: out of memory. */
u32 resolver_address(struct resolver *r, const struct thread *t, u16 cpumode, u64 ip);

struct frame_list {
	u32 *v;
	u32 nr, cap;
};
/* The frames of a sample's call chain, leaf first. False when memory is out. */
bool resolver_chain(struct resolver *r, const struct thread *t, const struct sample *s,
		    struct frame_list *out);

#endif
