#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# export.sh [N] - samples a second of CPU time (user + system, the median of five runs) that are printed for other programs: N system
# calls (default 1000000) without stacks, and N / 10 packet drops with stacks. Beside them the installed perf, which has no such output
# and prints its own text of the same events.
. tests/bench/lib
need_perf
count=${1:-1000000}

# printed NAME CMD...: a run of it
printed()
{
	name=$1
	shift
	measured "$@"
	[ "$status" -eq 0 ] || { cat "$tmp/err" >&2; exit 1; }
	figure "$name" $cpu_us
}

# row DESC FILE CMD...: CMD prints the samples of FILE
row()
{
	desc=$1 nr=$2
	shift 2
	: >"$tmp/figures"
	for round in 1 2 3 4 5; do
		printed run "$@"
	done
	awk -v d="$desc" -v n="$nr" -v us="$(median run 1)" \
		'BEGIN { printf "%-44s %10.3f s %10.0f samples/s\n", d, us / 1e6, n / us * 1e6 }'
}

"$PERF_LITE" record -m 16M -e raw_syscalls:sys_enter -o "$tmp/calls" -- \
	dd if=/dev/zero of=/dev/null bs=1 count=$((count / 2)) 2>"$tmp/err"
perf record -q -m 16M -e raw_syscalls:sys_enter -o "$tmp/calls.perf.data" -- \
	dd if=/dev/zero of=/dev/null bs=1 count=$((count / 2)) >"$tmp/out" 2>&1
calls=$("$PERF_LITE" script -q -i "$tmp/calls" -F time | wc -l)
perf_calls=$("$PERF_LITE" script -q -i "$tmp/calls.perf.data" -F time | wc -l)
echo "$calls system calls"
row "perf script" "$perf_calls" perf script -i "$tmp/calls.perf.data"
row "script --json" "$calls" "$PERF_LITE" script -q -i "$tmp/calls" --json
row "script --json -F comm,tid,time" "$calls" "$PERF_LITE" script -q -i "$tmp/calls" --json -F comm,tid,time

"$PERF_LITE" record -q -m 16M -e skb:kfree_skb -ag -o "$tmp/drops" -- "$PROG/drops" --udp $((count / 10)) >"$tmp/out"
perf record -q -m 16M -e skb:kfree_skb -ag -o "$tmp/drops.perf.data" -- "$PROG/drops" --udp $((count / 10)) >"$tmp/out" 2>&1
drops=$("$PERF_LITE" script -q -i "$tmp/drops" -G -F time | wc -l)
perf_drops=$("$PERF_LITE" script -q -i "$tmp/drops.perf.data" -G -F time | wc -l)
echo "$drops packet drops with stacks"
row "perf script" "$perf_drops" perf script -i "$tmp/drops.perf.data"
row "script --json" "$drops" "$PERF_LITE" script -q -i "$tmp/drops" --json
row "script --for=inferno" "$drops" "$PERF_LITE" script -q -i "$tmp/drops" --for=inferno
row "script --for=perfetto" "$drops" "$PERF_LITE" script -q -i "$tmp/drops" --for=perfetto
row "script --folded --stack-field=reason" "$drops" "$PERF_LITE" script -q -i "$tmp/drops" --folded --stack-field=reason
