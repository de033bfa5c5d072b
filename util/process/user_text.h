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

/* Read `size` bytes into `to`: how many could be read, or -errno as above. */
int user_bytes_read(u32 pid, u64 addr, void *to, u32 size);

/* Where the process has the name of its program, as given to execve(2); 0: unknown. */
u64 user_program_name(u32 pid);

#endif
