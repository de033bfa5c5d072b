/* SPDX-License-Identifier: GPL-2.0 */
/*
 * expr_code.h - instructions that work out expressions (expr.h) in the kernel.
 *
 * R6 is the address of what the program is given; R7 to R9 are the caller's, all others are changed. Of
 * the stack the first EXPR_CODE_STACK bytes below R10 are used. Memory that cannot be read, such as behind a pointer that
 * is NULL, leads to the label `unread`.
 */
#ifndef PROBE_EXPR_CODE_H
#define PROBE_EXPR_CODE_H

#include "util/bpf/bpf_code.h"
#include "util/probe/expr.h"

#define EXPR_CODE_STACK 288

struct expr_code {
	struct bpf_code *code;
	u32 unread;
	u32 depth; /* of values that wait for others; 0 between calls */
	bool user; /* memory is the process's, not the kernel's, whatever expressions say ... */
	bool faults; /* ... and is waited for where it is not there yet: in programs that sleep alone */
};

/* R0 = its value: a number, sign-extended to 64 bits if it is signed, in the order of this machine; of an array its address. */
void expr_code_value(struct expr_code *x, const struct expr *e);
/* R0 = the address of a place. */
void expr_code_address(struct expr_code *x, const struct expr *e);
/* Copy R2 bytes at the address R3 to R1; to `unread` if they cannot be read. */
void expr_code_copy(struct expr_code *x);
/* R0 = a number of 1, 2, 4 or 8 bytes at the address R0, as it is there. */
void expr_code_read(struct expr_code *x, u32 size);
/* Of R0, the lowest 2, 4 or 8 bytes: the order of networks becomes that of this machine, or the other way round. */
void expr_code_swap(struct expr_code *x, u32 size);

#endif
