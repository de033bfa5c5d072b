# SPDX-License-Identifier: GPL-2.0
#
# perf-lite top: the table of report, live, again and again.
. tests/lib.sh
need_root
need_cmd script

cp "$PROG/parts" "$TMP/parts"
top()
{
	timeout 60 "$PERF_LITE" top "$@"
}

# Of a command: each function has its share. cpu-clock counts nanoseconds of CPU time.
run_ok "a command" top -q -e cpu-clock -F 1000 -n --once -d 30 -- "$TMP/parts" 300 100 0 0
like "titles" "$TMP/out" '^# Overhead +Samples +Command +Shared Object +Symbol$'
share()
{
	awk -v name="$1" '$NF == name { sub("%", "", $1); print int($1); exit }' "$TMP/out"
}
# three quarters and one, but for what a busy machine takes from them
ok "alpha has more than beta" test "$(share alpha)" -gt "$(share beta)"
ok "and beta has some" test "$(share beta)" -gt 5
like "the file and the command" "$TMP/out" ' parts +parts +\[\.\] alpha$'
like "how much it is" "$TMP/out" '^[0-9]+ samples in [0-9.]+ s, none lost; without idle CPUs \(--idle\)$'
sum=$(awk '/^ / { n += $2 } END { print n }' "$TMP/out")
is "rows add up to the samples" "$sum" "$(sed -n 's/^\([0-9]*\) samples in.*/\1/p' "$TMP/out")"

run_ok "with callers" top -q -e cpu-clock --once -d 30 --call-graph dwarf -E 8 -- "$TMP/parts" 100 0 0 0
like "titles" "$TMP/out" '^# Children +Self +Command'
like "main has all of it" "$TMP/out" '^ +(9[0-9]|100)\.[0-9]+% +[0-9.]+% +parts +parts +\[\.\] main$'

run_ok "by command" top -q -e cpu-clock --once -d 30 --by comm -- "$TMP/parts" 50 0 0 0
like "rows" "$TMP/out" '^ +[0-9.]+% +parts *$'
run top --once -s nosuchkey -d 100ms
rc_is 1 "a key that is not there"
like "has a hint" "$TMP/err" '^hint: there are: '
run top -d 0
rc_is 1 "no interval"
run top -K -U --once
rc_is 1 "neither user code nor the kernel's"

# What keys are made of is asked for
run_ok "control groups" top -q -e cpu-clock --once -d 30 -s cgroup,cgroup_id -- sh -c "$TMP/parts 20 20 20 20 >/dev/null"
unlike "are known" "$TMP/out" 'N/A| 0/0x0'

# Intervals: each has its own samples
run_ok "a table of each interval" top -q -e cpu-clock -F 500 -d 300ms -s comm -- sh -c "exec $TMP/parts 1000 0 0 0 >/dev/null"
tables=$(grep -c 'samples in' "$TMP/out")
ok "several" test "$tables" -ge 3
ok "none has the samples of all" test "$(sed -n 's/ samples in.*//p' "$TMP/out" | sort -n | tail -n 1)" -lt 250
run_ok "the first alone" top -q -e cpu-clock -d 200ms --once -s comm -- sh -c "exec $TMP/parts 1000 0 0 0 >/dev/null"
is "one table" "$(grep -c 'samples in' "$TMP/out")" 1
run_ok "everybody, for a time" top -q -d 200ms --duration 500ms -E 1
ok "some tables" test "$(grep -c 'samples in' "$TMP/out")" -ge 2
run_ok "rows that are left out" top -q -e cpu-clock --once -d 30 -E 1 -- sh -c "$TMP/parts 20 20 20 20 >/dev/null"
like "are counted" "$TMP/out" '^# \.\.\. and [0-9]+ more rows$'

# Who
"$TMP/parts" 20000 0 0 0 >/dev/null &
busy=$!
at_exit kill $busy
for who in "-p $busy" "-t $busy" "--comm parts" "--comms parts"; do
	# shellcheck disable=SC2086
	run_ok "top $who" top -q -e cpu-clock --once -d 300ms -s comm $who
	is "has this command only" "$(awk '/^ / { print $2 }' "$TMP/out")" parts
done
run_ok "all others" top -q -e cpu-clock --once -d 300ms -s comm --idle --comm '!parts'
unlike "without it" "$TMP/out" ' parts'
run_ok "idle CPUs are left out" top -q -e cpu-clock --once -d 300ms
unlike "by function" "$TMP/out" 'safe_halt|intel_idle|default_idle'
run_ok "rows of one function" top -q -e cpu-clock --once -d 300ms --symbols alpha
is "only that" "$(awk '/^ / { print $1, $2, $3 }' "$TMP/out")" "100.00% parts parts"
run_ok "a tracepoint, by its fields" top -q -e sched:sched_switch --once -d 300ms -s prev_comm
like "rows" "$TMP/out" '^ +[0-9.]+% +[^ ]'

# A terminal
cat >"$TMP/cmd" <<END
stty rows 12 cols 80 -echo
TERM=xterm '$PERF_LITE' top -q -e cpu-clock -d 300ms -- '$TMP/parts' 1500 0 0 0
END
run timeout 60 script -qec "sh $TMP/cmd" /dev/null
tr -d '\r' <"$TMP/out" >"$TMP/text"
like "it is drawn over what was there" "$TMP/text" "$(printf '\033\\[[0-9]+A')"
like "what has no room is counted" "$TMP/text" '# \.\.\. and [0-9]+ more rows|alpha'
is "the last table stays" "$(sed "s/.*$(printf '\033\\[J')//" "$TMP/text" | tail -n 2 | grep -c 'samples in')" 1

# Ends
for signal in INT TERM; do
	: >"$TMP/out" # not what another one has printed
	top -q -d 200ms >"$TMP/out" 2>"$TMP/err" &
	pid=$!
	wait_for 10 grep -q 'samples in' "$TMP/out"
	kill -$signal "$(pgrep -P $pid)"
	rc=0
	wait $pid || rc=$?
	rc_is 0 "SIG$signal ends it"
done
run sh -c "timeout 20 '$PERF_LITE' top -d 100ms | head -n 1"
rc_is 0 "a reader that goes away"
rc=0
top -q -d 100ms --once >/dev/full 2>"$TMP/err" || rc=$?
rc_is 3 "a full output"
done_testing
