// SPDX-License-Identifier: GPL-2.0
/*
 * passes N - calls functions N times, and says which arguments it passed and what they returned, a line each:
 * "FUNCTION NAME=VALUE NAME=VALUE".
 *
 * With "-fork" behind N, a child calls them, too, before the program does, and says nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* As if they were compiled apart from what calls them. */
#ifdef __clang__
#define APART __attribute__((noinline))
#else
#define APART __attribute__((noipa))
#endif

enum mode { IDLE, BUSY = 7, BROKEN = -1 };

union value {
	long number;
	char text[8];
};

struct header {
	struct header *next;
	short lines;
	union {
		int id;
		unsigned char bytes[4];
	};
};

struct request {
	const char *path;
	char method[8];
	unsigned int flags : 3, kind : 5;
	int : 24;
	enum mode mode;
	union value value;
	struct header header;
	const struct header *const *headers;
	int codes[3];
	double share;
	_Bool last;
	void (*done)(void);
};

struct pair {
	int a;
	long b;
};

struct large {
	long v[4];
};

volatile long sum;

APART long numbers(int i, unsigned int u, long l, unsigned char c, short s, unsigned long w)
{
	sum += i + (long)u + l + c + s + (long)w;
	return sum;
}

APART int handle(struct request *req, size_t len)
{
	sum += req->path[0] + (long)len;
	return -(int)len;
}

APART const char *mixed(double d, int after, float f, const char *text)
{
	sum += (long)d + after + (long)f;
	return text + 1;
}

APART long many(long a, long b, long c, long d, long e, long f, int g, long h)
{
	sum += a + b + c + d + e + f + g + h;
	return h;
}

APART long structs(struct pair p, int after, struct large l, int end)
{
	sum += p.a + p.b + after + l.v[0] + end;
	return l.v[3];
}

APART struct large makes(int seed)
{
	struct large l = {{seed, seed + 1, seed + 2, seed + 3}};

	sum += seed;
	return l;
}

APART void nothing(void)
{
	sum++;
}

static void call_numbers(long i, FILE *out)
{
	const int n = (int)-i;

	numbers(n, 4000000000u + (unsigned int)i, i << 40, (unsigned char)(250 + i),
		(short)(-300 - i), ~0ul - (unsigned long)i);
	fprintf(out, "numbers i=%d u=%u l=%ld c=%u s=%d w=%lu\n", n, 4000000000u + (unsigned int)i,
		i << 40, (unsigned char)(250 + i), (short)(-300 - i), ~0ul - (unsigned long)i);
	fprintf(out, "numbers-returned retval=%ld\n", (long)sum);
}

static void call_handle(long i, FILE *out)
{
	static const struct header first = {NULL, 3, {77}};
	static const struct header *const headers[] = {&first, NULL};
	struct request r = {.path = NULL, .flags = (unsigned int)i & 7, .kind = 21};
	char path[32];
	int ret;

	snprintf(path, sizeof(path), "/index-%ld", i);
	r.path = path;
	memcpy(r.method, "CONNECTS", 8);
	r.mode = i % 2 ? BUSY : BROKEN;
	r.value.number = i * 1000;
	r.header = (struct header){&r.header, 5, {(int)i + 0x01020304}};
	r.headers = headers;
	r.codes[1] = 404;
	r.last = i % 2;
	r.done = nothing;
	ret = handle(&r, (size_t)i + 3);
	fprintf(out,
		"handle path=%s method=CONNECTS flags=%u kind=21 mode=%s number=%ld lines=5 id=%d code=404 first=77 last=%d len=%ld\n",
		path, (unsigned int)i & 7, i % 2 ? "BUSY" : "BROKEN", i * 1000, (int)i + 0x01020304,
		(int)(i % 2), i + 3);
	fprintf(out, "handle-returned retval=%d\n", ret);
}

static void call_others(long i, FILE *out)
{
	const struct pair p = {(int)i, i + 1};
	const struct large l = {{i + 2, i + 3, i + 4, i + 5}};
	struct large made;

	mixed(1.5, (int)i + 10, 2.5f, "constant");
	fprintf(out, "mixed after=%ld text=constant\n", i + 10);
	fprintf(out, "mixed-returned retval=onstant\n");
	many(i, i + 1, i + 2, i + 3, i + 4, i + 5, (int)-i, i + 7);
	fprintf(out, "many a=%ld b=%ld f=%ld g=%ld h=%ld\n", i, i + 1, i + 5, -i, i + 7);
	structs(p, (int)i + 20, l, (int)i + 30);
	fprintf(out, "structs after=%ld first=%ld last=%ld end=%ld\n", i + 20, i + 2, i + 5,
		i + 30);
	made = makes((int)i + 40);
	fprintf(out, "makes seed=%ld\n", made.v[0]);
}

static void call_all(long n, FILE *out)
{
	long i;

	for (i = 0; i < n; i++) {
		call_numbers(i, out);
		call_handle(i, out);
		call_others(i, out);
	}
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? strtol(argv[1], NULL, 0) : 1;
	pid_t child;

	if (argc > 2 && !strcmp(argv[2], "-fork")) {
		child = fork();
		if (!child) {
			call_all(n, fopen("/dev/null", "w"));
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
	call_all(n, stdout);
	nothing();
	return 0;
}
