// SPDX-License-Identifier: GPL-2.0
/*
 * spin - burns CPU time at the end of a known call chain: main -> outer -> mid -> leaf.
 *
 *	spin [MILLISECONDS of its own CPU time, default 200]
 *
 * CPU time, not wall time: on a busy machine as many samples are due. Prints cpu_ms=N loops=N.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile unsigned long loops;

static unsigned long cpu_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (unsigned long)ts.tv_sec * 1000 + (unsigned long)ts.tv_nsec / 1000000;
}

__attribute__((noinline)) static void leaf(void)
{
	int i;

	for (i = 0; i < 1000000; i++)
		loops++;
}

/* The empty statements after the calls keep them from becoming jumps. */
__attribute__((noinline)) static void mid(void)
{
	leaf();
	__asm__ volatile("");
}

__attribute__((noinline)) static void outer(void)
{
	mid();
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	unsigned long want = argc > 1 ? strtoul(argv[1], NULL, 10) : 200;

	while (cpu_ms() < want)
		outer();
	printf("cpu_ms=%lu loops=%lu\n", cpu_ms(), loops);
	return 0;
}
