// SPDX-License-Identifier: GPL-2.0
#include "util/base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_MIN (16 * 1024)

struct arena_chunk {
	struct arena_chunk *next;
	_Alignas(16) u8 data[];
};

void *arena_alloc(struct arena *a, size_t size)
{
	struct arena_chunk *c;
	size_t want;
	void *p;

	if (size > SIZE_MAX / 2)
		return NULL;
	size = ALIGN_UP(size ? size : 1, (size_t)16);
	if (!a->chunks || a->size - a->used < size) {
		want = MAX(size, (size_t)CHUNK_MIN);
		c = calloc(1, sizeof(*c) + want);
		if (!c)
			return NULL;
		c->next = a->chunks;
		a->chunks = c;
		a->used = 0;
		a->size = want;
		a->total += want;
	}
	p = a->chunks->data + a->used;
	a->used += size;
	return p;
}

void *arena_memdup(struct arena *a, const void *p, size_t len)
{
	void *d = arena_alloc(a, len);

	if (d && len)
		memcpy(d, p, len);
	return d;
}

char *arena_strndup(struct arena *a, const char *s, size_t len)
{
	char *d = arena_alloc(a, len + 1);

	if (d && len)
		memcpy(d, s, len);
	return d;
}

char *arena_strdup(struct arena *a, const char *s)
{
	return arena_strndup(a, s, strlen(s));
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	char *d;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		return NULL;
	d = arena_alloc(a, (size_t)n + 1);
	if (!d)
		return NULL;
	va_start(ap, fmt);
	vsnprintf(d, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return d;
}

void arena_free(struct arena *a)
{
	struct arena_chunk *c, *next;

	for (c = a->chunks; c; c = next) {
		next = c->next;
		free(c);
	}
	*a = (struct arena){0};
}
