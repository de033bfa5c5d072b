#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# startup.sh [ROUNDS] - what it costs to do nothing: `--version`; and to record nothing: `record -- true`, and every event of two
# subsystems for everybody, beside perf: CPU time, wall time until the prompt is back, and until the
# last process that the recorder left behind has ended. The kernel closes the last descriptor of
# each tracepoint slowly: perf's second row is measured once. Then how long it takes until the first line of a program in the kernel
# that reads a task by the kernel's types, beside bpftrace, where that runs. Needs root, perf and python3.
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

cat >"$tmp/first" <<'END'
import subprocess, sys, time
began = time.monotonic()
p = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
p.stdout.read1(1)
print(round((time.monotonic() - began) * 1e3))
p.kill()
p.wait()
END
first()
{
	case $1 in
	*/bpftrace) set -- bpftrace -e 'tracepoint:sched:sched_switch { printf("%d\n", ((struct task_struct *)curtask)->prio); }' ;;
	*) set -- "$PERF_LITE" trace -a -e 'sched:sched_switch(prev->prio)' ;;
	esac
	figure "$name" "$(python3 "$tmp/first" "$@")"
	sleep 0.3
}
both=first/perf-lite
! bpftrace -e 'BEGIN { exit(); }' >/dev/null 2>&1 || both="$both first/bpftrace"
# shellcheck disable=SC2086
in_turn $((turns * 2)) first $both
for n in $both; do
	echo "${n#*/}: first line of a task's member after $(median "$n" 1) ms"
done
