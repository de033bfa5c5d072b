// SPDX-License-Identifier: GPL-2.0
/*
 * entries - goes into the kernel and comes back a known number of times, under known frames.
 *
 *	entries N         two threads, N times getppid(2) each, below main or other, first, second, enter
 *	entries exec N    once before each of N programs that the process becomes
 *	entries asleep    once, below the same frames, and not back until a signal ends it
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
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
