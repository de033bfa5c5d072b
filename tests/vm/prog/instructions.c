// SPDX-License-Identifier: GPL-2.0
/*
 * instructions N - runs a loop of exactly two instructions N times, in the function two_instructions. Two runs with different N of
 * the same number of digits differ by twice the difference of the Ns, and in nothing else.
 */
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static void two_instructions(unsigned long n)
{
#if defined(__aarch64__)
	__asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(n) : : "cc");
#elif defined(__riscv)
	__asm__ volatile(
		"1: addi %0, %0, -1\n\t.option push\n\t.option norvc\n\tbnez %0, 1b\n\t.option pop"
		: "+r"(n));
#elif defined(__x86_64__)
	__asm__ volatile("1: sub $1, %0\n\tjne 1b" : "+r"(n) : : "cc");
#elif defined(__s390x__)
	__asm__ volatile("1: aghi %0, -1\n\tjne 1b" : "+r"(n) : : "cc");
#elif defined(__powerpc64__)
	__asm__ volatile("1: addic. %0, %0, -1\n\tbne 1b" : "+r"(n) : : "cc", "xer");
#else
#error "no loop for this machine"
#endif
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;

	if (!n) {
		fputs("usage: instructions N\n", stderr);
		return 2;
	}
	two_instructions(n);
	return 0;
}
