/* SPDX-License-Identifier: GPL-2.0 */
/*
 * user_text.h - texts in the memory of other processes, as they are now.
 */
#ifndef PROCESS_USER_TEXT_H
#define PROCESS_USER_TEXT_H

#include "util/base/types.h"

/*
 * Read the text at `addr` of a process, up to its NUL or `size` bytes, into `to`. *whole: the NUL
 * was met. Its length, or -errno: -EFAULT nothing is mapped there, -ESRCH there is no such process, -EPERM.
 */
int user_text_read(u32 pid, u64 addr, char *to, u32 size, bool *whole);

#endif
