// SPDX-License-Identifier: GPL-2.0
/* reloads A.so B.so N - loads one library and the other in turn, N times, where the last one was. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	unsigned long (*work)(unsigned long);
	unsigned long i, j, n = argc > 3 ? strtoul(argv[3], NULL, 0) : 0;
	void *library;

	for (i = 0; i < n; i++) {
		library = dlopen(argv[1 + i % 2], RTLD_NOW);
		work = library ? (unsigned long (*)(unsigned long))dlsym(library, "work") : NULL;
		if (!work) {
			fprintf(stderr, "%s\n", dlerror());
			return 1;
		}
		for (j = 0; j < 30; j++)
			work(j);
		dlclose(library);
	}
	return 0;
}
