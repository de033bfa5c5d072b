# SPDX-License-Identifier: GPL-2.0
#
# Lists that begin with "!": everything else.
. tests/lib.sh
need_root

f=$TMP/data
spin=$PROG/spin
cp "$spin" "$TMP/first"
cp "$spin" "$TMP/second"
cp "$spin" "$TMP/third"
run_ok "a recording of three commands" "$PERF_LITE" record -q -F 1000 -e cpu-clock -o "$f" -- \
	sh -c "$TMP/first 60; $TMP/second 60; $TMP/third 60"

# comms ARGS...: the commands whose samples a reading command gives
comms()
{
	"$PERF_LITE" script -q -i "$f" -F comm "$@" 2>"$TMP/err" | sed 's/ //g' | sort -u | tr '\n' ' '
}

all=$(comms)
is "a name" "$(comms -c first)" "first "
is "not a name" "$(comms -c '!sh,first')" "second third "
is "not several, in one option or two" "$(comms --comms '!sh,first' -c '!third')" "second "
is "everything but what is not there" "$(comms -c '!nobody')" "$all"

pid=$("$PERF_LITE" script -q -i "$f" -F pid -c second | sed 's/ //g' | head -n 1)
is "not a process" "$(comms --pid "!$pid" -c '!sh')" "first third "
is "not a thread" "$(comms --tid "!$pid" -c '!sh')" "first third "
cpus=$("$PERF_LITE" script -q -i "$f" -F cpu | tr -d '[] ' | sort -u)
for cpu in $cpus; do
	"$PERF_LITE" script -q -i "$f" -C "!$cpu" -F cpu | tr -d '[] ' | sort -u >"$TMP/rest"
	unlike "not on CPU $cpu" "$TMP/rest" "^$cpu\$"
	is "but on the others" "$(cat "$TMP/rest")" "$(echo "$cpus" | grep -v "^$cpu\$")"
done
"$PERF_LITE" script -q -i "$f" -F ip,sym,dso --dsos '!first' >"$TMP/dsos"
unlike "not in a file" "$TMP/dsos" '/first\)'
like "but in others" "$TMP/dsos" '/second\)'
"$PERF_LITE" script -q -i "$f" -F ip,sym -S '!leaf' >"$TMP/syms"
unlike "not in a function" "$TMP/syms" ' leaf$'
ok "but in others" test -s "$TMP/syms"
run_ok "report" "$PERF_LITE" report -q -i "$f" -s comm -c '!first'
unlike "leaves out the command" "$TMP/out" first
like "and keeps its column" "$TMP/out" '% +second'
run_ok "count -i" "$PERF_LITE" count -q -i "$f" --by comm --comm '!first'
unlike "leaves it out" "$TMP/out" first
like "keeps the others" "$TMP/out" ' second$'

# What cannot be
run "$PERF_LITE" report -i "$f" -c first -c '!second'
rc_is 1 "a mixture is refused"
like "with the way out" "$TMP/err" "^hint: .*'!LIST'"
run "$PERF_LITE" report -i "$f" --pid '!'
rc_is 1 "an empty list"
run "$PERF_LITE" report -i "$f" -C '!x'
rc_is 1 "a CPU that is no number"
run "$PERF_LITE" record -o "$TMP/no" --comm '!first' -a -- true
rc_is 1 "record cannot leave out a command"
like "and says who can" "$TMP/err" "^hint: .*report --comms '!first'"

# Live: what is left out is passed over, of everybody or of a command
run_ok "count, live" "$PERF_LITE" count -q -e page-faults --by comm --comm '!second' -- \
	sh -c "$TMP/first 5; $TMP/second 5"
like "has the others" "$TMP/out" ' first$'
unlike "without the one" "$TMP/out" ' second$'
run_ok "count of a name, nothing else" "$PERF_LITE" count -q -e page-faults --by comm --comm second -- \
	sh -c "$TMP/first 5; $TMP/second 5"
like "has it" "$TMP/out" ' second$'
unlike "alone" "$TMP/out" ' first$'
run_ok "trace, live" "$PERF_LITE" trace -e sched:sched_process_exec --fields comm --comm '!first' -- \
	sh -c "$TMP/first 5; $TMP/second 5"
