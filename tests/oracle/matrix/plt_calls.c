// SPDX-License-Identifier: GPL-2.0
/* plt_calls MS - calls small functions of the C library, through the procedure linkage table. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

int main(int argc, char **argv)
{
	clock_t end = clock() + CLOCKS_PER_SEC / 1000 * (argc > 1 ? atoi(argv[1]) : 50);
	volatile unsigned long sum = 0;
	const char *text = argv[0];
	int i;

	while (clock() < end)
		for (i = 0; i < 1000; i++)
			sum += (unsigned long)abs(i) + strlen(text) + (unsigned long)rand() +
			       (getenv("A") != NULL);
	return 0;
}
