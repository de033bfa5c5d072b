# SPDX-License-Identifier: GPL-2.0
#
# How a run with a command ended, where that explains what there is, or is left: a delay that was longer, an option that
# ended it before the command, a command that only says how long.
. tests/lib.sh
need everybody events

p=$PERF_LITE

# A delay that is longer than the command

while read -r words; do
	eval "set -- $words"
	run_ok "a long delay: $words" "$p" "$@" -D 60000 -- true
	like "is named" "$TMP/err" '^(perf-lite record: )?the command ended after [0-9.]+ s, before -D 60000 ms were over$'
	is "once" "$(grep -c 'before -D' "$TMP/err")" 1
done <<EOF
record -e cs -o $TMP/data
trace -e cs
trace -s
count -e cs
count -e sched:sched_switch --by comm
latency run-queue
drops
stat -e cs
EOF
run "$p" stat -r 3 -e cs -D 60000 -- true
is "stat -r: once" "$(grep -c ' -D ' "$TMP/err")" 1
run "$p" count -e cs -D 60000 -- true
unlike "of what was never counted it says no good" "$TMP/out" 'nothing can be lost'
run "$p" latency run-queue -D 60000 -- true
unlike "nor what else to do" "$TMP/err" 'with -a'
run "$p" trace -q -e cs -D 60000 -- true
is "quiet" "$(cat "$TMP/err")" ""
run "$p" record -e cs -D 1 -o "$TMP/data" -- sleep 0.1
unlike "a delay that was over" "$TMP/err" ' -D '

# An option that ends it before the command: which it was, and who is left

sleeper='echo $$ >"$1"; cs() { sleep 0.01; }; cs; cs; cs; exec sleep 60'
while read -r option words; do
	eval "set -- $words"
	rm -f "$TMP/pid"
	run_ok "$option ends it: $words" "$p" "$@" -- sh -c "$sleeper" sh "$TMP/pid"
	wait_for 20 test -s "$TMP/pid"
	pid=$(cat "$TMP/pid")
	like "the command goes on" "$TMP/err" "^(perf-lite record: )?stopped at $option; sh \\(pid $pid\\) goes on\$"
	kill "$pid"
done <<EOF
--duration record -e cs --duration 100ms -o $TMP/data
--max-size record -e raw_syscalls:sys_enter --max-size 1k -o $TMP/data
--duration trace -e cs --duration 100ms
--limit trace --limit 20
--duration count -e cs --duration 100ms
--duration count -e cs --by comm --duration 100ms
--duration latency run-queue --duration 100ms
--duration drops --duration 100ms
--once top --once -d 0.1 -e cpu-clock
EOF
run_ok "a file that is full" "$p" record -a -e cpu-clock --max-size 1k -o "$TMP/data"
like "is why it stopped" "$TMP/err" '^perf-lite record: stopped at --max-size$'
rm -f "$TMP/pid"
run sh -c "'$p' record -e cpu-clock -a -o - -- sh -c '$sleeper' sh '$TMP/pid' | { until [ -s '$TMP/pid' ]; do sleep 0.1; done; head -c 100; }"
wait_for 20 grep -q 'stopped at' "$TMP/err"
pid=$(cat "$TMP/pid")
like "a failed write: the command goes on" "$TMP/err" "^perf-lite record: stopped at an error; sh \\(pid $pid\\) goes on\$"
kill "$pid"
run_ok "a command that ends first" "$p" record -e cs --duration 60s -o "$TMP/data" -- true
unlike "is none to tell of" "$TMP/err" 'stopped at'

# A command beside named targets is a clock

sleep 60 &
idle=$!
for words in "record -o $TMP/data" trace; do
	# shellcheck disable=SC2086
	run_ok "beside a process that sleeps: $words" "$p" $words -e page-faults -p $idle -- true
	like "the command is none to be recorded" "$TMP/err" "^(perf-lite record: )?the command only says how long: events are those of -p $idle\$"
done
kill "$idle"
run "$p" record -e cs -o "$TMP/data" -- sleep 0.01
unlike "a command alone is recorded" "$TMP/err" 'how long'
done_testing
