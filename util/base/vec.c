// SPDX-License-Identifier: GPL-2.0
#include "util/base/vec.h"

#include <stdlib.h>

bool vec_grow(void **v, u32 *cap, u64 need, size_t size)
{
	u64 n = *cap ? *cap : 8;
	void *p;

	if (need <= *cap)
		return true;
	while (n < need)
		n *= 2;
	if (n > UINT32_MAX || n > SIZE_MAX / size)
		return false;
	p = realloc(*v, n * size);
	if (!p)
		return false;
	*v = p;
	*cap = (u32)n;
	return true;
}
