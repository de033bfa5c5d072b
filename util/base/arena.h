/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arena.h - memory that is freed all at once: one arena per lifetime.
 *
 * A zero-initialised struct arena is empty and ready. Every pointer lives until arena_free().
 * Allocations are 16-byte aligned and zeroed; they return NULL when memory is out.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "util/base/types.h"

struct arena_chunk;

struct arena {
	struct arena_chunk *chunks;
	size_t used, size; /* of the newest chunk */
	size_t total;      /* of all chunks */
};

void *arena_alloc(struct arena *a, size_t size);
char *arena_strndup(struct arena *a, const char *s, size_t len);
char *arena_strdup(struct arena *a, const char *s);
void *arena_memdup(struct arena *a, const void *p, size_t len);
char *arena_printf(struct arena *a, const char *fmt, ...) PRINTF_LIKE(2, 3);
void arena_free(struct arena *a);

#endif
