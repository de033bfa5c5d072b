/* SPDX-License-Identifier: GPL-2.0 */
/*
 * leb128.h - the integers of DWARF that take as many bytes as they need, read from a cursor.
 *
 * What does not fit into 64 bits is cut; an integer that never ends sets the cursor's `bad`.
 *
 * Source: DWARF 5, section 7.6.
 */
#ifndef BASE_LEB128_H
#define BASE_LEB128_H

#include "util/base/cur.h"

static inline u64 leb128_u(struct cur *c)
{
	u64 v = 0;
	unsigned int shift = 0;
	u8 byte;

	do {
		byte = cur_u8(c);
		if (shift < 64)
			v |= (u64)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	return c->bad ? 0 : v;
}

static inline s64 leb128_s(struct cur *c)
{
	u64 v = 0;
	unsigned int shift = 0;
	u8 byte;

	do {
		byte = cur_u8(c);
		if (shift < 64)
			v |= (u64)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (shift < 64 && byte & 0x40)
		v |= ~0ull << shift;
	return c->bad ? 0 : (s64)v;
}

#endif
