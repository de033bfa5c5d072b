// SPDX-License-Identifier: GPL-2.0
/*
 * library_threads FILE - uses libperflite in several threads as perflite.h allows it, each with its own struct perflite: two read
 * FILE, two watch until the main thread stops them. Prints what is wrong. Built with ThreadSanitizer (tests/inject/threads.sh).
 */
#include <perflite.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define READERS  2
#define WATCHERS 2

struct work {
	pthread_t thread;
	const char *file;
	struct perflite *watch;
	uint64_t items;
	struct perflite_error error;
};

static void *read_file(void *arg)
{
	static const char *const options[] = {"jobs=2", "inline", NULL};
	struct work *w = arg;
	struct perflite *p = perflite_open(w->file, options, &w->error);
	struct perflite_table *t;

	while (p && perflite_next(p, &w->error))
		w->items++;
	perflite_close(p);
	p = perflite_open(w->file, options, &w->error);
	t = p ? perflite_count(p, "sym,comm", NULL, &w->error) : NULL;
	perflite_table_free(t);
	perflite_close(p);
	return NULL;
}

static void *watch(void *arg)
{
	struct work *w = arg;

	while (perflite_next(w->watch, &w->error))
		w->items++;
	return NULL;
}

static int end(struct work *w, const char *what)
{
	pthread_join(w->thread, NULL);
	perflite_close(w->watch);
	if (w->items && !w->error.code)
		return 0;
	printf("%s: %llu items: %s\n", what, (unsigned long long)w->items, w->error.text);
	return 1;
}

int main(int argc, char **argv)
{
	static const char *const options[] = {"event=cpu-clock", "freq=199", "all-cpus", NULL};
	struct work readers[READERS] = {0}, watchers[WATCHERS] = {0};
	int i, wrong = 0;

	for (i = 0; i < READERS && argc == 2; i++) {
		readers[i].file = argv[1];
		pthread_create(&readers[i].thread, NULL, read_file, &readers[i]);
	}
	for (i = 0; i < WATCHERS; i++) {
		watchers[i].watch = perflite_watch(NULL, options, &watchers[i].error);
		if (!watchers[i].watch) {
			puts(watchers[i].error.text);
			return 1;
		}
		pthread_create(&watchers[i].thread, NULL, watch, &watchers[i]);
	}
	for (i = 0; i < READERS; i++)
		wrong += end(&readers[i], "read");
	sleep(1);
	for (i = 0; i < WATCHERS; i++) {
		perflite_stop(watchers[i].watch);
		wrong += end(&watchers[i], "watched");
	}
	return wrong != 0;
}
