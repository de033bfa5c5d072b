#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# report.sh [N] - what it costs to sum up N packet drops with their stacks (default 400000) and the samples of a
# compiler, beside the installed perf: CPU milliseconds (user + system) and the largest memory, each the median of
# interleaved rounds; what measuring costs, a shell and time(1), is measured too, and taken off. With call graphs below rows that count their callees, as both print without options; and
# without both. A flame graph of the same beside. Needs root and perf.
# ROUNDS=N: so many (default 5); BIG=N: also N system calls with stacks, without perf.
. tests/bench/lib
need_perf
need_cmd cc
count=${1:-400000}
repeat=${ROUNDS:-5}

# One run of a contender: "NAME CPU-microseconds KiB" to the figures.
run_once()
{
	measured time -o "$tmp/time" -f %M sh "$tmp/command.$1"
	[ "$status" -eq 0 ] || { cat "$tmp/err" >&2; exit 1; }
	figure "$1" "$cpu_us" "$(cat "$tmp/time")"
}

echo : >"$tmp/command.nothing"
names=''
contender()
{
	nr=$(echo "$names" | wc -w)
	names="$names $nr"
	echo "$1" >"$tmp/name.$nr"
	echo "exec $2" >"$tmp/command.$nr"
}

# Runs them all in turn; how they compare with the first.
compare()
{
	: >"$tmp/figures"
	# shellcheck disable=SC2086
	in_turn "$repeat" run_once nothing $names
	printf '%-44s %8s %7s %8s %7s\n' "$1" 'CPU ms' times 'MB' part
	for nr in $names; do
		echo "$(median nothing 1) $(median 0 1) $(median 0 2) $(median "$nr" 1) $(median "$nr" 2)" |
			awk -v n="$(cat "$tmp/name.$nr")" '{
				cpu = $4 > $1 ? $4 - $1 : 1
				printf "%-44s %8.1f %7.1f %8.1f %7.2f\n", n, cpu / 1e3, ($2 - $1) / cpu, $5 / 1024, $5 / $3 }'
	done
	echo
	names=''
}

# both DESC OPTIONS: of $tmp/perf.data and $tmp/own
both()
{
	contender "perf report --stdio" "perf report --stdio $2 -i $tmp/perf.data"
	contender "perf-lite report -i perf.data" "$PERF_LITE report $2 -i $tmp/perf.data"
	contender "perf-lite report" "$PERF_LITE report $2 -i $tmp/own"
	contender "perf-lite report -j1" "$PERF_LITE report $2 -j1 -i $tmp/own"
	[ -n "$2" ] || contender "perf-lite flamegraph" "$PERF_LITE flamegraph -i $tmp/own -o $tmp/x.svg"
	compare "$1${2:+, }$2"
}

# record OPTIONS CMD...: to own, and by perf to perf.data
record()
{
	options=$1
	shift
	# shellcheck disable=SC2086
	"$PERF_LITE" record -q -m 16M $options -o "$tmp/own" -- "$@" >"$tmp/out" 2>&1
	# shellcheck disable=SC2086
	perf record -q -m 16M $options -o "$tmp/perf.data" -- "$@" >"$tmp/out" 2>&1
}

record "-e skb:kfree_skb -ag" "$PROG/drops" --udp "$count"
both "$count drops" ""
both "$count drops" "-g none --no-children"

record "-e cpu-clock -F 9000 -g" \
	sh -c 'for i in 1 2 3 4; do cc -std=gnu11 -D_GNU_SOURCE -I. -O2 -c -o "$1" util/format/script_text.c; done' \
	sh "$tmp/object.o"
both "a compiler, without frame pointers" ""
both "a compiler, without frame pointers" "-g none --no-children"

if [ -n "${BIG:-}" ]; then
	"$PERF_LITE" record -q -m 64M -e syscalls:sys_enter_getppid -g -o "$tmp/own" -- \
		"$PROG/storm" "$BIG" >"$tmp/out" 2>&1
	repeat=1
	contender "perf-lite report" "$PERF_LITE report -i $tmp/own"
	contender "perf-lite report -j1" "$PERF_LITE report -j1 -i $tmp/own"
	contender "perf-lite flamegraph" "$PERF_LITE flamegraph -i $tmp/own -o $tmp/x.svg"
	compare "$BIG system calls"
fi
