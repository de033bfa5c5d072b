// SPDX-License-Identifier: GPL-2.0
#include "util/base/memory.h"

#include <stdlib.h>
#include <sys/mman.h>
#define HUGE_PAGE ((size_t)2 << 20)

void *memory_alloc_huge(size_t size)
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

void *memory_new_shared(u64 size)
{
	void *p = MAP_FAILED;

	if (size <= SIZE_MAX)
		p = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return p == MAP_FAILED ? NULL : p;
}

void memory_free_shared(void *p, u64 size)
{
	if (p)
		munmap(p, (size_t)size);
}
