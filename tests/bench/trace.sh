#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# trace.sh [ROUNDS] - how long it takes from the start of a tracer to its first line, and its memory then:
# switches of all CPUs, of which two threads that wake each other make one every few microseconds. Beside
# it perf trace, and bpftrace and trace-cmd where they are installed and run. Rings are no part of a
# resident set that nobody has written to; file pages are shared with others. Needs root and perf.
. tests/bench/lib
need_perf
turns=${1:-7}
event=sched:sched_switch

mkfifo "$tmp/lines"

# The command's first line that is an event, then its memory.
one()
{
	case $1 in
	perf-lite) set -- "$PERF_LITE" trace -a -e $event ;;
	perf-lite-json) set -- "$PERF_LITE" trace -a -e $event --json ;;
	perf-lite-g) set -- "$PERF_LITE" trace -ag -e $event ;;
	perf) set -- perf trace -a --no-syscalls -e $event ;;
	bpftrace) set -- bpftrace -e "tracepoint:$event { printf(\"%d %s switch\\n\", nsecs, comm); }" ;;
	trace-cmd) set -- trace-cmd stream -e $event ;;
	esac
	begun=$(date +%s%N)
	timeout 20 "$@" >"$tmp/lines" 2>&1 &
	pid=$!
	first=0
	while read -r line; do
		case $line in
		*switch*)
			first=$(date +%s%N)
			memory=$(for p in $(cat /proc/$pid/task/$pid/children); do
				awk '/^RssAnon:/ { a = $2 } /^RssFile:/ { f = $2 } END { print a + 0, f + 0 }' "/proc/$p/status"
			done)
			kill $pid
			break
			;;
		esac
	done <"$tmp/lines"
	wait $pid 2>/dev/null || :
	# shellcheck disable=SC2086
	[ "$first" = 0 ] || figure "$name" $(((first - begun) / 1000)) $memory
}

names='perf-lite perf-lite-json perf-lite-g perf'
for other in bpftrace trace-cmd; do
	! command -v $other >/dev/null || names="$names $other"
done
timeout $((turns * 60)) "$PROG/threads" 1000000000 >"$tmp/load" 2>&1 &
load=$!
# shellcheck disable=SC2086
in_turn "$turns" one $names
kill $load 2>/dev/null || :

printf '%-18s %16s %14s %14s\n' "" "first line, ms" "own, KiB" "of files, KiB"
for n in $names; do
	[ "$(median "$n" 1)" != - ] || { printf '%-18s does not run here\n' "$n"; continue; }
	awk -v n="$n" -v t="$(median "$n" 1)" -v a="$(median "$n" 2)" -v f="$(median "$n" 3)" 'BEGIN {
		printf "%-18s %16.1f %14d %14d\n", n, t / 1000, a, f }'
done
