// SPDX-License-Identifier: GPL-2.0
/*
 * oom [--once | --single] COMMAND [ARG...] - perf-lite, in which memory runs out at one place after the other.
 *
 * The command runs again and again, while the first N allocations of its main thread succeed and all later ones fail, or with
 * --single the next one. Each time it must say that memory ran out, or do without and print the same. All of the first
 * places are tried, and of the later ones more and more seldom. --once: perf-lite as it is, for a build with sanitizers.
 * The command "library" is tests/cli/library_dump.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/unit/oom.h"

int perf_lite_main(int argc, char **argv);
#define main perf_lite_main
#include "perf-lite/main.c" /* NOLINT(bugprone-suspicious-include) */
#undef main

/* And the library for programs, as the command "library". */
int library_main(int argc, char **argv);
#define main library_main
#include "tests/cli/library_dump.c" /* NOLINT(bugprone-suspicious-include) */
#undef main

static int run_command(int nr, char **args)
{
	return nr > 1 && !strcmp(args[1], "library") ? library_main(nr - 1, args + 1)
						     : perf_lite_main(nr, args);
}

/* Places that are all tried: fewer where each run is slow. */
#ifdef __SANITIZE_ADDRESS__
#define SOME 50
#else
#define SOME 200
#endif

struct output {
	int fd; /* of a file in memory */
	char *text;
	size_t len;
};

static void open_output(struct output *o, int fd)
{
	o->fd = memfd_create("output", MFD_CLOEXEC);
	if (o->fd < 0 || dup2(o->fd, fd) < 0)
		exit(2);
}

static void read_output(struct output *o)
{
	off_t size = lseek(o->fd, 0, SEEK_END);

	o->text = calloc(1, (size_t)size + 1);
	if (!o->text || pread(o->fd, o->text, (size_t)size, 0) != size)
		exit(2);
	o->len = (size_t)size;
	close(o->fd);
}

/* Run it with so many allocations; true if one was refused. */
static bool run_with(void (*fail)(unsigned int), unsigned int n, char **words, int nr, int *status,
		     struct output v[2])
{
	char *args[64] = {NULL};
	bool refused;

	memcpy(args, words, (size_t)nr * sizeof(*args));
	open_output(&v[0], 1);
	open_output(&v[1], 2);
	fail(n);
	*status = run_command(nr, args);
	refused = oom_stop();
	read_output(&v[0]);
	read_output(&v[1]);
	return refused;
}

static bool is_said(const char *text)
{
	return strstr(text, "out of memory") || strstr(text, "Cannot allocate memory");
}

static bool is_same(const struct output *a, const struct output *b)
{
	return a->len == b->len && !memcmp(a->text, b->text, a->len);
}

int main(int argc, char **argv)
{
	struct output want[2], got[2];
	int saved = dup(1), saved_err = dup(2), status, want_status, bad = 0;
	void (*fail)(unsigned int) = oom_after;
	unsigned int n;
	bool refused = true;

	if (argc > 1 && !strcmp(argv[1], "--once")) {
		argv[1] = argv[0];
		return run_command(argc - 1, argv + 1);
	}
	if (argc > 1 && !strcmp(argv[1], "--single")) {
		argv[1] = argv[0];
		argc--;
		argv++;
		fail = oom_only;
	}
	if (argc < 2 || argc > 60)
		return 2;
	run_with(fail, -2u, argv, argc, &want_status, want);
	for (n = 0; refused && bad < 5; n += 1 + n / SOME) {
		refused = run_with(fail, n, argv, argc, &status, got);
		if (!(status == want_status && is_same(&want[0], &got[0])) &&
		    !((status || fail == oom_only) && is_said(got[1].text))) {
			dprintf(saved, "%u allocations: status %d, %zu bytes: %s\n", n, status,
				got[0].len, got[1].text);
			bad++;
		}
		free(got[0].text);
		free(got[1].text);
	}
	free(want[0].text);
	free(want[1].text);
	dprintf(saved, "%u places\n", n);
	dup2(saved_err, 2); /* where a sanitizer says what leaked */
	return bad ? 1 : n < 20;
}
