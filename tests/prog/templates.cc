// SPDX-License-Identifier: GPL-2.0
/*
 * templates - full of functions that a compiler inlines: templates, lambdas, methods of classes in
 * functions, exceptions. It prints a line and ends.
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace shapes
{
template <typename T> struct rectangle {
	T width, height;
	T area() const
	{
		return width * height;
	}
};

template <typename T> static inline T sum(const std::vector<rectangle<T>> &all)
{
	T total = 0;

	for (auto &one : all)
		total += one.area();
	return total;
}
}

static inline int twice(int x)
{
	return x * 2 + std::rand();
}

static inline int four_times(int x)
{
	return twice(twice(x));
}

__attribute__((noinline)) int outer(int x)
{
	struct local {
		__attribute__((noinline)) static int method(int y)
		{
			return four_times(y) + 1;
		}
	};

	return four_times(x) + local::method(x);
}

int main(int argc, char **)
{
	std::map<std::string, int> names;
	std::vector<shapes::rectangle<double>> all;
	std::function<int(int)> guarded = [&](int x) {
		try {
			if (x > 3)
				throw argc;
		} catch (int) {
			return 7;
		}
		return outer(x) + argc;
	};

	for (int i = 0; i < 1000; i++) {
		names[std::to_string(i)] = outer(i);
		all.push_back({1.0 * i, 2.0});
	}
	std::sort(all.begin(), all.end(), [](auto &a, auto &b) { return a.width > b.width; });
	std::printf("%f %zu %d\n", shapes::sum(all), names.size(), guarded(argc));
	return 0;
}
