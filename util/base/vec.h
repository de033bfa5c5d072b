/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vec.h - growing arrays: a pointer, a length and a capacity, kept by the owner.
 *
 * VEC(struct map) maps;  ...  struct map *m = vec_push(&maps);  ...  vec_free(&maps);
 * vec_push() returns a zeroed new last element, or NULL when memory is out. Growing moves the
 * elements: keep u32 indices, not pointers, across a push.
 */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include <stdlib.h>
#include <string.h>

#include "util/base/types.h"

#define VEC(T)               \
	struct {             \
		T *v;        \
		u32 nr, cap; \
	}

/* Ensure room for `need` elements of `size` bytes; false when memory is out. */
bool vec_grow(void **v, u32 *cap, u64 need, size_t size);

static inline bool vec_room(void **v, u32 *cap, u64 need, size_t size)
{
	return need <= *cap || vec_grow(v, cap, need, size);
}

static inline void *vec_push_zeroed(void **v, u32 *nr, u32 *cap, size_t size)
{
	void *p;

	if (*nr >= *cap && !vec_grow(v, cap, (u64)*nr + 1, size))
		return NULL;
	p = (char *)*v + (size_t)*nr * size;
	memset(p, 0, size);
	++*nr;
	return p;
}

#define vec_push(x)                                                                 \
	((__typeof__((x)->v))vec_push_zeroed((void **)&(x)->v, &(x)->nr, &(x)->cap, \
					     sizeof(*(x)->v)))
#define vec_reserve(x, n) vec_room((void **)&(x)->v, &(x)->cap, (n), sizeof(*(x)->v))
#define vec_free(x)                     \
	do {                            \
		free((x)->v);           \
		(x)->v = NULL;          \
		(x)->nr = (x)->cap = 0; \
	} while (0)

#endif
