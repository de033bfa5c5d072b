#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# bytes.sh [ROUNDS] - the size of whole files beside those of perf record -z on five loads, each with
# call chains and for everybody: bytes per sample of each recorder's own samples, since no two runs
# of a load are the same. perf leaves its own system calls out where it can be told to; its file
# holds no symbols and no binaries, ours holds the names of the functions seen. Medians; needs root,
# perf and g++.
. tests/bench/lib
need_perf
need_cmd g++ find
turns=${1:-1}

cat >"$tmp/a.cc" <<'END'
#include <algorithm>
#include <iostream>
#include <map>
#include <regex>
#include <string>
#include <unordered_map>
#include <vector>
int main(int argc, char **argv)
{
	std::map<std::string, std::vector<int>> m;
	std::unordered_map<int, std::string> u;
	std::regex r("([a-z]+)=([0-9]+)");
	for (int i = 0; i < argc; i++) {
		std::smatch found;
		std::string s(argv[i]);
		if (std::regex_match(s, found, r))
			m[found[1]].push_back(std::stoi(found[2]));
		u[i] = s;
	}
	for (auto &e : m)
		std::sort(e.second.begin(), e.second.end(), [](int a, int b) { return a > b; });
	std::cout << m.size() + u.size() << std::endl;
}
END
cat >"$tmp/compile" <<END
#!/bin/sh
# compile N: that many compilations, two at a time
i=0
while [ \$i -lt \$1 ]; do
	g++ -O2 -c -o "$tmp/\$i.o" "$tmp/a.cc" &
	g++ -O2 -c -o "$tmp/\$i.x.o" "$tmp/a.cc"
	wait
	i=\$((i + 2))
done
END
cat >"$tmp/sched" <<END
#!/bin/sh
"$tmp/compile" 2
perf bench sched messaging -l 20
perf bench sched pipe -l 20000
END
cat >"$tmp/files" <<END
#!/bin/sh
find /usr/include /usr/lib -type f
ls -lR /usr/lib
cat /usr/include/*.h /usr/include/*/*.h
"$tmp/compile" 2
END
chmod +x "$tmp/compile" "$tmp/sched" "$tmp/files"

# LOAD/RECORDER
one()
{
	own=--exclude-perf
	case $1 in
	drops/*) set -- "$1" "-e skb:kfree_skb -ag" "$PROG/drops --udp 200000 --tcp 5000 --seconds 3" ;;
	sched/*) set -- "$1" "-e sched:* -ag" "$tmp/sched" ;;
	syscalls/*) set -- "$1" "-e raw_syscalls:sys_enter -ag" "$tmp/files" ;;
	clock/*) set -- "$1" "-e cpu-clock -F 4999 -ag" "$tmp/compile 4" none ;;
	typical/*) set -- "$1" "-F 99 -ag" "$tmp/compile 8" none ;;
	esac
	# Only tracepoints can leave the recorder out.
	[ $# -eq 3 ] || own=''
	load=$2 command=$3
	case $1 in
	*/perf-lite) recorder="$PERF_LITE record" file=$tmp/a own='' ;;
	*) recorder="perf record -z" file=$tmp/perf.data ;;
	esac
	# Without globbing: sched:* is an event.
	set -f
	# shellcheck disable=SC2086
	measured $recorder $load $own -o "$file" -- $command
	set +f
	[ $status -eq 0 ] || { cat "$tmp/err" >&2; exit 1; }
	samples=$(samples_of "$file")
	[ "${samples:-0}" -gt 0 ] || { echo "bytes: $name: no samples" >&2; exit 1; }
	figure "$name" "$samples" "$(awk -v b="$(wc -c <"$file")" -v n="$samples" 'BEGIN { print b / n }')"
	rm -f "$tmp/perf.data"* "$tmp/a"
}

loads="drops sched syscalls clock typical"
all=''
for l in $loads; do
	all="$all $l/perf-z $l/perf-lite"
done
# shellcheck disable=SC2086
in_turn "$turns" one $all

printf '%-10s %14s %10s %14s %10s %10s\n' load "perf -z" B/sample "perf-lite" B/sample "times"
for l in $loads; do
	p=$(median "$l/perf-z" 2) o=$(median "$l/perf-lite" 2)
	printf '%-10s %14s %10.2f %14s %10.2f %9sx\n' "$l" "$(median "$l/perf-z" 1)" "$p" \
		"$(median "$l/perf-lite" 1)" "$o" "$(ratio "$p" "$o")"
done
