/* SPDX-License-Identifier: GPL-2.0 */
/*
 * jit_overlays.h - which function stood where, of code that one process makes and replaces.
 *
 * A recording has one name for an address of a DSO. So a function that stands where another one
 * stood before belongs to another DSO, the layer above: layer 0 is the process's anonymous memory
 * itself, and every function is in a layer higher than all that was ever told at its addresses.
 * Functions of one layer never overlap.
 *
 * A zero-initialised struct is empty and ready. Addresses are absolute, times those of one clock.
 */
#ifndef CAPTURE_JIT_OVERLAYS_H
#define CAPTURE_JIT_OVERLAYS_H

#include "util/base/hash.h"
#include "util/base/vec.h"

/* What is left of a function, [start, end), by those that were put over it. */
struct code_layer {
	u64 start, end;
	u64 first, last, from; /* the whole function, and the time since when it stands there */
	u32 layer, name;       /* in names; ID_NONE: what stands there is not known any more */
};

struct jit_overlays {
	VEC(struct code_layer) v; /* by address, none overlaps another */
	struct strtab names;
	bool failed; /* sticky: memory ran out */
};

enum code_told {
	CODE_KNOWN, /* it was told before, in the layer that is named */
	CODE_NEW,   /* it is new, in that layer */
	CODE_OLD,   /* what was told there is newer */
};

/* The function [start, end) stands there since `from`. */
enum code_told jit_overlays_tell(struct jit_overlays *l, u64 start, u64 end, const char *name,
				 u64 from, u32 *layer);

/* Is anything told in [start, end)? */
bool jit_overlays_any(const struct jit_overlays *l, u64 start, u64 end);

/* The process runs another program: what stands where has to be told anew, above all that was. */
void jit_overlays_forget(struct jit_overlays *l);

void jit_overlays_free(struct jit_overlays *l);

#endif
