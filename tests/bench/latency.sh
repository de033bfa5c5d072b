#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# latency.sh - how long threads waited for a CPU. First of a recording with a million switches and wake-ups of two threads that
# wake each other: perf-lite latency run-queue beside perf sched latency of the same as perf.data, and beside count, which reads
# the same file and pairs nothing; wall clock and CPU time; then how many waits each found, and the longest. Then the same load
# live, beside bpftrace (runqlat, runqslower) if it is installed, and perf sched record with perf sched latency after it: ns of CPU time for
# each event, of the load and of the tool with all its processes, and the largest resident set of one; with -p, the spans are those of
# another process, which mostly sleeps. Medians of interleaved rounds (ROUNDS, default 5) of LOOPS wake-ups and back (default 300000). Needs root, perf and jq.
. tests/bench/lib
need_perf
need_cmd jq time
turns=${ROUNDS:-5}
loops=${LOOPS:-300000}
events=sched:sched_switch,sched:sched_wakeup,sched:sched_wakeup_new

"$PERF_LITE" record -q -a --include-self -m 16M -e $events -o "$tmp/data" -- taskset -c 0 "$PROG/threads" "$loops" >"$tmp/out"
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

in_turn "$turns" one perf ours count
printf '%-40s %9s %9s\n' "$("$PERF_LITE" count -q -i "$tmp/data" --json | jq .samples) events" 'ms' 'CPU, ms'
line "perf sched latency" perf
line "perf-lite latency run-queue" ours
line "perf-lite count" count
"$PERF_LITE" latency run-queue -q -i "$tmp/data" --json |
	jq -r '"perf-lite: \(.spans) waits, the longest \(.max_ns / 1000 | floor) us"'
perf sched -i "$tmp/perf.data" latency 2>/dev/null | awk '
	/max: *[0-9]/ { sub(/.* max: */, ""); if ($1 + 0 > most) most = $1 + 0 }
	/TOTAL:/ { gsub(/[^0-9.|]/, ""); split($0, part, "|"); n = part[3] }
	END { printf "perf: %d switches, the longest wait %d us\n", n, most * 1000 }'

# --- live ---

# The load, which tells its own CPU time (user, system).
cat >"$tmp/load" <<END
taskset -c 0 "$PROG/threads" $loops
times >"$tmp/times"
END
load="$tmp/outside /bin/sh $tmp/load"
# runqlat.bt, and those who were preempted, who have the state 256
runqlat='tracepoint:sched:sched_wakeup, tracepoint:sched:sched_wakeup_new { @q[args->pid] = nsecs; }
tracepoint:sched:sched_switch {
	if (args->prev_state == 0 || args->prev_state >= 256) { @q[args->prev_pid] = nsecs; }
	$ns = @q[args->next_pid];
	if ($ns) { @usecs = hist((nsecs - $ns) / 1000); }
	delete(@q[args->next_pid]);
}
END { clear(@q); }'
# The same, and a line for each of those that waited long.
runqslower='tracepoint:sched:sched_wakeup, tracepoint:sched:sched_wakeup_new { @q[args->pid] = nsecs; }
tracepoint:sched:sched_switch {
	if (args->prev_state == 0 || args->prev_state >= 256) { @q[args->prev_pid] = nsecs; }
	$ns = @q[args->next_pid];
	if ($ns && nsecs - $ns >= 10000000) { printf("%s %d %d\n", args->next_comm, args->next_pid, nsecs - $ns); }
	delete(@q[args->next_pid]);
}
END { clear(@q); }'

tool()
{
	measured time -o "$tmp/time" -f %M "$@"
	[ "$status" -eq 0 ] || cat "$tmp/err" >&2
	tool_us=$((tool_us + cpu_us))
	now=$(tail -n 1 "$tmp/time")
	[ "$now" -le "$memory" ] || memory=$now
}

live()
{
	tool_us=0 memory=0
	# shellcheck disable=SC2086
	case $1 in
	untraced) tool $load ;;
	stat) tool "$PERF_LITE" stat -x, -o "$tmp/stat" -a -e $events -- $load ;;
	ours) tool "$PERF_LITE" latency run-queue -q -a -- $load ;;
	hist) tool "$PERF_LITE" latency run-queue -q -a --hist --engine=perf -- $load ;;
	hist-bpf) tool "$PERF_LITE" latency run-queue -q -a --hist --engine=bpf -- $load ;;
	slow) tool "$PERF_LITE" latency run-queue -q -a --min 10ms --engine=perf -- $load ;;
	slow-bpf) tool "$PERF_LITE" latency run-queue -q -a --min 10ms --engine=bpf -- $load ;;
	one) tool "$PERF_LITE" latency run-queue -q -p 1 --min 10ms --engine=perf -- $load ;;
	one-bpf) tool "$PERF_LITE" latency run-queue -q -p 1 --min 10ms --engine=bpf -- $load ;;
	bpftrace-slow) tool bpftrace -e "$runqslower" -c "/bin/sh $load" ;;
	# it starts no scripts
	bpftrace) tool bpftrace -e "$runqlat" -c "/bin/sh $load" ;;
	perf)
		tool perf sched record -q -m 16M -o "$tmp/sched.data" -- $load
		cp "$tmp/times" "$tmp/times.record"
		tool perf sched -i "$tmp/sched.data" latency
		;;
	esac
	load_ms=$(tail -n 1 "$tmp/times" | sed 's/[ms]/ /g' | awk '{ printf "%d", ($1 * 60 + $2 + $3 * 60 + $4) * 1000 }')
	figure "live-$1" "$load_ms" "$tool_us" "$memory"
}

names='untraced stat ours hist hist-bpf slow slow-bpf one one-bpf'
if command -v bpftrace >/dev/null && bpftrace -e 'BEGIN { exit(); }' >/dev/null 2>&1; then
	names="$names bpftrace bpftrace-slow"
else
	echo "bpftrace is not here, or does not run"
fi
names="$names perf"
# shellcheck disable=SC2086
in_turn "$turns" live $names
nr=$(awk -F, '{ n += $1 } END { print n }' "$tmp/stat")
printf '\n%-44s %8s %8s %8s %10s\n' "live, $nr events; ns of CPU for each" load tool 'MB' 'tool, ours'
for name in $names; do
	case $name in
	untraced) what="nothing" ;;
	stat) what="perf-lite stat, which counts them" ;;
	ours) what="perf-lite latency run-queue" ;;
	hist) what="... --hist --engine=perf" ;;
	hist-bpf) what="... --hist --engine=bpf" ;;
	slow) what="... --min 10ms --engine=perf" ;;
	slow-bpf) what="... --min 10ms --engine=bpf" ;;
	one) what="... -p 1 --min 10ms --engine=perf" ;;
	one-bpf) what="... -p 1 --min 10ms --engine=bpf" ;;
	bpftrace) what="bpftrace, runqlat" ;;
	bpftrace-slow) what="bpftrace, those of 10 ms and more" ;;
	perf) what="perf sched record, perf sched latency" ;;
	esac
	awk -v what="$what" -v nr="$nr" -v load="$(median "live-$name" 1)" -v us="$(median "live-$name" 2)" \
		-v kb="$(median "live-$name" 3)" -v ours="$(median live-ours 2)" 'BEGIN {
		printf "%-44s %8.0f %8.0f %8.1f %10.2f\n", what, load * 1e6 / nr, us * 1e3 / nr, kb / 1024, us / ours }'
done
