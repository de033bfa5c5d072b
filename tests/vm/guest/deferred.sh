# SPDX-License-Identifier: GPL-2.0
#
# User halves of call chains that the kernel walks once for each stay in it (Linux 6.19).
. /tests/lib.sh
need_event raw_syscalls:sys_enter

# Two samples for each time that a thread goes into the kernel by getppid, or pause: 110, 34 on x86-64
record() # HOW OUTPUT COMMAND...
{
	how=$1 out=$2
	shift 2
	run_ok "records $*" "$PERF_LITE" record --call-graph "$how" -o "$out" -e raw_syscalls:sys_enter --filter 'id == 110' \
		-e raw_syscalls:sys_exit --filter 'id == 110' "$@"
}

each_frame() # what is printed has 300 times each caller by each of two threads, in SAMPLES samples
{
	is "samples" "$(grep -c '^entries .*raw_syscalls:' "$TMP/out")" "$1"
	is "each with the function that went into the kernel" "$(grep -c ' enter$' "$TMP/out")" "$1"
	is "and those that called it" "$(grep -c ' first$' "$TMP/out")" "$1"
	is "half of them below main" "$(grep -c ' main$' "$TMP/out")" $(($1 / 2))
	is "half of them below the other thread's" "$(grep -c ' other$' "$TMP/out")" $(($1 / 2))
	unlike "none lacks its half" "$TMP/err" "deferred call chains"
}

records() # FILE: how many records of deferred chains it has
{
	"$PERF_LITE" script -D -i "$1" | grep -c PERF_RECORD_CALLCHAIN_DEFERRED
}

record fp,defer /out/deferred.data -- "$PROG/entries" 300
unlike "they are not walked at once" "$TMP/err" "walked at once"
run_ok "script" "$PERF_LITE" script -i /out/deferred.data
cp "$TMP/out" /out/deferred.script
run_ok "script" "$PERF_LITE" script -i /out/deferred.data -F comm,tid,event,ip,sym
each_frame 1200
is "one record for two samples" "$(records /out/deferred.data)" 600
run "$PERF_LITE" verify /out/deferred.data
rc_is 0 "verify"
cp "$TMP/out" "$TMP/deferred"

# The same, walked at once
record fp,nodefer "$TMP/once.data" -- "$PROG/entries" 300
run_ok "script" "$PERF_LITE" script -i "$TMP/once.data" -F comm,tid,event,ip,sym
each_frame 1200
is "no records of chains" "$(records "$TMP/once.data")" 0
diag "bytes with deferred chains $(wc -c </out/deferred.data), without $(wc -c <"$TMP/once.data")"

# Of everybody, through a pipe, and live
record fp,defer - -a -- sh -c "$PROG/entries 300 >/dev/null"
cp "$TMP/out" "$TMP/piped"
run_ok "script of a pipe" "$PERF_LITE" script -i "$TMP/piped" -F comm,tid,event,ip,sym
each_frame 1200
run_ok "count" "$PERF_LITE" count --call-graph fp,defer -e raw_syscalls:sys_enter --filter 'id == 110' --by ustack -- "$PROG/entries" 300
is "two stacks" "$(grep -Ec '^ +300$' "$TMP/out")" 2
is "with all their frames" "$(grep -Ec ' (enter|second|first|main|other)[+]' "$TMP/out")" 8

# A thread that becomes another program shows the stack of that at its return
run_ok "records execve" "$PERF_LITE" record --call-graph fp,defer -o "$TMP/exec.data" -e raw_syscalls:sys_enter --filter 'id == 59' \
	-- "$PROG/entries" exec 5
run_ok "script" "$PERF_LITE" script -i "$TMP/exec.data" -F comm,event,ip,sym
is "each call" "$(grep -c 'sys_enter' "$TMP/out")" 5
unlike "no address of the new program" "$TMP/out" "^	 "
like "why is said" "$TMP/err" "^5 of 5 deferred call chains .*5 began another program$"
run_ok "quality" "$PERF_LITE" script --quality -i "$TMP/exec.data"
like "and counted" "$TMP/out" "no copy of the stack"

