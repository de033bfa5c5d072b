#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# count.sh [ROUNDS] [CALLS] - what it costs to count system calls in various ways: ns of CPU time that each call
# takes the traced program, two threads of which call as fast as they can; the counter's own CPU time for each
# call, start included; its memory; what was lost. bpf-KEY is counted by programs in the kernel, perf-KEY from samples. Beside
# it perf stat, and bpftrace where it is installed and runs; the last lines are the costs of programs, added to those of an
# untraced call, as a share of bpftrace's. Needs root, perf and jq.
. tests/bench/lib
need_perf
need_cmd jq
turns=${1:-5}
calls=${2:-1000000}
number=$("$PROG/storm" --number)
event=raw_syscalls:sys_enter

load_of "$PROG/storm --threads 2 --quiet $calls"

one()
{
	ours=
	case $1 in
	untraced) set -- ;;
	perf-stat) set -- perf stat -a -o /dev/null -e $event ;;
	bpftrace-*)
		case $1 in
		*-count) what='@ = count()' ;;
		*-id) what='@[args->id] = count()' ;;
		*-kstack) what='@[kstack] = count()' ;;
		*-comm) what='@[comm] = count()' ;;
		*-tid) what='@[tid] = count()' ;;
		*-hist) what='@ = hist(args->id)' ;;
		esac
		set -- bpftrace -e "tracepoint:$event { $what; }" -c
		;;
	*)
		ours=1
		case $1 in
		counters) set -- --filter "id == $number" ;;
		*-hist) set -- --engine "${1%%-*}" --by event --of id --hist ;;
		*) set -- --engine "${1%%-*}" --by "${1#*-}" ;;
		esac
		set -- "$PERF_LITE" count -q --json -a -e $event "$@"
		;;
	esac
	beside "$@"
	lost=0
	[ -z "$ours" ] || lost=$(jq .lost "$tmp/out")
	figure "$name" "$(cpu_ns "$calls")" "$cpu_us" "$lost" "$wall_ms"
}

names="untraced perf-stat counters perf-id perf-comm perf-tid perf-hist perf-kstack bpf-id bpf-comm bpf-tid bpf-hist"
if command -v bpftrace >/dev/null && bpftrace -e 'BEGIN { exit(); }' >/dev/null 2>&1; then
	names="$names bpftrace-count bpftrace-id bpftrace-comm bpftrace-tid bpftrace-hist bpftrace-kstack"
else
	echo "bpftrace is not here, or does not run"
fi
# shellcheck disable=SC2086
in_turn "$turns" one $names

printf '%-18s %14s %16s %10s %12s\n' counted "load ns/call" "own ns/call" lost "calls/s"
for n in $names; do
	awk -v w="$n" -v l="$(median "$n" 1)" -v c="$(median "$n" 2)" -v x="$(median "$n" 3)" -v t="$(median "$n" 4)" \
		-v k="$calls" 'BEGIN { printf "%-18s %14.0f %16.1f %10d %12.0f\n", w, l, w == "untraced" ? 0 : c * 1000 / k, x,
		k * 1000 / t }'
done
case $names in
*bpftrace*) ;;
*) exit 0 ;;
esac
for key in id comm tid hist; do
	awk -v k=$key -v u="$(median untraced 1)" -v p="$(median perf-$key 1)" -v b="$(median bpf-$key 1)" -v t="$(median bpftrace-$key 1)" \
		'BEGIN { printf "%-5s added: bpf %4.0f ns, perf %4.0f, bpftrace %4.0f; bpf / bpftrace %.2f, bpf / perf %.2f\n", k, b - u, p - u,
		t - u, (b - u) / (t - u), (b - u) / (p - u) }'
done
