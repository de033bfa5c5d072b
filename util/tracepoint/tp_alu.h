/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tp_alu.h - the integer operations of a print fmt, one meaning for the compiler's constant
 * folding and for the running program.
 *
 * Every value is held in 64 bits, sign- or zero-extended from its C type. No operation traps or is
 * undefined: division by zero gives 0, and a shift counts modulo 64.
 */
#ifndef TRACEPOINT_TP_ALU_H
#define TRACEPOINT_TP_ALU_H

#include "util/base/types.h"

/* One operand. */
enum tp_alu1 {
	TP_NEG,
	TP_INV,
	TP_NOT,
	TP_BOOL,
	TP_SX8,
	TP_SX16,
	TP_SX32,
	TP_ZX8,
	TP_ZX16,
	TP_ZX32,
	TP_SWAP16,
	TP_SWAP32,
	TP_SWAP64,
};

/* Two operands; S and U are the signed and the unsigned reading. */
enum tp_alu2 {
	TP_ADD,
	TP_SUB,
	TP_MUL,
	TP_DIVS,
	TP_DIVU,
	TP_MODS,
	TP_MODU,
	TP_AND,
	TP_OR,
	TP_XOR,
	TP_SHL,
	TP_SHRS,
	TP_SHRU,
	TP_EQ,
	TP_NE,
	TP_LTS,
	TP_LTU,
	TP_LES,
	TP_LEU,
	TP_LAND,
	TP_LOR,
};

static inline u64 tp_alu1(enum tp_alu1 op, u64 a)
{
	switch (op) {
	case TP_NEG:
		return 0 - a;
	case TP_INV:
		return ~a;
	case TP_NOT:
		return !a;
	case TP_BOOL:
		return a != 0;
	case TP_SX8:
		return (u64)(s64)(s8)a;
	case TP_SX16:
		return (u64)(s64)(s16)a;
	case TP_SX32:
		return (u64)(s64)(s32)a;
	case TP_ZX8:
		return (u8)a;
	case TP_ZX16:
		return (u16)a;
	case TP_ZX32:
		return (u32)a;
	case TP_SWAP16:
		return __builtin_bswap16((u16)a);
	case TP_SWAP32:
		return __builtin_bswap32((u32)a);
	case TP_SWAP64:
		return __builtin_bswap64(a);
	}
	return 0;
}

static inline u64 tp_alu2(enum tp_alu2 op, u64 a, u64 b)
{
	switch (op) {
	case TP_ADD:
		return a + b;
	case TP_SUB:
		return a - b;
	case TP_MUL:
		return a * b;
	case TP_DIVS:
		/* INT64_MIN / -1 traps on some machines. */
		return !b ? 0 : b == UINT64_MAX ? 0 - a : (u64)((s64)a / (s64)b);
	case TP_DIVU:
		return b ? a / b : 0;
	case TP_MODS:
		return !b || b == UINT64_MAX ? 0 : (u64)((s64)a % (s64)b);
	case TP_MODU:
		return b ? a % b : 0;
	case TP_AND:
		return a & b;
	case TP_OR:
		return a | b;
	case TP_XOR:
		return a ^ b;
	case TP_SHL:
		return a << (b & 63);
	case TP_SHRS:
		return (u64)((s64)a >> (b & 63));
	case TP_SHRU:
		return a >> (b & 63);
	case TP_EQ:
		return a == b;
	case TP_NE:
		return a != b;
	case TP_LTS:
		return (s64)a < (s64)b;
	case TP_LTU:
		return a < b;
	case TP_LES:
		return (s64)a <= (s64)b;
	case TP_LEU:
		return a <= b;
	case TP_LAND:
		return a && b;
	case TP_LOR:
		return a || b;
	}
	return 0;
}

#endif
