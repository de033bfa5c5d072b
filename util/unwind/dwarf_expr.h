/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dwarf_expr.h - the value of a DWARF expression of unwind information.
 *
 * What needs more than registers, the copied stack and the CFA is not evaluated: other memory, type
 * conversions, calls. A bounded number of operations is executed.
 *
 * Source: DWARF 5, sections 2.5 and 6.4.2.
 */
#ifndef UNWIND_DWARF_EXPR_H
#define UNWIND_DWARF_EXPR_H

#include "util/base/cur.h"

/* Where the operands come from; each function says false if it does not know. */
struct dwarf_expr_ops {
	bool (*reg)(void *ctx, u64 dwarf_register, u64 *value);
	bool (*load)(void *ctx, u64 addr, u32 bytes, u64 *value); /* 1 to 8 bytes */
};

enum dwarf_expr_result {
	DWARF_EXPR_OK,
	DWARF_EXPR_BAD,   /* damaged, or an operation that is not evaluated here */
	DWARF_EXPR_VALUE, /* an operand is not known: reg or load said false */
};

/* `initial` lies on the stack of the expression first; NULL: nothing does. */
enum dwarf_expr_result dwarf_expr(struct cur code, u8 address, const struct dwarf_expr_ops *ops,
				  void *ctx, const u64 *initial, u64 *value);

#endif
