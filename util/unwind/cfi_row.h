/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cfi_row.h - the instructions of an FDE, run as far as an address: where the caller's registers are.
 *
 * Source: DWARF 5, section 6.4.2; LSB Core, DW_CFA_GNU_*; the psABI of AArch64, DW_CFA_AARCH64_*.
 */
#ifndef UNWIND_CFI_ROW_H
#define UNWIND_CFI_ROW_H

#include "arch/arch_unwind.h"
#include "util/unwind/cfi_section.h"

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
	u64 from, to; /* virtual addresses that it holds for */
};

/* The row for the virtual address, which the FDE covers; false: damaged or not understood. */
bool cfi_row_make(const struct cfi_fde *fde, u64 vaddr, const struct arch_unwind *arch,
		  struct cfi_row *row);

#endif
