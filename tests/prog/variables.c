// SPDX-License-Identifier: GPL-2.0
/*
 * variables N - has variables, and says at marked lines what is in them: "MARK NAME=VALUE NAME=VALUE". Each line is come to N times,
 * those of loops more often.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __clang__
#define APART __attribute__((noinline))
#else
#define APART __attribute__((noipa))
#endif
#define INLINED static inline __attribute__((always_inline))

enum colour { RED, GREEN = 5 };

struct point {
	long x;
	int y;
	const char *name;
	struct point *next;
};

volatile long sum;

APART static void look_at(const void *p)
{
	sum += *(const char *)p;
}

APART void blocks(int n, struct point *p)
{
	long total = n * 3L;
	int i;

	for (i = 0; i < 3; i++) {
		long step = i * 7 + p->x;

		total += step;
		printf("block i=%d step=%ld total=%ld y=%d\n", i, step, total, p->y); /* block */
	}
	{
		unsigned char total = (unsigned char)(n + 250);

		printf("inner total=%d n=%d\n", total, n); /* inner */
	}
	printf("outer total=%ld name=%s\n", total, p->name); /* outer */
}

APART void memory(int n)
{
	static int calls = 100;
	struct point points[2] = {{.x = n, .y = -n, .name = "first"},
				  {.x = n + 1, .name = "second"}};
	struct point *last = &points[1];
	enum colour colour = n & 1 ? GREEN : RED;
	short small = (short)-n;
	char text[8];
	_Bool above = n > -2;

	calls++;
	snprintf(text, sizeof(text), "t%d", n);
	points[0].next = last;
	look_at(points);
	look_at(text);
	look_at(&calls);
	printf("memory n=%d x=%ld y=%d last=%ld text=%s calls=%d small=%d above=%d colour=%s\n", /* memory */
	       n, points[0].x, points[0].y, last->x, text, calls, small, above,
	       colour ? "GREEN" : "RED");
}

INLINED long scaled(long v, int by)
{
	long result = v * by;

	printf("scaled v=%ld by=%d result=%ld\n", v, by, result); /* scaled */
	return result;
}

APART void first_site(long n)
{
	sum += scaled(n, 3);
}

APART void second_site(long n)
{
	sum += scaled(n + 5, (int)n);
	sum += scaled(sum, 2);
}

APART long left_out(int n)
{
	long unused = n * 5L;
	long early = n + 40;
	long late;

	(void)unused;
	printf("early early=%ld\n", early); /* early */
	late = sum * n;
	look_at(&(char){(char)late});
	printf("late late=%ld\n", late); /* late */
	return late;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1, i;
	struct point p = {.x = 1000, .y = 9, .name = "a point"};

	for (i = 0; i < n; i++) {
		p.x += i;
		blocks(i, &p);
		memory(-i);
		first_site(i);
		second_site(i);
		left_out(i);
	}
	return 0;
}
