// SPDX-License-Identifier: GPL-2.0
/*
 * parts - burns CPU time in known parts: so many milliseconds each in alpha, beta, gamma, delta,
 * which work calls in turn, about a millisecond at a time; the last two by way of helper. Half to one and a half, by chance,
 * so that nothing that samples once a millisecond keeps step with them.
 *
 *	parts ALPHA BETA GAMMA DELTA
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NR    4
#define SLICE 1000000ul /* ns */

static volatile unsigned long loops;

/* The length of the next slice: always the same ones. */
static unsigned long slice_ns(void)
{
	static unsigned int chance = 1;

	chance = chance * 1103515245 + 12345;
	return SLICE / 2 + (chance >> 8) % SLICE;
}

static unsigned long cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (unsigned long)ts.tv_sec * 1000000000 + (unsigned long)ts.tv_nsec;
}

/* Inlined, so that the time is that of the function itself; few system calls. */
#define BURN()                                             \
	do {                                               \
		unsigned long end = cpu_ns() + slice_ns(); \
		int i;                                     \
		do                                         \
			for (i = 0; i < 100000; i++)       \
				loops++;                   \
		while (cpu_ns() < end);                    \
	} while (0)

__attribute__((noinline)) static void alpha(void)
{
	BURN();
}

__attribute__((noinline)) static void beta(void)
{
	BURN();
}

__attribute__((noinline)) static void gamma_part(void)
{
	BURN();
}

__attribute__((noinline)) static void delta(void)
{
	BURN();
}

__attribute__((noinline)) static void helper(int which)
{
	if (which == 2)
		gamma_part();
	else
		delta();
	__asm__ volatile("");
}

__attribute__((noinline)) static void work(int which)
{
	if (which == 0)
		alpha();
	else if (which == 1)
		beta();
	else
		helper(which);
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	long left[NR] = {0};
	int i, any;

	for (i = 0; i < NR && i + 1 < argc; i++)
		left[i] = strtol(argv[i + 1], NULL, 10);
	do {
		any = 0;
		for (i = 0; i < NR; i++) {
			if (left[i]-- <= 0)
				continue;
			work(i);
			any = 1;
		}
	} while (any);
	printf("loops=%lu\n", loops);
	return 0;
}
