/* SPDX-License-Identifier: GPL-2.0 */
/*
 * unwind_expression.h - evaluates the DWARF expressions of call frame information, as libdw gives
 * them out.
 *
 * Source: DWARF 5, sections 2.5 and 6.4.3.
 */
#ifndef UNWIND_UNWIND_EXPRESSION_H
#define UNWIND_UNWIND_EXPRESSION_H

#include "util/unwind/unwind_reference.h"

struct unwind_expression {
	const struct unwind_registers *regs;
	const struct unwind_stack *stack;
	u64 cfa;  /* what DW_OP_call_frame_cfa stands for */
	u32 word; /* bytes of an address */
	/* the result */
	u64 value;
	bool is_value;      /* it is the value itself, not the address of a value */
	enum chain_end why; /* it failed */
};

/* False: x->why says why. */
bool unwind_expression_run(struct unwind_expression *x, const Dwarf_Op *ops, size_t nr);

#endif
