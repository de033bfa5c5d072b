/* SPDX-License-Identifier: GPL-2.0 */
/*
 * jitdump.h - jit-PID.dump: what a JIT compiler made, moved and made anew, and when.
 *
 * A zero-initialised struct is empty and ready. The process may still write: jitdump_read() goes on
 * where it stopped, at the first record that is not whole. Times are those of CLOCK_MONOTONIC,
 * unless the header says that they are the machine's own: then the newest code is taken.
 *
 * Code bytes, line tables and unwinding records are passed over. How much is kept: jit_limits.h.
 *
 * Source: tools/perf/Documentation/jitdump-specification.txt of the kernel.
 */
#ifndef PROCESS_JITDUMP_H
#define PROCESS_JITDUMP_H

#include "util/base/err.h"
#include "util/base/hash.h"
#include "util/base/symtab.h"
#include "util/base/vec.h"

/* The code at [start, end) from a time on. */
struct jitdump_code {
	u64 time, start, end;
	u32 name; /* in names; "": nothing any more, it was moved */
};

struct jitdump {
	u64 at;    /* bytes of the file that are done */
	bool swap; /* written by a machine of the other byte order */
	bool bad;  /* no jitdump, or damaged: nothing behind is read */
	bool no_times;
	bool full; /* a limit was reached: nothing behind is read */
	struct strtab names;
	struct hmap by_index;           /* the compiler's number of a function -> its newest code */
	VEC(struct jitdump_code) codes; /* in the order of the file */
	struct symtab newest;           /* of the first nr_sorted codes; sym.order is a code */
	u32 nr_sorted;
};

/*
 * Read what is new, or some of it, where that is much: then the next call goes on. 0 or -errno; what
 * was read before stays.
 */
int jitdump_read(struct jitdump *j, int fd, struct err *err);

/* The code at an address at a time (0: the newest there is), or NULL. */
const struct jitdump_code *jitdump_find(struct jitdump *j, u64 addr, u64 time);

void jitdump_free(struct jitdump *j);

#endif
