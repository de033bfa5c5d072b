// SPDX-License-Identifier: GPL-2.0
/* calls_versions MS - calls both versions of work() in libversioned.so. */
#include <stdlib.h>
#include <time.h>

unsigned long work(unsigned long x);
unsigned long old(unsigned long x);
__asm__(".symver old, work@V1");

int main(int argc, char **argv)
{
	clock_t end = clock() + CLOCKS_PER_SEC / 1000 * (argc > 1 ? atoi(argv[1]) : 50);

	while (clock() < end)
		old(work(1));
	return 0;
}
