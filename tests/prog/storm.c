// SPDX-License-Identifier: GPL-2.0
/*
 * storm - a known number of system calls, as fast as they go: getppid(2), which does nothing else.
 *
 *	storm [--threads T] [--seconds S] [--wait] [--stay] [--quiet] N
 *	storm --number
 *
 * The calls carry their number from 0 to N - 1 as a first argument that the kernel ignores: args[0]
 * of raw_syscalls:sys_enter tells which of them were seen, and how often. With --threads each thread
 * makes an N/T-th of them. --seconds spreads them over that time. --wait: when everything is ready,
 * says so (a line "ready") and begins at the first byte, or the end, of standard input. --stay:
 * having said what it did, it ends at the next one.
 *
 * Prints calls=N threads=T ns_per_call=NS, where NS is wall time of a thread, unless --quiet.
 * --number prints the number of the system call on this machine.
 */
#include <getopt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { PACE = 16 }; /* calls between two looks at the clock */

struct caller {
	pthread_t thread;
	unsigned long from, to;
};

static pthread_barrier_t ready, go;
static double seconds;

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static void sleep_until(double when)
{
	struct timespec ts = {(time_t)when, (long)((when - (double)(time_t)when) * 1e9)};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}

static void *call(void *arg)
{
	const struct caller *c = arg;
	unsigned long i, step = c->to - c->from < 1000 ? 1 : PACE;
	double begin;

	pthread_barrier_wait(&ready);
	pthread_barrier_wait(&go);
	begin = now();
	for (i = c->from; i < c->to; i++) {
		if (seconds > 0 && !((i - c->from) % step))
			sleep_until(begin +
				    seconds * (double)(i - c->from) / (double)(c->to - c->from));
		syscall(SYS_getppid, i);
	}
	return NULL;
}

static void wait_for_input(void)
{
	char c;

	fflush(stdout);
	if (read(STDIN_FILENO, &c, 1) < 0)
		perror("storm: standard input");
}

static unsigned long number(const char *s)
{
	char *end;
	unsigned long n = strtoul(s, &end, 10);

	if (end == s || *end) {
		fprintf(stderr, "storm: not a number: %s\n", s);
		exit(2);
	}
	return n;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"threads", required_argument, NULL, 't'},
		{"seconds", required_argument, NULL, 's'},
		{"wait", no_argument, NULL, 'w'},
		{"stay", no_argument, NULL, 'y'},
		{"quiet", no_argument, NULL, 'q'},
		{"number", no_argument, NULL, 'n'},
		{0},
	};
	unsigned long n = 1000, threads = 1, i;
	struct caller *callers;
	pthread_attr_t small;
	int opt, wait = 0, stay = 0, quiet = 0;
	double begin, took;

	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (opt) {
		case 't':
			threads = number(optarg);
			break;
		case 's':
			seconds = strtod(optarg, NULL);
			break;
		case 'w':
			wait = 1;
			break;
		case 'y':
			stay = 1;
			break;
		case 'q':
			quiet = 1;
			break;
		case 'n':
			printf("%d\n", SYS_getppid);
			return 0;
		default:
			return 2;
		}
	}
	if (optind < argc)
		n = number(argv[optind]);
	callers = calloc(threads, sizeof(*callers));
	if (!callers || !threads) {
		fprintf(stderr, "storm: no threads\n");
		return 2;
	}
	pthread_barrier_init(&ready, NULL, (unsigned int)threads + 1);
	pthread_barrier_init(&go, NULL, (unsigned int)threads + 1);
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 << 10);
	for (i = 0; i < threads; i++) {
		callers[i].from = n / threads * i + (n % threads < i ? n % threads : i);
		callers[i].to = callers[i].from + n / threads + (i < n % threads);
		if (pthread_create(&callers[i].thread, &small, call, &callers[i])) {
			fprintf(stderr, "storm: cannot start thread %lu\n", i);
			return 1;
		}
	}
	pthread_barrier_wait(&ready);
	if (wait) {
		printf("ready\n");
		wait_for_input();
	}
	begin = now();
	pthread_barrier_wait(&go);
	for (i = 0; i < threads; i++)
		pthread_join(callers[i].thread, NULL);
	took = now() - begin;
	if (!quiet)
		printf("calls=%lu threads=%lu ns_per_call=%.1f\n", n, threads,
		       n >= threads ? took * 1e9 / (double)(n / threads) : 0.0);
	if (stay)
		wait_for_input();
	return 0;
}
