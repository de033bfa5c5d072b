# SPDX-License-Identifier: GPL-2.0
#
# Every signal and every limit that ends a recording leaves a file with all that was seen.
. tests/lib.sh
need_event raw_syscalls:sys_enter
. tests/cli/recording.sh

# PIPE and XFSZ are for what a write returns: from outside they may be passed over.

for sig in INT TERM HUP QUIT ALRM USR1 USR2 XCPU VTALRM PROF PIPE XFSZ; do
	storm_start 1000
	record_calls
	storm_go
	storm_wait
	kill -$sig $recorder
	case $sig in
	PIPE | XFSZ)
		sleep 0.3
		kill -INT $recorder 2>/dev/null
		;;
	esac
	wait_for 5 grep -q 'samples in' "$TMP/rec.err" || kill -KILL $recorder
	record_wait
	is "SIG$sig ends a recording well" "$rc.$(grep -c 'samples in' "$TMP/err")" 0.1
	verified "its file is whole"
	is "with all 1,000" "$(numbers)" 1000
done

# nohup

storm_start 1000
: >"$TMP/rec.err"
(
	trap '' HUP
	exec "$PERF_LITE" record -o "$f" -e raw_syscalls:sys_enter --filter "$filter" -a 2>"$TMP/rec.err"
) &
recorder=$!
record_ready
kill -HUP $recorder
sleep 0.3
storm_go
storm_wait
record_end TERM
rc_is 0 "a HUP that is ignored from the start does not end it"
is "all 1,000 are there" "$(numbers)" 1000

# Twice

storm_start 1000
record_calls
storm_go
storm_wait
kill -INT $recorder
kill -INT $recorder
kill -TERM $recorder
record_wait
rc_is 0 "three signals at once"
is "all 1,000 are there" "$(numbers)" 1000
verified "the file is whole"

# A signal while a command runs: the command goes on

"$PERF_LITE" record -o "$f" -e cpu-clock -- "$PROG/spin" 3000 >"$TMP/rec.out" 2>"$TMP/rec.err" &
recorder=$!
ok "a recorder with a command" wait_for 10 pgrep -P $recorder -x spin
child=$(pgrep -P $recorder -x spin)
sleep 0.5
record_end TERM
ok "ends at a signal" grep -q 'samples in' "$TMP/err"
ok "the command goes on" kill -0 "$child"
verified "the file is whole"
kill "$child"

# The exit code of a command, and what ended it

run "$PERF_LITE" record -o "$f" -e cpu-clock -- sh -c 'exit 7'
rc_is 7 "the command's code"
verified "the file is whole"
run "$PERF_LITE" record -o "$f" -e cpu-clock -- sh -c 'kill -TERM $$'
rc_is 143 "128 + the signal that ended it"

# ulimit -f: in blocks of 512 bytes

run sh -c "ulimit -f 200; exec '$PERF_LITE' record -z0 -e raw_syscalls:sys_enter --filter 'id == $number' -o '$f' -- '$PROG/storm' 1000000"
rc_is 3 "ulimit -f"
like "is named" "$TMP/err" "^hint: .*ulimit -f"
unwritten=$(sed -n 's/^perf-lite: \([0-9]*\) samples were not written.*/\1/p' "$TMP/err")
ok "what was not written is counted" test "${unwritten:-0}" -gt 0
is "written, unwritten and lost are all there was" \
	$(($(samples) + ${unwritten:-0} + $(closing lost))) 1000000
run "$PERF_LITE" verify "$f"
ok "verify: whole with its account closed, or partial" test $rc -eq 0 -o $rc -eq 3
like "with the number that was not written" "$TMP/out" "\b$unwritten\b"

# Outputs that end

run sh -c "'$PERF_LITE' record -o - -e raw_syscalls:sys_enter --filter 'id == $number' -- '$PROG/storm' --quiet --seconds 2 1000 | head -c 100; exit 0"
like "a reader that goes away" "$TMP/err" "cannot write standard output: Broken pipe"
rc=0
"$PERF_LITE" record -o - -e raw_syscalls:sys_enter --filter "id == $number" -- "$PROG/storm" --quiet 1000 >/dev/full 2>"$TMP/err" || rc=$?
ok "/dev/full is no start, or a partial file" test $rc -eq 2 -o $rc -eq 3
like "is said" "$TMP/err" "No space left on device"
ok "nobody is left" wait_for 20 nobody_left
done_testing
