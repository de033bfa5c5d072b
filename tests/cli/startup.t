# SPDX-License-Identifier: GPL-2.0
#
# Beginning and end with hundreds of events: the prompt is back while the kernel still closes them.
. tests/lib.sh
need_event sched:sched_switch
. tests/cli/recording.sh

# Not all system calls: to close a tracepoint takes the kernel tens of milliseconds.
hundreds='sched:*,syscalls:sys_*_[a-l]*'
events=$(ls -d /sys/kernel/tracing/events/sched/*/ /sys/kernel/tracing/events/syscalls/sys_*_[a-l]*/ | wc -l)
text=$("$PERF_LITE" record -e "$hundreds" -a -o "$f" -- \
	sh -c "pgrep -P \$PPID -x perf-lite-guard >'$TMP/guard'; exec '$STORM' 100" 2>&1)
is "hundreds of events: the recording ends well" $? 0
guards=$(cat "$TMP/guard")
ok "it has a guardian" test -n "$guards"
nobody_left && closed=closed || closed='not closed yet'
diag "$events tracepoints; when the prompt was back, the descriptors were $closed"
is "its output, too" "$(echo "$text" | grep -c 'samples* in')" 1
is "the load's is in it" "$(echo "$text" | grep -c '^calls=100 ')" 1
verified "the file is whole"
run_ok "it can be read" "$PERF_LITE" script -i "$f" -F comm,event,trace
is "with every call that the load made, in and out" "$(grep -c "^ *storm-$$ .*sys_enter_getppid" "$TMP/out").$(grep -c "^ *storm-$$ .*sys_exit_getppid" "$TMP/out")" 100.100
other=$TMP/b.data
run_ok "another recording meanwhile" "$PERF_LITE" record -e sched:sched_switch -a -o "$other" -- "$PROG/storm" 100
verified "is whole" "$other"

# Nothing is recorded

for how in "-e cpu-clock" "-g" "-e sched:sched_process_exec" "-e cpu-clock --no-guardian"; do
	# shellcheck disable=SC2086
	run_ok "record $how true" "$PERF_LITE" record $how -o "$f" -- true
	verified "its file is whole"
done
run_ok "-a for no time" "$PERF_LITE" record -e cpu-clock -a --duration 1ms -o "$f"
verified "its file is whole"
run "$PERF_LITE" record -e "$hundreds" -a -o "$TMP/none" -- no-such-command
rc_is 127 "no such command"
ok "no file" not test -e "$TMP/none"

# Without a guardian a process of its own closes the events

# left DESC CMD...: ends well, and leaves one that closes the events and ends; the end of its output does not wait for that
left()
{
	desc=$1
	shift
	run timeout 150 "$PROG/subreaper" "$TMP/left" sh -c '{ "$@" 2>&1; echo $? >"$code"; } | cat' sh "$@"
	rc_is 0 "$desc: nobody stays"
	is "its exit code" "$(cat "$code")" 0
	is "and one process closes the events" "$(cat "$TMP/left")" perf-lite-close
}
code=$TMP/code
export code
many='sched:*'
left "trace" "$PERF_LITE" trace -e "$many" -a -- true
left "count" "$PERF_LITE" count -e "$many" -a -- true
left "count --by" "$PERF_LITE" count -e "$many" --by comm -a -- true
left "stat" "$PERF_LITE" stat -e "$many" -a -- true
left "record --no-guardian" "$PERF_LITE" record --no-guardian -o "$f" -e "$many" -a -- true

# Descriptors of the guardian are closed in the end, too

ok "every process of it has ended" wait_for 150 nobody_left
done_testing
