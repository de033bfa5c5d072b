/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cfi_section.h - the entries of .eh_frame and .debug_frame: CIEs and FDEs.
 *
 * Bytes come from a file and may be anything: whatever does not fit is CFI_BAD. What an entry points
 * to lives as long as the section's bytes.
 *
 * Source: DWARF 5, section 6.4.1; LSB Core, "Exception Frames".
 */
#ifndef UNWIND_CFI_SECTION_H
#define UNWIND_CFI_SECTION_H

#include "util/base/cur.h"
#include "util/unwind/unwind_bytes.h"

struct cfi_cie {
	u64 code_align;
	s64 data_align;
	u64 ra;          /* DWARF register of the return address */
	u8 address;      /* bytes of an address */
	u8 pointer;      /* DW_EH_PE_*: how its FDEs have their addresses */
	bool augmented;  /* 'z': FDEs have augmentation data */
	bool signal;     /* 'S': code that a signal returns through */
	struct cur insn; /* initial instructions */
};

/* A file has few CIEs and many FDEs: those that were read, by their offsets in the section. */
#define CFI_CIES 4

struct cfi_known_cie {
	u64 offset;
	bool known;
	struct cfi_cie cie;
};

struct cfi_section {
	struct unwind_bytes *bytes;
	u64 offset, size; /* [offset, offset + size) of bytes */
	u64 vaddr;        /* of its first byte */
	u8 address;       /* bytes of an address: 4 or 8 */
	bool debug_frame; /* else .eh_frame */
	struct cfi_known_cie cies[CFI_CIES];
};

struct cfi_fde {
	struct cfi_cie cie;
	u64 start, end;  /* virtual addresses that it covers */
	struct cur insn; /* instructions */
};

enum cfi_kind {
	CFI_END, /* of the section */
	CFI_CIE,
	CFI_FDE, /* *fde is filled in */
	CFI_BAD,
};

/* The entry at `offset` of the section; *next is where the one behind it begins, unless CFI_END. */
enum cfi_kind cfi_read(struct cfi_section *s, u64 offset, u64 *next, struct cfi_fde *fde);

/*
 * An encoded pointer (DW_EH_PE_*). `vaddr` is that of the byte the cursor stands at, `base` what
 * datarel means, 0: nothing. Sets c->bad when it is damaged, indirect, or of no meaning here.
 */
u64 cfi_pointer(struct cur *c, u8 encoding, u8 address, u64 vaddr, u64 base);

#endif
