/* SPDX-License-Identifier: GPL-2.0 */
/*
 * shared_memory.h - zeroed memory that a process shares with those that it forks later.
 *
 * Pages that are never touched cost nothing, and count as nothing where the kernel allows it.
 */
#ifndef BASE_SHARED_MEMORY_H
#define BASE_SHARED_MEMORY_H

#include "util/base/types.h"

void *shared_memory_new(u64 size); /* NULL: memory is out */
void shared_memory_free(void *p, u64 size);

#endif
