/* SPDX-License-Identifier: GPL-2.0 */
/*
 * memory.h - memory beyond malloc(3): in huge pages, and shared with children.
 */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include "util/base/types.h"

/*
 * As malloc(3), for a large array that is filled at once; free(3) and realloc(3) take it. The first touch of each page of
 * 4 KiB is a fault, which takes longer than filling the page, so it comes in huge pages if the system has them (madvise(2),
 * MADV_HUGEPAGE).
 */
void *memory_alloc_huge(size_t size);

/* Zeroed memory that this process shares with those that it forks later. Pages that are never touched cost nothing. */
void *memory_new_shared(u64 size); /* NULL: memory is out */
void memory_free_shared(void *p, u64 size);

#endif
