/* SPDX-License-Identifier: GPL-2.0 */
/*
 * shared_object.h - libraries of this machine that few commands need: loaded when they are asked for, so that the others neither
 * wait for them nor depend on them. They stay: what they have brought along may not like to be unloaded.
 *
 * A static perf-lite loads none (perf-lite/static.c). Source: dlopen(3), dlsym(3).
 */
#ifndef BASE_SHARED_OBJECT_H
#define BASE_SHARED_OBJECT_H

#include <stdbool.h>
#include <stddef.h>

#include "util/base/types.h"

/* The first of these file names that can be loaded. NULL, and in the `size` bytes at `why` a text that says why the first cannot. */
void *shared_object_load(const char *const *names, u32 nr, char *why, size_t size);

/* `function` is the address of a pointer to a function. False: the library has none of that name. */
bool shared_object_function(void *library, const char *name, void *function);

#endif
