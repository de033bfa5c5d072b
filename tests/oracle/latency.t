#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The waits of threads as perf sched timehist has them, of the same recording: the delay after each wake-up, the time off
# the CPU, the time on it; by thread, each to the microsecond that perf prints.
. tests/lib.sh
need_root
need first-pids
need_event sched:sched_switch
# perf 6.12 counts waiting after having been preempted as delay after a wake-up
need perf-6.1
need_cmd jq

# On CPU 0, which was never offline: Linux 6.18 misses events of the idle task elsewhere.
cat >"$TMP/on-0" <<END
exec taskset -c 0 "\$@"
END
taskset -c 0 true 2>/dev/null || echo 'exec "$@"' >"$TMP/on-0"
run_ok "records switches" "$PERF_LITE" record -q -a --include-self -m 8M -e sched:sched_switch,sched:sched_wakeup,sched:sched_wakeup_new \
	-o "$TMP/data" -- sh "$TMP/on-0" sh -c "'$PROG/waits' sleeps 20 2 & '$PROG/threads' 2>/dev/null & '$PROG/waits' locks 20 2; wait"
run_ok "as perf.data" "$PERF_LITE" convert -q --to perf.data -i "$TMP/data" -o "$TMP/perf.data"

# threads of the load: each of its runs ends within the recording
perf sched timehist -i "$TMP/perf.data" 2>"$TMP/perf.err" | awk '
	/^ +[0-9]+\.[0-9]+ +\[/ {
		who = $0
		sub(/ +[0-9.]+ +[0-9.]+ +[0-9.]+ *$/, "", who)
		loaded = who ~ /\] +(waits|holder|threads|burst)\[/
		sub(/.*\[/, "", who)
		sub(/[\/\]].*/, "", who)
		of_load[who] += loaded
		runs[who]++
		wait[who] += $(NF - 2)
		delay[who] += $(NF - 1)
		run[who] += $NF
	}
	END { for (t in runs) if (of_load[t]) printf "%s %d %.3f %.3f %.3f\n", t, runs[t], delay[t], wait[t], run[t] }' | sort >"$TMP/perf"

# by_thread NUMBER OPTION...: by thread, in ms
by_thread()
{
	number=$1
	shift
	"$PERF_LITE" latency "$@" --by tid --json -q -i "$TMP/data" |
		jq -r ".rows[] | \"\(.tid) \(.$number / 1e6)\"" | sort >"$TMP/$number"
}
by_thread sum_ns --from sched:sched_wakeup:pid,sched:sched_wakeup_new:pid --to sched:sched_switch:next_pid \
	--until sched:sched_switch:prev_pid
mv "$TMP/sum_ns" "$TMP/delay"
by_thread sum_ns off-cpu
by_thread running_ns states
# A switch that the kernel did not record (some processes hide theirs): perf takes the one before on that CPU for it.
by_thread unknown_ns states
awk '$2 == 0 { print $1 }' "$TMP/unknown_ns" | join "$TMP/perf" - >"$TMP/known"
mv "$TMP/known" "$TMP/perf"
join "$TMP/perf" "$TMP/delay" | join - "$TMP/sum_ns" | join - "$TMP/running_ns" >"$TMP/both"
ok "threads of the load, whose switches are all there" test "$(wc -l <"$TMP/perf")" -ge 2
is "all of them are here, too" "$(wc -l <"$TMP/both")" "$(wc -l <"$TMP/perf")"
# perf cuts each time to a microsecond
for what in "delay after wake-ups:3:6" "time off the CPU:4:7" "time on it:5:8"; do
	awk -v a="$(echo "$what" | cut -d: -f2)" -v b="$(echo "$what" | cut -d: -f3)" \
		'$b < $a - 0.002 || $b > $a + $2 * 0.001 + 0.002 { print "tid " $1 ", " $2 " runs: perf " $a " ms, perf-lite " $b " ms" }' \
		"$TMP/both" >"$TMP/different"
	is "${what%%:*}" "$(cat "$TMP/different")" ""
done
done_testing
