#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# script.sh [N] - what it costs to print N packet drops (default 300000) with their stacks, and the
# samples of a compiler with copies of their stacks, beside the installed perf: CPU seconds (user +
# system), the median of five runs. Needs root and perf.
set -eu
: "${O:=build}"
count=${1:-300000}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

[ "$(id -u)" -eq 0 ] || { echo "script: recording a kernel event needs root" >&2; exit 1; }
command -v perf >/dev/null || { echo "script: compares with perf, which is not installed" >&2; exit 1; }

# CMD...: its CPU seconds.
cpu_seconds()
{
	for run in 1 2 3 4 5; do
		perf stat -x , -o "$tmp/stat" -e task-clock -- "$@" >/dev/null 2>"$tmp/err" ||
			{ cat "$tmp/err" >&2; exit 1; }
		awk -F , '/task-clock/ { print $1 / 1000 }' "$tmp/stat"
	done | sort -n | sed -n 3p
}

row()
{
	name=$1
	shift
	s=$(cpu_seconds "$@")
	: "${perf_s:=$s}"
	awk -v n="$name" -v s="$s" -v p="$perf_s" 'BEGIN { printf "%-36s %8.2f %8.1f\n", n, s, p / s }'
}

"$O/perf-lite" record -q -m 16M -e skb:kfree_skb -ag -o "$tmp/own" -- \
	"$O/tests/prog/drops" --udp "$count" >"$tmp/out"
perf record -q -m 16M -e skb:kfree_skb -ag -o "$tmp/perf.data" -- \
	"$O/tests/prog/drops" --udp "$count" >"$tmp/out" 2>&1
echo "$count packet drops with stacks: $(wc -c <"$tmp/own") bytes, perf.data $(wc -c <"$tmp/perf.data") bytes"
printf '%-36s %8s %8s\n' command 'CPU s' 'times'
row "perf script" perf script -i "$tmp/perf.data"
row "perf-lite script -i perf.data" "$O/perf-lite" script -i "$tmp/perf.data"
row "perf-lite script" "$O/perf-lite" script -i "$tmp/own"
row "perf-lite script -G" "$O/perf-lite" script -G -i "$tmp/own"
row "perf-lite script --folded" "$O/perf-lite" script --folded -i "$tmp/own"

perf record -q -m 32M -F 4000 -e cpu-clock --call-graph dwarf,65528 -o "$tmp/dwarf.data" -- \
	cc -std=gnu11 -D_GNU_SOURCE -I. -O2 -c -o "$tmp/object.o" util/format/script_text.c >"$tmp/out" 2>&1
unset perf_s
echo
echo "$(perf script -i "$tmp/dwarf.data" -G | wc -l) samples of cc, perf.data $(wc -c <"$tmp/dwarf.data") bytes"
row "perf script --no-inline" perf script --no-inline -i "$tmp/dwarf.data"
for unwinder in fast libdw libunwind; do
	row "perf-lite script --unwinder=$unwinder" "$O/perf-lite" script -q --no-inline --unwinder=$unwinder -i "$tmp/dwarf.data"
done
row "perf-lite script --quality" "$O/perf-lite" script -q --quality -i "$tmp/dwarf.data"
