/* SPDX-License-Identifier: GPL-2.0 */
/*
 * types.h - the integer names used everywhere, and the few macros that every file needs.
 */
#ifndef BASE_TYPES_H
#define BASE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

#define ARRAY_SIZE(a)        (sizeof(a) / sizeof((a)[0]))
#define ALIGN_UP(x, a)       (((x) + (a)-1) & ~((__typeof__(x))(a)-1))
#define MIN(a, b)            ((a) < (b) ? (a) : (b))
#define MAX(a, b)            ((a) > (b) ? (a) : (b))
#define PRINTF_LIKE(f, args) __attribute__((format(printf, f, args)))

/* "No such entry" for every u32 id in the program. */
#define ID_NONE UINT32_MAX

#endif
