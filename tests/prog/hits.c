// SPDX-License-Identifier: GPL-2.0
/*
 * hits N THREADS - that many threads call hit(number, name) N times each. Then it says for each name, a line each: "NAME CALLS SUM
 * LEAST MOST".
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS_MAX 64
#define NAMES       3

struct totals {
	long calls, sum, least, most;
};

struct thread {
	pthread_t id;
	long number, calls;
	char name[16];
	struct totals totals;
};

static volatile long sink;

static __attribute__((noinline)) long hit(long number, const char *name)
{
	sink = number + name[0];
	return sink;
}

static void add(struct totals *t, long calls, long sum, long least, long most)
{
	if (!t->calls || least < t->least)
		t->least = least;
	if (!t->calls || most > t->most)
		t->most = most;
	t->calls += calls;
	t->sum += sum;
}

static void *run(void *arg)
{
	struct thread *t = arg;
	long i, number;

	snprintf(t->name, sizeof(t->name), "name-%ld", t->number % NAMES);
	for (i = 0; i < t->calls; i++) {
		number = (i % 7 - 3) * (t->number + 1);
		hit(number, t->name);
		add(&t->totals, 1, number, number, number);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	static struct thread threads[THREADS_MAX];
	struct totals of_name[NAMES] = {{0}};
	const long n = argc > 1 ? atol(argv[1]) : 1, nr = argc > 2 ? atol(argv[2]) : 1;
	long i;

	if (n < 1 || nr < 1 || nr > THREADS_MAX) {
		fprintf(stderr, "hits: N and up to %d THREADS\n", THREADS_MAX);
		return 1;
	}
	for (i = 0; i < nr; i++) {
		threads[i].number = i;
		threads[i].calls = n;
		if (pthread_create(&threads[i].id, NULL, run, &threads[i]))
			return 1;
	}
	for (i = 0; i < nr; i++) {
		const struct totals *t = &threads[i].totals;

		pthread_join(threads[i].id, NULL);
		add(&of_name[i % NAMES], t->calls, t->sum, t->least, t->most);
	}
	for (i = 0; i < NAMES && i < nr; i++)
		printf("name-%ld %ld %ld %ld %ld\n", i, of_name[i].calls, of_name[i].sum,
		       of_name[i].least, of_name[i].most);
	return 0;
}
