// SPDX-License-Identifier: GPL-2.0
/* shapes MS - C++ that has templates, virtual functions, operators and lambdas, and is partly inlined. */
#include <cstdlib>
#include <ctime>
#include <map>
#include <string>
#include <vector>

static volatile unsigned long sink;

unsigned long burn(unsigned long x) __attribute__((noinline));
unsigned long burn(unsigned long x)
{
	for (unsigned long i = 0; i < 300; i++)
		x = x * 31 + i;
	return x;
}

namespace outer
{
namespace inner
{
template <typename T, int N> struct Box {
	T v[N];

	__attribute__((noinline)) T sum(const std::vector<T> &o)
	{
		T s = 0;

		for (T x : o)
			s += x + (T)burn(x);
		return s;
	}
};

struct Shape {
	virtual ~Shape()
	{
	}
	virtual unsigned long area(unsigned long k) const = 0;
	bool operator<(const Shape &o) const
	{
		return area(1) < o.area(2);
	}
};

struct Square : Shape {
	__attribute__((noinline)) unsigned long area(unsigned long k) const override
	{
		return burn(k);
	}
};
} // namespace inner
} // namespace outer

int main(int argc, char **argv)
{
	clock_t end = clock() + CLOCKS_PER_SEC / 1000 * (argc > 1 ? (int)strtol(argv[1], nullptr, 0) : 50);
	outer::inner::Box<unsigned long, 4> box;
	outer::inner::Square one, two;
	std::map<std::string, unsigned long> counts;
	std::vector<unsigned long> v;

	while (clock() < end) {
		v.clear();
		for (unsigned long i = 0; i < 50; i++)
			v.push_back(i * 7919 % 50);
		sink = sink + box.sum(v) + (one < two);
		for (unsigned long i = 0; i < 20; i++)
			counts[std::to_string(i)]++;
	}
	return 0;
}
