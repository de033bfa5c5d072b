// SPDX-License-Identifier: GPL-2.0
/*
 * probed N - calls entered() N times, from called(), and says how often.
 */
#include <stdio.h>
#include <stdlib.h>

static volatile unsigned long sum;

static __attribute__((noinline)) unsigned long entered(unsigned long i)
{
	sum += i;
	return sum;
}

static __attribute__((noinline)) unsigned long called(unsigned long n)
{
	unsigned long i, last = 0;

	for (i = 0; i < n; i++)
		last = entered(i);
	return last;
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 0) : 1;

	called(n);
	printf("%lu\n", n);
	return 0;
}
