// SPDX-License-Identifier: GPL-2.0
/*
 * deep - burns CPU time under a known number of frames: main or thread, DEPTH times down, burn.
 *
 *	deep DEPTH [MILLISECONDS of CPU time in each thread, default 200 [THREADS, default 0: main]]
 *
 * Each frame of down takes half a KiB of stack. Prints depth=N threads=N.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define FRAME_BYTES 512
#define THREADS_MAX 256

static volatile unsigned long loops;
static long depth, ms;

static long cpu_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* One call, so that no sample finds it on its way in or out. */
__attribute__((noinline)) static int burn(void)
{
	long until = cpu_ms() + ms;
	int i;

	do {
		for (i = 0; i < 1000000; i++)
			loops++;
	} while (cpu_ms() < until);
	return (int)until;
}

__attribute__((noinline)) static int down(long left)
{
	volatile char frame[FRAME_BYTES];
	int ret;

	frame[left % FRAME_BYTES] = (char)left;
	ret = left > 1 ? down(left - 1) : burn();
	/* what is needed after the call keeps it from becoming a jump */
	return ret + frame[left % FRAME_BYTES];
}

static void *thread(void *arg)
{
	down(depth);
	/* likewise */
	__asm__ volatile("");
	return arg;
}

int main(int argc, char **argv)
{
	long threads = argc > 3 ? atol(argv[3]) : 0, i;
	pthread_t ids[THREADS_MAX];

	depth = argc > 1 ? atol(argv[1]) : 1;
	ms = argc > 2 ? atol(argv[2]) : 200;
	if (depth < 1 || threads < 0 || threads > THREADS_MAX)
		return 1;
	for (i = 0; i < threads; i++)
		if (pthread_create(&ids[i], NULL, thread, NULL))
			return 1;
	for (i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	if (!threads)
		down(depth);
	printf("depth=%ld threads=%ld\n", depth, threads);
	return 0;
}
