/* SPDX-License-Identifier: GPL-2.0 */
/*
 * frame.h - the frames of call chains, which symboliser.h makes, and how it is to make them.
 */
#ifndef PROFILE_FRAME_H
#define PROFILE_FRAME_H

#include "util/base/types.h"

struct name_list;

enum frame_kind {
	FRAME_USER,
	FRAME_KERNEL,
	FRAME_OTHER, /* hypervisor or guest: no process model of it */
};

struct frame {
	u64 ip;             /* as the kernel gave it */
	u64 addr;           /* in the DSO's file; ip itself for kernel and unmapped addresses */
	u32 map, dso;       /* ID_NONE: nothing known there */
	const char *symbol; /* NULL: not known */
	u64 offset;         /* of addr in the symbol */
	u32 place;          /* the first of its places, ID_NONE: not asked for yet */
	u16 nr_places;      /* after symboliser_places() */
	u8 kind;            /* enum frame_kind */
	u8 back : 1;        /* looked up so many bytes before addr */
	bool boundary : 1;  /* of an interrupt or a signal: the frame above is no return address */
};

/*
 * The position of a frame in one function of the source. A frame has a place in each function that
 * was inlined there, innermost first, and last the one in its own function.
 */
struct place {
	const char *function; /* the inlined function, NULL: unknown; last the frame's symbol */
	const char *file;     /* NULL: unknown */
	u32 line;             /* 0: unknown */
};

/* Frames by their numbers, leaf first. */
struct frame_list {
	u32 *v;
	u32 nr, cap;
	bool inlines; /* what was inlined into these frames is to be shown */
};
/* Which frames show what was inlined: perf does so in stacks that it has unwound by itself. */
enum resolve_inlines {
	INLINES_UNWOUND,
	INLINES_NONE,
	INLINES_ALL,
};

/* How perf reads chains, where it differs: see docs/perf-lite-script.1, --compat. */
struct resolve_options {
	bool ip_as_is; /* return addresses are looked up as they are */
	bool no_demangle;
	/* where a frame pointer chain broke, a 0 is a frame, and what looks like a mark that there is none of leaves no frames */
	bool breaks_as_perf;
	bool files_first; /* symbols of files that can be read, not those of the recording */
	bool unmapped_hv; /* a branch from or to an address without a mapping looks like the hypervisor's */
	bool show_cut; /* where a copy of the stack ended is a frame, at address -1 */
	/* functions are called as DWARF calls them: what symbols call otherwise looks inlined */
	bool dwarf_names;
	/* and as addr2line(1) does; places are asked for in perf's order (symboliser_addr2line.c) */
	bool addr2line_names;
	u32 max_stack; /* addresses of a chain to look at; 0: samples have no frames */
	enum resolve_inlines inlines;
	const struct name_list *stop_at; /* chains end at these functions; NULL: at none */
};

#endif