like "has the others" "$TMP/out" '^second'
unlike "without the one" "$TMP/out" first
run_ok "trace, without a process" "$PERF_LITE" trace -e sched:sched_process_exec --fields pid,comm -p "!$$" -- "$TMP/first" 5
like "has the others" "$TMP/out" '=[0-9]+ first'

# --comm of something that does not run yet
"$PERF_LITE" trace -e sched:sched_process_exec --fields comm --comm third --limit 2 --duration 20s >"$TMP/later" 2>"$TMP/err" &
tracer=$!
ok "is waited for" wait_for 10 grep -q "no process is named 'third' yet" "$TMP/err"
while kill -0 $tracer 2>/dev/null; do
	"$TMP/first" 1 >/dev/null
	"$TMP/third" 1 >/dev/null
done
wait $tracer
is "and found" "$(cat "$TMP/later")" "third
third"

# --comm of one that runs, ends and comes again, as a service that crashes does
name=again-$$
cp "$spin" "$TMP/$name"
while :; do "$TMP/$name" 20; done >/dev/null &
loop=$!
for i in 1 2; do
	run_ok "count of a name that comes again" "$PERF_LITE" count -e cpu-clock -F 500 --by comm,pid --comm "$name" --json --duration 600ms
	is_between "has one after another" "$(jq '.rows | length' "$TMP/out")" 3 1000
done
run_ok "while a command runs" "$PERF_LITE" count -e cpu-clock -F 500 --by comm,pid --comm "$name" --json -- sleep 0.6
is_between "likewise" "$(jq '.rows | length' "$TMP/out")" 3 1000
run_ok "trace of it" "$PERF_LITE" trace -e sched:sched_process_exec --fields comm --comm "$name" --duration 600ms
is_between "has one after another" "$(grep -c "$name" "$TMP/out")" 3 1000
run_ok "latency of it" "$PERF_LITE" latency syscalls --comm "$name" --by pid --json --duration 600ms
is_between "has one after another" "$(jq '.rows | length' "$TMP/out")" 3 1000
run_ok "latency of it in the kernel" "$PERF_LITE" latency syscalls --comm "$name" --hist --by comm --json --duration 300ms
is "that name alone" "$(jq -r '[.rows[].comm] | unique | join(" ")' "$TMP/out")" "$name"
run_ok "an interval of seconds that are none" "$PERF_LITE" count -e cpu-clock -I 1000 --by comm --duration 100ms
like "is noted" "$TMP/err" "^-I 1000: a table every 1000 s; of milliseconds: -I 1000ms\$"
kill $loop
wait $loop 2>/dev/null
run_ok "threads with other names" "$PERF_LITE" count -e context-switches --by comm --comm threads --json -- sh -c "'$PROG/threads' >/dev/null"
is "are of the process" "$(jq -r '[.rows[].comm] | map(select(. == "ping" or . == "pong" or . == "sh")) | sort | join(" ")' "$TMP/out")" "ping pong"

cpu=$(sed 's/[-,].*//' /sys/devices/system/cpu/online)
if [ "$(cat /sys/devices/system/cpu/online)" != "$cpu" ]; then
	run_ok "record -C '!LIST'" "$PERF_LITE" record -q -o "$TMP/cpus" -e cpu-clock -F 500 -C "!$cpu" -- sleep 0.3
	"$PERF_LITE" script -q -i "$TMP/cpus" -F cpu | tr -d '[] ' | sort -u >"$TMP/rest"
	unlike "records the others" "$TMP/rest" "^0*$cpu\$"
	run_ok "stat -C '!LIST'" "$PERF_LITE" stat -A -e cs -C "!$cpu" -o "$TMP/stat" -- true
	unlike "counts the others" "$TMP/stat" "^CPU$cpu "
	like "really" "$TMP/stat" "^CPU[0-9]+ "
else
	skip_outside "-C '!LIST', live" "a second CPU"
fi
run "$PERF_LITE" record -o "$TMP/no" -e cpu-clock -C "!$(cat /sys/devices/system/cpu/online)" -- true
rc_is 1 "no CPU is left"
done_testing
