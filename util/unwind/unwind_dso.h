/* SPDX-License-Identifier: GPL-2.0 */
/*
 * unwind_dso.h - the images behind the mappings, opened when they are first met, and what they say
 * about a frame at an address of theirs.
 *
 * Unwind information is taken from .eh_frame, else from .debug_frame (which may be in the separate
 * debug file), else from the instructions of code that never has any (unwind_stub.h).
 */
#ifndef UNWIND_UNWIND_DSO_H
#define UNWIND_UNWIND_DSO_H

#include "util/unwind/cfi_find.h"
#include "util/unwind/cfi_row.h"
#include "util/unwind/unwind.h"

struct unwind_dso {
	bool open;
	u8 tries;      /* to open it that have failed */
	u32 tried_map; /* the last of them */
	bool nothing;  /* no code of this machine in an order of bytes that is read here */
	struct image img;
	struct unwind_bytes bytes;
	struct cfi_find eh;
	bool has_eh;
	struct unwind_debug_frame *debug;
	bool debug_sought;
};

struct unwind_dsos {
	const struct unwind_options *options;
	VEC(struct unwind_dso *) by_id; /* as the process model counts DSOs; may hold NULL */
};

void unwind_dsos_free(struct unwind_dsos *s);

/* The image behind a mapping of the thread's process, or NULL: it cannot be had (now). */
struct unwind_dso *unwind_dsos_get(struct unwind_dsos *s, const struct process_model *m, u32 map,
				   u32 pid);

enum unwind_dso_result {
	UNWIND_DSO_ROW,
	UNWIND_DSO_NO_FILE,
	UNWIND_DSO_NO_CFI,
	UNWIND_DSO_BAD_CFI,
	UNWIND_DSO_NO_MEMORY,
};

/* The row at the virtual address `vaddr`, which lies at `offset` in the file. */
enum unwind_dso_result unwind_dso_row(struct unwind_dso *d, u64 vaddr, u64 offset,
				      const struct arch_unwind *arch, struct cfi_row *row);

#endif
