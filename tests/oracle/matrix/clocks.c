// SPDX-License-Identifier: GPL-2.0
/* clocks MS - asks the vdso and the vsyscall page for the time. */
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

#define VSYSCALL_TIME 0xffffffffff600400ul

int main(int argc, char **argv)
{
	clock_t end = clock() + CLOCKS_PER_SEC / 1000 * (argc > 1 ? atoi(argv[1]) : 50);
	time_t (*old_time)(time_t *) = (time_t(*)(time_t *))VSYSCALL_TIME;
	struct timespec t;
	struct timeval tv;
	int i;

	while (clock() < end) {
		for (i = 0; i < 100; i++) {
			clock_gettime(CLOCK_MONOTONIC, &t);
			gettimeofday(&tv, NULL);
			old_time(NULL);
		}
	}
	return 0;
}
