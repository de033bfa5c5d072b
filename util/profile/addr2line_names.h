/* SPDX-License-Identifier: GPL-2.0 */
/*
 * addr2line_names.h - which functions addr2line(1) calls as the symbol table does, by what it was
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
#ifndef PROFILE_ADDR2LINE_NAMES_H
#define PROFILE_ADDR2LINE_NAMES_H

#include "util/base/hash.h"
#include "util/debuginfo/debuginfo.h"

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

#endif
