// SPDX-License-Identifier: GPL-2.0
/*
 * signals ROUNDS - signal handlers on both stacks, left by return and by longjmp, nested ones, a
 * timer's in the middle of anything, system calls that are interrupted; setjmp and longjmp; the
 * vdso; the mathematics library; qsort. Link it with -lm.
 */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))

static volatile unsigned long sum;
static sigjmp_buf from_handler;
static jmp_buf from_below;
static double doubles[40];

NOINLINE static void work(int n)
{
	volatile int i;

	for (i = 0; i < n; i++)
		sum += (unsigned long)i * 3;
}

static void on_usr1(int sig)
{
	work(3);
	sum += (unsigned long)sig;
	if (sig == SIGUSR1)
		raise(SIGUSR2); /* a handler in a handler */
}

static void on_alarm(int sig, siginfo_t *info, void *context)
{
	(void)info, (void)context;
	work(2);
	sum += (unsigned long)sig;
}

static void on_segv(int sig)
{
	work(2);
	sum += (unsigned long)sig;
	siglongjmp(from_handler, 1);
}

NOINLINE static void fault(volatile int *p)
{
	work(1);
	*p = 1;
}

NOINLINE static void faults(void)
{
	if (!sigsetjmp(from_handler, 1))
		fault(NULL);
	sum++;
}

NOINLINE static void below(int depth)
{
	if (!depth--)
		longjmp(from_below, 1);
	if (depth >= 0)
		below(depth);
	sum++;
}

NOINLINE static void jumps(void)
{
	volatile int n = 0;

	if (setjmp(from_below) < 1 && n++ < 2)
		below(4);
	sum++;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

NOINLINE static void mathematics(int seed)
{
	int i;

	for (i = 0; i < 40; i++)
		doubles[i] =
			sin(seed + i * 1.7) * exp(i * 0.1) + pow(1.0 + i, 0.3) + fmod(i * 7.7, 3);
	qsort(doubles, 40, sizeof(doubles[0]), compare);
	sum += (unsigned long)fabs(doubles[20] * 1000);
}

NOINLINE static void clocks(void)
{
	struct timespec ts;
	struct timeval tv;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	gettimeofday(&tv, NULL);
	sum += (unsigned long)(ts.tv_sec > 0) + (unsigned long)(time(NULL) > 0);
}

NOINLINE static void interrupted(void)
{
	struct timespec ts = {0, 2000000};

	nanosleep(&ts, NULL);
}

static void handle(int sig, void (*handler)(int), int flags)
{
	struct sigaction sa = {.sa_handler = handler, .sa_flags = flags};

	sigaction(sig, &sa, NULL);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1, i;
	struct itimerval timer = {{0, 5000}, {0, 5000}};
	struct sigaction sa = {.sa_sigaction = on_alarm, .sa_flags = SA_SIGINFO | SA_RESTART};
	static char alternate[65536];
	stack_t ss = {.ss_sp = alternate, .ss_size = sizeof(alternate)};

	sigaltstack(&ss, NULL);
	handle(SIGUSR1, on_usr1, 0);
	handle(SIGUSR2, on_usr1, SA_ONSTACK);
	handle(SIGSEGV, on_segv, SA_ONSTACK);
	sigaction(SIGALRM, &sa, NULL);
	for (i = 0; i < rounds; i++) {
		raise(SIGUSR1);
		faults();
		jumps();
		mathematics(i);
		clocks();
		setitimer(ITIMER_REAL, &timer, NULL);
		mathematics(i + 1);
		interrupted();
		setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
	}
	printf("%d rounds\n", rounds);
	return 0;
}
