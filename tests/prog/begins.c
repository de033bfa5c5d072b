// SPDX-License-Identifier: GPL-2.0
/*
 * begins - has N threads (default 200), says "ready", and begins M more (default 400), one every 2 ms. When all have begun and
 * a line came on standard input, each makes 10 calls of getppid(2).
 *
 * Prints threads=N, the number of all but the first one.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define CALLS 10

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static int go;

static void *make_calls(void *arg)
{
	int i;

	(void)arg;
	pthread_mutex_lock(&mutex);
	while (!go)
		pthread_cond_wait(&wake, &mutex);
	pthread_mutex_unlock(&mutex);
	for (i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
	return NULL;
}

int main(int argc, char **argv)
{
	int first = argc > 1 ? atoi(argv[1]) : 200, more = argc > 2 ? atoi(argv[2]) : 400, i;
	const struct timespec pause = {.tv_nsec = 2000000};
	pthread_t *thread = calloc((size_t)(first + more), sizeof(*thread));
	pthread_attr_t attr;

	if (!thread)
		return 1;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	for (i = 0; i < first + more; i++) {
		if (pthread_create(&thread[i], &attr, make_calls, NULL)) {
			fprintf(stderr, "begins: no more than %d threads\n", i);
			return 1;
		}
		if (i == first - 1) {
			printf("ready\n");
			fflush(stdout);
		}
		if (i >= first)
			nanosleep(&pause, NULL);
	}
	getchar();
	pthread_mutex_lock(&mutex);
	go = 1;
	pthread_cond_broadcast(&wake);
	pthread_mutex_unlock(&mutex);
	for (i = 0; i < first + more; i++)
		pthread_join(thread[i], NULL);
	printf("threads=%d\n", first + more);
	return 0;
}
