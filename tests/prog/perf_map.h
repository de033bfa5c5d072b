/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The map of a process's JIT code, /tmp/perf-PID.map. Its path goes to the file that $PERF_MAPS names, too:
 * tests/lib.sh removes what it lists when the test has ended, however often the program ran.
 */
#ifndef TESTS_PROG_PERF_MAP_H
#define TESTS_PROG_PERF_MAP_H
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline FILE *open_perf_map(char *path, size_t size)
{
	const char *list = getenv("PERF_MAPS");
	FILE *f;

	snprintf(path, size, "/tmp/perf-%d.map", (int)getpid());
	f = list ? fopen(list, "a") : NULL;
	if (f) {
		fprintf(f, "%s\n", path);
		fclose(f);
	}
	return fopen(path, "w");
}

#endif
