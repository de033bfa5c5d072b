// SPDX-License-Identifier: GPL-2.0
/*
 * jit [--dump DIR | --shared | --memfd] MS [again] - makes code while it runs, as JIT compilers do, and says so.
 *
 * MS milliseconds of CPU time in each of two functions, jit_alpha and jit_beta, the second made when
 * the first has run: told in /tmp/perf-PID.map, or in DIR/jit-PID.dump, where jit_alpha is then
 * moved and runs as long once more. The files stay. Prints its PID first.
 *
 * The code is in private memory, in shared memory, or, as .NET has it, in a memfd.
 *
 * With `again`, jit_gamma is then made over the end of jit_alpha's first place and runs as long, and
 * then jit_delta in that place. The memory is protected and opened again before each, and a map has
 * had no news for more than a second; it is written anew for jit_delta.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "count_down.h"
#include "perf_map.h"

#define PAGE 4096

/* EM_* of elf.h */
#ifdef __aarch64__
#define MACHINE 183
#else
#define MACHINE 62
#endif

static FILE *map, *dump;

static uint64_t now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static void run(unsigned char *code, uint64_t ms)
{
	uint64_t end = now(CLOCK_PROCESS_CPUTIME_ID) + ms * 1000000;
	void (*function)(long n);

	memcpy(&function, &code, sizeof(function));
	while (now(CLOCK_PROCESS_CPUTIME_ID) < end)
		function(1000000);
}

static void put(const void *p, size_t len)
{
	if (fwrite(p, len, 1, dump) != 1)
		exit(1);
}

static void put32(uint32_t v)
{
	put(&v, sizeof(v));
}

static void put64(uint64_t v)
{
	put(&v, sizeof(v));
}

static void open_dump(const char *dir)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/jit-%d.dump", dir, (int)getpid());
	dump = fopen(path, "w+");
	if (!dump)
		exit(1);
	put32(0x4a695444);
	put32(1);
	put32(40);
	put32(MACHINE);
	put32(0);
	put32((uint32_t)getpid());
	put64(now(CLOCK_MONOTONIC));
	put64(0);
	fflush(dump);
	/* how whoever records comes to know of it */
	if (mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(dump), 0) == MAP_FAILED)
		exit(1);
}

static void put_record(uint32_t type, size_t len)
{
	put32(type);
	put32((uint32_t)(16 + len));
	put64(now(CLOCK_MONOTONIC));
	put32((uint32_t)getpid());
	put32((uint32_t)getpid());
}

static void make(unsigned char *code, uint64_t index, const char *name)
{
	memcpy(code, count_down, sizeof(count_down));
	__builtin___clear_cache((char *)code, (char *)code + sizeof(count_down));
	if (dump) {
		put_record(0, 40 + strlen(name) + 1 + sizeof(count_down));
		put64((uintptr_t)code);
		put64((uintptr_t)code);
		put64(sizeof(count_down));
		put64(index);
		put(name, strlen(name) + 1);
		put(count_down, sizeof(count_down));
		fflush(dump);
	} else {
		fprintf(map, "%lx %zx %s\n", (unsigned long)code, sizeof(count_down), name);
		fflush(map);
	}
}

static void move(unsigned char *to, const unsigned char *from, uint64_t index)
{
	memcpy(to, from, sizeof(count_down));
	__builtin___clear_cache((char *)to, (char *)to + sizeof(count_down));
	put_record(1, 48);
	put64((uintptr_t)to);
	put64((uintptr_t)from);
	put64((uintptr_t)to);
	put64(sizeof(count_down));
	put64(index);
	fflush(dump);
}

static void make_again(unsigned char *code, const char *path, uint64_t ms)
{
	static const char *const names[] = {"jit_gamma", "jit_delta"};
	uint64_t i;

	for (i = 0; i < 2; i++) {
		if (!dump)
			usleep(1300000);
		if (!dump && i && !(map = freopen(path, "w", map)))
			exit(1);
		if (mprotect(code, 3 * PAGE, PROT_READ | PROT_WRITE) ||
		    mprotect(code, 3 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC))
			exit(1);
		make(code + 4 - 4 * i, 3 + i, names[i]);
		run(code + 4 - 4 * i, ms);
	}
}

/* Room for three pages of code. */
static unsigned char *make_room(const char *kind)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS, fd = -1;
	void *room;

	if (!strcmp(kind, "--shared"))
		flags = MAP_SHARED | MAP_ANONYMOUS;
	if (!strcmp(kind, "--memfd")) {
		flags = MAP_SHARED;
		fd = memfd_create("doublemapper", MFD_CLOEXEC);
		if (fd < 0 || ftruncate(fd, 3 * PAGE))
			return NULL;
	}
	room = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, flags, fd, 0);
	return room == MAP_FAILED ? NULL : room;
}

int main(int argc, char **argv)
{
	const char *dir = argc > 2 && !strcmp(argv[1], "--dump") ? argv[2] : NULL;
	bool again = argc > 2 && !strcmp(argv[argc - 1], "again");
	uint64_t ms = argc > 1 + again ? strtoull(argv[argc - 1 - again], NULL, 10) : 0;
	unsigned char *code;
	char path[64];

	if (!ms || sizeof(count_down) == 1) {
		fprintf(stderr, "usage: jit [--dump DIR | --shared | --memfd] MS [again]\n");
		return 1;
	}
	printf("%d\n", (int)getpid());
	fflush(stdout);
	if (dir)
		open_dump(dir);
	else
		map = open_perf_map(path, sizeof(path));
	code = make_room(argv[1]);
	if ((!map && !dump) || !code)
		return 1;
	make(code, 1, "jit_alpha");
	run(code, ms);
	make(code + PAGE, 2, "jit_beta");
	run(code + PAGE, ms);
	if (dump) {
		move(code + 2 * PAGE, code, 1);
		run(code + 2 * PAGE, ms);
	}
	if (again)
		make_again(code, path, ms);
	return 0;
}
