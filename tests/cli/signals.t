# SPDX-License-Identifier: GPL-2.0
#
# Every signal and every limit that ends a recording leaves a file with all that was seen.
. tests/lib.sh
need_event raw_syscalls:sys_enter
. tests/cli/recording.sh

# PIPE and XFSZ are for what a write returns: from outside they may be passed over.

for sig in INT TERM HUP QUIT ALRM USR1 USR2 XCPU VTALRM PROF IO PIPE XFSZ; do
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
	wait_for 30 grep -q 'samples* in' "$TMP/rec.err" || kill -KILL $recorder
	record_wait
	is "SIG$sig ends a recording well" "$rc.$(grep -c 'samples* in' "$TMP/err")" 0.1
	[ "$rc" -eq 0 ] || diag_file "$TMP/err"
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
ok "ends at a signal" grep -q 'samples* in' "$TMP/err"
ok "the command goes on" kill -0 "$child"
verified "the file is whole"
kill "$child"

# ^C at a pipeline ends the recorder; who reads ends with what it read, nothing is missing, and nobody complains.
# Shells let background jobs ignore interrupts: env undoes that, and the group is one of its own.

# interruptible NR: so many of the pipeline are there, and each has installed its handler
interruptible()
{
	members=$(pgrep -g $recorder -x perf-lite) && [ "$(echo "$members" | wc -l)" -eq "$1" ] || return 1
	for member in $members; do
		handles INT "$member" || return 1
	done
}

pipeline()
{
	nr=2
	case $* in *'|'*) nr=3 ;; esac
	storm_start 1000
	rm -f "$TMP/rec.err"
	: >"$TMP/rec.err"
	rm -f "$TMP/reader.rc"
	env --default-signal=INT setsid sh -c "trap : INT
		'$PERF_LITE' record -m 4M -o - -e raw_syscalls:sys_enter --filter '$filter' -a 2>'$TMP/rec.err' |
		{ trap : INT; '$PERF_LITE' $*; echo \$? >'$TMP/reader.rc'; } >'$TMP/out' 2>'$TMP/reader.err'" &
	recorder=$!
	wait_for 20 grep -q recording "$TMP/rec.err"
	wait_for 20 interruptible $nr
	storm_go
	storm_wait
	kill -INT -$recorder
	rc=0
	record_wait
	wait_for 20 test -s "$TMP/reader.rc"
	rc=$(cat "$TMP/reader.rc")
	rc_is 0 "^C at record | $*"
	is "no complaint of the recorder" "$(said "$TMP/err" | grep -v -e recording -e filter -e 'samples* in')" ""
	# but that it did not get a CPU for a while, which loses nothing here
	is "nor of the reader" "$(grep -v -e '^perf-lite convert: .* in ' -e '^ *recorder not running' "$TMP/reader.err")" ""
}
pipeline script -i - -G -F trace
is "each of 1,000 is printed" "$(grep -c "NR $number" "$TMP/out")" 1000
pipeline count -i - --json
is "each of 1,000 is counted" "$(jq .total.count "$TMP/out")" 1000
pipeline convert -i - --to csv -o "'$TMP/csv'"
is "each of 1,000 is converted" "$(grep -c sys_enter "$TMP/csv")" 1000
pipeline convert -i - --to perf.data -o "'$TMP/perf.data'"
is "likewise to perf.data" "$(samples "$TMP/perf.data")" 1000
pipeline "script -i - --folded | '$PERF_LITE' flamegraph"
like "a picture is whole" "$TMP/out" '</svg>'

# the second one ends a reader whose input does not
mkfifo "$TMP/fifo"
exec 7<>"$TMP/fifo"
env --default-signal=INT "$PERF_LITE" script -i - <"$TMP/fifo" >"$TMP/out" 2>"$TMP/err" &
reader=$!
wait_for 20 handles INT $reader
kill -INT $reader
sleep 0.3
ok "the first one does not" kill -0 $reader
kill -INT $reader
rc=0
wait $reader 2>/dev/null || rc=$?
exec 7>&-
rc_is 130 "a second interrupt ends the reader"

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
all=$(($(samples) + ${unwritten:-0} + $(closing lost)))
is "written, unwritten and lost are all there was" $all 1000000
[ $all -eq 1000000 ] || diag "$(numbers) samples, $(doubled) of them twice; $(cat "$TMP/err")"
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

# A fifo that nobody reads: it waits, and ends when it is told to

mkfifo "$TMP/unread"
# waiting PID: it stands in open(2)
waiting() { grep -q '^State:.*S' "/proc/$1/status" && [ "$(cat "/proc/$1/wchan")" != 0 ] && sleep 0.2; }
for signal in TERM INT; do
	(trap - INT && exec "$PERF_LITE" record -o "$TMP/unread" -e cpu-clock -- sleep 20) >/dev/null 2>"$TMP/err" &
	waits=$!
	wait_for 10 waiting $waits
	kill -$signal $waits
	ok "$signal ends it" wait_for 10 not kill -0 $waits
	rc=0
	wait $waits || rc=$?
	rc_is 2 "$signal: no recording"
	like "$signal: said" "$TMP/err" "interrupted before recording started"
done
# A pipe that is open, and not read: the second signal ends the waiting

mkfifo "$TMP/blocked"
sleep 120 <"$TMP/blocked" &
reader=$!
"$PERF_LITE" record -o "$TMP/blocked" -e raw_syscalls:sys_enter --filter "$filter" -a >/dev/null 2>"$TMP/rec.err" &
recorder=$!
record_ready
storm_run --quiet 600000
kill -INT $recorder
ok "the first says that it waits for who reads" wait_for 20 grep -q "nobody reads $TMP/blocked" "$TMP/rec.err"
ok "and waits" alive $recorder
kill -INT $recorder
ok "the second ends it" wait_for 20 not alive $recorder
record_wait
rc_is 3 "which loses samples"
like "and is said" "$TMP/err" "cannot write $TMP/blocked: interrupted while nobody read it"
kill $reader

# Ctrl-C ends a command that still waits for its exec, too

"$PERF_LITE" record -o "$TMP/unread" -e cpu-clock -- sleep 20 >/dev/null 2>"$TMP/err" &
waits=$!
wait_for 10 waiting $waits
child=$(pgrep -P $waits -x sleep)
kill -INT "$child"
ok "a command that was not started is ended by INT" wait_for 10 not alive "$child"
kill -INT $waits
wait $waits
ok "nobody is left" wait_for 20 nobody_left
done_testing
