// SPDX-License-Identifier: GPL-2.0
/*
 * threads - two named threads, ping and pong, that wake each other N times (default 1000): each
 * round is two context switches at least.
 *
 * Prints rounds=N voluntary=M: M switches, as the kernel counted them for the process.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

struct player {
	const char *name;
	int from, to; /* pipe ends */
	unsigned long rounds;
};

static void *play(void *arg)
{
	struct player *p = arg;
	unsigned long i;
	char c;

	pthread_setname_np(pthread_self(), p->name);
	for (i = 0; i < p->rounds; i++)
		if (read(p->from, &c, 1) != 1 || write(p->to, &c, 1) != 1) {
			perror("threads");
			exit(1);
		}
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
	struct player ping = {.name = "ping", .rounds = rounds};
	struct player pong = {.name = "pong", .rounds = rounds};
	pthread_t a, b;
	struct rusage ru;
	int there[2], back[2];

	if (pipe(there) || pipe(back)) {
		perror("pipe");
		return 1;
	}
	ping.from = back[0];
	ping.to = there[1];
	pong.from = there[0];
	pong.to = back[1];
	if (pthread_create(&a, NULL, play, &ping) || pthread_create(&b, NULL, play, &pong)) {
		fprintf(stderr, "threads: cannot start a thread\n");
		return 1;
	}
	if (write(back[1], "x", 1) != 1) /* serve */
		return 1;
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	getrusage(RUSAGE_SELF, &ru);
	printf("rounds=%lu voluntary=%ld\n", rounds, ru.ru_nvcsw);
	return 0;
}
