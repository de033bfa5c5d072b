// SPDX-License-Identifier: GPL-2.0
/*
 * symbols.c - a program with every sort of symbol: aliases, weak, local and sizeless ones, a
 * label inside a function, an indirect function, calls through the procedure linkage table.
 */
#include <stdio.h>
#include <stdlib.h>

int strong_name(int x);
int weak_name(int x) __attribute__((weak, alias("strong_name")));
int __strong_name(int x) __attribute__((alias("strong_name")));

int strong_name(int x)
{
	return x + 1;
}

static int local_name(int x)
{
	return x * 2;
}

static int pick_a(int x)
{
	return x + 3;
}

static __attribute__((used)) int (*resolve(void))(int)
{
	return pick_a;
}

int indirect(int x) __attribute__((ifunc("resolve")));

/* 16 bytes with a size, in which a label is, and 16 bytes without one. */
__asm__(".text\n"
	".balign 16\n"
	".globl sized\n"
	".type sized, @function\n"
	"sized:\n"
	".skip 8, 0\n"
	"label_inside:\n"
	".skip 8, 0\n"
	".size sized, . - sized\n"
	".globl sizeless\n"
	".type sizeless, @function\n"
	"sizeless:\n"
	".skip 16, 0\n"
	".globl after_sizeless\n"
	".type after_sizeless, @function\n"
	"after_sizeless:\n"
	".skip 4, 0\n"
	".size after_sizeless, 4\n");

int main(int argc, char **argv)
{
	(void)argv;
	printf("%d\n", abs(strong_name(argc) + local_name(argc) + indirect(argc) + weak_name(argc) +
			   __strong_name(argc)));
	return 0;
}
