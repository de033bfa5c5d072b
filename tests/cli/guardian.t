# SPDX-License-Identifier: GPL-2.0
#
# A recorder that is killed: its guardian finishes the file, nothing is missing and nothing twice.
. tests/lib.sh
need_event raw_syscalls:sys_enter
. tests/cli/recording.sh

# killed DESC [SIGNAL]: as it says
killed()
{
	kill -"${2:-KILL}" $recorder
	wait $recorder 2>/dev/null
	recorder=''
	ok "$1: the guardian ends" guard_wait
	guard=''
}

# What a block holds that is written long after: functions of a program that has ended and is
# deleted are found by then. It records while the rest is tested.

cp "$PROG/spin" "$TMP/gone"
"$PERF_LITE" record -o "$TMP/late.data" -e cpu-clock -g -- \
	sh -c '"$1" 100; rm "$1"; exec sleep 10' sh "$TMP/gone" >"$TMP/late.said" 2>&1 &
late=$!

# Its life

record_calls
ok "there is a guardian" test -n "$guard"
record_end
rc_is 0 "a recording that ends by itself"
ok "its guardian ends, too" guard_wait
ok "nobody is left" wait_for 5 nobody_left
verified "the file is whole"
record_calls --no-guardian
is "--no-guardian: there is none" "$guard" ""
record_end
rc_is 0 "that recording ends well"
verified "its file is whole"

said=$("$PERF_LITE" record -o "$f" -e cpu-clock -- "$PROG/spin" 20 2>&1)
is "output ends with the recorder" "$(echo "$said" | grep -c 'samples* in')" 1

# Everything that was in rings and batches

# Killed before the file has its name, while its command runs; an older file is kept

if can strace && can debugger; then
	before_its_name() # OPTION...: the recorder hangs at the name, and its command kills it
	{
		"$PERF_LITE" record -q -o "$f" -e cpu-clock -- true
		cp "$f" "$TMP/older"
		rm -f "$TMP/traced"
		strace -q -o "$TMP/traced" -e trace=rename -e inject=rename:delay_enter=20000000 \
			"$PERF_LITE" record -q -o "$f" "$@" 2>"$TMP/err"
	}
	before_its_name -a -e raw_syscalls:sys_enter --filter "$filter" -- sh -c "$STORM 300; kill -KILL \$PPID"
	ok "killed before it names the file" wait_for 30 grep -q 'guardian finished' "$TMP/err"
	is "what its command did is there" "$(numbers)" 300
	verified "the file is whole"
	ok "an older one is kept" cmp "$f.old" "$TMP/older"
	before_its_name -e raw_syscalls:sys_exit --filter 'id == -5' -- sh -c "kill -KILL \$PPID"
	ok "without a sample" wait_for 30 sh -c "! ls '$TMP' | grep 'a.data.*tmp'"
	ok "the older one stays" cmp "$f" "$TMP/older"
	rm -f "$f" "$f.old"
else
	skip_without "killed before it names the file" strace debugger
fi

storm_start 40000
record_calls -m 16M
storm_go
storm_wait
sleep 0.1
killed "a load that has ended"
verified "verify finds the file whole"
is "all 40,000 are there" "$(numbers)" 40000
is "from the first to the last" "$(missing 0 39999)" 0
is "none twice" "$(doubled)" 0

# ... with copies of stacks, which the guardian unwinds

storm_start 20000
record_calls --call-graph dwarf,2048
storm_go
storm_wait
killed "a load that has ended, with stacks"
verified "verify finds the file whole"
is "all 20,000 are there, none twice" "$(numbers).$(missing 0 19999).$(doubled)" 20000.0.0
storm_start 100000000
record_calls --call-graph dwarf -m 4M
storm_go
sleep 1
killed "in a storm, with stacks"
kill $storm
storm_wait 2>/dev/null
verified "samples and lost are what the kernel counted"
ok "some are there" test "$(numbers)" -gt 500
is "none twice" "$(doubled)" 0
ok "what was still in the buffers is unwound, too" \
	test "$("$PERF_LITE" script -q -i "$f" | tail -n 12 | grep -c ' call+')" -ge 1

storm_start --seconds 0.5 50
record_calls
storm_go
storm_wait
sleep 1.5
killed "50 rare events"
is "50 of 50" "$(numbers)" 50
verified "verify finds the file whole"

# In the middle of a storm that goes on

storm_start 100000000
record_calls -m 16
storm_go
sleep 0.3
# what is lost now is told in the file before the recorder is killed
kill -STOP $recorder
sleep 0.2
kill -CONT $recorder
sleep 1
killed "in a storm"
ok "the load goes on" kill -0 $storm
kill $storm
storm_wait 2>/dev/null
verified "samples and lost are what the kernel counted"
lost=$(awk '$1 == "raw_syscalls:sys_enter" { print $3 }' "$TMP/out")
ok "some are lost" test "${lost:-0}" -gt 0
like "and told once" "$TMP/out" "^ *$lost samples were lost while recording"
ok "a second's worth is there" test "$(numbers)" -gt 10000
is "none twice" "$(doubled)" 0
run_ok "script" "$PERF_LITE" script -i "$f" -F comm,sym
ok "nothing of the recorder remains" wait_for 5 nobody_left

# Its own command, which waits for nobody

# events stop CPU by CPU: one that moves meanwhile would be seen again after calls that are not
"$PERF_LITE" record -o "$f" -e raw_syscalls:sys_enter --filter "id == $number" -- taskset -c 0 "$STORM" --seconds 20 20000 \
	>"$TMP/rec.out" 2>"$TMP/rec.err" &
