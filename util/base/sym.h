/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sym.h - one symbol: an address range with a name.
 */
#ifndef BASE_SYM_H
#define BASE_SYM_H

#include "util/base/types.h"

/*
 * Bytes of a name. Others write them: a damaged or hostile table may have one as long as its file, which would fill memory
 * wherever names are kept, and lines wherever they are printed.
 */
#define SYM_NAME_MAX (64u << 10)

#define SYM_GLOBAL 0x01
#define SYM_WEAK   0x02
#define SYM_NOSIZE 0x04 /* `end` is only how far it may reach: it ends at the next symbol */
#define SYM_DATA   0x08 /* not code */
#define SYM_MARKER 0x10 /* bounds a section or pads a function: every other name is better */
#define SYM_PLT    0x20 /* "NAME@plt" */
#define SYM_PREFER 0x40 /* the best name of its aliases */
#define SYM_MODULE 0x80 /* symtab_module() tells which */

struct sym {
	u64 start, end; /* [start, end) */
	const char *name;
	u32 order; /* its number in the order of adding; of SYMTAB_PERF: its node in the tree */
	u8 flags;
};

#endif
