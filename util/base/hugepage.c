// SPDX-License-Identifier: GPL-2.0
#include "util/base/hugepage.h"

#include <stdlib.h>
#include <sys/mman.h>

#define HUGE_PAGE ((size_t)2 << 20)

void *hugepage_alloc(size_t size)
{
	void *p;

	if (size < HUGE_PAGE / 2 || size > SIZE_MAX - HUGE_PAGE)
		return malloc(size);
	size = ALIGN_UP(size, HUGE_PAGE);
	p = aligned_alloc(HUGE_PAGE, size);
	/* without huge pages it is memory all the same */
	if (p)
		madvise(p, size, MADV_HUGEPAGE);
	return p;
}
