#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# startup.sh [ROUNDS] - what it costs to do nothing: `--version`; and to record nothing: `record -- true`, and every event of two
# subsystems for everybody, beside perf: CPU time, wall time until the prompt is back, and until the
# last process that the recorder left behind has ended. The kernel closes the last descriptor of
# each tracepoint slowly: perf's second row is measured once. Needs root and perf.
. tests/bench/lib
need_perf
turns=${1:-5}

one()
{
	case $1 in
	version/perf) set -- perf --version ;;
	version/perf-lite) set -- "$PERF_LITE" --version ;;
	true/perf) set -- perf record -o "$tmp/perf.data" ;;
	true/perf-lite) set -- "$PERF_LITE" record -o "$tmp/a" ;;
	many/perf) set -- perf record -o "$tmp/perf.data" -e 'sched:*,syscalls:*' -a ;;
	many/perf-lite) set -- "$PERF_LITE" record -o "$tmp/a" -e 'sched:*,syscalls:*' -a ;;
	esac
	case $name in
	version/*) measured "$@" ;;
	*) measured "$@" -- true ;;
	esac
	[ $status -eq 0 ] || { cat "$tmp/err" >&2; exit 1; }
	figure "$name" "$cpu_us" "$wall_ms" "$gone_ms"
	rm -f "$tmp/perf.data"* "$tmp/a"*
}

in_turn $((turns * 4)) one version/perf version/perf-lite
in_turn "$turns" one true/perf true/perf-lite
in_turn 1 one many/perf many/perf-lite

printf '%-34s %10s %10s %14s\n' command "CPU ms" "wall ms" "all gone ms"
for n in version/perf version/perf-lite true/perf true/perf-lite many/perf many/perf-lite; do
	case $n in
	version/*) what="${n#*/} --version" ;;
	true/*) what="${n#*/} record true" ;;
	*) what="${n#*/} record -e sched:*,syscalls:* -a" ;;
	esac
	awk -v w="$what" -v c="$(median $n 1)" -v t="$(median $n 2)" -v g="$(median $n 3)" 'BEGIN {
		printf "%-34s %10.1f %10d %14d\n", w, c / 1000, t, g }'
done