recorder=$!
ok "a recorder with a command that it runs" wait_for 10 pgrep -P $recorder -x "storm-$$"
wait_for 10 pgrep -P $recorder -x perf-lite-guard >/dev/null
guard=$(pgrep -P $recorder -x perf-lite-guard)
child=$(pgrep -P $recorder -x "storm-$$")
sleep 1
killed "killed with its command running"
ok "the command goes on" kill -0 "$child"
verified "the file is whole"
n=$(numbers)
is "no call is missing" "$n.$(doubled)" "$(($(last) + 1)).0"
kill "$child"
wait_for 10 not alive "$child"

# Crashes

for sig in SEGV ABRT BUS; do
	storm_start 2000
	record_calls
	storm_go
	storm_wait
	killed "SIG$sig" $sig
	is "all 2,000 are there" "$(numbers).$(missing 0 1999)" 2000.0
	verified "the file is whole"
done

# Whoever kills by group

for sig in TERM KILL; do
	storm_start 1000
	: >"$TMP/rec.err"
	setsid "$PERF_LITE" record -o "$f" -e raw_syscalls:sys_enter --filter "$filter" -a 2>"$TMP/rec.err" >"$TMP/rec.out" &
	recorder=$!
	record_ready
	storm_go
	storm_wait
	is "the recorder leads a group" "$(ps -o pgid= -p $recorder | tr -d ' ')" $recorder
	kill -$sig "-$recorder"
	wait $recorder 2>/dev/null
	recorder=''
	ok "$sig to the process group: the guardian ends" guard_wait
	is "all 1,000 are there" "$(numbers)" 1000
	verified "the file is whole"
done

# Standard output

for how in "a file" "a pipe"; do
	storm_start 20000
	rm -f "$f"
	: >"$TMP/rec.err"
	if [ "$how" = "a file" ]; then
		"$PERF_LITE" record -o - -e raw_syscalls:sys_enter --filter "$filter" -a >"$f" 2>"$TMP/rec.err" &
		recorder=$!
		cat=''
	else
		mkfifo "$TMP/pipe"
		cat "$TMP/pipe" >"$f" &
		cat=$!
		"$PERF_LITE" record -o - -e raw_syscalls:sys_enter --filter "$filter" -a >"$TMP/pipe" 2>"$TMP/rec.err" &
		recorder=$!
	fi
	record_ready
	storm_go
	storm_wait
	killed "-o - into $how"
	like "which is named" "$TMP/rec.err" 'its guardian finished standard output: '
	[ -z "$cat" ] || wait $cat
	verified "what comes out is whole"
	lost=$("$PERF_LITE" script -i "$f" -G -F time 2>&1 >"$TMP/out" | sed -n 's/^\([0-9]*\) samples were lost.*/\1/p')
	is "every call is there or lost" $(($(numbers) + ${lost:-0})) 20000
	is "none twice" "$(doubled)" 0
done

# One that is killed leaves a recorder that does not wait any more

all_there()
{
	[ "$(numbers)" -eq 20000 ]
}
storm_start 20000
record_calls
storm_go
storm_wait
kill -KILL $guard
ok "killed alone: all that was waiting is in the file soon" wait_for 20 all_there
guard=''
record_end
rc_is 0 "and the recording ends well"
like "says so" "$TMP/rec.err" "guardian was killed"
verified "its file is whole"

# One that is stopped: nobody waits for it

record_calls
kill -STOP $guard
kill -INT $recorder
ok "a guardian that is stopped: the recorder ends" wait_for 20 not alive $recorder
kill -CONT $guard 2>/dev/null
record_wait
rc_is 0 "well"
verified "its file is whole"

# Without one: at most a second

storm_start --seconds 4 40000
record_calls --no-guardian
storm_go
sleep 3
read -r killed_at _ </proc/uptime
kill -KILL $recorder
wait $recorder 2>/dev/null
recorder=''
kill $storm
storm_wait 2>/dev/null
run "$PERF_LITE" script -i "$f" -G -F time
ok "--no-guardian, killed: the file can be read" test $rc -eq 0 -o $rc -eq 3
# by the clock of the samples, which a machine that is not suspended shares
like "it holds samples" "$TMP/out" '^ *[0-9]'
ok "and all but those of the last second and a bit" awk -v at="$killed_at" '{ sub(":", ""); last = $1 } END { exit !(last > at - 2.5) }' "$TMP/out"
is "without a gap" "$(missing 0 "$(last)")" 0

rc=0
wait $late || rc=$?
rc_is 0 "a recording of a program that is gone"
"$PERF_LITE" script -i "$TMP/late.data" --folded >"$TMP/out" 2>&1
like "its functions have names" "$TMP/out" "outer;mid;leaf"
is "in one block" "$("$PERF_LITE" verify -v "$TMP/late.data" | awk '$2 == "DATA" && $5 > 0' | wc -l)" 1

# Closing hundreds of tracepoints takes a while: what the recorder was started with is free by then

mkfifo "$TMP/inherited"
cat "$TMP/inherited" &
cat=$!
run_ok "many tracepoints" "$PERF_LITE" record -q -e 'syscalls:*' -e 'sched:*' -e 'kmem:*' -a -o "$f" -- true 7>"$TMP/inherited"
ok "who reads a pipe does not wait for them" wait_for 5 not alive $cat

if can strace && can debugger; then
	ok "a guardian that may not be killed: the recorder does not wait for it" timeout 300 \
		strace -f -qq -o "$TMP/log" -e trace=kill -e inject=kill:error=EPERM \
		"$PERF_LITE" record -q -e cpu-clock:u -o "$f" -- "$PROG/spin" 20
	ok "its kill(2) has failed" grep -q INJECTED "$TMP/log"
	run_ok "verify" "$PERF_LITE" verify "$f"
else
	skip_without "a guardian that may not be killed" strace debugger
fi

ok "nobody is left" wait_for 10 nobody_left
done_testing
