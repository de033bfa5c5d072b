// SPDX-License-Identifier: GPL-2.0
/*
 * hostile_map KIND MS - makes 1,000 functions, runs in them for MS milliseconds, and tells of them in
 * /tmp/perf-PID.map as nobody should:
 *
 *	names    each has a name of 100,000 bytes, one after another of other bytes
 *	line     one has a name of 80,000,000 bytes and no newline behind it; only that one runs
 *	holes    behind the names the file has 8 GiB of nothing
 *	many     before them are 2,000,000 functions at other places
 *
 * The file stays. Prints its PID first.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "count_down.h"

#define FUNCTIONS 1000
#define APART     64
#define NAME_LEN  100000

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static void fill(FILE *map, size_t len, int c)
{
	while (len--)
		putc(c, map);
}

static void tell(FILE *map, const unsigned char *code, const char *kind)
{
	unsigned long i;

	if (!strcmp(kind, "many"))
		for (i = 0; i < 2000000; i++)
			fprintf(map, "%lx 8 other_%lu\n", 0x1000 + 16 * i, i);
	for (i = 0; i < FUNCTIONS; i++) {
		fprintf(map, "%lx %zx hostile_%lu", (unsigned long)(code + APART * i),
			sizeof(count_down), i);
		if (!strcmp(kind, "names"))
			fill(map, NAME_LEN, 'a' + (int)(i % 26));
		if (!strcmp(kind, "line"))
			fill(map, 80000000, 'A');
		else
			putc('\n', map);
		if (!strcmp(kind, "line"))
			break;
	}
	if (fflush(map) || (!strcmp(kind, "holes") && ftruncate(fileno(map), (off_t)8 << 30)))
		exit(1);
}

int main(int argc, char **argv)
{
	uint64_t end, ms = argc == 3 ? strtoull(argv[2], NULL, 10) : 0;
	void (*function)(long n);
	unsigned char *code;
	char path[64];
	FILE *map;
	int i;

	if (!ms || sizeof(count_down) == 1) {
		fprintf(stderr, "usage: hostile_map names|line|holes|many MS\n");
		return 1;
	}
	printf("%d\n", (int)getpid());
	fflush(stdout);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	map = fopen(path, "w");
	code = mmap(NULL, FUNCTIONS * APART, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!map || code == MAP_FAILED)
		return 1;
	for (i = 0; i < FUNCTIONS; i++)
		memcpy(code + APART * i, count_down, sizeof(count_down));
	__builtin___clear_cache((char *)code, (char *)code + FUNCTIONS * APART);
	tell(map, code, argv[1]);
	for (end = now() + ms * 1000000; now() < end;)
		for (i = 0; i < (strcmp(argv[1], "line") ? FUNCTIONS : 1); i++) {
			unsigned char *at = code + APART * i;

			memcpy(&function, &at, sizeof(function));
			function(10000);
		}
	return 0;
}
