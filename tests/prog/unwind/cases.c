// SPDX-License-Identifier: GPL-2.0
/*
 * cases [-u] WHAT [ARGS...] - burns some CPU time in leaf, called by mid, outer and something that
 * is hard to unwind. -u: removes its own file first.
 *
 *	chain           main;outer;mid;leaf
 *	fork            the same in a child that executes nothing
 *	thread          the same on a stack of its own, from thread_main instead of main
 *	deep            below 600 frames of down, which together take 300 KiB of stack
 *	handler         below a signal handler on an alternate stack
 *	longjmp         between jumps out of five frames
 *	clock           in clock_gettime of the vdso
 *	vfork           no CPU time: main;spawn;vfork waits for a child, 20 times
 *	libraries A B   in library_leaf of A and B by turns, loaded and unloaded
 */
#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))

/* A call that is the last thing in a function would be a jump. */
#define NO_TAIL_CALL() __asm__ volatile("" ::: "memory")

#define CPU_MS 250

static volatile unsigned long sink;
static jmp_buf from_below;

static long cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

NOINLINE void leaf(void)
{
	unsigned int i;

	for (i = 0; i < 2000000; i++)
		sink += i;
}

NOINLINE void mid(void)
{
	leaf();
	NO_TAIL_CALL();
}

NOINLINE void outer(void)
{
	while (cpu_ms() < CPU_MS)
		mid();
}

NOINLINE static void down(int depth)
{
	volatile char block[500];

	block[0] = (char)depth;
	if (depth)
		down(depth - 1);
	else
		outer();
	sink += (unsigned long)block[0];
}

static void *thread_main(void *arg)
{
	outer();
	NO_TAIL_CALL();
	return arg;
}

static void thread(void)
{
	size_t size = 256 * 1024;
	void *stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t attr;
	pthread_t t;

	pthread_attr_init(&attr);
	if (stack == MAP_FAILED || pthread_attr_setstack(&attr, stack, size) ||
	    pthread_create(&t, &attr, thread_main, NULL))
		exit(1);
	pthread_join(t, NULL);
}

static void handler(int sig)
{
	(void)sig;
	outer();
	NO_TAIL_CALL();
}

NOINLINE static void interrupted(void)
{
	raise(SIGUSR1);
	NO_TAIL_CALL();
}

static void handle(void)
{
	static char stack[128 * 1024];
	stack_t ss = {.ss_sp = stack, .ss_size = sizeof(stack)};
	struct sigaction sa = {.sa_handler = handler, .sa_flags = SA_ONSTACK};

	if (sigaltstack(&ss, NULL) || sigaction(SIGUSR1, &sa, NULL))
		exit(1);
	interrupted();
	NO_TAIL_CALL();
}

NOINLINE static void below(int depth)
{
	mid();
	if (!depth--)
		longjmp(from_below, 1);
	if (depth >= 0)
		below(depth);
	sink++;
}

NOINLINE static void jumps(void)
{
	while (cpu_ms() < CPU_MS)
		if (!setjmp(from_below))
			below(5);
}

NOINLINE static void clocks(void)
{
	struct timespec t;
	int i;

	while (cpu_ms() < CPU_MS)
		for (i = 0; i < 10000; i++)
			clock_gettime(CLOCK_MONOTONIC, &t);
}

NOINLINE static void from_library(const char *path)
{
	void *lib = dlopen(path, RTLD_NOW);
	void (*run)(void);

	if (!lib)
		exit(1);
	*(void **)&run = dlsym(lib, "library_run");
	if (!run)
		exit(1);
	run();
	dlclose(lib);
}

static void libraries(const char *a, const char *b)
{
	while (cpu_ms() < CPU_MS) {
		from_library(a);
		from_library(b);
	}
}

NOINLINE void spawn(void)
{
	if (!vfork()) {
		poll(NULL, 0, 10);
		_exit(0);
	}
	NO_TAIL_CALL();
}

int main(int argc, char **argv)
{
	const char *what;
	pid_t child;
	int i;

	if (argc > 1 && !strcmp(argv[1], "-u")) {
		unlink(argv[0]);
		argv++;
		argc--;
	}
	what = argc > 1 ? argv[1] : "chain";
	if (!strcmp(what, "chain")) {
		outer();
	} else if (!strcmp(what, "fork")) {
		child = fork();
		if (!child)
			outer();
		else
			waitpid(child, NULL, 0);
	} else if (!strcmp(what, "thread")) {
		thread();
	} else if (!strcmp(what, "deep")) {
		down(600);
	} else if (!strcmp(what, "handler")) {
		handle();
	} else if (!strcmp(what, "longjmp")) {
		jumps();
	} else if (!strcmp(what, "clock")) {
		clocks();
	} else if (!strcmp(what, "vfork")) {
		for (i = 0; i < 20; i++)
			spawn();
	} else if (!strcmp(what, "libraries") && argc > 3) {
		libraries(argv[2], argv[3]);
	} else {
		fprintf(stderr, "cases: what?\n");
		return 2;
	}
	return 0;
}
