#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# syscalls.sh [ROUNDS] - what it costs to sum up the system calls of a program that makes a million of
# getppid(2), and to print a hundred thousand, beside perf trace: CPU time of the tracer alone, the
# program's wall time, and how many calls of how many the output has. Needs root and perf.
. tests/bench/lib
need_perf
turns=${1:-3}

one()
{
	case $1 in
	table/*) calls=1000000 ;;
	lines/*) calls=100000 ;;
	esac
	set -- "$tmp/outside" "$PROG/storm" $calls
	case $name in
	table/perf) measured perf trace -s -- "$@" ;;
	table/perf-lite) measured "$PERF_LITE" trace -s -- "$@" ;;
	lines/perf) measured perf trace -- "$@" ;;
	lines/perf-lite) measured "$PERF_LITE" trace -e 'syscalls:*' -- "$@" ;;
	esac
	case $name in
	table/perf) told=$(awk '$1 == "getppid" && $2 ~ /^[0-9]+$/ { n = $2 } END { print n }' "$tmp/out" "$tmp/err") ;;
	table/*) told=$(awk '$NF == "getppid" { print $1 }' "$tmp/out") ;;
	lines/*) told=$(cat "$tmp/out" "$tmp/err" | grep -c 'getppid()') ;;
	esac
	figure "$name" "$cpu_us" "$wall_ms" "$told"
}

in_turn "$turns" one table/perf-lite table/perf lines/perf-lite lines/perf

printf '%-36s %10s %10s %10s\n' "" "CPU ms" "wall ms" "calls told"
for n in table/perf table/perf-lite lines/perf lines/perf-lite; do
	case $n in
	table/*) what="trace -s, 1000000 calls" ;;
	lines/*) what="trace, 100000 calls" ;;
	esac
	awk -v w="${n#*/} $what" -v c="$(median $n 1)" -v t="$(median $n 2)" -v k="$(median $n 3)" \
		'BEGIN { printf "%-36s %10.1f %10d %10d\n", w, c / 1000, t, k }'
done
