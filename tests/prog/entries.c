// SPDX-License-Identifier: GPL-2.0
/*
 * entries - goes into the kernel and comes back a known number of times, under known frames.
 *
 *	entries N         two threads, N times getppid(2) each, below main or other, first, second, enter
 *	entries exec N    once before each of N programs that the process becomes
 *	entries cost D P N
 *	                  N times below D frames, each time for P new pages; prints ns of CPU time each
 *	entries asleep    once, below the same frames, and not back until a signal ends it
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Without a function of the C library, which may keep no frame pointer. */
static inline long enter_kernel(long nr)
{
#ifdef __x86_64__
	long ret;

	__asm__ volatile("syscall" : "=a"(ret) : "0"(nr) : "rcx", "r11", "memory");
	return ret;
#else
	return syscall(nr);
#endif
}

__attribute__((noinline)) static long enter(long nr, long times)
{
	long sum = 0;

	while (times--)
		sum += enter_kernel(nr);
	return sum;
}

__attribute__((noinline)) static long second(long nr, long times)
{
	return enter(nr, times) + 1;
}

__attribute__((noinline)) static long first(long nr, long times)
{
	return second(nr, times) + 1;
}

/* A stay in the kernel in which it takes `pages` pages, one by one: kmem:mm_page_alloc. */
static long take_pages(int fd, const char *bytes, long pages)
{
	long n = pwrite(fd, bytes, (size_t)pages << 12, 0);

	return n + ftruncate(fd, 0);
}

__attribute__((noinline)) static long below(long depth, int fd, const char *bytes, long pages)
{
	volatile long sum = depth;

	sum += depth > 1 ? below(depth - 1, fd, bytes, pages)
	       : pages   ? take_pages(fd, bytes, pages)
			 : enter(SYS_getppid, 1);
	return sum;
}

static int cost(long depth, long pages, long n)
{
	char *bytes = calloc((size_t)pages + 1, 4096);
	int fd = memfd_create("pages", 0);
	struct timespec from, to;
	long i;

	if (!bytes || fd < 0)
		return 1;
	memset(bytes, 1, ((size_t)pages + 1) * 4096);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
	for (i = 0; i < n; i++)
		below(depth, fd, bytes, pages);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
	printf("%ld\n", ((to.tv_sec - from.tv_sec) * 1000000000 + to.tv_nsec - from.tv_nsec) / n);
	return 0;
}

static void *other(void *arg)
{
	first(SYS_getppid, *(long *)arg);
	return NULL;
}

static int become_another(char **argv, long left)
{
	char text[24];

	first(SYS_getppid, 1);
	if (left < 1)
		return 0;
	snprintf(text, sizeof(text), "%ld", left - 1);
	execl("/proc/self/exe", argv[0], "exec", text, (char *)NULL);
	return 1;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	long n;

	if (argc == 3 && !strcmp(argv[1], "exec"))
		return become_another(argv, atol(argv[2]));
	if (argc == 5 && !strcmp(argv[1], "cost"))
		return cost(atol(argv[2]), atol(argv[3]), atol(argv[4]));
	if (argc != 2)
		return 2;
	if (!strcmp(argv[1], "asleep"))
#ifdef SYS_pause
		return first(SYS_pause, 1) > 0;
#else
		return pause();
#endif
	n = atol(argv[1]);
	if (pthread_create(&thread, NULL, other, &n))
		return 1;
	first(SYS_getppid, n);
	pthread_join(thread, NULL);
	printf("entries=%ld\n", 2 * n);
	return 0;
}
