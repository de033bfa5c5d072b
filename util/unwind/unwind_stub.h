/* SPDX-License-Identifier: GPL-2.0 */
/*
 * unwind_stub.h - frames of the code that comes without unwind information, but is always the same:
 * the procedure linkage table, _init and _fini, the program's entry, and what a signal handler
 * returns to.
 *
 * Sources: the psABIs; crti.S of glibc and musl; the signal trampolines of the kernel and the C
 * libraries.
 */
#ifndef UNWIND_UNWIND_STUB_H
#define UNWIND_UNWIND_STUB_H

#include "util/unwind/unwind_dso.h"

/* False: the code at `vaddr`, `offset` in the file, is none of these. */
bool unwind_stub_row(struct unwind_dso *d, u64 vaddr, u64 offset, const struct arch_unwind *arch,
		     struct cfi_row *row);

#endif
