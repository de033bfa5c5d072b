// SPDX-License-Identifier: GPL-2.0
/* watched - writes to `watched` 40 times, in touch(): for breakpoints. */
volatile long watched;

__attribute__((noinline)) void touch(int i)
{
	watched += i;
}

int main(void)
{
	int i;

	for (i = 0; i < 40; i++)
		touch(i);
	return 0;
}
