// SPDX-License-Identifier: GPL-2.0
#include "util/base/shared_object.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

void *shared_object_load(const char *const *names, u32 nr, char *why, size_t size)
{
	void *library = NULL;
	const char *text;
	u32 i;

	for (i = 0; i < nr && !library; i++) {
		library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
		if (library || i)
			continue;
		/* it is there until the next call; a static program has none */
		text = dlerror();
		snprintf(why, size, "%s", text ? text : "no libraries can be loaded here");
	}
	return library;
}

/* POSIX has functions in what dlsym() returns; C has not. */
bool shared_object_function(void *library, const char *name, void *function)
{
	void *f = dlsym(library, name);

	memcpy(function, &f, sizeof(f));
	return f != NULL;
}
