#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# probes.sh [ROUNDS] [CALLS] - what it costs to count calls of a function of a program, by what it is passed: ns of CPU time that
# each call takes the traced program, two threads of which call it as fast as they can; the counter's own CPU time for each call, start
# included; what was lost. bpf-KEY is counted by programs in the kernel, perf-KEY from samples; took: how long calls take, as a histogram.
# Beside it bpftrace, where it is installed and runs. Needs root and jq.
. tests/bench/lib
need_cmd jq
turns=${1:-5}
calls=${2:-1000000}
hit=uprobe:$PROG/hits:hit

load_of "$PROG/hits $((calls / 2)) 2 >/dev/null"

one()
{
	ours=
	case $1 in
	untraced) set -- ;;
	bpftrace-comm) set -- bpftrace -e "$hit { @[comm] = count(); }" -c ;;
	bpftrace-text) set -- bpftrace -e "$hit { @[str(arg1)] = count(); }" -c ;;
	bpftrace-hist) set -- bpftrace -e "$hit { @ = hist(arg0); }" -c ;;
	bpftrace-took)
		set -- bpftrace -e "$hit { @at[tid] = nsecs; } uret${hit#u} /@at[tid]/ { @ = hist(nsecs - @at[tid]); delete(@at[tid]); }" -c
		;;
	*-took)
		ours="$calls - .spans"
		set -- "$PERF_LITE" latency -q --json -a --engine "${1%%-*}" --from "$hit" --to "$hit%return" --on tid --by comm --hist
		;;
	*)
		ours=.lost
		engine=${1%%-*}
		case $1 in
		*-comm) set -- -e "$hit(number=arg1)" --by comm ;;
		*-text) set -- -e "$hit(name=str(arg2))" --by name ;;
		*-hist) set -- -e "$hit(number=arg1)" --by event --of number --hist ;;
		esac
		set -- "$PERF_LITE" count -q --json -a --engine "$engine" "$@"
		;;
	esac
	beside "$@"
	lost=0
	[ -z "$ours" ] || lost=$(jq "$ours" "$tmp/out")
	figure "$name" "$(cpu_ns "$calls")" "$cpu_us" "$lost"
}

names="untraced perf-comm perf-text perf-hist perf-took bpf-comm bpf-text bpf-hist bpf-took"
if command -v bpftrace >/dev/null && bpftrace -e 'BEGIN { exit(); }' >/dev/null 2>&1; then
	names="$names bpftrace-comm bpftrace-text bpftrace-hist bpftrace-took"
else
	echo "bpftrace is not here, or does not run"
fi
# shellcheck disable=SC2086
in_turn "$turns" one $names

printf '%-16s %14s %16s %10s\n' counted "load ns/call" "own ns/call" lost
for n in $names; do
	awk -v w="$n" -v l="$(median "$n" 1)" -v c="$(median "$n" 2)" -v x="$(median "$n" 3)" -v k="$calls" \
		'BEGIN { printf "%-16s %14.0f %16.1f %10d\n", w, l, w == "untraced" ? 0 : c * 1000 / k, x }'
done
