/* SPDX-License-Identifier: GPL-2.0 */
/*
 * num.h - the numbers people type: integers, sizes, durations. Each takes the whole string or
 * returns false and leaves *v alone. And sums, and shares of a whole.
 */
#ifndef BASE_NUM_H
#define BASE_NUM_H

#include "util/base/types.h"

bool num_u64(const char *s, u64 *v);             /* decimal or 0x hex */
bool num_s64(const char *s, s64 *v);             /* decimal, may be negative */
bool num_hex(const char *s, size_t len, u64 *v); /* bare hex digits, 1..16 of them */
bool num_size(const char *s, u64 *bytes);        /* 4096, 512K, 64M, 2G, with B allowed behind */
bool num_duration(const char *s, u64 *ns);       /* 10 (s), 1.5s, 100ms, 20us, 7ns, 2m, 1h */
bool num_milliseconds(const char *s, u64 *ns);   /* 500; no more than a clock has room for */
bool num_time(const char *s, u64 *ns);           /* seconds with up to 9 decimals: 762.858245 */

/* A sum, which stays at 2^64 - 1 when it gets there. */
static inline u64 num_sum(u64 a, u64 b)
{
	return __builtin_add_overflow(a, b, &a) ? UINT64_MAX : a;
}

/* Of nothing it is 0. */
static inline double num_percent(u64 part, u64 whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

#endif
