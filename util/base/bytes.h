/* SPDX-License-Identifier: GPL-2.0 */
/*
 * bytes.h - numbers in memory that need not be aligned, in the byte order of this machine. Whether the
 * bytes are there is the caller's to know; of foreign bytes cur.h does.
 */
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include <string.h>

#include "util/base/types.h"

static inline u32 bytes_u32(const u8 *p)
{
	u32 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline u64 bytes_u64(const u8 *p)
{
	u64 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline void bytes_put_u32(u8 *p, u32 v)
{
	memcpy(p, &v, sizeof(v));
}

static inline void bytes_put_u64(u8 *p, u64 v)
{
	memcpy(p, &v, sizeof(v));
}

#endif
