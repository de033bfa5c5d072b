// SPDX-License-Identifier: GPL-2.0
/*
 * faults - touches N pages (default 1000) for the first time, each of them once.
 *
 * Prints pages=N minor=M: M page faults, as getrusage(2) counted them over the touching. Huge
 * pages are declined, so M is N but for what the C library needs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static long minor_faults(void)
{
	struct rusage ru;

	getrusage(RUSAGE_SELF, &ru);
	return ru.ru_minflt;
}

__attribute__((noinline)) static void touch(volatile char *p, size_t pages, size_t size)
{
	size_t i;

	for (i = 0; i < pages; i++)
		p[i * size] = 1;
}

int main(int argc, char **argv)
{
	size_t pages = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	long before;
	char *p;

	p = mmap(NULL, pages * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED) {
		perror("mmap");
		return 1;
	}
	madvise(p, pages * size, MADV_NOHUGEPAGE);
	before = minor_faults();
	touch(p, pages, size);
	printf("pages=%zu minor=%ld\n", pages, minor_faults() - before);
	return 0;
}
