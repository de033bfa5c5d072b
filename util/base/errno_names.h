/* SPDX-License-Identifier: GPL-2.0 */
/*
 * errno_names.h - error numbers by name, as most machines have them (x86, arm, riscv, s390).
 *
 * Source: errno(3); asm-generic/errno.h of Linux.
 */
#ifndef BASE_ERRNO_NAMES_H
#define BASE_ERRNO_NAMES_H

#include "util/base/types.h"

/* "ENOENT", "No such file or directory" (by strerror(3)); NULL: there is no such number. */
const char *errno_name(u32 value);
const char *errno_text(u32 value);
/* The number of a name, 0: there is none. */
u32 errno_value(const char *name, size_t len);

#endif
