// SPDX-License-Identifier: GPL-2.0
/* cold_half MS - functions whose rarely used halves stand elsewhere. */
#include <stdlib.h>
#include <time.h>

static volatile unsigned long sink;

__attribute__((noinline, cold)) static void rare(unsigned long x)
{
	int i;

	for (i = 0; i < 4000; i++)
		sink += x;
}

__attribute__((noinline)) static void work(unsigned long x)
{
	unsigned long i;

	if (__builtin_expect(x == 3, 0)) {
		for (i = 0; i < 3000; i++)
			sink += x;
		rare(x);
		if (sink == 1)
			abort();
	}
	for (i = 0; i < 1000; i++)
		sink += i;
}

int main(int argc, char **argv)
{
	clock_t end = clock() + CLOCKS_PER_SEC / 1000 * (argc > 1 ? atoi(argv[1]) : 50);
	unsigned long i = 0;

	while (clock() < end)
		work(i++ % 7);
	return 0;
}
