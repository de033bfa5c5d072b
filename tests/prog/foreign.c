// SPDX-License-Identifier: GPL-2.0
/*
 * foreign N M - makes N calls by the numbers of 32-bit programs, whose 3 is read(2), and M of close(2), whose number is 3, of
 * descriptor -1. Ends with 3 where the kernel takes no such calls. On x86-64 alone.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static void refuse(int sig)
{
	(void)sig;
	_exit(3);
}

static long call_foreign(void)
{
#ifdef __x86_64__
	long ret;

	__asm__ volatile("int $0x80"
			 : "=a"(ret)
			 : "a"(3l), "b"(-1l), "c"(0l), "d"(0l)
			 : "memory", "r8", "r9", "r10", "r11");
	return ret;
#else
	_exit(3);
#endif
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1, m = argc > 2 ? atoi(argv[2]) : 1;

	signal(SIGSEGV, refuse);
	while (n-- > 0)
		call_foreign();
	while (m-- > 0)
		syscall(SYS_close, -1l);
	return 0;
}
