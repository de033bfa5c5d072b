#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# slowdown.sh [CALLS [ROUNDS]] - what being recorded costs the load: nanoseconds of a getppid(2) when
# nobody looks, under perf record and under perf-lite record of raw_syscalls:sys_enter for everybody,
# without call chains and with them, and of the same fields as expressions. Wall time of the loop, as the load sees it. Medians of runs in
# turn; needs root and perf.
. tests/bench/lib
need_perf
calls=${1:-400000}
turns=${2:-5}

one()
{
	case $1 in
	untraced) set -- ;;
	counted) set -- perf stat -e raw_syscalls:sys_enter -a -- ;;
	perf) set -- perf record -m 8M -e raw_syscalls:sys_enter --exclude-perf -a -o "$tmp/perf.data" -- ;;
	perf-z) set -- perf record -z -m 8M -e raw_syscalls:sys_enter --exclude-perf -a -o "$tmp/perf.data" -- ;;
	perf-g) set -- perf record -m 8M -e raw_syscalls:sys_enter --exclude-perf -ag -o "$tmp/perf.data" -- ;;
	perf-lite) set -- "$PERF_LITE" record -m 8M -e raw_syscalls:sys_enter -a -o "$tmp/a" -- ;;
	expressions) set -- "$PERF_LITE" record -m 8M -a -o "$tmp/a" -e "raw_syscalls:sys_enter(id, di=regs->di, si=regs->si, dx=regs->dx, r10=regs->r10, r8=regs->r8, r9=regs->r9)" -- ;;
	expression) set -- "$PERF_LITE" record -m 8M -a -o "$tmp/a" -e "raw_syscalls:sys_enter(id)" -- ;;
	perf-lite-g) set -- "$PERF_LITE" record -m 8M -e raw_syscalls:sys_enter -ag -o "$tmp/a" -- ;;
	esac
	measured "$@" "$PROG/storm" "$calls"
	[ $status -eq 0 ] || { cat "$tmp/err" >&2; exit 1; }
	figure "$name" "$(sed -n 's/.*ns_per_call=//p' "$tmp/out")"
	rm -f "$tmp/perf.data"* "$tmp/a"*
}

in_turn "$turns" one untraced counted perf perf-z perf-lite expressions expression perf-g perf-lite-g

printf '%-14s %10s %14s %16s\n' getppid "ns" "times untraced" "added, of perf's"
for n in untraced counted perf perf-z perf-lite expressions expression perf-g perf-lite-g; do
	case $n in
	*-g) base=perf-g ;;
	*) base=perf ;;
	esac
	awk -v n=$n -v t="$(median $n 1)" -v u="$(median untraced 1)" -v p="$(median $base 1)" 'BEGIN {
		printf "%-14s %10.0f %13.2fx %15.2fx\n", n, t, t / u, (t - u) / (p - u) }'
done
