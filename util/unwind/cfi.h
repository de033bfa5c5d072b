/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cfi.h - call frame information: the entries of .eh_frame and .debug_frame, the one that covers an
 * address, its instructions run as far as that address, and the expressions in it.
 */
#ifndef UNWIND_CFI_H
#define UNWIND_CFI_H

#include "arch/arch.h"
#include "util/base/cur.h"
#include "util/base/err.h"
#include "util/base/vec.h"
#include "util/image/image.h"

/*
 * The bytes of an image, read when they are first asked for.
 *
 * The file is never mapped: one that is cut short while it is read gives NULL, not SIGBUS. Chunks
 * are read with pread(2) into address space that is reserved for all of it, so bytes stay where
 * they are until unwind_bytes_free(). Only the first 4 GiB of a file are read.
 */
#define UNWIND_BYTES_CHUNK 16384

struct unwind_bytes {
	const u8 *mem;
	u64 size;
	u64 *have; /* a bit for each chunk that was read; NULL: the image is in memory */
	int fd;    /* the image's */
};

/* `img` stays the caller's and must outlive. An image that cannot be read is one of 0 bytes. */
int unwind_bytes_init(struct unwind_bytes *b, const struct image *img, struct err *err);
void unwind_bytes_free(struct unwind_bytes *b);

/* Read what is missing of [offset, offset + len), which lies within `size`. */
bool unwind_bytes_read(struct unwind_bytes *b, u64 offset, u64 len);

/* The bytes [offset, offset + len) of the file, or NULL. */
static inline const u8 *unwind_bytes_at(struct unwind_bytes *b, u64 offset, u64 len)
{
	if (offset > b->size || len > b->size - offset)
		return NULL;
	if (b->have && !unwind_bytes_read(b, offset, len))
		return NULL;
	return b->mem + offset;
}

/*
 * The entries of .eh_frame and .debug_frame: CIEs and FDEs.
 *
 * Bytes come from a file and may be anything: whatever does not fit is CFI_BAD. What an entry points
 * to lives as long as the section's bytes.
 *
 * Source: DWARF 5, section 6.4.1; LSB Core, "Exception Frames".
 */
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

/* A file has few CIEs and many FDEs: those that were read, damaged ones too, by their offsets in the section. */
#define CFI_CIES 4

struct cfi_known_cie {
	u64 offset;
	bool known, bad;
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
 * An encoded pointer (DW_EH_PE_*). `vaddr` is that of the byte at the cursor, `base` what
 * datarel means, 0: nothing. Sets c->bad when it is damaged, indirect, or of no meaning here.
 */
u64 cfi_pointer(struct cur *c, u8 encoding, u8 address, u64 vaddr, u64 base);

/*
 * The FDE that covers an address: by the sorted table of .eh_frame_hdr, or, where there
 * is none, by an index that is made once by reading the section through.
 *
 * Source: LSB Core, "The .eh_frame_hdr section".
 */
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

/* The section .eh_frame of an image, whose bytes these are, to be searched by *f, which is zeroed. False: there is none. */
bool cfi_find_init(struct cfi_find *f, struct unwind_bytes *bytes, const struct image *img);

enum cfi_found {
	CFI_FOUND,
	CFI_NOT_FOUND,
	CFI_DAMAGED,
	CFI_NO_MEMORY,
};

/* The FDE that covers a virtual address. */
enum cfi_found cfi_find(struct cfi_find *f, u64 vaddr, struct cfi_fde *fde);

void cfi_find_free(struct cfi_find *f);

/*
 * The instructions of an FDE, run as far as an address: where the caller's registers are.
 *
 * Source: DWARF 5, section 6.4.2; LSB Core, DW_CFA_GNU_*; the psABI of AArch64, DW_CFA_AARCH64_*.
 */
enum cfi_how {
	CFI_UNSPECIFIED, /* no rule: kept, as with the same value */
	CFI_SAME,
	CFI_UNDEFINED,
	CFI_OFFSET,     /* at CFA + value */
	CFI_VAL_OFFSET, /* is CFA + value */
	CFI_REGISTER,   /* is register `arg` + value */
	CFI_EXPR,       /* at the address that the expression yields, with the CFA on its stack */
	CFI_VAL_EXPR,   /* is what the expression yields */
};

struct cfi_rule {
	u32 how; /* enum cfi_how */
	u32 arg; /* a register, or the length of the expression */
	union {
		s64 value;
		const u8 *expr;
	};
};

struct cfi_row {
	struct cfi_rule cfa; /* CFI_REGISTER or CFI_VAL_EXPR */
	struct cfi_rule regs[ARCH_UNWIND_REGS];
	u32 ra; /* column of the return address */
	bool signal;
	u32 steps;    /* instructions that were run for it */
	u64 from, to; /* virtual addresses that it holds for */
};

/* The row for the virtual address, which the FDE covers; false: damaged or not understood, but `steps` is set. */
bool cfi_row_make(const struct cfi_fde *fde, u64 vaddr, const struct arch_unwind *arch,
		  struct cfi_row *row);

/*
 * The value of a DWARF expression of unwind information.
 *
 * What needs more than registers, the copied stack and the CFA is not evaluated: other memory, type
 * conversions, calls. A bounded number of operations is executed.
 *
 * Source: DWARF 5, sections 2.5 and 6.4.2.
 */
/* Where the operands come from; each function says false if it does not know. */
struct cfi_expr_ops {
	bool (*reg)(void *ctx, u64 dwarf_register, u64 *value);
	bool (*load)(void *ctx, u64 addr, u32 bytes, u64 *value); /* 1 to 8 bytes */
};

enum cfi_expr_result {
	CFI_EXPR_OK,
	CFI_EXPR_BAD,   /* damaged, or an operation that is not evaluated here */
	CFI_EXPR_VALUE, /* an operand is not known: reg or load said false */
};

/* `initial` lies on the stack of the expression first; NULL: nothing does. */
enum cfi_expr_result cfi_expr(struct cur code, u8 address, const struct cfi_expr_ops *ops,
			      void *ctx, const u64 *initial, u64 *value);

#endif
