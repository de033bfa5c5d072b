// SPDX-License-Identifier: GPL-2.0
/* A library for reloads: work() calls NAME(), which takes time; -DPAD=N puts N bytes before it. */
#ifdef PAD
__attribute__((used)) static void pad(void)
{
	__asm__ volatile(".skip " PAD ", 0x90");
}
#endif

__attribute__((noinline)) unsigned long NAME(unsigned long x)
{
	int i;

	for (i = 0; i < 20000; i++)
		x = x * 31 + (unsigned long)i;
	return x;
}

unsigned long work(unsigned long x)
{
	return NAME(x) + 1;
}