# An event that is known to be the last of its program is walked at once
run_ok "records execve by its own event" "$PERF_LITE" record --call-graph fp,defer -o "$TMP/exec.data" \
	-e syscalls:sys_enter_execve,sched:sched_process_exit -- "$PROG/entries" exec 5
run_ok "script" "$PERF_LITE" script -i "$TMP/exec.data" -F comm,event,ip,sym --event syscalls:sys_enter_execve
is "each call with its callers" "$(grep -c ' main$' "$TMP/out")" 5
unlike "none lacks its half" "$TMP/err" "deferred call chains"

# In the midst of execve: the stack is that of the new program, which is mapped between the sample and the record
if [ -e /sys/bus/event_source/devices/kprobe ]; then
	run_ok "records within execve" "$PERF_LITE" record --call-graph fp,defer -o "$TMP/within.data" -e kprobe:setup_arg_pages -- "$PROG/entries" exec 5
	run_ok "script" "$PERF_LITE" script -i "$TMP/within.data" -F comm,event,ip,dso
	cp "$TMP/out" /out/within.script
	ok "each program" test "$(grep -c ':setup_arg_pages' "$TMP/out")" -ge 5
	is "is in its loader" "$(grep -c '(/lib64/ld-linux' "$TMP/out")" "$(grep -c ':setup_arg_pages' "$TMP/out")"
else
	skip "within execve" "no probes of the kernel"
fi

# Records of chains that are lost are no lost samples
"$PERF_LITE" record --call-graph fp,defer -m 4K -a -o "$TMP/lost.data" -e raw_syscalls:sys_enter --filter 'id == 110' \
	-e raw_syscalls:sys_exit --filter 'id == 110' 2>"$TMP/lost.err" &
recorder=$!
wait_for 20 grep -q recording "$TMP/lost.err"
kill -STOP $recorder
"$PROG/entries" 300 >"$TMP/entries"
kill -CONT $recorder
kill -INT $recorder
wait $recorder
cp "$TMP/lost.err" /out/lost.err
like "samples and losses are what was counted" "$TMP/lost.err" "samples"
is "to one" "$(sed -n 's/.*: \([0-9]*\) samples in .*, \([0-9]*\) lost of \([0-9]*\) counted.*/\1 \2 \3/p' "$TMP/lost.err" | awk '{ print $1 + $2 - $3, ($2 > 0) }')" "0 1"
like "lost chains are told apart" "$TMP/lost.err" "[0-9]+ deferred call chains were lost as well"
losses() # of text: samples that were lost, and chains
{
	sed -n 's/^ *\([0-9]*\) samples were lost while recording.*/\1/p; s/^ *\([0-9]*\) deferred call chains were lost as well.*/\1/p' "$1"
}
sed -n 's/.*: [0-9]* samples in .*, \([0-9]*\) lost of .*/\1/p; s/.*: \([0-9]*\) deferred call chains were lost.*/\1/p' "$TMP/lost.err" >"$TMP/losses"
run_ok "verify" "$PERF_LITE" verify "$TMP/lost.data"
cp "$TMP/out" /out/lost.verify
losses "$TMP/out" >"$TMP/verified"
is_file "says the same" "$TMP/verified" "$TMP/losses"
run "$PERF_LITE" script -i "$TMP/lost.data"
cp "$TMP/err" /out/lost.script
losses "$TMP/err" >"$TMP/told"
is_file "script, too" "$TMP/told" "$TMP/losses"

# One that does not come back
run_ok "records who sleeps" "$PERF_LITE" record --call-graph fp,defer -a -o "$TMP/asleep.data" -e raw_syscalls:sys_enter \
	--filter 'id == 34 || id == 110' -- sh -c "$PROG/entries asleep & sleep 0.5; $PROG/entries 20"
run_ok "script" "$PERF_LITE" script -i "$TMP/asleep.data" -F comm,tid,event,ip,sym
is "samples" "$(grep -c '^entries ' "$TMP/out")" 41
is "each of those that came back has its callers" "$(grep -c ' first$' "$TMP/out")" 40
like "the one that did not is counted" "$TMP/err" "^1 of 4[0-9] deferred call chains .*1 had not returned"
run_ok "quality" "$PERF_LITE" script --quality -i "$TMP/asleep.data"
like "and has its cause in the table" "$TMP/out" "not back in user space"
killall -9 entries
done_testing
