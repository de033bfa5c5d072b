// SPDX-License-Identifier: GPL-2.0
/*
 * inlined MS - spend MS milliseconds of CPU time in leaf, which is inlined into mid, which is
 * inlined into outer. Lines that tests look for are marked.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define INLINED static inline __attribute__((always_inline))

static volatile unsigned long sink;

INLINED unsigned long leaf(unsigned long x)
{
	int i;

	for (i = 0; i < 10000; i++)
		x = x * 3 + (x >> 7); /* in leaf */
	return x;
}

INLINED unsigned long mid(unsigned long x)
{
	unsigned long y = leaf(x); /* first call of leaf */

	return y + leaf(x ^ 5); /* second call of leaf */
}

__attribute__((noinline)) static unsigned long outer(unsigned long x)
{
	return mid(x) + 1; /* call of mid */
}

static unsigned long cpu_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (unsigned long)ts.tv_sec * 1000 + (unsigned long)ts.tv_nsec / 1000000;
}

int main(int argc, char **argv)
{
	unsigned long ms = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;

	if (!ms || ms > 60000) {
		fprintf(stderr, "usage: inlined MS (at most 60000)\n");
		return 2;
	}
	while (cpu_ms() < ms)
		sink += outer(sink); /* call of outer */
	return 0;
}
