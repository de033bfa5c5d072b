// SPDX-License-Identifier: GPL-2.0
/*
 * stacks.c - stacks of every common kind: main <- around <- (deep <- ...) <- leaf, callbacks from
 * the C library, a second thread, a signal handler, the vdso.
 *
 *	stacks MS [DEPTH]	MS milliseconds of CPU time, DEPTH frames of deep() with BLOCK bytes each
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NOINLINE __attribute__((noinline))

#define NUMBERS 500

/* Bytes that each deep() keeps on the stack. */
#ifndef BLOCK
#define BLOCK 64
#endif

static volatile unsigned long sink;
static unsigned int depth = 12;

static double cpu_ms(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

NOINLINE static void leaf(unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		sink += i * i;
}

NOINLINE static void deep(unsigned int more)
{
	char block[BLOCK];

	memset(block, (int)more, sizeof(block));
	if (more)
		deep(more - 1);
	else
		leaf(30000);
	sink += (unsigned long)block[more % sizeof(block)];
}

static int compare(const void *a, const void *b)
{
	const int *x = a, *y = b;

	leaf(10);
	return (*x > *y) - (*x < *y);
}

NOINLINE static void sorting(void)
{
	int v[NUMBERS], i;

	for (i = 0; i < NUMBERS; i++)
		v[i] = i * 7919 % 3001;
	qsort(v, NUMBERS, sizeof(*v), compare);
	sink += (unsigned long)v[1];
}

static void handler(int sig)
{
	sink += (unsigned long)sig;
	leaf(30000);
}

NOINLINE static void around(void)
{
	int i;

	deep(depth);
	sorting();
	raise(SIGUSR1);
	for (i = 0; i < 500; i++)
		cpu_ms(CLOCK_MONOTONIC);
}

static void *thread(void *ms)
{
	while (cpu_ms(CLOCK_THREAD_CPUTIME_ID) < *(const double *)ms)
		deep(3);
	return NULL;
}

int main(int argc, char **argv)
{
	double ms = argc > 1 ? atof(argv[1]) : 100, half = ms / 2;
	pthread_t t;

	if (argc > 2)
		depth = (unsigned int)strtoul(argv[2], NULL, 0);
	signal(SIGUSR1, handler);
	if (pthread_create(&t, NULL, thread, &half))
		return 1;
	while (cpu_ms(CLOCK_PROCESS_CPUTIME_ID) < ms)
		around();
	pthread_join(t, NULL);
	printf("%lu\n", sink);
	return 0;
}
