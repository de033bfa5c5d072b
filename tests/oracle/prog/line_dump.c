// SPDX-License-Identifier: GPL-2.0
/*
 * line_dump FILE <ADDRESSES: the inlined functions and lines that perf-lite finds at virtual
 * addresses of an image, in the form of "addr2line -a -i -f": the address, and for each function
 * its name and file:line. -t: nothing but how long it took, the first time and again.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "util/base/vec.h"
#include "util/debuginfo/debuginfo.h"

#define FRAMES_MAX 256
#define ROUNDS     20

static void print(u64 addr, const struct debug_frame *frames, int nr)
{
	int i;

	printf("0x%016" PRIx64 "\n", addr);
	if (!nr)
		printf("??\n??:0\n");
	for (i = 0; i < nr; i++)
		printf("%s\n%s:%u\n", frames[i].function ? frames[i].function : "??",
		       frames[i].file ? frames[i].file : "??", frames[i].line);
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e6 + (double)ts.tv_nsec / 1e3;
}

/* Microseconds for each address. */
static double time_all(struct debuginfo *d, const u64 *addrs, u32 nr)
{
	struct debug_frame frames[FRAMES_MAX];
	double begin = now();
	u32 i;

	for (i = 0; i < nr; i++)
		debuginfo_find(d, addrs[i], frames, FRAMES_MAX);
	return (now() - begin) / nr;
}

int main(int argc, char **argv)
{
	const struct debug_file_options options = {0};
	struct debug_frame frames[FRAMES_MAX];
	bool timed = argc == 3 && !strcmp(argv[1], "-t");
	struct debug_source source;
	struct image img;
	struct err err = {0};
	VEC(u64) addrs = {0};
	double opened, cold, warm = 0;
	u64 addr, *to;
	char *path;
	u32 i;

	if (argc != 2 + timed) {
		fprintf(stderr, "usage: line_dump [-t] FILE <ADDRESSES\n");
		return 2;
	}
	path = realpath(argv[1 + timed], NULL);
	opened = now();
	if (!path || image_open(&img, path, &err)) {
		fprintf(stderr, "%s: %s\n", argv[1 + timed], path ? err.msg : strerror(errno));
		return 1;
	}
	if (debug_source_open(&source, &img, path, &options, &err))
		fprintf(stderr, "%s\n", err.msg);
	if (!source.info) {
		fprintf(stderr, "%s: no debug information\n", path);
		return 1;
	}
	opened = now() - opened;
	while (scanf("%" SCNx64, &addr) == 1) {
		to = vec_push(&addrs);
		if (!to)
			return 1;
		*to = addr;
	}
	if (!timed) {
		for (i = 0; i < addrs.nr; i++)
			print(addrs.v[i], frames,
			      debuginfo_find(source.info, addrs.v[i], frames, FRAMES_MAX));
		if (debug_source_why(&source, &err))
			fprintf(stderr, "%s\n", err.msg);
	} else if (addrs.nr) {
		cold = time_all(source.info, addrs.v, addrs.nr);
		for (i = 0; i < ROUNDS; i++)
			warm += time_all(source.info, addrs.v, addrs.nr) / ROUNDS;
		printf("%u %.0f %.2f %.3f\n", addrs.nr, opened, cold, warm);
	}
	vec_free(&addrs);
	debug_source_close(&source);
	free(path);
	return 0;
}
