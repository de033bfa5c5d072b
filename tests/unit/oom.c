// SPDX-License-Identifier: GPL-2.0
#include "tests/unit/oom.h"

#include <limits.h>
#include <stddef.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);

static _Thread_local unsigned int left = UINT_MAX;
static _Thread_local bool refused, only;

void oom_after(unsigned int n)
{
	left = n;
	refused = only = false;
}

void oom_only(unsigned int n)
{
	oom_after(n);
	only = true;
}

bool oom_stop(void)
{
	left = UINT_MAX;
	return refused;
}

static bool refuse(void)
{
	if (left == UINT_MAX)
		return false;
	if (left) {
		left--;
		return false;
	}
	if (only)
		left = UINT_MAX;
	refused = true;
	return true;
}

void *__wrap_malloc(size_t size)
{
	return refuse() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return refuse() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	return refuse() ? NULL : __real_realloc(p, size);
}
