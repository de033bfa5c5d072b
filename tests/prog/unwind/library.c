// SPDX-License-Identifier: GPL-2.0
/*
 * library.c - a library for `cases libraries`: library_run calls WORK, a name given with -DWORK=...,
 * which burns CPU time with FRAME bytes of stack, 300 to 500. Two of them have the same code but
 * for the size of the frame: loaded at one address in turn, one address is in both.
 */
#define NOINLINE __attribute__((noinline, noclone))

static volatile unsigned long sink;

NOINLINE void WORK(void)
{
	volatile char block[FRAME];
	unsigned int i;

	for (i = 0; i < 3000000; i++)
		sink += i + (unsigned long)block[i & 127];
}

NOINLINE void library_run(void)
{
	WORK();
	sink++;
}
