// SPDX-License-Identifier: GPL-2.0
/* A library with two versions of work(): versioned.map names them. */
__asm__(".symver old_work, work@V1\n.symver new_work, work@@V2");

unsigned long old_work(unsigned long x)
{
	int i;

	for (i = 0; i < 5000; i++)
		x = x * 31 + (unsigned long)i;
	return x;
}

unsigned long new_work(unsigned long x)
{
	int i;

	for (i = 0; i < 5000; i++)
		x = x * 33 + (unsigned long)i;
	return x;
}
