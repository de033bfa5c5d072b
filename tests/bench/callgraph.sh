#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# callgraph.sh [ROUNDS] - what stacks by unwind information cost, beside perf: a compiler (g++ -O2 of
# a file with many templates) is sampled at 4 kHz with 65528 bytes of its stack. CPU time is all that the
# recorder took, guardian and clean-up included; "target" is how much longer the compiler ran, in its
# own CPU time, than without a recorder. "long" is perf-lite over five such compilations: what beginning
# and ending a recording costs is less of it. Medians; needs root, perf and g++.
. tests/bench/lib
need_perf
need_cmd g++
turns=${1:-3}

cat >"$tmp/templates.cc" <<'EOF'
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

int main(int argc, char **argv)
{
	std::map<std::string, std::vector<std::function<int(int)>>> m;
	std::unordered_map<std::string, std::shared_ptr<std::map<int, std::string>>> u;
	std::regex r("(a|b)*c[[:digit:]]+");
	std::ostringstream out;

	for (int i = 0; i < argc; i++) {
		m[argv[i]].push_back([i](int n) { return i + n; });
		u[argv[i]] = std::make_shared<std::map<int, std::string>>();
		(*u[argv[i]])[i] = argv[i];
		out << std::regex_match(argv[i], r) << m[argv[i]].back()(i);
	}
	std::cout << out.str();
	return 0;
}
EOF

cat >"$tmp/load" <<EOF
#!/bin/sh
# load TIMES
for i in \$(seq "\$1"); do
	g++ -O2 -c '$tmp/templates.cc' -o '$tmp/templates.o' || exit
done
times >'$tmp/times'
EOF
chmod +x "$tmp/load"

# "0m1.25s 0m0.10s": of what the load has started
load_us()
{
	sed -n '2{s/m/ /g; s/s//g; p}' "$tmp/times" | awk '{ printf "%d\n", ($1 * 60 + $2 + $3 * 60 + $4) * 1e6 }'
}

# What the recorder says of losses; perf counts them in chunks.
lost_of()
{
	sed -n 's/.* \([0-9]*\) lost.*/\1/p; s/.*lost \([0-9]*\) chunks.*/\1c/p' "$tmp/err" | head -n 1
}

long=5
one()
{
	times=1
	case $1 in
	perf) recorder="perf record --call-graph dwarf,65528" file=$tmp/perf.data ;;
	perf-8k) recorder="perf record --call-graph dwarf,8192" file=$tmp/perf.data ;;
	perf-z) recorder="perf record -z --call-graph dwarf,65528" file=$tmp/perf.data ;;
	perf-lite) recorder="$PERF_LITE record --call-graph dwarf" file=$tmp/a ;;
	long) recorder="$PERF_LITE record --call-graph dwarf" file=$tmp/a times=$long ;;
	auto) recorder="$PERF_LITE record --call-graph auto" file=$tmp/a ;;
	fp) recorder="$PERF_LITE record -g" file=$tmp/a ;;
	none)
		measured "$tmp/outside" "$tmp/load" 1
		figure none 0 0 0 0 "$(load_us)"
		return
		;;
	esac
	# shellcheck disable=SC2086
	measured $recorder -F 4000 -e cpu-clock -o "$file" -- "$tmp/outside" "$tmp/load" $times
	[ $status -eq 0 ] || { cat "$tmp/err" >&2; exit 1; }
	lost=$(lost_of)
	figure "$1" "$cpu_us" "$(samples_of "$file")" "$(wc -c <"$file")" "${lost:-0}" $(($(load_us) / times))
	rm -f "$file" "$file.old"
}

recorders="perf perf-z perf-8k perf-lite long auto fp"
# shellcheck disable=SC2086
in_turn "$turns" one none $recorders

printf '%-10s %8s %9s %8s %9s %8s %10s %6s %10s %9s\n' recorder "CPU ms" us/sample "of perf" "of target" samples B/sample lost \
	"target ms" longer
for r in none $recorders; do
	times=1
	[ "$r" != long ] || times=$long
	awk -v r="$r" -v cpu="$(median "$r" 1)" -v pcpu="$(median perf 1)" -v n="$(median "$r" 2)" -v pn="$(median perf 2)" \
		-v b="$(median "$r" 3)" -v lost="$(median "$r" 4)" -v t="$(median "$r" 5)" -v free="$(median none 5)" -v times="$times" 'BEGIN {
		if (n > 0)
			printf "%-10s %8.1f %9.1f %7.3fx %8.2f%% %8d %10.1f %6s", r, cpu / 1000, cpu / n, cpu / n / (pcpu / pn),
				100 * cpu / (free * times), n, b / n, lost
		else
			printf "%-10s %8s %9s %8s %9s %8s %10s %6s", r, "-", "-", "-", "-", "-", "-", "-"
		printf " %10.0f %8.1f%%\n", t / 1000, 100 * (t / free - 1) }'
done
