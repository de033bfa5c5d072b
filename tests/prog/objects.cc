// SPDX-License-Identifier: GPL-2.0
/*
 * objects N - calls functions of C++ N times, and says which arguments it passed, a line each: "FUNCTION NAME=VALUE NAME=VALUE".
 */
#include <cstdio>
#include <cstdlib>
#include <string>

enum class colour : short { red = -1, blue = 3 };
/* whose signs the values that have names do not show */
enum class level : signed char { high = 1 };
enum class mask : unsigned long { all = ~0ul };

class thing
{
      public:
	virtual ~thing() = default;
	int id = 5;
	static int all;
};

int thing::all;

class label : public thing
{
      public:
	const char *text;
	int count;

	__attribute__((noinline)) int add(int more, const std::string &name, label &other);
};

int label::add(int more, const std::string &name, label &other)
{
	all++;
	return more + count + (int)name.size() + other.count;
}

extern "C" {
__attribute__((noinline)) int counted(std::string name, int after)
{
	thing::all++;
	return (int)name.size() + after;
}

__attribute__((noinline)) int matrix(int (&m)[2][3], colour c, bool yes, level l, mask k)
{
	thing::all++;
	return m[1][2] + (int)c + yes + (int)l + (int)k;
}
}

__attribute__((noinline)) std::string named(const std::string &name, int times)
{
	return name + std::to_string(times);
}

int main(int argc, char **argv)
{
	int i, n = argc > 1 ? atoi(argv[1]) : 1, m[2][3] = {{1, 2, 3}, {4, 5, 6}};
	label a, b;

	a.text = "label";
	for (i = 0; i < n; i++) {
		a.count = i;
		b.count = i + 7;
		m[1][2] = i + 10;
		a.add(i + 1, "abc", b);
		printf("add text=label count=%d id=5 more=%d name=abc length=3 other=%d\n", i,
		       i + 1, i + 7);
		counted("xyz", i + 40);
		printf("counted name=xyz after=%d\n", i + 40);
		matrix(m, i % 2 ? colour::blue : colour::red, i % 2, (level)-i, mask::all);
		printf("matrix c=%s yes=%d l=%d k=1 e=%d\n", i % 2 ? "blue" : "red", i % 2, -i,
		       i + 10);
		named("n", i);
		printf("named times=%d\n", i);
	}
	return 0;
}
