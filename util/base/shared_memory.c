// SPDX-License-Identifier: GPL-2.0
#include "util/base/shared_memory.h"

#include <sys/mman.h>

void *shared_memory_new(u64 size)
{
	void *p = MAP_FAILED;

	if (size <= SIZE_MAX)
		p = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return p == MAP_FAILED ? NULL : p;
}

void shared_memory_free(void *p, u64 size)
{
	if (p)
		munmap(p, (size_t)size);
}
