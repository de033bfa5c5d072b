#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# bytes.sh [ROUNDS] - the size of whole files beside those of perf record -z on eight loads, each with
# call chains and for everybody: bytes per sample of each recorder's own samples ("smaller"), since no
# two runs of a load are the same, and of the files as they are ("file"). In "itself" perf records its
# own system calls too, as it does when nobody tells it otherwise; in the others it leaves them out.
# perf's file holds no symbols and no binaries, ours holds the names of the functions seen. Medians;
# needs root, perf, g++ and python3.
. tests/bench/lib
need_perf
need_cmd g++ find python3
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
python3 -c 'import asyncio, email, http.client, json, unittest'
"$tmp/compile" 2
END
mkdir "$tmp/objects"
cat >"$tmp/small" <<END
#!/bin/sh
# many short compilations, two at a time
cd "$tmp/objects"
ls "$PWD"/util/*/*.c | xargs -P 2 -n 1 cc -std=gnu11 -D_GNU_SOURCE -I"$PWD" -O2 -c
END
chmod +x "$tmp/compile" "$tmp/sched" "$tmp/files" "$tmp/small"

# LOAD/RECORDER
one()
{
	clock='' own=--exclude-perf
	case $1 in
	drops/*) events=skb:kfree_skb command="$PROG/drops --udp 360000 --tcp 30000" ;;
	drops-slow/*) events=skb:kfree_skb command="$PROG/drops --udp 200000 --tcp 5000 --seconds 3" ;;
	sched/*) events=sched:* command=$tmp/sched ;;
	syscalls/*) events=raw_syscalls:sys_enter command=$tmp/files ;;
	itself/*) events=raw_syscalls:sys_enter command=$tmp/files own='' ;;
	# Of a clock nothing can leave the recorder out.
	clock/*) events=cpu-clock clock='-F 4999' command="$tmp/compile 4" own='' ;;
	typical/*) events=cpu-clock clock='-F 99' command="$tmp/compile 8" own='' ;;
	small/*) events=cpu-clock clock='-F 99' command=$tmp/small own='' ;;
	esac
	case $1 in
	*/perf-lite) recorder="$PERF_LITE record" file=$tmp/a own='' ;;
	*) recorder="perf record -z" file=$tmp/perf.data ;;
	esac
	# Without globbing: sched:* is an event.
	set -f
	# shellcheck disable=SC2086
	measured $recorder -e $events $clock -ag $own -o "$file" -- $command
	set +f
	[ $status -eq 0 ] || { cat "$tmp/err" >&2; exit 1; }
	samples=$(samples_of "$file")
	[ "${samples:-0}" -gt 0 ] || { echo "bytes: $name: no samples" >&2; exit 1; }
	size=$(wc -c <"$file")
	figure "$name" "$samples" "$(awk -v b="$size" -v n="$samples" 'BEGIN { print b / n }')" "$size"
	rm -f "$tmp/perf.data"* "$tmp/a"
}

loads="drops drops-slow sched syscalls itself clock typical small"
all=''
for l in $loads; do
	all="$all $l/perf-z $l/perf-lite"
done
# shellcheck disable=SC2086
in_turn "$turns" one $all

printf '%-10s %9s %10s %9s %9s %10s %9s %9s %9s\n' load "perf -z" "KB" B/sample "perf-lite" "KB" B/sample smaller "file"
for l in $loads; do
	p=$(median "$l/perf-z" 2) o=$(median "$l/perf-lite" 2)
	pf=$(median "$l/perf-z" 3) of=$(median "$l/perf-lite" 3)
	printf '%-10s %9s %10s %9.2f %9s %10s %9.2f %8sx %8sx\n' "$l" "$(median "$l/perf-z" 1)" $((pf / 1000)) "$p" \
		"$(median "$l/perf-lite" 1)" $((of / 1000)) "$o" "$(ratio "$p" "$o")" "$(ratio "$pf" "$of")"
done
