#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# stat.sh [ROUNDS] - what it costs to count: the default events of a command that does nothing, and
# every event of two subsystems for everybody, beside perf: CPU time, wall time until the prompt is
# back, and until the last process left behind has ended, which closes the tracepoints; perf does so
# before it ends, and is measured once. Then 200 intervals of 10 ms: how late the last one ends.
# Needs root and perf.
. tests/bench/lib
need_perf
need_cmd perl
turns=${1:-20}

one()
{
	case $1 in
	true/perf) set -- perf stat -o "$tmp/out" ;;
	true/perf-lite) set -- "$PERF_LITE" stat -o "$tmp/out" ;;
	many/perf) set -- perf stat -o "$tmp/out" -e 'syscalls:*,sched:*' -a ;;
	many/perf-lite) set -- "$PERF_LITE" stat -o "$tmp/out" -e 'syscalls:*,sched:*' -a ;;
	esac
	measured "$@" -- true
	[ $status -eq 0 ] || { cat "$tmp/err" >&2; exit 1; }
	# without the wrappers of measured(), which take longer than what is measured
	case $name in
	true/*) wall_ms=$(perl -MTime::HiRes=time -e '
		my $t = time; system @ARGV; printf "%.2f", (time - $t) * 1000' "$@" -- true) ;;
	esac
	figure "$name" "$cpu_us" "$wall_ms" "$gone_ms"
}

in_turn "$turns" one true/perf true/perf-lite
in_turn 1 one many/perf-lite many/perf

printf '%-34s %10s %10s %14s\n' command "CPU ms" "wall ms" "all gone ms"
for n in true/perf true/perf-lite many/perf many/perf-lite; do
	case $n in
	true/*) what="${n#*/} stat true" ;;
	*) what="${n#*/} stat -e syscalls:*,sched:* -a" ;;
	esac
	awk -v w="$what" -v c="$(median $n 1)" -v t="$(median $n 2)" -v g="$(median $n 3)" 'BEGIN {
		printf "%-34s %10.1f %10.1f %14d\n", w, c / 1000, t, g }'
done

printf '\n%-34s %10s %14s\n' "200 intervals of 10 ms, -a" printed "last ends at s"
perf stat -I 10 --interval-count 200 -a -x, -e cs,cpu-clock -o "$tmp/perf" >/dev/null 2>&1
"$PERF_LITE" stat -I 10 --interval-count 200 -a -x, -e cs,cpu-clock -o "$tmp/perf-lite"
for n in perf perf-lite; do
	awk -F, -v n=$n '$1 + 0 > 0 { if ($1 != t) nr++; t = $1 }
		END { printf "%-34s %10d %14.4f\n", n, nr, t }' "$tmp/$n"
done
