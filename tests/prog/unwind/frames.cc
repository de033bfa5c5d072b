// SPDX-License-Identifier: GPL-2.0
/*
 * frames ROUNDS - frames of every shape that compilers make of C++: thrown through and caught,
 * with alloca, realigned for wide locals, of recursion, of callbacks through a library, of a
 * regular expression, of virtual and tail calls and, from C++20 on, of coroutines.
 *
 * Without a frame pointer and linked lazily it is hard to unwind. Prints a sum that depends on all.
 */
#include <alloca.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

#if __cplusplus >= 202002L
#include <coroutine>
#endif

#define NOINLINE __attribute__((noinline, noclone))

static unsigned long sum;

struct Guard {
	unsigned long *to;
	explicit Guard(unsigned long *p) : to(p) {}
	NOINLINE ~Guard() { *to += 3; }
};

NOINLINE static void thrower(int depth)
{
	Guard g(&sum);

	if (depth == 0)
		throw std::runtime_error("bottom");
	thrower(depth - 1);
	sum++;
}

NOINLINE static void rethrower(int depth)
{
	try {
		thrower(depth);
	} catch (const std::logic_error &) {
		sum += 1000000;
	} catch (...) {
		sum += 5;
		throw;
	}
}

NOINLINE static void exceptions()
{
	for (int i = 0; i < 3; i++) {
		try {
			rethrower(i * 2);
		} catch (const std::exception &e) {
			sum += strlen(e.what());
		}
	}
}

NOINLINE static unsigned long fill(char *p, size_t n)
{
	unsigned long s = 0;

	memset(p, (int)n, n);
	for (size_t i = 0; i < n; i++)
		s += (unsigned char)p[i];
	return s;
}

NOINLINE static unsigned long on_stack(size_t n)
{
	char *p = (char *)alloca(n);
	unsigned long s = fill(p, n);

	if (n > 40)
		s += on_stack(n / 2);
	return s + (unsigned char)p[n / 2];
}

struct alignas(64) Wide {
	double v[16];
};

NOINLINE static double use_wide(Wide *w, int n)
{
	double s = 0;

	for (int i = 0; i < 16; i++)
		s += w->v[i] * n;
	return s;
}

NOINLINE static double realigned(int n)
{
	Wide w;

	for (int i = 0; i < 16; i++)
		w.v[i] = n + i;
	return use_wide(&w, n) + (n ? realigned(n - 1) : 0);
}

NOINLINE static double realigned_alloca(int n)
{
	Wide w;
	char *p = (char *)alloca((size_t)n * 8 + 8);

	memset(&w, 0, sizeof(w));
	sum += fill(p, (size_t)n * 8 + 8);
	return use_wide(&w, n);
}

static int compare(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return x < y ? -1 : x > y;
}

NOINLINE static void sort()
{
	int v[120];

	for (int i = 0; i < 120; i++)
		v[i] = (i * 7919) % 1009;
	qsort(v, 120, sizeof(v[0]), compare);
	sum += (unsigned long)v[60];
}

struct Shape {
	virtual ~Shape() {}
	virtual long area(int n) = 0;
};
struct Square : Shape {
	NOINLINE long area(int n) override { return (long)n * n; }
};
struct Twice : Shape {
	Shape *of;
	explicit Twice(Shape *s) : of(s) {}
	NOINLINE long area(int n) override { return of->area(n + 1); } // a tail call
};

NOINLINE static void virtuals()
{
	Square s;
	Twice a(&s), b(&a);
	Shape *all[] = {&s, &a, &b};

	for (int i = 0; i < 30; i++)
		sum += (unsigned long)all[i % 3]->area(i);
}

NOINLINE static int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

NOINLINE static void containers()
{
	std::map<std::string, std::vector<int>> m;

	for (int i = 0; i < 24; i++)
		m["key number " + std::to_string(i % 13)].push_back(i);
	for (const auto &e : m)
		sum += e.second.size() * e.first.size();
}

NOINLINE static void expressions()
{
	static const std::regex re("(alpha|b)=(1?2|3)");
	std::string text("alpha=12;b=3");
	std::smatch match;

	while (std::regex_search(text, match, re)) {
		sum += match[1].length() + (unsigned long)atoi(match[2].str().c_str());
		text = match.suffix();
	}
}

#if __cplusplus >= 202002L
struct Generator {
	struct promise_type {
		int value;
		Generator get_return_object()
		{
			return Generator{
				std::coroutine_handle<promise_type>::from_promise(*this)};
		}
		std::suspend_always initial_suspend() { return {}; }
		std::suspend_always final_suspend() noexcept { return {}; }
		std::suspend_always yield_value(int v)
		{
			value = v;
			return {};
		}
		void return_void() {}
		void unhandled_exception() { throw; }
	};
	std::coroutine_handle<promise_type> h;
};

static Generator numbers(int n)
{
	for (int i = 0; i < n; i++)
		co_yield fib(i);
	throw std::runtime_error("end");
}

NOINLINE static void coroutines()
{
	Generator g = numbers(6);

	try {
		for (;;) {
			g.h.resume();
			sum += (unsigned long)g.h.promise().value;
		}
	} catch (const std::exception &) {
		sum++;
	}
	g.h.destroy();
}
#else
static void coroutines() {}
#endif

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1;

	for (int i = 0; i < rounds; i++) {
		exceptions();
		sum += on_stack(300);
		sum += (unsigned long)(realigned(5) + realigned_alloca(3));
		sort();
		virtuals();
		sum += (unsigned long)fib(10);
		containers();
		expressions();
		coroutines();
	}
	printf("%lu\n", sum);
	return 0;
}
