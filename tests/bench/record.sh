#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# record.sh [CALLS [ROUNDS]] - CPU time of the recorder, beside perf's, on the same storms: system
# calls (default 600000) with and without call chains, and packet drops with them. The time is all
# that the recorder took, guardian and clean-up included, the load's own excluded. ns/event is the
# difference to a recording of nothing, by the samples in the file. Medians; needs root and perf.
. tests/bench/lib
need_perf
calls=${1:-600000}
drops=$((calls / 6))
turns=${2:-3}

# LOAD-RECORDER
one()
{
	load=${1%%/*} recorder=${1#*/}
	case $load in
	syscalls) set -- "-e raw_syscalls:sys_enter -a" "$PROG/storm $calls" ;;
	syscalls-g) set -- "-e raw_syscalls:sys_enter -ag" "$PROG/storm $calls" ;;
	drops-g) set -- "-e skb:kfree_skb -ag" "$PROG/drops --udp $drops" ;;
	*) set -- "-e skb:kfree_skb -ag" true ;;
	esac
	case $recorder in
	perf-lite) recorder="$PERF_LITE record" file=$tmp/a own= ;;
	perf) recorder="perf record" file=$tmp/perf.data own=--exclude-perf ;;
	perf-z) recorder="perf record -z" file=$tmp/perf.data own=--exclude-perf ;;
	esac
	# shellcheck disable=SC2086
	measured $recorder -m 8M $1 $own -o "$file" -- "$tmp/outside" $2
	[ $status -eq 0 ] || { cat "$tmp/err" >&2; exit 1; }
	figure "$name" "$cpu_us" "$(samples_of "$file")" "$(wc -c <"$file")"
	rm -f "$file" "$file.old"
}

loads="nothing syscalls syscalls-g drops-g"
all=''
for l in $loads; do
	all="$all $l/perf $l/perf-z $l/perf-lite"
done
# shellcheck disable=SC2086
in_turn "$turns" one $all

printf '%-12s %-10s %10s %8s %9s %10s %8s %8s\n' load recorder "CPU ms" "of perf" "ns/event" samples B/sample "of perf"
for l in $loads; do
	for r in perf perf-z perf-lite; do
		awk -v l="$l" -v r="$r" -v cpu="$(median "$l/$r" 1)" -v pcpu="$(median "$l/perf" 1)" \
			-v idle="$(median "nothing/$r" 1)" -v n="$(median "$l/$r" 2)" -v b="$(median "$l/$r" 3)" \
			-v pn="$(median "$l/perf" 2)" -v pb="$(median "$l/perf" 3)" 'BEGIN {
			ns = n > 1000 ? sprintf("%.0f", (cpu - idle) * 1000 / n) : "-"
			per = n > 1000 ? sprintf("%.2f", b / n) : "-"
			of = n > 1000 ? sprintf("%.3fx", b / n / (pb / pn)) : "-"
			printf "%-12s %-10s %10.1f %7.2fx %9s %10d %8s %8s\n", l, r, cpu / 1000, cpu / pcpu, ns, n, per, of }'
	done
done
