#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# diff.sh [N] - what it costs to compare two recordings of N packet drops each with their stacks
# (default 400000), beside the installed perf: CPU seconds (user + system), medians of interleaved
# rounds (ROUNDS, default 5). perf diff compares functions only; ours is measured with and without
# stacks.
. tests/bench/lib
need_perf
count=${1:-400000}

for f in old new; do
	"$PERF_LITE" record -q -e skb:kfree_skb -a -g -o "$tmp/$f" -- \
		"$PROG/drops" --udp "$count" --tcp 0 >"$tmp/out"
	"$PERF_LITE" convert -q --to perf.data -i "$tmp/$f" -o "$tmp/$f.perf.data"
done

one()
{
	case $1 in
	perf) measured perf diff "$tmp/old.perf.data" "$tmp/new.perf.data" ;;
	theirs) measured "$PERF_LITE" diff "$tmp/old.perf.data" "$tmp/new.perf.data" ;;
	ours) measured "$PERF_LITE" diff "$tmp/old" "$tmp/new" ;;
	stacks) measured "$PERF_LITE" diff --stacks "$tmp/old" "$tmp/new" ;;
	single) measured "$PERF_LITE" diff -j 1 --stacks "$tmp/old" "$tmp/new" ;;
	esac
	[ "$status" -eq 0 ] || cat "$tmp/err" >&2
	figure "$1" "$cpu_us"
}

line()
{
	awk -v what="$1" -v us="$(median "$2" 1)" -v perf="$(median perf 1)" 'BEGIN {
		printf "%-52s %9.3f %9.1f\n", what, us / 1e6, perf / us }'
}

in_turn "${ROUNDS:-5}" one perf theirs ours stacks single
printf '%-52s %9s %9s\n' "two recordings of $count drops" 'CPU, s' times
line "perf diff" perf
line "perf-lite diff, perf.data" theirs
line "perf-lite diff, own" ours
line "perf-lite diff --stacks, own" stacks
line "perf-lite diff --stacks -j 1, own" single
