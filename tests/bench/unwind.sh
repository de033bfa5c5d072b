#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# unwind.sh [FILE...] - what unwinding costs (tests/bench/unwind.c), for each of the recordings given,
# ours with --keep-stacks or perf's, that were made on this machine just now; without any, for two
# that perf makes here: g++ -O2 and a loop of python3, with 64 KiB of stack in each sample. CPU time
# in ns per frame: cold; then steady, with stacks from memory, just read, in the CPU's caches; and
# libunwind's on the same samples just read, and how many times ours that is. Then why chains ended,
# ours and libunwind's. Needs root, perf, and a compiler.
. tests/bench/lib
need_cmd "${CC:=cc}"

# shellcheck disable=SC2046,SC2086
$CC -std=gnu11 -O2 -I. -D_GNU_SOURCE ${CFLAGS:-} ${LDFLAGS:-} -o "$tmp/unwind" tests/bench/unwind.c \
	"$O/libperflite.a" $(sed -n 's/^LIBS := //p' Makefile)

# NAME COMMAND...
record()
{
	name=$1
	shift
	perf record -q -e cpu-clock:u -F 1999 -m 16M --call-graph dwarf,65528 -o "$tmp/$name" -- "$@" \
		>"$tmp/out" 2>&1 </dev/null || {
		cat "$tmp/out" >&2
		exit 1
	}
}

if [ $# -eq 0 ]; then
	need_perf
	need_cmd g++ python3
	cat >"$tmp/load.cc" <<-END
		#include <algorithm>
		#include <iostream>
		#include <map>
		#include <regex>
		#include <string>
		#include <vector>
		int main()
		{
			std::map<std::string, std::vector<int>> m;
			std::regex r("a.*b");
			for (int i = 0; i < 100; i++)
				m[std::to_string(i)].push_back(i);
			std::sort(m["1"].begin(), m["1"].end());
			std::cout << std::regex_match("aab", r) << m.size();
		}
	END
	cat >"$tmp/load.py" <<-END
		import json, re
		def f(n):
		    return n if n < 2 else f(n - 1) + f(n - 2)
		for i in range(12):
		    sorted((str(i) for i in range(20000)), key=lambda s: s[::-1])
		    f(18)
		    json.loads(json.dumps([{"a": list(range(50))}] * 200))
		    re.sub(r"(a|b)+c", lambda m: m.group(0)[::-1], "ababc" * 2000)
	END
	record g++ g++ -O2 -c -o "$tmp/load.o" "$tmp/load.cc"
	# the interpreter itself: python3 may be a script that starts it
	record python3 "$(python3 -c 'import sys; print(sys.executable)')" "$tmp/load.py"
	set -- "$tmp/g++" "$tmp/python3"
fi
printf '%-12s %7s %8s %7s %7s %7s %7s %9s %6s\n' \
	file samples frames cold memory read cached libunwind times
for f; do
	printf '%-12s' "$(basename "$f")"
	"$tmp/unwind" "$f"
done
