/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cfi_find.h - the FDE that covers an address: by the sorted table of .eh_frame_hdr, or, where there
 * is none, by an index that is made once by reading the section through.
 *
 * Source: LSB Core, "The .eh_frame_hdr section".
 */
#ifndef UNWIND_CFI_FIND_H
#define UNWIND_CFI_FIND_H

#include "util/base/err.h"
#include "util/base/vec.h"
#include "util/unwind/cfi_section.h"

struct cfi_index_entry {
	u64 start, end; /* virtual addresses */
	u64 fde;        /* offset in the section */
};

struct cfi_find {
	struct cfi_section section;
	u64 table, nr; /* offset in section.bytes, entries of 8 bytes; nr 0: no table */
	u64 base;      /* virtual address that the table counts from */
	u32 searches;  /* of the table, until it is known well */
	const u8 *all; /* after some of them: the table */
	u32 *buckets;  /* after more: the first entry of each, and behind them nr; NULL: none */
	u32 nr_buckets;
	u64 first; /* where the first bucket begins; each is 1 << shift bytes of addresses */
	u8 shift;
	VEC(struct cfi_index_entry) index;
	bool indexed;
};

/*
 * Use the header at [offset, offset + size) of section.bytes, of that virtual address. Where it says
 * that the section begins is put in *eh_frame. False: damaged, or without a table that can be used,
 * when *eh_frame is 0 or right.
 */
bool cfi_find_header(struct cfi_find *f, u64 offset, u64 size, u64 vaddr, u64 *eh_frame);

enum cfi_found {
	CFI_FOUND,
	CFI_NOT_FOUND,
	CFI_DAMAGED,
	CFI_NO_MEMORY,
};

/* The FDE that covers a virtual address. */
enum cfi_found cfi_find(struct cfi_find *f, u64 vaddr, struct cfi_fde *fde);

void cfi_find_free(struct cfi_find *f);

#endif
