/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hugepage.h - memory for a large array that is filled at once.
 *
 * The first touch of each page of 4 KiB is a fault, which takes longer than filling the page: so it
 * comes in huge pages where the system has them to give.
 *
 * Source: madvise(2), MADV_HUGEPAGE.
 */
#ifndef BASE_HUGEPAGE_H
#define BASE_HUGEPAGE_H

#include "util/base/types.h"

/* As malloc(3): free(3) and realloc(3) take it. */
void *hugepage_alloc(size_t size);

#endif
