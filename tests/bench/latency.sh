#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# latency.sh - how long threads waited for a CPU, of a recording with a million switches and wake-ups between two processes:
# perf-lite latency run-queue beside perf sched latency of the same as perf.data, and beside count, which reads the same file and
# pairs nothing. Wall clock and CPU time, medians of interleaved rounds (ROUNDS, default 5); then how many waits each found, and
# the longest. Needs root and perf.
. tests/bench/lib
need_perf
need_cmd jq

"$PERF_LITE" record -q -a --include-self -m 16M -e sched:sched_switch,sched:sched_wakeup,sched:sched_wakeup_new \
	-o "$tmp/data" -- taskset -c 0 perf bench sched pipe -l 330000 >"$tmp/out"
"$PERF_LITE" convert -q --to perf.data -i "$tmp/data" -o "$tmp/perf.data"

one()
{
	case $1 in
	perf) measured perf sched -i "$tmp/perf.data" latency ;;
	ours) measured "$PERF_LITE" latency run-queue -q -i "$tmp/data" ;;
	count) measured "$PERF_LITE" count -q -i "$tmp/data" ;;
	esac
	[ "$status" -eq 0 ] || cat "$tmp/err" >&2
	figure "$1" "$wall_ms" "$cpu_us"
}

line()
{
	awk -v what="$1" -v ms="$(median "$2" 1)" -v us="$(median "$2" 2)" 'BEGIN { printf "%-40s %9d %9d\n", what, ms, us / 1000 }'
}

in_turn "${ROUNDS:-5}" one perf ours count
printf '%-40s %9s %9s\n' "$("$PERF_LITE" count -q -i "$tmp/data" --json | jq .samples) events" 'ms' 'CPU, ms'
line "perf sched latency" perf
line "perf-lite latency run-queue" ours
line "perf-lite count" count
"$PERF_LITE" latency run-queue -q -i "$tmp/data" --json |
	jq -r '"perf-lite: \(.spans) waits, the longest \(.max_ns / 1000 | floor) us"'
perf sched -i "$tmp/perf.data" latency 2>/dev/null | awk '
	/max: / { sub(/.* max: */, ""); if ($1 > most) most = $1 }
	/TOTAL:/ { gsub(/[^0-9.|]/, ""); split($0, part, "|"); n = part[3] }
	END { printf "perf: %d switches, the longest wait %d us\n", n, most * 1000 }'
