// SPDX-License-Identifier: GPL-2.0
/*
 * replay.c - runs a fuzz target over a folder of inputs, without a fuzzer.
 *
 * Each file goes in whole, then cut short at up to 64 places, then with single bytes changed at up
 * to 64 places ($REPLAY_VARIANTS: at so many). The changes are the same in every run. Inputs are copied into a block of their
 * exact size, so that the sanitizer sees the first byte read past the end. TAP: one test.
 */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/types.h"

enum { VARIANTS = 64, SECONDS = 20 /* that one input may take */ };

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);
/* Provided by the sanitizer's run time, if there is one. */
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static char running[4352];
static unsigned long nr_inputs;

static void say_input(void)
{
	static const char head[] = "# input: ";

	if (write(STDERR_FILENO, head, sizeof(head) - 1) < 0 ||
	    write(STDERR_FILENO, running, strlen(running)) < 0 || write(STDERR_FILENO, "\n", 1) < 0)
		_exit(2);
}

static void on_alarm(int sig)
{
	(void)sig;
	say_input();
	_exit(2);
}

static void try_input(const u8 *data, size_t size, size_t change_at, u8 change)
{
	u8 *copy = malloc(size ? size : 1);

	if (!copy) {
		perror("replay");
		exit(2);
	}
	memcpy(copy, data, size);
	if (change_at < size)
		copy[change_at] ^= change;
	alarm(SECONDS);
	LLVMFuzzerTestOneInput(copy, size);
	alarm(0);
	free(copy);
	nr_inputs++;
}

static void replay(const char *path, const u8 *data, size_t size)
{
	static const u8 changes[] = {0x01, 0x80, 0xff, 0x20};
	const char *variants = getenv("REPLAY_VARIANTS");
	int nr = variants ? atoi(variants) : VARIANTS;
	size_t step = size / (size_t)MAX(nr, 1) + 1;
	size_t i;

	snprintf(running, sizeof(running), "%s", path);
	try_input(data, size, size, 0);
	for (i = 0; i < size; i += step) {
		snprintf(running, sizeof(running), "%s, its first %zu bytes", path, i);
		try_input(data, i, i, 0);
	}
	for (i = 0; i < size; i += step) {
		u8 change = changes[i / step % ARRAY_SIZE(changes)];

		snprintf(running, sizeof(running), "%s, byte %zu ^= 0x%02x", path, i, change);
		try_input(data, size, i, change);
	}
}

static int replay_file(const char *path)
{
	struct stat st;
	FILE *f = fopen(path, "rb");
	u8 *data;
	size_t size;

	if (!f || fstat(fileno(f), &st)) {
		perror(path);
		return -1;
	}
	data = malloc((size_t)st.st_size + 1);
	size = data ? fread(data, 1, (size_t)st.st_size, f) : 0;
	fclose(f);
	if (!data || size != (size_t)st.st_size) {
		fprintf(stderr, "%s: cannot read it all\n", path);
		free(data);
		return -1;
	}
	replay(path, data, size);
	free(data);
	return 0;
}

int main(int argc, char **argv)
{
	struct dirent **names;
	const char *dir;
	int nr_files = 0;
	bool failed = false;
	char path[4096];
	int i, n;

	if (argc != 2) {
		fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
		return 2;
	}
	dir = argv[1];
	signal(SIGALRM, on_alarm);
	if (__sanitizer_set_death_callback)
		__sanitizer_set_death_callback(say_input);
	n = scandir(dir, &names, NULL, alphasort);
	if (n < 0) {
		perror(dir);
		return 2;
	}
	for (i = 0; i < n; i++) {
		if (names[i]->d_name[0] != '.') {
			snprintf(path, sizeof(path), "%s/%s", dir, names[i]->d_name);
			failed |= replay_file(path) != 0;
			nr_files++;
		}
		free(names[i]);
	}
	free(names);
	failed |= nr_files == 0;
	printf("1..1\n%sok 1 - %s: %d files, %lu inputs\n", failed ? "not " : "", dir, nr_files,
	       nr_inputs);
	return failed;
}
