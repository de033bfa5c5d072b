// SPDX-License-Identifier: GPL-2.0
/*
 * waits sleeps N MS | waits locks N MS - waits N times for MS ms, for a timer or for a mutex that another thread holds, and
 * prints how long it waited, in ns by its own clock: "WAITED SHORTEST LONGEST".
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t held;
static long times, ms;

static unsigned long long now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (unsigned long long)ts.tv_sec * 1000000000ull + (unsigned long long)ts.tv_nsec;
}

static void sleep_ms(void)
{
	struct timespec ts = {ms / 1000, ms % 1000 * 1000000};

	clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL);
}

/* Holds the mutex for ms once the other thread is about to take it. */
static void *hold(void *arg)
{
	long i;

	prctl(PR_SET_NAME, "holder");
	for (i = 0; i < times; i++) {
		pthread_mutex_lock(&mutex);
		pthread_barrier_wait(&held);
		sleep_ms();
		pthread_mutex_unlock(&mutex);
		pthread_barrier_wait(&held);
	}
	return arg;
}

int main(int argc, char **argv)
{
	unsigned long long sum = 0, least = ~0ull, most = 0, t;
	bool locks = argc == 4 && !strcmp(argv[1], "locks");
	pthread_t holder;
	long i;

	if (argc != 4 || (!locks && strcmp(argv[1], "sleeps") != 0))
		return 2;
	times = atol(argv[2]);
	ms = atol(argv[3]);
	pthread_barrier_init(&held, NULL, 2);
	if (locks && pthread_create(&holder, NULL, hold, NULL))
		return 1;
	for (i = 0; i < times; i++) {
		if (locks)
			pthread_barrier_wait(&held);
		t = now();
		if (locks)
			pthread_mutex_lock(&mutex);
		else
			sleep_ms();
		t = now() - t;
		if (locks) {
			pthread_mutex_unlock(&mutex);
			pthread_barrier_wait(&held);
		}
		sum += t;
		least = t < least ? t : least;
		most = t > most ? t : most;
	}
	printf("%llu %llu %llu\n", sum, least, most);
	return 0;
}
