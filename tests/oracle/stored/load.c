// SPDX-License-Identifier: GPL-2.0
/*
 * load.c - what the stored recordings are of (tests/oracle/store.sh): a program that is small enough to be kept
 * beside them. So it has no C library, and runs on x86-64 alone.
 *
 *	load N [exec]	N rounds: calculate, below recursive and inlined functions; touch new pages; ask for the
 *			parent, write a line. The first round starts a child, which takes another name.
 *			With "exec" all of it is done by the program that this one becomes.
 */
#include <linux/prctl.h>
#include <sys/syscall.h>

#define NOINLINE __attribute__((noinline))

enum { PAGE = 4096, WORK = 4000000 };

long done;
char pages[64 * PAGE];

static long call(long nr, long a, long b, long c)
{
	long ret;
	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(nr), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	return ret;
}

static inline __attribute__((always_inline)) long step(long x)
{
	return x * 1103515245 + 12345;
}

static inline __attribute__((always_inline)) long steps(long x, long n)
{
	for (long i = 0; i < n; i++)
		x = step(x ^ i);
	return x;
}

NOINLINE long leaf(long n)
{
	long sum = 0;

	for (long i = 0; i < n; i += 8)
		sum += steps(i, 8);
	__asm__ volatile("" : : : "memory");
	return sum;
}

NOINLINE long deeper(long depth)
{
	long sum = depth > 0 ? deeper(depth - 1) : leaf(WORK);

	__asm__ volatile("" : : : "memory");
	return sum + 1;
}

NOINLINE void calculate(long round)
{
	done += deeper(round % 4);
	done += leaf(WORK / 2);
}

NOINLINE void touch(long round)
{
	for (long page = round % 8; page < 64; page += 8)
		pages[page * PAGE + round] = 1;
}

NOINLINE void ask(void)
{
	call(SYS_getppid, 0, 0, 0);
	call(SYS_write, 1, (long)"a line\n", 7);
}

NOINLINE void child(void)
{
	static const char name[] = "a child";
	long pid = call(SYS_fork, 0, 0, 0);

	if (pid) {
		call(SYS_wait4, pid, 0, 0);
		return;
	}
	call(SYS_prctl, PR_SET_NAME, (long)name, 0);
	leaf(WORK);
	call(SYS_exit_group, 3, 0, 0);
}

NOINLINE void rounds(long n)
{
	for (long round = 0; round < n; round++) {
		calculate(round);
		touch(round);
		ask();
		if (!round)
			child();
	}
}

__attribute__((used)) void start(long *args)
{
	char **argv = (char **)(args + 1);
	long n = 0;

	for (const char *digit = args[0] > 1 ? argv[1] : "1"; *digit; digit++)
		n = n * 10 + *digit - '0';
	if (args[0] > 2) {
		argv[2] = 0;
		call(SYS_execve, (long)argv[0], (long)argv, (long)(argv + 2));
		call(SYS_exit_group, 1, 0, 0);
	}
	rounds(n);
	call(SYS_exit_group, 0, 0, 0);
}

__attribute__((naked)) void _start(void)
{
	__asm__(".cfi_undefined rip\n"
		"xor %ebp, %ebp\n"
		"mov %rsp, %rdi\n"
		"and $-16, %rsp\n"
		"call start\n"
		"hlt");
}
