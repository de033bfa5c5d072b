// SPDX-License-Identifier: GPL-2.0
/* mangled.cc - C++ names of every sort: overloads, templates, operators, lambdas, no namespace. */
#include <cstdio>
#include <string>
#include <vector>

namespace
{
template <class T> T hidden(T x)
{
	return x + 1;
}
} // namespace

namespace outer
{
struct thing {
	explicit thing(int n);
	virtual ~thing();
	long operator()(const std::string &s, int n) const;
	static bool operator_like(int);
	int value;
};

thing::thing(int n) : value(n)
{
}

thing::~thing()
{
}

long thing::operator()(const std::string &s, int n) const
{
	auto twice = [this](int k) { return hidden(k) * 2 + value; };

	return twice(n) + static_cast<long>(s.size());
}

bool thing::operator_like(int n)
{
	return n > 1;
}

template <class K, class V> std::vector<V> fill(const K &k, V v)
{
	return std::vector<V>(k.size(), v);
}
} // namespace outer

int main(int argc, char **argv)
{
	outer::thing t(argc);
	auto v = outer::fill(std::string(argv[0]), t(std::string("x"), argc));

	std::printf("%zu %d\n", v.size(), outer::thing::operator_like(argc));
	return 0;
}
